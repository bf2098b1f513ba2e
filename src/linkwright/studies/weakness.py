"""Through singular positions: while constraints hardly hold, every stage of a step is brought back to them.

Where the links of a parallelogram come into line, the configurations branch: for an instant one of the equations
follows from the others.  The motion goes on along its momentum.  Near such a position x = 0 the equations of motion,
which keep d²g/dt² = 0 of g = x δ, drive an error δ̇ off the branch on by δ̈ = −2 ẋ δ̇/x, without bound; on the branch
itself accelerations are as smooth as anywhere.  So stages must not leave it.  Elsewhere that would be wasted work, with
one exception: where an equation follows from the others in another way at every position (a Bricard loop), it does so
only where the loop is closed; a stage off by δ has one equation more, of strength δ and with an error of size δ.
"""

from __future__ import annotations

import numpy as np

from ..errors import SingularError
from ..integrate import Stepper
from ..system import State, System

#: rounding, amplified near a singular position, is about this much: no step there can be more accurate
NOISE = 3e-11
#: an error δ of a coordinate, as small as the accuracy, leaves dg/dt = ẋ δ there that no change of the speeds takes off
SLACK = 100.0
#: gaps of loops that are left as they are, at any accuracy
CLOSED = 1e-10
#: singular values of the constraints, relative: less is a direction lost for good, more is none that is lost
REDUNDANT, LOST = 1e-10, 1e-3
#: weakness above that of a position of no special kind at which stages begin to be projected, and where they end
BEGIN, END = 0.2, 0.1


def watch_weakness(system: System, stepper: Stepper, accuracy: float) -> None:
    """Let a stepper project every stage where more directions are weak than in general."""
    base, always = base_of(system, float(system.code.project(stepper.inputs)[stepper.n + 2]))

    def switch(stepper: Stepper) -> None:
        # implicit steps satisfy the constraints of all their stages anyhow
        explicit = stepper.method.name != "radau"
        nonlocal weak
        weak = explicit and stepper.strain > base + (END if weak else BEGIN)
        stepper.every_stage = explicit and (weak or always)
        aim(stepper, accuracy, weak)
        if explicit:
            stepper.expect_strain(base + (END if weak else BEGIN), -1 if weak else 1)

    weak = False
    stepper.on_strain = switch
    switch(stepper)


def base_of(system: System, weakness: float) -> tuple[float, bool]:
    """(the weakness of a position of no special kind, whether every stage must be projected), from that at the start.

    Redundant equations count everywhere, but directions lost at the start only do not.
    """
    if weakness <= 0.5:
        return weakness, False
    found = system.redundancy
    return weakness - (found.rank - found.rank_here), not all(d.everywhere for d in found.dependencies)


def aim(stepper: Stepper, accuracy: float, weak: bool) -> None:
    """Ask for an accuracy, no more than can be had where constraints are weak."""
    if weak:
        accuracy = max(accuracy, NOISE)
        stepper.aim(accuracy, min(accuracy / 10, CLOSED), SLACK * accuracy)
    else:
        stepper.aim(accuracy)


def dead_point(system: System, state: State) -> SingularError | None:
    """What to say of a motion that ends: which loops, at the state, hardly hold the joints that are free to move."""
    active, places = system.active_rows(state, "velocity")
    free = np.setdiff1d(np.arange(system.mechanism.nu), system.equations.given_speeds)
    G = system.constraint_matrix(state)[np.ix_(places[active], free)]
    if not G.size:
        return None
    left, values, _ = np.linalg.svd(G, full_matrices=False)
    weak = (values > REDUNDANT * values[0]) & (values < LOST * values[0])
    if not np.any(weak):
        return None
    share = np.max(np.abs(left[:, weak]), axis=1)
    names = [name for k, name in enumerate(system.row_names("velocity")) if active[k]]
    ended = [loop for loop in system.loops if any(part > 0.1 for part, name in zip(share, names, strict=True)
                                                  if name == loop.name)]
    joints = list(dict.fromkeys(joint for loop in ended for joint in (*loop.joints, loop.name)))
    given = [system.mechanism.bodies[k].joint for k in system.equations.prescribed]
    cause = (f"the motion given to {', '.join(given)} leads beyond what the loop allows" if given
             else "nothing lets the motion go on from there")
    return SingularError(f"at t = {state.t:.6g} s the loop {'–'.join(joints)} reached a dead point, where its motion "
                         f"ends. Likely: {cause}. Stop before it, or change lengths, start or drive.", *joints)
