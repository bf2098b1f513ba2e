"""A generalized force on one coordinate of a joint."""

from __future__ import annotations

import casadi as ca

from ...language import Component, PartsList
from ...language.fields import signal, variable
from ..coordinates import mobility_of


class CoordinateForce(Component):
    """A force (or torque) along a coordinate of any joint, including joints without drive flanges.

    >>> m.spring = forces.CoordinateForce(coordinate=m.knee.q, force=-10 * m.knee.q)
    """

    coordinate = signal(0.0, "the coordinate, such as m.knee.q[0]", opens=False)
    force = signal(0.0, "force along it", "N or N.m")
    power = variable("power into the joint", "W")

    def describe(self, plan: PartsList) -> None:
        joint, index = mobility_of(self, self.signal("coordinate"))
        plan.mobility_load(joint, index, self.symbol("force"))

    def definitions(self, plan: PartsList) -> dict[str, ca.SX]:
        joint, index = mobility_of(self, self.signal("coordinate"))
        return {"power": self.symbol("force") * plan.joint_symbols(joint)[1][index]}
