"""Assembly with goals: coordinates that close the loops and come as near as possible to what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from ..compiler import beginning, system_of
from ..errors import AssemblyError, ModelError
from ..start import count_turns, start_tangents
from ..system import State, System
from ..system.tangents import with_changes, with_tangents
from .nearest_pose import Closed, Goals, target_of
from .sensitivities import columns_of, refuse_unknown_derivatives, tunable
from .tolerances import ATTEMPTS, BETTER, MET, SIDESTEP


def assemble(model: object, near: State | None = None, goals: Mapping[str, object] | None = None,
             weights: Mapping[str, float] | None = None, sensitivities: str | Sequence[str] | None = None) -> State:
    """Find a state with closed loops near a given one (default: the initial state) that satisfies `goals` by least
    squares.

        reached = lw.assemble(m, goals={"hand.r_0": [1, 0, 0], "elbow.phi": 0.4})

    `goals` are values of position variables by name; entries that are NaN are ignored.  `weights` sets the weight of
    each.  Starting from the initial state, coordinates that the model fixes keep their values, unless a goal names them
    (NaN releases one); starting from a state given as `near`, everything may move.  Loops that cannot be closed raise
    an AssemblyError with the gap of each.  Goals that cannot be reached are approximated as well as possible, and a
    warning states the remaining distance.

    `sensitivities` names parameters, inputs and start values by which the state is differentiated:
    `state.sensitivity("rev2.phi", "crank.r[0]")`.  Along the change the goals stay satisfied, and coordinates that no
    goal determines move as little as possible.
    """
    if sensitivities is not None:
        system, wanted = tunable(model, sensitivities)
        return _differentiated(system, assemble(system, near, goals, weights), near is None, goals or {}, wanted)
    system = system_of(model)
    state = beginning(system, near)
    if goals is not None and not isinstance(goals, Mapping):
        raise ModelError(f'goals: give values by name, such as {{"rev.phi": 0.3}}, not {goals!r}.')
    if not goals:
        return _finished(system, system.assemble(state))
    closed = Closed(system, () if near is not None else set(goals))
    problem = Goals.of(system, goals, weights or {}, closed)
    random, best, cost = np.random.default_rng(0), None, np.inf
    for attempt in range(ATTEMPTS):
        trial = state.copy()
        if attempt:
            # a goal that was not met may be met from the side
            aside = random.normal(scale=SIDESTEP * attempt, size=system.mechanism.nu)
            trial.q = trial.q + system.advance(trial.q, aside)
            system.normalise(trial)
        try:
            trial = problem.approach(closed.close(trial))
        except AssemblyError:
            if attempt:
                continue  # the side was too far away
            raise
        found = float(np.linalg.norm(problem.gap(trial)))
        if found < cost * (1 - BETTER):
            best, cost = trial, found
        if cost < MET / 10:
            break
    problem.say_what_remains(best)
    return _finished(system, best)


def _differentiated(system: System, state: State, own: bool, goals: Mapping[str, object],
                    wanted: Sequence[str]) -> State:
    """The state that knows how it changes."""
    refuse_unknown_derivatives(system)
    columns = [column for name in wanted for column in columns_of(system, state, name)]
    kept, met = {}, []
    for name, value in goals.items():
        expression = ca.vec(system.expression(name))
        target = target_of(name, value, expression.numel())
        keep = [int(k) for k in np.flatnonzero(np.isfinite(target))]
        kept[name] = expression[keep] if keep else ca.SX(0, 1)
        met.append(np.abs(np.ravel(state.get(name), order="F")[keep] - target[keep]).max(initial=0.0) <= 10 * MET)
    if not all(met):
        raise ModelError("goals that are not met have no derivative here; leave out what contradicts them, or "
                         "sensitivities.")
    tangents = with_tangents(system, columns, [1.0] * len(columns)).equations
    return with_changes(system, state, columns, start_tangents(system, tangents.kept, columns, state, own, kept))


def _finished(system: System, state: State) -> State:
    state = system.assemble(state)
    count_turns(system, state)
    return state
