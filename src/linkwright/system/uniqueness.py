"""Which reactions are not unique, because redundant equations share loads in more than one way.

A self-stress is a set of multipliers w with Gᵀ w = 0: forces that closures exert on parts and that do no work on any
motion, so that any amount of them may be added.  Equations that hold by themselves have one each.  Through a joint of
the tree goes minus what the closures exert on everything beyond it.  A component of a reaction is unique if no
self-stress has a share in it (Wojtyra 2005, Multibody System Dynamics 13, 73–100).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import casadi as ca
import numpy as np

from ..algebra import skew
from ..mechanism import Frame, Mechanism
from .redundancy import left_null, poses
from .tolerances import SHARE

if TYPE_CHECKING:
    from ..equations import Rows
    from .state import State
    from .system import System

#: directions at frame_b, in its axes
DIRECTIONS = (*(f"force along {axis}" for axis in "xyz"), *(f"torque about {axis}" for axis in "xyz"))
IN_PLANE = ("force along x", "force along y", "torque about z")


#: rotation and position of a frame in the world
Placed: TypeAlias = tuple[np.ndarray, np.ndarray]


def not_unique(system: System, state: State) -> dict[str, tuple[str, ...]]:
    """Joint → directions of its reaction, at its frame_b, that are not unique; joints that have none are left out.

    They are found in positions around the state.  A constraint that is written in coordinates alone has its equations
    in place of directions.
    """
    rows = [r for r in system.equations.rows if r.mode is None]
    if not rows:
        return {}
    total: dict[str, np.ndarray] = {}
    for pose, matrix in _general_poses(system, rows, state):
        if not (left_null(matrix).size or any(r.by_themselves for r in rows)):
            return {}
        for name, stress in _stresses(system, rows, pose, matrix).items():
            size = np.linalg.norm(stress, axis=1)
            total[name] = np.maximum(total.get(name, 0.0), size)
    largest = max((np.max(size, initial=0.0) for size in total.values()), default=0.0)
    out = {}
    for name, size in total.items():
        labels = _labels(system, rows, name)
        shared = tuple(label for label, value in zip(labels, size, strict=True) if value > SHARE * largest)
        if _is_planar(system.mechanism, name):
            shared = tuple(label for label in shared if label in IN_PLANE)
        if shared:
            out[name] = shared
    return out


def _is_planar(mechanism: Mechanism, name: str) -> bool:
    """Whether a joint, or the part that it is a piece of, is of the planar library: it bears nothing else."""
    return any(f"{part}.frame_b.fx" in mechanism.outputs for part in accumulate(name.split("."), "{}.{}".format))


def _general_poses(system: System, rows: list[Rows], state: State) -> list[tuple[State, np.ndarray]]:
    """Poses in which the rank is that of general position, with the Jacobian of the rows."""
    places, start = [], 0
    for r in system.equations.rows:
        count = r.G.shape[0]
        places += range(start, start + count) if r.mode is None else ()
        start += count
    reached = [(pose, system.constraint_matrix(pose)[places]) for pose in poses(system, state)]
    ranks = [G.shape[0] - left_null(G).shape[1] for _, G in reached]
    return [pair for pair, rank in zip(reached, ranks, strict=True) if rank == max(ranks)]


def _stresses(system: System, rows: list[Rows], pose: State, G: np.ndarray) -> dict[str, np.ndarray]:
    """Joint or constraint → its share (6 × count, or equations × count) in the self-stresses of a pose."""
    m = system.mechanism
    frames = _frames(m, rows)
    places, blocks = _numbers(system, rows, frames, pose)
    null = left_null(G)
    count, start, after = null.shape[1] + sum(len(r.by_themselves) for r in rows), 0, null.shape[1]
    on_body, out = np.zeros((len(m.bodies), 6, count)), {}
    for r in rows:
        # the multipliers of its equations, then of those that hold by themselves
        kept, alone = r.G.shape[0], len(r.by_themselves)
        w = np.zeros((kept + alone, count))
        w[:kept, : null.shape[1]] = null[start : start + kept]
        w[kept:, after : after + alone] = np.eye(alone)
        start, after = start + kept, after + alone
        through = np.zeros((6, count))
        for of in r.pairs:
            push = -blocks[r.name, of].T @ w
            force = _into_world(places[of[1]], np.vstack([push[3:], push[:3]]))
            for name, motor in zip(of, (-force, force), strict=True):
                body = m.frame(name).body
                if body >= 0:
                    on_body[body] += motor
            through = through + force
        out[r.name] = _from_world(places[r.name], through) if r.pairs else w
    # inwards: what a joint holds is everything beyond it
    for k, body in reversed(list(enumerate(m.bodies))):
        out[body.joint] = _from_world(places[body.joint], -on_body[k])
        if body.parent >= 0:
            on_body[body.parent] += on_body[k]
    return out


def _frames(m: Mechanism, rows: list[Rows]) -> dict[str, Frame]:
    """Where loads are read (by joint or constraint), and where constraints push (by the frame's name)."""
    frames = {of[1]: m.frame(of[1]) for r in rows for of in r.pairs}
    frames |= {r.name: m.frames.get(f"{r.name}.frame_b") or m.frame(next(iter(r.pairs))[1]) for r in rows if r.pairs}
    return frames | {body.joint: m.frames.get(f"{body.joint}.frame_b", Frame(k)) for k, body in enumerate(m.bodies)}


def _labels(system: System, rows: list[Rows], name: str) -> tuple[str, ...]:
    for r in rows:
        if r.name == name and not r.pairs:
            return (*r.labels, *r.by_themselves)
    return DIRECTIONS


def _numbers(system: System, rows: list[Rows], frames: dict[str, Frame],
             pose: State) -> tuple[dict[str, Placed], dict[tuple[str, str], np.ndarray]]:
    """Poses of frames, and for every pair of frames the derivative of all equations by its relative velocity."""
    X_WB = system.equations.kinematics.X_WB
    seen = [frame.X_BQ if frame.body < 0 else X_WB[frame.body] @ frame.X_BQ for frame in frames.values()]
    expressions = [ca.densify(ca.SX(part)) for X in seen for part in (X.R, X.p)]
    keys = [(r.name, of) for r in rows for of in r.pairs]
    expressions += [ca.densify(ca.vertcat(r.pairs[of], r.alone[of])) for r in rows for of in r.pairs]
    values = system.names_table.evaluate(expressions, pose)
    n = 2 * len(frames)
    places = {name: (values[2 * k], values[2 * k + 1].ravel()) for k, name in enumerate(frames)}
    return places, dict(zip(keys, values[n:], strict=True))


def _into_world(place: Placed, motor: np.ndarray) -> np.ndarray:
    """Columns (f, τ) at a frame in its axes → at the world's origin in the world's axes."""
    R, p = place
    force = R @ motor[:3]
    return np.vstack([force, R @ motor[3:] + skew(p) @ force])


def _from_world(place: Placed, motor: np.ndarray) -> np.ndarray:
    R, p = place
    return np.vstack([R.T @ motor[:3], R.T @ (motor[3:] - skew(p) @ motor[:3])])
