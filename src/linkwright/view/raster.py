"""Triangles to pixels: a depth buffer and shading interpolated over each triangle."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from ..codegen.dialect import compiled, floor, real, whole
from .tolerances import NO_AREA


def fill(points: np.ndarray, shades: np.ndarray, faces: np.ndarray, opacity: float, image: np.ndarray,
         depth: np.ndarray) -> None:
    """Draw triangles into `image` (h, w, 3).

    `points` are (x, y in pixels, 1/distance), `shades` colours at the vertices from 0 to 255; `depth` holds the
    greatest 1/distance so far.  What is not opaque is mixed with what is behind it and leaves `depth` alone.
    """
    _fill(np.ascontiguousarray(points, dtype=float), np.ascontiguousarray(shades, dtype=float),
          np.ascontiguousarray(faces, dtype=np.int64), opacity, image, depth)


@compiled
def _fill(points: real[:, 3], shades: real[:, 3], faces: whole[:, 3], opacity: float, image: real[:, :, 3],
          depth: real[:, :]) -> None:
    height, width = depth.shape
    for f in range(len(faces)):
        i, j, k = faces[f, 0], faces[f, 1], faces[f, 2]
        if points[i, 2] <= 0.0 or points[j, 2] <= 0.0 or points[k, 2] <= 0.0:
            continue
        x0, y0, x1, y1, x2, y2 = points[i, 0], points[i, 1], points[j, 0], points[j, 1], points[k, 0], points[k, 1]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if abs(area) < NO_AREA:
            continue
        left, right = max(int(floor(min(x0, x1, x2))), 0), min(int(-floor(-max(x0, x1, x2))), width - 1)
        top, bottom = max(int(floor(min(y0, y1, y2))), 0), min(int(-floor(-max(y0, y1, y2))), height - 1)
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                px, py = x + 0.5, y + 0.5
                w0 = ((x1 - px) * (y2 - py) - (x2 - px) * (y1 - py)) / area
                w1 = ((x2 - px) * (y0 - py) - (x0 - px) * (y2 - py)) / area
                w2 = 1.0 - w0 - w1
                if w0 < 0.0 or w1 < 0.0 or w2 < 0.0:
                    continue
                near = w0 * points[i, 2] + w1 * points[j, 2] + w2 * points[k, 2]
                if near <= depth[y, x]:
                    continue
                for c in range(3):
                    shade = w0 * shades[i, c] + w1 * shades[j, c] + w2 * shades[k, c]
                    image[y, x, c] = opacity * shade + (1.0 - opacity) * image[y, x, c]
                if opacity >= 1.0:
                    depth[y, x] = near
