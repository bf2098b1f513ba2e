"""Colour maps of Modelica's Visualizers.Colors: tables of red, green, blue from 0 to 255."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import unknown_name

if TYPE_CHECKING:
    from ..language import Component

#: piecewise linear: places from 0 to 1, and the colour there
MAPS = {
    "jet": ([0, 0.125, 0.375, 0.625, 0.875, 1],
            [(0, 0, 0.5), (0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 0, 0), (0.5, 0, 0)]),
    "hot": ([0, 0.375, 0.75, 1], [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]),
    "gray": ([0, 1], [(0, 0, 0), (1, 1, 1)]),
    "spring": ([0, 1], [(1, 0, 1), (1, 1, 0)]),
    "summer": ([0, 1], [(0, 0.5, 0.4), (1, 1, 0.4)]),
    "autumn": ([0, 1], [(1, 0, 0), (1, 1, 0)]),
    "winter": ([0, 1], [(0, 0, 1), (0, 1, 0.5)]),
}


def colour_map(name: str, n: int = 64, component: Component | None = None) -> np.ndarray:
    """(n, 3) integers from 0 to 255."""
    if name not in MAPS:
        raise unknown_name(name, MAPS, f"{component.path if component is not None else 'the table'}: colour maps")
    places, colours = MAPS[name]
    at = np.linspace(0.0, 1.0, max(n, 2))
    return np.round(255 * np.column_stack([np.interp(at, places, [c[k] for c in colours]) for k in range(3)])).astype(
        int)
