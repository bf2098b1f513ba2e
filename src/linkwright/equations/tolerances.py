"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# --- redundant equations ---

#: ε of [[M, Gᵀ], [G, −ε]], over the size of G M⁻¹ Gᵀ: how much redundant equations give way so that the matrix can be
#: factored.  Smaller and their multipliers are rounding over ε; larger and one refinement no longer makes u̇ exact.
EPSILON = 1e-9
#: Added to that size (in its unit, 1/kg and the like), for a row without entries: no row that holds something has less.
NO_ROW = 1e-20
#: Pivot of a row, over its size in general position, below which the constraint hardly holds: about the square of the
#: angle to the singular position.  Larger warns, and projects every stage, far from any; smaller sees one too late.
WEAK = 0.05
#: Of the largest entry of M: a smaller least eigenvalue means that M is singular, and constraints have to stand in for
#: the inertia that is missing.  Smaller takes rounding for mass; larger takes a light part for a massless one.
SINGULAR_MASS = 1e-12

#: Of the largest slope of forces without inertia: smaller ones do not determine a direction.  Smaller takes rounding
#: for a spring; larger refuses a soft spring behind a stiff one.
NO_SLOPE = 1e-11

# --- numbers at a position of no special kind ---

#: Positions tried until expressions (roots, arcs) have values.  Fewer give up where they exist in some positions only.
DRAWS = 8
#: m or rad per unit of motion: entries of a Jacobian below this are rounding.
NO_ENTRY = 1e-13
#: Of the largest entry: entries below this come from axes that should be parallel and are not quite.  Smaller counts
#: such axes as equations of their own; larger loses couplings of very unequal lengths.
OFF_PARALLEL = 1e-7

# --- which way makes shorter code ---

#: Operations of a factorisation, per speed, above which there are better ways than to factor M.
DENSE = 20
#: Coordinates of a closure up to which it is differentiated through the loop's own equations (Cramer's rule), which
#: grows with the cube of them.
CRAMER = 2
#: Entries per row of M above which the articulated recursion takes fewer operations.
LONG_BRANCHES = 24
