"""Outlines in the plane: a curve p(s) against points, circles, lines and other curves.

The body lies to the left of its outline, so with the unit tangent t = (t_x, t_y) its outward normal is (t_y, −t_x).
The unknown places s, all in the plane of shape a:

    against a centre c     t·(c − p(s)) = 0
    against a line, n      n·t(s) = 0
    against a curve        t_a·(p_b − p_a) = 0,   t_a × t_b = 0

Beyond the ends of an open curve there is no contact: the gap is lifted by the way that is missing.  Across the plane
the curvature is taken to be what it is in it, as for a Circle: an outline presses like a ball, not like an endless
cylinder, whose stiffness would depend on its width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import casadi as ca
import numpy as np

from ..algebra import Array, Scalar, Transform, VectorLike, is_symbolic, stack
from .selects import larger, root, vec
from .shapes import Circle, Curve, Line, Plane, Point, Sphere
from .tolerances import (
    CURVE_DIFFERENCE,
    CURVE_FOUND,
    CURVE_LONGEST,
    CURVE_SAMPLES,
    CURVE_SAMPLES_PAIRED,
    CURVE_STEPS,
    FACING,
    NOWHERE,
    TINY,
)
from .touch import Least, PairGeometry, Search, Touch, Unknowns, least_of_numbers

CHOICES = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL}


def curve_and_centre(curve: Curve, ball: Point | Circle | Sphere) -> PairGeometry:
    """A point or a ball at an outline: one contact point."""
    radius = 0.0 if isinstance(ball, Point) else ball.radius

    def centre(X_WA: Transform, X_WB: Transform) -> Array:
        return X_WA.R.T @ (X_WB.p - X_WA.p)

    def residual(X_WA: Transform, X_WB: Transform, y: VectorLike) -> Array:
        p, t, _ = along(curve, y[0])
        c = centre(X_WA, X_WB)
        return stack(t[0] * (c[0] - p[0]) + t[1] * (c[1] - p[1]))

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        c, s = centre(X_WA, X_WB), _samples(curve)
        p, t, _ = (np.array(x) for x in along(curve, s))
        apart = (c[0] - p[0]) ** 2 + (c[1] - p[1]) ** 2
        return _solved(lambda y: residual(X_WA, X_WB, y), [s[int(np.argmin(apart))]], curve)

    def touches(X_WA: Transform, X_WB: Transform, y: VectorLike) -> list[Touch]:
        p, t, k = along(curve, y[0])
        c = centre(X_WA, X_WB)
        n = vec(t[1], -t[0], 0.0)
        distance = n[0] * (c[0] - p[0]) + n[1] * (c[1] - p[1]) + _missing(curve, y[0])
        n_W = X_WA.R @ n
        together = None if isinstance(ball, Point) else (k + 1 / radius,) * 2
        return [Touch(distance - radius, n_W, X_WB.p - distance * n_W, X_WB.p - radius * n_W, together)]

    return PairGeometry(curve, ball, 1, touches, Unknowns(("s",), residual, start, _nearest(curve, _near_centre)))


def curve_on_line(line: Line | Plane, curve: Curve) -> PairGeometry:
    """An outline over a straight line, or over a plane across its own: one contact point."""

    def normal(X_WA: Transform, X_WB: Transform) -> Array:
        return X_WB.R.T @ (X_WA.R @ line.n)

    def residual(X_WA: Transform, X_WB: Transform, y: VectorLike) -> Array:
        n, (_, t, _) = normal(X_WA, X_WB), along(curve, y[0])
        return stack(n[0] * t[0] + n[1] * t[1])

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        n, s = normal(X_WA, X_WB), _samples(curve)
        p, _, _ = along(curve, s)
        return _solved(lambda y: residual(X_WA, X_WB, y), [s[int(np.argmin(n[0] * p[0] + n[1] * p[1]))]], curve)

    def touches(X_WA: Transform, X_WB: Transform, y: VectorLike) -> list[Touch]:
        p, _, k = along(curve, y[0])
        n = X_WA.R @ line.n
        r = X_WB.p + X_WB.R @ vec(p[0], p[1], 0.0)
        d = r - X_WA.p
        gap = n[0] * d[0] + n[1] * d[1] + n[2] * d[2] + _missing(curve, y[0])
        return [Touch(gap, n, r - gap * n, r, (k, k))]

    return PairGeometry(line, curve, 1, touches, Unknowns(
        ("s",), residual, start, _nearest(curve, _near_line(np.asarray(line.n, dtype=float)))))


def curves(one: Curve, other: Curve) -> PairGeometry:
    """Two outlines in one plane: cam and follower, two flanks of gear teeth; one contact point."""

    def both(X_WA: Transform, X_WB: Transform, y: VectorLike) -> tuple:
        """Points, tangents and curvatures of both, in the plane of a."""
        R_AB, d = X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p)
        p_a, t_a, k_a = along(one, y[0])
        p, t, k_b = along(other, y[1])
        p_b = [d[i] + R_AB[i, 0] * p[0] + R_AB[i, 1] * p[1] for i in range(2)]
        t_b = [R_AB[i, 0] * t[0] + R_AB[i, 1] * t[1] for i in range(2)]
        return p_a, t_a, k_a, p_b, t_b, k_b

    def residual(X_WA: Transform, X_WB: Transform, y: VectorLike) -> Array:
        p_a, t_a, _, p_b, t_b, _ = both(X_WA, X_WB, y)
        return stack(t_a[0] * (p_b[0] - p_a[0]) + t_a[1] * (p_b[1] - p_a[1]), t_a[0] * t_b[1] - t_a[1] * t_b[0])

    search = _facing(one, other)

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        guess, near = search(X_WA.inverse() @ X_WB, least_of_numbers)
        y = _solved(lambda y: residual(X_WA, X_WB, y), guess, one, other) if near else guess
        return y if np.all(np.isfinite(y)) else guess

    def touches(X_WA: Transform, X_WB: Transform, y: VectorLike) -> list[Touch]:
        p_a, t_a, k_a, p_b, _, k_b = both(X_WA, X_WB, y)
        n = vec(t_a[1], -t_a[0], 0.0)
        gap = (n[0] * (p_b[0] - p_a[0]) + n[1] * (p_b[1] - p_a[1])
               + _missing(one, y[0]) + _missing(other, y[1]))
        n_W = X_WA.R @ n
        # in the middle between the two planes: shapes that are endless along z touch all along
        point = X_WA.p + X_WA.R @ vec(p_a[0], p_a[1], 0.0)
        return [Touch(gap, n_W, point, point + gap * n_W, (k_a + k_b,) * 2)]

    return PairGeometry(one, other, 1, touches, Unknowns(("s_a", "s_b"), residual, start, search))


def along(curve: Curve, s: Scalar | np.ndarray) -> tuple:
    """(point, unit tangent, curvature) at s, the curvature positive where the body is convex."""
    x, y, dx, dy, ddx, ddy = _derivatives(curve)(s) if is_symbolic(s) else _numbers(_derivatives(curve)(s))
    length = root(dx * dx + dy * dy) if is_symbolic(s) else np.sqrt(dx * dx + dy * dy)
    return (x, y), (dx / length, dy / length), (dx * ddy - dy * ddx) / (length * length * length)


@lru_cache(maxsize=256)
def _derivatives(curve: Curve) -> ca.Function:
    """The curve and its first two derivatives over s.

    Where they hold comparisons (of `where`, `fmax`), they stay a function of their own: a shape is what it is, and
    nothing happens at an instant where its formula changes.
    """
    s = ca.SX.sym("s")
    x, y = (ca.SX(value) for value in curve.function(s))
    dx, dy = ca.jacobian(x, s), ca.jacobian(y, s)
    outputs = [x, y, dx, dy, ca.jacobian(dx, s), ca.jacobian(dy, s)]
    found = ca.Function("curve", [s], [ca.densify(out) for out in outputs])
    choices = any(found.instruction_id(k) in CHOICES for k in range(found.n_instructions()))
    return ca.Function("curve", found.sx_in(), found.call(found.sx_in()), {"never_inline": True}) if choices else found


def _numbers(outputs: Sequence[ca.DM]) -> list:
    return [float(out) if out.numel() == 1 else np.array(out).ravel() for out in outputs]


def _nearest(curve: Curve, score: Callable) -> Search:
    """The place of a curve with the least score(pose of b in a, point) among samples."""
    X, row = ca.SX.sym("X", 12), ca.SX.sym("row", 3)
    kernel = ca.Function("nearest", [X, row, ca.SX.sym("none")], [ca.vertcat(score(_pose(X), row[1:]), row[0])])
    table = _table(curve, CURVE_SAMPLES)[:, :3]

    def search(X_AB: Transform, least: Least) -> tuple:
        return least(kernel, stack(*_numbers_of(X_AB)), table, np.zeros((1, 1)))[1:2], 1.0

    return search


def _near_centre(X_AB: Transform, p: ca.SX) -> ca.SX:
    """The square of the way from a point of a to the origin of b, in the plane."""
    return (X_AB.p[0] - p[0]) ** 2 + (X_AB.p[1] - p[1]) ** 2


def _near_line(n: np.ndarray) -> Callable:
    """The height of a point of b over the line a with normal n."""

    def height(X_AB: Transform, p: ca.SX) -> ca.SX:
        along_x, along_y = (X_AB.R[:, k].T @ n for k in range(2))
        return along_x * p[0] + along_y * p[1]

    return height


def _facing(one: Curve, other: Curve) -> Search:
    """Of the places where two outlines face one another, those with the smallest gap.

        least  |n_a·d| + |t_a·d| + L |t_a × t_b|    over all pairs of samples with t_a·t_b < 0,  d = p_b − p_a

    L the size of a: what does not fit counts as if it were so far away.  Open outlines need not face one another
    anywhere, so that first it is seen how well any two samples do.
    """
    X, a, b, best = ca.SX.sym("X", 12), ca.SX.sym("a", 5), ca.SX.sym("b", 5), ca.SX.sym("best")
    tables = _table(one, CURVE_SAMPLES_PAIRED), _table(other, CURVE_SAMPLES_PAIRED)
    size = float(np.abs(tables[0][:, 1:3] - tables[0][0, 1:3]).max())
    pose, t = _pose(X), a[3:]
    d = (pose.p + pose.R @ vec(b[1], b[2], 0.0))[:2] - a[1:3]
    t_b = (pose.R @ vec(b[3], b[4], 0.0))[:2]
    misfit = ca.fabs(ca.dot(t, d)) / size + ca.fabs(t[0] * t_b[1] - t[1] * t_b[0])
    misfit = ca.if_else(ca.dot(t, t_b) < 0, misfit, NOWHERE)
    closed = one.closed and other.closed
    allowed, faces = (NOWHERE, ca.SX(1)) if closed else (larger(0.1, 2 * best), ca.if_else(best < FACING, 1.0, 0.0))
    gap = ca.if_else(misfit < allowed, ca.fabs(t[1] * d[0] - t[0] * d[1]) + size * misfit, NOWHERE)
    fit = ca.Function("fit", [X, a, b], [misfit])
    # whether they face one another is decided in here: it is part of the search, and no event
    near = ca.Function("near", [ca.vertcat(X, best), a, b], [ca.vertcat(gap, a[0], b[0], faces)])

    def search(X_AB: Transform, least: Least) -> tuple:
        numbers = _numbers_of(X_AB)
        best = 0.0 if closed else least(fit, stack(*numbers), *tables)[0]
        found = least(near, stack(*numbers, best), *tables)
        return found[1:3], found[3]

    return search


def _pose(X: ca.SX) -> Transform:
    """The pose of b in a from 12 numbers: the columns of the rotation, then the position."""
    return Transform(ca.reshape(X[:9], 3, 3), X[9:])


def _numbers_of(X_AB: Transform) -> list:
    return [X_AB.R[:, k] for k in range(3)] + [X_AB.p]


def _table(curve: Curve, count: int) -> np.ndarray:
    """Samples of a curve: s, point, unit tangent."""
    s = np.linspace(curve.start, curve.stop, count + 1)
    p, t, _ = along(curve, s)
    return np.column_stack([s, *p, *t])


def _samples(curve: Curve) -> np.ndarray:
    return np.linspace(curve.start, curve.stop, CURVE_SAMPLES + 1)


def _missing(curve: Curve, s: Scalar) -> Scalar:
    """How far s lies beyond the ends of an open curve, in metres along its tangent."""
    if curve.closed:
        return 0.0
    _, _, dx, dy, _, _ = (_derivatives(curve)(s) if is_symbolic(s) else _numbers(_derivatives(curve)(s)))
    return larger(larger(curve.start - s, s - curve.stop), 0.0) * root(dx * dx + dy * dy)


def _solved(residual: Callable[[np.ndarray], np.ndarray], y: Sequence[float], *on: Curve) -> np.ndarray:
    """Newton's method from a place close by, with differences for slopes and short steps."""
    y = np.array(y, dtype=float)
    span = np.array([curve.stop - curve.start for curve in on])
    for _ in range(CURVE_STEPS):
        r = residual(y)
        J = np.column_stack([(residual(y + h) - residual(y - h)) / (2 * h.sum())
                             for h in CURVE_DIFFERENCE * span * np.eye(len(y))])
        step = np.linalg.lstsq(J, -r, rcond=None)[0]
        step *= min(1.0, CURVE_LONGEST / max(np.abs(step / span).max(), TINY))
        y = y + step
        if np.abs(step / span).max() < CURVE_FOUND:
            break
    return y
