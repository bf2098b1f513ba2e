"""The last step: formulas of all unknowns, handed to the model as signals, states, constraints, events, outputs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...errors import ModelError
from ...language import Component
from ...language.fields import Signal
from ...language.symbolic import symbolic
from ..import_report import Note
from ..tolerances import HOLDS, SHOWN_MOVES
from .arithmetic import is_expression, shape_of
from .instances import Variable
from .parts import Port
from .solving import Order, Unknown, solve

if TYPE_CHECKING:
    from .building import Build


class Implicit(Component):
    """Unknowns of a text that only a system of equations determines; found at every instant by Newton's method."""

    def tell(self, symbols: ca.SX, residual: ca.SX, start: np.ndarray) -> None:
        self.__dict__["_system"] = (symbols, residual, start)

    def describe(self, plan: Any) -> None:
        symbols, residual, start = self.__dict__["_system"]
        plan.unknown(self, "x", symbols, residual, start)


class Condition(Component):
    """An equation of a text among positions: a constraint of the mechanism."""

    def tell(self, residual: ca.SX) -> None:
        self.__dict__["_residual"] = residual

    def describe(self, plan: Any) -> None:
        plan.constraint(self, "", self.__dict__["_residual"])


def finish(build: Build) -> None:
    """Solve what the equations say, and complete the model."""
    _attach_sources(build)
    _open_inputs(build)
    order = solve(build.unknowns, build.residuals)
    values = _values(build, order)
    whole = Substitution(values)
    for part in build.parts:
        for name, symbol in part.signals.items():
            if any(entry.element_hash() in values for entry in ca.vertsplit(ca.vec(ca.SX(symbol)))):
                formula = whole(symbol)
                _refuse_open(build, formula, f"{part.component.path}.{name}")
                setattr(part.component, name, formula)
    _constraints(build, order, whole)
    _initial(build, whole)
    _events(build, whole)
    _outputs(build, whole, values)


class Substitution:
    """Formulas put in the place of symbols."""

    def __init__(self, values: dict[int, ca.SX]):
        self.values = values

    def __call__(self, expression: Any) -> Any:
        if not is_expression(expression):
            return expression
        read = [symbol for symbol in ca.symvar(ca.SX(expression)) if symbol.element_hash() in self.values]
        if not read:
            return symbolic(ca.SX(expression))
        new = [self.values[symbol.element_hash()] for symbol in read]
        return symbolic(ca.substitute([ca.SX(expression)], [ca.vertcat(*read)], [ca.vertcat(*new)])[0])


def _values(build: Build, order: Order) -> dict[int, ca.SX]:
    """The formula of every unknown, in symbols of the model alone."""
    values: dict[int, ca.SX] = {}
    whole = Substitution(values)
    states = {}
    for key, variable in build.discretes.items():
        values[key] = _discrete(build, variable, build.unknowns[key])
    for unknown in order.states:
        key = unknown.symbol.element_hash()
        values[key] = _state(build, unknown)
        states[key] = unknown
    systems = [_implicit(build, members, values) for members, _ in order.systems]
    _in_turn(build, order.formulas, whole)
    for (members, rows), (component, starts) in zip(order.systems, systems, strict=True):
        component.tell(ca.vertcat(*[values[unknown.symbol.element_hash()] for unknown in members]),
                       ca.vertcat(*[whole(row.expression) for row in rows]), starts)
    for key, unknown in states.items():
        rate = unknown.rate.symbol.element_hash()  # type: ignore[union-attr]
        if rate not in values:
            variable, _ = _owner(build, unknown)
            names = ", ".join(other.name for other in order.open[:SHOWN_MOVES])
            where = variable.where() if variable is not None else build.report.file
            raise ModelError(f"{where}: no equation determines the derivative of {unknown.name}. Open are {names}; "
                             "connect them, or give them values.")
        model, name, symbol, start = build.__dict__["_states"][key]
        _refuse_open(build, values[rate], f"der({unknown.name})")
        model._integrals[name] = (symbol, ca.SX(values[rate]), start)
    return values


