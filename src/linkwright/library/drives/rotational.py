"""1-D rotational drive trains (Modelica Mechanics.Rotational): shafts, springs, gears, sources, sensors.

The laws are those of `one_dimensional` and `flange_sources`; here are their names (Modelica's), parameters and units.
A `support` that nothing is connected to is fixed to the ground.
"""

from __future__ import annotations

from ...language import RotationalFlange as Flange
from ...language import one_dimensional as base
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_NEGATIVE, NOT_ZERO, POSITIVE
from . import flange_sources as sources
from .clearances import ElastoBacklash, ElastoBacklash2
from .electric_motors import DCMotor
from .friction import BearingFriction, Brake, Clutch, OneWayClutch
from .gears import IdealDifferential, IdealGearR2T, IdealPlanetary, IdealRollingWheel
from .lossy_gear import LossyGear


class Fixed(base.Ground):
    """A flange fixed to the ground."""

    flange_type = Flange
    phi0 = parameter(0.0, "fixed angle", "rad")


class Inertia(base.Massive):
    """A rigid shaft: J a = sum of what acts on its flanges."""

    flange_type = Flange
    J = parameter(text="moment of inertia", unit="kg.m2", only=NOT_NEGATIVE)
    phi = variable("angle", "rad", initial=True)
    w = variable("speed", "rad/s", initial=True)
    a = variable("acceleration", "rad/s2", initial=True)


class Disc(base.Rigid):
    """A massless shaft whose flange_b is turned by delta_phi."""

    flange_type = Flange
    distance_name = "delta_phi"
    delta_phi = parameter(0.0, "angle of flange_b in flange_a", "rad")
    phi = variable("angle half way between the flanges", "rad")


class Spring(base.Elastic):
    """A linear spring: tau = c (phi_rel − phi_rel0)."""

    flange_type = Flange
    c = parameter(text="stiffness", unit="N.m/rad", only=NOT_NEGATIVE)
    phi_rel0 = parameter(0.0, "unstretched relative angle", "rad")
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    tau = variable("torque between the flanges", "N.m")
    energy = variable("elastic energy", "J")


class Damper(base.Viscous):
    """A linear damper: tau = d w_rel."""

    flange_type = Flange
    d = parameter(text="damping", unit="N.m.s/rad", only=NOT_NEGATIVE)
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    w_rel = variable("relative speed", "rad/s")
    tau = variable("torque between the flanges", "N.m")
    loss_power = variable("dissipated power", "W")


class SpringDamper(base.ElasticViscous):
    """Spring and damper in parallel: tau = c (phi_rel − phi_rel0) + d w_rel."""

    flange_type = Flange
    c = parameter(text="stiffness", unit="N.m/rad", only=NOT_NEGATIVE)
    d = parameter(text="damping", unit="N.m.s/rad", only=NOT_NEGATIVE)
    phi_rel0 = parameter(0.0, "unstretched relative angle", "rad")
    phi_rel = variable("relative angle of flange_b to flange_a", "rad")
    w_rel = variable("relative speed", "rad/s")
    tau = variable("torque between the flanges", "N.m")
    loss_power = variable("dissipated power", "W")
    energy = variable("elastic energy", "J")


class IdealGear(base.Gear):
    """A gear without inertia or loss: phi_a = ratio phi_b against the support, 0 = ratio tau_a + tau_b."""

    flange_type = Flange
    ratio = parameter(text="transmission ratio phi_a/phi_b", unit="", only=NOT_ZERO)


class InitializeFlange(base.Initial):
    """Start values of a flange: those that are given hold at the start, unless they are switched off."""

    flange_type = Flange
    use_phi_start = parameter(True, "whether phi_start holds, where it is given")
    use_w_start = parameter(True, "whether w_start holds, where it is given")
    use_a_start = parameter(True, "whether a_start holds, where it is given")
    phi_start = signal(0.0, "angle at the start", "rad")
    w_start = signal(0.0, "speed at the start", "rad/s")
    a_start = signal(0.0, "acceleration at the start", "rad/s2")


class RelativeStates(sources.RelativeSensor):
    """Relative motion of two flanges, with its start values: they hold where they are given."""

    flange_type = Flange
    phi_rel = variable("relative angle of flange_b to flange_a", "rad", initial=True)
    w_rel = variable("relative speed", "rad/s", initial=True)
    a_rel = variable("relative acceleration", "rad/s2", initial=True)


# --- sources ---


class Torque(sources.Drive):
    """A torque from a signal, driving what is connected to `flange` forwards."""

    flange_type = Flange
    tau = signal(0.0, "torque", "N.m")


class Torque2(sources.DriveBetween):
    """A torque from a signal between two flanges: forwards on what is connected to flange_b."""

    flange_type = Flange
    tau = signal(0.0, "torque", "N.m")


class ConstantTorque(sources.ConstantDrive):
    """A constant torque."""

    flange_type = Flange
    tau_constant = parameter(text="torque", unit="N.m")
    tau = variable("torque", "N.m")


class TorqueStep(sources.StepDrive):
    """A torque that jumps from offset_torque by step_torque at start_time."""

    flange_type = Flange
    step_name, offset_name = "step_torque", "offset_torque"
    step_torque = parameter(1.0, "height of the step", "N.m")
    offset_torque = parameter(0.0, "torque before the step", "N.m")
    start_time = parameter(0.0, "time of the step", "s")
    tau = variable("torque", "N.m")


