"""Derivatives of the start by parameters and start values, from the implicit function theorem.

Conditions (given values, initial equations, loops, algebraic unknowns) keep holding.  Guesses change as little as these
require; then the independent coordinates of closed forms; then all coordinates, since the search for a start looks for
positions before speeds; then all the rest:

    F δ = −∂F/∂p,      then  min ‖G δ + ∂G/∂p‖,      then  min ‖δ_i‖,      then  min ‖δ_q‖,      then  min ‖δ‖
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import casadi as ca
import numpy as np

from ..errors import ModelError, unknown_name
from ..system import State, System, across, entry_of, split_entry
from ..system.given_motions import given
from ..system.tangents import Column
from .initial import winding_places
from .problem import StartProblem
from .tolerances import LEFT, SAME_CONDITION

PARTS = "tquzdpy"


#: derivatives by parts of the state
_Jacobians = dict[str, np.ndarray]


class _Rows(NamedTuple):
    """Conditions on the start: their names, and residuals over the state."""

    labels: list[str]
    residuals: ca.SX


class _Conditions(NamedTuple):
    """Conditions and guesses; places of auxiliary states and of parameters that are solved for."""

    must: _Rows
    guessed: _Rows
    loose: list[int]
    freed: list[int]


def start_tangents(system: System, kept: Mapping[str, Sequence[int]], columns: Sequence[Column], state: State,
                   own: bool, goals: Mapping[str, ca.SX] | None = None) -> np.ndarray:
    """Columns of tangents at the start, one row each; `state` is one of `system`, which has none.

    `kept` are the places of discrete variables and parameters that are entries of a column.  `own` says whether it is
    the system's own start, or one that was given: then loops and given motions alone decide what else moves.  `goals`
    are variables that keep their values, in the place of what was given for them.
    """
    if goals:
        return _Problem(system, own, goals).columns(state, kept, columns)
    problem = system.once(("start tangents", own), lambda: _Problem(system, own))
    return problem.columns(state, kept, columns)


class _Problem:
    """The conditions on a start, and code for their derivatives."""

    def __init__(self, system: System, own: bool, goals: Mapping[str, ca.SX] | None = None):
        self.system, self.own = system, own
        self.conditions = _conditions(system, own)
        if goals:
            must, guessed = (_without(rows, goals) for rows in self.conditions[:2])
            labels = [f"the goal {name}" for name, kept in goals.items() for _ in range(kept.numel())]
            must = _Rows([*must.labels, *labels], ca.vertcat(must.residuals, *goals.values()))
            self.conditions = self.conditions._replace(must=must, guessed=guessed)
        self.stays = _independent(system)
        self.functions = [_jacobians(system, rows.residuals) for rows in self.conditions[:2]]
        self._entries: dict[str, ca.Function] = {}

    def columns(self, state: State, kept: Mapping[str, Sequence[int]], columns: Sequence[Column]) -> np.ndarray:
        """Columns, one row each."""
        moves = _Moves(self.system, state, self.conditions.loose, self.conditions.freed)
        blocks = [moves.derivatives(function) for function in self.functions]
        found = np.zeros((len(columns), len(state.q) + len(state.u) + len(state.z) + sum(map(len, kept.values()))))
        for numbers in self._alike(columns):
            found[numbers] = self._solved(kept, moves, blocks, [columns[k] for k in numbers])
        return found

    def _alike(self, columns: Sequence[Column]) -> list[list[int]]:
        """Columns by number, those together that are solved for by the same equations."""
        known = {*self.system.part_names("z"), *self.conditions.must.labels, *self.conditions.guessed.labels}
        alone = [k for k, c in enumerate(columns) if not c.part and c.name not in known]
        rest = sorted(set(range(len(columns))) - set(alone))
        return [rest, *([k] for k in alone)] if rest else [[k] for k in alone]

    def _solved(self, kept: Mapping[str, Sequence[int]], moves: _Moves, blocks: Sequence[_Jacobians],
                columns: Sequence[Column]) -> np.ndarray:
        """Columns that are solved by the same equations; a value that was neither given nor guessed comes alone."""
        groups, blocks = [self.conditions.must, self.conditions.guessed], list(blocks)
        known = {part: np.zeros((len(getattr(moves.state, part)), len(columns))) for part in "zdp"}
        named = {name: k for k, name in enumerate(self.system.part_names("z"))}
        for k, column in enumerate(columns):
            if column.part:
                known[column.part][column.entry, k] = 1.0
            elif column.name in named:
                known["z"][named[column.name], k] = 1.0
            elif not any(column.name in rows.labels for rows in groups):
                # neither given nor guessed: it moves, and what depends on it follows
                level = 1 if self.own else 0
                extra = moves.derivatives(self._entry(column.name))
                groups[level] = groups[level]._replace(labels=[*groups[level].labels, column.name])
                blocks[level] = {part: np.vstack([block, extra[part]]) for part, block in blocks[level].items()}
        levels = []
        for rows, block in zip(groups, blocks, strict=True):
            asked = np.zeros((len(rows.labels), len(columns)))
            for k, column in enumerate(columns):
                if not column.part:
                    asked[[i for i, label in enumerate(rows.labels) if label == column.name], k] = 1.0
            levels.append((moves.matrix(block), asked - sum(block[part] @ known[part] for part in "zdp")))
        for stays in (self.stays, range(self.system.mechanism.nu)):
            levels.append((np.eye(moves.count)[list(stays)], np.zeros((len(stays), len(columns)))))
        delta = _in_order(levels, moves.count)
        _refuse_open(columns, groups[0], levels[0], delta)
        q, u, z, p = moves.parts(delta)
        freed = {place: k for k, place in enumerate(self.conditions.freed)}
        solved = [p[freed[place]] if place in freed else np.zeros(len(columns)) for place in kept["p"]]
        return np.vstack([q, u, known["z"] + z, np.zeros((len(kept["d"]), len(columns))), *solved]).T

    def _entry(self, name: str) -> ca.Function:
        """The derivatives of a variable that was neither given nor guessed."""
        if name not in self._entries:
            self._entries[name] = _jacobians(self.system, _entry(self.system, name))
        return self._entries[name]


def _without(rows: _Rows, names: Collection[str]) -> _Rows:
    """The conditions that are not on variables of these names."""
    keep = [k for k, label in enumerate(rows.labels) if label not in names and split_entry(label)[0] not in names]
    return _Rows([rows.labels[k] for k in keep], rows.residuals[keep] if keep else ca.SX(0, 1))


def _conditions(system: System, own: bool) -> _Conditions:
    """The conditions by which the start was found."""
    e, m = system.equations, system.mechanism
    labels, residuals, loose, freed = [], [], [], []
    guessed = _Rows([], ca.SX(0, 1))
    problem = StartProblem(system) if own and m.start is not None else None
    if problem is not None and not problem.empty:
        names = [label for label, *_ in problem.labels]
        fixed = np.flatnonzero(problem.fixed).tolist()
        others = np.flatnonzero(~problem.fixed).tolist()
        labels, residuals = [names[k] for k in fixed], [problem.expressions[fixed]]
        guessed = _Rows([names[k] for k in others], problem.expressions[others])
        loose, freed = list(problem.loose_places), list(problem.free_places)
    else:
        for level, errors in (("position", e.position_error), ("velocity", e.velocity_error)):
            switched = np.flatnonzero(~np.array(system.switched_rows(level), dtype=bool)).tolist()
            labels += [system.row_names(level)[k] for k in switched]
            residuals.append(errors[switched])
        labels += [name for block in e.blocks for name in block.names]
        residuals += [block.residual for block in e.blocks]
    # rows that hold by themselves do not depend on anything that moves
    left_out = across(system)
    labels += [f"{direction} of {loop}" for loop, direction in left_out.places]
    residuals.append(left_out.residuals)
    for part, values in given(e).items():
        for place, value in values.items():
            labels.append(f"the given motion of {system.part_names(part)[place]}")
            residuals.append(e.symbols[part][place] - value)
    for winding in m.start.windings if m.start is not None else ():
        # states that count turns follow the angles
        places = winding_places(system)[winding.name]
        labels += [winding.name] * len(places)
        residuals.append(winding.symbol - e.finish(winding.wound)[0])
        loose += places
    return _Conditions(_Rows(labels, ca.vertcat(ca.SX(0, 1), *residuals)), guessed, loose, freed)


class _Moves:
    """What may move at the start: coordinates along their mobilities, speeds, auxiliary states and parameters that are
    solved for, unknowns."""

    def __init__(self, system: System, state: State, loose: list[int], freed: list[int]):
        self.system, self.state, self.loose, self.freed = system, state, loose, freed
        nu = system.mechanism.nu
        self.N = np.column_stack([np.zeros((len(state.q), 0)), *[system.advance(state.q, c) for c in np.eye(nu)]])
        self.sizes = [nu, nu, len(loose), len(freed), len(state.y)]
        self.count = sum(self.sizes)
        self.values = [np.atleast_1d(getattr(state, part)) for part in PARTS] + [np.zeros(nu)]
        if len(state.y):
            self.values[-2] = system.evaluate(state, "y")

    def derivatives(self, function: ca.Function) -> _Jacobians:
        """Derivatives of residuals by every part of the state, as numbers."""
        found = function.call([ca.DM(value) for value in self.values])
        return {part: block.full() for part, block in zip("quzpdy", found, strict=True)}

    def matrix(self, J: _Jacobians) -> np.ndarray:
        """Derivatives by what may move."""
        return np.column_stack([J["q"] @ self.N, J["u"], J["z"][:, self.loose], J["p"][:, self.freed], J["y"]])

    def parts(self, delta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(δq, δu, δz, changes of the parameters that are solved for), a column for each of `delta`."""
        along, u, loose, freed, _ = np.split(delta, np.cumsum(self.sizes)[:-1])
        z = np.zeros((len(self.state.z), delta.shape[1]))
        z[self.loose] = loose
        return self.N @ along, u, z, freed


