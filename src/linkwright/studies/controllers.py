"""Sampled controllers in Python, and inputs that are given over time: whatever acts between steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..errors import ModelError, unknown_name


class Reading(Mapping):
    """Variables at the present instant, by name, for a controller: y["rev.phi"] → float."""

    def __init__(self, system):
        self.system = system
        self._inputs: np.ndarray | None = None

    def at(self, inputs: np.ndarray) -> Reading:
        self._inputs = inputs.copy()
        return self

    def __getitem__(self, name: str):
        m, system = self.system.mechanism, self.system
        n = m.nq + m.nu + system.layout.size("z")
        t, x, rest = self._inputs[0], self._inputs[1 : 1 + n], self._inputs[1 + n :]
        q, u, z = np.split(x, [m.nq, m.nq + m.nu])
        nd, n_p = system.layout.size("d"), system.layout.size("p")
        d, p, y = rest[:nd], rest[nd : nd + n_p], rest[nd + n_p + m.nu :]
        return system.function(("t", "q", "u", "z", "d", "p", "y"), (name,))(t, q, u, z, d, p, y)

    def __iter__(self):
        return iter(self.system.names)

    def __len__(self) -> int:
        return len(self.system.names)


class Sampled:
    """A controller asked every `dt` seconds; what it returns holds until the next time."""

    def __init__(self, function: Callable, dt: float, start: float):
        self.function, self.dt, self.start = function, dt, start
        self.count = 0

    def next_time(self, t: float) -> float:
        return self.start + self.count * self.dt

    def values(self, t: float, reading: Reading) -> Mapping[str, float]:
        self.count += 1
        given = self.function(t, reading)
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise ModelError(f"{self.name}: a controller returns a dict of inputs, got {type(given).__name__}.")
        return given

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "controller")


class Schedule:
    """Everything that is due at known times."""

    def __init__(self, system, items: list):
        self.items = items
        self.reading = Reading(system)
        self.names = system.part_names("d")

    @classmethod
    def of(cls, system, inputs: Mapping[str, object], start: float, stop: float) -> Schedule | None:
        """The controllers of a system's model and the inputs given over time; None where there are none."""
        model = getattr(system, "model", None)
        items: list = []
        for part in model.models() if model is not None else ():
            items += [Sampled(function, dt, start) for function, dt in part._controllers]
        return cls(system, items) if items else None

    def next_time(self, t: float) -> float:
        return min((item.next_time(t) for item in self.items), default=np.inf)

    def apply(self, run) -> None:
        """Let everything that is due act."""
        t = float(run.inputs[0])
        for item in self.items:
            if item.next_time(t) > t:
                continue
            try:
                given = item.values(t, self.reading.at(run.inputs))
                for name, value in given.items():
                    if name not in self.names:
                        raise unknown_name(name, self.names, f"{item.name}: the list of inputs")
                    number = float(value)
                    if not np.isfinite(number):
                        raise ModelError(f"{item.name}: the input {name} must be finite, got {value}.", name)
                    run.d[self.names.index(name)] = number
            except Exception as error:
                run.trouble = f"at t = {t:.9g} s the controller {item.name!r} failed: {type(error).__name__}: {error}"
                run.cause = error
                return


