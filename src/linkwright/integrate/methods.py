"""The methods by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ..errors import UnknownNameError
from .record import RADAU, RUNGE_KUTTA, SEMI_IMPLICIT_EULER, VERLET
from .tableaux import DOP853, DOPRI5, NO_STAGES, RADAU5, RK4, Tableau


@dataclass(frozen=True, eq=False)
class Method:
    """What a method is: its order, whether it can choose its own step, and the coefficients it uses."""

    name: str
    order: int
    adaptive: bool
    description: str
    kind: int
    tableau: Tableau
    boundary: float = 0.0  # hρ, a little inside the end of the stability region on the negative real axis


METHODS = {
    m.name: m
    for m in (
        Method("dopri5", 5, True, "Dormand–Prince 5(4), dense output of order 4", RUNGE_KUTTA, DOPRI5, 3.25),
        Method("dop853", 8, True, "Dormand–Prince 8(5,3), dense output of order 7", RUNGE_KUTTA, DOP853, 6.1),
        Method("radau", 5, True, "Radau IIA, implicit, for stiff systems, dense output of order 4", RADAU, RADAU5),
        Method("rk4", 4, False, "classical Runge–Kutta, fixed step", RUNGE_KUTTA, RK4),
        Method("verlet", 2, False, "velocity Verlet, fixed step, symplectic", VERLET, NO_STAGES),
        Method("semi_implicit_euler", 1, False, "symplectic Euler, fixed step", SEMI_IMPLICIT_EULER, NO_STAGES),
    )
}

# Evaluations for 10 s of a 7-link planar chain (dopri5 / dop853, without output grid): 1e-4: 1070 / 980,
# 1e-6: 2450 / 1630, 1e-8: 6030 / 2890, 1e-12: 38 100 / 8740.  Output inside every step costs dop853 a quarter more.
AUTO_LIMIT = 1e-6


def choose(name: str, accuracy: float, h: float | None = None) -> Method:
    """The method of that name; "auto" is rk4 where a step is given, else dop853 up to accuracy 1e-6, else dopri5.

    A stepper on "auto" goes on with radau where that method turns out to be limited by stability (`switching`).
    """
    if name == "auto" and h is not None:
        return METHODS["rk4"]
    if name == "auto":
        return METHODS["dop853" if accuracy <= AUTO_LIMIT else "dopri5"]
    if name not in METHODS:
        raise UnknownNameError(f"method = {name!r} does not exist; choose {', '.join(METHODS)} or auto.", name)
    return METHODS[name]


@cache
def entry(kind: int):
    """The compiled loop for methods of a kind; loaded when first needed."""
    from .loop import advance, stiff_advance

    return stiff_advance() if kind == RADAU else advance
