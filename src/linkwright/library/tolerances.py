"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

What users may want to change is a parameter of its component (`s_small`, `transition`), not here.
"""

from __future__ import annotations

# --- numbers ---

#: Stands for zero where a root is taken or something is divided by it, so that slopes exist; no force or length is as
#: small.
TINY = 1e-300

#: m²/s², rad²/s²: added to the squared speed of bristles, whose root has no slope at zero.  Larger would let what is
#: bent at rest relax: by the root of it, times stiffness over friction, every second.
NO_SLIDE_SQUARED = 1e-40
#: rad/s: a frame that turns more slowly counts as one that only slides, and has no screw axis.  Smaller divides
#: rounding of a translation by rounding; larger would leave out the axis of a motion that really turns.
NO_SPIN = 1e-10

# --- directions and lengths that are given ---

#: Sine of the angle between two directions below which they are parallel, cosine below which they are perpendicular: a
#: model in which they must not be, or must be, is refused.  Smaller lets rounding choose an axis; larger refuses
#: directions that a user has tilted on purpose.
PARALLEL = 1e-10
#: Cosine of the axes of a universal joint that are perpendicular to rounding: then the shorter formulas are taken.
RIGHT_ANGLE = 1e-12
#: In the unit of the vector: a shorter one has no direction, or its body no length, and is refused.
NO_LENGTH = 1e-10
#: Sine of the angle below which the second of two axes counts as parallel to the first and another one is taken; and
#: the entry along x below which x is taken: as small as in Modelica, so that the same numbers give the same frame.
ALONG_FIRST, ACROSS_X = 1e-6, 1e-6
#: m: the length that a line between two points is taken to have at least, so that it has a direction (the default of
#: the parameter s_small).  Larger would show in springs of length zero.
S_SMALL = 1e-10
#: m²: added to the squared distance of two centres, which coincide before a model is assembled.
SAME_CENTRE_SQUARED = 1e-24

# --- blocks ---

#: Of its size: a pole of a filter with a smaller imaginary part is real.
REAL_POLE = 1e-9
#: Relative: the parts of a period may exceed it by so much: rounding of their sum.
PERIOD_ROUNDING = 1e-12

# --- contact and friction ---

#: m/s: slower than this there is no direction of slip.  Far below any speed; its square is still a number.
STILL = 1e-14
#: The same where friction and spin share a patch, whose formula is exact down to zero.
NO_SLIP = 1e-150
#: N (or N m, where it rubs): added to the square of a reaction, so that one of zero has a slope.
NO_REACTION_SQUARED = 1e-30
#: m/s: added to the slip of a planar wheel, so that it has a direction at rest.  Smaller makes steps short as a wheel
#: comes to rest; larger lets it creep.
SLIP_FLOOR = 1e-4
#: Share of its limit by which the spring of friction is beyond it before its anchor moves at the full speed.  Smaller
#: makes it stiff, larger lets friction exceed its limit visibly.
BEYOND_LIMIT = 0.1
#: m/s: a point whose place moves as a point fixed on a body does, to rounding: it is a corner and can stick.
FIXED_ON_BODY = 1e-9
#: m: how far apart the origins of two shapes are when that is looked at, at random poses: of all sizes of machines, and
#: often enough that faces and edges are met as well as corners.  With one pose a ball on a box was taken for a corner.
POSES_AROUND = tuple(10.0 ** (k / 8) for k in range(-24, 9) for _ in range(4))
#: m: the last point of a closed curve that is given twice.
SAME_POINT = 1e-12
#: In units of 1/speed and 1/restitution: between which dissipations a given restitution is looked for (the formula has
#: a pole at the upper end); and halvings, which end at the last bit.
LEAST_DISSIPATION, BELOW_POLE, RESTITUTION_HALVINGS = 1e-12, 1e-15, 200
#: Rounds of the arithmetic-geometric mean: ratios of axes up to a million to rounding.
MEAN_ROUNDS = 6

# --- angles of a rolling wheel ---

#: rad: nearer than this to their singular attitude α and γ do not swing by half a turn but go through, as those of an
#: upright wheel do.  Smaller makes steps tiny at each swing; larger shows a wrong angle near it.
THROUGH = 1e-5
#: The same for the rates that are told, which only must be finite in the singular attitude itself.
RATES_FINITE = 1e-12
#: Weight of α, β, γ in the error of a step: enough that no swing is stepped over, too little to shorten other steps.
ANGLES_SHARE = 1e-4

# --- molecules (nm, ps, Da, e) ---

#: Sine of an angle below which three atoms lie on one line: a linear group bent by rounding of files (three digits of
#: an Å).  Smaller gives it a joint about its own axis, which has no inertia.
STRAIGHT = 1e-3
#: The same for atoms by which a new one is placed, from which a torsion angle could still be computed.
ON_ONE_LINE = 1e-9
#: e: charges of residues in files of force fields are whole to some 1e-4; a sum that is off by less is made whole.
WHOLE_CHARGE = 0.01
#: Of the sum of two covalent radii: atoms that are nearer are bonded.  Smaller misses stretched bonds, larger finds
#: some across small rings.
NEARNESS = 1.25
#: Of the largest singular value: closing equations of rings below this depend: places are given to 1e-9 or so.
DEPENDENT = 1e-7
#: nm: atoms nearer than that are one atom given twice: the shortest bond, H–H, is 0.074.
OVERLAP = 0.02
#: How near to a whole number the cosine of a phase is made exactly that: phases are given as 3.14159265359.
EXACT_PHASE = 1e-11
#: nm, and entries of rotation matrices: stations and turns of clusters below this are rounding, and left out.
NO_STATION, NO_TURN = 1e-14, 1e-15
#: Times the gravity of Earth in these units: more can only be gravity in m/s², and is refused.
WRONG_UNITS = 1e6

# --- parts that bend ---

#: Part of the largest entry of an array of shape integrals below which others are rounding: they are left out, since
#: every entry is code.  Larger would drop weak couplings that are there.
NO_ENTRY = 1e-12
#: The same for shapes of finite elements, whose eigenproblems are solved to about this; larger would drop couplings
#: that a mesh has, smaller writes code for the rounding of a symmetric body, four times as much.
NO_INTEGRAL = 1e-8
#: Part of the largest shape of the shortening of a bent axis below which others are left out: a thousandth of a
#: displacement that is itself of second order.  Smaller keeps shapes that cost code and move nothing; larger shows in
#: the frequencies of a blade that spins.
SHORTENING = 1e-3
#: The same for fields of a mesh, scaled so that all shapes hold the same energy.  A blade at twelve times √(EI/ρAL⁴)
#: has its third frequency right to 3e-4 with it, in a third of the code that a thousandth takes.
DRAWN_NEARER = 0.03
#: Points of Gauss's rule along a beam whose shapes are known, and the degree of the polynomial through products of
#: their slopes: a dozen shapes need both to 1e-12.  More points take longer, once, when the shapes are made.
BEAM_POINTS, SLOPES_DEGREE = 120, 80
#: Newton's steps to a root of a beam's frequency equation: from π/2 the first takes five, all others fewer.
NEWTON_STEPS = 8
#: Of the largest entry: how far a matrix of finite elements may be from symmetric by rounding.
NOT_SYMMETRIC = 1e-9
#: Of the largest entry of K (and of ω²): forces that a motion of the whole body may bring by rounding in a file.
#: Larger lets pass coordinates in another unit than the matrices; smaller refuses files with eight digits.
NO_STRETCH = 1e-8
#: Of the largest pivot of a stiffness matrix: one below it is rounding of zero, and the mesh holds a mechanism.  Larger
#: refuses slender bodies, whose stiffnesses lie ten decades apart; smaller lets shapes without stiffness pass.
NO_PIVOT = 1e-15
#: Of the ratio of the largest entries of K and M: what is added to all ω² of a free body while it is factored, and
#: taken off again, so that its rigid motions are regular.  Smaller is lost in rounding; larger would come near ω₁² of
#: slender bodies.
RIGID_MODE = 1e-12
#: Part of the mass that moves along with the natural shapes below which more are advised (a rule of codes of practice).
ENOUGH_MASS = 0.9
#: Strain of the material of a beam above which linear elasticity is doubtful; steel yields at a tenth of it.  Told, not
#: refused.
SMALL_STRAIN = 0.02
#: rad: turn between two places of a beam's element up to which the series of exponentials is exact to rounding (see
#: `algebra.exponential`).  Beyond it poses are wrong, and a run is refused.
LONGEST_TURN = 1.5
#: rad: rotation of a frame of a modal body above which displacements that are linear in the shapes are wrong by some
#: tenths of a percent.  Told, not refused.
SMALL_ROTATION = 0.1
#: Of the first frequency: spin above which a modal body without geometric stiffening has frequencies that are wrong by
#: some 5 %, and above which one with stiffening needs more than a few shapes; and how many these are.
SLOW_SPIN, FAST_SPIN, ENOUGH_SHAPES = 0.3, 0.5, 2
#: Elements along the longest side of a block unless they are given: the first frequency of one ten times as long as it
#: is thick is right to some 1e-3.  More are more exact and take longer to reduce.
BLOCK_ELEMENTS = 10
#: h ω of the longest step of RK4 for an undamped oscillation (2√2), a little less: with damping it is shorter.
STABLE_RK4 = 2.7
#: Of the length: how far pieces along a beam may be from filling it, by rounding of fractions.
END_TO_END = 1e-9
#: Of the side: how near to a face of a block nodes belong to it; they lie on it but for rounding.
ON_FACE = 1e-9
#: Finite elements that are integrated at a time: 10 MB of matrices each.  Fewer are slower; more need memory.
AT_ONCE = 200
#: Of their size: identities between the numbers of a file of a flexible body that fail by more are named.
IDENTITY = 1e-6

# --- muscles ---

#: Pieces of degree five that stand for a corner of a Bézier curve: values to 1e-13.
BEZIER_KNOTS = 96
#: cos α of the steepest fibre: a fibre is never shorter than that (OpenSim).
STEEPEST_PENNATION = 0.1
#: m²: added to the square of a fibre without pennation, so that a slack one has a direction.
NO_FIBRE_SQUARED = 1e-24
#: The activation that muscles start with unless it is given (OpenSim's default_activation).
ACTIVATION_AT_START = 0.05

# --- cables ---

#: Points on an arc that a picture of a cable is drawn through.
ARC_POINTS = 9
#: Points between two stops through which a slack rope is drawn.  Fewer show corners, more make pages large.
HANGING_POINTS = 8
#: Sweeps over surfaces that follow one another until the cable lies straight between them, at the start; m: a sweep
#: that moves nothing any more.
SWEEPS, SWEPT = 500, 1e-13
#: m, or the sine of an angle: how far the discs of a belt may be from one plane.
ASLANT = 1e-6
#: m: by how much the way of a rope that does not stretch may be longer than the rope at the start, from rounding of
#: lengths that a user gives; a run puts it right.  Smaller refuses ropes given as taut.
ROPE_MISS = 1e-9
#: m, or rad on an ellipsoid of revolution: a cable that lies on an ellipsoid over more than this stays there until it
#: lifts off, wherever the straight line between its neighbours passes.  Smaller than the error of the way found makes
#: a cable that is off come on; larger lets one go that should stay.
STAYS_ON = 1e-7
