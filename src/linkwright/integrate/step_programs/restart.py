"""A lane begins to step, at the start of its run or after an event (see `integrate.step.begin`)."""

from __future__ import annotations

from ...codegen import Value, square_root, where
from ..record import OK
from ..tolerances import (
    BENT,
    FIRST_LONGER,
    FIRST_SHARE,
    FIRST_SHORTER,
    FIRST_STEP,
    HUGE,
    NO_SLOPE,
    REMEMBERED,
    SAYS_NOTHING,
)
from .carried import carry, remember, update
from .carried import moved as moved_since
from .pieces import Pieces
from .short_features import laws_at_start
from .step_program import FAILED
from .writer import Index, larger, smaller


def restart(p: Pieces, lanes: Value, changed: Value, jumped: Value, first: bool = False) -> None:
    """Consistent state, slope, witnesses and step size at `t`, `x0`; the next trial is the first one after a restart.

    The state is brought onto the manifold where anything has `changed`; where it has `jumped`, the step is estimated
    anew.
    """
    w, step = p.w, p.step
    moved = lanes & changed
    p.set_input(w.load("t"), "x0")
    p.to_manifold(moved)
    p.copy_where(moved, "input", "x0", 0, 1)
    p.set_input(w.load("t"), "x0")
    p.evaluate_where(lanes, 0)
    carry(step, w, lanes, 0)
    remember(step, w, lanes if first else lanes & moved_since(step, w))
    if step.updated and first:
        updated = update(p, lanes, w.load("t"), "x0")
        p.set_input(w.load("t"), "x0")
        w.if_any(updated, lambda: p.evaluate_where(updated, 0))
    if step.lane_events is not None:
        w.call("events", "input", "g_now")
        w.each(len(step.lane_events.witnesses), lambda i: w.store_where(lanes, w.load("g_now", i), "g_low", i))
    if any(step.n_laws):
        laws_at_start(p, lanes)
    failed = lanes & w.load("trial").differs(float(OK))
    ahead = lanes & ~failed & (w.load("target") > w.load("t"))
    if not step.fixed:
        estimated = ahead & changed

        def estimate() -> None:
            guess, longest = first_step(p)
            planned = w.load("h")
            shorter = smaller(planned, where(jumped, guess, longest))
            w.store_where(estimated, where(planned > 0.0, shorter, guess), "h")

        w.if_any(estimated, estimate)
    for k in range(step.n_holds):
        for name in ("hold", "hold_before", "hold_rate"):
            w.store_where(ahead & jumped, 0.0, name, k)
    for name, value in (("fixed_start", w.load("t")), ("fixed_index", 0.0), ("restart", 1.0),
                        ("error_before", REMEMBERED)):
        w.store_where(lanes, value, name)
    w.store_where(failed, w.load("trial"), "cause")
    w.store_where(failed, float(FAILED), "status")


def first_step(p: Pieces) -> tuple[Value, Value]:
    """A first step size, from the sizes of x, ẋ and ẍ; and the greatest one (see `integrate.first_step`)."""
    w, step = p.w, p.step
    n = step.n
    accuracy, scale = w.load("accuracy"), w.load("time_scale")
    w.each(n, lambda i: w.store(w.load("k", i), "error", i))
    d0 = p.norm("x0", 0, "x0", "x0") / accuracy
    d1 = p.norm("error", 0, "x0", "x0") / accuracy
    h0 = where((d0 < SAYS_NOTHING) | (d1 < SAYS_NOTHING), FIRST_STEP * scale, d0 * FIRST_SHARE / d1)
    h0 = smaller(smaller(h0, w.load("h_max")), w.load("target") - w.load("t"))
    # one Euler step estimates the second derivative
    w.store(w.load("t") + h0, "input")
    w.each(n, lambda i: w.store(w.load("x0", i) + h0 * w.load("k", i), "input", i, 1))
    w.call("rhs", "input", "slope")
    finite = p.finite("slope")
    if step.has_health:
        health = w.load("slope", n)
        finite = finite & (health >= 0.0) & (health < HUGE)

    def second(i: Index) -> None:
        w.store((w.load("slope", i) - w.load("k", i)) / h0, "error", i)

    w.each(n, second)
    d2 = p.norm("error", 0, "x0", "x0") / accuracy
    largest = larger(d1, d2)
    h1 = w.power(FIRST_SHARE / largest, 1.0 / step.method.tableau.error_order)
    h1 = where(largest > NO_SLOPE, h1, larger(FIRST_STEP * scale, h0 * FIRST_SHORTER))
    longest = larger(square_root(BENT * d0 / d2), h0 * FIRST_SHORTER)
    longest = where((d0 >= SAYS_NOTHING) & (d2 > NO_SLOPE), longest, w.load("h_max"))
    guess = smaller(smaller(smaller(h0 * FIRST_LONGER, h1), longest), w.load("h_max"))
    least = h0 * FIRST_SHORTER
    return where(finite, guess, least), where(finite, longest, least)
