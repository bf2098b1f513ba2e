"""Ropes that do not stretch: blows, tensions and leaving in closed form; energy over wraps."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, joints, parts, rotational

G = 9.80665


def falling(restitution=0.0, mass=1.0):
    m = lw.Model("falling")
    m.world = lw.World()
    m.slide, m.load = joints.Prismatic(n=[0, -1, 0], s=0.5), parts.Body(m=mass)
    m.chain(m.world, m.slide, m.load)
    m.rope = cables.Rope([m.world.frame_b, m.load.frame_a], length=1.0, restitution=restitution)
    return m


def test_a_rope_stops_what_falls_into_it():
    """0.5 m deep, then the impulse m √(2 g 0.5), then the weight."""
    r = lw.simulate(falling(), 1.0, accuracy=1e-10)
    blow = r.events[0].time
    assert blow == pytest.approx(np.sqrt(2 * 0.5 / G), abs=1e-10)
    assert G * blow == pytest.approx(3.13155712067, abs=1e-9)
    assert r["slide.s"][-1] == pytest.approx(1.0, abs=1e-10)
    assert r["rope.f"][-1] == pytest.approx(G, rel=1e-10)
    assert r["rope.f"][0] == 0


def test_a_rope_that_throws_back_keeps_the_energy():
    r = lw.simulate(falling(1.0), 2.0, accuracy=1e-10)
    E = 0.5 * r["slide.v"] ** 2 - G * r["slide.s"]
    assert len(r.events) >= 3
    assert np.abs(E - E[0]).max() < 1e-9


def test_a_whirled_stone_leaves_the_circle_where_the_rope_goes_slack():
    """Thrown from the lowest point with v₀² = 4 g L it leaves where v² = g L cos φ from the top: cos φ = 2/3."""
    m = lw.Model("whirled")
    m.world = lw.World()
    m.x, m.y, m.stone = joints.Prismatic(n=[1, 0, 0], s=0.0, v=np.sqrt(4 * G)), joints.Prismatic(
        n=[0, 1, 0], s=-1.0, v=0.0), parts.Body(m=1.0)
    m.chain(m.world, m.x, m.y, m.stone)
    m.rope = cables.Rope([m.world.frame_b, m.stone.frame_a], length=1.0)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    until = lw.simulate(m, r.events[0].time, accuracy=1e-10)
    assert until["y.s"][-1] == pytest.approx(2 / 3, abs=1e-8)
    assert until["rope.f"][0] == pytest.approx(4 * G + G, rel=1e-9)
    assert until["rope.f"][-1] == pytest.approx(0, abs=1e-7)
    assert np.abs(until["rope.l"] - 1).max() < 1e-9
    assert np.all(r["rope.f"][r.t > r.events[0].time + 1e-9][:10] == 0)


def over_a_peg(peg, rope):
    """A bob in a plane on a rope that lays itself round a peg; the line to it passes beyond the peg at 0.62 s."""
    m = lw.Model("over a peg")
    m.world = lw.World()
    m.x, m.y, m.bob = joints.Prismatic(n=[1, 0, 0], s=0.8, v=0.0), joints.Prismatic(
        n=[0, 1, 0], s=-0.6, v=0.0), parts.Body(m=1.0)
    m.chain(m.world, m.x, m.y, m.bob)
    m.peg = peg
    m.connect(m.world.frame_b, m.peg.frame_a)
    m.rope = rope([m.world.frame_b, m.peg.wrap(), m.bob.frame_a])
    return m


def mechanical_energy(r):
    return 0.5 * (r["x.v"] ** 2 + r["y.v"] ** 2) + G * r["y.s"]


@pytest.mark.parametrize(("peg", "end", "arc"), [
    (cables.Cylinder(radius=0.05, n=[0, 0, 1], r=[-0.05, -0.4, 0]), 0.75, 0.0469),
    (cables.Sphere(radius=0.05, r=[-0.05, -0.4, 0]), 0.57, 0.0094)])
def test_energy_is_kept_over_wraps(peg, end, arc):
    """The rope is a constraint meanwhile.  A ball it would leave sideways, where the line passes its centre."""
    r = lw.simulate(over_a_peg(peg, lambda way: cables.Rope(way, length=1.0)), end, accuracy=1e-10)
    E = mechanical_energy(r)
    assert r["rope.wrap[0].arc"].max() == pytest.approx(arc, abs=1e-4)
    assert np.abs(E - E[0]).max() < 1e-8
    assert np.abs(r["rope.l"] - 1).max() < 1e-8
    assert r["rope.f"].min() > 0


def test_a_cable_stays_on_an_ellipsoid_until_it_lifts_off():
    """Where the straight line passes beyond it, too: the way is that over a cylinder of the same outline."""
    ends = []
    for peg in (cables.Ellipsoid(radii=[0.05, 0.05, 0.5], r=[-0.05, -0.4, 0]),
                cables.Cylinder(radius=0.05, n=[0, 0, 1], r=[-0.05, -0.4, 0])):
        r = lw.simulate(over_a_peg(peg, lambda way: cables.SpringCable(way, c=1e4, length=1.0)), 0.75, accuracy=1e-9)
        E = mechanical_energy(r) + r["elastic_energy"]
        assert np.abs(E - E[0]).max() < 1e-6
        ends.append([r[name][-1] for name in ("x.s", "y.s", "rope.l", "rope.wrap[0].arc")])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def atwood(mass=(2.0, 1.0)):
    """Two masses on a rope that neither stretches nor slips on a pulley of 0.01 kg m², radius 0.1 m."""
    m = lw.Model("atwood")
    m.world = lw.World()
    m.pulley = rotational.Inertia(J=0.01)
    for side, weight in zip((1, -1), mass, strict=True):
        name = "left" if side > 0 else "right"
        setattr(m, f"{name}_place", parts.FixedTranslation(r=[-0.1 * side, 0, 0]))
        setattr(m, f"{name}_slide", joints.Prismatic(n=[0, -1, 0], s=1.0, v=0.0))
        setattr(m, f"{name}_mass", parts.Body(m=weight))
        m.chain(m.world, getattr(m, f"{name}_place"), getattr(m, f"{name}_slide"), getattr(m, f"{name}_mass"))
        rope = cables.Winch([(m.world.frame_b, [-0.1 * side, 0, 0]), getattr(m, f"{name}_mass").frame_a],
                            radius=-0.1 * side, length=1.0)
        setattr(m, name, rope)
        m.connect(rope.drum, m.pulley.flange_a)
    return m


def test_atwoods_machine_with_ropes_that_do_not_stretch():
    """a = g/4; tensions 14.709975 and 12.2583125 N differ by the inertia of the pulley."""
    r = lw.simulate(atwood(), 0.5, accuracy=1e-10)
    assert r["left_slide.a"][-1] == pytest.approx(G / 4, rel=1e-10)
    assert r["left.f"][-1] == pytest.approx(14.709975, rel=1e-10)
    assert r["right.f"][-1] == pytest.approx(12.2583125, rel=1e-10)


def test_a_winch_by_its_length_over_time():
    """Pulled in at 0.1 t² m a load is lifted with 0.2 m/s²; over four parts with a quarter of the force."""
    m = lw.Model("tackle")
    m.world = lw.World()
    m.slide, m.load = joints.Prismatic(n=[0, -1, 0], s=1.0, v=0.0), parts.Body(m=10.0)
    m.chain(m.world, m.slide, m.load)
    top, low = (m.world.frame_b, [0, 0, 0]), (m.load.frame_a, [0, 0, 0])
    m.rope = cables.Rope([top, low, top, low, top], length=4.0 - 4 * 0.1 * lw.time**2)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    assert r["rope.f"] == pytest.approx(np.full(len(r.t), 10 * (G + 0.2) / 4), rel=1e-9)
    assert r["slide.s"][-1] == pytest.approx(0.9, abs=1e-9)


def test_errors_name_the_rope():
    m = falling()
    m.short = cables.Rope([m.world.frame_b, m.load.frame_a], length=0.4)
    with pytest.raises(lw.InitialError, match=r"short: the rope is too short .* -0\.1 m"):
        lw.simulate(m, 1.0)
    with pytest.raises(lw.ModelError, match="give its length"):
        m.other = cables.Rope([m.world.frame_b, m.load.frame_a])
        lw.compile(m)
    peg = cables.Ellipsoid(radii=[0.05, 0.05, 0.5], r=[-0.05, -0.4, 0])
    with pytest.raises(lw.ModelError, match="cannot run over the ellipsoid peg yet"):
        over_a_peg(peg, lambda way: cables.Rope(way, length=1))
