"""Modifications as they apply: values with the place they were written in, nested, outer over inner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import syntax

if TYPE_CHECKING:
    from .instances import Instance
    from .library import Node


@dataclass(eq=False)
class Scope:
    """Where an expression stands: the instance whose names it sees, the class it is written in, local names."""

    instance: Instance | None
    node: Node
    locals: dict[str, Any] = field(default_factory=dict)

    def within(self, **more: Any) -> Scope:
        """The same with more local names."""
        return Scope(self.instance, self.node, {**self.locals, **more})

    def where(self, line: int) -> str:
        """File, line and class, for messages."""
        file = self.node.tree.file if self.node.tree is not None else self.node.full
        return f"{file}, line {line}, in {self.node.full}"


@dataclass(eq=False)
class Binding:
    """An expression with its scope; of the value only the entry `index` (counted from 0) is meant."""

    expression: syntax.Expression
    scope: Scope
    index: tuple[int, ...] = ()
    line: int = 0


@dataclass(eq=False)
class Change:
    """What is said of a component from outside: its value, its parts, another class for it."""

    entries: dict[str, Change] = field(default_factory=dict)
    value: Binding | None = None
    redeclared: tuple[syntax.Component | syntax.Class, Scope] | None = None
    each: bool = False
    line: int = 0

    def entry(self, name: str) -> Change:
        return self.entries.get(name) or Change()

    def at(self, index: tuple[int, ...]) -> Change:
        """Of an array of components, what concerns one of them; what is said of `each` concerns all."""
        if self.each:
            return self
        value = self.value
        if value is not None:
            value = Binding(value.expression, value.scope, (*value.index, *index), value.line)
        own = self.entries.get("[" + ",".join(str(k + 1) for k in index) + "]")
        entries = {name: entry.at(index) for name, entry in self.entries.items() if not name.startswith("[")}
        found = Change(entries, value, self.redeclared, False, self.line)
        return merged(own, found) if own is not None else found


def change_of(modification: syntax.Modification | None, scope: Scope, line: int = 0, each: bool = False) -> Change:
    """A modification as written, with its scope."""
    if modification is None:
        return Change()
    found = Change(each=each, line=line)
    if modification.value is not None:
        found.value = Binding(modification.value, scope, line=line)
    for argument in modification.arguments:
        first, _, rest = argument.name.partition(".")
        first, bracket, index = first.partition("[")
        inner = change_of(argument.modification, scope, argument.line, argument.each)
        inner.line = argument.line
        if argument.redeclared is not None:
            inner.redeclared = (argument.redeclared, scope)
            inner.each = argument.each
        for name in reversed(rest.split(".") if rest else ()):
            inner = Change({name: inner}, line=argument.line, each=argument.each)
        if bracket:
            inner = Change({f"[{index}": inner}, line=argument.line)
        found.entries[first] = merged(inner, found.entries[first]) if first in found.entries else inner
    return found


def merged(outer: Change | None, inner: Change | None) -> Change:
    """Both, the outer one winning where both say something."""
    if outer is None or inner is None:
        return outer or inner or Change()
    entries = dict(inner.entries)
    for name, entry in outer.entries.items():
        entries[name] = merged(entry, entries[name]) if name in entries else entry
    return Change(entries, outer.value or inner.value, outer.redeclared or inner.redeclared, outer.each or
                  (inner.each and outer.value is None and not outer.entries), outer.line or inner.line)
