"""1-D translational drive trains (Modelica Mechanics.Translational): rods, springs, sources, sensors, vehicles.

The laws, with their parameters and variables, are those of `one_dimensional` and of the files beside this one, which
shafts and rods share; here are Modelica's names for them.  A `support` that nothing is connected to is fixed to the
ground.
"""

from __future__ import annotations

from ...algebra import Scalar
from ...language import PartsList
from ...language import TranslationalFlange as Flange
from ...language import one_dimensional as base
from ...language.fields import parameter
from ...language.ranges import NOT_NEGATIVE
from . import adaptors, flange_sensors, flange_sources, friction, speed_dependent
from .clearances import ElastoGap
from .friction import MassWithStopAndFriction
from .gears import IdealGearR2T, IdealRollingWheel
from .vehicles import RollingResistance, Vehicle


class Fixed(base.Ground):
    """A flange fixed to the ground."""

    flange_type = Flange


class Mass(base.Massive):
    """A rigid rod: m a = sum of what acts on its flanges."""

    flange_type = Flange
    inertia_name = "m"
    m = parameter(text="mass", unit="kg", only=NOT_NEGATIVE)
    L = parameter(0.0, "length: distance of flange_b from flange_a", "m")

    def length(self, plan: PartsList) -> Scalar:
        return plan.values(self).L


class Rod(base.Rigid):
    """A massless rod of length L."""

    flange_type = Flange
    distance_name = "L"
    L = parameter(0.0, "distance of flange_b from flange_a", "m")


class Spring(base.Elastic):
    """A linear spring: f = c (s_rel − s_rel0)."""

    flange_type = Flange


class Damper(base.Viscous):
    """A linear damper: f = d v_rel."""

    flange_type = Flange


class SpringDamper(base.ElasticViscous):
    """Spring and damper in parallel: f = c (s_rel − s_rel0) + d v_rel."""

    flange_type = Flange


class IdealGear(base.Gear):
    """A lever without inertia or loss: s_a = ratio s_b against the support, 0 = ratio f_a + f_b."""

    flange_type = Flange


class SupportFriction(friction.SupportedFriction):
    """Friction of a rod on its support: f_pos as a table over the speed while it slides, up to peak × f_pos(0) at
    rest."""

    flange_type = Flange


class Brake(friction.PressedOnSupport):
    """A brake on a rod: friction against the support, pressed on by f_normalized."""

    flange_type = Flange
    cgeo = parameter(1.0, "geometry: friction force over coefficient and normal force", "", structural=True,
                     only=NOT_NEGATIVE)


class InitializeFlange(base.Initial):
    """Start values of a flange: given values are initial conditions, unless they are switched off."""

    flange_type = Flange


class RelativeStates(flange_sensors.RelativeStates):
    """Relative motion of two flanges, with its start values, which are initial conditions if they are given."""

    flange_type = Flange


# --- adaptors to signals ---


class GeneralPositionToForceAdaptor(adaptors.MotionToEffort):
    """A flange moved by signals: inputs s, v and a; output is the force f that this requires."""

    flange_type = Flange


class GeneralForceToPositionAdaptor(adaptors.EffortToMotion):
    """A flange driven by a force signal: input is the force f on what is connected; outputs are the motion s, v, a."""

    flange_type = Flange


# --- sources ---


class Force(flange_sources.SignalDrive):
    """A force from a signal, driving what is connected to `flange` forwards."""

    flange_type = Flange


class Force2(flange_sources.DriveBetween):
    """A force from a signal between two flanges: forwards on what is connected to flange_b."""

    flange_type = Flange


class ConstantForce(flange_sources.ConstantDrive):
    """A force of constant size on a flange, as in `translational.ConstantForce(f_constant=2.0)`."""

    flange_type = Flange


class ForceStep(flange_sources.StepDrive):
    """A force that jumps from offset_force by step_force at start_time."""

    flange_type = Flange


class LinearSpeedDependentForce(speed_dependent.LinearDrive):
    """f = f_nominal |v / v_nominal|, or with the sign of v (force_direction=False)."""

    flange_type = Flange


class QuadraticSpeedDependentForce(speed_dependent.QuadraticDrive):
    """f = f_nominal (v / v_nominal)², or with the sign of v (force_direction=False)."""

    flange_type = Flange


class InverseSpeedDependentForce(speed_dependent.InverseDrive):
    """f = f_nominal v_nominal / |v|, or with the sign of v (force_direction=False): constant power above v0."""

    flange_type = Flange


class SignForce(speed_dependent.SignDrive):
    """f = f_nominal sign(v), smoothed below v0; a brake if f_nominal is negative."""

    flange_type = Flange


class EddyCurrentForce(speed_dependent.EddyCurrentDrive):
    """An eddy-current brake, strongest at v_nominal: f = 2 f_nominal excitation² r/(1 + r²), r = v/v_nominal."""

    flange_type = Flange


class Position(flange_sources.PrescribedPosition):
    """Prescribes the position of a flange: exactly, or through a second-order Bessel filter of f_crit."""

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
    """Prescribes position, speed and acceleration of a flange by signals that belong together."""

    flange_type = Flange


# --- sensors ---


class PositionSensor(flange_sensors.PositionSensor):
    """Position of a flange."""

    flange_type = Flange


class SpeedSensor(flange_sensors.SpeedSensor):
    """Speed of a flange."""

    flange_type = Flange


class AccSensor(flange_sensors.AccSensor):
    """Acceleration of a flange."""

    flange_type = Flange


class RelPositionSensor(flange_sensors.RelPositionSensor):
    """Relative position of flange_b to flange_a."""

    flange_type = Flange


class RelSpeedSensor(flange_sensors.RelSpeedSensor):
    """Relative speed of flange_b to flange_a."""

    flange_type = Flange


class RelAccSensor(flange_sensors.RelAccSensor):
    """Relative acceleration of flange_b to flange_a."""

    flange_type = Flange


class ForceSensor(flange_sensors.EffortSensor):
    """Force that passes from flange_a to flange_b."""

    flange_type = Flange


class PowerSensor(flange_sensors.PowerSensor):
    """Power that passes from flange_a to flange_b."""

    flange_type = Flange


class MultiSensor(flange_sensors.MultiSensor):
    """Speed, force and power that pass from flange_a to flange_b."""

    flange_type = Flange


__all__ = [
    "AccSensor", "Accelerate", "Brake", "ConstantForce", "ConstantSpeed", "Damper", "EddyCurrentForce", "ElastoGap",
    "Fixed", "Flange", "Force", "Force2", "ForceSensor", "ForceStep", "GeneralForceToPositionAdaptor",
    "GeneralPositionToForceAdaptor", "IdealGear", "IdealGearR2T", "IdealRollingWheel", "InitializeFlange",
    "InverseSpeedDependentForce", "LinearSpeedDependentForce", "Mass", "MassWithStopAndFriction", "Move",
    "MultiSensor", "Position", "PositionSensor", "PowerSensor", "QuadraticSpeedDependentForce", "RelAccSensor",
    "RelPositionSensor", "RelSpeedSensor", "RelativeStates", "Rod", "RollingResistance", "SignForce", "Speed",
    "SpeedSensor", "Spring", "SpringDamper", "SupportFriction", "Vehicle",
]
