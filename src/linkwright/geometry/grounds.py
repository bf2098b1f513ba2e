"""Bodies on a height field by the foot under each of their points: formulas with unknowns, for every law.

Under a ball, corner or rim at c, in the axes of the ground F = (x, y, z(x, y)), unknown are the place (x, y) of the
foot and, of a rim, the angle φ of its nearest point:

    (c − F)·∂F/∂x = 0,     (c − F)·∂F/∂y = 0,     N·dc/dφ = 0,       N = (−z_x, −z_y, 1)

The ground is a spline of degree five both ways, evaluated inside the program: four of its derivatives are continuous,
so that a wheel passes from one cell of the grid into the next without an event, and no stepper sees a jump.  Beyond
its grid the ground goes on straight, as it ends.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..algebra import Array, Transform, stack
from ..codegen import Surface
from .ground_search import Probe, ground_search, heights, lies_flat, on_rim
from .selects import root, vec
from .shapes import HeightField, Shape, Sphere
from .tolerances import FEW_PROBES
from .touch import Least, PairGeometry, Touch, Unknowns


@lru_cache(maxsize=64)
def surface_of(ground: HeightField) -> Surface:
    """The surface through the heights of a ground."""
    return Surface(ground.x, ground.y, ground.z)


def on_height_field(ground: HeightField, body: Shape) -> PairGeometry:
    """A body on a height field, one contact point for each ball, corner or rim."""
    from .loops.height_pairs import feet_of, height_pair, height_probes

    pair, probes = height_pair(ground, body), height_probes(body)
    if len(probes) > FEW_PROBES:
        return pair
    surface, routine = surface_of(ground), pair.routine
    look = ground_search(surface)
    assert routine is not None
    # those of a ball alone: were they to change with the place, the energy of a law would too
    curvatures = (1 / float(body.radius),) * 2 if isinstance(body, Sphere) else None
    names = tuple(f"{name}{k}" for k, probe in enumerate(probes) for name in ("x", "y", "angle")[:_count(probe)])

    def feet(X_WA: Transform, X_WB: Transform, y: Array) -> list[Foot]:
        X_AB, at = Transform(X_WA.R.T @ X_WB.R, X_WA.R.T @ (X_WB.p - X_WA.p)), 0
        found = []
        for probe in probes:
            found.append(Foot(surface, Probe(probe, X_AB), y[at:at + _count(probe)]))
            at += _count(probe)
        return found

    def residual(X_WA: Transform, X_WB: Transform, y: Array) -> Array:
        return stack(*[row for foot in feet(X_WA, X_WB, y) for row in foot.rows()])

    def start(X_WA: Transform, X_WB: Transform) -> np.ndarray:
        found = feet_of(X_WA.inverse() @ X_WB, routine.numbers, routine.indices)
        return np.concatenate([row[:_count(probe)] for row, probe in zip(found, probes, strict=True)])

    def touches(X_WA: Transform, X_WB: Transform, y: Array | None = None) -> list[Touch]:
        if y is None:
            return pair.touches(X_WA, X_WB)
        return [replace(foot.touch(X_WA), curvatures=curvatures) for foot in feet(X_WA, X_WB, y)]

    def search(X_AB: Transform, least: Least) -> tuple:
        return stack(*[look(Probe(probe, X_AB), least) for probe in probes]), 1.0

    return replace(pair, touches=touches, unknowns=Unknowns(names, residual, start, search))


def _count(probe: list[float]) -> int:
    """Unknowns of a probe."""
    return 3 if probe[6] > 0 else 2


class Foot:
    """The ground under one probe: its point, how that moves along a rim, the foot, and the slopes there."""

    def __init__(self, surface: Surface, probe: Probe, y: Array) -> None:
        self.radius, self.rim, self.point = probe.radius, probe.rim, probe.centre
        if probe.rim > 0:
            e, f = probe.radii
            self.point, self.along = on_rim(probe.centre, e, f, y[2])
            self.out, self.angle = self.point - probe.centre, y[2]
        z, *self.slopes = heights(surface, y[0:2], 1)
        self.place = vec(y[0], y[1], z)

    def rows(self) -> list:
        """What vanishes at the foot."""
        D, (z_x, z_y) = self.point - self.place, self.slopes
        rows = [D[0] + D[2] * z_x, D[1] + D[2] * z_y]
        if self.rim > 0:
            turned = (self.along[2] - z_x * self.along[0] - z_y * self.along[1]) / self.rim
            # where the rim lies on its side its angle is anything: what it is
            flat, angle = lies_flat(self.slopes, self.out, self.angle)
            rows.append((1 - flat) * turned + flat * (self.angle - angle))
        return rows

    def touch(self, X_WA: Transform) -> Touch:
        """The point of contact."""
        z_x, z_y = self.slopes
        size = root(1 + z_x * z_x + z_y * z_y)
        n, D = vec(-z_x / size, -z_y / size, 1 / size), self.point - self.place
        gap = n[0] * D[0] + n[1] * D[1] + n[2] * D[2] - self.radius
        n_W, p_W = X_WA.R @ n, X_WA.p + X_WA.R @ self.place
        return Touch(gap, n_W, p_W, p_W + gap * n_W)
