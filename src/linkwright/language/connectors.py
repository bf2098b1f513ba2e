"""Connectors: frames in space, flanges of 1-D drive trains and heat ports, with Modelica's variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from .symbol_owners import Symbols

if TYPE_CHECKING:
    from .component import Component


class Connector:
    """A port of a component; ports of one kind can be joined by `Model.connect`."""

    kind = "connector"
    #: result names that are listed
    LISTED: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.owner: Component | None = None
        self.name = ""
        self._symbols = Symbols(self)

    @property
    def path(self) -> str:
        owner = self.owner.path if self.owner is not None else ""
        return f"{owner}.{self.name}" if owner else self.name

    def symbol(self, name: str, shape: tuple = ()) -> ca.SX:
        """The symbol of a quantity at this connector, made when first asked for."""
        return self._symbols.made(name, shape)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.path}>"


class Orientation:
    """Modelica's orientation object of a frame: `T` maps world to frame axes, `w` is the angular velocity in them."""

    def __init__(self, frame: Frame):
        self._frame = frame

    @property
    def T(self) -> ca.SX:
        return self._frame.symbol("R", (3, 3)).T

    @property
    def w(self) -> ca.SX:
        return self._frame.symbol("w", (3,))


class Frame(Connector):
    """A frame fixed on a part: position `r_0` in the world, orientation `R`; cut force `f` and torque `t` on the
    component it belongs to, in its own axes."""

    kind = "frame"

    r_0 = property(lambda self: self.symbol("p", (3,)), doc="position in the world")
    v_0 = property(lambda self: self.symbol("v", (3,)), doc="velocity in world axes")
    a_0 = property(lambda self: self.symbol("a", (3,)), doc="acceleration in world axes")
    R = property(Orientation, doc="orientation object with T and w")
    R_WF = property(lambda self: self.symbol("R", (3, 3)), doc="rotation: columns are the frame's axes in the world")
    w = property(lambda self: self.symbol("w", (3,)), doc="angular velocity in the frame's axes")
    z = property(lambda self: self.symbol("z", (3,)), doc="angular acceleration in the frame's axes")
    f = property(lambda self: self.symbol("f", (3,)), doc="cut force on the component, in the frame's axes")
    t = property(lambda self: self.symbol("t", (3,)), doc="cut torque on the component, in the frame's axes")

    #: result names of planar frames → symbols
    IN_PLANE: dict[str, str] = {}
    LISTED = ("r_0", "R.T", "R.w", "f", "t")

    #: result name → (engine quantity, shape); f and t are defined by balances
    QUANTITIES = {"p": (3,), "R": (3, 3), "w": (3,), "v": (3,), "z": (3,), "a": (3,)}


class RotationalFlange(Connector):
    """A shaft end: angle `phi`; torque `tau` on the component it belongs to."""

    kind = "rotational flange"
    LISTED = ("phi", "tau")
    phi = property(lambda self: self.symbol("phi"), doc="angle")
    tau = property(lambda self: self.symbol("tau"), doc="torque on the component")


class TranslationalFlange(Connector):
    """A rod end: position `s`; force `f` on the component it belongs to."""

    kind = "translational flange"
    LISTED = ("s", "f")
    s = property(lambda self: self.symbol("s"), doc="position")
    f = property(lambda self: self.symbol("f"), doc="force on the component")


class HeatPort(Connector):
    """A connector for heat: the temperature `T` and the heat flow `Q_flow` into the component.

    >>> m.connect(m.brake.heat_port, m.disc.port)        # what the brake loses warms the disc
    """

    kind = "heat port"
    LISTED = ("T", "Q_flow")
    T = property(lambda self: self.symbol("T"), doc="temperature, K")
    Q_flow = property(lambda self: self.symbol("Q_flow"), doc="heat flow into the component, W")
