"""Features that leave no trace in samples: found by bounds on the witnesses between them.

A witness such as exp(−((s − 8.4)/0.01)²) − ½ is flat but for a short hump.  The polynomials through its samples know
nothing of the hump; but the polynomials through the samples of the argument of the exponential do (such arguments are
the bases, see `codegen.intervals`).  The coefficients of a polynomial in Bernstein's basis bound it (Farouki, Rajan,
Computer Aided Geometric Design 4 (1987) 191), on any part of the piece after as many halvings; the compiled function
`bounds` turns the bounds of the bases into bounds of the witnesses.  Where these exclude zero there is no root.  Where
they do not, though the polynomial through the samples hardly moves, something may be hidden: parts are halved until all
is clear, or until one is left that is short enough to be sampled anew.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np

from ..codegen import cosine, inverse
from .model_call import call
from .record import G_BASES, G_CLEAR, G_SAMPLES, N_SAMPLES, View
from .tolerances import BOUND_ROUNDING, HALVINGS, KNOWN, TRUST

PIECES = N_SAMPLES - 1  # of a step between samples
ALL_ROOTS = -1
WHOLE = 0
SHORT = 0.5**HALVINGS  # of a piece: the shortest parts

#: Chebyshev–Lobatto points in [0, 1]
POINTS = np.array([0.5 - 0.5 * cosine(Fraction(k, PIECES)) for k in range(PIECES + 1)])
#: from values at the points to the coefficients in Bernstein's basis
BERNSTEIN = inverse([[comb(PIECES, k) * x**k * (1 - x) ** (PIECES - k) for k in range(PIECES + 1)]
                     for x in map(Fraction, POINTS)])


def _last() -> np.ndarray:
    """The rows from values at the points to the last three Chebyshev coefficients."""
    rows = np.array([[2.0 / PIECES * cosine(Fraction(k * j, PIECES)) for j in range(PIECES + 1)]
                     for k in range(PIECES - 2, PIECES + 1)])
    rows[:, [0, -1]] *= 0.5
    rows[-1] *= 0.5
    return rows


LAST = _last()


def misfit(G: np.ndarray, i: int) -> float:
    """The last coefficients of the polynomial through the samples of column i: an estimate of its error."""
    c0 = c1 = c2 = 0.0
    for j in range(PIECES + 1):
        value = G[G_SAMPLES + j, i]
        c0 += LAST[0, j] * value
        c1 += LAST[1, j] * value
        c2 += LAST[2, j] * value
    return abs(c0) + abs(c1) + abs(c2)


def seen(G: np.ndarray, i: int) -> float:
    """How far the samples of column i lie apart."""
    least = most = G[G_SAMPLES, i]
    for j in range(1, PIECES + 1):
        least, most = min(least, G[G_SAMPLES + j, i]), max(most, G[G_SAMPLES + j, i])
    return most - least


def bernstein(G: np.ndarray, i: int) -> None:
    """Coefficients of the polynomial through the samples of column i, in Bernstein's basis, into its rows G_BASES."""
    for k in range(PIECES + 1):
        total = 0.0
        for j in range(PIECES + 1):
            total += BERNSTEIN[k, j] * G[G_SAMPLES + j, i]
        G[G_BASES + k, i] = total


def bounded(G: np.ndarray, i: int, level: int, index: int, out: np.ndarray, free: int) -> tuple[float, float]:
    """(least, greatest) coefficient on part `index` of 2^level equal ones, by de Casteljau's halvings in out[free:]."""
    for k in range(PIECES + 1):
        out[free + k] = G[G_BASES + k, i]
    for bit in range(level - 1, -1, -1):
        if (index >> bit) & 1:
            for row in range(PIECES):
                for k in range(PIECES - row):
                    out[free + k] = 0.5 * (out[free + k] + out[free + k + 1])
        else:
            for row in range(PIECES):
                for k in range(PIECES, row, -1):
                    out[free + k] = 0.5 * (out[free + k] + out[free + k - 1])
    least = greatest = out[free]
    for k in range(1, PIECES + 1):
        least, greatest = min(least, out[free + k]), max(greatest, out[free + k])
    return least, greatest


def represent(G: np.ndarray, n: int) -> None:
    """Bernstein coefficients of the first n columns."""
    for i in range(n):
        bernstein(G, i)


def enclose(r: View, bounds: int, G: np.ndarray, out: np.ndarray, n: int, bases: int, level: int, index: int) -> None:
    """Bounds of the first n columns, made of the bases after them, on part `index` of 2^level; at out[2 bases:]."""
    for k in range(bases):
        least, greatest = bounded(G, n + k, level, index, out, 2 * (n + bases))
        margin = 4.0 * misfit(G, n + k)
        out[k], out[bases + k] = least - margin, greatest + margin
    call(bounds, out, out[2 * bases :], r.at.work)


def clear(r: View, G: np.ndarray, out: np.ndarray) -> None:
    """Mark in G_CLEAR which witnesses have no root anywhere in what was just sampled."""
    n, bases = r.n_events, r.n_bases
    enclose(r, r.code.bounds, G, out, n, bases, WHOLE, WHOLE)
    for i in range(n):
        low, high = out[2 * bases + i], out[2 * bases + n + i]
        G[G_CLEAR, i] = 1.0 if low <= high and (low > 0.0 or high < 0.0) else 0.0


def hidden(r: View, bounds: int, G: np.ndarray, out: np.ndarray, n: int, bases: int, which: int, end: float) -> float:
    """The fraction, below `end`, of the part just sampled at which something may be hidden; 2 where nothing is.

    Of column `which` it is the part whose bounds lie farthest beyond the samples; with ALL_ROOTS the first part whose
    bounds allow a root.
    """
    level, index, place, most = WHOLE, WHOLE, 2.0, 0.0
    while index / (1 << level) < end:
        enclose(r, bounds, G, out, n, bases, level, index)
        room = unclear(G, out, n, bases, which, level, index)
        if room > most and level < HALVINGS:
            level, index = level + 1, 2 * index
            continue
        if room > most:
            place, most = index / (1 << level), room
            if which == ALL_ROOTS:
                return place
        index += 1
        while level > 0 and index % 2 == 0:
            level, index = level - 1, index // 2
        if level == 0:
            break
    return place


def unclear(G: np.ndarray, out: np.ndarray, n: int, bases: int, which: int, level: int, index: int) -> float:
    """How far columns may move within the bounds in `out`, where that is more than their samples show; else 0."""
    most = 0.0
    for i in range(n):
        low, high = out[2 * bases + i], out[2 * bases + n + i]
        if which == i or which == ALL_ROOTS and low <= 0.0 <= high:
            least, greatest = bounded(G, i, level, index, out, 2 * (n + bases))
            moved = min(greatest - least, seen(G, i))
            if misfit(G, i) > KNOWN * moved:
                moved = 0.0
            if high - low > max(TRUST * moved, BOUND_ROUNDING * max(abs(least), abs(greatest))):
                most = max(most, high - low)
    return most
