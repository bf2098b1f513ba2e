"""What a run is differentiated by: names of parameters, start values and inputs, and the columns that follow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..compiler import input_names, is_parameter, names, parameter_names, recompiled, system_of
from ..errors import ModelError, unknown_name
from ..integrate import Method
from ..mechanism import Controller, points_name
from ..start import start_tangents
from ..system import State, System, entries, entry_of_array, split_entry
from ..system.tangents import COMPANION, Column, tangent_state, with_tangents


class Together(tuple):
    """Names that one companion direction moves all at once, instead of a column for each: what an adjoint needs."""


class Tunable(NamedTuple):
    """A system whose parameters of these names are inputs, and the names, those of start values among them."""

    system: System
    names: tuple[str, ...]


def tunable(model: object, wanted: str | Sequence[str]) -> Tunable:
    """The system in which what is to be differentiated by can change."""
    asked = tuple(dict.fromkeys(names("sensitivities", wanted)))
    if not asked:
        raise ModelError("sensitivities = []: name parameters, start values or inputs, sensitivities=['spring.c'].")
    if hasattr(model, "leaves"):
        parameters = _parameters(model, asked, lambda: system_of(model))
        return Tunable(system_of(model, tunable=parameters) if parameters else system_of(model), asked)
    system = system_of(model)
    return system.once(("tunable", asked), lambda: _tunable(system, asked))


def _tunable(system: System, asked: tuple[str, ...]) -> Tunable:
    if system.model is not None:
        return Tunable(recompiled(system, _parameters(system.model, asked, lambda: system)), asked)
    for name in asked:
        _refuse_unknown(system, name)
    return Tunable(system, asked)


def _parameters(source: Any, asked: Sequence[str], made: Callable[[], System]) -> list[str]:
    """Which names are those of parameters, and not of start values or inputs; refused where one is none of them."""
    known, inputs, found = set(parameter_names(source)), input_names(source), []
    others = [name for name in map(_whole, asked) if name not in inputs and name not in known]
    # auxiliary states have start values of their own
    states = {state.name for state in made().mechanism.states} if others else set()
    for name in map(_whole, asked):
        if name not in inputs and (name in known or name not in states and is_parameter(source, name)):
            found.append(name)
    return found


def _whole(name: str) -> str:
    return split_entry(name)[0]


def _refuse_unknown(system: System, name: str) -> None:
    whole = _whole(name)
    if whole not in system.names_table:
        raise unknown_name(name, [*system.part_names("p"), *system.part_names("q")],
                           "what a run can be differentiated by")


def refuse_method(method: Method) -> None:
    """Methods for mechanics alone carry no tangents."""
    if method.uses_qdot:
        raise ModelError(f"method = {method.name!r} carries no derivatives; choose dopri5, dop853, radau, rk4, gauss4, "
                         "or leave it out.")


def refuse_unknown_derivatives(system: System, frozen: Sequence[str] = ()) -> None:
    """What a run does that nobody can differentiate: code in Python, values remembered from earlier.

    Of what is `frozen`, by name, the values that it gives in the run are taken as they are.
    """
    m = system.mechanism
    if m.events.stepped:
        pair = m.events.only_stepped[0]
        raise ModelError(f"{pair}: a contact that can only be stepped has no derivative; name the few pairs that touch "
                         "(contact.Pair), or take a compliant law.", pair)
    controllers = {controller_name(controller): "a controller in Python has no derivative; write it as signals "
                   "(lw.where, m.when, m.discrete)" for controller in m.controllers}
    updates = {update.symbol.name(): "what is set at every completed step (m.each_step) has no derivative; set it at "
               "events (m.when)" for update in m.events.updates}
    memories = {memory.path: "a delayed signal has no derivative here; do without it"
                for memory in m.memories}
    known = controllers | updates | memories
    for name in names("frozen", frozen):
        if name not in known:
            raise unknown_name(name, known, "the list of what has no derivative and may be frozen")
    for name, why in known.items():
        if name not in frozen:
            raise ModelError(f"{name}: {why}, or take its values as given, frozen=[{name!r}].", name)


def controller_name(controller: Controller) -> str:
    """What a controller is called: as its function is."""
    return getattr(controller.function, "__name__", "a controller")


def with_columns(system: System, state: State, wanted: Sequence[str], own: bool, frozen: Sequence[str] = ()) -> State:
    """The state of the system with tangents that a run begins with; `own` says whether it is the system's own start."""
    refuse_unknown_derivatives(system, frozen)
    columns, sizes = _columns(system, state, wanted)
    wide = with_tangents(system, columns, sizes)
    return tangent_state(wide, state, start_tangents(system, wide.equations.kept, columns, state, own))


