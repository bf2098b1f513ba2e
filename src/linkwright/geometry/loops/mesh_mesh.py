"""Two meshes: their nearest points while they are apart, and the vertices of each that lie deepest in the other."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, sqrt, whole, wholes
from ..shapes import Mesh
from ..tolerances import FAR
from ..touch import Routine
from .contact_points import write
from .flat_contact import MOST, four_of
from .mesh_gap import least_apart
from .trees import pack_mesh, signed_distance
from .triangles import box_distance
from .vectors import carried, dot3, minus, plus, relative, row3, times, turned


def mesh_mesh(one: Mesh, other: Mesh) -> Routine:
    """The loop over two meshes: 1 point for the nearest features, 4 vertices of each."""
    numbers_a, indices_a = pack_mesh(one)
    numbers_b, indices_b = pack_mesh(other, len(numbers_a))
    head = np.array([2, 2 + len(indices_a)], dtype=np.int64)
    return Routine(_touch_meshes, np.concatenate([numbers_a, numbers_b]), np.concatenate([head, indices_a, indices_b]))


@compiled
def _touch_meshes(X_a: real[12], X_b: real[12], numbers: real[:], indices: whole[:], out: real[:, 10]) -> None:
    X_ab, X_ba, p, q = reals(12), reals(12), reals(3), reals(3)
    relative(X_a, X_b, X_ab)
    relative(X_b, X_a, X_ba)
    head_a, head_b = indices[0], indices[1]
    apart = least_apart(numbers, indices, head_a, head_b, X_ab, p, q)
    if inside(numbers, indices, head_a, head_b, X_ba) or inside(numbers, indices, head_b, head_a, X_ab):
        apart = 0.0  # one within the other, their surfaces apart
    if apart > 0:
        n = turned(X_a, minus(q, p))
        write(out, 0, apart, (n[0] / apart, n[1] / apart, n[2] / apart), carried(X_a, p))
    # vertices inside the other mesh; while the meshes are apart, the nearest ones
    limit = apart if apart > 0 else np.inf
    deepest = min(_vertices(numbers, indices, head_a, head_b, X_a, X_b, X_ba, apart, False, out, 1),
                  _vertices(numbers, indices, head_b, head_a, X_b, X_a, X_ab, apart, True, out, 5))
    if not apart > 0:
        # edges cross and no vertex is inside: they touch where the meshes cut one another
        if deepest == np.inf:
            write(out, 0, 0.0, (0.0, 0.0, 1.0), carried(X_a, p))
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
            write(out, k, out[0, 0] + lift, row3(out[0], 1), row3(out[0], 4))


def inside(numbers: np.ndarray, indices: np.ndarray, head: int, other: int, X_rel: np.ndarray) -> bool:
    """Whether the first vertex of a mesh lies inside the other one."""
    boxes = indices[other + 3] + 6 * indices[other] + 12 * indices[other + 1]
    point, m = reals(3), reals(3)
    p = carried(X_rel, row3(numbers, indices[head + 3]))
    return box_distance(numbers, boxes, p) == 0 and signed_distance(numbers, indices, other, p, FAR, point, m) < 0


def _vertices(numbers: np.ndarray, indices: np.ndarray, head: int, other: int, X: np.ndarray, X_other: np.ndarray,
              X_rel: np.ndarray, apart: float, swapped: bool, out: np.ndarray, first: int) -> float:
    """Rows `first` … `first` + 3: vertices of one mesh inside the other, those farthest out; the least gap of them."""
    n_v, start = indices[head], indices[head + 3]
    boxes = indices[other + 3] + 6 * indices[other] + 12 * indices[other + 1]
    points, rows = reals(MOST, 3), reals(MOST, 10)
    point, m = reals(3), reals(3)
    chosen = wholes(4)
    count, least = 0, np.inf
    if not apart > 0:
        for k in range(n_v):
            v = row3(numbers, start + 3 * k)
            p = carried(X_rel, v)
            if box_distance(numbers, boxes, p) > 0:
                continue
            gap = signed_distance(numbers, indices, other, p, FAR, point, m)
            if gap > 0:
                continue
            n, world = turned(X_other, m), carried(X, v)  # outward normal of the other mesh
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
    mean = 0.0, 0.0, 0.0
    for j in range(count):
        mean = plus(mean, row3(rows[j], 1), 1.0)
    length = sqrt(dot3(mean, mean))
    mean = times(1 / length, mean) if length > 0 else (mean[0], mean[1], 1.0)
    found = four_of(points, count, X, mean, chosen) if count else 0
    for k in range(4):
        if k < found:
            out[first + k] = rows[chosen[k]]
        else:
            out[first + k, 0] = np.inf
    return least
