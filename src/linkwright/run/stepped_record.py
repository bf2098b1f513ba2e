"""The memory of a stepped run, which Python (`moreau`) and compiled code (`stepped_step` and what it calls) share.

Its sizes are those of the model: every point of every pair of shapes may touch at once.
"""

from __future__ import annotations

from ..codegen.dialect import ByAddress
from ..integrate.jit import record
from ..integrate.record import Fields
from ..mechanism import ENCOUNTER
from .crowd_record import call, crowd_at, integers, matrix, vector

__all__ = ["STEPPED", "ask", "call", "crowd_at", "integers", "matrix", "stepped_at", "vector"]

#: the piece at an address, of a record and a task
ask = ByAddress(int, int, int)

_lines = range(8)
#: numbers of the laws of encounters, one row each
RESTITUTION, MU, MU_S, CAPTURE, ROLLING, SPINNING, PATCH, CREEP = range(len(ENCOUNTER))
N_LAWS = len(ENCOUNTER)
#: slots of a contact's modes among the discrete variables; those of a single row: it is closed or holds, its direction
CLOSED, STUCK, ARMED = _lines[:3]
HELD, WAY = _lines[:2]
#: entries of a hit; where a stop was hit its encounter is −1 − the number of the stop
HIT = ("time", "encounter", "point", "impulse", "speed")
HIT_TIME, HIT_MEET, HIT_POINT, HIT_PUSH, HIT_SPEED = range(len(HIT))
N_HIT = len(HIT)
#: entries of what is told of a single row: of a stop gap and restitution; of friction what rubs, holds back, and forth
OPEN_BY, GIVES_BACK = _lines[:2]
RUBS, BACK, FORTH = _lines[:3]

#: how a step ended
FINE, NOT_FINITE, FULL = range(3)

STEPPED = Fields(
    # the crowd; the inputs of programs, and parts of them
    ("crowd", "inp", "x", "q", "u", "z", "y", "d",
     # programs, with their outputs; their work space; the piece and the record of locks (0: there are none)
     "rhs", "slope", "qdot", "rates", "prescribe", "prescribed", "project", "projected", "update", "news", "situation",
     "comparisons", "situation_out", "work", "rows_piece", "rows",
     # where coordinates and speeds of free bodies, quaternions, given speeds, relations and updates lie
     "free_q", "free_u", "unit", "given", "relations", "updates",
     # by encounter: its laws, slots of modes of its points; by single row: slots of its modes, whether it is a
     # freewheel, whether it bears any impulse
     "laws", "contact_modes", "single_modes", "one_way", "firm",
     # motion: speeds before a step, given ones in its middle, axes of free bodies at its beginning, scratch
     "before", "middle", "axes", "kept_u", "margins", "wide", "bent",
     # what touches: encounter, number; gap, normal, place; speed of approach; whether it slips, bounces, pressed before
     "meets", "numbers", "gaps", "normals", "places", "approach", "bounces", "pressed",
     # rows: G and the speeds they read; A = G Fᵀ, and its places; Y = M⁻¹ Gᵀ, and its places; what they give way
     "G", "g_places", "A", "a_places", "Y", "y_places", "W", "dense",
     # threes (`gauss_seidel`): impulses, what is added to speeds, kinds, partners, laws
     "impulses", "bias", "kinds", "partners", "limits",
     # single rows: impulses of the last step, and of this one; bounds, what is added to speeds, who takes part
     "single_known", "single_begun", "single_bounds", "single_bias", "taken", "is_taken",
     # what pressed in the last step: point by point, and by encounter the first of them
     "known_meets", "known_numbers", "known", "known_slides", "first_known", "speeds_aside",
     # Newton's method (`cone_newton`)
     "b", "y_found", "z_found", "found", "n_before", "n_X", "n_dX", "n_R", "n_lift", "n_none", "n_F", "n_way", "n_best",
     "n_H", "n_V", "n_first",
     # the same in fewer unknowns (`narrowing`)
     "n_Q", "n_spans", "n_B", "n_places", "n_shares", "n_row",
     # few contacts made exact (`cone`)
     "few_A", "few_W", "few_b", "few_start", "few_best", "few_room", "few_J", "few_least",
     "few_known", "few_ways",
     # lifting
     "pushes", "way",
     # modes as they were told last, and now; what is told: steps, modes, hits
     "told_modes", "modes", "steps_t", "steps_x", "steps_d", "modes_t", "modes_d", "hits"),
    ("n_in", "n", "nq", "nu", "nz", "n_y", "n_d", "n_slope", "n_free", "n_unit", "n_given", "n_relations", "n_updates",
     "loops", "position_norm", "velocity_norm", "n_projected", "by_reactions", "n_modes", "turns", "n_opening", "few",
     # progress: points that touch, those that turn, rows, points that pressed, what is told
     "n_touching", "n_rows", "n_known", "n_steps", "n_told", "n_hits", "hits_room", "status",
     "steps", "sweeps", "most", "lifts"),
    ("h", "start", "stop", "acting", "residual", "deepest", "t"),
)  # fmt: skip

stepped_at = record(STEPPED)
