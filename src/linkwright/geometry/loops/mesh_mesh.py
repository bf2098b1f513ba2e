"""Two meshes: their nearest points while they are apart, and the vertices of each that lie deepest in the other."""

from __future__ import annotations

import numpy as np

from ..shapes import Mesh
from ..touch import Routine
from .convex_pairs import write
from .jit import called, dot3, part
from .manifold import MOST, four_of
from .trees import HEADER, box_distance, on_triangle, pack_mesh, pierces, segments, signed_distance

STACK = 512


def mesh_mesh(one: Mesh, other: Mesh) -> Routine:
    """The loop over two meshes: 1 point for the nearest features, 4 vertices of each."""
    numbers_a, indices_a = pack_mesh(one)
    numbers_b, indices_b = pack_mesh(other, len(numbers_a))
    head = np.array([2, 2 + len(indices_a)], dtype=np.int64)
    return Routine(_touch_meshes, np.concatenate([numbers_a, numbers_b]), np.concatenate([head, indices_a, indices_b]))


@part
def relative(X_a, X_b):
    """The pose of b in a."""
    X = np.empty(12)
    for i in range(3):
        for j in range(3):
            X[3 * i + j] = X_a[i] * X_b[j] + X_a[3 + i] * X_b[3 + j] + X_a[6 + i] * X_b[6 + j]
        X[9 + i] = (X_a[i] * (X_b[9] - X_a[9]) + X_a[3 + i] * (X_b[10] - X_a[10]) + X_a[6 + i] * (X_b[11] - X_a[11]))
    return X


@part
def at(X, v, out):
    for i in range(3):
        out[i] = X[9 + i] + X[3 * i] * v[0] + X[3 * i + 1] * v[1] + X[3 * i + 2] * v[2]


@called
def _touch_meshes(X_a, X_b, numbers, indices, out):
    X_ab, X_ba = relative(X_a, X_b), relative(X_b, X_a)
    head_a, head_b = indices[0], indices[1]
    p, q, n = np.empty(3), np.empty(3), np.empty(3)
    apart = least_apart(numbers, indices, head_a, head_b, X_ab, p, q)
    if inside(numbers, indices, head_a, head_b, X_ba) or inside(numbers, indices, head_b, head_a, X_ab):
        apart = 0.0  # one within the other, their surfaces apart
    world = np.empty(3)
    if apart > 0:
        for i in range(3):
            n[i] = ((X_a[3 * i] * (q[0] - p[0]) + X_a[3 * i + 1] * (q[1] - p[1]) + X_a[3 * i + 2] * (q[2] - p[2]))
                    / apart)
        at(X_a, p, world)
        write(out, 0, apart, n, world)
    # vertices inside the other mesh; while the meshes are apart, the nearest ones
    limit = apart if apart > 0 else np.inf
    deepest = min(_vertices(numbers, indices, head_a, head_b, X_a, X_b, X_ba, apart, False, out, 1),
                  _vertices(numbers, indices, head_b, head_a, X_b, X_a, X_ab, apart, True, out, 5))
    if not apart > 0:
        # edges cross and no vertex is inside: they touch where the meshes cut one another
        if deepest == np.inf:
            n[:] = 0.0
            n[2] = 1.0
            at(X_a, p, world)
            write(out, 0, 0.0, n, world)
            deepest = 0.0
        else:
            best = 1
            for k in range(1, 9):
                if out[k, 0] < out[best, 0]:
                    best = k
            out[0] = out[best]
            out[0, 0] = deepest
    lift = 1e3 * (1 + abs(min(deepest, limit)))
    for k in range(1, 9):
        if out[k, 0] == np.inf:
            out[k] = out[0]
            out[k, 0] = out[0, 0] + lift
            for i in range(3):
                out[k, 7 + i] = out[k, 4 + i] + out[k, 0] * out[k, 1 + i]


