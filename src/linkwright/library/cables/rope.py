"""Ropes that do not stretch."""

from __future__ import annotations

import casadi as ca

from ...errors import ModelError
from ...language import PartsList, RotationalFlange
from ...language.fields import parameter, signal, variable
from ...language.ranges import FRACTION, NOT_ZERO
from ..tolerances import ROPE_MISS
from .cable import Cable
from .stops import Line
from .surfaces import Ellipsoid


class Rope(Cable):
    """A rope that does not stretch: the length of its path never exceeds `length`.

    A slack rope exerts no force.  When it becomes taut (l = length, l̇ > 0), an impulse changes the rate to −e l̇ with
    the `restitution` e; for e = 0 the energy ½ l̇²/(J M⁻¹ Jᵀ) is lost, J = ∂l/∂q.  While it is taut, the tension f ≥ 0
    keeps the length; the rope becomes slack when f would turn negative.  Both changes are located events.

    `length` may be a function of time, as for a rope on a winch.

    >>> m.rope = cables.Rope([(m.world.frame_b, [0, 1, 0]), m.drum.wrap(turn=1), m.load.frame_a], length=1.2)
    """

    hangs = True

    length = signal(0.0, "greatest length of the way", "m", opens=False)
    restitution = parameter(0.0, "ratio of the rates after and before it becomes taut", "", only=FRACTION)
    slack = variable("how much longer the rope is than its way", "m")

    def _check(self) -> None:
        if "length" not in self._signals:
            raise ModelError(f"{self.path}: give its length, a number or a function of time: length=1.2.", self)
        for place in self.route:
            if isinstance(place.on, Ellipsoid):
                raise ModelError(f"{self.path}: a rope that does not stretch cannot run over the ellipsoid "
                                 f"{place.on.path} yet; take cables.SpringCable, or a Cylinder or Sphere.", self)

    def act_on(self, plan: PartsList, line: Line) -> None:
        spare = self.spare(plan)
        plan.starts_above_zero(
            spare + ROPE_MISS, f"{self.path}: the rope is too short for its way at the start: length less way is "
            "{value:.3g} m. Likely: length, or the places of its points; change one of them.")
        frames = [leg.stop.frame for leg in line.legs]
        push = plan.keep(self, plan.stop(self, "taut", spare, plan.values(self).restitution, frames))
        for flange, sign in self.turned(plan):
            plan.flange_cut(self, flange, sign * push)

    def spare(self, plan: PartsList) -> ca.SX:
        return self.symbol("length") - self.symbol("l")

    def turned(self, plan: PartsList) -> tuple:
        """Shafts that the rope turns, with the change of what is spare by an angle of theirs."""
        return ()

    def law(self, plan: PartsList) -> dict[str, ca.SX]:
        return {"f": -plan.kept(self)}


class Winch(Rope):
    """A Rope whose first end is wound on a drum: if the shaft at `drum` turns by φ, the rope shortens by r φ.

    While the rope is taut, it acts on the shaft with the torque −r f.  To model a rope that does not slip on a pulley
    with inertia, put two winches on the shaft of the pulley, with radii r and −r.

    >>> m.winch = cables.Winch([(m.boom.frame_b, [0, 0, 0]), (m.hook.frame_a, [0, 0, 0])], radius=0.2, length=4)
    >>> m.connect(m.motor.flange, m.winch.drum)
    """

    radius = parameter(text="radius of the drum; negative where it turns the other way", unit="m", only=NOT_ZERO)

    def _make_connectors(self) -> None:
        super()._make_connectors()
        self._port("drum", RotationalFlange())

    def required_ports(self) -> list[str]:
        return [*super().required_ports(), "drum"]

    def spare(self, plan: PartsList) -> ca.SX:
        return super().spare(plan) - plan.values(self).radius * self.drum.phi

    def turned(self, plan: PartsList) -> tuple:
        return ((self.drum, -plan.values(self).radius),)
