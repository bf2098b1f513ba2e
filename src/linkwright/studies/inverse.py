"""Inverse dynamics: the drive forces that make coordinates follow given courses, loops closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..system import State
from ..system.system import STATE_PARTS
from .initial import count_turns
from .tangent import STENCIL, place_of
from .translate import translate

#: how well loops are closed, in how many steps of Newton's method from the position before, none longer than (rad, m)
TOLERANCE, NEWTON_STEPS, LARGEST_STEP = 1e-13, 12, 0.5


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
    driven = np.array([place_of(system, state, name) for name in courses], dtype=int)
    values = np.array([[course(time) for course in courses.values()] for time in times]).reshape(len(times), -1, 3)
    states = _positions(system, state, times, list(courses), driven, values[..., 0])
    along = _Along(system, states)
    # speeds and accelerations: what is driven as given, the others from G u = −g_t and G u̇ = −γ
    along.u[:, driven] = values[..., 1]
    udot = np.zeros_like(along.u)
    udot[:, driven] = values[..., 2]
    columns = np.broadcast_to(np.eye(system.mechanism.nu)[:, driven], (len(times), system.mechanism.nu, len(driven)))
    if system.mechanism.constraints:
        others = np.setdiff1d(np.arange(system.mechanism.nu), driven)
        (moving, on_velocity), (active, places) = (system.active_rows(state, level)
                                                   for level in ("velocity", "acceleration"))
        velocity_error, G = along.compute("velocity_error", "constraint_matrix")
        along.u[:, others] -= _solved(G[:, on_velocity[moving]][..., others], velocity_error[:, moving])
        G = G[:, places[active]]
        # the free motion says what −γ is
        free = np.einsum("tij,tj->ti", G, along.compute("udot") - udot)
        udot[:, others] = _solved(G[..., others], free)
        columns = np.concatenate([columns, -np.swapaxes(G, 1, 2)], axis=2)
    needed = along.compute("tau", udot=udot)
    solution = _solved(columns, needed)
    left = np.max(np.abs(np.einsum("tij,tj->ti", columns, solution) - needed), axis=1, initial=0.0)
    if np.any(left > 1e-7 * (1 + np.max(np.abs(needed), axis=1, initial=0.0))):
        raise ModelError(f"{', '.join(courses)}: these coordinates do not drive every freedom of "
                         f"{system.mechanism.name!r}; give as many as it has ({system.dof}).", *courses)
    for state, u in zip(states, along.u, strict=True):
        state.u = u
    return Inverse(times, dict(zip(courses, solution.T, strict=False)), states, udot)


def _solved(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Least squares of least norm, at every time."""
    return np.einsum("tij,tj->ti", np.linalg.pinv(matrices, rcond=1e-11), right)


def _positions(system, state: State, times, names, driven, values) -> list[State]:
    """States with the driven coordinates on their courses and the loops closed, each from the one before."""
    state = state.copy()
    others = np.setdiff1d(np.arange(system.mechanism.nu), driven)
    weights = np.ones(system.mechanism.nu)
    weights[driven] = np.inf
    # a coordinate is affine in its entry of q
    settings = []
    for name in names:
        (_, where, at_0), (_, _, at_1) = (system.names_table.place(name, value, state) for value in (0.0, 1.0))
        settings.append((where[0], at_0[0], at_1[0] - at_0[0]))
    where, offset, slope = (np.array(column) for column in zip(*settings, strict=True))
    residual = system.function(STATE_PARTS, ("position_error", "constraint_matrix"))
    active, places = system.active_rows(state, "position")
    found = []
    for time, value in zip(times, values, strict=True):
        state = state.copy()
        state.t = time
        state.q[where.astype(int)] = offset + slope * value
        if system.mechanism.constraints and not _closed(system, state, residual, active, places, others):
            state = system.assemble(state, weights)
        found.append(state)
    count_turns(system, *found)
    return found


def _closed(system, state: State, residual, active, places, others) -> bool:
    """Newton's method from a position near by; False where it does not get there at once."""
    before = np.inf
    for _ in range(NEWTON_STEPS):
        error, G = residual.unchecked(*[getattr(state, part) for part in STATE_PARTS])
        size = np.linalg.norm(error[active])
        if size <= TOLERANCE or TOLERANCE * 1e3 >= size >= before / 2:
            return True
        if not size < before:
            return False
        before, shift = size, np.zeros(system.mechanism.nu)
        shift[others] = np.linalg.lstsq(G[places[active]][:, others], -error[active], rcond=1e-10)[0]
        if np.max(np.abs(shift)) > LARGEST_STEP:
            return False
        state.q = state.q + system.advance(state.q, shift)
        system.normalise(state)
    return False


class _Along:
    """Quantities at many states at once; speeds `u` may be written to."""

    def __init__(self, system, states: list[State]):
        self.system = system
        self.parts = {part: np.array([getattr(state, part) for state in states]).reshape(len(states), -1)
                      for part in STATE_PARTS}
        self.u = self.parts["u"]

    def compute(self, *names: str, **more: np.ndarray):
        """One array for each name, its first axis the time; `more` gives further inputs of the code."""
        function = self.system.function((*STATE_PARTS, *more), names)
        rows = [*self.parts.values(), *more.values()]
        if not function.iterates:
            return function.batch(*rows)
        values = [function(*row) for row in zip(*rows, strict=True)]
        return np.array(values) if len(names) == 1 else tuple(map(np.array, zip(*values, strict=True)))


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
