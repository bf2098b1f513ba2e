"""Geodesics on ellipsoids of revolution, by integrals."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from .ellipsoid_geodesics import EllipsoidSurface, unit
from .tolerances import GEODESIC_NODES, NO_STRAIGHT_PART_SQUARED


class Spheroid(EllipsoidSurface):
    """An ellipsoid of revolution: equatorial radius a, polar radius c along one axis.

    By Clairaut's and Bessel's reduction its geodesic is a great circle p(σ) of the squeezed sphere with the same
    azimuths, whose longitude is behind by Δ (Karney, J. Geodesy 87 (2013) 43, eq. 7, 8):

        L = ∫ m dσ,   m² = c² + (a² − c²) p_z²,      Δ = f w ∫ (2 − f)/(1 + (1 − f) m/c) dσ,   w = (p × p′)_z

    The integrals are Gauss's sums.  Azimuths are taken over by vectors, so that poles are places like others.

    The slopes are closed forms.  With (p, q) and (P, Q) height and its slope along the great circle at both ends, A² =
    p² + q², D = m₂ − m₁ and E = ∫ (m² − c²)/m dσ (Karney, eq. 38, 39, written without a difference of large numbers):

        j₁ = cos σ + (pP D − pQ E)/(m₁ A²)        j₁′ = (−sin σ + (pQ D + pP E)/(m₁ A²))/m₂
        j₂ = m₁ sin σ + (qP D − qQ E)/A²          j₂′ = cos σ + (qP E − pP D)/(m₂ A²)
        δL = m₂ δσ + ((qD + pE) δp + (qE − pD) δq)/A²
    """

    def __init__(self, radii: Any) -> None:
        super().__init__(radii)
        polar = polar_axis(radii)
        if polar is None:
            raise ValueError(f"radii {radii} are no two equal")
        self.order = [(polar + 1) % 3, (polar + 2) % 3, polar]
        self.a, self.c = (float(radii[k]) for k in (self.order[0], polar))

    def ends(self, start: ca.SX) -> ca.SX:
        """(x, v, length, j₁, j₁′, j₂, j₂′, E) at the end."""
        a, c, order = self.a, self.c, self.order
        p, u = (_picked(self.squeezed(w), order) for w in (start[0:3], start[3:6]))
        angle = start[6]
        p = unit(p)
        m1, e = self._size(p[2]), _from_pole(p)
        q = a * u + (c * c - a * a) / (m1 + a) * ca.dot(e, u) * e  # the same azimuth on the sphere
        q = unit(q - ca.dot(p, q) * p)
        arc, lag, excess = self._integrals(p[2], q[2], angle)
        lag *= (a - c) / a * (p[0] * q[1] - p[1] * q[0])
        cosine, sine = ca.cos(angle), ca.sin(angle)
        fields = self._fields(p[2], q[2], cosine, sine, excess)
        p, q = (_turned(w, lag) for w in (cosine * p + sine * q, cosine * q - sine * p))
        m2, e = self._size(p[2]), _from_pole(p)
        u = q / a + (a * a - c * c) / ((a + m2) * a * m2) * ca.dot(e, q) * e
        back = [order.index(k) for k in range(3)]
        return ca.vertcat(self.stretched(_picked(p, back)), self.stretched(_picked(u, back)), arc, *fields, excess)

    def _fields(self, p: ca.SX, q: ca.SX, cosine: ca.SX, sine: ca.SX, excess: ca.SX) -> tuple[ca.SX, ...]:
        """(j₁, j₁′, j₂, j₂′) at the end."""
        P, Q = cosine * p + sine * q, cosine * q - sine * p
        m1, m2, D = self._sizes(p, P)
        per = 1 / (p * p + q * q + NO_STRAIGHT_PART_SQUARED)
        D, E = D * per, excess * per
        return (cosine + (p * P * D - p * Q * E) / m1, (-sine + (p * Q * D + p * P * E) / m1) / m2,
                m1 * sine + (q * P * D - q * Q * E), cosine + (q * P * E - p * P * D) / m2)

    def lengthening(self, start: ca.SX, ends: ca.SX) -> ca.SX:
        a, c, polar = self.a, self.c, self.order[2]
        p, v, P = start[polar] / c, start[3 + polar], ends[polar] / c
        m1, m2, D = self._sizes(p, P)
        q = m1 * v / c
        per = 1 / (p * p + q * q + NO_STRAIGHT_PART_SQUARED)
        E = ends[11]
        by_p, by_q = (q * D + p * E) * per, (q * E - p * D) * per
        row = ca.SX(1, 7)
        row[polar] = (by_p + by_q * v * (a * a - c * c) * p / (m1 * c)) / c
        row[3 + polar] = by_q * m1 / c
        row[6] = m2
        return row

    def slopes_of_fields(self, start: ca.SX) -> ca.SX:
        return ca.jacobian(self.ends(start)[7:], start)

    def how_far(self, angle: float, length: float) -> float:
        return angle

    def _size(self, height: ca.SX) -> ca.SX:
        """m at a height of the sphere."""
        return ca.sqrt(self.c**2 + (self.a**2 - self.c**2) * height * height)

    def _sizes(self, p: ca.SX, P: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(m₁, m₂, m₂ − m₁)."""
        m1, m2 = self._size(p), self._size(P)
        return m1, m2, (self.a**2 - self.c**2) * (P - p) * (P + p) / (m1 + m2)

    def _integrals(self, p: ca.SX, q: ca.SX, angle: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(∫ m dσ, ∫ (2 − f)/(1 + (1 − f) m/c) dσ, E), the height of the great circle being p cos σ + q sin σ."""
        a, c = self.a, self.c
        f, half = (a - c) / a, angle / 2
        middle = (p * ca.cos(half) + q * ca.sin(half), q * ca.cos(half) - p * ca.sin(half))
        arc, lag, excess = ca.SX(0), ca.SX(0), ca.SX(0)
        for node, weight in zip(*np.polynomial.legendre.leggauss(GEODESIC_NODES), strict=True):
            if node < 0:
                continue
            cosine, sine = ca.cos(half * node), ca.sin(half * node)
            for side in (1, -1) if node > 0 else (1,):
                z = middle[0] * cosine + side * middle[1] * sine
                over = (a * a - c * c) * z * z
                m = ca.sqrt(c * c + over)
                arc += weight * m
                lag += weight * (2 - f) / (1 + (1 - f) / c * m)
                excess += weight * over / m
        return half * arc, half * lag, half * excess


def ellipsoid(radii: Any) -> EllipsoidSurface:
    """The surface with these half axes, of revolution where two of them are the same numbers."""
    return EllipsoidSurface(radii) if polar_axis(radii) is None else Spheroid(radii)


def polar_axis(radii: Any) -> int | None:
    """About which axis an ellipsoid is one of revolution, where two of its half axes are the same numbers."""
    if any(isinstance(radii[k], ca.SX) for k in range(3)):
        return None
    return next((k for k in range(3) if float(radii[(k + 1) % 3]) == float(radii[(k + 2) % 3])), None)


def _picked(x: ca.SX, order: list[int]) -> ca.SX:
    return ca.vertcat(*[x[k] for k in order])


def _from_pole(p: ca.SX) -> ca.SX:
    """z − (z·p) p: towards the pole, as long as the radius of the circle of latitude."""
    return ca.vertcat(-p[2] * p[0], -p[2] * p[1], 1 - p[2] * p[2])


def _turned(p: ca.SX, back: ca.SX) -> ca.SX:
    """Turned back about z."""
    c, s = ca.cos(back), ca.sin(back)
    return ca.vertcat(c * p[0] + s * p[1], c * p[1] - s * p[0], p[2])
