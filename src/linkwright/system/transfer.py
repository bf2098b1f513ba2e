"""The same positions and speeds of the same parts, in the coordinates of another tree.

Two systems of one model may cut its loops at different joints.  Joints that both keep in the tree have the same
coordinates; those of the others are read off the motion of the parts:

    X_FM = (X_WP X_PF)⁻¹ X_WB,      V_FM = V_B − X_MF V_F      (in M)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Transform, VelocityMotor
from ..mechanism import WORLD, Body
from .diagnose import is_plain
from .state import State

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .system import System


def transferred(state: State, system: System) -> State:
    """A state of `system` in which parts are and move as in `state`, a state of another system of the same model."""
    source, out = state.system, system.state_from_defaults()
    out.t = state.t
    for part in "zpdy":
        values = dict(zip(source.part_names(part), getattr(state, part), strict=True))
        own = getattr(out, part)
        for k, name in enumerate(system.part_names(part)):
            own[k] = values.get(name, own[k])
    kept = {body.joint: place for body, *place in zip(source.mechanism.bodies, *source.mechanism.slices(), strict=True)}
    motions = None
    for k, (body, qs, us) in enumerate(zip(system.mechanism.bodies, *system.mechanism.slices(), strict=True)):
        places = kept.get(body.joint)
        if places and is_plain(body.mobilizer) and places[0].stop - places[0].start == body.mobilizer.nq:
            out.q[qs], out.u[us] = state.q[places[0]], state.u[places[1]]
            continue
        motions = motions or _Motions(state, out)
        X_FM, V_FM = motions.across(k)
        out.q[qs] = body.mobilizer.fit(X_FM, _coordinates(state, body))
        out.u[us] = body.mobilizer.fit_velocity(out.q[qs], V_FM)
    return out


def _coordinates(state: State, body: Body) -> np.ndarray:
    """The coordinates of a joint that closes a loop in the other system, where it has them by name."""
    names = [f"{body.joint}.{name}" for name in body.mobilizer.names]
    if len(names) != body.mobilizer.nq or not all(name in state.system.names_table for name in names):
        return None
    return np.array([np.ravel(state.system.names_table.value(state.system.expression(name), state))[0]
                     for name in names])


class _Motions:
    """Poses and velocities of the bodies of one system, from a state of another."""

    def __init__(self, state: State, out: State) -> None:
        self.bodies = out.system.mechanism.bodies
        self.carriers = _carriers(out.system.mechanism, state.system.mechanism)
        wanted = sorted({name for name, _ in self.carriers.values()})
        frames, kin = state.system.mechanism.frames, state.system.equations.kinematics
        expressions = []
        for name in wanted:
            X, V = kin.pose(frames[name]), kin.velocity(frames[name])
            expressions += [ca.SX(X.R), ca.SX(X.p), ca.SX(V.resultant), ca.SX(V.moment)]
        values = iter(state.system.names_table.evaluate(expressions, state))
        self.frames = {name: (Transform(next(values), next(values).ravel()),
                              VelocityMotor(next(values).ravel(), next(values).ravel())) for name in wanted}
        self._constant = lambda X: _number(X, out)

    def across(self, k: int) -> tuple[Transform, VelocityMotor]:
        """X_FM and V_FM of a body's joint."""
        body = self.bodies[k]
        (X_WB, V_B), (X_WP, V_P) = self._body(k), self._body(body.parent)
        X_PF = self._constant(body.X_PF)
        X_FM = (X_WP @ X_PF).inverse() @ X_WB
        return X_FM, V_B - X_FM.into(X_PF.into(V_P))

    def _body(self, k: int) -> tuple[Transform, VelocityMotor]:
        if k == WORLD:
            return Transform(), VelocityMotor()
        name, X_BQ = self.carriers[k]
        (X_WQ, V_Q), X_BQ = self.frames[name], self._constant(X_BQ)
        return X_WQ @ X_BQ.inverse(), X_BQ @ V_Q


def _carriers(mechanism: Mechanism, other: Mechanism) -> dict[int, tuple[str, Transform]]:
    """For every body a frame on it that the other mechanism has too, and its pose on the body."""
    found: dict[int, tuple[str, Transform]] = {}
    for name, frame in mechanism.frames.items():
        if frame.body not in found and name in other.frames:
            found[frame.body] = (name, frame.X_BQ)
    for name, frame in mechanism.frames.items():
        # a welded copy is where its part is
        part = mechanism.frames.get(f"{name.removesuffix('.copy')}.part")
        if frame.body not in found and part is not None and part.body in found:
            carrier, X_BQ = found[part.body]
            found[frame.body] = (carrier, frame.X_BQ @ part.X_BQ.inverse() @ X_BQ)
    return found


def _number(X: Transform, state: State) -> Transform:
    """A constant transform with the numbers of the parameters in it."""
    if not X.is_symbolic():
        return X
    R, p = state.system.names_table.evaluate([ca.SX(X.R), ca.SX(X.p)], state)
    return Transform(R, p.ravel())
