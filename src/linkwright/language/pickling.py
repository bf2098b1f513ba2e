"""Models as bytes, and copies of them: expressions keep reading the variables of the model that they are carried with.

Symbols lose their identity when they are pickled.  So all expressions of a model are written as one function of all
symbols in them; a reader makes new symbols, and calls it.  What derivatives stand for goes along.
"""

from __future__ import annotations

import io
import pickle
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import casadi as ca

from ..errors import ModelError
from ..mechanism import TIME
from .component import Component
from .expressions import Derivative, derivative
from .formulas import Formula
from .model import Model
from .placeholders import hold
from .signals import claim
from .symbol_owners import Symbols, elements
from .symbolic import symbolic

BY_REFERENCE = (FunctionType, BuiltinFunctionType, MethodType, ModuleType, type)


class _Writer(pickle.Pickler):
    """Notes expressions apart; with `things`, functions and classes too, as they are."""

    def __init__(self, file: io.BytesIO, things: list | None):
        super().__init__(file, protocol=5)
        self.expressions: list[ca.SX] = []
        self.things = things

    def persistent_id(self, thing: object) -> tuple | None:
        if isinstance(thing, ca.SX):
            self.expressions.append(thing)
            return ("expression", len(self.expressions) - 1, type(thing) is not ca.SX)
        if self.things is not None and isinstance(thing, BY_REFERENCE):
            self.things.append(thing)
            return ("thing", len(self.things) - 1)
        return None

    def reducer_override(self, thing: object) -> Any:
        if isinstance(thing, Formula):
            return Formula, (thing.number, thing.expression, thing.sources)
        if isinstance(thing, Symbols):
            return _symbols, (thing.owner,), None, None, iter(thing.items())
        if isinstance(thing, Component):
            return object.__reduce_ex__(thing, 4)
        return NotImplemented


def _symbols(owner: object) -> Symbols:
    return Symbols(owner)


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, expressions: list[ca.SX], things: list | None):
        super().__init__(file)
        self.expressions, self.things = expressions, things

    def persistent_load(self, key: tuple) -> object:
        if key[0] == "thing":
            return self.things[key[1]]
        return symbolic(self.expressions[key[1]]) if key[2] else self.expressions[key[1]]


def packed(thing: object, things: list | None = None) -> tuple:
    """Something with models in it as bytes and strings; with `things`, what cannot be written is put there."""
    for model in _models(thing):
        claim(model)
    file = io.BytesIO()
    writer = _Writer(file, things)
    try:
        writer.dump(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ModelError(f"this cannot be pickled: {error}. Functions and classes must be found by their name in a "
                         "module; copy.deepcopy takes any.") from error
    expressions, derivatives, seen = writer.expressions, [], set()
    queue = list(expressions)
    symbols: dict[int, ca.SX] = {}
    while queue:
        for symbol in ca.symvar(ca.SX(queue.pop())):
            key = symbol.element_hash()
            symbols[key] = symbol
            meaning = derivative(key)
            if meaning is not None and key not in seen:
                whole, inner = meaning
                seen.update(elements(whole))
                derivatives.append(len(expressions))
                expressions += [whole, inner]
                queue += [whole, inner]
    function = ca.Function("carried", [ca.vertcat(ca.SX(0, 1), *symbols.values())], [ca.SX(e) for e in expressions])
    names = [None if ca.is_equal(s, TIME) else s.name() for s in symbols.values()]
    return file.getvalue(), function.serialize(), names, derivatives


def unpacked(packed: tuple, things: list | None = None) -> Any:
    """The inverse of `packed`, with symbols of its own."""
    data, function, names, derivatives = packed
    symbols = [TIME if name is None else ca.SX.sym(name) for name in names]
    expressions = ca.Function.deserialize(function).call([ca.vertcat(ca.SX(0, 1), *symbols)])
    thing = _Reader(io.BytesIO(data), expressions, things).load()
    for k in derivatives:
        hold(expressions[k], Derivative(expressions[k], expressions[k + 1]), [expressions[k + 1]])
    for model in _models(thing):
        _settle(model)
    return thing


def _models(thing: object) -> list[Model]:
    """The models that something is or holds."""
    return [x for x in (thing if isinstance(thing, tuple) else (thing,)) if isinstance(x, Model)]


def _settle(model: Model) -> None:
    """Blocks are known by the symbols they have now."""
    for part in model.models():
        blocks = dict.fromkeys(part.__dict__.get("_blocks", {}).values())
        if blocks:
            part.__dict__["_blocks"] = {key: block for block in blocks for key in elements(block.symbols())}


def copied(component: Component) -> Component:
    """Another component, or model with all its parts, that shares nothing with the first but functions and classes."""
    things: list = []
    return unpacked(packed(component, things), things)
