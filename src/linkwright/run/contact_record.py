"""Rigid contacts in the memory of rows (`row_record`): their columns, lines, modes, and what is told of them."""

from __future__ import annotations

from ..system.event_programs import CONTACT
from .row_record import APART, GAP_CLOSES

# columns of the table of contacts in the situation
(GAP, SIZE, RATE, ACCELERATION, PUSH, SLIP_1, SLIP_2, ALONG_1, ALONG_2, HOLD_1, HOLD_2, MU, MU_S, RESTITUTION, CAPTURE,
 EASE, PLACE_1, PLACE_2) = range(len(CONTACT))
N_COLUMNS = len(CONTACT)

_lines = range(32)
# whole numbers of every contact that stay as they are: slots of its modes in the inputs (it is closed, it sticks, its
# direction is that of its slip; the speed below which it is not; that direction, shares of forces, its anchor); numbers
# of its normal and its tangents among all rows with a mode (−1: none), and of the normal among all equations; whether
# it rubs, whether impacts follow Newton's law, its pair
(CLOSED, STUCK, ARMED, SLOW, WAY_1, WAY_2, SHARE_1, SHARE_2, SHARE_3, ANCHOR_1, ANCHOR_2, NORMAL, ACROSS_1, ACROSS_2,
 PLACE, RUBS, NEWTON, PAIR) = _lines[:18]
N_FIXED = 18
#: slots of the modes that are set anew at every instant
OWN = (CLOSED, STUCK, ARMED, WAY_1, WAY_2, SHARE_1, SHARE_2, SHARE_3)
N_OWN = len(OWN)
# and those that change: its gap just closed, its slip just ended, it reached a limit, it touches, it rests, it stays
# although its flight has begun, it has left, its pair meets in an impact, it is to be shut or still, it is looked at;
# its mode as it was told last, and before this instant; whether its forces follow from the motion
(HIT, ARRIVED, RELEASED, TOUCHES, RESTS, STAYS, FLIES, MEETS, SHUT, STILL, CHOSEN, TOLD, BEFORE, UNIQUE) = _lines[:14]
N_NUMBERS = 14
# real numbers of every contact: when it reached a limit; the slack of its gap, and of its slip
RELEASED_AT, GAP_SLACK, HALT_SLACK = _lines[:3]
N_REALS = 3

#: modes
OPEN, SLIDING, STICKING = 0, 1, 2
#: kinds of witnesses, beside those of rows
TOUCH, PART, SLOWS, FAST, HALTS, SLIPS = range(GAP_CLOSES + 1, GAP_CLOSES + 7)
WITNESSES = {"touch": TOUCH, "part": PART, "slow": SLOWS, "fast": FAST, "halt": HALTS, "slip": SLIPS}

#: what may be wrong, beside what may be with rows: a start inside another body; given motions run into each other; no
#: impulses, or forces, agree with the cone; impacts without end
STARTS_INSIDE, DRIVEN, NO_IMPULSES, NO_FORCES, ENDLESS = range(APART + 1, APART + 6)
#: kinds of lines of the log: an event; a row of the table of contacts by what happened; messages
EVENT, LEAVES, RESTING, SLIDES, STICKS, STRIKES, JAMS, GAINED, JAMMED = range(9)
#: flags of who takes part, in lines of the course: presses, holds or rubs along its tangents, slides, gives back, is
#: thrown back
PRESSES, HOLDS, RUBBED, RETURNED, THROWN = 1, 2, 4, 8, 16
