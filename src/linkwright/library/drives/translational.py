"""1-D translational drive trains (Modelica Mechanics.Translational): rods, springs, sources, sensors.

The laws are those of `one_dimensional` and `flange_sources`; here are their names (Modelica's), parameters and units.
A `support` that nothing is connected to is fixed to the ground.
"""

from __future__ import annotations

from ...algebra import Scalar
from ...language import PartsList
from ...language import TranslationalFlange as Flange
from ...language import one_dimensional as base
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO, POSITIVE
from . import flange_sources as sources
from .clearances import ElastoGap
from .friction import MassWithStopAndFriction, OnSupport, Pressed, SupportFriction
from .gears import IdealGearR2T, IdealRollingWheel


class Fixed(base.Ground):
    """A flange fixed to the ground."""

    flange_type = Flange
    s0 = parameter(0.0, "fixed position", "m")


class Mass(base.Massive):
    """A rigid rod: m a = sum of what acts on its flanges."""

    flange_type = Flange
    inertia_name = "m"
    m = parameter(text="mass", unit="kg", only=NOT_NEGATIVE)
    L = parameter(0.0, "length: distance of flange_b from flange_a", "m")
    s = variable("position of the middle", "m", initial=True)
    v = variable("speed", "m/s", initial=True)
    a = variable("acceleration", "m/s2", initial=True)

    def length(self, plan: PartsList) -> Scalar:
        return plan.values(self).L


class Rod(base.Rigid):
    """A massless rod of length L."""

    flange_type = Flange
    distance_name = "L"
    L = parameter(0.0, "distance of flange_b from flange_a", "m")
    s = variable("position of the middle", "m")


class Spring(base.Elastic):
    """A linear spring: f = c (s_rel − s_rel0)."""

    flange_type = Flange
    c = parameter(text="stiffness", unit="N/m", only=NOT_NEGATIVE)
    s_rel0 = parameter(0.0, "unstretched relative position", "m")
    s_rel = variable("relative position of flange_b to flange_a", "m")
    f = variable("force between the flanges", "N")
    energy = variable("elastic energy", "J")


class Damper(base.Viscous):
    """A linear damper: f = d v_rel."""

    flange_type = Flange
    d = parameter(text="damping", unit="N.s/m", only=NOT_NEGATIVE)
    s_rel = variable("relative position of flange_b to flange_a", "m")
    v_rel = variable("relative speed", "m/s")
    f = variable("force between the flanges", "N")
    loss_power = variable("dissipated power", "W")


class SpringDamper(base.ElasticViscous):
    """Spring and damper in parallel: f = c (s_rel − s_rel0) + d v_rel."""

    flange_type = Flange
    c = parameter(text="stiffness", unit="N/m", only=NOT_NEGATIVE)
    d = parameter(text="damping", unit="N.s/m", only=NOT_NEGATIVE)
    s_rel0 = parameter(0.0, "unstretched relative position", "m")
    s_rel = variable("relative position of flange_b to flange_a", "m")
    v_rel = variable("relative speed", "m/s")
    f = variable("force between the flanges", "N")
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")


class Brake(Pressed, OnSupport):
    """A brake on a rod: friction against the support, pressed on by f_normalized."""

    flange_type = Flange
    cgeo = parameter(1.0, "geometry: friction force over coefficient and normal force", "", structural=True,
                     only=NOT_NEGATIVE)
    v_rel = variable("speed against the support", "m/s")
    f = variable("friction force", "N")
    loss_power = variable("dissipated power", "W")


class IdealGear(base.Gear):
    """A lever without inertia or loss: s_a = ratio s_b against the support, 0 = ratio f_a + f_b."""

    flange_type = Flange
    ratio = parameter(text="transmission ratio s_a/s_b", unit="", only=NOT_ZERO)


class InitializeFlange(base.Initial):
    """Start values of a flange: those that are given hold at the start, unless they are switched off."""

    flange_type = Flange
    use_s_start = parameter(True, "whether s_start holds, where it is given")
    use_v_start = parameter(True, "whether v_start holds, where it is given")
    use_a_start = parameter(True, "whether a_start holds, where it is given")
    s_start = signal(0.0, "position at the start", "m")
    v_start = signal(0.0, "speed at the start", "m/s")
    a_start = signal(0.0, "acceleration at the start", "m/s2")


class RelativeStates(sources.RelativeSensor):
    """Relative motion of two flanges, with its start values: they hold where they are given."""

    flange_type = Flange
    s_rel = variable("relative position of flange_b to flange_a", "m", initial=True)
    v_rel = variable("relative speed", "m/s", initial=True)
    a_rel = variable("relative acceleration", "m/s2", initial=True)


# --- sources ---


class Force(sources.Drive):
    """A force from a signal, driving what is connected to `flange` forwards."""

    flange_type = Flange
    f = signal(0.0, "force", "N")


class Force2(sources.DriveBetween):
    """A force from a signal between two flanges: forwards on what is connected to flange_b."""

    flange_type = Flange
    f = signal(0.0, "force", "N")


class ConstantForce(sources.ConstantDrive):
    """A constant force."""

    flange_type = Flange
    f_constant = parameter(text="force", unit="N")
    f = variable("force", "N")


class ForceStep(sources.StepDrive):
    """A force that jumps from offset_force by step_force at start_time."""

    flange_type = Flange
    step_name, offset_name = "step_force", "offset_force"
    step_force = parameter(1.0, "height of the step", "N")
    offset_force = parameter(0.0, "force before the step", "N")
    start_time = parameter(0.0, "time of the step", "s")
    f = variable("force", "N")


