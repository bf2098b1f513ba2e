"""A smooth outline through points: cubic splines x(s), y(s) along the polygon, with continuous curvature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ... import geometry
from ...algebra import Scalar
from ...codegen import piecewise
from ...errors import ModelError
from ..tolerances import SAME_POINT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def outline(points: ArrayLike, closed: bool) -> geometry.Curve:
    """The curve through points (n, 2); a closed one returns to its first point and is turned counter-clockwise."""
    from scipy.interpolate import CubicSpline

    try:
        points = np.array(points, dtype=float)
    except (TypeError, ValueError):
        points = np.zeros(0)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 4 or not np.all(np.isfinite(points)):
        raise ModelError(f"Curve: points must be at least four finite (x, y), got an array of shape {points.shape}.")
    if closed:
        if np.allclose(points[0], points[-1], atol=SAME_POINT):
            points = points[:-1]
        following = np.roll(points, -1, axis=0)
        if np.sum(points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]) < 0:
            points = points[::-1]
        points = np.vstack([points, points[:1]])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not np.all(steps > 0):
        raise ModelError(f"Curve: point {int(np.argmin(steps))} comes twice in a row.")
    s = np.concatenate([[0.0], np.cumsum(steps)])
    spline = CubicSpline(s, points, bc_type="periodic" if closed else "natural")
    length = float(s[-1])
    # SciPy counts powers down, tables count them up; a closed curve is laid out for one turn back and one on
    breaks, pieces = s, spline.c[::-1].transpose(1, 0, 2)
    if closed:
        breaks, pieces = np.concatenate([s[:-1] - length, s]), np.concatenate([pieces, pieces])
    x, y = (piecewise(breaks, pieces[:, :, k]) for k in range(2))

    def function(at: Scalar) -> tuple[Scalar, Scalar]:
        if closed:  # within half a turn of the start, without a comparison that would be an event
            turn = 2 * np.pi / length
            at = ca.atan2(ca.sin(turn * at), ca.cos(turn * at)) / turn
        return x(at), y(at)

    return geometry.Curve(function, 0.0, length, closed)
