"""Faces of different parts that lie in one plane, look the same way and overlap: a viewer shows now one, now the other.

Faces that look at one another, of parts that lie on one another, are hidden by both; equal colours do not flicker.
"""

import itertools

import numpy as np

from linkwright.view.animation_files import result_animation
from linkwright.view.annotations import HIDDEN

#: how near planes are (relative to the size of the scene), and the least area that counts (to its square)
NEAR, SEEN = 1e-7, 1e-6


def flush(result) -> list[tuple[str, str]]:
    """Names of shapes with such faces, at the start of a run."""
    a = result_animation(result, times=np.array([result.t[0]]))
    low, high = a.bounds()
    size = float(np.linalg.norm(high - low))
    planes: dict[tuple, list] = {}
    for item in a.items:
        if item.mesh is None or item.shape.layer in HIDDEN or (item.visible is not None and not item.visible[0]):
            continue
        p, R, scale = a.pose(item, 0)
        corners = ((item.mesh[0] if item.vertices is None else item.vertices[0]) * scale @ R.T + p)[item.mesh[1]]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.linalg.norm(normals, axis=1) / 2
        for triangle, n, area in zip(corners, normals, areas, strict=True):
            if area > SEEN * size**2:
                n = n / (2 * area)
                key = (*np.round(n, 5) + 0.0, round(float(n @ triangle[0]) / (NEAR * size)))
                planes.setdefault(key, []).append((item.shape, triangle, n))
    found = set()
    for faces in planes.values():
        for (one, p, n), (other, q, _) in itertools.combinations(faces, 2):
            if one is not other and tuple(one.colour) != tuple(other.colour) and _shared(p, q, n) > SEEN * size**2:
                found.add((one.name, other.name))
    return sorted(found)


def _shared(p: np.ndarray, q: np.ndarray, n: np.ndarray) -> float:
    """The area that two triangles of a plane share (Sutherland and Hodgman 1974)."""
    left = list(q)
    for k in range(3):
        inward = np.cross(n, p[(k + 1) % 3] - p[k])
        heights = [inward @ (v - p[k]) for v in left]
        kept = []
        for j, v in enumerate(left):
            h, g = heights[j], heights[(j + 1) % len(left)]
            if h >= 0:
                kept.append(v)
            if (h < 0) != (g < 0):
                kept.append(v + h / (h - g) * (left[(j + 1) % len(left)] - v))
        left = kept
        if len(left) < 3:
            return 0.0
    total = sum(np.cross(left[k] - left[0], left[k + 1] - left[0]) for k in range(1, len(left) - 1))
    return abs(float(n @ total)) / 2
