"""Compiling a model: translate, trace, generate; and once more at most when only its numbers change.

The first time a model is compiled its numbers are folded into the code.  When a model of the same structure comes back
with other numbers, those numbers become inputs; from then on any value of them runs on the same code.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np

from ..components import Model
from ..components.component import parameter_value
from ..components.fields import Appearance, Free, Parameter, Signal, noting_reads
from ..components.hidden import claim, signature
from ..errors import ModelError, unknown_name
from ..system import System, compile_mechanism
from ..system.chosen import ENFORCED, GIVEN
from ..topology import translate
from .initial import initial_state, start_values
from .still import settle

MEMORY = 32  # structures remembered


@dataclass
class Known:
    """Code made before: the numbers it was made with, and those of them that are its inputs."""

    numbers: dict[str, np.ndarray]
    tunable: frozenset[str]
    system: System

    def fits(self, numbers: dict[str, np.ndarray], asked: frozenset[str]) -> bool:
        """Whether the code holds for these numbers: they may differ in its inputs only."""
        return asked <= self.tunable and _changed(self.numbers, numbers) <= self.tunable


_known: dict[tuple, Known] = {}


def compile_model(model: Model, tunable=None, signals=None, **options) -> System:
    """The System of a model; `tunable` names parameters that stay inputs, `signals` are expressions in the place of
    inputs, `options` go to `compile_mechanism`."""
    numbers, structure, freed = _inspect(model)
    tunable = (tunable,) if isinstance(tunable, str) else tunable
    for name in tunable or ():
        if name not in numbers:
            raise unknown_name(name, numbers, f"the list of parameters of {model.title!r}")
    asked = frozenset(tunable or ()) | frozenset(freed)
    signals = signals or {}
    key = (structure, tuple((name, str(e)) for name, e in signals.items()), tuple(sorted(options.items(), key=str)))
    known = _known.get(key)
    if known is None or not known.fits(numbers, asked):
        changed = frozenset() if known is None else known.tunable | _changed(known.numbers, numbers)
        translation, inputs = _translate(model, asked, changed, signals, options.get("formulation"))
        system = compile_mechanism(translation.mechanism, **options)
        system.translation = translation
        known = _known[key] = Known(numbers, inputs, system)
        while len(_known) > MEMORY:
            _known.pop(next(iter(_known)))
    return _with_numbers(known.system, model, numbers, freed)


def _translate(model: Model, asked: frozenset[str], changed: frozenset[str], signals, formulation):
    """The translation with what was asked for and what has changed as inputs, as far as components allow it.

    A component that reads a parameter as a plain number is translated for that number; it cannot be an input.
    """
    wanted = asked | changed
    closed_form = formulation != "projection"
    with noting_reads() as plain:
        translation = translate(model, wanted, signals, closed_form)
        if wanted:
            for component in translation.plan.components:
                translation.definitions.component(component)
    refused = asked & plain
    if refused:
        names = ", ".join(sorted(refused))
        raise ModelError(f"{names}: this decides the structure of the model and cannot stay an input.", *refused)
    if wanted & plain:
        wanted -= plain
        translation = translate(model, wanted, signals, closed_form)
    return translation, wanted


def _with_numbers(system: System, model: Model, numbers, freed) -> System:
    """The same code with the parameters and start values of this model."""
    mechanism = system.mechanism
    parameters = tuple(replace(p, value=np.ravel(numbers[p.name])) for p in mechanism.parameters)
    own = copy.copy(system)
    own.mechanism = replace(mechanism, parameters=parameters)
    own._functions = {}
    own.model = model
    own.preference = preference(model, mechanism)
    starts = start_values(model)
    own.starter = _remembering(lambda system: settle(initial_state(system, starts, freed)))
    return own


def _remembering(start):
    """The same function of a system; asked about the same one again, it gives a copy of what it found."""
    found: list = []

    def remembered(system):
        if not found or found[0].system is not system:
            found[:] = [start(system)]
        return found[0].copy()

    return remembered


def preference(model: Model, mechanism) -> np.ndarray:
    """How much each mobility counts in a choice of states: more where its joint has a value given to start from."""
    counts = np.ones(mechanism.nu)
    joints = {body.joint: part for body, part in zip(mechanism.bodies, mechanism.slices()[1], strict=True)}
    for component in model.leaves():
        part = joints.get(component.path)
        if part is not None and getattr(component, "enforce_states", False):
            counts[part] = ENFORCED
        elif part is not None and any(isinstance(v, float) for values in component._initial.values() for v in values):
            counts[part] = GIVEN
    return counts


def _changed(before: dict, now: dict) -> frozenset[str]:
    return frozenset(name for name, value in now.items() if not np.array_equal(before[name], value))


def _inspect(model: Model):
    """(numbers by path, structure as a key, names of parameters to be solved for)."""
    numbers: dict[str, np.ndarray] = {}
    parts, freed = [], []
    for block in claim(model):
        start = (block.loose, block.steady, *block.start)
        results = tuple(signature(model, e) for e in block.results.values())
        actions = tuple(signature(model, e) for action in block.actions for e in action.expressions())
        held = tuple((name, *value) for name, (_, value) in block.discretes.items())
        parts.append((block.path, start, signature(model, block.derivative), results, held, actions,
                      block.period, block.delay))
    for component in model.leaves():
        fixed = []
        for name, field in type(component).fields().items():
            if isinstance(field, Appearance):
                continue
            if isinstance(field, Parameter):
                value = field.given(component)
                number = parameter_value(value)
                if isinstance(value, Free):
                    freed.append(f"{component.path}.{name}")
                if field.structural or number is None:
                    fixed.append((name, _key(number)))
                else:
                    numbers[f"{component.path}.{name}"] = np.asarray(number, dtype=float)
                    fixed.append((name, np.shape(number)))
            elif isinstance(field, Signal):
                fixed.append((name, signature(model, component.signal(name))))
        parts.append((component.path, type(component), tuple(fixed), _fixed_starts(component)))
    for part in model.models():
        connections = tuple(tuple(c.path for c in connection) for connection in part._connections)
        signals = tuple((table, name, _signatures(model, value))
                        for table in ("_integrals", "_outputs", "_inputs")
                        for name, value in getattr(part, table).items())
        equations = tuple(signature(model, e) for e in part._initial_equations)
        equations += tuple((a.message, *(signature(model, e) for e in a.expressions())) for a in part._actions)
        parts.append((part.path, type(part), connections, signals, tuple(part._loose), equations))
    return numbers, tuple(parts), tuple(freed)


def _signatures(model: Model, value) -> tuple:
    """An expression, or the expressions and numbers of a tuple, as something comparable."""
    return tuple(signature(model, part) for part in (value if isinstance(value, tuple) else (value,)))


def _fixed_starts(component):
    """Which variables have start values: they decide which joints of a loop may be cut."""
    return tuple((name, tuple(type(entry).__name__ for entry in entries))
                 for name, entries in component._initial.items())


def _key(value):
    """A structural value as something hashable."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return tuple(_key(v) for v in value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else id(value)
