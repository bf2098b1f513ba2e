"""Sliders of a mechanism that runs: inputs and parameters by name, with the range they can be moved in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..compiler import check_tuned, names
from ..errors import LinkwrightError, ModelError
from ..language.reads import inputs
from ..result import unit_of, written
from ..system import System

if TYPE_CHECKING:
    from ..language import Model

#: of the value: lowest and highest, the widest that the component accepts
RANGES = ((0.2, 3.0), (0.5, 2.0), (0.8, 1.2))


@dataclass(frozen=True)
class Slider:
    """One number that can be moved: an entry of a variable, its range, and its place in the input vector."""

    name: str
    entry: int | None  # of a vector
    unit: str
    low: float
    high: float
    value: float
    place: int

    @property
    def name_of_entry(self) -> str:
        return self.name if self.entry is None else f"{self.name}[{self.entry}]"

    @property
    def label(self) -> str:
        return f"{self.name_of_entry} / {self.unit}" if self.unit else self.name_of_entry


@dataclass(frozen=True)
class Sliders:
    """What is asked for: names and their ranges, None where none was given."""

    asked: Mapping[str, tuple[float, float] | None]
    tunable: tuple[str, ...]  # those that are parameters, and have to be compiled as inputs

    def placed(self, system: System) -> list[Slider]:
        """The sliders of a system in which they are inputs; ranges that a component refuses are refused here."""
        out, state, layout = [], system.state(), system.layout
        for name, limits in self.asked.items():
            part, where = system.slot(name)
            values = getattr(state, part)[where]
            unit = written(unit_of(SimpleNamespace(system=system), name))
            for k, value in enumerate(values.tolist()):
                low, high = _range(system, part, where.start + k, value, limits)
                place = layout.places[part].start + where.start + k
                entry = None if len(values) == 1 else k
                out.append(Slider(name, entry, unit, low, high, min(max(value, low), high), place))
        return out


def live_sliders(system: System) -> list[Slider]:
    """Sliders for all that can be moved in a system: its inputs, and the parameters it was compiled to have as such."""
    known = {item.name for item in (*system.mechanism.parameters, *system.mechanism.discretes)}
    names = [path for path, *_ in inputs(system.model) if path not in system.mechanism.over_time]
    names += [] if system.origin is None else system.origin.tunable
    return Sliders(dict.fromkeys(name for name in names if name in known), ()).placed(system)


def sliders_of(model: Model, given: Sequence[str] | Mapping[str, Sequence[float]] | None) -> Sliders:
    """The sliders asked for; by default one for every input."""
    free = [path for path, *_ in inputs(model)]
    if given is None:
        return Sliders(dict.fromkeys(free), ())
    if isinstance(given, Mapping):
        asked = {str(name): None if limits is None else _limits(name, limits) for name, limits in given.items()}
    else:
        asked = dict.fromkeys(names("sliders", given))
    return Sliders(asked, tuple(name for name in asked if name not in free))


def _limits(name: str, limits: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low = high = np.nan
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ModelError(f"sliders: the range of {name} is {limits!r}; give (lowest, highest), such as (0, 10).", name)
    return low, high


def _range(system: System, part: str, index: int, value: float, limits: Sequence[float] | None) -> tuple[float, float]:
    """The range of a slider: as given, or about the value, as wide as the component accepts."""
    if limits is not None:
        for end in limits:
            _try(system, part, index, end)
        return limits
    if value == 0.0:
        return (-1.0, 1.0)
    for low, high in RANGES:
        ends = sorted((low * value, high * value))
        try:
            for end in ends:
                _try(system, part, index, end)
        except LinkwrightError:
            continue
        return ends[0], ends[1]
    raise ModelError(f"sliders: no range about {value:g} suits; give one as {{name: (lowest, highest)}}.")


def _try(system: System, part: str, index: int, value: float) -> None:
    """An error where a component refuses a value."""
    state = system.state()
    getattr(state, part)[index] = value
    check_tuned(system, state)
