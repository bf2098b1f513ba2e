"""Balances: equations of coordinates that meet no inertia and follow in equilibrium."""

from __future__ import annotations

from dataclasses import dataclass

from .description import Constraint


@dataclass(frozen=True, eq=False)
class Balance(Constraint):
    """The forces along a direction without inertia add up to nothing.

    `mobility` is the number of the speed after which the direction is called (`equations.balances`), `size` the force
    per unit of motion by which the equation is divided.  The residual and the level of the entry are only there for
    counting: `equations` finds both.
    """

    mobility: int = -1
    size: float = 1.0
