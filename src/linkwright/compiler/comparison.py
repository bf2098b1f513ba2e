"""What a model consists of, as the compiler compares it with models seen before: its structure, and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass

import numpy as np

from ..errors import ModelError
from ..language import Component, Connector, Formula, Model, claim, refuse_impulses
from ..language.fields import Appearance, Free, Parameter, Record, number_of, plain_reads
from ..language.reads import Readings, formulas, inputs, set_and_given


@dataclass
class Inspection:
    """Structure and numbers of a model, by the paths of its parameters.

    `read` are the parameters that the code may depend on as they are; others (of models) only through the `formulas` of
    parameters that follow from them, or through the formulas of `starts`.  `freed` ones are solved for.
    """

    readings: Readings
    structure: tuple = ()
    numbers: dict[str, np.ndarray] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    structural: set[str] = field(default_factory=set)
    formulas: dict[str, Formula] = field(default_factory=dict)
    freed: list[str] = field(default_factory=list)
    starts: list[Formula] = field(default_factory=list)
    used_plainly: dict[str, tuple[str, bool]] = field(default_factory=dict)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)  # what is given from outside, with its own values

    def followers(self, asked: frozenset[str]) -> dict[str, frozenset[str]]:
        """Parameters that are formulas of those asked for, directly or through others, with which of them."""
        found: dict[str, frozenset[str]] = {}

        def followed(path: str) -> frozenset[str]:
            if path in asked:
                return frozenset([path])
            if path not in found:
                found[path] = self._sources(self.formulas[path], followed) if path in self.formulas else frozenset()
            return found[path]

        for path in self.formulas:
            followed(path)
        return {path: roots for path, roots in found.items() if roots}

    def _sources(self, formula: Formula, followed: Callable[[str], frozenset[str]]) -> frozenset[str]:
        return frozenset().union(*[followed(component.path_of(name)) for component, name in formula.sources])

    def decides_a_start(self, path: str) -> bool:
        """Whether a start value is a formula of a parameter."""
        followers = self.followers(frozenset([path]))
        read = {component.path_of(name) for formula in self.starts for component, name in formula.sources}
        return path in read or not read.isdisjoint(followers)

    def signature(self, path: str) -> tuple:
        """The formula of a parameter as something comparable."""
        return (path, self.readings.signature(f"{path} reads", self.formulas[path].expression))


def inspect(model: Model) -> Inspection:
    """Look at a model; expressions that read what is not part of it are refused."""
    blocks = claim(model)
    readings = Readings(model)
    out = Inspection(readings)
    parts: list = []
    out.inputs = {path: value for path, _, value in inputs(model)}
    for path, what, expression in formulas(model, blocks):
        if path in out.inputs:
            parts.append((path, expression.shape))
            continue
        signature, constants = readings.apart(path, what, expression)
        parts.append((path, signature))
        out.numbers |= constants
    out.read |= set(out.numbers)
    parts += [readings.signature(what, expression) for _, what, expression in set_and_given(model)]
    parts.append(any(part._controllers for part in model.models()))  # inputs may jump then
    refuse_impulses(model)
    for block in blocks:
        held = tuple((name, *np.ravel(value)) for name, (_, value) in block.discretes.items())
        acts = [e for action in block.actions for e in action.expressions()]
        parts.append((block.path, block.loose, block.steady, *block.start, held, block.delay,
                      *[action.period for action in block.actions],
                      *[readings.signature(f"{block.path} reads", e) for e in acts]))
    members = [*model.leaves(), *model.models()]
    own = {id(component) for component in members}
    with plain_reads():
        pinned = {(id(owner), name) for component in members for owner, name in component.pins()}
    for component in members:
        component.refresh()
        with plain_reads():
            component.check_settled()
        parts.append((component.path, type(component), _parameters(component, out, own, pinned), _starts(component)))
        out.starts += component._start_formulas.values()
        out.used_plainly |= {component.path_of(name): use for name, use in component._used_plainly.items()}
    for part in model.models():
        _refuse_strays(part)
        parts.append((tuple(tuple(c.path for c in connection) for connection in part._connections),
                      tuple(map(_key, part._contacts)), tuple(part._integrals), tuple(part._inputs), tuple(part._loose),
                      tuple((len(action.changes), action.message, action.each_step, action.period)
                            for action in part._actions),
                      tuple(motion.key() for motion in part._motions)))
    out.structure = tuple(parts)
    out.read |= readings.parameters
    return out


def _refuse_strays(model: Model) -> None:
    """Components in a dict, or put into a list after it was assigned, are no part of the model."""
    for name, value in vars(model).items():
        held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        for item in held if not name.startswith("_") else ():
            if isinstance(item, Component) and item._parent is None:
                raise ModelError(f"{model.path_of(name)} holds a {type(item).__name__} without a name of its own, "
                                 f"which is no part of the model. Assign the list when it is complete, m.{name} = […].",
                                 item)


def _parameters(component: Component, out: Inspection, own: set[int], pinned: set[tuple[int, str]]) -> tuple:
    """What of the parameters of a component is structure; numbers, formulas and freed ones are noted."""
    fixed: list[tuple] = []
    for name, kind in type(component).fields().items():
        if not isinstance(kind, Parameter) or isinstance(kind, Appearance):
            continue
        number, given, path = kind.number(component), kind.given(component), component.path_of(name)
        if isinstance(kind, Record) and (number is None or hasattr(number, "_fields")):
            entries = kind.entries(component)
            if (id(component), name) in pinned:
                fixed.append((name, _key(number)))
                out.structural |= {f"{path}.{entry}" for entry in entries}
                continue
            for entry, x in entries.items():
                out.numbers[f"{path}.{entry}"] = np.asarray(getattr(number, entry), dtype=float)
                out.read.add(f"{path}.{entry}")
                if isinstance(x, Formula):
                    out.formulas[f"{path}.{entry}"] = _within(x, own)
            fixed.append((name, type(number), tuple(entries), *[x for x in number or () if isinstance(x, (bool, str))],
                          *[bool(getattr(number, switch)) for switch in getattr(number, "switches", ())]))
            continue
        if kind.structural or number is None or (id(component), name) in pinned:
            fixed.append((name, _key(number)))
            out.structural.add(path)
            continue
        fixed.append((name, np.shape(number)))
        out.numbers[path] = np.asarray(number, dtype=float)
        if not isinstance(component, Model):
            out.read.add(path)
        if isinstance(given, Free):
            out.freed.append(path)
        elif isinstance(given, Formula):
            out.formulas[path] = _within(given, own)
    return tuple(fixed)


def _within(formula: Formula, own: set[int]) -> Formula:
    """The formula with parameters of other models as the numbers that they are."""
    inside = {source: number for source, number in formula.sources.items() if id(source[0]) in own}
    if len(inside) == len(formula.sources):
        return formula
    expression = formula.substituted(lambda component, name: component.symbol(name) if (component, name) in inside
                                     else number_of(component, name))
    return Formula(formula.now(number_of), expression, inside)


def _starts(component: Component) -> tuple:
    """Which variables have start values: they decide which joints of a loop may be cut."""
    return tuple((name, tuple(type(entry).__name__ for entry in entries))
                 for name, entries in component._initial.items())


class _Same:
    """An object as a key that equals nothing but itself, and keeps it alive."""

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def _key(value: object) -> object:
    """A structural value as something hashable."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, (list, tuple, np.ndarray)):
        return (type(value), *[_key(v) for v in value])
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value), *[_key(getattr(value, entry.name)) for entry in fields(value)])
    if isinstance(value, (Component, Connector)):
        return value.path
    return value if isinstance(value, (str, int, float, bool, type(None))) else _Same(value)
