"""The memory of all that holds one way, at instants: where the numbers of rows, locks and contacts lie; fixed in size.

Python and compiled code (`row_instant`, `contact_instant` and the files that they call) share it.  All of a run's
knowledge of its rows is here and in the vector of inputs, so that an instant is decided in the same way wherever a run
takes place.  Its sizes are those of the model: all contacts, and all stops, may touch at once.
"""

from __future__ import annotations

from ..codegen.dialect import ByAddress, reals_at, wholes_at
from ..integrate.jit import record
from ..integrate.record import (
    ROWS_CROSSED,
    ROWS_DECIDE,
    ROWS_ENGAGE,
    ROWS_GROW,
    ROWS_HOLD,
    ROWS_IN_FLIGHT,
    ROWS_START,
    Fields,
)
from ..system.event_programs import ROW

#: arrays at an address
vector = matrix = reals_at
integers = wholes_at
#: a program of the model at an address: of its inputs, its outputs and its work space
call = ByAddress(None, int, int, int)

# columns of the table of rows
GAP, SIZE, RATE, ACCELERATION, PUSH, _, LIMIT, BACK, RESTITUTION, EASE = range(len(ROW))
N_COLUMNS = len(ROW)

_lines = range(32)
# whole numbers of every row that stay as they are: slots of its mode and direction in the inputs; whether its interval
# has no end below, its motion is given, it bears any impulse; its number among frictions in proportion to forces (−1:
# none), among all equations, and among those with a mode; the speed that it holds alone, and the coordinate behind that
# (−1: none); whether a start beyond it is put inside
HELD, WAY, HALF_LINE, GIVEN, FIRM, RUB, PLACE, SWITCHED, ALONE, AXIS, INSIDE = _lines[:11]
N_FIXED = 11
# and those that change: its mode (0 holds, ±1 moves that way); whether its speed just reached zero, its limit was just
# reached, it was at rest before this instant, its speed counts as zero, it takes part in a search, was struck, is as
# good as closed, was closed before an impact, comes to rest after it, is looked at; its modes before and in an impact
MODE, ARRIVED, RELEASED, RESTED, AT_REST, TAKES, HIT, TOGETHER, WAS_CLOSED, STAYS, CHOSEN, BEFORE, TRIED = _lines[:13]
N_NUMBERS = 13
# real numbers of every row: how its own speed moves its rate; the slack of its witness; how often rounding moved it
# about zero; of a given motion, speeds that are rest, how far these may grow, when it last left rest; its impulse,
# and that of its friction now and before
SLOPE, SLACK, PATIENCE, REST, MOST, LEFT, IMPULSE, STRENGTH, STRENGTH_BEFORE = _lines[:9]
N_REALS = 9

#: kinds of witnesses
OTHER, SLIDE, HOLD_UP, HOLD_DOWN, PULL, GAP_CLOSES = range(6)
WITNESSES = {"slide": SLIDE, "hold+": HOLD_UP, "hold-": HOLD_DOWN, "pull": PULL, "gap": GAP_CLOSES}

#: what is asked for
CROSSED, DECIDE, START, IN_FLIGHT, GROW, ENGAGE, HOLD = (
    ROWS_CROSSED, ROWS_DECIDE, ROWS_START, ROWS_IN_FLIGHT, ROWS_GROW, ROWS_ENGAGE, ROWS_HOLD)
#: what may be wrong: nothing; a start beyond a stop; a freewheel turned back by given motions; no modes agree; a given
#: motion runs into a stop; impulses of friction grow without end; a lock begins to hold where parts do not meet
FINE, STARTS_BEYOND, TURNED_BACK, NO_MODES, DRIVEN, GROWS, APART = range(7)

#: kinds of lines of the course
STRUCK, RUBBED = range(2)

#: outputs of a jump that are read
JUMP = ("change", "push", "moved", "rates", "gaps", "directions", "rubbing", "shift")

#: numbers that change on the way, besides those of every row and contact
WHOLE_PROGRESS = ("first", "begins", "pending", "altered", "unsettled", "again", "changed", "touched", "may_step_back",
                  "needs_jump", "put_inside", "n_log", "n_course", "n_told", "n_phases", "n_events", "n_parts",
                  "n_which", "culprit", "trouble")
REAL_PROGRESS = ("accuracy", "begun", "instant", "struck", "swing", "forces", "no_sign", "open_by", "pace", "taken",
                 "apex")
#: arrays that last between instants; the others are scratch
LASTING = ("numbers", "reals", "holding", "contact_numbers", "contact_reals")

ROWS = Fields(
    # programs, their inputs, outputs and work space; the inputs that the outputs belong to
    ("situation", "jump", "inp", "out", "work", "jump_in", "jump_out", "jump_work", "seen",
     # parts of them: of the situation, its table of rows, that of contacts, conditions of locks, scales; of the inputs
     # of a jump, the impulse and the changes of rates; of its outputs, those of their names
     "table", "touching", "conditions", "scales", "sent", "bottom",
     *JUMP,
     # witnesses: kind, row or contact, which have crossed, how far each may pass zero
     "kinds", "owners", "crossed", "slack",
     # by row; frictions that share a shaft; rows that hold a speed alone: equation and speed, slope
     "fixed", "numbers", "reals", "beside", "alone", "alone_slopes",
     # by row with a condition: whether it holds; its first equation that says where parts meet, and how many there are
     "holding", "meets",
     # by contact; slots that contacts own, and behind these friction of several directions
     "contact_fixed", "contact_numbers", "contact_reals", "own",
     # scratch: combinations of modes that were tried, states and inputs before, the order of an impact's rows, its
     # impulse; unknowns where a run starts
     "known", "x_before", "inputs_before", "inputs_aside", "parts", "impulse", "start_y", "tried_y",
     # of contacts: modes laid aside (of contacts, of rows), speeds, who takes part
     "aside", "rows_aside", "speeds", "which", "held",
     # the cone problem (`cone_search`) of those, impulses of the first phase, the motion that is left, M⁻¹ Gᵀ
     "W", "changes", "b", "v", "give", "steps", "kinds_of", "partners", "laws", "least", "slides", "ways", "force",
     "first_phase", "motion", "best", "cone_x", "cone_F", "cone_change", "cone_tried", "cone_right", "cone_J",
     "cone_walked",
     # the sharing of loads: a matrix, its factor, a basis, the order of pivots; forces present, wanted, found
     "A", "L", "basis", "order", "present", "wanted", "found", "shift_of", "strain", "own_mu",
     # what is told: (row, direction) of events, lines of the course; of contacts, lines (kind, contact, direction or
     # unique, and impulse, speed, loss), and lines of their course
     "log", "course", "contact_log", "contact_values", "contact_course"),
    ("n", "n_sliding", "n_conditional", "n_contacts", "n_in", "nx", "nq", "nu", "n_d", "d_at", "n_y",
     "y_at", "n_equations", "n_switched", "n_alone", "n_witnesses", "n_own", "n_own_and_balls", "n_known",
     "n_rubbing", "most", "size",
     # choices of the model: whether frictions share shafts, rows have impacts, constraints always hold
     "shared", "impacts", "permanent",
     # whether events and the course are kept
     "logs", "courses",
     *WHOLE_PROGRESS),
    REAL_PROGRESS,
)  # fmt: skip

rows_at = record(ROWS)
