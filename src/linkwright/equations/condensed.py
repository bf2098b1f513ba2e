"""Constraints on long chains: the articulated-body recursion, then a small system for the multipliers alone.

With M = Lᵀ D L hidden in the recursion (Featherstone 2008, §7.3; Rodriguez, Jain and Kreutz-Delgado 1991, "innovations
factorisation"), the inward pass alone turns a column of Gᵀ into eᵢ = L⁻ᵀ gᵢ, and

    u̇ = u̇_free − M⁻¹ Gᵀ λ
    (S + ε) λ = G u̇_free + γ,     Sᵢⱼ = gᵢᵀ M⁻¹ gⱼ = Σₖ eᵢₖ eⱼₖ / Dₖ

so that m rows cost m inward passes over the bodies that carry them and one outward pass with Σ eᵢ λᵢ.  The mass matrix,
dense along a chain, is never formed.  S is positive semidefinite: with ε redundant rows are harmless, and one step of
refinement against ε = 0 makes u̇ exact.  Rows that hold a single mobility take part in the recursion itself
(`held_mobilities`).
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Scalar, VelocityMotor
from ..codegen import solve_closed, sum_in_force
from ..mechanism import WORLD, Mechanism
from .articulated import articulated_inertias, inward, outward_and_lacking
from .constraint_rows import Rows
from .held_mobilities import HeldMobilities
from .kinematics import Kinematics
from .kkt import leaning, masked, merged, modes, parted, repeating
from .ordering import elimination_order
from .tolerances import EPSILON, NO_ROW


class Condensed:
    """S = G M⁻¹ Gᵀ + ε, factored once for any number of right-hand sides; with `leans` sliding friction takes part.

    Rows of contact are solved after the others, over those in force (see `kkt`): with P the others and
    Ê = E − E_P S_P⁻¹ E_Pᵀ D⁻¹ E, what is left to contact is S = Eᵀ D⁻¹ Ê T.
    """

    def __init__(self, kin: Kinematics, rows: list[Rows], epsilon: Scalar = EPSILON, leans: bool = False) -> None:
        self.kin, self.rows = kin, rows
        mechanism, n = kin.mechanism, len(kin.mechanism.bodies)
        self._held_ones = HeldMobilities(rows, _given(mechanism))
        self.factors, self.left = articulated_inertias(kin, self._held_ones.free)
        within = set(self._held_ones.rows)
        self._first, self._later = ([k for k in part if k not in within] for part in parted(rows))
        self.G, self.mask = masked(rows, loose=False)
        self._rest = [ForceMotor()] * n, [VelocityMotor()] * n
        # one inward pass per row
        self.E = ca.horzcat(*[
            ca.SX(mechanism.nu, 1) if i in within else
            ca.sparsify(_over_speeds(mechanism, inward(kin, self.factors, self.left, ca.densify(self.G[i, :].T),
                                                       *self._rest, bodies)))
            for i, bodies in enumerate(_carriers(mechanism, self.G))])
        D_inverse = _over_speeds(mechanism, self.factors.D_inverse)
        # a masked row says λ = 0; where a mode switches a row, ε is in proportion to its own entry of S
        E = self.E[:, self._first]
        S = ca.sparsify(E.T @ (ca.diag(D_inverse) @ E))
        switched = np.array([r.mode is not None for r in rows for _ in range(r.G.shape[0])])[self._first]
        mask = self.mask[self._first]
        own = ca.SX.ones(0)
        if self._first:
            self.epsilon = ca.if_else(ca.SX(switched.astype(float)), EPSILON * (ca.diag(S) + NO_ROW), epsilon * mask)
            S = ca.sparsify(S + ca.diag(self.epsilon + (1 - mask)))
            self._D, self._LT, self._p = ca.ldl(S, True)
            own = self._D[np.argsort(self._p).tolist()]
        #: positive; those of contact and of held mobilities have none
        self.pivots = self._merged(own, ca.SX.ones(len(self._later)), ca.SX.ones(len(within)))
        self._lean = leaning(rows) if leans else ca.SX.eye(self.G.shape[0])
        if self._later:
            loose = self.E[:, self._later]
            self._cross = E.T @ (ca.diag(D_inverse) @ loose)
            held = [E @ self._held(column) for column in ca.horzsplit(ca.densify(self._cross))] if self._first else []
            freed = loose - ca.horzcat(*held) if held else loose
            self._give = EPSILON * (ca.sum1(loose * (ca.diag(D_inverse) @ loose)).T + NO_ROW)
            lean = self._lean[self._later, self._later]
            self._loose = ca.sparsify(loose), ca.sparsify(ca.diag(D_inverse) @ freed @ lean)
            self._pushing = ca.vertcat(loose, self._cross) @ lean

    def solve(self, b: ca.SX, tau: ca.SX, bias: list[ForceMotor] | None = None, c: list[VelocityMotor] | None = None,
              A_W: VelocityMotor | None = None, known: ca.SX | None = None,
              follow_misfits: bool = True) -> tuple[ca.SX, ca.SX]:
        """(u̇, λ) of M u̇ + Gᵀ λ = τ − bias and G u̇ + b = 0 over the rows in force.

        `known` holds u̇ of prescribed joints, which is part of `c` too, and zeros.  Without bias, c and A_W the same
        equations give speeds from impulses.
        """
        kin, mechanism = self.kin, self.kin.mechanism
        stopped = self._held_ones.accelerations(b)
        c, a = _with(mechanism, kin, self._rest[1] if c is None else c, stopped)
        e = inward(kin, self.factors, self.left, tau, self._rest[0] if bias is None else bias, c)
        # accelerations without multipliers, and what they leave of the constraints
        free, _, lacking = outward_and_lacking(kin, self.factors, e, c, A_W or VelocityMotor())
        free = _over_speeds(mechanism, free) + (a if known is None else known + a)
        multipliers, pushes = self._multipliers(self.G @ free + self.mask * b, follow_misfits)
        change, also_lacking = self._change(pushes)
        if self._held_ones.holds:
            rotors = ca.vertcat(*[ca.SX(rotor) for body in mechanism.bodies for rotor in body.rotors])
            force = -(_over_speeds(mechanism, lacking) + also_lacking) - rotors * a
            multipliers = multipliers + self._merged(ca.SX.zeros(len(self._first)), ca.SX.zeros(len(self._later)),
                                                     self._held_ones.multipliers(force))
        return free + change, multipliers

    def _multipliers(self, violation: ca.SX, follow_misfits: bool) -> tuple[ca.SX, ca.SX]:
        """λ of (S + ε) λ = violation, refined once against ε = 0, or the other way (see `Kkt.solve`), zeros for held
        mobilities; and E T λ."""
        first, later, none = violation[self._first], violation[self._later], ca.SX.zeros(len(self._held_ones.holds))
        found = self._held(first, follow_misfits) if self._first else ca.SX(0, 1)
        if not self._later:
            multipliers = self._merged(found, ca.SX(0, 1), none)
            return multipliers, self.E @ multipliers
        in_force = modes(repeating(self.rows))
        touched = solve_closed(*self._loose, self._give, in_force, later - self._cross.T @ found, not follow_misfits)
        pushed = sum_in_force(self._pushing, in_force, touched)
        pushes = pushed[: self.E.shape[0], 0]
        if self._first:
            found = found - self._held(pushed[self.E.shape[0] :, 0])
            pushes = pushes + self.E[:, self._first] @ found
        return self._merged(found, touched, none), pushes

    def _merged(self, first: ca.SX, later: ca.SX, held: ca.SX) -> ca.SX:
        """One column over all rows."""
        return merged(ca.vertcat(first, held), later, [*self._first, *self._held_ones.rows], self._later)

    def _held(self, violation: ca.SX, follow_misfits: bool = True) -> ca.SX:
        """λ of the rows that are not of contact, alone."""
        found = ca.ldl_solve(violation, self._D, self._LT, self._p)
        refined = ca.ldl_solve(self.epsilon * found, self._D, self._LT, self._p)
        return found + refined if follow_misfits else found - refined

    def _change(self, pushes: ca.SX) -> tuple[ca.SX, ca.SX]:
        """−M⁻¹ Gᵀ T λ, one outward pass for all multipliers together, and what it lacks along held mobilities."""
        kin = self.kin
        back = [ca.vertsplit(pushes[part]) if kin.free_columns(k) else []
                for k, part in enumerate(kin.mechanism.slices()[1])]
        change, _, lacking = outward_and_lacking(kin, self.factors, back, self._rest[1], VelocityMotor())
        return -_over_speeds(kin.mechanism, change), -_over_speeds(kin.mechanism, lacking)


def solve_condensed(kin: Kinematics, rows: list[Rows], tau: ca.SX, bias: list[ForceMotor], c: list[VelocityMotor],
                    A_W: VelocityMotor, known: ca.SX, epsilon: Scalar = EPSILON) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(u̇, λ, smallest pivot); `known` holds u̇ of prescribed joints, which is part of `c` too, and zeros."""
    s = Condensed(kin, rows, epsilon, leans=True)
    return *s.solve(ca.vertcat(*[r.gamma for r in rows]), tau, bias, c, A_W, known), ca.mmin(s.pivots)


