"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Numbers enter from users and files with 6 to 16 digits, and transforms along a chain of rigid parts add a few roundings
(1e-16 each, times the size).  What decides the structure must lie between: above rounding, below what a person means.
"""

from __future__ import annotations

import numpy as np

# --- rigid parts ---

#: m of each metre around a ring of rigid parts (at least 1 m), and rad: how far such a ring may fail to close.  Smaller
#: refuses rings whose lengths were written with nine digits; larger accepts a part that is visibly too short.
RING_GAP = 1e-8
#: m, and entries of unit vectors and rotation matrices: axes and places that differ by less are one and the same.
#: Smaller and parallel axes count as skew after a few rotations, so that a loop loses its closed form; larger and a
#: loop with axes that are really tilted is solved as if it were plane, which leaves that tilt as a gap.
ALIKE = 1e-9

# --- joints that together are one, and loops in closed form ---

#: Sine of the angle between two axes from which on they cross, and two revolutes can make a universal joint.  Smaller
#: and its second angle is computed from nearly parallel axes, with that much error; larger leaves out joints that do.
CROSSING = 1e-3
#: Cosine of an angle that is a right one: the formulas for perpendicular axes are shorter.  It is rounding of the axes;
#: larger would turn the axes of a joint that is slightly off.
RIGHT = 1e-12
#: Discriminant (dimensionless, 1 far from a dead point) below which a position is as good as a dead point when it is
#: asked how far a joint can turn.  Smaller prefers joints that only just pass; larger finds none that turns round.
CLEAR = 0.02
#: Positions of a joint over a full turn at which that is looked at: every 15°.
TURN_SAMPLES = 24
#: Choices of independent joints that are looked at.  Fewer give up on closed forms of mechanisms with many loops; more
#: delay the translation of those that have none.
CHOICES = 60
#: The same, of the first joint alone, where some loops have no closed form at all.
FIRST_CHOICES = 4
#: Exchanges of joints looked at, breadth first, until no massless part is left at the end of a branch.  Fewer refuse
#: mechanisms that need a longer chain of them; more only delay the refusal.
EXCHANGES = 500

# --- drives ---

#: A coefficient of a network of shafts below this, next to ones, is rounding of the elimination and stands for none.
#: Smaller leaves shafts tied that are not; gear ratios beyond 1e12 would be lost.
NO_RATIO = 1e-12
#: How near a coefficient must be to 0 or ±1 to be taken for it: a few roundings, so that the code has exact ones.
EXACT = 1e-14
#: rad or m: two places that hold one shaft may differ by this; more is a contradiction, and refused.
HELD_TWICE = 1e-9
#: Of the largest entry of its row: what a shaft without inertia takes from another below this is rounding, since its
#: rows are sampled and eliminated; larger would cut weak couplings.
NO_SHARE = 1e-9
#: Random values of the parameters and coordinates at which those rows are sampled: what vanishes in all of them
#: vanishes always.  With one, it may do so by chance.
SHAFT_SAMPLES = 3

# --- contact and point masses ---

#: N s/m: singular value below which the force of an element on a point does not change with the point's speed in that
#: direction, so that a damper acts along one line.  It is rounding of dampers of ordinary size.
NO_SLOPE = 1e-9
#: Points of rigid contact; more are stepped together, without rows of their own.  Rows cost code and compile time that
#: grow with each: three boxes on one another (99 points) compile for half a minute, and bodies that touch in so many
#: redundant points seldom find modes that agree.  With fewer, ten balls on a table would have no located events.
MANY_POINTS = 60
#: m: where a point mass begins of which nothing is said, from the middle of what it is tied to.  Exactly there, lines
#: would have no length and so no direction; the three numbers differ so that no line lies along an axis.
OFF_THE_MIDDLE = np.array([1e-3, -2e-3, 1.5e-3])

# --- heat ---

#: K: where the search for a temperature begins that nothing stores.  Heat flows are linear in it but for radiation, in
#: which T⁴ has no slope at 0 K; from room temperature Newton's method reaches what machines have.
ROOM_TEMPERATURE = 293.15
