"""Rows and contacts of a lane: its instants ask the functions of the ordinary run, and tell what these have told."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ...codegen.dialect import known
from ..beside import N_NEWS, NEWS_CONTACT, NEWS_ROW
from ..jit import ask, integers, matrix, vector
from ..record import BEFORE, N_VECTORS
from ..tolerances import NEVER
from .lane_record import Lane
from .situation_now import tell
from .step_program import NO_MODES, UNDECIDED


def ask_rows(r: Lane, task: known) -> None:
    """What the ordinary run asks of its rows; where there is trouble, the ordinary run is asked to tell of it."""
    if ask(r.row_instant, r.rows, task) != 0:
        r.doing, r.status = UNDECIDED, NO_MODES
    r.happened += r.rows.n_log + r.rows.n_events
    if r.told.tells:
        if r.rows.needs_jump != 0:
            # the program of impulses is made when it is first needed
            r.doing = UNDECIDED
        tell_of_rows(r)


def keep_before(r: Lane) -> None:
    """Rows of the ordinary run have an array of their own for the state before the event."""
    V, before = matrix(r.at.vectors, N_VECTORS, r.at.vector_width), vector(r.rows.x_before, r.n)
    before[:r.n] = V[BEFORE, :r.n]


def forget_situation(r: Lane) -> None:
    """Rows look at the situation anew: nothing of it is kept between two instants."""
    seen = vector(r.rows.seen, r.at.n_in)
    seen[0] = NEVER


def tell_of_rows(r: Lane) -> None:
    """The lines that rows and contacts have written."""
    log = integers(r.rows.log, r.rows.n_log, 2)
    for k in range(r.rows.n_log):
        tell(r, NEWS_ROW, log[k, 0], log[k, 1])
    lines, values = integers(r.rows.contact_log, r.rows.n_told, 3), matrix(r.rows.contact_values, r.rows.n_told, 3)
    for k in range(r.rows.n_told):
        if lines[k, 0] >= r.told.messages_from:
            r.doing = UNDECIDED
        tell(r, NEWS_CONTACT, lines[k, 1], lines[k, 2])
        if r.doing != UNDECIDED:
            line = matrix(r.told.news, r.told.most_news, N_NEWS)[r.told.n_news - 1]
            line[4] = lines[k, 0]
            line[5], line[6], line[7] = values[k, 0], values[k, 1], values[k, 2]
