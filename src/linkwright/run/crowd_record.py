"""The memory of a crowd at an instant: where its shapes are, how far they have gone, which are near, what they touch.

Python (`surroundings`) and compiled code (`crowd_look`, `nearness`, `crowd_inertia` and what steps them) share it.
Sizes are those of the model: all shapes that meet may be near, and touch, at once.
"""

from __future__ import annotations

from ..codegen.dialect import ByAddress, reals_at, wholes_at
from ..integrate.jit import record
from ..integrate.record import Fields

#: arrays at an address
vector = matrix = reals_at
integers = wholes_at
#: code at an address: of inputs, outputs and work space
call = ByAddress(None, int, int, int)

#: where the outputs of the program of places are called what in the record
OUTPUTS = {"poses": "poses", "jacobians": "jacobian_values", "inertia": "inertia_values", "stiff": "stiff",
           "damping": "damping", "held": "held_values", "singles": "single_values", "told": "told_values"}

CROWD = Fields(
    # the program of places, its outputs, work space, and parts of the outputs (0: they are empty)
    ("places", "out", "work", *OUTPUTS.values(),
     # where its numbers go (`system.crowd`)
     "jacobian_at", "inertia_at", "held_at", "single_at",
     # by shape: places of its Jacobian's columns among the speeds; how far it reaches, whether gaps to it are never
     # larger than distances, whether it is a box; by encounter: its shapes; by two shapes: their encounter
     "columns", "reach", "distant", "boxes", "meet_shapes", "meets",
     # gaps by two kinds (`gaps_of_many`): code, or (in code of one model) the function that asks it; points, whether
     # these have numbers, whether it is a search; by shape: its kind, where its sizes begin, its axes, whether these
     # are not its frame's; what code reads and writes
     "code", "gaps", "points_of", "numbered", "searched", "kind_of", "size_at", "sizes", "axes", "turned", "gap_in",
     "gap_out", "gap_work",
     # motion: Jacobians of shapes; of what hangs together the inertia, its factor and (of what holds always) the
     # directions that are left out, how many; by speed: block and place in it; by block: its speeds, their number
     "jacobians", "inertia", "factors", "basis", "n_basis", "block_of", "place_in", "members", "block_sizes",
     # rows of what holds always, and the blocks they read; single rows, the speeds they read, what is told of them
     "rows", "block_of_row", "singles", "single_places", "told",
     # what springs and dampers on joints add to the inertia, and their pull, by speed; scratch
     "added", "pull", "scratch",
     # how near shapes are (`nearness`): by shape how far it has gone, its last pose, whether it sweeps through space,
     # its skin, how far it had gone when the list was made, corners of its box, the order along an axis; by encounter:
     # when it is to be measured, whether it is listed; the list; those of it that are near
     "gone", "last_poses", "sweeping", "skin", "before", "low", "high", "order", "apart", "listed", "list", "near",
     # points that were measured at this look: by encounter when, the first and how many; their gaps and numbers
     "measured_at", "first_point", "n_points", "points", "point_numbers"),
    ("n_shapes", "width", "nu", "n_jacobian", "n_inertia", "n_held_values", "n_single_values", "n_meets", "n_kinds",
     "n_blocks", "block", "n_rows", "n_singles", "single_width", "n_sizes", "n_gap_in", "n_gap_out",
     # progress: looks until now, encounters that are listed, near, and points that were measured at this look
     "looks", "n_listed", "n_near", "n_measured", "inexact"),
)  # fmt: skip

crowd_at = record(CROWD)
