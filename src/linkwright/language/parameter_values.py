"""Parameters and formulas of a model as its components find them: numbers, or symbols where they are tunable."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..mechanism import Range
from .component import Component
from .fields import Parameter, Record, number_of
from .formulas import Formula
from .model import Model
from .reads import constant_name, formulas
from .signals import Block, claim
from .skeleton import Skeleton
from .symbol_owners import make_symbol

if TYPE_CHECKING:
    from ..algebra import Scalar


class ParameterValues:
    """The part of a parts list that knows what is tunable.

    `tunable` names parameters and constants of formulas that stay symbols, `followers` parameters that stay formulas of
    such; `parameters` are the symbols with their numbers, by name, `ranges` what parameters may be.
    """

    def __init__(self, model: Model, tunable: frozenset[str], followers: frozenset[str]) -> None:
        self.model, self.tunable, self.followers = model, tunable, followers
        self.parameters: dict[str, tuple[ca.SX, np.ndarray]] = {}
        self.ranges: dict[str, Range] = {}
        self._values: dict[int, SimpleNamespace] = {}
        for part in model.models():
            self.values(part)
        blocks = claim(model)
        self._formulas = self._tunable_formulas(blocks)
        self.blocks = [self._own(block) for block in blocks]

    def values(self, component: Component) -> SimpleNamespace:
        """Parameter values of a component: numbers, or symbols where they are tunable."""
        key = id(component)
        if key not in self._values:
            fields = type(component).fields()
            self._values[key] = SimpleNamespace(**{
                name: self._value(component, name, field)
                for name, field in fields.items() if isinstance(field, Parameter)
            })
        return self._values[key]

    def number(self, value: object) -> float:
        """The value that a coefficient of tunable parameters has now; structure is decided by it."""
        if not isinstance(value, ca.SX):
            return float(value)
        if value.is_constant():
            return float(value)
        symbols = [symbol for symbol, _ in self.parameters.values()]
        return float(ca.Function("number", symbols, [value])(*[number for _, number in self.parameters.values()]))

    def _value(self, component: Component, name: str, field: Parameter) -> Any:
        number, path = field.number(component), component.path_of(name)
        if isinstance(field, Record):
            return number if not hasattr(number, "_replace") else number._replace(**{
                entry: self._number(f"{path}.{entry}", getattr(number, entry), given)
                for entry, given in field.entries(component).items()})
        if field.structural or number is None:
            return number
        if field.only is not None:
            self.ranges[path] = field.only
        return self._number(path, number, field.given(component))

    def _number(self, path: str, number: Any, given: Any) -> Any:
        """The number at a path, or what stands for it: a symbol of its own, or its formula."""
        if path in self.followers:
            return self.following(given, np.shape(number))
        if path not in self.tunable:
            return number if np.ndim(number) == 0 else np.asarray(number, float)
        array = np.asarray(number, dtype=float)
        if path not in self.parameters:
            self.parameters[path] = (make_symbol(path, (array.size,)), array.ravel())
        return self._shaped(path, array.shape)

    def _shaped(self, path: str, shape: tuple) -> ca.SX:
        symbol = self.parameters[path][0]
        return ca.reshape(symbol, *shape[::-1]).T if len(shape) == 2 else (symbol if shape else symbol[0])

    def formula(self, path: str, expression: ca.SX) -> ca.SX:
        """A formula (see `reads.formulas`); its constants are numbers, or symbols where they are tunable."""
        return self._formulas.get(path, expression)

    def _tunable_formulas(self, blocks: list[Block]) -> dict[str, ca.SX]:
        found = {}
        paths = {name.partition("#")[0] for name in self.tunable if "#" in name}
        for path, _, expression in formulas(self.model, blocks) if paths else ():
            if path in paths:
                parts = Skeleton(ca.SX(expression))
                values = [self._constant(constant_name(path, k), c) for k, c in enumerate(parts.constants)]
                found[path] = parts.with_constants(values)
        return found

    def _own(self, block: Block) -> Block:
        """A block with its formulas as they are here."""
        if block.path not in self._formulas:
            return block
        sizes = [block.derivative.shape, *[ca.SX(e).shape for e in block.results.values()]]
        ends = np.cumsum([0, *[rows * columns for rows, columns in sizes]]).tolist()
        rate, *results = [ca.reshape(e, *size) for e, size in
                          zip(ca.vertsplit(self._formulas[block.path], ends), sizes, strict=True)]
        return replace(block, derivative=rate, results=dict(zip(block.results, results, strict=True)))

    def _constant(self, name: str, value: float) -> Scalar:
        if name not in self.tunable:
            return value
        self.parameters[name] = (make_symbol(name, ()), np.array([value]))
        return self.parameters[name][0]

    def following(self, formula: Formula, shape: tuple) -> ca.SX:
        """A formula of parameters that are numbers or symbols here; those of other models are numbers."""
        own = {id(component) for component in (*self.components, *self.model.models())}
        value = formula.substituted(lambda c, name: self._value(c, name, type(c).fields()[name])
                                    if id(c) in own else number_of(c, name))
        return value if shape else value[0]

    def at_start(self, formula: Formula) -> ca.SX:
        """A formula of parameters of this model, or of one that differs from it in nothing but numbers."""
        def value(component: Component, name: str) -> Any:
            path, given = component.path_of(name), type(component).fields()[name].given(component)
            if path in self.parameters:
                return self._shaped(path, np.shape(number_of(component, name)))
            return self.at_start(given) if isinstance(given, Formula) else number_of(component, name)

        return formula.substituted(value)
