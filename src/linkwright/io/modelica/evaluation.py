"""Values of expressions: numbers where all is known, else formulas in the symbols of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ..tolerances import RANGE_ROUNDING
from . import blocks, syntax
from .algorithms import called
from .arithmetic import Literal, as_array, chosen, inverted, is_expression, negated, pick, shape_of, two
from .built_in import BUILT_IN_FUNCTIONS, OPERATORS, SMOOTH
from .changes import Binding, Change, Scope, change_of
from .frame_functions import FUNCTIONS
from .instances import Declared, Instance, TypeRange
from .library import Node
from .names import Function, Names, located
from .parts import Part, Port

if TYPE_CHECKING:
    from .building import Build


class Evaluator(Names):
    """Evaluates expressions; what it meets of the model is made by `build`."""

    def __init__(self, build: Build):
        self.build = build
        self._constants: dict[tuple[str, str], Any] = {}

    # --- what instances ask for ---

    def port(self, owner: Instance, name: str, kind: str, change: Change) -> Port:
        return self.build.port(owner, name, kind, change)

    def leaf(self, made: Instance) -> Part:
        return self.build.part(made)

    def inner(self, instance: Instance, name: str, declared: Declared) -> Any:
        return self.build.inner(instance, name, declared)

    def report_beside(self, node: Node) -> None:
        self.build.report.beside[node.name] = self.build.report.beside.get(node.name, 0) + 1

    # --- expressions ---

    def bound(self, binding: Binding) -> Any:
        """The value of a modification."""
        found = self.value(binding.expression, binding.scope)
        for k, index in enumerate(binding.index):
            if k == 0 and (isinstance(found, dict) or not shape_of(found)) and not isinstance(found, list):
                raise ModelError(f"{binding.scope.where(binding.line)}: the value of an array of components needs "
                                 f"an entry for each, or the word each; got {found!r}.")
            found = pick(found, [index + 1])
        return found

    def value(self, expression: syntax.Expression, scope: Scope) -> Any:
        """The value of an expression in its scope."""
        kind = expression[0]
        if kind in ("number", "text", "truth"):
            return expression[1]
        if kind == "name":
            return self.settled(self.reference(expression, scope), scope, expression[2])
        if kind == "two":
            a, b = self.value(expression[2], scope), self.value(expression[3], scope)
            try:
                return two(expression[1], a, b)
            except (ModelError, TypeError, ValueError, RuntimeError, NotImplementedError) as error:
                raise located(error, scope, expression[4]) from error
        if kind == "one":
            a = self.value(expression[2], scope)
            return negated(a) if expression[1] == "-" else inverted(a)
        if kind == "if":
            return self._if(expression, scope)
        if kind == "call":
            return self.call(expression, scope)
        if kind == "array":
            try:
                return as_array([self.value(entry, scope) for entry in expression[1]])
            except ModelError as error:
                raise error if "line" in str(error) else located(error, scope, 0) from error
        if kind == "matrix":
            return self._matrix([[self.value(entry, scope) for entry in row] for row in expression[1]])
        if kind == "range":
            return self._range(expression, scope)
        if kind == "each of":
            return as_array(list(self.each(expression, scope)))
        if kind == "last":
            return scope.locals["end"]
        if kind == "function":
            return self._function_value(expression, scope)
        if kind == "field":  # a part of the value that a whole record is given
            whole = self.bound(expression[1])
            return whole[expression[2]] if isinstance(whole, dict) else whole
        if kind == "tuple":
            return [None if entry is None else self.value(entry, scope) for entry in expression[1]]
        raise ModelError(f"{scope.where(0)}: an expression of kind {kind} is not read.")

    def _if(self, expression: syntax.Expression, scope: Scope) -> Any:
        conditions = []
        for condition, value in expression[1]:
            known = self.value(condition, scope)
            if not is_expression(known):
                if known:
                    conditions.append((None, value))
                    break
                continue
            conditions.append((known != 0 if SMOOTH in scope.locals else known, value))
        else:
            conditions.append((None, expression[2]))
        found = self.value(conditions[-1][1], scope)
        for condition, value in reversed(conditions[:-1]):
            found = chosen(condition, self.value(value, scope), found)
        return found

    def _matrix(self, rows: list[list[Any]]) -> Any:
        """[a, b; c, d]: blocks side by side and one above another."""
        def block(value: Any) -> Any:
            size = shape_of(value)
            if is_expression(value):
                return ca.SX(value) if len(size) < 2 else value
            found = np.asarray(value, dtype=float)
            return found.reshape(-1, 1) if found.ndim < 2 else found

        parts = [[block(entry) for entry in row] for row in rows]
        if any(is_expression(*row) for row in parts):
            return ca.vertcat(*[ca.horzcat(*[ca.SX(entry) for entry in row]) for row in parts])
        return np.vstack([np.hstack(row) for row in parts])

    def _range(self, expression: syntax.Expression, scope: Scope) -> Any:
        first, last = self.value(expression[1], scope), self.value(expression[3], scope)
        step = 1 if expression[2] is None else self.value(expression[2], scope)
        if isinstance(first, Literal):
            return [Literal(first.kind, name, k + 1) for k, name in enumerate(self._literals(first))
                    if first.number <= k + 1 <= last.number]
        count = int(np.floor((last - first) / step * (1 + RANGE_ROUNDING) + RANGE_ROUNDING)) + 1
        found = first + step * np.arange(max(count, 0))
        return found.astype(int) if all(isinstance(v, (int, np.integer)) for v in (first, step)) else found

    def _literals(self, literal: Literal) -> list[str]:
        node = self.build.library.top.resolve(literal.kind)
        return list(node.tree.literals) if node is not None and node.tree is not None else []

    def each(self, expression: syntax.Expression, scope: Scope) -> Any:
        """The values of a comprehension, one after another; the last iterator runs fastest outside."""
        name, ran = expression[2][-1]
        rest = expression[2][:-1]
        for item in self.items(name, ran, scope, expression[1]):
            inside = scope.within(**{name: item})
            yield as_array(list(self.each(("each of", expression[1], rest), inside))) if rest \
                else self.value(expression[1], inside)

    def items(self, name: str, ran: syntax.Expression | None, scope: Scope, body: Any = None) -> list:
        """What an iterator goes through; without a range, the indices of what it is used in."""
        if ran is None:
            size = self._implied(name, body, scope)
            return list(range(1, size + 1))
        found = self.value(ran, scope)
        if isinstance(found, TypeRange):
            return list(range(1, found.size + 1))
        if is_expression(found):
            return [pick(found, [k + 1]) for k in range(shape_of(found)[0])]
        items = found if shape_of(found) else [found]
        return [item.item() if isinstance(item, np.generic) else item for item in items]

    def _implied(self, name: str, body: Any, scope: Scope) -> int:
        for part in _names(body):
            prefix: list[tuple[str, tuple]] = []
            for word, subscripts in part[1]:
                for k, subscript in enumerate(subscripts):
                    if subscript[0] == "name" and subscript[1] == ((name, ()),):
                        whole = self.value(("name", (*prefix, (word, ())), part[2]), scope)
                        return shape_of(whole)[k]
                prefix.append((word, subscripts))
        raise ModelError(f"{scope.where(0)}: the range of {name} does not follow from what it is used in.")

    # --- calls ---

    def call(self, expression: syntax.Expression, scope: Scope) -> Any:
        """A call of an operator, a built-in function, a record or a function of the text."""
        name, line = expression[1], expression[4]
        try:
            if name in OPERATORS:
                return OPERATORS[name](self, expression, scope)
            if name in BUILT_IN_FUNCTIONS:
                given, _ = self._given(expression, scope)
                return BUILT_IN_FUNCTIONS[name](*given)
            return self._called(expression, scope)
        except (TypeError, ValueError, IndexError, KeyError, NotImplementedError, ZeroDivisionError) as error:
            raise located(error, scope, line) from error
        except ModelError as error:
            raise error if ", line " in str(error) else located(error, scope, line) from error

    def _given(self, expression: syntax.Expression, scope: Scope) -> tuple[list, dict]:
        return ([self.value(entry, scope) for entry in expression[2]],
                {key: self.value(entry, scope) for key, entry in expression[3].items()})

    def _called(self, expression: syntax.Expression, scope: Scope) -> Any:
        name, line = expression[1], expression[4]
        if name in blocks.FUNCTIONS:
            return blocks.FUNCTIONS[name](*self._given(expression, scope)[0])
        held = scope.locals.get(name)
        if isinstance(held, Function):
            given, named = self._given(expression, scope)
            return self.apply(held.node, given, {**held.named, **named}, scope, line)
        where = scope
        first = name.partition(".")[0]
        if scope.instance is not None and first in scope.instance.types:
            node, where = scope.instance.types[first]
            for inner in name.split(".")[1:]:
                node = node.member(inner) if node is not None else None
        else:
            node = scope.node.resolve(name)
        if node is None and scope.instance is not None and scope.instance.has(first):
            found = scope.instance.member(first)  # a function of a component's class: world.gravityAcceleration
            if isinstance(found, Part):
                given, named = self._given(expression, scope)
                return found.call(name.partition(".")[2], given, named, scope.where(line))
            if isinstance(found, Instance):
                node = found.types[name.partition(".")[2]][0] if name.partition(".")[2] in found.types \
                    else found.node.member(name.partition(".")[2])
        if node is None:
            raise ModelError(f"{scope.where(line)}: there is no function {name}.")
        given, named = self._given(expression, scope)
        return self.apply(node, given, named, where if where is not scope else scope, line)

    def apply(self, node: Node, given: list, named: dict, scope: Scope, line: int) -> Any:
        """The value of a function or record of the text."""
        if node.full in FUNCTIONS:
            return FUNCTIONS[node.full](*given, **named)
        if node.tree is not None and node.tree.short is not None:
            aim = node.aim()
            if aim is None:
                raise ModelError(f"{scope.where(line)}: there is no function {node.tree.short.type}.")
            said = change_of(node.tree.short.modification, Scope(scope.instance, node.parent), line)
            more = {key: self.bound(entry.value) for key, entry in said.entries.items() if entry.value is not None}
            return self.apply(aim, given, {**more, **named}, scope, line)
        return called(self, node, given, named, scope, line)

    def _function_value(self, expression: syntax.Expression, scope: Scope) -> Any:
        node = scope.node.resolve(expression[1])
        if node is None:
            raise ModelError(f"{scope.where(expression[3])}: there is no function {expression[1]}.")
        return Function(node, {key: self.value(entry, scope) for key, entry in expression[2].items()}, scope)


def _names(body: Any) -> Any:
    """All names in an expression or a list of equations."""
    if isinstance(body, tuple) and body and body[0] == "name":
        yield body
    if isinstance(body, (tuple, list)):
        for entry in body:
            yield from _names(entry)
    elif isinstance(body, dict):
        for entry in body.values():
            yield from _names(entry)
    elif isinstance(body, (syntax.Equation, syntax.Statement)):
        yield from _names([body.left, body.right, body.branches, body.body])
