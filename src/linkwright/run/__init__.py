"""One instant after another: steps, events, modes, impacts, locks, controllers.

`EventRun` is a run under error control, `ByHand` one that a study advances by itself; `moreau` (imported when it is
asked for: it is compiled) steps many contacts at once.  `tolerances` holds the thresholds.
"""

from .actions import targets_of
from .controllers import Schedule
from .endless_runs import NoProgress, Patience, check_work
from .formulation import Formulation
from .live_changes import Again, ByHand
from .requirements import broken, check_ranges, first_broken
from .run import EventRun
from .settle import settle
from .singular_positions import SingularPositions, coarse_steps, dead_point
from .updates import updated, with_updates

__all__ = [
    "Again", "ByHand", "SingularPositions", "EventRun", "Formulation", "NoProgress", "Patience", "Schedule", "broken",
    "check_ranges", "check_work", "coarse_steps", "dead_point", "first_broken", "moreau", "settle", "targets_of",
    "tolerances", "updated", "with_updates",
]
