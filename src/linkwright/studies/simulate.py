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
    by_name,
    check_tuned,
    given_inputs,
    names,
    number,
    numbers,
    refuse_keywords,
    system_of,
    with_inputs,
)
from ..errors import LinkwrightError, ModelError, SimulationError
from ..integrate import METHODS, Linearised, Model, Options, Stepper, choose, first_pivots
from ..result import Result
from ..run import (
    Again,
    ByHand,
    EventRun,
    Formulation,
    NoProgress,
    Patience,
    Schedule,
    broken,
    check_ranges,
    check_work,
    coarse_steps,
    first_broken,
    passed_limits,
    passing_through,
    updated,
    with_updates,
)
from ..start import count_turns, redundant_motions, started
from ..system import State, System, choose_given, nearly_closed, refuse_gaps_across, split_entry
from ..system.diagnose import check_finite
from ..system.event_programs import witnesses_of
from ..system.given_motions import on_course
from ..system.tangents import has_tangents
from ..waiting import log
from .failed_runs import failure
from .progress import Progress
from .sensitivities import Together, refuse_method, tunable, with_columns, with_companion
from .tolerances import AT_THE_END, FINEST, INTERVAL_ROUNDING, INTERVALS, KEPT, MOST_OUTPUTS, SAID

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
    weights = by_name("weights", weights, "weights={'rev.phi': 10}")
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


def prepare(system: System, state: State | None, start: float, inputs: Mapping[str, object]) -> State:
    """A copy of the state to start from, with inputs set, checked, quaternions of unit length and loops closed.

    Where it is the start of the system that nobody has moved, it is searched for anew with these inputs.
    """
    if state is not None and state.system is not system:
        raise ModelError("the state belongs to another system; take it from system.state().")
    fresh = state is None or state.begins
    state = system.state() if state is None else state.copy()
    state.t = float(start)
    for name, value in inputs.items():
        part, where, numbers = system.names_table.place(name, value, state)
        if part not in "pd":
            raise ModelError(f"{name}: this is a state, not an input; set it in the state to start from.", name)
        getattr(state, part)[where] = numbers
    check_finite(system, state)
    check_ranges(system, state)
    check_tuned(system, state)
    if fresh:
        return started(system, state)
    held = on_course(system, state)
    system.normalise(state)
    if not nearly_closed(system, state):
        state = system.assemble(state, held)
    refuse_gaps_across(system, state)
    count_turns(system, state)
    return state


