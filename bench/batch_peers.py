"""Ten thousand double pendulums for ten seconds, beside SciPy, MuJoCo's rollout and diffrax, at the same error.

Every peer gets the coarsest setting with which the median error of its final angles is no larger than that of lanes at
accuracy 1e-8; slow ones make a share of the runs, and their time is that of a run.  Lanes use one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from linkwright.studies.lane_runs import LaneRuns

from . import models
from .peers import linkwright as own

STOP, RUNS, SHARE = 10.0, 10_000, 8
DOUBLE = models.Description("double pendulum", tuple(models.Link(k - 1, 2, models.TIP if k else (0, 0, 0))
                                                     for k in range(2)), (0.6, 0.3))
#: of a double pendulum in absolute angles: (I + m c² + m l², I + m c², m l c, weights of both)
A, B, C, G1, G2 = 1.35, 0.35, 0.5, 1.5 * 9.81, 0.5 * 9.81

#: setting; final angles of runs that begin with these speeds; how often each run is made in it
Peer = tuple[str, Callable[[np.ndarray], np.ndarray], int]
COPIES = 128


def against_peers() -> None:
    """One line a program: µs per run, times what lanes take, the median error and the setting."""
    system, random = own.system(DOUBLE), np.random.default_rng(0)
    speeds = 0.5 * random.normal(size=(RUNS, 2))
    states = [system.state().copy() for _ in range(RUNS)]
    for state, u in zip(states, speeds, strict=True):
        state.q[:], state.u[:] = DOUBLE.q, u
    exact = LaneRuns(system, states[0], STOP, step=STOP, accuracy=1e-13, method="dop853")
    right = exact.run(exact.starts(states[:SHARE])).x[:, :2]
    runs = LaneRuns(system, states[0], STOP, step=STOP, accuracy=1e-8)
    starts = runs.starts(states)
    runs.run(starts)
    began = time.perf_counter()
    found = runs.run(starts)
    lanes = (time.perf_counter() - began) / RUNS
    error = float(np.median(np.abs(found.x[:SHARE, :2] - right)))
    print(f"\n{RUNS} double pendulums for {STOP:g} s, µs a run on one core (ratio to lanes), median error of angles")
    print(f"{'lanes':16s}{1e6 * lanes:12.1f}{'':10s}{error:12.1e}   accuracy 1e-8; {RUNS} runs in {lanes * RUNS:.2f} s")
    for name, settings in (("scipy", scipy), ("mujoco.rollout", mujoco), ("diffrax", diffrax)):
        try:
            best = _fitting(settings(), speeds[:SHARE], right, error)
        except ImportError as missing:
            print(f"{name:16s}  not installed, left out ({missing})")
            continue
        print(f"{name:16s}{1e6 * best[0]:12.1f}{best[0] / lanes:9.0f}×{best[1]:12.1e}   {best[2]}", flush=True)


def _fitting(peers: Iterator[Peer], speeds: np.ndarray, right: np.ndarray, error: float) -> tuple[float, float, str]:
    """(seconds a run, error, setting) of the coarsest setting that is good enough, or of the finest."""
    best = (np.inf, np.inf, "")
    for setting, run, copies in peers:
        run(speeds)  # compiles, where something is compiled
        began = time.perf_counter()
        angles = run(speeds)
        seconds = (time.perf_counter() - began) / (len(speeds) * copies)
        best = (seconds, float(np.median(np.abs(angles - right))), setting)
        if best[1] <= error:
            break
    return best


def slope(a1, a2, w1, w2, sin, cos):
    """Accelerations of the absolute angles."""
    s, c = sin(a1 - a2), cos(a1 - a2)
    f1, f2 = -C * s * w2 * w2 - G1 * sin(a1), C * s * w1 * w1 - G2 * sin(a2)
    det = A * B - (C * c) ** 2
    return (B * f1 - C * c * f2) / det, (A * f2 - C * c * f1) / det


def _absolute(speeds: np.ndarray) -> np.ndarray:
    q1, q2 = DOUBLE.q
    return np.column_stack([np.full(len(speeds), q1), np.full(len(speeds), q1 + q2), speeds[:, 0], speeds.sum(axis=1)])


def scipy() -> Iterator[Peer]:
    """DOP853 over a function in Python, run by run."""
    from math import cos, sin

    from scipy.integrate import solve_ivp

    def rates(t, x):
        return [x[2], x[3], *slope(*x, sin, cos)]

    for digits in (7, 8, 9, 10, 11):
        def run(speeds, digits=digits):
            ends = np.array([solve_ivp(rates, (0, STOP), x, "DOP853", rtol=10.0**-digits, atol=10.0**-digits).y[:, -1]
                             for x in _absolute(speeds)])
            return np.column_stack([ends[:, 0], ends[:, 1] - ends[:, 0]])

        yield f"DOP853, rtol = atol = 1e-{digits}", run, 1


def mujoco() -> Iterator[Peer]:
    """RK4 in C, one thread, all runs in one call."""
    from mujoco import MjData, rollout

    from .peers import mujoco as peer

    for h in (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5):
        model, _, state, order = peer._prepared(DOUBLE, h)
        steps = round(STOP / h)

        def run(speeds, model=model, state=state, order=order, steps=steps):
            begin = np.tile(state, (len(speeds), 1))
            begin[:, 1 + model.nq : 1 + model.nq + model.nv] = speeds  # time, then positions and speeds
            ends = []
            for row in begin:  # one after the other: a thousandth of the memory
                states, _ = rollout.rollout(model, [MjData(model)], row[None], nstep=steps)
                ends.append(np.squeeze(states)[-1, 1 + order])
            return np.array(ends)

        yield f"RK4, h = {h:g} s", run, 1


def diffrax() -> Iterator[Peer]:
    """Dopri8 with error control of its own for every run, vmapped and jitted, in double precision."""
    import diffrax as dfx
    import jax

    jax.config.update("jax_enable_x64", True)
    np_ = jax.numpy

    def rates(t, x, _):
        return np_.stack([x[2], x[3], *slope(x[0], x[1], x[2], x[3], np_.sin, np_.cos)])

    for digits in (8, 9, 10, 11):
        def one(x, digits=digits):
            return dfx.diffeqsolve(dfx.ODETerm(rates), dfx.Dopri8(), 0.0, STOP, None, x, max_steps=100_000,
                                   stepsize_controller=dfx.PIDController(rtol=10.0**-digits, atol=10.0**-digits)).ys[-1]

        many = jax.jit(jax.vmap(one))

        def run(speeds, many=many):
            # as many at once as pay: the work of a step is the same for all of them
            ends = np.asarray(many(np_.asarray(np.tile(_absolute(speeds), (COPIES, 1)))))[: len(speeds)]
            return np.column_stack([ends[:, 0], ends[:, 1] - ends[:, 0]])

        yield f"Dopri8, rtol = atol = 1e-{digits}, {COPIES} × {SHARE} runs at once", run, COPIES
