"""What an implicit method needs beside the steppers' common memory: the linearised model and its factors.

The model supplies the entries of two sparse matrices P (rows × states) and Q (rows × states and further unknowns w) of

    P δẋ = Q (δx, δw),

where w are the unknowns that the right-hand side itself solves for (multipliers, algebraic unknowns); without any, P is
the unit matrix and Q the Jacobian ∂f/∂x.  The systems (μ − J) δx = r of an implicit step are solved as

    ([μP 0] − Q) (δx, δw) = P r.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from .pivoting import elimination_order


class Linearised(NamedTuple):
    """The linearised model: `address` of code that gives the entries of P and then those of Q, and their places.

    `P` and `Q` are (rows, columns) of the entries; `n_work` is the work space that the code needs.
    """

    address: int
    P: tuple[Sequence[int], Sequence[int]]
    Q: tuple[Sequence[int], Sequence[int]]
    n_work: int = 0


class Implicit(NamedTuple):
    """Arrays of an implicit method."""

    entries: np.ndarray  # of P and Q, scaled
    scale: np.ndarray  # of every entry
    slot: np.ndarray  # where every entry lies in the factors
    place: np.ndarray  # of P's entries: their row in the order of elimination
    state: np.ndarray  # of P's entries: their column
    start: np.ndarray  # factors: where each row starts,
    column: np.ndarray  # the columns of its entries,
    diagonal: np.ndarray  # and its pivot
    target: np.ndarray  # which unknown each column is
    unscale: np.ndarray  # of every unknown
    real: np.ndarray  # factors for the real μ
    real_side: np.ndarray  # right-hand side, solution
    pair: np.ndarray  # factors for the complex μ
    pair_side: np.ndarray
    Z: np.ndarray  # the stages, less the start of the step
    w: np.ndarray  # the same in coordinates in which their equations are independent: one real,
    c: np.ndarray  # one complex vector
    dw: np.ndarray  # residuals, then changes of w
    dc: np.ndarray  # and of c
    guess: np.ndarray  # of the last stage, from the step before
    error: np.ndarray  # the estimate of the step's error
    v: np.ndarray  # an arbitrary direction


def empty(linearised: Linearised, n: int) -> Implicit:
    """Memory before pivots are chosen."""
    (rows_P, columns_P), (rows_Q, columns_Q) = linearised.P, linearised.Q
    size, count = _size(linearised), len(rows_P) + len(rows_Q)
    if len(rows_P) != len(columns_P) or len(rows_Q) != len(columns_Q) or not n <= size:
        raise ModelError(f"the patterns of P and Q do not fit {n} states.")
    whole, real, pair = (lambda k, kind=kind: np.zeros(k, dtype=kind) for kind in (np.int64, float, complex))
    return Implicit(real(count), np.ones(count), whole(count), whole(len(rows_P)),
                    np.array(columns_P, dtype=np.int64), whole(1), whole(0), whole(0), whole(size), np.ones(size),
                    real(0), real(size), pair(0), pair(size), np.zeros((3, n)),
                    real(n), pair(n), real(n), pair(n), real(n), real(n), np.random.default_rng(0).uniform(-1, 1, n))


def with_pivots(memory: Implicit, linearised: Linearised, n: int, mu: complex) -> Implicit | None:
    """The memory with pivots chosen for [μP 0] − Q at the present entries; None where no pivots exist."""
    size, n_P = _size(linearised), len(linearised.P[0])
    rows = np.concatenate([linearised.P[0], linearised.Q[0]]).astype(np.int64)
    columns = np.concatenate([linearised.P[1], linearised.Q[1]]).astype(np.int64)
    entries = memory.entries / memory.scale
    values = entries.astype(complex)
    values[:n_P] *= mu
    values[n_P:] *= -1.0
    order = elimination_order(size, rows, columns, values)
    if order is None:
        return None
    row_place, column_place = np.argsort(order.rows), np.argsort(order.columns)
    start = np.concatenate([[0], np.cumsum([len(row) for row in order.pattern])]).astype(np.int64)
    places = [(i, j) for i, row in enumerate(order.pattern) for j in row]
    column = np.array([j for _, j in places], dtype=np.int64)
    where = {place: k for k, place in enumerate(places)}
    slot = [where[i, j] for i, j in zip(row_place[rows].tolist(), column_place[columns].tolist(), strict=True)]
    diagonal = [where[i, i] for i in range(size)]
    scale = order.row_scale[rows] * order.column_scale[columns]
    return memory._replace(
        entries=entries * scale, scale=scale, slot=np.array(slot, dtype=np.int64), place=row_place[rows[:n_P]],
        start=start, column=column, diagonal=np.array(diagonal, dtype=np.int64), target=order.columns,
        unscale=order.column_scale, real=np.zeros(len(column)), pair=np.zeros(len(column), dtype=complex))


def _size(linearised: Linearised) -> int:
    """How many equations there are."""
    return int(max(np.max(linearised.Q[0], initial=-1), np.max(linearised.P[0], initial=-1))) + 1
