"""Modelica text: the Standard Library's own examples come out with its components and connections."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational


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
