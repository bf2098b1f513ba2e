"""Positions and velocities of all bodies, outward from the world.

    X_PB = X_PF X_FM(q)
    V_B  = X_BP V_P + Σ S_k u_k              in B's axes at B's origin
    c_B  = V_B × Σ S_k u_k + Ṡ u             the part of V̊_B that comes neither from the parent nor from u̇

A body that rides has q and u of its parent, which bends (see `mechanism.bending`).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..algebra import ForceMotor, Inertia, MomentumMotor, Motor, Transform, VelocityMotor
from ..building import cached_property
from ..mechanism import WORLD, Bending, Body, Frame, Mechanism, Mobilizer, Ride
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
    carried: dict[int, list[VelocityMotor]]  # of bodies that ride: their columns in the parent, whose speeds those are

    @cached_property
    def X_WB(self) -> list[Transform]:
        """Poses in the world."""
        poses: list[Transform] = []
        for body, X_PB in zip(self.mechanism.bodies, self.X_PB, strict=True):
            poses.append(X_PB if body.parent == WORLD else compose(None, poses[body.parent], X_PB))
        return poses

    def free_columns(self, k: int) -> list[VelocityMotor]:
        """The columns of a body's own mobilities, none where its motion is prescribed or where it rides."""
        body = self.mechanism.bodies[k]
        return [] if body.prescribed is not None or body.mobilizer.rides else self.columns[k]

    @cached_property
    def _own(self) -> list[tuple[Inertia, list[MomentumMotor], ca.SX | None]]:
        """Per body M, N and H; of a rigid one N is empty."""
        q_slices, _ = self.mechanism.slices()
        return [(body.inertia, [], None) if body.bending is None else self._bent(body, q)
                for body, q in zip(self.mechanism.bodies, (self.q[part] for part in q_slices), strict=True)]

    @staticmethod
    def _bent(body: Body, q: ca.SX) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
        M, N, H = _dyads(body.bending, q)
        return M + body.inertia, N, H

    @cached_property
    def inertias(self) -> list[Inertia]:
        """M of every body."""
        return [M for M, _, _ in self._own]

    def couplings(self, k: int) -> list[MomentumMotor]:
        """N of a body, a momentum for each of its speeds; none of a rigid body."""
        return self._own[k][1]

    def internal(self, k: int) -> ca.SX:
        """H of a body that bends."""
        return self._own[k][2]

    def centres(self, k: int) -> list[tuple[object, ca.SX]]:
        """(mass, centre of mass in body axes) of every part of a body; one that bends has one, which moves in it."""
        body = self.mechanism.bodies[k]
        own = [] if body.bending is None else [(self._own[k][0].m, ca.SX(self._own[k][0].com()))]
        return own or body.centres()

    def momentum(self, k: int) -> MomentumMotor:
        """M V + N q̇ of a body."""
        total = _momentum(None, self.inertias[k], self.V[k])
        for N, speed in zip(self.couplings(k), ca.vertsplit(self.u[self.mechanism.slices()[1][k]]), strict=False):
            total = total + N * speed
        return total

    @cached_property
    def _biases(self) -> dict[int, tuple[ForceMotor, list]]:
        """p and p_f of bodies that bend, without loads."""
        q_slices, u_slices = self.mechanism.slices()
        found = {}
        for k, body in enumerate(self.mechanism.bodies):
            if body.bending is not None:
                p, along = _bent_bias(body.bending, self.q[q_slices[k]], self.u[u_slices[k]], self.V[k])
                found[k] = p + gyroscopic(None, body.inertia, self.V[k]), along
        return found

    def velocity_forces(self, k: int) -> ForceMotor:
        """p of a body: what its momentum changes by while nothing accelerates; V × (M V) of a rigid one."""
        return self._biases[k][0] if k in self._biases else gyroscopic(None, self.mechanism.bodies[k].inertia,
                                                                       self.V[k])

    @cached_property
    def internal_forces(self) -> ca.SX:
        """−p_f over all speeds."""
        total = ca.SX(self.mechanism.nu, 1)
        _, u_slices = self.mechanism.slices()
        for k, (_, along) in self._biases.items():
            total[u_slices[k]] = -ca.vertcat(*along)
        return total

    def pose(self, frame: Frame) -> Transform:
        """X_WQ of a frame fixed on a body."""
        return frame.X_BQ if frame.body == WORLD else compose(None, self.X_WB[frame.body], frame.X_BQ)

    def velocity(self, frame: Frame) -> VelocityMotor:
        """V_WQ in Q's axes at Q's origin."""
        return VelocityMotor() if frame.body == WORLD else into(None, frame.X_BQ, self.V[frame.body])


