"""A lane: one run among many, stepped by the loop of the ordinary run (`integrate.loop.advance`).

`begin`, `step` and `decide` (`instants`) work on the record of a lane (`lane_record`), on every target.  A lane is
doing one thing:

    IDLE        nothing: it is free
    STARTING    time, state and inputs are given; `begin` finds what else a start needs
    RUNNING     between two steps; `step` tries one more
    INSTANT     at an instant that has to be decided: witnesses have crossed, or one known beforehand has come; `decide`
                decides it, and the lane runs on
    DONE        at the end
    FAILED      no step succeeds; the record's `status` says why

and the others (`step_program`) are what the ordinary run is asked for, which goes on from there with the bits it would
have had.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import forget
from ..changed_method import change_method
from ..dense import state_at
from ..jit import ask, call, matrix, vector
from ..loop import accept, advance, try_step
from ..record import (
    BEFORE,
    ERROR,
    ERROR_LOW,
    EVENT,
    HELD,
    HELP,
    HOLD_MOST,
    HOLD_TRIAL,
    INCREMENT,
    N_DENSE_ROWS,
    N_VECTORS,
    OK,
    OTHER_METHOD,
    RESUME,
    TRIED,
    X0,
    X1,
)
from ..record import FAILED as NO_STEP
from ..record import STRAINED as STRAINED_STEP
from ..step import begin as begin_stepper
from ..tolerances import CLOSE, ON_THE_WAY
from .instants import begin_instants, decide
from .lane_record import Lane
from .step_program import DONE, FAILED, INSTANT, NEAR_SINGULAR, RUNNING, STARTING, STIFF, STRAINED, SUDDEN, UNDECIDED


def begin(r: Lane) -> None:
    """The start of a run: how constraints hold, relations; the stepper begins here, or with its next step."""
    if r.doing == STARTING:
        r.doing = RUNNING
        if r.holds.count > 0:
            begin_holds(r)
        if r.has_events:
            begin_instants(r)
        if not r.begins:
            V = matrix(r.at.vectors, N_VECTORS, r.at.vector_width)
            status = begin_stepper(r, vector(r.at.inp, r.at.n_in + r.n), vector(r.at.out, r.at.n_out), V)
            if status != OK:
                r.status, r.doing = status, FAILED


def begin_holds(r: Lane) -> None:
    """How well constraints hold is the best so far; where one holds less well than usual, the ordinary run begins."""
    out, V = vector(r.at.out, r.at.n_out), matrix(r.at.vectors, N_VECTORS, r.at.vector_width)
    call(r.code.project, r.at.inp, out, r.at.work)
    for k in range(r.holds.count):
        now = out[r.n + 4 + k]
        if now < CLOSE * V[HOLD_MOST, k]:
            r.doing = NEAR_SINGULAR
        V[HOLD_MOST, k] = now


def step(r: Lane) -> None:
    """One attempt of a lane that runs; then it is doing what that came to."""
    if r.doing == RUNNING:
        do_next(r, advance(r, 0))


def do_next(r: Lane, reason: int) -> None:
    """What a lane does after a step, by the reason for which the loop has returned."""
    if r.has_events:
        r.crossing = int(reason == EVENT)
    if reason == NO_STEP:
        # friction may have grown without bound, which the ordinary run knows how to end
        r.doing = UNDECIDED if r.n_rows > 0 and r.rows.n_contacts > 0 else FAILED
    elif reason == EVENT:
        r.doing = INSTANT
    elif reason == HELP:
        r.doing = SUDDEN
    elif r.t >= r.target and (r.t >= r.instant or r.t < r.horizon):
        # one known beforehand, or the middle of a flight
        r.doing = INSTANT
    elif r.t >= r.horizon:
        # a run that is at its end needs no further help
        r.doing = DONE
    elif reason == STRAINED_STEP:
        r.doing = STRAINED
    elif reason == OTHER_METHOD:
        if r.changes:
            change_method(r)
        else:
            r.doing = STIFF


# --- for those who show the motion inside a step before it is accepted ---


def attempt(r: Lane) -> None:
    """One attempt; a step that is good is `trying`, to be accepted later."""
    if r.doing == RUNNING:
        reason = try_step(r, 0)
        r.trying = int(reason == TRIED)
        if reason != TRIED:
            do_next(r, reason)


def accept_attempt(r: Lane) -> None:
    """Accept the step that is tried, up to its end `t_end`."""
    r.trying = 0
    do_next(r, accept(r))


def point(r: Lane) -> None:
    """The state at the `fraction` of the step that is tried into the input vector."""
    V, F = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), matrix(r.at.dense, N_DENSE_ROWS, r.n)
    state_at(r, r.fraction, vector(r.at.inp, r.at.n_in + r.n), V, F)


# --- for a run that has a processor of its own ---


def march(r: Lane, attempts: int) -> None:
    """One step after another of a single lane, at most so many attempts.

    Threads of a GPU that go in step do either what some or what others have to do.  So each makes some steps, up to its
    next instant, before those at an instant decide it together.
    """
    tried = 0
    if not r.explicit:
        ask(r.pieces.method, r, RESUME)
    while r.doing == RUNNING and tried < attempts:
        made = 0
        while r.doing == RUNNING and (not r.has_events or made < ON_THE_WAY) and tried < attempts:
            forget_trial(r)
            step(r)
            made += 1
            tried += 1
        if r.has_events:
            decide(r)


def forget_trial(r: Lane) -> None:
    """Between two steps nothing is needed of the last trial: no register, and no memory, is to keep it."""
    V, inp = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), vector(r.at.inp, r.at.n_in + r.n)
    for row in (X0, X1, INCREMENT, ERROR, ERROR_LOW, HELD, BEFORE, HOLD_TRIAL):
        forget(V[row])
    for row in range(1, r.at.slopes.shape[0]):
        forget(r.at.slopes[row])
    if r.explicit:
        forget(r.at.dense)
    forget(inp[r.at.n_in :])
    r.length = r.error_now = r.factor = r.allowed = r.t0 = r.t1 = r.t_end = r.theta = r.t_before = 0.0
    r.drift = r.strain = r.position_error = r.velocity_error = 0.0
