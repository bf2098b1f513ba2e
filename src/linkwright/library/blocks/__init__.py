"""Blocks with states: functions of signals that return signals (Modelica Blocks; its names in brackets).

    u = blocks.pi(error, k=5, T=0.1, name="speed")
    m.motor.tau = blocks.limiter(u, 20)

A block's states are found through the signals they appear in and show up in results under its name: `speed.x` the
states, `speed.y` the output.  `start` is the first value of the output or states; `start="steady"` begins at rest, and
`start=lw.guess(…)` lets initial conditions of the model find it (a joint that shall start with a=0, say).
Sources are in `sources`, blocks with states in `filters`, those that remember in `memory`.
"""

from .filters import (
    bessel,
    butterworth,
    critical_damping,
    dead_zone,
    derivative,
    first_order,
    integrator,
    limiter,
    pi,
    pid,
    rate_limiter,
    second_order,
    state_space,
    transfer_function,
)
from .memory import delay, hysteresis, zero_order_hold
from .sources import kinematic_ptp, pulse, ramp, sine, step, table, trapezoid

__all__ = [
    "bessel", "butterworth", "critical_damping", "dead_zone", "delay", "derivative", "first_order", "hysteresis",
    "integrator", "kinematic_ptp", "limiter", "pi", "pid", "pulse", "ramp", "rate_limiter", "second_order", "sine",
    "state_space", "step", "table", "transfer_function", "trapezoid", "zero_order_hold",
]
