"""Files for a machine with a GPU: `python -m bench gpu --out FOLDER`, then `python FOLDER/chain-7-rk4.zip` there.

Each prints the device, registers and local memory of its kernel, and steps per second; `--copies 4096` makes many runs.
"""

from __future__ import annotations

from pathlib import Path

from linkwright.studies.lane_runs import LaneRuns

from .batch import starts, systems

RUNS = 256
CASES = {
    "double pendulum": (10.0, {"dopri5": {"method": "dopri5"}, "dop853": {"method": "dop853"}}),
    "chain 7": (1.0, {"rk4": {"h": 1e-3}}),
    "chain 32": (0.1, {"rk4": {"h": 1e-3}}),
    "four-bar": (1.0, {"rk4": {"h": 1e-3}, "dop853": {"method": "dop853"}}),
}


def bundles(folder: str) -> None:
    """Write the files."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, system in systems().items():
        stop, methods = CASES[name]
        states = starts(system, RUNS)
        for method, options in methods.items():
            runs = LaneRuns(system, states[0], stop, step=stop, device="gpu", **options)
            path = runs.bundle(Path(folder) / f"{name.replace(' ', '-')}-{method}.zip", states)
            print(f"{path}: {RUNS} runs of {stop:g} s, {runs.lanes.step.memory.slots} numbers a thread", flush=True)
