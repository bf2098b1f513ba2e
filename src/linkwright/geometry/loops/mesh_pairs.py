"""Meshes against planes, balls and other meshes; and every face of a mesh against a shape, for elastic foundations."""

from __future__ import annotations

import numpy as np

from ...algebra import Transform
from ...errors import ModelError
from ..shapes import Convex, Mesh, Plane, Point, Shape, Sphere
from ..touch import PairGeometry, Routine, Touch
from .bodies import CONVEX, pack
from .convex_pairs import loop_pair, nearest, write
from .jit import called, dot3, part
from .manifold import MOST, four_of
from .mesh_mesh import mesh_mesh
from .trees import pack_mesh, signed_distance

#: vertices that can carry a flat contact lie within this part of the size of the lowest one
BAND = 0.01
FAR = 1e30


def mesh_on_plane(plane: Plane, body: Mesh | Convex) -> PairGeometry:
    """A mesh or a convex body of many corners on a plane: up to four of its lowest vertices."""
    vertices = body.vertices
    radius = body.radius if isinstance(body, Convex) else 0.0
    band = BAND * np.ptp(vertices, axis=0).max()
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


def mesh_distance(mesh: Mesh, X_WA: Transform, other: Shape, X_WB: Transform) -> Touch:
    """The least gap of a mesh and a plane, a ball or another mesh."""
    pair = mesh_on_plane(other, mesh).exchanged() if isinstance(other, Plane) else mesh_pair(mesh, other)
    return min(pair.touches(X_WA, X_WB), key=lambda touch: touch.gap)


def foundation(mesh: Mesh, other: Shape) -> tuple[PairGeometry, np.ndarray]:
    """Every face of a mesh against another shape: a point at each centroid, and the areas of the faces (m²).

    An elastic foundation is a bed of springs, one on each face (Simbody's manual, 11.2).
    """
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    centroids = (a + b + c).ravel() / 3
    n = len(mesh.faces)
    if isinstance(other, Plane):
        loop = Routine(_faces_on_plane, np.concatenate([other.n, centroids]), np.array([n], dtype=np.int64))
    elif isinstance(other, Mesh):
        numbers, indices = pack_mesh(other, len(centroids))
        loop = Routine(_faces_in_mesh, np.concatenate([centroids, numbers]), np.concatenate([[n], indices]))
    elif isinstance(other, CONVEX):
        numbers, indices = pack(Point(), other)
        # the bodies come first, so that their places in the array hold
        loop = Routine(_faces_in_convex, np.concatenate([numbers, centroids]),
                       np.concatenate([indices, [n, len(numbers)]]))
    else:
        raise ModelError(f"a Mesh and a {other.kind} cannot be an elastic foundation; it meets Plane, Mesh and convex "
                         "shapes.")
    return loop_pair(mesh, other, n, loop), areas


@called
def _lowest_vertices(X_a, X_b, numbers, indices, out):
    n, down, p = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        n[i] = X_a[3 * i] * numbers[0] + X_a[3 * i + 1] * numbers[1] + X_a[3 * i + 2] * numbers[2]
    for i in range(3):
        down[i] = X_b[i] * n[0] + X_b[3 + i] * n[1] + X_b[6 + i] * n[2]
    radius, band = numbers[3], numbers[4]
    base = n[0] * (X_b[9] - X_a[9]) + n[1] * (X_b[10] - X_a[10]) + n[2] * (X_b[11] - X_a[11]) - radius
    least = np.inf
    for k in range(indices[0]):
        height = dot3(down, numbers[5 + 3 * k:8 + 3 * k])
        least = min(least, height)
    points, heights = np.empty((MOST, 3)), np.empty(MOST)
    chosen = np.empty(4, np.int64)
    count = 0
    for k in range(indices[0]):
        v = numbers[5 + 3 * k:8 + 3 * k]
        height = dot3(down, v)
        if height > least + band:
            continue
        _local(X_b, v, p)
        if count < MOST:
            points[count], heights[count] = p, height
            count += 1
        else:  # more than are kept: the four farthest out stay, the new one takes the next place
            four = four_of(points, count, X_a, n, chosen)
            for j in range(four):
                points[j], heights[j] = points[chosen[j]].copy(), heights[chosen[j]]
            points[four], heights[four] = p, height
            count = four + 1
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
        j = chosen[k] if k < found else chosen[0]
        gap = base + heights[j]
        for i in range(3):
            p[i] = points[j, i] - (radius + gap) * n[i]
        write(out, k, gap if k < found else gap + 1e3 * (1 + abs(gap)), n, p)


@part
def _local(X, v, out):
    """A point of a body in the world."""
    for i in range(3):
        out[i] = X[9 + i] + X[3 * i] * v[0] + X[3 * i + 1] * v[1] + X[3 * i + 2] * v[2]


@part
def _seen(X, p, out):
    """A point of the world in the axes of a body."""
    for i in range(3):
        out[i] = X[i] * (p[0] - X[9]) + X[3 + i] * (p[1] - X[10]) + X[6 + i] * (p[2] - X[11])


@part
def _turned(X, v, out):
    """A direction of a body in the world."""
    for i in range(3):
        out[i] = X[3 * i] * v[0] + X[3 * i + 1] * v[1] + X[3 * i + 2] * v[2]


@called
def _ball_near_mesh(X_a, X_b, numbers, indices, out):
    p, point, m, n, at = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _seen(X_a, X_b[9:12], p)
    distance = signed_distance(numbers, indices, 0, p, FAR, point, m)
    _turned(X_a, m, n)
    _local(X_a, point, at)
    write(out, 0, distance - numbers[0], n, at)


@called
def _faces_on_plane(X_a, X_b, numbers, indices, out):
    n, p = np.empty(3), np.empty(3)
    for i in range(3):
        n[i] = -(X_b[3 * i] * numbers[0] + X_b[3 * i + 1] * numbers[1] + X_b[3 * i + 2] * numbers[2])
    for k in range(indices[0]):
        _local(X_a, numbers[3 + 3 * k:6 + 3 * k], p)
        gap = n[0] * (X_b[9] - p[0]) + n[1] * (X_b[10] - p[1]) + n[2] * (X_b[11] - p[2])
        write(out, k, gap, n, p)


@called
def _faces_in_mesh(X_a, X_b, numbers, indices, out):
    p, q, point, m, n = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(indices[0]):
        _local(X_a, numbers[3 * k:3 * k + 3], p)
        _seen(X_b, p, q)
        gap = signed_distance(numbers, indices, 1, q, FAR, point, m)
        _turned(X_b, -m, n)
        write(out, k, gap, n, p)


@called
def _faces_in_convex(X_a, X_b, numbers, indices, out):
    n, p, q = np.empty(3), np.empty(3), np.empty(3)
    X = X_a.copy()
    count, first = indices[12], indices[13]
    for k in range(count):
        _local(X_a, numbers[first + 3 * k:first + 3 * k + 3], X[9:12])
        gap = nearest(numbers, indices, X, X_b, n, p, q)
        write(out, k, gap, n, X[9:12])


