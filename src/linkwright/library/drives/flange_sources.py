"""Sources and sensors on flanges, written once for shafts and rods (names as in `one_dimensional`)."""

from __future__ import annotations

import casadi as ca

from ...language import PartsList, refuse_jumps
from ...language.expressions import der, time
from ...language.fields import Signal
from ...language.one_dimensional import OneDimensional, TwoFlanges, acceleration, effort, position, speed


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


class ConstantDrive(Drive):
    """A constant effort."""

    def law(self, plan: PartsList) -> ca.SX:
        return self.value(plan, "e_constant")


class StepDrive(Drive):
    """An effort that jumps at start_time."""

    step_name, offset_name = "", ""

    def law(self, plan: PartsList) -> ca.SX:
        v = plan.values(self)
        return getattr(v, self.offset_name) + ca.if_else(time < v.start_time, 0, getattr(v, self.step_name))


class SpeedDependentDrive(Drive):
    """Base of efforts e_nominal f(v / v_nominal); in one direction, or turning round with the speed."""

    direction_name = ""

    def ratio(self, plan: PartsList) -> ca.SX:
        return self.moving()[1] / self.value(plan, "v_nominal")


class LinearDrive(SpeedDependentDrive):
    """e = e_nominal |v / v_nominal|, or without the bars."""

    def law(self, plan: PartsList) -> ca.SX:
        ratio = self.ratio(plan)
        return self.value(plan, "e_nominal") * (ca.fabs(ratio) if getattr(self, self.direction_name) else ratio)


class QuadraticDrive(SpeedDependentDrive):
    """e = e_nominal (v / v_nominal)², or with the sign of the speed."""

    def law(self, plan: PartsList) -> ca.SX:
        ratio = self.ratio(plan)
        return self.value(plan, "e_nominal") * ratio * (ratio if getattr(self, self.direction_name) else ca.fabs(ratio))


class DriveBetween(TwoFlanges):
    """An effort from a signal between two flanges: forwards on what is connected to flange_b."""

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


    def refuse_jumps(self, plan: PartsList, level: int, name: str) -> None:
        """A reference that is followed exactly has the derivatives that this takes."""
        name = self.spell(name)
        refuse_jumps(plan.model, f"{self.path}.{name}", level, self.signal(name),
                     "leave exact out, to follow it through a filter")


class PrescribedPosition(Prescribed):
    """Position from a signal: exactly, or through a second-order Bessel filter of f_crit.

    a = ((x_ref − x) ω − 1.3617 v) ω / 0.6180,  ω = 2π f_crit.
    """

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        reference = self.symbol(self.spell("x_ref"))
        x, v = self.moving()
        if self.exact:
            self.refuse_jumps(plan, 0, "x_ref")
            rate = der(reference)
            return der(rate), [x - reference, v - rate]
        omega = 2 * ca.pi * plan.values(self).f_crit
        return ((reference - x) * omega - 1.3617 * v) * omega / 0.6180, [x - reference]


class PrescribedSpeed(Prescribed):
    """Speed from a signal: exactly, or through a first-order filter of f_crit."""

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        reference = self.symbol(self.spell("v_ref"))
        v = self.moving()[1]
        if self.exact:
            self.refuse_jumps(plan, 1, "v_ref")
            return der(reference), [v - reference]
        return (reference - v) * 2 * ca.pi * plan.values(self).f_crit, [v - reference]


class PrescribedConstantSpeed(Prescribed):
    """A constant speed."""

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        return ca.SX(0), [self.moving()[1] - self.value(plan, "v_fixed")]


class PrescribedAcceleration(Prescribed):
    """Acceleration from a signal; start values of position and speed are free."""

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        return self.symbol("a_ref"), []


class PrescribedMove(Prescribed):
    """Position, speed and acceleration from signals; the first two hold at the start, the last all along."""

    def motion(self, plan: PartsList) -> tuple[ca.SX, list[ca.SX]]:
        x, v = self.moving()
        return self.symbol("a_ref"), [x - self.symbol(self.spell("x_ref")), v - self.symbol(self.spell("v_ref"))]


# --- sensors ---


class Sensor(OneDimensional):
    """Base: reads one flange and loads it with nothing."""

    def definitions(self, plan: PartsList) -> dict:
        return {name: value for name, value in self.spelled(
            x=position(self.flange), v=speed(self.flange), a=acceleration(self.flange)).items()
            if name in type(self).fields()}


class RelativeSensor(TwoFlanges):
    """Base: reads the relative motion of flange_b to flange_a."""

    def definitions(self, plan: PartsList) -> dict:
        x, v = self.relative()
        a = acceleration(self.flange_b) - acceleration(self.flange_a)
        return {name: value for name, value in self.spelled(x_rel=x, v_rel=v, a_rel=a).items()
                if name in type(self).fields()}


class CutSensor(TwoFlanges):
    """Base: reads the effort that passes from flange_a to flange_b, and the power."""

    def describe(self, plan: PartsList) -> None:
        plan.relation(self, (self.flange_b, 1.0), (self.flange_a, -1.0))

    def definitions(self, plan: PartsList) -> dict:
        e, v = effort(self.flange_a), speed(self.flange_a)
        return {name: value for name, value in self.spelled(e=e, v=v, power=e * v).items()
                if name in type(self).fields()}
