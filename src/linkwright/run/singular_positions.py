"""Through singular positions: close to one, every stage of a step is brought back to the constraints, to rounding.

Where the links of a parallelogram come into line, the configurations branch: for an instant one of the equations
follows from the others.  The motion goes on along its momentum.  Let x be the distance from such a position, and δ an
error off the branch.  The equations of motion keep d²g/dt² = 0 of g = x δ, hence δ̈ = −2 ẋ δ̇/x: near x = 0 the error
grows without bound.  On the branch itself accelerations are as smooth as anywhere.  So stages must not leave the
branch, nor come too close to x = 0 (see `integrate.singular_positions`).

Elsewhere projecting every stage would be wasted work, with one exception.  In some loops an equation follows from the
others at every position (a Bricard loop), but only while the loop is closed.  A stage that is off by δ has one equation
more there, of strength δ and with an error of size δ.
"""

from __future__ import annotations

import numpy as np

from ..errors import AssemblyError, SingularError
from ..integrate import Stepper
from ..system import RANK_TOLERANCE, CompiledProgram, State, System, poses
from .tolerances import CLOSE, COARSE, LOST, REDUNDANT, ROUGHLY


class SingularPositions:
    """The singular positions of one program of projection: what a stepper needs to step across them.

    `always`: whether every stage must be projected everywhere.
    """

    def __init__(self, system: System, project: CompiledProgram, state: State):
        self.system, self.project = system, project
        weakness, self.most = self._grip(state)
        self.always = self.starts_singular = False
        if weakness > 0.5:
            # weak equations are either redundant everywhere or singular at the start only
            found = system.redundancy
            self._refuse_misfits(state)
            self.always = not all(dependency.everywhere for dependency in found.dependencies)
            self.starts_singular = found.rank_here < found.rank
            if self.starts_singular:
                self.most = np.max([self._grip(pose)[1] for pose in poses(system, state)], axis=0)

    def _grip(self, state: State) -> tuple[float, np.ndarray]:
        """(the weakness of the equations, how well every constraint holds); see `equations.impulses`."""
        inputs, x = self.system.layout.pack(state), self.system.layout.places["x"]
        found = self.project(inputs)[x.stop - x.start + 3 :]
        return float(found[0]), np.array(found[1:])

    def watch(self, stepper: Stepper) -> None:
        """Let a stepper use this program from its present position; the last points tell how it approaches."""
        times, points, rest = stepper.steps_t[-3:], stepper.steps_x[-3:], stepper.inputs[1 + stepper.n :]
        inputs = [np.concatenate([[t], x, rest]) for t, x in zip(times, points, strict=True)]
        before = [self.project(values)[stepper.n + 4 :].copy() for values in inputs]
        stepper.watch_holds(self.most, times, before)
        stepper.near_singular = (bool(np.any(before[-1] < CLOSE * self.most)) if before else self.starts_singular)

    def _refuse_misfits(self, state: State) -> None:
        """An error where equations nearly follow from others, and contradict them by more than rounding."""
        off = self.system.redundancy.nearly
        if off is None or off > ROUGHLY:
            return
        names = list(dict.fromkeys(self.system.row_names("position")))
        gap = np.max(np.abs(self.system.evaluate(state, "position_error")), initial=0.0)
        raise AssemblyError(
            f"{self.system.mechanism.name}: equations of {', '.join(names)} follow from the others but for {off:.2g}, "
            f"too much to be overlooked (up to {RANK_TOLERANCE:.0e} is), too little to hold anything (gap {gap:.2g}). "
            "Likely: axes or lengths that should agree do so only roughly. Make them agree.", *names)


def coarse_steps(stepper: Stepper) -> list[str]:
    """What is to be said of steps across singular positions that rounding has made less accurate than asked for."""
    error, when = stepper.coarsest
    if error <= COARSE * stepper.accuracy:
        return []
    return [f"close to a singular position at t = {when:.6g} s rounding left an error of {error:.1e} in a step "
            f"(accuracy {stepper.accuracy:.0e})"]


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
    places = system.mechanism.slices()[0]
    given = [f"{system.mechanism.bodies[k].joint} (which reached {', '.join(f'{q:.6g}' for q in state.q[places[k]])})"
             for k in system.equations.prescribed]
    cause = (f"the motion given to {', '.join(given)} leads beyond what the loop allows" if given
             else "nothing lets the motion go on from there")
    return SingularError(f"at t = {state.t:.6g} s the loop {'–'.join(joints)} reached a dead point, where its motion "
                         f"ends. Likely: {cause}. Stop before it, or change lengths, start or drive.", *joints)
