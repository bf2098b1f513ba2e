"""Inverse dynamics: the drive forces that make coordinates follow given courses, loops closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..system import State
from .initial import count_turns
from .tangent import STENCIL, place_of
from .translate import translate


@dataclass(frozen=True)
class Inverse:
    """Drive forces by the name of the coordinate they act on, over `t`, and the states they were computed at."""

    t: np.ndarray
    forces: dict[str, np.ndarray]
    states: list[State]
    udot: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        """The force on a driven coordinate, or any variable along the motion (accelerations are those given)."""
        if name in self.forces:
            return self.forces[name]
        return np.array([state.get(name) for state in self.states])


def inverse(model, trajectory: Mapping[str, object], t, near: State | None = None) -> Inverse:
    """The forces on the coordinates of `trajectory` that make them follow it.

    A course is a function of time (of lw.time too, then its derivatives are exact) or values at the times `t`, through
    which a spline is laid.  As many coordinates as there are freedoms must be given; the rest follows from the loops.

        M u̇ + h = Sᵀ τ − Gᵀ λ
    """
    system = translate(model)
    times = np.atleast_1d(np.asarray(t, dtype=float))
    courses = {name: _course(name, given, times) for name, given in trajectory.items()}
    state = (system.state() if near is None else near).copy()
    places = {name: place_of(system, state, name) for name in courses}
    driven = np.array(list(places.values()), dtype=int)
    weights = np.ones(system.mechanism.nu)
    weights[driven] = np.inf
    forces = np.zeros((len(times), len(driven)))
    states, accelerations = [], []
    for k, time in enumerate(times):
        state = state.copy()
        state.t = time
        values = np.array([course(time) for course in courses.values()])
        for name, value in zip(courses, values[:, 0], strict=True):
            state.set(name, value)
        state.u[driven] = values[:, 1]
        state = system.assemble(state, weights)
        count_turns(system, state)
        udot = _accelerations(system, state, driven, values[:, 2])
        needed = system.inverse_dynamics(state, udot)
        columns = np.eye(system.mechanism.nu)[:, driven]
        if system.mechanism.constraints:
            columns = np.hstack([columns, -_rows(system, state).T])
        solution, _, _, _ = np.linalg.lstsq(columns, needed, rcond=1e-11)
        left = np.max(np.abs(columns @ solution - needed), initial=0.0)
        if left > 1e-7 * (1 + np.max(np.abs(needed), initial=0.0)):
            raise ModelError(f"{', '.join(courses)}: these coordinates do not drive every freedom of "
                             f"{system.mechanism.name!r}; give as many as it has ({system.dof}).", *courses)
        forces[k] = solution[: len(driven)]
        states.append(state)
        accelerations.append(udot)
    return Inverse(times, dict(zip(courses, forces.T, strict=True)), states, np.array(accelerations))


def _rows(system, state) -> np.ndarray:
    active, places = system.active_rows(state, "acceleration")
    return system.constraint_matrix(state)[places[active]]


def _accelerations(system, state, driven, given) -> np.ndarray:
    """u̇ with the driven entries given and G u̇ = −γ; the free motion says what −γ is."""
    udot = np.zeros(system.mechanism.nu)
    udot[driven] = given
    if not system.mechanism.constraints:
        return udot
    G = _rows(system, state)
    others = np.setdiff1d(np.arange(len(udot)), driven)
    right = G @ system.evaluate(state, "udot") - G[:, driven] @ given
    udot[others] = np.linalg.lstsq(G[:, others], right, rcond=1e-11)[0]
    return udot


def _course(name: str, given, times):
    """A function of time that gives value, rate and second derivative."""
    if not callable(given):
        values = np.asarray(given, dtype=float)
        if values.shape != times.shape or len(times) < 6:
            raise ModelError(f"{name}: give a function of time, or one value for each of at least six times.", name)
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(times, values, k=5)
        return lambda t: (float(spline(t)), float(spline(t, 1)), float(spline(t, 2)))
    symbol = ca.SX.sym("t")
    try:
        value = ca.SX(given(symbol))
        rate = ca.jacobian(value, symbol)
        function = ca.Function("course", [symbol], [value, rate, ca.jacobian(rate, symbol)])
        if all(np.isfinite(float(v)) for v in function(float(times[0]))):
            return lambda t: tuple(float(v) for v in function(t))
    except (TypeError, ValueError, NotImplementedError, RuntimeError):
        pass
    return lambda t: _differences(given, t)


def _differences(function, t: float, h: float = 1e-2):
    """Value and derivatives of a plain Python function by sixth-order central differences."""
    rate = sum(w * (function(t + i * h) - function(t - i * h)) for i, w in STENCIL) / h
    second = (2 * (function(t + 3 * h) + function(t - 3 * h)) - 27 * (function(t + 2 * h) + function(t - 2 * h))
              + 270 * (function(t + h) + function(t - h)) - 490 * function(t)) / (180 * h * h)
    return float(function(t)), float(rate), float(second)
