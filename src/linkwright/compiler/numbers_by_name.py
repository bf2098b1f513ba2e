"""Numbers of a model by name, entries of vectors included ("body.r_cm[0]"): what they are, and how to give others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import casadi as ca
import numpy as np

from ..errors import ModelError, unknown_name
from ..language import Model
from ..language.fields import Guess, Parameter, number_of
from ..language.reads import inputs
from ..system import System, entry_of, entry_of_array, split_entry
from .model_numbers import owner_of, record_of


def model_of(thing: object) -> Model:
    """The model that something was made of."""
    source = thing.model if isinstance(thing, System) else thing
    if not isinstance(source, Model):
        raise ModelError(f"a model is needed, whose numbers can be changed; got {type(thing).__name__}.")
    return source


def numbers_at(model: Model, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The numbers that parameters, start values and inputs are now."""
    given = {path: value for path, _, value in inputs(model)}
    return {name: number_at(model, name, given) for name in names}


def number_at(model: Model, name: str, given: Mapping[str, object] | None = None) -> np.ndarray:
    """The number (or numbers, of a vector) that a parameter, start value or input is now; `given` are all inputs."""
    whole, place = split_entry(name)
    if given is None:
        given = {path: value for path, _, value in inputs(model)}
    if whole in given:
        numbers = np.squeeze(np.asarray(given[whole], dtype=float))
    elif (record := record_of(model, whole)) is not None:
        component, own, entry = record
        numbers = np.asarray(getattr(number_of(component, own), entry), dtype=float)
    else:
        component, own = owner_of(model, whole)
        if isinstance(type(component).fields()[own], Parameter):
            numbers = np.asarray(number_of(component, own), dtype=float)
        else:
            entries = component._initial.get(own)
            if entries is None or any(entry is None for entry in entries):
                raise ModelError(f"{name}: nothing was given for it to start from; give a value or lw.guess(…) first.",
                                 component)
            numbers = np.squeeze(np.array([_plain(entry) for entry in entries]))
    return entry_of_array(name, numbers, place)


def refuse_open_entries(model: Model, whole: str, name: str) -> None:
    """An error where an entry of a start value is to be given, and others of it are left open: they would be given too.
    """
    component, own = owner_of(model, whole)
    if isinstance(type(component).fields()[own], Parameter):
        return
    place = split_entry(name)[1][0]
    for k, entry in enumerate(component._initial.get(own) or ()):
        if k != place and (entry is None or isinstance(entry, Guess)):
            raise ModelError(f"{name}: {whole}[{k}] is not given, or a guess, and would be given with it; give all "
                             f"entries of {whole} first.", component)


def with_numbers(model: Model, values: Mapping[str, float]) -> tuple[dict[str, object], dict[str, float]]:
    """(what `changed` takes, inputs) that give a model these numbers; guesses stay guesses."""
    vectors: dict[str, np.ndarray] = {}
    outside: dict[str, float] = {}
    known = {path for path, *_ in inputs(model)} if values else set()
    for name, value in values.items():
        whole, place = split_entry(name)
        if whole in known:
            outside[whole] = float(value)
        elif not place:
            vectors[whole] = np.asarray(value, dtype=float)
        else:
            vectors.setdefault(whole, np.array(number_at(model, whole), dtype=float))[place] = value
    return {name: _alike(model, name, vector) for name, vector in vectors.items()}, outside


def _alike(model: Model, name: str, numbers: np.ndarray) -> object:
    plain = numbers.tolist()
    if record_of(model, name) is not None:
        return plain
    component, own = owner_of(model, name)
    guesses = any(isinstance(entry, Guess) for entry in component._initial.get(own) or ())
    return Guess(plain) if guesses else plain


def variable_at(model: Model, name: str) -> ca.SX:
    """The expression that a variable of a model is, by its name or that of an entry, "body.r_0[1]"."""
    whole, place = split_entry(name)
    for part in model.models():
        for own, expression in {**part._outputs, **{key: value[0] for key, value in part._integrals.items()},
                                **{key: value[0] for key, value in part._inputs.items()}}.items():
            if part.path_of(own) == whole:
                return ca.vec(entry_of(name, ca.SX(expression), place))[0]
    path, _, own = whole.rpartition(".")
    for component in model.leaves():
        if component.path == path and own in type(component).fields():
            return ca.vec(entry_of(name, ca.SX(getattr(component, own)), place))[0]
    known = [f"{c.path}.{field}" for c in model.leaves() for field in type(c).fields()]
    raise unknown_name(name, known, f"the list of variables of {model.title!r}")


def _plain(entry: object) -> float:
    return float(entry.value if isinstance(entry, Guess) else entry)  # type: ignore[arg-type]
