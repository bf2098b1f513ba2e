"""Forward dynamics of a tree by articulated-body inertias (Featherstone 2008, §7.3), in motors.

Inward, with M the articulated inertia and p the bias force of a body, each mobility S of its joint is eliminated:

    U = M S,   D = S·U,   e = τ − S·p
    M ← M − U Uᵀ/D                the part of M that acts on the parent through the free mobility
    p ← p + U e/D

and the rest is carried to the parent, p + M c at last.  Outward, with A = X_BP A_P + c, the mobilities come back in
reverse order: u̇ = (e − U·A)/D, A ← A + S u̇.  Several mobilities in one joint are thus a small LDLᵀ, never inverted.

A mobility that a mode holds (a stuck friction, a closed stop) is not eliminated while it is held: 1/D is multiplied by
`free`, 0 or 1.  Then e − U·A is the force that holds it.  Bodies that bend, and those that ride on them, have steps of
their own (`bending`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from ..algebra import ForceMotor, MomentumMotor, MotorDyad, Scalar, Transform, VelocityMotor
from ..mechanism import WORLD, Mobilizer
from . import bending
from .inlined import inlined
from .kinematics import Kinematics, ridden_acceleration


@dataclass
class Factors:
    """Per body, per mobility: U = M S and 1/D of the elimination, 0 where it is held; S itself is in the kinematics.

    Of bodies that bend also `rows`: what is right of the diagonal of D, as each step of the elimination finds it.
    """

    U: list[list]
    D_inverse: list[list]
    rows: dict[int, list[list]] = field(default_factory=dict)


@inlined
def _eliminate(kind: tuple[Mobilizer, bool, tuple[int, ...]], M: MotorDyad, columns: list[VelocityMotor],
               rotors: list[Scalar], free: list[Scalar], q: ca.SX,
               X_PF: Transform) -> tuple[list[MomentumMotor], list[Scalar], MotorDyad, MotorDyad]:
    """Eliminate the joint's mobilities: their U and 1/D, what is left of M, and that seen from the parent.

    A rotor geared to a mobility adds its inertia to D alone; then no row of the remaining M vanishes.  Nor does one
    where the mobility is among those that may be held, for which `free` has a number each.
    """
    mobilizer, has_rotors, may_be_held = kind
    U, D_inverse = [], []
    for k, (S, place) in enumerate(zip(columns, mobilizer.units(), strict=False)):
        U_k = M @ S
        # as −(−1/D): CasADi turns every product with a plain 1/D back into a division, the slowest operation
        inverse = -(-1 / (U_k.dot(S) + rotors[k] if has_rotors else U_k.dot(S)))
        D_inverse.append(inverse * free[may_be_held.index(k)] if k in may_be_held else inverse)
        M = M.without(U_k, D_inverse[-1], None if has_rotors or k in may_be_held else place)
        U.append(U_k)
    return U, D_inverse, M, X_PF @ mobilizer.carry(q, M)


@inlined
def _push(_: None, p: ForceMotor, columns: list[VelocityMotor], U: list[MomentumMotor], D_inverse: list[Scalar],
          tau: ca.SX, M_left: MotorDyad, c: VelocityMotor, X_PB: Transform) -> tuple[list[Scalar], ForceMotor]:
    """The bias force after elimination, carried to the parent, and the e of each mobility."""
    e = []
    for k, (S, U_k) in enumerate(zip(columns, U, strict=True)):
        e_k = tau[k] - p.dot(S)
        w = e_k * D_inverse[k]
        p = ForceMotor(p.resultant + U_k.resultant * w, p.moment + U_k.moment * w)
        e.append(e_k)
    pushed = M_left @ c
    return e, X_PB @ ForceMotor(p.resultant + pushed.resultant, p.moment + pushed.moment)


@inlined
def _return(_: None, X_PB: Transform, A_P: VelocityMotor, c: VelocityMotor, columns: list[VelocityMotor],
            U: list[MomentumMotor], D_inverse: list[Scalar],
            e: list[Scalar]) -> tuple[list[Scalar], VelocityMotor, list[Scalar]]:
    """u̇ of the joint, the acceleration of its body, and U·A − e of each mobility."""
    A = X_PB.into(A_P) + c
    udot, lacking = [None] * len(columns), [None] * len(columns)
    for k in reversed(range(len(columns))):
        lacking[k] = U[k].dot(A) - e[k]
        udot[k] = lacking[k] * -D_inverse[k]
        A = A + columns[k] * udot[k]
    return udot, A, lacking


def articulated_inertias(kin: Kinematics, free: Mapping[int, ca.SX] | None = None) -> tuple[Factors, list[MotorDyad]]:
    """Inward pass over inertias alone: the factors, and per body the articulated inertia left after elimination.

    `free` has the speeds that may be held: 0 while they are, else 1.
    """
    mechanism, free = kin.mechanism, free or {}
    q_slices, u_slices = mechanism.slices()
    n = len(mechanism.bodies)
    M: list[MotorDyad] = list(kin.inertias)
    N = {k: kin.couplings(k) for k, body in enumerate(mechanism.bodies) if body.bending is not None}
    H = {k: kin.internal(k) for k in N}
    left: list = [None] * n
    factors = Factors([[]] * n, [[]] * n)
    for k in reversed(range(n)):
        body = mechanism.bodies[k]
        dyad = MotorDyad(M[k].mass, M[k].coupling, M[k].inertia)
        if body.mobilizer.rides:
            left[k], P = dyad, body.parent
            seen, N[P], H[P] = bending.handed_on(None, dyad, kin.carried[k], kin.X_PB[k], N[P], H[P])
            M[P] = M[P] + seen
            continue
        if body.bending is not None:
            factors.U[k], factors.D_inverse[k], factors.rows[k], left[k] = bending.eliminate(
                None, dyad, kin.columns[k], N[k], H[k])
            if body.parent != WORLD:
                M[body.parent] = M[body.parent] + bending.seen(None, left[k], kin.X_PB[k])
            continue
        speeds = range(u_slices[k].start, u_slices[k].stop)
        may_be_held = tuple(i for i, speed in enumerate(speeds) if speed in free)
        factors.U[k], factors.D_inverse[k], left[k], seen = _eliminate(
            (body.mobilizer, bool(body.armature), may_be_held), dyad, kin.free_columns(k), body.rotors,
            [free[speed] for speed in speeds if speed in free], kin.q[q_slices[k]], body.X_PF)
        if body.parent != WORLD:
            M[body.parent] = M[body.parent] + seen
    return factors, left


def solve_tree(kin: Kinematics, factors: Factors, left: list[MotorDyad], tau: ca.SX, bias: list[ForceMotor],
               c: list[VelocityMotor], A_W: VelocityMotor) -> tuple[list[list], list[VelocityMotor]]:
    """u̇ of the free mobilities and body accelerations from factored inertias, mobility forces τ and bias forces p.

    With `bias`, `c` and `A_W` zero it is the operator M⁻¹ τ.  Prescribed accelerations are part of `c`.
    """
    return outward(kin, factors, inward(kin, factors, left, tau, bias, c), c, A_W)


def inward(kin: Kinematics, factors: Factors, left: list[MotorDyad], tau: ca.SX, bias: list[ForceMotor],
           c: list[VelocityMotor], bodies: set[int] | None = None) -> list[list]:
    """The e of every mobility; only `bodies` are visited, where the forces on the others are known to vanish."""
    mechanism = kin.mechanism
    _, u_slices = mechanism.slices()
    n = len(mechanism.bodies)
    p = list(bias)
    e: list = [[]] * n
    handed: dict[int, list] = {}
    for k in reversed(range(n) if bodies is None else sorted(bodies)):
        parent = mechanism.bodies[k].parent
        if mechanism.bodies[k].mobilizer.rides:
            along, pushed = bending.push_ridden(None, p[k], kin.carried[k], left[k], c[k], kin.X_PB[k])
            handed[parent] = [a + b for a, b in zip(handed[parent], along, strict=True)] if parent in handed else along
        elif k in factors.rows:
            forces = ca.vertsplit(tau[u_slices[k]])
            forces = [a - b for a, b in zip(forces, handed[k], strict=True)] if k in handed else forces
            e[k], pushed = bending.push(None, p[k], kin.columns[k], factors.U[k], factors.D_inverse[k],
                                        factors.rows[k], forces, left[k], c[k], kin.X_PB[k])
        else:
            e[k], pushed = _push(None, p[k], kin.free_columns(k), factors.U[k], factors.D_inverse[k], tau[u_slices[k]],
                                 left[k], c[k], kin.X_PB[k])
        if parent != WORLD:
            p[parent] = p[parent] + pushed
    return e


def outward(kin: Kinematics, factors: Factors, e: list[list], c: list[VelocityMotor],
            A_W: VelocityMotor) -> tuple[list[list], list[VelocityMotor]]:
    """u̇ of the free mobilities and body accelerations."""
    return outward_and_lacking(kin, factors, e, c, A_W)[:2]


def outward_and_lacking(kin: Kinematics, factors: Factors, e: list[list], c: list[VelocityMotor],
                        A_W: VelocityMotor) -> tuple[list[list], list[VelocityMotor], list[list]]:
    """u̇ of the free mobilities, body accelerations, and U·A − e: the force by which a mobility falls short of rest."""
    udot, A, lacking = [], [], []
    for k, body in enumerate(kin.mechanism.bodies):
        A_P = A_W if body.parent == WORLD else A[body.parent]
        if body.mobilizer.rides:
            moved = ca.vertcat(*udot[body.parent])
            found = [], ridden_acceleration(None, kin.X_PB[k], A_P, c[k], kin.carried[k], moved), []
        elif k in factors.rows:
            found = bending.returned(None, kin.X_PB[k], A_P, c[k], kin.columns[k], factors.U[k], factors.D_inverse[k],
                                     factors.rows[k], e[k])
        else:
            found = _return(None, kin.X_PB[k], A_P, c[k], kin.free_columns(k), factors.U[k], factors.D_inverse[k], e[k])
        for values, new in zip((udot, A, lacking), found, strict=True):
            values.append(new)
    return udot, A, lacking


def bias_forces(kin: Kinematics, loads: list[ForceMotor | None]) -> list[ForceMotor]:
    """p = V × (M V) − applied force motor, per body."""
    out = []
    for k, load in enumerate(loads):
        p = kin.velocity_forces(k)
        out.append(p if load is None else p - load)
    return out
