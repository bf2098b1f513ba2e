"""Equations of a text put in order: which unknown follows from which equation.

Unknowns are scalars; an equation is a residual.  Equations with one unknown left are solved for it one after another;
where there are none, the unknowns that belong together are solved as a linear system.  A variable whose derivative
occurs is a state, unless an equation among states and known quantities remains: that gives one of them, whose rate is
then the derivative of its formula (a dummy derivative in the simplest form; Mattsson and Söderlind, SIAM J. Sci.
Comput. 14, 1993).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..tolerances import DEEPEST_FORMULA


@dataclass(eq=False)
class Unknown:
    """A scalar to be found; a rate belongs to the unknown `of`."""

    symbol: ca.SX
    name: str
    of: Unknown | None = None
    rate: Unknown | None = None
    rank: int = 0  # states of higher rank stay states
    known: bool = False  # set by events or given from outside


@dataclass(eq=False)
class Residual:
    """One scalar equation, and where it stands."""

    expression: ca.SX
    where: str
    unknowns: set[int] = field(default_factory=set)


@dataclass
class Order:
    """The result: formulas in order, states that stay, what is left over."""

    formulas: dict[int, ca.SX | None] = field(default_factory=dict)  # None: the rate of a solved unknown
    systems: list[tuple[list[Unknown], list[Residual]]] = field(default_factory=list)
    states: list[Unknown] = field(default_factory=list)
    constraints: list[Residual] = field(default_factory=list)
    open: list[Unknown] = field(default_factory=list)


def solve(unknowns: dict[int, Unknown], residuals: list[Residual]) -> Order:
    """Put equations in order."""
    return _Solver(unknowns, residuals).run()


class _Solver:
    def __init__(self, unknowns: dict[int, Unknown], residuals: list[Residual]):
        self.unknowns = unknowns
        self.order = Order()
        self.found: set[int] = {key for key, unknown in unknowns.items() if unknown.known}
        self.states = {key for key, unknown in unknowns.items() if unknown.rate is not None} - self.found
        self.source: dict[int, Residual] = {}  # unknown → the equation it was solved from
        self.pending: list[Residual] = []
        for residual in residuals:
            residual.unknowns = {symbol.element_hash() for symbol in ca.symvar(residual.expression)} & set(unknowns)
            self.pending.append(residual)

    def run(self) -> Order:
        while self.pending:
            if not (self._demote() or self._single() or self._system()):
                break
        left = [residual for residual in self.pending if not self._active(residual)]
        self.order.constraints += left
        self.order.constraints += [residual for residual in self.pending if residual not in left]
        self.order.states = [self.unknowns[key] for key in self.unknowns if key in self.states]
        self.order.open = [unknown for key, unknown in self.unknowns.items()
                           if key not in self.found and key not in self.states]
        return self.order

    def _active(self, residual: Residual) -> set[int]:
        return residual.unknowns - self.found - self.states

    def _single(self) -> bool:
        """Solve all equations with one unknown left."""
        progress = False
        users: dict[int, list[Residual]] = {}
        for residual in self.pending:
            for key in residual.unknowns:
                users.setdefault(key, []).append(residual)
        waiting = list(self.pending)
        done: set[int] = set()
        while waiting:
            residual = waiting.pop()
            if id(residual) in done:
                continue
            active = self._active(residual)
            if not active and any(solved_for(residual.expression, self.unknowns[key].symbol) is not None
                                  for key in residual.unknowns & self.states):
                break  # this gives a state: first things first
            if len(active) != 1:
                continue
            key = next(iter(active))
            formula = solved_for(residual.expression, self.unknowns[key].symbol)
            if formula is None:
                continue
            done.add(id(residual))
            progress = True
            self._find(key, formula)
            self.source[key] = residual
            waiting += users.get(key, [])
        self.pending = [residual for residual in self.pending if id(residual) not in done]
        return progress

    def _find(self, key: int, formula: ca.SX | None) -> None:
        self.found.add(key)
        self.order.formulas[key] = formula

    def _demote(self) -> bool:
        """A state that follows from an equation among states; formulas found so far are put in where need be."""
        best = None
        for residual in list(self.pending):
            if self._active(residual):
                continue
            expression = residual.expression
            keys = residual.unknowns & self.states
            if not keys:
                expression = self._expanded(expression)
                keys = {symbol.element_hash() for symbol in ca.symvar(expression)} & self.states
            for key in keys:
                formula = solved_for(expression, self.unknowns[key].symbol)
                if formula is not None and (best is None or self.unknowns[key].rank < self.unknowns[best[1]].rank):
                    best = (residual, key, formula)
        if best is None:
            return False
        residual, key, formula = best
        self.pending.remove(residual)
        self.states.discard(key)
        self._find(key, formula)
        rate = self.unknowns[key].rate
        if rate is not None:
            rate_key = rate.symbol.element_hash()
            if rate_key in self.source:  # an equation was used up for the rate, which is known without it
                self.pending.append(self.source.pop(rate_key))
            self._find(rate_key, None)
        return True

    def _expanded(self, expression: ca.SX) -> ca.SX:
        """An expression in states and rates alone."""
        for _ in range(DEEPEST_FORMULA):
            read = [symbol for symbol in ca.symvar(expression)
                    if self.order.formulas.get(symbol.element_hash()) is not None]
            if not read:
                break
            new = [self.order.formulas[symbol.element_hash()] for symbol in read]
            expression = ca.substitute([expression], [ca.vertcat(*read)], [ca.vertcat(*new)])[0]
        return ca.simplify(expression)

    def _system(self) -> bool:
        """The smallest set of equations that determines as many unknowns, solved together."""
        equations = [residual for residual in self.pending if self._active(residual)]
        matched = _matching([self._active(residual) for residual in equations])
        groups = _components(equations, [self._active(residual) for residual in equations], matched)
        for group in groups:
            keys = [matched[k] for k in group if k in matched]
            if len(keys) < len(group):
                continue
            inside = set(keys)
            if any(self._active(equations[k]) - inside for k in group):
                continue
            members = [self.unknowns[key] for key in keys]
            residuals = [equations[k] for k in group]
            formulas = linear(members, [residual.expression for residual in residuals])
            if formulas is None:
                self.order.systems.append((members, residuals))
                self.found |= inside
            else:
                for unknown, formula in formulas:
                    self._find(unknown.symbol.element_hash(), formula)
            self.pending = [residual for residual in self.pending if residual not in residuals]
            return True
        return False


def solved_for(residual: ca.SX, symbol: ca.SX) -> ca.SX | None:
    """The symbol from residual = 0, where it occurs linearly; None else."""
    slope = ca.jacobian(residual, symbol)
    if slope.nnz() == 0 or ca.depends_on(slope, symbol):
        return None
    slope = ca.simplify(slope) if slope.is_constant() is False else slope
    if slope.is_constant() and float(slope) == 0:
        return None
    rest = ca.substitute(residual, symbol, 0)
    if slope.is_constant():
        number = float(slope)
        return -rest if number == 1 else rest if number == -1 else -rest / number
    return -rest / slope


def linear(unknowns: list[Unknown], residuals: list[ca.SX]) -> list[tuple[Unknown, ca.SX]] | None:
    """Formulas of unknowns that are linear together, by elimination; None where they are not linear."""
    x = ca.vertcat(*[unknown.symbol for unknown in unknowns])
    equations = ca.vertcat(*residuals)
    slopes = ca.jacobian(equations, x)
    if ca.depends_on(slopes, x) if slopes.nnz() else True:
        return None
    rest = ca.substitute(equations, x, ca.DM.zeros(x.shape))
    if slopes.is_constant():
        matrix = np.array(ca.DM(slopes))
        if np.linalg.matrix_rank(matrix) < len(unknowns):
            return None
        values = -(ca.DM(np.linalg.inv(matrix)) @ rest)
        return [(unknown, values[k]) for k, unknown in enumerate(unknowns)]
    return _eliminated(unknowns, slopes, rest)


def _eliminated(unknowns: list[Unknown], slopes: ca.SX, rest: ca.SX) -> list[tuple[Unknown, ca.SX]] | None:
    """Gauss elimination on expressions, numbers as pivots first."""
    n = len(unknowns)
    rows = [{j: slopes[i, j] for j in range(n) if slopes[i, j].nnz() and not _zero(slopes[i, j])} for i in range(n)]
    right = [-rest[i] for i in range(n)]
    open_rows, steps = set(range(n)), []
    while open_rows:
        pivots = [(not entry.is_constant(), len(rows[i]), i, j) for i in open_rows for j, entry in rows[i].items()]
        if not pivots:
            return None
        _, _, i, j = min(pivots)
        open_rows.discard(i)
        pivot = rows[i].pop(j)
        rows[i] = {k: entry / pivot for k, entry in rows[i].items()}
        right[i] = right[i] / pivot
        steps.append((i, j))
        for other in open_rows:
            factor = rows[other].pop(j, None)
            if factor is None:
                continue
            for k, entry in rows[i].items():
                value = rows[other].get(k, ca.SX(0)) - factor * entry
                rows[other].pop(k, None)
                if not _zero(value):
                    rows[other][k] = value
            right[other] = right[other] - factor * right[i]
    values: dict[int, ca.SX] = {}
    for i, j in reversed(steps):
        values[j] = right[i] - sum((entry * values[k] for k, entry in rows[i].items()), ca.SX(0))
    return [(unknowns[j], values[j]) for j in range(n)]


def _zero(entry: ca.SX) -> bool:
    return bool(entry.is_constant()) and float(entry) == 0


def _matching(candidates: list[set[int]]) -> dict[int, int]:
    """As many equations as possible, each with an unknown of its own: equation → unknown."""
    taken: dict[int, int] = {}

    def place(k: int, tried: set[int]) -> bool:
        for key in sorted(candidates[k]):
            if key in tried:
                continue
            tried.add(key)
            if key not in taken or place(taken[key], tried):
                taken[key] = k
                return True
        return False

    for k in range(len(candidates)):
        place(k, set())
    return {k: key for key, k in taken.items()}


def _components(equations: list[Residual], candidates: list[set[int]], matched: dict[int, int]) -> list[list[int]]:
    """Strongly connected equations, those first that need no other (Tarjan, SIAM J. Comput. 1, 1972)."""
    by_unknown = {key: k for k, key in matched.items()}
    needs = [[by_unknown[key] for key in keys if key in by_unknown and by_unknown[key] != k]
             for k, keys in enumerate(candidates)]
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    groups: list[list[int]] = []
    for root in range(len(equations)):
        if root in index:
            continue
        work = [(root, iter(needs[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    work.append((other, iter(needs[other])))
                    break
                if other in stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        group.append(stack.pop())
                        if group[-1] == node:
                            break
                    groups.append(group)
    return groups
