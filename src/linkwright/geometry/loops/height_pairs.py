"""Bodies on a height field: points, balls, the corners of boxes and convex bodies, and the rims of wheels.

The ground is z(x, y), a cubic spline both ways; beyond its grid it goes on straight.  The nearest point to a given one
is found by Newton's method on the square of the distance; of a rim, the angle where the ground is nearest by regula
falsi (with Illinois' correction) on

    n(φ) · dc/dφ = 0

with the rim's point c(φ) and the normal n of the ground nearest to it.  Angles are counted on the rim itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

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
from .jit import called, carried, cross3, dot3, local, part, put3, row3, times, turned

BODIES = (Point, Sphere, Capsule, Box, Convex, Cylinder, Disc, Torus)
#: numbers of a probe: centre, axis, radius of the rim (0: a point), radius of the ball or tube
PROBE = 8


def height_pair(ground: HeightField, body: Shape) -> PairGeometry:
    """A body on a height field: one contact point for each ball, corner or rim."""
    probes = np.array(height_probes(body))
    n, m = len(ground.x), len(ground.y)
    numbers = np.concatenate([ground.x, ground.y, _cells(ground).ravel(), probes.ravel()])
    indices = np.array([n, m, len(probes)], dtype=np.int64)
    return loop_pair(ground, body, len(probes), Routine(on_ground, numbers, indices))


def height_probes(body: Shape) -> list[list[float]]:
    """What of a body can touch the ground: balls, corners and rims, each as PROBE numbers."""

    def point(p: Sequence[float], radius: float = 0.0) -> list[float]:
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


def _cells(ground: HeightField) -> np.ndarray:
    """Coefficients (n − 1, m − 1, 4, 4) of powers of the place within a cell."""
    from scipy.interpolate import RectBivariateSpline

    spline = RectBivariateSpline(ground.x, ground.y, ground.z, kx=3, ky=3, s=0)
    part_of = np.linspace(0, 1, 4)
    u = ground.x[:-1, None] + np.diff(ground.x)[:, None] * part_of
    v = ground.y[:-1, None] + np.diff(ground.y)[:, None] * part_of
    values = spline(np.sort(u.ravel()), np.sort(v.ravel())).reshape(len(u), 4, len(v), 4).transpose(0, 2, 1, 3)
    powers = np.linalg.inv(np.vander(part_of, 4, increasing=True))
    unit = np.einsum("ai,nmij,bj->nmab", powers, values, powers)
    k = np.arange(4)
    return (unit / np.diff(ground.x)[:, None, None, None] ** k[:, None] / np.diff(ground.y)[:, None, None] ** k)


@part
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


@part
def cell_at(numbers: np.ndarray, indices: np.ndarray, x: float, y: float, out: np.ndarray) -> None:
    """The ground about a place as one polynomial: x₀, y₀, then 16 coefficients of (x − x₀)^a (y − y₀)^b."""
    n, m = indices[0], indices[1]
    in_x, in_y = numbers[0] <= x <= numbers[n - 1], numbers[n] <= y <= numbers[n + m - 1]
    x = min(max(x, numbers[0]), numbers[n - 1])
    y = min(max(y, numbers[n]), numbers[n + m - 1])
    i, j = _cell(numbers, 0, n, x), _cell(numbers, n, m, y)
    at = n + m + 16 * (i * (m - 1) + j)
    out[0], out[1] = numbers[i], numbers[n + j]
    for k in range(16):
        out[2 + k] = numbers[at + k]
    # beyond the grid: the tangent at its edge
    if not in_x:
        for b in range(4):
            _straighten(out, 2 + b, 4, x - numbers[i])
    if not in_y:
        for a in range(4):
            _straighten(out, 2 + 4 * a, 1, y - numbers[n + j])


@part
def _straighten(c: np.ndarray, first: int, stride: int, u: float) -> None:
    """The polynomial with coefficients c[first + k stride], k = 0 … 3, becomes its tangent at u."""
    slope = c[first + stride] + u * (2 * c[first + 2 * stride] + 3 * u * c[first + 3 * stride])
    c[first] -= u * u * (c[first + 2 * stride] + 2 * u * c[first + 3 * stride])
    c[first + stride] = slope
    c[first + 2 * stride] = c[first + 3 * stride] = 0.0


@part
def _ground(numbers: np.ndarray, indices: np.ndarray, x: float, y: float, z: np.ndarray) -> None:
    """Height, slopes and second derivatives at a place: z[0 … 5] = z, z_x, z_y, z_xx, z_xy, z_yy."""
    cell = local(18)
    cell_at(numbers, indices, x, y, cell)
    u, v = x - cell[0], y - cell[1]
    for a in range(6):
        z[a] = 0.0
    for a in range(3, -1, -1):
        k = 2 + 4 * a
        c, d, e, f = cell[k], cell[k + 1], cell[k + 2], cell[k + 3]
        p = c + v * (d + v * (e + v * f))
        q = d + v * (2 * e + 3 * v * f)
        r = 2 * e + 6 * v * f
        # Horner's scheme for the value and its derivatives along x
        z[3] = z[3] * u + 2 * z[1]
        z[1] = z[1] * u + z[0]
        z[0] = z[0] * u + p
        z[4] = z[4] * u + z[2]
        z[2] = z[2] * u + q
        z[5] = z[5] * u + r


@part
def nearest_foot(numbers: np.ndarray, indices: np.ndarray, p: np.ndarray, foot: np.ndarray,
                 normal: np.ndarray) -> float:
    """Signed distance of a point from the ground, the foot and the upward normal there."""
    z = local(6)
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
    length = np.sqrt(1 + z[1] ** 2 + z[2] ** 2)
    foot[0], foot[1], foot[2] = x, y, z[0]
    distance = np.sqrt(error)
    if distance > ON_GROUND * (1 + abs(p[2])):
        for i in range(3):
            normal[i] = (p[i] - foot[i]) / distance * (1.0 if above else -1.0)
    else:
        normal[0], normal[1], normal[2] = -z[1] / length, -z[2] / length, 1 / length
    return distance if above else -distance


@part
def _rim_slope(numbers: np.ndarray, indices: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray, angle: float,
               p: np.ndarray, foot: np.ndarray, n: np.ndarray) -> float:
    """The derivative of the distance along a rim c + e cos φ + f sin φ; its point goes to p."""
    s, t = np.sin(angle), np.cos(angle)
    slope = 0.0
    for i in range(3):
        p[i] = c[i] + t * e[i] + s * f[i]
    nearest_foot(numbers, indices, p, foot, n)
    for i in range(3):
        slope += n[i] * (-s * e[i] + t * f[i])
    return slope


@part
def probe_at(X: np.ndarray, probe: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray) -> None:
    """A probe at a pose of its body in the ground: its centre, and two radii of its rim across each other."""
    put3(c, carried(X, probe))
    axis = row3(probe, 3)
    first = cross3(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0))
    first = times(probe[6] / np.sqrt(dot3(first, first)), first)
    put3(e, turned(X, first))
    put3(f, turned(X, cross3(axis, first)))


@part
def nearest_angle(numbers: np.ndarray, indices: np.ndarray, c: np.ndarray, e: np.ndarray, f: np.ndarray) -> float:
    """The angle of the point of a rim c + e cos φ + f sin φ that is nearest to the ground."""
    p, foot, n, z = local(3), local(3), local(3), local(6)
    best, at = np.inf, 0.0
    for step in range(RIM_PLACES):
        angle = 2 * np.pi * step / RIM_PLACES
        for i in range(3):
            p[i] = c[i] + np.cos(angle) * e[i] + np.sin(angle) * f[i]
        _ground(numbers, indices, p[0], p[1], z)
        clearance = (p[2] - z[0]) / np.sqrt(1 + z[1] ** 2 + z[2] ** 2)
        if clearance < best:
            best, at = clearance, angle
    low, high = at - 2 * np.pi / RIM_PLACES, at + 2 * np.pi / RIM_PLACES
    below = _rim_slope(numbers, indices, c, e, f, low, p, foot, n)
    above = _rim_slope(numbers, indices, c, e, f, high, p, foot, n)
    if not (below < 0 < above):  # a rim that lies on its side, or a ground with more than one hollow under it
        return at
    size, last = np.sqrt(dot3(e, e)), 0
    for count in range(RIM_STEPS):
        middle = (low * above - high * below) / (above - below) if count % 8 else (low + high) / 2
        slope = _rim_slope(numbers, indices, c, e, f, middle, p, foot, n)
        if slope > 0:
            high, above, below = middle, slope, below / 2 if last > 0 else below
            last = 1
        else:
            low, below, above = middle, slope, above / 2 if last < 0 else above
            last = -1
        if abs(slope) <= RIM_LEVEL * size or high - low < RIM_FOUND:
            break
    return middle


@called
def on_ground(X_a: np.ndarray, X_b: np.ndarray, numbers: np.ndarray, indices: np.ndarray, out: np.ndarray) -> None:
    n_cells = (indices[0] - 1) * (indices[1] - 1)
    first = indices[0] + indices[1] + 16 * n_cells
    p, foot, m, n, world = local(3), local(3), local(3), local(3), local(3)
    c, e, f, X = local(3), local(3), local(3), local(12)
    # the pose of the body in the ground
    for i in range(3):
        X[9 + i] = 0.0
        for j in range(3):
            X[9 + i] += X_a[3 * j + i] * (X_b[9 + j] - X_a[9 + j])
            X[3 * i + j] = X_a[i] * X_b[j] + X_a[3 + i] * X_b[3 + j] + X_a[6 + i] * X_b[6 + j]
    for k in range(indices[2]):
        probe = numbers[first + PROBE * k:first + PROBE * k + PROBE]
        probe_at(X, probe, c, e, f)
        put3(p, c)
        if probe[6] > 0:
            angle = nearest_angle(numbers, indices, c, e, f)
            for i in range(3):
                p[i] = c[i] + np.cos(angle) * e[i] + np.sin(angle) * f[i]
        distance = nearest_foot(numbers, indices, p, foot, m)
        for i in range(3):
            n[i], world[i] = 0.0, X_a[9 + i]
            for j in range(3):
                n[i] += X_a[3 * i + j] * m[j]
                world[i] += X_a[3 * i + j] * foot[j]
        write(out, k, distance - probe[7], n, world)
