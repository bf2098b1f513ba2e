"""Damping of ball and free joints: loads −d · velocity on their frames, which MJCF has as a property of the joint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from .links_and_joints import Skeleton
from .written_drives import Share, shares_on

if TYPE_CHECKING:
    from ..language import Joint


def turning_damping(skeleton: Skeleton, joint: Joint) -> tuple[float, list[Share]]:
    """(d, the loads that are it) of a Spherical joint: torque −d ω; of a FreeMotion also force −d v in the world."""
    shares = shares_on(skeleton, joint)
    if isinstance(joint, lw.joints.Spherical):
        found = [(d, share) for share in shares for d in [_resistance(share.formulas[3:], joint.w_rel_b)]
                 if d is not None and share.axes == "frame_b"]
        return sum(d for d, _ in found), [share for _, share in found]
    frame = joint.frame_b
    pushes = [(_resistance(share.formulas[:3], frame.v_0), share) for share in shares if share.axes == "world"]
    twists = [(_resistance(share.formulas[3:], frame.w), share) for share in shares if share.axes == "frame_b"]
    for d, push in pushes:
        for other, twist in twists:
            if d is not None and d == other:
                return d, [push, twist]
    return 0.0, []


def _resistance(formulas: Sequence[ca.SX], velocity: ca.SX) -> float | None:
    """d of three formulas −d · velocity; None where they are something else."""
    load = ca.vertcat(*formulas)
    slopes = ca.jacobian(load, velocity)
    rest = ca.substitute(load, velocity, ca.DM.zeros(3))
    if ca.symvar(slopes) or ca.symvar(rest) or np.any(np.array(ca.DM(rest))):
        return None
    matrix = np.array(ca.DM(ca.densify(slopes)))
    d = -float(matrix[0, 0])
    return d if d > 0 and np.array_equal(matrix, -d * np.eye(3)) else None
