"""An element of a beam whose strains are its coordinates.

Along the axis, from s = 0 to the length h, the pose of the cross-section follows the strain ξ = (κ, γ), a velocity
motor per unit of length: X′ = X ξ, with the natural ξ₀ = (κ₀, e₁) when nothing is bent.  In the element

    ξ(s) = ξ₀ + Σ_c e_c Σ_j P_j(x) q_cj,      x = 2s/h − 1,   P_j Legendre polynomials

for the components c that may change (κx twist, κy κz bending, γx stretch, γy γz shear).  Poses go from one point of
Gauss's rule to the next by Magnus's series of fourth order, from the strains ξ₁, ξ₂ at two points between,

    X ← X exp Ω,      Ω = d/2 (ξ₁ + ξ₂) + √3 d²/12 ξ₁ × ξ₂

which is exact where the strain is constant.  Columns, velocities W and their biases b are carried along:

    Ψ ← X⁻¹ Ψ + T(Ω) ∂Ω/∂q,      W ← X⁻¹ W + w,   b ← X⁻¹ b + (X⁻¹ W) × w + ẇ,   w = T(Ω) Ω̇

and with the inertia 𝓜 of a piece of the beam at each point M = Σ X 𝓜 Xᵀ, N = Σ X 𝓜 Ψ, H = Σ Ψᵀ 𝓜 Ψ.  Cf. Renda,
Armanini, Lebastard, Candelier and Boyer, A geometric variable-strain approach for static modeling of soft manipulators
(IEEE Robotics and Automation Letters 5, 2020); Magnus: Hairer, Lubich and Wanner 2006, §IV.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import (
    ForceMotor,
    Inertia,
    MomentumMotor,
    Scalar,
    Tangent,
    Transform,
    VectorLike,
    VelocityMotor,
    exponential,
    is_symbolic,
)
from ..bending import Bending
from ..tolerances import SMALL_BEND

#: points of Gauss's rule, by the degree of the strain
POINTS = {0: 2, 1: 3, 2: 4}
COMPONENTS = ("kappa_x", "kappa_y", "kappa_z", "gamma_x", "gamma_y", "gamma_z")


def legendre(degree: int, fraction: float) -> float:
    """P_j at a fraction of the element's length."""
    x = 2 * fraction - 1
    return (1.0, x, 1.5 * x * x - 0.5)[degree]


