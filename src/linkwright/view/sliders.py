"""Sliders of a mechanism that runs: inputs and parameters by name, with the range they can be moved in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from ..compiler import check_tuned, names
from ..errors import LinkwrightError, ModelError
from ..language.reads import inputs
from ..result import unit_of, written
from ..system import System

#: of the value: lowest and highest, the widest that the component accepts
RANGES = ((0.2, 3.0), (0.5, 2.0), (0.8, 1.2))


@dataclass(frozen=True)
class Slider:
    """One number that can be moved: what it is called, its range, and its place in the input vector."""

    label: str
    low: float
    high: float
    value: float
    place: int


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
                label = name if len(values) == 1 else f"{name}[{k}]"
                low, high = _range(system, part, where.start + k, value, limits)
                place = layout.places[part].start + where.start + k
                out.append(Slider(f"{label} / {unit}" if unit else label, low, high, min(max(value, low), high), place))
        return out


def sliders_of(model, given: Sequence[str] | Mapping[str, Sequence[float]] | None) -> Sliders:
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


def _range(system: System, part: str, index: int, value: float, limits) -> tuple[float, float]:
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
