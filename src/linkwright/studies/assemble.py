"""Assembly with goals: coordinates that close the loops and come as near as possible to what is wanted."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from ..system import State
from .initial import count_turns
from .translate import translate

ITERATIONS = 100
ATTEMPTS = 8


def assemble(model, near: State | None = None, goals: Mapping[str, object] | None = None,
             weights: Mapping[str, float] | None = None) -> State:
    """A state whose loops are closed, near a given one (default: the initial state), goals met by least squares.

    `goals` are values of position variables by name (`{"hand.r_0": [1, 0, 0], "elbow.phi": 0.4}`; entries that are
    NaN do not count), `weights` say how much each matters.  Loops that cannot be closed raise AssemblyError with the
    residual of each; goals that cannot be met are met as nearly as possible.
    """
    system = translate(model)
    state = (system.state() if near is None else near).copy()
    if not goals:
        return _finished(system, system.assemble(state))
    problem = _Goals(system, goals, weights or {}, state)
    random, best, cost = np.random.default_rng(0), None, np.inf
    for attempt in range(ATTEMPTS):
        trial = state.copy()
        if attempt:
            # a goal that was not met may be met from the side
            trial.q = trial.q + system.advance(trial.q, random.normal(scale=0.3 * attempt, size=system.mechanism.nu))
            system.normalise(trial)
        trial = problem.approach(system.assemble(trial))
        found = float(np.linalg.norm(problem.gap(trial)))
        if found < cost * (1 - 1e-6):
            best, cost = trial, found
        if cost < 1e-9:
            break
    return _finished(system, best)


def _finished(system, state: State) -> State:
    state = system.assemble(state)
    count_turns(system, state)
    return state


class _Goals:
    """The weighted gaps r(q) and their Jacobian along mobilities."""

    def __init__(self, system, goals, weights, state):
        self.system = system
        e = system.equations
        expressions, targets, scales = [], [], []
        for name, value in goals.items():
            expression = ca.vec(system.expression(name))
            target = np.broadcast_to(np.ravel(np.asarray(value, dtype=float), order="F"), (expression.numel(),))
            keep = np.flatnonzero(np.isfinite(target))
            expressions.append(expression[list(map(int, keep))])
            targets.append(target[keep])
            scales.append(np.full(len(keep), float(weights.get(name, 1.0))))
        r = (ca.vertcat(*expressions) - np.concatenate(targets)) * np.concatenate(scales)
        delta = ca.SX.sym("delta", system.mechanism.nu)
        N = ca.jacobian(ca.substitute(e.qdot, e.symbols["u"], delta), delta)
        self._parts = ("t", "q", "u", "z", "d", "p")
        inputs = [e.symbols[name] for name in self._parts]
        self._function = ca.Function("goals", inputs, [r, ca.densify(ca.jacobian(r, e.symbols["q"]) @ N)])

    def _evaluate(self, state):
        r, J = self._function(*[ca.DM(getattr(state, name)) for name in self._parts])
        return np.array(r).ravel(), np.array(J)

    def gap(self, state) -> np.ndarray:
        return self._evaluate(state)[0]

    def approach(self, state: State) -> State:
        """Levenberg–Marquardt along the freedoms the loops leave, the loops closed again after each step."""
        system, damping = self.system, 1e-3
        r, J = self._evaluate(state)
        for _ in range(ITERATIONS):
            Z = self._freedoms(state)
            JZ = J @ Z
            gradient = JZ.T @ r
            if np.max(np.abs(gradient), initial=0.0) < 1e-14:
                break
            while damping < 1e12:
                y = -np.linalg.solve(JZ.T @ JZ + damping * np.eye(Z.shape[1]), gradient)
                step = Z @ y
                step /= max(1.0, float(np.max(np.abs(step))))
                trial = state.copy()
                trial.q = state.q + system.advance(state.q, step)
                system.normalise(trial)
                trial = system.assemble(trial)
                new_r, new_J = self._evaluate(trial)
                if np.linalg.norm(new_r) < np.linalg.norm(r):
                    break
                damping *= 4
            else:
                break
            done = np.linalg.norm(r) - np.linalg.norm(new_r) < 1e-14
            state, r, J, damping = trial, new_r, new_J, max(damping / 10, 1e-15)
            if done:
                break
        return state

    def _freedoms(self, state) -> np.ndarray:
        """An orthonormal basis of the null space of G."""
        nu = self.system.mechanism.nu
        if not self.system.mechanism.constraints:
            return np.eye(nu)
        active, places = self.system.active_rows(state, "position")
        _, values, V = np.linalg.svd(self.system.constraint_matrix(state)[places[active]])
        rank = int(np.sum(values > 1e-9 * max(values[0], 1e-300))) if len(values) else 0
        return V[rank:].T