def _given(mechanism: Mechanism) -> list[int]:
    """The speeds whose motion is prescribed."""
    return [i for body, part in zip(mechanism.bodies, mechanism.slices()[1], strict=True)
            if body.prescribed is not None for i in range(part.start, part.stop)]


def _with(mechanism: Mechanism, kin: Kinematics, c: list[VelocityMotor],
          stopped: dict[int, ca.SX]) -> tuple[list[VelocityMotor], ca.SX]:
    """c of every body with the accelerations of held mobilities in it, and these over all speeds."""
    c, a = list(c), ca.SX(mechanism.nu, 1)
    for k, part in enumerate(mechanism.slices()[1]):
        for i, S in enumerate(kin.columns[k]):
            if (value := stopped.get(part.start + i)) is not None:
                c[k], a[part.start + i] = c[k] + S * value, value
    return c, a


def _over_speeds(mechanism: Mechanism, parts: list[list]) -> ca.SX:
    """Values per body as one column over all speeds, zero where a body has none."""
    return ca.vertcat(ca.SX(0, 1), *[part for k, body in enumerate(mechanism.bodies)
                                     for part in (parts[k] or [ca.SX(1, 1)] * body.mobilizer.nu)])


def _carriers(mechanism: Mechanism, G: ca.SX) -> list[set[int]]:
    """For every row the bodies moved by its speeds, and all that carry them."""
    owner = [k for k, body in enumerate(mechanism.bodies) for _ in range(body.mobilizer.nu)]
    found: list[set[int]] = [set() for _ in range(G.shape[0])]
    for row, column in zip(*G.sparsity().get_triplet(), strict=True):
        k = owner[column]
        while k != WORLD and k not in found[row]:
            found[row].add(k)
            k = mechanism.bodies[k].parent
    return found


