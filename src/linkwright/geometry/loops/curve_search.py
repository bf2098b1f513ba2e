"""Where an outline is nearest: the best of many samples, from which Newton's method goes on.

    x         pose of b in a: 12 numbers
    y         the places s along the curves, and 1, or 0 where two outlines nowhere face each other well
    numbers   samples of each curve: s, point (2), unit tangent (2); before them, for a line, its normal (3)
    indices   how many samples each has; of two curves also whether both are closed
"""

from __future__ import annotations

import numpy as np
from numba import carray

from .jit import entry, owning, part

SAMPLE = 5
#: how well open outlines have to face each other: the angle (rad) between them, and what the nearest places lie aside
#: over the size of the first; far beyond its ends a curve may be anything
FACING = 0.03


@part
def _near_centre(X, numbers, count):
    best, least = 0, np.inf
    for k in range(count):
        at = SAMPLE * k
        square = (X[9] - numbers[at + 1]) ** 2 + (X[10] - numbers[at + 2]) ** 2
        if square < least:
            best, least = k, square
    return numbers[SAMPLE * best]


@part
def _near_line(X, numbers, count):
    # the normal of the line in the axes of the curve
    n_x = X[0] * numbers[0] + X[3] * numbers[1] + X[6] * numbers[2]
    n_y = X[1] * numbers[0] + X[4] * numbers[1] + X[7] * numbers[2]
    best, least = 0, np.inf
    for k in range(count):
        at = 3 + SAMPLE * k
        height = n_x * numbers[at + 1] + n_y * numbers[at + 2]
        if height < least:
            best, least = k, height
    return numbers[3 + SAMPLE * best]


@owning
def _near_curve(X, numbers, n_a, n_b, closed, y):
    """Of the places where the outlines face one another, those with the smallest gap."""
    first = SAMPLE * n_a
    b = np.empty((n_b, 4))
    for j in range(n_b):
        at = first + SAMPLE * j
        p, q, t, u = numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4]
        b[j, 0], b[j, 1] = X[9] + X[0] * p + X[1] * q, X[10] + X[3] * p + X[4] * q
        b[j, 2], b[j, 3] = X[0] * t + X[1] * u, X[3] * t + X[4] * u
    size = 0.0
    for i in range(n_a):
        size = max(size, abs(numbers[SAMPLE * i + 1] - numbers[1]), abs(numbers[SAMPLE * i + 2] - numbers[2]))
    worst, allowed = np.inf, np.inf
    for turn in range(2):  # first how well any two places fit, then the nearest of those that fit
        if turn == 1 and not closed and worst >= FACING:
            break
        least = np.inf
        for i in range(n_a):
            at = SAMPLE * i
            t_x, t_y = numbers[at + 3], numbers[at + 4]
            for j in range(n_b):
                if t_x * b[j, 2] + t_y * b[j, 3] >= 0:
                    continue
                d_x, d_y = b[j, 0] - numbers[at + 1], b[j, 1] - numbers[at + 2]
                misfit = abs(t_x * d_x + t_y * d_y) / size + abs(t_x * b[j, 3] - t_y * b[j, 2])
                if turn == 0:
                    worst = min(worst, misfit)
                elif misfit < allowed and abs(t_y * d_x - t_x * d_y) < least:
                    least = abs(t_y * d_x - t_x * d_y)
                    y[0], y[1] = numbers[at], numbers[first + SAMPLE * j]
        allowed = max(0.1, 2 * worst)
    y[2] = 1.0 if closed or worst < FACING else 0.0


@entry
def near_centre(x, n_x, numbers, n_numbers, indices, n_indices, y, n_y):
    """The place of the curve a that is nearest to the origin of b."""
    found = carray(y, (n_y,))
    found[0] = _near_centre(carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (1,))[0])
    found[1] = 1.0


@entry
def near_line(x, n_x, numbers, n_numbers, indices, n_indices, y, n_y):
    """The lowest place of the curve b over the line a."""
    found = carray(y, (n_y,))
    found[0] = _near_line(carray(x, (n_x,)), carray(numbers, (n_numbers,)), carray(indices, (1,))[0])
    found[1] = 1.0


@entry
def near_curve(x, n_x, numbers, n_numbers, indices, n_indices, y, n_y):
    """Places of the curves a and b that face each other."""
    found, counts = carray(y, (n_y,)), carray(indices, (3,))
    found[0], found[1] = numbers[0], numbers[SAMPLE * counts[0]]
    _near_curve(carray(x, (n_x,)), carray(numbers, (n_numbers,)), counts[0], counts[1], counts[2], found)
