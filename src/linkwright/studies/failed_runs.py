"""Runs that stopped early: the exception that says where, why, and which joint or constraint it was."""

from __future__ import annotations

import numpy as np

from ..errors import SimulationError, SingularError
from ..integrate import Stepper
from ..result import Result
from ..run import dead_point
from ..start import disagreement
from ..system import State, System
from ..system.diagnose import degenerate, degenerate_joints, jam, jamming, singular
from .tolerances import BEYOND_FIRST, BEYOND_LAST, LOST_MOTION, SLIGHT_GAP


class SingularRunError(SingularError, SimulationError):
    """A run that stopped where the equations have no unique solution."""


def failure(system: System, stepper: Stepper, state: State, result: Result) -> SimulationError:
    """The exception for a run that stopped early, naming the joint or constraint where it can be told."""
    when, kind, text = stepper.failure
    m = system.mechanism
    last = system.layout.put(stepper.inputs, state.copy())
    last.t = when
    if kind in ("singular", "nonfinite"):
        cause = singular(system, _just_beyond(system, last))
        return SingularRunError(str(cause), *cause.components, time=when, result=result)
    reason, components = f"at t = {when:.6g} s {text}.", ()
    disagree = disagreement(system, last) if kind == "projection" else None
    if disagree is not None:
        return SimulationError(f"at t = {when:.6g} s {disagree[0]}", *disagree[1], time=when, result=result)
    ended = dead_point(system, last) if kind == "projection" and when > state.t else None
    if ended is not None:
        return SingularRunError(str(ended), *ended.components, time=when, result=result)
    if kind == "projection":
        components = tuple(c.name for c in m.constraints)
        likely = "a dead point, or a position that cannot be reached."
        if stepper.gap < SLIGHT_GAP:
            likely = "axes or lengths that should agree are off by more than 1e-9 rad or m; make them agree."
        reason = (f"at t = {when:.6g} s the constraints {', '.join(components)} could not be closed (gap "
                  f"{stepper.gap:.2g}). Likely: {likely}")
    elif kind == "step too small":
        joints = degenerate_joints(system, last, LOST_MOTION)
        if joints:
            return SingularRunError(str(degenerate(last, joints)), *joints, time=when, result=result)
        rubbing = jamming(system, last)
        if rubbing:
            return SingularRunError(f"at t = {when:.6g} s {jam(rubbing)}", *rubbing, time=when, result=result)
        reason += " Likely: a law that jumps, or a motion that runs away."
    elif kind == "unsolved":
        reason += " Likely: a fixed step h that is too long, or a law that jumps; try a smaller h, or none."
    return SimulationError(reason, *components, time=when, result=result)


def _just_beyond(system: System, state: State) -> State:
    """The first state along the present speeds at which the accelerations are not finite, or the state itself."""
    qdot, udot = system.raw(state, "qdot", "udot")
    h = BEYOND_FIRST
    while np.all(np.isfinite(udot)) and h < BEYOND_LAST:
        ahead = state.copy()
        ahead.t, ahead.q, ahead.u = state.t + h, state.q + h * qdot, state.u + h * udot
        if not np.all(np.isfinite(system.raw(ahead, "udot"))):
            return ahead
        h *= 2
    return state
