"""One instant after another: steps, events, modes, impacts, locks, controllers.

`EventRun` is a run under error control, `ByHand` one that a study advances by itself; `moreau` (imported when it is
asked for: it is compiled) steps many contacts at once, `stepped_program` has these steps for lanes and GPUs.
`make_stepper` sets a run up, `collect` takes its result.  `tolerances` holds the thresholds.

Words used in all files here (those for events are in docs/architecture.md):

    ease     e = √(G M⁻¹ Gᵀ) of a row, how readily it moves; v/e, a/e and e λ compare between a hinge and a slider
    swing    √(2 × kinetic energy), the scale of the speeds v/e
    forces   the scale of e λ and a/e at an instant
    slack    how far a witness may lie beyond zero, for rounding, before it counts as crossed
    course   what was done to the state at an instant, step by step
"""

from .actions import targets_of
from .collecting import collect
from .controllers import Schedule
from .endless_runs import NoProgress, Patience, check_work
from .formulation import Formulation
from .lane_events import lane_events_of, needs_python
from .live_changes import Again, ByHand
from .passing_through import passing_through
from .requirements import broken, check_columns, check_ranges, first_broken, passed_limits
from .run import EventRun
from .set_up import accuracy_of_steps, kept_bytes, linearised, make_stepper, weights_of
from .settling import Settling, settle
from .singular_positions import SingularPositions, coarse_steps, dead_point
from .surroundings import Surroundings
from .tolerances import FINEST
from .updates import updated, with_updates

__all__ = [
    "FINEST", "Again", "ByHand", "EventRun", "Formulation", "NoProgress", "Patience", "Schedule", "Settling",
    "SingularPositions", "Surroundings", "accuracy_of_steps", "broken", "check_columns", "check_ranges",
    "check_work", "coarse_steps", "collect", "dead_point", "first_broken", "kept_bytes", "lane_events_of",
    "linearised", "make_stepper", "moreau", "needs_python", "passed_limits", "passing_through", "settle",
    "stepped_program", "targets_of", "tolerances", "updated", "weights_of", "with_updates",
]
