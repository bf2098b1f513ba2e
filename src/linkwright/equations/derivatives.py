"""Derivatives of inverse and forward dynamics by motor formulas, for any mobilizer.

Where bodies bend they come from automatic differentiation instead.

Cf. Carpentier & Mansard, *Analytical derivatives of rigid body dynamics algorithms* (RSS 2018), and Singh, Russell &
Wensing (RA-L 2022); derived here in motors.

Let mobility k of body B move by ε: q ← q + ε N e_k, so B with all it carries is displaced by the motor S_k.  Every
quantity is taken in its own body's axes, all of them seen from B.  With V_J = Σ S_j u_j the joint's own velocity,
V' = V_B − V_J and A' = A_B − c_B − Σ S_j u̇_j what B gets from its parent, and ∂_k the change of the joint's own columns

    w_k = ∂V_B/∂q_k = V' × S_k + Σ ∂_k S_j u_j
    ∂A_B/∂q_k       = A' × S_k + w_k × V_J + V_B × Σ ∂_k S_j u_j + ∂_k(Ṡ u) + Σ ∂_k S_j u̇_j

and every body i that B carries follows with  ∂V_i = w_k,  ∂A_i = a_k + w_k × V_i,  where  a_k = ∂A_B/∂q_k − w_k × V_B.
A change of speed has the same shape, with w_k = S_k and a_k = V_B × S_k + V' × S_k + ∂(Ṡ u)/∂u_k, a change of u̇ too,
with w_k = 0 and a_k = S_k.  Hence for all three the force that the body i needs changes by

    ∂f_i = M_i (a_k + w_k × V_i) + w_k × M_i V_i + V_i × M_i w_k = M_i a_k + 2 Σ_m (dm) (ω_k × v, r × (ω_k × v)),

the sum over the body's particles at r with velocity v: the terms in w_k's moment cancel.  So beside the composite
inertia one needs no more than the composite momentum p and the matrix K = ∫ (r·v) 1 − v rᵀ dm:

    ∂F_j = M_j a_k + 2 (ω_k × p_j, K_j ω_k)          F_j the force through joint j, at B or outboard of it
    ∂τ_j = S_j · ∂F_j  (+ ∂_k S_j · F_B for B itself)
         = (M_j S_j) · a_k + 2 (p_j × v_j + K_jᵀ ω_j) · ω_k      for S_j = (ω_j, v_j): what multiplies a_k and ω_k
    ∂τ_i = S_i · (∂F_B + S_k × F_B)                  i inboard of B: the force on it is displaced too (∂q only)

All motors of one tree are brought to the frame of its base body, so that each entry is one inner product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Array, ForceMotor, Inertia, MomentumMotor, MotorDyad, Transform, VelocityMotor, cross, dot, outer
from ..mechanism import WORLD, Mobilizer
from .articulated import articulated_inertias, bias_forces, solve_tree
from .composite import mass_matrix
from .inlined import inlined
from .inverse import joint_forces
from .kinematics import Kinematics, accelerations, compose
from .tolerances import LONG_BRANCHES


@dataclass
class InverseDerivatives:
    """τ of inverse dynamics and its derivatives, structurally sparse: rows τ, columns mobilities."""

    tau: ca.SX
    q: ca.SX  #: ∂τ/∂q along the mobilities, δq = N e_k
    u: ca.SX  #: ∂τ/∂u
    mass: ca.SX  #: ∂τ/∂u̇ = M


def inverse_derivatives(kin: Kinematics, udot: ca.SX, A_W: VelocityMotor | None = None,
                        loads: list[ForceMotor | None] | None = None) -> InverseDerivatives:
    """Derivatives of τ = M u̇ + bias for accelerations u̇ of the tree.

    `A_W` is the acceleration of the world (−g for uniform gravity).  `loads` are force motors on the bodies, in body
    axes; they are held there, which counts their turning with the bodies.  Where they depend on q and u themselves, the
    caller adds −Σ S_k · ∂load, body by body.
    """
    mechanism = kin.mechanism
    if mechanism.bends:
        return _differentiated(kin, udot, A_W, loads)
    bodies = mechanism.bodies
    q_slices, u_slices = mechanism.slices()
    A = accelerations(kin, udot, A_W)
    tau, F = joint_forces(kin, A, bias_forces(kin, loads or [None] * len(bodies)), udot)
    composite, momentum, K = map(list, _composites(kin))
    base = _poses_in_base(kin)
    S, P, a_q, a_u, T_q, T_u = ([] for _ in range(6))
    by_q, by_u, mass = (ca.SX.zeros(mechanism.nu, mechanism.nu) for _ in range(3))
    for k, body in enumerate(bodies):
        own = list(range(u_slices[k].start, u_slices[k].stop))
        inboard = [j for b in mechanism.path(body.parent) for j in range(u_slices[b].start, u_slices[b].stop)]
        joint = _joint(body.mobilizer, kin.columns[k], kin.q[q_slices[k]], kin.u[own], udot[own], kin.V[k], kin.c[k],
                       A[k], F[k], composite[k], momentum[k], K[k])
        for j, (blocks, motors) in zip(own, joint, strict=True):
            for matrix, column in zip((by_q, by_u, mass), blocks, strict=True):
                matrix[own, j] = ca.vertcat(*column)
            for values, new in zip((S, P, a_q, a_u, T_q, T_u), _in_base(None, base[k], *motors), strict=True):
                values.append(new)
        if own and inboard:
            # outboard rows: what changes at an inboard joint moves this one;  inboard rows: this one's force is felt
            S_in, P_own = _columns(S, inboard), _columns(P, own)
            by_q[own, inboard] = P_own.T @ _columns(a_q, inboard)
            by_u[own, inboard] = P_own.T @ _columns(a_u, inboard)
            by_q[inboard, own] = S_in.T @ _columns(T_q, own)
            by_u[inboard, own] = S_in.T @ _columns(T_u, own)
            mass[own, inboard] = P_own[:6, :].T @ S_in
            mass[inboard, own] = mass[own, inboard].T
    rotors = ca.vertcat(*[rotor for body in bodies for rotor in body.rotors])
    return InverseDerivatives(ca.vertcat(*tau) + rotors * udot, ca.sparsify(by_q), ca.sparsify(by_u),
                              ca.sparsify(mass + ca.diag(rotors)))


def _differentiated(kin: Kinematics, udot: ca.SX, A_W: VelocityMotor | None,
                    loads: list[ForceMotor | None] | None) -> InverseDerivatives:
    """The same by automatic differentiation, where bodies bend: for them there are no motor formulas yet.

    Loads are held in body axes: symbols stand for them meanwhile.
    """
    bodies, (q_slices, u_slices) = kin.mechanism.bodies, kin.mechanism.slices()
    held = [None if load is None else ForceMotor.from_vector(ca.SX.sym("load", 6)) for load in
            loads or [None] * len(bodies)]
    tau, _ = joint_forces(kin, accelerations(kin, udot, A_W), bias_forces(kin, held), udot)
    rotors = ca.vertcat(*[rotor for body in bodies for rotor in body.rotors])
    total = ca.vertcat(ca.SX(0, 1), *tau) + rotors * udot
    qdot = ca.vertcat(ca.SX(0, 1), *[ca.SX(body.mobilizer.qdot(kin.q[i], kin.u[j]))
                                     for body, i, j in zip(bodies, q_slices, u_slices, strict=True)])
    found = [total, ca.jacobian(total, kin.q) @ ca.jacobian(qdot, kin.u), ca.jacobian(total, kin.u),
             mass_matrix(kin)]
    symbols = [ca.SX(motor.vector()) for motor in held if motor is not None]
    if symbols:
        values = [ca.SX(load.vector()) for load in loads or [] if load is not None]
        others = ca.symvar(ca.veccat(*found))
        taken = {s.nz[k].element_hash() for s in symbols for k in range(6)}
        free = [s for s in others if s.element_hash() not in taken]
        found = ca.Function("held", [*symbols, *free], found).call([*values, *free])
    return InverseDerivatives(found[0], *map(ca.sparsify, found[1:]))


def _columns(columns: list, which: list[int]) -> ca.SX:
    return ca.horzcat(*[columns[k] for k in which])


@dataclass
class ForwardDerivatives:
    """∂u̇/∂q (along the mobilities, δq = N e_k), ∂u̇/∂u; rows of prescribed mobilities are empty."""

    q: ca.SX
    u: ca.SX


def forward_derivatives(kin: Kinematics, inverse: InverseDerivatives) -> ForwardDerivatives:
    """Implicit differentiation of τ(q, u, u̇) = const at the u̇ of forward dynamics:  ∂u̇/∂x = −M⁻¹ ∂τ/∂x.

    Prescribed mobilities keep their u̇, and M is that of the free ones.  Where the prescribed u̇ depends on x, or the
    applied forces do, the caller adds M ∂u̇/∂x or −∂(applied)/∂x to `inverse.q` and `inverse.u` first.
    """
    nu = kin.mechanism.nu
    solved = solve_mass(kin, inverse.mass, ca.horzcat(-inverse.q, -inverse.u))
    return ForwardDerivatives(solved[:, :nu], solved[:, nu:])


def solve_mass(kin: Kinematics, mass: ca.SX, right: ca.SX) -> ca.SX:
    """M⁻¹ right on the free mobilities, zero rows elsewhere.

    Where branches are short by a sparse LDLᵀ from the leaves inwards, which fills in nothing (Featherstone 2008, §6.5)
    and takes four operations per ancestor; on long branches by the articulated recursion, about fifty per mobility.
    """
    bodies = kin.mechanism.bodies
    _, u_slices = kin.mechanism.slices()
    free = [j for body, part in zip(bodies, u_slices, strict=True)
            if body.prescribed is None and not body.mobilizer.rides for j in range(part.start, part.stop)]
    solved = ca.SX(*right.shape)
    if mass.nnz() > LONG_BRANCHES * mass.shape[0]:
        factors, left = articulated_inertias(kin)
        rest = [ForceMotor()] * len(bodies), [VelocityMotor()] * len(bodies), VelocityMotor()
        for k, column in enumerate(ca.horzsplit(ca.densify(right))):
            udot, _ = solve_tree(kin, factors, left, column, *rest)
            solved[free, k] = ca.vertcat(*[value for joint in udot for value in joint])
    elif free:
        inwards = free[::-1]
        D, LT, p = ca.ldl(mass[inwards, inwards], False)
        solved[inwards, :] = ca.ldl_solve(ca.densify(right)[inwards, :], D, LT, p)
    return ca.sparsify(solved)


# --- composite quantities, inwards ---


@inlined
def _body_rates(_: None, inertia: Inertia, V: VelocityMotor) -> tuple[Array, Array]:
    """Momentum p and K = ∫ (r·v) 1 − v rᵀ dm of a body;  ∫ r rᵀ dm = ½ tr(I) 1 − I."""
    h, I = inertia.first_moment, inertia.inertia
    spread = (I[0, 0] + I[1, 1] + I[2, 2]) / 2 * np.eye(3) - I
    w, v = V.resultant, V.moment
    turning = ca.horzcat(*[cross(w, spread[:, k]) for k in range(3)])
    return inertia.m * v + cross(w, h), dot(h, v) * np.eye(3) - outer(v, h) - turning


@inlined
def _seen(mobilizer: Mobilizer, q: ca.SX, X_PF: Transform, X_PB: Transform, inertia: Inertia, p: ca.SX,
          K: ca.SX) -> tuple[MotorDyad, Array, Array]:
    """Composite inertia, momentum and K seen from the parent: K ← R K Rᵀ + (d·p) 1 − p dᵀ for the new origin."""
    p = X_PB.R @ p
    turned = X_PF @ mobilizer.carry(q, MotorDyad(np.zeros((3, 3)), K, np.zeros((3, 3))))
    d = X_PB.p
    return X_PF @ mobilizer.carry(q, inertia), p, turned.coupling + dot(d, p) * np.eye(3) - outer(p, d)


def _composites(kin: Kinematics) -> Iterable[Sequence]:
    """Per body, for all it carries and itself: inertia, momentum, K."""
    bodies = kin.mechanism.bodies
    q_slices, _ = kin.mechanism.slices()
    totals = [(body.inertia, *_body_rates(None, body.inertia, V)) for body, V in zip(bodies, kin.V, strict=True)]
    for k in reversed(range(len(bodies))):
        body = bodies[k]
        if body.parent != WORLD:
            seen = _seen(body.mobilizer, kin.q[q_slices[k]], body.X_PF, kin.X_PB[k], *totals[k])
            totals[body.parent] = tuple(a + b for a, b in zip(totals[body.parent], seen, strict=True))
    return zip(*totals, strict=True) if totals else ([], [], [])


# --- what one joint contributes ---


def _local_changes(mobilizer: Mobilizer, q: ca.SX, u: ca.SX, udot: ca.SX) -> list[tuple]:
    """Per mobility k of the joint, by differentiation of its own small functions along N e_k:

    ∂_k S_j for all j, and the motors Σ ∂_k S_j u_j, Σ ∂_k S_j u̇_j, ∂_k(Ṡ u), ∂(Ṡ u)/∂u_k.
    """
    x, v = ca.SX.sym("q", mobilizer.nq), ca.SX.sym("u", mobilizer.nu)
    H = ca.horzcat(*[ca.SX(S.vector()) for S in mobilizer.columns(x)])
    bias = ca.SX(mobilizer.bias(x, v).vector())
    by_speed = ca.jacobian(bias, v)
    changes = []
    for k in range(mobilizer.nu):
        direction = ca.SX(mobilizer.qdot(x, ca.SX(np.eye(mobilizer.nu)[k])))
        turned = ca.jtimes(H, x, direction)
        found = ca.horzcat(turned, turned @ v, ca.jtimes(bias, x, direction), by_speed[:, k])
        found = ca.substitute([found, turned], [x, v], [q, u])
        columns = [VelocityMotor.from_vector(c) for c in ca.horzsplit(ca.densify(found[0]))]
        rate = VelocityMotor.from_vector(ca.densify(found[1] @ udot))
        changes.append((columns[: mobilizer.nu], columns[-3], rate, columns[-2], columns[-1]))
    return changes


@inlined
def _joint(mobilizer: Mobilizer, columns: list[VelocityMotor], q: ca.SX, u: ca.SX, udot: ca.SX, V: VelocityMotor,
           c: VelocityMotor, A: VelocityMotor, F: ForceMotor, inertia: Inertia, p: ca.SX, K: ca.SX) -> list[tuple]:
    """The joint's own blocks of ∂τ/∂q, ∂τ/∂u and M, and per mobility the motors that meet those of other joints."""
    nu = len(columns)
    V_J, A_J = VelocityMotor(), c
    for k, S in enumerate(columns):
        V_J, A_J = V_J + S * u[k], A_J + S * udot[k]
    V_P, A_P = V - V_J, A - A_J
    none = ([VelocityMotor()] * nu, *[VelocityMotor()] * 4)
    fixed = all(unit is not None for unit in mobilizer.units())
    changes = [none] * nu if fixed else _local_changes(mobilizer, q, u, udot)

    def force(a: VelocityMotor, w: VelocityMotor) -> ForceMotor:
        momentum = inertia @ a
        return ForceMotor(momentum.resultant + 2 * cross(w.resultant, p), momentum.moment + 2 * (K @ w.resultant))

    found = []
    for S, (dS, dV, dA, dbias, dbias_u) in zip(columns, changes, strict=True):
        w = V_P.cross(S) + dV
        a_q = A_P.cross(S) - w.cross(V_P) + V.cross(dV) + dbias + dA
        a_u = (V + V_P).cross(S) + dbias_u
        F_q, F_u = force(a_q, w), force(a_u, S)
        P, Q = inertia @ S, 2 * (cross(p, S.moment) + K.T @ S.resultant)
        blocks = ([T.dot(F_q) + D.dot(F) for T, D in zip(columns, dS, strict=True)], [T.dot(F_u) for T in columns],
                  [T.dot(P) for T in columns])
        found.append((blocks, (S, P, Q, a_q, w.resultant, a_u, F_q + S.cross(F), F_u)))
    return found


