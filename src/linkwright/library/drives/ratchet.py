"""A ratchet: a toothed wheel and a pawl, which let a shaft turn on by whole teeth and never back."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ...language import Model, PartsList, RotationalFlange
from ...language import one_dimensional as base
from ...language.fields import parameter, signal, variable
from ...language.ranges import FRACTION, POSITIVE


class Pawl(base.TwoFlanges):
    """Holds flange_b where it would fall back behind the last tooth: phi_rel ≥ tooth pitch."""

    flange_type = RotationalFlange
    pitch = parameter(text="angle from tooth to tooth", unit="rad", only=POSITIVE)
    restitution = parameter(0.0, "ratio of the speeds after and before it falls on a tooth", "", only=FRACTION)
    tooth = signal(0.0, "number of the tooth that it rests on or has passed last", "")
    phi_rel = variable("angle of flange_b against flange_a", "rad")
    w_rel = variable("speed of flange_b against flange_a", "rad/s")
    tau = variable("torque on flange_b: negative where the tooth pushes it forwards", "N.m")

    def describe(self, plan: PartsList) -> None:
        p, angle, tooth = plan.values(self), self.relative()[0], self.symbol("tooth")
        push = plan.keep(self, plan.stop(self, "tooth", angle - tooth * p.pitch, p.restitution))
        for flange, sign in ((self.flange_b, 1.0), (self.flange_a, -1.0)):
            plan.flange_cut(self, flange, sign * push)
        plan.starts_above_zero(
            (tooth + 1) * p.pitch - angle, f"{self.path}: from phi_rel at the start to the next tooth are "
            "{value:.3g} rad, so one has been passed that was not counted. Give the number of the last one: tooth=….")

    def definitions(self, plan: PartsList) -> dict[str, ca.SX]:
        angle, speed = self.relative()
        return {"phi_rel": angle, "w_rel": speed, "tau": plan.kept(self)}


class Ratchet(Model):
    """Teeth and a pawl between two shafts: flange_b runs ahead of flange_a, and falls back to the last tooth at most.

        tooth pitch ≤ phi_rel,      tooth → tooth + 1  where  phi_rel > (tooth + 1) pitch

    Falling on a tooth is an impact with `restitution`; while it rests there it bears any torque backwards (`tau`
    negative).  A `OneWayClutch` is the limit of very small teeth.  A hoist that keeps its load:

    >>> m.ratchet = rotational.Ratchet(pitch=lw.deg(15))
    >>> m.connect(m.ground.flange, m.ratchet.flange_a)
    >>> m.connect(m.ratchet.flange_b, m.drum.flange_a)
    """

    pitch = parameter(text="angle from tooth to tooth", unit="rad", only=POSITIVE)
    restitution = parameter(0.0, "ratio of the speeds after and before it falls on a tooth", "", only=FRACTION)
    tooth = parameter(0.0, "number of the last tooth that was passed before the start", "", structural=True)

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.flange_a, self.flange_b = RotationalFlange(), RotationalFlange()
        passed = self.discrete("passed", float(self.tooth))
        self.pawl = Pawl(pitch=self.pitch, restitution=self.restitution, tooth=passed)
        self.connect(self.flange_a, self.pawl.flange_a)
        self.connect(self.flange_b, self.pawl.flange_b)
        self.when(self.pawl.phi_rel > (passed + 1) * self.pitch, {passed: passed + 1})
        self.output("phi_rel", self.pawl.phi_rel, "rad")
        self.output("w_rel", self.pawl.w_rel, "rad/s")
        self.output("tau", self.pawl.tau, "N.m")
