"""Kinds, sizes and colours of default shapes against the animation tables of the MultiBody library (nominal length L).

The tables' entries are written out here once more, as fractions of L.
"""

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, contact, forces, joints, parts, planar, sensors, visualizers
from linkwright.language import Component
from linkwright.language.looks import BODY_COLOR, FORCE_COLOR, JOINT_COLOR, ROD_COLOR, SENSOR_COLOR, SPRING_COLOR
from linkwright.view.default_shapes import model_shapes, shapes_of

L = 2.0  # not 1, so that a forgotten factor shows
JOINT, WIDTH, BODY, ARROW, FORCE, ROD = L / 10, L / 20, L / 9, L / 40, L / 20, L / 30
RED, BLUE, GREY, GREEN, YELLOW = JOINT_COLOR, BODY_COLOR, ROD_COLOR, FORCE_COLOR, SENSOR_COLOR


def shaft(colour, d=ARROW):
    return "cylinder", (0, d, d), colour


def head(colour, d=ARROW):
    return "cone", (0, 3 * d, 3 * d), colour


TABLE = {
    parts.Fixed: (dict(r=[0.6, 0, 0]), [("cylinder", (0.6, ROD, ROD), GREY)]),
    parts.FixedTranslation: (dict(r=[0, 0.8, 0]), [("cylinder", (0.8, ROD, ROD), GREY)]),
    parts.FixedRotation: (dict(r=[0, 0, 0.4]), [("cylinder", (0.4, ROD, ROD), GREY)]),
    parts.Body: (dict(m=1, r_cm=[0.5, 0, 0]), [("cylinder", (0.5, BODY / 3, BODY / 3), BLUE),
                                               ("sphere", (BODY, BODY, BODY), BLUE)]),
    parts.PointMass: (dict(m=1), [("sphere", (BODY, BODY, BODY), BLUE)]),
    parts.BodyShape: (dict(m=1, r=[0.4, 0, 0], r_cm=[0.2, 0, 0]),
                      [("cylinder", (0.4, ROD, ROD), BLUE), ("sphere", (2 * ROD,) * 3, BLUE)]),
    parts.BodyBox: (dict(r=[0.4, 0, 0], height=0.1), [("box", (0.4, 0.02, 0.1), BLUE)]),
    parts.BodyCylinder: (dict(r=[0.4, 0, 0]), [("pipe", (0.4, 0.02, 0.02), BLUE)]),
    joints.Revolute: (dict(), [("cylinder", (JOINT, WIDTH, WIDTH), RED)]),
    joints.Prismatic: (dict(), [("box", (0, WIDTH, WIDTH), RED)]),
    joints.Cylindrical: (dict(), [("cylinder", (0, WIDTH, WIDTH), RED)]),
    joints.Universal: (dict(), [("cylinder", (JOINT, WIDTH, WIDTH), RED)] * 2),
    joints.Planar: (dict(), [("box", (0, 0.3 * WIDTH, 0.3 * WIDTH), RED)] * 2
                    + [("cylinder", (JOINT, WIDTH, WIDTH), RED)]),
    joints.Spherical: (dict(), [("sphere", (JOINT, JOINT, JOINT), RED)]),
    joints.FreeMotion: (dict(), [shaft(YELLOW), head(YELLOW)]),
    forces.WorldForce: (dict(), [shaft(GREEN), head(GREEN)]),
    forces.WorldTorque: (dict(), [shaft(GREEN), head(GREEN), head(GREEN)]),
    forces.WorldForceAndTorque: (dict(), [shaft(GREEN), head(GREEN), shaft(GREEN), head(GREEN), head(GREEN)]),
    forces.Force: (dict(), [shaft(GREEN), head(GREEN)] * 2 + [shaft(YELLOW)]),
    forces.Torque: (dict(), [shaft(GREEN), head(GREEN), head(GREEN)] * 2 + [shaft(YELLOW)]),
    forces.Spring: (dict(c=1.0, m=0.5), [("spring", (0, FORCE, FORCE / 5), SPRING_COLOR),
                                         ("sphere", (0.9 * 0.8 * FORCE,) * 3, BLUE)]),
    forces.Damper: (dict(d=1.0), [("cylinder", (0, FORCE, FORCE), (100, 100, 100)),
                                  ("cylinder", (0, 0.6 * FORCE, 0.6 * FORCE), GREY)]),
    forces.SpringDamperParallel: (dict(c=1.0), [("cylinder", (0, FORCE, FORCE), (100, 100, 100)),
                                                ("cylinder", (0, 0.6 * FORCE, 0.6 * FORCE), GREY),
                                                ("spring", (0, FORCE, FORCE / 5), SPRING_COLOR)]),
    forces.LineForceWithMass: (dict(m=0.5), [("cylinder", (0, ARROW, ARROW), YELLOW),
                                             ("sphere", (BODY, BODY, BODY), BLUE)]),
    forces.LineForceWithTwoMasses: (dict(m_a=1, m_b=1, L_a=0.1, L_b=0.1),
                                    [("cylinder", (0, FORCE, FORCE), GREY),
                                     ("cylinder", (0, 0.8 * FORCE, 0.8 * FORCE), (100, 100, 100)),
                                     ("sphere", (1.7 * FORCE,) * 3, BLUE), ("sphere", (1.7 * FORCE,) * 3, BLUE)]),
    sensors.AbsoluteSensor: (dict(), [shaft(YELLOW), head(YELLOW)]),
    sensors.RelativeSensor: (dict(), [shaft(YELLOW), head(YELLOW)]),
    sensors.Distance: (dict(), [shaft(YELLOW), head(YELLOW)]),
    sensors.CutForce: (dict(), [shaft(GREEN), head(GREEN)]),
    sensors.CutTorque: (dict(), [shaft(GREEN), head(GREEN), head(GREEN)]),
    constraints.Revolute: (dict(), [("sphere", (JOINT / 3,) * 3, RED)]),
    constraints.Spherical: (dict(), [("sphere", (JOINT / 3,) * 3, RED)]),
    visualizers.FixedShape: (dict(shape_type="cone", length=0.3, width=0.2), [("cone", (0.3, 0.2, 0.2), BLUE)]),
    visualizers.FixedShape2: (dict(r=[0.5, 0, 0]), [("box", (0.5, 0.1, 0.1), BLUE)]),
}