def make_stepper(system: System, state: State, method: str, accuracy: float, h: float | None,
                 weights: Mapping[str, float], time_scale: float | None, norm: str,
                 keep_steps: float = np.inf) -> Stepper:
    """A stepper over the system's code, at the state."""
    m = system.mechanism
    if m.events.stepped:
        raise ModelError(f"method = {method!r}: m.contacts found so many rigid contacts, or pairs of shapes without a "
                         "formula, that they can only be stepped; use method='time_stepping' (or 'auto'), or a "
                         "compliant law.")
    accuracy = accuracy_of_steps(system, accuracy)
    formulation = Formulation(system, state, choose(method, accuracy, h), accuracy)
    programs, senses = formulation.programs(), []
    rhs = programs["rhs"]
    if m.events:
        # modes are right by definition where a run is taken up; conditions of actions are not
        senses = [-1.0 if w.what == "when" else -2.0 for w in witnesses_of(system.equations)]
    layout = system.layout
    n, n_in, unknowns = m.nq + m.nu + len(state.z), layout.n_in, layout.places["y"]
    carry = (range(rhs.n_out - len(state.y), rhs.n_out), range(n_in)[unknowns])
    for name, value in (("fixed_step", h), ("time_scale", time_scale), ("accuracy", accuracy)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ModelError(f"{name} must be positive and finite, got {value}.")
    model = Model(
        {name: program.address for name, program in programs.items()}, (m.nq, m.nu, len(state.z)), n_in,
        n_work=max(program.n_work for program in programs.values()), n_slope=rhs.n_out,
        n_out=max(program.n_out for program in programs.values()) + 2 + len(m.constraints), senses=senses,
        n_bases=programs["bounds"].n_in // 2 if "bounds" in programs else 0,
        n_laws=system.code.sharp_laws[0] if system.code.sharp_laws else (0, 0, 0),
        quaternions=system.quaternions, carry=carry,
        updated=[layout.places["d"].start + k for k in updated(system)],
        plain_speeds=system.plain_speeds, linearised=lambda: linearised(system),
        differentiated=has_tangents(system))
    options = Options(accuracy, h, weights_of(system, state, weights, n), time_scale, norm,
                      keep_steps=keep_steps)
    stepper = Stepper(method, model, layout.pack(state), options, every_stage=formulation.iterates,
                      on_strain=formulation.exchange if system.minimal else None)
    formulation.watch(stepper)
    return stepper


def kept_bytes(system: System, dense: bool | None) -> float:
    """The bytes that the steps of a run may take, by what was asked for and by what looks back at them."""
    if dense not in (None, True, False):
        raise ModelError(f"dense = {dense!r}: True keeps every step, False none, None as many as fit.")
    looks_back = system.mechanism.memories or system.mechanism.events.updates
    if dense is False and looks_back:
        raise ModelError("dense = False: delays and m.each_step look back at the steps of a run; leave it out.")
    return np.inf if dense or looks_back else 0.0 if dense is False else KEPT


def linearised(system: System) -> Linearised:
    """The linearised equations, for implicit steppers; pivots are those of the start of the system, for all runs."""
    program, P, Q = system.code.linearised
    own = Linearised(program.address, P, Q, program.n_work)
    return own._replace(pivots=system.once(("pivots",), lambda: first_pivots(own, entries_at_start(system))))


def entries_at_start(system: System) -> np.ndarray:
    """Entries of P and Q at the start of a system, or at default coordinates where it has none."""
    try:
        state = system.state()
    except LinkwrightError:
        state = system.state(assembled=False)
    choose_given(system, state, ())
    return system.code.linearised.program(system.layout.pack(state))


def accuracy_of_steps(system: System, accuracy: float) -> float:
    """The error that one step may make: the accuracy, or a tenth of it where bodies touch.

    What steps lose or gain while something rolls or bounces adds up; so held, the energy of every example stays within
    ten accuracies of its peak.  It costs a third more steps, and ends where rounding begins.
    """
    events = system.mechanism.events
    if not (events.contacts or events.pressed) or not FINEST < accuracy < 1:
        return accuracy
    return max(accuracy / 10, FINEST)


def weights_of(system: System, state: State, weights: Mapping[str, float], n: int) -> np.ndarray | None:
    """1/(unit change) per state, from names of coordinates, speeds or states."""
    m = system.mechanism
    if not weights and all(z.weight == 1 for z in m.states):
        return None
    out = np.ones(n)
    out[m.nq + m.nu :] = np.concatenate([np.zeros(0), *[np.full(z.symbol.numel(), z.weight) for z in m.states]])
    first = {"q": 0, "u": m.nq, "z": m.nq + m.nu}
    for name, value in weights.items():
        value = number(f"the weight of {name}", value)
        if not (np.isfinite(value) and value >= 0):
            raise ModelError(f"{name}: a weight is a number ≥ 0, got {value!r}.", name)
        part, where, _ = system.names_table.place(name, state.get(name), state)
        if part not in first:
            raise ModelError(f"{name}: only states have weights, this is a parameter or discrete variable.", name)
        out[first[part] + where] = value
    if n and not np.any(out):
        raise ModelError("weights: all are zero, so that nothing would decide on the steps; leave one that counts.")
    return out


def collect(system: System, stepper: Stepper, state: State, grid: np.ndarray, run: EventRun | None = None,
            hand: ByHand | None = None) -> Result:
    """The result up to where the stepper has come; the last point is there even between output times."""
    x = stepper.grid_x.copy()
    t = grid[: len(x)]
    if len(stepper.steps_t) and (not len(t) or stepper.t > t[-1]):
        t, x = np.append(t, stepper.t), np.vstack([x, stepper.x])
    own = [(state.t, state.d.copy())] if hand is None else hand.discretes
    history = with_updates(system, stepper, own if run is None else run.history)
    parameters = hand.parameters if hand is not None and hand.moved else None
    messages = changes_of_method(stepper) + stepper.messages + coarse_steps(stepper)
    if stepper.kept_from > grid[0] and stepper.keep_steps:
        messages.append(f"steps before t = {stepper.kept_from:.6g} s were not kept, their output times were: between "
                        "these result.at knows nothing (simulate(…, dense=True) keeps every step)")
    if run is None:
        plain = len(history) == 1 and np.array_equal(history[0][1], state.d)
        return Result(system, stepper, state, t, x, messages=messages, history=None if plain else history,
                      parameters=parameters)
    messages += run.log.messages
    if run.message is not None:
        messages.append(f"ended at t = {stepper.t:.9g} s: {run.message}")
    result = Result(system, stepper, state, t, x, run.table, messages, history, run.log.contacts, parameters)
    result.jumps = getattr(run, "jumps", [])  # stepped contact has none
    return result


def changes_of_method(stepper: Stepper) -> list[str]:
    """What is to be said about stiffness: the first changes of method, and how many more there were."""
    (_, before), *changes = stepper.methods
    said = []
    for t, now in changes[:SAID]:
        stiff = f"stiff for {before}" if METHODS[now].implicit else "no longer stiff"
        said.append(f"at t = {t:.6g} s the motion was {stiff}: went on with {now}")
        before = now
    if len(changes) > SAID:
        said.append(f"the method changed {len(changes) - SAID} more times")
    return said


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
