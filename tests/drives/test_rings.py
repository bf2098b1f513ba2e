"""Rigid 1-D elements in a ring with lines in space: ropes over pulleys, lines of constant length."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import constraints, forces, joints, parts, rotational, translational


def atwood(J=0.0, radius=0.1):
    """Two weights on a rope of constant length over a pulley with an inertia."""
    m = lw.Model("atwood")
    m.world = lw.World(g=10)
    for k, mass, s in ((1, 3.0, 1.0), (2, 2.0, lw.guess(1.4))):
        place, rail, body, rope = (f"{name}{k}" for name in ("place", "rail", "body", "rope"))
        setattr(m, place, parts.FixedTranslation(r=[0.1 * (2 * k - 3), 0, 0]))
        setattr(m, rail, joints.Prismatic(n=[0, -1, 0], s=s))
        setattr(m, body, parts.Body(m=mass, r_cm=[0, 0, 0]))
        setattr(m, rope, forces.LineForceWithMass())
        m.chain(m.world, getattr(m, place), getattr(m, rail), getattr(m, body))
        m.connect(getattr(m, place).frame_b, getattr(m, rope).frame_a)
        m.connect(getattr(m, body).frame_a, getattr(m, rope).frame_b)
    m.over, m.rod = translational.IdealGear(ratio=-1), translational.Rod(L=2.5)
    m.connect(m.rope1.flange_b, m.rod.flange_b)
    m.connect(m.rod.flange_a, m.over.flange_a)
    m.connect(m.over.flange_b, m.rope2.flange_b)
    if J:
        m.wheel, m.pulley = rotational.IdealGearR2T(ratio=1 / radius), rotational.Inertia(J=J)
        m.connect(m.wheel.flange_t, m.rope1.flange_b)
        m.connect(m.wheel.flange_r, m.pulley.flange_a)
    return m


@pytest.mark.parametrize("J", (0.0, 0.05))
def test_weights_on_a_rope_over_a_pulley(J):
    r = lw.simulate(atwood(J), 0.4, accuracy=1e-10)
    a = 10 * (3 - 2) / (3 + 2 + J / 0.01)
    assert r["rail1.a"] == pytest.approx(a, abs=1e-9) and r["rail2.a"] == pytest.approx(-a, abs=1e-9)
    assert r["rope1.s"] + r["rope2.s"] == pytest.approx(2.5, abs=1e-10)
    for k, mass, up in ((1, 3.0, -a), (2, 2.0, a)):
        pull = mass * (10 + up)
        assert r[f"rope{k}.fb"] == pytest.approx(-pull, abs=1e-8)  # a flange that pulls feels the opposite
        assert r[f"rope{k}.frame_b.f"][:, 1] == pytest.approx(-pull, abs=1e-8)
        assert r[f"rope{k}.frame_a.f"][:, 1] == pytest.approx(pull, abs=1e-8)
    if J:
        assert r["pulley.w"][-1] == pytest.approx(10 * a * 0.4, abs=1e-9)


@pytest.mark.parametrize("formulation", ("projection", "minimal"))
def test_rotors_that_ride_on_a_line_have_their_inertia_wherever_gears_lead(formulation):
    """A swinging weight winds a rope off a drum that turns the ring of a planetary; sun and carrier have inertia.

    With ṡ the rate of the rope's length: ẋ_ring = 10 ṡ, ẋ_sun = 3 ċ − 20 ṡ, so that in polar coordinates (s, θ)
    T = ½ m (ṡ² + s²θ̇²) + ½ J_s (3 ċ − 20 ṡ)² + ½ J_c ċ².
    """
    m = lw.Model("drum")
    m.world = lw.World(g=10)
    m.swing, m.rail = joints.Revolute(phi=0.3, w=0.5), joints.Prismatic(n=[0, -1, 0], s=1.0)
    m.body, m.rope = parts.Body(m=3.0, r_cm=[0, 0, 0]), forces.LineForceWithMass()
    m.chain(m.world, m.swing, m.rail, m.body)
    m.connect(m.world.frame_b, m.rope.frame_a)
    m.connect(m.body.frame_a, m.rope.frame_b)
    m.drum, m.planetary = rotational.IdealGearR2T(ratio=10.0), rotational.IdealPlanetary(ratio=2.0)
    m.sun, m.carrier = rotational.Inertia(J=0.02), rotational.Inertia(J=0.03, phi=0.0, w=0.0)
    m.connect(m.rope.flange_b, m.drum.flange_t)
    m.connect(m.drum.flange_r, m.planetary.ring)
    m.connect(m.planetary.sun, m.sun.flange_a)
    m.connect(m.planetary.carrier, m.carrier.flange_a)
    r = lw.simulate(lw.compile(m, formulation=formulation), 0.4, accuracy=1e-10)
    s, turn, w = r["rail.s"], r["swing.phi"], r["swing.w"]
    M = np.array([[3 + 0.02 * 400, -0.02 * 3 * 20], [-0.02 * 3 * 20, 0.03 + 0.02 * 9]])
    pull = 3 * (s * w**2 + 10 * np.cos(turn))
    expected = np.linalg.solve(M, np.stack([pull, 0 * pull]))
    assert r["rail.a"] == pytest.approx(expected[0], abs=1e-8)
    assert r["carrier.a"] == pytest.approx(expected[1], abs=1e-7)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert energy == pytest.approx(energy[0], abs=1e-8)
    assert not imbalances(r)


def test_a_rotor_on_a_slanting_line_keeps_the_energy():
    """The drum stands beside a pendulum: how fast the rope runs off depends on the angle, by a factor that changes."""
    m = lw.Model("beside")
    m.world = lw.World(g=10)
    m.rev, m.arm, m.body = joints.Revolute(phi=0.4), parts.FixedTranslation(r=[0.5, 0, 0]), parts.Body(m=1.0)
    m.chain(m.world, m.rev, m.arm, m.body)
    m.place, m.rope = parts.Fixed(r=[0.9, 0.6, 0]), forces.LineForceWithMass()
    m.connect(m.place.frame_b, m.rope.frame_a)
    m.connect(m.arm.frame_b, m.rope.frame_b)
    m.drum, m.rotor = rotational.IdealGearR2T(ratio=10.0), rotational.Inertia(J=0.02)
    m.connect(m.rope.flange_b, m.drum.flange_t)
    m.connect(m.drum.flange_r, m.rotor.flange_a)
    r = lw.simulate(m, 0.6, accuracy=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(r["rotor.w"]) > 3 and energy == pytest.approx(energy[0], abs=1e-7)
    assert not imbalances(r)


def bob(holding):
    m = lw.Model("bob")
    m.world = lw.World()
    m.line = holding
    m.bob = parts.Body(m=1.5, r_cm=[0, 0, 0], r_0=[0.3, -0.4, 0.0], v_0=[0.4, 0.3, 0.2])
    m.connect(m.world.frame_b, m.line.frame_a)
    m.connect(m.line.frame_b, m.bob.frame_a)
    return m


def test_a_line_whose_flange_is_fixed_is_a_rod():
    m = bob(forces.LineForceWithMass())
    m.fixed = translational.Fixed(s0=0.5)
    m.connect(m.line.flange_b, m.fixed.flange)
    r, rod = lw.simulate(m, 1.0, accuracy=1e-11), lw.simulate(bob(constraints.Rod(length=0.5)), 1.0, accuracy=1e-11)
    assert r["bob.r_0"] == pytest.approx(rod["bob.r_0"], abs=1e-8)
    assert r["line.s"] == pytest.approx(0.5, abs=1e-9)
    # the ground of the drive train carries what the line pulls with
    pull = np.linalg.norm(1.5 * (r["bob.a_0"] + [0, 9.80665, 0]), axis=1)
    assert r["fixed.flange.f"] == pytest.approx(pull, abs=1e-6) and r["line.fb"] == pytest.approx(-pull, abs=1e-6)


def test_with_both_flanges_connected_each_end_feels_its_own():
    """A spring along a line of constant length: what holds the length acts at the end that is held."""
    m = lw.Model("both")
    m.world = lw.World()
    m.left, m.right = joints.Prismatic(s=0.0, v=0.0), joints.Prismatic(s=lw.guess(1.0))
    m.a, m.b = parts.Body(m=2.0, r_cm=[0, 0, 0]), parts.Body(m=3.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.left, m.a)
    m.chain(m.world, m.right, m.b)
    m.line, m.spring = forces.LineForceWithMass(), translational.Spring(c=50, s_rel0=0.8)
    m.fixed = translational.Fixed(s0=1.0)
    m.connect(m.a.frame_a, m.line.frame_a)
    m.connect(m.b.frame_a, m.line.frame_b)
    m.connect(m.line.flange_a, m.spring.flange_a)
    m.connect(m.line.flange_b, m.spring.flange_b, m.fixed.flange)
    r = lw.simulate(m, 0.5)
    assert r["left.a"] == pytest.approx(50 * 0.2 / 2.0, abs=1e-8)
    assert r["right.a"] == pytest.approx(r["left.a"], abs=1e-8)
    assert r["line.fa"] == pytest.approx(50 * 0.2, abs=1e-9)
    assert r["line.fb"] == pytest.approx(3.0 * r["right.a"], abs=1e-7)


def test_a_shaft_held_at_two_places_that_do_not_agree_is_refused():
    m = lw.Model("twice")
    m.world = lw.World()
    m.one, m.two, m.rod = translational.Fixed(s0=0.0), translational.Fixed(s0=1.0), translational.Rod(L=0.5)
    m.connect(m.one.flange, m.rod.flange_a)
    m.connect(m.rod.flange_b, m.two.flange)
    with pytest.raises(lw.TopologyError, match=r"held at two places that do not agree \(off by"):
        lw.compile(m)
