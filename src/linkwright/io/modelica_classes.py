"""Which of our classes are Modelica's, and how their parameters are spelled there (Modelica Standard Library 4).

Names are the same but for the camel humps that Python does not have; what is listed here is what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import linkwright as lw

from ..errors import ModelError

if TYPE_CHECKING:
    from ..language import Component

MULTIBODY = "Modelica.Mechanics.MultiBody"
ROTATIONAL, TRANSLATIONAL = "Modelica.Mechanics.Rotational", "Modelica.Mechanics.Translational"
HEAT = "Modelica.Thermal.HeatTransfer"

#: package → classes that are in both libraries
MULTIBODY_CLASSES = {
    "Joints": ("Revolute", "RevolutePlanarLoopConstraint", "Prismatic", "Cylindrical", "Universal", "Planar",
               "Spherical", "FreeMotion", "FreeMotionScalarInit", "SphericalSpherical", "UniversalSpherical",
               "GearConstraint"),
    "Joints.Assemblies": ("JointUPS", "JointUSR", "JointUSP", "JointSSR", "JointSSP", "JointRRR", "JointRRP"),
    "Parts": ("Fixed", "FixedTranslation", "FixedRotation", "Body", "BodyShape", "BodyBox", "BodyCylinder", "PointMass",
              "Mounting1D", "Rotor1D", "BevelGear1D"),
    "Forces": ("WorldForce", "WorldTorque", "WorldForceAndTorque", "Force", "Torque", "ForceAndTorque",
               "LineForceWithMass", "LineForceWithTwoMasses", "Spring", "Damper", "SpringDamperParallel",
               "SpringDamperSeries"),
    "Visualizers": ("FixedShape", "FixedShape2", "FixedFrame", "FixedArrow"),
}
DRIVE_CLASSES = {
    "Components": ("Fixed", "Inertia", "Mass", "Disc", "Rod", "Spring", "Damper", "SpringDamper", "ElastoBacklash",
                   "ElastoBacklash2", "ElastoGap", "IdealGear", "BearingFriction", "Brake", "Clutch", "OneWayClutch",
                   "SupportFriction", "MassWithStopAndFriction", "RelativeStates", "Gearbox", "LossyGear",
                   "AngleToTorqueAdaptor", "TorqueToAngleAdaptor"),
    "Sources": ("Torque", "Torque2", "ConstantTorque", "TorqueStep", "LinearSpeedDependentTorque",
                "QuadraticSpeedDependentTorque", "InverseSpeedDependentTorque",
                "LinearSpeedDependentForce", "QuadraticSpeedDependentForce", "InverseSpeedDependentForce",
                "Force", "Force2", "ConstantForce", "ForceStep", "Position", "Speed",
                "ConstantSpeed", "Accelerate", "Move"),
    "Sensors": ("AngleSensor", "SpeedSensor", "AccSensor", "RelAngleSensor", "RelSpeedSensor", "RelAccSensor",
                "TorqueSensor", "ForceSensor", "PowerSensor", "MultiSensor", "PositionSensor", "RelPositionSensor"),
}

HEAT_CLASSES = {
    "Components": ("HeatCapacitor", "ThermalConductor", "ThermalResistor", "Convection", "ConvectiveResistor",
                   "BodyRadiation"),
    "Sources": ("FixedTemperature", "PrescribedTemperature", "FixedHeatFlow", "PrescribedHeatFlow"),
    "Sensors": ("TemperatureSensor", "RelTemperatureSensor"),
}

#: classes of the Standard Library whose laws or connectors differ from ours, so that they are not written
OTHERWISE = ("SignTorque", "SignForce", "EddyCurrentTorque", "EddyCurrentForce", "RollingResistance", "Vehicle",
             "GeneralAngleToTorqueAdaptor", "GeneralTorqueToAngleAdaptor", "GeneralPositionToForceAdaptor",
             "GeneralForceToPositionAdaptor")

#: parameters whose spelling differs
SPELLED = {
    "r_cm": "r_CM", "rotation_type": "rotationType", "resolve_in_frame": "resolveInFrame",
    "enforce_states": "enforceStates", "use_quaternions": "useQuaternions", "sequence_angle_states":
    "sequence_angleStates", "inner_diameter": "innerDiameter", "inner_width": "innerWidth",
    "inner_height": "innerHeight", "shape_type": "shapeType", "length_direction": "lengthDirection",
    "width_direction": "widthDirection", "r_rod1_ia": "rRod1_ia", "r_rod2_ib": "rRod2_ib", "r_rod_ia": "rRod_ia",
    "torque_direction": "TorqueDirection", "force_direction": "ForceDirection", "start_time": "startTime",
    "step_torque": "stepTorque",
    "offset_torque": "offsetTorque", "compute_rod_length": "computeRodLength",
    "drive_train_mechanics_3d": "driveTrainMechanics3D",
    "loss_table": "lossTable", "heat_port": "heatPort",
}

#: how a shape looks, where the spelling is known; other sizes and colours are left to their defaults
LOOKS = ("animation", "shape_type", "length_direction", "width_direction", "r_shape", "length", "width", "height",
         "color")

#: angles that Modelica asks for in degrees
DEGREES = {("FixedRotation", "angle"), ("FixedRotation", "angles")}

ROTATIONS = {"axis": "RotationAxis", "two_axes": "TwoAxesVectors", "sequence": "PlanarRotationSequence"}


def own_class(part: Component) -> str | None:
    """The class that a component of one's own says it is in Modelica, by `modelica = "Library.Package.Class"`.

    Its law stands there, too.
    """
    return getattr(type(part), "modelica", None)


def class_of(part: Component) -> str:
    """Modelica's class of a component; one that is not there is refused by name."""
    name = type(part).__name__
    if own_class(part) is not None:
        return own_class(part)
    if isinstance(part, lw.World):
        return f"{MULTIBODY}.World"
    homes = {"Joints": lw.joints, "Joints.Assemblies": lw.assemblies, "Parts": lw.parts, "Forces": lw.forces,
             "Visualizers": lw.visualizers}
    for package, names in MULTIBODY_CLASSES.items():
        if name in names and getattr(homes[package], name, None) is type(part):
            return f"{MULTIBODY}.{package}.{name}"
    for library, module in ((ROTATIONAL, lw.rotational), (TRANSLATIONAL, lw.translational)):
        for package, names in DRIVE_CLASSES.items():
            if name in names and getattr(module, name, None) is type(part):
                return f"{library}.{package}.{name}"
    for package, names in HEAT_CLASSES.items():
        if name in names and getattr(lw.heat, name, None) is type(part):
            return f"{HEAT}.{package}.{name}"
    if getattr(lw.heat.celsius, name, None) is type(part):
        return f"{HEAT}.Celsius.{name}"
    if name in OTHERWISE:
        raise ModelError(f"{part.path}: the Standard Library's {name} has other parameters, and is not written as "
                         "Modelica yet; write it by hand.", part)
    raise ModelError(f"{part.path}: the Modelica Standard Library has no {name} of this kind.", part)


def resolve_type(part: Component) -> str:
    """The enumeration that resolveInFrame of a component belongs to."""
    return "ResolveInFrameB" if type(part).__name__.startswith("World") else "ResolveInFrameAB"
