"""Sensors on flanges, written once for shafts and rods (names as in `one_dimensional`)."""

from __future__ import annotations

from ...language import PartsList
from ...language.fields import variable
from ...language.one_dimensional import OneDimensional, TwoFlanges, acceleration, effort, position, speed


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


class PositionSensor(Sensor):
    """Position of a flange."""

    x = variable("position", "X")


class SpeedSensor(Sensor):
    """Speed of a flange."""

    v = variable("speed", "X/s")


class AccSensor(Sensor):
    """Acceleration of a flange."""

    a = variable("acceleration", "X/s2")


class RelPositionSensor(RelativeSensor):
    """Relative position of flange_b to flange_a."""

    x_rel = variable("relative position", "X")


class RelSpeedSensor(RelativeSensor):
    """Relative speed of flange_b to flange_a."""

    v_rel = variable("relative speed", "X/s")


class RelAccSensor(RelativeSensor):
    """Relative acceleration of flange_b to flange_a."""

    a_rel = variable("relative acceleration", "X/s2")


class RelativeStates(RelativeSensor):
    """Relative motion of two flanges, with its start values, which are initial conditions if they are given."""

    x_rel = variable("relative position of flange_b to flange_a", "X", initial=True)
    v_rel = variable("relative speed", "X/s", initial=True)
    a_rel = variable("relative acceleration", "X/s2", initial=True)


class EffortSensor(CutSensor):
    """Effort that passes from flange_a to flange_b."""

    e = variable("effort", "E")


class PowerSensor(CutSensor):
    """Power that passes from flange_a to flange_b."""

    power = variable("power", "W")


class MultiSensor(CutSensor):
    """Speed, effort and power that pass from flange_a to flange_b."""

    v = variable("speed", "X/s")
    e = variable("effort", "E")
    power = variable("power", "W")
