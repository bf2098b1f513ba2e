"""A run backward: the derivative of a number of its motion by the state, modes and parameters at its start.

Explicit steps are taken backward by compiled code (`backward`), implicit ones by their transposed stage equations
(`implicit_backward`), with the inputs, code and method that were in force; where the caller changed the state, the
matrix of that change is applied, transposed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import SimulationError
from .accepted_points import Force
from .compiled_model import Model, Options
from .driver import Stepper
from .implicit_backward import IMPLICIT, Equations, Stored, pulled_step
from .method_in_use import install
from .record import CODE, FAILED, FUNCTIONS, MAX_STAGES, N_KEPT, OK, PIECE, RESTORE, point_at

CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


class Jump(NamedTuple):
    """A change of the state after the stored point number `point`, which takes tangents S to T S.

    `until` is where the step before it was to end; where that is later than the point, an event cut the step short.
    """

    point: int
    matrix: np.ndarray
    until: float


class Pulls(NamedTuple):
    """Code of a model without tangents, by the names that steppers know, and the transposed code that goes with it:
    addresses of "rhs", "project", "prescribe", which read (t, x, rest, μ, w)."""

    functions: Mapping[str, int]
    transposed: Mapping[str, int]
    n_work: int


class Asked(NamedTuple):
    """What is asked of the motion at a time: the derivative of a number by (x, d, p) there."""

    time: float
    cotangent: np.ndarray


class Adjoint:
    """The stored steps of a run of a model with one column of tangents behind its state, backward.

    run      the stepper, all its steps kept
    model    the same model without tangents
    code     gives the code without tangents for the code that was in force, by the address of its right-hand side
    height   length of a column (x, d, p), d and p being those that a column changes
    """

    def __init__(self, run: Stepper, model: Model, code: Callable[[int], Pulls], height: int):
        self.run, self.model, self.code, self.height = run, model, code, height
        self._count, n = len(run.steps_t), model.n
        start = np.concatenate([run.inputs[: 1 + n], np.zeros(model.n_in - 1 - n)])
        self._plain = Stepper("dopri5", model, start, Options(run.accuracy))  # memory; steps are by what was in force
        # unknowns have multipliers
        n_in = model.n_in + len(model.carry[1]) + n
        self._r, self._inputs = self._plain._r, np.zeros(n_in)
        self._points = {"steps_t": run.steps_t.copy(), "steps_x": np.ascontiguousarray(run.steps_x[:, :n]),
                        "steps_carry": np.ascontiguousarray(run._points.arrays["steps_carry"][: self._count,
                                                                                              : len(model.carry[1])])}
        self._rows = {"stages": np.zeros((MAX_STAGES + 1, n)), "slopes": np.zeros((MAX_STAGES, n)),
                      "rows": np.zeros((4, n)), "inp": self._inputs, "out": np.zeros(height), "total": np.zeros(height)}
        self._plain._point()
        point_at(self._r.at, **self._points)
        self._r.at.capacity = self._count
        self._begin()

    def _begin(self) -> None:
        from .backward import BACK, backward
        from .jit import addresses, load

        self._memory, self._b = BACK.new()
        self._b.put(**addresses(record=self._plain._memory, **self._rows), n_in=len(self._inputs),
                    w_at=len(self._inputs) - self.model.n, height=self.height)
        self._sweep = PIECE(load(backward).address)

    def to_start(self, asked: Sequence[Asked], jumps: Sequence[Jump]) -> np.ndarray:
        """The derivative by (x, d, p) at the start of the run, of a number that is asked for at some times."""
        times, total = self._points["steps_t"], self._rows["total"]
        total[:] = 0.0
        inside: list[tuple[int, Asked]] = []  # by the number of the point at the end of their step
        at_points: list[tuple[int, Asked]] = []
        for one in asked:
            place = int(np.searchsorted(times, one.time, side="left"))
            (at_points if times[place] == one.time else inside).append((place, one))
        inside.sort(key=lambda found: found[1].time)
        forces = self.run._points.in_force
        marks = {0, *(force.start for force in forces), *(max(jump.point, 0) for jump in jumps),
                 *(place for place, _ in at_points), *(place for place, _ in inside)}
        last = max((place for place, _ in (*at_points, *inside)), default=0)
        ends = sorted({mark for mark in marks if mark < last} | {last}, reverse=True)
        for end, first in zip(ends, [*ends[1:], None], strict=True):
            if end < last:
                self._across(end, jumps, any(force.start == end for force in forces))
            for place, one in at_points:
                if place == end:
                    total += one.cotangent
            within = [one for place, one in inside if place == end]
            for one in within:
                total[self.model.n :] += one.cotangent[self.model.n :]
            if first is not None:
                until = max((jump.until for jump in jumps if jump.point == end), default=-np.inf)
                self._steps(first, end, until, within)
        if last == 0:
            self._across(0, jumps, True)
        return total.copy()

    def _across(self, point: int, jumps: Sequence[Jump], restarts: bool) -> None:
        """Through a restart of the run: the changes that the caller made, and the projection after them."""
        here, total = [jump for jump in jumps if max(jump.point, 0) == point], self._rows["total"]
        times = self._points["steps_t"]
        if here or restarts:
            after = point
            while after + 1 < self._count and times[after + 1] == times[point]:
                after += 1
            self._onto_manifold(after, self._force(point))
        for jump in reversed(here):
            total[:] = jump.matrix.T @ total

    def _onto_manifold(self, point: int, force: Force) -> None:
        """Through a projection of the state at a point."""
        code, n, total = self._install(force), self.model.n, self._rows["total"]
        pulled = self._from_manifold(code, self._points["steps_t"][point], self._points["steps_x"][point], total[:n])
        total[:n] = pulled[:n]
        total[n:] += pulled[n:]

    def _from_manifold(self, code: Pulls, t: float, x: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """From the derivative by a point on the manifold to that by the point before projection, and by (d, p)."""
        n = self.model.n
        out = np.concatenate([asked, np.zeros(self.height - n)])
        for name in ("project", "prescribe"):
            if code.transposed.get(name):
                found = self._pull(code.transposed[name], t, x, out[:n])
                out[:n] = found[:n]
                out[n:] += found[n:]
        return out

    def _pull(self, address: int, t: float, x: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Transposed code at a point."""
        n, inputs, out = self.model.n, self._inputs, np.zeros(self.height)
        inputs[0], inputs[1 : 1 + n], inputs[-n:] = t, x, w
        CALL(address)(inputs.ctypes.data, out.ctypes.data, self._plain._work.ctypes.data)
        return out

    def _force(self, point: int) -> Force:
        """Inputs, code and method of the steps from a point on."""
        return [force for force in self.run._points.in_force if force.start <= point][-1]

    def _install(self, force: Force) -> Pulls:
        """Give the stepper without tangents the inputs, code and method of those steps."""
        r, view, plain = self._r, CODE.view.from_buffer_copy(force.code), self._plain
        found = self.code(view.rhs)
        r.code.put(**{name: int(found.functions.get(name) or 0) for name in FUNCTIONS}, every_stage=view.every_stage,
                   tolerance=view.tolerance)
        if force.method.name not in IMPLICIT:
            install(r, force.method, plain._methods.own(force.method))
        rest = force.rest[: self.model.n_in - 1 - self.model.n]
        for inputs in (plain._in, self._inputs):
            inputs[1 + self.model.n : 1 + self.model.n + len(rest)] = rest
        plain.reserve(found.n_work)
        point_at(r.at, work=plain._work)
        self._b.put(work=plain._work.ctypes.data, **{name: int(found.transposed.get(name) or 0)
                                                     for name in ("rhs", "project", "prescribe")})
        return found

    def _steps(self, first: int, last: int, until: float, asked: Sequence[Asked]) -> None:
        """The steps between two points."""
        force = self._force(first)
        code = self._install(force)
        if force.method.name in IMPLICIT:
            for k in range(last - 1, first - 1, -1):
                ends = k == last - 1
                self._implicit_step(code, force.method.name, k, until if ends else -np.inf, asked if ends else ())
            return
        times = np.array([one.time for one in asked])
        rows = np.ascontiguousarray([one.cotangent[: self.model.n] for one in asked], dtype=float)
        self._b.put(asked_t=times.ctypes.data, asked=rows.ctypes.data, first=first, last=last, n_asked=len(asked),
                    until=until)
        if self._sweep(self._memory.ctypes.data, 0) == FAILED:
            raise SimulationError("a stored step could not be repeated to go backward.",
                                  time=float(self._points["steps_t"][last]))

    def _implicit_step(self, code: Pulls, method: str, k: int, until: float, asked: Sequence[Asked]) -> None:
        """One implicit step, with the numbers asked for inside it; an event may have cut it short."""
        n, total, times = self.model.n, self._rows["total"], self._points["steps_t"]
        t0, t1, found = times[k], times[k + 1], IMPLICIT[method]
        if t1 <= t0:
            return
        for inputs in (self._plain._in, self._inputs):
            inputs[list(self.model.carry[1])] = self._points["steps_carry"][k]
        until = max(until, t1)
        step = Stored(t0, self._points["steps_x"][k], t1, self._points["steps_x"][k + 1], until,
                      self._guesses(k, found.c * (until - t0) / (t1 - t0)))
        between = [(one.time, self.run.dense(one.time)[:n], one.cotangent[:n]) for one in asked]
        equations = Equations(lambda t, x: self._slope(code, t, x), lambda t, x: self._transposed(code, t, x),
                              lambda t, x, w: self._pull(code.transposed["rhs"], t, x, w), self._manifold,
                              lambda t, x, w: self._from_manifold(code, t, x, w))
        pulled = pulled_step(found, equations, step, total[:n], between)
        total[:n] = pulled[:n]
        total[n:] += pulled[n:]

    def _guesses(self, k: int, parts: np.ndarray) -> np.ndarray:
        """States at fractions of step k by its stored interpolant, beyond its end where an event cut it short."""
        n, x0, x1 = self.model.n, *self._points["steps_x"][k : k + 2]
        rows, s = np.zeros((N_KEPT, n)), parts[:, None]
        if len(kept := self.run._points.arrays["steps_dense"][k + 1]):
            rows = kept.reshape(N_KEPT, -1)[:, :n]
        return x0 + s * (x1 - x0 + (1 - s) * (rows[0] + s * (rows[1] + (1 - s) * rows[2])))

    def _manifold(self, t: float, x: np.ndarray) -> np.ndarray:
        """A state brought onto the manifold."""
        n, inputs, r = self.model.n, self._plain._in, self._r
        inputs[0], inputs[1 : 1 + n] = t, x
        if PIECE(r.pieces.manifold)(self._plain._memory.ctypes.data, RESTORE) != OK:
            raise SimulationError("a stored step could not be repeated to go backward.", time=float(t))
        return inputs[1 : 1 + n].copy()

    def _slope(self, code: Pulls, t: float, x: np.ndarray) -> np.ndarray:
        """f at a stage."""
        n, inputs, work = self.model.n, self._plain._in, self._plain._work.ctypes.data
        inputs[0], inputs[1 : 1 + n], out = t, x, np.zeros(max(self.model.width, n + 3, self.model.n_out))
        if code.functions.get("prescribe"):
            CALL(code.functions["prescribe"])(inputs.ctypes.data, out.ctypes.data, work)
            inputs[1 : 1 + n] = out[:n]
        CALL(code.functions["rhs"])(inputs.ctypes.data, out.ctypes.data, work)
        return out[:n].copy()

    def _transposed(self, code: Pulls, t: float, x: np.ndarray) -> np.ndarray:
        """Jᵀ and ∂f/∂(d, p)ᵀ at a stage, a reverse sweep for each column."""
        n, columns = self.model.n, []
        for unit in np.eye(self.model.n):
            found = self._pull(code.transposed["rhs"], t, x, unit)
            if code.transposed.get("prescribe"):
                given = self._pull(code.transposed["prescribe"], t, x, found[:n])
                found = np.concatenate([given[:n], found[n:] + given[n:]])
            columns.append(found)
        return np.array(columns).T
