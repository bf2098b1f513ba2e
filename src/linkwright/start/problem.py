"""The equations of the start: residuals of the given conditions, and a solver that moves as little as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..mechanism import Start, StartValue
from ..system import System
from ..system.least_norm import Matrix, as_dense, as_matrix, least_norm, rank, row_sizes, scaled
from ..system.least_squares import descent
from .conditions import conditions_of
from .tolerances import CONVERGED, NEWTON_STEPS, NO_STEP, SAME_CONDITION, SHORTER_STEPS, UNDETERMINED

if TYPE_CHECKING:
    from ..system import State
    from .following import Split


class StartProblem:
    """The conditions on the start of one system, and moves that fulfil them.

    `values` and `freed` are start values and parameters to be solved for, in the place of those that the system has.
    """

    def __init__(self, system: System, values: Sequence[StartValue] | None = None,
                 freed: tuple[str, ...] | None = None) -> None:
        start = system.mechanism.start or Start()
        given = start.values if values is None else values
        self.system, self.start = system, start
        self.freed = start.freed if freed is None else freed
        c = self.conditions = conditions_of(system, given, self.freed)
        self.numbers = np.array([0.0 if s.formula is not None else s.value for s in given])
        told = [s.value for s in given]
        self.labels: list[tuple[str, bool, float | None]] = [
            (label, fixed, told[k] if k < len(told) else None) for k, (label, fixed) in enumerate(c.names)]
        self.empty, self.levels, self.blocks, self.part = c.empty, c.levels, c.blocks, c.part
        self.fixed, self.loop, self.said, self.closing = c.fixed, c.loop, c.said, c.closing
        self.of_unknowns, self.free_places, self.loose_places = c.of_unknowns, c.free_places, c.loose_places
        self.of_states, self.bound, self.closed_forms = c.of_states, c.bound, c.closed_forms
        self.rows, self._residual, self._jacobian = np.ones(len(c.names), dtype=bool), c.residual, c.jacobian

    def leading(self, split: Split) -> StartProblem:
        """The same without the equations of unknowns that follow."""
        part = copy(self)
        part.rows, part._residual, part._jacobian = split.leading, split.residual, split.jacobian
        part.fixed, part.said = self.fixed & part.rows, self.said & part.rows
        return part

    @property
    def expressions(self) -> ca.SX:
        """The residuals as expressions of the state, with the numbers of this system."""
        return ca.substitute(self.conditions.expressions, self.conditions.numbers, ca.SX(self.numbers))

    def values(self, state: State) -> np.ndarray:
        """Everything that residuals depend on."""
        return np.concatenate([self.system.layout.pack(state, "tquzdpy"), self.numbers])

    def residual(self, state: State) -> np.ndarray:
        """The residual of every condition."""
        return self._residual(self.values(state)).ravel()

    def jacobian(self, state: State) -> Matrix:
        """Their Jacobian; sparse where it is large."""
        return self._jacobian(self.values(state))

    def evaluate(self, state: State) -> tuple[np.ndarray, Matrix]:
        """Both."""
        return self.residual(state), self.jacobian(state)

    def finish(self, state: State) -> None:
        """Satisfy the conditions, from a state that nearly does."""
        self.solve(state, everything=True, only="y", rows=self.of_unknowns)
        self.solve(state, everything=False)

    def given(self, state: State) -> np.ndarray:
        """Which mobilities have a given value or guess of their own, not one of an expression of several."""
        J = 1 * (self.jacobian(state)[self.said][:, self.part["q"]] != 0)
        return J[J.sum(axis=1) == 1].sum(axis=0) > 0

    def leaves_open(self, state: State, mobilities: np.ndarray) -> bool:
        """Whether these mobilities can move without changing anything given or guessed.

        Guesses of joints that close loops do not count: they depend on all mobilities, but determine none of them while
        the loop is open.
        """
        J = self.jacobian(state)[self.said & ~self.closing][:, self.part["q"]][:, mobilities]
        return rank(J, SAME_CONDITION) < J.shape[1]

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
        state.q = self._normalised(state.q + self.conditions.mobility(state.q) @ delta)

    def move(self, state: State, step: np.ndarray) -> None:
        """Move everything along δ."""
        d = {name: step[part] for name, part in self.part.items()}
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
        use = (everything | self.fixed) & (loops | ~self.loop) & rows & self.rows
        use = use & ~self._set_alone(state, use, only)
        if not use.any():
            return

        def trials(_: object, r: np.ndarray, J: Matrix) -> Iterator[np.ndarray]:
            step = self._step(r, J, self.of_unknowns[use], use[self.of_unknowns])
            if np.abs(step).max(initial=0.0) < NO_STEP:
                return
            # no coordinate turns by more than a radian at once, nor slides by more than the gap
            longest = np.abs(step[: self.system.mechanism.nu]).max(initial=0.0)
            step = step / max(1.0, longest / max(1.0, np.abs(r).max()))
            yield from (share * step for share in SHORTER_STEPS)

        for r in islice(self.falling(state, use, only, trials), NEWTON_STEPS + 1):
            if np.abs(r).max(initial=0.0) < CONVERGED:
                return

    def falling(self, state: State, rows: np.ndarray, only: str, trials: Callable[..., Iterator[np.ndarray]],
                weights: np.ndarray | float = 1.0) -> Iterator[np.ndarray]:
        """Residuals of some rows, ever smaller, with the state moved along: least squares by the trial steps."""

        def measure(kept: dict[str, np.ndarray]) -> tuple[np.ndarray, Matrix]:
            self.put_back(state, kept)
            r, J = self.evaluate(state)
            return r[rows] * weights, self.moving(scaled(J[rows], weights), only)

        def move(kept: dict[str, np.ndarray], step: np.ndarray) -> dict[str, np.ndarray]:
            self.put_back(state, kept)
            self.move(state, step)
            return self.keep(state)

        for kept, r in descent(self.keep(state), measure, move, trials):
            self.put_back(state, kept)
            yield r
        self.put_back(state, kept)

    def _set_alone(self, state: State, use: np.ndarray, only: str) -> np.ndarray:
        """Give coordinates and speeds that no other condition reads their values, to the last bit; says which rows."""
        done = np.zeros(len(use), dtype=bool)
        for row, (part, place) in self.conditions.alone.items():
            if use[row] and part in only:
                getattr(state, part)[place] = self.numbers[row]
                done[row] = True
        return done

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

    def _normalised(self, q: np.ndarray) -> np.ndarray:
        for start in self.system.quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        return q

