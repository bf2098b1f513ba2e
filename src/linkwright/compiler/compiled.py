"""Compiling a model: translate, trace, generate; and once more at most when only its numbers change.

The first time a model is compiled its numbers are folded into the code.  When a model of the same structure comes back
with other numbers, those numbers become inputs; from then on any value of them runs on the same code.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from ..building import one_at_a_time
from ..errors import LinkwrightError, ModelError
from ..language import Model
from ..language.fields import plain_reads
from ..language.reads import inputs
from ..language.symbolic import NoValueError
from ..mechanism import Mechanism, When, sentence
from ..system import ENFORCED, GIVEN, Origin, System, check_entry, compile_mechanism, split_entry
from ..translate import Definitions, Translation, controllers, translate, with_starts_of
from ..waiting import waiting
from .arguments import names
from .comparison import Inspection, inspect
from .model_numbers import no_parameter
from .tolerances import MEMORY, VERSIONS


@dataclass
class Known:
    """Code made before: the numbers it was made with, and those of them that are its inputs."""

    numbers: dict[str, np.ndarray]
    tunable: frozenset[str]
    system: System
    definitions: Definitions

    def fits(self, numbers: dict[str, np.ndarray], asked: frozenset[str]) -> bool:
        """Whether the code holds for these numbers: they may differ in its inputs only."""
        return asked <= self.tunable and _changed(self.numbers, numbers) <= self.tunable


#: by structure, in the order in which it was made: the first that fits is taken, so that a model which comes back runs
#: on the code it ran on before
_known: dict[tuple, list[Known]] = {}


@contextlib.contextmanager
def afresh() -> Iterator[None]:
    """Meanwhile models are compiled as in a new process: with nothing made before."""
    before = {key: list(made) for key, made in _known.items()}
    _known.clear()
    try:
        yield
    finally:
        _known.clear()
        _known.update(before)


@one_at_a_time
def compile_model(model: Model, tunable: str | Sequence[str] | None = None, signals: Mapping[str, ca.SX] | None = None,
                  kept: Sequence[str] = (), **options: Any) -> System:
    """The System of a model; `tunable` names parameters that stay inputs, `signals` are expressions in the place of
    inputs, `kept` are parameters that are inputs for another reason, `options` go to `compile_mechanism`."""
    for name in ("formulation", "tier"):
        if not isinstance(options.get(name), str | None):
            raise ModelError(f"{name} = {options[name]!r} is no name of one; give a string, or leave it out.")
    seen = inspect(model)
    tunable = _wholes(names("tunable", tunable), seen)
    known_names = [name for name in seen.numbers if "#" not in name]
    for name in tunable:
        if name in seen.structural:
            raise ModelError(f"{name}: this decides the structure of the model, or is left out; it cannot be tuned.",
                             name)
        if name not in known_names:
            raise no_parameter(name, known_names, f"the list of parameters of {model.title!r}",
                               {part.path for part in (*model.leaves(), *model.models())})
    asked = frozenset(tunable) | frozenset(seen.freed)
    followers = seen.followers(asked)
    _check_followed(seen, asked, followers)
    numbers = {name: number for name, number in seen.numbers.items()
               if name in asked or name in seen.read and name not in followers}

    def compiled(**options: Any) -> System:
        return _compiled(model, seen, asked, followers, numbers, signals or {}, kept, options)

    with waiting(f"translating {model.title}"):
        own = compiled(**options)
    if options.get("formulation") and own.mechanism.constraints and not own.mechanism.closures:
        others = {name: value for name, value in options.items() if name != "formulation"}
        return own.variant(starts_on=_elsewhere(lambda: compiled(**others)))
    return own


def _wholes(tunable: Sequence[str], seen: Inspection) -> list[str]:
    """The parameters of names, of which an entry stays an input with the others; inputs are so by themselves."""
    found = []
    for name in tunable:
        whole, place = split_entry(name, seen.numbers)
        if place and whole in seen.numbers:
            check_entry(name, seen.numbers[whole].shape)
        found.append(whole)
    return [name for name in dict.fromkeys(found) if name not in seen.inputs]


def parameter_names(model: Model) -> list[str]:
    """The parameters of a model, numbers within laws of one's own left out."""
    return [name for name in inspect(model).numbers if "#" not in name]


def recompiled(system: System, tunable: Sequence[str]) -> System:
    """The system with further parameters as inputs; as it is where they are inputs already."""
    origin, own = system.origin, {item.name for item in system.mechanism.parameters}
    if origin is None or own.issuperset(tunable):
        return system
    wanted = tuple(dict.fromkeys((*origin.tunable, *tunable)))
    return compile_model(origin.model, wanted, origin.signals, origin.kept, **origin.options)


def translation_of(model: Model) -> Translation:
    """A model checked and translated, for those who want to see its parts."""
    inspect(model)
    return translate(model)


def _compiled(model: Model, seen: Inspection, asked: frozenset[str], followers: Mapping[str, frozenset[str]],
              numbers: dict[str, np.ndarray], signals: Mapping[str, ca.SX], kept: Sequence[str],
              options: dict[str, Any]) -> System:
    """The system of a model, on code made before where that holds."""
    key = (seen.structure, tuple(seen.signature(path) for path in sorted(followers)),
           tuple((name, str(e)) for name, e in signals.items()), tuple(sorted(options.items(), key=str)))
    made = _known.get(key, [])
    known = next((each for each in made if each.fits(numbers, asked.union(kept))), None)
    if known is None:
        changed = made[-1].tunable.union(kept, _changed(made[-1].numbers, numbers)) if made else frozenset(kept)
        translation, inputs = _translate(model, asked, changed, followers, signals, options.get("formulation"))
        system = compile_mechanism(translation.mechanism, **options)
        known = Known(numbers, inputs, system, translation.definitions)
        _known[key] = [*made, known][-VERSIONS:]
        while len(_known) > MEMORY:
            _known.pop(next(iter(_known)))
    origin = Origin(model, tuple(sorted(asked)), options, signals, tuple(kept))
    # what only start values read is a number of the model too
    return _with_numbers(known, origin, {**seen.numbers, **numbers}, tuple(seen.freed))


