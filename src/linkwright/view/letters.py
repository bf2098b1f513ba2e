"""Letters as flat shapes, drawn in a scene without a card behind them and turned to whoever looks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .meshes import Mesh

SIZE = 100.0  # points, at which outlines are taken: curves become so many straight pieces that no corner is seen
LINE = 1.2  # of the letters' size, from one line of text to the next


@lru_cache(maxsize=256)
def letters(text: str) -> Mesh | None:
    """A text of size 1 m around the origin, x to the right and y down as in a camera; None where nothing is printed."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    shown = FontProperties(family="DejaVu Sans")
    quads = []
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        outlines = TextPath((0.0, 0.0), line.replace("$", r"\$"), size=SIZE, prop=shown).to_polygons()
        quads += [quad - [0.0, number * LINE * SIZE] for quad in _trapezoids(outlines)]
    if not quads:
        return None
    flat = np.concatenate(quads) / SIZE
    flat = (flat - (flat.min(axis=0) + flat.max(axis=0)) / 2) * [1.0, -1.0]
    first = 4 * np.arange(len(quads))[:, None]
    return np.column_stack([flat, np.zeros(len(flat))]), np.vstack([first + [0, 1, 2], first + [0, 2, 3]])


def _trapezoids(outlines: list[np.ndarray]) -> list[np.ndarray]:
    """What outlines enclose (even-odd), cut into trapezoids between the heights of their corners."""
    begin = np.concatenate([outline[:-1] for outline in outlines])
    end = np.concatenate([outline[1:] for outline in outlines])
    heights = np.unique(np.concatenate([begin, end])[:, 1])
    quads = []
    for low, high in zip(heights[:-1], heights[1:], strict=True):
        middle = (low + high) / 2
        here = (begin[:, 1] < middle) != (end[:, 1] < middle)
        a, b = begin[here], end[here]
        slope = (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        at_low, at_high = (a[:, 0] + slope * (y - a[:, 1]) for y in (low, high))
        order = np.argsort(at_low + at_high)
        for left, right in zip(order[::2], order[1::2], strict=True):
            quads.append(np.array([[at_low[left], low], [at_low[right], low], [at_high[right], high],
                                   [at_high[left], high]]))
    return quads
