"""The ordinary stepper takes over a run where a lane has left it, and goes on with the bits it would have had."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..accepted_points import Force
from ..driver import Stepper
from ..record import (
    FAILURES,
    FIRST,
    G_LOW,
    HOLD,
    HOLD_BEFORE,
    HOLD_FIRST,
    HOLD_MOST,
    HOLD_RATE,
)
from ..tolerances import HARDLY, NEAR
from .step_program import FAILED, NEAR_SINGULAR, PAST, STIFF, STRAINED, UNDECIDED, StepProgram

#: rows of how well constraints hold, as the stepper and as lanes call them
ROWS = {"hold": HOLD, "hold_before": HOLD_BEFORE, "hold_first": HOLD_FIRST, "hold_most": HOLD_MOST,
        "hold_rate": HOLD_RATE}


def can_take_over(lane: Callable[[str], np.ndarray], status: int) -> bool:
    """Whether the memory of a lane is a whole run between two steps; else the run is repeated from its start."""
    begun = lane("steps")[0] > 0
    if status == FAILED:
        # not where it failed to begin again after an event
        return begun and lane("rejected_before")[0] != 0
    return begun and status != UNDECIDED


def take_over(stepper: Stepper, step: StepProgram, lane: Callable[[str], np.ndarray], status: int,
              grid: Sequence[float] | np.ndarray) -> bool:
    """Put a stepper, made at the start of a run, where its lane has come, and do what was asked for there.

    `grid` are the output times that are left; False where the run has failed for good.
    """
    n, r = stepper.n, stepper._r
    given = lane("input")
    stepper._in[0], stepper._in[1 : 1 + n] = lane("t")[0], lane("x0")
    stepper._in[1 + n : step.n_in] = given[1 + n : step.n_in]
    r.put(t=lane("t")[0], h=lane("h")[0], strain_now=lane("strain_now")[0], fixed_start=lane("fixed_start")[0],
          **{name: int(lane(name)[0]) for name in ("restart", "rejected_before", "fixed_index")},
          fresh=1, changed=0, jumped=0)
    r.counts.put(steps=int(lane("steps")[0]), rejected=int(lane("rejected")[0]))
    r.stiffness.put(**{name: int(lane(name)[0]) for name in ("next_look", "suspicions", "doubts")})
    if not step.fixed:
        stepper._methods.own(stepper.method).view.error_before = lane("error_before")[0]
    stepper._k[FIRST, : step.width] = lane("k")[: step.width]
    if step.lane_events is not None:
        stepper._g[G_LOW, : len(step.lane_events.witnesses)] = lane("g_low")
    if any(step.n_laws):
        stepper._laws[G_LOW, : sum(step.n_laws)] = lane("laws_before")
    _holds(stepper, step, lane)
    _points(stepper, step, lane)
    stepper._set_grid(grid)
    r.grid_next = 0
    stepper._seen = stepper._inputs.tobytes()
    return _asked(stepper, step, lane, status)


def _holds(stepper: Stepper, step: StepProgram, lane: Callable[[str], np.ndarray]) -> None:
    """How well constraints hold."""
    for name, row in ROWS.items():
        stepper._vectors[row, : step.n_holds] = lane(name)
    stepper._r.holds.put(span=lane("span")[0], span_first=lane("span_first")[0], near=0)


def _points(stepper: Stepper, step: StepProgram, lane: Callable[[str], np.ndarray]) -> None:
    """The last points, which is all that is needed to go on."""
    n, r, arrays = step.n, stepper._r, stepper._points.arrays
    if step.watch_strain:
        count = int(min(lane("points")[0], PAST))
        arrays["steps_t"][:count] = lane("t_past")[:count][::-1]
        arrays["steps_x"][:count] = lane("x_past").reshape(PAST, n)[:count][::-1]
    else:
        count = 1
        arrays["steps_t"][0], arrays["steps_x"][0] = lane("t")[0], lane("x0")
    arrays["steps_carry"][:count] = stepper._in[stepper._carry_to]
    r.n_steps = count
    rest = stepper._inputs[1 + n :].copy()
    stepper._points.in_force[:] = [Force(0, rest, bytes(r.code), stepper.method)]


def _asked(stepper: Stepper, step: StepProgram, lane: Callable[[str], np.ndarray], status: int) -> bool:
    """Do that for which the stepper would have returned to Python."""
    r = stepper._r
    if status == STRAINED:
        r.counts.exchanges += 1
        stepper.on_strain(stepper)
    elif status == STIFF:
        stepper._methods.change(stepper.t)
        stepper._method_changed()
        if stepper.on_strain is not None:
            stepper.on_strain(stepper)
    elif status == NEAR_SINGULAR:
        hold, most = lane("hold"), np.maximum(NEAR * r.h * lane("hold_rate"), HARDLY * lane("hold_most"))
        if np.any((hold > 0.0) & (hold < most)):
            r.holds.near = 1
            stepper.on_strain(stepper)
    elif status == FAILED:
        r.status = int(lane("cause")[0])
        if not step.fixed:
            r.h, r.fresh = 0.0, 0
        if stepper.on_failure is not None and stepper.on_failure(stepper):
            return True
        stepper.failure = (stepper.t, *FAILURES[r.status])
        return False
    return True
