"""Meshes against planes, balls and other meshes."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, whole, wholes
from ..shapes import Convex, Mesh, Plane, Point, Sphere
from ..tolerances import FAR, VERTEX_BAND
from ..touch import PairGeometry, Routine
from .contact_points import loop_pair, write
from .flat_contact import MOST, four_of
from .mesh_mesh import mesh_mesh
from .trees import pack_mesh, signed_distance
from .vectors import carried, dot3, plus, row3, seen, turned


def mesh_on_plane(plane: Plane, body: Mesh | Convex) -> PairGeometry:
    """A mesh or a convex body of many corners on a plane: up to four of its lowest vertices."""
    vertices = body.vertices
    radius = body.radius if isinstance(body, Convex) else 0.0
    band = VERTEX_BAND * np.ptp(vertices, axis=0).max()
    numbers = np.concatenate([plane.n, [radius, band], vertices.ravel()])
    loop = Routine(_lowest_vertices, numbers, np.array([len(vertices)], dtype=np.int64))
    return loop_pair(plane, body, 4, loop)


def mesh_pair(mesh: Mesh, other: Point | Sphere | Mesh) -> PairGeometry:
    """A mesh against a point or a ball (1 point), or against another mesh (9 points)."""
    if isinstance(other, Mesh):
        return loop_pair(mesh, other, 9, mesh_mesh(mesh, other))
    numbers, indices = pack_mesh(mesh, 1)
    radius = 0.0 if isinstance(other, Point) else other.radius
    return loop_pair(mesh, other, 1, Routine(_ball_near_mesh, np.concatenate([[radius], numbers]), indices))


@compiled
def _lowest_vertices(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    n = turned(X_a, row3(numbers, 0))
    down = (X_b[0] * n[0] + X_b[3] * n[1] + X_b[6] * n[2], X_b[1] * n[0] + X_b[4] * n[1] + X_b[7] * n[2],
            X_b[2] * n[0] + X_b[5] * n[1] + X_b[8] * n[2])
    radius, band = numbers[3], numbers[4]
    base = n[0] * (X_b[9] - X_a[9]) + n[1] * (X_b[10] - X_a[10]) + n[2] * (X_b[11] - X_a[11]) - radius
    least = np.inf
    for k in range(indices[0]):
        least = min(least, dot3(down, row3(numbers, 5 + 3 * k)))
    points, heights = reals(MOST, 3), reals(MOST)
    chosen, count = wholes(4), 0
    for k in range(indices[0]):
        v = row3(numbers, 5 + 3 * k)
        height = dot3(down, v)
        if height > least + band:
            continue
        if count == MOST:  # more than are kept: the four farthest out stay, the new one takes the next place
            count = _keep_four(points, heights, four_of(points, count, X_a, n, chosen), chosen)
        points[count] = carried(X_b, v)
        heights[count] = height
        count += 1
    found = four_of(points, count, X_a, n, chosen)
    lowest = 0
    for j in range(count):
        if heights[j] < heights[lowest]:
            lowest = j
    present = False
    for k in range(found):
        present |= chosen[k] == lowest
    if not present:
        chosen[0] = lowest
    for k in range(4):
        which = chosen[k] if k < found else chosen[0]
        gap = base + heights[which]
        p = plus(points[which], n, -(radius + gap))
        write(out, k, gap if k < found else gap + 1e3 * (1 + abs(gap)), n, p)


def _keep_four(points: np.ndarray, heights: np.ndarray, four: int, chosen: np.ndarray) -> int:
    """Bring the chosen ones to the front; how many they are."""
    kept = reals(4, 4)
    for j in range(four):
        kept[j, 0:3], kept[j, 3] = points[chosen[j]], heights[chosen[j]]
    for j in range(four):
        points[j], heights[j] = kept[j, 0:3], kept[j, 3]
    return four


@compiled
def _ball_near_mesh(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    point, m = reals(3), reals(3)
    distance = signed_distance(numbers, indices, 0, seen(X_a, row3(X_b, 9)), FAR, point, m)
    write(out, 0, distance - numbers[0], turned(X_a, m), carried(X_a, point))
