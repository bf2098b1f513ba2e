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
from .collocation import MU_PAIR
from .pivoting import elimination_order
from .tolerances import FIRST_LENGTH


class Pivots(NamedTuple):
    """Which entries are divided by, in which order (see `pivoting`), and where that puts all others."""

    scale: np.ndarray  # of every entry
    slot: np.ndarray  # where every entry lies in the factors
    place: np.ndarray  # of P's entries: their row in the order of elimination
    start: np.ndarray  # factors: where each row starts,
    column: np.ndarray  # the columns of its entries,
    diagonal: np.ndarray  # and its pivot
    target: np.ndarray  # which unknown each column is
    unscale: np.ndarray  # of every unknown


class Linearised(NamedTuple):
    """The linearised model: `address` of code that gives the entries of P and then those of Q, and their places.

    `P` and `Q` are (rows, columns) of the entries; `n_work` is the work space that the code needs.  Runs begin with
    `pivots`, if there are some, so that all of them have the same ones.
    """

    address: int
    P: tuple[Sequence[int], Sequence[int]]
    Q: tuple[Sequence[int], Sequence[int]]
    n_work: int = 0
    pivots: Pivots | None = None

    @property
    def size(self) -> int:
        """How many equations there are."""
        return int(max(np.max(self.Q[0], initial=-1), np.max(self.P[0], initial=-1))) + 1

    @property
    def n_entries(self) -> int:
        """How many entries there are."""
        return len(self.P[0]) + len(self.Q[0])


#: arrays of an implicit method: the entries of P and Q, scaled; factors for the real μ, and a right-hand side that
#: becomes the solution; the stages, less the start of the step; the same in coordinates in which their equations are
#: independent (w); residuals, then changes of w (dw); a first guess of the last stage; the estimate of the step's error
REAL = ("entries", "real", "real_side", "Z", "w", "dw", "guess", "error")
#: complex ones: factors for the complex μ, their right-hand side, the other coordinates of the stages, their changes
COMPLEX = ("pair", "pair_side", "c", "dc")
#: those of which nothing is needed between steps
SCRATCH = ("real_side", "Z", "w", "dw", "guess", "error", "pair_side", "c", "dc")


def shapes(linearised: Linearised, n: int) -> dict[str, tuple[int, ...]]:
    """The shapes of an implicit method's arrays, of n states."""
    (rows_P, columns_P), (rows_Q, columns_Q) = linearised.P, linearised.Q
    size, filled = linearised.size, 0 if linearised.pivots is None else len(linearised.pivots.column)
    if len(rows_P) != len(columns_P) or len(rows_Q) != len(columns_Q) or not n <= size:
        raise ModelError(f"the patterns of P and Q do not fit {n} states.")
    return {"entries": (linearised.n_entries,), "real": (filled,), "real_side": (size,), "Z": (3, n), "w": (n,),
            "dw": (n,), "guess": (n,), "error": (n,), "pair": (filled,), "pair_side": (size,), "c": (n,), "dc": (n,)}


def direction(n: int) -> np.ndarray:
    """An arbitrary direction in the space of states."""
    return np.random.default_rng(0).uniform(-1, 1, n)


def unchosen(linearised: Linearised) -> Pivots:
    """Before pivots are chosen: entries are not scaled."""
    none = np.zeros(0, dtype=np.int64)
    return Pivots(np.ones(linearised.n_entries), np.zeros(linearised.n_entries, dtype=np.int64),
                  np.zeros(len(linearised.P[0]), dtype=np.int64), np.zeros(1, dtype=np.int64), none, none, none,
                  np.ones(linearised.size))


def first_pivots(linearised: Linearised, entries: np.ndarray) -> Pivots | None:
    """Pivots to begin with, for entries of P and Q at some state; None where these have none."""
    return pivots_of(linearised, entries, MU_PAIR / FIRST_LENGTH)


def pivots_of(linearised: Linearised, entries: np.ndarray, mu: complex) -> Pivots | None:
    """Pivots for [μP 0] − Q with these entries of P and Q; None where there are none."""
    size, n_P = linearised.size, len(linearised.P[0])
    rows = np.concatenate([linearised.P[0], linearised.Q[0]]).astype(np.int64)
    columns = np.concatenate([linearised.P[1], linearised.Q[1]]).astype(np.int64)
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
    return Pivots(order.row_scale[rows] * order.column_scale[columns], np.array(slot, dtype=np.int64),
                  row_place[rows[:n_P]], start, column, np.array(diagonal, dtype=np.int64), order.columns,
                  order.column_scale)
