"""The mass matrix by composite inertias (Featherstone 2008, §6.2): M_jk = S_j · (I_C S_k), sparse along branches.

Speeds of a body that bends have the momenta N beside I_C S and the matrix H between them; bodies that ride on it add to
the same entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from ..mechanism import WORLD, Mobilizer
from .inlined import inlined
from .kinematics import Kinematics

if TYPE_CHECKING:
    from ..algebra import Inertia, MomentumMotor, MotorDyad, Scalar, Transform, VelocityMotor


@inlined
def _seen(mobilizer: Mobilizer, inertia: Inertia, q: ca.SX, X_PF: Transform) -> MotorDyad:
    """A composite inertia seen from the parent."""
    return X_PF @ mobilizer.carry(q, inertia)


@inlined
def _momenta(_: None, inertia: Inertia, columns: list[VelocityMotor]) -> list[MomentumMotor]:
    return [inertia @ S for S in columns]


@inlined
def _couple(_: None, columns: list[VelocityMotor], momenta: list[MomentumMotor]) -> list[list[Scalar]]:
    return [[S.dot(p) for p in momenta] for S in columns]


@inlined
def _carry(_: None, X_PB: Transform, momenta: list[MomentumMotor]) -> list[MomentumMotor]:
    return [X_PB @ p for p in momenta]


def _block(entries: list[list[Scalar]]) -> ca.SX:
    return ca.vertcat(*[ca.horzcat(*row) for row in entries])


def composites(kin: Kinematics) -> list:
    """Per body the inertia of all that it carries and its own."""
    bodies, (q_slices, _) = kin.mechanism.bodies, kin.mechanism.slices()
    composite = list(kin.inertias)
    for k in reversed(range(len(composite))):
        if bodies[k].parent != WORLD:
            seen = _seen(bodies[k].mobilizer, composite[k], kin.q[q_slices[k]], bodies[k].X_PF)
            composite[bodies[k].parent] = composite[bodies[k].parent] + seen
    return composite


def mass_diagonal(kin: Kinematics) -> ca.SX:
    """The diagonal of M(q) as a column."""
    if kin.mechanism.bends:
        return ca.diag(mass_matrix(kin))
    out = [ca.SX((inertia @ S).dot(S)) + rotor for body, inertia, columns in
           zip(kin.mechanism.bodies, composites(kin), kin.columns, strict=True)
           for S, rotor in zip(columns, body.rotors, strict=True)]
    return ca.vertcat(ca.SX(0, 1), *out)


def mass_matrix(kin: Kinematics) -> ca.SX:
    """M(q) as a structurally sparse symmetric SX."""
    mechanism, composite = kin.mechanism, composites(kin)
    _, u_slices = mechanism.slices()
    M = ca.SX(mechanism.nu, mechanism.nu)
    for k, body in enumerate(mechanism.bodies):
        if not body.mobilizer.nu and not body.mobilizer.rides:
            continue
        for offset, rotor in enumerate(body.armature):
            M[u_slices[k].start + offset, u_slices[k].start + offset] = rotor
        momenta = _momenta(None, composite[k], kin.columns[k])
        if body.bending is not None:
            own, N = u_slices[k], kin.couplings(k)
            M[own, own] += kin.internal(k) + _block(_couple(None, kin.columns[k], N)).T
            momenta = [p + N_k for p, N_k in zip(momenta, N, strict=True)]
        j = k
        while True:
            block = _couple(None, kin.columns[j], momenta)
            for row, entries in enumerate(block):
                for column, entry in enumerate(entries):
                    r, c = u_slices[j].start + row, u_slices[k].start + column
                    if entry.is_zero():
                        continue
                    if j != k:
                        # speeds that move both a body and what rides on it meet twice
                        M[r, c] = M[r, c] + entry
                        M[c, r] = M[c, r] + entry
                    elif r == c:
                        M[r, c] = M[r, c] + entry
                    elif r > c:
                        M[r, c] = M[r, c] + entry
                        M[c, r] = M[r, c]
            if mechanism.bodies[j].parent == WORLD:
                break
            momenta = _carry(None, kin.X_PB[j], momenta)
            j = mechanism.bodies[j].parent
    return M
