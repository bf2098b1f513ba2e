"""What the expressions of a model read: every symbol in them, by the path of its owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..mechanism import TIME, sentence
from .expressions import derivative
from .fields import Parameter, Signal
from .skeleton import Skeleton

if TYPE_CHECKING:
    from .actions import Action
    from .component import Component
    from .model import Model
    from .signals import Block


def signals(model: Model) -> Iterator[tuple[Component, str, ca.SX]]:
    """(component, name, expression) of the signals of all components."""
    for component in model.leaves():
        for name, kind in type(component).fields().items():
            if isinstance(kind, Signal):
                yield component, name, component.signal(name)


def inputs(model: Model) -> Iterator[tuple[str, ca.SX, np.ndarray]]:
    """(path, symbol, value) of what is given from outside: inputs of models, and signals that are left as numbers."""
    for part in model.models():
        yield from ((part.path_of(name), symbol, np.array([value])) for name, (symbol, value) in part._inputs.items())
    for component, name, expression in signals(model):
        if type(component).fields()[name].opens and expression.is_constant():
            yield component.path_of(name), getattr(component, name), np.array(ca.DM(expression)).ravel()


def integrals(model: Model) -> Iterator[tuple[Model, str, ca.SX]]:
    """(model, name, rate) of the integrals of all models."""
    for part in model.models():
        for name, (_, rate, _) in part._integrals.items():
            yield part, name, rate


def formulas(model: Model, blocks: Iterable[Block]) -> Iterator[tuple[str, str, ca.SX]]:
    """(path, what it does, expression) of what may have other constants in a model of the same structure."""
    for owner, name, expression in (*signals(model), *integrals(model)):
        yield owner.path_of(name), f"{owner.path_of(name)} reads", expression
    for block in blocks:
        yield block.path, f"{block.path} reads", ca.veccat(block.derivative, *block.results.values())
    yield from (formula[1:] for formula in _own_formulas(model))


def _own_formulas(model: Model) -> Iterator[tuple[Component, str, str, ca.SX]]:
    """(model, path, what it does, expression) of outputs, initial equations and what actions read."""
    for part in model.models():
        for name, expression in part._outputs.items():
            yield part, part.path_of(name), f"the output {part.path_of(name)} reads", expression
        for k, expression in enumerate(part._initial_equations):
            yield part, equation_path(part, k), f"initial equation {k + 1} of {part.path} reads", expression
        for k, action in enumerate(part._actions):
            read = (action.condition, *action.changes.values())
            yield from ((part, path, f"{_said(part, action)} reads", expression)
                        for path, expression in zip(action_paths(part, k), read, strict=True))


def equation_path(model: Model, k: int) -> str:
    """The name of initial equation k of a model, for its constants."""
    return model.path_of(f"init{k + 1}")


def action_paths(model: Model, k: int) -> list[str]:
    """The names of the formulas of action k of a model, for their constants: of its condition, of its new values."""
    path = model.path_of(f"when{k + 1}")
    return [path, *[f"{path}.{j + 1}" for j in range(len(model._actions[k].changes))]]


def _said(model: Model, action: Action) -> str:
    said = "each_step" if action.each_step else action.name if action.period else f"when {sentence(action.condition)}"
    return f"{model.path}: {said}"


def set_and_given(model: Model) -> Iterator[tuple[Component, str, ca.SX]]:
    """(model, what it does, expression) of what actions set, and of motions."""
    for part in model.models():
        for action in part._actions:
            yield from ((part, f"{_said(part, action)} sets", e) for e in action.changes)
        for motion in part._motions:
            for expression in motion.expressions():
                yield part, f"the motion given to {motion.joint.path} reads", expression


def expressions(model: Model) -> Iterator[tuple[Component, str, ca.SX]]:
    """(model, what it does, expression) of all but signals and integrals that users gave to a model and its parts."""
    yield from ((part, what, expression) for part, _, what, expression in _own_formulas(model))
    yield from set_and_given(model)


class Readings:
    """Owners of the symbols of a model; `parameters` collects those that expressions read."""

    def __init__(self, model: Model) -> None:
        self.model, self.parameters = model, set()
        blocks = model.__dict__.get("_blocks", {})
        numbered = {id(block): k for k, block in enumerate(dict.fromkeys(blocks.values()))}
        # symbol → (path or number of a block, entry, whether it is a parameter)
        self._names: dict[int, tuple] = {TIME.element_hash(): ("time", 0, False)}
        for owner in (*model.leaves(), *model.models()):
            for name, symbol in owner._symbols.items():
                is_parameter = isinstance(type(owner).fields().get(name), Parameter)
                self._note(symbol, owner.path_of(name), is_parameter)
            for connector in owner._connectors.values():
                for name, symbol in connector._symbols.items():
                    self._note(symbol, f"{connector.path}.{name}")
        for block in dict.fromkeys(blocks.values()):
            self._note(block.symbols(), numbered[id(block)])
        for part in model.models():
            for name, (symbol, *_) in (*part._integrals.items(), *part._inputs.items()):
                self._note(symbol, part.path_of(name))

    def _note(self, symbol: ca.SX, path: str | int, is_parameter: bool = False) -> None:
        for k in range(symbol.nnz()):
            self._names[symbol.nz[k].element_hash()] = (path, k, is_parameter)

    def signature(self, what: str, expression: object) -> tuple:
        """An expression as something comparable, with the owners of what it reads, blocks and derivatives included.

        What is no variable of the model is refused, by `what` it does: "motor.tau reads", "when … sets".
        """
        parts = Skeleton(ca.SX(expression))
        return (parts.shape, *parts.constants, *[self._identity(what, symbol) for symbol in parts.symbols])

    def apart(self, path: str, what: str, expression: object) -> tuple[tuple, dict[str, np.ndarray]]:
        """The signature of a formula without its constants, and these by name."""
        parts = Skeleton(ca.SX(expression))
        constants = {constant_name(path, k): np.array(value) for k, value in enumerate(parts.constants)}
        return (parts.shape, *[self._identity(what, symbol) for symbol in parts.symbols]), constants

    def _identity(self, what: str, symbol: ca.SX) -> tuple:
        key = symbol.element_hash()
        rate = derivative(key)
        if rate is not None:
            return self.signature(what, rate.of)
        if key not in self._names:
            name = symbol.name().removeprefix("der(").removesuffix(")")  # whose derivative it is, where that is gone
            raise ModelError(f"{what} {name}, which is no variable of the model {self.model.title!r}. "
                             "Likely: it belongs to a component of another model; use the one of this model.", what)
        path, entry, is_parameter = self._names[key]
        if is_parameter:
            self.parameters.add(path)
        return path, entry


def constant_name(path: str, k: int) -> str:
    """The name of a constant in a formula."""
    return f"{path}#{k + 1}"
