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
from .pivoting import Order, elimination_order
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


#: arrays of an implicit method: the entries of P and Q, scaled; factors for the real μ and for the complex one, each
#: with a right-hand side that becomes the solution; the stages, less the start of the step; the same in coordinates in
#: which their equations are independent (w, c); residuals, then changes of these (dw, dc); a first guess of the last
#: stage; the estimate of the step's error; factors of the whole matrix, and the orders of their rows, where the pivots
#: of the start do not suit
ARRAYS = ("entries", "real", "real_side", "Z", "w", "dw", "guess", "error", "pair", "pair_side", "c", "dc",
          "real_whole", "real_order", "pair_whole", "pair_order")
#: those that are not of real numbers
KINDS: dict[str, type] = {**dict.fromkeys(("pair", "pair_side", "c", "dc", "pair_whole"), complex),
                          "real_order": int, "pair_order": int}
#: what is not needed between steps, or is found again from the rest (factors)
SCRATCH = ("real_side", "Z", "w", "dw", "guess", "error", "pair_side", "c", "dc", "real", "pair", "factored_h",
           "real_whole", "real_order", "pair_whole", "pair_order")


def shapes(linearised: Linearised, n: int, room: int) -> dict[str, tuple[int, ...]]:
    """The shapes of an implicit method's arrays, of n states, with room for so many equations as a whole."""
    (rows_P, columns_P), (rows_Q, columns_Q), pivots = linearised.P, linearised.Q, linearised.pivots
    if len(rows_P) != len(columns_P) or len(rows_Q) != len(columns_Q) or not n <= linearised.size:
        raise ModelError(f"the patterns of P and Q do not fit {n} states.")
    assert pivots is not None
    side, factors = (linearised.size,), (len(pivots.column),)
    return {**dict.fromkeys(ARRAYS, (n,)), "entries": (linearised.n_entries,), "real": factors, "real_side": side,
            "Z": (3, n), "pair": factors, "pair_side": side, "real_whole": (room, room), "real_order": (room,),
            "pair_whole": (room, room), "pair_order": (room,)}


def direction(n: int) -> np.ndarray:
    """An arbitrary direction in the space of states."""
    return np.random.default_rng(0).uniform(-1, 1, n)


def first_pivots(linearised: Linearised, entries: np.ndarray) -> Pivots | None:
    """Pivots to begin with, for entries of P and Q at some state; None where these have none."""
    return pivots_of(linearised, entries, MU_PAIR / FIRST_LENGTH)


def pivots_of(linearised: Linearised, entries: np.ndarray, mu: complex) -> Pivots | None:
    """Pivots for [μP 0] − Q with these entries of P and Q; None where there are none."""
    n_P = len(linearised.P[0])
    values = entries.astype(complex)
    values[:n_P] *= mu
    values[n_P:] *= -1.0
    order = elimination_order(linearised.size, *_places(linearised), values)
    return None if order is None else _pivots(linearised, order)


def unchosen(linearised: Linearised) -> Pivots:
    """Where no pivots are chosen: the entries as they are."""
    size, (rows, columns) = linearised.size, _places(linearised)
    pattern, as_they_are = [sorted({*columns[rows == i].tolist(), i}) for i in range(size)], np.arange(size)
    return _pivots(linearised, Order(as_they_are, as_they_are, pattern, np.ones(size), np.ones(size)))


def _places(linearised: Linearised) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of all entries."""
    rows, columns = (np.concatenate(both).astype(np.int64) for both in zip(linearised.P, linearised.Q, strict=True))
    return rows, columns


def _pivots(linearised: Linearised, order: Order) -> Pivots:
    """Where an order of elimination puts the entries."""
    rows, columns = _places(linearised)
    row_place, column_place = np.argsort(order.rows), np.argsort(order.columns)
    start = np.concatenate([[0], np.cumsum([len(row) for row in order.pattern])]).astype(np.int64)
    places = [(i, j) for i, row in enumerate(order.pattern) for j in row]
    column = np.array([j for _, j in places], dtype=np.int64)
    where = {place: k for k, place in enumerate(places)}
    slot = [where[i, j] for i, j in zip(row_place[rows].tolist(), column_place[columns].tolist(), strict=True)]
    diagonal = [where[i, i] for i in range(linearised.size)]
    return Pivots(order.row_scale[rows] * order.column_scale[columns], np.array(slot, dtype=np.int64),
                  row_place[rows[: len(linearised.P[0])]], start, column, np.array(diagonal, dtype=np.int64),
                  order.columns, order.column_scale)
