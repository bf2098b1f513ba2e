"""Constraints off the tree as rows of equations in speeds and accelerations.

A residual is written once, on position (or velocity) level, in symbols for relative poses and coordinates.  Its rate
follows by differentiating that small expression along Ṙ = R [ω]×, ṗ = R v, q̇ = N u, ṫ = 1:

    ġ = G_loc V_loc + g_t,      g̈ = G_loc V̊_loc + γ_loc

and V_loc = J u, V̊_loc = J u̇ + bias come from the recursion, so that G = G_loc J and γ = γ_loc + G_loc bias.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, skew
from ..errors import ModelError
from ..mechanism import TIME, Body, Constraint, Unknown, Variable
from .laws import ACCELERATION, Laws


@dataclass
class Rows:
    """Equations of one constraint: value g, velocity error, Jacobian G (m × nu, sparse), and γ of g̈ = G u̇ + γ.

    `pairs` holds G_loc of every pair of frames involved: multipliers λ push frame b with −G_locᵀ λ, frame a opposite.
    `joints` holds G_loc of every joint whose coordinates or speeds are involved: its mobilities feel −G_locᵀ λ.
    """

    name: str
    level: str
    value: ca.SX
    rate: ca.SX
    G: ca.SX
    gamma: ca.SX
    pairs: dict[tuple[str, str], ca.SX]
    mode: ca.SX | None = None
    labels: tuple[str, ...] = ()  # what each row holds
    by_themselves: tuple[str, ...] = ()  # rows left out, because no speed can violate them
    kept: tuple[int, ...] = ()  # which equations of the constraint these are
    alone: dict[tuple[str, str], ca.SX] | None = None  # G_loc of the rows left out
    joints: dict[str, ca.SX] = field(default_factory=dict)
    may_repeat: bool = False  # rows of contact: they may be redundant at times
    leans: tuple[tuple[str, ca.SX], ...] = ()  # sliding friction: other rows, and the force along each per λ

    def grip(self, multipliers: ca.SX, joint: str, size: int) -> ca.SX:
        """The forces of the multipliers on the mobilities of a joint."""
        return -self.joints[joint].T @ multipliers if joint in self.joints else ca.SX.zeros(size)

    def push(self, multipliers: ca.SX, frame: str, laws: Laws) -> ca.SX:
        """(f, τ) on a frame from the multipliers, at the frame in its axes."""
        total = ca.SX.zeros(6)
        for (a, b), G_loc in self.pairs.items():
            w = -G_loc.T @ multipliers
            on_b = ForceMotor(w[3:6], w[0:3])
            if b == frame:
                total += on_b.vector()
            elif a == frame:
                total -= (laws.relative(a, b).X_AB @ on_b).vector()
        return total


def differentiate(laws: Laws, name: str, residual: ca.SX, level: str = "position", mode: ca.SX | None = None) -> Rows:
    """The rows of a residual, from its local derivatives and the relative motions it depends on."""
    local = _Local(laws, name, residual, level)
    G_loc, rate, gamma = local.evaluate()
    nu = laws.mechanism.nu
    G = ca.SX(residual.numel(), nu)
    for column, value in local.jacobian_columns(G_loc).items():
        G[:, column] = value
    gamma = gamma + sum((local.block(G_loc, item) @ item.bias for item in local.items), ca.SX.zeros(gamma.shape))
    value = laws.evaluate(residual)[0] if level == "position" else ca.SX.zeros(residual.numel())
    pairs = {of: local.block(G_loc, item) for of, item in local.pairs()}
    joints = {joint: local.block(G_loc, item) for joint, item in local.joints()}
    return Rows(name, level, value, rate, ca.sparsify(G), gamma, pairs, mode, joints=joints)


@dataclass
class _Item:
    """A moving thing a residual depends on: its velocity symbols, their place, value, bias and columns."""

    V: ca.SX
    start: int
    velocity: ca.SX
    bias: ca.SX
    columns: dict[int, ca.SX]


class _Local:
    """The small expression: symbols of the residual, their rates in velocity symbols, and where those come from."""

    def __init__(self, laws: Laws, name: str, residual: ca.SX, level: str) -> None:
        self.laws, self.name, self.level, self.residual = laws, name, level, residual
        self.items: list[_Item] = []
        self._by_key: dict = {}  # velocity symbols of a joint (its name) or a pair of frames
        self._rotations: dict = {}
        self._values: list[tuple] = []  # what the velocity and rotation symbols stand for
        self._x: list[ca.SX] = [TIME]
        self._rates: list[ca.SX] = [ca.SX(1)]
        self._definitions: list[tuple[ca.SX, ca.SX]] = []  # velocity-level symbols in terms of V and poses
        implicit = [u for u in laws.mechanism.unknowns if ca.depends_on(residual, u.symbol)]
        for number in laws.reads(residual, *[u.residual for u in implicit]):
            self._add(laws.mechanism.variables[number])
        for unknown in implicit:
            self._follow(unknown)
        if level == "velocity":
            self._follow_states()

    def _follow_states(self) -> None:
        """The rates of auxiliary states that a speed is compared with: they change what u̇ has to be."""
        for state in self.laws.mechanism.states:
            if ca.depends_on(self.residual, state.symbol):
                read = [self.laws.mechanism.variables[n] for n in self.laws.reads(state.derivative)]
                if any(variable.quantity in ACCELERATION for variable in read):
                    raise ModelError(f"{self.name}: its speed follows the state {state.name}, whose rate reads forces "
                                     "or accelerations; filter the signal once more.", self.name)
                self._track(state.symbol, self.laws.evaluate(state.derivative)[0])

    def _add(self, variable: Variable) -> None:
        quantity, of = variable.quantity, variable.of
        if quantity in ("q", "u", "udot"):
            V, body = self._joint(of)
            if quantity == "q":
                self._track(variable.symbol, body.mobilizer.qdot(variable.symbol, V))
            else:
                self._definitions.append((variable.symbol, V))
            return
        if quantity in ("R", "p", "w", "v"):
            of = ("world", of)
        elif quantity not in ("R_AB", "p_AB", "V_AB", "angle"):
            raise ModelError(f"{self.name}: a {self.level}-level constraint cannot be written in {quantity!r} "
                             f"of {variable.of!r}; use poses, coordinates and, on velocity level, velocities.",
                             self.name)
        V, R = self._pair(of)
        if quantity in ("V_AB", "w", "v"):
            meaning = {"V_AB": V, "w": V[0:3], "v": R @ V[3:6]}[quantity]
            self._definitions.append((variable.symbol, meaning))
        elif quantity in ("p", "p_AB"):
            self._track(variable.symbol, R @ V[3:6])
        elif quantity == "angle":
            self._track(variable.symbol, V[2])
        else:
            self._track(variable.symbol, variable.symbol @ skew(V[0:3]))

    def _follow(self, unknown: Unknown) -> None:
        """The rate of an unknown that positions define implicitly, F(x, y) = 0:  ẏ = −F_y⁻¹ F_x ẋ."""
        F, x, xdot = unknown.residual, ca.vertcat(*self._x), ca.vertcat(*self._rates)
        slope = ca.jacobian(F, unknown.symbol)
        self._track(unknown.symbol, -(ca.inv_minor(slope) @ ca.jtimes(F, x, xdot)))

    def _track(self, symbol: ca.SX, rate: ca.SX) -> None:
        self._x.append(ca.vec(symbol))
        self._rates.append(ca.vec(rate))

    def _item(self, key: str | tuple[str, str], size: int, velocity: ca.SX, bias: ca.SX,
              columns: dict[int, ca.SX]) -> ca.SX:
        if key not in self._by_key:
            start = sum(item.V.numel() for item in self.items)
            self.items.append(_Item(ca.SX.sym("V", size), start, velocity, bias, columns))
            self._by_key[key] = self.items[-1].V
            self._values.append((self.items[-1].V, velocity))
        return self._by_key[key]

    def _joint(self, joint: str) -> tuple[ca.SX, Body]:
        mechanism = self.laws.mechanism
        k = mechanism.index(joint)
        part, body = mechanism.slices()[1][k], mechanism.bodies[k]
        nu = body.mobilizer.nu
        columns = {part.start + i: ca.SX(np.eye(nu)[:, i]) for i in range(nu)}
        return self._item(joint, nu, self.laws.kin.u[part], ca.SX.zeros(nu), columns), body

    def _pair(self, of: tuple[str, str]) -> tuple[ca.SX, ca.SX]:
        """Velocity symbols of a pair of frames and a symbol for its R_AB, which turns with it."""
        motion = self.laws.relative(*of)
        if of not in self._rotations:
            columns = {k: ca.SX(column.vector()) for k, column in motion.columns.items()}
            V = self._item(of, 6, ca.SX(motion.V.vector()), ca.SX(motion.bias.vector()), columns)
            R = self._rotations[of] = ca.SX.sym("R", 3, 3)
            self._track(R, R @ skew(V[0:3]))
            self._values.append((R, motion.X_AB.R))
        return self._by_key[of], self._rotations[of]

    def evaluate(self) -> list[ca.SX]:
        """(G_loc, velocity error, γ_loc) on the traced values."""
        V = ca.vertcat(*[item.V for item in self.items])
        x, xdot = ca.vertcat(*self._x), ca.vertcat(*self._rates)
        if self.level == "position":
            rate = ca.jtimes(self.residual, x, xdot)
            G_loc, gamma = ca.jacobian(rate, V), ca.jtimes(rate, x, xdot)
        elif self.level == "velocity":
            rate = _substitute(self.residual, self._definitions)
            G_loc, gamma = ca.jacobian(rate, V), ca.jtimes(rate, x, xdot)
        else:
            rate = _substitute(self.residual, self._definitions)
            G_loc = ca.jacobian(rate, V)
            gamma = _substitute(rate, [(V, ca.SX.zeros(V.numel()))])
        bound = [_substitute(e, self._values) for e in (ca.densify(G_loc), rate, gamma)]
        return self.laws.evaluate(*bound)

    def pairs(self) -> list[tuple[tuple[str, str], _Item]]:
        """The pairs of frames involved, with their items."""
        return [(of, item) for of in self._rotations for item in self.items if item.V is self._by_key[of]]

    def joints(self) -> list[tuple[str, _Item]]:
        """The joints whose coordinates or speeds are involved, with their items."""
        return [(key, item) for key, V in self._by_key.items() if isinstance(key, str)
                for item in self.items if item.V is V]

    def block(self, G_loc: ca.SX, item: _Item) -> ca.SX:
        return G_loc[:, item.start : item.start + item.V.numel()]

    def jacobian_columns(self, G_loc: ca.SX) -> dict[int, ca.SX]:
        """Columns of G: G_loc times the column of every speed involved."""
        out: dict[int, ca.SX] = {}
        for item in self.items:
            block = self.block(G_loc, item)
            for k, column in item.columns.items():
                out[k] = out.get(k, 0) + block @ column
        return out


def _substitute(expression: ca.SX, pairs: Sequence[tuple[ca.SX, ca.SX]]) -> ca.SX:
    """Replace symbols by expressions (by evaluation, so that comparisons survive)."""
    if not pairs:
        return expression
    symbols = [ca.vec(s) for s, _ in pairs]
    taken = {s.nz[k].element_hash() for s in symbols for k in range(s.nnz())}
    free = [s for s in ca.symvar(expression) if s.element_hash() not in taken]
    return ca.Function("s", [*symbols, *free], [expression]).call([*[ca.vec(ca.SX(v)) for _, v in pairs], *free])[0]


def constraint_rows(laws: Laws, constraints: Sequence[Constraint]) -> list[Rows]:
    """The rows of all constraints, without those that are structurally empty (the planar part of a planar loop)."""
    out = []
    for constraint in constraints:
        rows = differentiate(laws, constraint.name, constraint.residual, constraint.level, constraint.mode)
        count = rows.G.shape[0]
        keep = [i for i in range(count) if rows.G[i, :].nnz()]
        labels = constraint.labels or tuple(f"equation {i + 1}" for i in range(count))
        rows.labels = tuple(labels[i] for i in keep)
        left_out = [i for i in range(count) if i not in keep]
        rows.by_themselves = tuple(labels[i] for i in left_out)
        rows.alone = {of: block[left_out, :] for of, block in rows.pairs.items()}
        rows.kept, rows.may_repeat = tuple(keep), constraint.may_repeat
        rows.G, rows.gamma = rows.G[keep, :], rows.gamma[keep, :]
        rows.value, rows.rate = rows.value[keep, :], rows.rate[keep, :]
        rows.pairs = {of: block[keep, :] for of, block in rows.pairs.items()}
        rows.joints = {joint: block[keep, :] for joint, block in rows.joints.items()}
        out.append(rows)
    return out
