"""Assembly with goals: coordinates that close the loops and come as near as possible to what is wanted."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence

import casadi as ca
import numpy as np

from ..compiler import beginning, system_of
from ..errors import AssemblyError, ModelError
from ..start import StartProblem, count_turns, start_tangents
from ..system import State, System
from ..system.least_norm import as_dense
from ..system.tangents import with_changes, with_tangents
from .sensitivities import columns_of, refuse_unknown_derivatives, tunable
from .tolerances import (
    ATTEMPTS,
    BETTER,
    DAMPING_FIRST,
    DAMPING_LEAST,
    DAMPING_MOST,
    GOAL_STEPS,
    MET,
    NO_PROGRESS,
    RANK_TOLERANCE,
    SIDESTEP,
    TINY,
)


def assemble(model: object, near: State | None = None, goals: Mapping[str, object] | None = None,
             weights: Mapping[str, float] | None = None, sensitivities: str | Sequence[str] | None = None) -> State:
    """A state whose loops are closed, near a given one (default: the initial state), goals met by least squares.

    `goals` are values of position variables by name (`{"hand.r_0": [1, 0, 0], "elbow.phi": 0.4}`; entries that are
    NaN do not count), `weights` say how much each matters.  From the initial state, coordinates that the model fixes
    stay as they are given, unless a goal names them (NaN frees one and asks nothing of it); from a state given as
    `near` everything may move.  Loops that cannot be closed raise AssemblyError with the residual of each; goals that
    cannot be met are met as nearly as possible, and a warning says what distance remains.

    `sensitivities` names parameters, inputs and start values that the state is differentiated by, goals staying met and
    what nothing asks for moving as little as possible: `state.sensitivity("rev2.phi", "crank.r[0]")`.
    """
    if sensitivities is not None:
        system, wanted = tunable(model, sensitivities)
        return _differentiated(system, assemble(system, near, goals, weights), near is None, goals or {}, wanted)
    system = system_of(model)
    state = beginning(system, near)
    if goals is not None and not isinstance(goals, Mapping):
        raise ModelError(f'goals: give values by name, such as {{"rev.phi": 0.3}}, not {goals!r}.')
    if not goals:
        return _finished(system, system.assemble(state))
    closed = _Closed(system, () if near is not None else set(goals))
    problem = _Goals(system, goals, weights or {}, closed)
    random, best, cost = np.random.default_rng(0), None, np.inf
    for attempt in range(ATTEMPTS):
        trial = state.copy()
        if attempt:
            # a goal that was not met may be met from the side
            aside = random.normal(scale=SIDESTEP * attempt, size=system.mechanism.nu)
            trial.q = trial.q + system.advance(trial.q, aside)
            system.normalise(trial)
        try:
            trial = problem.approach(closed.close(trial))
        except AssemblyError:
            if attempt:
                continue  # the side was too far away
            raise
        found = float(np.linalg.norm(problem.gap(trial)))
        if found < cost * (1 - BETTER):
            best, cost = trial, found
        if cost < MET / 10:
            break
    problem.say_what_remains(best)
    return _finished(system, best)


def _differentiated(system: System, state: State, own: bool, goals: Mapping[str, object],
                    wanted: Sequence[str]) -> State:
    """The state that knows how it changes."""
    refuse_unknown_derivatives(system)
    columns = [column for name in wanted for column in columns_of(system, state, name)]
    kept, met = {}, []
    for name, value in goals.items():
        expression = ca.vec(system.expression(name))
        target = _target(name, value, expression.numel())
        keep = [int(k) for k in np.flatnonzero(np.isfinite(target))]
        kept[name] = expression[keep] if keep else ca.SX(0, 1)
        met.append(np.abs(np.ravel(state.get(name), order="F")[keep] - target[keep]).max(initial=0.0) <= 10 * MET)
    if not all(met):
        raise ModelError("goals that are not met have no derivative here; leave out what contradicts them, or "
                         "sensitivities.")
    tangents = with_tangents(system, columns, [1.0] * len(columns)).equations
    return with_changes(system, state, columns, start_tangents(system, tangents.kept, columns, state, own, kept))


def _finished(system: System, state: State) -> State:
    state = system.assemble(state)
    count_turns(system, state)
    return state


def _target(name: str, value: object, size: int) -> np.ndarray:
    """The numbers of a goal, one for every entry; one number stands for all of them."""
    try:
        target = np.ravel(np.asarray(value, dtype=float), order="F")
    except (TypeError, ValueError):
        raise ModelError(f"{name}: a goal is made of numbers, got {value!r}.", name) from None
    if target.size not in (1, size) or np.any(np.isinf(target)):
        raise ModelError(f"{name}: the goal needs {size} finite numbers (NaN where nothing is asked), got {value!r}.",
                         name)
    return np.broadcast_to(target, (size,))


class _Closed:
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

    def freedoms(self, state: State) -> np.ndarray:
        """An orthonormal basis of the motions that keep everything closed."""
        nu = self.system.mechanism.nu
        if self.problem is not None:
            G = as_dense(self.problem.evaluate(state)[1][self.rows][:, self.problem.part["q"]])
        elif self.system.mechanism.constraints:
            active, places = self.system.active_rows(state, "position")
            G = self.system.constraint_matrix(state)[places[active]]
        else:
            return np.eye(nu)
        _, values, V = np.linalg.svd(G)
        rank = int(np.sum(values > RANK_TOLERANCE * max(values[0], TINY))) if len(values) else 0
        return V[rank:].T


class _Goals:
    """The weighted gaps r(q) and their Jacobian along mobilities."""

    def __init__(self, system: System, goals: Mapping[str, object], weights: Mapping[str, float],
                 closed: _Closed) -> None:
        self.system, self.closed, self.names = system, closed, []
        e = system.equations
        expressions, targets, scales = [], [], []
        for name, value in goals.items():
            expression = ca.vec(system.expression(name))
            target = _target(name, value, expression.numel())
            keep = np.flatnonzero(np.isfinite(target))
            if not len(keep) and name not in closed.freed:
                raise ModelError(f"{name}: the goal is NaN, which asks nothing, and nothing is fixed there that it "
                                 "could free; give numbers, or leave it out.", name)
            expressions += [expression[int(k)] for k in keep]
            targets.append(target[keep])
            self.names += [name] * len(keep)
            scales.append(np.full(len(keep), float(weights.get(name, 1.0))))
        self.scales = np.concatenate(scales)
        r = (ca.vertcat(ca.SX(0, 1), *expressions) - np.concatenate(targets)) * self.scales
        delta = ca.SX.sym("delta", system.mechanism.nu)
        N = ca.jacobian(ca.substitute(e.qdot, e.symbols["u"], delta), delta)
        self._parts = ("t", "q", "u", "z", "d", "p")
        inputs = [e.symbols[name] for name in self._parts]
        self._function = ca.Function("goals", inputs, [r, ca.densify(ca.jacobian(r, e.symbols["q"]) @ N)])

    def _evaluate(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        r, J = self._function(*[ca.DM(getattr(state, name)) for name in self._parts])
        return np.array(r).ravel(), np.array(J)

    def gap(self, state: State) -> np.ndarray:
        return self._evaluate(state)[0]

    def approach(self, state: State) -> State:
        """Levenberg–Marquardt along the freedoms the loops leave, the loops closed again after each step."""
        damping = DAMPING_FIRST
        r, J = self._evaluate(state)
        for _ in range(GOAL_STEPS):
            Z = self.closed.freedoms(state)
            JZ = J @ Z
            gradient = JZ.T @ r
            if np.max(np.abs(gradient), initial=0.0) < NO_PROGRESS:
                break
            while damping < DAMPING_MOST:
                y = -np.linalg.solve(JZ.T @ JZ + damping * np.eye(Z.shape[1]), gradient)
                step = Z @ y
                step /= max(1.0, float(np.max(np.abs(step))))
                trial = self._moved(state, step)
                if trial is not None:
                    new_r, new_J = self._evaluate(trial)
                    if np.linalg.norm(new_r) < np.linalg.norm(r):
                        break
                damping *= 4
            else:
                break
            done = np.linalg.norm(r) - np.linalg.norm(new_r) < NO_PROGRESS
            state, r, J, damping = trial, new_r, new_J, max(damping / 10, DAMPING_LEAST)
            if done:
                break
        return state

    def _moved(self, state: State, step: np.ndarray) -> State | None:
        """The state moved and closed again; None where closing would lead farther than the step, to another branch."""
        trial = state.copy()
        trial.q = state.q + self.system.advance(state.q, step)
        self.system.normalise(trial)
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
