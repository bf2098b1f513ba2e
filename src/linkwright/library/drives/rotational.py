"""1-D rotational drive trains (Modelica Mechanics.Rotational): shafts, springs, gears, sources, sensors.

The laws, with their parameters and variables, are those of `one_dimensional` and of the files beside this one, which
shafts and rods share; here are Modelica's names for them.  A `support` that nothing is connected to is fixed to the
ground.
"""

from __future__ import annotations

from ...language import RotationalFlange as Flange
from ...language import one_dimensional as base
from ...language.fields import parameter, variable
from ...language.ranges import NOT_NEGATIVE
from . import adaptors, flange_sensors, flange_sources, friction, speed_dependent
from .clearances import ElastoBacklash, ElastoBacklash2
from .electric_motors import DCMotor
from .friction import Clutch, OneWayClutch
from .gearbox import Gearbox
from .gears import IdealDifferential, IdealGearR2T, IdealPlanetary, IdealRollingWheel
from .lossy_gear import LossyGear
from .ratchet import Ratchet


class Fixed(base.Ground):
    """A flange fixed to the ground."""

    flange_type = Flange


class Inertia(base.Massive):
    """A rigid shaft: J a = sum of what acts on its flanges."""

    flange_type = Flange
    J = parameter(text="moment of inertia", unit="kg.m2", only=NOT_NEGATIVE)
    phi = variable("angle", "rad", initial=True)


class Disc(base.Rigid):
    """A massless shaft whose flange_b is turned by delta_phi."""

    flange_type = Flange
    distance_name = "delta_phi"
    delta_phi = parameter(0.0, "angle of flange_b in flange_a", "rad")


class Spring(base.Elastic):
    """A linear spring: tau = c (phi_rel − phi_rel0)."""

    flange_type = Flange


class Damper(base.Viscous):
    """A linear damper: tau = d w_rel."""

    flange_type = Flange


class SpringDamper(base.ElasticViscous):
    """Spring and damper in parallel: tau = c (phi_rel − phi_rel0) + d w_rel."""

    flange_type = Flange


class IdealGear(base.Gear):
    """A gear without inertia or loss: phi_a = ratio phi_b against the support, 0 = ratio tau_a + tau_b."""

    flange_type = Flange


class BearingFriction(friction.SupportedFriction):
    """Bearing friction of a shaft: tau_pos as a table over the speed while it turns, up to peak × tau_pos(0) at
    rest."""

    flange_type = Flange


class Brake(friction.PressedOnSupport):
    """A brake on a shaft: friction against the support, pressed on by f_normalized."""

    flange_type = Flange


class InitializeFlange(base.Initial):
    """Start values of a flange: given values are initial conditions, unless they are switched off."""

    flange_type = Flange


class RelativeStates(flange_sensors.RelativeStates):
    """Relative motion of two flanges, with its start values, which are initial conditions if they are given."""

    flange_type = Flange


# --- adaptors to signals ---


class AngleToTorqueAdaptor(adaptors.MotionToEffort):
    """A flange moved by signals: inputs phi, w and a; output is the torque tau that this requires."""

    flange_type = Flange


class TorqueToAngleAdaptor(adaptors.EffortToMotion):
    """A flange driven by a torque signal: input is the torque tau on what is connected; outputs are the motion phi,
    w, a."""

    flange_type = Flange


class GeneralAngleToTorqueAdaptor(adaptors.MotionToEffort):
    """A flange moved by signals: inputs phi, w and a; output is the torque tau that this requires."""

    flange_type = Flange


class GeneralTorqueToAngleAdaptor(adaptors.EffortToMotion):
    """A flange driven by a torque signal: input is the torque tau on what is connected; outputs are the motion phi,
    w, a."""

    flange_type = Flange


# --- sources ---


class Torque(flange_sources.SignalDrive):
    """A torque from a signal, driving what is connected to `flange` forwards."""

    flange_type = Flange


class Torque2(flange_sources.DriveBetween):
    """A torque from a signal between two flanges: forwards on what is connected to flange_b."""

    flange_type = Flange


class ConstantTorque(flange_sources.ConstantDrive):
    """A torque of constant size on a flange, as in `rotational.ConstantTorque(tau_constant=2.0)`."""

    flange_type = Flange


