"""Ropes on drums and over pulleys: closed forms, energy, power."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, joints, parts, rotational

G = 9.80665


def atwood(d):
    """Masses of 2 and 1 kg on a rope that does not slip on a pulley of 0.01 kg m², radius 0.1 m."""
    m = lw.Model("atwood")
    m.world = lw.World()
    m.pulley = rotational.Inertia(J=0.01)
    for side, mass in ((1, 2.0), (-1, 1.0)):
        name = "left" if side > 0 else "right"
        slide, weight = joints.Prismatic(n=[0, -1, 0], s=1.0), parts.Body(m=mass)
        rope = cables.Hoist([(m.world.frame_b, [-0.1 * side, 0, 0]), (weight.frame_a, [0, 0, 0])], radius=-0.1 * side,
                            c=1e5, d=d, length=1.0)
        setattr(m, f"{name}_place", parts.FixedTranslation(r=[-0.1 * side, 0, 0]))
        setattr(m, f"{name}_slide", slide)
        setattr(m, f"{name}_mass", weight)
        setattr(m, name, rope)
        m.chain(m.world, getattr(m, f"{name}_place"), slide, weight)
        m.connect(rope.drum, m.pulley.flange_a)
    return m


def test_atwoods_machine():
    """a = (m₁ − m₂) g/(m₁ + m₂ + I/r²) = g/4; tensions 14.709975 and 12.2583125 N."""
    r = lw.simulate(atwood(d=200.0), 0.5, accuracy=1e-9)
    assert r["left_slide.a"][-1] == pytest.approx(G / 4, rel=1e-7)
    assert r["left.f"][-1] == pytest.approx(14.709975, rel=1e-7)
    assert r["right.f"][-1] == pytest.approx(12.2583125, rel=1e-7)


def test_energy_on_a_drum_is_kept():
    r = lw.simulate(atwood(d=0.0), 0.3, accuracy=1e-10)
    K = r["left_slide.v"] ** 2 + 0.5 * r["right_slide.v"] ** 2 + 0.005 * r["pulley.w"] ** 2
    E = K - G * (2 * r["left_slide.s"] + r["right_slide.s"]) + r["elastic_energy"]
    assert np.abs(E - E[0]).max() < 1e-8 * np.abs(E).max()


def test_block_and_tackle_multiplies_the_force():
    """A rope that runs to and fro carries a load on four parts."""
    m = lw.Model("tackle")
    m.world = lw.World()
    m.slide, m.load = joints.Prismatic(n=[0, -1, 0], s=1.0), parts.Body(m=10.0)
    m.chain(m.world, m.slide, m.load)
    top, low = (m.world.frame_b, [0, 0, 0]), (m.load.frame_a, [0, 0, 0])
    m.rope = cables.SpringCable([top, low, top, low, top], c=1e5, d=100.0, length=4.0)
    r = lw.simulate(m, 3.0, accuracy=1e-9)
    assert r["rope.f"][-1] == pytest.approx(10 * G / 4, rel=1e-6)


@pytest.mark.parametrize(("kind", "numbers", "expected"), [
    (cables.PathSpring, {"c": 2000.0, "dissipation": 0.3}, (1.006, 4.12, 9.27, 13.58, 32.7)),
    (cables.Ligament, {"F": 300.0}, (.126062421964, 1.853988594183, 8.643884557576, 19.301564661452, 78.0)),
    (cables.Blankevoort1991, {"k": 1000.0}, (.83453333, 13.339333, 60.006, 110.0, 270.018))])
def test_forces_on_ways_are_those_of_opensim(kind, numbers, expected):
    """OpenSim 4.6 at five lengths and rates; free length 0.05 m."""
    for (l, v), force in zip(((.0505, .02), (.052, .1), (.0545, .1), (.057, -.1), (.065, .3)), expected, strict=True):
        m = lw.Model("one")
        m.world = lw.World(gravity=None)
        m.slider, m.body = joints.Prismatic(n=[1, 0, 0], s=l, v=v), parts.Body(m=1.0)
        m.chain(m.world, m.slider, m.body)
        m.part = kind([m.world.frame_b, m.body.frame_a], length=0.05, **numbers)
        assert float(lw.compile(m).state().get("part.f")) == pytest.approx(force, rel=1e-7)


def test_dry_friction_along_a_way_sticks_or_slides():
    """A weight on a cable over a peg: 8 N of friction hold 0.5 kg, and let 1 kg go with (m g − F)/m."""
    for mass in (0.5, 1.0):
        m = lw.Model("rubbing")
        m.world = lw.World()
        m.slide, m.load = joints.Prismatic(n=[0, -1, 0], s=1.0, v=0.0), parts.Body(m=mass)
        m.chain(m.world, m.slide, m.load)
        m.peg = cables.Cylinder(radius=0.05, r=[-0.05, 0, 0])
        m.connect(m.world.frame_b, m.peg.frame_a)
        m.cable = cables.PathActuator([(m.world.frame_b, [-0.4, 0, 0]), m.peg.wrap(turn=-1), m.load.frame_a],
                                      friction=8.0)
        r = lw.simulate(m, 0.5, accuracy=1e-9)
        assert r["cable.wrap[0].contact"].all()
        expected = max(0.0, G - 8.0 / mass)
        assert r["slide.a"][-1] == pytest.approx(expected, abs=1e-9)
        assert r["slide.s"][-1] == pytest.approx(1 + expected * 0.125, abs=1e-8)
        assert r["cable.f"][-1] == pytest.approx(min(8.0, mass * G), rel=1e-9)
