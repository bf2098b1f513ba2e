"""Rotations as symbols: rotation vectors and quaternions, scalar first."""

from __future__ import annotations

import casadi as ca

import linkwright as lw

from ...algebra import Scalar
from ..tolerances import NO_TURN_SQUARED


def rotation_vector(R: ca.SX) -> list[ca.SX]:
    """Axis times angle of a rotation, the angle up to π: with v = sin φ n, φ = atan2(|v|, cos φ)."""
    v = [(R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2]
    sine = ca.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2 + NO_TURN_SQUARED)  # no division by zero where nothing is turned
    angle = ca.atan2(sine, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2)
    return [angle / sine * entry for entry in v]


def quaternion(R: ca.SX) -> ca.SX:
    """The quaternion of a rotation whose largest entry is positive.

    Row k of 4 Q Qᵀ is known from R for each k (Shepperd, J. Guidance Control 1 (1978) 223); the row with the largest
    diagonal is taken, so that nothing is divided by a small number.
    """
    t = R[0, 0] + R[1, 1] + R[2, 2]
    rows = [ca.vertcat(1 + t, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]),
            ca.vertcat(R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - t, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]),
            ca.vertcat(R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - t, R[1, 2] + R[2, 1]),
            ca.vertcat(R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - t)]
    best, largest = rows[0], rows[0][0]
    for k in (1, 2, 3):
        more = (rows[k][k] > largest) != 0  # a select without an event
        best, largest = ca.if_else(more, rows[k], best), ca.if_else(more, rows[k][k], largest)
    return best / ca.norm_2(best)


def on_the_circle(setpoint: Scalar, length: Scalar, turn: float) -> Scalar:
    """The setpoint, with as many turns added as bring it nearest to a length that is an angle; `turn` 0: as it is."""
    return setpoint - turn * lw.floor((setpoint - length) / turn + 0.5) if turn else setpoint
