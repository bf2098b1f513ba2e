"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Forces, speeds and accelerations of different elements are compared by their ease e = √(G M⁻¹ Gᵀ): e λ, v/e and a/e have
the units of √energy per time and so on, the same for a hinge and a slider.  "Of the swing" means relative to
√(2 × kinetic energy), the scale of v/e; "of the forces" relative to the scale of e λ and a/e at that instant.
"""

from __future__ import annotations

# what lanes decide as runs do, and how often a run is looked at: said once, in `integrate.tolerances`
from ..integrate.tolerances import (  # noqa: F401
    CHATTERING,
    CHATTERING_TIME,
    CLOSE,
    FITS,
    PAUSE_SECONDS,
    ROUNDS,
    TURN,
)

# --- numbers ---

#: Stands for zero where something is divided by it; no quantity of a mechanism is as small.
TINY = 1e-300
#: Of the largest: a singular value below this is rounding, and the direction that belongs to it is left out of a
#: solution.  Smaller divides rounding by rounding; larger leaves out what really takes part.
RANK = 1e-12

# --- how a run is set up, and what is kept of it ---

#: Error of a step below which rounding takes over; smaller takes more steps for nothing.
FINEST = 1e-12
#: Bytes that the steps of a run may take where nobody asked for all of them; beyond, only outputs are kept.
KEPT = 256 * 2**20
#: Changes of method that are told one by one; of more only the number, so that the message stays readable.
SAID = 4

# --- an instant ---

#: Instants of a run that Python decides before compiled code does: where that lies in the cache, and where it has to be
#: made, once for all models.  Fewer would look into the cache, which takes a millisecond, for runs that are over soon.
MADE_AFTER, COMPILED_AFTER = 8, 200
#: Instants that compiled code decides before Python reads what happened, and bytes that may be kept of them; fewer
#: return often, more wait for memory.
INSTANTS_AT_ONCE, BYTES_OF_INSTANTS = 1024, 4 * 2**20

#: ROUNDS of "relations, actions, friction and stops agree" for a state that nobody runs through time, where no action
#: can follow from another.
ROUNDS_AT_REST = 20
#: The same of impacts, and of contacts that turn out to stay: several bodies may hit one another in turn.
CONTACT_ROUNDS = 60
#: Impacts at an instant in which a blow passes from pair to pair; from then on all that touches is struck together.
#: Fewer cut the way of a blow through a long row of bodies; more are work where it runs back and forth for ever.
PASSED_ON = 40
#: Newton iterations that close the loops around new coordinates; they converge quadratically, or not at all.
CLOSING = 30
#: Relative step at which that iteration has converged: a few hundred roundings.
CLOSED_STEP = 1e-13
#: Times the accuracy: how far what has no inertia may be from its equilibrium before it takes it anew, at an instant.
#: Smaller moves it by errors that steps leave; larger overlooks a jump of the forces.
BALANCED = 10.0
#: rad or m: how far it moves in one iteration towards a new equilibrium.  Larger may find another one.
RELAXED_AT_ONCE = 0.5
#: Relative singular value below which two values that an action sets are one and the same freedom.  Smaller takes axes
#: that are off by 1e-9 rad for two, and sets both by huge impulses; larger refuses freedoms that hardly differ.
SAME_FREEDOM = 1e-9
#: Of the largest speed: what a constraint that holds leaves of the speed it forbids is set to an exact zero below this,
#: so that nothing creeps.  Larger would stop what really moves beside it.
HELD_SPEED = 1e-12
#: Gap (m or rad) of a lock or conditional constraint that projection may close when it begins to hold; a larger one
#: means that parts would jump, and is refused.
OPEN = 1e-6

# --- friction, stops and contacts at rest ---

#: Of the swing: a sliding speed, or the rate of a gap, below this is rest.  Steps leave 1e-12 of it; from 1e-10 on,
#: slow sliding would stick.
SLOW = 1e-11
#: The same for what was stuck or closed before: impulses elsewhere leave more, and letting go would start a chatter.
SLOW_IF_HELD = 1e-7
#: The same for the slip of contacts, and of frictions and stops beside an impact: contacts that share a load without a
#: unique answer keep slips of this size.
STILL = 1e-9
#: Seconds: a speed that the present acceleration produces in this time has no sign.  Shorter and rounding decides
#: between sliding forwards and backwards; longer delays the recognition of rest.
NO_SIGN = 1e-13
#: Of that speed: where friction sticks, a slip above this is taken off by an impulse; less is not worth one.
LEFT_OVER = 1e-3
#: Of the forces: a stuck friction may exceed its limit, or a closed stop pull, by this much before its mode is wrong.
#: Multipliers are known to 1e-10; from 1e-8 on friction would hold visibly more than it can.
WRONG = 1e-9
#: The same where no combination of modes agrees exactly: redundant loops share forces with errors of this size.
WRONG_AT_MOST = 1e-6
#: Of its size: how far behind a stop, or inside another body, a run may start or an action may put something.  Less
#: refuses rounding of the start; more would start with an overlap that the first step throws apart.
BEYOND = 1e-9
#: Changes of mode per element in the search for modes that agree, before all combinations are tried.
SEARCH = 10
#: Elements whose combinations are all tried: 3⁸ = 6561 looks take a second.
ALL_COMBINATIONS = 8

# --- friction on what moves as it is given ---

#: Of the accuracy: speeds of a given motion below this are rest; filters and rounding leave such speeds, which mean
#: nothing.
REST_OF_GIVEN = 1e-4
#: Of the accuracy: how far that limit may grow in a run in which given motions stop and start again and again within
#: BRIEF, which are errors of steps and not motions.  More would swallow slow motions that are meant.
REST_OF_GIVEN_MOST = 1e3
#: Seconds in which the acceleration has to lead out of the speeds that count as rest, for the motion to have a sign.
#: Longer lets a motion that only touches zero begin to slide backwards.
LEADS_AWAY = 1e-6
#: Of the time since the start: a motion between two rests that is shorter was no motion but an error of steps.
BRIEF = 0.01

# --- impacts of stops ---

#: Of its size, or in seconds at the speeds of the motion: a gap below this touches.  Located events leave 1e-14; from
#: 1e-8 on, neighbours that are still visibly apart would take part in an impact.
TOUCHES = 1e-10
#: Seconds: a flight after an impact that is shorter than this has come to rest.  Shorter and the last bounces are
#: computed one by one without end; longer and rest comes visibly early.
SHORTEST_FLIGHT = 1e-7
#: Of its size: a flight after an impact that rises less than this has come to rest.  Less, and the errors that steps
#: and projection leave in a gap are taken for further impacts; from 1e-9 on, bounces that results show would be cut.
LOWEST_FLIGHT = 1e-11
#: Of its size: where a gap is put that rounding left below zero; two units in the last place.
LIFT = 4e-16
#: Of the accuracy of steps: the gap of a stop that counts as closed where steps were seen to pass it without moving
#: towards it; ten times more with each such step, up to the accuracy.  Larger to begin with closes gaps that are real;
#: smaller takes some more events to learn.
FIRST_BLUR = 1e-7
#: Rounds in which gaps of stops are lifted; each doubles how far they are lifted beyond zero.
ROW_LIFTS = 5
#: Of the swing before the impact: an impulse or speed of the wrong sign below this is rounding.
WRONG_IMPULSE = 1e-11
#: Changes of mode per row of an impact; where they do not suffice the modes found last are taken.
IMPACT_SEARCH = 40
#: Iterations for impulses of friction that depend on the reactions they cause; they contract where μ is small enough.
RUB_ITERATIONS = 200
#: Relative change at which impulses and forces of friction are found: some thousand roundings.  Smaller is never
#: reached, larger leaves slips that are taken for sliding.
FOUND = 1e-12
#: … and the change up to which those of stops may stay where redundant loops share them and they no longer get better.
FOUND_ROUGHLY = 1e-5

# --- rigid contacts: what presses, holds and slides ---

#: Of the largest force or impulse of the moment: less is none; and friction that is nearer to its limit than this share
#: of it is at the limit.  Forces of a cone are known to 1e-12; from 1e-8 on, light bodies beside heavy ones float.
NO_FORCE = 1e-9
#: s: the time in which a force has to change speeds by that share to count: at the lowest point of a swing no other
#: force gives a measure.  Shorter, and what presses lightly beside a fast motion floats; longer, and rounding presses.
UNHURRIED = 1.0
#: Of coordinates and speeds: modes that are decided once more and move less than this agree.  Smaller, and rounding
#: goes on for ever; larger, and a correction is not looked at again.
SETTLED = 1e-13
#: Of the speeds: a change of speeds by less, where modes are put right, costs no energy that a balance would show.
NO_LOSS = 1e-10
#: m: a body smaller than this, or one whose coordinates are all zero, is taken to be so large where it is asked whether
#: a run starts inside another one, and how far rounding may carry a gap at rest below zero.
LEAST_SIZE = 1e-3
#: Errors of a step, times the speeds of the motion: a contact that slides slower keeps its direction of sliding, which
#: the errors of steps would turn about.
FREEZE = 1e4
#: Seconds of its first acceleration: the speed that a contact which starts to slide is taken to have, for FREEZE.
SLIDES_AFTER = 0.1
#: Seconds, or of the time if that is more: a slip that the forces of the moment end within it has ended.  Shorter, and
#: corners that come to rest together end one another's slips in ever shorter turns; longer takes off visible speeds.
ENDED = 1e-10
#: Of what a contact gives way under a force along its normal: less is left while it slides where friction increases
#: what presses it without bound (Painlevé).  Smaller and steps become too short before; larger ends slips that go on.
POLE = 1e-3
#: Of its size: how far a step may pass the gap of a contact, or of a stop, that touches without moving: errors of steps
#: leave so much.  With less, rest becomes a series of impacts; with more, an approach begins late.
SINKS, ROW_SINKS = 1e-12, 1e-13
#: Of its size: rounding of a gap, which is computed from places some bodies away.
GAP_ROUNDING = 4e-15
#: Of the swing: how far a slip that begins may go back before it counts as ended.
SLIP_BACK = 1e-13
#: Rounds in which gaps are closed and lifted; each doubles how far they are lifted beyond zero.
LIFTS = 8
#: Of the energy: what an impact may gain by rounding.  Where it gains more, the restitution is halved, at most this
#: often.
ENERGY_ROUNDING, RESTITUTION_HALVINGS = 1e-12, 30

# --- the forces of several contacts (Coulomb's cone) ---

#: Sweeps before each attempt of the second phase (a few are enough for most; each next attempt begins nearer).
CONE_SWEEPS = (5, 20, 60, 200, 600, 6000)
#: Sweeps after these, which end where the second phase does not: 0.1 s for four contacts.
CONE_SLOWLY = 100_000
#: Random starts where sweeps go round in circles: two in a thousand random impacts need them, or the slow sweeps.
CONE_STARTS = 60
#: Steps of the second phase (Levenberg and Marquardt), tries of its damping in each, and steps after which one that
#: gains less than a hundredth is the last.
CONE_STEPS, CONE_DAMPINGS, CONE_HARDLY = 80, 8, 20
#: Damping of its first step and the least there is, relative; what is added to the size of the residual, so that there
#: is damping at the solution; and the relative gain that a step must bring.
CONE_DAMPING, CONE_LEAST_DAMPING, CONE_RESIDUAL, CONE_GAIN = 1e-3, 1e-8, 1e-13, 1e-6
#: Of the largest force: those that grow beyond this have no end, and there is no solution.
CONE_ENDLESS = 1e12
#: Of the largest force: the error of a solution that is accepted where no better one is found; more is told as none.
CONE_ROUGHLY = 1e-8

# --- sharing a load that statics leaves open ---

#: Of the largest eigenvalue of W: forces that move less move nothing, so that any amount of them may be added.
MOVES_NOTHING = 1e-10
#: The same where forces lean with friction and rows are scaled to ones, which leaves larger errors.
MOVES_NOTHING_LEANING = 1e-9
#: Of the largest component: a contact with less in forces that move nothing has no part in them; it is rounding.
NO_PART = 1e-6
#: Of the motions that forces cause one by one: what shared forces may move together.  More would not be the same load.
SAME_MOTION = 1e-7
#: Of the largest weight: what damps the shares where weights vanish, since nothing rubs.  Larger shifts them visibly;
#: from 1e-12 on, rounding decides them.
SHARE_DAMPING = 1e-8
#: Rounds in which those that use most of their cone are relieved.  The largest share of use settles in five or so.
SHARING_ROUNDS = 8
#: Of the largest load, and friction coefficient: the least that weights are divided by, so that a contact that hardly
#: presses, or has no friction, does not outweigh all others.
LEAST_LOAD, LEAST_FRICTION = 1e-3, 1e-9

# --- stepping many contacts at once (Moreau) ---

#: Seconds: the step where none is given.
MOREAU_STEP = 1e-3
#: m: bodies that overlap by more at the start are refused; the first step would throw them apart.
START_OVERLAP = 1e-6
#: m/s: impulses that change speeds by less are found, and how many sweeps they may take.
SWEPT_SPEED, SWEEPS = 1e-7, 200
#: Contacts up to which impulses are made exact where sweeps do not end: the exact solution takes the cube of them.
FEW_CONTACTS = 12
#: Newton's method on the impulses of a step (`cone_newton`).  Of what a point gives way: the softness R of the rounds;
#: harder, and Newton takes more steps, softer, and there are more rounds.  Rounds, and searches in each.
NEWTON_SOFT, NEWTON_ROUNDS, NEWTON_TRIES = 3e-5, 40, 12
#: Of the largest speed that impulses take away: rounds end where they change less.  And speeds (degrees of freedom) of
#: a model up to which Newton is tried, since one step takes their square and more: of any, and of one with more points
#: of contact than speeds (walls), where sweeps creep.
NEWTON_SPEED, NEWTON_SPEEDS, NEWTON_RESTING = 1e-10, 130, 400
#: Steps of one search; looks along a step, the share of the expected gain that it must bring (Armijo), and of the slope
#: at its beginning what may be left at its end.
NEWTON_STEPS, NEWTON_HALVINGS, NEWTON_ARMIJO, NEWTON_FLAT = 40, 30, 1e-4, 0.3
#: Steps that are tried from what the last impulses let expect, before the search that always ends.  Relative: what rubs
#: as near to its limit as that is expected to slide.
NEWTON_DIRECT, NEWTON_FULL = 10, 1e-6
#: Relative: what is left of Newton's equations when they are solved (rounding is at 1e-15 by 1/NEWTON_SOFT); and what
#: may be left where no step makes it smaller.
NEWTON_FOUND, NEWTON_ROUNDED = 1e-10, 1e-9
#: Relative: what is left of a row beside others when it counts as one of them; rounding is at 1e-16, Newton's method
#: looks at 1e-10.  And of its square: where less is left, what it has along the others is taken away once more.
ALONG_OTHERS, AGAIN_BELOW = 1e-12, 0.25
#: m: overlaps that may be left after a step; and in how many rounds, of how many sweeps, they are lifted.
OVERLAP, OVERLAP_ROUNDS, OVERLAP_SWEEPS = 1e-9, 12, 400
#: Times the deepest overlap: open gaps up to that wide are watched, so that lifting one contact does not close another.
WATCHED = 10
#: How much wider boxes are when the list of near pairs is made: of the reach of a shape, and of the way it goes in a
#: step.  Wider, and more pairs are compared at every step; narrower, and the list is made more often.
SKIN_OF_REACH, SKIN_OF_MARGIN = 0.05, 10.0
#: m: bounds of shapes without end, and the middle of two such bounds, whose difference must still be a number.
NOWHERE, MIDDLE_OF_NOWHERE = 1e300, 1e150
#: Of the largest inertia of what hangs together: what has less is without mass, and moves by loops alone.  Low, since
#: light parts beside heavy ones have such inertia and must still move.
DEPENDENT = 1e-11
#: Of the length of a row of loops, locks and given motions: what is left of it beside the others, when it is redundant.
HELD_RANK = 1e-9
#: m: what is added to the way that a body may go in a step: pairs that are nearer are looked at.
NEAR = 1e-9
#: m or rad: gaps of loops that are left after a step, and projections that close them.
LOOPS_CLOSED, LOOP_CLOSINGS = 1e-12, 5
#: m/s or rad/s: what slips or turns slower is at rest, where friction may hold more than in motion; ten times what the
#: sweeps leave.
REST = 1e-6
#: Of a step: how much longer than asked for it may become so that a whole number of steps fits; and how much before its
#: end what is scheduled at its end has come.
STEP_LONGER, SCHEDULED = 1e-9, 1e-6
#: Of the time: outputs so little behind the end belong to the run; a few units in the last place.
TIME_ROUNDING = 1e-15
#: Steps after which compiled code comes back to Python at the latest, so that a run can be shown and interrupted.
STEPS_AT_ONCE = 64
#: Steps of a stepped run for which there is room to begin with; it doubles.
STEPPED_ROOM = 1024

# --- derivatives across events ---

#: Seconds per relative change of a parameter: an event that moves faster is touched, not passed, and the run has no
#: derivative there.
GRAZING = 1e6
#: Of the slip with which a contact comes to an impact: where less is left, friction just ends it, and a small change
#: decides whether it does.
STOPS_SLIDING = 1e-9
#: Relative: times of simultaneous events that move apart by less move together; otherwise a small change decides which
#: comes first, and there is no derivative.
TOGETHER = 1e-6

# --- singular positions, memory, requirements, runs without end ---

#: Relative singular values of the constraints at the end of a motion: less is a direction lost for good (redundant
#: equations), more is none that is lost; what lies between names the loop that has reached a dead point.
REDUNDANT, LOST = 1e-10, 1e-3
#: Equations that follow from others but for less than this can be held by no force: their errors are refused.
ROUGHLY = 1e-6
#: Steps less accurate than asked for by this factor are worth a message.
COARSE = 10.0
#: Of the delay, and of the time: the shortest piece of a delayed signal; a jump that no event announced would be
#: divided for ever.
SHORTEST_PIECE, SHORTEST_PIECE_OF_TIME = 1e-7, 1e-14
#: Relative: a required quantity may be negative by this much before the run is refused.
REQUIRED = 1e-9
#: Steps of a run, or calls of a controller, that nobody waits for: a year, at a million a second.
ENDLESS = 3e13
#: Steps over which the progress of a run is looked at; fewer would take a short hard stretch for the rest of the run.
SPAN = 20_000

# --- dry friction along several directions ---

#: Of the largest speed so far: slower than this it is at rest.  Smaller takes what rounding leaves for motion; larger
#: stops what creeps.
BALL_SLOW = 1e-11
#: Times the accuracy and the largest speed so far (or what the acceleration brings within a second): slower than this
#: the direction of sliding is held, since that of v turns without bound as v vanishes.  Smaller shortens the last steps
#: before rest; larger shows in where it comes to rest.
BALL_FROZEN = 1e3
#: Steps of fixed size that are left to rest when it is held: fewer may pass over the rest; more show where it comes to
#: rest.
BALL_STEPS = 4.0
#: Relative: a force so near to its limit has reached it.  Smaller leaves to rounding whether it slips.
BALL_EDGE = 1e-10
#: Sweeps over all balls, and the relative change at which they have settled; iterations of one, which converge
#: quadratically.
BALL_SWEEPS, BALL_SETTLED, BALL_NEWTON = 2000, 1e-15, 60
#: Of the largest eigenvalue of W: smaller ones are directions in which forces move nothing.
BALL_SINGULAR = 1e-14

# --- code of steps for one model ---

#: Rounds up to which loops over known ranges are written out: rows of a contact and axes of space are.  More makes code
#: that takes longer to compile and is no faster.
UNROLLED = 4
