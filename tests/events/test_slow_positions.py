"""Positions that events decide (Simbody's slow coordinates, Theory Manual §10.3): held between events, set there."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts


def shelf(switch=True):
    """A pendulum on a cart that stands at one of several places."""
    m = lw.Model("shelf")
    m.world = lw.World()
    m.cart, m.rev = joints.Prismatic(n=[1, 0, 0]), joints.Revolute(phi=-1.0, w=0)
    m.platform, m.bob = parts.Body(m=1.0, r_cm=[0, 0, 0]), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.cart, m.platform)
    m.connect(m.cart.frame_b, m.rev.frame_a)
    m.connect(m.rev.frame_b, m.bob.frame_a)
    place = m.discrete("place", 0.2)
    if switch:
        m.when(lw.time >= 0.5, {place: 0.7})
        m.when(lw.time >= 1.0, {place: place - 1.0})
    m.prescribe(m.cart.s, place)
    return m


def test_what_hangs_on_it_feels_nothing():
    """The place jumps, and all else goes on with its speed: without friction along x the pendulum swings as before."""
    r, steady = lw.simulate(shelf(), 1.5, accuracy=1e-10), lw.simulate(shelf(switch=False), 1.5, accuracy=1e-10)
    np.testing.assert_allclose(r["cart.s"], np.select([r.t < 0.5, r.t < 1.0], [0.2, 0.7], -0.3), atol=1e-15)
    assert np.all(r["cart.v"] == 0)
    np.testing.assert_allclose(r["rev.phi"], steady.at(r.t)["rev.phi"], atol=1e-8)
    np.testing.assert_allclose(r["cart.f"], steady.at(r.t)["cart.f"], atol=1e-6)
    before, after = r.at(0.5, side="before"), r.at(0.5, side="after")
    assert (float(before["cart.s"]), float(after["cart.s"])) == (0.2, 0.7)
    assert [event.time for event in r.events] == [0.5, 1.0]


def test_the_energy_of_the_jump_is_told():
    """It lifts a mass and stretches a spring at once: m g h and ½ c (x₁² − x₀²) are in the energies on both sides."""
    m = lw.Model("lift")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[0, 1, 0])
    m.load = parts.Body(m=2.0, r_cm=[0, 0, 0])
    m.spring = forces.Spring(c=30.0, s_unstretched=0.1)
    m.chain(m.world, m.rail, m.load)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.spring.frame_b, m.load.frame_a)
    height = m.discrete("height", 0.4)
    m.when(lw.time >= 0.3, {height: 0.9})
    m.prescribe(m.rail.s, height + 0.01 * lw.sin(lw.time))
    r = lw.simulate(m, 0.6)
    low, high = r.at(0.3, side="before"), r.at(0.3, side="after")
    wave = 0.01 * np.sin(0.3)
    assert high["potential_energy"] - low["potential_energy"] == pytest.approx(2.0 * 9.80665 * 0.5)
    assert high["elastic_energy"] - low["elastic_energy"] == pytest.approx(15 * ((0.8 + wave)**2 - (0.3 + wave)**2))
    assert high["kinetic_energy"] == pytest.approx(float(low["kinetic_energy"]))
    assert r["rail.v"] == pytest.approx(0.01 * np.cos(r.t))


def test_a_loop_closes_around_a_new_position():
    """The slide of a crank mechanism stands at steps: the crank's angle is that of the closed form at each."""
    m = lw.Model("slider crank")
    m.world = lw.World(gravity=None)
    m.slide, m.pin = joints.Prismatic(n=[1, 0, 0]), joints.Revolute(phi=lw.guess(2.6))
    m.crank, m.joint = joints.Revolute(phi=lw.guess(0.7)), joints.Revolute(phi=lw.guess(-1.2))
    m.arm = parts.BodyShape(r=[0.3, 0, 0], m=1.0, r_cm=[0.15, 0, 0], inertia=[0.01] * 3)
    m.rod = parts.BodyShape(r=[0.5, 0, 0], m=1.0, r_cm=[0.25, 0, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.crank, m.arm, m.joint, m.rod, m.pin)
    m.chain(m.world, m.slide)
    m.connect(m.slide.frame_b, m.pin.frame_b)
    place = m.discrete("place", 0.7)
    m.when(lw.time >= 0.2, {place: 0.6})
    m.when(lw.time >= 0.4, {place: 0.5})
    m.prescribe(m.slide.s, place)
    r = lw.simulate(m, 0.6)
    s = np.select([r.t < 0.2, r.t < 0.4], [0.7, 0.6], 0.5)
    np.testing.assert_allclose(r["slide.s"], s, atol=1e-12)
    np.testing.assert_allclose(np.cos(r["crank.phi"]), (0.09 + s * s - 0.25) / (0.6 * s), atol=1e-8)
    assert np.abs(r.closure).max() < 1e-8 if np.ndim(r.closure) else r.closure < 1e-8


def test_a_free_coordinate_decides_when():
    """A ratchet: each time the pendulum passes its lowest point the cart is moved on by a tooth."""
    m = shelf(switch=False)
    teeth = m.discrete("teeth", 0.0)
    m.when(m.rev.phi < -np.pi / 2, {teeth: teeth + 1})
    m.other = joints.Prismatic(n=[0, 0, 1])
    m.tooth = parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.other, m.tooth)
    m.prescribe(m.other.s, 0.05 * teeth)
    r = lw.simulate(m, 4.0)
    passes = len(r.events)
    assert passes >= 2 and r["other.s"][-1] == pytest.approx(0.05 * passes)


def test_a_speed_that_would_jump_is_refused():
    m = shelf(switch=False)
    factor = m.discrete("factor", 1.0)
    m.when(lw.time >= 0.5, {factor: 2.0})
    m.prescribe(m.rev.phi, factor * lw.sin(lw.time) - 1.0)
    with pytest.raises(lw.ModelError, match=r"rev.phi: .* changes at events, and its speed would jump"):
        lw.compile(m)


def test_what_a_controller_may_set_is_refused():
    m = shelf(switch=False)
    place = m.discrete("where", 0.0)
    m.when(lw.time > 1.0, {place: 0.3})

    @m.every(0.1)
    def control(t, read):
        return {}

    with pytest.raises(lw.ModelError, match=r"changes at events"):
        m.prescribe(m.rev.phi, place)


def test_derivatives_through_it_are_refused_by_name():
    with pytest.raises(lw.LinkwrightError, match=r"sets prescribed positions anew"):
        lw.simulate(shelf(), 1.5, sensitivities=["bob.m"])
