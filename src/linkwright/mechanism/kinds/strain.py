"""An element of a beam whose strains are its coordinates.

Along the axis, from s = 0 to the length h, the pose of the cross-section follows the strain ξ = (κ, γ), a velocity
motor per unit of length: X′ = X ξ, with the natural ξ₀ = (κ₀, e₁) when nothing is bent.  In the element

    ξ(s) = ξ₀ + Σ_c e_c Σ_j P_j(x) q_cj,      x = 2s/h − 1,   P_j Legendre polynomials

for the components c that may change (κx twist, κy κz bending, γx stretch, γy γz shear).  Mass sits at a few points of
the axis.  Poses go from one of them to the next, a length d = δh, by Magnus's series of fourth order: with ξ the mean
of the strain over the two points of Gauss's rule between, and ξ′ its slope in x from one to the other,

    X ← X exp Ω,      Ω = d ξ + d²δ/6 ξ × ξ′

which is exact where the strain is constant.  Columns Ψ, the velocity W = Ψ q̇ and its bias b = Ψ̇ q̇, all in the axes and
at the origin of the start, where nothing has to be carried along, grow from point to point by

    Ψ += Y ∂Ω/∂q,      b += W × w + X Ṫ Ω̇ + Y Ω̈₀,      W += w = Y Ω̇,         Y = X T(Ω),   Ω̈₀ = d²δ/3 ξ̇ × ξ̇′

and with the inertia 𝓜 of a piece of the beam at each point, in the same axes, M = Σ 𝓜, N = Σ 𝓜 Ψ, H = Σ Ψᵀ 𝓜 Ψ.  Both
ends are such points; their mass is rigidly fixed to frames, so that whoever uses an element puts it there (`ends`).
Cf. Renda, Armanini, Lebastard, Candelier and Boyer, A geometric variable-strain approach for static modeling of soft
manipulators (IEEE Robotics and Automation Letters 5, 2020); Magnus: Hairer, Lubich and Wanner 2006, §IV.7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    cross,
    is_symbolic,
    snap,
)
from ..bending import Bending
from ..tolerances import SMALL_BEND

#: where mass sits in an element, by the degree of the strain: places from −1 to 1 and weights.  Simpson's rule, that of
#: Lobatto with four points, and one with five that integrates polynomials of degree 5.  Lobatto's five, at ±√(3/7), go
#: to degree 7, but with these frequencies come out nearer: more mass at the ends makes up for shapes that are too stiff
POINTS = {0: ((-1.0, 0.0, 1.0), (1 / 3, 4 / 3, 1 / 3)),
          1: ((-1.0, -(0.2**0.5), 0.2**0.5, 1.0), (1 / 6, 5 / 6, 5 / 6, 1 / 6)),
          2: ((-1.0, -(0.4**0.5), 0.0, 0.4**0.5, 1.0), (1 / 9, 5 / 9, 6 / 9, 5 / 9, 1 / 9))}
COMPONENTS = ("kappa_x", "kappa_y", "kappa_z", "gamma_x", "gamma_y", "gamma_z")


def legendre(degree: int, fraction: float) -> float:
    """P_j at a fraction of the element's length."""
    x = 2 * fraction - 1
    return (1.0, x, 1.5 * x * x - 0.5)[degree]


def over_gauss(degree: int, middle: float, share: float) -> tuple[float, float]:
    """Of P_j over Gauss's two points in a part of the element: its mean, and its slope in x from one to the other.

    The part has its middle at this x and this share of the length.
    """
    return ((1.0, 0.0), (middle, 1.0), (1.5 * (middle**2 + share**2 / 3) - 0.5, 3 * middle))[degree]


