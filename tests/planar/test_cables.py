"""Cables in the plane are those in space: the same motion, the same results, and errors that name them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, joints, parts, rotational
from linkwright import planar as pl

G = 9.80665


def bob(space, rope):
    """A bob on an arm, held by a cable over a peg, in the plane or in space."""
    m = lw.Model("bob")
    if space:
        m.world = lw.World()
        base, kit, r = m.world.frame_b, cables, lambda *x: [*x, 0.0]
        m.rev, m.arm, m.bob = joints.Revolute(phi=0.9), parts.FixedTranslation(r=[0, -1, 0]), parts.Body(
            m=1.0, inertia=[0.01] * 3)
        m.chain(m.world, m.rev, m.arm, m.bob)
        m.peg = cables.Cylinder(radius=0.1, n=[0, 0, 1], r=[0.1, -0.4, 0])
    else:
        m.world, m.base = pl.World(), pl.Fixed()
        base, kit, r = m.base.frame, pl.cables, lambda *x: list(x)
        m.rev, m.arm, m.bob = pl.Revolute(phi=0.9), pl.FixedTranslation(r=[0, -1]), pl.Body(m=1.0, I=0.01)
        m.connect(m.base.frame, m.rev.frame_a)
        m.connect(m.rev.frame_b, m.arm.frame_a)
        m.connect(m.arm.frame_b, m.bob.frame_a)
        m.peg = pl.cables.Circle(radius=0.1, r=[0.1, -0.4])
    m.connect(base, m.peg.frame_a)
    m.rope = rope(kit, [(base, r(0.3, 0.0)), m.peg.wrap(), m.bob.frame_a])
    return m


@pytest.mark.parametrize("rope", [lambda kit, way: kit.SpringCable(way, c=2000.0, d=5.0, length=1.05),
                                  lambda kit, way: kit.Rope(way, length=1.1, restitution=0.3),
                                  lambda kit, way: kit.Line(way, lambda l, v: 2 * l + v)],
                         ids=["spring", "rope", "line"])
def test_motion_is_that_in_space(rope):
    flat, space = (lw.simulate(bob(kind, rope), 1.5, accuracy=1e-10) for kind in (False, True))
    for name in ("rev.phi", "rev.w", "rope.l", "rope.v", "rope.f", "rope.wrap[0].arc", "rope.at[1]"):
        assert flat[name][-1] == pytest.approx(space[name][-1], abs=1e-7), name
    assert len(flat.events) == len(space.events)
    assert flat["rope.wrap[0].contact"].max() == 1


def test_planar_code_is_no_longer_than_that_of_space():
    law = lambda kit, way: kit.SpringCable(way, c=2000.0, d=5.0, length=1.05)  # noqa: E731
    flat, space = (lw.compile(bob(kind, law)) for kind in (False, True))
    assert flat.rhs.instructions <= space.rhs.instructions


def test_a_hoist_over_a_disc_lifts_by_what_the_drum_takes_up():
    m = lw.Model("hoist")
    m.world, m.base = pl.World(), pl.Fixed()
    m.slide, m.load = pl.Prismatic(r=[0, -1], s=1.0), pl.Body(m=10.0, I=0.1)
    m.place = pl.Fixed(r=[0.2, 0])
    m.connect(m.place.frame, m.slide.frame_a)
    m.connect(m.slide.frame_b, m.load.frame_a)
    m.disc = pl.cables.Disc(radius=0.1, r=[0.1, 0])
    m.connect(m.base.frame, m.disc.frame_a)
    m.drum, m.motor = rotational.Inertia(J=1.0), rotational.Speed(w_ref=1.0, exact=True)
    m.winch = pl.cables.Winch([(m.base.frame, [0, -0.5]), m.disc.wrap(turn=-1), m.load.frame_a], radius=0.2,
                              length=1.5 + 0.1 * np.pi)
    m.connect(m.motor.flange, m.drum.flange_a)
    m.connect(m.drum.flange_b, m.winch.drum)
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    assert r["winch.wrap[0].angle"][-1] == pytest.approx(np.pi, abs=1e-9)
    assert r["slide.s"][0] - r["slide.s"][-1] == pytest.approx(0.2, abs=1e-8)
    assert r["winch.f"][-1] == pytest.approx(10 * G, rel=1e-8)


def test_belts_turn_bodies_in_the_plane():
    m = lw.Model("belt")
    m.world, m.base, m.place = pl.World(), pl.Fixed(), pl.Fixed(r=[0.4, 0])
    m.axle1, m.axle2 = pl.Revolute(phi=0, w=10), pl.Revolute(phi=0, w=20)
    m.wheel1, m.wheel2 = pl.Body(m=1, I=0.01), pl.Body(m=1, I=0.005)
    m.p1, m.p2 = pl.cables.Disc(radius=0.1), pl.cables.Disc(radius=0.05)
    for base, axle, wheel, disc in ((m.base, m.axle1, m.wheel1, m.p1), (m.place, m.axle2, m.wheel2, m.p2)):
        m.connect(base.frame, axle.frame_a)
        m.connect(axle.frame_b, wheel.frame_a, disc.frame_a)
    m.belt = pl.cables.Belt([m.p1.wrap(+1), m.p2.wrap(+1)], EA=5e4, d=20, pretension=200)
    r = lw.simulate(m, 0.1)
    assert r["belt.length"][0] == pytest.approx(1.2774970744747, abs=1e-12)
    assert r["axle2.w"][-1] == pytest.approx(2 * r["axle1.w"][-1], rel=1e-6)


def test_what_is_of_space_or_has_three_numbers_is_refused():
    m = bob(False, lambda kit, way: kit.SpringCable(way, c=1.0, length=1.0))
    m.drum = cables.Cylinder(radius=0.1)
    with pytest.raises(lw.ModelError, match="needs two numbers in the plane"):
        pl.cables.Rope([(m.base.frame, [0, 1, 0]), m.bob.frame_a], length=1)
    with pytest.raises(lw.ModelError, match=r"drum .* in space; a cable in the plane wraps a pl\.cables\.Circle"):
        pl.cables.Rope([m.base.frame, m.drum.wrap(), m.bob.frame_a], length=1)
    with pytest.raises(lw.ModelError, match=r"planar frame; take pl\.cables"):
        cables.Rope([m.base.frame, m.bob.frame_a], length=1)
    with pytest.raises(lw.ModelError, match="axis of a circle"):
        pl.cables.Circle(radius=0.1, n=[0, 1, 0])
