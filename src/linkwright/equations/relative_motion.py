"""Motion of one frame relative to another, through the joints between them and no others.

For frames a and b with the nearest common body C the sums run over the two branches from C, so that what carries both
does not appear in the equations of a loop.  Everything is expressed in b at b's origin:

    V_AB = V_CB − X_BA V_CA = Σ J_k u_k
    V̊_AB = Σ J_k u̇_k + bias,     bias = A_CB − X_BA A_CA + V_AB × X_BA V_CA   (A with u̇ = 0)
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..algebra import Transform, VelocityMotor
from ..mechanism import WORLD, Frame, Mobilizer
from .inlined import inlined
from .kinematics import Kinematics, compose


@dataclass
class Relative:
    """Pose of b in a, velocity, velocity-product acceleration, and the column of every speed that matters."""

    X_AB: Transform
    V: VelocityMotor
    bias: VelocityMotor
    columns: dict[int, VelocityMotor]


@dataclass
class _Branch:
    X_CQ: Transform
    V: VelocityMotor  # in Q
    A: VelocityMotor  # in Q, u̇ = 0
    columns: dict[int, VelocityMotor]  # in Q


def relative_motion(kin: Kinematics, a: Frame, b: Frame) -> Relative:
    """The motion of frame b as seen from frame a."""
    path_a, path_b = kin.mechanism.path(a.body), kin.mechanism.path(b.body)
    common = set(path_a) & set(path_b)
    side_a = _branch(kin, [k for k in path_a if k not in common], a)
    side_b = _branch(kin, [k for k in path_b if k not in common], b)
    if not side_a.columns:
        X_AB = compose(None, _inverse(None, side_a.X_CQ), side_b.X_CQ)
        return Relative(X_AB, side_b.V, side_b.A, side_b.columns)
    X_AB, X_BA, V, A = _difference(None, side_a.X_CQ, side_a.V, side_a.A, side_b.X_CQ, side_b.V, side_b.A)
    columns = dict(side_b.columns)
    for k, column in side_a.columns.items():
        _add(columns, k, _negated(None, X_BA, column))
    return Relative(X_AB, V, A, columns)


@inlined
def _inverse(_: None, X: Transform) -> Transform:
    return X.inverse()


@inlined
def _difference(_: None, X_CA: Transform, V_CA: VelocityMotor, A_CA: VelocityMotor, X_CB: Transform,
                V_CB: VelocityMotor, A_CB: VelocityMotor) -> tuple[Transform, Transform, VelocityMotor, VelocityMotor]:
    X_AB = X_CA.inverse() @ X_CB
    V_A, A_A = X_AB.into(V_CA), X_AB.into(A_CA)
    V = V_CB - V_A
    return X_AB, X_AB.inverse(), V, A_CB - A_A + V.cross(V_A)


@inlined
def _negated(_: None, X_BA: Transform, column: VelocityMotor) -> VelocityMotor:
    return -(X_BA @ column)


@inlined
def _advance(mobilizer: Mobilizer, X_PB: Transform, V_P: VelocityMotor, A_P: VelocityMotor,
             columns: list[VelocityMotor], q: ca.SX, u: ca.SX) -> tuple[VelocityMotor, VelocityMotor]:
    """One body outward from C: its velocity and velocity-product acceleration relative to C."""
    V_J = VelocityMotor()
    for k, S in enumerate(columns):
        V_J = V_J + S * u[k]
    V = X_PB.into(V_P) + V_J
    return V, X_PB.into(A_P) + V.cross(V_J) + mobilizer.bias(q, u)


@inlined
def _attach(_: None, X_CB: Transform, X_BQ: Transform, V: VelocityMotor,
            A: VelocityMotor) -> tuple[Transform, VelocityMotor, VelocityMotor]:
    return X_CB @ X_BQ, X_BQ.into(V), X_BQ.into(A)


@inlined
def _columns_seen(_: None, X_QB: Transform, columns: list[VelocityMotor],
                  X_PB: Transform) -> tuple[list[VelocityMotor], Transform]:
    """A joint's columns seen from Q, and the pose of its parent there."""
    return [X_QB @ S for S in columns], X_QB @ X_PB.inverse()


def _add(columns: dict[int, VelocityMotor], k: int, column: VelocityMotor) -> None:
    """A speed of a body that bends moves several bodies of a branch, and both branches."""
    columns[k] = columns[k] + column if k in columns else column


def _branch(kin: Kinematics, inward: list[int], frame: Frame) -> _Branch:
    """From C out to the frame; `inward` lists the bodies of the branch starting with the frame's own."""
    if not inward:
        # the frame sits on the common body itself
        return _Branch(frame.X_BQ, VelocityMotor(), VelocityMotor(), {})
    q_slices, u_slices = kin.mechanism.slices()
    X, V, A = Transform(), VelocityMotor(), VelocityMotor()
    from_world = kin.mechanism.bodies[inward[-1]].parent == WORLD
    for k in reversed(inward):
        body = kin.mechanism.bodies[k]
        V, A = _advance(body.mobilizer, kin.X_PB[k], V, A, kin.columns[k], kin.q[q_slices[k]], kin.u[u_slices[k]])
        X = kin.X_WB[k] if from_world else compose(None, X, kin.X_PB[k])
    X_CQ, V_Q, A_Q = _attach(None, X, frame.X_BQ, V, A)
    columns: dict[int, VelocityMotor] = {}
    X_QB = _inverse(None, frame.X_BQ)
    for k in inward:
        seen, X_QB = _columns_seen(None, X_QB, kin.columns[k], kin.X_PB[k])
        for offset, column in enumerate(seen):
            _add(columns, u_slices[k].start + offset, column)
    return _Branch(X_CQ, V_Q, A_Q, columns)
