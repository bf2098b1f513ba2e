"""Modelica text: the Standard Library's own examples come out with its components and connections."""

import re
from operator import attrgetter

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, heat, joints, parts, rotational, translational


def read_back(text: str) -> tuple[dict[str, str], set[frozenset[str]]]:
    """(component → class, connections) of a flat model, read from its text."""
    components = dict((name, kind) for kind, name in
                      re.findall(r"^  (?:inner )?(Modelica\.[\w.]+) (\w+)[(;]", text, re.MULTILINE))
    return components, {frozenset(pair) for pair in re.findall(r"connect\(([\w.]+), ([\w.]+)\);", text)}


def written(model, folder) -> str:
    lw.export(model, folder / "Model.mo")
    return (folder / "Model.mo").read_text()


MULTIBODY = "Modelica.Mechanics.MultiBody"


def test_the_pendulum_is_modelicas(tmp_path):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=0, w=0)
    m.damper = rotational.Damper(d=0.1)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.connect(m.damper.flange_b, m.rev.axis)
    m.connect(m.rev.support, m.damper.flange_a)
    text = written(m, tmp_path)
    components, connections = read_back(text)
    assert components == {"world": f"{MULTIBODY}.World", "rev": f"{MULTIBODY}.Joints.Revolute",
                          "damper": "Modelica.Mechanics.Rotational.Components.Damper",
                          "body": f"{MULTIBODY}.Parts.Body"}
    # Modelica.Mechanics.MultiBody.Examples.Elementary.Pendulum
    assert connections == {frozenset(pair) for pair in (
        ("world.frame_b", "rev.frame_a"), ("damper.flange_b", "rev.axis"), ("rev.support", "damper.flange_a"),
        ("body.frame_a", "rev.frame_b"))}
    assert "rev(n={0, 0, 1}, phi(start=0, fixed=true), w(start=0, fixed=true), useAxisFlange=true)" in text
    assert "body(m=1, r_CM={0.5, 0, 0})" in text


def test_the_fourbar_is_modelicas(tmp_path):
    m = lw.Model("fourbar")
    m.world = lw.World()
    m.j1 = joints.Revolute(n=[1, 0, 0], phi=0, w=5.235987755982989)
    m.j2 = joints.Prismatic(n=[1, 0, 0], s=lw.guess(-0.2))
    m.b1, m.b2, m.b3 = (parts.BodyCylinder(r=r, diameter=0.05) for r in ([0, 0.5, 0.1], [0, 0.2, 0], [-1, 0.3, 0.1]))
    m.rev, m.rev1 = joints.Revolute(n=[0, 1, 0]), joints.Revolute()
    m.j3, m.j4, m.j5 = (joints.Revolute(n=n) for n in np.eye(3).tolist())
    m.b0 = parts.FixedTranslation(r=[1.2, 0, 0], animation=False)
    m.chain(m.world, m.j1, m.b1, m.j3, m.j4, m.j5)
    m.connect(m.j5.frame_b, m.b3.frame_b)
    m.chain(m.world, m.b0, m.j2, m.b2, m.rev, m.rev1, m.b3)
    components, connections = read_back(written(m, tmp_path))
    # Modelica.Mechanics.MultiBody.Examples.Loops.Fourbar1
    revolutes, cylinders = ("j1", "rev", "rev1", "j3", "j4", "j5"), ("b1", "b2", "b3")
    assert components == {"world": f"{MULTIBODY}.World", "j2": f"{MULTIBODY}.Joints.Prismatic",
                          "b0": f"{MULTIBODY}.Parts.FixedTranslation",
                          **{name: f"{MULTIBODY}.Joints.Revolute" for name in revolutes},
                          **{name: f"{MULTIBODY}.Parts.BodyCylinder" for name in cylinders}}
    assert connections == {frozenset(pair) for pair in (
        ("j2.frame_b", "b2.frame_a"), ("j1.frame_b", "b1.frame_a"), ("rev.frame_a", "b2.frame_b"),
        ("rev.frame_b", "rev1.frame_a"), ("rev1.frame_b", "b3.frame_a"), ("world.frame_b", "j1.frame_a"),
        ("b1.frame_b", "j3.frame_a"), ("j3.frame_b", "j4.frame_a"), ("j4.frame_b", "j5.frame_a"),
        ("j5.frame_b", "b3.frame_b"), ("b0.frame_a", "world.frame_b"), ("b0.frame_b", "j2.frame_a"))}


