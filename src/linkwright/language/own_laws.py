"""A component as its own law sees it: parameters as values, and a way to add states and unknowns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..errors import ModelError
from .component import Component
from .given_values import as_expression
from .symbolic import NoValueError

if TYPE_CHECKING:
    from .parts_list import PartsList


class Bound:
    """A component whose parameters read as the plan's values (numbers or tunable symbols)."""

    def __init__(self, component: Component, plan: PartsList) -> None:
        self._component, self._values, self._plan, self._own = component, plan.values(component), plan, set()

    def __getattr__(self, name: str) -> Any:
        if hasattr(self._values, name):
            return getattr(self._values, name)
        attribute = getattr(type(self._component), name, None)
        if callable(attribute):
            return attribute.__get__(self)  # methods of the component see the values too
        return getattr(self._component, name)

    def state(self, name: str, der: Callable[[ca.SX], Any], start: float | Sequence[float] | np.ndarray = 0.0) -> ca.SX:
        """A continuous state of the law: ż = der(z); as many entries as `start` has."""
        return self._add(self._plan.state, name, "der", der, start)

    def unknown(self, name: str, residual: Callable[[ca.SX], Any],
                start: float | Sequence[float] | np.ndarray = 0.0) -> ca.SX:
        """An algebraic unknown of the law: residual(y) = 0; as many entries as `start` has."""
        return self._add(self._plan.unknown, name, "residual", residual, start)

    def _add(self, tell: Callable[..., None], name: str, what: str, function: Callable[[ca.SX], Any],
             start: float | Sequence[float] | np.ndarray) -> ca.SX:
        component = self._component
        start = float(start) if isinstance(start, ca.SX) else start
        shape = np.shape(start)
        taken = {*self._values.__dict__, *component._connectors, *self._own, *type(component).fields()}
        if name in taken:
            raise ModelError(f"{component.path}: the law calls {name!r} what is a parameter, variable, connector or "
                             "state already.", component)
        self._own.add(name)
        symbol = component.symbol(name, shape)
        equation = as_expression(function(symbol), shape, f"{component.path}: {what} of {name}")
        tell(component, name, symbol, equation, start)
        return symbol


def call_law(component: Component, what: str, law: Callable[..., Any], *arguments: object) -> Any:
    """The value of a user's law; an error inside it names the component."""
    try:
        return law(*arguments)
    except NoValueError:
        raise
    except ModelError as error:
        if component.path in str(error):
            raise
        raise ModelError(f"{component.path}: {what}: {error}", component) from error
    except Exception as error:
        hint = " Use lw.sin, lw.sqrt … instead of math's." if "float" in str(error) else ""
        raise ModelError(f"{component.path}: {what} failed with {type(error).__name__}: {error}.{hint}",
                         component) from error
