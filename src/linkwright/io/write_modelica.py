"""Models as Modelica text that uses the Standard Library's own classes: our names are theirs.

Components keep their names, connections their ends.  A signal becomes an equation, an input a RealInput, an output an
equation of its own, a sub-model a local class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

import linkwright as lw

from ..errors import ModelError
from ..language import Action, Block, Component, Connector, claim
from ..language.expressions import derivative
from ..language.fields import Appearance, Guess, Parameter
from .modelica.leaves import DEGREES, GRAVITIES, HEAT, MULTIBODY, ROTATIONS
from .modelica.tokens import WORDS
from .modelica_blocks import block_class, block_declaration, state_name
from .modelica_classes import LOOKS, SPELLED, class_of, own_class, resolve_type
from .tolerances import NEIGHBOURS

TWO = {ca.OP_ADD: "+", ca.OP_SUB: "-", ca.OP_MUL: "*", ca.OP_DIV: "/", ca.OP_POW: "^", ca.OP_CONSTPOW: "^",
       ca.OP_LT: "<", ca.OP_LE: "<=", ca.OP_EQ: "==", ca.OP_NE: "<>", ca.OP_AND: "and", ca.OP_OR: "or"}
ONE = {ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_TAN: "tan", ca.OP_ASIN: "asin", ca.OP_ACOS: "acos", ca.OP_ATAN: "atan",
       ca.OP_EXP: "exp", ca.OP_LOG: "log", ca.OP_SQRT: "sqrt", ca.OP_SINH: "sinh", ca.OP_COSH: "cosh",
       ca.OP_TANH: "tanh", ca.OP_FABS: "abs", ca.OP_FLOOR: "floor", ca.OP_SIGN: "sign"}
PAIRS = {ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_ATAN2: "atan2"}
#: quantities at connectors that have another name there
AT_CONNECTORS = {"p": "r_0", "w": "R.w"}
CONDITIONS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR, ca.OP_NOT}


def write_modelica(model: lw.Model, path: Path) -> list[str]:
    """Write a model as one Modelica class named after the file."""
    lines = _class(model, identifier(path.stem), 0, True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return []


def identifier(name: str) -> str:
    """A name that Modelica takes."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    if word in WORDS:
        return f"{word}_"
    return word if word[:1].isalpha() or word[:1] == "_" else f"m{word}"


def _class(model: lw.Model, name: str, depth: int, top: bool) -> list[str]:
    _refuse(model)
    pad = "  " * depth
    declared, equations, classes = [], [], []
    for block in _blocks(model):
        own = identifier(block.name or block.kind)
        declared.append(block_declaration(block, own))
        equations.append(_into(model, block.input, f"{own}.u"))
    for label, part in model._children.items():
        own = identifier(label)
        if isinstance(part, lw.Model) and type(part).__module__.startswith("linkwright."):
            declared.append(_component(part, own))
        elif isinstance(part, lw.Model):
            kind = own[:1].upper() + own[1:] + "Model"
            classes += _class(part, kind, depth + 1, False)
            declared.append(f"{kind} {own};")
        else:
            declared.append(_component(part, own))
            if own_class(part) is None:
                equations += _signals(model, part, own)
    for label, connector in model._connectors.items():
        declared.insert(0, f"{_connector(connector)} {identifier(label)};")
    if top and not any(isinstance(part, lw.World) for part in model.leaves()):
        declared.insert(0, f"inner {MULTIBODY}.World world;")
    declared += [f"Modelica.Blocks.Interfaces.RealInput {identifier(label)};" for label in model._inputs]
    for label, expression in model._outputs.items():
        size = f"[{expression.numel()}]" if expression.numel() > 1 else ""
        declared.append(f"Modelica.Blocks.Interfaces.RealOutput {identifier(label)}{size};")
        equations.append(f"{identifier(label)} = {_expression(model, expression)};")
    for label, (_, rate, start) in model._integrals.items():
        declared.append(f"Real {identifier(label)}(start={_number(start)}, fixed=true);")
        equations.append(f"der({identifier(label)}) = {_expression(model, rate)};")
    equations += [line for action in model._actions for line in _action(model, action)]
    starts = [f"{_text(model, residual[k])} = 0;" for residual in model._initial_equations
              for k in range(residual.numel())]
    for group in model._connections:
        first, *others = (_end(model, connector) for connector in group)
        equations += [f"connect({first}, {other});" for other in others]
    title = model.title.replace('"', "'")
    head = f'{pad}model {name} "{title}{", written by Linkwright" if top else ""}"'
    body = [f"{pad}  {line}" for line in declared]
    if starts:
        body += [f"{pad}initial equation", *[f"{pad}  {line}" for line in starts]]
    return [head, *classes, *body, f"{pad}equation", *[f"{pad}  {line}" for line in equations], f"{pad}end {name};"]


def _action(model: lw.Model, action: Action) -> list[str]:
    """What happens when a condition becomes true: new values of states, or the end."""
    lines = [f"  terminate(\"{action.message}\");"] if action.message is not None else []
    for target, value in action.changes.items():
        for k in range(ca.SX(target).numel()):
            lines.append(f"  reinit({_text(model, ca.SX(target)[k])}, {_text(model, ca.SX(value)[k])});")
    condition = _text(model, action.condition)
    if action.condition.op() not in CONDITIONS:
        condition = f"{condition} > 0.5"
    return [f"when {condition} then", *lines, "end when;"]


