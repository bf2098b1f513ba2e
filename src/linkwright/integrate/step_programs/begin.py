"""The start of a run: values of relations, how well constraints hold, then the restart of the stepper."""

from __future__ import annotations

from ...codegen import Value, where
from ..record import OK
from ..tolerances import CHATTERING, CLOSE, HUGE
from .handle_events import Instant
from .pieces import Pieces
from .restart import restart
from .step_program import NEAR_SINGULAR, RUNNING, STARTING, StepProgram
from .writer import StepWriter


def begin(step: StepProgram, w: StepWriter) -> None:
    """Lanes that start: `t`, `x0`, `target` and the rest of the input are given; `hold_most` are values as usual."""
    p = Pieces(step, w)
    starting = w.load("status").equals(float(STARTING))
    w.store(float(OK), "trial")
    w.store(where(starting, 1.0, 0.0), "participates")
    for name in ("steps", "rejected", "rejected_before", "suspicions", "doubts", "next_look", "span", "span_first",
                 "cause", "strain_now", *(["points"] if step.watch_strain else [])):
        w.store_where(starting, 0.0, name)
    w.store_where(starting, float(RUNNING), "status")
    close = holds_at_start(p, starting) if step.n_holds else w.truth(False)
    if step.lane_events is not None:
        instants_at_start(p, starting)
    restart(p, starting, starting, starting, first=True)
    close = starting & close & w.load("status").equals(float(RUNNING))
    w.store_where(close, float(NEAR_SINGULAR), "status")


def instants_at_start(p: Pieces, starting: Value) -> None:
    """No event yet: the values of relations, and the first instant that is known beforehand."""
    w = p.w
    w.store_where(starting, w.load("target"), "stop")
    for name in ("n_events", "event_found", "reached"):
        w.store_where(starting, 0.0, name)
    w.each(CHATTERING, lambda i: w.store_where(starting, -HUGE, "recent", i))
    p.set_input(w.load("t"), "x0")
    instant = Instant(p)
    instant.first(starting)
    instant.aim(starting)


def holds_at_start(p: Pieces, starting: Value) -> Value:
    """Remember how well constraints hold as the best so far; returns where one holds less well than usual."""
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
