"""After a trial step: it is accepted or rejected, the next step size is planned, and the run goes on or ends."""

from __future__ import annotations

from ...codegen import Value, magnitude, square_root, where
from ..record import INACCURATE, OK, PROJECTION, UNSOLVED
from ..tolerances import (
    BETA,
    FORGET,
    GROW,
    GROW_FIRST,
    HARDLY,
    LEAST_ERROR,
    LOOK_EVERY,
    NEAR,
    REMEMBERED,
    SAFETY,
    SHORTEST_SHARE,
    SHORTEST_STEP,
    SHRINK,
    WORTH,
)
from .carried import carry, remember, update
from .pieces import Pieces
from .step_program import DONE, FAILED, NEAR_SINGULAR, RUNNING, STIFF, STRAINED, StepProgram
from .writer import Index, StepWriter, larger, smaller


def commit(step: StepProgram, w: StepWriter) -> None:
    p = Pieces(step, w)
    switching = step.lane_events is not None
    running = w.load("status").equals(float(RUNNING))
    good = w.load("trial").equals(float(OK))
    accepted, rejected = running & good, running & ~good
    reject(step, w, rejected)
    # accept; an event within the step ends it
    end, state = ("t_end", "held") if switching else ("t1", "x1")
    event_found = accepted & (w.load("event") <= 1.0) if switching else w.truth(False)
    t0, t1, h = w.load("t0"), w.load(end), w.load("h_trial")
    w.store_where(accepted, t1, "t")
    w.store_where(accepted, w.load("steps") + 1.0, "steps")
    p.copy_where(accepted, state, "x0")
    carry(step, w, accepted)
    remember(step, w, accepted)
    updated = update(p, accepted, w.load("t"), state)
    if step.fixed:
        landed = accepted & w.load("t").equals(w.load("target"))
        w.store_where(accepted, where(landed, 0.0, w.load("fixed_index") + 1.0), "fixed_index")
        w.store_where(landed, w.load("t"), "fixed_start")
    else:
        next_step(step, w, accepted, h)
    w.store_where(accepted, 0.0, "rejected_before")
    w.store_where(accepted, 0.0, "restart")
    goes_on = accepted & ~event_found
    if step.n_holds:
        note_holds(step, w, accepted, goes_on, t1 - t0)
    if step.watch_stiffness:
        looks_stiff(p, goes_on & ~updated, h)
    last = step.method.tableau.stages
    p.copy_where(accepted, "k", "k", 0, last * step.width, step.width)
    if step.updated:
        updated = updated & ~event_found
        w.if_any(updated, lambda: p.evaluate_where(updated, 0))
        broken = updated & w.load("trial").differs(float(OK))
        w.store_where(broken, w.load("trial"), "cause")
        w.store_where(broken, float(FAILED), "status")
        accepted = accepted & ~broken
        goes_on = goes_on & ~broken
    if switching:
        w.store(where(event_found, 1.0, 0.0), "event_found")
        if step.updated:
            w.if_any(goes_on & updated, lambda: jumped_across(step, w, goes_on & updated))
            goes_on = goes_on & w.load("event_found").equals(0.0)
    if step.watch_strain:
        w.store_where(goes_on & (w.load("strain_now") > 0.0), float(STRAINED), "status")
    if not switching:
        # a run that is at its end needs no further help
        w.store_where(accepted & (w.load("t") >= w.load("target")), float(DONE), "status")
        return
    due = w.load("t") >= w.load("instant")
    w.store_where(goes_on & ~due & (w.load("t") >= w.load("stop")), float(DONE), "status")
    reached = goes_on & due & (w.load("t") >= w.load("target"))
    w.store(where(reached, 1.0, 0.0), "reached")


def jumped_across(step: StepProgram, w: StepWriter, lanes: Value) -> None:
    """Find witnesses that crossed at once, because inputs updated at steps have changed."""
    w.call("events", "input", "g_high")
    some = w.truth(False)
    for i in range(len(step.lane_events.witnesses)):
        before, now = w.load("g_low", i), w.load("g_high", i)
        crossed = lanes & (before > 0.0) & (now <= 0.0)
        w.store_where(lanes, where(crossed, 1.0, 0.0), "crossed", i)
        w.store_where(lanes, now, "g_low", i)
        some = some | crossed
    w.each(step.n, lambda i: w.store_where(some, w.load("x0", i), "x_before", i))
    w.store_where(some, 1.0, "event_found")


