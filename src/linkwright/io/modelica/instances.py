"""Instances of classes: their elements with all modifications applied, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import casadi as ca

from ...errors import ModelError
from ...language.symbolic import symbolic
from ..tolerances import DEEPEST_CLASS
from . import syntax
from .arithmetic import Literal, OneEntry, shape_of
from .changes import Binding, Change, Scope, change_of, merged
from .leaves import CONNECTORS, LOOKS_ALONE
from .library import Node, unknown_class
from .parts import Absent

if TYPE_CHECKING:
    from .evaluation import Evaluator

BUILT_IN = ("Real", "Integer", "Boolean", "String")


@dataclass(eq=False)
class Declared:
    """An element of an instance before it is made."""

    component: syntax.Component
    scope: Scope  # of the class that declares it
    change: Change
    type_scope: Scope  # where the name of its class is looked up; differs where it is redeclared


@dataclass(eq=False)
class Variable:
    """A Real, Integer, Boolean, String or enumeration: a parameter with a value, or an unknown with a symbol."""

    name: str
    owner: Instance
    kind: str
    shape: tuple[int, ...]
    change: Change
    prefixes: frozenset[str]
    component: syntax.Component
    symbol: Any = None
    known: Any = None
    state: str = "new"

    @property
    def path(self) -> str:
        return f"{self.owner.path}.{self.name}" if self.owner.path else self.name

    @property
    def is_parameter(self) -> bool:
        return bool(self.prefixes & {"parameter", "constant"}) or self.kind == "String"

    def where(self) -> str:
        return self.owner.scope.where(self.component.line)

    def unknown(self) -> Any:
        """Its symbol, made when first asked for."""
        if self.symbol is None:
            size = {0: (1, 1), 1: (*self.shape, 1)}.get(len(self.shape), self.shape)
            if len(size) > 2:
                raise ModelError(f"{self.where()}: {self.path} has {len(size)} dimensions; arrays of variables have at "
                                 "most two here.")
            made = ca.SX.sym(self.path, *size)
            self.symbol = OneEntry(made) if self.shape == (1,) else symbolic(made)
        return self.symbol


@dataclass(eq=False)
class Type:
    """What a name of a type comes to: a built-in kind or a class, with what the way there says."""

    kind: str  # one of BUILT_IN, "enumeration", or "class"
    node: Node | None
    change: Change
    sizes: tuple[tuple[syntax.Expression, Scope], ...] = ()
    prefixes: frozenset[str] = frozenset()


class Instance:
    """A model, block, connector or record that is interpreted."""

    def __init__(self, node: Node, name: str, parent: Instance | None, change: Change, evaluator: Evaluator,
                 prefixes: frozenset[str] = frozenset()):
        self.prefixes = prefixes & {"parameter", "constant"}
        self.node, self.name, self.parent, self.change, self.evaluator = node, name, parent, change, evaluator
        self.scope = Scope(self, node)
        self.declared: dict[str, Declared] = {}
        self.types: dict[str, tuple[Node, Scope]] = {}
        self.made: dict[str, Any] = {}
        self.sections: list[tuple[syntax.Class, Scope]] = []
        self.leaf: tuple[Node, Change] | None = None
        self.ports: dict[str, Any] = {}
        self.model: Any = None
        self._collect(node, change, set())

    @property
    def path(self) -> str:
        if self.parent is None:
            return ""
        return f"{self.parent.path}.{self.name}" if self.parent.path else self.name

    @property
    def is_record(self) -> bool:
        return self.node.tree is not None and self.node.tree.kind == "record"

    @property
    def is_connector(self) -> bool:
        return self.node.tree is not None and self.node.tree.kind == "connector"

    @property
    def is_bus(self) -> bool:
        return self.node.tree is not None and "expandable" in self.node.tree.prefixes

    # --- elements ---

    def _collect(self, node: Node, change: Change, seen: set[str]) -> None:
        """Elements of a class and its bases; `change` is what applies from outside."""
        if node.leaf:
            self.leaf = (node, merged(change, self.leaf[1]) if self.leaf else change)
            return
        scope = Scope(self, node)
        if node.tree is not None and node.tree.short is not None:
            base = node.aim()
            if base is None:
                raise unknown_class(node, node.tree.short.type, node.tree.line)
            self._collect(base, merged(change, change_of(node.tree.short.modification, Scope(self, node.parent))), seen)
            return
        if node.tree is None:
            raise unknown_class(node, node.full, 0)
        for name in node.tree.classes:
            said = change.entries.get(name)
            if said is not None and said.redeclared is not None:
                tree, where = said.redeclared
                assert isinstance(tree, syntax.Class)
                self.types[name] = (Node(f"{node.full}.{name}", where.node, node.library, [(tree, None)]), where)
        for base, entry in node.bases():
            self._collect(base, merged(change, change_of(entry.modification, scope, entry.line)), seen)
        for component in node.tree.components:
            self._declare(component, scope, change)
        self.sections.append((node.tree, scope))

    def _declare(self, component: syntax.Component, scope: Scope, change: Change) -> None:
        name = component.name
        outer = change.entries.get(name)
        said = merged(outer, change_of(component.modification, scope, component.line))
        if name in self.declared and "redeclare" not in component.prefixes \
                and component.type != self.declared[name].component.type and not component.modification:
            return  # inherited twice
        if name in self.declared and "redeclare" not in component.prefixes and not component.modification:
            return
        if "redeclare" in component.prefixes and name in self.declared:
            said = merged(said, self.declared[name].change)
        type_scope = scope
        if said.redeclared is not None and isinstance(said.redeclared[0], syntax.Component):
            other, where = said.redeclared
            kept = component.constraint if component.constraint is not None else component.modification
            outer = Change(said.entries, said.value) if outer is None else outer
            said = merged(merged(Change(outer.entries, outer.value, None, outer.each, outer.line),
                                 change_of(other.modification, where, other.line)),
                          change_of(kept, scope, component.line))
            component = replace(component, type=other.type, sizes=other.sizes or component.sizes,
                                condition=component.condition or other.condition)
            type_scope = where
            said.redeclared = None
        self.declared[name] = Declared(component, scope, said, type_scope)

    def has(self, name: str) -> bool:
        return name in self.declared

    def member(self, name: str) -> Any:
        """A part, made now if it was not yet."""
        if name not in self.made:
            if name not in self.declared:
                raise KeyError(name)
            self.made[name] = None  # a ring shows as None
            try:
                self.made[name] = self._make(name, self.declared[name])
            except BaseException:
                del self.made[name]
                raise
        return self.made[name]

    def members(self) -> Iterator[tuple[str, Any]]:
        for name in list(self.declared):
            yield name, self.member(name)

    def _make(self, name: str, declared: Declared) -> Any:
        component, scope = declared.component, declared.scope
        if component.condition is not None:
            there = self.evaluator.value(component.condition, scope)
            if isinstance(there, ca.SX):
                raise ModelError(f"{scope.where(component.line)}: whether {name} is there must not change with time.")
            if not there:
                return Absent()
        if "outer" in component.prefixes:
            found = self.evaluator.inner(self, name, declared)
            if found is not None and "inner" not in component.prefixes:
                return found
        kind = type_of(component.type, declared.type_scope, component.line)
        change = merged(declared.change, kind.change)
        prefixes = component.prefixes | kind.prefixes
        sizes = [(size, scope) for size in component.sizes] + list(kind.sizes)
        if kind.kind != "class":
            return self._variable(name, component, kind, change, sizes, prefixes)
        assert kind.node is not None
        if kind.node.full.startswith(LOOKS_ALONE):
            self.evaluator.report_beside(kind.node)
            return Absent()
        shape = self._sizes(sizes, change, name)
        prefixes |= self.prefixes if self.is_record else frozenset()
        if not shape:
            return self._one(kind.node, name, change, prefixes)
        return self._many(kind.node, name, change, shape, (), prefixes)

    def _many(self, node: Node, name: str, change: Change, shape: tuple[int, ...], index: tuple[int, ...],
              prefixes: frozenset[str]) -> list:
        if len(index) == len(shape) - 1:
            return [self._one(node, name + "".join(f"[{j}]" for j in (*index, k)), change.at((*index, k)), prefixes)
                    for k in range(shape[-1])]
        return [self._many(node, name, change, shape, (*index, k), prefixes) for k in range(shape[len(index)])]

    def _one(self, node: Node, name: str, change: Change, prefixes: frozenset[str]) -> Any:
        if node.full in CONNECTORS:
            return self.evaluator.port(self, name, CONNECTORS[node.full], change)
        made = Instance(node, name, self, change, self.evaluator, prefixes)
        if made.leaf is not None:
            return self.evaluator.leaf(made)
        return made

    def _variable(self, name: str, component: syntax.Component, kind: Type, change: Change,
                  sizes: list[tuple[syntax.Expression, Scope]], prefixes: frozenset[str]) -> Variable:
        if self.is_record:  # what holds of a record holds of its parts
            prefixes |= self.prefixes
            if self.change.value is not None and change.value is None:
                whole = Binding(("field", self.change.value, name), self.scope)
                change = Change(change.entries, whole, None, change.each, change.line)
        shape = self._sizes(sizes, change, name)
        label = kind.kind if kind.kind != "enumeration" or kind.node is None else f"enumeration {kind.node.full}"
        return Variable(name, self, label, shape, change, prefixes, component)

    def _sizes(self, sizes: list[tuple[syntax.Expression, Scope]], change: Change, name: str) -> tuple[int, ...]:
        found: list[int] = []
        for k, (size, scope) in enumerate(sizes):
            if size == ("all",):
                value = self._bound(change, name, scope)
                found.append(shape_of(value)[k])
            else:
                value = self.evaluator.value(size, scope)
                if isinstance(value, TypeRange):
                    value = value.size
                found.append(int(value))
        return tuple(found)

    def _bound(self, change: Change, name: str, scope: Scope) -> Any:
        if change.value is not None:
            return self.evaluator.bound(change.value)
        start = change.entries.get("start")
        if start is not None and start.value is not None:
            return self.evaluator.bound(start.value)
        for entry in change.entries.values():
            if entry.value is not None and not entry.each:
                return self.evaluator.bound(entry.value)
        raise ModelError(f"{scope.where(change.line)}: the size of {name} is open, and no value says it.")


@dataclass(frozen=True)
class TypeRange:
    """Boolean or an enumeration as the size of an array."""

    size: int


def type_of(name: str, scope: Scope, line: int = 0) -> Type:
    """What the name of a type means: built-in, enumeration or class, along short classes."""
    return _type(name, scope, line, 0)


def _type(name: str, scope: Scope, line: int, depth: int) -> Type:
    if name in BUILT_IN:
        return Type(name, None, Change())
    if name in ("StateSelect", "AssertionLevel", "ExternalObject"):
        return Type("enumeration", None, Change())
    first = name.partition(".")[0]
    node, where = None, scope
    if scope.instance is not None and first in scope.instance.types:
        node, where = scope.instance.types[first]
        for inner in name.split(".")[1:]:
            node = node.member(inner) if node is not None else None
    else:
        node = scope.node.resolve(name)
    if node is None:
        raise unknown_class(scope.node, name, line)
    return type_of_node(node, where, depth)


def type_of_node(node: Node, where: Scope, depth: int = 0) -> Type:
    """As `type_of`, of a class that was found."""
    tree = node.tree
    if tree is None or node.leaf or node.full in CONNECTORS or depth > DEEPEST_CLASS:
        return Type("class", node, Change())
    if tree.literals is not None:
        return Type("enumeration", node, Change())
    if tree.short is not None:
        inside = Scope(where.instance, node.parent or node)
        base = _type(tree.short.type, inside, tree.line, depth + 1)
        change = merged(change_of(tree.short.modification, inside, tree.line), base.change)
        sizes = tuple((size, inside) for size in tree.short.sizes)
        # a short class of a class keeps its own name, so that its parts are found
        found = node if base.kind == "class" and not sizes and base.node is not None and not base.node.leaf \
            and base.node.full not in CONNECTORS and tree.short.modification is not None else base.node
        return Type(base.kind, found if base.kind == "class" else base.node,
                    change if found is not node else Change(), sizes + base.sizes,
                    tree.short.prefixes | base.prefixes | tree.prefixes & {"expandable"})
    for entry in tree.extends:
        if entry.base in BUILT_IN:
            inside = Scope(where.instance, node)
            return Type(entry.base, None, change_of(entry.modification, inside, entry.line))
    if not tree.components and len(tree.extends) == 1 and not tree.equations and tree.kind in ("type", "connector"):
        base = node.resolve(tree.extends[0].base, own=False)
        if base is not None and ".Icons." not in f".{base.full}.":
            found = type_of_node(base, where, depth + 1)
            if found.kind != "class" or base.full in CONNECTORS:
                change = change_of(tree.extends[0].modification, Scope(where.instance, node), tree.line)
                return Type(found.kind, found.node, merged(change, found.change), found.sizes, found.prefixes)
    return Type("class", node, Change())


def literal_of(node: Node, name: str) -> Literal | None:
    """A literal of an enumeration."""
    tree = node.tree
    if tree is not None and tree.literals is not None and name in tree.literals:
        return Literal(node.full, name, tree.literals.index(name) + 1)
    return None
