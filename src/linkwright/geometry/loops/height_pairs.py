"""Bodies on a height field: points, balls, the corners of boxes and convex bodies, and the rims of wheels.

The ground is z(x, y), a spline of degree five both ways; beyond its grid it goes on straight.  The nearest point to a
given one is found by Newton's method on the square of the distance; of a rim, the angle where the ground is nearest by
regula falsi (with Illinois' correction) on

    n(φ) · dc/dφ = 0

with the rim's point c(φ) and the normal n of the ground nearest to it.  Angles are counted on the rim itself.
"""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...algebra import Scalar, Transform
from ...codegen.dialect import compiled, real, reals, sin_cos, sqrt, whole
from ..shapes import Box, Capsule, Convex, Cylinder, Disc, HeightField, Point, Shape, Sphere, Torus
from ..tolerances import (
    FOOT_FOUND,
    FOOT_HALVINGS,
    FOOT_ROUNDING,
    FOOT_STEPS,
    HOLLOW,
    ON_GROUND,
    RIM_FOUND,
    RIM_LEVEL,
    RIM_PLACES,
    RIM_STEPS,
)
from ..touch import PairGeometry, Routine
from .contact_points import loop_pair, write
from .vectors import carried, cross3, dot3, relative, row3, times, turned, twelve

BODIES = (Point, Sphere, Capsule, Box, Convex, Cylinder, Disc, Torus)
#: numbers of a probe: centre, axis, radius of the rim (0: a point), radius of the ball or tube
PROBE = 8
#: coefficients of a cell: powers up to the fifth both ways
TERMS = 6
CELL = TERMS * TERMS


def height_pair(ground: HeightField, body: Shape) -> PairGeometry:
    """A body on a height field: one contact point for each ball, corner or rim."""
    from ..grounds import surface_of

    probes, surface = np.array(height_probes(body)), surface_of(ground)
    x, y, few = surface.x.breaks[1:-1], surface.y.breaks[1:-1], surface.cells()
    cells = np.zeros((len(x) - 1, len(y) - 1, TERMS, TERMS))
    cells[:, :, :few.shape[2], :few.shape[3]] = few
    numbers = np.concatenate([x, y, cells.ravel(), probes.ravel()])
    indices = np.array([len(x), len(y), len(probes)], dtype=np.int64)
    return loop_pair(ground, body, len(probes), Routine(on_ground, numbers, indices))


