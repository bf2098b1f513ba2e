"""Whole machines with friction, impacts and control, from the examples: how long a run takes, and what an event costs.

What an event costs is the time of the run outside stepping and the set-up, per instant at which something happened:
finding the modes that agree, writing the table of events, starting the stepper again.  Stepping is compiled, but for
the pivots of an implicit method, chosen where `auto` goes over to it.
"""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import linkwright as lw
from linkwright.integrate import Stepper
from linkwright.integrate.method_in_use import MethodInUse

EXAMPLES = Path(__file__).parents[1] / "examples"
#: example → seconds of its run
RUNS = {"robot_r3": 10.0, "car_drive_line": 4.0, "engine_v6": 1.01, "rolling_pendulum": 20.0, "stick_slip": 100.0}


def machines(repeat: int) -> None:
    """One line per machine; processor seconds of `simulate` on compiled code, at the default accuracy."""
    print("\nMachines of the examples (processor seconds of a run, without compiling)")
    print(f"{'':18s}{'simulated s':>12s}{'run s':>9s}{'steps':>8s}{'µs/step':>9s}{'events':>8s}{'µs/event':>10s}")
    for name, stop in RUNS.items():
        found = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        system = lw.compile(next(value for value in found.values() if isinstance(value, lw.Model)))
        lw.simulate(system, stop)
        total, inside, r = min((timed_run(system, stop) for _ in range(repeat)), key=lambda run: run[0])
        start = min(timed_run(system, 1e-9 * stop)[0] for _ in range(repeat))
        steps, instants = r.counters["steps"] + r.counters["rejected"], len({event.time for event in r.events})
        print(f"{name:18s}{stop:12g}{total:9.3f}{steps:8d}{1e6 * inside / steps:9.1f}{len(r.events):8d}"
              f"{1e6 * (total - inside - start) / instants:10.0f}", flush=True)


def timed_run(system, stop: float, **options):
    """(processor seconds of a run, those spent stepping, the result)."""
    inside, watched = 0.0, [(Stepper, "_call"), (MethodInUse, "help")]
    plain = [getattr(owner, name) for owner, name in watched]

    def timed(call):
        def wrapped(*arguments):
            nonlocal inside
            began = time.process_time()
            try:
                return call(*arguments)
            finally:
                inside += time.process_time() - began
        return wrapped

    for (owner, name), call in zip(watched, plain, strict=True):
        setattr(owner, name, timed(call))
    try:
        began = time.process_time()
        r = lw.simulate(system, stop, **options)
        return time.process_time() - began, inside, r
    finally:
        for (owner, name), call in zip(watched, plain, strict=True):
            setattr(owner, name, call)