#: components with frames that the tables give no shape
UNSEEN = {"AbsoluteVelocity", "AbsoluteAngles", "AbsoluteAngularVelocity", "RelativeVelocity", "RelativeAngles",
          "RelativeAngularVelocity", "Power", "TransformAbsoluteVector", "TransformRelativeVector", "Mounting1D",
          "BevelGear1D", "AbsoluteAcceleration", "RelativeAcceleration", "AbsolutePosition", "Frame", "To3D",
          "AirResistanceLongitudinal", "DifferentialGear", "ScrewAxis",
          "Visualizer"}  # the last is a base to derive from


@pytest.mark.parametrize("cls", TABLE, ids=lambda c: f"{c.__module__.rsplit('.', 1)[-1]}.{c.__name__}")
def test_shapes_are_those_of_the_table(cls):
    given, expected = TABLE[cls]
    world = lw.World(nominal_length=L)
    got = shapes_of(cls(**given), world)
    assert [(s.kind, s.colour) for s in got] == [(kind, colour) for kind, _, colour in expected]
    for shape, (_, size, _) in zip(got, expected, strict=True):
        assert np.allclose(shape.size, size, rtol=1e-12), shape.name


def test_world_shows_axes_with_labels_and_gravity():
    world = lw.World(nominal_length=L, n=[0, 0, -1], animate_ground=True)
    got = {s.name: s for s in shapes_of(world, world)}
    length, d = L / 2, L / 80
    assert np.allclose(got["World.axes.x"].size, (length - 5.3 * d, d, d))
    assert np.allclose(got["World.axes.x.head"].size, (5 * d, 3 * d, 3 * d))
    assert [got[f"World.axes.{a}.label"].data for a in "xyz"] == ["x", "y", "z"]
    shaft_, head_ = got["World.gravity.shaft"], got["World.gravity.head"]
    assert np.allclose(head_.origin + head_.axes[:, 0] * head_.size[0], [0, 0, -L / 4])
    assert np.allclose(shaft_.axes[:, 0], [0, 0, -1]) and shaft_.colour == (0, 230, 0)
    assert got["World.ground"].kind == "ground" and np.allclose(got["World.ground"].axes[:, 2], [0, 0, 1])
    plate = lw.World(nominal_length=L, animate_ground=True, ground_length_u=2.0)
    assert next(s.size[:2] for s in shapes_of(plate, plate) if s.name == "World.ground") == (2.0, 2.0)


