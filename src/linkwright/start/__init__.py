"""The consistent state that a run begins with: start values and initial equations fulfilled, loops closed.

`first_state` finds it from what the mechanism says (`Mechanism.start`); where there is none, the error names what
contradicts what, or what cannot be reached.  `prepare` makes the state of a run of one that was given.
"""

from .beginning import prepare
from .decisive import decisive_slots
from .initial import count_turns, first_state, winding_places
from .other_numbers import OtherStarts, started
from .problem import StartProblem
from .redundant_motions import disagreement, redundant_motions
from .tangents import start_tangents

__all__ = [
    "OtherStarts", "StartProblem", "count_turns", "decisive_slots", "disagreement", "first_state", "prepare",
    "redundant_motions", "start_tangents", "started", "winding_places",
]
