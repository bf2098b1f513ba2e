"""Simulation: a run of a stepper over a system, from a state to a time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np

from ..aliases import shown
from ..compiler import (
    beginning,
    given_inputs,
    names,
    number,
    numbers,
    refuse_keywords,
    system_of,
    weights_given,
    with_inputs,
)
from ..errors import ModelError, SimulationError
from ..integrate import Stepper, choose
from ..result import Result
from ..run import (
    Again,
    ByHand,
    EventRun,
    NoProgress,
    Patience,
    Schedule,
    broken,
    check_work,
    collect,
    first_broken,
    kept_bytes,
    make_stepper,
    passed_limits,
    passing_through,
)
from ..start import prepare, redundant_motions
from ..system import State, System, split_entry
from ..waiting import log
from .failed_runs import failure
from .progress import Progress
from .sensitivities import Together, refuse_method, tunable, with_columns, with_companion
from .tolerances import AT_THE_END, INTERVAL_ROUNDING, INTERVALS, MOST_OUTPUTS

if TYPE_CHECKING:
    from ..run.moreau import Moreau


TIME_STEPPING = "time_stepping"


@shown
def simulate(model: object, stop: float | None = None, *, start: float = 0.0, state: State | None = None,
             method: str = "auto", accuracy: float = 1e-8, output_step: float | None = None,
             fixed_step: float | None = None, inputs: Mapping[str, object] | None = None, progress: bool | None = None,
             weights: Mapping[str, float] | None = None, time_scale: float | None = None, norm: str = "rms",
             live: bool | float = False, sensitivities: str | Sequence[str] | None = None,
             frozen: str | Sequence[str] = (), dense: bool | None = None, **unknown: object) -> Result:
    """Simulate a model from `start` to `stop` (in s) and return the Result.

        r = lw.simulate(m, 10.0)
        r = lw.simulate(m, 10.0, accuracy=1e-10, output_step=0.01, inputs={"motor.tau": 2.0})

    `state` is the initial state (default: the assembled initial state of the model).

    `method` selects the integrator.  "dop853", "dopri5" and "radau" (implicit, for stiff models) control their step
    size, or use the constant `fixed_step`; "rk4", "gauss4", "verlet" and "semi_implicit_euler" require a `fixed_step`.
    "time_stepping" computes rigid contact by impulses per step (1 ms unless `fixed_step` is given).  "auto" is
    time_stepping where there are very many rigid contacts, rk4 if `fixed_step` is given, else dop853 for accuracies of
    1e-6 and finer and dopri5 for coarser ones; it continues with radau where the model turns out stiff, and says so in
    the result's `messages`.

    `accuracy` is the error per step, weighted as in the Simbody manual §9.  Where bodies touch, a tenth of it is used,
    so that the energy balance holds to ten times the accuracy.  `weights` are 1/(unit change) of states by name,
    `time_scale` is the time in which a speed makes a unit change.

    `output_step` is the interval between output times (default: 500 intervals).

    `inputs` are values of parameters and discrete variables by name.  Those of an m.input, or of a signal that was left
    as a number, may also be an expression of lw.time, a function of t, or a pair (t, values) that is interpolated
    linearly.  A function of t that does not accept symbols is sampled: pulses shorter than a ten-thousandth of the run
    may be missed, so write those with lw.where.

    `sensitivities` names parameters, initial values and inputs by which the run is differentiated; for an input given
    as (t, values) these are the values at the points ("motor.tau", or "motor.tau[3]" for one of them).  Then
    `result.sensitivity("body.r_0", "spring.c")` is the derivative of any variable, through loops and events.  Parts
    without a derivative, such as a controller in Python, are refused by name, unless `frozen` names them: then their
    values of this run are treated as constants.

    All steps are kept, up to 256 MB, so that `result.at(t)` can evaluate the motion at any time.  Longer runs (a
    million steps) keep the output times and the last steps only.  `dense=True` keeps all steps, `dense=False` none.

    `progress=True` shows a progress bar; by default one appears in a terminal after two seconds.  `live=True` shows the
    motion in a browser during the simulation, `live=0.5` at half of real time at most, with sliders for inputs and for
    parameters that the system was compiled with as `tunable`.  Afterwards the page plays the result until
    `result.viewer.stop()`.

    Raises SimulationError, with `.time` and `.result`, if the simulation cannot continue; if the equations become
    singular, the error is also a SingularError.  After Ctrl-C, the KeyboardInterrupt has the part that was computed in
    `.result`.
    """
    refuse_keywords("simulate", unknown, simulate)
    if stop is None:
        raise ModelError("simulate(model, stop): the end of the run is missing; give it in seconds, simulate(m, 10.0).")
    start, stop, accuracy = number("start", start), number("stop", stop), number("accuracy", accuracy)
    step, h, time_scale = numbers(output_step=output_step, fixed_step=fixed_step, time_scale=time_scale)
    if not isinstance(method, str):
        raise ModelError(f"method = {method!r} is no name of a method; give a string such as 'dopri5', or 'auto'.")
    inputs = given_inputs(inputs)
    weights = weights_given(weights)
    wanted: tuple[str, ...] = ()
    if sensitivities is None:
        system = system_of(model)
    else:
        refuse_method(choose(method, accuracy, h))
        system, wanted = tunable(model, sensitivities)
    grid = output_times(start, stop, step)
    given, asked, told = state is not None, state, inputs
    state = None if state is None else beginning(system, state)
    system, state, inputs, corners, messages = with_inputs(
        system, state, inputs, start, stop, accuracy, [split_entry(name)[0] for name in wanted])
    state = prepare(system, state, start, inputs)
    messages = [*messages, *redundant_motions(system, state), *passing_through(system)]
    check_work(system, start, stop, h)
    begun = None
    if isinstance(sensitivities, Together):
        state, begun = with_companion(system, state, wanted, own=not given)
    elif wanted:
        state = with_columns(system, state, wanted, own=not given, frozen=names("frozen", frozen))
    system = state.system
    schedule = Schedule.of(system, start, corners, accuracy)
    if method == TIME_STEPPING or method == "auto" and system.mechanism.events.stepped:
        stepper = run = stepped(system, state, h, schedule)
    else:
        stepper = make_stepper(system, state, method, accuracy, h, weights, time_scale, norm, kept_bytes(system, dense))
        run = EventRun(system, stepper, schedule) if system.mechanism.events or schedule is not None else None
    with stream(system, state, live) as viewer:
        with Progress(progress, start, stop) as bar:
            go = stepper.run if run is None else run.run
            stepper.at_once = viewer and viewer.at_once
            patience, hand = Patience(system, state, stop), ByHand(system, state, run is not None)

            def pause(stepper: Stepper) -> None:
                bar.show(stepper)
                if viewer and viewer.show(stepper):
                    hand.note(stepper)
                patience.look(stepper)

            try:
                reason = go(stop, grid=grid, on_pause=pause)
            except NoProgress:
                reason = "stands"
            except Again as again:
                return simulate(model, stop, start=start, state=asked, method=method, accuracy=accuracy,
                                output_step=step, fixed_step=h, inputs={**told, **again.values}, progress=progress,
                                weights=weights, time_scale=time_scale, norm=norm, sensitivities=sensitivities,
                                frozen=frozen, live=viewer, dense=dense)
            bar.move(stepper.t)
        result = collect(system, stepper, state, grid, run, hand)
        result.messages[:0] = messages
        for message in result.messages:
            log.info("%s: %s", system.mechanism.name, message)
        result.viewer, result.begun = viewer, begun
        if reason == "stands":
            raise SimulationError(patience.said, *patience.components, time=stepper.t, result=result)
        if reason == "trouble":
            raise run.failure(result)
        if reason == "failed":
            raise failure(system, stepper, state, result)
        if reason == "interrupted":
            error = KeyboardInterrupt(f"stopped at t = {stepper.t:.6g} s; what was computed is in .result")
            error.result = result
            raise error
        found = first_broken(system, result)
        if found is not None:
            kept = max(1, int((result.t < found[0]).sum()))
            raise broken(found, result.until(kept))
        for advice in passed_limits(system, result):
            result.messages.append(advice)
            warnings.warn(advice, stacklevel=3)
        if viewer:
            viewer.show_end(stepper, result)
        return result


def stepped(system: System, state: State, h: float | None, schedule: Schedule | None) -> Moreau:
    """The stepper of many contacts."""
    from ..run.moreau import Moreau

    if h is not None and not (np.isfinite(h) and h > 0):
        raise ModelError(f"fixed_step must be positive and finite, got {h}.")
    return Moreau(system, state, h, schedule)


def stream(system: System, state: State, live: bool | float) -> AbstractContextManager:
    """A page that shows a run while it is computed, where one is wanted; it is closed when the run fails."""
    if live is False or live is None:
        return nullcontext()
    from ..view import Stream

    return live.again(state) if isinstance(live, Stream) else Stream(system, state, live)


def output_times(start: float, stop: float, step: float | None) -> np.ndarray:
    """A strictly increasing grid from `start` that ends exactly at `stop`."""
    if not (np.isfinite(start) and np.isfinite(stop) and stop > start):
        raise ModelError(f"stop must lie after start; got start = {start}, stop = {stop}.")
    if step is None:
        return np.linspace(start, stop, INTERVALS + 1)
    if not (np.isfinite(step) and step > 0):
        raise ModelError(f"the output interval must be positive, got output_step = {step}.")
    count = int(np.floor((stop - start) / step * (1 + INTERVAL_ROUNDING)))
    if count > MOST_OUTPUTS:
        raise ModelError(f"output_step = {step} gives {count} output times; choose a larger output interval.")
    grid = start + step * np.arange(count + 1)
    if stop - grid[-1] <= AT_THE_END * step:
        grid[-1] = stop
        return grid
    return np.append(grid, stop)


def continued(system: System, stepper: Stepper, state: State, run: EventRun | None, stop: float,
              alive: bool = True) -> SimulationError | None:
    """Let a stepper that others have set go on to `stop`; what went wrong, if anything.  `state` is where it stands.

    One that is not `alive` has failed already.
    """
    patience, reason = Patience(system, state, stop), "failed"
    try:
        if alive:
            reason = stepper.run(stop, on_pause=patience.look) if run is None else run.run(stop, None, patience.look)
    except NoProgress:
        reason = "stands"
    if reason in ("end", "terminated"):
        return None
    if reason == "interrupted":
        raise KeyboardInterrupt
    result = collect(system, stepper, state, stepper._grid, run)
    if reason == "stands":
        return SimulationError(patience.said, *patience.components, time=stepper.t, result=result)
    if reason == "trouble":
        assert run is not None, "trouble comes of events"
        return run.failure(result)
    return failure(system, stepper, state, result)