class TorqueStep(flange_sources.StepDrive):
    """A torque that jumps from offset_torque by step_torque at start_time."""

    flange_type = Flange


class LinearSpeedDependentTorque(speed_dependent.LinearDrive):
    """tau = tau_nominal |w / w_nominal|, or with the sign of w (torque_direction=False)."""

    flange_type = Flange


class QuadraticSpeedDependentTorque(speed_dependent.QuadraticDrive):
    """tau = tau_nominal (w / w_nominal)², or with the sign of w (torque_direction=False)."""

    flange_type = Flange


class InverseSpeedDependentTorque(speed_dependent.InverseDrive):
    """tau = tau_nominal w_nominal / |w|, or with the sign of w (torque_direction=False): constant power above w0."""

    flange_type = Flange


class SignTorque(speed_dependent.SignDrive):
    """tau = tau_nominal sign(w), smoothed below w0; a brake if tau_nominal is negative."""

    flange_type = Flange


class EddyCurrentTorque(speed_dependent.EddyCurrentDrive):
    """An eddy-current brake, strongest at w_nominal: tau = 2 tau_nominal excitation² r/(1 + r²), r = w/w_nominal."""

    flange_type = Flange


class Position(flange_sources.PrescribedPosition):
    """Prescribes the angle of a flange: exactly, or through a second-order Bessel filter of f_crit."""

    flange_type = Flange


class Speed(flange_sources.PrescribedSpeed):
    """Prescribes the speed of a flange: exactly, or through a first-order filter of f_crit."""

    flange_type = Flange


class ConstantSpeed(flange_sources.PrescribedConstantSpeed):
    """Prescribes a constant speed."""

    flange_type = Flange


class Accelerate(flange_sources.PrescribedAcceleration):
    """Prescribes the acceleration of a flange."""

    flange_type = Flange


class Move(flange_sources.PrescribedMove):
    """Prescribes angle, speed and acceleration of a flange by signals that belong together."""

    flange_type = Flange


# --- sensors ---


class AngleSensor(flange_sensors.PositionSensor):
    """Angle of a flange."""

    flange_type = Flange


class SpeedSensor(flange_sensors.SpeedSensor):
    """Speed of a flange."""

    flange_type = Flange


class AccSensor(flange_sensors.AccSensor):
    """Acceleration of a flange."""

    flange_type = Flange


class RelAngleSensor(flange_sensors.RelPositionSensor):
    """Relative angle of flange_b to flange_a."""

    flange_type = Flange


class RelSpeedSensor(flange_sensors.RelSpeedSensor):
    """Relative speed of flange_b to flange_a."""

    flange_type = Flange


class RelAccSensor(flange_sensors.RelAccSensor):
    """Relative acceleration of flange_b to flange_a."""

    flange_type = Flange


class TorqueSensor(flange_sensors.EffortSensor):
    """Torque that passes from flange_a to flange_b."""

    flange_type = Flange


class PowerSensor(flange_sensors.PowerSensor):
    """Power that passes from flange_a to flange_b."""

    flange_type = Flange


class MultiSensor(flange_sensors.MultiSensor):
    """Speed, torque and power that pass from flange_a to flange_b."""

    flange_type = Flange


__all__ = [
    "AccSensor", "Accelerate", "AngleSensor", "AngleToTorqueAdaptor", "BearingFriction", "Brake", "Clutch",
    "ConstantSpeed", "ConstantTorque", "DCMotor", "Damper", "Disc", "EddyCurrentTorque", "ElastoBacklash",
    "ElastoBacklash2", "Fixed", "Flange", "Gearbox", "GeneralAngleToTorqueAdaptor", "GeneralTorqueToAngleAdaptor",
    "IdealDifferential", "IdealGear", "IdealGearR2T", "IdealPlanetary", "IdealRollingWheel", "Inertia",
    "InitializeFlange", "InverseSpeedDependentTorque", "LinearSpeedDependentTorque", "LossyGear", "Move",
    "MultiSensor", "OneWayClutch", "Position", "PowerSensor", "QuadraticSpeedDependentTorque", "Ratchet",
    "RelAccSensor", "RelAngleSensor", "RelSpeedSensor", "RelativeStates", "SignTorque", "Speed", "SpeedSensor",
    "Spring", "SpringDamper", "Torque", "Torque2", "TorqueSensor", "TorqueStep", "TorqueToAngleAdaptor",
]
