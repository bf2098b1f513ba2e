"""Sampled controllers in Python, and inputs that are given over time: whatever acts between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import casadi as ca
import numpy as np

from ..errors import ModelError, unknown_name
from ..system import CompiledFunction, System
from .memory import memories
from .trouble import Trouble

if TYPE_CHECKING:
    from .run import EventRun

PARTS = ("t", "q", "u", "z", "d", "p", "y")


class Reading(Mapping[str, Any]):
    """Variables at the present instant, by name, for a controller: y["rev.phi"] → float.

    It remembers which names were asked for, and computes them together from then on.
    """

    def __init__(self, system: System):
        self.system = system
        self._names: tuple[str, ...] = ()
        self._function: CompiledFunction | None = None
        places, all_inputs = system.layout.places, np.arange(system.layout.n_in)
        self._read = np.concatenate([all_inputs[places[part]] for part in PARTS])
        self._here = np.zeros(0)
        self._values: dict[str, object] = {}

    def at(self, inputs: np.ndarray) -> Reading:
        """The same reading at other inputs."""
        if len(self._values) > len(self._names):
            self._names = tuple(self._values)
            self._function = self.system.function(PARTS, self._names)
        self._here = inputs[self._read]
        self._values = {}
        if self._function is not None:
            found = self._function.joined(self._here)
            self._values = dict(zip(self._names, (found,) if len(self._names) == 1 else found, strict=True))
        return self

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self.system.function(PARTS, (name,)).joined(self._here)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.system.names)

    def __len__(self) -> int:
        return len(self.system.names)


class Scheduled(Protocol):
    """Something that acts at known times: when next, and which inputs it sets then."""

    @property
    def label(self) -> str: ...

    def next_time(self, t: float) -> float: ...

    def values(self, run: EventRun, reading: Reading) -> Mapping[str, float]: ...


class Sampled:
    """A controller asked every `dt` seconds; what it returns holds until the next time."""

    def __init__(self, function: Callable, dt: float, start: float):
        self.function, self.dt, self.start = function, dt, start
        self.count = 0

    def next_time(self, t: float) -> float:
        return self.start + self.count * self.dt

    def values(self, run: EventRun, reading: Reading) -> Mapping[str, float]:
        self.count += 1
        given = self.function(run.t, reading.at(run.instant.inputs))
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise ModelError(f"{self.name}: a controller returns a dict of inputs, got {type(given).__name__}.")
        return given

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "controller")

    @property
    def label(self) -> str:
        return f"the controller {self.name!r}"


class Corners:
    """Times at which an input has a corner or jumps: a step ends there, and nothing else is done."""

    def __init__(self, times: np.ndarray):
        self.times = times

    def next_time(self, t: float) -> float:
        place = np.searchsorted(self.times, t, side="right")
        return float(self.times[place]) if place < len(self.times) else np.inf

    def values(self, run: EventRun, reading: Reading) -> Mapping[str, float]:
        return {}

    @property
    def label(self) -> str:
        return "an input over time"


class Schedule:
    """Everything that is due at known times."""

    def __init__(self, system: System, items: list[Scheduled]):
        self.items = items
        self.reading = Reading(system)
        self.names = system.part_names("d")

    @cached_property
    def _followed(self) -> dict[str, str]:
        """Inputs that a given motion differentiates → the joint with that motion."""
        m = self.reading.system.mechanism
        rates = {v.symbol.nz[0].element_hash(): ca.SX(v.of) for v in m.variables if v.quantity in ("der", "der2")}
        inputs = {item.symbol.nz[0].element_hash(): item.name for item in m.discretes if item.symbol.nnz()}
        found: dict[str, str] = {}
        for body in (b for b in m.bodies if b.prescribed is not None):
            reads = [rates[s.element_hash()] for s in ca.symvar(ca.SX(body.prescribed)) if s.element_hash() in rates]
            while reads:
                for s in ca.symvar(reads.pop()):
                    if s.element_hash() in rates:
                        reads.append(rates[s.element_hash()])
                    elif s.element_hash() in inputs:
                        found[inputs[s.element_hash()]] = body.joint
        return found

    @classmethod
    def of(cls, system: System, start: float, corners: np.ndarray, accuracy: float) -> Schedule | None:
        """The controllers and memories of a system's model and the corners of inputs over time; None without any."""
        items: list[Scheduled] = [Corners(corners)] if len(corners) else []
        items += [Sampled(item.function, item.period, start) for item in system.mechanism.controllers]
        items += memories(system, start, accuracy)
        return cls(system, items) if items else None

    def without(self, kind: type) -> Schedule | None:
        """The same without items of a kind; None where nothing is left."""
        kept = [item for item in self.items if not isinstance(item, kind)]
        return self if len(kept) == len(self.items) else Schedule(self.reading.system, kept) if kept else None

    def next_time(self, t: float) -> float:
        return min((item.next_time(t) for item in self.items), default=np.inf)

    def apply(self, run: EventRun) -> Trouble | None:
        """Let everything that is due act."""
        t = run.t
        set_by: dict[str, tuple[str, float]] = {}
        for item in self.items:
            if item.next_time(t) > t:
                continue
            try:
                given = item.values(run, self.reading)
                for name, value in given.items():
                    if name not in self.names:
                        self.reading.system.names_table.refuse_over_time(name)
                        raise unknown_name(name, self.names, f"{item.label}: the list of inputs")
                    number = float(value)
                    if not np.isfinite(number):
                        raise ModelError(f"{item.label}: the input {name} must be finite, got {value}.", name)
                    if name in self._followed and number != run.d[self.names.index(name)]:
                        raise ModelError(
                            f"{name} changes in an instant, and {self._followed[name]} follows it exactly: its speed "
                            "would be infinite there. Leave exact out, to follow it through a filter, or let the "
                            "controller set an acceleration or a torque.", name)
                    other, before = set_by.setdefault(name, (item.label, number))
                    if before != number:
                        raise ModelError(f"{name} = {number:g}, but {other} asks for {before:g} at the same instant; "
                                         "let one of them set it.", name)
                    run.d[self.names.index(name)] = number
            except Exception as error:
                return Trouble(f"at t = {t:.9g} s {item.label} failed: {type(error).__name__}: {error}", error)
        return None