@part
def inside(numbers, indices, head, other, X_rel):
    """Whether the first vertex of a mesh lies inside the other one."""
    start = indices[head + 3]
    boxes = indices[other + 3] + 6 * indices[other] + 12 * indices[other + 1]
    p, point, m = np.empty(3), np.empty(3), np.empty(3)
    at(X_rel, numbers[start:start + 3], p)
    return box_distance(numbers, boxes, p) == 0 and signed_distance(numbers, indices, other, p, 1e30, point, m) < 0


@part
def _vertices(numbers, indices, head, other, X, X_other, X_rel, apart, swapped, out, first):
    """Rows `first` … `first` + 3: vertices of one mesh inside the other, those farthest out; the least gap of them."""
    n_v, start = indices[head], indices[head + 3]
    boxes = indices[other + 3] + 6 * indices[other] + 12 * indices[other + 1]
    points, rows = np.empty((MOST, 3)), np.empty((MOST, 10))
    p, point, m, n, world = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    chosen = np.empty(4, np.int64)
    count, least = 0, np.inf
    mean = np.zeros(3)
    if not apart > 0:
        for k in range(n_v):
            v = numbers[start + 3 * k:start + 3 * k + 3]
            at(X_rel, v, p)
            if box_distance(numbers, boxes, p) > 0:
                continue
            gap = signed_distance(numbers, indices, other, p, 1e30, point, m)
            if gap > 0:
                continue
            for i in range(3):  # outward normal of the other mesh, in the world
                n[i] = X_other[3 * i] * m[0] + X_other[3 * i + 1] * m[1] + X_other[3 * i + 2] * m[2]
            at(X, v, world)
            place = count
            if count == MOST:  # more than are kept: the shallowest gives way
                place = 0
                for j in range(count):
                    if rows[j, 0] > rows[place, 0]:
                        place = j
                if rows[place, 0] <= gap:
                    continue
            else:
                count += 1
            points[place] = world
            side = 1.0 if swapped else -1.0
            rows[place, 0] = gap
            for i in range(3):
                foot = world[i] - gap * n[i]
                rows[place, 1 + i] = side * n[i]
                rows[place, 4 + i], rows[place, 7 + i] = (foot, world[i]) if swapped else (world[i], foot)
            least = min(least, gap)
    for j in range(count):
        mean += rows[j, 1:4]
    length = np.sqrt(dot3(mean, mean))
    if length > 0:
        mean /= length
    else:
        mean[2] = 1.0
    found = four_of(points, count, X, mean, chosen) if count else 0
    for k in range(4):
        if k < found:
            out[first + k] = rows[chosen[k]]
        else:
            out[first + k, 0] = np.inf
    return least


