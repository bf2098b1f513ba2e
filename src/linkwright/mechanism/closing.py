"""How a joint closes a loop: the 6 − dof equations that hold M where the joint lets it be, and its coordinates there.

A kind states them in `Mobilizer.closing(R, p, V)`, for the pose R_FM, p_FM of M in F and its velocity V_FM = (ω, v) in
M's axes.  They are written out so that exact zeros stay zeros and no equation follows from the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

if TYPE_CHECKING:
    from ..algebra import Array

#: what rows hold, said in the axes of F
DISPLACEMENT = tuple(f"displacement along {axis}" for axis in "xyz")
ROTATION = tuple(f"rotation about {axis}" for axis in "xyz")
TILT = ROTATION[1::-1]  # z_M along x_F is a rotation about y


@dataclass(frozen=True, eq=False)
class Closing:
    """The equations residual = 0 with a label per row, and the coordinates of the joint read off the relative motion.

    The coordinates are `angles`, each known up to full turns, then `lengths`; `speeds` is None for a kind whose
    coordinates are not read off.
    """

    residual: ca.SX
    labels: tuple[str, ...]
    angles: tuple[ca.SX, ...] = ()
    lengths: tuple[ca.SX, ...] = ()
    speeds: ca.SX | None = None


def same_axes(R: Array) -> ca.SX:
    """Three equations that hold where R = 1, regular there."""
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2


def tilt(R: Array) -> ca.SX:
    """The components of z_M along x_F and y_F."""
    return ca.vertcat(R[0, 2], R[1, 2])


def about_z(R: Array) -> ca.SX:
    """The angle about z that comes nearest to a rotation."""
    return ca.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])


def wind(angle: ca.SX, near: ca.SX) -> ca.SX:
    """angle + 2π n with n such that it is nearest to `near`."""
    return angle + 2 * ca.pi * ca.floor((near - angle) / (2 * ca.pi) + 0.5)