def feet_of(X_AB: Transform, numbers: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Of every probe of a body b on the ground a: the foot (x, y), and the angle of a rim (n, 3)."""
    out = np.zeros((int(indices[2]), 3))
    ground_feet(twelve(X_AB), numbers, indices, out)
    return out


def height_probes(body: Shape) -> list[list[Scalar]]:
    """What of a body can touch the ground: balls, corners and rims, each as PROBE numbers."""

    def point(p: Sequence[float], radius: Scalar = 0.0) -> list[Scalar]:
        return [*p, 0.0, 0.0, 1.0, 0.0, radius]

    match body:
        case Point():
            return [point((0, 0, 0))]
        case Sphere():
            return [point((0, 0, 0), body.radius)]
        case Capsule():
            return [point(end * body.length / 2 * body.n, body.radius) for end in (-1, 1)]
        case Box():
            return [point(corner) for corner in body.corners()]
        case Convex():
            return [point(corner, body.radius) for corner in body.vertices]
        case Cylinder():
            return [[*(end * body.length / 2 * body.n), *body.n, body.radius, 0.0] for end in (-1, 1)]
        case Disc():
            return [[0, 0, 0, *body.n, body.radius, 0.0]]
    return [[0, 0, 0, *body.n, body.R, body.r]]


def _cell(numbers: np.ndarray, first: int, count: int, x: float) -> int:
    """The cell of a grid that holds x."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x >= numbers[first + middle]:
            low = middle
        else:
            high = middle
    return low


def _ground(numbers: np.ndarray, indices: np.ndarray, x: float, y: float, z: np.ndarray) -> None:
    """Height, slopes and second derivatives at a place: z[0 … 5] = z, z_x, z_y, z_xx, z_xy, z_yy."""
    n, m = indices[0], indices[1]
    i, j = _cell(numbers, 0, n, x), _cell(numbers, n, m, y)
    at = n + m + CELL * (i * (m - 1) + j)
    u, v = x - numbers[i], y - numbers[n + j]
    in_x, in_y = numbers[0] <= x <= numbers[n - 1], numbers[n] <= y <= numbers[n + m - 1]
    if in_x and in_y:
        _polynomial(numbers[at:at + CELL], u, v, z)
        return
    # beyond the grid: the tangent at its edge
    cell = reals(36)
    cell[:] = numbers[at : at + CELL]
    if not in_x:
        for b in range(TERMS):
            _straighten(cell, b, TERMS, min(max(x, numbers[0]), numbers[n - 1]) - numbers[i])
    if not in_y:
        for a in range(TERMS):
            _straighten(cell, TERMS * a, 1, min(max(y, numbers[n]), numbers[n + m - 1]) - numbers[n + j])
    _polynomial(cell, u, v, z)


def _straighten(c: np.ndarray, first: int, stride: int, u: float) -> None:
    """The polynomial with coefficients c[first + k stride], k = 0 … 5, becomes its tangent at u."""
    value, slope = 0.0, 0.0
    for k in range(TERMS - 1, -1, -1):
        slope = slope * u + value
        value = value * u + c[first + k * stride]
        c[first + k * stride] = 0.0
    c[first], c[first + stride] = value - u * slope, slope


def _polynomial(c: np.ndarray, u: float, v: float, z: np.ndarray) -> None:
    """Σ c[6a + b] uᵃ vᵇ and its derivatives up to the second."""
    z[:] = 0.0
    for a in range(TERMS - 1, -1, -1):
        # Horner's scheme for the value and its derivatives, along v in every power of u, then along u
        p, q, r = 0.0, 0.0, 0.0
        for b in range(TERMS - 1, -1, -1):
            r = r * v + 2 * q
            q = q * v + p
            p = p * v + c[TERMS * a + b]
        z[3] = z[3] * u + 2 * z[1]
        z[1] = z[1] * u + z[0]
        z[0] = z[0] * u + p
        z[4] = z[4] * u + z[2]
        z[2] = z[2] * u + q
        z[5] = z[5] * u + r


def nearest_foot(numbers: np.ndarray, indices: np.ndarray, p: np.ndarray, foot: np.ndarray,
                 normal: np.ndarray) -> float:
    """Signed distance of a point from the ground, the foot and the upward normal there."""
    z = reals(6)
    x, y = p[0], p[1]
    _ground(numbers, indices, x, y, z)
    above = p[2] >= z[0]
    error = (p[2] - z[0]) ** 2
    for _ in range(FOOT_STEPS):
        dx, dy, dz = x - p[0], y - p[1], z[0] - p[2]
        gx, gy = dx + dz * z[1], dy + dz * z[2]
        xx, xy, yy = 1 + z[1] ** 2 + dz * z[3], z[1] * z[2] + dz * z[4], 1 + z[2] ** 2 + dz * z[5]
        det = xx * yy - xy * xy
        if det <= HOLLOW * (1 + z[1] ** 2 + z[2] ** 2) or xx <= 0:  # hollow: without the bend of the ground
            xx, xy, yy = 1 + z[1] ** 2, z[1] * z[2], 1 + z[2] ** 2
            det = xx * yy - xy * xy
        sx, sy = -(yy * gx - xy * gy) / det, -(xx * gy - xy * gx) / det
        scale = 1.0
        for _ in range(FOOT_HALVINGS):
            _ground(numbers, indices, x + scale * sx, y + scale * sy, z)
            following = (x + scale * sx - p[0]) ** 2 + (y + scale * sy - p[1]) ** 2 + (z[0] - p[2]) ** 2
            if following <= error * (1 + FOOT_ROUNDING):
                break
            scale /= 2
        x, y, error = x + scale * sx, y + scale * sy, following
        if abs(sx) + abs(sy) <= FOOT_FOUND * (1 + abs(x) + abs(y)):
            break
    length = sqrt(1 + z[1] ** 2 + z[2] ** 2)
    foot[0], foot[1], foot[2] = x, y, z[0]
    distance = sqrt(error)
    if distance > ON_GROUND * (1 + abs(p[2])):
        for i in range(3):
            normal[i] = (p[i] - foot[i]) / distance * (1.0 if above else -1.0)
    else:
        normal[0], normal[1], normal[2] = -z[1] / length, -z[2] / length, 1 / length
    return distance if above else -distance


def _rim_slope(numbers: np.ndarray, indices: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray, angle: float,
               p: np.ndarray, foot: np.ndarray, n: np.ndarray) -> float:
    """The derivative of the distance along a rim c + e cos φ + f sin φ; its point goes to p."""
    s, t = sin_cos(angle)
    slope = 0.0
    on_rim(c, e, f, angle, p)
    nearest_foot(numbers, indices, p, foot, n)
    for i in range(3):
        slope += n[i] * (-s * e[i] + t * f[i])
    return slope


def probe_at(X: np.ndarray, probe: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray) -> None:
    """A probe at a pose of its body in the ground: its centre, and two radii of its rim across each other."""
    c[:] = carried(X, probe)
    axis = row3(probe, 3)
    first = cross3(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0))
    first = times(probe[6] / sqrt(dot3(first, first)), first)
    e[:] = turned(X, first)
    f[:] = turned(X, cross3(axis, first))