def test_the_losses_of_a_drive_are_modelicas(tmp_path):
    m = lw.Model("heat losses")
    m.world = lw.World()
    m.inertia, m.wall = rotational.Inertia(J=2.0, phi=0, w=10.0), rotational.Fixed()
    m.damper, m.gear = rotational.Damper(d=0.2), rotational.Gearbox(ratio=3, c=1e4, b=0.01)
    m.convection = heat.Convection(Gc=20.0)
    m.mass, m.room = heat.HeatCapacitor(C=5.0, T=300.0), heat.celsius.FixedTemperature(T=25)
    m.connect(m.inertia.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.damper.flange_a)
    m.connect(m.damper.flange_b, m.wall.flange)
    m.connect(m.damper.heat_port, m.gear.heat_port, m.mass.port, m.convection.solid)
    m.connect(m.convection.fluid, m.room.port)
    text = written(m, tmp_path)
    components, connections = read_back(text)
    assert components["mass"] == "Modelica.Thermal.HeatTransfer.Components.HeatCapacitor"
    assert components["room"] == "Modelica.Thermal.HeatTransfer.Celsius.FixedTemperature"
    assert components["gear"] == "Modelica.Mechanics.Rotational.Components.Gearbox"
    assert frozenset(("damper.heatPort", "mass.port")) in connections
    assert frozenset(("convection.fluid", "room.port")) in connections
    for line in ("damper(d=0.2, useHeatPort=true)", "gear(ratio=3, c=10000, b=0.01, useHeatPort=true)",
                 "mass(C=5, T(start=300, fixed=true))", "convection.Gc = 20;"):
        assert line in text


def test_what_modelica_has_otherwise_is_refused_as_that(tmp_path):
    m = lw.Model("brake")
    m.world = lw.World()
    m.inertia, m.brake = rotational.Inertia(J=2.0), rotational.SignTorque(tau_nominal=-1.0)
    m.connect(m.inertia.flange_b, m.brake.flange)
    with pytest.raises(lw.ModelError, match="brake: the Standard Library's SignTorque has other parameters"):
        written(m, tmp_path)


class Leg(lw.Model):
    """A sub-model with a connector and a signal."""

    def __init__(self):
        super().__init__()
        self.top = lw.Frame()
        self.knee = joints.Revolute(phi=lw.guess(0.2))
        self.shin = parts.BodyShape(m=1.0, r=[0.3, 0, 0], inertia=[0.1, 0.2, 0.3])
        self.motor = rotational.Torque(tau=3 * lw.sin(lw.time) - 2 * self.knee.w + 0.1 * self.shin.r_0[1])
        self.connect(self.top, self.knee.frame_a)
        self.connect(self.knee.frame_b, self.shin.frame_a)
        self.connect(self.knee.axis, self.motor.flange)


def walker():
    m = lw.Model("walker")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.turn = parts.FixedRotation(n=[1, 0, 0], angle=lw.deg(90))
    m.leg = Leg()
    m.block = parts.Body(m=2.0)
    push = m.input("push")
    m.push_force = forces.WorldForce(force=[push, 0, lw.where(lw.time > 1, 5, 0)])
    m.output("height", m.leg.shin.r_0)
    m.connect(m.world.frame_b, m.turn.frame_a)
    m.connect(m.turn.frame_b, m.leg.top)
    m.connect(m.leg.shin.frame_b, m.block.frame_a, m.push_force.frame_b)
    return m


def test_sub_models_signals_and_inputs_are_written(tmp_path):
    text = written(walker(), tmp_path)
    for line in ("model LegModel", "LegModel leg;", "Modelica.Blocks.Interfaces.RealInput push;",
                 "Modelica.Blocks.Interfaces.RealOutput height[3];", "connect(turn.frame_b, leg.top);",
                 "height = {leg.shin.r_0[1], leg.shin.r_0[2], leg.shin.r_0[3]};", "turn(n={1, 0, 0}, angle=90)",
                 "Parts.Body block_(m=2)", "connect(leg.shin.frame_b, block_.frame_a);", "I_11=0.1, I_21=0, I_22=0.2"):
        assert line in text
    torque = re.search(r"motor.tau = (.*);", text).group(1)
    assert {"sin(time)", "knee.w", "shin.r_0[2]"} <= set(re.findall(r"sin\(time\)|knee\.w|shin\.r_0\[\d\]", torque))
    assert "(if (1 < time) then 5 else 0)" in text


def test_the_text_is_modelica(tmp_path):
    """A compiler of another house reads it without complaint."""
    rumoca = pytest.importorskip("rumoca")
    lw.export(walker(), tmp_path / "Walker.mo")
    assert rumoca.validate_source((tmp_path / "Walker.mo").read_text()) == []


