"""Sources and sensors on flanges, written once for shafts and rods (names as in `one_dimensional`)."""

from __future__ import annotations

import casadi as ca

from ...language import PartsList, refuse_jumps
from ...language.expressions import der, time
from ...language.fields import Signal, parameter, signal, variable
from ...language.one_dimensional import OneDimensional, TwoFlanges, acceleration
from ...language.ranges import POSITIVE
from .limited_sources import Limited


class Drive(OneDimensional):
    """Base of sources of effort: `law(plan)` drives what is connected to the flange forwards, against the support."""

    with_support = True

    def law(self, plan: PartsList) -> ca.SX:
        """A signal of the user, where the class has one."""
        return self.symbol(self.spell("e"))

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        law = self.law(plan)
        plan.flange_load(self, self.flange, -law)
        plan.flange_load(self, self.support, law)

    def definitions(self, plan: PartsList) -> dict:
        return {} if isinstance(type(self).fields()[self.spell("e")], Signal) else self.spelled(e=self.law(plan))


class SignalDrive(Drive):
    """An effort from a signal."""

    e = signal(0.0, "effort", "E")


class ConstantDrive(Drive):
    """A constant effort."""

    e_constant = parameter(text="effort", unit="E")
    e = variable("effort", "E")

    def law(self, plan: PartsList) -> ca.SX:
        return self.value(plan, "e_constant")


class StepDrive(Drive):
    """An effort that jumps from offset_effort by step_effort at start_time."""

    step_effort = parameter(1.0, "height of the step", "E")
    offset_effort = parameter(0.0, "effort before the step", "E")
    start_time = parameter(0.0, "time of the step", "s")
    e = variable("effort", "E")

    def law(self, plan: PartsList) -> ca.SX:
        after = ca.if_else(time < plan.values(self).start_time, 0, self.value(plan, "step_effort"))
        return self.value(plan, "offset_effort") + after


class DriveBetween(TwoFlanges):
    """An effort from a signal between two flanges: forwards on what is connected to flange_b."""

    e = signal(0.0, "effort", "E")

    def describe(self, plan: PartsList) -> None:
        law = self.symbol(self.spell("e"))
        plan.flange_load(self, self.flange_b, -law)
        plan.flange_load(self, self.flange_a, law)


class Prescribed(OneDimensional):
    """Base of sources of motion, relative to the support."""

    with_support = True

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        """(acceleration, expressions that vanish at the start)."""
        raise NotImplementedError

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        plan.motion(self, self.flange, self.support, *self.motion(plan))

    def definitions(self, plan: PartsList) -> dict:
        x, v = self.moving()
        return {name: value for name, value in self.spelled(
            x=x, v=v, a=acceleration(self.flange) - acceleration(self.support)).items() if name in type(self).fields()}

    def refuse_jumps(self, plan: PartsList, level: int, name: str,
                     advice: str = "leave exact out, to follow it through a filter") -> None:
        """A reference that is followed exactly has the derivatives that this takes."""
        name = self.spell(name)
        refuse_jumps(plan.model, f"{self.path}.{name}", level, self.signal(name), advice)


class PrescribedUpTo(Limited, Prescribed):
    """Base of sources of motion that may have a largest effort; then they follow without a filter."""

    def describe(self, plan: PartsList) -> None:
        if not self.limited():
            super().describe(plan)
            return
        OneDimensional.describe(self, plan)
        self.describe_limited(plan)

    def definitions(self, plan: PartsList) -> dict:
        own = super().definitions(plan)
        return {**own, **self.limited_definitions(plan)} if self.limited() else own


class PrescribedPosition(PrescribedUpTo):
    """Position from a signal: exactly, or through a second-order Bessel filter of f_crit.

    a = ((x_ref − x) ω − 1.3617 v) ω / 0.6180,  ω = 2π f_crit.

    With a largest effort it follows the rate of the signal; by what it has slipped it stays off.
    """

    x_ref = signal(0.0, "reference position", "X")
    exact = parameter(False, "follow exactly (the reference is then differentiated twice)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    x = variable("position of the flange against the support", "X")
    v = variable("its speed", "X/s")
    a = variable("its acceleration", "X/s2")

    def reference(self, plan: PartsList) -> ca.SX:
        self.refuse_jumps(plan, 1, "x_ref", "smooth it, so that it has a rate")
        return der(self.symbol(self.spell("x_ref")))

    def describe_limited(self, plan: PartsList) -> None:
        super().describe_limited(plan)
        plan.initial_equation(self.path, self.moving()[0] - self.symbol(self.spell("x_ref")))

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        reference = self.symbol(self.spell("x_ref"))
        x, v = self.moving()
        if self.exact:
            self.refuse_jumps(plan, 0, "x_ref")
            rate = der(reference)
            return der(rate), [x - reference, v - rate]
        omega = 2 * ca.pi * plan.values(self).f_crit
        return ((reference - x) * omega - 1.3617 * v) * omega / 0.6180, [x - reference]


class PrescribedSpeed(PrescribedUpTo):
    """Speed from a signal: exactly, or through a first-order filter of f_crit; up to a largest effort, if one is given.
    """

    v_ref = signal(0.0, "reference speed", "X/s")
    exact = parameter(False, "follow exactly (the reference is then differentiated)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    x = variable("position of the flange against the support", "X", initial=True)
    v = variable("its speed", "X/s")
    a = variable("its acceleration", "X/s2")

    def reference(self, plan: PartsList) -> ca.SX:
        return self.symbol(self.spell("v_ref"))

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        reference = self.symbol(self.spell("v_ref"))
        v = self.moving()[1]
        if self.exact:
            self.refuse_jumps(plan, 1, "v_ref")
            return der(reference), [v - reference]
        return (reference - v) * 2 * ca.pi * plan.values(self).f_crit, [v - reference]


class PrescribedConstantSpeed(PrescribedUpTo):
    """A constant speed, up to a largest effort, if one is given."""

    v_fixed = parameter(text="speed", unit="X/s")
    x = variable("position of the flange against the support", "X", initial=True)
    v = variable("its speed", "X/s")

    def reference(self, plan: PartsList) -> ca.SX:
        return ca.SX(self.value(plan, "v_fixed"))

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        return ca.SX(0), [self.moving()[1] - self.value(plan, "v_fixed")]


class PrescribedAcceleration(Prescribed):
    """Acceleration from a signal; start values of position and speed are free."""

    a_ref = signal(0.0, "acceleration", "X/s2")
    x = variable("position of the flange against the support", "X", initial=True)
    v = variable("its speed", "X/s", initial=True)
    a = variable("its acceleration", "X/s2")

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        return self.symbol("a_ref"), []


class PrescribedMove(Prescribed):
    """Position, speed and acceleration from signals; the first two hold at the start, the last all along."""

    x_ref = signal(0.0, "position", "X")
    v_ref = signal(0.0, "its rate", "X/s")
    a_ref = signal(0.0, "the rate of the speed", "X/s2")
    x = variable("position of the flange against the support", "X")
    v = variable("its speed", "X/s")
    a = variable("its acceleration", "X/s2")

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        x, v = self.moving()
        return self.symbol("a_ref"), [x - self.symbol(self.spell("x_ref")), v - self.symbol(self.spell("v_ref"))]
