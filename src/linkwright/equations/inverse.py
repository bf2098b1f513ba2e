"""Inverse dynamics by the recursive Newton–Euler scheme (Featherstone 2008, §5.3), in motors.

    f_B = M V̊ + V × (M V) − applied,      f_P += X_PB f_B inward,      τ_k = S_k · f_B

f_B is the force motor that the joint exerts on the outboard body: its reaction, drive included.  A body that bends
needs N q̈ more, and along its own speeds Nᵀ·V̊ + H q̈.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import ForceMotor, Inertia, MomentumMotor, Scalar, Transform, VelocityMotor
from ..mechanism import WORLD
from .inlined import inlined
from .kinematics import Kinematics


@inlined
def _needed(_: None, inertia: Inertia, A: VelocityMotor, p: ForceMotor) -> ForceMotor:
    momentum_rate = inertia @ A
    return ForceMotor(momentum_rate.resultant + p.resultant, momentum_rate.moment + p.moment)


@inlined
def _project(_: None, f: ForceMotor, columns: list[VelocityMotor], X_PB: Transform) -> tuple[list[Scalar], ForceMotor]:
    return [f.dot(S) for S in columns], X_PB @ f


@inlined
def _needed_bending(_: None, f: ForceMotor, A: VelocityMotor, N: list[MomentumMotor], H: ca.SX,
                    udot: ca.SX) -> tuple[ForceMotor, ca.SX]:
    for k, N_k in enumerate(N):
        f = ForceMotor(f.resultant + N_k.resultant * udot[k], f.moment + N_k.moment * udot[k])
    return f, ca.vertcat(*[N_k.dot(A) for N_k in N]) + H @ udot


def joint_forces(kin: Kinematics, A: list[VelocityMotor], bias: list[ForceMotor],
                 udot: ca.SX) -> tuple[list[ca.SX], list[ForceMotor]]:
    """(τ, f): generalised forces and the force motor through every joint, for accelerations A, u̇ and bias forces p.

    p_f of bodies that bend is not in τ (`Kinematics.internal_forces`).
    """
    bodies, (_, u_slices) = kin.mechanism.bodies, kin.mechanism.slices()
    f = [_needed(None, M, A[k], bias[k]) for k, M in enumerate(kin.inertias)]
    tau: list = [ca.SX(0)] * kin.mechanism.nu

    def add(k: int, forces: list) -> None:
        for place, force in enumerate(forces, u_slices[k].start):
            tau[place] = tau[place] + force

    for k in reversed(range(len(bodies))):
        if bodies[k].bending is not None:
            f[k], along = _needed_bending(None, f[k], A[k], kin.couplings(k), kin.internal(k), udot[u_slices[k]])
            add(k, ca.vertsplit(along))
        forces, carried = _project(None, f[k], kin.columns[k], kin.X_PB[k])
        add(k, forces)
        if bodies[k].parent != WORLD:
            f[bodies[k].parent] = f[bodies[k].parent] + carried
    return tau, f