def test_what_the_library_has_not_is_refused_by_name(tmp_path):
    m = walker()
    m.leg.knee.friction = lw.Coulomb(tau=1.0)
    with pytest.raises(lw.ModelError, match="leg.knee.friction"):
        lw.export(m, tmp_path / "m.mo")
    other = lw.Model("m")
    other.world, other.joint, other.body = lw.World(), joints.Gimbal(), parts.Body(m=1.0)
    other.chain(other.world, other.joint, other.body)
    with pytest.raises(lw.ModelError, match="joint: the Modelica Standard Library has no Gimbal"):
        lw.export(other, tmp_path / "m.mo")


def test_blocks_are_those_of_the_library(tmp_path):
    """A controlled arm: blocks become components, what they work on an equation."""
    m = lw.Model("arm")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque()
    error = lw.blocks.first_order(0.5 - m.rev.phi, T=0.01, name="sensor")
    m.motor.tau = lw.blocks.pi(error, k=5, T=0.2, name="control") - lw.blocks.integrator(m.rev.w, y_max=2, name="limit")
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    text = written(m, tmp_path)
    for line in ("Continuous.FirstOrder sensor(k=1, T=0.01, ", "sensor.u = (0.5 - rev.phi);",
                 "Continuous.PI control(k=5, T=0.2, ", "control.u = sensor.y;",
                 "Continuous.LimIntegrator limit(k=1, outMax=2, outMin=-2, ",
                 "motor.tau = ((5 * (control.x + sensor.y)) - limit.y);"):
        assert line in text, text
    rumoca = pytest.importorskip("rumoca")
    assert rumoca.validate_source(text) == []
    m.motor.tau = lw.blocks.pid(error, name="pid")
    with pytest.raises(lw.ModelError, match="pid: a block pid of this form is not written"):
        lw.export(m, tmp_path / "m.mo")


class GasForce(translational.Force2):
    """The gas of a cylinder: a simple law here, the library's own there."""

    modelica = "Modelica.Mechanics.MultiBody.Examples.Loops.Utilities.GasForce"


class Cylinder(lw.Model):
    """A cylinder of the engine, as Modelica.Mechanics.MultiBody.Examples.Loops.Utilities.Cylinder is built."""

    def __init__(self, crank_angle: float, inclination: float):
        super().__init__()
        x, turned = [1, 0, 0], {"rotation_type": "two_axes", "n_x": [1, 0, 0], "animation": False}
        self.piston = parts.BodyCylinder(r=[0, 0.1, 0], diameter=0.1)
        self.connectingRod = parts.BodyBox(r=[0, 0.2, 0], r_shape=[0, -0.02, 0], width_direction=x, width=0.02,
                                           height=0.06)
        self.b1, self.b2 = joints.RevolutePlanarLoopConstraint(n=x), joints.Revolute(n=x)
        self.crank1, self.crank3 = (parts.BodyCylinder(r=[0.1, 0, 0], r_shape=[-0.01, 0, 0], length=0.12, diameter=d)
                                    for d in (0.05, 0.03))
        self.crank2, self.crank4 = (parts.BodyBox(r=[0, y, 0], width_direction=x, width=0.02, height=0.05)
                                    for y in (0.1, -0.1))
        self.mid = parts.FixedTranslation(r=[0.05, 0, 0], animation=False)
        self.cylinder = joints.Prismatic(n=[0, -1, 0], s=lw.guess(-0.3))
        self.mounting = parts.FixedTranslation(r=[0.2, 0, 0], animation=False)
        self.cylinderInclination = parts.FixedRotation(
            r=[0.15, 0, 0], n_y=[0, np.cos(inclination), np.sin(inclination)], **turned)
        self.crankAngle1, self.crankAngle2 = (
            parts.FixedRotation(n_y=[0, np.cos(crank_angle), sign * np.sin(crank_angle)], **turned) for sign in (1, -1))
        self.cylinderTop = parts.FixedTranslation(r=[0, 0.42, 0], animation=False)
        self.gasForce = GasForce(f=-100 * (self.cylinder.s + 0.3))
        self.cylinder_a, self.cylinder_b, self.crank_a, self.crank_b = (lw.Frame() for _ in range(4))
        for pair in CYLINDER:
            self.connect(*(attrgetter(end)(self) for end in pair))


