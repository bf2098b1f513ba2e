"""Ellipsoids by their support function h(n) = |A n|, A = diag(a, b, c).

The point where the outward unit normal is n is ∇h = A²n/h; the radii of curvature there are those eigenvalues of

    ∇∇h = A²/h − A²n nᵀA²/h³

that do not belong to n itself, where it is zero.
"""

from __future__ import annotations

from ..algebra import Array, dot, rows
from .selects import larger, root, vec
from .shapes import Ellipsoid
from .tolerances import TINY


def ellipsoid_support(shape: Ellipsoid, n: Array) -> Array:
    """The point of an ellipsoid farthest along the direction n, which need not be of unit length."""
    squares = vec(*[radius * radius for radius in shape.radii])
    along = squares * n
    return along / root(dot(along, n))


def ellipsoid_bend(shape: Ellipsoid, n: Array) -> Array:
    """∇∇h: how the point moves as its unit normal n turns; its inverse across n is the curvature."""
    squares = [radius * radius for radius in shape.radii]
    along = [squares[i] * n[i] for i in range(3)]
    h = root(dot(vec(*along), n))
    return rows(*[[(squares[i] if i == j else 0.0) / h - along[i] * along[j] / (h * h * h) for j in range(3)]
                  for i in range(3)])


def ellipsoid_curvatures(shape: Ellipsoid, n: Array) -> tuple:
    """The principal curvatures where the unit normal is n, the larger first."""
    H = ellipsoid_bend(shape, n)
    total = H[0, 0] + H[1, 1] + H[2, 2]
    minors = sum(H[i, i] * H[j, j] - H[i, j] * H[i, j] for i, j in ((0, 1), (1, 2), (2, 0)))
    mean = total / (2 * minors)
    spread = root(larger(mean * mean - 1 / minors, TINY))
    return mean + spread, mean - spread
