"""Inverse dynamics: the drive forces that make coordinates follow given courses, loops closed."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ..compiler import beginning, system_of
from ..errors import AssemblyError, ModelError
from ..mechanism import TIME
from ..result import TIMES, Table, as_table, as_times
from ..start import count_turns
from ..system import STATE_PARTS, State, System, seek_unknowns
from ..system.event_programs import refresh
from .external_loads import external_forces, generalized
from .freedoms import Tangent, place_of
from .motions import Course, coordinate_names, coordinates_in, smooth_course
from .tolerances import (
    CLOSED_ALONG,
    CLOSING_STEPS,
    CONTRACTION,
    DRIVES_NOTHING,
    LARGEST_STEP,
    NO_SECOND_STEP,
    RANK_TOLERANCE,
    SHORTEST_PART,
    STAYS_OPEN,
    TIME_DIFFERENCE,
    UNBALANCED,
)

#: sixth-order central differences: offsets and weights
STENCIL = ((1, 45 / 60), (2, -9 / 60), (3, 1 / 60))


@dataclass(frozen=True, repr=False)
class Inverse(Table):
    """Drive forces by the name of the coordinate they act on, over `t`, and the states they were computed at."""

    t: np.ndarray
    forces: dict[str, np.ndarray]
    states: list[State]
    udot: np.ndarray

    def columns(self) -> Sequence[str]:
        return ("t / s", *(f"force on {name}" for name in self.forces))

    def rows(self) -> Sequence[Sequence[object]]:
        return [tuple(map(float, row)) for row in zip(self.t, *self.forces.values(), strict=True)]

    def caption(self) -> str:
        return f"inverse dynamics: {len(self.t)} times"

    def __getitem__(self, name: str) -> np.ndarray:
        """The force on a driven coordinate, or any variable along the motion (accelerations are those given)."""
        if name in self.forces:
            return self.forces[name]
        return np.array([state.get(name) for state in self.states])


def inverse_dynamics(model: object, trajectory: object, t: Sequence[float] | np.ndarray | None = None,
                     near: State | None = None, external: object = None, filter: float | None = None) -> Inverse:
    """Compute the forces and torques on the coordinates that a given motion requires.

    `trajectory` gives the motion in one of two forms.  (1) A dict {coordinate: course} at the times `t`; a course is an
    expression of lw.time, a function of time (exactly differentiated if it accepts symbols), or values at these
    times, which are interpolated by a spline.  Give as many coordinates as there are degrees of freedom; the others
    follow from the loops.  (2) A measured motion: a table with a column for each coordinate, its file (.mot, .sto,
    .csv), or the result of lw.inverse_kinematics; coordinates without a column keep their initial values, and `t`
    selects some of its times.

    `external` gives measured forces, as lw.ExternalForce or a file of OpenSim's ExternalLoads.  `filter` is the cut-off
    frequency (Hz) of a low-pass that is applied to the motion before it is differentiated.  Muscles exert no force
    here: the result is the force that they have to provide.

        M u̇ + h = Sᵀ τ − Gᵀ λ + Jᵀ f_external

    >>> lw.inverse_dynamics(m, "walk.mot", external="grf.xml", filter=6.0)["knee_angle_r"]
    """
    system = system_of(model)
    state = beginning(system, near)
    courses, times = _courses(system, state, trajectory, t, filter)
    driven = np.array([place_of(system, state, name) for name in courses], dtype=int)
    values = np.array([[course(time) for course in courses.values()] for time in times]).reshape(len(times), -1, 3)
    states = _Positions(system, state, list(courses.values()), list(courses), driven).at(state, times)
    for found in states:
        seek_unknowns(system, found)
        refresh(system, found)
    along = Along(system, states)
    along.relax()
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
    needed = along.compute("tau", udot=udot) + along.pulled() - generalized(system, along, external_forces(external),
                                                                            times)
    solution = _solved(columns, needed)
    left = np.max(np.abs(np.einsum("tij,tj->ti", columns, solution) - needed), axis=1, initial=0.0)
    if np.any(left > UNBALANCED * (1 + np.max(np.abs(needed), axis=1, initial=0.0))):
        raise ModelError(f"{', '.join(courses)}: these coordinates do not drive every freedom of "
                         f"{system.mechanism.name!r}; give as many as it has ({system.dof}).", *courses)
    for state, u, z in zip(states, along.u, along.parts["z"], strict=True):
        state.u, state.z = u, z
    return Inverse(times, dict(zip(courses, solution.T, strict=False)), states, udot)


def _courses(system: System, state: State, trajectory: object, t: Sequence[float] | np.ndarray | None,
             cutoff: float | None) -> tuple[dict[str, Course], np.ndarray]:
    """Courses of the driven coordinates by name, and the times asked for."""
    tabled = isinstance(trajectory, Mapping) and any(name in trajectory for name in TIMES)
    if isinstance(trajectory, Mapping) and not tabled and t is not None:
        times = as_times(t)
        if not trajectory:
            raise ModelError("inverse: give the coordinates that are driven with their courses, such as "
                             '{"rev.phi": lw.sin(lw.time)}.')
        if cutoff is not None:
            raise ModelError("filter= is for motions in tables; courses are taken as they are given.")
        return {name: _course(name, given, times) for name, given in trajectory.items()}, times
    if isinstance(trajectory, Mapping) and not tabled:
        raise ModelError("inverse: give the coordinates that are driven with their courses and the times, such as "
                         'lw.inverse_dynamics(m, {"rev.phi": lw.sin(lw.time)}, t).')
    table = as_table(trajectory)
    columns = coordinates_in(system, state, table)
    moved = {name: smooth_course(table.t, column, cutoff) for name, column in columns.items()}
    given = {place_of(system, state, name): name for name in columns}
    names, free = coordinate_names(system), Tangent(system, state).q_free
    courses: dict[str, Course] = {}
    for place in free:
        name = given.get(int(place))
        if name is None:
            name = _coordinate_at(system, state, names, int(place))
            value = float(state.get(name))
            moved[name] = lambda time, value=value: (value, 0.0, 0.0)
        courses[name] = moved[name]
    return courses, table.t if t is None else as_times(t)


def _coordinate_at(system: System, state: State, names: Sequence[str], mobility: int) -> str:
    for name in names:
        try:
            if place_of(system, state, name) == mobility:
                return name
        except ModelError:
            continue
    raise ModelError(f"{system.mechanism.name!r} has a joint with a free orientation, whose motion a table of "
                     "coordinates cannot say; take joints with angles (joints.Gimbal).")


def _solved(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Least squares of least norm, at every time."""
    return np.einsum("tij,tj->ti", np.linalg.pinv(matrices, rcond=DRIVES_NOTHING), right)


