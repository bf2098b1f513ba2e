"""The planar connector, and how loads in the plane are told to the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from .connectors import Frame
from .directions import numbers
from .tolerances import NO_LENGTH

if TYPE_CHECKING:
    from ..algebra import Array, Scalar
    from .component import Component
    from .parts_list import PartsList


class PlanarFrame(Frame):
    """A frame that stays in the plane of its planar world: position `x`, `y` and angle `phi` (counter-clockwise,
    counted over full turns) in the plane; cut force `fx`, `fy` (in the axes of the plane) and torque `t` on the
    component it belongs to.

    To the engine it is a frame in space whose z axis is the normal of the plane.
    """

    kind = "planar frame"

    x = property(lambda self: self.symbol("x"), doc="position along x of the plane")
    y = property(lambda self: self.symbol("y"), doc="position along y of the plane")
    phi = property(lambda self: self.symbol("phi"), doc="angle, counter-clockwise")
    vx = property(lambda self: self.symbol("vx"), doc="velocity along x")
    vy = property(lambda self: self.symbol("vy"), doc="velocity along y")
    w = property(lambda self: self.symbol("omega"), doc="angular velocity")
    ax = property(lambda self: self.symbol("ax"), doc="acceleration along x")
    ay = property(lambda self: self.symbol("ay"), doc="acceleration along y")
    z = property(lambda self: self.symbol("alpha"), doc="angular acceleration")
    fx = property(lambda self: self.symbol("fx"), doc="cut force on the component along x")
    fy = property(lambda self: self.symbol("fy"), doc="cut force on the component along y")
    t = property(lambda self: self.symbol("torque"), doc="cut torque on the component")

    #: result name → symbol
    IN_PLANE = {"x": "x", "y": "y", "phi": "phi", "vx": "vx", "vy": "vy", "w": "omega", "ax": "ax", "ay": "ay",
                "z": "alpha", "fx": "fx", "fy": "fy", "t": "torque"}
    #: result names that are listed
    LISTED = ("x", "y", "phi", "fx", "fy", "t")

    @property
    def r(self) -> ca.SX:
        """Position in the plane."""
        return ca.vertcat(self.x, self.y)

    @property
    def v(self) -> ca.SX:
        """Velocity in the plane."""
        return ca.vertcat(self.vx, self.vy)

    @property
    def a(self) -> ca.SX:
        """Acceleration in the plane."""
        return ca.vertcat(self.ax, self.ay)

    @property
    def force(self) -> ca.SX:
        """Cut force on the component, in the axes of the plane."""
        return ca.vertcat(self.fx, self.fy)

    @property
    def R2(self) -> ca.SX:
        """2×2 rotation: columns are the frame's axes in the plane."""
        c, s = self.symbol("cos"), self.symbol("sin")
        return ca.blockcat([[c, -s], [s, c]])


def cross2(a: Array, b: Array) -> Scalar:
    """a_x b_y − a_y b_x: the moment of a force b at a."""
    return a[0] * b[1] - a[1] * b[0]


def turned(r: Array) -> ca.SX:
    """r turned by a quarter turn: z × r."""
    return ca.vertcat(-r[1], r[0])


def in_space(frame: PlanarFrame, f: Array, t: Scalar) -> tuple[ca.SX, ca.SX]:
    """(f, t) of a load in the plane, as vectors in the frame's axes."""
    return ca.vertcat(frame.R2.T @ f, 0), ca.vertcat(0, 0, t)


def load(plan: PartsList, component: Component, frame: PlanarFrame, f: Array, t: Scalar = 0.0) -> None:
    """A force law: cut force f (2, axes of the plane) and torque t on the component at `frame`."""
    plan.load(component, frame, *in_space(frame, f, t))


def load_between(plan: PartsList, component: Component, a: PlanarFrame, b: PlanarFrame, f: Array,
                 t: Scalar = 0.0) -> None:
    """Force f and torque t on b at its origin, and their balance on a, moment of the force included."""
    load(plan, component, b, -f, -t)
    load(plan, component, a, f, t + cross2(b.r - a.r, f))


def direction(component: Component, name: str = "r") -> np.ndarray:
    """A parameter as a unit vector in the plane."""
    r = numbers(component, name, 2)
    length = np.hypot(*r)
    if length < NO_LENGTH:
        raise ModelError(f"{component.path}: direction {name} = ({r[0]:g}, {r[1]:g}) has no length; give a non-zero "
                         "vector.", component)
    return r / length
