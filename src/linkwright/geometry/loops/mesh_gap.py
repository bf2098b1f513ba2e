"""The nearest points of two meshes, by the trees of their boxes."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

from ...codegen.dialect import reals, sqrt, wholes
from .trees import HEADER
from .triangles import corner, on_triangle, pierces, segments
from .vectors import Vector, carried, dot3, minus, row3

STACK = 512


def _between(numbers: np.ndarray, box_a: int, box_b: int, X_ab: np.ndarray) -> float:
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
    return sqrt(total)


def _corner_boxes(A: np.ndarray, B: np.ndarray) -> float:
    """Square of the distance of the boxes around two triangles."""
    total = 0.0
    for i in range(3):
        over = max(min(A[0, i], A[1, i], A[2, i]) - max(B[0, i], B[1, i], B[2, i]),
                   min(B[0, i], B[1, i], B[2, i]) - max(A[0, i], A[1, i], A[2, i]), 0.0)
        total += over * over
    return total


def _leaves(numbers: np.ndarray, indices: np.ndarray, X_ab: np.ndarray, head_a: int, head_b: int, node_a: int,
            node_b: int, best: float, p: np.ndarray, q: np.ndarray) -> float:
    """The nearest points of the triangles of two leaves; 0 where two of them cut one another."""
    start_a, start_b = indices[head_a + 3], indices[head_b + 3]
    A, B, x, y = reals(3, 3), reals(3, 3), reals(3), reals(3)
    for f in range(indices[node_a + 1], indices[node_a + 1] + indices[node_a + 2]):
        for k in range(3):
            A[k] = corner(numbers, indices, start_a, head_a + HEADER + 3 * f + k)
        for g in range(indices[node_b + 1], indices[node_b + 1] + indices[node_b + 2]):
            for k in range(3):  # the triangle of b in the axes of a
                B[k] = carried(X_ab, corner(numbers, indices, start_b, head_b + HEADER + 3 * g + k))
            bound = _corner_boxes(A, B)
            if bound > best:
                continue
            for k in range(3 if bound == 0 else 0):
                if (pierces(A[k], minus(A[(k + 1) % 3], A[k]), B[0], B[1], B[2])
                        or pierces(B[k], minus(B[(k + 1) % 3], B[k]), A[0], A[1], A[2])):
                    p[:] = A[k]
                    return 0.0
            for k in range(3):
                for l in range(3):
                    square = segments(A[k], minus(A[(k + 1) % 3], A[k]), B[l], minus(B[(l + 1) % 3], B[l]), x, y)
                    if square < best:
                        best = square
                        p[:] = x
                        q[:] = y
            for k in range(3):
                best = _over(A[k], B, best, p, q)
                best = _over(B[k], A, best, q, p)
    return best


def _over(v: Vector, T: np.ndarray, best: float, p: np.ndarray, q: np.ndarray) -> float:
    """A corner v over a triangle: the nearest point goes to q, v to p, if they are the nearest so far."""
    _, foot = on_triangle(row3(T[0], 0), row3(T[1], 0), row3(T[2], 0), row3(v, 0))
    d = minus(v, foot)
    square = dot3(d, d)
    if square < best:
        p[:] = v
        q[:] = foot
        return square
    return best


def least_apart(numbers: np.ndarray, indices: np.ndarray, head_a: int, head_b: int, X_ab: np.ndarray, p: np.ndarray,
                q: np.ndarray) -> float:
    """Distance of two meshes in the axes of a, with the nearest points; 0 where they cut one another."""
    n_a, f_a, start_a = indices[head_a], indices[head_a + 1], indices[head_a + 3]
    n_b, f_b, start_b = indices[head_b], indices[head_b + 1], indices[head_b + 3]
    nodes_a, nodes_b = head_a + HEADER + 3 * f_a, head_b + HEADER + 3 * f_b
    boxes_a, boxes_b = start_a + 6 * n_a + 12 * f_a, start_b + 6 * n_b + 12 * f_b
    stack = wholes(STACK, 2)
    stack[0, 0], stack[0, 1] = 0, 0
    depth, best = 1, np.inf
    while depth > 0:
        depth -= 1
        i, j = stack[depth, 0], stack[depth, 1]
        low = _between(numbers, boxes_a + 6 * i, boxes_b + 6 * j, X_ab)
        if low > 0 and low * low >= best:
            continue
        child_a, child_b = indices[nodes_a + 3 * i], indices[nodes_b + 3 * j]
        if child_a < 0 and child_b < 0:
            best = _leaves(numbers, indices, X_ab, head_a, head_b, nodes_a + 3 * i, nodes_b + 3 * j, best, p, q)
            if best == 0:
                return 0.0
            continue
        # split the one with more faces, and look at the nearer half first
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
    return sqrt(best)