class _Positions:
    """States with the driven coordinates on their courses and the loops closed, each followed from the one before.

    Between two times the courses are followed in parts, so short that Newton's method closes the loops from the end of
    one to the end of the next with steps that shrink fast: no coordinate goes farther than the motion takes it, and
    none to another branch.
    """

    def __init__(self, system: System, state: State, courses: Sequence[Course],
                 names: Sequence[str], driven: np.ndarray) -> None:
        self.system, self.courses = system, courses
        self.others = np.setdiff1d(np.arange(system.mechanism.nu), driven)
        self.held = np.ones(system.mechanism.nu)
        self.held[driven] = np.inf
        # a coordinate is affine in its entry of q
        settings = []
        for name in names:
            (_, where, at_0), (_, _, at_1) = (system.names_table.place(name, value, state) for value in (0.0, 1.0))
            settings.append((where[0], at_0[0], at_1[0] - at_0[0]))
        where, self.offset, self.slope = (np.array(column) for column in zip(*settings, strict=True))
        self.where = where.astype(int)
        self.residual = system.function(STATE_PARTS, ("position_error", "constraint_matrix"))
        self.active, self.places = system.active_rows(state, "position")
        self.passed: list[State] = []  # all states on the way

    def at(self, state: State, times: np.ndarray) -> list[State]:
        """The states at these times."""
        found = [self._first(state, times[0])]
        self.passed = found[:]
        for before, time in itertools.pairwise(times):
            def path(x: float, start: float = before, length: float = time - before) -> tuple[float, np.ndarray]:
                return start + x * length, self._values(start + x * length)

            # a full turn would close at once, with joints a turn behind
            way = max(abs(course(t)[1] * (time - before)) for course in self.courses for t in (before, time))
            state = self._follow(found[-1], path, way)
            if state is None:
                raise AssemblyError(f"{self.system.mechanism.name}: between t = {before:g} and t = {time:g} the loops "
                                    "cannot follow the courses. Likely: they lead past a dead point, beyond what "
                                    "lengths allow. Give courses within reach.")
            found.append(state)
        count_turns(self.system, *self.passed)
        return found

    def _values(self, time: float) -> np.ndarray:
        return np.array([course(time)[0] for course in self.courses])

    def _first(self, state: State, time: float) -> State:
        """From wherever the state is straight to the first values, or else by assembly."""
        start, end = (state.q[self.where] - self.offset) / self.slope, self._values(time)
        found = self._follow(state, lambda x: (time, start + x * (end - start)), np.max(np.abs(end - start)))
        if found is None:
            found = self.system.assemble(self._put(state, time, end), self.held)
        return found

    def _put(self, state: State, time: float, values: np.ndarray) -> State:
        state = state.copy()
        state.t = float(time)
        state.q[self.where] = self.offset + self.slope * values
        return state

    def _follow(self, state: State, path: Callable[[float], tuple[float, np.ndarray]], way: float) -> State | None:
        """Along a path x ↦ (time, driven coordinates) from 0 to 1, about so long; None where it leads to an end."""
        done, part = 0.0, 1.0
        while done < 1.0:
            part = min(part, LARGEST_STEP / max(way, LARGEST_STEP), 1.0 - done)
            there = self._put(state, *path(done + part))
            if not self.system.mechanism.constraints or self._close(there):
                state, done, part = there, done + part, 2 * part
                self.passed.append(state)
            else:
                part /= 2
                if part < SHORTEST_PART:
                    return None
        return state

    def _close(self, state: State) -> bool:
        """Newton's method from a position near by; False where its steps do not shrink at once."""
        before, first = np.inf, None
        for _ in range(CLOSING_STEPS):
            error, G = self.residual.unchecked(*[getattr(state, part) for part in STATE_PARTS])
            size = np.linalg.norm(error[self.active])
            if size <= CLOSED_ALONG or CLOSED_ALONG * STAYS_OPEN >= size >= before / 2:
                return True
            if not size < before and first is not None:
                return False
            shift = np.zeros(self.system.mechanism.nu)
            shift[self.others] = np.linalg.lstsq(G[self.places[self.active]][:, self.others], -error[self.active],
                                                 rcond=RANK_TOLERANCE)[0]
            longest = np.max(np.abs(shift))
            if longest > (LARGEST_STEP if first is None else max(CONTRACTION * first, NO_SECOND_STEP)):
                return False
            before, first = size, longest if first is None else first
            state.q = state.q + self.system.advance(state.q, shift)
            self.system.normalise(state)
        return False


