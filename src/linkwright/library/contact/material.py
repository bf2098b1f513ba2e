"""What the surface of a shape is made of."""

from __future__ import annotations

from typing import NamedTuple

from ...language import record


@record
class Material(NamedTuple):
    """Material of a shape; pairs without a law combine the materials of both shapes (Simbody's rules).

    `stiffness` E/(1 − ν²) in Pa, `dissipation` in s/m, friction `mu` in motion and `mu_s` at rest, `viscous` in s/m,
    `transition` the slip speed over which friction builds up, `model` "stribeck" or "hollars".
    """

    stiffness: float
    dissipation: float = 0.0
    mu: float = 0.0
    mu_s: float | None = None
    viscous: float = 0.0
    transition: float = 0.01
    model: str = "stribeck"
