"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Places of a body are known to some 1e-16 of the distances involved, and squares of lengths lose half the digits of a
length: what compares squares is the square of what compares lengths.
"""

from __future__ import annotations

# --- numbers ---

#: Stands for zero where a root is taken or something is divided by it, so that derivatives exist (m², 1/m²).
TINY = 1e-300
#: m: a length below this has no direction.  Far below rounding of any size in metres, so that no direction is lost, and
#: its square is still a number.
NO_LENGTH = 1e-150
#: m: further than anything (a distance that is not limited, a gap of what cannot touch), and still a number when it is
#: squared.
FAR = 1e30
#: Further than FAR: the score of places along a curve that do not count, and bounds of shapes without end; and the
#: middle of two such bounds, whose difference must still be a number.
NOWHERE, MIDDLE_OF_NOWHERE = 1e300, 1e150

# --- parallel, flat, round ---

#: rad: edges of boxes at a smaller angle count as parallel, and faces touch instead.  Smaller, and the crossing of
#: nearly parallel edges runs along them within rounding; larger, and faces that are tilted by as much seem flat.
PARALLEL_EDGES = 1e-6
#: Of the sizes of two boxes: directions whose distances differ by less are equally good, and a corner that far beside a
#: face is over it.  Smaller, and rounding decides which slope the gap of a face that lies on another has; larger, and
#: boxes touch visibly before they meet.
FLUSH = 1e-10
#: Of the sizes of two boxes, in stepped runs: edges touch instead of faces where they are ahead by more.  Smaller, and
#: boxes that rest on one another within rounding have one point; larger, and gaps are wrong by the square of it.
BOX_FACES = 1e-5
#: Of the sizes of two boxes: faces end that far before their rim, so that boxes side by side in a wall do not catch on
#: one another, and points that differ by less are equally good.
BOX_RIM = 1e-9
#: The same for axes of capsules: far above it the crossing is exact, near it the ends of the shared stretch are as near
#: as the crossing to within 1e-9 of the radii.
PARALLEL_AXES = 1e-9
#: Sine of the angle of two edges of hulls under a compliant law: below the first they are parallel and press by their
#: corners, above the second they cross and press there; between them one fades into the other.  A narrower band makes
#: the force jump, a wider one presses twice.
NO_CROSSING, CROSSING = 0.02, 0.1
#: rad: a rim tilted by less counts as flat.  Larger, and the rim dips into the plane by a third of it times its radius;
#: smaller, and the lowest point runs from the centre to the rim within the rounding of the tilt.
FLAT_RIM = 1e-8
#: Sine of the angle between a cylinder's axis and the normal of a contact above which it lies on its side, and rests on
#: the ends of a line; below, it stands on points of its rim.  Between the two a single point of a rim touches, which
#: both ways find.
LYING = 0.7
#: Of its radius: a rim whose slope towards the ground is less lies on its side, and keeps its angle.
ON_ITS_SIDE = 1e-6
#: Of the mean: the least curvature of two crossed cylinders, so that parallel ones have a finite patch.
LEAST_CURVATURE = 1e-6
#: Radius of edges and corners over the least size of a body that has none of its own, under a compliant law.  Smaller
#: makes forces turn faster as a body tips over; larger is seen.
EDGE_RADIUS = 0.02
#: Corners of the polygon that stands for a round rim, under a compliant law and a rigid one.
RIM_CORNERS, RIM_POINTS = 24, 16

# --- shapes as they are given ---

#: Of the square of the longest edge: corners of a polygon that turn by less are on one line, and refused.
STRAIGHT_CORNER = 1e-12
#: Of its size: vertices of a mesh that are nearer are one.  Smaller leaves cracks in meshes written with nine digits;
#: larger joins details of a fine mesh.
SAME_VERTEX = 1e-9
#: The same for corners of hulls that were grown inward, where several faces meet.
SAME_CORNER = 1e-7
#: Of the cube of its size: a mesh with less volume encloses nothing.
NO_VOLUME = 1e-12
#: 1 − cosine between two faces below which they are one, and the edge between them none.
SAME_FACE = 1e-9
#: Of 1 + its size: a closed curve may miss its beginning by this much.
CURVE_CLOSED = 1e-9

# --- nearest points of convex bodies (GJK and EPA) ---

#: Steps of the search; a curved body is approached in steps, a polyhedron ends exactly.
SEARCH_STEPS = 200
#: Of the square of the distance, and of that of the size: what a further step must gain.  Smaller goes round in circles
#: for rounding; larger leaves a tilted normal.
SEARCH_GAIN, SEARCH_GAIN_OF_SIZE = 1e-14, 1e-32
#: Of the square of the size: cores nearer than this (1e-14 of the size) overlap.
CORES_MEET = 1e-28
#: m²: centres nearer than this give no first direction.
SAME_CENTRE = 1e-30
#: Of the squares of its two edges: the determinant (squared sine) of a triangle that is flat.
FLAT_TRIANGLE = 1e-28
#: Of its size: the height of a tetrahedron that is flat: above the rounding of its corners, below what a way into an
#: overlap needs.
FLAT_TETRAHEDRON = 1e-10
#: Of the size of the difference of two bodies: how far beyond a face nothing more is looked for.  Smaller adds faces
#: for rounding; larger reports too small a depth.
DEEPEST = 1e-10
#: The same: how far above a face a new corner must lie to see it; rounding.
SEES = 1e-14
#: Of the size, its square and its cube: a second, third and fourth corner of a simplex that is nearer to those before
#: does not span a volume with them.
APART, APART_SQUARED, APART_CUBED = 1e-10, 1e-12, 1e-14
#: Of its axis: a direction that is across a cylinder by less goes straight along it, to the middle of its end.
ALONG_AXIS = 1e-14
#: rad: the turn of a normal by which it is seen how support points move; rounding and bend are equally small.
NORMAL_DIFFERENCE = 1e-6
#: Steps that make the normal exact between curved bodies; three are usual.
POLISHING_STEPS = 8
#: Of the square of the distance: supports that do not face one another (an edge or a flat side is nearest): the search
#: stands as it was.
NOT_FACING = 1e-12

# --- points of a flat contact ---

#: Of the size of a body: points of its outline belong to the face in contact when they are this near to the farthest.
#: Smaller loses corners of a body that is slightly tilted, and it rocks; larger takes in corners that are off.
FACE_BAND = 0.03
#: The same for vertices of meshes on a plane, which have more of them.
VERTEX_BAND = 0.01
#: Of the square of its width: a corner of an outline that turns by less is left out.
NO_CORNER = 1e-12
#: Of 1 + gap: how much further than the nearest point the points of a rim may be before that point joins them; a rim is
#: known by RIM_POINTS only.
RIM_MISSES = 1e-7
#: Of their radius: bodies under a compliant law whose cores are nearer than this touch have no edges to look for.
CORES_TOUCH = 1e-9
#: Corners of a convex body on a plane that are looked at one by one in straight code; more go into a loop.
FEW_CORNERS = 32
#: Balls, corners and rims up to which a body has rigid rows on the ground; more are stepped together.
FEW_PROBES = 12

# --- common normals of curved bodies ---

#: Newton steps to the common normal; halvings of one are down to the shortest share.
NORMAL_STEPS, NORMAL_SHORTEST = 100, 1e-8
#: rad: the longest of these steps, and one that moves nothing any more.
NORMAL_LONGEST, NORMAL_FOUND = 0.5, 1e-15
#: m: the least bend of φ that a step is divided by; where it is flat all normals are as good.
NORMAL_BEND = 1e-12
#: Of 1 + gap: rounding of φ, by which a step may seem to lose.
NORMAL_ROUNDING = 1e-15
#: Directions all over the sphere that are looked at first.
DIRECTIONS = 200
#: rad: how far around the best direction it is looked for a better one, one width after the other.
NORMAL_WIDTHS = (0.2, 0.04)

# --- curves and rings ---

#: Places along a curve that are looked at for a start: beside a point, and for each of two curves.
CURVE_SAMPLES, CURVE_SAMPLES_PAIRED = 400, 64
#: How well open outlines have to face each other: the angle (rad) between them, and what the nearest places lie aside
#: over the size of the first; far beyond its ends a curve may be anything.
FACING = 0.03
#: Newton steps along curves; of the range of the parameter: the difference for slopes, the longest step and one that
#: moves nothing any more.
CURVE_STEPS, CURVE_DIFFERENCE, CURVE_LONGEST, CURVE_FOUND = 50, 1e-6, 0.05, 1e-15
#: Balls along a ring that are looked at for the nearest, and the angle (rad) to which it is found between them.
RING_BALLS, RING_FOUND = 72, 1e-10

# --- ground, meshes and their trees ---

#: Places along a rim that are looked at for the nearest to the ground.
RIM_PLACES = 48
#: Newton steps to the foot of a point on the ground, and halvings of one.
FOOT_STEPS, FOOT_HALVINGS = 60, 30
#: Such steps in a program, before Newton's method goes on alone, and what is left of one that leads away.  With six,
#: feet of what flies high over rough ground (hills of 3 cm, 10 cm apart) are missed in one of twelve poses.
DESCENT_STEPS, DESCENT_SHORTER = 12, 0.25
#: Places along a rim that a program looks at: from half of 15° aside Newton's method finds the lowest.
RIM_LOOKS = 24
#: Of 1 + slope²: a bend of the ground below this has its foot in a hollow, where the bend is left out.
HOLLOW = 1e-6
#: Of the distance squared: rounding by which a step may seem to lose; of 1 + |x|: a step that moves nothing any more.
FOOT_ROUNDING, FOOT_FOUND = 1e-15, 1e-14
#: Of 1 + |height|: a point nearer to the ground than this takes the ground's own normal.
ON_GROUND = 1e-9
#: Steps to the lowest angle of a rim; of its radius: a slope that is none; rad: an angle that is found.
RIM_STEPS, RIM_LEVEL, RIM_FOUND = 80, 1e-15, 1e-15
#: Of the place: a point nearer to a mesh than this takes the normal of the face, edge or corner it lies on; and m, so
#: that this holds at the origin.
ON_SURFACE, ON_SURFACE_AT_ORIGIN = 1e-12, 1e-30
#: Of the squares of two edges: the determinant below which they are parallel and any of their points is as near.
PARALLEL_SEGMENTS = 1e-14
#: Relative: corners that are further than the nearest places of two meshes by more do not stand for them.
NEAREST_ROUNDING = 1e-9
#: Of the radius of a ball: places on a mesh that are nearer to one another are one.
SAME_PLACE = 1e-9
#: Triangles in a leaf of a tree.
LEAF = 2
#: m/s squared: added to a slip, so that where there is none it has no direction, instead of 0/0.
NO_SLIP_SQUARED = 1e-28

# --- compliant rows ---

#: Of the size of a shape, and rad: steps of differences of rows.  Shorter and rounding shows, longer and their bend.
ROW_DIFFERENCE = 1e-6

# --- cables over surfaces ---

#: m²: the square of the straight part of a cable at a point that lies on the surface or inside, so that roots and
#: directions have slopes there; far below any length that is meant.
NO_STRAIGHT_PART_SQUARED = 1e-24
#: Parts of a geodesic on an ellipsoid, and the numbers of steps in each that are extrapolated from: on half axes of
#: 0.1, 0.15, 0.2 m ends are right to 2e-8 m over 1.5 mean radii of length, and to 1e-12 m on the average.
GEODESIC_PANELS, GEODESIC_SUBSTEPS = 3, (4, 6, 8, 10, 12)
#: Places at which the integrals of a geodesic on an ellipsoid of revolution are taken: on one with axes as 1 to 2 ends
#: are right to 1e-12 of its size over an angle of 1.5, to 1e-8 over 2.5.
GEODESIC_NODES = 16
#: At the start: Newton steps, and the residual (without unit) at which the way of a cable is found.
GEODESIC_NEWTON, GEODESIC_FOUND = 60, 1e-13
#: rad: half the angle of an arc is taken to be at least that, and of the radius: how far a point over which a cable
#: lies is lifted, for a first guess.
NO_ARC = 1e-9
