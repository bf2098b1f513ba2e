"""Signals of time (Modelica Blocks.Sources).

Jumps are comparisons with time and so located events, as everywhere in signals; bends made of min and max (`ramp`,
the flanks of `trapezoid`) are not, the stepper's error control finds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...codegen import Table
from ...errors import ModelError
from ...language import numbers
from ...language.expressions import time
from ...language.given_values import as_expression, floats
from ...language.ranges import POSITIVE
from ..tolerances import PERIOD_ROUNDING
from .checks import ask


def step(height: Scalar = 1.0, start_time: Scalar = 0.0, offset: Scalar = 0.0) -> ca.SX:
    """offset, and height more from start_time on; the jump is an event (Sources.Step)."""
    ask("step", height=height, start_time=start_time, offset=offset)
    return offset + ca.if_else(time < start_time, 0.0, height)


def ramp(height: Scalar = 1.0, duration: Scalar = 2.0, start_time: Scalar = 0.0, offset: Scalar = 0.0) -> ca.SX:
    """offset, rising by height during `duration` from start_time on; its kinks are no events (Sources.Ramp)."""
    ask("ramp", height=height, start_time=start_time, offset=offset)
    ask("ramp", POSITIVE, duration=duration)
    return offset + height * ca.fmin(ca.fmax((time - start_time) / duration, 0.0), 1.0)


def sine(amplitude: Scalar = 1.0, f: Scalar = 1.0, phase: Scalar = 0.0, offset: Scalar = 0.0,
         start_time: Scalar = 0.0) -> ca.SX:
    """offset + amplitude sin(2π f (t − start_time) + phase) from start_time on, offset before (Sources.Sine)."""
    ask("sine", amplitude=amplitude, f=f, phase=phase, offset=offset, start_time=start_time)
    wave = amplitude * ca.sin(2 * np.pi * f * (time - start_time) + phase)
    return offset + (wave if start_time == 0 else ca.if_else(time < start_time, 0.0, wave))


def _phase(period: float, start_time: float) -> ca.SX:
    """Time since the last beginning of a period."""
    since = time - start_time
    return since - period * ca.floor(since / period)


def pulse(amplitude: Scalar = 1.0, width: Scalar = 0.5, period: Scalar = 1.0, start_time: Scalar = 0.0,
          offset: Scalar = 0.0) -> ca.SX:
    """A rectangle of `amplitude` over the fraction `width` of each period; its jumps are events (Sources.Pulse)."""
    ask("pulse", amplitude=amplitude, width=width, start_time=start_time, offset=offset)
    ask("pulse", POSITIVE, period=period)
    high = ca.if_else(_phase(period, start_time) < width * period, amplitude, 0.0)
    return offset + ca.if_else(time < start_time, 0.0, high)


def trapezoid(amplitude: Scalar = 1.0, rising: Scalar = 0.0, width: Scalar = 0.5, falling: Scalar = 0.0,
              period: Scalar = 1.0, start_time: Scalar = 0.0, offset: Scalar = 0.0) -> ca.SX:
    """Rises, stays, falls and rests in each period (durations in s; Sources.Trapezoid)."""
    ask("trapezoid", amplitude=amplitude, rising=rising, width=width, falling=falling, start_time=start_time,
        offset=offset)
    ask("trapezoid", POSITIVE, period=period)
    times = [float(numbers(value)) for value in (rising, width, falling)]
    if min(times) < 0 or sum(times) > numbers(period) * (1 + PERIOD_ROUNDING):
        raise ModelError(f"trapezoid: rising, width and falling ({', '.join(map(str, times))} s) must not be negative "
                         f"and fit into the period of {period} s.")
    x = _phase(period, start_time)
    up = 1.0 if rising == 0 else ca.fmin(x / rising, 1.0)
    end = rising + width
    down = ca.if_else(x < end, 1.0, 0.0) if falling == 0 else ca.fmin(ca.fmax((end + falling - x) / falling, 0.0), 1.0)
    return offset + ca.if_else(time < start_time, 0.0, amplitude * ca.fmin(up, down))


def table(x: Sequence[float], y: Sequence[float], u: Scalar | None = None, kind: str = "linear",
          extrapolation: str = "hold") -> ca.SX:
    """y looked up over x at the signal u (default time); kind "linear", "smooth" or "monotone".

    (Sources.TimeTable, Tables.CombiTable1D)
    """
    return Table(x, y, kind, extrapolation)(time if u is None else as_expression(u, (), "table.u"))


class Motion(NamedTuple):
    """A point-to-point motion: position, speed, acceleration (one entry per axis) and the time it ends."""

    q: ca.SX
    qd: ca.SX
    qdd: ca.SX
    end_time: float


def kinematic_ptp(q_end: float | Sequence[float], q_begin: float | Sequence[float] = 0.0,
                  qd_max: float | Sequence[float] = 1.0, qdd_max: float | Sequence[float] = 1.0,
                  start_time: float = 0.0) -> Motion:
    """The fastest motion of several axes together from q_begin to q_end within speeds and accelerations.

    All axes follow one path parameter s: 0 → 1 that accelerates, coasts and brakes; q = q_begin + s (q_end − q_begin).
    (Sources.KinematicPTP2)
    """
    q_end, q_begin, qd_max, qdd_max = (floats(numbers(value, noted=True), f"kinematic_ptp: {key}") for key, value in (
        ("q_end", q_end), ("q_begin", q_begin), ("qd_max", qd_max), ("qdd_max", qdd_max)))
    try:
        shape = np.broadcast(np.atleast_1d(q_end), q_begin, qd_max, qdd_max).shape
    except ValueError:
        sizes = ", ".join(str(np.size(v)) for v in (q_end, q_begin, qd_max, qdd_max))
        raise ModelError("kinematic_ptp: q_end, q_begin, qd_max and qdd_max are one number or one per axis; got "
                         f"{sizes} numbers.") from None
    end, begin, speed, acceleration = (np.broadcast_to(v, shape) for v in (q_end, q_begin, qd_max, qdd_max))
    if not (np.all(speed > 0) and np.all(acceleration > 0)):
        raise ModelError("kinematic_ptp: qd_max and qdd_max must be positive.")
    way = end - begin
    if not np.any(way):
        zero = ca.SX.zeros(len(way))
        return Motion(ca.SX(begin), zero, zero, float(start_time))
    sd, sdd = 1 / np.max(np.abs(way) / speed), 1 / np.max(np.abs(way) / acceleration)
    # without time to coast the way is halved between accelerating and braking
    accelerate = min(sd / sdd, np.sqrt(1 / sdd))
    total = 2 * accelerate if accelerate < sd / sdd else 1 / sd + accelerate
    t = time - start_time
    phases = [(t < 0, (0.0, 0.0, 0.0)),
              (t < accelerate, (sdd * t * t / 2, sdd * t, sdd)),
              (t < total - accelerate, (sdd * accelerate * (t - accelerate / 2), sdd * accelerate, 0.0)),
              (t < total, (1 - sdd * (total - t) ** 2 / 2, sdd * (total - t), -sdd))]
    values = (1.0, 0.0, 0.0)
    for condition, inside in reversed(phases):
        values = tuple(ca.if_else(condition, a, b) for a, b in zip(inside, values, strict=True))
    s, rate, second = values
    begin, way = ca.DM(begin), ca.DM(way)
    return Motion(begin + way * s, way * rate, way * second, float(start_time + total))
