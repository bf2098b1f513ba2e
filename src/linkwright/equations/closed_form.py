"""Loops in closed form: dependent coordinates from the independent ones, and equations for those alone.

A mechanism's closures give q_d = f(q_i), each in terms of the independent coordinates and of earlier closures.  The
relation g = q_d − f is itself a constraint, so that `differentiate` yields its Jacobian, which is the identity in the
columns of q_d and lower triangular among closures, and γ of g̈ = G u̇ + γ.  By forward substitution

    u = J u_i,      u̇ = J u̇_i + b,      J = [1; −G_i],   b = [0; −γ]

and the equations of motion, multiplied by Jᵀ, lose the constraint forces (Otter, Elmqvist and Mattsson 2003, §7):

    (Jᵀ M J) u̇_i = Jᵀ (τ − h(q, u, b))

For one degree of freedom that is a division; with very many, u̇ is computed as in a mechanism without closed forms.
The relation g may be replaced by the loop's own equations, which have the same solutions.

Constraints that no closure holds, G u̇ + γ = 0, become G J u̇_i + (γ + G b) = 0 beside the equations of motion: few
equations in few unknowns, solved with multipliers (`kkt`), and closed by projection, whose impulses are those
of the reduced mass matrix Jᵀ M J (`mixed_loops`).

`Equations.explicit` is an `Explicit`, or None where the mechanism has no closures.  All expressions are in the symbols
t, q, u, d, p of the equations:

    independent    numbers of the speeds that are states (a coordinate has the number `q_places` says)
    restore        {"q": …, "u": …}: q and u with the dependent entries computed from the independent ones; angles in
                   the turn nearest to the q that came in
    udot, pivot    for q and u that are consistent, as after `restore`
    discriminants  one per closure; zero at a dead point, negative or NaN where the loop cannot close
    branches       for a consistent q, the values ±1 of the entries `branch_places` of d
    restored(e)    an expression of q and u as one of the independent entries: rhs without a separate pass
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from ..building import cached_property
from ..mechanism import Closure, Mechanism
from .constraint_rows import Rows, differentiate
from .kkt import solve_kkt
from .tolerances import CRAMER, DENSE

if TYPE_CHECKING:
    from .equations import Equations


def explicit(equations: Equations) -> Explicit | None:
    """The closed form of a mechanism, where it has closures that leave something free."""
    m = equations.mechanism
    if sum(len(closure.coordinates) for closure in m.closures) == m.nu:
        return None
    solved = {m.index(joint) for closure in m.closures for joint, _ in closure.coordinates}
    if not solved or any(m.bodies[k].prescribed is not None for k in solved):
        return None
    return Explicit(equations)


class Explicit:
    """Closed forms of one mechanism's loops; see the head of this file."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.closures: tuple[Closure, ...] = equations.mechanism.closures
        self._held = {name for closure in self.closures for name in closure.constraints}
        self.dependent = [[_places(equations.mechanism, *c)[1] for c in closure.coordinates]
                          for closure in self.closures]
        taken = {k for places in self.dependent for k in places}
        self.independent = [k for k in range(equations.mechanism.nu) if k not in taken]
        self.q_places = [[_places(equations.mechanism, *c)[0] for c in closure.coordinates]
                         for closure in self.closures]

    # --- velocities and accelerations ---

    @cached_property
    def rows(self) -> list[Rows]:
        """Equations for the speeds and accelerations of every closure's coordinates, as many as there are of them.

        One or two equations of the loop itself, differentiated, are shorter than the closed form differentiated.
        """
        e, out = self.equations, []
        for closure in self.closures:
            own = [r for r in e.rows if r.name in closure.constraints]
            count = len(closure.coordinates)
            if count <= CRAMER and len(own) == 1 and own[0].G.shape[0] == count:
                out += own
                continue
            q_d = ca.vertcat(*[_coordinate(e.mechanism, *c) for c in closure.coordinates])
            out.append(differentiate(e.laws, closure.name, q_d - closure.values))
        return out

    @cached_property
    def maps(self) -> tuple[ca.SX, ca.SX]:
        """(J, b), by forward substitution: a row of a closure needs those of earlier ones only."""
        nu = self.equations.mechanism.nu
        J, b = ca.SX(nu, len(self.independent)), ca.SX(nu, 1)
        for column, k in enumerate(self.independent):
            J[k, column] = 1
        for places, rows in zip(self.dependent, self.rows, strict=True):
            others = [k for k in range(nu) if k not in places]
            G = _solved(rows.G[:, places], ca.horzcat(rows.G[:, others], rows.gamma))
            J[places, :] = -(G[:, :-1] @ J[others, :])
            b[places] = -(G[:, :-1] @ b[others]) - G[:, -1]
        return ca.sparsify(J), ca.densify(b)

    @cached_property
    def mass_matrix(self) -> ca.SX:
        """Jᵀ M J."""
        J = self.maps[0]
        return ca.sparsify(J.T @ self.equations.mass_matrix @ J)

    def left(self, level: str = "acceleration") -> list[Rows]:
        """Rows that no closure holds: of other loops, and of stops and friction that hold in some modes."""
        levels = ("position", "velocity", "acceleration")
        levels = levels[: levels.index(level) + 1]
        return [r for r in self.equations.rows if r.name not in self._held and r.level in levels and r.G.shape[0]]

    @property
    def free(self) -> list[int]:
        """The independent speeds without a given motion."""
        given = set(self.equations.given_speeds)
        return [column for column, k in enumerate(self.independent) if k not in given]

    @cached_property
    def partial(self) -> bool:
        """Whether some loops have no closed form."""
        return any(r.mode is None for r in self.left())

    @cached_property
    def dense(self) -> bool:
        """Whether so many freedoms depend on one another that the recursion over the tree makes shorter code."""
        return _fill(self.mass_matrix[self.free, self.free]) > DENSE * self.equations.mechanism.nu

    @cached_property
    def _solution(self) -> tuple[ca.SX, ca.SX]:
        """(u̇, smallest pivot)."""
        e, (J, b) = self.equations, self.maps
        _, u_slices = e.mechanism.slices()
        given = {u_slices[k].start + i: value[i] for k, value in e.prescribed.items() for i in range(value.numel())}
        for column, k in enumerate(self.independent):
            if k in given:
                b = b + J[:, column] * given[k]
        J = J[:, self.free]
        if not self.free:
            return b, ca.SX(1)
        if self.dense:
            udot, _, pivot = e._solution
            return udot, pivot
        W = self.mass_matrix[self.free, self.free]
        top = J.T @ (e._applied[1] - e._inertial(ca.densify(b)))
        rows = [replace(r, G=ca.sparsify(r.G @ J)) for r in self.left()]
        right = [-r.gamma - r.G @ b for r in self.left()]
        sizes = (e.missing_inertia, e.epsilon) if self.partial else ()
        x, _, pivot = solve_kkt(W, rows, top, right, (), *sizes, leans=True)
        return J @ x + b, pivot

    def follow(self, motion: ca.SX) -> ca.SX:
        """Speeds (or small changes along the mobilities) of which only the independent ones are taken: J motion_i."""
        return self.maps[0] @ motion[self.independent]

    @property
    def udot(self) -> ca.SX:
        """u̇ of all mobilities."""
        return self._solution[0]

    @property
    def pivot(self) -> ca.SX:
        """The smallest pivot of Jᵀ M J."""
        return self._solution[1]

    # --- positions ---

    @cached_property
    def restore(self) -> dict[str, ca.SX]:
        """q and u with the dependent entries computed from the independent ones."""
        e = self.equations
        q, u = e.symbols["q"], e.symbols["u"]
        new, at = ca.SX(q), _Instead(q)
        for closure, places in zip(self.closures, self.q_places, strict=True):
            values = at(e.laws.evaluate(closure.values)[0], new)
            for k, place in enumerate(places):
                new[place] = _wound(values[k], q[place]) if closure.angles[k] else values[k]
        J = at(self.maps[0], new)
        return {"q": new, "u": J @ u[self.independent]}

    def restored(self, expression: ca.SX) -> ca.SX:
        """An expression of q and u on the restored ones."""
        e = self.equations
        q, u = e.symbols["q"], e.symbols["u"]
        return _Instead(ca.vertcat(q, u))(expression, ca.vertcat(self.restore["q"], self.restore["u"]))

    @cached_property
    def discriminants(self) -> ca.SX:
        """One per closure, for a consistent q."""
        return ca.vertcat(*self.equations.laws.evaluate(*[closure.discriminant for closure in self.closures]))

    @cached_property
    def branch_places(self) -> list[int]:
        """Where the branches are in d."""
        d = self.equations.symbols["d"]
        where = {d[k].element_hash(): k for k in range(d.numel())}
        return [where[branch.element_hash()] for closure in self.closures for branch in closure.branches]

    @cached_property
    def branches(self) -> ca.SX:
        """The branches on which closures come nearest to the coordinates q."""
        out = []
        for closure, places in zip(self.closures, self.q_places, strict=True):
            values = self.equations.laws.evaluate(closure.values)[0]
            symbols = ca.vertcat(ca.SX(0, 1), *closure.branches)
            best, least, at = ca.SX.ones(symbols.numel()), None, _Instead(symbols)
            for signs in itertools.product((1.0, -1.0), repeat=symbols.numel()):
                gap = self._gap(closure, at(values, ca.SX(signs)), places)
                nearer = least is None or gap < least
                best = ca.SX(signs) if least is None else ca.if_else(nearer, ca.SX(signs), best)
                least = gap if least is None else ca.fmin(gap, least)
            out.append(best)
        return ca.vertcat(ca.SX(0, 1), *out)

    def _gap(self, closure: Closure, values: ca.SX, places: list[int]) -> ca.SX:
        """How far values are from the coordinates q, full turns aside; infinite where they are not real."""
        q, total = self.equations.symbols["q"], ca.SX(0)
        for k, place in enumerate(places):
            change = values[k] - q[place]
            total += 2 * (1 - ca.cos(change)) if closure.angles[k] else change * change
        return ca.if_else(total >= 0, total, ca.inf)