def masses(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Where mass sits, as fractions of the length, and its share."""
    x, w = POINTS[degree]
    return (np.array(x) + 1) / 2, np.array(w) / 2


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
        """Where mass sits between the ends, as fractions of the length."""
        return masses(max(self.degrees))[0][1:-1]

    def strain(self, q: VectorLike, fraction: float, natural: bool = True) -> VelocityMotor:
        """ξ, or without `natural` its difference from ξ₀ (and, of q̇, its rate)."""
        return self.combined(q, [legendre(j, fraction) for j in range(max(self.degrees) + 1)], natural)

    def combined(self, q: VectorLike, shares: Sequence[float], natural: bool) -> VelocityMotor:
        """Of every component the sum of its coordinates, each times a share by its degree; plus ξ₀ if `natural`."""
        parts: list[Any] = [*self.curvature, 1.0, 0.0, 0.0] if natural else [0.0] * 6
        for value, (c, j) in zip((q[k] for k in range(self.size)), self.coordinates, strict=True):
            parts[c] = parts[c] + shares[j] * value
        return VelocityMotor(parts[:3], parts[3:])

    def _steps(self, q: VectorLike, ends: list[float]) -> Iterator[_Step]:
        """From the start through the places `ends`, all fractions of the length."""
        here, X = 0.0, Transform()
        for end in ends:
            step = _Step(self, q, here, end, X)
            yield step
            here, X = end, step.end

    def _along(self, q: VectorLike, ends: list[float]) -> Iterator[tuple[Transform, list[VelocityMotor]]]:
        """Pose and columns Ψ at each of these places."""
        columns = [VelocityMotor()] * self.size
        for step in self._steps(q, ends):
            columns = [old + new for old, new in zip(columns, step.columns(), strict=True)]
            yield step.end, columns

    def _moving(self, q: VectorLike, u: VectorLike, ends: list[float]) -> Iterator[tuple[VelocityMotor, VelocityMotor]]:
        """W and b at each of these places."""
        W = b = VelocityMotor()
        for step in self._steps(q, ends):
            w, more = step.motion(u)
            b = b + W.cross(w) + more
            W = W + w
            yield W, b

    def pose(self, q: VectorLike, fraction: float) -> Transform:
        """X at any place, through the points before it."""
        *_, last = self._steps(q, [*(p for p in self.points if p < fraction), fraction])
        return last.end

    def frame(self, place: int, q: VectorLike) -> Transform:
        return self.pose(q, 1.0) if place else Transform()

    def carried(self, place: int, q: VectorLike, columns: list[VelocityMotor]) -> list[VelocityMotor]:
        if not place:
            return columns
        *_, (_, columns) = self._along(q, [*self.points, 1.0])
        return columns

    def moving(self, place: int, q: VectorLike, u: VectorLike) -> tuple[VelocityMotor, VelocityMotor]:
        if not place:
            return VelocityMotor(), VelocityMotor()
        *_, found = self._moving(q, u, [*self.points, 1.0])
        return found

    def frame_columns(self, place: int, q: VectorLike) -> list[VelocityMotor]:
        X = self.frame(place, q)
        return [X.into(S) for S in self.carried(place, q, [VelocityMotor()] * self.size)]

    def frame_bias(self, place: int, q: VectorLike, u: VectorLike) -> VelocityMotor:
        return self.frame(place, q).into(self.moving(place, q, u)[1])

    def _pieces(self) -> list[Inertia]:
        """The inertia of the beam about each point, in the axes of the cross-section."""
        _, weights = masses(max(self.degrees))
        return [Inertia.from_moments(w * self.length * a, (0.0, 0.0, 0.0), _diagonal(w * self.length, y, z))
                for w, (a, y, z) in zip(weights, self.sections, strict=True)]

    def ends(self) -> tuple[Inertia, Inertia]:
        """The inertia that moves with the cross-section at the start, and with that at the end."""
        first, *_, last = self._pieces()
        return first, last

    def _between(self, q: VectorLike) -> Iterator[tuple[Transform, Inertia, list[VelocityMotor]]]:
        """Of each point where it is, the inertia about it and the columns at it, all in the axes of the start."""
        for (X, columns), piece in zip(self._along(q, list(self.points)), self._pieces()[1:-1], strict=True):
            at = Transform(p=X.p)
            yield at, piece.turned(X.R), [at.into(S) for S in columns]

    def turned_pieces(self, q: VectorLike) -> list[Inertia]:
        """The inertia about each point between the ends, in the axes of the start."""
        return [piece for _, piece, _ in self._between(q)]

    def moving_points(self, q: VectorLike, u: VectorLike) -> Iterator[
            tuple[Transform, list[VelocityMotor], VelocityMotor]]:
        """Of each point between the ends where it is, the columns at it, and W at the start's origin, in its axes."""
        for (at, _, columns), (W, _) in zip(self._between(q), self._moving(q, u, list(self.points)), strict=True):
            yield at, columns, W

    def inertia(self, q: VectorLike) -> tuple[Inertia, list[MomentumMotor], ca.SX]:
        n = self.size
        M, N, H = Inertia(), [MomentumMotor()] * n, ca.SX.zeros(n, n)
        for at, piece, columns in self._between(q):
            M = M + at @ piece
            momenta = [piece @ S for S in columns]
            N = [old + at @ p for old, p in zip(N, momenta, strict=True)]
            for i in range(n):
                for j in range(i + 1):
                    H[i, j] += momenta[i].dot(columns[j])
        for i in range(n):
            for j in range(i):
                H[j, i] = H[i, j]
        return M, N, H

    def bias(self, q: ca.SX, u: ca.SX, V: VelocityMotor) -> tuple[ForceMotor, list[ca.SX]]:
        p, along = ForceMotor(), [ca.SX(0)] * self.size
        for (W, b), (at, piece, columns) in zip(self._moving(q, u, list(self.points)), self._between(q), strict=True):
            moving, gained = at.into(V + W), at.into(b + V.cross(W))
            w = moving.resultant  # the point is the centre of its piece: f = 𝓜 (a + ω × v) + ω × Iω
            rate = piece @ VelocityMotor(gained.resultant, gained.moment + cross(w, moving.moment))
            f = ForceMotor(rate.resultant, rate.moment + cross(w, piece.inertia @ w))
            p = p + at @ f
            along = [old + f.dot(S) for old, S in zip(along, columns, strict=True)]
        return p, along


class _Step:
    """exp Ω from one place of an element to the next."""

    def __init__(self, element: Strained, q: VectorLike, start: float, end: float, X: Transform) -> None:
        self.element, self.start = element, X
        middle, self.share = float(snap(np.array(start + end - 1))), end - start
        self.d = self.share * element.length
        self.rises = [over_gauss(j, middle, self.share) for j in range(max(element.degrees) + 1)]
        self.mean, self.slope = self._strain(q)
        self.T = Tangent(self._magnus(self.mean, self.mean.cross(self.slope)))
        self.Y = self.T.seen_from(X)
        self.end = self.Y.pose()

    def _strain(self, q: VectorLike, natural: bool = True) -> tuple[VelocityMotor, VelocityMotor]:
        """ξ and ξ′."""
        means, slopes = zip(*self.rises, strict=True)
        return self.element.combined(q, means, natural), self.element.combined(q, slopes, natural=False)

    def _magnus(self, mean: VelocityMotor, product: VelocityMotor) -> VelocityMotor:
        return mean * self.d + product * (self.share / 6 * self.d * self.d)

    def columns(self) -> list[VelocityMotor]:
        """Y ∂Ω/∂q: along ξ and ξ′ of each component, then of what these are made of."""
        found = {}
        for c, degree in enumerate(self.element.degrees):
            if degree >= 0:
                unit = VelocityMotor.from_vector(np.eye(6)[c])
                found[c] = (self.Y @ self._magnus(unit, unit.cross(self.slope)),
                            self.Y @ self._magnus(VelocityMotor(), self.mean.cross(unit)))
        return [found[c][0] * self.rises[j][0] + found[c][1] * self.rises[j][1] for c, j in self.element.coordinates]

    def motion(self, u: VectorLike) -> tuple[VelocityMotor, VelocityMotor]:
        """w = Y Ω̇ and X Ṫ Ω̇ + Y Ω̈₀."""
        mean, slope = self._strain(u, natural=False)
        rate = self._magnus(mean, mean.cross(self.slope) + self.mean.cross(slope))
        second = self._magnus(VelocityMotor(), mean.cross(slope) * 2)
        return self.Y @ rate, self.start @ self.T.bias(rate) + self.Y @ second


def _diagonal(factor: Scalar, y: Scalar, z: Scalar) -> list[list[Scalar]]:
    return [[factor * (y + z), 0.0, 0.0], [0.0, factor * y, 0.0], [0.0, 0.0, factor * z]]
