"""Distances between the shapes of a model, whether they are a pair or not."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright import planar as pl


def arm():
    m = lw.Model("arm")
    m.world = lw.World()
    m.floor = contact.Plane(n=[0, 1, 0])
    m.rev = joints.Revolute(n=[0, 0, 1], phi=0.3)
    m.link = parts.FixedTranslation(r=[1, 0, 0])
    m.body = parts.Body(m=1.0)
    m.tip, m.crate = contact.Sphere(radius=0.1), contact.Box(size=[0.2, 0.3, 0.4])
    m.post = parts.Fixed(r=[0, 2, 0])
    m.can = contact.Cylinder(radius=0.2, length=0.5)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.chain(m.world, m.rev, m.link, m.body)
    m.connect(m.link.frame_b, m.tip.frame_a, m.crate.frame_a)
    m.connect(m.post.frame_b, m.can.frame_a)
    return m


def test_distances_follow_the_state():
    system = lw.compile(arm())
    s = system.state()
    for phi in (0.3, 1.2, -0.4):
        s.set("rev.phi", phi)
        touch = system.distance(s, "floor", "tip")
        assert touch.gap == pytest.approx(np.sin(phi) - 0.1, abs=1e-12)
        assert np.allclose(touch.normal, [0, 1, 0]) and np.allclose(touch.point_a, [np.cos(phi), 0, 0])
    assert system.distance(s, "tip", "floor").normal[1] == pytest.approx(-1.0)


def test_shapes_that_no_formula_compares_have_a_distance_too():
    system = lw.compile(arm())
    s = system.state()
    s.set("rev.phi", np.pi / 2)  # the crate stands on its side, below the can
    assert system.distance(s, "crate", "can").gap == pytest.approx(1.0 - 0.1 - 0.2, abs=1e-9)


def test_a_size_that_is_tuned_counts():
    system = lw.compile(arm(), tunable=["tip.radius"])
    s = system.state()
    s.set("tip.radius", 0.25)
    assert system.distance(s, "floor", "tip").gap == pytest.approx(np.sin(0.3) - 0.25, abs=1e-12)


def test_an_unknown_shape_is_refused_by_name():
    system = lw.compile(arm())
    with pytest.raises(lw.ModelError, match="the list of shapes has no 'tipp'. Did you mean 'tip'"):
        system.distance(system.state(), "tipp", "floor")


def test_planar_shapes():
    m = lw.Model("plane")
    m.world = pl.World()
    m.body = pl.Body(m=1.0, I=0.1, r=[0.3, 1.0])
    m.wheel, m.line = pl.contact.Circle(radius=0.2), pl.contact.Line()
    m.fixed = pl.Fixed()
    m.connect(m.body.frame_a, m.wheel.frame_a)
    m.connect(m.fixed.frame, m.line.frame_a)
    system = lw.compile(m)
    assert system.distance(system.state(), "line", "wheel").gap == pytest.approx(0.8)
