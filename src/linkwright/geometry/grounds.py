"""Bodies on a height field by the foot under each of their points: formulas with unknowns, for rigid contact.

Under a ball, corner or rim at c, in the axes of the ground F = (x, y, z(x, y)), unknown are the place (x, y) of the
foot and, of a rim, the angle φ of its nearest point:

    (c − F)·∂F/∂x = 0,     (c − F)·∂F/∂y = 0,     N·dc/dφ = 0,       N = (−z_x, −z_y, 1)

The ground is a cubic spline both ways, so that curvatures are continuous and no event is needed where a wheel passes
from one cell of the grid into the next: the polynomial of the cell under the foot comes with the search for it, and
counts as a constant.  Beyond its grid the ground goes on straight, as it ends.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from ..algebra import Array, Transform, is_symbolic, stack
from .selects import root, vec
from .shapes import HeightField, Shape
from .tolerances import FEW_PROBES
from .touch import PairGeometry, Places, Touch, Unknowns

CELL = 18  # numbers of a polynomial: its origin, 16 coefficients


def on_height_field(ground: HeightField, body: Shape) -> PairGeometry:
    """A body on a height field, one contact point for each ball, corner or rim."""
    from .loops.height_pairs import height_pair, height_probes

    pair, probes = height_pair(ground, body), height_probes(body)
    if len(probes) > FEW_PROBES:
        return pair
    names = tuple(f"{name}{k}" for k, probe in enumerate(probes) for name in ("x", "y", "angle")[:_count(probe)])
    routine = pair.routine
    assert routine is not None
    places = Places(f"{__package__}.loops.ground_rows:ground_places", routine.numbers, routine.indices,
                    held=sum(CELL + 2 * (_count(probe) - 2) for probe in probes))

    def feet(X_WA: Transform, X_WB: Transform, y: Array) -> list[Foot]:
        R, d = X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p)
        found, at, held = [], 0, len(names)
        for probe in probes:
            count, more = _count(probe), 2 * (_count(probe) - 2)
            found.append(Foot(probe, R, d, y[at:at + count], y[held:held + CELL + more]))
            at, held = at + count, held + CELL + more
        return found

    def residual(X_WA: Transform, X_WB: Transform, y: Array) -> Array:
        return stack(*[row for foot in feet(X_WA, X_WB, y) for row in foot.rows()])

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        return places(X_WA.inverse() @ X_WB, len(names))

    def touches(X_WA: Transform, X_WB: Transform, y: Array | None = None) -> list[Touch]:
        if y is None:
            return pair.touches(X_WA, X_WB)
        return [foot.touch(X_WA) for foot in feet(X_WA, X_WB, y)]

    return replace(pair, touches=touches, unknowns=Unknowns(names, residual, start, None, places))


def _count(probe: list[float]) -> int:
    """Unknowns of a probe."""
    return 3 if probe[6] > 0 else 2


class Foot:
    """The ground under one probe: `centre`, its derivative along a rim, the foot, and the slopes there."""

    def __init__(self, probe: list[float], R: Array, d: Array, y: Array, cell: Array) -> None:
        self.radius, self.rim = probe[7], probe[6]
        self.centre = d + R @ np.array(probe[:3])
        if _count(probe) == 3:
            first, second = _across(np.array(probe[3:6]), self.rim)
            s, c = (ca.sin(y[2]), ca.cos(y[2])) if is_symbolic(y) else (np.sin(y[2]), np.cos(y[2]))
            e, f = R @ first, R @ second
            self.centre, self.along = self.centre + c * e + s * f, c * f - s * e
            # where the rim lies on its side its angle is anything: that of the search
            self.flat, self.off = cell[CELL], y[2] - cell[CELL + 1]
        u, v = y[0] - cell[0], y[1] - cell[1]
        # Horner's scheme along y in every power of x, then along x
        rows = [[cell[2 + 4 * a + b] for b in range(4)] for a in range(4)]
        p = [c[0] + v * (c[1] + v * (c[2] + v * c[3])) for c in rows]
        q = [c[1] + v * (2 * c[2] + 3 * v * c[3]) for c in rows]
        self.place = vec(y[0], y[1], p[0] + u * (p[1] + u * (p[2] + u * p[3])))
        self.slopes = p[1] + u * (2 * p[2] + 3 * u * p[3]), q[0] + u * (q[1] + u * (q[2] + u * q[3]))

    def rows(self) -> list:
        """What vanishes at the foot."""
        D, (z_x, z_y) = self.centre - self.place, self.slopes
        rows = [D[0] + D[2] * z_x, D[1] + D[2] * z_y]
        if self.rim > 0:
            turned = (self.along[2] - z_x * self.along[0] - z_y * self.along[1]) / self.rim
            rows.append((1 - self.flat) * turned + self.flat * self.off)
        return rows

    def touch(self, X_WA: Transform) -> Touch:
        """The point of contact."""
        z_x, z_y = self.slopes
        size = root(1 + z_x * z_x + z_y * z_y)
        n, D = vec(-z_x / size, -z_y / size, 1 / size), self.centre - self.place
        gap = n[0] * D[0] + n[1] * D[1] + n[2] * D[2] - self.radius
        n_W, p_W = X_WA.R @ n, X_WA.p + X_WA.R @ self.place
        return Touch(gap, n_W, p_W, p_W + gap * n_W)


def _across(axis: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Two radii of a rim, as the search counts its angles from them."""
    least = np.eye(3)[0 if abs(axis[0]) < 0.9 else 1]
    first = np.cross(axis, least)
    first = first * (length / np.linalg.norm(first))
    return first, np.cross(axis, first)
