"""The accepted points of a run, and which inputs, code and method were in force from which point on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .methods import Method
from .record import N_KEPT
from .tolerances import CAPACITY


class Force(NamedTuple):
    """What is in force from the point number `start` on: the tail of the input vector, the code, the method."""

    start: int
    rest: np.ndarray
    code: bytes
    method: Method


class Points:
    """Times, states and carried values of the accepted points, and the interpolants of methods that keep them."""

    def __init__(self, n: int, n_carry: int):
        self._shapes = {"steps_t": (), "steps_x": (n,), "steps_carry": (n_carry,), "steps_dense": (0,)}
        self._kept = N_KEPT * n
        self.arrays = {name: np.empty((CAPACITY, *shape)) for name, shape in self._shapes.items()}
        self.in_force: list[Force] = []

    @property
    def capacity(self) -> int:
        return len(self.arrays["steps_t"])

    def size(self, used: int) -> int:
        """The bytes that so many points take."""
        return used * sum(array[:1].nbytes for array in self.arrays.values())

    def keep_interpolants(self) -> None:
        """Make room for interpolants, from now on."""
        if not self.arrays["steps_dense"].size:
            self._shapes["steps_dense"] = (self._kept,)
            self.arrays = {**self.arrays, "steps_dense": np.empty((self.capacity, self._kept))}

    def make_room(self, used: int, more: int) -> None:
        """Capacity for `more` points after the `used` ones."""
        if used + more + 2 <= self.capacity:
            return
        size = max(4 * self.capacity, used + more + 2)  # copying costs time, unused memory does not
        larger = {name: np.empty((size, *shape)) for name, shape in self._shapes.items()}
        for name in ("steps_t", "steps_x", "steps_carry"):
            larger[name][:used] = self.arrays[name][:used]
        if self.arrays["steps_dense"].size:
            ends = [*(force.start for force in self.in_force[1:]), used]
            for force, end in zip(self.in_force, ends, strict=True):
                if force.method.implicit:
                    larger["steps_dense"][force.start : end + 1] = self.arrays["steps_dense"][force.start : end + 1]
        # in one assignment, so that an interrupt finds either all old arrays or all new ones
        self.arrays = larger

    def forget_all_but_last(self, used: int) -> None:
        """Keep the last point only, which is needed to go on."""
        for array in self.arrays.values():
            array[0] = array[used - 1]
        self.in_force = [last._replace(start=0) for last in self.in_force[-1:]]