#: connections of Loops.Utilities.Cylinder of the Standard Library
CYLINDER = [
    ("b1.frame_a", "mid.frame_b"), ("connectingRod.frame_a", "b1.frame_b"), ("cylinder.frame_b", "piston.frame_b"),
    ("crank1.frame_a", "crankAngle1.frame_b"), ("b2.frame_a", "piston.frame_a"),
    ("connectingRod.frame_b", "b2.frame_b"),
    ("crank4.frame_b", "crankAngle2.frame_a"), ("cylinderInclination.frame_b", "cylinderTop.frame_a"),
    ("crank1.frame_b", "crank2.frame_a"), ("crank3.frame_b", "crank4.frame_a"), ("crank3.frame_a", "crank2.frame_b"),
    ("crank2.frame_b", "mid.frame_a"), ("cylinderTop.frame_b", "cylinder.frame_a"),
    ("cylinderInclination.frame_a", "cylinder_a"), ("mounting.frame_a", "cylinder_a"),
    ("mounting.frame_b", "cylinder_b"), ("crankAngle1.frame_a", "crank_a"), ("crankAngle2.frame_b", "crank_b"),
    ("cylinder.axis", "gasForce.flange_b"), ("cylinder.support", "gasForce.flange_a")]
#: those of Loops.EngineV6
ENGINE = [
    ("bearing.frame_b", "cylinder1.crank_a"), ("world.frame_b", "cylinder1.cylinder_a"),
    *((f"cylinder{k}.crank_b", f"cylinder{k + 1}.crank_a") for k in range(1, 6)),
    *((f"cylinder{k}.cylinder_b", f"cylinder{k + 1}.cylinder_a") for k in range(1, 6)),
    ("world.frame_b", "bearing.frame_a"), ("load2.flange", "load.flange_b"), ("torqueSensor.flange_b", "load.flange_a"),
    ("torqueSensor.flange_a", "bearing.axis")]
#: and of its signals
MEASURED = ("torqueSensor.tau", "filter.u")


def test_the_engine_is_modelicas(tmp_path):
    """All names, classes and connections are the library's: the gas is a component of one's own that says what it is
    there, the filter of the torque a block."""
    m = lw.Model("EngineV6")
    m.world, m.bearing = lw.World(), joints.Revolute(n=[1, 0, 0])
    for k, (angle, inclination) in enumerate(zip((-30, 90, 210, 210, 90, -30), (-30, 30) * 3, strict=True), 1):
        setattr(m, f"cylinder{k}", Cylinder(np.radians(angle), np.radians(inclination)))
    m.load = rotational.Inertia(J=1.0, phi=0.0, w=10.0)
    m.load2 = rotational.QuadraticSpeedDependentTorque(tau_nominal=-100, w_nominal=200)
    m.torqueSensor = rotational.TorqueSensor()
    for pair in ENGINE:
        m.connect(*(attrgetter(end)(m) for end in pair))
    m.output("filteredEngineTorque", lw.blocks.critical_damping(m.torqueSensor.tau, n=2, f=5, name="filter"))
    text = written(m, tmp_path)
    expected = {"Parts.BodyCylinder": ("piston", "crank1", "crank3"), "Joints.Prismatic": ("cylinder",),
                "Parts.BodyBox": ("connectingRod", "crank2", "crank4"), "Joints.Revolute": ("b2",),
                "Joints.RevolutePlanarLoopConstraint": ("b1",),
                "Parts.FixedTranslation": ("mid", "mounting", "cylinderTop"),
                "Parts.FixedRotation": ("cylinderInclination", "crankAngle1", "crankAngle2"),
                "Interfaces.Frame_a": ("cylinder_a", "cylinder_b", "crank_a", "crank_b")}
    own = {**{name: f"{MULTIBODY}.{kind}" for kind, names in expected.items() for name in names},
           "gasForce": f"{MULTIBODY}.Examples.Loops.Utilities.GasForce"}
    for k in range(1, 7):
        inner = re.search(rf"  model Cylinder{k}Model.*?end Cylinder{k}Model;", text, re.S).group()
        assert read_back(inner.replace("\n    ", "\n  ")) == (own, {frozenset(pair) for pair in CYLINDER})
    outer = text[text.index("end Cylinder6Model;"):]
    components, connections = read_back(outer)
    rotating = "Modelica.Mechanics.Rotational"
    assert components == {
        "world": f"{MULTIBODY}.World", "bearing": f"{MULTIBODY}.Joints.Revolute",
        "load": f"{rotating}.Components.Inertia", "load2": f"{rotating}.Sources.QuadraticSpeedDependentTorque",
        "torqueSensor": f"{rotating}.Sensors.TorqueSensor", "filter": "Modelica.Blocks.Continuous.CriticalDamping",
        "filteredEngineTorque": "Modelica.Blocks.Interfaces.RealOutput"}
    assert set(re.findall(r"^  Cylinder(\d)Model cylinder(\d);", outer, re.M)) == {(k, k) for k in "123456"}
    assert connections == {frozenset(pair) for pair in (*ENGINE, MEASURED)}
    assert "filter(n=2, f=5, " in outer and "filteredEngineTorque = filter.x[2];" in outer
    rumoca = pytest.importorskip("rumoca")
    assert rumoca.validate_source(text) == []
