"""One trial step of every running lane: its length, its stages, its end on the manifold, its error."""

from __future__ import annotations

from ...codegen import Value, square_root, where
from ..record import INACCURATE, OK
from ..tableaux import gaps
from ..tolerances import ASTRAY, ASTRONOMIC, CLEAR_END, HUGE, MARGIN, SAFETY, SHRINK, STRETCH, STRETCH_FIXED
from .pieces import Pieces
from .second_order import semi_implicit_euler, verlet
from .short_features import sudden
from .stages import in_a_loop, one_after_another
from .step_program import NEAR_SINGULAR, RUNNING, StepProgram
from .writer import StepWriter, larger, smaller


def attempt(step: StepProgram, w: StepWriter) -> None:
    p = Pieces(step, w)
    running, planned = w.load("status").equals(float(RUNNING)), w.load("h")
    trial(p, running)
    # a lane that ends during the trial stays at the state before it
    w.store_where(running & w.load("status").differs(float(RUNNING)), planned, "h")


def trial(p: Pieces, running: Value) -> None:
    """The step of the lanes that run, into x1; a verdict on it into `trial`."""
    step, w = p.step, p.w
    w.store(float(OK), "trial")
    w.store(where(running, 1.0, 0.0), "participates")
    h = choose_step(step, w, running)
    w.store(h, "h_trial")
    last = step.method.tableau.stages
    if step.rolled:
        in_a_loop(p, h, lambda: _arrive(p, running))
        return
    if not step.second_order:
        one_after_another(p, h)
    elif step.method.name == "semi_implicit_euler":
        semi_implicit_euler(p, h)
    else:
        verlet(p, h)
    _arrive(p, running)
    if step.fixed:
        _slope_at_end(p, last)
        return
    astray = w.load("drift") > w.load("accuracy") * ASTRAY
    ends_near(step, w, h, running & ~astray)
    # projection failed: half as long
    shorter = h * 0.5
    in_time = w.load("trial").equals(float(OK))
    uses_last = step.method.tableau.error_uses_last
    if uses_last:
        p.evaluate(last)
    error = error_of_step(p, h)
    good = error <= 1.0
    exponent = 1.0 / step.method.tableau.error_order
    shrink = w.power(error, -exponent) * SAFETY
    shrink = where(error < ASTRONOMIC, larger(w.real(SHRINK), smaller(w.real(SAFETY), shrink)), SHRINK)
    usable = w.load("trial").equals(float(OK))
    w.store_where(running & usable & ~good, h * shrink, "h")
    w.store_where(running & in_time & astray, shorter, "h")
    w.store_where(in_time & astray, float(INACCURATE), "trial")
    p.fail(~good, INACCURATE)
    w.store(error, "error_now")
    if not uses_last:
        p.evaluate(last)
    if any(step.n_laws):
        sudden(p, running)


def _arrive(p: Pieces, running: Value) -> None:
    """The new point, brought onto the manifold, into x1."""
    step, w = p.step, p.w
    p.to_manifold(running & w.load("trial").equals(float(OK)))
    w.store(w.load("strain"), "strain_now")
    for k in range(step.n_holds):
        w.store(w.load("hold_seen", k), "hold_trial", k)
    p.copy("input", "x1", 0, 1)


def _slope_at_end(p: Pieces, last: int) -> None:
    """The slope at the new point of a fixed step, unless the method knows it already."""
    if p.step.bare and p.step.method.name == "verlet":
        unsettled = p.w.load("settling").differs(0.0)
        p.w.if_any(unsettled, lambda: p.evaluate_where(unsettled, last))
    else:
        p.evaluate(last)


def choose_step(step: StepProgram, w: StepWriter, running: Value) -> Value:
    """t0, t1 and h of the trial; the target is hit exactly."""
    t, planned, target = w.load("t"), w.load("h"), w.load("target")
    w.store(t, "t0")
    rest = target - t
    if step.fixed:
        t1 = w.load("fixed_start") + (w.load("fixed_index") + 1.0) * planned
        hit = t1 >= target - planned * STRETCH_FIXED
        w.store(where(hit, target, t1), "t1")
        return where(hit, rest, planned)
    h = smaller(planned, w.load("h_max"))
    if step.n_holds:
        stands_in_the_way(step, w, h, running)
    t1 = t + h
    hit = t1 >= target - h * STRETCH
    # two equal steps to the target rather than a long and a tiny one
    halved = t1 + h > target
    half = rest * 0.5
    w.store(where(hit, target, where(halved, t + half, t1)), "t1")
    return where(hit, rest, where(halved, half, h))


def error_of_step(p: Pieces, h: Value) -> Value:
    """The error of the step, projected like the step itself, in accuracies."""
    w, step = p.w, p.step
    tableau, rows = step.method.tableau, step.method.tableau.error_rows
    for row in range(rows):
        coefficients = [float(c) for c in tableau.e[row, : tableau.stages + 1]]
        w.each(step.n, lambda i, c=coefficients, row=row: w.store(p.combination(h, c, i), "error", i, row * step.n))
        p.project_error(row)
    high = p.norm("error", 0, "x0", "x1")
    if rows == 2:
        low = p.norm("error", 1, "x0", "x1")
        together = high * high / square_root(high * high + 0.01 * low * low)
        high = where(high.equals(0.0), 0.0, together)
    return high / w.load("accuracy")


# --- singular positions: a lane that comes near one ends, and the ordinary run steps across it ---


def stands_in_the_way(step: StepProgram, w: StepWriter, h: Value, running: Value) -> None:
    """Where the next singular position, by parabolas, lies within reach of the step (`singular_positions.astride`)."""
    between = gaps(step.method.tableau.times)
    low, high = between["gap_low"], between["gap_high"]
    middle, edge = low + 0.5 * (high - low), low + MARGIN * (high - low)
    nearest = w.real(HUGE)
    span, span_first = w.load("span"), w.load("span_first")
    for k in range(step.n_holds):
        now, before, first = (w.load(name, k) for name in ("hold", "hold_before", "hold_first"))
        slope = (now - before) / span
        bend = (slope - (before - first) / span_first) / (span + span_first)
        known = first > 0.0
        bend = where(known, bend, 0.0)
        slope = where(known, slope + bend * span, slope)
        root = square_root(larger(slope * slope - 4.0 * bend * now, 0.0)) - slope
        reached = (now > 0.0) & (before > 0.0) & (root > 0.0)
        nearest = where(reached, smaller(nearest, 2.0 * now / root), nearest)
    outer = high - MARGIN * (high - low)
    aside = (nearest >= (1.0 + middle) * h) | (nearest <= outer * h) & (nearest >= edge * h)
    w.store_where(running & ~aside, float(NEAR_SINGULAR), "status")


def ends_near(step: StepProgram, w: StepWriter, h: Value, lanes: Value) -> None:
    """Where the trial ends too close to a singular position (see `singular_positions.ends_clear`)."""
    for k in range(step.n_holds):
        now, then = w.load("hold", k), w.load("hold_trial", k)
        close = then < larger(h * w.load("hold_rate", k), now - then) * CLEAR_END
        close = close & (now > 0.0) & lanes & w.load("trial").equals(float(OK))
        w.store_where(close, float(NEAR_SINGULAR), "status")
