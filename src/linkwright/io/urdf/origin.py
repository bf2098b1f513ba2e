"""Poses in a URDF file."""

from __future__ import annotations

import linkwright as lw

from ..markup import Element


def pose(element: Element | None) -> lw.Transform:
    """An <origin>: xyz, and roll-pitch-yaw about the parent's fixed axes, R = R_z(yaw) R_y(pitch) R_x(roll).

    None is no offset.
    """
    if element is None:
        return lw.Transform()
    roll, pitch, yaw = element.numbers("rpy", 3, (0, 0, 0))
    return lw.Transform(lw.rotation_z(yaw) @ lw.rotation_y(pitch) @ lw.rotation_x(roll),
                        element.numbers("xyz", 3, (0, 0, 0)))
