"""A motion to begin a search from where a plan has to swing: the mechanism let go, its speeds growing by themselves.

    u̇ = u̇(q, u) + k u

from a little push towards the end, with the k for which it comes a part of the way within the time.  All inertia is
pushed along as it moves, so kinetic energy grows by 2k beside what weight and springs exchange, and momenta that are
zero stay so: the motion has the mechanism's own rhythm, and as many swings as fit into the time.  From a straight line
to the end instead, a search ends with as few swings as the inputs just allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .tolerances import FASTEST, PUSH, RATE_HALVINGS, REACH, SWING_STEPS
from .transcription import Mesh

if TYPE_CHECKING:
    from .control_problem import ControlProblem


def swung(problem: ControlProblem, mesh: Mesh, begin: np.ndarray, end: np.ndarray,
          duration: float) -> np.ndarray | None:
    """States along the mesh, from coordinates `begin` towards `end`; None where there are loops or quaternions, nowhere
    to go, or no such motion."""
    system, way = problem.system, np.abs(end - begin)
    if system.mechanism.constraints or not system.plain_speeds or not way.any():
        return None
    with np.errstate(all="ignore"):
        slow, fast, found = 0.0, FASTEST / duration, None
        for _ in range(RATE_HALVINGS):
            k = 0.5 * (slow + fast)
            states = _let_go(problem, mesh, PUSH * (end - begin) / duration, k, duration)
            gone = np.abs(states[:, : len(way)] - begin)[:, way > 0] / way[way > 0]
            if np.isfinite(states).all() and gone.max() <= REACH:
                slow, found = k, states
            else:
                fast = k
    return found


def _let_go(problem: ControlProblem, mesh: Mesh, push: np.ndarray, k: float, duration: float) -> np.ndarray:
    """The states, by steps of RK4."""
    state, nq, nu = problem.state, problem.system.mechanism.nq, problem.system.mechanism.nu
    slopes = problem.system.function(("t", "q", "u", "z", "d", "p"), ("qdot", "udot", "zdot"))

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        q, u, z = np.split(x, [nq, nq + nu])
        qdot, udot, zdot = slopes.unchecked([t], q, u, z, state.d, state.p)
        return np.concatenate([qdot, udot + k * u, zdot])

    x = np.concatenate([state.q, state.u + push, state.z])
    out = [x]
    for t, after in zip(duration * mesh.times[:-1], duration * mesh.times[1:], strict=True):
        h = (after - t) / SWING_STEPS
        for j in range(SWING_STEPS):
            k1 = slope(t + j * h, x)
            k2 = slope(t + (j + 0.5) * h, x + 0.5 * h * k1)
            k3 = slope(t + (j + 0.5) * h, x + 0.5 * h * k2)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(t + (j + 1) * h, x + h * k3))
        out.append(x)
        if not np.isfinite(x).all():
            break
    return np.array(out)
