"""A mechanism stepped from outside: what one `step` and one `reset` of a Simulator cost, and how punctual a loop is."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational

FRAMES, PERIOD = 1000, 0.01  # of the loop in real time
LATE = 1e-3  # s after its time a frame counts as late


def pendulum() -> lw.Model:
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(phi=0.3, w=0.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.motor.flange, m.rev.axis)
    return m


def spent(call: Callable[[], object], count: int, repeat: int) -> float:
    """Microseconds of processor time a call, the best of some rounds."""
    best = np.inf
    for _ in range(repeat):
        start = time.process_time()
        for _ in range(count):
            call()
        best = min(best, 1e6 * (time.process_time() - start) / count)
    return best


def stepping(repeat: int) -> None:
    """Steps and resets of one pendulum and of many, then a loop at 100 Hz."""
    print("\nA pendulum stepped from outside (µs of processor time; the best of some rounds)")
    print(f"{'instances':>10s}{'step':>12s}{'reset':>12s}{'reset, values':>16s}{'steps/s':>12s}")
    for n in (None, 1024):
        sim = lw.Simulator(pendulum(), PERIOD, n=n)
        count, phi = (300, 0.1) if n is None else (20, np.linspace(-1, 1, n))
        tau = 0.01 if n is None else np.full(n, 0.01)
        step = spent(lambda: sim.step({"torque": tau}), count, repeat)  # noqa: B023
        back = spent(sim.reset, count, repeat)
        given = spent(lambda: sim.reset({"rev.phi": phi}), count, repeat)  # noqa: B023
        print(f"{n or 1:10d}{step:12.1f}{back:12.1f}{given:16.1f}{1e6 * (n or 1) / step:12.2e}", flush=True)
    late, worst = punctuality()
    print(f"loop at {1 / PERIOD:g} Hz: {late} of {FRAMES} frames more than {1e3 * LATE:g} ms late, the worst by "
          f"{1e3 * worst:.2f} ms")


def punctuality() -> tuple[int, float]:
    """Frames of a loop in real time that end late, and by how much the worst."""
    sim, delays = lw.Simulator(pendulum(), PERIOD), []
    sim.step({"torque": 0.0})
    begin = time.perf_counter()
    for k in range(1, FRAMES + 1):
        sim.step({"torque": -0.1 * sim["rev.phi"]})
        due = begin + k * PERIOD
        time.sleep(max(0.0, due - time.perf_counter()))
        delays.append(time.perf_counter() - due)
    return int(np.sum(np.array(delays) > LATE)), max(delays)
