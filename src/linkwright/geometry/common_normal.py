"""Smooth convex bodies by their common normal: points, balls and ellipsoids against an ellipsoid.

Unknown are the unit normal n, from a to b in a's axes, and the gap g.  With the support points p_A(n), farthest along
n, and p_B(−n), farthest the other way,

    p_B(−n) − p_A(n) = g n,    n·n = 1.

For numbers the same n is the maximum over the unit sphere of  φ(n) = n·d − h_A(n) − h_B(−n), the distance between the
two planes across n that support the bodies; it is the gap there, apart or overlapping.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..algebra import Array, Scalar, Transform, axis_frame, dot, norm, stack
from .ellipsoids import ellipsoid_bend, ellipsoid_support
from .selects import larger, root, sign, vec
from .shapes import Ellipsoid, Point, Shape, Sphere
from .tolerances import (
    DIRECTIONS,
    NORMAL_BEND,
    NORMAL_FOUND,
    NORMAL_LONGEST,
    NORMAL_ROUNDING,
    NORMAL_SHORTEST,
    NORMAL_STEPS,
    NORMAL_WIDTHS,
    TINY,
)
from .touch import Least, PairGeometry, Search, Touch, Unknowns


def common_normal(a: Shape, b: Shape) -> PairGeometry:
    """Two smooth convex bodies, with the common normal and the gap as unknowns."""

    def points(X_WA: Transform, X_WB: Transform, n: Array) -> tuple[Array, Array]:
        """The support points p_A(n), p_B(−n) in a's axes."""
        R_AB = X_WA.R.T @ X_WB.R
        d = X_WA.R.T @ (X_WB.p - X_WA.p)
        return _support(a, n), d + R_AB @ _support(b, -(R_AB.T @ n))

    def residual(X_WA: Transform, X_WB: Transform, y: Array) -> Array:
        n = y[0:3]
        p_a, p_b = points(X_WA, X_WB, n)
        return stack(p_b - p_a - y[3] * n, (dot(n, n) - 1) / 2)

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        return _highest(a, b, X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p))

    def touches(X_WA: Transform, X_WB: Transform, y: Array) -> list[Touch]:
        n = y[0:3] / norm(y[0:3])
        p_a, p_b = points(X_WA, X_WB, n)
        # off by the square of what n is off
        gap = dot(n, p_b - p_a)
        return [Touch(gap, X_WA.R @ n, X_WA.p + X_WA.R @ p_a, X_WA.p + X_WA.R @ p_b,
                      _relative_curvatures(a, b, X_WA.R.T @ X_WB.R, n))]

    return PairGeometry(a, b, 1, touches, Unknowns(("n_x", "n_y", "n_z", "gap"), residual, start, _search(a, b)))


def _support(shape: Shape, n: Array) -> Array:
    """The point of a shape that is farthest along n."""
    if isinstance(shape, Point):
        return np.zeros(3)
    return shape.radius / norm(n) * n if isinstance(shape, Sphere) else ellipsoid_support(shape, n)


def _bend(shape: Shape, n: Array) -> Array:
    """How the support point moves as the unit normal turns."""
    if isinstance(shape, Ellipsoid):
        return ellipsoid_bend(shape, n)
    return (0.0 if isinstance(shape, Point) else shape.radius) * np.eye(3)