# Instructions measured on planar chains (spatial ones take SPATIAL times as many): per body, of the articulated
# recursion and of inverse dynamics; per body and row, of an inward pass; per entry of M.
SPATIAL, RECURSION, INVERSE, INWARD, ENTRY = 2.3, 80, 39, 14, 6.5


def is_shorter(kin: Kinematics, rows: list[Rows]) -> bool:
    """Whether `solve_condensed` makes shorter code than `solve_kkt`, estimated from the structure alone."""
    mechanism = kin.mechanism
    G, _ = masked(rows)
    if not G.shape[0]:
        return False
    n, bodies, carriers = mechanism.nu, len(mechanism.bodies), _carriers(mechanism, G)
    planar = all(sum(not x.is_zero() for x in ca.vertsplit(ca.SX(V.vector()))) <= 3 for V in kin.V)
    weight = 1 if planar else SPATIAL
    condensed = weight * (RECURSION * bodies + INWARD * sum(map(len, carriers))) + len(carriers) ** 3 / 3
    condensed += sum(2 * len(a & b) for i, a in enumerate(carriers) for b in carriers[: i + 1])
    # M couples a speed with those of all bodies that carry it
    _, u_slices = mechanism.slices()
    ahead = [[i for b in mechanism.path(k) for i in range(*u_slices[b].indices(n))] for k in range(bodies)]
    speeds = [body.mobilizer.nu for body in mechanism.bodies]
    kkt = weight * (INVERSE * bodies + ENTRY * sum(len(a) * nu for a, nu in zip(ahead, speeds, strict=True)))
    if kkt > condensed:
        return True
    pairs = [(j, i) for a, part in zip(ahead, u_slices, strict=True) for j in range(*part.indices(n)) for i in a]
    low, high = zip(*pairs, strict=True)
    M = ca.SX(ca.Sparsity.triplet(n, n, [*low, *high], [*high, *low]))
    order = elimination_order(M, rows)
    K = ca.blockcat([[M, G.T], [G, ca.SX.eye(G.shape[0])]]).sparsity()
    LT, _ = K.sub(order, order)[0].ldl(False)
    fill = np.bincount(LT.row(), minlength=K.size1())
    return kkt + np.sum(fill * (fill + 5)) > condensed
