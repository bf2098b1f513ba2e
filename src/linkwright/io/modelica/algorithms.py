"""Functions with algorithms, evaluated on numbers and on formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ..tolerances import MOST_PASSES
from . import syntax
from .arithmetic import as_array, chosen, column, is_expression, shape_of
from .changes import Scope, change_of, merged
from .instances import type_of
from .library import Node

if TYPE_CHECKING:
    from .evaluation import Evaluator


class _Leave(Exception):
    """`return` or `break`."""


class _Return(_Leave):
    pass


class _Break(_Leave):
    pass


def called(evaluator: Evaluator, node: Node, given: list, named: dict, scope: Scope, line: int) -> Any:
    """The result of a function, or a record made by its constructor."""
    kind = node.tree.kind if node.tree is not None else ""
    if kind == "operator":
        return called(evaluator, node.child("fromReal") or node, given, named, scope, line)
    elements = list(_elements(node, evaluator))
    if kind not in ("function", "record"):
        raise ModelError(f"{scope.where(line)}: {node.full} is a {kind or 'class of the library'}, not a function that "
                         "can be read.")
    inside = Scope(None, node)
    inputs = [entry for entry in elements if kind == "record" or "input" in entry[0].prefixes]
    outputs = [entry for entry in elements if "output" in entry[0].prefixes]
    values: dict[str, Any] = inside.locals
    for (component, _, _), value in zip(inputs, given, strict=False):
        values[component.name] = value
    for name, value in named.items():
        if not any(component.name == name for component, _, _ in inputs):
            raise ModelError(f"{scope.where(line)}: {node.full} has no argument {name}.")
        values[name] = value
    for component, at, said in elements:
        if component.name in values:
            continue
        home = Scope(None, at, values)
        if said is not None:
            local = Scope(None, said.scope.node, values) if said.scope.instance is None else said.scope
            values[component.name] = evaluator.value(said.expression, local)
        elif kind == "record" or "input" in component.prefixes:
            raise ModelError(f"{scope.where(line)}: {node.full} is called without {component.name}.")
        else:
            values[component.name] = _blank(evaluator, component, home)
    if kind == "record":
        return {component.name: values[component.name] for component, _, _ in inputs}
    body = next((tree for tree, at in _trees(node) if tree.algorithms or tree.external), None)
    if body is None or body.external and not body.algorithms:
        raise ModelError(f"{scope.where(line)}: {node.full} is written in another language, which is not read.")
    try:
        for section in body.algorithms:
            run(evaluator, section, Scope(None, node, values))
    except _Return:
        pass
    results = [values[component.name] for component, _, _ in outputs]
    return results[0] if len(results) == 1 else Results(results)


class Results(list):
    """Several results of one call."""


def _trees(node: Node) -> Any:
    if node.tree is not None:
        yield node.tree, node
        for base, _ in node.bases():
            yield from _trees(base)


def _elements(node: Node, evaluator: Evaluator, change: Any = None) -> Any:
    """(component, class it is declared in, default) of a function or record, bases first."""
    if node.tree is None:
        return
    if node.tree.short is not None:
        aim = node.aim()
        if aim is not None:
            said = change_of(node.tree.short.modification, Scope(None, node.parent or node))
            yield from _elements(aim, evaluator, merged(change, said))
        return
    for base, entry in node.bases():
        yield from _elements(base, evaluator, merged(change, change_of(entry.modification, Scope(None, node))))
    for component in node.tree.components:
        said = change_of(component.modification, Scope(None, node), component.line)
        if change is not None:
            said = merged(change.entries.get(component.name), said)
        yield component, node, said.value


def _blank(evaluator: Evaluator, component: syntax.Component, scope: Scope) -> Any:
    """A variable before it is assigned: zeros of its size."""
    kind = type_of(component.type, scope, component.line)
    sizes = [*((size, scope) for size in component.sizes), *kind.sizes]
    if kind.kind == "class" and kind.node is not None and not sizes:
        return {}
    if any(size == ("all",) for size, _ in sizes):
        return None
    shape = tuple(int(evaluator.value(size, Scope(at.instance, at.node, scope.locals))) for size, at in sizes)
    if kind.kind in ("String", "Boolean"):
        blank: Any = "" if kind.kind == "String" else False
        for size in reversed(shape):
            blank = [blank] * size
        return blank
    return np.zeros(shape) if shape else 0.0


def run(evaluator: Evaluator, statements: list[syntax.Statement], scope: Scope) -> None:
    """Statements one after another; `scope.locals` holds the variables."""
    for statement in statements:
        _step(evaluator, statement, scope)


def _step(evaluator: Evaluator, statement: syntax.Statement, scope: Scope) -> None:
    kind = statement.kind
    if kind == ":=":
        value = evaluator.value(statement.right, scope)
        if statement.left[0] == "tuple":
            for target, part in zip(statement.left[1], value, strict=False):
                if target is not None:
                    _assign(evaluator, target, part, scope)
        else:
            if isinstance(value, Results):
                value = value[0]
            _assign(evaluator, statement.left, value, scope)
    elif kind == "call":
        if statement.left[0] == "call" and statement.left[1] == "assert":
            condition = evaluator.value(statement.left[2][0], scope)
            if not is_expression(condition) and not condition:
                message = evaluator.value(statement.left[2][1], scope)
                raise ModelError(f"{scope.where(statement.line)}: {message}")
    elif kind == "for":
        _loop(evaluator, statement, statement.iterators, scope)
    elif kind == "while":
        for _ in range(MOST_PASSES):
            condition = evaluator.value(statement.left, scope)
            if is_expression(condition):
                raise ModelError(f"{scope.where(statement.line)}: a while loop over what changes with time is not "
                                 "read.")
            if not condition:
                return
            try:
                run(evaluator, statement.body, scope)
            except _Break:
                return
        raise ModelError(f"{scope.where(statement.line)}: this loop does not end.")
    elif kind == "if":
        _branch(evaluator, statement.branches, statement.body, scope)
    elif kind == "return":
        raise _Return
    elif kind == "break":
        raise _Break
    else:
        raise ModelError(f"{scope.where(statement.line)}: {kind} is not read inside an algorithm.")


def _loop(evaluator: Evaluator, statement: syntax.Statement, iterators: list, scope: Scope) -> None:
    if not iterators:
        run(evaluator, statement.body, scope)
        return
    name, ran = iterators[0]
    kept = scope.locals.get(name)
    try:
        for item in evaluator.items(name, ran, scope, statement.body):
            scope.locals[name] = item
            _loop(evaluator, statement, iterators[1:], scope)
    except _Break:
        pass
    scope.locals.pop(name, None)
    if kept is not None:
        scope.locals[name] = kept


def _branch(evaluator: Evaluator, branches: list, otherwise: list, scope: Scope) -> None:
    """if: where the condition changes with time, both ways are gone and the results chosen between."""
    if not branches:
        run(evaluator, otherwise, scope)
        return
    condition = evaluator.value(branches[0][0], scope)
    if not is_expression(condition):
        if condition:
            run(evaluator, branches[0][1], scope)
        else:
            _branch(evaluator, branches[1:], otherwise, scope)
        return
    before = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in scope.locals.items()}
    run(evaluator, branches[0][1], scope)
    one = dict(scope.locals)
    scope.locals.clear()
    scope.locals.update(before)
    _branch(evaluator, branches[1:], otherwise, scope)
    for name, value in one.items():
        other = scope.locals.get(name)
        if value is not other and not _same(value, other):
            scope.locals[name] = chosen(condition, value, other)


def _same(a: Any, b: Any) -> bool:
    if is_expression(a, b):
        return isinstance(a, ca.SX) and isinstance(b, ca.SX) and a.shape == b.shape and bool(ca.is_equal(a, b, 0))
    try:
        return bool(np.all(np.asarray(a) == np.asarray(b)))
    except (TypeError, ValueError):
        return a == b


def _assign(evaluator: Evaluator, target: syntax.Expression, value: Any, scope: Scope) -> None:
    """name := value, name[i] := value, name.field := value."""
    if target[0] != "name":
        raise ModelError(f"{scope.where(0)}: an assignment to {target[0]} is not read.")
    parts = target[1]
    name, subscripts = parts[0]
    if len(parts) > 1:
        record = scope.locals.get(name)
        if not isinstance(record, dict):
            raise ModelError(f"{scope.where(target[2])}: {name} is no record.")
        scope.locals[name] = {**record, parts[1][0]: _entered(evaluator, record.get(parts[1][0]), parts[1][1], value,
                                                              scope)}
        return
    scope.locals[name] = _entered(evaluator, scope.locals.get(name), subscripts, value, scope)


def _entered(evaluator: Evaluator, before: Any, subscripts: tuple, value: Any, scope: Scope) -> Any:
    if not subscripts:
        return value
    shape = shape_of(before)
    keys = []
    for k, subscript in enumerate(subscripts):
        if subscript == ("all",):
            keys.append(slice(None))
            continue
        key = evaluator.value(subscript, scope.within(end=shape[k] if k < len(shape) else 0))
        keys.append(np.asarray(key, dtype=int) - 1 if np.ndim(key) else int(key) - 1)
    if is_expression(before, value):
        whole = ca.SX(column(before))
        rows = [key.tolist() if isinstance(key, np.ndarray) else key for key in keys]
        entry = column(value) if shape_of(value) else value
        if len(rows) == 1 and len(shape) == 1:
            whole[rows[0], 0] = entry
        elif len(rows) == 1:
            whole[rows[0], :] = column(entry).T
        else:
            if is_expression(entry) and isinstance(rows[0], int) and not isinstance(rows[1], int):
                entry = entry.T
            whole[rows[0], rows[1]] = entry
        return whole
    if isinstance(before, list):
        copy = list(before)
        copy[keys[0]] = value
        return copy
    whole = np.array(before, dtype=float)
    whole[tuple(keys)] = value
    return whole


__all__ = ["Results", "as_array", "called", "run"]
