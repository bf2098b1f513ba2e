"""Initial values: from what the user gave to a state that satisfies it.

Unknowns are the coordinates (moved along their mobilities), speeds, auxiliary states where something depends on them,
and parameters marked `lw.free`.  Fixed start values, initial equations and the loops' equations must hold; guesses say
where to begin.  Newton steps of least norm do not move what no condition depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from ..equations import Equations
from ..errors import InitialError
from ..mechanism import Winding
from ..run import settle
from ..run.tolerances import SLOW
from ..system import State, System, refuse_gaps_across, seek_unknowns, transferred
from ..system.event_programs import ROW, refresh
from .contradictions import check
from .problem import StartProblem
from .redundant_motions import refuse_tied
from .search import find
from .tolerances import CONVERGED, COUNTED, MODE_ROUNDS


def first_state(system: System, t: float = 0.0) -> State:
    """The state at the start, at time t, with friction and stops in the modes that the forces require."""
    if system.starts_on is None:
        state = initial_state(system, t)
    else:
        state = moved_state(system, system.starts_on.state() if t == 0 else first_state(system.starts_on, t))
    _refuse_not_positive(system, state)
    return settle(state)


def initial_state(system: System, t: float) -> State:
    """The state that satisfies the start values, initial equations and loops."""
    state = system.state_from_defaults()
    state.t = t
    seek_unknowns(system, state)
    refuse_gaps_across(system, state)
    _begin_turns(system, state)
    problem = StartProblem(system)
    if problem.empty:
        return state
    _find(state, lambda state: find(problem, state))
    seek_unknowns(system, state)
    try:
        check(problem, state)
    except InitialError:
        # better reasons: numbers that must be positive where everything is as given, motions that contradict each other
        _refuse_not_positive(system, system.state_from_defaults())
        refuse_tied(system, system.assemble(state), at_least=2)
        raise
    refuse_tied(system, state)
    count_turns(system, state)
    return state


def moved_state(system: System, found: State) -> State:
    """The initial state that was `found` on another tree of the same model."""
    state, problem = transferred(found, system), StartProblem(system)
    count_turns(system, state)
    if not problem.empty:
        if np.abs(problem.residual(state)[problem.fixed]).max(initial=0.0) > CONVERGED:
            _find(state, problem.finish)
        check(problem, state)
    return state


def _find(state: State, solve: Callable[[State], None]) -> None:
    """Solve with relations and friction as they are at the solution, which is repeated until they agree.

    Sliding friction acts against the speeds that come out.  Friction at rest is left out: it could take any value up to
    its limit, so that a condition such as a = 0 at rest would not determine anything.
    """
    system = state.system
    events = system.mechanism.events
    names = system.part_names("d")
    places = [names.index(row.direction.name()) for row in events.rows if row.direction is not None]
    state.d[places] = 0.0
    begun, modes = state.copy(), state.d.copy()
    for again in range(MODE_ROUNDS):
        if again:  # from where it began: what is found depends on the modes alone, not on the rounds before
            for part in "quzpy":
                setattr(state, part, getattr(begun, part).copy())
            state.d = modes.copy()
            seek_unknowns(system, state)  # where laws have changed, so have the places to begin at
        solve(state)
        solved = state.d.copy()
        refresh(system, state)
        if places:
            program = system.code.situation
            rows = program(system.layout.pack(state))[program.slice_out("rows")].reshape(-1, len(ROW))
            speeds = rows[: len(places), ROW.index("rate")]
            state.d[places] = np.where(np.abs(speeds) > SLOW, np.sign(speeds), 0.0)
        if np.array_equal(solved, state.d):
            return
        modes = np.where(solved == state.d, modes, state.d)


def _refuse_not_positive(system: System, state: State) -> None:
    """Refuse a start at which a number that components want to be positive is not."""
    start = system.mechanism.start
    if start is None or not start.positive:
        return
    e = system.equations
    parts = ("t", "q", "u", "z", "d", "p")
    function = ca.Function("positive", [*[e.symbols[n] for n in parts], e.y],
                           [e.finish(ca.vertcat(*[item.residual for item in start.positive]))[0]])
    values = np.array(function(*[getattr(state, n) for n in parts], state.y)).ravel()
    for item, value in zip(start.positive, values, strict=True):
        if not value > 0:
            raise InitialError(item.name.format(value=value))


def hold_modes(state: State) -> None:
    """Set the relations of a state that is found already, as a search for it would."""
    _find(state, lambda state: None)


def _begin_turns(system: System, state: State) -> None:
    """States that count turns start at the given angles."""
    start = system.mechanism.start
    if start is None:
        return
    given = {(value.name, value.entry): value.value for value in start.values}
    places = winding_places(system)
    for winding in start.windings:
        for k, name in zip(places[winding.name], winding.begins, strict=True):
            state.z[k] = given.get(name, state.z[k])


def winding_places(system: System) -> dict[str, list[int]]:
    """The states that count turns, and where they are in z."""
    places, offset = {}, 0
    for item in system.mechanism.states:
        places[item.name] = [*range(offset, offset + item.symbol.numel())]
        offset += item.symbol.numel()
    start = system.mechanism.start
    return {winding.name: places[winding.name] for winding in (start.windings if start is not None else ())}


def _wound(e: Equations, windings: Sequence[Winding]) -> ca.Function:
    """The angles nearest to the states that count turns."""
    return ca.Function("wound", [e.symbols[n] for n in ("t", "q", "u", "z", "d", "p")],
                       [e.finish(ca.vertcat(*[w.wound for w in windings]))[0]])


def count_turns(system: System, *states: State) -> None:
    """Set the states that count turns to the angles of a sequence of states.

    The turn nearest to that of the first state is kept, and between states no angle changes by more than half a turn.
    A state that already is its angle stays as it is, to the last bit: runs that go on from it are the same run.
    """
    start = system.mechanism.start
    if start is None or not start.windings or not states:
        return
    parts = ("t", "q", "u", "z", "d", "p")
    function = system.code.once(("wound",), lambda: _wound(system.equations, start.windings))
    counted = [k for places in winding_places(system).values() for k in places]
    before = np.array(states[0].z)[counted]
    for state in states:
        z = np.array(state.z)
        z[counted] = before
        found = np.array(function(*[z if n == "z" else getattr(state, n) for n in parts])).ravel()
        before = z[counted] = np.where(np.abs(found - before) > COUNTED * np.maximum(1, np.abs(found)), found, before)
        state.z = z
