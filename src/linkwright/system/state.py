"""The state of a system, with what has been computed from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import ModelError
from .entries import entry_of_array, split_entry
from .first_guesses import seek_unknowns
from .stage import DEPENDS, Stage

if TYPE_CHECKING:
    from ..algebra import VectorLike
    from .system import System

PARTS = ("q", "u", "z", "p", "d", "y")


class Changes(Protocol):
    """How a state changes with parameters."""

    def of(self, output: str, parameter: str) -> np.ndarray: ...


class State:
    """The state of a model: time t, coordinates q, speeds u, other states z, parameters p, discrete variables d.

    Further, y holds guesses of the implicit unknowns.  You may write into the arrays: computed quantities are cached,
    and computed again once a value they depend on has changed.

    >>> s = system.state()                               # an lw.State
    >>> s.set("rev.phi", 0.3)
    >>> s.get("rev.phi")
    0.3
    """

    q: np.ndarray
    u: np.ndarray
    z: np.ndarray
    p: np.ndarray
    d: np.ndarray
    y: np.ndarray

    def __init__(self, system: System, t: float, **parts: np.ndarray) -> None:
        self.system = system
        self.t = t
        self._parts: dict[str, np.ndarray] = {}
        self._cache: dict[str, tuple[Stage, object]] = {}
        self._seen: dict[str, np.ndarray] = {}
        self.changes: Changes | None = None  # how it changes, where a study has found that; copies know nothing of it
        self._started: tuple[np.ndarray, ...] | None = None  # t, q, u, z of the start that it is
        for name in PARTS:
            self._parts[name] = np.array(parts[name], dtype=float)

    def __repr__(self) -> str:
        return f"State(t={self.t:g}, q={self.q}, u={self.u}{f', z={self.z}' if len(self.z) else ''})"

    def copy(self) -> State:
        """A copy with the same values."""
        other = State(self.system, self.t, **{name: self._parts[name].copy() for name in PARTS})
        other._started = self._started
        return other

    def __reduce__(self) -> tuple:
        return _state, (self.system, self.t, dict(self._parts), self._started)

    def as_start(self) -> State:
        """The state, known as the start of its system until it is moved; gives it back."""
        self._started = self._place()
        return self

    def forget_start(self) -> None:
        """From now on it is taken as it is, wherever it stands."""
        self._started = None

    @property
    def begins(self) -> bool:
        """Whether it is the start of its system, and time, coordinates, speeds and states are as they were found.

        Studies that begin with it search for the start again where parameters or inputs were set since.
        """
        return self._started is not None and all(map(np.array_equal, self._started, self._place()))

    def _place(self) -> tuple[np.ndarray, ...]:
        return np.array(self.t), *(self._parts[name].copy() for name in "quz")

    def set(self, name: str, value: object) -> State:
        """Set a coordinate, speed, state or tunable parameter by name, and return the state."""
        part, where, values = self.system.names_table.place(name, value, self)
        self._parts[part][where] = values
        if part == "q":
            seek_unknowns(self.system, self)
        return self

    def get(self, name: str) -> Any:
        """The value of any variable ("rev.tau"), one entry of it ("body.r_0[1]"), or a quantity ("kinetic_energy")."""
        whole, place = split_entry(name, self.system.names_table)
        if not place or whole not in self.system.names_table:
            return self.system.evaluate(self, name)
        return entry_of_array(name, np.asarray(self.get(whole)), place)

    def sensitivity(self, output: str, parameter: str) -> np.ndarray:
        """Derivative of any variable by a parameter, for a state that a study found with `sensitivities=`.

        It has the shape of the variable; the entries of a vector parameter follow along a last axis.
        """
        if self.changes is None:
            raise ModelError(f"the state was not differentiated by {parameter}; name it in the study that "
                             f"finds the state, equilibrium(m, sensitivities=[{parameter!r}]).")
        return self.changes.of(output, parameter)

    @property
    def stage(self) -> Stage:
        """The highest stage whose results are still valid."""
        self.forget_outdated()
        reached = [stage for stage, _ in self._cache.values()]
        return max(reached, default=Stage.INSTANCE)

    def forget_outdated(self) -> None:
        """Drop what depends on values changed since it was computed."""
        lowest = None
        for name, stage in DEPENDS.items():
            now = self.t if name == "t" else self._parts[name]
            if name in self._seen and not np.array_equal(self._seen[name], now):
                lowest = stage if lowest is None else min(lowest, stage)
            self._seen[name] = np.array(now)
        if lowest is not None:
            self._cache = {key: item for key, item in self._cache.items() if item[0] < lowest}

    def cached(self, key: str) -> Any:
        """A kept result, or None; call `forget_outdated` first."""
        item = self._cache.get(key)
        return None if item is None else item[1]

    def keep(self, key: str, stage: Stage, value: object) -> None:
        self._cache[key] = (stage, value)


def _state(system: System, t: float, parts: dict[str, np.ndarray],
           started: tuple[np.ndarray, ...] | None = None) -> State:
    """A state that was pickled."""
    state = State(system, t, **parts)
    state._started = started
    return state


def _part(name: str, text: str) -> property:
    def read(self: State) -> np.ndarray:
        return self._parts[name]

    def write(self: State, value: VectorLike) -> None:
        try:
            array = np.array(value, dtype=float).reshape(-1)
        except (TypeError, ValueError):
            raise ModelError(f"state.{name}: numbers are needed, got {value!r}.") from None
        if len(array) != len(self._parts[name]):
            raise ModelError(f"state.{name}: {self.system.describe_part(name)} are needed, got {len(array)} numbers.")
        self._parts[name] = array

    return property(read, write, doc=text)


for _name, _text in zip(PARTS, ("coordinates", "speeds", "auxiliary states", "parameters", "discrete variables",
                                "guesses of the algebraic unknowns"), strict=True):
    setattr(State, _name, _part(_name, _text))
