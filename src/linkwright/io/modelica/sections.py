"""Equation sections of instances: equations as residuals, connections, conditions, events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from . import syntax
from .algorithms import Results, run
from .arithmetic import chosen, column, is_expression, shape_of, truth
from .changes import Scope
from .instances import Instance, Variable

if TYPE_CHECKING:
    from .building import Build

#: calls in equation sections that say nothing about motion
SILENT = ("assert", "Connections.root", "Connections.branch", "Connections.potentialRoot", "Connections.uniqueRoot",
          "Modelica.Utilities.Streams.print", "print", "Streams.print")


def read_sections(build: Build, instance: Instance) -> None:
    """All equations of one instance."""
    for tree, scope in instance.sections:
        for equation in tree.equations:
            read_equation(build, equation, scope, build.equation)
        for equation in tree.initial_equations:
            read_equation(build, equation, scope, build.initial_equation)
        for section in tree.algorithms:
            _algorithm(build, section, scope, build.equation)
        for section in tree.initial_algorithms:
            _algorithm(build, section, scope, build.initial_equation)


def read_equation(build: Build, equation: syntax.Equation, scope: Scope, add: Any) -> None:
    """One entry of an equation section; `add(left, right, where)` takes the equation."""
    where = scope.where(equation.line)
    if equation.kind == "connect":
        build.connections.append((equation, scope))
    elif equation.kind == "=":
        left = build.evaluator.value(equation.left, scope)
        right = build.evaluator.value(equation.right, scope)
        if equation.left[0] == "tuple":
            for a, b in zip(left, right, strict=False):
                if a is not None:
                    add(a, b, where)
        else:
            add(left, right[0] if isinstance(right, Results) else right, where)
    elif equation.kind == "for":
        _for(build, equation, equation.iterators, scope, add)
    elif equation.kind == "if":
        _if(build, equation, scope, add)
    elif equation.kind == "when":
        _when(build, equation, scope)
    elif equation.kind == "call":
        _call(build, equation, scope)


def _for(build: Build, equation: syntax.Equation, iterators: list, scope: Scope, add: Any) -> None:
    if not iterators:
        for inner in equation.body:
            read_equation(build, inner, scope, add)
        return
    name, ran = iterators[0]
    for item in build.evaluator.items(name, ran, scope, equation.body):
        _for(build, equation, iterators[1:], scope.within(**{name: item}), add)


def _if(build: Build, equation: syntax.Equation, scope: Scope, add: Any) -> None:
    """Branches by a number choose once; by a condition that changes, equation by equation."""
    branches: list[tuple[Any, list]] = []
    for condition, body in equation.branches:
        known = build.evaluator.value(condition, scope)
        if not is_expression(known):
            if known:
                branches.append((None, body))
                break
            continue
        branches.append((known, body))
    else:
        branches.append((None, equation.body))
    if len(branches) == 1:
        for inner in branches[0][1]:
            read_equation(build, inner, scope, add)
        return
    collected: list[list[tuple[Any, Any, str]]] = []
    for _, body in branches:
        entries: list[tuple[Any, Any, str]] = []
        for inner in body:
            if not (inner.kind == "call" and inner.left[1] in SILENT):
                read_equation(build, inner, scope, lambda *given, entries=entries: entries.append(given))
        collected.append(entries)
    if len({len(entries) for entries in collected}) > 1:
        raise ModelError(f"{scope.where(equation.line)}: the branches of an if that changes with time have different "
                         "numbers of equations.")
    for rows in zip(*collected, strict=True):
        left, right, where = rows[-1]
        same = all(_alike(row[0], left) for row in rows)
        if same:
            for (condition, _), row in zip(reversed(branches[:-1]), reversed(rows[:-1]), strict=True):
                right = chosen(condition, row[1], right)
            add(left, right, where)
            continue
        found = _difference(left, right)
        for (condition, _), row in zip(reversed(branches[:-1]), reversed(rows[:-1]), strict=True):
            found = chosen(condition, _difference(row[0], row[1]), found)
        add(found, np.zeros(shape_of(found)) if shape_of(found) else 0.0, where)


def _difference(a: Any, b: Any) -> Any:
    return (column(a) if shape_of(a) else truth(a)) - (column(b) if shape_of(b) else truth(b))


def _alike(a: Any, b: Any) -> bool:
    return isinstance(a, ca.SX) and isinstance(b, ca.SX) and a.shape == b.shape and bool(ca.is_equal(a, b, 0))


def _when(build: Build, equation: syntax.Equation, scope: Scope) -> None:
    """when: what happens at the instant that a condition becomes true."""
    for condition, body in equation.branches:
        if condition[0] == "call" and condition[1] in ("initial", "terminal"):
            continue
        entries = condition[1] if condition[0] == "array" else [condition]
        for entry in entries:
            if entry[0] == "call" and entry[1] in ("initial", "terminal"):
                continue
            known = build.evaluator.value(entry, scope)
            for inner in body:
                _event(build, known, inner, scope)


def _event(build: Build, condition: Any, inner: syntax.Equation, scope: Scope) -> None:
    where = scope.where(inner.line)
    if inner.kind == "call" and inner.left[0] == "call":
        name, given = inner.left[1], inner.left[2]
        if name == "terminate":
            message = build.evaluator.value(given[0], scope)
            build.events.append((condition, None, str(message), scope.instance, where))
            return
        if name == "reinit":
            target = build.evaluator.value(given[0], scope)
            build.events.append((condition, target, build.evaluator.value(given[1], scope), scope.instance, where))
            return
        if name in SILENT:
            return
    if inner.kind == "=":
        target = build.evaluator.reference(inner.left, scope) if inner.left[0] == "name" else None
        if isinstance(target, Variable):
            symbol = build.discrete(target)
            build.events.append((condition, symbol, build.evaluator.value(inner.right, scope), scope.instance, where))
            return
    raise ModelError(f"{where}: this is not read inside when; known are variable = value, reinit and terminate.")


def _call(build: Build, equation: syntax.Equation, scope: Scope) -> None:
    call = equation.left
    where = scope.where(equation.line)
    if call[0] != "call":
        raise ModelError(f"{where}: an equation was expected.")
    if call[1] == "assert":
        condition = build.evaluator.value(call[2][0], scope)
        if not is_expression(condition) and not condition and len(call[2]) < 3 and not build.has_free():
            raise ModelError(f"{where}: {build.evaluator.value(call[2][1], scope)}")
        return
    if call[1] == "terminate":
        raise ModelError(f"{where}: terminate outside of when is not read.")
    if call[1] not in SILENT:
        build.ignore(scope.instance, f"the call {call[1]}(…)", equation.line)


def _algorithm(build: Build, section: list[syntax.Statement], scope: Scope, add: Any) -> None:
    """An algorithm of a model: what it assigns last are equations."""
    assigned = {name for statement in section for name in _targets(statement)}
    inside = Scope(scope.instance, scope.node, {})
    if any(statement.kind == "when" for statement in section):
        for statement in section:
            if statement.kind != "when":
                raise ModelError(f"{scope.where(statement.line)}: when beside other statements is not read.")
            _when(build, syntax.Equation("when", statement.line, branches=[
                (condition, [_as_equation(inner, scope) for inner in body]) for condition, body in
                statement.branches]), scope)
        return
    for name in assigned:
        member = scope.instance.member(name) if scope.instance is not None and scope.instance.has(name) else None
        if isinstance(member, Variable):
            inside.locals[name] = np.zeros(member.shape) if member.shape else 0.0
    run(build.evaluator, section, inside)
    for name in sorted(assigned):
        member = scope.instance.member(name) if scope.instance is not None and scope.instance.has(name) else None
        if isinstance(member, Variable):
            add(build.evaluator.variable(member), inside.locals[name], scope.where(section[0].line))


def _as_equation(statement: syntax.Statement, scope: Scope) -> syntax.Equation:
    if statement.kind == ":=":
        return syntax.Equation("=", statement.line, statement.left, statement.right)
    if statement.kind == "call":
        return syntax.Equation("call", statement.line, statement.left)
    raise ModelError(f"{scope.where(statement.line)}: {statement.kind} is not read inside when.")


def _targets(statement: syntax.Statement) -> list[str]:
    if statement.kind == ":=":
        targets = statement.left[1] if statement.left[0] == "tuple" else [statement.left]
        return [target[1][0][0] for target in targets if target is not None]
    found = [name for inner in statement.body for name in _targets(inner)]
    for _, body in statement.branches:
        found += [name for inner in body for name in _targets(inner)]
    return found

