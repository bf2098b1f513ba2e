"""Where a run begins: a consistent state, its slope, the first step size (see `integrate.step.begin`)."""

from __future__ import annotations

from ...codegen import Value, square_root, where
from ..record import OK
from ..tolerances import BENT
from .commit import carry, update
from .laws import laws_at_start
from .pieces import Pieces
from .step_program import FAILED, NEAR_SINGULAR, RUNNING, STARTING, StepProgram
from .writer import Index, StepWriter, larger, smaller

#: how well a constraint must hold at the start, of what is usual, for a lane to begin
CLOSE = 0.3


def begin(step: StepProgram, w: StepWriter) -> None:
    """Lanes that start: `t`, `x0`, `target` and the rest of the input are given; in `hold_most` what is usual."""
    p = Pieces(step, w)
    starting = w.load("status").equals(float(STARTING))
    w.store(float(OK), "trial")
    w.store(where(starting, 1.0, 0.0), "participates")
    for name, value in (("steps", 0.0), ("rejected", 0.0), ("rejected_before", 0.0), ("restart", 1.0),
                        ("error_before", 1e-4), ("fixed_index", 0.0), ("suspicions", 0.0), ("doubts", 0.0),
                        ("next_look", 0.0), ("span", 0.0), ("span_first", 0.0), ("cause", 0.0)):
        w.store_where(starting, value, name)
    w.store_where(starting, w.load("t"), "fixed_start")
    close = holds_at_start(p, starting) if step.n_holds else w.truth(False)
    p.set_input(w.load("t"), "x0")
    p.to_manifold(starting)
    p.copy_where(starting, "input", "x0", 0, 1)
    p.evaluate_where(starting, 0)
    carry(step, w, starting, 0)
    if step.updated:
        updated = update(p, starting, w.load("t"), "x0")
        p.set_input(w.load("t"), "x0")
        w.if_any(updated, lambda: p.evaluate_where(updated, 0))
    if any(step.n_laws):
        laws_at_start(p, starting)
    failed = starting & w.load("trial").differs(float(OK))
    if not step.fixed:
        first_step(p, starting & ~failed)
    w.store_where(starting, float(RUNNING), "status")
    w.store_where(failed, w.load("trial"), "cause")
    w.store_where(failed, float(FAILED), "status")
    w.store_where(starting & ~failed & close, float(NEAR_SINGULAR), "status")


def holds_at_start(p: Pieces, starting: Value) -> Value:
    """How well the constraints hold is remembered as the best; where one holds less than usual, that is said."""
    w, step = p.w, p.step
    p.set_input(w.load("t"), "x0")
    w.call("project", "input", "out")
    close = w.truth(False)
    for k in range(step.n_holds):
        now = w.load("out", step.n + 4 + k)
        close = close | (now < w.load("hold_most", k) * CLOSE)
        w.store_where(starting, now, "hold_most", k)
        for name in ("hold", "hold_before", "hold_first", "hold_rate"):
            w.store_where(starting, 0.0, name, k)
    return close


def first_step(p: Pieces, starting: Value) -> None:
    """From the sizes of x, ẋ and ẍ (see `control.starting_step`)."""
    w, step = p.w, p.step
    n = step.n
    accuracy, scale = w.load("accuracy"), w.load("time_scale")
    w.each(n, lambda i: w.store(w.load("k", i), "error", i))
    d0 = p.norm("x0", 0, "x0", "x0") / accuracy
    d1 = p.norm("error", 0, "x0", "x0") / accuracy
    h0 = where((d0 < 1e-5) | (d1 < 1e-5), 1e-6 * scale, d0 * 0.01 / d1)
    h0 = smaller(smaller(h0, w.load("h_max")), w.load("target") - w.load("t"))
    # one Euler step estimates the second derivative
    w.store(w.load("t") + h0, "input")
    w.each(n, lambda i: w.store(w.load("x0", i) + h0 * w.load("k", i), "input", i, 1))
    w.call("rhs", "input", "slope")
    finite = p.finite("slope")
    if step.has_health:
        health = w.load("slope", n)
        finite = finite & (health >= 0.0) & (health < 1e300)

    def second(i: Index) -> None:
        w.store((w.load("slope", i) - w.load("k", i)) / h0, "error", i)

    w.each(n, second)
    d2 = p.norm("error", 0, "x0", "x0") / accuracy
    largest = larger(d1, d2)
    h1 = w.power(0.01 / largest, 1.0 / step.method.tableau.error_order)
    h1 = where(largest > 1e-15, h1, larger(1e-6 * scale, h0 * 1e-3))
    longest = larger(square_root(BENT * d0 / d2), h0 * 1e-3)
    longest = where((d0 >= 1e-5) & (d2 > 1e-15), longest, w.load("h_max"))
    h = smaller(smaller(smaller(h0 * 100.0, h1), longest), w.load("h_max"))
    w.store_where(starting, where(finite, h, h0 * 1e-3), "h")