@part
def least_apart(numbers, indices, head_a, head_b, X_ab, p, q):
    """Distance of two meshes in the axes of a, with the nearest points; 0 where they cut one another."""
    n_a, f_a, start_a = indices[head_a], indices[head_a + 1], indices[head_a + 3]
    n_b, f_b, start_b = indices[head_b], indices[head_b + 1], indices[head_b + 3]
    nodes_a, nodes_b = head_a + HEADER + 3 * f_a, head_b + HEADER + 3 * f_b
    boxes_a, boxes_b = start_a + 6 * n_a + 12 * f_a, start_b + 6 * n_b + 12 * f_b
    # the triangles of b in the axes of a
    moved = np.empty(3 * n_b)
    for k in range(n_b):
        at(X_ab, numbers[start_b + 3 * k:start_b + 3 * k + 3], moved[3 * k:3 * k + 3])
    stack = np.empty((STACK, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, 0
    depth, best = 1, np.inf
    while depth:
        depth -= 1
        i, j = stack[depth, 0], stack[depth, 1]
        low = _between(numbers, boxes_a + 6 * i, boxes_b + 6 * j, X_ab)
        if low > 0 and low * low >= best:
            continue
        child_a, child_b = indices[nodes_a + 3 * i], indices[nodes_b + 3 * j]
        if child_a < 0 and child_b < 0:
            best = _leaves(numbers, indices, moved, head_a, head_b, nodes_a + 3 * i, nodes_b + 3 * j, best, p, q)
            if best == 0:
                return 0.0
            continue
        # split the one with more faces
        if child_b < 0 or (child_a >= 0 and indices[nodes_a + 3 * i + 2] >= indices[nodes_b + 3 * j + 2]):
            one = _between(numbers, boxes_a + 6 * child_a, boxes_b + 6 * j, X_ab)
            two = _between(numbers, boxes_a + 6 * (child_a + 1), boxes_b + 6 * j, X_ab)
            nearer = 0 if one < two else 1
            stack[depth, 0], stack[depth, 1] = child_a + 1 - nearer, j
            stack[depth + 1, 0], stack[depth + 1, 1] = child_a + nearer, j
        else:
            one = _between(numbers, boxes_a + 6 * i, boxes_b + 6 * child_b, X_ab)
            two = _between(numbers, boxes_a + 6 * i, boxes_b + 6 * (child_b + 1), X_ab)
            nearer = 0 if one < two else 1
            stack[depth, 0], stack[depth, 1] = i, child_b + 1 - nearer
            stack[depth + 1, 0], stack[depth + 1, 1] = i, child_b + nearer
        depth += 2
    return np.sqrt(best)


@part
def _between(numbers, box_a, box_b, X_ab):
    """A lower bound of the distance of two boxes: of that of a, and of one along its axes around that of b."""
    total = 0.0
    for i in range(3):
        middle, half = X_ab[9 + i], 0.0
        for j in range(3):
            low, high = numbers[box_b + j], numbers[box_b + 3 + j]
            middle += X_ab[3 * i + j] * (low + high) / 2
            half += abs(X_ab[3 * i + j]) * (high - low) / 2
        over = max(numbers[box_a + i] - middle - half, middle - half - numbers[box_a + 3 + i], 0.0)
        total += over * over
    return np.sqrt(total)


@part
def _corner_boxes(A, B):
    """Square of the distance of the boxes around two triangles."""
    total = 0.0
    for i in range(3):
        over = max(min(A[0, i], A[1, i], A[2, i]) - max(B[0, i], B[1, i], B[2, i]),
                   min(B[0, i], B[1, i], B[2, i]) - max(A[0, i], A[1, i], A[2, i]), 0.0)
        total += over * over
    return total


@part
def _leaves(numbers, indices, moved, head_a, head_b, node_a, node_b, best, p, q):
    """The nearest points of the triangles of two leaves; 0 where two of them cut one another."""
    start_a = indices[head_a + 3]
    A, B = np.empty((3, 3)), np.empty((3, 3))
    x, y = np.empty(3), np.empty(3)
    flat = np.empty(9)
    for f in range(indices[node_a + 1], indices[node_a + 1] + indices[node_a + 2]):
        for g in range(indices[node_b + 1], indices[node_b + 1] + indices[node_b + 2]):
            for k in range(3):
                a, b = start_a + 3 * indices[head_a + HEADER + 3 * f + k], 3 * indices[head_b + HEADER + 3 * g + k]
                for i in range(3):
                    A[k, i], B[k, i] = numbers[a + i], moved[b + i]
            bound = _corner_boxes(A, B)
            if bound > best:
                continue
            for k in range(3 if bound == 0 else 0):
                if (pierces(A[k], A[(k + 1) % 3] - A[k], B[0], B[1], B[2])
                        or pierces(B[k], B[(k + 1) % 3] - B[k], A[0], A[1], A[2])):
                    p[:] = A[k]
                    return 0.0
            for k in range(3):
                for l in range(3):
                    square = segments(A[k], A[(k + 1) % 3] - A[k], B[l], B[(l + 1) % 3] - B[l], x, y)
                    if square < best:
                        best = square
                        p[:], q[:] = x, y
            for k in range(3):
                flat[:] = B.ravel()
                on_triangle(flat, 0, 3, 6, A[k], y)
                square = dot3(A[k] - y, A[k] - y)
                if square < best:
                    best = square
                    p[:], q[:] = A[k], y
                flat[:] = A.ravel()
                on_triangle(flat, 0, 3, 6, B[k], x)
                square = dot3(B[k] - x, B[k] - x)
                if square < best:
                    best = square
                    p[:], q[:] = x, B[k]
    return best
