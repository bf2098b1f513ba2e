"""Bodies that bend in the articulated recursion, and those that ride on them: one step of it each.

A body that bends has N and H beside M (see `mechanism.bending`), and its speeds move the bodies that ride on it along
columns Ψ.  These hand on

    M += M_C,   N += M_C Ψ,   H += Ψᵀ M_C Ψ,   p += π,   τ −= Ψ·π,      π = p_C + M_C c_C      all seen from the parent

without eliminating anything; then its own mobilities are eliminated with U = M S + N, D = Sᵀ(M S + N) + Nᵀ S + H.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import ForceMotor, MomentumMotor, MotorDyad, Scalar, Transform, VelocityMotor
from .inlined import inlined


@inlined
def seen(_: None, M: MotorDyad, X_PB: Transform) -> MotorDyad:
    """What is left of M, from the parent."""
    return X_PB @ M


@inlined
def handed_on(_: None, M: MotorDyad, carried: list[VelocityMotor], X_PB: Transform, N: list[MomentumMotor],
              H: ca.SX) -> tuple[MotorDyad, list[MomentumMotor], ca.SX]:
    """What the parent of a body that rides has of it: its M in the parent, and the parent's N and H with it."""
    M = X_PB @ M
    momenta = [M @ S for S in carried]
    n = len(carried)
    half = [[p.dot(S) for p in momenta[: i + 1]] for i, S in enumerate(carried)]
    added = ca.vertcat(*[ca.horzcat(*[half[max(i, j)][min(i, j)] for j in range(n)]) for i in range(n)])
    return M, [own + p for own, p in zip(N, momenta, strict=True)], H + added


@inlined
def eliminate(_: None, M: MotorDyad, columns: list[VelocityMotor], N: list[MomentumMotor],
              H: ca.SX) -> tuple[list[MomentumMotor], list[Scalar], list[list[Scalar]], MotorDyad]:
    """Eliminate the speeds of a body that bends: their U, 1/D, rows of D, and what is left of M."""
    n = len(columns)
    U = [M @ S + N_k for S, N_k in zip(columns, N, strict=True)]
    D = [[U[j].dot(columns[i]) + N[i].dot(columns[j]) + H[i, j] if j >= i else ca.SX(0) for j in range(n)]
         for i in range(n)]
    D_inverse, rows = [], []
    for k in range(n):
        D_inverse.append(-(-1 / D[k][k]))
        M = M.without(U[k], D_inverse[k])
        for i in range(k + 1, n):
            share = D[k][i] * D_inverse[k]
            U[i] = U[i] - U[k] * share
            for j in range(i, n):
                D[i][j] = D[i][j] - share * D[k][j]
        rows.append(D[k][k + 1 :])
    return U, D_inverse, rows, M


@inlined
def push_ridden(_: None, p: ForceMotor, carried: list[VelocityMotor], M: MotorDyad, c: VelocityMotor,
                X_PB: Transform) -> tuple[list[Scalar], ForceMotor]:
    """What the parent's speeds and the parent feel of π = p + M c."""
    pushed = M @ c
    total = X_PB @ ForceMotor(p.resultant + pushed.resultant, p.moment + pushed.moment)
    return [total.dot(S) for S in carried], total


@inlined
def push(_: None, p: ForceMotor, columns: list[VelocityMotor], U: list[MomentumMotor],
         D_inverse: list[Scalar], rows: list[list[Scalar]], tau: list[Scalar], M_left: MotorDyad,
         c: VelocityMotor, X_PB: Transform) -> tuple[list[Scalar], ForceMotor]:
    """The e of its speeds, and what its parent feels."""
    e = [tau_k - p.dot(S) for tau_k, S in zip(tau, columns, strict=True)]
    for k, U_k in enumerate(U):
        w = e[k] * D_inverse[k]
        for j, entry in enumerate(rows[k]):
            e[k + 1 + j] = e[k + 1 + j] - entry * w
        p = ForceMotor(p.resultant + U_k.resultant * w, p.moment + U_k.moment * w)
    pushed = M_left @ c
    return e, X_PB @ ForceMotor(p.resultant + pushed.resultant, p.moment + pushed.moment)


@inlined
def returned(_: None, X_PB: Transform, A_P: VelocityMotor, c: VelocityMotor, columns: list[VelocityMotor],
             U: list[MomentumMotor], D_inverse: list[Scalar], rows: list[list[Scalar]],
             e: list[Scalar]) -> tuple[list[Scalar], VelocityMotor, list[Scalar]]:
    """u̇ of a body that bends, its acceleration, and by how much the forces on its speeds fall short of rest."""
    A = X_PB.into(A_P) + c
    udot, lacking = [None] * len(columns), [None] * len(columns)
    for k in reversed(range(len(columns))):
        rest = U[k].dot(A) - e[k]
        for j, entry in enumerate(rows[k]):
            rest = rest + entry * udot[k + 1 + j]
        udot[k], lacking[k] = rest * -D_inverse[k], rest
    for S, value in zip(columns, udot, strict=True):
        A = A + S * value
    return udot, A, lacking
