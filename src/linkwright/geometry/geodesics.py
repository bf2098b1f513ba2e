"""A cable over an ellipsoid: straight, then a geodesic, then straight.

Four unknowns, the first point of tangency T₁ and how far the geodesic goes from there, and four equations without
charts or poles: T₁ lies on the surface, both straight parts are tangent, and there is no kink sideways where the cable
leaves.  The way stays regular through zero, where the cable lifts off.

How far is counted by a length for an ellipsoid (`EllipsoidSurface`), and by an angle for one of revolution
(`Spheroid`), whose geodesics are integrals.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from ..algebra import cross
from .tolerances import (
    GEODESIC_FOUND,
    GEODESIC_NEWTON,
    GEODESIC_NODES,
    GEODESIC_PANELS,
    GEODESIC_SUBSTEPS,
    NO_ARC,
    NO_STRAIGHT_PART_SQUARED,
)
from .wraps import Wrapped, wrap_sphere


class EllipsoidSurface:
    """½ (Σ x²/a² − 1) = 0, with A = diag 1/a² and g = A x.

    Along a geodesic Joachimsthal's (v·Av)(g·g) = C is constant, so that its curvature depends on the place alone, and
    so does Gauss's K, by which neighbouring geodesics part:

        x″ = −C A x/|g|⁴,       j″ = −K j,   K = det A/|g|⁴

    (Klingenberg, Riemannian Geometry, §3.5).  Both are followed by Störmer's steps, extrapolated; the slopes of the end
    are j₁ (from aside) and j₂ (turned), and need no derivative of the steps.
    """

    def __init__(self, radii: Any) -> None:
        self.radii = radii
        self.weights = [1 / (radii[k] * radii[k]) for k in range(3)]

    def value(self, x: ca.SX) -> ca.SX:
        return (sum(w * x[k] * x[k] for k, w in enumerate(self.weights)) - 1) / 2

    def slope(self, x: ca.SX) -> ca.SX:
        return ca.vertcat(*[w * x[k] for k, w in enumerate(self.weights)])

    def squeezed(self, x: ca.SX) -> ca.SX:
        """The same point where the surface is a ball of radius one."""
        return ca.vertcat(*[x[k] / self.radii[k] for k in range(3)])

    def stretched(self, x: ca.SX) -> ca.SX:
        return ca.vertcat(*[x[k] * self.radii[k] for k in range(3)])

    def nearest_on_line(self, P1: ca.SX, P2: ca.SX) -> ca.SX:
        """The squeezed point of the straight line that is nearest to the centre."""
        q1, q2 = self.squeezed(P1), self.squeezed(P2)
        u = q2 - q1
        s = ca.fmin(ca.fmax(-ca.dot(q1, u) / (ca.dot(u, u) + NO_STRAIGHT_PART_SQUARED), 0), 1)
        return q1 + s * u

    def follow(self, x: ca.SX, v: ca.SX, length: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(end, direction there, length) of the geodesic of some length from x along v.

        On the way to a solution x is beside the surface and v not along it: the geodesic is that of the point and the
        direction on the surface, so that all slopes are known.
        """
        q = self.squeezed(x)
        x = x / ca.sqrt(ca.dot(q, q))
        g = self.slope(x)
        v = _unit(v - ca.dot(v, g) / ca.dot(g, g) * g)
        if any(isinstance(a, ca.SX) for a in self.radii):
            ends = self._ends(x, v, length)  # sizes that may change are differentiated by
        else:
            ends = _geodesic(tuple(float(a) for a in self.radii))(ca.vertcat(x, v, length))
        return ends[0:3], ends[3:6], length

    def how_far(self, angle: float, length: float) -> float:
        """The fourth unknown of an arc of about this angle and length."""
        return length

    def _ends(self, x: ca.SX, v: ca.SX, length: ca.SX) -> ca.SX:
        """(x, v, j₁, j₁′, j₂, j₂′) at the end."""
        g = self.slope(x)
        C = sum(w * v[k] * v[k] for k, w in enumerate(self.weights)) * ca.dot(g, g)
        scale = [C * w for w in self.weights]
        bent = self.weights[0] * self.weights[1] * self.weights[2]

        def pull(y: ca.SX) -> ca.SX:
            g = self.slope(y)
            square = ca.dot(g, g)
            w = -1 / (square * square)
            return ca.vertcat(*[w * scale[k] * y[k] for k in range(3)], w * bent * y[3], w * bent * y[4])

        y, rate = ca.vertcat(x, 1, 0), ca.vertcat(v, 0, 1)
        for _ in range(GEODESIC_PANELS):
            y, rate = _extrapolated(pull, y, rate, length / GEODESIC_PANELS)
        return ca.vertcat(y[0:3], rate[0:3], y[3], rate[3], y[4], rate[4])

    def _slopes(self, start: ca.SX, ends: ca.SX) -> ca.SX:
        """∂(x, v at the end)/∂(x, v, length): along the geodesic, aside by j₁, turned by j₂.

        With b across, α = t·δx, β = b·δx, γ = b·δv at the start:
        δx = (α + δL) t + (β j₁ + γ j₂) b,  δv = (β j₁′ + γ j₂′) b − n (v·Aδx)/|g|.
        """
        x, v = start[0:3], start[3:6]
        b = cross(v, _unit(self.slope(x)))
        end, t, (j1, r1, j2, r2) = ends[0:3], ends[3:6], (ends[k] for k in range(6, 10))
        g = self.slope(end)
        size = ca.sqrt(ca.dot(g, g))
        n = g / size
        across = cross(t, n)
        aside, turned = ca.horzcat(b.T, ca.SX(1, 4)), ca.horzcat(ca.SX(1, 3), b.T, ca.SX(1, 1))
        along = ca.horzcat(v.T, ca.SX(1, 3), ca.SX(1))
        dx = t @ along + across @ (j1 * aside + j2 * turned)
        dv = across @ (r1 * aside + r2 * turned) - n @ (self.slope(t).T @ dx) / size
        return ca.vertcat(dx, dv)


