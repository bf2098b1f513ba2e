"""Rows of two meshes: the corners of each that lie deepest in the other; while they are apart, their nearest points.

Edges that cut one another where no corner is inside do not press; a bed of springs (`foundation_rows`) minds them.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import compiled, real, reals, whole
from ..compliant_pairs import Pressing
from ..shapes import Mesh
from ..tolerances import FAR, NEAREST_ROUNDING
from .mesh_gap import least_apart
from .mesh_mesh import inside, mesh_mesh
from .rows import lift, no_pose, put
from .trees import signed_distance
from .triangles import box_distance
from .vectors import carried, minus, relative, row3, times, turned

N_ROWS = 16


def press_meshes(one: Mesh, other: Mesh) -> Pressing:
    """Two meshes."""
    loop = mesh_mesh(one, other)
    sizes = [np.ptp(mesh.vertices, axis=0).max() for mesh in (one, other)]
    return Pressing(f"{__name__}:vertex_rows", np.append(loop.numbers, 0.02 * min(sizes)), loop.indices, N_ROWS)


def _rows(X_ab: np.ndarray, numbers: np.ndarray, indices: np.ndarray, y: np.ndarray) -> None:
    X_a, X_ba, p, q = reals(12), reals(12), reals(3), reals(3)
    no_pose(X_a)
    relative(X_ab, X_a, X_ba)
    margin = numbers[numbers.size - 1]
    head_a, head_b = indices[0], indices[1]
    apart = least_apart(numbers, indices, head_a, head_b, X_ab, p, q)
    if inside(numbers, indices, head_a, head_b, X_ba) or inside(numbers, indices, head_b, head_a, X_ab):
        apart = 0.0  # one within the other, their surfaces apart
    found = 0
    if apart < margin:
        found = _vertices(numbers, indices, head_a, head_b, X_a, X_ab, X_ba, 1.0, margin, y, found)
        found = _vertices(numbers, indices, head_b, head_a, X_ab, X_a, X_ab, -1.0, margin, y, found)
    if apart > 0 and (found == 0 or y[0] > apart * (1 + NEAREST_ROUNDING)):
        d = minus(q, p)
        found = put(y, found, apart, (d[0] / apart, d[1] / apart, d[2] / apart), row3(p, 0), 1.0)
    if found == 0:
        found = put(y, 0, 0.0, (0.0, 0.0, 1.0), row3(p, 0), 1.0)
    lift(y, found, margin)


def _vertices(numbers: np.ndarray, indices: np.ndarray, head: int, other: int, X: np.ndarray, X_other: np.ndarray,
              X_rel: np.ndarray, side: float, margin: float, y: np.ndarray, found: int) -> int:
    """Corners of one mesh (in the pose X) nearer to the other than the margin, or inside it."""
    count, start = indices[head], indices[head + 3]
    boxes = indices[other + 3] + 6 * indices[other] + 12 * indices[other + 1]
    point, m = reals(3), reals(3)
    for k in range(count):
        v = row3(numbers, start + 3 * k)
        p = carried(X_rel, v)
        if box_distance(numbers, boxes, p) >= margin * margin:
            continue
        gap = signed_distance(numbers, indices, other, p, FAR, point, m)
        if gap >= margin:
            continue
        n = times(-side, turned(X_other, m))  # outward from the other mesh, then from a to b
        p = carried(X, v) if side > 0 else carried(X_other, point)
        found = put(y, found, gap, n, p, 1.0)
    return found


@compiled
def vertex_rows(x: real[:], numbers: real[:], indices: whole[:], y: real[:]) -> None:
    """Rows of two meshes."""
    _rows(x, numbers, indices, y)