def _elsewhere(compiled: Callable[[], System]) -> System | None:
    """The system on whose tree the start is found, where that is another one: loops taken apart into rings.

    So guesses choose among the solutions of closed forms in every formulation, and the start is the same in all.
    """
    try:
        other = compiled()
    except LinkwrightError:
        return None  # it can be made in this formulation only
    return other if other.mechanism.closures else None  # without closures both have the same tree


def _check_followed(seen: Inspection, asked: frozenset[str], followers: dict[str, frozenset[str]]) -> None:
    """Refuse parameters whose number decided how the model was built, or that nothing depends on."""
    for name in sorted(asked):
        depends = name in seen.read or any(name in roots for roots in followers.values()) or seen.decides_a_start(name)
        for path in (name, *(path for path, roots in followers.items() if name in roots)):
            where, building = seen.used_plainly.get(path, (None, False))
            through = "" if path == name else f" through {path}"
            if building:
                raise ModelError(f"{name}: the model was built with its number{through} ({where}: a comparison, float, "
                                 "math or linear algebra), so it cannot stay an input. Write the formula with the "
                                 "parameter itself and lw.sin, lw.sqrt … .", name)
            if where and depends:
                warnings.warn(f"{name}: it was used as a plain number{through} in {where}; what was made of it there "
                              "keeps that number.", stacklevel=4)
        if not depends:
            where, _ = seen.used_plainly.get(name, (None, False))
            why = f": it was used as a plain number in {where}" if where else ""
            raise ModelError(f"{name}: nothing in the model depends on it{why}. Read it where it is needed, as self."
                             f"{name.rpartition('.')[2]}.", name)


def _translate(model: Model, asked: frozenset[str], changed: frozenset[str], followers: Mapping[str, frozenset[str]],
               signals: Mapping[str, ca.SX], formulation: str | None) -> tuple[Translation, frozenset[str]]:
    """The translation with what was asked for and what has changed as inputs, as far as components allow it.

    A component that needs a parameter as a plain number is translated for that number; it cannot be an input.
    """
    wanted, closed_form = asked | changed, {None: "some", "minimal": "all"}.get(formulation, "none")
    while True:
        with plain_reads() as plain:
            try:
                translation = translate(model, wanted, frozenset(followers), signals, closed_form)
                if wanted:
                    for component in translation.plan.components:
                        translation.definitions.component(component)
            except NoValueError as error:
                plain |= {name for name in wanted if name in error.names or f"{name}_0" in error.names}
                if not plain & wanted:
                    raise
            except LinkwrightError:
                if wanted <= asked:
                    raise
                plain |= wanted - asked  # numbers instead of symbols may do
        refused = {name for name in asked if name in plain or any(name in followers.get(path, ()) for path in plain)}
        if refused:
            said = ", ".join(sorted(refused))
            raise ModelError(f"{said}: this decides the structure of the model and cannot stay an input.", *refused)
        if not wanted & plain:
            return translation, wanted
        wanted -= plain


def _with_numbers(known: Known, origin: Origin, numbers: Mapping[str, np.ndarray], freed: tuple[str, ...]) -> System:
    """The same code with the parameters, start values and controllers of this model."""
    system, model = known.system, origin.model
    mechanism = system.mechanism
    assert mechanism.start is not None, "the mechanism of a model says how it starts"
    integrals = {part.path_of(name): start for part in model.models() for name, (*_, start) in part._integrals.items()}
    given = {path: value for path, _, value in inputs(model)}
    mechanism = replace(
        mechanism, parameters=tuple(replace(p, value=np.ravel(numbers[p.name])) for p in mechanism.parameters),
        events=replace(mechanism.events, whens=_named_whens(mechanism.events.whens, model)),
        states=tuple(replace(z, start=np.array([integrals.get(z.name, z.start)]).ravel()) for z in mechanism.states),
        discretes=tuple(replace(d, value=np.ravel(given.get(d.name, d.value))) for d in mechanism.discretes),
        start=with_starts_of(mechanism.start, model, known.definitions, freed), controllers=controllers(model))
    return system.variant(mechanism=mechanism, origin=origin, preference=preference(model, mechanism))


def _named_whens(whens: Sequence[When], model: Model) -> tuple:
    """Actions by the conditions of this model, with its numbers in them; those of blocks, which follow, as they are."""
    actions = [action for part in model.models() for action in part._actions if not action.each_step]
    named = [replace(when, name=action.name or sentence(action.condition))
             for when, action in zip(whens, actions, strict=False)]
    return (*named, *whens[len(named) :])


def preference(model: Model, mechanism: Mechanism) -> np.ndarray:
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


def _changed(before: Mapping[str, np.ndarray], now: Mapping[str, np.ndarray]) -> frozenset[str]:
    return frozenset(name for name, value in now.items()
                     if name not in before or not np.array_equal(before[name], value))
