"""Start values and initial equations of a model, as data of its mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca

from ..algebra import rotation_angles, rotation_from_angles
from ..language import Component, Model
from ..language.fields import Guess, Side
from ..language.reads import equation_path
from ..mechanism import Start, StartEquation, StartValue
from .definitions import Definitions

if TYPE_CHECKING:
    from ..language import PartsList


def start_values(definitions: Definitions) -> tuple[StartValue, ...]:
    """All start values given in a model, in engine symbols."""
    return tuple(
        StartValue(f"{component.path}.{name}", entry, value, fixed,
                   ca.vec(definitions.expand(getattr(component, name)))[max(entry, 0)],
                   None if formula is None else definitions.plan.at_start(formula), side)
        for component, name, entry, value, fixed, formula, side in _given(definitions.plan.model))


def with_starts_of(start: Start, model: Model, definitions: Definitions, freed: tuple[str, ...]) -> Start:
    """The start of a model of the same structure, with that model's own numbers."""
    values = tuple(replace(s, value=value, formula=None if formula is None else definitions.plan.at_start(formula))
                   for s, (_, _, _, value, _, formula, _) in zip(start.values, _given(model), strict=True))
    return replace(start, values=values, freed=freed)


def start_equations(model: Model, plan: PartsList) -> list[tuple[str, ca.SX]]:
    """What the user asks of the start by m.init: names for messages, and expressions that vanish."""
    return [(f"initial equation {k + 1}" + (f" of {m.path}" if m is not model else ""),
             plan.formula(equation_path(m, k), e))
            for m in model.models() for k, e in enumerate(m._initial_equations)]


def expanded(said: list[tuple[str, ca.SX]], definitions: Definitions) -> tuple[StartEquation, ...]:
    """Initial equations in engine symbols."""
    return tuple(StartEquation(name, definitions.expand(e)) for name, e in said)


def _given(model: Model) -> Iterator[tuple[Component, str, int, float, bool, object, bool]]:
    """(component, variable, entry or −1, value, whether it must hold, formula, whether it only chooses a side)."""
    for component in model.leaves():
        for name, entries in component._initial.items():
            if name == "angles" and name not in component.counted:
                entries = _within_reach(entries, getattr(component, "sequence_start", (1, 2, 3)))
            for k, entry in enumerate(entries):
                if entry is not None:
                    guess = isinstance(entry, Guess)
                    yield (component, name, k if len(entries) > 1 else -1, float(entry.value if guess else entry),
                           not guess, component._start_formulas.get((name, k)), isinstance(entry, Side))


def _within_reach(entries: list, sequence: tuple[int, int, int]) -> list:
    """The same orientation by angles of which the first is within a quarter turn, as the variable `angles` has them."""
    numbers = [getattr(entry, "value", entry) for entry in entries]
    if len(entries) != 3 or not all(isinstance(number, (int, float)) for number in numbers):
        return entries
    angles = rotation_angles(rotation_from_angles(sequence, numbers), sequence)
    return [Guess(float(angle)) if isinstance(entry, Guess) else float(angle)
            for entry, angle in zip(entries, angles, strict=True)]
