"""What is asked of the state that a run begins with, as data: `start` finds a state that fulfils it."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True, eq=False)
class StartValue:
    """One number given for the start: a variable, its entry (−1 for a scalar), the value, and whether it must hold.

    `expression` is the variable in engine symbols; `formula` is what the value follows from, an expression of
    parameters, where it is not just a number.
    """

    name: str
    entry: int
    value: float
    fixed: bool
    expression: ca.SX
    formula: ca.SX | None = None
    #: a guess that only chooses among the solutions of a loop
    side: bool = False

    @property
    def label(self) -> str:
        """The name with its entry, for people."""
        return self.name if self.entry < 0 else f"{self.name}[{self.entry}]"


@dataclass(frozen=True, eq=False)
class StartEquation:
    """Expressions that vanish at the start, and what is said of them in messages."""

    name: str
    residual: ca.SX


@dataclass(frozen=True, eq=False)
class Winding:
    """A state that counts turns: its name and symbol, the angles nearest to it that the pose has, and the start values
    (name, entry or −1) that it begins with."""

    name: str
    symbol: ca.SX
    wound: ca.SX
    begins: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Start:
    """Start values, initial equations, states that start at rest or anywhere, parameters that are solved for."""

    values: tuple[StartValue, ...] = ()
    equations: tuple[StartEquation, ...] = ()
    at_rest: tuple[str, ...] = ()  # states whose rate vanishes
    loose: tuple[str, ...] = ()  # states whose own start value is where the search begins, no condition
    freed: tuple[str, ...] = ()  # parameters that are solved for
    windings: tuple[Winding, ...] = ()
    positive: tuple[StartEquation, ...] = ()  # numbers that must be positive, and what is said where they are not
