"""Many runs: lanes against the ordinary stepper, on one core, each run with the same bits in both."""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.codegen import native_lanes
from linkwright.studies.lane_runs import LaneRuns
from linkwright.studies.simulate import make_stepper, prepare

from . import models
from .batch_peers import against_peers
from .peers import linkwright as own

STOP, RUNS = 10.0, 64
METHODS = ("dopri5", "dop853")


def systems() -> dict[str, lw.System]:
    """Name → system; speeds are drawn for every run."""
    double = models.Description("double pendulum", tuple(models.Link(k - 1, 2, models.TIP if k else (0, 0, 0))
                                                         for k in range(2)), (1.0, 1.5))
    out = {d.name: own.system(d) for d in (double, models.chain(7), models.chain(32))}
    example = Path(__file__).parents[1] / "examples" / "fourbar.py"
    return out | {"four-bar": lw.compile(runpy.run_path(str(example))["model"])}


def starts(system: lw.System, count: int) -> list:
    """States with speeds of their own, loops closed."""
    rng, states = np.random.default_rng(0), []
    for _ in range(count):
        state = system.state().copy()
        factor = 1 + 0.1 * rng.normal()
        state.u = state.u * factor if system.mechanism.constraints else 0.2 * rng.normal(size=len(state.u))
        states.append(prepare(system, state, 0.0, {}))
    return states


def batch(repeat: int) -> None:
    """Microseconds per run of 10 s at accuracy 1e-8: the ordinary stepper, and lanes of half and of whole registers."""
    widths = sorted({4, native_lanes()})
    print(f"\nRuns of {STOP:g} s at accuracy 1e-8, µs each (ratio to the ordinary stepper), {RUNS} runs on one core")
    print(f"{'':24s}{'ordinary':>12s}" + "".join(f"{f'{w} lanes':>20s}" for w in widths))
    for name, system in systems().items():
        states = starts(system, RUNS)
        for method in METHODS:
            lanes = {w: LaneRuns(system, states[0], STOP, step=STOP, method=method, lanes=w) for w in widths}
            packed = {w: runs.starts(states) for w, runs in lanes.items()}
            best = dict.fromkeys((0, *widths), np.inf)
            for _ in range(repeat):
                steppers = [make_stepper(system, s.copy(), method, 1e-8, None, {}, None, "rms") for s in states]
                grid = lanes[widths[0]].grid
                best[0] = min(best[0], _seconds(lambda s=steppers, g=grid: [one.run(STOP, grid=g) for one in s]))
                for w, runs in lanes.items():
                    best[w] = min(best[w], _seconds(lambda starts=packed[w], runs=runs: runs.run(starts)))
            results = lanes[widths[-1]].run(packed[widths[-1]])
            same = all(np.array_equal(x, one.x) for x, one in zip(results.x, steppers, strict=True))
            cells = "".join(f"{1e6 * best[w] / RUNS:12.1f} {best[0] / best[w]:6.1f}×" for w in widths)
            note = "" if same and not len(results.unfinished) else "   differs or unfinished"
            print(f"{f'{name}, {method}':24s}{1e6 * best[0] / RUNS:12.1f}{cells}{note}", flush=True)
    against_peers()


def _seconds(call) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began
