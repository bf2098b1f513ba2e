"""The curves of plots beside a scene, live or saved: thinned out, gathered by their units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..result import Result, Trajectory, unit_of, written
from .tolerances import CURVE_POINTS, LEVEL, LEVEL_AT_ZERO

COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")
#: How the axes of a diagram in the panel are drawn: a light grid without ticks.  At the left there is room (pixels)
#: for numbers such as −100,000, which would be cut off otherwise.
GRID = {"ticks": {"show": False}, "grid": {"stroke": "#e2e5e9", "width": 1}, "stroke": "#495057"}
AXES = (GRID, {**GRID, "size": 66})

Lines = list[tuple[str, np.ndarray]]


@dataclass(frozen=True)
class Curve:
    """A number of a variable: its label and unit, and which entry of the whole, column by column, it is."""

    label: str
    unit: str
    whole: str
    entry: int


def labelled(series: Trajectory, names: Sequence[str]) -> list[Curve]:
    """The numbers that the names of variables and of their entries stand for."""
    out = []
    for name, values in series.get_many(list(names)).items():
        whole, place = series.whole(name)
        shape = np.shape(series[whole])[1:]
        unit = written(unit_of(series, whole))
        for entry in np.ndindex(*np.shape(values)[1:]):
            label = name if not entry else f"{name}[{','.join(map(str, entry))}]"
            at = int(np.ravel_multi_index(place or entry, shape, order="F")) if shape else 0
            out.append(Curve(label, unit, whole, at))
    return out


def curves(result: Result, names: Sequence[str]) -> tuple[np.ndarray, dict[str, Lines]]:
    """Times, and by unit (label, values) of every number of the variables, thinned out."""
    series = result.get_many(list(names))
    every = max(1, int(np.ceil(len(result.t) / CURVE_POINTS)))
    t = np.asarray(result.t)[::every]
    out: dict[str, Lines] = {}
    for name, values in series.items():
        flat = np.asarray(values).reshape(len(result.t), -1)[::every]
        for k in range(flat.shape[1]):
            label = name if flat.shape[1] == 1 else f"{name}[{k}]"
            out.setdefault(written(unit_of(result, name)), []).append((label, flat[:, k]))
    return t, out


def limits(lines: Lines) -> tuple[float, float]:
    """The range of an axis that shows all of the curves."""
    low = min(float(v.min()) for _, v in lines)
    high = max(float(v.max()) for _, v in lines)
    if high - low < LEVEL * max(abs(high), LEVEL_AT_ZERO):
        low, high = low - 0.5, high + 0.5
    pad = 0.12 * (high - low)  # lines and the labels of the axis have a width
    return low - pad, high + pad
