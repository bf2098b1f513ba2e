"""What all joints share, and the base for a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from ..algebra import Transform
from ..errors import ModelError
from ..mechanism import Custom, Mobilizer
from .component import Component
from .connectors import Frame
from .fields import Variable, appearance, parameter
from .own_laws import Bound, call_law
from .symbol_owners import make_symbol

if TYPE_CHECKING:
    from .parts_list import PartsList


class Coordinates(Variable):
    """A variable with one entry per coordinate (`of="q"`) or speed of the joint; a single one is a number."""

    def __init__(self, text: str, of: str = "u", initial: bool = True) -> None:
        super().__init__(text, "", (), initial)
        self.of = of

    def shape_of(self, component: Component) -> tuple:
        size = component.q_size if self.of == "q" else component.dof
        return () if size == 1 else (size,)


class Joint(Component):
    """Base of all joints; a subclass defines `dof` and `transform(q)`, on position level only.

    >>> class Knee(Joint):
    ...     dof = 1
    ...     def transform(self, q):
    ...         return Transform(rotation_z(q[0]), [0.01 * sin(q[0]), 0, 0])
    """

    dof: int = 1
    reverse = parameter(False, "count coordinates as if frame_a and frame_b were swapped", structural=True)
    enforce_states = parameter(False, "never cut this joint in a loop", structural=True)
    animation = appearance(True, "whether it is shown")
    q = Coordinates("coordinates", "q")
    u = Coordinates("speeds")
    a = Coordinates("accelerations (rates of the speeds)")

    def _make_connectors(self) -> None:
        self._port("frame_a", Frame())
        self._port("frame_b", Frame())

    def required_ports(self) -> list[str]:
        return ["frame_a", "frame_b"]

    @property
    def q_size(self) -> int:
        """Number of coordinates; four for an orientation given by a quaternion."""
        return self.dof

    def transform(self, q: ca.SX) -> Transform:
        """Pose of frame_b in frame_a for coordinates q."""
        raise ModelError(f"{self.path}: a subclass defines dof and transform(self, q).", self)

    def mobilizer(self, plan: PartsList) -> tuple[Mobilizer, Transform, Transform]:
        """The kind, and the poses of F on frame_a and of M on frame_b."""
        bound, law = Bound(self, plan), type(self).transform

        def pose(q: ca.SX) -> Transform:
            X = call_law(self, "transform(q)", law, bound, q)
            if not isinstance(X, Transform):
                raise ModelError(f"{self.path}: transform(q) must return a lw.Transform, got {type(X).__name__}.", self)
            return X

        q = make_symbol(f"{self.path}.q", (self.q_size,))
        X = pose(q)
        for k in range(self.q_size):
            if not ca.depends_on(ca.veccat(X.R, X.p), q[k]):
                raise ModelError(f"{self.path}: transform(q) does not depend on q[{k}], though dof = {self.dof}.", self)
        return Custom(self.dof, pose, self._entries("q", self.q_size)), Transform(), Transform()

    def _entries(self, name: str, size: int) -> tuple[float, ...]:
        """Start values as numbers, guesses included, zero where none is given."""
        entries = self._initial.get(name) or [None] * size
        return tuple(float(getattr(entry, "value", entry) or 0.0) for entry in entries)

    def coordinates(self) -> tuple[tuple[str, str, str], ...]:
        """Names of coordinate, speed and acceleration of each mobility, where these have names."""
        return ()

    def describe(self, plan: PartsList) -> None:
        kind, X_aF, X_bM = self.mobilizer(plan)
        plan.joint(self, self.frame_a, self.frame_b, kind, X_aF, X_bM)

    def definitions(self, plan: PartsList) -> dict:
        q, u, a = plan.joint_symbols(self)
        names = self.coordinates()
        if not names:
            return {"q": q, "u": u, "a": a}
        out = {}
        for k, (name, speed, acceleration) in enumerate(names):
            out[name], out[speed], out[acceleration] = q[k], u[k], a[k]
        return out
