"""Materials and cross-sections of beams, along x with y and z across."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ..tolerances import NOT_SYMMETRIC


@dataclass(frozen=True)
class Material:
    """Young's modulus E in Pa, Poisson's ratio, density in kg/m³."""

    E: float
    nu: float = 0.3
    rho: float = 0.0

    def __post_init__(self) -> None:
        for name in ("E", "rho"):
            if not 0 <= getattr(self, name) < np.inf or (name == "E" and self.E == 0):
                raise ModelError(f"Material({name}={getattr(self, name)!r}): a positive number is needed.")
        if not -1 < self.nu <= 0.5:
            raise ModelError(f"Material(nu={self.nu!r}): Poisson's ratio lies between -1 and 0.5.")

    @property
    def G(self) -> float:
        """Shear modulus."""
        return self.E / (2 * (1 + self.nu))


Steel = Material(2.1e11, 0.3, 7850.0)
"""Structural steel, for `Beam(material=flexible.Steel)`."""
Aluminium = Material(7.0e10, 0.33, 2700.0)
"""Aluminium alloy, for `Beam(material=flexible.Aluminium)`."""
Titanium = Material(1.14e11, 0.34, 4430.0)
"""Titanium alloy (Ti-6Al-4V), for `Beam(material=flexible.Titanium)`."""
Rubber = Material(5e6, 0.49, 1100.0)
"""Soft rubber, nearly incompressible, for `Beam(material=flexible.Rubber)`."""


@dataclass(frozen=True)
class Section:
    """Area A, second moments Iy and Iz about the axes y and z, torsion constant It, shear factors, and `outline`.

    Bending in the x-y plane is about z and resisted by E·Iz.  `reach` gives the largest distances of the material from
    the axes, for strains and pictures.
    """

    A: float
    Iy: float
    Iz: float
    It: float
    ky: float = 1.0
    kz: float = 1.0
    reach: tuple[float, float] = (0.0, 0.0)
    round: bool = False

    def __post_init__(self) -> None:
        for name in ("A", "Iy", "Iz", "It"):
            if not 0 < getattr(self, name) < np.inf:
                raise ModelError(f"{type(self).__name__}: {name} = {getattr(self, name)!r} must be positive.")


    def stiffness(self, E: Scalar, G: Scalar) -> list[list[Scalar]]:
        """Against twist, bending about y and z, stretch, shear along y and z."""
        own = (G * self.It, E * self.Iy, E * self.Iz, E * self.A, G * self.A * self.ky, G * self.A * self.kz)
        return [[own[i] if i == j else 0.0 for j in range(6)] for i in range(6)]

    def mass(self, rho: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Per length, and its moments about y and z."""
        return rho * self.A, rho * self.Iy, rho * self.Iz


