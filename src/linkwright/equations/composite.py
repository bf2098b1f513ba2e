"""The mass matrix by composite inertias (Featherstone 2008, §6.2): M_jk = S_j · (I_C S_k), sparse along branches."""

from __future__ import annotations

import casadi as ca

from ..mechanism import WORLD
from .inlined import inlined
from .kinematics import Kinematics


@inlined
def _seen(mobilizer, inertia, q, X_PF):
    """A composite inertia seen from the parent."""
    return X_PF @ mobilizer.carry(q, inertia)


@inlined
def _momenta(_, inertia, columns):
    return [inertia @ S for S in columns]


@inlined
def _couple(_, columns, momenta):
    return [[S.dot(p) for p in momenta] for S in columns]


@inlined
def _carry(_, X_PB, momenta):
    return [X_PB @ p for p in momenta]


def mass_matrix(kin: Kinematics) -> ca.SX:
    """M(q) as a structurally sparse symmetric SX."""
    mechanism = kin.mechanism
    q_slices, u_slices = mechanism.slices()
    composite = [body.inertia for body in mechanism.bodies]
    for k in reversed(range(len(composite))):
        body = mechanism.bodies[k]
        if body.parent != WORLD:
            seen = _seen(body.mobilizer, composite[k], kin.q[q_slices[k]], body.X_PF)
            composite[body.parent] = composite[body.parent] + seen
    M = ca.SX(mechanism.nu, mechanism.nu)
    for k, body in enumerate(mechanism.bodies):
        if not body.mobilizer.nu:
            continue
        for offset, rotor in enumerate(body.armature):
            M[u_slices[k].start + offset, u_slices[k].start + offset] = rotor
        momenta = _momenta(None, composite[k], kin.columns[k])
        j = k
        while True:
            block = _couple(None, kin.columns[j], momenta)
            for row, entries in enumerate(block):
                for column, entry in enumerate(entries):
                    r, c = u_slices[j].start + row, u_slices[k].start + column
                    if not entry.is_zero():
                        M[r, c] = M[r, c] + entry if r == c else entry
                        M[c, r] = M[r, c]
            if mechanism.bodies[j].parent == WORLD:
                break
            momenta = _carry(None, kin.X_PB[j], momenta)
            j = mechanism.bodies[j].parent
    return M
