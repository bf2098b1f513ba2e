"""First guesses of algebraic unknowns that have a search of their own, at a given state."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

if TYPE_CHECKING:
    from ..equations import Equations
    from .state import State
    from .system import System

PARTS = ("t", "q", "u", "z", "d", "p")


@dataclass(frozen=True)
class Seeker:
    """How the guess of one unknown is found: from `numbers` of a state, by `seek`, into `places` of y."""

    numbers: ca.Function
    seek: Callable[[np.ndarray], np.ndarray]
    places: np.ndarray


def seekers(equations: Equations) -> list[Seeker]:
    """The unknowns of a mechanism that know how to find their guess (places where curved bodies touch)."""
    found = []
    for unknown in equations.mechanism.unknowns:
        if unknown.seek is not None:
            sought = equations.finish(unknown.sought)[0]
            numbers = ca.Function("sought", [equations.symbols[n] for n in PARTS], [sought])
            places = np.array(ca.jacobian(equations.y, unknown.symbol).sparsity().row())
            found.append(Seeker(numbers, unknown.seek, places))
    return found


def seek_unknowns(system: System, state: State, among: Container[int] | None = None) -> None:
    """Set the guesses y of unknowns with a search of their own: of all, or of those in some places of y."""
    for seeker in system.seekers:
        if among is not None and not all(k in among for k in seeker.places):
            continue
        numbers = np.array(seeker.numbers(*[getattr(state, part) for part in PARTS])).ravel()
        state.y[seeker.places] = seeker.seek(numbers)
