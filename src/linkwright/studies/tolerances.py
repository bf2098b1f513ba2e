"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Gaps of loops are in m and rad.  Axes that a user turns into one another are off by up to 1e-9 rad, and accelerations
are known to 1e-11: what tells "depends on" from "is independent of" lies between these and what a person would see.
"""

from __future__ import annotations

# when equations of loops depend on one another, and what is rounding in them: said once, in `system.tolerances`
from ..system import NOISE, RANK_TOLERANCE  # noqa: F401

# --- numbers ---

#: Stands for zero where something is divided by it; no quantity of a mechanism is as small.
TINY = 1e-300
#: Of the largest singular value of G M⁻¹ Gᵀ: below this rows of G depend (as RANK_TOLERANCE has it for G); they are
#: squares of those of G, in the scale of the inertia.
DEPENDENT_SQUARED = 1e-10

# --- runs ---

#: Output intervals of a run where no step is given: enough for a smooth plot, few enough to print.
INTERVALS = 500
#: Output times of one run; more fill the memory before the run has begun, and mostly are a unit mistaken.
MOST_OUTPUTS = 50_000_000
#: Of the output interval: rounding of (stop − start)/step, so that a whole number of intervals is not one short; and
#: how near to the end the last output is put exactly there, instead of one more beside it.
INTERVAL_ROUNDING, AT_THE_END = 1e-12, 1e-9

# --- why a run has failed ---

#: m or rad: a gap below this that cannot be closed comes from axes or lengths that disagree slightly; a larger one from
#: a dead point.  The message gives the advice that belongs to it.
SLIGHT_GAP = 1e-4
#: Of its size in general position: a motion of a joint that is left with less has been lost (gimbal lock).
LOST_MOTION = 1e-6
#: Seconds beyond the last state: where the accelerations are looked at, to find the law that has no value there; from
#: the first on, doubled up to the last.
BEYOND_FIRST, BEYOND_LAST = 1e-12, 0.1

# --- closing loops near a state ---

#: m or rad: Newton's method in the coordinates that follow ends here, just above the rounding of coordinates, since
#: differences are taken between such states.
FOLLOWS = 1e-13
#: rad or m: a Newton step below this moves nothing any more.
NO_STEP = 1e-15
#: Newton steps of it; they converge quadratically from so near, or not at all.
FOLLOWING_STEPS = 30

# --- lw.assemble ---

#: In the unit of a goal: one that is missed by less is met.  Loops are closed to 1e-12; goals squared lose half the
#: digits.  Larger would call a goal met that is visibly missed.
MET = 1e-8
#: Starts from beside, where goals are not met, each further away by SIDESTEP (rad, m, one standard deviation).
ATTEMPTS, SIDESTEP = 8, 0.3
#: Relative: a further start must come nearer by this much to be preferred, so that the first wins among equals.
BETTER = 1e-6
#: Levenberg–Marquardt steps; more only delay the warning that a goal is not met.
GOAL_STEPS = 100
#: Progress of the weighted gaps that is rounding.
NO_PROGRESS = 1e-14
#: In the unit of a coordinate (rad, m): one that is this near to a bound is at it.  Rounding of q is below; more would
#: hold coordinates that are free.
AT_BOUND = 1e-12

# --- lw.equilibrium ---

#: Newton steps in a try; tries, each from where a damped motion has led in the meantime; steps of that motion.  Fewer
#: give up on mechanisms that start far from rest; more delay the message that there is none.
BALANCE_STEPS, BALANCE_TRIES, RELAXING_STEPS = 60, 4, 150
#: Of the largest force: what is left over at an equilibrium; slopes by differences do not lead much nearer.
BALANCED = 1e-10
#: m or rad: forces that a displacement of this size would bring balance to rounding, however stiff the parts are.
#: Smaller asks a stiff beam for more digits than its forces have; larger would show in what is soft beside it.
ROUNDED = 1e-13
#: rad or m: and the next step would be shorter than this, so that weak forces do not end it early.
ARRIVED = 1e-7
#: Of the forces: what is left of them along a direction in which nothing pulls back is rounding and moves nothing.
NO_FORCE = 1e-12
#: rad or m: half the width of differences of forces.  Shorter and rounding shows, wider and the bend of the forces.
FORCE_DIFFERENCE = 1e-4
#: rad or m: no coordinate moves by more at once; steps longer than NEARLY are halved up to so many times where the
#: forces push back at their end, which means that they go too far.
LONGEST, NEARLY, HALVINGS = 0.5, 1e-3, 6
#: Stiffness that counts as none: of the largest, of the largest force per rad or m, and at all (N/m, N m/rad).  Smaller
#: makes steps of any length out of rounding; larger takes weak springs for none.
NO_STIFFNESS, NO_STIFFNESS_OF_FORCE, NO_STIFFNESS_AT_ALL = 1e-9, 1e-3, 1e-12
#: Of the largest singular value: combinations of coordinates and other states that nothing pulls back.
NOT_PULLED = 1e-12
#: Seconds: first and longest step of the damped motion, by how much it grows each time, and how far (rad, m) it goes at
#: most.
RELAXING_FIRST, RELAXING_LONGEST, RELAXING_GROWTH, RELAXING_REACH = 1e-3, 0.05, 1.1, 0.1
#: Of the forces that a change of a parameter brings (at least 1): more left over means that no equilibrium follows it.
FORCES_LEFT = 1e-7

# --- lw.modes ---

#: Of the largest eigenvalue: an imaginary part or a size below this is rounding of the eigenvalues.  Smaller gives
#: real ones a twin; larger would drop slow modes beside fast ones.
NO_FREQUENCY = 1e-9
#: Of the largest singular value: a second one below this means that two modes share an eigenvalue, which then has no
#: derivative.
SHARED = 1e-11

# --- lw.inverse_dynamics ---

#: m: loops along given courses are closed to this, in so many Newton steps from the position before, the first no
#: longer than LARGEST_STEP (rad, m), the second no longer than CONTRACTION of it.  Longer ones may change the branch.
CLOSED_ALONG, CLOSING_STEPS, LARGEST_STEP, CONTRACTION = 1e-13, 12, 0.5, 0.25
#: Times CLOSED_ALONG: a gap that no longer halves may stay, since axes and lengths do not agree better.
STAYS_OPEN = 1e3
#: rad or m: a second step below this is rounding, however short the first was.
NO_SECOND_STEP = 1e-7
#: Of the way between two given times: the shortest part that is gone at once; less means that no way leads there.
SHORTEST_PART = 1e-5
#: Of the largest singular value: drives and reactions below this do not move the mechanism.  Lower than
#: RANK_TOLERANCE, as a drive with a small lever still drives.
DRIVES_NOTHING = 1e-11
#: Of 1 + the largest force needed: what drives may leave unbalanced; more means that they do not drive every freedom.
UNBALANCED = 1e-7
#: Seconds: the interval of differences of a plain Python function of time.  Shorter and the second derivative is
#: rounding over its square; longer and fast functions are smoothed.
TIME_DIFFERENCE = 1e-2

# --- goals of a run ---

#: Rounds of closing in on an extreme or a crossing, by this many points each: 3 × 33 points narrow a crossing to 3e-5
#: of an output interval.
CLOSING_IN, CLOSING_POINTS = 3, 33
#: Of the output interval: half the width of the parabola through an extreme.  Narrower and its bend is rounding.
PARABOLA = 0.05
#: Of the time to the ends of the run: half the width of the difference for the slope at a crossing.
SLOPE_WIDTH = 1e-4

# --- lw.gradient, lw.fit, lw.optimize ---

#: Numbers from which on the adjoint is cheaper for one goal (it costs five to six runs, a column a third of one), and
#: how many more for each further goal, which goes backward over the same run.
MANY_NUMBERS, MORE_NUMBERS = 16, 10
#: Of the largest singular value of J, numbers scaled by their sizes: combinations below this are not fixed by the data.
#: Derivatives are known to 1e-9; larger would call what is poorly known unknown.
UNFIXED = 1e-7
#: Of the largest entry of such a combination: smaller ones are not named in the message.
NAMED_SHARE = 0.05
#: Times the largest residual: what stands for a run that does not exist, so that a search turns back.
NO_RUN = 1e3
#: Times the tolerance asked for: the gradient at which a fit ends, as it falls with the square of the residuals.
FLAT_GRADIENT = 1e-3
#: Of a limit (at least 1): a violation below this counts as none.
FEASIBLE = 1e-6
#: What stands for the goal and limits of numbers at which no run exists: worse than any real one.
WORSE = 1e10

# --- lw.control ---

#: Tolerances that the search for a plan is given: of its optimality and of its equations, and of a plan that it may end
#: with where it gets no further.
OPTIMAL, OPTIMAL_ROUGHLY = 1e-10, 1e-8
#: Iterations in which a problem curved down (its Hessian was made larger), above which other minima are likely: where
#: one swing is enough there are up to 5, where several are needed 12 and more.
CURVED = 8
#: How often a search begins then, and how many iterations each further one may take.
BEGINNINGS, AGAIN = 5, 300
#: Waves within a motion that further guesses are made of; faster ones are not followed by meshes of usual size.
WAVES = 8
#: How often plans with redundant loops are solved again, with what was found for their reactions: each time what is
#: amiss with the forces shrinks by 1e-3.
LEANED = 2
#: m or rad: the gap of a loop that the first point of a plan may have.  It lies above what the start leaves (1e-11);
#: with none at all, the equations there would be redundant.
FIRST_GAP = 1e-9
#: In the unit of an equation or an end value: what is off by less is not told.
MISSED = 1e-6
#: Names in such a message.
NAMED = 5
#: Of the range of an input: where it changes by more within an interval the mesh is made finer there.
SWITCH = 0.2
#: Intervals of a mesh at most; a plan of more takes minutes, and mostly asks for a jump that no mesh can follow.
MOST_INTERVALS = 2000
#: Intervals of a mesh that nobody chose.
INTERVALS_OF_PLANS = 50
#: Of one more than the size of a state: where a simulation with the inputs of a plan ends further from the end of the
#: plan, its mesh is made finer.  Larger lets a crane miss its place by centimetres; smaller asks for more than plans on
#: unstable ways can keep.
PLAN_MISSED = 1e-3
#: Accuracies of the meshes that are tried one after the other where nobody asked for one.
FINER_PLANS = (1e-3, 1e-4, 1e-5, 1e-6)
#: Points of an interval at which the inputs of a plan are given, for straight lines between them.
FINE = 10
#: Of the duration: times outside a plan by less than this are its ends.
END_ROUNDING = 1e-12
#: Of the way to the end: how far the swinging motion that a search begins with may come; beyond the end it turns over,
#: and nothing is to be learned.
REACH = 0.4
#: Of the mean speed of the way: the push at its start.
PUSH = 0.05
#: Rate at which its speeds grow, times the duration, at most; and halvings of the search for that rate, which is then
#: known to three digits.
FASTEST, RATE_HALVINGS = 40.0, 14
#: Runge–Kutta steps of that motion between points of a mesh.
SWING_STEPS = 4

# --- linear models of bodies that turn ---

#: rad/s: a floating base that turns more slowly is at rest; rounding of speeds that follow from loops.
AT_REST = 1e-9
#: rad by which a base is turned on to see whether its linear model turns with it; a step of Euler's method errs by its
#: square.  Of that, relative to the model's largest entry, how much of a change counts: much less is that error.
SMALL_TURN, TURNED = 1e-2, 0.1

# --- lw.inverse_kinematics, motions ---

#: sin² of an angle between two frames below which it is nothing: its root is the rounding of a rotation matrix.
NO_ANGLE_SQUARED = 1e-30
#: s, between the mean and the smallest step of time: above it a table has uneven steps, and is taken at even ones
#: before it is filtered (the rounding of a double near one, as in OpenSim).
UNEVEN = 2.2e-16

# --- lw.static_optimization ---

#: Of the largest torque: what activations may leave of the balance.  Newton steps end at a hundredth of it.
MUSCLES_BALANCED = 1e-8
#: Newton steps at an instant; share of a step below which nothing is gained (then no activation balances the motion);
#: share of what the slope promises that a step must gain.
DUAL_STEPS, SHORTEST_DUAL_STEP, ENOUGH_GAINED = 300, 1e-14, 1e-4
#: Of the sum of all effects squared: added to the dual's second derivatives, as muscles at their limits have none.
DUAL_RIDGE = 1e-10
#: Activations below it count as this large where powers of them would be infinite.
LEAST_ACTIVATION = 1e-6
#: m: shapes that can only be stepped and are nearer than this touch, for the remark of a linear model.  Runs at rest
#: keep them within 1e-8; larger, and a remark comes where nothing touches.
TOUCHING = 1e-6
