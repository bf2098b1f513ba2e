"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Entries of unit vectors and rotation matrices are exact to some 1e-16; numbers that users write have 6 to 16 digits.
"""

from __future__ import annotations

#: Entries of constant vectors and matrices: how near to 0 or ±1 they are made exactly that.  Smaller leaves rounding of
#: sines and cosines, and every such entry is a multiplication in the code that is made; larger would turn axes that a
#: user has tilted on purpose.
SNAP = 1e-14
#: In the unit of the vector: a shorter one has no direction, and is refused or replaced.  Smaller divides rounding by
#: rounding and gives any direction at all; larger refuses vectors that are merely given in a large unit.
NO_LENGTH = 1e-10
#: Squared sine of the angle below which two directions count as parallel, and the entry of a unit vector along x below
#: which x serves as the second direction: both as in Modelica, so that the same numbers give the same frame.
PARALLEL, ACROSS_X = 1e-6, 1e-6
#: Sine between the outer two of three axes of rotation below which the first angle is undetermined and keeps its guess.
#: Smaller lets rounding choose the angle; larger freezes it where it is still well defined.
LOCKED = 1e-12
#: How far the columns of a given rotation matrix may be from orthonormal.  Smaller refuses matrices written with seven
#: digits; larger lets a scaled or mirrored one pass, and lengths would be wrong by as much.
NOT_ORTHONORMAL = 1e-6
#: Sine of half an angle below which the rotation vector is computed by its limit, with an error of the square of it.
#: Smaller divides by what may be zero; from 1e-8 on that error would show in the last digit.
NO_TURN = 1e-9
#: rad²: turns below this are computed by three terms of the series, whose first omitted one is 1e-16 of the sum there.
#: Smaller divides rounding by the square of the angle; larger leaves out a term that counts.
SMALL_TURN_SQUARED = 1e-4
#: Of its largest entry: how far an inertia tensor may be from symmetric, from positive, or from what masses can have.
#: Smaller refuses tensors that are given by nine digits; larger lets one pass of which a motion gains energy.
INERTIA_ROUNDING = 1e-9
#: Added to that, in the unit of the tensor: below it a share of the tensor is lost among subnormal numbers, and zero
#: tensors would be refused.
TINY = 1e-300
#: Terms of the series of the exponential: exact to rounding up to a turn of 1.5 rad.  Fewer show from half a radian on;
#: more are code that changes nothing.
TERMS = 8
