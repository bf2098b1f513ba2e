"""A cable over a smooth convex surface f(x) = 0: straight, then a geodesic, then straight.

On the surface x″ = −(x′ᵀ ∇∇f x′) ∇f/|∇f|².  Four unknowns, the first point of tangency T₁ and the length L on the
surface, and four equations without charts or poles: T₁ lies on the surface, both straight parts are tangent, and there
is no kink sideways where the cable leaves.  The geodesic is shot from T₁ along the first straight part by classical
Runge–Kutta steps.  L stays regular through zero, where the cable lifts off.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ..algebra import cross
from .tolerances import GEODESIC_FOUND, GEODESIC_NEWTON, GEODESIC_STEPS, NO_ARC, NO_STRAIGHT_PART_SQUARED
from .wraps import Wrapped, wrap_sphere


class EllipsoidSurface:
    """½ (Σ x²/a² − 1) = 0."""

    def __init__(self, radii: Any) -> None:
        self.radii = radii
        self.weights = [1 / (radii[k] * radii[k]) for k in range(3)]

    def value(self, x: ca.SX) -> ca.SX:
        return (sum(w * x[k] * x[k] for k, w in enumerate(self.weights)) - 1) / 2

    def slope(self, x: ca.SX) -> ca.SX:
        return ca.vertcat(*[w * x[k] for k, w in enumerate(self.weights)])

    def bend(self, x: ca.SX, v: ca.SX) -> ca.SX:
        return sum(w * v[k] * v[k] for k, w in enumerate(self.weights))

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


def shoot(surface: EllipsoidSurface, x: ca.SX, v: ca.SX, length: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(end, direction there) of the geodesic of some length from x along v."""
    h = length / GEODESIC_STEPS

    def turning(x: ca.SX, v: ca.SX) -> ca.SX:
        g = surface.slope(x)
        return -surface.bend(x, v) / ca.dot(g, g) * g

    for _ in range(GEODESIC_STEPS):
        a1 = turning(x, v)
        x2, v2 = x + h / 2 * v, v + h / 2 * a1
        a2 = turning(x2, v2)
        x3, v3 = x + h / 2 * v2, v + h / 2 * a2
        a3 = turning(x3, v3)
        x4, v4 = x + h * v3, v + h * a3
        a4 = turning(x4, v4)
        x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return x, v


def residual(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX, y: ca.SX) -> tuple[ca.SX, ca.SX]:
    """(what vanishes where y = (T₁, L) is the cable's way, the last point of tangency); equations have no units."""
    first = y[0:3]
    d = _unit(first - P1)
    last, v = shoot(surface, first, d, y[3])
    g, n, out = surface.slope(first), _unit(surface.slope(last)), _unit(P2 - last)
    return ca.vertcat(surface.value(first) / (ca.dot(g, g) + NO_STRAIGHT_PART_SQUARED), ca.dot(d, _unit(g)),
                      ca.dot(out, n), ca.dot(out, cross(v, n))), last


def wrap_along(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX, y: ca.SX) -> Wrapped:
    """The way that unknowns y describe; its angle is the length on the surface, of the same sign."""
    _, last = residual(surface, P1, P2, y)
    return Wrapped(y[0:3], last, y[3], y[3])


def at_rest(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX) -> ca.SX:
    """Unknowns where the cable is free: where it would touch down, and no length."""
    near = surface.nearest_on_line(P1, P2)
    size = ca.sqrt(ca.dot(near, near) + NO_STRAIGHT_PART_SQUARED)
    return ca.vertcat(surface.stretched(near / size), 0)


def start(radii: np.ndarray, P1: np.ndarray, P2: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
    """Unknowns of a cable on an ellipsoid, by damped Newton steps: from the great circle of the squeezed space, or over
    a point near to which it lies."""
    radii = np.asarray(radii, dtype=float)
    surface = EllipsoidSurface(radii)
    p1, p2, unknowns = ca.SX.sym("P1", 3), ca.SX.sym("P2", 3), ca.SX.sym("y", 4)
    equations, _ = residual(surface, p1, p2, unknowns)
    function = ca.Function("geodesic", [p1, p2, unknowns], [equations, ca.jacobian(equations, unknowns)])

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


def _guess(radii: np.ndarray, P1: np.ndarray, P2: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    q1, q2 = P1 / radii, P2 / radii

    def arc(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        return [np.array(x).ravel() for x in wrap_sphere(ca.DM(a), ca.DM(b), 1.0)]

    if near is None:
        first, last, angle, _ = arc(q1, q2)
        bow = max(1.0, angle[0] / 2 / np.sin(min(max(angle[0] / 2, NO_ARC), 1.5)))
        return np.array([*(first * radii), np.linalg.norm((last - first) * radii) * bow])
    d = np.asarray(near, dtype=float) / radii
    d = d / np.linalg.norm(d) * (1 + NO_ARC)
    first, last = arc(q1, d)[0] * radii, arc(d, q2)[1] * radii
    return np.array([*first, np.linalg.norm(first - d * radii) + np.linalg.norm(last - d * radii)])


def _unit(a: ca.SX) -> ca.SX:
    return a / ca.sqrt(ca.dot(a, a) + NO_STRAIGHT_PART_SQUARED)
