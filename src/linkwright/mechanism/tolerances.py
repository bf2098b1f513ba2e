"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

#: m or rad per unit of motion: a mobility that moves a frame by less does not move it.  It is rounding of a few
#: transforms; larger would overlook a joint with a short arm and take a massless part for held.
NOT_MOVED = 1e-12
#: kg m² or kg: a mobility with less inertia has none.  It tells zero from anything that somebody has given.
NO_INERTIA = 1e-300
#: Eigenvalue of the inertia over the mobilities of a body, each scaled to 1: below this a combination of them moves
#: nothing that has mass.  It is rounding of the products; larger refuses a slim body that may spin about its length.
NO_INERTIA_COMBINED = 1e-14
#: kg m²: how far below zero a principal moment may be by rounding; more is refused, as accelerations would grow.
NEGATIVE_MOMENT = 1e-12
#: m/s: added to a slip, so that where there is none it has no direction, instead of 0/0.  Its square is still a number;
#: no motion is as slow.
NO_SLIP = 1e-150
#: Added to witnesses, so that an exact zero has the sign of what holds; no quantity of a mechanism is as small.
TINY = 1e-300
#: Relative changes of pose, coordinates and slope at which the search for coordinates of a pose ends: as far as it
#: gets.  Larger would leave errors that a loop is then assembled from.
FITTED = 1e-15
#: Of the period of a clock: its instant is now if it lies no further ahead.  Smaller and steps of a length that fits
#: the period miss it by rounding; larger and it comes early.
TOGETHER_IN_TIME = 1e-9
#: Of the period of a clock: an instant that is met no later and no earlier than this belongs to those before it; else
#: the time was set forward, and the clock begins anew.  Steps longer than that miss instants in any case.
ON_TIME = 0.5
#: Of the period of a clock: where its next instant lies further ahead, the time was set back, and it begins anew.  It
#: lies one period ahead at most; smaller would let rounding begin it anew.
SET_BACK = 1.5
#: m² + rad²: a further start must come nearer to the pose by this much to be preferred: the first is the guess.
BETTER_FIT = 1e-12
#: m² + rad²: a pose that is met so well (1e-10 m, rad) needs no further start.
EXACT_FIT = 1e-20
#: Random starts of that search, so that one on an axis of symmetry, where nothing pulls to either side, is left.
FIT_STARTS = 12
#: rad, or part of its size: how far a part that bends is bent in a general position, one without symmetries.  Larger
#: and shapes that hold for small bending are far off; smaller and what is special about a straight part still shows.
SMALL_BEND = 0.05
