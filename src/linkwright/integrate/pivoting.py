"""The order in which a sparse matrix is eliminated: short rows first, on entries that are large enough.

The matrix is scaled by powers of two until its entries are comparable.  Then, step by step, the shortest row is taken,
and in it, among the entries within a factor of its largest, the one in the shortest column (Duff, Erisman, Reid, Direct
Methods for Sparse Matrices, 2nd ed. 2017, §5.2 and §7.2).  A row q̇ᵢ = uᵢ is short, so coordinates go first and the
system halves; a loop's equation is short too, so its dependent speed goes before what the loops share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .tolerances import PIVOT, SWEEPS


class Order(NamedTuple):
    """Pivots (the i-th is at row `rows[i]`, column `columns[i]`), the pattern of L + U in their order, the scaling."""

    rows: np.ndarray
    columns: np.ndarray
    pattern: list[list[int]]
    row_scale: np.ndarray
    column_scale: np.ndarray


def elimination_order(n: int, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> Order | None:
    """The order for the n × n matrix with these entries (several at one place are added); None where it is singular."""
    row_scale, column_scale = scaling(n, rows, columns, values)
    matrix: list[dict[int, complex]] = [{} for _ in range(n)]
    for i, j, value in zip(rows.tolist(), columns.tolist(), (values * row_scale[rows] * column_scale[columns]).tolist(),
                           strict=True):
        matrix[i][j] = matrix[i].get(j, 0.0) + value
    holders: list[set[int]] = [set() for _ in range(n)]
    for i, entries in enumerate(matrix):
        for j in entries:
            holders[j].add(i)
    waiting, length = list(range(n)), [len(entries) for entries in matrix]
    lower: list[list[int]] = [[] for _ in range(n)]
    pivot_rows, pivot_columns = [], []
    for step in range(n):
        i = min(waiting, key=length.__getitem__)
        entries = matrix[i]
        largest = max(map(abs, entries.values()), default=0.0)
        if not 0.0 < largest < np.inf:
            return None
        good = [j for j, value in entries.items() if abs(value) >= PIVOT * largest]
        j = min(good, key=lambda k: (len(holders[k]), k))
        waiting.remove(i)
        pivot_rows.append(i)
        pivot_columns.append(j)
        for k in entries:
            holders[k].discard(i)
        for k in holders[j]:
            other = matrix[k]
            factor = other.pop(j) / entries[j]
            lower[k].append(step)
            for c, value in entries.items():
                if c != j:
                    if c not in other:
                        holders[c].add(k)
                    other[c] = other.get(c, 0.0) - factor * value
            length[k] = len(other)
        holders[j] = set()
    place = {column: k for k, column in enumerate(pivot_columns)}
    pattern = [lower[i] + sorted(place[column] for column in matrix[i]) for i in pivot_rows]
    return Order(np.array(pivot_rows, dtype=np.int64), np.array(pivot_columns, dtype=np.int64), pattern, row_scale,
                 column_scale)


def scaling(n: int, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Powers of two for rows and columns that bring the largest entry of each near one (Ruiz 2001)."""
    row_scale, column_scale = np.ones(n), np.ones(n)
    size = np.abs(values)
    for _ in range(SWEEPS):
        scaled = size * row_scale[rows] * column_scale[columns]
        for scale, places in ((row_scale, rows), (column_scale, columns)):
            largest = np.zeros(n)
            np.maximum.at(largest, places, scaled)
            usable = (largest > 0) & np.isfinite(largest)
            scale[usable] *= 2.0 ** -(np.frexp(largest[usable])[1] // 2)
    return row_scale, column_scale
