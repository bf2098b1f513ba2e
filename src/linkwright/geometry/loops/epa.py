"""How deep two convex cores overlap (expanding polytope, van den Bergen 2001): the shortest way out.

A tetrahedron of points of the Minkowski difference that holds the origin is grown, face by face, towards the boundary:
the face nearest to the origin is split at the support point along its normal, until no support point lies beyond it.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import reals, sqrt, wholes
from ..tolerances import APART, APART_CUBED, APART_SQUARED, DEEPEST, SEES
from .convex_bodies import support
from .vectors import cross3, dot3, minus, row3, times

FACES, CORNERS, EDGES = 512, 260, 1536


def overlap(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, W: np.ndarray, P: np.ndarray,
            Q: np.ndarray, count: int, n: np.ndarray, p: np.ndarray, q: np.ndarray) -> float:
    """The depth; n is the unit normal from a to b, p and q the points of the cores.  −1 where there is no volume."""
    corners, on_a, on_b = reals(CORNERS, 3), reals(CORNERS, 3), reals(CORNERS, 3)
    for k in range(count):
        corners[k] = W[k]
        on_a[k] = P[k]
        on_b[k] = Q[k]
    if count < 4 and not _completed(numbers, indices, X_a, X_b, corners, on_a, on_b, count):
        return -1.0
    size = 0.0
    for k in range(4):
        size = max(size, sqrt(dot3(corners[k], corners[k])))
    faces, normals, heights = wholes(FACES, 3), reals(FACES, 3), reals(FACES)
    edges = wholes(EDGES, 2)
    n_faces, n_corners = 0, 4
    for k in range(4):
        i, j, l = (k + 1) % 4, (k + 2) % 4, (k + 3) % 4
        e = minus(corners[j], corners[i])
        if dot3(cross3(e, minus(corners[l], corners[i])), minus(corners[k], corners[i])) > 0:
            j, l = l, j  # turned away from the fourth corner
        n_faces = _add(corners, faces, normals, heights, n_faces, i, j, l)
    best = 0
    while True:
        best = 0
        for k in range(n_faces):
            if heights[k] < heights[best]:
                best = k
        d = row3(normals[best], 0)
        a = support(numbers, indices, 0, X_a, d)
        b = support(numbers, indices, 1, X_b, times(-1.0, d))
        w = minus(a, b)
        if dot3(w, d) - heights[best] <= DEEPEST * size or n_corners == CORNERS:
            break
        # take away all faces that see the new corner; their rim is joined to it
        n_edges, kept = 0, 0
        for k in range(n_faces):
            if dot3(normals[k], w) - heights[k] > SEES * size:
                for side in range(3):
                    n_edges = _toggle(edges, n_edges, faces[k, side], faces[k, (side + 1) % 3])
            else:
                faces[kept], normals[kept] = faces[k], normals[k]
                heights[kept] = heights[k]
                kept += 1
        if kept + n_edges > FACES or n_edges == 0:
            break
        n_faces = kept
        corners[n_corners] = w
        on_a[n_corners] = a
        on_b[n_corners] = b
        for k in range(n_edges):
            n_faces = _add(corners, faces, normals, heights, n_faces, edges[k, 0], edges[k, 1], n_corners)
        n_corners += 1
    n[:] = normals[best]
    _on_face(corners, on_a, on_b, faces[best], normals[best], heights[best], p, q)
    return heights[best]


def _completed(numbers: np.ndarray, indices: np.ndarray, X_a: np.ndarray, X_b: np.ndarray, corners: np.ndarray,
               on_a: np.ndarray, on_b: np.ndarray, count: int) -> bool:
    """Grow a simplex that touches the origin to a tetrahedron, by support points off its plane."""
    for k in range(count, 4):
        found = False
        for trial in range(26):
            number = trial + 1 if trial < 13 else trial - 26
            d = number % 3 - 1.0, number // 3 % 3 - 1.0, number // 9 % 3 - 1.0
            if k == 3 and trial < 2:  # across the plane of three corners, both ways, come first
                d = cross3(minus(corners[1], corners[0]), minus(corners[2], corners[0]))
                if trial == 1:
                    d = times(-1.0, d)
            if dot3(d, d) == 0:
                continue
            a = support(numbers, indices, 0, X_a, d)
            b = support(numbers, indices, 1, X_b, times(-1.0, d))
            corners[k] = minus(a, b)
            on_a[k] = a
            on_b[k] = b
            if _apart_from(corners, k):
                found = True
                break
        if not found:
            return False
    return True


def _apart_from(corners: np.ndarray, k: int) -> bool:
    """Whether corner k lies off the affine hull of those before it."""
    scale = 0.0
    for j in range(k + 1):
        scale = max(scale, dot3(corners[j], corners[j]))
    scale = sqrt(scale)
    e = minus(corners[k], corners[0])
    if k == 0:
        return True
    if k == 1:
        return sqrt(dot3(e, e)) > APART * scale
    f = minus(corners[1], corners[0])
    if k == 2:
        n = cross3(f, e)
        return sqrt(dot3(n, n)) > APART_SQUARED * scale**2
    return abs(dot3(cross3(f, minus(corners[2], corners[0])), e)) > APART_CUBED * scale**3


def _add(corners: np.ndarray, faces: np.ndarray, normals: np.ndarray, heights: np.ndarray, at: int, i: int, j: int,
         k: int) -> int:
    """A face i, j, k, counter-clockwise from outside; one without area is put out of the way."""
    n = cross3(minus(corners[j], corners[i]), minus(corners[k], corners[i]))
    length = sqrt(dot3(n, n))
    faces[at, 0], faces[at, 1], faces[at, 2] = i, j, k
    if length > 0:
        normals[at] = n[0] / length, n[1] / length, n[2] / length
        heights[at] = dot3(normals[at], corners[i])
    else:
        normals[at] = 0.0, 0.0, 0.0
        heights[at] = np.inf
    return at + 1


def _toggle(edges: np.ndarray, count: int, i: int, j: int) -> int:
    """Keep an edge that only one of the faces has."""
    for k in range(count):
        if edges[k, 0] == j and edges[k, 1] == i:
            edges[k, 0], edges[k, 1] = edges[count - 1, 0], edges[count - 1, 1]
            return count - 1
    edges[count, 0], edges[count, 1] = i, j
    return count + 1


def _on_face(corners: np.ndarray, on_a: np.ndarray, on_b: np.ndarray, face: np.ndarray, n: np.ndarray, height: float,
             p: np.ndarray, q: np.ndarray) -> None:
    """The points of both cores that belong to the foot of the origin on a face."""
    a, b, c = corners[face[0]], corners[face[1]], corners[face[2]]
    foot = times(height, n)
    whole = dot3(cross3(minus(b, a), minus(c, a)), n)
    u = dot3(cross3(minus(b, foot), minus(c, foot)), n) / whole
    v = dot3(cross3(minus(c, foot), minus(a, foot)), n) / whole
    p[:] = u * on_a[face[0]] + v * on_a[face[1]] + (1 - u - v) * on_a[face[2]]
    q[:] = u * on_b[face[0]] + v * on_b[face[1]] + (1 - u - v) * on_b[face[2]]