def _refuse(model: lw.Model) -> None:
    for what, items in (("prescribe and lock", model._motions), ("a sampled controller", model._controllers),
                        ("contacts", model._contacts),
                        ("each_step", [action for action in model._actions if action.each_step]),
                        ("sample", [action for action in model._actions if action.period])):
        if items:
            raise ModelError(f"{model.path}: {what} is not written as Modelica yet; write the equation by hand.", model)


def _connector(connector: Connector) -> str:
    kinds = {"frame": f"{MULTIBODY}.Interfaces.Frame_a",
             "rotational flange": "Modelica.Mechanics.Rotational.Interfaces.Flange_a",
             "translational flange": "Modelica.Mechanics.Translational.Interfaces.Flange_a",
             "heat port": f"{HEAT}.Interfaces.HeatPort_a"}
    if connector.kind not in kinds:
        raise ModelError(f"{connector.path}: a {connector.kind} is not in the Standard Library.", connector)
    return kinds[connector.kind]


def _end(model: lw.Model, connector: Connector) -> str:
    """A connector as seen from inside a model: its path below it."""
    inside = _below(model, connector.owner) if connector.owner is not model else ""
    name = identifier(SPELLED.get(connector.name, connector.name))
    return f"{inside}.{name}" if inside else name


# --- components ---


def _component(part: Component, name: str) -> str:
    """A declaration: class, name, and what is given of its parameters and start values."""
    kind = class_of(part)
    given: list[str] = []
    for label, field in type(part).fields().items():
        if label in part._parameters and isinstance(field, Parameter):
            given += _parameter(part, label, field)
    given += [_start(label, entries) for label, entries in part._initial.items()]
    given += _switches(part)
    inner = "inner " if isinstance(part, lw.World) else ""
    modified = f"({', '.join(given)})" if given else ""
    return f"{inner}{kind} {name}{modified};"


def _parameter(part: Component, label: str, field: Parameter) -> list[str]:
    """One parameter as a modification; none where it only says how something looks in a way Modelica has not."""
    value = field.number(part)
    spelled = SPELLED.get(label, label)
    if isinstance(field, Appearance):
        if label not in LOOKS or value is None:
            return []
        return [f"{spelled}={_value(value)}"]
    if isinstance(part, lw.World) and label == "gravity":
        if value not in GRAVITIES:
            raise ModelError(f"{part.path}: a field given by a function is not written as Modelica.", part)
        return [f"gravityType={MULTIBODY}.Types.GravityTypes.{GRAVITIES[value]}"]
    if value is None or label in ("any_inertia", "reverse", "quasi_static") and not value:
        return []
    if label == "inertia":
        tensor = np.diag(value) if np.ndim(value) == 1 else np.asarray(value)
        return [f"I_{i + 1}{j + 1}={_number(tensor[i, j])}" for i in range(3) for j in range(i + 1)]
    if label == "rotation_type":
        return [f"{spelled}={MULTIBODY}.Types.RotationTypes.{ROTATIONS[value]}"]
    if label == "resolve_in_frame":
        return [f"{spelled}={MULTIBODY}.Types.{resolve_type(part)}.{value}"]
    if label in ("friction", "stop", "phi_min", "phi_max", "s_min", "s_max", "any_inertia", "reverse", "quasi_static",
                 "tau_max", "f_max"):
        raise ModelError(f"{part.path}.{label}: the Standard Library's {type(part).__name__} has no such thing; leave "
                         "it out, or build it from drive-train components.", part)
    if (type(part).__name__, label) in DEGREES:
        value = np.vectorize(_degrees)(value)
    return [f"{spelled}={_value(value)}"]


def _degrees(angle: float) -> float:
    """An angle in degrees whose radians have the very same digits, where there is one."""
    degrees = float(np.rad2deg(angle))
    near = [degrees, round(degrees, 10)]
    for side in (-np.inf, np.inf):
        step = degrees
        for _ in range(NEIGHBOURS):
            step = float(np.nextafter(step, side))
            near.append(step)
    return next((number for number in near if float(np.deg2rad(number)) == angle), degrees)


