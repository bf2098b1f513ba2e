"""Through singular positions: while constraints hardly hold, every stage of a step is brought back to them.

Where the links of a parallelogram come into line, the configurations branch: for an instant one of the equations
follows from the others.  The motion goes on along its momentum.  Near such a position x = 0 the equations of motion,
which keep d²g/dt² = 0 of g = x δ, drive an error δ̇ off the branch on by δ̈ = −2 ẋ δ̇/x, without bound; on the branch
itself accelerations are as smooth as anywhere.  So stages must not leave it.  Elsewhere that would be wasted work.
"""

from __future__ import annotations

from ..integrate import Stepper
from ..system import System

#: rounding, amplified near a singular position, is about this much: no step there can be more accurate
NOISE = 3e-11
#: an error δ of a coordinate, as small as the accuracy, leaves dg/dt = ẋ δ there that no change of the speeds takes off
SLACK = 100.0
#: gaps of loops that are left as they are, at any accuracy
CLOSED = 1e-10
#: weakness above that of a position of no special kind at which stages begin to be projected, and where they end
BEGIN, END = 0.2, 0.1


def watch_weakness(system: System, stepper: Stepper, accuracy: float) -> None:
    """Let a stepper project every stage where more directions are weak than in general."""
    base = float(system.code.project(stepper.inputs)[stepper.n + 2])
    if base > 0.5:
        # redundant equations count everywhere, but a singular start does not
        base -= system.redundancy.rank - system.redundancy.rank_here

    def switch(stepper: Stepper) -> None:
        # implicit steps satisfy the constraints of all their stages anyhow
        explicit = stepper.method.name != "radau"
        stepper.every_stage = explicit and stepper.strain > base + (END if stepper.every_stage else BEGIN)
        aim(stepper, accuracy, stepper.every_stage)
        if explicit:
            stepper.expect_strain(base + (END if stepper.every_stage else BEGIN), -1 if stepper.every_stage else 1)

    stepper.on_strain = switch
    switch(stepper)


def aim(stepper: Stepper, accuracy: float, weak: bool) -> None:
    """Ask for an accuracy, no more than can be had where constraints are weak."""
    if weak:
        accuracy = max(accuracy, NOISE)
        stepper.aim(accuracy, min(accuracy / 10, CLOSED), SLACK * accuracy)
    else:
        stepper.aim(accuracy)