def _refuse_open(build: Build, formula: ca.SX, what: str) -> None:
    """A formula must not read what no equation determines."""
    for symbol in ca.symvar(ca.SX(formula)):
        unknown = build.unknowns.get(symbol.element_hash())
        if unknown is None:
            continue
        variable, _ = _owner(build, unknown)
        where = f"{variable.where()}: " if variable is not None else ""
        raise ModelError(f"{where}{what} reads {unknown.name}, which no equation determines. Connect it, or give it a "
                         "value.")


def _in_turn(build: Build, formulas: dict[int, ca.SX | None], whole: Substitution) -> None:
    """Every formula after those that it reads."""
    values = whole.values
    for first in formulas:
        stack, open_keys = [first], set()
        while stack:
            key = stack[-1]
            if key in values:
                stack.pop()
                continue
            formula = formulas[key]
            of = build.unknowns[key].of
            read = {of.symbol.element_hash()} if formula is None and of is not None else \
                {symbol.element_hash() for symbol in ca.symvar(formula)}
            needed = [other for other in read if other in formulas and other not in values]
            if needed:
                if key in open_keys:
                    raise ModelError(f"{build.unknowns[key].name} follows from its own derivative; such equations are "
                                     "not read.")
                open_keys.add(key)
                stack += needed
                continue
            stack.pop()
            if formula is None:
                value = values[of.symbol.element_hash()]  # type: ignore[union-attr]
                values[key] = lw.der(value) if ca.symvar(ca.SX(value)) else ca.SX(0)
            else:
                values[key] = whole(formula)


def _owner(build: Build, unknown: Unknown) -> tuple[Variable | None, int]:
    key = unknown.symbol.element_hash()
    table = build.__dict__.get("_owners")
    if table is None:
        table = build.__dict__["_owners"] = {
            entry.element_hash(): (variable, k) for variable in build.variables
            for k, entry in enumerate(ca.vertsplit(ca.vec(ca.SX(variable.symbol))))}
    return table.get(key, (None, 0))


def _start(build: Build, variable: Variable | None, k: int) -> tuple[float, bool]:
    if variable is None:
        return 0.0, False
    start = build.start_of(variable)
    said = variable.change.entries.get("fixed")
    fixed = build.evaluator.bound(said.value) if said is not None and said.value is not None else False
    if is_expression(start):
        start = 0.0
    number = 0.0 if start is None else float(np.ravel(np.asarray(start, dtype=float), order="F")[k]
                                              if shape_of(start) else start)
    return number, bool(np.ravel(fixed)[k if np.size(fixed) > 1 else 0])


def _state(build: Build, unknown: Unknown) -> Any:
    """A state of the model: an integral whose rate is put in when it is known."""
    variable, k = _owner(build, unknown)
    number, fixed = _start(build, variable, k)
    model = build.model_of(variable.owner) if variable is not None else build.top.model  # type: ignore[union-attr]
    name = _free_name(model, (variable.name if variable is not None else unknown.name) +
                      (f"[{k}]" if variable is not None and variable.shape else ""))
    symbol = model.integral(0.0, number if fixed else lw.guess(number), name)
    build.__dict__.setdefault("_states", {})[unknown.symbol.element_hash()] = (model, name, symbol, number)
    return symbol


def _discrete(build: Build, variable: Variable, unknown: Unknown) -> Any:
    _, k = _owner(build, unknown)
    number, _ = _start(build, variable, k)
    model = build.model_of(variable.owner)
    return model.discrete(_free_name(model, variable.name + (f"[{k}]" if variable.shape else "")), number)