def kinematics(mechanism: Mechanism, q: ca.SX, u: ca.SX) -> Kinematics:
    """Trace the outward recursion for coordinates q and speeds u (symbols or numbers)."""
    q_slices, u_slices = mechanism.slices()
    X, S, V, c, carried = [], [], [], [], {}
    for k, body in enumerate(mechanism.bodies):
        V_P = VelocityMotor() if body.parent == WORLD else V[body.parent]
        if body.mobilizer.rides:
            *found, carried[k] = _riding(body.mobilizer, body.X_PF, V_P, q[q_slices[k]], u[u_slices[k]])
        else:
            found = _motion(body.mobilizer, body.X_PF, V_P, q[q_slices[k]], u[u_slices[k]])
        for values, new in zip((X, S, V, c), found, strict=True):
            values.append(new)
    return Kinematics(mechanism, q, u, X, S, V, c, carried)


@inlined
def gyroscopic(_: None, inertia: Inertia, V: VelocityMotor) -> ForceMotor:
    """V × (M V)."""
    return inertia.gyroscopic(V)


@inlined
def _momentum(_: None, inertia: Inertia, V: VelocityMotor) -> MomentumMotor:
    return inertia @ V


@inlined
def _dyads(bending: Bending, q: ca.SX) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
    return bending.inertia(q)


@inlined
def _bent_bias(bending: Bending, q: ca.SX, u: ca.SX, V: VelocityMotor) -> tuple[ForceMotor, list]:
    return bending.bias(q, u, V)


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
def _riding(ride: Ride, X_PF: Transform, V_P: VelocityMotor, q: ca.SX, u: ca.SX) -> tuple[
        Transform, list[VelocityMotor], VelocityMotor, VelocityMotor, list[VelocityMotor]]:
    """The same of a body that rides, whose velocity and bias are found in the parent; and its columns there."""
    X_PB = X_PF @ ride.transform(q)
    W, bias = (X_PF @ motor for motor in ride.moving(q, u))
    return (X_PB, ride.columns(q), X_PB.into(V_P + W), X_PB.into(V_P.cross(W) + bias),
            [X_PF @ S for S in ride.carried(q)])


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
        A.append(ridden_acceleration(None, kin.X_PB[k], A_P, kin.c[k], kin.carried[k], udot[u_slices[k]])
                 if body.mobilizer.rides else
                 acceleration(None, kin.X_PB[k], A_P, kin.c[k], kin.columns[k], udot[u_slices[k]]))
    return A


@inlined
def acceleration(_: None, X_PB: Transform, A_P: VelocityMotor, c: VelocityMotor, columns: list[VelocityMotor],
                  udot: ca.SX) -> VelocityMotor:
    A = X_PB.into(A_P) + c
    for k, S in enumerate(columns):
        A = A + S * udot[k]
    return A


@inlined
def ridden_acceleration(_: None, X_PB: Transform, A_P: VelocityMotor, c: VelocityMotor, carried: list[VelocityMotor],
                        udot: ca.SX) -> VelocityMotor:
    """V̊ of a body that rides, by its columns in the parent."""
    for k, S in enumerate(carried):
        A_P = A_P + S * udot[k]
    return X_PB.into(A_P) + c


def accelerations_of(kin: Kinematics, given: dict) -> list[VelocityMotor]:
    """c of every body, with the accelerations of prescribed joints in it."""
    c = list(kin.c)
    for k, udot in given.items():
        for i, S in enumerate(kin.columns[k]):
            c[k] = c[k] + S * udot[i]
    return c