class Along:
    """Quantities at many states at once; speeds `u` may be written to."""

    def __init__(self, system: System, states: list[State]) -> None:
        self.system, self.first = system, states[0]
        self.parts = {part: np.array([getattr(state, part) for state in states]).reshape(len(states), -1)
                      for part in STATE_PARTS}
        self.u = self.parts["u"]

    def compute(self, *names: str, **more: np.ndarray) -> Any:
        """One array for each name, its first axis the time; `more` gives further inputs of the code."""
        function = self.system.function((*STATE_PARTS, *more), names)
        rows = [*self.parts.values(), *more.values()]
        if not function.iterates:
            return function.batch(*rows)
        values = [function(*row) for row in zip(*rows, strict=True)]
        return np.array(values) if len(names) == 1 else tuple(map(np.array, zip(*values, strict=True)))

    def relax(self) -> None:
        """Fibres of muscles as they are on tendons that do not stretch, and so do not pull."""
        places = {state.name: k for k, state in enumerate(self.system.mechanism.states)}
        z, muscles = self.parts["z"], muscles_of(self.system)
        for name in muscles:
            if f"{name}.f_tendon" in places:
                z[:, places[f"{name}.f_tendon"]] = 0.0
        elastic = [name for name in muscles if f"{name}.l_fiber" in places]
        if elastic:
            z[:, [places[f"{name}.l_fiber"] for name in elastic]] = self.columns(
                f"{name}.l_fiber_rigid" for name in elastic)

    def pulled(self) -> np.ndarray:
        """What the tensions of muscles do on the mobilities: −Σ f ∂l̇/∂u."""
        muscles = muscles_of(self.system)
        if not muscles:
            return np.zeros_like(self.u)
        return np.einsum("tm,tmj->tj", self.columns(f"{name}.f" for name in muscles), self.arms(muscles))

    def columns(self, names: Iterable[str]) -> np.ndarray:
        """(time, name): single numbers by name."""
        names = list(names)
        found = self.compute(*names)
        return np.column_stack([np.ravel(x) for x in (found if len(names) > 1 else (found,))])

    def arms(self, muscles: Sequence[str]) -> np.ndarray:
        """(time, muscle, mobility): −∂l̇/∂u, which is linear in the speeds."""
        nt, nu = self.u.shape
        kept, rates = self.u.copy(), []
        for k in range(nu + 1):
            self.u[:] = np.eye(nu)[k - 1] if k else 0.0
            rates.append(self.columns(f"{name}.v" for name in muscles))
        self.u[:] = kept
        return rates[0][..., None] - np.stack(rates[1:], axis=2).reshape(nt, len(muscles), nu)

    def following(self, driven: np.ndarray) -> np.ndarray:
        """(time, mobility, driven one): how all mobilities move per unit of the driven ones, loops closed."""
        nt, nu = self.u.shape
        Z = np.broadcast_to(np.eye(nu)[:, driven], (nt, nu, len(driven))).copy()
        if self.system.mechanism.constraints:
            others = np.setdiff1d(np.arange(nu), driven)
            active, places = self.system.active_rows(self.first, "acceleration")
            G = self.compute("constraint_matrix")[:, places[active]]
            Z[:, others] = -np.linalg.pinv(G[..., others], rcond=DRIVES_NOTHING) @ G[..., driven]
        return Z


