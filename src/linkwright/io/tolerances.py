"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# --- files that are read ---

#: Bytes: the largest robot descriptions known have one or two million; more is no model, and would fill the memory.
LARGEST = 64 * 2**20
#: No quantity of a machine in any unit is larger; powers of it would overflow further on.
HUGE = 1e30
#: Elements inside elements: chains of bodies nest, and a hundred links are rare; deeper ones would end Python's stack.
DEEPEST = 500
#: Files that include one another; more are a ring.
MOST_FILES = 200
#: Elements that the macros of a file may stand for, how deep they call one another, what a power in an expression is
#: made of at most, and entries of a text or list: the largest robots have some thousand elements, ten deep; more would
#: fill the memory.
MOST_ELEMENTS, MOST_EXPANSIONS, LARGEST_POWER, LONGEST_TEXT = 200_000, 100, 1e4, 1_000_000
#: Files that are looked at below one folder of a catalogue, bytes at the head of one that tell its format, and names
#: that a message suggests: the largest collections have some ten thousand files.
MOST_LOOKED_AT, HEAD_OF_FILE, SHOWN_ROBOTS = 100_000, 2000, 5
#: Lines of a list in a report that are printed; the lists hold all.
SHOWN = 30
#: Coordinates and pairs that a remark names.
SHOWN_MOVES = 4
#: m: a gap below which adhesion pulls: contacts that hold keep theirs below 1e-9, and what has let go flies on.
TOUCHING = 1e-6
#: m: what a size of a site is that MJCF does not say (the format's own number).
SIZE_OF_SITE = 0.005
#: m: edge of the square drawn for a plane that touches nothing; the sizes of files are often 0, or 100 and more.
SHOWN_PLANE = 4.0

# --- numbers in them ---

#: m and rad: an offset below this is none, and gets no part of its own; rounding of turned frames.
SMALLEST = 1e-12
#: m: points of a file that are less apart are meant to be one: six digits of a metre are usual, and add up.
DIGITS = 1e-5
#: Length below which a vector or quaternion of MJCF has no direction, above which it is no direction that anybody
#: means; of an axis of OSIM; and of one of URDF, where six digits are usual.
NO_DIRECTION, ENDLESS_DIRECTION = 1e-14, 1e100
NO_AXIS_OSIM, NO_AXIS_URDF = 1e-10, 1e-6
#: m or rad: limits of joints in SDF beyond this are none; the format writes 1e16 for that.
ENDLESS = 1e15
#: Sine of the angle between z and a direction below which no axis turns one into the other.
NO_TURN = 1e-10
#: Added to a squared sine, so that where nothing is turned the axis has length zero, instead of 0/0.
NO_TURN_SQUARED = 1e-30
#: Steps of Newton's method for the point in which a tendon touches a circle from within: from a quarter turn on it is
#: below 1e-14 after six or seven.
INSIDE_STEPS = 8
#: Of the largest principal moment: one that is further below zero is remarked on (no real body has it).
NEGATIVE_MOMENT = 1e-9
#: Of the largest principal moment: two that differ by less have no axes of their own.
EQUAL_MOMENTS = 1e-6
#: Corners of a polygon of an OBJ file that MuJoCo 4 takes (found by trial: 100 are cut, 101 are gone); its masses lack
#: what larger ones would add.
MOST_CORNERS = 100
#: Of the longest edge: a box that stands for a missing mesh is no thinner, so that it can be seen and can touch.
THINNEST = 0.02
#: Of 1: axes of a prim of USD that are less square to one another are rounding of single precision; of the longest:
#: radii of a stretched sphere that differ by less are one.
SHEAR, ROUND = 1e-4, 1e-6
#: Force or torque: a joint of USD that breaks beyond it does not break; the format's default is the largest number of
#: single precision.
NEVER = 1e30
#: m/s²: gravity that is less off −z points down, and the file needs no turned base.
STRAIGHT_DOWN = 1e-12

# --- a start without overlaps ---

#: m: a gap that counts as open at the start; less is rounding, and a fall from here lands at a micrometre a second.
CLEAR = 1e-9
#: Points of rigid contact of a model beyond which touch sensors measure nothing: such models step their contacts
#: without formulas, and those of a hand with an object (some thousand) would compile for many minutes.
MOST_POINTS_FELT = 60
#: m: shapes that are not a ground and deeper in one another do not begin a contact, they share a place (hulls of hollow
#: meshes); soft contact leaves a few millimetres.
DEEP = 0.02
#: rad or m by which a coordinate is moved to see which way its points go: rounding is 1e-9 of it, curvature 1e-7.
NUDGE = 1e-7
#: rad: a joint that would have to turn further is not lifted out, it is in another pose.
LARGEST_TURN = 0.2
#: What a metre of a free body costs beside a metre that a joint moves: robots are set on the ground as a whole.
FREE_WEIGHT = 0.5
#: Rounds of lifting, each exact to second order; pairs that still overlap then are left out.
CLEARING_ROUNDS = 40

# --- files that are written ---

#: Relative: formulas are multiples of one another, or linear, to this: rounding of a few operations.
SAME = 1e-12
#: Of the largest value: a coefficient below this is rounding and not written.
NO_COEFFICIENT = 1e-13
#: Relative: a number is written with twelve digits where that changes it by less than this.
FEW_DIGITS = 1e-14
#: rad or m: where a joint of MJCF with one stop has none; and N, m/s and so on: what stands for no limit in URDF, which
#: asks for numbers.
NO_STOP, NO_LIMIT = 1e6, 1e9
#: Bytes that instances and saved states of an FMU may take in all, and how many there are at most.
ROOM, INSTANCES, SAVED = 64 << 20, 64, 256
#: Instances that C code has room for.
RUNS = 4
#: rad or m: by so much a coordinate may be outside of the range of a conditional point of OpenSim (its own number).
CONDITION_MARGIN = 1e-5
#: Relative: how well coefficients of mixed pairs, given by nine digits, agree with Lorentz and Berthelot.
MIXED = 1e-5

# --- Modelica ---

#: Numbers on either side of an angle in degrees that are tried, so that its radians come back with equal digits: the
#: product is rounded by at most one or two units in the last place; more would search in vain.
NEIGHBOURS = 4
#: An equation of numbers alone that is off by more than this (in its own unit) cannot hold: rounding of parameters.
CONTRADICTION = 1e-9
#: A remaining equation of a text that is smaller than this for all values holds by itself.
HOLDS = 1e-12
#: Of the step of a range: how much its last value may be missed by rounding and still belong to it.
RANGE_ROUNDING = 1e-12
#: Passes of one loop of a function; more are a loop that does not end.
MOST_PASSES = 100_000
#: Formulas inside formulas, and short classes of short classes; longer chains are rings.
DEEPEST_FORMULA, DEEPEST_CLASS = 200, 50
