"""Many runs: lanes against the ordinary stepper, on one core, each run with the same bits in both."""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright.codegen import native_lanes
from linkwright.run import make_stepper
from linkwright.start import prepare
from linkwright.studies.lane_runs import LaneRuns

from . import models
from .batch_peers import against_peers
from .peers import linkwright as own

STOP, RUNS, MANY = 10.0, 64, 10_000
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
    eventful(repeat)
    against_peers()


def stick_slip() -> lw.Model:
    """A pendulum that friction brings to rest."""
    m = lw.Model("stick-slip pendulum")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.9, friction=lw.Coulomb(tau=0.3, peak=1.5))
    m.body = parts.BodyBox(r=[0.4, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def bouncing() -> lw.Model:
    """A mass that falls on a stop."""
    m = lw.Model("bouncing mass")
    m.world, m.rail = lw.World(), joints.Prismatic(n=[0, 1, 0], s=1.0, s_min=0.0, restitution=0.8)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.body)
    return m


def dropped() -> lw.Model:
    """A ball on a rail that falls on a plane: rigid contact without friction."""
    m = lw.Model("ball on a rail")
    m.world, m.rail = lw.World(), joints.Prismatic(n=[0, 1, 0], s=1.0)
    m.ball, m.floor, m.skin = parts.Body(m=1.0), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.chain(m.world, m.rail, m.ball)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.8))
    return m


#: model, seconds, what is varied and between which values
EVENTFUL = ((stick_slip, 5.0, "rev.phi", (0.6, 1.2)), (bouncing, 3.0, "rail.s", (0.7, 1.3)),
            (dropped, 3.0, "rail.s", (0.7, 1.3)))


def along(system: lw.System, values: np.ndarray) -> list:
    """States whose first coordinate has these values."""
    states = [system.state() for _ in values]
    for state, value in zip(states, values, strict=True):
        state.q[0] = value
    return states


def eventful(repeat: int) -> None:
    """Friction and stops: µs a run of `simulate`, of lanes by themselves, and of a whole sweep (processor time)."""
    print(f"\nRuns with friction or impacts, µs of processor time each, {MANY} runs")
    print(f"{'':24s}{'events':>8s}{'simulate':>10s}{'lanes':>10s}{'sweep':>10s}")
    for build, stop, name, (low, high) in EVENTFUL:
        model = build()
        system, values = lw.compile(model), np.linspace(low, high, MANY)
        states = along(system, values)
        runs = LaneRuns(system, states[0], stop, step=stop)
        packed, few = runs.starts(states), states[:: MANY // RUNS]
        found = runs.run(packed)

        def one_by_one(system=system, stop=stop, few=few) -> None:
            for state in few:
                lw.simulate(system, stop, state=state, step=stop, progress=False)

        def swept(model=model, stop=stop, name=name, values=values) -> None:
            lw.sweep(model, {name: values}, stop, step=stop, reduce={"end": lw.final(name)}, progress=False)

        swept()
        ordinary, lanes, sweep = (min(_seconds(call) for _ in range(repeat)) for call in (
            one_by_one, lambda runs=runs, packed=packed: runs.run(packed), swept))
        print(f"{model.title:24s}{found.events.mean():8.1f}{1e6 * ordinary / len(few):10.0f}{1e6 * lanes / MANY:10.1f}"
              f"{1e6 * sweep / MANY:10.1f}{'' if not len(found.unfinished) else '   unfinished'}", flush=True)


def _seconds(call) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began