class SectionStiffness:
    """A cross-section given by stiffnesses and masses per length, as for composite blades; E, G and ρ are not used.

    `matrix` is the 6 × 6 stiffness for (κx, κy, κz, γx, γy, γz): twist, bending about y and z, stretch, shear along y
    and z, with couplings such as bending–twist.  Without couplings, give the diagonal by name.  `reach` gives the
    largest distances of the material along y and z.

    >>> SectionStiffness(EIy=2e4, EIz=5e4, GJ=1e4, EA=3e7, rhoA=4.0, rhoIy=1e-3, rhoIz=2e-3)
    """

    NAMES = ("GJ", "EIy", "EIz", "EA", "GAy", "GAz")

    def __init__(self, *, rhoA: float, rhoIy: float = 0.0, rhoIz: float = 0.0, matrix: object = None,
                 reach: tuple[float, float] = (0.0, 0.0), round: bool = False, **given: float) -> None:
        unknown = [name for name in given if name not in self.NAMES]
        if unknown:
            raise ModelError(f"SectionStiffness({unknown[0]}=…): it takes {', '.join(self.NAMES)} or matrix=, and "
                             "rhoA, rhoIy, rhoIz, reach, round.")
        if matrix is None:
            matrix = np.diag([float(given.get(name, 0.0)) for name in self.NAMES])
        elif given:
            raise ModelError("SectionStiffness: give the matrix, or stiffnesses by name, not both.")
        self.matrix = np.asarray(matrix, dtype=float)
        if self.matrix.shape != (6, 6) or not np.allclose(self.matrix, self.matrix.T) or \
                np.linalg.eigvalsh(self.matrix)[0] < -NOT_SYMMETRIC * np.abs(self.matrix).max():
            raise ModelError("SectionStiffness: matrix must be 6 × 6, symmetric and without negative stiffness.")
        if not 0 < rhoA < np.inf or rhoIy < 0 or rhoIz < 0:
            raise ModelError(f"SectionStiffness(rhoA={rhoA!r}, rhoIy={rhoIy!r}, rhoIz={rhoIz!r}): mass per length must "
                             "be positive, its moments not negative.")
        self.rhoA, self.rhoIy, self.rhoIz, self.reach, self.round = rhoA, rhoIy, rhoIz, reach, round

    @property
    def A(self) -> float:
        """Area of a rectangle of the same extents, for pictures and strains of the material."""
        return 1.0

    @property
    def Iy(self) -> float:
        return float(self.matrix[1, 1] / max(self.matrix[3, 3], self.matrix[1, 1]))

    @property
    def Iz(self) -> float:
        return float(self.matrix[2, 2] / max(self.matrix[3, 3], self.matrix[2, 2]))

    def stiffness(self, E: Scalar, G: Scalar) -> list[list[Scalar]]:
        """The matrix."""
        return np.ndarray.tolist(self.matrix)

    def mass(self, rho: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Per length, and its moments about y and z."""
        return self.rhoA, self.rhoIy, self.rhoIz


def _lengths(kind: str, **given: float) -> None:
    for name, value in given.items():
        if not (np.isscalar(value) and 0 < value < np.inf):
            raise ModelError(f"{kind}({name}={value!r}): a positive length is needed.")


def Rectangle(height: float, width: float, nu: float = 0.3) -> Section:
    """`height` along y, `width` along z.  Torsion by Saint-Venant's series, shear factors after Cowper (1966)."""
    _lengths("Rectangle", height=height, width=width)
    long, short = max(height, width), min(height, width)
    odd = np.arange(1, 60, 2)
    series = float(np.sum(np.tanh(odd * np.pi * long / (2 * short)) / odd**5))
    It = long * short**3 / 3 * (1 - 192 * short / (np.pi**5 * long) * series)
    k = 10 * (1 + nu) / (12 + 11 * nu)
    return Section(height * width, height * width**3 / 12, width * height**3 / 12, It, k, k, (height / 2, width / 2))


def Circle(diameter: float, nu: float = 0.3) -> Section:
    """A solid round section of a given diameter.  Its shear factor depends on Poisson's ratio ν."""
    _lengths("Circle", diameter=diameter)
    I = np.pi * diameter**4 / 64
    k = 6 * (1 + nu) / (7 + 6 * nu)
    return Section(np.pi * diameter**2 / 4, I, I, 2 * I, k, k, (diameter / 2, diameter / 2), True)


def Tube(diameter: float, wall: float, nu: float = 0.3) -> Section:
    """A round tube with outer diameter and wall."""
    _lengths("Tube", diameter=diameter, wall=wall)
    inner = diameter - 2 * wall
    if inner < 0:
        raise ModelError(f"Tube(diameter={diameter:g}, wall={wall:g}): the wall is thicker than the radius.")
    I = np.pi * (diameter**4 - inner**4) / 64
    m = inner / diameter
    k = 6 * (1 + nu) * (1 + m**2) ** 2 / ((7 + 6 * nu) * (1 + m**2) ** 2 + (20 + 12 * nu) * m**2)
    return Section(np.pi * (diameter**2 - inner**2) / 4, I, I, 2 * I, k, k, (diameter / 2, diameter / 2), True)


def IBeam(height: float, width: float, web: float, flange: float) -> Section:
    """`height` along y, flanges of `width` along z; thin-walled torsion Σ b t³/3, shear carried by the web."""
    _lengths("IBeam", height=height, width=width, web=web, flange=flange)
    clear = height - 2 * flange
    if clear <= 0 or web > width:
        raise ModelError(f"IBeam(height={height:g}, width={width:g}, web={web:g}, flange={flange:g}): web and flanges "
                         "do not fit into the outline.")
    A = 2 * width * flange + clear * web
    Iz = (width * height**3 - (width - web) * clear**3) / 12
    Iy = (2 * flange * width**3 + clear * web**3) / 12
    It = (2 * width * flange**3 + clear * web**3) / 3
    return Section(A, Iy, Iz, It, height * web / A, 5 / 6 * 2 * width * flange / A, (height / 2, width / 2))