def _highest(a: Shape, b: Shape, R_AB: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(n, gap) where φ is largest: the best of many directions, then Newton's method on the sphere."""

    def supports(n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _support(a, n), d + R_AB @ _support(b, -(R_AB.T @ n))

    def phi(n: np.ndarray) -> float:
        p_a, p_b = supports(n)
        return float(n @ (p_b - p_a))

    n = max([d / np.linalg.norm(d), *_DIRECTIONS] if np.any(d) else _DIRECTIONS, key=phi)
    for _ in range(NORMAL_STEPS):
        p_a, p_b = supports(n)
        gap = float(n @ (p_b - p_a))
        tangents = axis_frame(n)[:, :2]
        slope = tangents.T @ (p_b - p_a)
        bend = -tangents.T @ (_bend(a, n) + R_AB @ _bend(b, -(R_AB.T @ n)) @ R_AB.T) @ tangents - gap * np.eye(2)
        values, vectors = np.linalg.eigh(bend)
        # where φ is hollow, climb all the same
        step = tangents @ (vectors @ ((vectors.T @ slope) / np.maximum(np.abs(values), NORMAL_BEND)))
        length = float(np.linalg.norm(step))
        scale = min(1.0, NORMAL_LONGEST / length) if length > 0 else 1.0
        while scale > NORMAL_SHORTEST:
            following = n + scale * step
            following = following / np.linalg.norm(following)
            if phi(following) >= gap - NORMAL_ROUNDING * (1 + abs(gap)):
                break
            scale /= 2
        n = following
        if length < NORMAL_FOUND:
            break
    return np.array([*n, phi(n)])


def _search(a: Shape, b: Shape) -> Search:
    """(n, gap) close to where φ is largest: among directions all over the sphere, then ever closer to the best one."""
    x, n = ca.SX.sym("x", 18), ca.SX.sym("n", 3)
    best, width, aside, none = ca.SX.sym("best", 3), ca.SX.sym("width"), ca.SX.sym("aside", 2), ca.SX.sym("none")

    def score(n: ca.SX) -> ca.SX:
        """−φ(n), every body being an ellipsoid of half axes r, with h(n) = √Σ(rᵢ nᵢ)², and n."""
        n_b = ca.reshape(x[:9], 3, 3).T @ n
        return ca.vertcat(ca.norm_2(x[12:15] * n) + ca.norm_2(x[15:18] * n_b) - ca.dot(x[9:12], n), n)

    t = _tangents(best)
    close_by = best + width * (aside[0] * t[0] + aside[1] * t[1])
    anywhere = ca.Function("anywhere", [x, n, none], [score(n)])
    closer = ca.Function("closer", [ca.vertcat(x, best, width), aside, none], [score(close_by / ca.norm_2(close_by))])

    def search(X_AB: Transform, least: Least) -> tuple:
        numbers = [*[X_AB.R[:, k] for k in range(3)], X_AB.p, _half_axes(a), _half_axes(b)]
        found, alone = least(anywhere, stack(*numbers), _DIRECTIONS, np.zeros((1, 1))), np.zeros((1, 1))
        for wide in NORMAL_WIDTHS:
            found = least(closer, stack(*numbers, found[1:4], wide), _ASIDE, alone)
        return stack(found[1:4], -found[0]), 1.0

    return search


def _half_axes(shape: Shape) -> Array:
    """Those of a point, a ball or an ellipsoid."""
    if isinstance(shape, Ellipsoid):
        return stack(*[shape.radii[k] for k in range(3)])
    return stack(*[0.0 if isinstance(shape, Point) else shape.radius] * 3)


def _spread_directions(count: int) -> np.ndarray:
    """Directions all over the sphere (Fibonacci's lattice)."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    across = np.sqrt(1 - z * z)
    return np.column_stack([across * np.cos(angle), across * np.sin(angle), z])


_DIRECTIONS = _spread_directions(DIRECTIONS)
#: what is looked at around the best direction so far, in each of the NORMAL_WIDTHS: a disc of points a quarter apart,
#: from where Newton's method finds the last of an ellipsoid of half axes 1 : 50
_ASIDE = np.array([(i, j) for i in range(-4, 5) for j in range(-4, 5) if i * i + j * j <= 17]) / 4.0


def _relative_curvatures(a: Shape, b: Shape, R_AB: Array, n: Array) -> tuple[Scalar, Scalar] | None:
    """Principal curvatures of the two surfaces together; None for a point."""
    if isinstance(a, Point) or isinstance(b, Point):
        return None
    t = _tangents(n)
    xx, xy, yy = (p + q for p, q in zip(_curvature(_bend(a, n), t),
                                        _curvature(_bend(b, -(R_AB.T @ n)), [R_AB.T @ e for e in t]), strict=True))
    mean, half = (xx + yy) / 2, (xx - yy) / 2
    spread = root(larger(half * half + xy * xy, TINY))
    return mean + spread, mean - spread


def _curvature(bend: Array, t: Sequence[Array]) -> tuple:
    """The inverse of ∇∇h across the normal: (xx, xy, yy) along the tangents t."""
    xx, xy, yy = dot(t[0], bend @ t[0]), dot(t[0], bend @ t[1]), dot(t[1], bend @ t[1])
    determinant = xx * yy - xy * xy
    return yy / determinant, -xy / determinant, xx / determinant


def _tangents(n: Array) -> list:
    """Two unit vectors across n and one another (Duff et al. 2017)."""
    s = sign(n[2])
    c = -1 / (s + n[2])
    k = n[0] * n[1] * c
    return [vec(1 + s * n[0] * n[0] * c, s * k, -s * n[0]), vec(k, s + n[1] * n[1] * c, -n[1])]
