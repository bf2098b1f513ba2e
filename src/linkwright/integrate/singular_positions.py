"""Steps across singular positions: how far ahead one is, and a step with no stage close to it.

A singular position is one where an equation of a constraint follows from the others; configurations branch there.
Projection tells of every constraint how well it holds, a number x in proportion to the distance from such a position. A
rounding error η of an equation becomes an error η/x of a coordinate, η/x² of a speed and η/x³ of an acceleration.  The
last three values of x tell when x = 0 will be, if that is not far.  Steps are chosen so that this time lies in the
middle of the widest gap between the stages of the method; then all stages are at least a tenth of a step away from it.
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import sqrt
from .record import HOLD, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE, HOLD_TRIAL, View
from .tolerances import CLEAR_END, EQUATION_ROUNDING, HARDLY, HUGE, MARGIN, NEAR, NEAREST


def forget_holds(r: View, V: np.ndarray) -> None:
    """Forget how x changes, after a jump of the state."""
    V[HOLD, :r.holds.count] = V[HOLD_BEFORE, :r.holds.count] = V[HOLD_RATE, :r.holds.count] = 0.0


def note_trial(r: View, out: np.ndarray, V: np.ndarray) -> None:
    """x at the end of an attempted step, as projection has just found it."""
    V[HOLD_TRIAL, :r.holds.count] = out[r.n + 4 : r.n + 4 + r.holds.count]


def note_holds(r: View, V: np.ndarray) -> None:
    """Remember x of the step just accepted, and how fast it changes."""
    r.holds.span_first, r.holds.span = r.holds.span, r.t - r.t0
    for k in range(r.holds.count):
        V[HOLD_FIRST, k], V[HOLD_BEFORE, k], V[HOLD, k] = V[HOLD_BEFORE, k], V[HOLD, k], V[HOLD_TRIAL, k]
        V[HOLD_MOST, k] = max(V[HOLD_MOST, k], V[HOLD, k])
        if V[HOLD_BEFORE, k] > 0.0:
            # in a step across a singular position, x falls and rises again
            V[HOLD_RATE, k] = max(abs(V[HOLD, k] - V[HOLD_BEFORE, k]) / r.holds.span, 0.5 * V[HOLD_RATE, k])


def is_near(r: View, V: np.ndarray) -> int:
    """Whether a singular position is a few steps away, ahead or behind."""
    for k in range(r.holds.count):
        if 0.0 < V[HOLD, k] < max(NEAR * r.h * V[HOLD_RATE, k], HARDLY * V[HOLD_MOST, k]):
            return 1
    return 0


def time_ahead(r: View, V: np.ndarray) -> float:
    """How far ahead in time the next x = 0 is, by parabolas through the last three values; or a very long time."""
    nearest = HUGE
    for k in range(r.holds.count):
        now, before, first = V[HOLD, k], V[HOLD_BEFORE, k], V[HOLD_FIRST, k]
        if now > 0.0 and before > 0.0:
            slope, bend = (now - before) / r.holds.span, 0.0
            if first > 0.0:
                bend = (slope - (before - first) / r.holds.span_first) / (r.holds.span + r.holds.span_first)
                slope += bend * r.holds.span
            root = sqrt(max(slope * slope - 4.0 * bend * now, 0.0)) - slope
            if root > 0.0:
                nearest = min(nearest, 2.0 * now / root)
    return nearest


def astride(r: View, h: float, V: np.ndarray) -> float:
    """A step as long as h, or shorter, such that a singular position ahead lies between its stages."""
    ahead = time_ahead(r, V)
    gap_low, gap_high = r.holds.gap_low, r.holds.gap_high
    width = gap_high - gap_low
    low, middle, high = gap_low + MARGIN * width, gap_low + 0.5 * width, gap_high - MARGIN * width
    if ahead >= (1.0 + middle) * h:
        return h
    if ahead > high * h:
        # one step towards it, then one of the same length across it
        return ahead / (1.0 + middle)
    if ahead >= low * h:
        return h
    # very close to it: a step short enough to pass it before the second stage
    return min(h, 2.0 * ahead / r.holds.gap_second) if 2.0 * ahead < 0.5 * r.holds.gap_second * h else ahead / middle


def ends_clear(r: View, h: float, V: np.ndarray) -> bool:
    """Whether an attempted step ends away from a singular position; else a shorter one is planned."""
    for k in range(r.holds.count):
        now, then = V[HOLD, k], V[HOLD_TRIAL, k]
        if now > 0.0 and then < CLEAR_END * max(h * V[HOLD_RATE, k], now - then):
            r.h = h / (1.0 + 0.5 * (r.holds.gap_low + r.holds.gap_high))
            return False
    return True


def attainable(r: View, V: np.ndarray) -> float:
    """The smallest error that rounding allows for a step near a singular position."""
    least = 1.0
    for k in range(r.holds.count):
        least = min(least, V[HOLD_TRIAL, k] / V[HOLD_MOST, k])
        if V[HOLD, k] > 0.0:
            least = min(least, V[HOLD, k] / V[HOLD_MOST, k])
    return EQUATION_ROUNDING / max(least, NEAREST) ** 3


def note_coarse(r: View) -> None:
    """Remember the worst step that was less accurate than asked for."""
    error = r.error_now * r.allowed
    if not r.fixed and error > max(r.accuracy, r.holds.coarse_error):
        r.holds.coarse_error, r.holds.coarse_time = error, r.t
