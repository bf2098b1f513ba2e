"""The ordinary stepper takes over a run where a lane has left it, and goes on with the bits it would have had.

Both have the same record and the same arrays, so that there is nothing but to copy them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

import numpy as np

from ..accepted_points import Force
from ..driver import Stepper
from ..record import FAILURES
from .step_program import EVENTFUL, FAILED, STIFF, STRAINED, UNDECIDED, StepProgram

#: arrays of a stepper by the names that they have in the record
ARRAYS = {"inp": "_in", "vectors": "_vectors", "slopes": "_k", "dense": "_dense", "witnesses": "_g", "laws": "_laws"}


def can_take_over(lane: Callable[[str], np.ndarray], status: int) -> bool:
    """Whether the memory of a lane is a whole run between two steps; else the run is repeated from its start."""
    begun = lane("counts.steps") > 0
    if status == FAILED:
        # not where it failed to begin again after an event
        return bool(begun and lane("rejected_before") != 0)
    return bool(begun and status != UNDECIDED)


def take_over(stepper: Stepper, step: StepProgram, lane: Callable[[str], np.ndarray], status: int,
              grid: Sequence[float] | np.ndarray) -> bool:
    """Put a stepper, made at the start of a run, where its lane has come, and do what was asked for there.

    `grid` are the output times that are left; False where the run has failed for good.
    """
    r, own = stepper._r, stepper._methods.own(stepper.method)
    for name, (_, shape, _) in step.memory.fields.items():
        if name in step.memory.scratch:
            continue
        path, _, last = name.rpartition(".")
        if path in ("pieces.own", "pieces.implicit") and shape:
            own.arrays[last][...] = lane(name)
        elif path in ("pieces.own", "pieces.implicit"):
            setattr(own.view, last, lane(name).item())
        elif path == "at" and last in ARRAYS:
            array = getattr(stepper, ARRAYS[last])
            array[tuple(slice(size) for size in shape)] = lane(name)
        elif path != "at" and not shape and hasattr(r, (path or last).partition(".")[0]):
            setattr(attrgetter(path)(r) if path else r, last, lane(name).item())
    _points(stepper, lane)
    stepper._set_grid(grid)
    r.grid_next = 0
    stepper._seen = stepper._inputs.tobytes()
    # an event that was found is still to be reported where the ordinary run decides it
    stepper._events_reported = r.counts.events_found - (status == EVENTFUL)
    return _asked(stepper, status)


def _points(stepper: Stepper, lane: Callable[[str], np.ndarray]) -> None:
    """The last points, which is all that is needed to go on."""
    r, arrays = stepper._r, stepper._points.arrays
    kept = lane("at.steps_t")
    count = min(r.n_steps, len(kept))
    for name in ("steps_t", "steps_x", "steps_carry"):
        arrays[name][:count] = lane(f"at.{name}")[len(kept) - count :]
    if not count:
        count, n = 1, stepper.n
        arrays["steps_t"][0], arrays["steps_x"][0] = stepper._in[0], stepper._in[1 : 1 + n]
        arrays["steps_carry"][0] = stepper._in[stepper._carry_to]
    r.n_steps = count
    rest = stepper._inputs[1 + stepper.n :].copy()
    stepper._points.in_force[:] = [Force(0, rest, bytes(r.code), stepper.method)]


def _asked(stepper: Stepper, status: int) -> bool:
    """Do that for which the stepper would have returned to Python."""
    r = stepper._r
    if status == STRAINED:
        stepper.on_strain(stepper)
    elif status == STIFF:
        stepper._methods.change(stepper.t)
        stepper._method_changed()
        if stepper.on_strain is not None:
            stepper.on_strain(stepper)
    elif status == FAILED:
        if stepper.on_failure is not None and stepper.on_failure(stepper):
            return True
        stepper.failure = (stepper.t, *FAILURES[r.status])
        return False
    return True
