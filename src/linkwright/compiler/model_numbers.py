"""Numbers of a model by their dotted names: which can be given, and a model with others for a while."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from ..building import building
from ..errors import ModelError, UnknownNameError, unknown_name
from ..language import Component, Formula, Model
from ..language.fields import Parameter, Record, Variable, number_of, plain_reads
from ..language.reads import inputs
from ..system import State, System, split_entry
from .comparison import inspect
from .identities import identity


def input_names(model: Model) -> set[str]:
    """Names of inputs: of m.input, and of signals that are left as numbers."""
    return {path for path, *_ in inputs(model)}


def is_input(model: Model, name: str) -> bool:
    """Whether a name is one of an input."""
    return name in input_names(model)


def owner_of(model: Model, name: str) -> tuple[Component, str]:
    """The component and its field that a dotted name means; refused with near names where there is none.

    Of a number within a law ("rev.friction.tau") the field is the law.
    """
    record = record_of(model, name)
    if record is not None:
        return record[:2]
    path, _, own = name.rpartition(".")
    parts: dict[str, Component] = {c.path: c for c in model.leaves()}
    parts |= {part.path: part for part in model.models() if part is not model} | {"": model}
    if path in parts and _can_be_given(type(parts[path]).fields().get(own)):
        return parts[path], own
    known = {f"{p}.{f}" if p else f for p, c in parts.items() for f, kind in type(c).fields().items()
             if _can_be_given(kind)}
    known |= {f"{p}.{f}.{entry}" for p, c in parts.items() for f, kind in type(c).fields().items()
              if isinstance(kind, Record) for entry in kind.entries(c)}
    raise no_parameter(name, known, f"the list of parameters and start values of {model.title!r}", parts)


def no_parameter(name: str, known: Iterable[str], what: str, parts: Container[str]) -> UnknownNameError:
    """The error for a name that no parameter has; of something that is no part, how to make it one is said."""
    error, (path, _, own) = unknown_name(name, known, what), name.rpartition(".")
    if not path or path in parts:
        return error
    return UnknownNameError(f"{error} If {name} is a number inside a formula or block, make it a parameter: class "
                            f"MyModel(lw.Model): {own} = lw.parameter(…), and write self.{own} in the formula.", name)


def record_of(model: Model, name: str) -> tuple[Component, str, str] | None:
    """(component, its field, entry) of a number within a law given as a record, "rev.friction.tau"."""
    path, _, entry = name.rpartition(".")
    path, _, own = path.rpartition(".")
    for component in (*model.leaves(), *model.models()):
        if component.path == path:
            kind = type(component).fields().get(own)
            if isinstance(kind, Record) and entry in kind.entries(component):
                return component, own, entry
    return None


def _can_be_given(kind: object) -> bool:
    """Whether a field is a parameter, or a variable that can have a start value."""
    return isinstance(kind, Parameter) or isinstance(kind, Variable) and bool(kind.initial)


def is_parameter(model: Model, name: str) -> bool:
    """Whether a name is one of a parameter, of an entry of one, or of a number in a law, and not of a start value."""
    component, own = owner_of(model, split_entry(name)[0])
    return isinstance(type(component).fields()[own], Parameter)


@contextmanager
def changed(model: Model, values: Mapping[str, object],
            owners: Mapping[str, tuple[Component, str]] | None = None) -> Iterator[None]:
    """The model with other parameters and start values, for a while; `owners` of the names, where they are known.

    Meanwhile no other thread builds a system, of which some numbers would be those of this while.
    """
    before: list[tuple[Component, dict, dict]] = []
    building.acquire()
    try:
        for name, value in values.items():
            record = record_of(model, name) if owners is None else None
            if record is not None:
                component, field, entry = record
                before.append((component, dict(component._parameters), dict(component._initial)))
                setattr(component, field, number_of(component, field)._replace(**{entry: value}))
                continue
            component, field = owner_of(model, name) if owners is None else owners[name]
            before.append((component, dict(component._parameters), dict(component._initial)))
            kind = type(component).fields()[field]
            if isinstance(kind, Parameter):
                setattr(component, field, value)
            elif isinstance(kind, Variable):
                component._initial[field] = component._start(kind, value)
            else:
                raise ModelError(f"{name}: this cannot be swept.")
        yield
    finally:
        for component, parameters, initial in reversed(before):
            component.__dict__["_parameters"], component.__dict__["_initial"] = parameters, initial
        building.release()


def refusals(model: Model, columns: Mapping[str, np.ndarray],
             owners: Mapping[str, tuple[Component, str]]) -> dict[int, str]:
    """Of many values of parameters, a row for each: the rows that their components refuse, and what they say.

    What is checked is what setting them one by one would check; start values are numbers, and always fit.
    """
    refused: dict[int, str] = {}
    own: dict[int, tuple[Component, dict[str, np.ndarray]]] = {}
    for name, column in columns.items():
        component, field = owners[name][0], type(owners[name][0]).fields()[owners[name][1]]
        if isinstance(field, Record):
            _refuse_in_laws(model, name, column, refused)
            continue
        if not isinstance(field, Parameter):
            if isinstance(field, Variable):
                continue
            raise ModelError(f"{name}: this cannot be swept.")
        own.setdefault(id(component), (component, {}))[1][field.name] = column
        shape = () if field.only is not None or field.default is not None and not field.shape else field.shape
        if column.ndim > 1 and not shape or shape and column.shape[1:] != shape:
            field.checked(component, column[0])  # says what is wrong
        if field.only is not None:
            for k, number in enumerate(column.tolist()):
                if k not in refused and not field.only.holds(number):
                    refused[k] = f"{component.path}.{field.name} = {number:g}{field.only.said}."
    checked = [given for given in own.values() if type(given[0])._check is not Component._check]
    with building:
        _refuse_together(checked, refused)
    return refused


def _refuse_together(own: Iterable[tuple[Component, dict[str, np.ndarray]]], refused: dict[int, str]) -> None:
    """Add the rows of values that components refuse together."""
    for component, given in own:
        before = component.__dict__["_parameters"]
        rows = zip(*[column if column.ndim > 1 else column.tolist() for column in given.values()], strict=True)
        try:
            with plain_reads():
                for k, row in enumerate(rows):
                    component.__dict__["_parameters"] = before | dict(zip(given, row, strict=True))
                    try:
                        component._check()
                    except ModelError as error:
                        refused.setdefault(k, str(error))
        finally:
            component.__dict__["_parameters"] = before


def _refuse_in_laws(model: Model, name: str, column: np.ndarray, refused: dict[int, str]) -> None:
    """Add the rows of a number within a law that the law refuses."""
    for value in np.unique(column):
        try:
            with changed(model, {name: float(value)}):
                pass
        except ModelError as error:
            for k in np.flatnonzero(column == value).tolist():
                refused.setdefault(k, str(error))


@contextmanager
def with_outputs(model: Model, outputs: Mapping[str, object]) -> Iterator[None]:
    """The model with further outputs, for a while."""
    if not outputs:
        yield
        return
    with building:
        before = dict(model._outputs), dict(model._output_units)
        try:
            for name, expression in outputs.items():
                model.output(name, expression)
            yield
        finally:
            model.__dict__["_outputs"], model.__dict__["_output_units"] = before


def check_tuned(system: System, state: State) -> None:
    """Refuse parameters of a state that their components would refuse as numbers of their own, by name."""
    tuned, start = {}, 0
    for item in system.mechanism.parameters:
        value = state.p[start : (start := start + item.symbol.numel())]
        if "#" not in item.name and not np.array_equal(value, item.value):
            tuned[item.name] = value
    if system.model is not None and tuned:
        with building:
            _check_tuned(system, tuned)


def checked_by_ranges(system: System, names: Iterable[str]) -> bool:
    """Whether other values of these parameters can be refused for their ranges alone (see `run.check_columns`)."""
    if system.model is None:
        return True
    members = _members(system.model)
    if any(_checks(c) for c in members.values() if any(isinstance(value, Formula) for value in c._parameters.values())):
        return False
    for name in names:
        path, _, own = name.rpartition(".")
        component = members.get(path)
        field = None if component is None else type(component).fields().get(own)
        if component is not None and isinstance(field, Parameter) and not field.independent and _checks(component):
            return False
    return True


def _members(model: Model) -> dict[str, Component]:
    """All components by their paths; the model itself, whose name may be that of a part, by none."""
    return {"" if c is model else c.path: c for c in (*model.leaves(), *model.models())}


def _checks(component: Component) -> bool:
    """Whether a component looks at how its parameters go together."""
    kind = type(component)
    return kind._check is not Component._check or kind.check_settled is not Component.check_settled


def _check_tuned(system: System, tuned: Mapping[str, np.ndarray]) -> None:
    members = _members(system.model)
    before = {id(c): (c, dict(c._parameters)) for c in members.values()}
    touched: dict[int, Component] = {id(c): c for c in members.values()
                                     if any(isinstance(value, Formula) for value in c._parameters.values())}
    try:
        for name, value in tuned.items():
            path, _, own = name.rpartition(".")
            component = members.get(path)
            field = None if component is None else type(component).fields().get(own)
            # an entry of a law (rev.friction.tau) has its range only
            if component is not None and isinstance(field, Parameter):
                shape = np.shape(field.number(component))
                component._parameters[own] = value.reshape(shape) if shape else float(value[0])
                touched[id(component)] = component
        for component in touched.values():
            component.check_numbers()
            with plain_reads():
                component.check_settled()
    finally:
        for component, parameters in before.values():
            component.__dict__["_parameters"] = parameters


def fingerprint(model: Model) -> str:
    """What tells a model from another: its structure, its numbers, its start values and its controllers."""
    seen, parts = inspect(model), [*model.leaves(), *model.models()]
    return identity((seen.structure, seen.numbers, seen.inputs, [component._initial for component in parts],
                     [part._controllers for part in model.models()]))
