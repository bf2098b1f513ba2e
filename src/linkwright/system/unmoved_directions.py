"""Gaps of loops in directions in which nothing of them moves, such as across the plane of a planar one.

The equations of these directions are left out of all others: no speed can violate them.  But numbers can: an offset out
of the plane opens a loop for good.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np

from ..errors import AssemblyError
from .tolerances import MISFIT

if TYPE_CHECKING:
    from ..equations import Equations
    from .state import State
    from .system import System

PARTS = "tquzdpy"


class Across(NamedTuple):
    """The equations that are left out: (loop, direction) of each, their residuals, and these as a function."""

    places: list[tuple[str, str]]
    residuals: ca.SX
    function: ca.Function


def across(system: System) -> Across:
    """The equations of loops that hold by themselves."""
    return system.code.once(("across",), lambda: _across(system.equations))


def _across(e: Equations) -> Across:
    constraints = {c.name: c for c in e.mechanism.constraints}
    places: list[tuple[str, str]] = []
    residuals = []
    for rows in e.rows:
        if rows.by_themselves and rows.mode is None and rows.level == "position":
            residual = ca.vec(e.laws.evaluate(constraints[rows.name].residual)[0])
            residuals.append(residual[[k for k in range(residual.numel()) if k not in rows.kept]])
            places += [(rows.name, direction) for direction in rows.by_themselves]
    found = ca.vertcat(ca.SX(0, 1), *residuals)
    return Across(places, found, ca.Function("across", [*(e.symbols[part] for part in PARTS[:-1]), e.y], [found]))


def open_across(system: System, rows: Mapping[str, np.ndarray]) -> np.ndarray:
    """Which of many states have such gaps; their parts t q u z d p y are arrays with a row for each."""
    found = across(system)
    if not found.places:
        return np.zeros(len(rows["t"]), dtype=bool)
    gaps = np.array(found.function(*[rows[part].T if rows[part].size else np.zeros((0, len(rows["t"])))
                                     for part in PARTS]))
    return ~(np.abs(gaps).max(axis=0) <= MISFIT)


def refuse_gaps_across(system: System, state: State) -> None:
    """An error for gaps in directions in which nothing of a loop moves."""
    found = across(system)
    if not found.places:
        return
    gap = np.abs(np.array(found.function(*[getattr(state, part) for part in PARTS])).ravel())
    if gap.max() > MISFIT:
        k = int(np.argmax(gap))
        loop, direction = found.places[k]
        unit = " m" if direction.startswith("displacement") else ""
        raise AssemblyError(
            f"{system.mechanism.name}: the loop closed by {loop} (gap {gap[k]:.3g}{unit}) cannot be closed: "
            f"{direction} of {loop}, and nothing in the loop moves so. Likely: an offset or an axis out of the plane "
            "of the others.", loop)
