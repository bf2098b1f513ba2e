"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Residuals are in rad, m, rad/s, m/s as their equations are; equations of loops hold to 1e-12 where they can.
"""

from __future__ import annotations

# --- does it hold? ---

#: Stands for zero where something is divided by it.
TINY = 1e-300
#: A residual below this is satisfied, and a loop with such a gap is closed.  Redundant loops whose axes are off by 1e-9
#: rad leave residuals of that size, and would be refused with less; with more, a part may visibly miss its place.
CLOSED = 1e-8
#: Newton's steps end at this residual: well below CLOSED, so that nothing depends on where they ended, and above the
#: rounding of large coordinates, at which they would go on for nothing.
CONVERGED = 1e-11
#: Newton steps before it is said that they lead nowhere; near a solution they converge quadratically.
NEWTON_STEPS = 60
#: Largest entry (rad, m) of a Newton step that moves nothing any more: rounding.
NO_STEP = 1e-14
#: Rounds in which modes (stuck, closed, on which side) follow the state that was found.  Fewer refuse
#: modes that follow from one another; more only delay the message that two of them alternate.
MODE_ROUNDS = 10
#: rad, of larger angles relative: a state that counts turns and is this near to its angle is that angle, and stays.
#: Smaller, and rounding moves a start each time it is begun with; larger, and it is off by what a step allows.
COUNTED = 1e-14

# --- rank ---

#: Of the largest: a singular value of conditions below this is none, so that two of them say the same.  Smaller takes
#: rounding for a condition of its own and moves parts by it without bound; larger drops conditions that hardly differ.
SAME_CONDITION = 1e-9
#: The same for equations of loops, whose axes may be off by 1e-9 rad.
SAME_EQUATION = 1e-8
#: Of the largest coefficient: from here on a given motion is tied to others by loops.  Above SAME_EQUATION, since what
#: is left of dependent equations is combined from all of them.
TIED = 1e-6
#: Of the size of their accelerations: by how much given motions that loops tie may differ and still agree.
AGREES = 1e-7
#: Of its change: what may be left of a condition that must hold when a parameter changes; more has no derivative.
LEFT = 1e-7

# --- the way from the guesses ---

#: How much guesses count beside what must hold, step after step.  Beginning lower lets a loop close on the other side
#: of its guesses; ending higher leaves a gap to be closed by Newton's steps.
STIFFNESS = (10.0, 1.0, 0.1, 0.01)
#: Of the sum of squares: progress that is worth another step on that way.
PROGRESS = 1e-3
#: Steps for each stiffness.  Fewer leave the guesses before the way has been gone; most ends come earlier, by PROGRESS.
STEPS = 30
#: Unknowns up to which a closed position is brought to the nearest to its guesses; beyond, the singular values that
#: this asks for would take seconds, and Newton's steps end where they do.
SHARED_OUT = 400
#: rad (a slide by as many m, or by the gap): no coordinate moves by more at once.  More may jump over a fold of the
#: loop to its other branch; less takes many steps.
LONGEST = 0.5
#: Residual (rad, m) of guesses that are met: rounding.
MET = 1e-13
#: rad or m: of a step shorter than this rounding may hide whether it comes nearer to the guesses, as the distance from
#: them changes by its square.  Smaller ends with positions off by as much; larger takes steps that lead away.
UNSEEN = 1e-6
#: Shares of a Newton step that are tried one after the other until the residual falls.
SHORTER_STEPS = (1.0, 0.5, 0.25, 0.1, 0.03, 0.01, 1e-3)
#: Condition number of the equations of algebraic unknowns above which they do not determine them: four of sixteen
#: digits are left.
UNDETERMINED = 1e12
#: Where closed forms offer several solutions, the one nearest to what was said is taken: how much a coordinate counts
#: there of which nothing was said, and a value that must hold, beside a guess, which counts 1.
UNSAID, MUST = 1e-3, 10.0
#: Solutions that are followed at once through rings that depend on one another.  Fewer may lose the one that the last
#: ring needs; n rings have 2ⁿ.
WIDTH = 64
#: Solutions whose squared distances differ by less than this share are mirror images of one another: far above the
#: rounding of a ring's closed form, far below a difference that anybody gives on purpose.
EQUALLY_NEAR = 1e-9
#: Starts tried before loops are said not to close.
ATTEMPTS = 12
#: Starts tried where the guesses had to give way by more than NEAR (rad, m) although loops closed.
NEIGHBOURS, NEAR = 4, 0.1

# --- why it fails ---

#: Starts from which the least gap of a loop is looked for.  With fewer a local minimum is reported as the gap.
GAP_STARTS = 6
#: Progress (of the sum of squares) and steps of that search, and of the search for the nearest value of a coordinate:
#: finer and longer than on the way from the guesses, as the figure is told.
GAP_PROGRESS, GAP_STEPS = 1e-10, 300
NEAREST_PROGRESS, NEAREST_STEPS = 1e-8, 100
#: Of the larger of a gap's two parts, in m and in rad: a smaller other part is not told.
NAMED_PART = 1e-2
#: Cosine between a link and the gap of its loop from which the link alone can close it: at the least gap all links of a
#: loop of hinges lie along it, to the accuracy of the search.  A smaller one would name links that only turn.
ALONG_GAP = 0.999
#: m or rad: the part of a loop in the gap of several from which on it is named; below it is rounding.
LISTED = 1e-9
#: Weights of loops beside a given value, one after the other, when the nearest value is looked for that it can have.
HEAVY = (30.0, 1e3, 1e4)
#: m or rad: a given value that is missed by less is reached; beside loops of finite weight it is never met exactly.
REACHED = 1e-5
#: Given values looked at, and joints named, in one message.
MOST = 8
