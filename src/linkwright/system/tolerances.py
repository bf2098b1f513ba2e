"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Equations of loops are in m and rad.  Axes that a user turns into one another are off by up to 1e-9 rad, and the
regularised factorisation gives accelerations to 1e-11: most limits below lie between these and what a person would see.
"""

from __future__ import annotations

# --- closing loops ---

#: m or rad: a gap that Newton's steps leave is closed.  It lies above the rounding of coordinates of some metres, which
#: smaller ones would not reach; larger would be seen by the error control of a run.
GAP_CLOSED = 1e-12
#: m or rad: gaps that may be left where they do not shrink any more, since redundant equations contradict one another
#: where axes are off by 1e-9 rad.  Smaller refuses these; larger accepts parts that do not fit.
MISFIT = 1e-8
#: m or rad: where several loops are open, those with a smaller gap are not named in the message.
NAMED_GAP = 1e-9
#: Newton steps to close loops; and within how many the gap must fall below which share of itself.  Where it falls less,
#: the steps creep towards the least gap, which is not zero, and end.
CLOSING_STEPS, CREEPING_STEPS, CREEPING = 200, 10, 0.95
#: Of a Newton step: the shortest share that is tried.
SHORTEST_SHARE = 1e-6
#: Of the coordinates (rad, m): random shifts of further starts where loops do not close, one size after the other.
#: Small ones keep the side that was meant; large ones find a position at all.
SHIFTS = (0.03, 0.1, 0.3, 1.0, 3.0)
#: Of the largest singular value: directions in which equations hold less than this are left alone when a gap is closed,
#: and are not counted when states are chosen.  Smaller, and axes that are off by 1e-9 rad move parts by metres; larger
#: leaves true gaps open.
HELD = 1e-8
#: Of the gap: another of these steps is taken only if the last one has made it fall by more.
FALLING = 1e-10
#: A quaternion whose length is off by less is of unit length, and stays as it is.  Smaller, and rounding moves a state
#: each time a run goes on from it; larger, and rotations are no rotations.
UNIT_LENGTH = 1e-15

# --- least squares ---

#: Of what the linear model promises: by so much a step must let the residual fall.  Without such a demand steps may
#: wander about; a larger one refuses steps past a fold.
GAINED = 1e-4
#: Damping of Levenberg's and Marquardt's steps, of the largest square of a column of J: the first, the least and the
#: largest.  With less to begin with, a far guess jumps to another branch; less than the least leaves a singular matrix;
#: beyond the largest, steps move nothing any more.  And by how much it shrinks after a good step and grows after a bad.
DAMPING_FIRST, DAMPING_LEAST, DAMPING_MOST, DAMPING_SHRINKS, DAMPING_GROWTH = 1e-3, 1e-12, 1e9, 10, 5
#: Residual (rad, m) and gradient of its square at which such steps have arrived, and the fall that a step must promise
#: to be tried, of the sum of squares: rounding.
ARRIVED, LEVEL, NO_GAIN = 1e-13, 1e-15, 1e-15

# --- sparse systems of equations ---

#: Rows or columns above which a matrix is kept sparse; below, dense arrays are faster.
SPARSE_FROM = 200
#: Rows or columns up to which a block is solved by its singular values, which takes the cube of them; larger blocks are
#: solved with ε instead.
SINGULAR_VALUES_TO = 400
#: ε of larger blocks, relative to the largest entry of J Jᵀ: far below what a loop holds, far above the squares of
#: rounded axes.
REGULARISED = 1e-12
#: Refinements of such a solution, which take off the error that ε makes.
REFINEMENTS = 4

# --- redundancy ---

#: Of the largest: a singular value of the constraint matrix below this is none.  Smaller takes axes that are off by
#: rounding for equations of their own; larger takes a nearly singular position for a redundant loop.
RANK_TOLERANCE = 1e-9
#: m or rad per unit of motion: rounding in equations that hold by themselves, whatever their scale.
NOISE = 1e-13
#: Of the largest: a smallest singular value below this is told in the report, as nearly redundant.
NEARLY = 1e-4
#: Of its size in general position: below this a singular value of the initial state is zero, so that the mechanism
#: starts at a singular position.
SINGULAR = 1e-6
#: Positions near by that are looked at besides the first.  With one, a dependency may hold there by chance.
POSES = 4
#: 1 − cosine of the angle between the coefficients of a dependency in two positions: below this they are the same, and
#: the dependency is constant.  Smaller takes rounding for a change; larger calls one constant that moves slowly.
CONSTANT = 1e-7
#: Of the largest entry: equations with a smaller share in a dependency, or joints in a self-stress, are not named.
SHARE = 1e-6
#: Names in one line of the report; of more only their number.
NAMED_JOINTS = 4
#: Remarks in the short report; of more only their number, so that it stays on one screen.
REMARKS = 5
#: Columns of the short report, as terminals and notebook cells show them without folding.
SCREEN = 100

# --- which coordinates are states, and closed forms ---

#: When loops are closed, coordinates that are states are this much harder to move than the others, which move instead.
#: Less shifts the states by the inverse of it, of the gap; more loses digits of the factorisation.
RESISTANCE = 1e10
#: Growth of (motion of the rest)² over (motion of the states)² at which other states are looked for.  Less changes
#: states more often than needed; more comes too near to where they can no longer lead.
STRAINED = 25.0
#: In the choice of states: how much more a coordinate counts that the user has set at the start, and one with
#: `enforce_states`.
GIVEN, ENFORCED = 10.0, 1e3
#: Discriminants (1 far from a dead point, 0 at it) at which a run leaves the closed form, and returns to it.  Errors
#: grow with 1/√discriminant; between the two values a run stays with what it has.
LEAVE, RETURN = 0.02, 0.05
#: A closed form is taken although its code for accelerations is longer, up to this factor: it saves projection.
LONGER = 1.1
#: Of 1 + |q|: how far a closed form may be from a state that it is to describe; more is another branch.
SAME_BRANCH = 1e-6

# --- laws and accelerations ---

#: Of 1 + |y|: a Newton loop of algebraic unknowns has failed when its residual exceeds this.
NEWTON_LIMIT = 1e-8
#: Of the largest articulated inertia: where the least is below this, it is looked at closely whether a joint has lost
#: a mobility; this first look costs nothing.
LOOK_AGAIN = 1e-12
#: Of the inertia beyond it: a mobility that meets less has none, and its acceleration would be rounding.  Larger
#: refuses light parts at the end of heavy chains.
NO_INERTIA = 1e-14
#: Of the largest articulated inertia of a tree: a mobility that meets less is loose, and named so in a message.
LOOSE = 1e-13
#: Times the accelerations without friction: larger ones with friction mean that friction and the reaction that it
#: causes have driven each other up (jamming), which is told by name.
JAMMED = 1e4
#: Factor on forces that makes them impulses: laws are asked with forces this large, beside which all that is not
#: proportional to them vanishes, and the answer is divided by it.
IMPULSE = 1e15
#: In the equations of a plan (`lw.control`) a loop may keep a gap of this times its multiplier μ at every point of the
#: path, so that redundant loops have unique μ.  With 1e-6 the search does not settle on a Bricard loop; larger leaves
#: gaps that are seen.
CLOSED = 1e-4
#: Of the size of G M⁻¹ Gᵀ: how much redundant rows give way there, so that their forces are unique too (with 1e-5 the
#: search does not settle on a Bricard loop).
REDUNDANT = 1e-3

# --- witnesses of events ---

#: Added to witnesses, so that an exact zero has the sign of what holds, and put for zero where something is divided by
#: it; no quantity of a mechanism is as small.
TINY = 1e-300
#: An instant that does not come.
NEVER = 1e300
#: Of a value that is rounded down (lw.floor): what is added to it at the instant at which it reaches a whole number,
#: two units in the last place.  Without, rounding may leave it just below, and nothing would change at that instant.
FLOOR_GUARD = 4e-16
#: Of the largest ease of a row or contact: one below this is that of a gap or slip which no motion changes, known to
#: rounding.  Smaller, and an acceleration of rounding over it becomes the largest force of all, beside which stops far
#: away count as closed; larger, and contacts of heavy bodies beside light ones have no forces.
NO_EASE = 1e-11

# --- code that is made and kept ---

#: Rows after which code over all lanes repays its compilation.
LANES_AFTER = 50_000
#: Of all entries: matrices with fewer are computed and stored without their zeros.
SPARSE = 0.25
#: Of one structure: how much other code (with other inputs) is kept, and how many things that studies have prepared;
#: what is older is made again when it is needed.
VARIANTS, PREPARED = 4, 16