def gauss(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss's rule on the unit interval."""
    x, w = np.polynomial.legendre.leggauss(points)
    return (x + 1) / 2, w / 2


@dataclass(frozen=True)
class Strained(Bending):
    """An element; `degrees` of the six strains, −1 where one is frozen; `sections` (ρA, ρIy, ρIz) at each point."""

    length: Scalar
    degrees: tuple[int, int, int, int, int, int]
    sections: tuple[tuple[Scalar, Scalar, Scalar], ...]
    curvature: tuple[Scalar, Scalar, Scalar] = (0.0, 0.0, 0.0)

    @property
    def spread(self) -> float:  # type: ignore[override]
        return 1.0 if is_symbolic(self.length) else min(1.0, SMALL_BEND / float(self.length))

    @property
    def coordinates(self) -> list[tuple[int, int]]:
        """(component, degree of the polynomial) of every coordinate."""
        return [(c, j) for c, degree in enumerate(self.degrees) for j in range(degree + 1)]

    @property
    def size(self) -> int:  # type: ignore[override]
        return len(self.coordinates)

    @property
    def names(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(f"{COMPONENTS[c]}_{j}" for c, j in self.coordinates)

    @property
    def points(self) -> np.ndarray:
        """Where mass sits, as fractions of the length."""
        return gauss(POINTS[max(self.degrees)])[0]

    def strain(self, q: VectorLike, fraction: float, natural: bool = True) -> VelocityMotor:
        """ξ, or without `natural` its difference from ξ₀ (and, of q̇, its rate)."""
        parts: list[Any] = [*self.curvature, 1.0, 0.0, 0.0] if natural else [0.0] * 6
        for value, (c, j) in zip((q[k] for k in range(self.size)), self.coordinates, strict=True):
            parts[c] = parts[c] + legendre(j, fraction) * value
        return VelocityMotor(parts[:3], parts[3:])

    def _steps(self, q: VectorLike, ends: list[float]) -> Iterator[_Step]:
        """From the start through the places `ends`, all fractions of the length."""
        here = 0.0
        for end in ends:
            yield _Step(self, q, here, end)
            here = end

    def _along(self, q: VectorLike, ends: list[float]) -> Iterator[tuple[Transform, list[VelocityMotor]]]:
        """Pose and columns at each of these places."""
        X, columns = Transform(), [VelocityMotor()] * self.size
        for step in self._steps(q, ends):
            X = X @ step.X
            columns = [step.X.into(old) + new for old, new in zip(columns, step.columns(), strict=True)]
            yield X, columns

    def _moving(self, q: ca.SX, u: Any, ends: list[float]) -> Iterator[tuple[VelocityMotor, VelocityMotor]]:
        """W = Ψ q̇ and b = Ψ̇ q̇ at each of these places."""
        W = b = VelocityMotor()
        for step in self._steps(q, ends):
            w = step.velocity(u)
            rate = VelocityMotor.from_vector(ca.jtimes(ca.SX(w.vector()), q, u))
            W = step.X.into(W)
            b = step.X.into(b) + W.cross(w) + rate
            W = W + w
            yield W, b

    def pose(self, q: VectorLike, fraction: float) -> Transform:
        """X at any place, through the points before it."""
        X = Transform()
        for step in self._steps(q, [*(p for p in self.points if p < fraction), fraction]):
            X = X @ step.X
        return X

    def frame(self, place: int, q: VectorLike) -> Transform:
        return self.pose(q, 1.0) if place else Transform()

    def frame_columns(self, place: int, q: VectorLike) -> list[VelocityMotor]:
        if not place:
            return [VelocityMotor()] * self.size
        *_, (_, columns) = self._along(q, [*self.points, 1.0])
        return columns

    def frame_bias(self, place: int, q: VectorLike, u: VectorLike) -> VelocityMotor | None:
        if not place:
            return VelocityMotor()
        if not isinstance(q, ca.SX):
            return None
        *_, (_, bias) = self._moving(q, u, [*self.points, 1.0])
        return bias

    def _pieces(self) -> list[Inertia]:
        """The inertia of the beam about each point, in the axes of the cross-section."""
        _, weights = gauss(POINTS[max(self.degrees)])
        return [Inertia.from_moments(w * self.length * a, (0.0, 0.0, 0.0), _diagonal(w * self.length, y, z))
                for w, (a, y, z) in zip(weights, self.sections, strict=True)]

    def inertia(self, q: VectorLike) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
        n = self.size
        M, N, H = Inertia(), [MomentumMotor()] * n, ca.SX.zeros(n, n)
        for (X, columns), piece in zip(self._along(q, list(self.points)), self._pieces(), strict=True):
            M = M + X @ piece
            momenta = [piece @ S for S in columns]
            N = [old + X @ p for old, p in zip(N, momenta, strict=True)]
            for i in range(n):
                for j in range(i + 1):
                    H[i, j] += momenta[i].dot(columns[j])
        for i in range(n):
            for j in range(i):
                H[j, i] = H[i, j]
        return M, N, H

    def bias(self, q: ca.SX, u: ca.SX, V: VelocityMotor) -> tuple[ForceMotor, list[ca.SX]]:
        ends = list(self.points)
        p, along = ForceMotor(), [ca.SX(0)] * self.size
        for (W, b), (X, columns), piece in zip(self._moving(q, u, ends), self._along(q, ends), self._pieces(),
                                               strict=True):
            V_g = X.into(V) + W
            pushed = piece @ (V_g.cross(W) + b)
            f = piece.gyroscopic(V_g)
            f = ForceMotor(f.resultant + pushed.resultant, f.moment + pushed.moment)
            p = p + X @ f
            along = [old + f.dot(S) for old, S in zip(along, columns, strict=True)]
        return p, along


class _Step:
    """exp Ω from one place of an element to the next."""

    def __init__(self, element: Strained, q: VectorLike, start: float, end: float) -> None:
        self.element = element
        middle, half = (start + end) / 2, (end - start) * 3**0.5 / 6
        self.places = middle - half, middle + half
        self.d = (end - start) * element.length
        self.one, self.two = (element.strain(q, place) for place in self.places)
        self.omega = self._magnus(self.one + self.two, self.one.cross(self.two))
        self.X = exponential(self.omega)
        self.T = Tangent(self.omega)

    def _magnus(self, total: VelocityMotor, product: VelocityMotor) -> VelocityMotor:
        return total * (self.d / 2) + product * (3**0.5 / 12 * self.d * self.d)

    def velocity(self, u: VectorLike) -> VelocityMotor:
        """T Ω̇."""
        one, two = (self.element.strain(u, place, natural=False) for place in self.places)
        return self.T @ self._magnus(one + two, one.cross(self.two) + self.one.cross(two))

    def columns(self) -> list[VelocityMotor]:
        """T ∂Ω/∂q."""
        return [self.velocity(unit) for unit in np.eye(self.element.size)]


def _diagonal(factor: Scalar, y: Scalar, z: Scalar) -> list[list[Scalar]]:
    return [[factor * (y + z), 0.0, 0.0], [0.0, factor * y, 0.0], [0.0, 0.0, factor * z]]