class LinearSpeedDependentForce(sources.LinearDrive):
    """f = f_nominal |v / v_nominal|, or with the sign of v (force_direction=False)."""

    flange_type = Flange
    direction_name = "force_direction"
    f_nominal = parameter(text="force at v_nominal (negative for a load)", unit="N")
    v_nominal = parameter(text="nominal speed", unit="m/s", only=NOT_ZERO)
    force_direction = parameter(True, "same direction of force for both directions of motion", structural=True)
    f = variable("force", "N")


class QuadraticSpeedDependentForce(sources.QuadraticDrive):
    """f = f_nominal (v / v_nominal)², or with the sign of v (force_direction=False)."""

    flange_type = Flange
    direction_name = "force_direction"
    f_nominal = parameter(text="force at v_nominal (negative for a load)", unit="N")
    v_nominal = parameter(text="nominal speed", unit="m/s", only=NOT_ZERO)
    force_direction = parameter(True, "same direction of force for both directions of motion", structural=True)
    f = variable("force", "N")


class Position(sources.PrescribedPosition):
    """Prescribes the position of a flange: exactly, or through a second-order Bessel filter of f_crit."""

    flange_type = Flange
    s_ref = signal(0.0, "reference position", "m")
    exact = parameter(False, "follow exactly (the reference is then differentiated twice)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    s = variable("position of the flange against the support", "m")
    v = variable("its speed", "m/s")
    a = variable("its acceleration", "m/s2")


class Speed(sources.PrescribedSpeed):
    """Prescribes the speed of a flange: exactly, or through a first-order filter of f_crit."""

    flange_type = Flange
    v_ref = signal(0.0, "reference speed", "m/s")
    exact = parameter(False, "follow exactly (the reference is then differentiated)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    s = variable("position of the flange against the support", "m", initial=True)
    v = variable("its speed", "m/s")
    a = variable("its acceleration", "m/s2")


class ConstantSpeed(sources.PrescribedConstantSpeed):
    """Prescribes a constant speed."""

    flange_type = Flange
    v_fixed = parameter(text="speed", unit="m/s")
    s = variable("position of the flange against the support", "m", initial=True)
    v = variable("its speed", "m/s")


class Accelerate(sources.PrescribedAcceleration):
    """Prescribes the acceleration of a flange."""

    flange_type = Flange
    a_ref = signal(0.0, "acceleration", "m/s2")
    s = variable("position of the flange against the support", "m", initial=True)
    v = variable("its speed", "m/s", initial=True)
    a = variable("its acceleration", "m/s2")


class Move(sources.PrescribedMove):
    """Prescribes position, speed and acceleration of a flange by signals that belong together."""

    flange_type = Flange
    s_ref = signal(0.0, "position", "m")
    v_ref = signal(0.0, "its rate", "m/s")
    a_ref = signal(0.0, "the rate of the speed", "m/s2")
    s = variable("position of the flange against the support", "m")
    v = variable("its speed", "m/s")
    a = variable("its acceleration", "m/s2")


# --- sensors ---


class PositionSensor(sources.Sensor):
    """Position of a flange."""

    flange_type = Flange
    s = variable("position", "m")


class SpeedSensor(sources.Sensor):
    """Speed of a flange."""

    flange_type = Flange
    v = variable("speed", "m/s")


class AccSensor(sources.Sensor):
    """Acceleration of a flange."""

    flange_type = Flange
    a = variable("acceleration", "m/s2")


class RelPositionSensor(sources.RelativeSensor):
    """Relative position of flange_b to flange_a."""

    flange_type = Flange
    s_rel = variable("relative position", "m")


class RelSpeedSensor(sources.RelativeSensor):
    """Relative speed of flange_b to flange_a."""

    flange_type = Flange
    v_rel = variable("relative speed", "m/s")


class RelAccSensor(sources.RelativeSensor):
    """Relative acceleration of flange_b to flange_a."""

    flange_type = Flange
    a_rel = variable("relative acceleration", "m/s2")


class ForceSensor(sources.CutSensor):
    """Force that passes from flange_a to flange_b."""

    flange_type = Flange
    f = variable("force", "N")


class PowerSensor(sources.CutSensor):
    """Power that passes from flange_a to flange_b."""

    flange_type = Flange
    power = variable("power", "W")


class MultiSensor(sources.CutSensor):
    """Speed, force and power that pass from flange_a to flange_b."""

    flange_type = Flange
    v = variable("speed", "m/s")
    f = variable("force", "N")
    power = variable("power", "W")


__all__ = [
    "AccSensor", "Accelerate", "Brake", "ConstantForce", "ConstantSpeed", "Damper", "ElastoGap", "Fixed", "Flange",
    "Force", "Force2", "ForceSensor", "ForceStep", "IdealGear", "IdealGearR2T", "IdealRollingWheel",
    "InitializeFlange", "LinearSpeedDependentForce", "Mass", "MassWithStopAndFriction", "Move", "MultiSensor",
    "Position", "PositionSensor", "PowerSensor", "QuadraticSpeedDependentForce", "RelAccSensor", "RelPositionSensor",
    "RelSpeedSensor", "RelativeStates", "Rod", "Speed", "SpeedSensor", "Spring", "SpringDamper", "SupportFriction",
]