def _free_name(model: lw.Model, name: str) -> str:
    name = name.replace("(", "_").replace(")", "").replace(" ", "_")
    own = f"{name.lstrip('_')}_" if hasattr(lw.Model, name) or name.startswith("_") else name
    while own in model._children or own in model._connectors or own in model._integrals or own in model._inputs:
        own += "_"
    return own


def _implicit(build: Build, unknowns: list[Unknown], values: dict[int, ca.SX]) -> tuple[Implicit, np.ndarray]:
    """A component whose unknowns these are."""
    component = Implicit()
    top = build.top.model  # type: ignore[union-attr]
    number = sum(isinstance(child, Implicit) for child in top._children.values()) + 1
    setattr(top, f"implicit{number}", component)
    symbols = component.symbol("x", (len(unknowns),))
    starts = []
    for k, unknown in enumerate(unknowns):
        values[unknown.symbol.element_hash()] = ca.SX(symbols)[k]
        starts.append(_start(build, *_owner(build, unknown))[0])
    return component, np.array(starts)


def _constraints(build: Build, order: Order, whole: Substitution) -> None:
    """Equations that determine no unknown: a motion that is given at a port, whose load is open, is a constraint.

    The load that holds it acts on this port alone; that is what the open load says.
    """
    open_keys = {unknown.symbol.element_hash() for unknown in order.open}
    open_ports = [port.connector for port in build.own_ports if not port.flows and not port.joined_inside
                  or any(entry.element_hash() in open_keys for flow in port.flows.values()
                         for entry in ca.vertsplit(ca.vec(ca.SX(flow))))]
    movable = {entry.element_hash() for connector in open_ports for symbol in connector._symbols.values()
               for entry in ca.vertsplit(ca.vec(ca.SX(symbol)))}
    for residual in order.constraints:
        expression = ca.simplify(ca.SX(whole(residual.expression)))
        if expression.is_constant() and abs(float(expression)) < HOLDS:
            continue
        read = ca.symvar(expression)
        keys = {symbol.element_hash() for symbol in read} - {lw.time.element_hash()}
        if not keys or keys - movable:
            names = ", ".join(sorted({symbol.name() for symbol in read})[:6]) or "numbers alone"
            raise ModelError(f"{residual.where}: this equation is not solved; it relates {names}. Nothing is left that "
                             "it could determine; what needs its equations differentiated is outside.")
        component = Condition()
        top = build.top.model  # type: ignore[union-attr]
        number = sum(isinstance(child, Condition) for child in top._children.values()) + 1
        setattr(top, f"condition{number}", component)
        component.tell(expression)
        build.report.remarks.append(Note("", 0, "", f"{residual.where}: the equation holds as the constraint "
                                                     f"condition{number}"))


def _initial(build: Build, whole: Substitution) -> None:
    top = build.top.model  # type: ignore[union-attr]
    for left, right, where, _ in build.initial:
        sides = whole(left), whole(right)
        unread = [symbol.name() for symbol in ca.symvar(ca.SX(sides[0] - sides[1]))
                  if symbol.element_hash() in build.free]
        if unread:
            raise ModelError(f"{where}: the start decides {unread[0]}, which is the parameter of no component; compute "
                             "it from the results, or make it a variable.")
        try:
            top.init(*sides)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from error


def _events(build: Build, whole: Substitution) -> None:
    for condition, target, value, instance, where in build.events:
        model = build.model_of(instance)
        known = whole(condition)
        if not is_expression(known):
            continue
        if target is None:
            model.terminate(known, value)
            continue
        new = whole(value)
        try:
            model.when(known, {whole(target): float(new) if isinstance(new, bool) else new})
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from error


