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

from functools import lru_cache

import casadi as ca
import numpy as np

from ..algebra import Transform, is_symbolic, stack
from .selects import larger, root, vec
from .shapes import Circle, Curve, Line, Plane, Point, Sphere
from .touch import PairGeometry, Search, Touch, Unknowns

#: places along a curve that are looked at for a start
SAMPLES, PAIRED = 400, 48


def curve_and_centre(curve: Curve, ball: Point | Circle | Sphere) -> PairGeometry:
    """A point or a ball at an outline: one contact point."""
    radius = 0.0 if isinstance(ball, Point) else ball.radius

    def centre(X_WA: Transform, X_WB: Transform):
        return X_WA.R.T @ (X_WB.p - X_WA.p)

    def residual(X_WA, X_WB, y):
        p, t, _ = along(curve, y[0])
        c = centre(X_WA, X_WB)
        return stack(t[0] * (c[0] - p[0]) + t[1] * (c[1] - p[1]))

    def start(X_WA, X_WB):
        c, s = centre(X_WA, X_WB), _samples(curve)
        p, t, _ = (np.array(x) for x in along(curve, s))
        apart = (c[0] - p[0]) ** 2 + (c[1] - p[1]) ** 2
        return _solved(lambda y: residual(X_WA, X_WB, y), [s[int(np.argmin(apart))]], curve)

    def touches(X_WA, X_WB, y):
        p, t, k = along(curve, y[0])
        c = centre(X_WA, X_WB)
        n = vec(t[1], -t[0], 0.0)
        distance = n[0] * (c[0] - p[0]) + n[1] * (c[1] - p[1]) + _missing(curve, y[0])
        n_W = X_WA.R @ n
        together = None if isinstance(ball, Point) else (k + 1 / radius,) * 2
        return [Touch(distance - radius, n_W, X_WB.p - distance * n_W, X_WB.p - radius * n_W, together)]

    return PairGeometry(curve, ball, 1, touches, Unknowns(("s",), residual, start, _search("near_centre", curve)))


def curve_on_line(line: Line | Plane, curve: Curve) -> PairGeometry:
    """An outline over a straight line, or over a plane across its own: one contact point."""

    def normal(X_WA: Transform, X_WB: Transform):
        return X_WB.R.T @ (X_WA.R @ line.n)

    def residual(X_WA, X_WB, y):
        n, (_, t, _) = normal(X_WA, X_WB), along(curve, y[0])
        return stack(n[0] * t[0] + n[1] * t[1])

    def start(X_WA, X_WB):
        n, s = normal(X_WA, X_WB), _samples(curve)
        p, _, _ = along(curve, s)
        return _solved(lambda y: residual(X_WA, X_WB, y), [s[int(np.argmin(n[0] * p[0] + n[1] * p[1]))]], curve)

    def touches(X_WA, X_WB, y):
        p, _, k = along(curve, y[0])
        n = X_WA.R @ line.n
        r = X_WB.p + X_WB.R @ vec(p[0], p[1], 0.0)
        d = r - X_WA.p
        gap = n[0] * d[0] + n[1] * d[1] + n[2] * d[2] + _missing(curve, y[0])
        return [Touch(gap, n, r - gap * n, r, (k, k))]

    return PairGeometry(line, curve, 1, touches, Unknowns(
        ("s",), residual, start, _search("near_line", curve, before=np.asarray(line.n, dtype=float))))


