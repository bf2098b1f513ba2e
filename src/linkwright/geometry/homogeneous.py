"""Inertia of homogeneous bodies, in numbers or symbols, the centre of mass at `com` (default: the origin).

Each is given by its spread Σ = ∫ r rᵀ dm / m about the centre of mass, from which I = m (tr Σ 1 − Σ).

>>> homogeneous.box(2.0, [0.1, 0.2, 0.3]).central()
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..algebra import Array, Inertia, Scalar, VectorLike, is_symbolic, outer, rows, unit, vector
from ..errors import ModelError

ORIGIN = (0.0, 0.0, 0.0)


def point_mass(mass: Scalar, com: VectorLike = ORIGIN) -> Inertia:
    """All mass in one point: Σ = 0."""
    return Inertia(mass, com)


def line(mass: Scalar, length: Scalar, n: VectorLike = (0, 0, 1), com: VectorLike = ORIGIN) -> Inertia:
    """A thin straight rod along n: Σ = ℓ²/12 n nᵀ; no inertia about its own axis."""
    return cylinder(mass, 0.0, length, n, com=com)


def sphere(mass: Scalar, radius: Scalar, com: VectorLike = ORIGIN) -> Inertia:
    """A solid ball: Σ = r²/5 1."""
    return ellipsoid(mass, (radius, radius, radius), com)


def ellipsoid(mass: Scalar, radii: VectorLike, com: VectorLike = ORIGIN) -> Inertia:
    """A solid ellipsoid with the half axes `radii` along x, y, z: Σ = diag(a², b², c²)/5."""
    return _from_spread(mass, _diagonal(_lengths(radii, "radii"), 5), com)


def box(mass: Scalar, sides: VectorLike, com: VectorLike = ORIGIN) -> Inertia:
    """A solid brick with the full edge lengths `sides` along x, y, z: Σ = diag(a², b², c²)/12."""
    return _from_spread(mass, _diagonal(_lengths(sides, "sides"), 12), com)


def cylinder(mass: Scalar, radius: Scalar, length: Scalar, n: VectorLike = (0, 0, 1), inner_radius: Scalar = 0.0,
             com: VectorLike = ORIGIN) -> Inertia:
    """A cylinder, solid or hollow, with its axis along n: Σ = (r² + r_i²)/4 (1 − n nᵀ) + ℓ²/12 n nᵀ."""
    r, ri, l = _length(radius, "radius"), _length(inner_radius, "inner_radius"), _length(length, "length")
    if not is_symbolic(r, ri) and ri > r:
        raise ModelError(f"inner_radius = {ri:g} is larger than radius = {r:g}.")
    e = unit(n)
    along = outer(e, e)
    return _from_spread(mass, (np.eye(3) - along) * ((r * r + ri * ri) / 4) + along * (l * l / 12), com)


def _from_spread(mass: Scalar, spread: Array, com: VectorLike) -> Inertia:
    trace = spread[0, 0] + spread[1, 1] + spread[2, 2]
    return Inertia(mass, com, central=(trace * np.eye(3) - spread) * mass)


def _diagonal(lengths: Sequence[Scalar], divisor: Scalar) -> Array:
    a, b, c = (lengths[i] * lengths[i] / divisor for i in range(3))
    return rows((a, 0, 0), (0, b, 0), (0, 0, c))


def _lengths(x: VectorLike, what: str) -> list[Scalar]:
    x = vector(x, 3, what)
    return [_length(x[i], what) for i in range(3)]


def _length(x: Scalar, what: str) -> Scalar:
    if not is_symbolic(x) and not 0 <= x < np.inf:
        raise ModelError(f"{what} = {x} must be a finite length, zero or positive.")
    return x