def _attach_sources(build: Build) -> None:
    """Forces that equations give at connectors of an interpreted model act through sources."""
    for port in build.own_ports:
        if not port.flows:
            continue
        model = build.model_of(port.owner)
        source, names = _source(port)
        name = _free_name(model, f"{port.connector.name}_load")
        setattr(model, name, source)
        model.connect(source.frame_b if hasattr(source, "frame_b") else source.port if port.kind == "heat port"
                      else source.flange, port.connector)
        for quantity, field in names.items():
            shape = type(source).fields()[field].shape if "[" not in field else ()
            if quantity in port.flows:
                symbol = port.flows[quantity]
            else:
                continue
            build.__dict__.setdefault("_loads", []).append((source, field, symbol, shape))


def _source(port: Port) -> tuple[Any, dict[str, str]]:
    if port.kind == "frame":
        return lw.forces.WorldForceAndTorque(resolve_in_frame="frame_b"), {"f": "force", "t": "torque"}
    if port.kind == "rotational flange":
        return lw.rotational.Torque(), {"tau": "tau"}
    if port.kind == "translational flange":
        return lw.translational.Force(), {"f": "f"}
    if port.kind == "heat port":
        return lw.heat.PrescribedHeatFlow(), {"Q_flow": "Q_flow"}
    return lw.planar.WorldForce(resolve_in_frame="world"), {"fx": "force[0]", "fy": "force[1]", "t": "force[2]"}


def _open_inputs(build: Build) -> None:
    """Inputs of the whole model that nothing determines are inputs of the Model."""
    top = build.top
    assert top is not None
    for variable in build.variables:
        if variable.owner is top and "input" in variable.prefixes and variable.change.value is None:
            for k, entry in enumerate(ca.vertsplit(ca.vec(ca.SX(variable.symbol)))):
                number, _ = _start(build, variable, k)
                name = variable.name + (f"[{k}]" if variable.shape else "")
                symbol = top.model.input(_free_name(top.model, name), number)
                build.equation(entry, symbol, variable.where())


def _outputs(build: Build, whole: Substitution, values: dict[int, ca.SX]) -> None:
    """Variables of the text as results under their names; loads of connectors."""
    for source, field, symbol, _ in build.__dict__.get("_loads", ()):
        known = [entry.element_hash() in values for entry in ca.vertsplit(ca.vec(ca.SX(symbol)))]
        if not all(known):
            continue
        if "[" in field:
            name, _, k = field[:-1].partition("[")
            before = [0.0, 0.0, 0.0] if name not in source._signals else ca.vertsplit(source._signals[name])
            before[int(k)] = -whole(symbol)
            setattr(source, name, before)
        else:
            setattr(source, field, -whole(symbol))
    for name, member in list(build.top.made.items()):  # type: ignore[union-attr]
        if isinstance(member, Variable) and member.is_parameter and member.kind in ("Real", "Integer"):
            try:
                value = build.evaluator.variable(member)
            except ModelError:
                continue  # nobody needs it
            if not is_expression(value) and np.ndim(value) < 3 and np.all(np.isfinite(np.asarray(value, dtype=float))):
                with contextlib.suppress(ModelError):  # the name is taken by the language
                    build.top.model.output(name, np.asarray(value, dtype=float) if np.ndim(value) else float(value))
    for variable in build.variables:
        entries = [entry.element_hash() for entry in ca.vertsplit(ca.vec(ca.SX(variable.symbol)))]
        if not entries or not all(key in values for key in entries) or variable.owner.is_connector:
            continue
        model = build.model_of(variable.owner)
        prefix = f"{variable.owner.name}." if variable.owner.is_record else ""
        name = prefix + variable.name
        if name in model._integrals or name in model._inputs or hasattr(lw.Model, name) or name.startswith("_"):
            continue
        expression = ca.reshape(ca.vertcat(*[values[key] for key in entries]), ca.SX(variable.symbol).shape)
        if expression.is_constant() and not np.all(np.isfinite(np.array(ca.DM(expression)))):
            continue
        try:
            model.output(name, symbolic(expression))
        except ModelError:
            continue  # the name is taken by a part


__all__ = ["Condition", "Implicit", "Signal", "finish"]
