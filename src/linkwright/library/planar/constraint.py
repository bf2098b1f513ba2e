"""Equations between planar frames: the base of rolling, gears and wheels, and of a user's own constraints."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from ...errors import ModelError
from ...language import Bound, Component, Conditional, PartsList, call_law
from ...language.planar_frame import PlanarFrame, in_space
from .parts import TwoPlanarFrames


class Held(Component):
    """Base of components that hold planar frames by equations told with `hold`; λ are their multipliers.

    With residual rows g the frames feel the generalised force −Gᵀ λ; the component feels the opposite.
    """

    def hold(self, plan: PartsList, residual: ca.SX, level: str = "position", name: str = "") -> None:
        """Equations residual = 0, and the cut loads they mean at this component's frames."""
        rows = ca.SX(residual)
        plan.constraint(self, name, rows, level)
        multipliers = self.multipliers(rows.numel(), name)
        for frame in self._connectors.values():
            if isinstance(frame, PlanarFrame):
                f, t = _cut(frame, rows, multipliers, level)
                plan.cut(self, frame, *in_space(frame, f, t))

    def multipliers(self, count: int = 1, name: str = "") -> ca.SX:
        """The multipliers of the equations of that name."""
        return self.symbol(f"lambda {name}".strip(), (count,))


def _cut(frame: PlanarFrame, rows: ca.SX, multipliers: ca.SX, level: str) -> tuple[ca.SX, ca.SX]:
    """(f, t) on the component at a frame: Σ λ ∂g/∂(x, y, phi), or ∂g/∂(vx, vy, w) for equations in velocities."""
    c, s = frame.symbol("cos"), frame.symbol("sin")
    if level == "position":
        through_phi = ca.jacobian(rows, frame.phi) + ca.jacobian(rows, c) * -s + ca.jacobian(rows, s) * c
        places = (ca.jacobian(rows, frame.x), ca.jacobian(rows, frame.y), through_phi)
    else:
        places = tuple(ca.jacobian(rows, variable) for variable in (frame.vx, frame.vy, frame.w))
    fx, fy, t = (ca.dot(ca.densify(column), multipliers) for column in places)
    return ca.vertcat(fx, fy), t


class Constraint(Conditional, Held, TwoPlanarFrames):
    """Base of planar constraints; a subclass defines `residual(self, a, b)` from x, y, phi of the frames, on
    position level.

    >>> class OnCircle(Constraint):
    ...     radius = parameter(1.0, "radius", "m")
    ...     def residual(self, a, b):
    ...         return [(b.x - a.x)**2 + (b.y - a.y)**2 - self.radius**2]
    """

    def residual(self, a: PlanarFrame, b: PlanarFrame) -> ca.SX | Sequence[ca.SX]:
        """Expressions that are zero, in x, y and phi of the frames."""
        raise ModelError(f"{self.path}: a constraint of your own defines residual(self, a, b).", self)

    def describe(self, plan: PartsList) -> None:
        rows = call_law(self, "residual(a, b)", type(self).residual, Bound(self, plan), self.frame_a, self.frame_b)
        rows = rows if isinstance(rows, (list, tuple)) else [rows]
        if rows:
            self.hold(plan, ca.vertcat(*[ca.SX(row) for row in rows]))
