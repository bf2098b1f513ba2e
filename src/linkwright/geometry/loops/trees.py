"""Triangles in a tree of boxes, and the point of a mesh nearest to a given one, with its sign.

The sign comes from the normal of the feature that is nearest: of the face, the mean of two faces at an edge, weighted
by angles at a vertex; with these it is right everywhere (Bærentzen and Aanæs 2005).

    numbers    vertices 3 n_v | vertex normals 3 n_v | face normals 3 n_f | edge normals 9 n_f | boxes 6 n_b
    indices    n_v, n_f, n_b, start of numbers | faces 3 n_f | boxes: first child or −1, first face, count: 3 n_b
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import sqrt, wholes
from ..shapes import Mesh
from ..tolerances import LEAF, ON_SURFACE, ON_SURFACE_AT_ORIGIN
from .triangles import box_distance, on_face
from .vectors import Vector, dot3, minus, row3, times

HEADER = 4
DEPTH = 128


def pack_mesh(mesh: Mesh, start: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A mesh and its tree as (numbers, indices); `start` is where its numbers begin."""
    vertices = mesh.vertices
    faces, boxes, nodes = _tree(vertices, mesh.faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    at_vertices = np.zeros_like(vertices)
    for k in range(3):
        p, q, r = (vertices[faces[:, (k + j) % 3]] for j in range(3))
        e, f = q - p, r - p
        cosine = np.einsum("ij,ij->i", e, f) / np.linalg.norm(e, axis=1) / np.linalg.norm(f, axis=1)
        np.add.at(at_vertices, faces[:, k], normals * np.arccos(np.clip(cosine, -1, 1))[:, None])
    edges = [[(int(face[k]), int(face[(k + 1) % 3])) for k in range(3)] for face in faces]
    owner = {edge: n for n, sides in enumerate(edges) for edge in sides}
    at_edges = np.array([[normals[n] + normals[owner[j, i]] for i, j in sides] for n, sides in enumerate(edges)])
    numbers = np.concatenate([vertices.ravel(), at_vertices.ravel(), normals.ravel(), at_edges.ravel(), boxes.ravel()])
    indices = np.concatenate([[len(vertices), len(faces), len(boxes), start], faces.ravel(), nodes.ravel()])
    return numbers, indices.astype(np.int64)


def _tree(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Faces in the order of the tree, boxes (low, high) and nodes (first child or −1, first face, count)."""
    corners = vertices[faces]
    low, high, centres = corners.min(axis=1), corners.max(axis=1), corners.mean(axis=1)
    order = np.arange(len(faces))
    boxes, nodes = [None], [None]
    todo = [(0, 0, len(faces))]
    while todo:
        node, first, count = todo.pop()
        own = order[first:first + count]
        boxes[node] = np.concatenate([low[own].min(axis=0), high[own].max(axis=0)])
        if count <= LEAF:
            nodes[node] = (-1, first, count)
            continue
        axis = int(np.argmax(np.ptp(centres[own], axis=0)))
        order[first:first + count] = own[np.argsort(centres[own, axis], kind="stable")]
        child, half = len(nodes), count // 2
        nodes[node] = (child, first, count)
        boxes += [None, None]
        nodes += [None, None]
        todo += [(child, first, half), (child + 1, first + half, count - half)]
    return faces[order], np.array(boxes), np.array(nodes, dtype=np.int64)


def signed_distance(numbers: np.ndarray, indices: np.ndarray, head: int, p: Vector, limit: float, point: np.ndarray,
                    normal: np.ndarray) -> float:
    """Distance of a point from a mesh, negative inside, all in the mesh's axes; `limit` where it is farther than that.

    `point` is the nearest one, `normal` the unit vector along which the distance grows.
    """
    n_v, n_f, start = indices[head], indices[head + 1], indices[head + 3]
    faces, nodes = head + HEADER, head + HEADER + 3 * n_f
    boxes = start + 6 * n_v + 12 * n_f
    stack = wholes(DEPTH)
    stack[0], depth = 0, 1
    best = limit * limit
    face, feature = -1, 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if box_distance(numbers, boxes + 6 * node, p) >= best:
            continue
        child = indices[nodes + 3 * node]
        if child >= 0:
            left = box_distance(numbers, boxes + 6 * child, p)
            right = box_distance(numbers, boxes + 6 * (child + 1), p)
            # the nearer one is looked at first
            stack[depth], stack[depth + 1] = (child + 1, child) if left < right else (child, child + 1)
            depth += 2
            continue
        first = indices[nodes + 3 * node + 1]
        for k in range(first, first + indices[nodes + 3 * node + 2]):
            which, trial = on_face(numbers, indices, start, faces + 3 * k, p)
            d = minus(p, trial)
            square = dot3(d, d)
            if square < best:
                best, face, feature = square, k, which
                point[:] = trial
    if face < 0:
        return limit
    if feature < 3:
        at = start + 3 * n_v + 3 * indices[faces + 3 * face + feature]
    elif feature < 6:
        at = start + 6 * n_v + 3 * n_f + 9 * face + 3 * (feature - 3)
    else:
        at = start + 6 * n_v + 3 * face
    of_feature = row3(numbers, at)
    d = minus(p, point)
    distance = sqrt(best)
    sign = 1.0 if dot3(d, of_feature) >= 0 else -1.0
    if distance > ON_SURFACE * (abs(point[0]) + abs(point[1]) + abs(point[2]) + ON_SURFACE_AT_ORIGIN):
        normal[:] = times(sign / distance, d)
    else:  # on the surface: the normal of the feature
        normal[:] = times(1 / sqrt(dot3(of_feature, of_feature)), of_feature)
    return sign * distance
