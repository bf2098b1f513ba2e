"""How van der Waals parameters of two different atoms are made of those of each: DuMM's five rules.

Each takes radii r (half the distance of least energy) and depths ε, and gives those of the pair.  The energy of a pair
is ε ((d_min/d)¹² − 2 (d_min/d)⁶) with d_min = 2 r.
"""

from __future__ import annotations

import math
from collections.abc import Callable

Rule = Callable[[float, float, float, float], tuple[float, float]]


def waldman_hagler(ri: float, rj: float, ei: float, ej: float) -> tuple[float, float]:
    """Waldman, Hagler: J. Comput. Chem. 14 (1993) 1077."""
    sixth = ri**6 + rj**6
    return (sixth / 2) ** (1 / 6), 2 * ri**3 * rj**3 * math.sqrt(ei * ej) / sixth if sixth else 0.0


def halgren(ri: float, rj: float, ei: float, ej: float) -> tuple[float, float]:
    """Halgren: J. Am. Chem. Soc. 114 (1992) 7827 (HHG)."""
    square, root = ri**2 + rj**2, math.sqrt(ei) + math.sqrt(ej)
    return (ri**3 + rj**3) / square if square else 0.0, 4 * ei * ej / root**2 if root else 0.0


def jorgensen(ri: float, rj: float, ei: float, ej: float) -> tuple[float, float]:
    """Geometric means, as in OPLS."""
    return math.sqrt(ri * rj), math.sqrt(ei * ej)


def lorentz_berthelot(ri: float, rj: float, ei: float, ej: float) -> tuple[float, float]:
    """Arithmetic mean of the radii, geometric of the depths, as in Amber."""
    return (ri + rj) / 2, math.sqrt(ei * ej)


def kong(ri: float, rj: float, ei: float, ej: float) -> tuple[float, float]:
    """Kong: J. Chem. Phys. 59 (1973) 2464: εr⁶ by the geometric mean, εr¹² by the mean of 13th roots."""
    sixth = math.sqrt(ei * ri**6 * ej * rj**6)
    twelfth = (((ei * ri**12) ** (1 / 13) + (ej * rj**12) ** (1 / 13)) / 2) ** 13
    return ((twelfth / sixth) ** (1 / 6), sixth**2 / twelfth) if sixth else (max(ri, rj), 0.0)


RULES: dict[str, Rule] = {"waldman_hagler": waldman_hagler, "halgren": halgren, "jorgensen": jorgensen,
                          "lorentz_berthelot": lorentz_berthelot, "kong": kong}