def _places(mechanism: Mechanism, joint: str, index: int) -> tuple[int, int]:
    """Where a coordinate of a joint is in q and in u."""
    k = mechanism.index(joint)
    q_slices, u_slices = mechanism.slices()
    return q_slices[k].start + index, u_slices[k].start + index


def _coordinate(mechanism: Mechanism, joint: str, index: int) -> ca.SX:
    """The symbol that laws use for a coordinate of a joint."""
    return next(v.symbol for v in mechanism.variables if v.quantity == "q" and v.of == joint)[index]


def _fill(W: ca.SX) -> int:
    """Operations of a factorisation of W, about."""
    LT, _ = W.sparsity().ldl()
    return sum((end - start) ** 2 for start, end in itertools.pairwise(LT.colind()))


def _solved(A: ca.SX, B: ca.SX) -> ca.SX:
    """A⁻¹ B for A = 1, or by Cramer's rule, whose denominator vanishes at a dead point only."""
    if (A - ca.SX.eye(A.shape[0])).is_zero():
        return B
    if A.shape == (1, 1):
        return B / A
    over = 1 / (A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0])
    return ca.sparsify(ca.vertcat(A[1, 1] * B[0, :] - A[0, 1] * B[1, :], A[0, 0] * B[1, :] - A[1, 0] * B[0, :]) * over)


class _Instead:
    """Expressions with other values for some symbols (by evaluation, so that comparisons survive)."""

    def __init__(self, symbols: ca.SX) -> None:
        self.place = {symbol.element_hash(): k for k, symbol in enumerate(symbols.nonzeros())}

    def __call__(self, expression: ca.SX, values: ca.SX) -> ca.SX:
        """The expression with `values` for the symbols; only those that it holds are looked at."""
        held = ca.symvar(expression)
        places = [self.place.get(symbol.element_hash()) for symbol in held]
        new = [symbol if k is None else values[k] for symbol, k in zip(held, places, strict=True)]
        return ca.Function("instead", held, [expression]).call(new)[0] if held else expression


def _wound(angle: ca.SX, near: ca.SX) -> ca.SX:
    """angle + 2π n with n such that it is nearest to `near`."""
    return angle + 2 * ca.pi * ca.floor((near - angle) / (2 * ca.pi) + 0.5)
