"""Wheels with mass that roll without slip on the plane z = 0 (Modelica MultiBody.Parts); gravity is along −z."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Inertia, Scalar
from ...errors import ModelError
from ...language.fields import parameter
from ..joints.rolling import Rolls, WheelSet
from .bodies import Body, Massive


class RollingWheel(Rolls, Massive):
    """A thin disc with mass that rolls on the plane z = 0: its axis is y of frame_a, its centre frame_a.

    Contact is one equation on position level, no slip two equations on velocity level (nonholonomic).
    """

    m = parameter(text="mass", unit="kg")
    I_axis = parameter(text="inertia about the axis", unit="kg.m2")
    I_long = parameter(text="inertia across the axis", unit="kg.m2")

    def __init__(self, **given: Any) -> None:
        # Modelica's start values: everything that is not given is zero and fixed
        super().__init__(**({"x": 0.0, "y": 0.0, "angles": [0.0] * 3, "der_angles": [0.0] * 3} | given))

    def _check(self) -> None:
        super()._check()
        if not self.m > 0:
            raise ModelError(f"{self.path}.m = {self.m:g} must be positive.", self)

    def dyad(self, v: SimpleNamespace) -> Inertia:
        tensor = [v.I_long, v.I_axis, v.I_long]
        return Inertia(v.m, (0, 0, 0), ca.diag(ca.vertcat(*tensor)) if any(isinstance(i, ca.SX) for i in tensor)
                       else np.diag(tensor))


class RollingWheelSet(WheelSet):
    """Two wheels with mass on one axle, rolling on the plane z = 0."""

    R_wheel = parameter(text="radius of the wheels", unit="m")
    m_wheel = parameter(text="mass of each wheel", unit="kg")
    I_wheel_axis = parameter(text="inertia of a wheel about its axis", unit="kg.m2")
    I_wheel_long = parameter(text="inertia of a wheel across its axis", unit="kg.m2")
    formerly = {"radius": "R_wheel", "I_axis": "I_wheel_axis", "I_long": "I_wheel_long"}

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        for k, frame in ((1, self.frame1), (2, self.frame2)):
            wheel = Body(m=self.m_wheel, inertia=[self.I_wheel_long, self.I_wheel_axis, self.I_wheel_long])
            setattr(self, f"wheel{k}", wheel)
            self.connect(frame, wheel.frame_a)

    def _radius(self) -> Scalar:
        return self.R_wheel
