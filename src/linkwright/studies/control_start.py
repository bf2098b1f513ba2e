"""Where a plan begins: as the model does, but for what is said; loops are closed around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler import number
from ..errors import ModelError, unknown_name
from ..system import System, split_entry


class Beginning:
    """The state at the start, which of its entries are free, and ranges of others.

    `start` holds a number, a range or None (free) by name.  In a loop everything depends on everything: where a
    coordinate of one is free, so are the others that nobody gave a number.
    """

    def __init__(self, system: System, start: Mapping[str, Any]):
        self.system, self.start, self.state = system, start, system.state()
        self._given: dict[str, tuple[str, np.ndarray]] = {}  # name → (part, places in it)
        for name, given in start.items():
            whole, _ = split_entry(name, system.names_table)
            if whole not in system.names_table:
                raise unknown_name(name, system.names, "the model (start=)")
            value = None if given is None or isinstance(given, (tuple, list)) else finite(f"start: {name}", given)
            if whole != name:
                continue  # an entry of a vector is a row of its own
            try:
                part, places, _ = system.names_table.place(name, 0.0, self.state)
            except ModelError:
                if value is None:
                    raise
                continue  # what follows from others too
            if part in "quz":
                self._given[name] = part, places
            if value is not None:
                self.state.set(name, value)
        if system.mechanism.constraints:
            self.state = system.assemble(self.state, self._weights())

    def _weights(self) -> np.ndarray:
        """Infinite for mobilities whose start was given as a number."""
        weights = np.ones(self.system.mechanism.nu)
        for name, (part, places) in self._given.items():
            if self._is_number(name):
                weights[self._mobilities(part, places)] = np.inf
        return weights

    def _is_number(self, name: str) -> bool:
        return self.start[name] is not None and not isinstance(self.start[name], (tuple, list))

    def _mobilities(self, part: str, places: np.ndarray) -> list[int]:
        """The mobilities to which entries of q or u belong."""
        if part != "q":
            return [int(k) for k in places] if part == "u" else []
        out = []
        for qs, us in zip(*self.system.mechanism.slices(), strict=True):
            plain = qs.stop - qs.start == us.stop - us.start
            for k in places:
                if qs.start <= k < qs.stop:
                    out += [us.start + int(k) - qs.start] if plain else list(range(us.start, us.stop))
        return out

    def free(self, back: Sequence[str]) -> np.ndarray:
        """Which entries of (q, u, z) are free: those named so, and those that come `back` from the end by a formula."""
        m = self.system.mechanism
        starts = {"q": 0, "u": m.nq, "z": m.nq + m.nu}
        out, fixed = np.zeros(m.nq + m.nu + len(self.state.z), dtype=bool), np.zeros(m.nq + m.nu, dtype=bool)
        bound = set(self.system.equations.constraint_matrix.sparsity().get_col())
        for name, (part, places) in self._given.items():
            if self._is_number(name) and part != "z":
                fixed[starts[part] + places] = True
        for name, (part, places) in self._given.items():
            if self._is_number(name):
                continue
            out[starts[part] + places] = True
            if part in "qu" and bound.intersection(self._mobilities(part, places)):
                out[self._in_loops(part, bound)] = True
        out[: len(fixed)] &= ~fixed
        return out

    def _in_loops(self, part: str, bound: set[int]) -> list[int]:
        m = self.system.mechanism
        size, first = (m.nq, 0) if part == "q" else (m.nu, m.nq)
        return [first + k for k in range(size) if bound.intersection(self._mobilities(part, np.array([k])))]

    def limits(self) -> dict[str, tuple[float, float]]:
        """Ranges of what is free, and values of what is no state."""
        out = {}
        for name, given in self.start.items():
            if isinstance(given, (tuple, list)):
                out[name] = value_range(f"start: {name}", given)
            elif given is not None and name not in self._given:
                out[name] = (finite(f"start: {name}", given),) * 2
        return out


def finite(said: str, given: object) -> float:
    """A number that is one."""
    if not np.isfinite(value := number(said, given)):
        raise ModelError(f"{said} = {given!r}: a finite number is needed.")
    return value


def value_range(said: str, given: object) -> tuple[float, float]:
    """(low, high), None for a side that is open."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ModelError(f"{said} = {given!r}: give a range (low, high); None leaves a side open.")
    low, high = (sign * np.inf if x is None else number(said, x) for x, sign in zip(given, (-1.0, 1.0), strict=True))
    if not low <= high:
        raise ModelError(f"{said} = {given!r}: low must not be greater than high.")
    return low, high