def with_companion(system: System, state: State, wanted: Sequence[str], own: bool) -> tuple[State, Begun]:
    """The state with one direction that moves everything wanted, and the columns whose sum it is."""
    refuse_unknown_derivatives(system)
    columns, sizes = _columns(system, state, wanted)
    moved = dict.fromkeys(_held_as(system, _whole(column.name)) for column in columns if column.part)
    wide = with_tangents(system, [COMPANION], [1.0], freed=tuple(moved))
    e = wide.equations
    begun = start_tangents(system, e.kept, columns, state, own)
    offsets = {"d": e.plain_size, "p": e.plain_size + len(e.kept["d"])}
    for row, column in zip(begun, columns, strict=True):
        if column.part:
            row[offsets[column.part] + e.kept[column.part].index(column.entry)] += 1.0
    # by their sizes, with signs that let no error hide behind another
    signs = np.random.default_rng(0).choice([-1.0, 1.0], len(columns))
    return tangent_state(wide, state, (signs * sizes) @ begun), Begun([column.name for column in columns], begun)


class Begun(NamedTuple):
    """Columns at the start of a run, one row each, and the names that they are the derivatives by."""

    names: list[str]
    columns: np.ndarray


def _columns(system: System, state: State, wanted: Sequence[str]) -> tuple[list[Column], np.ndarray]:
    """What is to be differentiated by, and the size of each."""
    columns = system.once(("columns", tuple(wanted)), lambda: _named(system, state, wanted))
    starts = _start_values(system, state, [column.name for column in columns if not column.part])
    sizes = []
    for column in columns:
        value = getattr(state, column.part)[column.entry] if column.part else starts[column.name]
        # a start value of a millionth is an angle or a length like any other
        sizes.append(abs(value) or 1.0 if column.part == "p" else max(abs(value), 1.0))
    return columns, np.array(sizes)


def _named(system: System, state: State, wanted: Sequence[str]) -> list[Column]:
    columns = [column for name in wanted for column in columns_of(system, state, name)]
    if len({column.name for column in columns}) < len(columns):
        raise ModelError(f"sensitivities = {list(wanted)}: something is named twice.")
    return columns


def columns_of(system: System, state: State, name: str) -> list[Column]:
    """The columns of a name: one, or one for each entry of a vector."""
    whole = _whole(name)
    given, held = whole in system.mechanism.over_time, _held_as(system, whole)
    if given and held not in system.names_table:
        raise ModelError(f"{name}: it is given by a function of time; differentiate by parameters of a formula for it, "
                         "or give (t, values), whose values can be differentiated by.", name)
    for part, items in (("p", system.mechanism.parameters), ("d", system.mechanism.discretes)):
        start = 0
        for item in items:
            size = item.symbol.numel()
            if item.name == held:
                shape = item.symbol.shape if given or size == 1 else system.expression(held).shape
                own = [f"{whole}[0]"] if given and size == 1 else entries(whole, shape)
                return _chosen(name, [Column(entry, part, start + k) for k, entry in enumerate(own)])
            start += size
    if whole in system.part_names("z"):
        return [Column(name)]
    if whole not in system.names_table:
        raise unknown_name(name, [*system.part_names("p"), *system.part_names("q"), *system.part_names("u")],
                           "what a run can be differentiated by")
    return _chosen(name, [Column(entry) for entry in entries(whole, np.shape(state.get(whole)))])


def _held_as(system: System, whole: str) -> str:
    """What a parameter or input is called among the inputs of the programs."""
    return points_name(whole) if whole in system.mechanism.over_time else whole


def _chosen(name: str, every: list[Column]) -> list[Column]:
    whole, place = split_entry(name)
    if not place or name in {column.name for column in every}:
        return every if not place else [column for column in every if column.name == name]
    raise ModelError(f"{name}: {whole} has {len(every)} entries, counted from 0: {every[0].name} … {every[-1].name}.",
                     name)


def _start_values(system: System, state: State, asked: Sequence[str]) -> dict[str, float]:
    """Values of variables and their entries, by name, all computed at once."""
    auxiliary = {name: k for k, name in enumerate(system.part_names("z"))}
    found = {name: float(state.z[auxiliary[name]]) for name in asked if name in auxiliary}
    places = {name: split_entry(name) for name in asked if name not in found}
    wholes = list(dict.fromkeys(whole for whole, _ in places.values()))
    if wholes:
        values = system.evaluate(state, *wholes)
        numbers = dict(zip(wholes, (values,) if len(wholes) == 1 else values, strict=True))
        found |= {name: float(np.ravel(entry_of_array(name, numbers[whole], place))[0])
                  for name, (whole, place) in places.items()}
    return found