@inlined
def _in_base(_: None, X: Transform, S: VelocityMotor, P: MomentumMotor, Q: Array, a_q: VelocityMotor, w_q: Array,
             a_u: VelocityMotor, T_q: ForceMotor, T_u: ForceMotor) -> tuple[Array, ...]:
    """The motors of one mobility in the frame of the base, as columns: what acts, and what it acts on."""
    S, P, a_q, a_u, T_q, T_u = (X @ motor for motor in (S, P, a_q, a_u, T_q, T_u))
    return (S.vector(), ca.vertcat(_dual(P), X.R @ Q), ca.vertcat(a_q.vector(), X.R @ w_q),
            ca.vertcat(a_u.vector(), S.resultant), _dual(T_q), _dual(T_u))


def _dual(motor: ForceMotor | MomentumMotor) -> Array:
    """(moment, resultant): the inner product with a velocity motor is that of the six numbers."""
    return ca.vertcat(motor.moment, motor.resultant)


def _poses_in_base(kin: Kinematics) -> list[Transform]:
    """The pose of every body in the base body of its tree."""
    poses: list[Transform] = []
    for body, X_PB in zip(kin.mechanism.bodies, kin.X_PB, strict=True):
        poses.append(Transform() if body.parent == WORLD else compose(None, poses[body.parent], X_PB))
    return poses
