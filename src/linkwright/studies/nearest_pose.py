"""The pose nearest to what is wanted: goals by least squares, loops closed, coordinates between bounds.

    min Σ (w (x(q) − x_goal))²   with   c(q) = 0,   low ≤ q_k ≤ high

by Levenberg–Marquardt steps along the freedoms that the loops leave; a coordinate at a bound is held there as long as
it would leave it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import casadi as ca
import numpy as np

from ..errors import AssemblyError, ModelError
from ..start import StartProblem
from ..system import State, System
from ..system.least_norm import as_dense
from ..system.least_squares import DAMPING_FIRST, Damped, descent
from .freedoms import place_of
from .tolerances import (
    AT_BOUND,
    GOAL_STEPS,
    MET,
    NO_PROGRESS,
    RANK_TOLERANCE,
    TINY,
)


def target_of(name: str, value: object, size: int) -> np.ndarray:
    """The numbers of a goal, one for every entry; one number stands for all of them."""
    try:
        target = np.ravel(np.asarray(value, dtype=float), order="F")
    except (TypeError, ValueError):
        raise ModelError(f"{name}: a goal is made of numbers, got {value!r}.", name) from None
    if target.size not in (1, size) or np.any(np.isinf(target)):
        raise ModelError(f"{name}: the goal needs {size} finite numbers (NaN where nothing is asked), got {value!r}.",
                         name)
    return np.broadcast_to(target, (size,))


class Closed:
    """Positions with loops closed and, from the initial state, the values that a model fixes there."""

    def __init__(self, system: System, goals: Collection[str]) -> None:
        self.system, self.problem, self.names, self.freed = system, None, [], set()
        if not isinstance(goals, set) or system.mechanism.start is None:
            return
        fixed = [s for s in system.mechanism.start.values if s.fixed]
        self.freed = {s.name for s in fixed} & goals
        starts = [s for s in fixed if s.name not in goals]
        problem = StartProblem(system, starts, ())
        if not problem.empty and problem.said.any():
            self.problem, self.rows = problem, problem.fixed & (problem.levels == 0)
            self.names = [problem.labels[k][0] for k in np.flatnonzero(problem.said)]

    def close(self, state: State) -> State:
        """The state with everything closed that it was opened by."""
        if self.problem is None:
            return self.system.assemble(state)
        state = state.copy()
        self.problem.solve(state, everything=False, only="qy", rows=self.rows)
        if np.abs(self.problem.residual(state)[self.rows]).max(initial=0.0) > MET:
            raise AssemblyError("the loops cannot be closed around the values given at the start.", *self.names)
        self.problem.solve(state, everything=False, only="uy", rows=self.problem.levels == 1)
        return state

    @property
    def open(self) -> bool:
        """Whether there is nothing to close."""
        return self.problem is None and not self.system.mechanism.constraints

    def rows_at(self, state: State) -> np.ndarray:
        """What keeps everything closed: rows G with G δ = 0."""
        if self.problem is not None:
            return as_dense(self.problem.evaluate(state)[1][self.rows][:, self.problem.part["q"]])
        if self.system.mechanism.constraints:
            active, places = self.system.active_rows(state, "position")
            return self.system.constraint_matrix(state)[places[active]]
        return np.zeros((0, self.system.mechanism.nu))

    def freedoms(self, state: State, held: Sequence[int] = ()) -> np.ndarray:
        """An orthonormal basis of the motions that keep everything closed, and some mobilities where they are."""
        unit = np.eye(self.system.mechanism.nu)
        G = self.rows_at(state)
        if not len(G):
            return np.delete(unit, list(held), axis=1)
        _, values, V = np.linalg.svd(np.vstack([G, unit[list(held)]]))
        rank = int(np.sum(values > RANK_TOLERANCE * max(values[0], TINY))) if len(values) else 0
        return V[rank:].T


@dataclass(frozen=True)
class Bound:
    """A coordinate between two values: value = (q[place] − offset)/slope, along one mobility."""

    mobility: int
    place: int
    offset: float
    slope: float
    low: float
    high: float

    def value(self, state: State) -> float:
        return float((state.q[self.place] - self.offset) / self.slope)


def bounds_of(system: System, state: State, bounds: Mapping[str, tuple[float, float]]) -> list[Bound]:
    """Bounds of coordinates by name."""
    found = []
    for name, (low, high) in bounds.items():
        if not low <= high:
            raise ModelError(f"{name}: the bounds ({low:g}, {high:g}) are in the wrong order.", name)
        (_, where, at_0), (_, _, at_1) = (system.names_table.place(name, value, state) for value in (0.0, 1.0))
        found.append(Bound(place_of(system, state, name), int(where[0]), float(at_0[0]), float(at_1[0] - at_0[0]),
                           float(low), float(high)))
    return found


class Goals:
    """Weighted gaps r = w (x(q) − target) and their Jacobian along mobilities.

    `gaps` are expressions of the equations' symbols and of `given`, the symbols of the targets; `targets` and `scales`
    may be exchanged from one pose to the next.
    """

    def __init__(self, system: System, gaps: ca.SX, given: ca.SX, names: Sequence[str], closed: Closed,
                 bounds: Sequence[Bound] = ()) -> None:
        self.system, self.closed, self.names, self.bounds = system, closed, list(names), list(bounds)
        self.targets, self.scales, self.damping = np.zeros(given.numel()), np.ones(gaps.numel()), DAMPING_FIRST
        e = system.equations
        delta = ca.SX.sym("delta", system.mechanism.nu)
        N = ca.jacobian(ca.substitute(e.qdot, e.symbols["u"], delta), delta)
        self._parts = ("t", "q", "u", "z", "d", "p")
        inputs = [e.symbols[name] for name in self._parts]
        J = ca.densify(ca.jacobian(gaps, e.symbols["q"]) @ N)
        self._function = ca.Function("goals", [*inputs, given], [gaps, J], {"cse": True})
        # the function reads and writes these arrays as they are
        self._buffer, self._call = self._function.buffer()
        self._arguments = [np.zeros(x.numel()) for x in (*inputs, given)]
        self._gaps, self._slopes = np.zeros(gaps.numel()), np.zeros((J.shape[1], J.shape[0]))
        for k, x in enumerate(self._arguments):
            self._buffer.set_arg(k, memoryview(x))  # type: ignore[call-arg]  # CasADi's stubs count the size as well
        for k, x in enumerate((self._gaps, self._slopes)):
            self._buffer.set_res(k, memoryview(x))  # type: ignore[call-arg]

    @classmethod
    def of(cls, system: System, goals: Mapping[str, object], weights: Mapping[str, float], closed: Closed) -> Goals:
        """Values of variables by name; entries that are NaN do not count."""
        expressions, targets, scales, names = [], [], [], []
        for name, value in goals.items():
            expression = ca.vec(system.expression(name))
            target = target_of(name, value, expression.numel())
            keep = np.flatnonzero(np.isfinite(target))
            if not len(keep) and name not in closed.freed:
                raise ModelError(f"{name}: the goal is NaN, which releases a fixed value, but nothing is fixed "
                                 "there; give numbers, or leave it out.", name)
            expressions += [expression[int(k)] for k in keep]
            targets.append(target[keep])
            names += [name] * len(keep)
            scales.append(np.full(len(keep), float(weights.get(name, 1.0))))
        given = ca.SX.sym("target", len(names))
        found = cls(system, ca.vertcat(ca.SX(0, 1), *expressions) - given, given, names, closed)
        found.targets, found.scales = np.concatenate(targets), np.concatenate(scales)
        return found

    def _evaluate(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        for x, value in zip(self._arguments, [*[getattr(state, name) for name in self._parts], self.targets],
                            strict=True):
            x[:] = value
        self._call()
        return self._gaps * self.scales, self._slopes.T * self.scales[:, None]

    def gap(self, state: State) -> np.ndarray:
        return self._evaluate(state)[0]

    def approach(self, state: State) -> State:
        """Levenberg–Marquardt along the freedoms the loops leave, the loops closed again after each step."""
        damped, before = Damped(self.damping), np.inf

        def trials(there: State, r: np.ndarray, J: np.ndarray) -> Iterator[np.ndarray]:
            Z = self.closed.freedoms(there, self._held(there, J.T @ r))
            for y in damped(r, J @ Z):
                step = self._within(there, Z @ y)
                yield step / max(1.0, float(np.max(np.abs(step))))

        for found in islice(descent(state, self._evaluate, self._moved, trials), GOAL_STEPS + 1):
            size = np.linalg.norm(found[1])
            if before - size < NO_PROGRESS:
                break
            before = size
        return found[0]

    # --- bounds ---

    def clipped(self, state: State) -> State:
        """The state with every coordinate between its bounds."""
        state = state.copy()
        for b in self.bounds:
            state.q[b.place] = b.offset + b.slope * min(max(b.value(state), b.low), b.high)
        return state

    def _held(self, state: State, gradient: np.ndarray) -> list[int]:
        """The mobilities at a bound that the goals push outwards."""
        at = [(b, -1 if b.value(state) <= b.low + AT_BOUND else 1) for b in self.bounds
              if not b.low + AT_BOUND < b.value(state) < b.high - AT_BOUND]
        if not at:
            return []
        unit = np.eye(len(gradient))[[b.mobility for b, _ in at]]
        G = np.vstack([self.closed.rows_at(state), unit])
        push = np.linalg.lstsq(G.T, -gradient, rcond=RANK_TOLERANCE)[0][-len(at):]
        return [b.mobility for (b, side), f in zip(at, push, strict=True) if f * side * b.slope > 0]

    def _within(self, state: State, step: np.ndarray) -> np.ndarray:
        """As much of a step as leads to the first bound."""
        share = 1.0
        for b in self.bounds:
            change = step[b.mobility] / b.slope
            room = (b.high if change > 0 else b.low) - b.value(state)
            if abs(change) > abs(room) and abs(change) > AT_BOUND:
                share = min(share, max(room / change, 0.0))
        return share * step

    def _moved(self, state: State, step: np.ndarray) -> State | None:
        """The state moved and closed again; None where closing would lead farther than the step, to another branch."""
        trial = state.copy()
        trial.q = state.q + self.system.advance(state.q, step)
        self.system.normalise(trial)
        if self.closed.open:
            return trial
        try:
            closed = self.closed.close(trial)
        except AssemblyError:
            return None
        return closed if np.max(np.abs(closed.q - trial.q)) <= np.max(np.abs(step)) + MET else None

    def say_what_remains(self, state: State) -> None:
        """A warning where goals are not met, with the distance from each."""
        off = np.divide(self.gap(state), self.scales, out=np.zeros(len(self.scales)), where=self.scales != 0)
        names = np.array(self.names)
        left = {name: np.linalg.norm(off[names == name]) for name in dict.fromkeys(self.names)}
        missed = [f"{name} by {size:.3g}" for name, size in left.items() if size > MET]
        if missed:
            held = f" with {', '.join(self.closed.names)} as given at the start" if self.closed.names else ""
            warnings.warn(f"goals that are not met{held}: {', '.join(missed)}.", stacklevel=3)
