"""A cable over an ellipsoid: straight, then a geodesic, then straight.

Four unknowns, the first point of tangency T₁ and how far the geodesic goes from there, and four equations without
charts or poles: T₁ lies on the surface, both straight parts are tangent, and there is no kink sideways where the cable
leaves.  The way stays regular through zero, where the cable lifts off.

How far is counted by a length for an ellipsoid (`EllipsoidSurface`), and by an angle for one of revolution
(`Spheroid`), whose geodesics are integrals.
"""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np

from ..algebra import cross
from .ellipsoid_geodesics import EllipsoidSurface, unit
from .spheroid_geodesics import ellipsoid
from .tolerances import GEODESIC_FOUND, GEODESIC_NEWTON, NO_ARC, NO_STRAIGHT_PART_SQUARED
from .wraps import Wrapped, wrap_sphere


def residual(surface: EllipsoidSurface, P1: ca.SX, P2: ca.SX, y: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """(what vanishes where y = (T₁, how far) is the cable's way, the last point of tangency, the length between);
    equations have no units."""
    first = y[0:3]
    d = unit(first - P1)
    last, v, length = surface.follow(first, d, y[3])
    g, n, out = surface.slope(first), unit(surface.slope(last)), unit(P2 - last)
    return ca.vertcat(surface.value(first) / (ca.dot(g, g) + NO_STRAIGHT_PART_SQUARED), ca.dot(d, unit(g)),
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
