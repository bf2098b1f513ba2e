"""Files for a machine with a GPU: `python -m bench gpu --out FOLDER`, then `python FOLDER/chain-7-rk4.zip` there.

Each prints the device, registers and local memory of its kernel, and steps per second; `--copies 4096` makes many runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.studies.lane_runs import LaneRuns

from .batch import EVENTFUL, along, starts, systems

RUNS = 256
#: seconds and methods; rk4 takes steps of a millisecond
CASES = {
    "double pendulum": (10.0, ("dopri5", "dop853", "radau")),
    "chain 7": (1.0, ("rk4", "radau")),
    "chain 32": (0.1, ("rk4",)),
    "four-bar": (1.0, ("rk4", "dop853")),
}
OPTIONS = {"rk4": {"h": 1e-3}}


def bundles(folder: str) -> None:
    """Write the files."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, system in systems().items():
        stop, methods = CASES[name]
        for method in methods:
            write(folder, f"{name} {method}", system, starts(system, RUNS), stop,
                  {"method": method} | OPTIONS.get(method, {}))
    for build, stop, _, (low, high) in EVENTFUL:
        model = build()
        system = lw.compile(model)
        write(folder, model.title, system, along(system, np.linspace(low, high, RUNS)), stop, {})


def write(folder: str, name: str, system: lw.System, states: list, stop: float, options: dict) -> None:
    runs = LaneRuns(system, states[0], stop, step=stop, device="gpu", **options)
    path = runs.bundle(Path(folder) / f"{name.replace(' ', '-')}.zip", states)
    print(f"{path}: {len(states)} runs of {stop:g} s, {runs.lanes.step.memory.slots} numbers a thread", flush=True)
