"""The memory of rigid contacts at instants: where their numbers lie, their modes, and what is known of them.

Python and compiled code (`contact_instant` and the files that it calls) share it, as they do that of rows
(`row_record`).  Its sizes are those of the model: all contacts, and all stops, may touch at once.
"""

from __future__ import annotations

from ..integrate.record import (
    CONTACT_REALS,
    CONTACTS_GROW,
    CONTACTS_IN_FLIGHT,
    ROWS_CROSSED,
    ROWS_DECIDE,
    ROWS_START,
    Fields,
)
from ..system.event_programs import CONTACT
from .row_record import JUMP

# columns of the table of contacts in the situation
(GAP, SIZE, RATE, ACCELERATION, PUSH, SLIP_1, SLIP_2, ALONG_1, ALONG_2, HOLD_1, HOLD_2, MU, MU_S, RESTITUTION, CAPTURE,
 EASE, PLACE_1, PLACE_2) = range(len(CONTACT))
N_COLUMNS = len(CONTACT)

_lines = range(32)
# whole numbers of every contact that stay as they are: slots of its modes in the inputs (it is closed, it sticks, its
# direction is that of its slip; the speed below which it is not; that direction, shares of forces, its anchor); numbers
# of its normal and its tangents among all rows with a mode (−1: none), and of the normal among all equations; whether
# it rubs, whether impacts follow Newton's law, its pair, its number among the witnesses of slips that end (−1: none)
(CLOSED, STUCK, ARMED, SLOW, WAY_1, WAY_2, SHARE_1, SHARE_2, SHARE_3, ANCHOR_1, ANCHOR_2, NORMAL, ACROSS_1, ACROSS_2,
 PLACE, RUBS, NEWTON, PAIR, HALT) = _lines[:19]
N_FIXED = 19
#: slots of the modes that are set anew at every instant
OWN = (CLOSED, STUCK, ARMED, WAY_1, WAY_2, SHARE_1, SHARE_2, SHARE_3)
# and those that change: its gap just closed, its slip just ended, it reached a limit, it touches, it rests, it stays
# although its flight has begun, it has left, its pair meets in an impact, it is to be shut or still, it is looked at;
# its mode as it was told last, and before this instant; whether its forces follow from the motion
(HIT, ARRIVED, RELEASED, TOUCHES, RESTS, STAYS, FLIES, MEETS, SHUT, STILL, CHOSEN, TOLD, BEFORE, UNIQUE) = _lines[:14]
N_NUMBERS = 14
# real numbers of every contact: when it reached a limit; the slack of its gap, and of its slip
RELEASED_AT, GAP_SLACK, HALT_SLACK = _lines[:3]
N_REALS = CONTACT_REALS

#: modes
OPEN, SLIDING, STICKING = 0, 1, 2
#: kinds of witnesses
OTHER, TOUCH, PART, SLOWS, FAST, HALTS, SLIPS = range(7)
WITNESSES = {"touch": TOUCH, "part": PART, "slow": SLOWS, "fast": FAST, "halt": HALTS, "slip": SLIPS}

#: what is asked for
CROSSED, DECIDE, START, IN_FLIGHT, GROW = ROWS_CROSSED, ROWS_DECIDE, ROWS_START, CONTACTS_IN_FLIGHT, CONTACTS_GROW
#: what may be wrong: nothing; a start inside another body; given motions run into each other; no impulses, or forces,
#: agree with the cone; impacts without end
FINE, STARTS_INSIDE, DRIVEN, NO_IMPULSES, NO_FORCES, ENDLESS = range(6)
#: kinds of lines of the log: an event; a row of the table of contacts by what happened; messages
EVENT, LEAVES, RESTING, SLIDES, STICKS, STRIKES, JAMS, GAINED, JAMMED = range(9)
#: flags of who takes part, in lines of the course: presses, holds or rubs along its tangents, slides, gives back, is
#: thrown back
PRESSES, HOLDS, RUBBED, RETURNED, THROWN = 1, 2, 4, 8, 16

#: numbers that change on the way, besides those of every contact
WHOLE_PROGRESS = ("first", "pending", "changed", "may_step_back", "needs_jump", "n_log", "n_course", "n_which",
                  "n_events", "culprit", "trouble")
REAL_PROGRESS = ("accuracy", "instant", "swing", "forces", "pace", "taken", "apex")

CONTACTS = Fields(
    # programs, their inputs, outputs and work space; the inputs that the outputs belong to
    ("situation", "jump", "inp", "out", "work", "jump_in", "jump_out", "jump_work", "seen",
     # parts of them: of the situation, its table of rows, that of contacts, scales; of the inputs of a jump, the
     # impulse and the changes of rates; of its outputs, those of their names
     "table", "touching", "scales", "sent", "bottom",
     *JUMP,
     # by contact; stops: slot, number among rows with a mode; frictions that bear no impulse: slots of mode and
     # direction, number; rows that hold a speed alone: equation and speed, slope; slots that contacts own
     "fixed", "numbers", "reals", "stops", "rubbing_aside", "alone", "alone_slopes", "own",
     # witnesses: kind, contact, and which have crossed
     "kinds", "owners", "crossed",
     # scratch: states and inputs before, modes laid aside (of contacts, of stops and friction), speeds, who takes part
     "x_before", "inputs_before", "aside", "stops_aside", "rubs_aside", "speeds", "which", "held",
     # the cone problem (`cone_search`) of those, impulses of the first phase, the motion that is left, M⁻¹ Gᵀ
     "W", "changes", "b", "v", "give", "steps", "kinds_of", "partners", "laws", "least", "known", "ways", "force",
     "first_phase", "motion", "best", "cone_x", "cone_F", "cone_change", "cone_tried", "cone_right", "cone_J",
     "cone_walked",
     # the sharing of loads: a matrix, its factor, a basis, the order of pivots; forces present, wanted, found
     "A", "L", "basis", "order", "present", "wanted", "found", "shift_of", "strain", "own_mu",
     # what is told: lines (kind, contact, direction or unique, and impulse, speed, loss), lines of the course
     "log", "log_reals", "course"),
    ("n", "n_rows", "n_frictions", "n_stops", "n_aside", "n_in", "nx", "nq", "nu", "n_d", "d_at", "n_equations",
     "n_switched", "n_alone", "n_witnesses", "n_own", "most", "size", "room",
     # whether events, and the course, are kept
     "logs", "courses",
     *WHOLE_PROGRESS),
    REAL_PROGRESS,
)  # fmt: skip
