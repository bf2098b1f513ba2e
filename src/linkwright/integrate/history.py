"""States at any time already covered, by repeating the stages of the stored step they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, SimulationError
from .accepted_points import Force
from .method_in_use import install
from .record import CODE, FAILED, PIECE, STEP, point_at

if TYPE_CHECKING:
    from .driver import Stepper


def states_at(stepper: Stepper, t: float | Sequence[float] | np.ndarray, side: str = "left") -> np.ndarray:
    """States of `stepper` at times t (number or array) that it has covered, to the accuracy of the run.

    Where the caller changed the state, `side` chooses the value before ("left") or after ("right") the change.
    """
    times = np.atleast_1d(np.asarray(t, dtype=float))
    steps_t, steps_x = stepper.steps_t, stepper.steps_x
    if len(steps_t) == 0 or times.size and not (times.min() >= steps_t[0] and times.max() <= steps_t[-1]):
        span = f"went from {steps_t[0]:g} s to {steps_t[-1]:g} s" if len(steps_t) else "has not begun"
        raise ModelError(f"the time asked for is not covered; the run {span}.")
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
    steps, in_force = place[inside] - 1, stepper._points.in_force
    owner = np.searchsorted(np.array([force.start for force in in_force]), steps, side="right") - 1
    for which in np.unique(owner):
        chosen = owner == which
        states[inside[chosen]] = _repeat(stepper, times[inside[chosen]], steps[chosen], in_force[which])
    return states[0] if np.ndim(t) == 0 else states.reshape(*np.shape(t), stepper.n)


def _repeat(stepper: Stepper, times: np.ndarray, steps: np.ndarray, force: Force) -> np.ndarray:
    """States at `times` inside the given steps, with the inputs, code and method of the time; in scratch memory."""
    from . import jit, repeat

    stepper._point()
    memory = stepper._memory.copy()
    r = STEP.at(memory)
    r.code = CODE.view.from_buffer_copy(force.code)
    install(r, force.method, stepper._methods.own(force.method))
    inp, states = stepper._in.copy(), np.empty((len(times), stepper.n))
    inp[1 + stepper.n : stepper.model.n_in] = force.rest
    scratch = {"record": memory, "inp": inp, "out": np.zeros_like(stepper._out), "work": np.zeros_like(stepper._work),
               "vectors": stepper._vectors.copy(), "slopes": np.zeros_like(stepper._k),
               "dense": np.zeros_like(stepper._dense), "grid": np.ascontiguousarray(times), "grid_x": states,
               "grid_step": np.ascontiguousarray(steps, dtype=np.int64)}
    point_at(r.at, **scratch)
    if PIECE(jit.load(repeat.repeat).address)(memory.ctypes.data, 0) == FAILED:
        raise SimulationError("a stored step could not be repeated for dense output.", time=float(times[0]))
    return states