def nearest_angle(numbers: np.ndarray, indices: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray) -> float:
    """The angle of the point of a rim c + e cos φ + f sin φ that is nearest to the ground."""
    p, foot, n, z = reals(3), reals(3), reals(3), reals(6)
    best, at = np.inf, 0.0
    for step in range(RIM_PLACES):
        angle = 2 * np.pi * step / RIM_PLACES
        on_rim(c, e, f, angle, p)
        _ground(numbers, indices, p[0], p[1], z)
        clearance = (p[2] - z[0]) / sqrt(1 + z[1] ** 2 + z[2] ** 2)
        if clearance < best:
            best, at = clearance, angle
    low, high = at - 2 * np.pi / RIM_PLACES, at + 2 * np.pi / RIM_PLACES
    below = _rim_slope(numbers, indices, c, e, f, low, p, foot, n)
    above = _rim_slope(numbers, indices, c, e, f, high, p, foot, n)
    if not (below < 0 < above):  # a rim that lies on its side, or a ground with more than one hollow under it
        return at
    size, last, middle = sqrt(dot3(e, e)), 0, at
    for count in range(RIM_STEPS):
        middle = (low * above - high * below) / (above - below) if count % 8 > 0 else (low + high) / 2
        slope = _rim_slope(numbers, indices, c, e, f, middle, p, foot, n)
        if slope > 0:
            high, above = middle, slope
            below = below / 2 if last > 0 else below
            last = 1
        else:
            low, below = middle, slope
            above = above / 2 if last < 0 else above
            last = -1
        if abs(slope) <= RIM_LEVEL * size or high - low < RIM_FOUND:
            break
    return middle


def on_rim(c: np.ndarray, e: np.ndarray, f: np.ndarray, angle: float, p: np.ndarray) -> None:
    """p := c + e cos φ + f sin φ."""
    s, t = sin_cos(angle)
    p[:] = c + t * e + s * f


def over_ground(X: np.ndarray, numbers: np.ndarray, indices: np.ndarray, k: int, n: np.ndarray,
                foot: np.ndarray) -> tuple[float, float]:
    """(gap of probe k of a body in the pose X in the ground, angle of its rim); the normal and the foot there."""
    first = indices[0] + indices[1] + CELL * (indices[0] - 1) * (indices[1] - 1)
    probe = numbers[first + PROBE * k:first + PROBE * k + PROBE]
    p, c, e, f = reals(3), reals(3), reals(3), reals(3)
    probe_at(X, probe, c, e, f)
    p[:] = c
    angle = 0.0
    if probe[6] > 0:
        angle = nearest_angle(numbers, indices, c, e, f)
        on_rim(c, e, f, angle, p)
    return nearest_foot(numbers, indices, p, foot, n) - probe[7], angle


@compiled
def on_ground(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    """Points of contact of a body b on the ground a."""
    foot, m, X = reals(3), reals(3), reals(12)
    relative(X_a, X_b, X)
    for k in range(indices[2]):
        gap, _ = over_ground(X, numbers, indices, k, m, foot)
        write(out, k, gap, turned(X_a, m), carried(X_a, foot))


@compiled
def ground_feet(X: real[12], numbers: real[:], indices: whole[:], out: real[:, 3]) -> None:
    """Of every probe, at the pose X of its body in the ground: the foot (x, y), and the angle of a rim."""
    foot, n = reals(3), reals(3)
    for k in range(indices[2]):
        _, out[k, 2] = over_ground(X, numbers, indices, k, n, foot)
        out[k, 0], out[k, 1] = foot[0], foot[1]
