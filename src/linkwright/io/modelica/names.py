"""What names mean: variables, parts, connectors, constants of packages, literals of enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import linkwright as lw

from ...errors import ModelError
from . import syntax
from .arithmetic import Literal, as_array, is_expression, pick, shape_of
from .buses import Bus, Slot
from .changes import Binding, Change, Scope, change_of, merged
from .instances import Declared, Instance, TypeRange, Variable, literal_of, type_of_node
from .library import Node
from .parts import Absent, Part, Port

if TYPE_CHECKING:
    from .building import Build


class Names:
    """The part of the evaluator that looks up names."""

    build: Build
    _constants: dict[tuple[str, str], Any]

    def value(self, expression: syntax.Expression, scope: Scope) -> Any:
        """The value of an expression; see `evaluation`."""
        raise NotImplementedError

    def bound(self, binding: Binding) -> Any:
        """The value of a modification; see `evaluation`."""
        raise NotImplementedError

    def reference(self, expression: syntax.Expression, scope: Scope) -> Any:
        """What a dotted name means: a variable, a part, a connector, a list of them, or a plain value."""
        parts, line = expression[1], expression[2]
        name = parts[0][0]
        found = self._first(name, scope, line)
        found = self._indexed(found, parts[0][1], scope, line)
        for name, subscripts in parts[1:]:
            found = self.inside(found, name, scope, line)
            found = self._indexed(found, subscripts, scope, line)
        return found

    def _first(self, name: str, scope: Scope, line: int) -> Any:
        if name in scope.locals:
            return scope.locals[name]
        if name == "time":
            return lw.time
        if name == "":
            return scope.node.library.top
        instance = scope.instance
        if instance is not None and instance.has(name):
            return instance.member(name)
        if instance is not None and name in instance.types:
            return instance.types[name][0]
        node: Node | None = scope.node
        while node is not None:
            held = node.constant(name)
            if held is not None:
                return self._constant(node, *held)
            inside = node.member(name) or node.imported(name)
            if inside is not None:
                return inside
            for entry in node.imports():  # a constant that was imported
                if name in entry.names:
                    package, _, last = entry.names[name].rpartition(".")
                    home = node.library.top.resolve(package)
                    held = home.constant(last) if home is not None else None
                    if held is not None:
                        return self._constant(home, *held)
            node = node.parent
        if name in ("Boolean",):
            return TypeRange(2)
        if name in ("StateSelect", "AssertionLevel"):
            return _AnyLiteral(name)
        raise ModelError(f"{scope.where(line)}: there is no {name} here.")

    def _constant(self, at: Node, home: Node, component: syntax.Component) -> Any:
        """A constant of a package."""
        key = (at.full, component.name)
        if key not in self._constants:
            holder = Instance.__new__(Instance)
            holder.__dict__.update(node=home, name=home.full, parent=None, change=Change(), evaluator=self,
                                   scope=Scope(None, home), declared={}, types={}, made={}, sections=[], leaf=None,
                                   ports={}, model=None)
            scope = Scope(None, home)
            change = change_of(component.modification, scope, component.line)
            for base, entry in at.bases():  # a package that inherits a constant with another value
                if base is home or base.full == home.full:
                    said = change_of(entry.modification, Scope(None, at), entry.line).entries.get(component.name)
                    change = merged(said, change)
            holder.declared[component.name] = Declared(component, scope, change, scope)
            self._constants[key] = holder.member(component.name)
        return self._constants[key]

    def inside(self, found: Any, name: str, scope: Scope, line: int) -> Any:
        """found.name."""
        if isinstance(found, Instance):
            if found.is_bus:
                return self.build.bus(found).child(name)
            if found.has(name):
                return found.member(name)
            if name in found.types:
                return found.types[name][0]
            other = found.node.member(name)
            if other is not None:
                return other
            held = found.node.constant(name)
            if held is not None:
                return self._constant(found.node, *held)
        elif isinstance(found, Bus):
            return found.child(name)
        elif isinstance(found, (Part, Port)):
            return found.inside(name, scope.where(line))
        elif isinstance(found, Node):
            literal = literal_of(_enumeration(found), name)
            if literal is not None:
                return literal
            inner = found.member(name)
            if inner is not None:
                return inner
            held = found.constant(name)
            if held is not None:
                return self._constant(found, *held)
        elif isinstance(found, dict):
            if name in found:
                return found[name]
        elif isinstance(found, list):
            return [self.inside(item, name, scope, line) for item in found]
        elif isinstance(found, _AnyLiteral):
            return Literal(found.name, name, 0)
        elif isinstance(found, Absent):
            return found
        elif isinstance(found, Variable) and name in ("start", "min", "max", "unit", "quantity", "fixed", "nominal"):
            said = found.change.entries.get(name)
            if said is not None and said.value is not None:
                return self.bound(said.value)
        elif isinstance(found, Variable):
            value = self.settled(found, scope, line)
            if isinstance(value, dict):
                return value[name]
        what = found.node.full if isinstance(found, Instance) else getattr(found, "full", type(found).__name__)
        raise ModelError(f"{scope.where(line)}: {what} has no {name}.")

    def _indexed(self, found: Any, subscripts: tuple, scope: Scope, line: int) -> Any:
        if not subscripts:
            return found
        if isinstance(found, Absent):
            return found
        if isinstance(found, Variable):
            found = self.settled(found, scope, line)
        keys = []
        for k, subscript in enumerate(subscripts):
            if subscript == ("all",):
                keys.append(None)
                continue
            size = shape_of(found)
            key = self.value(subscript, scope.within(end=size[k] if k < len(size) else 0))
            keys.append(key.number if isinstance(key, Literal) else key)
        if any(is_expression(key) for key in keys):
            raise ModelError(f"{scope.where(line)}: an index that changes with time is not read.")
        try:
            return pick(found, keys)
        except (ModelError, IndexError, TypeError, RuntimeError) as error:
            raise located(error, scope, line) from error

    def settled(self, found: Any, scope: Scope, line: int) -> Any:
        """The value of what a name means."""
        if isinstance(found, Variable):
            return self.variable(found)
        if isinstance(found, Slot):
            return found.value()
        if isinstance(found, Instance):
            if found.is_record or found.is_connector:
                return {name: self.settled(item, scope, line) for name, item in found.members()
                        if not isinstance(item, Absent)}
            raise ModelError(f"{scope.where(line)}: {found.path} is a {found.node.full}, not a value.")
        if isinstance(found, list):
            return as_array([self.settled(item, scope, line) for item in found])
        if isinstance(found, Node):
            kind = type_of_node(found, Scope(None, found))
            if kind.kind == "enumeration" and kind.node is not None:
                return TypeRange(len(kind.node.tree.literals))
            if found.tree is not None and found.tree.kind == "function":
                return Function(found, {}, scope)
        if isinstance(found, Absent):
            raise ModelError(f"{scope.where(line)}: a conditional component that is not there is used.")
        return found

    def variable(self, found: Variable) -> Any:
        """A parameter's value, or the symbol of an unknown."""
        if not found.is_parameter:
            return found.unknown()
        if found.state == "known":
            return found.known
        if found.state == "asked":
            raise ModelError(f"{found.where()}: the value of {found.path} depends on itself.")
        found.state = "asked"
        try:
            found.known = self._parameter(found)
        finally:
            found.state = "new"
        found.state = "known"
        return found.known

    def _parameter(self, found: Variable) -> Any:
        fixed = found.change.entries.get("fixed")
        if fixed is not None and fixed.value is not None and self.bound(fixed.value) is False:
            return self.build.free_parameter(found)
        if found.change.value is not None:
            value = self.bound(found.change.value)
        else:
            value = self.build.start_of(found)
            if value is None:
                if found.kind == "String":
                    return ""
                raise ModelError(f"{found.where()}: the parameter {found.path} has no value.")
        if found.kind == "Real" and not is_expression(value) and isinstance(value, (int, np.integer)) \
                and not isinstance(value, bool):
            value = float(value)
        if found.shape and not shape_of(value) and (found.change.value is None or found.change.each):
            value = np.full(found.shape, value)
        return value


class Function:
    """A function as a value, some of its arguments given."""

    def __init__(self, node: Node, named: dict, scope: Scope):
        self.node, self.named, self.scope = node, named, scope


class _AnyLiteral:
    """An enumeration of the language itself, of which any word is taken."""

    def __init__(self, name: str):
        self.name = name


def _enumeration(node: Node) -> Node:
    """What a short class of an enumeration stands for."""
    kind = type_of_node(node, Scope(None, node)) if node.tree is not None and node.tree.short is not None else None
    return kind.node if kind is not None and kind.kind == "enumeration" and kind.node is not None else node


def located(error: Exception, scope: Scope, line: int) -> ModelError:
    text = str(error).rstrip(".")
    if ", line " in text:
        return ModelError(str(error))
    return ModelError(f"{scope.where(line)}: {text or type(error).__name__}.")
