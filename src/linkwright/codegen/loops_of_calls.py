"""Loops that programs call, in the dialect: tables, values and slopes of routines, the best row of a table.

A table is `double (x)`.  The others are `void (x, y, stride)`, numbers a stride apart, of a function that is put in by
its name.  Sizes and numbers that go with them are put in as well.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import numpy as np

from .dense_solves import ENDLESS
from .dialect import ByName, real, reals, wholes

#: put in by their names: numbers that go in and come out, steps of differences, tables and their lengths (the columns
#: of B one after the other, with rows repeated at their ends to a multiple of the width), breakpoints and coefficients
#: of polynomials between them, functions
STEPS = COLUMNS = BREAKS = np.zeros(1)
A = B = COEFFICIENTS = np.zeros((1, 1))
N_IN = N_OUT = N_A = N_B = WIDTH = len(STEPS)
routine, scores, results = ByName("routine", 2), ByName("scores", 4), ByName("results", 4)


def look_up(x: float) -> float:
    """c₀ + d (c₁ + d (…)) with d = x − BREAKS[low] on the piece in which x lies; the end pieces go on beyond."""
    low, high = 0, len(BREAKS) - 1
    while high - low > 1:
        middle = (low + high) >> 1
        low, high = (middle, high) if x >= BREAKS[middle] else (low, middle)
    d, last = x - BREAKS[low], COEFFICIENTS.shape[1] - 1
    y = COEFFICIENTS[low, last]
    for k in range(last):
        y = y * d + COEFFICIENTS[low, last - 1 - k]
    return y


def values(x: real[ENDLESS], y: real[ENDLESS], stride: int) -> None:
    """What a routine gives."""
    here, found = reals(N_IN), reals(N_OUT)
    for i in range(N_IN):
        here[i] = x[i * stride]
    routine(here, found)
    for k in range(N_OUT):
        y[k * stride] = found[k]


def slopes(x: real[ENDLESS], y: real[ENDLESS], stride: int) -> None:
    """Its Jacobian by central differences, column after column."""
    here, after, before = reals(N_IN), reals(N_OUT), reals(N_OUT)
    for i in range(N_IN):
        here[i] = x[i * stride]
    for i in range(N_IN):
        middle = here[i]
        up, down = middle + STEPS[i], middle - STEPS[i]
        here[i] = up
        routine(here, after)
        here[i] = down
        routine(here, before)
        here[i] = middle
        for k in range(N_OUT):
            y[(i * N_OUT + k) * stride] = (after[k] - before[k]) / (up - down)


def best(x: real[ENDLESS], y: real[ENDLESS], stride: int) -> None:
    """Results of the first pair of rows with the least score; rows of the inner table are scored side by side."""
    here, scored, found = reals(N_IN), reals(WIDTH), reals(N_OUT)
    least, at = reals(WIDTH), wholes(WIDTH)
    for k in range(N_IN):
        here[k] = x[k * stride]
    for k in range(WIDTH):
        least[k], at[k] = np.inf, 0
    for i in range(N_A):
        for j in range(0, N_B, WIDTH):
            scores(here, A[i], COLUMNS[j:N_B], scored)
            for k in range(WIDTH):
                less = scored[k] < least[k]
                least[k] = scored[k] if less else least[k]
                at[k] = i * N_B + j + k if less else at[k]
    lowest, place = np.inf, 0
    for k in range(WIDTH):
        if least[k] < lowest or (least[k] == lowest and at[k] < place):
            lowest, place = least[k], at[k]
    results(here, A[place // N_B], B[place % N_B], found)
    for k in range(N_OUT):
        y[k * stride] = found[k]
