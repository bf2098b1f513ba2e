"""The range of a table over an interval, as an expression of the interval's ends.

The pieces of a table are divided into cells, and cells put together by fours, level by level; on a level every cell
knows the least and greatest value in itself and the next one.  An interval not wider than one cell, counted in cells,
lies in two of them, so those of the lowest such level bound it.  Beyond its ends a table is straight: there the values
at the ends of the interval tell.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from .tables import Table, steps, table_data
from .tolerances import CELLS, REAL_ROOT


def table_range(table: ca.Function, box: tuple[ca.SX, ca.SX]) -> tuple[ca.SX, ca.SX]:
    """(least, greatest) value of a table, one of `tables`, over an interval."""
    breaks, coefficients = table_data(table)
    knots = breaks[1:-1]
    low, high = (ca.fmin(ca.fmax(end, knots[0]), knots[-1]) for end in box)
    edges = np.interp(np.arange(CELLS * (len(knots) - 1) + 1) / CELLS, np.arange(len(knots)), knots)
    number = Table(edges, np.arange(len(edges)))
    width = number(high) - number(low)
    turns = _turning_points(breaks, coefficients)
    values = np.array(table(turns)).ravel()
    least, greatest, size = ca.SX(values.min()), ca.SX(values.max()), 1
    while 2 * size < len(edges):
        size *= 4
    while size >= 1:
        some = edges if size == 1 else np.append(edges[:-1:size], edges[-1])
        below, above = _extremes(table, some, turns, values)
        within = width <= size
        least = ca.if_else(within, steps(some, below)(low), least)
        greatest = ca.if_else(within, steps(some, above)(low), greatest)
        size //= 4
    ends = table(box[0]), table(box[1])
    inside = high > low
    return (ca.fmin(ca.fmin(*ends), ca.if_else(inside, least, ends[0])),
            ca.fmax(ca.fmax(*ends), ca.if_else(inside, greatest, ends[0])))


def knot_number(table: ca.Function) -> ca.Function:
    """How many points of a table lie below an argument, with what is between them in proportion."""
    knots = table_data(table)[0][1:-1]
    return Table(knots, np.arange(len(knots)), extrapolation="hold").casadi


def _turning_points(breaks: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Breakpoints within the table and the points between where a piece has an extremum."""
    points = list(breaks[1:-1])
    for k in range(1, len(breaks) - 2):
        slopes = (coefficients[k, 1:] * np.arange(1, coefficients.shape[1]))[::-1]
        inner = np.roots(slopes) if np.any(slopes) else np.zeros(0)
        width = breaks[k + 1] - breaks[k]
        points += [breaks[k] + x.real for x in inner if abs(x.imag) < REAL_ROOT and 0 < x.real < width]
    return np.sort(points)


def _extremes(table: ca.Function, edges: np.ndarray, turns: np.ndarray,
              values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest value in every cell and the next."""
    at = np.array(table(edges)).ravel()
    below, above = np.minimum(at[:-1], at[1:]), np.maximum(at[:-1], at[1:])
    cell = np.clip(np.searchsorted(edges, turns, side="right") - 1, 0, len(edges) - 2)
    np.minimum.at(below, cell, values)
    np.maximum.at(above, cell, values)
    return np.minimum(below, np.append(below[1:], below[-1])), np.maximum(above, np.append(above[1:], above[-1]))
