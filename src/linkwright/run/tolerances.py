"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Forces, speeds and accelerations of different elements are compared by their ease e = √(G M⁻¹ Gᵀ): e λ, v/e and a/e have
the units of √energy per time and so on, the same for a hinge and a slider.  "Of the swing" means relative to
√(2 × kinetic energy), the scale of v/e; "of the forces" relative to the scale of e λ and a/e at that instant.
"""

from __future__ import annotations

# --- an instant ---

#: Rounds of "relations, actions, friction and stops agree" at one instant.  Fewer refuse chains of actions that trigger
#: one another; more only delay the message that two of them alternate for ever.
ROUNDS = 50
#: The same for a state that nobody runs through time, where no action can follow from another.
ROUNDS_AT_REST = 20
#: CHATTERING events within CHATTERING_TIME (relative to the time, at least 1 s) mean that no time passes between them.
#: With fewer, a ball that bounces to rest is refused; a longer time would refuse a fast switching controller.
CHATTERING, CHATTERING_TIME = 16, 1e-8
#: Seconds that the motion is followed after a reset to see whether it turns back.  Shorter and the change of a witness
#: drowns in rounding; longer and another event may lie in between.
TURN = 1e-7
#: Relative error that new values set by an action may leave in the constraints.  Smaller refuses values that agree but
#: for the regularised factorisation (1e-10); larger accepts values that contradict a loop.
FITS = 1e-8
#: Newton iterations that close the loops around new coordinates; they converge quadratically, or not at all.
CLOSING = 30
#: Relative step at which that iteration has converged: a few hundred roundings.
CLOSED_STEP = 1e-13
#: Relative singular value below which two values that an action sets are one and the same freedom.
SAME_FREEDOM = 1e-9
#: Speeds left in a row that holds, relative to the largest speed: below this they are set to an exact zero, so that
#: nothing creeps.  Larger would stop what really moves beside it.
HELD_SPEED = 1e-12
#: Gap (m or rad) of a lock or conditional constraint that projection may close when it begins to hold; a larger one
#: means that parts would jump, and is refused.
OPEN = 1e-6

# --- friction and stops at rest ---

#: Of the swing: a sliding speed below this is rest.  Steps leave 1e-12 of it; from 1e-10 on, slow sliding would stick.
SLOW = 1e-11
#: The same for what was stuck or closed before: impulses elsewhere leave more, and letting go would start a chatter.
SLOW_IF_HELD = 1e-7
#: Seconds: a speed that the present acceleration produces in this time has no sign.  Shorter and rounding decides
#: between sliding forwards and backwards; longer delays the recognition of rest.
NO_SIGN = 1e-13
#: Of that speed: where friction sticks, what is left above this is taken off by an impulse.
LEFT_OVER = 1e-3
#: Of the forces: a stuck friction may exceed its limit, or a closed stop pull, by this much before its mode is wrong.
#: Multipliers are known to 1e-10; from 1e-8 on friction would hold visibly more than it can.
WRONG = 1e-9
#: The same where no combination of modes agrees exactly: redundant loops share forces with errors of this size.
WRONG_AT_MOST = 1e-6
#: Of its size: how far behind a stop a run may start, or an action may put it; less refuses rounding of the start.
BEYOND = 1e-9
#: Changes of mode per element in the search for modes that agree, before all combinations are tried.
SEARCH = 10
#: Elements whose combinations are all tried: 3⁸ = 6561 looks take a second.
ALL_COMBINATIONS = 8

# --- friction on what moves as it is given ---

#: Of the accuracy: speeds of a given motion below this are rest; filters and rounding leave such speeds, which mean
#: nothing.
REST_OF_GIVEN = 1e-4
#: Of the accuracy: that limit grows up to here where motions turn out to be errors of steps.  More would swallow slow
#: motions that are meant.
REST_OF_GIVEN_MOST = 1e3
#: Seconds in which the acceleration has to lead out of the speeds that count as rest, for the motion to have a sign.
LEADS_AWAY = 1e-6
#: Of the time since the start: a motion between two rests that is shorter was no motion but an error of steps.
BRIEF = 0.01

# --- impacts ---

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
#: Of the swing before the impact: an impulse or speed of the wrong sign below this is rounding.
WRONG_IMPULSE = 1e-11
#: Changes of mode per row of an impact; where they do not suffice the modes found last are taken.
IMPACT_SEARCH = 40
#: Iterations for impulses of friction that depend on the reactions they cause; they contract where μ is small enough.
FRICTION_ITERATIONS = 200
#: Relative change at which those impulses are found …
FOUND = 1e-12
#: … and up to which they may stay where redundant loops share them and they no longer get better.
FOUND_ROUGHLY = 1e-5

# --- singular positions, memory, requirements ---

#: Relative singular values of the constraints at the end of a motion: less is a direction lost for good (redundant
#: equations), more is none that is lost; what lies between names the loop that has reached a dead point.
REDUNDANT, LOST = 1e-10, 1e-3
#: Equations that follow from others but for less than this can be held by no force: their errors are refused.
ROUGHLY = 1e-6
#: Steps less accurate than asked for by this factor are worth a message.
COARSE = 10.0
#: How well constraints hold, relative to their best, below which other code begins with a singular position near.
CLOSE = 0.3
#: Of the delay: the shortest piece of a delayed signal; a jump that no event announced would be divided for ever.
SHORTEST_PIECE = 1e-7
#: Relative: a required quantity may be negative by this much before the run is refused.
REQUIRED = 1e-9
