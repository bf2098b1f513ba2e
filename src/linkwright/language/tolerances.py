"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# --- directions ---

#: In the unit of the parameter: a shorter vector has no direction and is refused.  Smaller takes rounding for a
#: direction; larger refuses vectors that are merely given in a large unit.
NO_LENGTH = 1e-10

# --- does a given motion jump or bend? ---

#: Random values of the variables at which the two sides of a switch are compared; it jumps if it does so in all.  With
#: one, a jump that happens to be zero there is missed; more only take time.
POINTS = 5
#: Of 1 + |x|: how far to both sides of a switch its pieces are compared, nearer and wider.  A jump stays the same where
#: a slope falls to a tenth.  Nearer and rounding of steep pieces looks like a jump; wider and other switches take part.
NEARER_SIDE, WIDER_SIDE = 1e-7, 1e-6
#: Of the difference at the wider distance: what is left of a jump at the nearer one.  Halfway between 0.1, which a
#: slope leaves, and 1.
STAYS = 0.5
#: In the unit of the expression: differences below this are rounding, not a jump.
NO_JUMP = 1e-9
#: Of 1 + |t|: how far before and after an instant the pieces of a function of time are compared.
BESIDE = 1e-8
#: Of the largest value of the function (of its rate): pieces that differ by less meet.  Smaller refuses smooth joints
#: whose coefficients have six digits, and the slope over BESIDE; larger accepts corners that the stepper would feel.
MEETS = 1e-5

# --- what is remembered ---

#: Placeholders of formulas of time alone, which no model owns.  A model has a handful; far fewer would forget those of
#: a model still in use, more only take memory.
PLACEHOLDERS = 4096
