"""Distance of any two shapes, in numbers: the nearest points, or how deep they overlap."""

from __future__ import annotations

import numpy as np

from ..algebra import Transform, axis_frame
from ..errors import ModelError
from .pairs import apart
from .shapes import Box, Capsule, Convex, Cylinder, Disc, Ellipsoid, Shape, Sphere, Torus
from .tolerances import RING_BALLS, RING_FOUND
from .touch import Touch

#: shapes whose rows of contact say more than the distance: theirs is asked of GJK
SOLID = (Capsule, Box, Cylinder, Disc, Ellipsoid, Convex)


def distance(a: Shape, X_WA: Transform, b: Shape, X_WB: Transform) -> Touch:
    """The least gap of two shapes (negative where they overlap), its unit normal from a to b, and a point of each.

    >>> distance(Sphere(0.1), Transform(), Box([1, 1, 1]), Transform(None, [0, 0, 1])).gap
    0.4
    """
    if isinstance(a, SOLID) and isinstance(b, SOLID):
        from .loops.convex_pairs import convex_distance

        return convex_distance(a, X_WA, b, X_WB)
    try:
        known = apart(a, b)
    except ModelError:
        if isinstance(a, Torus):
            return _of_ring(a, X_WA, b, X_WB)
        if isinstance(b, Torus):
            return _of_ring(b, X_WB, a, X_WA).exchanged()
        raise
    return min(known.evaluate(X_WA, X_WB), key=lambda touch: touch.gap)


def _of_ring(ring: Torus, X_WA: Transform, b: Shape, X_WB: Transform) -> Touch:
    """A torus as balls along its ring: the nearest of many, then between its neighbours by golden section."""
    from .loops.convex_pairs import convex_distance

    x, y, _ = (X_WA.R @ axis_frame(ring.n)).T
    ball, between = Sphere(ring.r), convex_distance if isinstance(b, SOLID) else distance

    def touch(angle: float) -> Touch:
        centre = X_WA.p + ring.R * (np.cos(angle) * x + np.sin(angle) * y)
        return between(ball, Transform(None, centre), b, X_WB)

    from scipy.optimize import minimize_scalar

    step = 2 * np.pi / RING_BALLS
    gaps = np.array([touch(k * step).gap for k in range(RING_BALLS)])
    # all hollows that could be the deepest
    hollows = [k for k in range(RING_BALLS) if gaps[k] <= gaps[k - 1] and gaps[k] <= gaps[(k + 1) % RING_BALLS]
               and gaps[k] < gaps.min() + ring.R * step]
    found = [minimize_scalar(lambda angle: touch(angle).gap, bounds=((k - 1) * step, (k + 1) * step), method="bounded",
                             options={"xatol": RING_FOUND}).x for k in hollows]
    return min((touch(angle) for angle in found), key=lambda one: one.gap)
