"""How much of the speed of an impact a Hunt–Crossley contact gives back.

With d = 3/2 c, speeds v before and v' after, whatever the stiffness and the exponent:

    d (v + v') = ln((1 + d v)/(1 − d v'))
"""

from __future__ import annotations

from collections.abc import Callable
from math import log1p

from ..tolerances import BELOW_POLE, LEAST_DISSIPATION, RESTITUTION_HALVINGS


def restitution(dissipation: float, speed: float) -> float:
    """v'/v of an impact at `speed` (m/s) with the dissipation c (s/m)."""
    d = 1.5 * dissipation * speed  # in units of the speed
    if d == 0:
        return 1.0
    return _root(lambda e: d * (1 + e) + log1p(-d * e) - log1p(d), 0.0, min(1.0, 1 / d))


def dissipation_for(restitution: float, speed: float) -> float:
    """The dissipation c (s/m) that gives back `restitution` of the speed of an impact at `speed` (m/s)."""
    e = float(restitution)
    if e == 1:
        return 0.0
    low, high = LEAST_DISSIPATION, (1 - BELOW_POLE) / e
    return _root(lambda d: d * (1 + e) + log1p(-d * e) - log1p(d), low, high) / (1.5 * float(speed))


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f falls through zero between low and high, by bisection down to the last bit."""
    for _ in range(RESTITUTION_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        try:
            positive = f(middle) > 0
        except ValueError:  # beyond the pole of the logarithm, where it is minus infinity
            positive = False
        low, high = (middle, high) if positive else (low, middle)
    return (low + high) / 2
