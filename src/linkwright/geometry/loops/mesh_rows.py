"""Rows of meshes: on a plane their lowest corners, near a ball all places of the surface that are nearest around.

A ball touches where its distance from the surface is least nearby.  On a bulge that is one place, in a hollow or a
corner there are several; a place that is no longer nearest nearby has left the ball before, so that forces have no
jumps there.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, sqrt, whole, wholes
from ..compliant_pairs import Pressing
from ..shapes import Convex, Mesh, Plane, Point, Sphere
from ..tolerances import FAR, SAME_PLACE
from .rows import lift, put
from .trees import DEPTH, HEADER, pack_mesh, signed_distance
from .triangles import box_distance, on_face
from .vectors import carried, dot3, minus, plus, row3

CORNERS, PLACES, MOST = 16, 8, 64


def press_plane(plane: Plane, body: Mesh | Convex) -> Pressing:
    """A mesh or a convex body of many corners on a plane: the lowest corners of its hull."""
    from ..hulls import hull_vertices

    corners = body.vertices if isinstance(body, Convex) else hull_vertices(body.vertices)
    radius = float(body.radius) if isinstance(body, Convex) else 0.0
    numbers = np.concatenate([plane.n, [radius], corners.ravel()])
    return Pressing(f"{__name__}:corner_rows", numbers, np.array([len(corners)], dtype=np.int64),
                    min(CORNERS, len(corners)))


def press_ball(mesh: Mesh, ball: Point | Sphere) -> Pressing:
    """A point or a ball near a mesh."""
    numbers, indices = pack_mesh(mesh, 1)
    radius = 0.0 if isinstance(ball, Point) else float(ball.radius)
    return Pressing(f"{__name__}:ball_rows", np.concatenate([[radius], numbers]), indices, PLACES if radius else 1)


def _lowest(X: np.ndarray, numbers: np.ndarray, count: int, y: np.ndarray) -> None:
    n = row3(numbers, 0)
    radius, found = numbers[3], 0
    for k in range(count):
        p = carried(X, row3(numbers, 4 + 3 * k))
        height = dot3(n, p)
        found = put(y, found, height - radius, n, plus(p, n, -height), 1.0)
    lift(y, found, y[0])


def _places(c: np.ndarray, numbers: np.ndarray, indices: np.ndarray, y: np.ndarray) -> None:
    point, n = reals(3), reals(3)
    radius = numbers[0]
    distance = signed_distance(numbers, indices, 0, c, FAR, point, n)
    margin = 0.25 * radius
    if y.size == 8 or distance <= 0 or distance >= radius + margin:
        lift(y, put(y, 0, distance - radius, n, point, 1.0), margin)
        return
    near, feet = reals(MOST, 4), wholes(MOST, 2)
    count = _around(numbers, indices, c, radius + margin, near, feet)
    found, size = 0, radius * SAME_PLACE
    for k in range(count):
        if feet[k, 1] < 6 and not _least(numbers, indices, near, feet, count, k, size):
            continue
        point[:] = near[k, 0:3]
        n[:] = (c - near[k, 0:3]) / near[k, 3]
        found = put(y, found, near[k, 3] - radius, n, point, 1.0)
    lift(y, found, margin)


def _around(numbers: np.ndarray, indices: np.ndarray, c: np.ndarray, reach: float, near: np.ndarray,
            feet: np.ndarray) -> int:
    """The nearest points, and their distances, of all faces within reach of c; `feet` are face and feature of each."""
    n_v, n_f, start = indices[0], indices[1], indices[3]
    faces, nodes = HEADER, HEADER + 3 * n_f
    boxes = start + 6 * n_v + 12 * n_f
    stack = wholes(DEPTH)
    stack[0], depth, count = 0, 1, 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if box_distance(numbers, boxes + 6 * node, c) >= reach * reach:
            continue
        child, first = indices[nodes + 3 * node], indices[nodes + 3 * node + 1]
        if child >= 0:
            stack[depth], stack[depth + 1] = child, child + 1
            depth += 2
            continue
        for k in range(first, first + indices[nodes + 3 * node + 2]):
            which, trial = on_face(numbers, indices, start, faces + 3 * k, c)
            d = minus(c, trial)
            square = dot3(d, d)
            if square < reach * reach:
                place = count
                if count == MOST:  # more than are kept: the farthest gives way
                    place = 0
                    for j in range(MOST):
                        if near[j, 3] > near[place, 3]:
                            place = j
                    if near[place, 3] <= sqrt(square):
                        continue
                else:
                    count += 1
                near[place, 0:3], near[place, 3] = trial, sqrt(square)
                feet[place, 0], feet[place, 1] = k, which
    return count


def _least(numbers: np.ndarray, indices: np.ndarray, near: np.ndarray, feet: np.ndarray, count: int, k: int,
           size: float) -> bool:
    """Whether a place on an edge or a corner is the nearest nearby, and the first of those that say so."""
    start = indices[3]
    p = row3(near[k], 0)
    for j in range(count):
        if j == k:
            continue
        apart = max(abs(near[j, 0] - p[0]), abs(near[j, 1] - p[1]), abs(near[j, 2] - p[2]))
        if apart <= size:
            if j < k:
                return False
            continue
        if near[j, 3] < near[k, 3] - size:
            _, trial = on_face(numbers, indices, start, HEADER + 3 * feet[j, 0], p)
            if max(abs(trial[0] - p[0]), abs(trial[1] - p[1]), abs(trial[2] - p[2])) <= size:
                return False
    return True


@compiled
def corner_rows(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """Rows of a body b over the plane a."""
    _lowest(x, numbers, indices[0], y)


@compiled
def ball_rows(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """Rows of a ball b at the mesh a."""
    _places(x[9:12], numbers, indices, y)
