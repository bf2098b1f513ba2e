"""1-D drive trains on moving parts (Modelica MultiBody.Parts): their reaction on the part that carries them.

A 1-D shaft knows nothing of the part it turns in.  These three say along which axis it lies, so that support torques,
the gyroscopic torque of a fast rotor and the torques of bevel gears reach the part.  Where
`World(drive_train_mechanics_3d=False)` or frame_a is not connected they are plain 1-D components.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...algebra import unit
from ...language import Component, Frame, PartsList, unit_axis
from ...language import RotationalFlange as Flange
from ...language.fields import parameter, variable
from ...language.one_dimensional import acceleration, effort, position, speed
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO


class OnPart(Component):
    """Base: flanges, and the frame_a of the part that carries them."""

    ports: tuple[str, ...] = ("flange_a", "flange_b")

    def _make_connectors(self) -> None:
        for name in self.ports:
            self._port(name, Flange())
        self._port("frame_a", Frame())

    def reacts(self, plan: PartsList) -> bool:
        """Whether the part that carries it feels it."""
        return plan.world.drive_train_mechanics_3d and plan.is_connected(self.frame_a)

    def torque(self, plan: PartsList) -> ca.SX:
        """Cut torque on this component at frame_a."""
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        if self.reacts(plan):
            plan.load(self, self.frame_a, ca.SX.zeros(3), self.torque(plan))


class Mounting1D(OnPart):
    """Transmits support torques of a drive to a part: flange_b stands at phi0, frame_a.t = −n tau.

    A joint applies the reaction of its axis torque to frame_a by itself.  If the drive of the joint is mounted as well,
    connect the joint's support to the same flange: it contributes −axis.tau, so that the torque is counted once.
    """

    ports = ("flange_b",)
    n = parameter((1.0, 0.0, 0.0), "axis of the torque in frame_a, used as it is", structural=True)
    phi0 = parameter(0.0, "fixed angle of flange_b", "rad")

    def _check(self) -> None:
        unit_axis(self, "n")

    def torque(self, plan: PartsList) -> ca.SX:
        return -ca.SX(np.asarray(self.n, float)) * effort(self.flange_b)

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        plan.tie(self, self.flange_b, plan.values(self).phi0)
        plan.mounting(self, self.frame_a if self.reacts(plan) else None, self.flange_b)


class Rotor1D(OnPart):
    """A rotor about an axis e of a moving part; the mass and inertia of the part must include those of the rotor.

    J (a + e·ẇ_a) = tau_a + tau_b;   frame_a.t = w_a × (J e w) − e (J e·ẇ_a)

    With `exact=False` the motion of the part does not act back on the rotor (the term e·ẇ_a of the first equation).
    """

    J = parameter(text="moment of inertia about n", unit="kg.m2", only=NOT_NEGATIVE)
    n = parameter((1.0, 0.0, 0.0), "axis of rotation in frame_a", structural=True)
    exact = parameter(True, "the angular acceleration of the part acts on the rotor", structural=True)
    phi = variable("angle against the part", "rad", initial=True)
    w = variable("speed against the part", "rad/s", initial=True)
    a = variable("acceleration against the part", "rad/s2", initial=True)

    def _check(self) -> None:
        unit_axis(self, "n")

    def axis(self) -> ca.SX:
        """Unit vector of the axis in frame_a."""
        return ca.sparsify(ca.SX(unit(self.n)))

    def torque(self, plan: PartsList) -> ca.SX:
        e, J = self.axis(), plan.values(self).J
        return ca.cross(self.frame_a.w, J * ca.densify(e) * speed(self.flange_a)) - e * self._carried(plan)

    def _carried(self, plan: PartsList) -> ca.SX:
        """J e·ẇ_a: torque that turns the rotor with the part."""
        return plan.values(self).J * ca.dot(ca.densify(self.axis()), self.frame_a.z)

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0))
        plan.flange_inertia(self, self.flange_a, plan.values(self).J)
        super().describe(plan)
        if self.exact and self.reacts(plan):
            plan.flange_load(self, self.flange_a, self._carried(plan))

    def definitions(self, plan: PartsList) -> dict:
        return {"phi": position(self.flange_a), "w": speed(self.flange_a), "a": acceleration(self.flange_a)}


class BevelGear1D(OnPart):
    """An ideal gear between two axes of a part: phi_a = ratio phi_b, frame_a.t = −tau_a e_a − tau_b e_b."""

    ratio = parameter(text="transmission ratio phi_a/phi_b", unit="", only=NOT_ZERO)
    n_a = parameter((1.0, 0.0, 0.0), "axis of flange_a in frame_a", structural=True)
    n_b = parameter((1.0, 0.0, 0.0), "axis of flange_b in frame_a", structural=True)

    def _check(self) -> None:
        unit_axis(self, "n_a")
        unit_axis(self, "n_b")

    def torque(self, plan: PartsList) -> ca.SX:
        return -effort(self.flange_a) * ca.SX(unit(self.n_a)) - effort(self.flange_b) * ca.SX(unit(self.n_b))

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_a, 1.0), (self.flange_b, -plan.values(self).ratio))
        super().describe(plan)
        plan.mounting(self, self.frame_a if self.reacts(plan) else None)


__all__ = ["BevelGear1D", "Mounting1D", "Rotor1D"]