class LinearSpeedDependentTorque(sources.LinearDrive):
    """tau = tau_nominal |w / w_nominal|, or with the sign of w (torque_direction=False)."""

    flange_type = Flange
    direction_name = "torque_direction"
    tau_nominal = parameter(text="torque at w_nominal (negative for a load)", unit="N.m")
    w_nominal = parameter(text="nominal speed", unit="rad/s", only=NOT_ZERO)
    torque_direction = parameter(True, "same direction of torque for both directions of rotation", structural=True)
    tau = variable("torque", "N.m")


class QuadraticSpeedDependentTorque(sources.QuadraticDrive):
    """tau = tau_nominal (w / w_nominal)², or with the sign of w (torque_direction=False)."""

    flange_type = Flange
    direction_name = "torque_direction"
    tau_nominal = parameter(text="torque at w_nominal (negative for a load)", unit="N.m")
    w_nominal = parameter(text="nominal speed", unit="rad/s", only=NOT_ZERO)
    torque_direction = parameter(True, "same direction of torque for both directions of rotation", structural=True)
    tau = variable("torque", "N.m")


class Position(sources.PrescribedPosition):
    """Prescribes the angle of a flange: exactly, or through a second-order Bessel filter of f_crit."""

    flange_type = Flange
    phi_ref = signal(0.0, "reference angle", "rad")
    exact = parameter(False, "follow exactly (the reference is then differentiated twice)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    phi = variable("angle of the flange against the support", "rad")
    w = variable("its speed", "rad/s")
    a = variable("its acceleration", "rad/s2")


class Speed(sources.PrescribedSpeed):
    """Prescribes the speed of a flange: exactly, or through a first-order filter of f_crit."""

    flange_type = Flange
    w_ref = signal(0.0, "reference speed", "rad/s")
    exact = parameter(False, "follow exactly (the reference is then differentiated)", structural=True)
    f_crit = parameter(50.0, "critical frequency of the filter", "Hz", only=POSITIVE)
    phi = variable("angle of the flange against the support", "rad", initial=True)
    w = variable("its speed", "rad/s")
    a = variable("its acceleration", "rad/s2")


class ConstantSpeed(sources.PrescribedConstantSpeed):
    """Prescribes a constant speed."""

    flange_type = Flange
    w_fixed = parameter(text="speed", unit="rad/s")
    phi = variable("angle of the flange against the support", "rad", initial=True)
    w = variable("its speed", "rad/s")


class Accelerate(sources.PrescribedAcceleration):
    """Prescribes the acceleration of a flange."""

    flange_type = Flange
    a_ref = signal(0.0, "acceleration", "rad/s2")
    phi = variable("angle of the flange against the support", "rad", initial=True)
    w = variable("its speed", "rad/s", initial=True)
    a = variable("its acceleration", "rad/s2")


class Move(sources.PrescribedMove):
    """Prescribes angle, speed and acceleration of a flange by signals that belong together."""

    flange_type = Flange
    phi_ref = signal(0.0, "angle", "rad")
    w_ref = signal(0.0, "its rate", "rad/s")
    a_ref = signal(0.0, "the rate of the speed", "rad/s2")
    phi = variable("angle of the flange against the support", "rad")
    w = variable("its speed", "rad/s")
    a = variable("its acceleration", "rad/s2")


# --- sensors ---


class AngleSensor(sources.Sensor):
    """Angle of a flange."""

    flange_type = Flange
    phi = variable("angle", "rad")


class SpeedSensor(sources.Sensor):
    """Speed of a flange."""

    flange_type = Flange
    w = variable("speed", "rad/s")


class AccSensor(sources.Sensor):
    """Acceleration of a flange."""

    flange_type = Flange
    a = variable("acceleration", "rad/s2")


class RelAngleSensor(sources.RelativeSensor):
    """Relative angle of flange_b to flange_a."""

    flange_type = Flange
    phi_rel = variable("relative angle", "rad")


class RelSpeedSensor(sources.RelativeSensor):
    """Relative speed of flange_b to flange_a."""

    flange_type = Flange
    w_rel = variable("relative speed", "rad/s")


class RelAccSensor(sources.RelativeSensor):
    """Relative acceleration of flange_b to flange_a."""

    flange_type = Flange
    a_rel = variable("relative acceleration", "rad/s2")


class TorqueSensor(sources.CutSensor):
    """Torque that passes from flange_a to flange_b."""

    flange_type = Flange
    tau = variable("torque", "N.m")


class PowerSensor(sources.CutSensor):
    """Power that passes from flange_a to flange_b."""

    flange_type = Flange
    power = variable("power", "W")


class MultiSensor(sources.CutSensor):
    """Speed, torque and power that pass from flange_a to flange_b."""

    flange_type = Flange
    w = variable("speed", "rad/s")
    tau = variable("torque", "N.m")
    power = variable("power", "W")


__all__ = [
    "AccSensor", "Accelerate", "AngleSensor", "BearingFriction", "Brake", "Clutch", "ConstantSpeed", "ConstantTorque",
    "DCMotor", "Damper", "Disc", "ElastoBacklash", "ElastoBacklash2", "Fixed", "Flange", "IdealDifferential",
    "IdealGear", "IdealGearR2T", "IdealPlanetary", "IdealRollingWheel", "Inertia", "InitializeFlange",
    "LinearSpeedDependentTorque", "LossyGear", "Move", "MultiSensor", "OneWayClutch", "Position", "PowerSensor",
    "QuadraticSpeedDependentTorque", "RelAccSensor", "RelAngleSensor", "RelSpeedSensor", "RelativeStates", "Speed",
    "SpeedSensor", "Spring", "SpringDamper", "Torque", "Torque2", "TorqueSensor", "TorqueStep",
]
