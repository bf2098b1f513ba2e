"""Pairs of shapes that are sure not to meet within a step: their gaps are not computed while events are looked for.

The program `near` gives, of every pair, a distance d that its gaps do not fall below, a speed s ≥ |ḋ|, and how much
faster its shapes may come together because they turn, w.  These are taken at the samples of the step (see
`root_finding`), on its interpolant.  With h the length of the step, a pair stays apart if at all samples

    d > OUT_OF_REACH h s    and    d > OUT_OF_REACH (max d − min d)

By the first, the way that its distance can have gone in the whole step does not lead to a touch, however often bodies
turn meanwhile; by the second, neither does what the samples show where speeds are zero in all of them.  Of other pairs
the least gap at the start, g, tells more than the balls d is made of: it stays apart if g > OUT_OF_REACH h (s + w).

All that depends on the step alone, not on what was known before: every target leaves the same pairs aside.  Which pairs
are `far` is told to the program of the witnesses behind its inputs: 1 means that its gaps are not wanted, and its
witnesses are 1.  Beyond the search for events nothing is far.
"""

from __future__ import annotations

from math import inf

import numpy as np

from .dense import interpolate
from .enclosures import PIECES, POINTS
from .jit import integers, vector
from .manifold import prescribe
from .model_call import call
from .record import G_LOW, G_SLACK, X0, X1, View
from .tolerances import OUT_OF_REACH

#: numbers of a pair behind the inputs: whether it is far; least and largest d, largest s and s + w
N_OF_PAIR = 5


def leave_far(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, F: np.ndarray) -> None:
    """Find out which pairs are far in this step."""
    n, first = r.n_far, r.at.n_in + r.n
    numbers = vector(r.at.inp, first + N_OF_PAIR * n)
    for j in range(PIECES + 1):
        if j == 0 or j == PIECES:
            inp[0] = r.t0 if j == 0 else r.t1
            for i in range(r.n):
                inp[1 + i] = V[X0, i] if j == 0 else V[X1, i]
        else:
            interpolate(r, POINTS[j], inp, F)
            prescribe(r, inp, out)
        call(r.code.near, r.at.inp, r.at.out, r.at.work)
        for k in range(n):
            apart, speed = out[3 * k], out[3 * k + 1]
            turning = speed + out[3 * k + 2]
            if j > 0:
                most = max(numbers[first + 2 * n + k], apart)
                apart, speed = min(numbers[first + n + k], apart), max(numbers[first + 3 * n + k], speed)
                turning = max(numbers[first + 4 * n + k], turning)
            else:
                most = apart
            numbers[first + n + k], numbers[first + 2 * n + k] = apart, most
            numbers[first + 3 * n + k], numbers[first + 4 * n + k] = speed, turning
    h = r.t1 - r.t0
    for k in range(n):
        least, most = numbers[first + n + k], numbers[first + 2 * n + k]
        far = least > OUT_OF_REACH * h * numbers[first + 3 * n + k] and least > OUT_OF_REACH * (most - least)
        numbers[first + k] = 1.0 if far else 0.0


def leave_apart(r: View, G: np.ndarray) -> None:
    """The same by gaps, once the witnesses at the start are known, in row G_LOW: 1 where a contact is closed."""
    n, first, h = r.n_far, r.at.n_in + r.n, r.t1 - r.t0
    numbers, pair_of = vector(r.at.inp, first + N_OF_PAIR * n), integers(r.at.pair_of, r.n_events)
    for k in range(n):
        numbers[first + n + k] = inf
    for i in range(r.n_events):
        pair = pair_of[i]
        if pair >= 0:
            gap = 0.0 if G[G_LOW, i] == 1.0 + G[G_SLACK, i] else G[G_LOW, i]
            numbers[first + n + pair] = min(numbers[first + n + pair], gap)
    for k in range(n):
        if numbers[first + n + k] > OUT_OF_REACH * h * numbers[first + 4 * n + k]:
            numbers[first + k] = 1.0
    for i in range(r.n_events):
        pair = pair_of[i]
        if pair >= 0 and numbers[first + pair] != 0.0:
            G[G_LOW, i] = 1.0 + G[G_SLACK, i]


def none_far(r: View) -> None:
    """All gaps are wanted."""
    numbers, first = vector(r.at.inp, r.at.n_in + r.n + r.n_far), r.at.n_in + r.n
    for k in range(r.n_far):
        numbers[first + k] = 0.0
