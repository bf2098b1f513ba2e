"""Whole machines with friction, impacts and control, from the examples: how long a run takes, and what an event costs.

What an event costs is deciding the instant and reading what happened there (`instants`); a step has the rest but the
set-up.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import linkwright as lw

from .instants import cost, timed_run

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
        total, decided, r = cost(system, stop, repeat)
        start = min(timed_run(system, 1e-9 * stop)[0] for _ in range(repeat))
        steps, instants = r.counters["steps"] + r.counters["rejected"], len({event.time for event in r.events})
        print(f"{name:18s}{stop:12g}{total:9.3f}{steps:8d}{1e6 * (total - decided - start) / steps:9.1f}"
              f"{len(r.events):8d}{1e6 * decided / instants:10.1f}", flush=True)
