"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

"In accuracies" means: an error of the state, weighed and normed as in `error_norm`, divided by the accuracy asked for.
Four files of `step_programs` (`cuda`, `device_array`, `gpu`, `resident`) also run by themselves in a bundle and cannot
read this list: their few numbers stand with them.
"""

from __future__ import annotations

# --- numbers ---

#: The spacing of floating-point numbers near 1.
EPSILON = 2.2e-16
#: A number beyond this, or NaN, is no result; what divides by zero gives it.
HUGE = 1e300
#: An instant that does not come.
NEVER = 1e300
#: Stands for zero where something is divided by it, or where a zero is to count as positive.
TINY = 1e-300
#: The finest accuracy that can be asked for: a few roundings of the state.  Steps cannot be more accurate.
FINEST_ACCURACY = 1e-15

# --- step sizes ---

#: Of the step that the error asks for: what is taken.  Nearer to 1, more steps are rejected; smaller wastes steps.
SAFETY = 0.9
#: Part of x by which ẍ may change it in the first step, and in the next one after inputs have changed.  In longer steps
#: stages may be thrown so far that they find no force there, and no error either.
BENT = 0.1
#: In accuracies: a state or a slope smaller than this says nothing about a first step, and a slope or bend smaller than
#: NO_SLOPE is none.
SAYS_NOTHING, NO_SLOPE = 1e-5, 1e-15
#: The first guess of the first step: of the time in which the slope would change the state by all of itself, or where
#: that says nothing, of the time scale of the motion.
FIRST_SHARE, FIRST_STEP = 0.01, 1e-6
#: Factors between that guess and the first step: a motion that begins with a jolt takes a far shorter one, one that
#: begins at rest a longer one, of which an Euler step of the guess says little beyond a hundred times its length.
FIRST_SHORTER, FIRST_LONGER = 1e-3, 100.0
#: Factors between two step sizes: a step changes by no more, as the error of one step says little about a far longer
#: one.  The first step is a guess and may be corrected by more.  Implicit steps cost more, and may grow faster.
SHRINK, GROW, GROW_FIRST, GROW_IMPLICIT = 0.2, 6.0, 10.0, 8.0
#: In accuracies: an error below this is none, and the step grows as far as it may; its powers would be infinite.
LEAST_ERROR = 1e-12
#: In accuracies: an error beyond this does not say by how much a step is too long; it shrinks as far as it may.
ASTRONOMIC = 1e30
#: Exponent with which the error of the step before counts: saves the order-8 pair four out of five rejections (7-link
#: chain at accuracy 1e-8); larger makes step sizes sluggish.
BETA = 0.04
#: In accuracies: a step before with a smaller error counts as if it had this one (explicit and implicit methods).  With
#: less, one step without error would let the next grow too far.
REMEMBERED, REMEMBERED_IMPLICIT = 1e-4, 1e-2
#: An implicit step that may grow by less than this factor keeps its length: it is not worth new factors of its matrix.
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
#: Share of a constraint error that still counts as error of the step after projection has taken it off.  With none,
#: nothing would keep a step short enough to find the right branch where constraints alone determine the motion; with
#: all of it, steps would be short for errors that are gone.
REPAIRED = 0.01
#: In accuracies: a step that ends further from the manifold may come back to another branch of it, and is taken again.
ASTRAY = 300.0
#: Constraint errors (m, rad; of speeds, per unit of the fastest) that no projection can take off because redundant
#: constraints contradict each other by that much, as axes do that should be parallel.  More is an error of the model.
MISFIT = 1e-8

# --- across singular positions ---

#: Steps away from a singular position within which all stages are projected.  Fewer, and stages fall off the manifold
#: before it is noticed; more only cost time.
NEAR = 3.0
#: All stages are also projected where a constraint holds less than this share of the best seen, however far it is.
HARDLY = 0.1
#: The same at the start of a lane: where a constraint holds less than this share, the ordinary run takes it.
CLOSE = 0.3
#: A step across a singular position has it between two stages; of the gap between them, this margin stays free on
#: either side, since the position is known from a parabola only.
MARGIN = 0.2
#: Of a step: how far away from a singular position it must end.  Nearer, and the next step begins where forces grow
#: without bound.
CLEAR_END = 0.1
#: Rounding of a constraint equation.  How well it holds, x, is 1 far from a singular position and 0 at it; steps that
#: end at x have an error of this times 1/x³ which no shorter step makes smaller.
EQUATION_ROUNDING = 1e-15
#: The least x for that estimate; nearer, it would accept any error.
NEAREST = 1e-6

# --- events ---

#: Evaluations to narrow one root; Illinois steps take ten, bisections sixty.
MAX_NARROWING = 100
#: A witness is at zero where it begins if its first value is below this share of the next one: it has just crossed, and
#: must not cross again.  Smaller finds an event twice, for rounding; larger overlooks one that comes at once.
NOT_LEFT = 1e-3
#: Pieces of a step that may be sampled anew; more only in functions that no sampling can follow.
REFINEMENTS = 24
#: Times that a change of sign may be looked at more closely before it is taken as one root.
CLOSER = 10
#: A change of sign has one root if the slopes at its two ends are within this factor of the mean slope: it goes
#: straight across.  With three roots close together they are 3 and 3, or 4 and 1, times the mean.
STRAIGHT = 2.0
#: After a piece that was divided, the next may be this much longer than the one before.
WIDER = 4.0
#: Slope at the end of a piece that begins at zero, over the mean slope, from which on two more roots may lie near its
#: beginning: of t it is 1, of t² 2, of t³ 3.
LATE = 2.5
#: Slope at the beginning of such a piece, against the mean: one that turns back by more, as −t + t² does, has its only
#: other root inside, which signs show.
AGAINST = 0.1
#: Of a step: a piece shorter than this is not searched for further roots near a zero.
CLOSE_ROOTS = 1e-6
#: Of a step: pieces are not divided further.
NARROWEST = 1e-12
#: Of the largest value of a witness in a piece: a slope below this is rounding and has no sign.
FLAT = 1e-12
#: Of the values at both ends: where the cubic between two samples of one sign dips below this, a root may hide there,
#: and the piece is sampled anew.  Smaller overlooks short dips; larger samples what only bends.
DEEP = 0.25
#: Of a change of sign: if the last coefficients of the polynomial through the samples are larger, it may have more than
#: one root there, and is looked at more closely.
ROOM = 0.025
#: The same of the largest value of the witness: above the first, values near zero are doubtful; above the second, the
#: samples say nothing about the function between them.
UNSURE, UNKNOWN = 1e-4, 1e-3
#: Of the time at both ends of a step: events are not located more sharply.
TIME_RESOLUTION = 8.9e-16
#: Rounds of "relations and actions agree" at one instant.  Fewer refuse chains of actions that trigger one another;
#: more only delay the message that two of them alternate for ever.
ROUNDS = 50
#: CHATTERING events within CHATTERING_TIME (relative to the time, at least 1 s) mean that no time passes between them.
#: With fewer, a ball that bounces to rest is refused; a longer time would refuse a fast switching controller.
CHATTERING, CHATTERING_TIME = 16, 1e-8
#: Seconds that the motion is followed after a reset to see whether it turns back.  Shorter and the change of a witness
#: drowns in rounding; longer and another event may lie in between.
TURN = 1e-7
#: Relative difference of two values that actions set for one variable, or error that such values may leave in the
#: constraints.  Smaller refuses values that agree but for the regularised factorisation (1e-10); larger accepts values
#: that contradict a loop.
FITS = 1e-8

# --- features between samples ---

#: Halvings of a piece in the search for what samples do not show: the shortest part is 1/64 of it.
HALVINGS = 6
#: Where bounds say that a function may move up to this many times as far as its samples show, the samples are believed;
#: bounds are that coarse.  Smaller searches everywhere; larger overlooks short pulses.
TRUST = 8.0
#: Of what a function moves in a piece: if the last coefficients of its polynomial are below this, the polynomial tells
#: how far it moves; otherwise only the bounds do.
KNOWN = 0.01
#: Of the values: differences of bounds below that are rounding.
BOUND_ROUNDING = 1e-12
#: A sharp function (a step, a pulse) changes within one unit of its argument; in a step in which the argument moves by
#: fewer units than this it hides nothing from the stages.
FAR = 8.0
#: In accuracies: where a part of a step, integrated by itself, differs by more, the step is taken again, shorter.  The
#: part may be a 64th of what is hidden.
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
#: In unit changes of the state: how far beside it the Jacobian is taken where it does not exist there (|v| at rest).
ASIDE = 1e-8
#: Times what rounding of the state brings into the stages: where changes no longer shrink but are below this, the
#: stages are as good as they get.  Smaller rejects such steps for ever; larger accepts stages that have not converged.
ROUNDED = 10.0
#: Largest |uᵢⱼ/uᵢᵢ| of the factors above which the whole matrix is searched for pivots: six of sixteen digits are lost.
GROWTH = 1e6
#: Equations up to which a lane has memory for that (100 kB here); a GPU reserves it for all threads that it can hold.
WHOLE_IN_LANES = 64
#: Length (s) of the step for which pivots are chosen before a run: rows are scaled, so that it hardly matters.
FIRST_LENGTH = 1e-3
#: Of the estimate of the embedded formula: μ max|θ(1−θ)²(1 − 5θ/2)|, the error of the cubic between the stages.
EMBEDDED = 0.25
#: ≥ |θ(θ − c₁)(θ − c₂)(θ − 1)| in a step: the error of the cubic between its points.
BETWEEN = 0.02
#: A step longer than this many times the one before does not begin with the continuation of that one, which is far off
#: there.
FARTHEST = 10.0
#: Factor by which each iteration shrinks the change of the stages: where it is above this the Jacobian is computed anew
#: before the next step.  Smaller computes it in nearly every step; larger takes more iterations instead.
SLOW = 1e-3
#: Of the largest entry of its row, for a pivot: smaller keeps fewer entries, larger fewer rounding errors.
PIVOT = 0.05
#: Sweeps of scaling; each halves the logarithm of what is left.
SWEEPS = 4
#: Iterations for the stages of a Gauss step; each gains a factor of h times the largest rate of the motion.
MAX_FIXED_POINT = 50
#: Corrections of the speeds in a step of velocity Verlet, and of the tolerance, where they have converged.
MAX_CORRECTIONS, CORRECTED = 10, 0.01
#: Iterations for the stages of an implicit step taken backward (the adjoint), and the relative change at which they are
#: found: a few hundred roundings, since their errors add up over the run.
ADJOINT_ITERATIONS, ADJOINT_FOUND = 12, 1e-13

# --- sweeps over impulses of stepped contacts ---

#: Halvings of the interval in which the spin of a contact with a patch lies: down to the last bit.
SPIN_HALVINGS = 60

# --- changes of method ---

#: Accuracy up to which "auto" takes the pair of order 8, and above which the one of order 5.  Evaluations for 10 s of a
#: 7-link planar chain (dopri5 / dop853, without output grid): 1e-4: 1070 / 980, 1e-6: 2450 / 1630, 1e-8: 6030 / 2890,
#: 1e-12: 38 100 / 8740.  Output inside every step costs dop853 a quarter more.
AUTO_LIMIT = 1e-6
#: Steps to the end for which the implicit method is worth preparing (a second of compilation), and using once prepared.
WORTH, WORTH_AGAIN = 10_000, 500
#: Explicit steps between looks while nothing is suspicious.
LOOK_EVERY = 8
#: Accuracy below which rounding, magnified by stiff parts, limits steps before stability does.
FINE = 1e-8
#: Looks without suspicion after which those before are forgotten.
FORGET = 6
#: Implicit steps between looks back; products J v in a look; how far inside the stability region of the explicit method
#: its steps would have to lie, of its boundary, for a change back.
LOOK_BACK, POWERS, INSIDE = 25, 10, 0.5
#: In unit changes: differences for products J v.
PRODUCT_DIFFERENCE = 1e-7
#: Suspicious looks in a row before the method changes; twice as many after every change back, up to a limit, so that a
#: motion at the boundary does not change for ever.
PATIENCE, MOST_PATIENCE = 15, 240

# --- time and memory of the computer ---

#: Seconds between two pauses, in which others see how far a run is and may stop it.  Longer feels late to a person at
#: the keyboard, shorter costs time.
PAUSE_SECONDS = 0.05
#: Seconds: a shorter time of work cannot be measured by the clock.
CLOCK = 1e-6
#: Points of a run for which there is room to begin with: as many as the calls of the loop make in which it learns how
#: long a step takes.  Fewer, and arrays are exchanged between these calls; memory that is not used costs nothing.
CAPACITY = 2048
#: Steps that are kept in any case: the loop returns no more often than that.
LEAST_KEPT = 4096
#: Instants of a run in lanes that are remembered; of more only their number.
MOST_INSTANTS = 255
#: Entries of a vector up to which code of lanes is written out instead of a loop; in a thread of a GPU the entries of a
#: state up to which that is so, so that it can stay in registers.
UNROLLED, REGISTERS = 8, 32
#: Numbers that a thread of a GPU asks for at once in a longer loop: more, and registers are short; fewer, and memory is
#: waited for more often.
TOGETHER = 48
#: Steps that a thread of a GPU makes before it decides instants, if it comes to none before.  Fewer, and those that
#: stand at an instant hold up the others after every step; more, and they wait for these.
ON_THE_WAY = 4
#: Of the accuracy: how far beyond its limit a witness may be between the steps of another program before that is asked
#: for an instant.  Smaller, and rounding asks for instants without end; larger, and bodies sink into each other.
MISSED = 1e-3
#: Steps of a thread of a GPU with many contacts until somebody looks at the keyboard: about a second.  More, and an
#: interrupt waits for longer; fewer, and threads begin anew more often.
ATTEMPTS = 256
#: Steps that lanes at an instant wait, on average, for others to come to one, before it is decided: about what deciding
#: costs.  Without waiting, nearly every decision is made for one lane alone; longer, and lanes stand still.
WAITED = 2
#: Of the way that a distance can have gone within a step, by its largest speed at nine samples and by its values there:
#: bodies that are farther apart do not meet.  With 1 a speed that is highest between two samples might do; with more,
#: bodies near each other are looked at in more steps than they need.
OUT_OF_REACH = 2.0
#: Seconds that runs of one kind take with the code that travels with the package before code of their own is compiled,
#: which takes about as long (shorter: a run that is soon over waits for nothing; longer: others are slow for longer),
#: and before it is looked for in the cache, which takes some milliseconds.
COMPILED_AFTER, FETCHED_AFTER = 1.0, 0.05
#: Kinds of runs that are remembered, some 100 kB each.
KINDS_KEPT = 64
#: Instructions of all evaluations of a step up to which they are merged into one function; more take long to compile.
MERGED = 12_000