def _value(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if np.ndim(value):
        return "{" + ", ".join(_value(entry) for entry in value) + "}"
    return _number(value)


def _number(value: float) -> str:
    value = float(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _start(label: str, entries: list) -> str:
    """phi(start=…, fixed=true); guesses are not fixed."""
    numbers = [0.0 if entry is None else float(getattr(entry, "value", entry)) for entry in entries]
    fixed = ["false" if entry is None or isinstance(entry, Guess) else "true" for entry in entries]
    if len(entries) == 1:
        return f"{label}(start={_number(numbers[0])}, fixed={fixed[0]})"
    same = f"each fixed={fixed[0]}" if len(set(fixed)) == 1 else "fixed={" + ", ".join(fixed) + "}"
    return f"{label}(start={_value(numbers)}, {same})"


def _switches(part: Component) -> list[str]:
    """Optional connectors exist in Modelica where they are switched on."""
    used = {connector.name for model in _above(part) for group in model._connections for connector in group
            if connector.owner is part}
    if isinstance(part, (lw.joints.Revolute, lw.joints.Prismatic)) and used & {"axis", "support"}:
        return ["useAxisFlange=true"]
    switches = {"support": "useSupport=true", "heat_port": "useHeatPort=true"}
    return [] if class_of(part).startswith(MULTIBODY) else [text for name, text in switches.items() if name in used]


def _above(part: Component) -> list[lw.Model]:
    models, owner = [], part._parent
    while owner is not None:
        models.append(owner)
        owner = owner._parent
    return models


# --- signals ---


def _blocks(model: lw.Model) -> list[Block]:
    """The blocks that belong to a model itself."""
    top = model
    while top._parent is not None:
        top = top._parent
    own = "" if model is top else model.path
    return [block for block in claim(top) if block.within == own]


def _into(model: lw.Model, expression: ca.SX, target: str) -> str:
    """What a block works on: a connection where that is measured by a sensor, else an equation."""
    text = _expression(model, expression)
    owner = next((part for part in model.leaves() for symbol in part._symbols.values()
                  if expression.is_symbolic() and symbol.numel() == 1
                  and symbol.element_hash() == expression.element_hash()), None)
    if owner is not None and ".Sensors." in class_of(owner):
        return f"connect({text}, {target});"
    return f"{target} = {text};"


def _signals(model: lw.Model, part: Component, name: str) -> list[str]:
    return [f"{name}.{SPELLED.get(label, label)} = {_expression(model, expression)};"
            for label, expression in part._signals.items()]


def _expression(model: lw.Model, expression: ca.SX) -> str:
    entries = [_text(model, expression[k]) for k in range(expression.numel())]
    return entries[0] if len(entries) == 1 else "{" + ", ".join(entries) + "}"


def _text(model: lw.Model, e: ca.SX) -> str:
    """One expression, with brackets around every operation inside another."""
    if e.is_constant():
        return _number(e) if float(e) >= 0 else f"({_number(e)})"
    if e.is_symbolic():
        return _variable(model, e)
    op = e.op()
    parts = [_text(model, e.dep(k)) for k in range(e.n_dep())]
    if op in TWO:
        return f"({parts[0]} {TWO[op]} {parts[1]})"
    if op in ONE:
        return f"{ONE[op]}({parts[0]})"
    if op in PAIRS:
        return f"{PAIRS[op]}({parts[0]}, {parts[1]})"
    if op == ca.OP_NEG:
        return f"(-{parts[0]})"
    if op == ca.OP_NOT:
        return f"(not {parts[0]})"
    if op == ca.OP_SQ:
        return f"({parts[0]} ^ 2)"
    if op == ca.OP_TWICE:
        return f"(2 * {parts[0]})"
    if op == ca.OP_INV:
        return f"(1 / {parts[0]})"
    if op == ca.OP_IF_ELSE_ZERO:
        condition = parts[0] if e.dep(0).op() in CONDITIONS else f"({parts[0]} > 0.5)"
        return f"(if {condition} then {parts[1]} else 0)"
    raise ModelError(f"{model.path}: a signal uses an operation that is not written as Modelica: {e}.", model)


def _variable(model: lw.Model, symbol: ca.SX) -> str:
    """A variable by its path, seen from inside a model; entries of vectors count from 1 in Modelica."""
    if symbol.element_hash() == lw.time.element_hash():
        return "time"
    rate = derivative(symbol.element_hash())
    if rate is not None and rate.symbol.numel() == 1:
        return f"der({_expression(model, rate.of)})"
    for path, found, name in _known(model):
        for k in range(found.numel()):
            if found.nz[k].element_hash() == symbol.element_hash():
                return f"{path}.{name}" if found.numel() == 1 else f"{path}.{name}[{k + 1}]"
    for table in (model._inputs, model._integrals):
        for label, (found, *_) in table.items():
            if found.element_hash() == symbol.element_hash():
                return identifier(label)
    for block in _blocks(model):
        found = state_name(block, symbol) if block_class(block) else None
        if found is not None:
            return f"{identifier(block.name or block.kind)}.{found}"
    raise ModelError(f"{model.path}: the variable {symbol} is not written as Modelica.", model)


def _known(model: lw.Model) -> Iterator[tuple[str, ca.SX, str]]:
    """(path, symbol, name) of the variables of all components inside, and of what is measured at their connectors."""
    for part in model.leaves():
        path = _below(model, part)
        for name, symbol in part._symbols.items():
            yield path, symbol, SPELLED.get(name, name)
        for connector in part._connectors.values():
            for name, symbol in connector._symbols.items():
                if name != "R":
                    yield f"{path}.{connector.name}", symbol, AT_CONNECTORS.get(name, name)


def _below(model: lw.Model, part: Component) -> str:
    """The path of a component as seen from inside a model."""
    names = []
    while part is not model:
        names.append(identifier(part._name))
        part = part._parent
    return ".".join(reversed(names))
