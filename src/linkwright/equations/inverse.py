"""Inverse dynamics by the recursive Newton–Euler scheme (Featherstone 2008, §5.3), in motors.

    f_B = M V̊ + V × (M V) − applied,      f_P += X_PB f_B inward,      τ_k = S_k · f_B

f_B is the force motor that the joint exerts on the outboard body: its reaction, drive included.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import ForceMotor, Inertia, Scalar, Transform, VelocityMotor
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


def joint_forces(kin: Kinematics, A: list[VelocityMotor],
                 bias: list[ForceMotor]) -> tuple[list[ca.SX], list[ForceMotor]]:
    """(τ, f): generalised forces and the force motor through every joint, for accelerations A and bias forces p."""
    bodies = kin.mechanism.bodies
    f = [_needed(None, body.inertia, A[k], bias[k]) for k, body in enumerate(bodies)]
    tau: list = [None] * len(bodies)
    for k in reversed(range(len(bodies))):
        tau[k], carried = _project(None, f[k], kin.columns[k], kin.X_PB[k])
        if bodies[k].parent != WORLD:
            f[bodies[k].parent] = f[bodies[k].parent] + carried
    return [value for part in tau for value in part], f
