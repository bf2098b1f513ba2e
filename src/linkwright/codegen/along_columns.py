"""The loop around a program that runs along many columns (`columns`), in the dialect."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from .dense_solves import ENDLESS
from .dialect import ByName, real

#: put in by their names: the lengths of a `columns.Shape`; how many columns and lanes; what the program reads and
#: writes; whether entries beyond `along` stay; seeds of every column, and which entries are added to which of them
SEEDS, KEPT = np.zeros((1, 1)), np.zeros(1, dtype=np.int64)
HEAD = ALONG = COLUMN = TAIL = REST = REST_OUT = N = W = N_X = N_Y = STAY = len(KEPT)
point = ByName("model_point", 3)


def columns(given: real[ENDLESS], out: real[ENDLESS], work: real[ENDLESS]) -> None:
    """The program at all columns, W at a time: fill the lanes, call, empty them."""
    x, y, own = work[0 : N_X * W], work[N_X * W : (N_X + N_Y) * W], work[(N_X + N_Y) * W : ENDLESS]
    seeded = HEAD + ALONG
    tail, read = HEAD + N * COLUMN, seeded + SEEDS.shape[1]
    for i in range(HEAD):
        x[i * W : (i + 1) * W] = given[i]
    for i in range(N_X - read):
        x[(read + i) * W : (read + i + 1) * W] = given[tail + i]
    for first in range(0, N, W):
        for lane in range(W):
            # lanes beyond the last column repeat it
            column = min(first + lane, N - 1)
            start = HEAD + column * COLUMN
            for i in range(ALONG):
                x[(HEAD + i) * W + lane] = given[start + i]
            for i in range(SEEDS.shape[1]):
                x[(seeded + i) * W + lane] = SEEDS[column, i]
            for k in range(len(KEPT)):
                x[(seeded + KEPT[k]) * W + lane] += given[start + ALONG + k]
        point(x, y, own)
        if first == 0:
            for i in range(ALONG):
                out[i] = y[i * W]
            for i in range(REST):
                out[ALONG + N * COLUMN + i] = y[(2 * ALONG + i) * W]
        for lane in range(min(W, N - first)):
            column = first + lane
            for i in range(ALONG):
                out[ALONG + column * COLUMN + i] = y[(ALONG + i) * W + lane]
            for i in range(ALONG, COLUMN):
                out[ALONG + column * COLUMN + i] = given[HEAD + column * COLUMN + i] if STAY else 0.0
    out[ALONG + N * COLUMN + REST : ALONG + N * COLUMN + REST_OUT] = 0.0