def reject(step: StepProgram, w: StepWriter, rejected: Value) -> None:
    """Plan a shorter step, or end the run where steps have become too short; a fixed step that fails ends it too."""
    trial, t0, target = w.load("trial"), w.load("t0"), w.load("target")
    w.store_where(rejected, w.load("rejected") + 1.0, "rejected")
    w.store_where(rejected, 1.0, "rejected_before")
    failed = rejected
    if not step.fixed:
        unclosed = trial.equals(float(PROJECTION)) | trial.equals(float(UNSOLVED))
        shorter = w.load("h_trial") * where(unclosed, 0.5, 0.25)
        w.store_where(rejected & trial.differs(float(INACCURATE)), shorter, "h")
        least = SHORTEST_STEP * larger(magnitude(t0), SHORTEST_SHARE * magnitude(target - t0))
        failed = rejected & (w.load("h") < least)
    w.store_where(failed, trial, "cause")
    w.store_where(failed, float(FAILED), "status")


def next_step(step: StepProgram, w: StepWriter, accepted: Value, h: Value) -> None:
    """The step size planned next (see `runge_kutta.next_factor`)."""
    error, planned = w.load("error_now"), w.load("h")
    grow = where(w.load("restart").differs(0.0), GROW_FIRST, GROW)
    exponent = 1.0 / step.method.tableau.error_order - 0.75 * BETA
    factor = w.power(error, -exponent) * SAFETY * w.power(w.load("error_before"), BETA)
    factor = smaller(grow, larger(w.real(SHRINK), factor))
    factor = where(error <= LEAST_ERROR, grow, factor)
    w.store_where(accepted, larger(error, REMEMBERED), "error_before")
    factor = where(w.load("rejected_before").differs(0.0), smaller(factor, 1.0), factor)
    longer = h * factor
    w.store_where(accepted, where(h < planned, larger(planned, longer), longer), "h")


def note_holds(step: StepProgram, w: StepWriter, accepted: Value, goes_on: Value, span: Value) -> None:
    """Remember how well constraints hold; a lane with a singular position a few steps away ends."""
    w.store_where(accepted, w.load("span"), "span_first")
    w.store_where(accepted, span, "span")
    h = w.load("h")
    for k in range(step.n_holds):
        before, now = w.load("hold", k), w.load("hold_trial", k)
        most = larger(w.load("hold_most", k), now)
        faster = larger(magnitude(now - before) / span, 0.5 * w.load("hold_rate", k))
        rate = where(before > 0.0, faster, w.load("hold_rate", k))
        w.store_where(accepted, w.load("hold_before", k), "hold_first", k)
        w.store_where(accepted, before, "hold_before", k)
        w.store_where(accepted, now, "hold", k)
        w.store_where(accepted, most, "hold_most", k)
        w.store_where(accepted, rate, "hold_rate", k)
        near = (now > 0.0) & (now < larger(h * rate * NEAR, most * HARDLY))
        w.store_where(goes_on & near, float(NEAR_SINGULAR), "status")
        # after an event it is not known how they change
        for name in ("hold", "hold_before", "hold_rate"):
            w.store_where(accepted & ~goes_on, 0.0, name, k)


def looks_stiff(p: Pieces, accepted: Value, h: Value) -> None:
    """A lane whose steps have been limited by stability often enough ends (see `stiffness`)."""
    w = p.w
    suspicious = w.load("suspicions").differs(0.0)
    look = accepted & (suspicious | (w.load("steps") >= w.load("next_look")))
    w.store_where(look, w.load("steps") + float(LOOK_EVERY), "next_look")
    horizon = w.load("target" if p.step.lane_events is None else "stop")
    look = look & (horizon - w.load("t") >= h * float(WORTH))

    def looking() -> None:
        at_boundary = pull(p) > w.load("boundary")
        more = w.load("suspicions") + 1.0
        doubts = w.load("doubts") + 1.0
        calm = doubts >= float(FORGET)
        w.store_where(look, where(at_boundary, 0.0, where(calm, 0.0, doubts)), "doubts")
        w.store_where(look, where(at_boundary, more, where(calm, 0.0, w.load("suspicions"))), "suspicions")
        stiff = look & at_boundary & (more >= w.load("patience")) & (w.load("t") < w.load("target"))
        w.store_where(stiff, float(STIFF), "status")

    w.if_any(look, looking)


def pull(p: Pieces) -> Value:
    """hρ from the last two stages of an explicit step."""
    w, step = p.w, p.step
    tableau, last = step.method.tableau, step.method.tableau.stages
    differences = [float(tableau.a[last, j] - tableau.a[last - 1, j]) for j in range(last)]

    def apart(i: Index) -> Value:
        total = w.real(0.0)
        for j, c in enumerate(differences):
            total = total + w.load("k", i, j * step.width) * c
        return total

    def squared(value: Value) -> Value:
        return value * value

    rows = last * step.width, (last - 1) * step.width
    top = w.reduce(step.n, w.real(0.0), lambda i, total: total + squared(
        w.load("k", i, rows[0]) - w.load("k", i, rows[1])))
    bottom = w.reduce(step.n, w.real(0.0), lambda i, total: total + squared(apart(i)))
    return where(bottom > 0.0, square_root(top / bottom), 0.0)
