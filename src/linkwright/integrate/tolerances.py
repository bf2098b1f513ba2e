"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

"In accuracies" means: an error of the state, weighed and normed as in `error_norm`, divided by the accuracy asked for.
"""

from __future__ import annotations

# --- numbers ---

#: The spacing of floating-point numbers near 1.
EPSILON = 2.2e-16
#: A number beyond this, or NaN, is no result; what divides by zero gives it.
HUGE = 1e300

# --- step sizes ---

#: Of the step that the error asks for: what is taken.  Nearer to 1, more steps are rejected; smaller wastes steps.
SAFETY = 0.9
#: Part of x by which ẍ may change it in the first step, and in the next one after inputs have changed.  In longer steps
#: stages may be thrown so far that they find no force there, and no error either.
BENT = 0.1
#: Factors between two step sizes: a step changes by no more, as the error of one step says little about a far longer
#: one.  The first step is a guess and may be corrected by more.  Implicit steps cost more, and may grow faster.
SHRINK, GROW, GROW_FIRST, GROW_IMPLICIT = 0.2, 6.0, 10.0, 8.0
#: Exponent with which the error of the step before counts: saves the order-8 pair four out of five rejections (7-link
#: chain at accuracy 1e-8); larger makes step sizes sluggish.
BETA = 0.04
#: Least error, in accuracies, that is remembered of the step before (explicit and implicit methods).
REMEMBERED, REMEMBERED_IMPLICIT = 1e-4, 1e-2
#: Factors on an implicit step size that are not worth new factors of its matrix.
KEEP = 1.2
#: Of a step: its end is moved to a target that lies this much further, so that no tiny step is left over; in steps of
#: fixed length only what rounding of sums of steps can make.
STRETCH, STRETCH_FIXED = 0.01, 1e-6
#: Of the time, or of a thousandth of what is left: steps shorter than eight units in the last place do not advance it.
SHORTEST_STEP, SHORTEST_SHARE = 1.8e-15, 1e-3

# --- back onto the constraints ---

#: Iterations of projection; Newton's method takes three, more than ten mean that it does not converge.
MAX_PROJECTIONS = 10
#: Least tolerance of constraint errors (m, rad): angles after many turns are not known better.
CONSTRAINT_ROUNDING = 1e-13
#: Share of a repaired error that still counts: where the constraints determine the motion alone, nothing else would
#: keep a step short enough for projection to find the right branch.
REPAIRED = 0.01
#: In accuracies: a step that ends further from the manifold may come back to another branch of it, and is taken again.
ASTRAY = 300.0
#: Constraint errors (m, rad; of speeds, per unit of the fastest) that no projection can take off because redundant
#: constraints contradict each other by that much, as axes do that should be parallel.  More is an error of the model.
MISFIT = 1e-8

# --- across singular positions ---

#: Steps away from a singular position within which all stages are projected.
NEAR = 3.0
#: How well a constraint holds, of the best seen, below which they are in any case.
HARDLY = 0.1
#: Part of the gap between two stages, on either side, in which no singular position may lie.
MARGIN = 0.2
#: Of a step: how far away from a singular position it must end.
CLEAR_END = 0.1
#: Rounding of a constraint equation; steps with errors of this, times 1/x³ at their ends, cannot be made better.
EQUATION_ROUNDING = 1e-15

# --- events ---

#: Evaluations to narrow one root; Illinois steps take ten, bisections sixty.
MAX_NARROWING = 100
#: Of the first value after a restart: what is below this at the restart counts as zero.
NOT_LEFT = 1e-3
#: Pieces of a step that may be sampled anew; more only in functions that no sampling can follow.
REFINEMENTS = 24
#: Times that a change of sign may be looked at more closely before it is taken as one root.
CLOSER = 10
#: Slopes at both ends of a change of sign against its mean slope, or the other way round, up to which it goes straight
#: across; of three roots close together they are 3 and 3, or 4 and 1.
STRAIGHT = 2.0
#: The next piece against the one before.
WIDER = 4.0
#: Slope at the end of a piece that begins at zero against the mean one: of t it is 1, of t² 2, of t³ 3.
LATE = 2.5
#: Slope at its start: one that turns at once, as −t + t² does, has no more roots there.
AGAINST = 0.1
#: Of a step: roots closer than that are not looked for where a function keeps to zero.
CLOSE_ROOTS = 1e-6
#: Of a step: pieces are not divided further.
NARROWEST = 1e-12
#: Of the largest value: slopes below that have no sign.
FLAT = 1e-12
#: Of the values beside it: a dip that goes below is looked into.
DEEP = 0.25
#: Of a change of sign: last coefficients above that leave room for more roots.
ROOM = 0.025
#: Of the largest value: last coefficients above that make values near zero doubtful, or say that nothing is known.
UNSURE, UNKNOWN = 1e-4, 1e-3
#: Of the time at both ends of a step: events are not located more sharply.
TIME_RESOLUTION = 8.9e-16

# --- features between samples ---

#: Halvings of a piece in the search for what samples do not show.
HALVINGS = 6
#: Times what the samples show: what may move as much is seen well enough.
TRUST = 8.0
#: Of what the polynomial moves: last coefficients below that say that it is right.
KNOWN = 0.01
#: Of the values: differences of bounds below that are rounding.
BOUND_ROUNDING = 1e-12
#: Units of a sharp function's argument: one that moves less in a step hides nothing.
FAR = 8.0
#: In accuracies: a larger error in a part of a step takes the step again; the part may be a 64th of what is hidden.
TOO_MUCH = 0.25
#: Parts that are looked into in one step.
PARTS = 8
#: Of a step: features that are shorter are left alone.
SHORTEST_PART = 1e-9
#: Of a part: the difference by which slopes of the dense output are found.
PART_DIFFERENCE = 1e-4

# --- Newton's method of implicit steps ---

#: Iterations; a step that needs more is better taken shorter.
MAX_ITERATIONS = 7
#: In unit changes: how far beside the state the Jacobian is taken where it does not exist there (|v| at rest).
ASIDE = 1e-8
#: Times what rounding brings into the stages: smaller changes do not get any smaller.
ROUNDED = 10.0
#: Largest |uᵢⱼ/uᵢᵢ| of the factors above which other pivots are looked for.
GROWTH = 1e6
#: Of the estimate of the embedded formula: μ max|θ(1−θ)²(1 − 5θ/2)|, the error of the cubic between the stages.
EMBEDDED = 0.25
#: ≥ |θ(θ − c₁)(θ − c₂)(θ − 1)| in a step: the error of the cubic between its points.
BETWEEN = 0.02
#: Against the step before: a longer step does not begin with its continuation.
FARTHEST = 10.0
#: Rate of convergence above which the Jacobian is computed anew.
SLOW = 1e-3
#: Of the largest entry of its row, for a pivot: smaller keeps fewer entries, larger fewer rounding errors.
PIVOT = 0.05
#: Sweeps of scaling; each halves the logarithm of what is left.
SWEEPS = 4
#: Iterations for the stages of a Gauss step; each gains a factor of h times the largest rate of the motion.
MAX_FIXED_POINT = 50
#: Corrections of the speeds in a step of velocity Verlet, and of the tolerance, where they have converged.
MAX_CORRECTIONS, CORRECTED = 10, 0.01

# --- changes of method ---

#: Steps to the end for which the implicit method is worth preparing (a second of compilation), and using once prepared.
WORTH, WORTH_AGAIN = 10_000, 500
#: Explicit steps between looks while nothing is suspicious.
LOOK_EVERY = 8
#: Accuracy below which rounding, magnified by stiff parts, limits steps before stability does.
FINE = 1e-8
#: Looks without suspicion after which those before are forgotten.
FORGET = 6
#: Implicit steps between looks back; products J v in a look; how far inside the stability region steps must lie.
LOOK_BACK, POWERS, INSIDE = 25, 10, 0.5
#: In unit changes: differences for products J v.
PRODUCT_DIFFERENCE = 1e-7
#: Stiff steps in a row of looks before the method changes; twice as many after every change back, up to a limit, so
#: that a motion at the boundary does not change for ever.
PATIENCE, MOST_PATIENCE = 15, 240
