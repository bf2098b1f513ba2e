"""The motion of a mechanism over a step of fixed length, between the impulses of its contacts.

    u ← u + h u̇(t, q, u)           before them, joint springs and dampers as `system.crowd` says
    q ← q ⊕ h u⁺,  z ← z + h ż      after them; what is given is put where it is given, loops and locks are closed

A motion that is given has the speed of the middle of the step while the step lasts, so that what is held by it goes as
far as it does.  Speeds of free bodies are taken in the axes they have at the beginning of the step, and turned at its
end, so that a ball that rolls fast does not leave the floor for the turning of its own axes.
"""

from __future__ import annotations

import numpy as np

from ..mechanism import Free
from ..system import Crowd, System
from .tolerances import LOOP_CLOSINGS, LOOPS_CLOSED
from .unilateral import Unilateral


class SteppedMotion:
    """Coordinates, speeds and states of an input vector, moved on in place."""

    def __init__(self, system: System, inputs: np.ndarray, locks: Unilateral | None) -> None:
        self.system, self.inputs, self.locks = system, inputs, locks
        parts = system.layout.unpack(inputs)
        self.q, self.u, self.z, self.y = (parts[name] for name in "quzy")
        self._slope, self._rates = np.zeros(system.code.rhs.n_out), np.zeros(len(self.q))
        self._evaluate = system.code.rhs.bind(inputs, self._slope)
        self._rates_of = system.code.qdot.bind(inputs, self._rates)
        bodies = zip(system.mechanism.bodies, *system.mechanism.slices(), strict=True)
        free = [(q.start, u.start) for body, q, u in bodies
                if isinstance(body.mobilizer, Free) and q.start in system.quaternions]
        starts = np.array(free, dtype=int).reshape(-1, 2)
        self._axes, self._free = starts[:, :1] + np.arange(4), starts[:, 1:] + np.arange(6)
        self._unit = np.array(sorted(system.quaternions), dtype=int)[:, None] + np.arange(4)
        self._given = sorted(system.code.given)
        self._middle = self.u[self._given]
        closed_by_locks = {lock.name for lock in system.mechanism.events.locks}
        self._loops = any(r.mode is None or r.name in closed_by_locks for r in system.equations.rows)

    def push(self, h: float, crowd: Crowd) -> np.ndarray:
        """Speeds at the end of a step without impulses, and time there; gives the speeds before."""
        self._evaluate()
        if len(self.y):
            self.y[:] = self._slope[-len(self.y) :]  # where the search for unknowns begins next time
        nq, nu, before = len(self.q), len(self.u), self.u.copy()
        change = h * self._slope[nq : nq + nu]
        if crowd.added.any():
            change -= crowd.give(crowd.added * change + crowd.pull * before)
        self.u += change
        turning, moving = (before[self._free[:, k]] for k in (slice(0, 3), slice(3, 6)))
        self.u[self._free[:, 3:]] += h * cross(turning, moving)
        if self._given:
            self.inputs[0] += h / 2
            self._middle = self.system.code.prescribe(self.inputs)[nq : nq + nu][self._given]
            self.u[self._given] = self._middle
            self.inputs[0] += h / 2
        else:
            self.inputs[0] += h
        return before

    def go(self, h: float) -> None:
        """Coordinates and states at the end of the step, with the speeds that impulses have left."""
        behind = len(self.q) + len(self.u)
        self.z += h * self._slope[behind : behind + len(self.z)]
        axes = self.q[self._axes]
        self.shift(h * self.u)
        self.u[self._free[:, 3:]] = turned(axes, self.q[self._axes], self.u[self._free[:, 3:]])
        self.put_right()

    def seen(self, x: np.ndarray) -> np.ndarray:
        """A copy of the state, with the speeds that motions are given at this time."""
        x, nq, nu = x.copy(), len(self.q), len(self.u)
        if self._given:
            x[nq : nq + nu][self._given] = self.system.code.prescribe(self.inputs)[nq : nq + nu][self._given]
        return x

    def put_right(self) -> None:
        """What is given is where it is given, and loops are closed, in position and speed."""
        nq, nu = len(self.q), len(self.u)
        if self._given:
            x = self.system.code.prescribe(self.inputs)
            self.q[:], self.u[:] = x[:nq], x[nq : nq + nu]
            self.u[self._given] = self._middle
        if not self._loops:
            return
        project = self.system.code.project
        norms = [project.slice_out(name).start for name in ("position_norm", "velocity_norm")]
        for _ in range(LOOP_CLOSINGS):
            x = project(self.inputs)
            self.q[:], self.u[:] = x[:nq], x[nq : nq + nu]
            if x[norms].max() <= LOOPS_CLOSED:
                break
        if self.locks is not None:
            self.locks.hold()

    def shift(self, way: np.ndarray) -> None:
        """q ⊕ way, along the mobilities."""
        kept = self.u.copy()
        self.u[:] = way
        self._rates_of()
        self.u[:] = kept
        self.q += self._rates
        self.q[self._unit] /= np.linalg.norm(self.q[self._unit], axis=1)[:, None]


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a × b, row by row; a tenth of the time of NumPy's."""
    return a[:, _NEXT] * b[:, _LAST] - a[:, _LAST] * b[:, _NEXT]


_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def turned(before: np.ndarray, after: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors in axes `before` (unit quaternions, one row each) in axes `after`."""
    # δ = before⁻¹ after, and v ← δ⁻¹ v δ
    w = np.einsum("ij,ij->i", before, after)[:, None]
    a, b = before[:, 1:], after[:, 1:]
    d = before[:, :1] * b - after[:, :1] * a - cross(a, b)
    once = cross(d, vectors)
    return vectors - 2 * w * once + 2 * cross(d, once)
