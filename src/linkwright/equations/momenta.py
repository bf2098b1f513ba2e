"""Momentum in place of the speeds of a floating body, which a step must keep where no force acts from outside.

Of everything that a floating body B carries, and itself, with centre of mass c: linear momentum and angular momentum
about c, in axes that do not turn,

    w = (L_c, p),      h_B = Σ X_BK (M_K V_K),   L_c = R (h_B − c × p_B),   p = R p_B,   R = R_FB(q)

Their rates are the torque about c and the force of all that acts from outside.  The way back takes the speeds of the
joints as given: with h′ the momentum that they have while B rests, and the composite inertia (m, c, J_c),

    J_c ω = Rᵀ L_c − h′_c,      v = (Rᵀ p − p′)/m − ω × c

All other entries of w are those of u.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import Inertia, MomentumMotor, Transform
from ..mechanism import WORLD, Free, Mechanism
from .composite import composites
from .inlined import inlined
from .inverse import joint_forces
from .kinematics import Kinematics, accelerations, kinematics


def floating(mechanism: Mechanism) -> list[int]:
    """The bodies that move freely in the world."""
    return [k for k, body in enumerate(mechanism.bodies)
            if body.parent == WORLD and isinstance(body.mobilizer, Free) and body.prescribed is None]


def momenta(kin: Kinematics) -> ca.SX:
    """w(q, u)."""
    carried, whole = _carried(kin), composites(kin)
    return _replaced(kin, [(h.resultant, h.moment, whole[k]) for k, h in enumerate(carried)])


def momentum_rates(kin: Kinematics, udot: ca.SX) -> ca.SX:
    """ẇ(q, u, u̇): Newton's and Euler's laws for everything that a floating body carries."""
    bias = [kin.velocity_forces(k) for k in range(len(kin.mechanism.bodies))]
    _, f = joint_forces(kin, accelerations(kin, udot), bias, udot)
    whole = composites(kin)
    return _replaced(kin, [(load.resultant, load.moment, whole[k]) for k, load in enumerate(f)], udot)


def speeds_of(mechanism: Mechanism, q: ca.SX, w: ca.SX) -> ca.SX:
    """u(q, w)."""
    q_slices, u_slices = mechanism.slices()
    u, resting = ca.SX(w), ca.SX(w)
    for k in floating(mechanism):
        resting[u_slices[k]] = 0
    kin = kinematics(mechanism, q, resting)
    carried, whole = _carried(kin), composites(kin)
    for k in floating(mechanism):
        place, R = u_slices[k], _rotation(mechanism, k, q[q_slices[k]])
        m, c, J = _central(whole[k])
        p, L = R.T @ w[place][3:6], R.T @ w[place][0:3]
        p_own, L_own = _about(carried[k].resultant, carried[k].moment, c)
        spin = _solved(J, L - L_own)
        u[place] = ca.vertcat(spin, (p - p_own) / m - ca.cross(spin, c))
    return u


# --- parts of it ---


@inlined
def _to_parent(_: None, X_PB: Transform, h: MomentumMotor) -> MomentumMotor:
    return X_PB @ h


def _carried(kin: Kinematics) -> list[MomentumMotor]:
    """The momentum of every body and all that it carries, at its origin in its axes."""
    bodies = kin.mechanism.bodies
    h = [kin.momentum(k) for k in range(len(bodies))]
    for k in reversed(range(len(bodies))):
        if bodies[k].parent != WORLD:
            h[bodies[k].parent] = h[bodies[k].parent] + _to_parent(None, kin.X_PB[k], h[k])
    return h


def _replaced(kin: Kinematics, motors: list, others: ca.SX | None = None) -> ca.SX:
    """(moment about the centre of mass, resultant) in axes that do not turn, in the place of u of floating bodies."""
    q_slices, u_slices = kin.mechanism.slices()
    w = ca.SX(kin.u if others is None else others)
    for k in floating(kin.mechanism):
        resultant, moment, inertia = motors[k]
        _, c, _ = _central(inertia)
        R = _rotation(kin.mechanism, k, kin.q[q_slices[k]])
        w[u_slices[k]] = ca.vertcat(*[R @ part for part in reversed(_about(resultant, moment, c))])
    return w


def _about(resultant: ca.SX, moment: ca.SX, c: ca.SX) -> tuple[ca.SX, ca.SX]:
    """A motor's resultant, and its moment about c."""
    return ca.SX(resultant), ca.SX(moment) - ca.cross(ca.SX(c), ca.SX(resultant))


def _central(inertia: Inertia) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Mass, centre of mass, and inertia about it."""
    return ca.SX(inertia.m), ca.SX(inertia.com()), ca.SX(inertia.central())


def _rotation(mechanism: Mechanism, k: int, q: ca.SX) -> ca.SX:
    return ca.SX(mechanism.bodies[k].mobilizer.rotation(q))


def _solved(J: ca.SX, b: ca.SX) -> ca.SX:
    """J⁻¹ b of a symmetric 3 × 3 matrix, by cofactors."""
    x, y, z = (J[:, k] for k in range(3))
    return (ca.cross(y, z) * b[0] + ca.cross(z, x) * b[1] + ca.cross(x, y) * b[2]) / ca.dot(x, ca.cross(y, z))
