"""Constraints that hold for a while: let go, caught by an impulse, refused where parts would have to jump."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, joints, parts
from linkwright import planar as pl

G, L = 9.81, 0.7


def swinging(**rod):
    m = lw.Model("sling")
    m.world = lw.World(g=G)
    m.rod = constraints.Rod(length=L, **rod)
    m.mass = parts.PointMass(m=1.0, r_0=lw.guess([0.68, -0.1, 0]), v_0=lw.guess([0, -1, 0]))
    m.chain(m.world, m.rod, m.mass)
    return m


def test_a_sling_lets_go():
    """A pendulum until 0.5 s, from then on a thrown stone, without any force."""
    r = lw.simulate(swinging(when=lw.time < 0.5), 1.5, accuracy=1e-10)
    held = lw.simulate(swinging(), 0.5, accuracy=1e-10)
    np.testing.assert_allclose(r.at(held.t)["mass.r_0"], held["mass.r_0"], atol=1e-8)
    t = r.t[r.t > 0.5]
    r0, v0 = held["mass.r_0"][-1], held["mass.v_0"][-1]
    flight = r0 + np.outer(t - 0.5, v0) + np.outer((t - 0.5) ** 2 / 2, [0, -G, 0])
    np.testing.assert_allclose(r["mass.r_0"][r.t > 0.5], flight, atol=1e-7)
    assert np.abs(np.linalg.norm(r["mass.r_0"][0]) - L) < 1e-10  # a constraint that holds at the start shapes it
    assert np.abs(r["rod.frame_b.f"][r.t > 0.5]).max() == 0
    assert np.linalg.norm(r["rod.frame_b.f"][r.t < 0.5], axis=1).min() > 1


def test_a_rope_that_becomes_taut():
    """Without gravity: a straight line at distance 0.4 until the rope of 0.7 m is taut, then a circle.

    What is along the rope is lost, what is across it stays: v' = v · 0.4/0.7.
    """
    m = lw.Model("rope")
    m.world = lw.World(gravity=None)
    m.taut = m.discrete("is_taut", 0)
    m.mass = parts.PointMass(m=2.0, r_0=[-0.3, 0.4, 0], v_0=[3.0, 0, 0])
    m.rope = constraints.Rod(length=L, when=m.taut)
    m.chain(m.world, m.rope, m.mass)
    m.when(m.mass.r_0[0] >= np.sqrt(L**2 - 0.4**2), {m.taut: 1})  # where the line meets the circle
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    caught = (0.3 + np.sqrt(L**2 - 0.4**2)) / 3
    assert [e.time for e in r.events if e.what == "rope"] == [pytest.approx(caught, abs=1e-9)]
    after = r.t > caught
    speed, start = 3 * 0.4 / L, np.arctan2(0.4, np.sqrt(L**2 - 0.4**2))
    angle = start - speed / L * (r.t[after] - caught)
    np.testing.assert_allclose(r["mass.r_0"][after, :2], L * np.stack([np.cos(angle), np.sin(angle)], 1), atol=1e-7)
    np.testing.assert_allclose(np.linalg.norm(r["rope.frame_b.f"][after], axis=1), 2 * speed**2 / L, rtol=1e-7)


def carts():
    """1 kg at 2 m/s behind 3 kg at rest, 0.5 m apart."""
    m = lw.Model("carts")
    m.world = lw.World()
    for name, mass, s, v in (("a", 1.0, 0.0, 2.0), ("b", 3.0, 0.5, 0.0)):
        setattr(m, f"rail_{name}", joints.Prismatic(n=[1, 0, 0], s=s, v=v))
        setattr(m, f"cart_{name}", parts.Body(m=mass))
        m.chain(m.world, getattr(m, f"rail_{name}"), getattr(m, f"cart_{name}"))
    m.latched = m.discrete("is_latched", 0)
    m.when(m.rail_a.s >= m.rail_b.s, {m.latched: 1})
    return m


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_carts_that_couple_keep_their_momentum(level):
    m = carts()
    if level == "position":
        m.coupling = constraints.CoordinateCoupler(function=m.rail_a.s - m.rail_b.s, when=m.latched > 0.5)
    else:
        m.coupling = constraints.SpeedCoupler(function=m.rail_a.v - m.rail_b.v, when=m.latched)
    r = lw.simulate(m, 1.0)
    after = r.t > 0.25
    np.testing.assert_allclose(r["momentum"][:, 0], 2.0, atol=1e-12)
    np.testing.assert_allclose(r["rail_b.v"][after], 0.5, atol=1e-12)
    np.testing.assert_allclose(r["rail_a.s"][after], 0.5 + 0.5 * (r.t[after] - 0.25), atol=1e-10)


def test_carts_that_part_again():
    m = carts()
    m.when(lw.time > 0.6, {m.latched: 0})
    m.coupling = constraints.CoordinateCoupler(function=m.rail_a.s - m.rail_b.s, when=m.latched)
    m.brake = constraints.ConstantSpeed(speed=m.rail_a.v, value=0.0, when=lw.time > 0.8)
    r = lw.simulate(m, 1.0)
    assert r.at(0.7)["rail_a.v"] == pytest.approx(0.5, abs=1e-12)
    assert [r["rail_a.v"][-1], r["rail_b.v"][-1]] == pytest.approx([0.0, 0.5], abs=1e-12)


def test_a_planar_constraint_of_your_own_for_a_while():
    class OnCircle(pl.Constraint):
        radius = lw.parameter(1.0, "radius", "m")

        def residual(self, a, b):
            return [((b.x - a.x) ** 2 + (b.y - a.y) ** 2 - self.radius**2) / 2]

    m = lw.Model("planar sling")
    m.world = pl.World(g=0.0)
    m.fixed, m.circle = pl.Fixed(), OnCircle(when=lw.time < 1)
    m.body = pl.Body(m=1, I=0.1, r=[1, 0], v=[lw.guess(0), 2])
    m.connect(m.fixed.frame, m.circle.frame_a)
    m.connect(m.circle.frame_b, m.body.frame_a)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    end = np.array([np.cos(2), np.sin(2)])
    np.testing.assert_allclose(r["body.r"][-1], end + 2 * np.array([-np.sin(2), np.cos(2)]), atol=1e-8)


def test_parts_do_not_jump():
    m = swinging()
    m.far = parts.Fixed(r=[2, 0, 0])
    m.grip = constraints.Ball(when=lw.time > 0.3)
    m.connect(m.far.frame_b, m.grip.frame_a)
    m.connect(m.grip.frame_b, m.mass.frame_a)
    with pytest.raises(lw.SimulationError, match="grip begins to hold while it is open by") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.3)


def test_what_is_no_condition_is_refused():
    m = carts()
    m.coupling = constraints.SpeedCoupler(function=m.rail_a.v - m.rail_b.v, when=m.rail_a.s)
    with pytest.raises(lw.ModelError, match="coupling: a condition is a comparison"):
        lw.compile(m)
    with pytest.raises(lw.ModelError, match="rod: the condition 0.5 never changes"):
        lw.compile(swinging(when=0.5))
