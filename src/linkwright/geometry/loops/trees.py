"""Triangles in a tree of boxes, and the point of a mesh nearest to a given one, with its sign.

The sign comes from the normal of the feature that is nearest: of the face, the mean of two faces at an edge, weighted
by angles at a vertex; with these it is right everywhere (Bærentzen and Aanæs 2005).

    numbers    vertices 3 n_v | vertex normals 3 n_v | face normals 3 n_f | edge normals 9 n_f | boxes 6 n_b
    indices    n_v, n_f, n_b, start of numbers | faces 3 n_f | boxes: first child or −1, first face, count: 3 n_b
"""

from __future__ import annotations

import numpy as np

from ..shapes import Mesh
from .jit import cross3, dot3, part

LEAF = 2
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


@part
def box_distance(numbers, at, p):
    """Square of the distance of a point from a box of the tree."""
    total = 0.0
    for i in range(3):
        low, high = numbers[at + i], numbers[at + 3 + i]
        over = low - p[i] if p[i] < low else p[i] - high if p[i] > high else 0.0
        total += over * over
    return total


@part
def signed_distance(numbers, indices, head, p, limit, point, normal):
    """Distance of a point from a mesh, negative inside, all in the mesh's axes; `limit` where it is farther than that.

    `point` is the nearest one, `normal` the unit vector along which the distance grows.
    """
    n_v, n_f, start = indices[head], indices[head + 1], indices[head + 3]
    faces, nodes = head + HEADER, head + HEADER + 3 * n_f
    boxes = start + 6 * n_v + 12 * n_f
    stack = np.empty(DEPTH, np.int64)
    stack[0], depth = 0, 1
    best = limit * limit
    face, feature = -1, 0
    trial = np.empty(3)
    while depth:
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
            which = on_triangle(numbers, start + 3 * indices[faces + 3 * k], start + 3 * indices[faces + 3 * k + 1],
                                start + 3 * indices[faces + 3 * k + 2], p, trial)
            square = 0.0
            for i in range(3):
                square += (p[i] - trial[i]) ** 2
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
    outward = 0.0
    for i in range(3):
        normal[i] = p[i] - point[i]
        outward += normal[i] * numbers[at + i]
    distance = np.sqrt(best)
    sign = 1.0 if outward >= 0 else -1.0
    if distance > 1e-12 * (abs(point[0]) + abs(point[1]) + abs(point[2]) + 1e-30):
        normal *= sign / distance
    else:  # on the surface: the normal of the feature
        for i in range(3):
            normal[i] = numbers[at + i]
        normal /= np.sqrt(dot3(normal, normal))
    return sign * distance


@part
def on_triangle(numbers, a, b, c, p, out):
    """The point of a triangle nearest to p, and where: vertex 0, 1, 2, edge 3, 4, 5, or 6 inside (Ericson 2005)."""
    ab, ac, ap = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        ab[i], ac[i], ap[i] = numbers[b + i] - numbers[a + i], numbers[c + i] - numbers[a + i], p[i] - numbers[a + i]
    d1, d2 = dot3(ab, ap), dot3(ac, ap)
    bp = ap - ab
    d3, d4 = dot3(ab, bp), dot3(ac, bp)
    cp = ap - ac
    d5, d6 = dot3(ab, cp), dot3(ac, cp)
    vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
    v, w, which = 0.0, 0.0, 6
    if d1 <= 0 and d2 <= 0:
        which = 0
    elif d3 >= 0 and d4 <= d3:
        v, which = 1.0, 1
    elif d6 >= 0 and d5 <= d6:
        w, which = 1.0, 2
    elif vc <= 0 and d1 >= 0 and d3 <= 0:
        v, which = d1 / (d1 - d3), 3
    elif vb <= 0 and d2 >= 0 and d6 <= 0:
        w, which = d2 / (d2 - d6), 5
    elif va <= 0 and d4 - d3 >= 0 and d5 - d6 >= 0:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v, which = 1 - w, 4
    else:
        v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    for i in range(3):
        out[i] = numbers[a + i] + v * ab[i] + w * ac[i]
    return which


@part
def segments(p, e, q, f, on_p, on_q):
    """Square of the distance of the segments p + s e and q + t f, s and t in 0 … 1, with the nearest points."""
    r = p - q
    ee, ff, ef, er, fr = dot3(e, e), dot3(f, f), dot3(e, f), dot3(e, r), dot3(f, r)
    det = ee * ff - ef * ef
    s = min(max((ef * fr - er * ff) / det, 0.0), 1.0) if det > 1e-14 * ee * ff else 0.0
    t = (ef * s + fr) / ff
    if t < 0:
        t, s = 0.0, min(max(-er / ee, 0.0), 1.0)
    elif t > 1:
        t, s = 1.0, min(max((ef - er) / ee, 0.0), 1.0)
    total = 0.0
    for i in range(3):
        on_p[i], on_q[i] = p[i] + s * e[i], q[i] + t * f[i]
        total += (on_p[i] - on_q[i]) ** 2
    return total


@part
def pierces(p, e, a, b, c):
    """Whether the segment p … p + e passes through the triangle a, b, c."""
    n = cross3(b - a, c - a)
    along = dot3(n, e)
    if along == 0:
        return False
    t = dot3(n, a - p) / along
    if t < 0 or t > 1:
        return False
    x = p + t * e
    return (dot3(n, cross3(b - a, x - a)) >= 0 and dot3(n, cross3(c - b, x - b)) >= 0
            and dot3(n, cross3(a - c, x - c)) >= 0)