def classes_with_frames():
    for module in (parts, joints, forces, sensors, constraints, visualizers, contact, planar, planar.contact):
        for name in getattr(module, "__all__", dir(module)):
            cls = getattr(module, name)
            if inspect.isclass(cls) and issubclass(cls, Component) and not name.startswith("_"):
                try:
                    bare = cls.__new__(cls)
                    bare.__dict__.update(_connectors={}, _parameters={}, _signals={}, _initial={}, _symbols={},
                                         _name=None, _parent=None)
                    cls._make_connectors(bare)
                except Exception:
                    continue
                if any(port.kind.endswith("frame") for port in bare._connectors.values()):
                    yield pytest.param(cls, id=f"{module.__name__.rsplit('.', 1)[-1]}.{name}")


@pytest.mark.parametrize("cls", list(classes_with_frames()))
def test_every_component_with_a_frame_has_shapes(cls):
    from linkwright.view.default_shapes import drawn_by

    assert drawn_by(cls) is not None or cls.__name__ in UNSEEN


def test_given_sizes_and_colours_win():
    world = lw.World()
    box = shapes_of(joints.Prismatic(box_width=0.3, box_color=(1, 2, 3)), world)[0]
    assert box.size[1:] == (0.3, 0.3) and box.colour == (1, 2, 3)
    ball = shapes_of(parts.Body(m=1, sphere_diameter=0.5), world)[-1]
    assert ball.size == (0.5, 0.5, 0.5)
    assert shapes_of(parts.BodyShape(m=1, r=[1, 0, 0], animate_sphere=False), world)[-1].kind == "cylinder"


def test_own_joint_and_line_force_are_shown_like_their_kind():
    class Knee(joints.Joint):
        def transform(self, q):
            return lw.Transform(lw.rotation_z(q[0]), [0, 0, 0])

    class Band(forces.LineForce):
        def force(self, s, v):
            return s

    world = lw.World()
    assert {s.layer for s in shapes_of(Knee(), world)} == {"joints"}
    assert [s.kind for s in shapes_of(Band(), world)] == ["cylinder"]


def test_animation_switches():
    from view_models import pendulum

    m = pendulum()
    everything = {s.name for s in model_shapes(m, lw.compile(m))}
    assert "body.sphere" in everything and "rev.axis" in everything
    m.body.animation = False
    assert "body.sphere" not in {s.name for s in model_shapes(m, lw.compile(m))}
    hidden = pendulum(enable_animation=False)
    assert model_shapes(hidden, lw.compile(hidden)) == []


def test_nothing_compiles_when_only_looks_change():
    from view_models import pendulum

    first = lw.compile(pendulum())
    m = pendulum(nominal_length=3.0)
    m.body.sphere_diameter = 0.7
    m.rev.cylinder_color = (9, 9, 9)
    again = lw.compile(m)
    names = [[p.name for p in system.mechanism.parameters] for system in (first, again)]
    assert names[0] == names[1] and not {"rev.cylinder_color", "body.sphere_diameter"} & set(names[1])
    assert shapes_of(m.body, m.world)[-1].size[0] == 0.7