class Spheroid(EllipsoidSurface):
    """An ellipsoid of revolution: equatorial radius a, polar radius c along one axis.

    By Clairaut's and Bessel's reduction its geodesic is a great circle p(σ) of the squeezed sphere with the same
    azimuths, whose longitude is behind by Δ (Karney, J. Geodesy 87 (2013) 43, eq. 7, 8):

        L = ∫ m dσ,   m² = c² + (a² − c²) p_z²,      Δ = f w ∫ (2 − f)/(1 + (1 − f) m/c) dσ,   w = (p × p′)_z

    The integrals are Gauss's sums.  Azimuths are taken over by vectors, so that poles are places like others.
    """

    def __init__(self, radii: Any, polar: int) -> None:
        super().__init__(radii)
        self.order = [(polar + 1) % 3, (polar + 2) % 3, polar]
        self.a, self.c = (float(radii[k]) for k in (self.order[0], polar))

    def follow(self, x: ca.SX, v: ca.SX, angle: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(end, direction there, length) of the geodesic over some angle of the squeezed sphere from x along v."""
        a, c, order = self.a, self.c, self.order
        p, u = (_picked(self.squeezed(w), order) for w in (x, v))
        p = _unit(p)
        off = (c * c - a * a) / (self._size(p) + a)
        e = _from_pole(p)
        q = a * u + off * ca.dot(e, u) * e  # the same azimuth on the sphere
        q = _unit(q - ca.dot(p, q) * p)
        arc, lag = self._integrals(p[2], q[2], angle)
        f = (a - c) / a
        lag *= f * (p[0] * q[1] - p[1] * q[0])
        cosine, sine = ca.cos(angle), ca.sin(angle)
        p, q = (_turned(w, lag) for w in (cosine * p + sine * q, cosine * q - sine * p))
        m, e = self._size(p), _from_pole(p)
        u = q / a + (a * a - c * c) / ((a + m) * a * m) * ca.dot(e, q) * e
        back = [order.index(k) for k in range(3)]
        return self.stretched(_picked(p, back)), self.stretched(_picked(u, back)), arc

    def how_far(self, angle: float, length: float) -> float:
        return angle

    def _size(self, p: ca.SX) -> ca.SX:
        """m at a point of the sphere."""
        return ca.sqrt(self.c**2 + (self.a**2 - self.c**2) * p[2] * p[2])

    def _integrals(self, p: ca.SX, q: ca.SX, angle: ca.SX) -> tuple[ca.SX, ca.SX]:
        """(∫ m dσ, ∫ (2 − f)/(1 + (1 − f) m/c) dσ) where the height of the great circle is p cos σ + q sin σ."""
        a, c = self.a, self.c
        f, half = (a - c) / a, angle / 2
        middle = (p * ca.cos(half) + q * ca.sin(half), q * ca.cos(half) - p * ca.sin(half))
        arc, lag = ca.SX(0), ca.SX(0)
        for node, weight in zip(*np.polynomial.legendre.leggauss(GEODESIC_NODES), strict=True):
            if node < 0:
                continue
            cosine, sine = ca.cos(half * node), ca.sin(half * node)
            for side in (1, -1) if node > 0 else (1,):
                z = middle[0] * cosine + side * middle[1] * sine
                m = ca.sqrt(c * c + (a * a - c * c) * z * z)
                arc += weight * m
                lag += weight * (2 - f) / (1 + (1 - f) / c * m)
        return half * arc, half * lag


def ellipsoid(radii: Any) -> EllipsoidSurface:
    """The surface with these half axes, of revolution where two of them are the same numbers."""
    if not any(isinstance(radii[k], ca.SX) for k in range(3)):
        for polar in range(3):
            if float(radii[(polar + 1) % 3]) == float(radii[(polar + 2) % 3]):
                return Spheroid(radii, polar)
    return EllipsoidSurface(radii)


@cache
def _geodesic(radii: tuple[float, ...]) -> ca.Function:
    """(x, v, length) → ends of a geodesic, with its slopes as they are known."""
    surface, name = EllipsoidSurface(radii), "_".join(a.hex().replace(".", "").replace("+", "") for a in radii)
    name = name.replace("-", "m")
    start, ends = ca.SX.sym("start", 7), ca.SX.sym("ends", 10)
    # of j nothing asks for the slopes, which are not known
    slopes = ca.vertcat(surface._slopes(start, ends), ca.SX(ca.DM.nan(4, 7)))
    jacobian = ca.Function(f"jac_geodesic_{name}", [start, ends], [ca.densify(slopes)])
    return ca.Function(f"geodesic_{name}", [start], [surface._ends(start[0:3], start[3:6], start[6])], {
        "never_inline": True, "custom_jacobian": jacobian, "jac_penalty": 0, "enable_forward": False,
        "enable_reverse": False})


def _extrapolated(pull: Any, y: ca.SX, rate: ca.SX, h: ca.SX) -> tuple[ca.SX, ca.SX]:
    """y″ = pull(y) over h by Störmer's rule with several numbers of steps, extrapolated in their squares (Hairer,
    Nørsett, Wanner I, §II.14)."""
    first, total = pull(y), ca.SX.zeros(2 * y.numel())
    for count in GEODESIC_SUBSTEPS:
        share = float(np.prod([count**2 / (count**2 - other**2) for other in GEODESIC_SUBSTEPS if other != count]))
        step = h / count
        at, speed = y, rate + step / 2 * first
        for k in range(count):
            at = at + step * speed
            speed = speed + (step if k < count - 1 else step / 2) * pull(at)
        total += share * ca.vertcat(at, speed)
    return total[: y.numel()], total[y.numel() :]


def _picked(x: ca.SX, order: list[int]) -> ca.SX:
    return ca.vertcat(*[x[k] for k in order])


def _from_pole(p: ca.SX) -> ca.SX:
    """z − (z·p) p: towards the pole, as long as the radius of the circle of latitude."""
    return ca.vertcat(-p[2] * p[0], -p[2] * p[1], 1 - p[2] * p[2])


def _turned(p: ca.SX, back: ca.SX) -> ca.SX:
    """Turned back about z."""
    c, s = ca.cos(back), ca.sin(back)
    return ca.vertcat(c * p[0] + s * p[1], c * p[1] - s * p[0], p[2])


def residual(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX, y: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(what vanishes where y = (T₁, how far) is the cable's way, the last point of tangency, the length between);
    equations have no units."""
    first = y[0:3]
    d = _unit(first - P1)
    last, v, length = surface.follow(first, d, y[3])
    g, n, out = surface.slope(first), _unit(surface.slope(last)), _unit(P2 - last)
    return ca.vertcat(surface.value(first) / (ca.dot(g, g) + NO_STRAIGHT_PART_SQUARED), ca.dot(d, _unit(g)),
                      ca.dot(out, n), ca.dot(out, cross(v, n))), last, length


