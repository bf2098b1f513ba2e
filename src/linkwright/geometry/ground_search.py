"""Where the ground is nearest to a point or a rim, as programs look for it: steps of Newton's method from below, and a
first look all around a rim.

A foot F = (x, y, z(x, y)) under a point c makes |F − c|² least.  From the ground straight below, Newton's steps are
taken as long as the distance falls, else a quarter of them; where the ground is hollow, without its bend:

    H s = −g,    g = ∂F/∂(x, y)·(F − c),    H = ∂g/∂(x, y)

All is one search for Newton's method proper to begin from (`touch.Search`): a constant to all derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from ..algebra import Array, Scalar, Transform, is_symbolic, stack
from ..codegen import Least, Surface
from .selects import vec
from .tolerances import DESCENT_SHORTER, DESCENT_STEPS, FOOT_ROUNDING, HOLLOW, ON_ITS_SIDE, RIM_LOOKS
from .touch import Least as LeastOf

ALONE = np.zeros((1, 1))


class Probe:
    """A ball, corner or rim in the axes of the ground: `centre`, two `radii` of a rim across each other, the length
    `rim` of these, and the `radius` of the ball or tube."""

    def __init__(self, probe: list[float], X_AB: Transform) -> None:
        self.centre, self.rim, self.radius = X_AB.p + X_AB.R @ np.array(probe[:3]), probe[6], probe[7]
        self.radii = [X_AB.R @ radius for radius in across(np.array(probe[3:6]), self.rim)] if self.rim > 0 else []


def across(axis: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Two radii of a rim, from which its angles are counted."""
    least = np.eye(3)[0 if abs(axis[0]) < 0.9 else 1]
    first = np.cross(axis, least)
    first = first * (length / np.linalg.norm(first))
    return first, np.cross(axis, first)


def on_rim(centre: Array, e: Array, f: Array, angle: Scalar) -> tuple[Array, Array]:
    """The point centre + e cos φ + f sin φ of a rim, and its derivative."""
    s, c = (ca.sin(angle), ca.cos(angle)) if is_symbolic(angle) else (np.sin(angle), np.cos(angle))
    return centre + c * e + s * f, c * f - s * e


def heights(surface: Surface, place: Array, order: int) -> list:
    """z at a place and its derivatives up to an order, numbers or symbols."""
    found = surface.casadi(order)(place)
    return [found[k] for k in range(found.numel())] if is_symbolic(found) else np.array(found).ravel().tolist()


def lies_flat(slopes: Sequence[Scalar], out: Array, angle: Scalar) -> tuple[Scalar, Scalar]:
    """Whether a rim lies on its side on a slope, 1 or 0, and the angle: both as constants to all derivatives.

    `out` leads from its centre to the point at the angle.
    """
    if not is_symbolic(angle):
        found = np.array(_LIES_FLAT(stack(*slopes, out, angle), 0, 0)).ravel()
    else:
        found = Least(_LIES_FLAT, ALONE)(stack(*slopes, out, angle))
    return found[1], found[2]


def _flatness() -> ca.Function:
    x = ca.SX.sym("x", 6)
    n, out = vec(-x[0], -x[1], 1.0), x[2:5]
    flat = ca.fabs(ca.dot(n, out)) < ON_ITS_SIDE * ca.norm_2(n) * ca.norm_2(out)
    return ca.Function("flat", [x, ca.SX.sym("row"), ca.SX.sym("none")], [ca.vertcat(0, flat, x[5])])


_LIES_FLAT = _flatness()


def ground_search(surface: Surface) -> Callable[[Probe, LeastOf], Array]:
    """The search for the unknowns of one probe."""
    c = ca.SX.sym("c", 3)
    foot = ca.Function("foot", [c, ca.SX.sym("row"), ca.SX.sym("none")], [ca.vertcat(0, _descent(surface, c))])
    around, angle = _around(surface), 2 * np.pi * np.arange(RIM_LOOKS) / RIM_LOOKS
    rows = np.column_stack([angle, np.cos(angle), np.sin(angle)])

    def look(probe: Probe, least: LeastOf) -> Array:
        if not probe.rim:
            return least(foot, probe.centre, ALONE, ALONE)[1:3]
        lowest = least(around, stack(probe.centre, *probe.radii), rows, ALONE)
        return stack(least(foot, lowest[2:5], ALONE, ALONE)[1:3], lowest[1])

    return look


def _around(surface: Surface) -> ca.Function:
    """A look at one place of a rim: (how far it is above the ground, across the slope there; its angle; itself)."""
    x, row = ca.SX.sym("x", 9), ca.SX.sym("row", 3)
    p = x[:3] + row[1] * x[3:6] + row[2] * x[6:9]
    z, z_x, z_y = heights(surface, p[:2], 1)
    clearance = (p[2] - z) / ca.sqrt(1 + z_x * z_x + z_y * z_y)
    return ca.Function("around", [x, row, ca.SX.sym("none")], [ca.vertcat(clearance, row[0], p)])


def _descent(surface: Surface, c: ca.SX) -> ca.SX:
    """The foot under a point."""

    def distance(place: ca.SX, z: ca.SX) -> ca.SX:
        return ca.sumsqr(place - c[:2]) + (z - c[2]) ** 2

    place, scale = c[:2], ca.SX(1)
    jet = surface(place, 2)
    square = distance(place, jet[0])
    for _ in range(DESCENT_STEPS):
        there = place + scale * _newton_step(place, jet, c)
        following = surface(there, 2)
        closer = distance(there, following[0])
        good = closer <= square * (1 + FOOT_ROUNDING)
        place, jet, square = (ca.if_else(good, new, old)
                              for new, old in ((there, place), (following, jet), (closer, square)))
        scale = ca.if_else(good, 1.0, scale * DESCENT_SHORTER)
    return place


def _newton_step(place: ca.SX, jet: ca.SX, c: ca.SX) -> ca.SX:
    """The step that Newton's method takes from a place; where the ground is hollow, one that leads down."""
    z, z_x, z_y, z_xx, z_xy, z_yy = ca.vertsplit(jet)
    d = z - c[2]
    g = place - c[:2] + d * ca.vertcat(z_x, z_y)
    flat = 1 + z_x * z_x, z_x * z_y, 1 + z_y * z_y
    bent = flat[0] + d * z_xx, flat[1] + d * z_xy, flat[2] + d * z_yy
    hollow = ca.logic_or(bent[0] <= 0, bent[0] * bent[2] - bent[1] ** 2 <= HOLLOW * (1 + z_x * z_x + z_y * z_y))
    xx, xy, yy = (ca.if_else(hollow, a, b) for a, b in zip(flat, bent, strict=True))
    det = xx * yy - xy * xy
    return -ca.vertcat(yy * g[0] - xy * g[1], xx * g[1] - xy * g[0]) / det
