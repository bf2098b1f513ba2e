"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Colours, drawn sizes and proportions are choices of design, and stand where they are used.
"""

from __future__ import annotations

# --- numbers ---

#: Stands for zero where something is divided by it.
TINY = 1e-300
#: m, or of a unit vector: a length below this has no direction, and a scale of this is none.
NO_LENGTH = 1e-12
#: m: a span, an extent or a distance below this is none: nothing is drawn along it, and nothing has moved.  It is far
#: below a pixel; smaller would draw rounding.
NO_EXTENT = 1e-9
#: m: a mechanism larger than this, or without extent, has no size that pictures could be made for; 1 m is taken.
NO_SIZE = 1e12
#: Next to nothing: the scale of a shape that is not there, in place of zero, which has no inverse; the least length of
#: what spans two points; and the least ratio of length to width.
NEXT_TO_NOTHING = 1e-6
#: Sine of the angle between two directions that are parallel, and entry along x below which x is taken for the second,
#: as in Modelica's from_nxy; and, coarser, for the roll of what spans two points, which must not flicker.
PARALLEL, ACROSS_X, PARALLEL_ROLL = 1e-6, 1e-6, 1e-3
#: Cosine of the angle between the normals of a ground and up: a steeper surface is a wall, whose shadows would be long.
LEAST_RISE = 0.2
#: 1 + cosine: an up direction nearer to −y is turned by half a turn about x.
UPSIDE_DOWN = 1e-9
#: Of the largest arrow head: the least one.
LEAST_HEAD = 1e-3
#: Square pixels: a triangle seen edge on.
NO_AREA = 1e-12
#: Of its values: a curve that moves less is level; and in its unit, where it is zero.
LEVEL, LEVEL_AT_ZERO = 1e-12, 1e-30
#: Entries of places and turns: a body that moves less stands still in all pictures, and is sent once.
STANDS_STILL = 1e-12

# --- what looks like a mistake ---

#: rad: an angle of more than a turn is most likely meant in degrees.
TURN = 6.283185307179586
#: Of the usual length of parts: a longer one is most likely in another unit (mm for m is 1000).
FAR_LONGER = 100.0
#: m: parts that usually are longer than this were most likely given in millimetres; few machines are as long.
VERY_LONG = 50.0
#: Of the heaviest body: one as light or lighter makes equations hard to solve.
LIGHT = 1e-6
#: Seconds: slower motions than this do not limit a step.
SHORT_TIME = 100.0
#: Ratio of time constants from which a model counts as stiff.
STIFF = 1e-3

# --- time ---

#: Seconds (of pictures: intervals between them): rounding of times, so that the last picture is neither lost nor there
#: twice.
TIME_ROUNDING = 1e-9
#: Pictures per second of a saved animation and of one that is streamed, updates per second of a window: what eyes take
#: for motion, and what screens show.
FRAMES_PER_SECOND, PICTURES_PER_SECOND, UPDATES_PER_SECOND = 30, 30, 60
#: Seconds behind the clock from which a window gives up to catch up; and the least wait between two updates.
LATE, LEAST_WAIT = 0.1, 1e-4
#: Of the computing time: at most so much is spent on streaming pictures.
PICTURES_SHARE = 0.25
#: Pictures of one animation, and of the player at the end of a streamed run; more would fill the memory.
MOST_FRAMES, MOST_PICTURES = 200_000, 20_000
#: Seconds: the end that steps of a page are chosen for, though nobody waits for it.
ENDLESS = 1e6
#: Seconds of motion that the camera of a page is made to see, and how accurately.
PREVIEW, PREVIEW_ACCURACY = 5.0, 1e-5

# --- how much is shown ---

#: Names in a picture, beyond which nobody could read them.
MOST_NAMES = 300
#: Points of a plotted curve: more than pixels across.
CURVE_POINTS = 1500
#: Coordinates drawn below an animation in a notebook.
CURVES = 4
#: Positions of a slider at which shapes are made, in between they are interpolated.
SLIDER_SAMPLES = 9
#: Places along every element of a bent beam, and points around a round one: as smooth as other shapes.
BEAM_STATIONS, BEAM_AROUND = 16, 16
#: Patches of one colour on a body that shows stress or displacement: fine enough to see where it is, and few enough
#: for a page.
PATCHES = 96
#: Width over height of a phone held upright: more, and a mechanism is cut off at the sides; less, and it is small.
UPRIGHT = 0.46
