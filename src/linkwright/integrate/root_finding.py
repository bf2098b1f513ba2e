"""Finding where witness functions change sign within a step, on the projected interpolant.

A witness crosses when it goes from one sign to the other or to exactly zero; leaving zero is no crossing, so an event
is not found twice.  A *guard* (sense −2) is a witness whose mode was just decided: where a run starts or goes on it
counts as positive, even if rounding makes it zero or less.  If it moves on to the negative side, it crosses at once.

All roots are found in order, also those between samples.  The witnesses are sampled at the Chebyshev–Lobatto points of
the step; the polynomial through the samples tells their slopes and, by its last coefficients, its own error (Trefethen
2013, chapters 7 and 8).  A piece between two samples is sampled again, more closely, in three cases: the witness could
reach zero and come back in it, or the polynomial is not accurate; the sign changes, but the witness does not go
straight across, so that three roots may lie close together; the witness is zero at one end with a small slope, so that
two more roots may be near.  Humps too short to show in any sample are found by `enclosures`, where the model has the
function `bounds`.  Two things are not found: a short feature of a quantity that is itself sampled, such as an
acceleration under a short pulse, and a pose of a body that turns many times within a step.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import sqrt
from .dense import state_at
from .enclosures import ALL_ROOTS, PIECES, POINTS, SHORT, clear, hidden, misfit, represent
from .far import leave_apart, leave_far, none_far
from .jit import integers, matrix, stepper, vector
from .model_call import call
from .record import (
    BEFORE,
    G_CLEAR,
    G_CROSSED,
    G_HIGH,
    G_LOW,
    G_SAMPLES,
    G_SENSE,
    G_SLACK,
    G_TRIAL,
    LOCATE,
    N_DENSE_ROWS,
    N_VECTORS,
    N_WITNESS_ROWS,
    OK,
    View,
)
from .tolerances import (
    AGAINST,
    CLOSE_ROOTS,
    CLOSER,
    DEEP,
    FLAT,
    LATE,
    MAX_NARROWING,
    NARROWEST,
    NOT_LEFT,
    REFINEMENTS,
    ROOM,
    STRAIGHT,
    TIME_RESOLUTION,
    TINY,
    UNKNOWN,
    UNSURE,
    WIDER,
)


def _slopes() -> np.ndarray:
    """The matrix from values at the points to the slopes there of the polynomial through them."""
    weight = (-1.0) ** np.arange(PIECES + 1)
    weight[[0, -1]] *= 0.5
    D = weight[None, :] / weight[:, None] / (POINTS[:, None] - POINTS[None, :] + np.eye(PIECES + 1))
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    return D


SLOPES = _slopes()
START = 0


def witness(r: View, G: np.ndarray, row: int) -> None:
    """Witness functions at the state in the input vector into row `row` of G."""
    all_witnesses(r, G, row)
    add_slack(r, G, row)


def all_witnesses(r: View, G: np.ndarray, row: int) -> None:
    """The same as the program gives them."""
    if r.n_far > 0:
        none_far(r)
    call(r.code.events, r.at.inp, G[row], r.at.work)


def near_witness(r: View, G: np.ndarray, row: int) -> None:
    """The same but for gaps of pairs that are far in this step."""
    call(r.code.events, r.at.inp, G[row], r.at.work)
    add_slack(r, G, row)


def add_slack(r: View, G: np.ndarray, row: int) -> None:
    G[row, :r.n_events] += G[G_SLACK, :r.n_events]
    r.counts.witnesses += 1


def begin_with_near(r: View, inp: np.ndarray, V: np.ndarray, F: np.ndarray, G: np.ndarray) -> None:
    """Witnesses at the start of the step, those of pairs of shapes anew: they were left aside before, or are now."""
    pair_of = integers(r.at.pair_of, r.n_events)
    state_at(r, 0.0, inp, V, F)
    near_witness(r, G, G_TRIAL)
    for i in range(r.n_events):
        if pair_of[i] >= 0:
            G[G_LOW, i] = G[G_TRIAL, i]
    leave_apart(r, G)


def crosses(a: float, b: float, sense: float) -> float:
    """−1 or +1 where a witness of this sense (+1, −1, −2; 0 for both) crosses from value a to b, else 0."""
    if a > 0.0 and b <= 0.0 and sense <= 0.0:
        return -1.0
    if a < 0.0 and b >= 0.0 and sense >= 0.0:
        return 1.0
    return 0.0


def crossings(r: View, G: np.ndarray, low: int, high: int) -> bool:
    """Mark in G_CROSSED which witnesses cross from row `low` to `high`; any?"""
    found = False
    for i in range(r.n_events):
        G[G_CROSSED, i] = crosses(G[low, i], G[high, i], G[G_SENSE, i])
        found = found or G[G_CROSSED, i] != 0.0
    return found


def right_guards(r: View, G: np.ndarray) -> None:
    """Guards that start at zero to rounding and leave it on the negative side: their start is taken as positive."""
    for i in range(r.n_events):
        a, b = G[G_SAMPLES, i], G[G_SAMPLES + 1, i]
        if G[G_SENSE, i] == -2.0 and b < a <= 0.0 and a >= NOT_LEFT * b:
            G[G_SAMPLES, i] = TINY


def copy_row(G: np.ndarray, source: int, target: int) -> None:
    G[target] = G[source]


def jumped_across(r: View, inp: np.ndarray, V: np.ndarray, G: np.ndarray) -> bool:
    """Whether a change of inputs has made witnesses cross at once; leaves the rows as `find_event` does."""
    witness(r, G, G_HIGH)
    found = crossings(r, G, G_LOW, G_HIGH)
    copy_row(G, G_HIGH, G_LOW)
    if found:
        r.t_before = inp[0]
        V[BEFORE, :r.n] = inp[1 : 1 + r.n]
    return found


def suspect(r: View, G: np.ndarray, pieces: int, whole: float) -> int:
    """The first of the pieces in which a witness may have roots that its samples do not show; PIECES + 1 for none.

    `whole` is the part of the step that was sampled.
    """
    first = PIECES + 1
    for i in range(r.n_events):
        if r.n_bases > 0 and G[G_CLEAR, i] != 0.0:
            continue
        least, most = G[G_SAMPLES, i], G[G_SAMPLES, i]
        for j in range(PIECES + 1):
            value = G[G_SAMPLES + j, i]
            least, most = min(least, value), max(most, value)
        if least == most:
            continue  # its mode is off, or its pair is far
        error, scale = misfit(G, i), max(abs(least), abs(most))
        if (least > 0.0 or most < 0.0) and min(abs(least), abs(most)) > 2.0 * (most - least) + 4.0 * error:
            continue  # far from zero
        if error > UNKNOWN * scale:
            return 1
        right = slope_at(G, START, i)
        for j in range(1, min(first, pieces + 1)):
            left, right = right, slope_at(G, j, i)
            a, b, width = G[G_SAMPLES + j - 1, i], G[G_SAMPLES + j, i], POINTS[j] - POINTS[j - 1]
            doubtful = hides_roots(a, b, left, right, width, FLAT * scale, 4.0 * error)
            if j == 1 and r.restart and G[G_SENSE, i] == -2.0:
                # a guard that was just set: rounding about zero is no root
                doubtful = doubtful and ((a > 0.0) != (b > 0.0) or left * right < 0.0)
            else:
                doubtful = doubtful or error > UNSURE * scale and min(abs(a), abs(b)) <= 4.0 * error
            if whole > CLOSE_ROOTS and b != a:
                first_slope, last_slope = left * width / (b - a), right * width / (b - a)
                doubtful = doubtful or lingers(a, b, first_slope, last_slope)
                doubtful = doubtful or lingers(b, a, last_slope, first_slope)
            if doubtful:
                first = j
                break
    return first


def slope_at(G: np.ndarray, j: int, i: int) -> float:
    """Slope at point j of the polynomial through the samples of witness i."""
    total = 0.0
    for k in range(PIECES + 1):
        total += SLOPES[j, k] * G[G_SAMPLES + k, i]
    return total


def hides_roots(a: float, b: float, slope_a: float, slope_b: float, width: float, flat: float, margin: float) -> bool:
    """Whether a function with these values and slopes at the ends of a piece may have more roots than signs show."""
    if (a > 0.0) != (b > 0.0):
        # one root where it goes straight across
        towards = 1.0 if b > a else -1.0
        return towards * slope_a < -flat or towards * slope_b < -flat
    side = 1.0 if a > 0.0 else -1.0
    difference, p, q = side * (b - a), side * slope_a * width, side * slope_b * width
    turns = p < -flat * width and q > flat * width
    straight_on = p * difference > 0.0 and max(abs(p), abs(q)) < LATE * abs(difference)
    if not turns and (p * q < 0.0 or straight_on):
        return False
    # it may turn towards zero and back: the least value of the cubic
    A, B = 3.0 * (p + q - 2.0 * difference), 2.0 * (3.0 * difference - 2.0 * p - q)
    root = sqrt(max(B * B - 4.0 * A * p, 0.0))
    x = p / (-0.5 * (B + root)) if B >= 0.0 else -0.5 * (B - root) / A
    value = side * a + x * (p + x * (0.5 * B + x * A / 3.0))
    return 0.0 < x < 1.0 and value <= max(DEEP * min(abs(a), abs(b)), margin)


def lingers(near: float, far: float, first: float, last: float) -> bool:
    """Whether a function keeps to zero, at one end of a piece, as if two more roots lay close by.

    `first` and `last` are its slopes at the near and the far end against the mean one.
    """
    return near * far >= 0.0 and abs(near) < NOT_LEFT * abs(far) and first > -AGAINST and last > LATE


def straight(r: View, G: np.ndarray, piece: int) -> bool:
    """Whether the witnesses that cross in this piece go straight across: then each has one root in it.

    Then the slopes of the polynomial at both ends are near the mean slope, and its last coefficients are small.  With
    three roots close together it is like (x − ρ)³ seen from afar: slopes 3 and 3, or 4 and 1, times the mean.
    """
    width = POINTS[piece] - POINTS[piece - 1]
    for i in range(r.n_events):
        a, b = G[G_SAMPLES + piece - 1, i], G[G_SAMPLES + piece, i]
        if crosses(a, b, G[G_SENSE, i]) != 0.0:
            mean = (b - a) / width
            first, last = slope_at(G, piece - 1, i) / mean, slope_at(G, piece, i) / mean
            if abs(a) < NOT_LEFT * abs(b):
                # it starts at the root, possibly with slope zero, as t²
                if not last < LATE:
                    return False
            elif not (1.0 / STRAIGHT < first < STRAIGHT and 1.0 / STRAIGHT < last < STRAIGHT):
                return False
            if misfit(G, i) > ROOM * abs(b - a):
                return False
    return True


def find_event(r: View, inp: np.ndarray, out: np.ndarray, V: np.ndarray, F: np.ndarray, G: np.ndarray) -> float:
    """Fraction θ of the step just after its first event, or 2 where there is none.

    Afterwards the input vector holds the state at θ, V[BEFORE] the state just before, G_CROSSED the senses of the
    crossings; without an event G_LOW holds the witnesses at the step's end.
    """
    low, high, left, closer = 0.0, 1.0, REFINEMENTS, CLOSER
    while True:
        width = high - low
        copy_row(G, G_LOW, G_SAMPLES)
        crossed, j = PIECES + 1, 1
        while j <= PIECES:
            state_at(r, high if j == PIECES else low + width * POINTS[j], inp, V, F)
            near_witness(r, G, G_SAMPLES + j)
            if r.restart and low == 0.0 and j == 1:
                right_guards(r, G)
            if crossed > PIECES and crossings(r, G, G_SAMPLES + j - 1, G_SAMPLES + j):
                crossed = j
            j += 1
        doubtful, start, more = PIECES + 1, 2.0, left > 0 and width > NARROWEST
        if r.n_bases > 0 and more:
            represent(G, r.n_events + r.n_bases)
            clear(r, G, out)
        if more:
            doubtful = suspect(r, G, min(crossed, PIECES), width)
        found = crossed <= PIECES and doubtful > crossed
        piece = crossed if found else doubtful
        if r.n_bases > 0 and more:
            end = POINTS[crossed] if found else POINTS[piece - 1]
            start = hidden(r, r.code.bounds, G, out, r.n_events, r.n_bases, ALL_ROOTS, end)
        if start < 2.0:
            # first the pieces before it, then the part in which it lies
            piece = piece_at(start)
            state_at(r, low + width * start, inp, V, F)
            near_witness(r, G, G_HIGH)
            found = start > 0.0 and crossings(r, G, G_SAMPLES + piece - 1, G_HIGH)
            copy_row(G, G_SAMPLES + piece - 1 if found or start == 0.0 else G_HIGH, G_LOW)
            if found:
                return narrow(r, low + width * POINTS[piece - 1], low + width * start, inp, V, F, G)
            low += width * start
            high = min(high, low + width * SHORT)
            left -= 1
        elif doubtful <= PIECES or found:
            copy_row(G, G_SAMPLES + piece - 1, G_LOW)
            high = high if piece == PIECES else low + width * POINTS[piece]
            low += width * POINTS[piece - 1]
            if found and closer > 0 and not straight(r, G, piece):
                closer -= 1
            elif found:
                copy_row(G, G_SAMPLES + piece, G_HIGH)
                return narrow(r, low, high, inp, V, F, G)
            else:
                left -= 1
        else:
            copy_row(G, G_SAMPLES + PIECES, G_LOW)
            if high >= 1.0:
                return 2.0
            low, high = high, min(1.0, high + WIDER * width)


def piece_at(start: float) -> int:
    """The piece in which the fraction `start` of what was sampled lies."""
    j = 1
    while POINTS[j] <= start:
        j += 1
    return j


def narrow(r: View, low: float, high: float, inp: np.ndarray, V: np.ndarray, F: np.ndarray, G: np.ndarray) -> float:
    """Shrink (low, high] around its first crossing to the time tolerance: Illinois steps, each fourth a bisection."""
    h = r.t1 - r.t0
    width = max(r.time_tolerance, TIME_RESOLUTION * max(abs(r.t0), abs(r.t1))) / h
    weight_low = weight_high = 1.0
    side = 0
    iteration = 0
    while iteration < MAX_NARROWING and high - low > width:
        # the earliest root by interpolation among the witnesses that cross
        crossings(r, G, G_LOW, G_HIGH)
        theta = high
        for i in range(r.n_events):
            if G[G_CROSSED, i] != 0.0:
                a, b = abs(G[G_LOW, i]) * weight_low, abs(G[G_HIGH, i]) * weight_high
                theta = min(theta, low + (high - low) * (a / (a + b)))
        if iteration % 4 == 3:
            theta = 0.5 * (low + high)
        iteration += 1
        # stay off the ends, so that a good guess closes the window from both sides
        margin = min(0.5 * width, 0.5 * (high - low))
        theta = min(max(theta, low + margin), high - margin)
        if not low < theta < high:
            break
        state_at(r, theta, inp, V, F)
        near_witness(r, G, G_TRIAL)
        if crossings(r, G, G_LOW, G_TRIAL):
            high = theta
            copy_row(G, G_TRIAL, G_HIGH)
            weight_low = 0.5 * weight_low if side == 1 else 1.0
            weight_high = 1.0
            side = 1
        else:
            low = theta
            copy_row(G, G_TRIAL, G_LOW)
            weight_high = 0.5 * weight_high if side == -1 else 1.0
            weight_low = 1.0
            side = -1
    crossings(r, G, G_LOW, G_HIGH)
    state_at(r, low, inp, V, F)
    r.t_before = inp[0]
    V[BEFORE, :r.n] = inp[1 : 1 + r.n]
    state_at(r, high, inp, V, F)
    return high


def locate(address: int, task: int) -> int:
    """The piece: LOCATE gives r.theta, JUMPED whether witnesses have crossed at once."""
    r = stepper(address)
    inp, out = vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out)
    V, F = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.dense, N_DENSE_ROWS, r.n)
    G = matrix(r.at.witnesses, N_WITNESS_ROWS, r.at.witness_width)
    if task == LOCATE:
        if r.n_far > 0:
            leave_far(r, inp, out, V, F)
            begin_with_near(r, inp, V, F, G)
        r.theta = find_event(r, inp, out, V, F, G)
        if r.n_far > 0:
            none_far(r)
        return OK
    return 1 if jumped_across(r, inp, V, G) else 0