def muscles_of(system: System) -> list[str]:
    """The muscles of a model: what has a tension at full activation."""
    return [name.removesuffix(".f_rigid") for name in system.names if name.endswith(".f_rigid")]


def _course(name: str, given: Any, times: np.ndarray) -> Course:
    """A function of time that gives value, rate and second derivative."""
    if isinstance(given, ca.SX):
        given = _of_time(name, given)
    if not callable(given):
        try:
            values = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            values = np.zeros(0)
        if values.shape != times.shape or len(times) < 6 or not np.all(np.isfinite(values)):
            raise ModelError(f"{name}: give a function or an expression of time, or one value for each of at least six "
                             "times.", name)
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(times, values, k=5)
        return lambda t: (float(spline(t)), float(spline(t, 1)), float(spline(t, 2)))
    symbol = ca.SX.sym("t")
    try:
        with warnings.catch_warnings():  # NumPy's functions of symbols are what is wanted here
            warnings.simplefilter("ignore", FutureWarning)
            value = ca.SX(given(symbol))
        rate = ca.jacobian(value, symbol)
        function = ca.Function("course", [symbol], [value, rate, ca.jacobian(rate, symbol)])
        if all(np.isfinite(float(v)) for v in function(float(times[0]))):
            return lambda t: tuple(float(v) for v in function(t))
    except (TypeError, ValueError, NotImplementedError, RuntimeError):
        pass
    return lambda t: _differences(given, t)


def _of_time(name: str, expression: ca.SX) -> ca.Function:
    """An expression of lw.time as a function of it."""
    others = [s.name() for s in ca.symvar(expression) if not ca.is_equal(s, TIME)]
    if others or expression.numel() != 1:
        said = f"it reads {', '.join(others)}" if others else f"it has {expression.numel()} entries"
        raise ModelError(f"{name}: a course is one expression of lw.time alone; {said}.", name)
    return ca.Function("course", [TIME], [expression])


def _differences(function: Callable[[float], float], t: float,
                 h: float = TIME_DIFFERENCE) -> tuple[float, float, float]:
    """Value and derivatives of a plain Python function by sixth-order central differences."""
    rate = sum(w * (function(t + i * h) - function(t - i * h)) for i, w in STENCIL) / h
    second = (2 * (function(t + 3 * h) + function(t - 3 * h)) - 27 * (function(t + 2 * h) + function(t - 2 * h))
              + 270 * (function(t + h) + function(t - h)) - 490 * function(t)) / (180 * h * h)
    return float(function(t)), float(rate), float(second)
