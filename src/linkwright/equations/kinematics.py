"""Positions and velocities of all bodies, outward from the world.

    X_PB = X_PF X_FM(q)
    V_B  = X_BP V_P + Σ S_k u_k              in B's axes at B's origin
    c_B  = V_B × Σ S_k u_k + Ṡ u             the part of V̊_B that comes neither from the parent nor from u̇
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from ..algebra import Motor, Transform, VelocityMotor
from ..mechanism import WORLD, Frame, Mechanism, Mobilizer
from .inlined import inlined


@dataclass
class Kinematics:
    """Per body: pose in the parent, motion subspace, velocity and velocity-product acceleration."""

    mechanism: Mechanism
    q: object
    u: object
    X_PB: list[Transform]
    columns: list[list[VelocityMotor]]
    V: list[VelocityMotor]
    c: list[VelocityMotor]

    @cached_property
    def X_WB(self) -> list[Transform]:
        """Poses in the world."""
        poses: list[Transform] = []
        for body, X_PB in zip(self.mechanism.bodies, self.X_PB, strict=True):
            poses.append(X_PB if body.parent == WORLD else compose(None, poses[body.parent], X_PB))
        return poses

    def free_columns(self, k: int) -> list[VelocityMotor]:
        """The columns of a body's joint, none where its motion is prescribed."""
        return [] if self.mechanism.bodies[k].prescribed is not None else self.columns[k]

    def pose(self, frame: Frame) -> Transform:
        """X_WQ of a frame fixed on a body."""
        return frame.X_BQ if frame.body == WORLD else compose(None, self.X_WB[frame.body], frame.X_BQ)

    def velocity(self, frame: Frame) -> VelocityMotor:
        """V_WQ in Q's axes at Q's origin."""
        return VelocityMotor() if frame.body == WORLD else into(None, frame.X_BQ, self.V[frame.body])


def kinematics(mechanism: Mechanism, q: ca.SX, u: ca.SX) -> Kinematics:
    """Trace the outward recursion for coordinates q and speeds u (symbols or numbers)."""
    q_slices, u_slices = mechanism.slices()
    X, S, V, c = [], [], [], []
    for k, body in enumerate(mechanism.bodies):
        V_P = VelocityMotor() if body.parent == WORLD else V[body.parent]
        for values, new in zip((X, S, V, c),
                               _motion(body.mobilizer, body.X_PF, V_P, q[q_slices[k]], u[u_slices[k]]), strict=True):
            values.append(new)
    return Kinematics(mechanism, q, u, X, S, V, c)


@inlined
def _motion(mobilizer: Mobilizer, X_PF: Transform, V_P: VelocityMotor, q: ca.SX,
            u: ca.SX) -> tuple[Transform, list[VelocityMotor], VelocityMotor, VelocityMotor]:
    X_PB = X_PF @ mobilizer.transform(q)
    columns = mobilizer.columns(q)
    V_J = VelocityMotor()
    for k, S in enumerate(columns):
        V_J = V_J + S * u[k]
    V = X_PB.into(V_P) + V_J
    return X_PB, columns, V, V.cross(V_J) + mobilizer.bias(q, u)


@inlined
def compose(_: None, X_AB: Transform, X_BC: Transform) -> Transform:
    """X_AB @ X_BC."""
    return X_AB @ X_BC


@inlined
def into(_: None, X_AB: Transform, motor: Motor) -> Motor:
    """A motor known in A, given in B."""
    return X_AB.into(motor)


def accelerations(kin: Kinematics, udot: ca.SX, A_W: VelocityMotor | None = None) -> list[VelocityMotor]:
    """V̊ of all bodies for given u̇ (in body axes): V̊_B = X_BP V̊_P + c_B + Σ S_k u̇_k.

    `A_W` is the acceleration of the world; −g there stands for uniform gravity.
    """
    _, u_slices = kin.mechanism.slices()
    A: list[VelocityMotor] = []
    for k, body in enumerate(kin.mechanism.bodies):
        A_P = (A_W or VelocityMotor()) if body.parent == WORLD else A[body.parent]
        A.append(_acceleration(None, kin.X_PB[k], A_P, kin.c[k], kin.columns[k], udot[u_slices[k]]))
    return A


@inlined
def _acceleration(_: None, X_PB: Transform, A_P: VelocityMotor, c: VelocityMotor, columns: list[VelocityMotor],
                  udot: ca.SX) -> VelocityMotor:
    A = X_PB.into(A_P) + c
    for k, S in enumerate(columns):
        A = A + S * udot[k]
    return A


def accelerations_of(kin: Kinematics, given: dict) -> list[VelocityMotor]:
    """c of every body, with the accelerations of prescribed joints in it."""
    c = list(kin.c)
    for k, udot in given.items():
        for i, S in enumerate(kin.columns[k]):
            c[k] = c[k] + S * udot[i]
    return c