def _jacobians(system: System, residuals: ca.SX) -> ca.Function:
    """Derivatives of residuals by the parts q, u, z, p, d, y of the state, as a function of it and of forces."""
    e = system.equations
    symbols = {part: e.y if part == "y" else e.symbols[part] for part in PARTS}
    wanted = [ca.densify(ca.jacobian(residuals, symbols[part])) for part in "quzpdy"]
    return ca.Function("J", [*symbols.values(), e.symbols["f"]], wanted)


def _in_order(levels: list[tuple[np.ndarray, np.ndarray]], count: int) -> np.ndarray:
    """The least δ that satisfies A δ = b of each level as well as the levels before allow, for all columns of b."""
    delta, free = np.zeros((count, levels[0][1].shape[1])), np.eye(count)
    for A, b in levels:
        if not len(b) or not free.shape[1]:
            continue
        U, sizes, V = np.linalg.svd(A @ free, full_matrices=True)
        rank = int(np.sum(sizes > SAME_CONDITION * max(1.0, sizes.max(initial=0.0))))
        left = U[:, :rank].T @ (b - A @ delta)
        delta = delta + free @ (V[:rank].T @ (left / sizes[:rank, None]))
        free = free @ V[rank:].T
    return delta


def _refuse_open(columns: Sequence[Column], must: _Rows, level: tuple[np.ndarray, np.ndarray],
                 delta: np.ndarray) -> None:
    """An error where conditions cannot follow a change: it opens a loop, or contradicts what is given."""
    A, b = level
    left = np.abs(A @ delta - b)
    if not len(left):
        return
    for k in np.flatnonzero(left.max(axis=0) > LEFT * np.maximum(1.0, np.abs(b).max(axis=0))):
        name = columns[int(k)].name
        worst = sorted({must.labels[i] for i in np.flatnonzero(left[:, k] > 0.1 * left[:, k].max())})
        raise ModelError(f"{name}: no change of it can be followed: {', '.join(worst)} would no longer hold, "
                         "whatever moves. Likely: an offset out of the plane of a loop (of a vector name the "
                         "entries that may change), or a start value that others fix already.", name)


def _independent(system: System) -> list[int]:
    """The mobilities around which closed forms solve loops."""
    m = system.mechanism
    if not m.closures:
        return []
    _, u_slices = m.slices()
    solved = {u_slices[m.index(joint)].start + index for closure in m.closures for joint, index in closure.coordinates}
    return [k for k in sorted(set(system.equations.constraint_matrix.sparsity().get_col())) if k not in solved]


def _entry(system: System, name: str) -> ca.SX:
    """The expression of a variable, or of an entry "body.r_0[1]" of one."""
    whole, place = split_entry(name, system.names_table)
    if whole not in system.names_table:
        raise unknown_name(name, system.names, "what a run can be differentiated by")
    return ca.vec(entry_of(name, system.expression(whole), place))[0]
