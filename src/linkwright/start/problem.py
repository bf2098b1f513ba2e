"""The equations of the start: residuals of the given conditions, and a solver that moves as little as possible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..mechanism import ContinuousState, Named, Start, StartValue
from ..system import System, array_function
from ..system.least_norm import Matrix, as_dense, as_matrix, entries, least_norm, matrix, rank, row_sizes, scaled
from .closed_start import ClosedStart
from .tolerances import CONVERGED, NEWTON_STEPS, NO_STEP, SAME_CONDITION, SHORTER_STEPS, UNDETERMINED

if TYPE_CHECKING:
    from ..system import State

LOOP = "loop"
POSITION = {"q", "R", "p", "R_AB", "p_AB", "angle"}
VELOCITY = {"u", "w", "v", "V_AB", "der"}


class StartProblem:
    """Residuals over (q, u, z, p, y) with their Jacobian along δ = (mobilities, speeds, z, freed p, y)."""

    def __init__(self, system: System, values: Sequence[StartValue] | None = None,
                 freed: tuple[str, ...] | None = None) -> None:
        start = self.start = system.mechanism.start or Start()
        values = start.values if values is None else values
        self.system, self.freed = system, start.freed if freed is None else freed
        self.blocks: list[tuple[list[str], int]] = []  # unknowns that are solved together, and their first row
        equations = system.equations
        residuals = [_off(s) for s in values]
        labels: list[tuple[str, bool, float | None]] = [(s.label, s.fixed, s.value) for s in values]
        for said in start.equations:
            for entry in ca.vertsplit(said.residual):
                residuals.append(entry)
                labels.append((said.name, True, None))
        for state in system.mechanism.states:
            if state.name in start.at_rest:
                residuals += ca.vertsplit(state.derivative)
                labels += [(f"{state.name} at rest", True, None)] * state.symbol.numel()
        levels = [self._level(e) for e in residuals]
        cut = {c.name for c in system.mechanism.constraints}
        self._closing = [s.name.rpartition(".")[0] in cut for s in values]
        if residuals:
            residuals = list(ca.vertsplit(equations.finish(ca.vertcat(*residuals))[0]))
        conditional = {r.name: r.mode for r in equations.rows if r.level == "position" and r.mode is not None
                       and any(lock.name == r.name for lock in system.mechanism.events.locks)}
        for errors, kind in ((equations.position_error, "position"), (equations.velocity_error, "velocity")):
            switched = system.switched_rows(kind)
            names = system.row_names(kind)
            for k, entry in enumerate(ca.vertsplit(errors) if errors.numel() else ()):
                if not switched[k] or names[k] in conditional:
                    residuals.append(entry * conditional.get(names[k], 1))
                    labels.append((f"{LOOP} {names[k]} ({kind})", True, None))
                    levels.append(int(kind == "velocity"))
        for block in equations.blocks:
            residuals += ca.vertsplit(block.residual)
            labels += [(name, True, None) for name in block.names]
            self.blocks.append((block.names, len(residuals) - len(block.names)))
        self.labels, self.levels, self.empty = labels, np.array(levels, dtype=int), not residuals
        if not self.empty:
            self._functions(equations, ca.vertcat(*residuals))

    def _level(self, expression: ca.SX) -> int:
        """0 for an expression of positions, 1 of velocities, 2 of accelerations or forces."""
        variables = self.system.mechanism.variables
        quantities = {variables[n].quantity for n in self.system.equations.laws.reads(expression)}
        return 0 if quantities <= POSITION else 1 if quantities <= POSITION | VELOCITY else 2

    def _functions(self, equations: Any, r: ca.SX) -> None:
        s = equations.symbols
        mechanism = self.system.mechanism
        delta = ca.SX.sym("delta", mechanism.nu)
        N = ca.jacobian(ca.substitute(equations.qdot, s["u"], delta), delta)
        self.free_places = _places(mechanism.parameters, self.freed)
        self.loose_places = _places(mechanism.states, self.start.loose)
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
        self.inputs = inputs = ca.vertcat(*[ca.vec(s[name]) for name in "tquzdp"], y)
        columns = [ca.jacobian(r, s["q"]) @ N, ca.jacobian(r, s["u"]), ca.jacobian(r, s["p"])[:, self.free_places],
                   ca.jacobian(r, s["z"])[:, self.loose_places], ca.jacobian(r, y)]
        zeros = [ca.SX.zeros(mechanism.nu)]
        J = ca.substitute(ca.horzcat(*columns), s["f"], zeros[0]) if mechanism.nu else ca.horzcat(*columns)
        r = ca.substitute(r, s["f"], zeros[0]) if mechanism.nu else r
        # rows that must hold, of loops, of given positions; which coordinates rows read
        self.fixed = np.array([fixed for _, fixed, _ in self.labels])
        self.loop = np.array([label.startswith(LOOP) for label, *_ in self.labels])
        self.said = (self.levels == 0) & ~self.loop & ~self.of_unknowns
        # guesses of joints that close loops: they have no meaning while loops are open
        self.closing = np.array(self._closing + [False] * (r.numel() - len(self._closing))) & ~self.fixed
        pattern = ca.jacobian_sparsity(r, s["q"])
        self.reads_q = pattern
        self.expressions = r
        self._residual, self._jacobian = Numeric(inputs, r), NumericMatrix(inputs, J)
        self._mobility = NumericMatrix(s["q"], N)

    def values(self, state: State) -> np.ndarray:
        """Everything that residuals depend on."""
        return self.system.layout.pack(state, "tquzdpy")

    def residual(self, state: State) -> np.ndarray:
        """The residual of every condition."""
        return self._residual(self.values(state)).ravel()

    def evaluate(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their Jacobian, sparse."""
        return self.residual(state), self._jacobian(self.values(state))

    def finish(self, state: State) -> None:
        """Satisfy the conditions, from a state that nearly does."""
        self.solve(state, everything=True, only="y", rows=self.of_unknowns)
        self.solve(state, everything=False)

    @property
    def numeric(self) -> tuple[Numeric, NumericMatrix, NumericMatrix]:
        """Residuals and their Jacobian over `inputs`, and the mobility over q, as functions."""
        return self._residual, self._jacobian, self._mobility

    @cached_property
    def closed_forms(self) -> ClosedStart:
        """The closed forms of loops."""
        return ClosedStart(self, Numeric)

    def given(self, state: State) -> np.ndarray:
        """Which mobilities have a given value or guess of their own, not one of an expression of several."""
        J = 1 * (self._jacobian(self.values(state))[self.said][:, self.part["q"]] != 0)
        return J[J.sum(axis=1) == 1].sum(axis=0) > 0

    def leaves_open(self, state: State, mobilities: np.ndarray) -> bool:
        """Whether these mobilities can move without changing anything given or guessed.

        Guesses of joints that close loops do not count: they depend on all mobilities, but determine none of them while
        the loop is open.
        """
        J = self._jacobian(self.values(state))[self.said & ~self.closing][:, self.part["q"]][:, mobilities]
        return rank(J, SAME_CONDITION) < J.shape[1]

    @cached_property
    def bound(self) -> np.ndarray:
        """Which mobilities the equations of loops depend on."""
        columns = self.system.equations.constraint_matrix.sparsity().get_col()
        return np.isin(np.arange(self.system.mechanism.nu), columns)

    # --- moving ---

    def keep(self, state: State) -> dict[str, np.ndarray]:
        """The parts of a state that move, to be put back."""
        return {name: np.array(getattr(state, name)) for name in "quzpyd"}

    def put_back(self, state: State, kept: dict[str, np.ndarray]) -> None:
        for name, value in kept.items():
            setattr(state, name, value.copy())

    def reset(self, state: State, kept: dict[str, np.ndarray], mobilities: np.ndarray) -> None:
        """Put back the coordinates of joints with such mobilities."""
        q = np.array(state.q)
        for qs, us in zip(*self.system.mechanism.slices(), strict=True):
            plain = qs.stop - qs.start == us.stop - us.start
            places = qs.start + np.flatnonzero(mobilities[us]) if plain else qs
            if np.any(mobilities[us]):
                q[places] = kept["q"][places]
        state.q = q

    def shift(self, state: State, delta: np.ndarray) -> None:
        """Move the coordinates along their mobilities."""
        state.q = self._normalised(state.q + self._mobility(state.q) @ delta)

    def move(self, state: State, step: np.ndarray, scale: float = 1.0) -> None:
        """Move everything along δ."""
        d = {name: step[part] * scale for name, part in self.part.items()}
        self.shift(state, d["q"])
        p, z = np.array(state.p), np.array(state.z)
        p[self.free_places] += d["p"]
        z[self.loose_places] += d["z"]
        state.p, state.z, state.u, state.y = p, z, state.u + d["u"], state.y + d["y"]

    def solve(self, state: State, everything: bool, loops: bool = True, only: str = "qupzy",
              rows: np.ndarray | bool = True) -> None:
        """Damped Gauss–Newton with steps of least norm; with `everything`, guesses are treated as conditions too.

        `only` names the parts that may move, `rows` the equations that count.
        """
        use = (everything | self.fixed) & (loops | ~self.loop) & rows
        if not use.any():
            return
        for _ in range(NEWTON_STEPS):
            r, J = self.evaluate(state)
            r, J = r[use], J[use]
            size = np.abs(r).max(initial=0.0)
            if size < CONVERGED:
                return
            if not np.all(np.isfinite(r)) or not np.all(np.isfinite(entries(J))):
                return
            J = self.moving(J, only)
            step = self._step(r, J, self.of_unknowns[use], use[self.of_unknowns])
            if np.abs(step).max(initial=0.0) < NO_STEP:
                return
            # no coordinate turns by more than a radian at once, nor slides by more than the gap
            longest = np.abs(step[: self.system.mechanism.nu]).max(initial=0.0)
            if not self._move(state, step / max(1.0, longest / max(1.0, size)), use):
                return

    def _step(self, r: np.ndarray, J: np.ndarray | Matrix, of_unknowns: np.ndarray, solved: np.ndarray) -> np.ndarray:
        """Least norm over all but the unknowns y, which follow from their own equations: δy = −B_y⁻¹ (B_x δx + b).

        Without such equations, or where they are singular, y moves like everything else.  Equations are scaled to equal
        weight, whatever their units: an angle counts as much as the rate of a current a million times as large.
        """
        # small rows are not scaled up: what is left of an equation that always holds is rounding
        largest = np.maximum(row_sizes(J), 1.0)
        r, J = r / largest, scaled(J, 1 / largest)
        y = np.arange(self.part["y"].start, self.part["y"].stop)[solved]
        B_y = as_dense(J[of_unknowns][:, y])
        if not len(y) or not np.any(B_y) or np.linalg.cond(B_y) > UNDETERMINED:
            return -least_norm(J, r)
        J = as_dense(J)
        x = np.setdiff1d(np.arange(J.shape[1]), y)
        S = np.linalg.solve(B_y, np.column_stack([J[of_unknowns][:, x], r[of_unknowns]]))
        A = ~of_unknowns
        step = np.zeros(J.shape[1])
        if A.any():
            reduced = as_matrix(J[A][:, x] - J[A][:, y] @ S[:, :-1])
            step[x] = -least_norm(reduced, r[A] - J[A][:, y] @ S[:, -1])
        step[y] = -S[:, :-1] @ step[x] - S[:, -1]
        return step

    def moving(self, J: Matrix, only: str) -> Matrix:
        """A Jacobian with zeros in the columns of parts that may not move."""
        moves = np.zeros(J.shape[1])
        for name in only:
            moves[self.part[name]] = 1.0
        return scaled(J, columns=moves)

    def _move(self, state: State, step: np.ndarray, use: np.ndarray) -> bool:
        """Take the step, shortened until the residual falls; False where it never does."""
        before = np.linalg.norm(self.residual(state)[use])
        saved = self.keep(state)
        for scale in SHORTER_STEPS:
            self.move(state, step, scale)
            after = np.linalg.norm(self.residual(state)[use])
            if np.isfinite(after) and after < before:
                return True
            self.put_back(state, saved)
        return False

    def _normalised(self, q: np.ndarray) -> np.ndarray:
        for start in self.system.quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        return q


class Numeric:
    """A function from an array to an array."""

    def __init__(self, inputs: ca.SX, output: ca.SX) -> None:
        self.x, self.out, self.run = array_function(inputs, output)
        self.shape, self._traced = output.shape, (inputs, output)

    @property
    def program(self) -> ca.Function:
        """The same as a function of symbols."""
        return ca.Function("traced", [self._traced[0]], [ca.densify(self._traced[1])])

    def __call__(self, values: np.ndarray) -> np.ndarray:
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


def _off(start: StartValue) -> ca.SX:
    """How far a variable is from its start value: a number, or an expression of the parameters it follows from."""
    off = start.expression - (start.value if start.formula is None else start.formula)
    # angles that describe an orientation are compared without full turns
    return ca.atan2(ca.sin(off), ca.cos(off)) if start.name.endswith(".angles") else off
