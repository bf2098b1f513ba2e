"""What constraints share: a residual between two frames, on position or velocity level."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Scalar, Transform, VectorLike, VelocityMotor, axis_frame
from ..errors import ModelError
from .component import Component
from .connectors import Frame
from .fields import parameter, signal
from .given_values import as_matrix, is_condition
from .own_laws import Bound, call_law
from .ranges import FRACTION

if TYPE_CHECKING:
    from .parts_list import PartsList


def across(n: VectorLike) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors perpendicular to n and to one another."""
    R = axis_frame(n)
    return R[:, 0], R[:, 1]


class Conditional(Component):
    """Base of what may hold for a while only: `when=condition`, a comparison or a discrete variable that is 0 or 1.

    Switched on, it brings speeds into agreement by the impulse that this takes; positions must agree by themselves.
    """

    when = signal(1.0, "condition while which it holds; by default always", opens=False)


class Constraint(Conditional):
    """Base of constraints between frame_a and frame_b; a subclass defines `residual(X_a, X_b)`.

    X_a and X_b are the frames' poses in the world; `speed_residual(X_a, V_a, X_b, V_b)` with velocity motors in the
    frames' own axes adds equations on velocity level.

    >>> class OnSphere(Constraint):
    ...     radius = lw.parameter(1.0, unit="m")
    ...     def residual(self, X_a, X_b):
    ...         d = X_b.p - X_a.p
    ...         return [lw.dot(d, d) - self.radius ** 2]

    With `one_way=True`, the expressions may become positive but not negative: the constraint pushes and never pulls.
     A rope of length L returns [L - |d|].  Expressions of speeds then act like freewheels.
    """

    one_way = parameter(False, "whether expressions may be positive; where they reach zero they stop", structural=True)
    restitution = parameter(0.0, "of a one-way constraint: ratio of the rates after and before it is reached", "",
                            only=FRACTION)

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def residual(self, X_a: Transform, X_b: Transform) -> VectorLike | Scalar:
        """Expressions that must be zero, as functions of the poses of the frames."""
        return []

    def speed_residual(self, X_a: Transform, V_a: VelocityMotor, X_b: Transform,
                       V_b: VelocityMotor) -> VectorLike | Scalar:
        """Expressions that must be zero, as functions of poses and velocities of the frames."""
        return []

    def describe(self, plan: PartsList) -> None:
        a, b = self.frame_a, self.frame_b
        X_a, X_b = Transform(a.R_WF, a.r_0), Transform(b.R_WF, b.r_0)
        own = Bound(self, plan)
        law = "residual(X_a, X_b)"
        held = _column(self, law, call_law(self, law, type(self).residual, own, X_a, X_b))
        V_a, V_b = (VelocityMotor(f.w, f.R_WF.T @ f.v_0) for f in (a, b))
        law = "speed_residual(X_a, V_a, X_b, V_b)"
        rolled = _column(self, law, call_law(self, law, type(self).speed_residual, own, X_a, V_a, X_b, V_b))
        if not held.numel() and not rolled.numel():
            raise ModelError(f"{self.path}: a constraint of your own defines residual(self, X_a, X_b) and returns at "
                             "least one expression.", self)
        if self.one_way:
            self._stop(plan, held, rolled)
            return
        if held.numel():
            plan.constraint(self, "", held, frames=(a, b))
        if rolled.numel():
            plan.constraint(self, "speed" if held.numel() else "", rolled, "velocity", frames=(a, b))

    def _stop(self, plan: PartsList, held: ca.SX, rolled: ca.SX) -> None:
        """Expressions that stay positive."""
        frames, restitution = (self.frame_a, self.frame_b), plan.values(self).restitution
        if not self.signal("when").is_constant():
            raise ModelError(f"{self.path}: give when= or one_way=True, not both.", self)
        for k in range(held.numel()):
            plan.stop(self, "stop" if held.numel() == 1 else f"stop[{k}]", held[k], restitution, frames=frames)
        for k in range(rolled.numel()):
            plan.friction(self, "freewheel" if rolled.numel() == 1 else f"freewheel[{k}]", rolled[k], 0.0,
                          lambda direction: ca.SX(0), one_way=True, frames=frames)


def _column(component: Component, what: str, entries: object) -> ca.SX:
    """Equations as a column; each must depend on the frames."""
    entries = entries if isinstance(entries, (list, tuple)) else [entries]
    column = ca.vertcat(ca.SX(0, 1), *[ca.vec(as_matrix(entry, f"{component.path}: {what}")) for entry in entries])
    if is_condition(column):
        raise ModelError(f"{component.path}: {what} returns expressions that shall be 0, not comparisons.", component)
    for k in range(column.numel()):
        if column[k].is_constant():
            raise ModelError(f"{component.path}: {what} returns {column[k]}, which does not depend on the frames.",
                             component)
    return column


class Relative(Constraint):
    """Base of built-in constraints: equations in the pose (R, p) of frame_b in frame_a and its velocity."""

    def describe(self, plan: PartsList) -> None:
        if self.one_way:
            raise ModelError(f"{self.path}: one_way=True is for constraints of your own, whose residual says which "
                             "side is free; derive one from constraints.Constraint.", self)
        R, p, V = plan.relative(self.frame_a, self.frame_b)
        v = plan.values(self)
        held, rolled = ca.SX(self.held(v, R, p)), ca.SX(self.rolled(v, R, p, R @ V[0:3], R @ V[3:6]))
        if held.numel():
            plan.constraint(self, "", held, frames=(self.frame_a, self.frame_b))
        if rolled.numel():
            plan.constraint(self, "rolling" if held.numel() else "", rolled, "velocity",
                            frames=(self.frame_a, self.frame_b))

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        """Position level."""
        return ca.SX(0, 1)

    def rolled(self, v: SimpleNamespace, R: ca.SX, p: ca.SX, w: ca.SX, velocity: ca.SX) -> ca.SX:
        """Velocity level: w and the velocity of frame_b's origin relative to frame_a, in frame_a's axes."""
        return ca.SX(0, 1)
