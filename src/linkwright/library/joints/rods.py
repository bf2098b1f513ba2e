"""Rods with joints at both ends, and the gear in space (Modelica MultiBody.Joints)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Frame, Model, PartsList, Relative, power_into, power_into_model, unit_axis
from ...language.fields import Guess, as_free, parameter, variable
from .. import parts
from ..drives import rotational
from ..tolerances import PARALLEL
from .axis_joints import Revolute, Universal
from .free_joints import Spherical


class SphericalSpherical(Relative):
    """A rod with a ball at each end: 1 equation; with a mass m, half way between its ends."""

    rod_length = parameter(text="distance of the two balls", unit="m")
    compute_rod_length = parameter(False, "take the distance that the start values leave between the balls")
    m = parameter(0.0, "mass of the rod, as a point in its middle", "kg")
    total_power = variable("power that flows in through both frames, 0 but for the mass of the rod", "W")
    f_rod = variable("force along the rod, positive on frame_a towards frame_b", "N")

    def __init__(self, **given: Any) -> None:
        if given.get("compute_rod_length"):
            given["rod_length"] = as_free(given.get("rod_length", 1.0))
        super().__init__(**given)

    def _check(self) -> None:
        if not self.rod_length > 0:
            raise ModelError(f"{self.path}.rod_length = {self.rod_length:g}: a rod needs a positive length.", self)

    def held(self, v: SimpleNamespace, R: ca.SX, p: ca.SX) -> ca.SX:
        return (ca.dot(p, p) - v.rod_length**2) / (2 * v.rod_length)

    def fixed_distance(self, v: SimpleNamespace) -> Scalar:
        """The distance that is kept."""
        return v.rod_length

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        m, a, b = plan.values(self).m, self.frame_a, self.frame_b
        if isinstance(m, ca.SX) or m:
            middle = (a.r_0 + b.r_0) / 2
            plan.point_mass(self, m, middle)
            felt = m / 2 * ((a.a_0 + b.a_0) / 2 - plan.gravity_at(middle))
            plan.cut(self, a, a.R_WF.T @ felt)
            plan.cut(self, b, b.R_WF.T @ felt)

    def definitions(self, plan: PartsList) -> dict:
        a, b = self.frame_a, self.frame_b
        along = a.R_WF.T @ (b.r_0 - a.r_0) / plan.values(self).rod_length
        return {"f_rod": -ca.dot(along, a.f), "total_power": power_into(a, b)}


class UniversalSpherical(Model):
    """A rod with a universal joint at frame_a and a ball at frame_b; frame_ia is fixed on the rod at frame_a.

    The universal joint turns about n1_a (in frame_a), then about the axis perpendicular to n1_a and the rod.  It
    consists of the joints `universal` and `spherical`.  If nothing is fixed on the rod, use SphericalSpherical,
    which needs one equation only.
    """

    n1_a = parameter((0.0, 0.0, 1.0), "first axis of the universal joint, in frame_a", structural=True)
    r_rod_ia = parameter((1.0, 0.0, 0.0), "from frame_a to frame_b along the rod, in frame_ia", "m", structural=True)
    rod_length = parameter(None, "length of the rod; default that of r_rod_ia", "m")
    compute_rod_length = parameter(False, "take the length that the start values leave between frame_a and frame_b")

    def default_of(self, name: str) -> float | None:
        return float(np.linalg.norm(self.r_rod_ia)) if name == "rod_length" else None

    @property
    def e_rod_ia(self) -> np.ndarray:
        """Unit vector along the rod, in frame_ia."""
        return unit_axis(self, "r_rod_ia")

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        if self.compute_rod_length:
            self.rod_length = as_free(self.rod_length)
        self.frame_a, self.frame_b, self.frame_ia = Frame(), Frame(), Frame()
        n1, along = unit_axis(self, "n1_a"), np.asarray(self.r_rod_ia, dtype=float)
        n2 = np.cross(n1, along)
        if np.linalg.norm(n2) < PARALLEL * np.linalg.norm(along):
            raise ModelError(f"{self.path}: n1_a is parallel to the rod; choose another first axis.", self)
        self.universal = Universal(n_a=tuple(n1), n_b=tuple(n2))
        self.rod = parts.FixedTranslation(r=along if self._parameters.get("rod_length") is None
                                          else self.e_rod_ia * self.rod_length)
        self.spherical = Spherical()
        self.connect(self.frame_a, self.universal.frame_a)
        self.connect(self.universal.frame_b, self.frame_ia, self.rod.frame_a)
        self.connect(self.rod.frame_b, self.spherical.frame_a)
        self.connect(self.spherical.frame_b, self.frame_b)
        self.output("r_rod_0", self.spherical.frame_b.r_0 - self.universal.frame_a.r_0)
        self.output("total_power", power_into_model(self))


class GearConstraint(Model):
    """A gearbox in space: frame_a and frame_b turn about n_a and n_b on a common `bearing`, phi_a = ratio phi_b."""

    ratio = parameter(text="speed of frame_a over speed of frame_b")
    n_a = parameter((1.0, 0.0, 0.0), "axis of frame_a, in the bearing", structural=True)
    n_b = parameter((1.0, 0.0, 0.0), "axis of frame_b, in the bearing", structural=True)
    r_a = parameter((0.0, 0.0, 0.0), "from the bearing to frame_a", "m")
    r_b = parameter((0.0, 0.0, 0.0), "from the bearing to frame_b", "m")

    formerly = {"actuated_a": "actuated_revolute_a", "actuated_b": "actuated_revolute_b", "gear": "ideal_gear",
                "to_a": "fixed_translation1", "to_b": "fixed_translation2"}

    def __init__(self, name: str | None = None, phi_b: float | Guess | None = None, w_b: float | Guess | None = None,
                 phi_a: float | Guess | None = None, w_a: float | Guess | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.frame_a, self.frame_b, self.bearing = Frame(), Frame(), Frame()
        starts_a, starts_b = ({key: value for key, value in (("phi", phi), ("w", w)) if value is not None}
                              for phi, w in ((phi_a, w_a), (phi_b, w_b)))
        self.fixed_translation1 = parts.FixedTranslation(r=self.r_a)
        self.fixed_translation2 = parts.FixedTranslation(r=self.r_b)
        self.actuated_revolute_a = Revolute(n=self.n_a, **starts_a)
        self.actuated_revolute_b = Revolute(n=self.n_b, **starts_b)
        self.ideal_gear = rotational.IdealGear(ratio=self.ratio)
        self.connect(self.bearing, self.fixed_translation1.frame_a, self.fixed_translation2.frame_a)
        self.chain(self.fixed_translation1, self.actuated_revolute_a)
        self.chain(self.fixed_translation2, self.actuated_revolute_b)
        self.connect(self.actuated_revolute_a.frame_b, self.frame_a)
        self.connect(self.actuated_revolute_b.frame_b, self.frame_b)
        self.connect(self.actuated_revolute_a.axis, self.ideal_gear.flange_a)
        self.connect(self.actuated_revolute_b.axis, self.ideal_gear.flange_b)
        self.output("phi_b", self.actuated_revolute_b.phi)
        self.output("w_b", self.actuated_revolute_b.w)
        self.output("a_b", self.actuated_revolute_b.a)
        self.output("total_power", power_into_model(self))
