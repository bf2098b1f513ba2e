"""The conditions on a start as functions of numbers: traced once for all systems that share their code.

Residuals are over (t, q, u, z, d, p, y | v), where v are the numbers of the start values.  They have a Jacobian along
δ = (mobilities, speeds, freed p, z, y).
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import casadi as ca
import numpy as np

from ..building import cached_property, one_at_a_time
from ..mechanism import ContinuousState, Named, Start, StartValue
from ..system import System, array_function
from ..system.least_norm import Matrix, matrix
from .closed_start import ClosedStart
from .following import Split

LOOP = "loop"
POSITION = {"q", "R", "p", "R_AB", "p_AB", "angle"}
VELOCITY = {"u", "w", "v", "V_AB", "der"}


def conditions_of(system: System, values: Sequence[StartValue], freed: tuple[str, ...]) -> Conditions:
    """The conditions of a system, shared by those that differ in numbers only."""
    # expressions are told apart by what they are in memory; the conditions keep them there
    key = ("conditions", freed, *((s.name, s.entry, s.fixed, id(s.expression), id(s.formula)) for s in values))
    return system.code.once(key, lambda: Conditions(system, values, freed))


class Conditions:
    """What must hold at the start (`fixed`), what is guessed, and equations of loops and algebraic unknowns."""

    def __init__(self, system: System, values: Sequence[StartValue], freed: tuple[str, ...]) -> None:
        # systems die with their models, code does not: none is kept
        equations = self.equations = system.equations
        self.mechanism, self.given = equations.mechanism, tuple(values)
        start = system.mechanism.start or Start()
        self._splits: dict[frozenset[int], Split] = {}
        self.blocks: list[tuple[list[str], int]] = []  # unknowns that are solved together, and their first row
        residuals = [s.expression if s.formula is None else s.expression - s.formula for s in values]
        self.names: list[tuple[str, bool]] = [(s.label, s.fixed) for s in values]  # and whether they must hold
        for said in start.equations:
            for entry in ca.vertsplit(said.residual):
                residuals.append(entry)
                self.names.append((said.name, True))
        for state in system.mechanism.states:
            if state.name in start.at_rest:
                residuals += ca.vertsplit(state.derivative)
                self.names += [(f"{state.name} at rest", True)] * state.symbol.numel()
        levels = [self._level(e) for e in residuals]
        cut = {c.name for c in system.mechanism.constraints}
        self._sides = [s.side for s in values]
        self._closing = [s.name.rpartition(".")[0] in cut for s in values]
        self.numbers, self.variables = ca.SX.sym("v", len(values)), []
        if residuals:
            residuals = list(ca.vertsplit(equations.finish(ca.vertcat(*residuals))[0]))
            self.variables = residuals[: len(values)]
            residuals[: len(values)] = [_off(s, residuals[k] - self.numbers[k]) for k, s in enumerate(values)]
        conditional = {r.name: r.mode for r in equations.rows if r.level == "position" and r.mode is not None
                       and any(row.name == r.name for row in system.mechanism.events.conditional)}
        for errors, kind in ((equations.position_error, "position"), (equations.velocity_error, "velocity")):
            switched = system.switched_rows(kind)
            names = system.row_names(kind)
            for k, entry in enumerate(ca.vertsplit(errors) if errors.numel() else ()):
                if not switched[k] or names[k] in conditional:
                    residuals.append(entry * conditional.get(names[k], 1))
                    self.names.append((f"{LOOP} {names[k]} ({kind})", True))
                    levels.append(int(kind == "velocity"))
        for block in equations.blocks:
            residuals += ca.vertsplit(block.residual)
            self.names += [(name, True) for name in block.names]
            self.blocks.append((block.names, len(residuals) - len(block.names)))
        self.levels, self.empty = np.array(levels, dtype=int), not residuals
        self.free_places = _places(self.mechanism.parameters, freed)
        self.loose_places = _places(self.mechanism.states, start.loose)
        self._functions(ca.vertcat(ca.SX(0, 1), *residuals))

    def _level(self, expression: ca.SX) -> int:
        """0 for an expression of positions, 1 of velocities, 2 of accelerations or forces."""
        variables = self.mechanism.variables
        quantities = {variables[n].quantity for n in self.equations.laws.reads(expression)}
        return 0 if quantities <= POSITION else 1 if quantities <= POSITION | VELOCITY else 2

    def _functions(self, r: ca.SX) -> None:
        equations, mechanism = self.equations, self.mechanism
        s = equations.symbols
        delta = ca.SX.sym("delta", mechanism.nu)
        N = ca.jacobian(ca.substitute(equations.qdot, s["u"], delta), delta)
        y, nu = equations.y, mechanism.nu
        ends = np.cumsum([0, nu, nu, len(self.free_places), len(self.loose_places), y.numel()])
        self.part = {name: slice(*ends[k : k + 2]) for k, name in enumerate("qupzy")}
        speeds = set(ca.jacobian_sparsity(r, s["u"]).row())
        for names, first in self.blocks:
            # unknowns that depend on speeds are solved with the accelerations
            own = 2 * bool(speeds & set(range(first, first + len(names))))
            self.levels = np.append(self.levels, [own] * len(names))
        self.of_unknowns = np.zeros(r.numel(), dtype=bool)  # equations of algebraic unknowns, in the order of y
        self.of_unknowns[r.numel() - y.numel():] = True
        # equations of states that start anywhere
        self.of_states = np.zeros(r.numel(), dtype=bool)
        self.of_states[ca.jacobian(r, s["z"])[:, self.loose_places].sparsity().row()] = True
        self.inputs = inputs = ca.vertcat(*[ca.vec(s[name]) for name in "tquzdp"], y, self.numbers)
        columns = [ca.jacobian(r, s["q"]) @ N, ca.jacobian(r, s["u"]), ca.jacobian(r, s["p"])[:, self.free_places],
                   ca.jacobian(r, s["z"])[:, self.loose_places], ca.jacobian(r, y)]
        zeros = [ca.SX.zeros(mechanism.nu)]
        J = ca.substitute(ca.horzcat(*columns), s["f"], zeros[0]) if mechanism.nu else ca.horzcat(*columns)
        r = ca.substitute(r, s["f"], zeros[0]) if mechanism.nu else r
        # rows that must hold, of loops, of given positions; which coordinates rows read
        self.fixed = np.array([fixed for _, fixed in self.names], dtype=bool)
        self.loop = np.array([label.startswith(LOOP) for label, _ in self.names], dtype=bool)
        self.said = (self.levels == 0) & ~self.loop & ~self.of_unknowns
        # guesses of joints that close loops: they have no meaning while loops are open
        self.closing = np.array(self._closing + [False] * (r.numel() - len(self._closing)), dtype=bool) & ~self.fixed
        # positions come as near as they can to guesses; to those that choose a side, where there are no others
        guessed, sides = self.said & ~self.fixed, np.flatnonzero(self._sides)
        self.guessed = guessed & ~np.isin(np.arange(r.numel()), sides)
        self.guessed = self.guessed if self.guessed.any() else guessed
        self.reads_q = ca.jacobian_sparsity(r, s["q"])
        self.expressions, self.slopes, self.pattern = r, J, J.sparsity()
        self.residual, self.jacobian = Numeric(inputs, r), NumericMatrix(inputs, J)
        self.mobility = NumericMatrix(s["q"], N)

    @one_at_a_time
    def split(self, led: frozenset[int] = frozenset()) -> Split:
        """Conditions that are solved together, and those that follow; the equations `led` are none of these."""
        if led not in self._splits:
            self._splits[led] = Split(self, led)
        return self._splits[led]

    def only(self, rows: np.ndarray) -> tuple[Numeric, NumericMatrix]:
        """Residuals and Jacobian with nothing but zeros in the rows that are not wanted."""
        wanted = ca.sparsify(ca.DM(np.diag(rows.astype(float))))
        return (Numeric(self.inputs, ca.densify(wanted @ self.expressions)),
                NumericMatrix(self.inputs, wanted @ self.slopes))

    def extract(self, rows: list[int], places: dict[str, np.ndarray]) -> tuple[Numeric, NumericMatrix]:
        """Residuals of some rows, and their Jacobian along entries of z and y."""
        r = self.expressions[rows]
        whole = {"z": self.equations.symbols["z"], "y": self.equations.y}
        along = ca.vertcat(*(whole[part][int(k)] for part, own in places.items() for k in own))
        return Numeric(self.inputs, r), NumericMatrix(self.inputs, ca.jacobian(r, along))

    @cached_property
    def closed_forms(self) -> ClosedStart:
        """The closed forms of loops."""
        return ClosedStart(self, Numeric)

    @cached_property
    def alone(self) -> dict[int, tuple[str, slice]]:
        """Row → place in a state, of start values of a coordinate or speed that no other condition reads."""
        s, N = self.equations.symbols, self.mobility.pattern
        places = {s[part][k].element_hash(): (part, k) for part in "qu" for k in range(s[part].numel())}
        in_row, in_column = np.bincount(self.pattern.row(), minlength=len(self.names)), np.diff(self.pattern.colind())
        found = {}
        for row, (value, variable) in enumerate(zip(self.given, self.variables, strict=True)):
            if value.formula is not None or value.name.endswith(".angles") or not variable.is_symbolic():
                continue
            part, place = places.get(variable.element_hash(), ("", 0))
            if not part or in_row[row] != 1:
                continue
            column = int(np.repeat(np.arange(self.pattern.shape[1]), in_column)[self.pattern.row().index(row)])
            moves = np.diff(N.colind())[column] if part == "q" else 1
            if in_column[column] == 1 and moves == 1:
                found[row] = part, slice(place, place + 1)
        return found

    @cached_property
    def bound(self) -> np.ndarray:
        """Which mobilities the equations of loops depend on."""
        columns = self.equations.constraint_matrix.sparsity().get_col()
        return np.isin(np.arange(self.mechanism.nu), columns)


class Numeric:
    """A function from an array to an array; threads may call it at once."""

    def __init__(self, inputs: ca.SX, output: ca.SX) -> None:
        self.x, self.out, self.run = array_function(inputs, output)
        self.shape, self._one_by_one = output.shape, Lock()

    def __call__(self, values: np.ndarray) -> np.ndarray:
        with self._one_by_one:
            self.x[:] = values
            self.run()
            return self.out.reshape(self.shape, order="F").copy()


class NumericMatrix(Numeric):
    """The same for a matrix, which may be sparse."""

    def __init__(self, inputs: ca.SX, output: ca.SX) -> None:
        super().__init__(inputs, output.nz[:] if output.nnz() else ca.SX(0, 1))
        self.pattern = output.sparsity()
        self.indices = np.array(self.pattern.row(), dtype=int), np.array(self.pattern.colind(), dtype=int)

    def __call__(self, values: np.ndarray) -> Matrix:
        return matrix(super().__call__(values).ravel(), *self.indices, self.pattern.shape)


def _places(items: Sequence[Named | ContinuousState], names: Sequence[str]) -> list[int]:
    """Where the named items lie in the vector of all."""
    places: list[int] = []
    offset = 0
    for item in items:
        n = item.symbol.numel()
        if item.name in names:
            places += range(offset, offset + n)
        offset += n
    return places


def _off(start: StartValue, off: ca.SX) -> ca.SX:
    """How far a variable is from its start value; angles of an orientation are compared without full turns."""
    return ca.atan2(ca.sin(off), ca.cos(off)) if start.name.endswith(".angles") else off
