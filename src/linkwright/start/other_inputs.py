"""Starts with other inputs than those of the model: initial conditions that depend on them are solved again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..system import State, System

if TYPE_CHECKING:
    from ..mechanism import Named


def started(system: System, state: State, names: Iterable[str]) -> State | None:
    """The initial state with the parameters and discrete variables that `state` has, where initial conditions read
    those of the given names; None where they do not."""
    if not conditions_read(system, names):
        return None
    own = system.variant(mechanism=replace(
        system.mechanism, parameters=_with_values(system.mechanism.parameters, state.p),
        discretes=_with_values(system.mechanism.discretes, state.d)))
    found, out = own.state(), state.copy()
    for part in "quzdpy":
        setattr(out, part, getattr(found, part))
    return out


def conditions_read(system: System, names: Iterable[str]) -> bool:
    """Whether an initial condition depends on one of these parameters or discrete variables."""
    mechanism, start = system.mechanism, system.mechanism.start
    if start is None:
        return False
    conditions = [equation.residual for equation in start.equations]
    conditions += [z.derivative for z in mechanism.states if z.name in start.at_rest]
    conditions += [value.formula for value in start.values if value.formula is not None]
    given = [item.symbol for item in (*mechanism.parameters, *mechanism.discretes) if item.name in names]
    read = system.equations.laws.evaluate(ca.vertcat(ca.SX(0, 1), *map(ca.vec, map(ca.SX, conditions))))[0]
    return bool(given) and ca.depends_on(read, ca.vertcat(*map(ca.vec, given)))


def _with_values(items: Sequence[Named], values: np.ndarray) -> tuple:
    """Parameters or discrete variables with their parts of a vector as values."""
    starts = np.cumsum([0, *[item.symbol.numel() for item in items]])
    return tuple(replace(item, value=values[start : start + item.symbol.numel()])
                 for item, start in zip(items, starts[:-1], strict=True))
