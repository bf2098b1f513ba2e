"""States at any time already covered, by repeating the stages of the stored step they lie in."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError, SimulationError
from .call_arguments import CODE, FUNCTIONS
from .methods import entry
from .record import FAILED, RADAU, Record
from .switching import settings


def states_at(stepper, t, side: str = "left") -> np.ndarray:
    """States of `stepper` at times t (number or array) that it has covered, to the accuracy of the run.

    Where the caller changed the state, `side` chooses the value before ("left") or after ("right") the change.
    """
    times = np.atleast_1d(np.asarray(t, dtype=float))
    steps_t, steps_x = stepper.steps_t, stepper.steps_x
    if len(steps_t) == 0 or times.size and not (times.min() >= steps_t[0] and times.max() <= steps_t[-1]):
        raise ModelError(f"the time asked for is not covered; the run went from {steps_t[:1]} to {steps_t[-1:]}.")
    states = np.empty((times.size, stepper.n))

    # where a time is a step point the stored state is the answer
    place = np.searchsorted(steps_t, times, side="left")
    exact = steps_t[place] == times
    if side == "right":
        place_after = np.searchsorted(steps_t, times, side="right") - 1
        states[exact] = steps_x[place_after[exact]]
    else:
        states[exact] = steps_x[place[exact]]

    # the others lie inside the step that ends at `place`; in order of time, one set of inputs after another
    inside = np.flatnonzero(~exact)
    inside = inside[np.argsort(times[inside], kind="stable")]
    steps = place[inside] - 1
    starts = np.array([k for k, *_ in stepper._rests])
    owner = np.searchsorted(starts, steps, side="right") - 1
    for which in np.unique(owner):
        chosen = owner == which
        states[inside[chosen]] = _repeat(stepper, times[inside[chosen]], steps[chosen], *stepper._rests[which][1:])
    return states[0] if np.ndim(t) == 0 else states.reshape(*np.shape(t), stepper.n)


def _repeat(stepper, times, steps, rest, code, method) -> np.ndarray:
    """States at `times` inside the given steps, with that tail of the inputs, code and method; in scratch memory."""
    memory = stepper._memory.copy()
    inp, out, work = stepper._in.copy(), np.zeros_like(stepper._out), np.zeros_like(stepper._work)
    k, g, laws = np.zeros_like(stepper._k), np.zeros_like(stepper._g), np.zeros_like(stepper._laws)
    inp[1 + stepper.n : 1 + stepper.n + len(rest)] = rest
    r = Record.from_buffer(memory)
    r.put(mode=1, **dict(zip((*FUNCTIONS, *CODE), code, strict=True)), **settings(method))
    stepper._set_pointers(r, inp, k, g, laws, out, work)
    states = np.empty((len(times), stepper.n))
    implicit = stepper._switching.implicit if method.kind == RADAU else None
    tableau = method.tableau
    reason = entry(method.kind)(
        memory, tableau.a, tableau.c, tableau.e, tableau.d, inp, out, stepper._quaternions,
        stepper._vectors.copy(), k, np.zeros_like(stepper._dense), g, laws,
        stepper._carry_from, stepper._carry_to,
        np.ascontiguousarray(times), states, np.ascontiguousarray(steps, dtype=np.int64),
        *stepper._points, implicit,
    )  # fmt: skip
    if reason == FAILED:
        raise SimulationError("a stored step could not be repeated for dense output.", time=float(times[0]))
    return states
