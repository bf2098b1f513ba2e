"""Which classes of Modelica's libraries are components here: one table for the reader and the writer.

Names of parameters and variables are the same but for the camel humps that Python does not have; what is listed here is
what differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MULTIBODY = "Modelica.Mechanics.MultiBody"
ROTATIONAL, TRANSLATIONAL = "Modelica.Mechanics.Rotational", "Modelica.Mechanics.Translational"
HEAT = "Modelica.Thermal.HeatTransfer"
PLANAR = "PlanarMechanics"


@dataclass(frozen=True)
class Leaf:
    """A component here: its package and class, names that differ (theirs → ours), variables whose start is fixed
    unless the text says otherwise, and whether the writer uses it."""

    package: str
    name: str
    names: dict[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    starts: dict[str, float] = field(default_factory=dict)  # where variables start that nothing is said of
    written: bool = True
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict)  # a signal of several numbers there, signals here
    parts: dict[str, str] = field(default_factory=dict)  # parts whose starts are given with a suffix here


#: our package → Modelica's package → classes that are in both
CLASSES: dict[str, dict[str, str]] = {
    "joints": {f"{MULTIBODY}.Joints": """Revolute RevolutePlanarLoopConstraint Prismatic Cylindrical Universal Planar
        Spherical FreeMotion FreeMotionScalarInit SphericalSpherical UniversalSpherical GearConstraint RollingWheel
        RollingWheelSet"""},
    "assemblies": {f"{MULTIBODY}.Joints.Assemblies":
                   "JointUPS JointUSR JointUSP JointSSR JointSSP JointRRR JointRRP"},
    "constraints": {f"{MULTIBODY}.Joints.Constraints": "Prismatic Revolute Spherical Universal"},
    "parts": {f"{MULTIBODY}.Parts": """Fixed FixedTranslation FixedRotation Body BodyShape BodyBox BodyCylinder
        PointMass Mounting1D Rotor1D BevelGear1D RollingWheel RollingWheelSet"""},
    "forces": {f"{MULTIBODY}.Forces": """WorldForce WorldTorque WorldForceAndTorque Force Torque ForceAndTorque
        LineForceWithMass LineForceWithTwoMasses Spring Damper SpringDamperParallel SpringDamperSeries"""},
    "sensors": {f"{MULTIBODY}.Sensors": """AbsoluteSensor RelativeSensor AbsolutePosition AbsoluteVelocity
        AbsoluteAngles AbsoluteAngularVelocity RelativePosition RelativeVelocity RelativeAngles RelativeAngularVelocity
        Distance CutForce CutTorque CutForceAndTorque Power TransformAbsoluteVector TransformRelativeVector"""},
    "visualizers": {f"{MULTIBODY}.Visualizers": """FixedShape FixedShape2 FixedFrame FixedArrow SignalArrow Torus
        VoluminousWheel Rectangle Ground"""},
    "rotational": {
        f"{ROTATIONAL}.Components": """Fixed Inertia Disc Spring Damper SpringDamper ElastoBacklash ElastoBacklash2
            IdealGear BearingFriction Brake Clutch OneWayClutch RelativeStates Gearbox LossyGear AngleToTorqueAdaptor
            TorqueToAngleAdaptor IdealPlanetary IdealGearR2T IdealRollingWheel InitializeFlange""",
        f"{ROTATIONAL}.Sources": """Torque Torque2 ConstantTorque TorqueStep LinearSpeedDependentTorque
            QuadraticSpeedDependentTorque InverseSpeedDependentTorque EddyCurrentTorque Position Speed ConstantSpeed
            Accelerate Move""",
        f"{ROTATIONAL}.Sensors": """AngleSensor SpeedSensor AccSensor RelAngleSensor RelSpeedSensor RelAccSensor
            TorqueSensor PowerSensor MultiSensor"""},
    "translational": {
        f"{TRANSLATIONAL}.Components": """Fixed Mass Rod Spring Damper SpringDamper ElastoGap Brake SupportFriction
            MassWithStopAndFriction RelativeStates IdealGearR2T IdealRollingWheel InitializeFlange""",
        f"{TRANSLATIONAL}.Sources": """Force Force2 ConstantForce ForceStep LinearSpeedDependentForce
            QuadraticSpeedDependentForce InverseSpeedDependentForce EddyCurrentForce Position Speed ConstantSpeed
            Accelerate Move""",
        f"{TRANSLATIONAL}.Sensors": """PositionSensor SpeedSensor AccSensor RelPositionSensor RelSpeedSensor
            RelAccSensor ForceSensor PowerSensor MultiSensor"""},
    "heat": {
        f"{HEAT}.Components": """HeatCapacitor ThermalConductor ThermalResistor Convection ConvectiveResistor
            BodyRadiation""",
        f"{HEAT}.Sources": "FixedTemperature PrescribedTemperature FixedHeatFlow PrescribedHeatFlow",
        f"{HEAT}.Sensors": "TemperatureSensor RelTemperatureSensor"},
    "heat.celsius": {f"{HEAT}.Celsius": "FixedTemperature PrescribedTemperature TemperatureSensor"},
    "planar": {
        f"{PLANAR}.Parts": "Body Fixed FixedTranslation FixedRotation Spring Damper SpringDamper",
        f"{PLANAR}.Joints": "Revolute Prismatic IdealRolling DryFrictionBasedRolling",
        f"{PLANAR}.Sources": "RelativeForce WorldForce QuadraticSpeedDependentForce",
        f"{PLANAR}.Sensors": """AbsolutePosition AbsoluteVelocity AbsoluteAcceleration RelativePosition RelativeVelocity
            RelativeAcceleration Distance CutForce CutTorque CutForceAndTorque Power TransformAbsoluteVector
            TransformRelativeVector""",
        f"{PLANAR}.GearComponents": "RigidNoLossExternal RigidNoLossInternal",
        f"{PLANAR}.VehicleComponents.Wheels": "IdealWheelJoint DryFrictionWheelJoint SlipBasedWheelJoint",
        f"{PLANAR}.VehicleComponents": "AirResistanceLongitudinal DifferentialGear"},
}

#: classes that are only read: the Standard Library's have switches or names that ours do without
ONLY_READ = {
    f"{MULTIBODY}.Interfaces.ZeroPosition": Leaf("parts", "Fixed", {"frame_resolve": "frame_b"}, written=False),
    f"{PLANAR}.PlanarWorld": Leaf("planar", "World", written=False),
    f"{PLANAR}.PlanarWorldIn3D": Leaf("planar", "WorldIn3D", {"MBFrame_a": "frame_3d"}, written=False),
    f"{PLANAR}.Interfaces.PlanarToMultiBody": Leaf("planar", "To3D", written=False),
}

#: names that do not follow from ours by camel humps
NAMES: dict[str, dict[str, str]] = {
    "parts.RollingWheelSet": {"I_wheelAxis": "I_wheel_axis", "I_wheelLong": "I_wheel_long"},
    **dict.fromkeys(("rotational.EddyCurrentTorque", "translational.EddyCurrentForce"),
                    {"constantExcitation": "excitation"}),
    "planar.Revolute": {"flange_a": "axis"}, "planar.Prismatic": {"flange_a": "axis"},
}
#: variables that start where they are given without a word of it
FIXED: dict[str, tuple[str, ...]] = {
    "parts.RollingWheel": ("x", "y", "angles", "der_angles"), "joints.RollingWheel": ("x", "y", "angles", "der_angles"),
    **{f"{package}.RollingWheelSet": ("x", "y", "phi", "theta1", "theta2", "der_theta1", "der_theta2")
       for package in ("parts", "joints")},
}

#: signals of several numbers there that are several signals here
JOINED: dict[str, dict[str, tuple[str, ...]]] = {
    "rotational.Move": {"u": ("phi_ref", "w_ref", "a_ref")}, "translational.Move": {"u": ("s_ref", "v_ref", "a_ref")}}

#: start values that components of several parts pass on to them
PASSED_ON = {"RollingWheelSet": ("x", "y", "phi", "theta1", "theta2", "der_theta1", "der_theta2"),
             "GearConstraint": ("phi_a", "w_a", "phi_b", "w_b")}
#: parts of components of several joints: phi of the one is phi_a here
PARTS: dict[str, dict[str, str]] = {
    "joints.GearConstraint": {"actuatedRevolute_a": "_a", "actuatedRevolute_b": "_b"}}

STARTS: dict[str, dict[str, float]] = {"heat.HeatCapacitor": {"T": 293.15}}

#: packages and classes that are read and not written: their connectors and switches need other words there
READ_ONLY = """planar sensors constraints joints.RollingWheel joints.RollingWheelSet parts.RollingWheel
    parts.RollingWheelSet visualizers.SignalArrow visualizers.Torus visualizers.VoluminousWheel visualizers.Rectangle
    visualizers.Ground rotational.IdealPlanetary rotational.IdealGearR2T rotational.IdealRollingWheel
    rotational.InitializeFlange rotational.EddyCurrentTorque translational.EddyCurrentForce
    translational.IdealGearR2T translational.IdealRollingWheel translational.InitializeFlange"""
NOT_WRITTEN = frozenset(READ_ONLY.split())

LEAVES: dict[str, Leaf] = {
    f"{MULTIBODY}.World": Leaf("", "World"),
    **{f"{theirs}.{name}": Leaf(package, name, NAMES.get(f"{package}.{name}", {}), FIXED.get(f"{package}.{name}", ()),
                                STARTS.get(f"{package}.{name}", {}),
                                not {package, f"{package}.{name}"} & NOT_WRITTEN,
                                JOINED.get(f"{package}.{name}", {}), PARTS.get(f"{package}.{name}", {}))
       for package, inside in CLASSES.items() for theirs, names in inside.items() for name in names.split()},
    **ONLY_READ}

#: Modelica's connectors → kind here
CONNECTORS: dict[str, str] = {
    **{f"{MULTIBODY}.Interfaces.{name}": "frame" for name in ("Frame_a", "Frame_b", "Frame", "Frame_resolve")},
    **{f"{PLANAR}.Interfaces.{name}": "planar frame" for name in ("Frame_a", "Frame_b", "Frame", "Frame_resolve")},
    **{f"{ROTATIONAL}.Interfaces.{name}": "rotational flange"
       for name in ("Flange_a", "Flange_b", "Flange", "Support")},
    **{f"{TRANSLATIONAL}.Interfaces.{name}": "translational flange"
       for name in ("Flange_a", "Flange_b", "Flange", "Support")},
    **{f"{HEAT}.Interfaces.{name}": "heat port" for name in ("HeatPort_a", "HeatPort_b", "HeatPort")},
}

#: classes of looks alone, which the drawing here makes by itself or does without
LOOKS_ALONE = (f"{MULTIBODY}.Visualizers.Advanced.", f"{MULTIBODY}.Visualizers.Internal.",
               f"{MULTIBODY}.Visualizers.PipeWithScalarField", f"{PLANAR}.Visualizers.")

#: angles that Modelica asks for in degrees
DEGREES = {("FixedRotation", "angle"), ("FixedRotation", "angles"),
           *((joint, name) for joint in ("JointSSR", "JointRRR", "JointUSR") for name in ("phi_offset", "phi_guess"))}

ROTATIONS = {"axis": "RotationAxis", "two_axes": "TwoAxesVectors", "sequence": "PlanarRotationSequence"}
GRAVITIES = {"uniform": "UniformGravity", "point": "PointGravity", None: "NoGravity"}
#: words of enumerations: theirs → ours
WORDS = {**{theirs: ours for ours, theirs in ROTATIONS.items()}, **{theirs: ours for ours, theirs in GRAVITIES.items()}}

#: switches and hints of Modelica that mean nothing here: connectors are always there, states are chosen by themselves
SWITCHES = re.compile(r"use[A-Z]\w*|use_\w*|get_\w+|stateSelect|animate\w*|\w*[aA]nimation\w*|\w*[cC]olor\w*"
                      r"|specularCoefficient|\w*Diameter\w*|label\d|axis\w*|ground\w*|default\w*|enableAnimation"
                      r"|checkTotalPower|reversedFlow|stateName|name|useQuaternions|\w*_startValue|nominal\w*"
                      r"|driveTrainMechanics3D_\w*|scaleLength|zPosition|N_to_m|Nm_to_m|extra|cylinder\w*|sphere\w*"
                      r"|boxW\w*|boxH\w*|\w*_stateSelect|extraLine|Tooth_\w*|RGB_\w*|StartAngle_\w*|z_offset|kinematicConstraint|enableAssert|width\w*|height\w*|length\w*|numberOfWindings|showMass|hollowFraction|quantity"
                      r"|showLabels|arrow\w*|n_\w*Direction|exact_\w+|homotopyType|linear\w*Init|v_small|simplify\w*")


def own_name(theirs: str, known: object) -> str | None:
    """Our name of a parameter, variable or connector, among those that are known; None where there is none."""
    if theirs in known:  # type: ignore[operator]
        return theirs
    plain = theirs.replace("_", "").lower()
    return next((name for name in known if name.replace("_", "").lower() == plain), None)  # type: ignore[attr-defined]