def curves(one: Curve, other: Curve) -> PairGeometry:
    """Two outlines in one plane: cam and follower, two flanks of gear teeth; one contact point."""

    def both(X_WA: Transform, X_WB: Transform, y):
        """Points, tangents and curvatures of both, in the plane of a."""
        R_AB, d = X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p)
        p_a, t_a, k_a = along(one, y[0])
        p, t, k_b = along(other, y[1])
        p_b = [d[i] + R_AB[i, 0] * p[0] + R_AB[i, 1] * p[1] for i in range(2)]
        t_b = [R_AB[i, 0] * t[0] + R_AB[i, 1] * t[1] for i in range(2)]
        return p_a, t_a, k_a, p_b, t_b, k_b

    def residual(X_WA, X_WB, y):
        p_a, t_a, _, p_b, t_b, _ = both(X_WA, X_WB, y)
        return stack(t_a[0] * (p_b[0] - p_a[0]) + t_a[1] * (p_b[1] - p_a[1]), t_a[0] * t_b[1] - t_a[1] * t_b[0])

    search = _search("near_curve", one, other)

    def start(X_WA, X_WB):
        if not (one.closed and other.closed):  # they need not face one another anywhere
            *guess, near = search(X_WA.inverse() @ X_WB, 3)
            y = _solved(lambda y: residual(X_WA, X_WB, y), guess, one, other) if near else np.array(guess)
            return y if np.all(np.isfinite(y)) else np.array(guess)
        # of the places where the outlines face one another, those with the smallest gap
        s, u = _samples(one), _samples(other)
        p_a, t_a, _, p_b, t_b, _ = both(X_WA, X_WB, [s, u])
        across = [p_b[i][None, :] - p_a[i][:, None] for i in range(2)]
        aside = t_a[0][:, None] * across[0] + t_a[1][:, None] * across[1]
        gap = t_a[1][:, None] * across[0] - t_a[0][:, None] * across[1]
        turned = t_a[0][:, None] * t_b[1][None, :] - t_a[1][:, None] * t_b[0][None, :]
        facing = t_a[0][:, None] * t_b[0][None, :] + t_a[1][:, None] * t_b[1][None, :]
        size = np.ptp(np.array(p_a), axis=1).max()
        badness = np.abs(aside) / size + np.abs(turned) + np.where(facing < 0, 0.0, 10.0)
        fit = badness < max(0.1, 2 * float(badness.min()))
        i, j = np.unravel_index(int(np.argmin(np.where(fit, np.abs(gap), np.inf))), gap.shape)
        return _solved(lambda y: residual(X_WA, X_WB, y), [s[i], u[j]], one, other)

    def touches(X_WA, X_WB, y):
        p_a, t_a, k_a, p_b, _, k_b = both(X_WA, X_WB, y)
        n = vec(t_a[1], -t_a[0], 0.0)
        gap = (n[0] * (p_b[0] - p_a[0]) + n[1] * (p_b[1] - p_a[1])
               + _missing(one, y[0]) + _missing(other, y[1]))
        n_W = X_WA.R @ n
        # in the middle between the two planes: shapes that are endless along z touch all along
        point = X_WA.p + X_WA.R @ vec(p_a[0], p_a[1], 0.0)
        return [Touch(gap, n_W, point, point + gap * n_W, (k_a + k_b,) * 2)]

    return PairGeometry(one, other, 1, touches, Unknowns(("s_a", "s_b"), residual, start, search))


def along(curve: Curve, s) -> tuple:
    """(point, unit tangent, curvature) at s, the curvature positive where the body is convex."""
    x, y, dx, dy, ddx, ddy = _derivatives(curve)(s) if is_symbolic(s) else _numbers(_derivatives(curve)(s))
    length = root(dx * dx + dy * dy) if is_symbolic(s) else np.sqrt(dx * dx + dy * dy)
    return (x, y), (dx / length, dy / length), (dx * ddy - dy * ddx) / (length * length * length)


@lru_cache(maxsize=256)
def _derivatives(curve: Curve) -> ca.Function:
    """The curve and its first two derivatives over s."""
    s = ca.SX.sym("s")
    x, y = (ca.SX(value) for value in curve.function(s))
    dx, dy = ca.jacobian(x, s), ca.jacobian(y, s)
    outputs = [x, y, dx, dy, ca.jacobian(dx, s), ca.jacobian(dy, s)]
    return ca.Function("curve", [s], [ca.densify(out) for out in outputs])


def _numbers(outputs) -> list:
    return [float(out) if out.numel() == 1 else np.array(out).ravel() for out in outputs]


def _search(entry: str, *curves: Curve, before=()) -> Search:
    """The routine that finds places among samples; of two curves fewer, because all pairs of them are compared."""
    count = SAMPLES if len(curves) == 1 else PAIRED
    parts = [np.asarray(before, dtype=float)]
    for curve in curves:
        s = np.linspace(curve.start, curve.stop, count + 1)
        p, t, _ = along(curve, s)
        parts.append(np.column_stack([s, *p, *t]).ravel())
    return Search(f"{__package__}.loops.curve_search:{entry}", np.concatenate(parts),
                  np.array([*[count + 1] * len(curves), all(c.closed for c in curves)], dtype=np.int64))


def _samples(curve: Curve) -> np.ndarray:
    return np.linspace(curve.start, curve.stop, SAMPLES + 1)


def _missing(curve: Curve, s):
    """How far s lies beyond the ends of an open curve, in metres along its tangent."""
    if curve.closed:
        return 0.0
    _, _, dx, dy, _, _ = (_derivatives(curve)(s) if is_symbolic(s) else _numbers(_derivatives(curve)(s)))
    return larger(larger(curve.start - s, s - curve.stop), 0.0) * root(dx * dx + dy * dy)


def _solved(residual, y, *on: Curve) -> np.ndarray:
    """Newton's method from a place close by, with differences for slopes and short steps."""
    y = np.array(y, dtype=float)
    span = np.array([curve.stop - curve.start for curve in on])
    for _ in range(50):
        r = residual(y)
        J = np.column_stack([(residual(y + h) - residual(y - h)) / (2 * h.sum())
                             for h in 1e-6 * span * np.eye(len(y))])
        step = np.linalg.lstsq(J, -r, rcond=None)[0]
        step *= min(1.0, 0.05 / max(np.abs(step / span).max(), 1e-300))
        y = y + step
        if np.abs(step / span).max() < 1e-15:
            break
    return y