def wrap_along(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX, y: ca.SX) -> Wrapped:
    """The way that unknowns y describe; its angle is how far it goes, of the sign of the length."""
    _, last, length = residual(surface, P1, P2, y)
    return Wrapped(y[0:3], last, y[3], length)


def at_rest(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX) -> ca.SX:
    """Unknowns where the cable is free: where it would touch down, and no length."""
    near = surface.nearest_on_line(P1, P2)
    size = ca.sqrt(ca.dot(near, near) + NO_STRAIGHT_PART_SQUARED)
    return ca.vertcat(surface.stretched(near / size), 0)


def start(radii: np.ndarray, P1: np.ndarray, P2: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """Unknowns of a cable on an ellipsoid, by damped Newton steps: from the great circle of the squeezed space, or over
    a point near to which it lies."""
    radii = np.asarray(radii, dtype=float)
    function = _equations(tuple(map(float, radii)))

    def evaluate(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        F, J = function(P1, P2, y)
        return np.array(F).ravel(), np.array(J)

    y = _guess(radii, P1, P2, near)
    F, J = evaluate(y)
    for _ in range(GEODESIC_NEWTON):
        if np.abs(F).max() < GEODESIC_FOUND:
            break
        step = -np.linalg.lstsq(J, F, rcond=None)[0]
        share = min(1.0, 0.3 * np.linalg.norm(y[:3]) / max(np.linalg.norm(step), np.finfo(float).tiny))
        while True:
            trial, J_trial = evaluate(y + share * step)
            if np.abs(trial).max() <= (1 - 0.1 * share) * np.abs(F).max() or share < 1e-4:
                break
            share /= 2
        y, F, J = y + share * step, trial, J_trial
    return y


@cache
def _equations(radii: tuple[float, ...]) -> ca.Function:
    """The residual and its Jacobian, of (P₁, P₂, y)."""
    p1, p2, unknowns = (ca.SX.sym(name, n) for name, n in (("P1", 3), ("P2", 3), ("y", 4)))
    equations, _, _ = residual(ellipsoid(radii), p1, p2, unknowns)
    return ca.Function("geodesic", [p1, p2, unknowns], [equations, ca.jacobian(equations, unknowns)])


def _guess(radii: np.ndarray, P1: np.ndarray, P2: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    q1, q2 = P1 / radii, P2 / radii

    def arc(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        return [np.array(x).ravel() for x in wrap_sphere(ca.DM(a), ca.DM(b), 1.0)]

    if near is None:
        first, last, angle, _ = arc(q1, q2)
        bow = max(1.0, angle[0] / 2 / np.sin(min(max(angle[0] / 2, NO_ARC), 1.5)))
        length = np.linalg.norm((last - first) * radii) * bow
        return np.array([*(first * radii), ellipsoid(radii).how_far(float(angle[0]), length)])
    d = np.asarray(near, dtype=float) / radii
    d = d / np.linalg.norm(d) * (1 + NO_ARC)
    first, last = arc(q1, d)[0], arc(d, q2)[1]
    length = np.linalg.norm((first - d) * radii) + np.linalg.norm((last - d) * radii)
    angle = np.arccos(np.clip(first @ d, -1, 1)) + np.arccos(np.clip(last @ d, -1, 1))
    return np.array([*(first * radii), ellipsoid(radii).how_far(float(angle), length)])


def _unit(a: ca.SX) -> ca.SX:
    return a / ca.sqrt(ca.dot(a, a) + NO_STRAIGHT_PART_SQUARED)
