"""Backlash, gaps and elastic stops: free flight, contact and rebound in closed form."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import joints, parts, rotational, translational
from linkwright import planar as pl

ACCURACY = 1e-12


def shafts(element, w=2.0, J1=0.5, J2=0.3):
    """Two inertias joined by an element, the second one turning towards it."""
    m = lw.Model("shafts")
    m.world = lw.World()
    m.one, m.two = rotational.Inertia(J=J1, phi=0, w=0), rotational.Inertia(J=J2, phi=0, w=w)
    m.play = element
    m.connect(m.one.flange_b, m.play.flange_a)
    m.connect(m.play.flange_b, m.two.flange_a)
    return m


def rebound(zeta):
    """(time of contact × ω, speed after over speed before) of max(0, c δ + d δ̇) that meets a mass.

    δ ~ exp(−ζωt) sin ω_d t until ω² δ + 2 ζ ω δ̇ = 0.
    """
    root = np.sqrt(1 - zeta**2)
    phase = np.arctan2(2 * zeta * root, 2 * zeta**2 - 1)
    return phase / root, np.exp(-zeta * phase / root)


@pytest.mark.parametrize("kind", (rotational.ElastoBacklash, rotational.ElastoBacklash2))
def test_without_damping_the_play_is_crossed_and_contact_is_half_an_oscillation(kind):
    c, b, w = 800.0, 0.1, 2.0
    r = lw.simulate(shafts(kind(c=c, b=b), w), 0.5, accuracy=ACCURACY)
    half = np.pi * np.sqrt(0.5 * 0.3 / 0.8 / c)
    begins = b / 2 / w + np.array([0, half + b / w, 2 * (half + b / w)])
    expected = np.sort(np.concatenate([begins, begins + half]))
    times = np.array([e.time for e in r.events])
    np.testing.assert_allclose(times[:6], expected, atol=1e-10)
    assert r.at(begins[0] + half + 0.5 * b / w)["play.w_rel"] == pytest.approx(-w, abs=1e-9)
    free = np.abs(r["play.phi_rel"]) < b / 2
    assert np.all(r["play.tau"][free] == 0) and np.abs(r["play.tau"]).max() > 1
    assert r["play.loss_power"] == pytest.approx(0, abs=1e-9)
    # what turns as a whole is left alone
    assert 0.5 * r["one.w"] + 0.3 * r["two.w"] == pytest.approx(0.3 * w, abs=1e-12)


@pytest.mark.parametrize("zeta", (0.05, 0.3, 0.7))
def test_full_damping_gives_the_closed_restitution(zeta):
    c, b, w, mass = 800.0, 0.1, 2.0, 0.5 * 0.3 / 0.8
    omega = np.sqrt(c / mass)
    m = shafts(rotational.ElastoBacklash2(c=c, d=2 * zeta * mass * omega, b=b), w)
    m.integral(m.play.loss_power, name="heat")
    contact, e = rebound(zeta)
    until = b / 2 / w + contact / omega + 0.5 * b / w
    r = lw.simulate(m, until, accuracy=ACCURACY)
    assert r["play.w_rel"][-1] == pytest.approx(-e * w, abs=1e-8)
    assert r["heat"][-1] == pytest.approx(mass * w**2 * (1 - e**2) / 2, abs=1e-8)
    assert r["play.tau"].min() >= 0 and r["play.tau"][np.searchsorted(r.t, b / 2 / w)] > 0.5 * c * zeta / omega


def test_soft_damping_does_not_jump_and_loses_energy():
    c, b, w, mass = 800.0, 0.1, 2.0, 0.5 * 0.3 / 0.8
    m = shafts(rotational.ElastoBacklash(c=c, d=0.2 * mass * np.sqrt(c / mass), b=b), w)
    m.integral(m.play.loss_power, name="heat")
    r = lw.simulate(m, 0.5, accuracy=1e-10, step=1e-4)
    assert np.abs(np.diff(r["play.tau"])).max() < 2 * c * w * 1e-4 * 1.01
    energy = r["kinetic_energy"] + c * np.maximum(np.abs(r["play.phi_rel"]) - b / 2, 0) ** 2 / 2
    np.testing.assert_allclose(energy + r["heat"], energy[0], atol=1e-8)
    assert np.all(np.diff(r["heat"]) > -1e-12) and r["heat"][-1] > 0.1 * energy[0]


@pytest.mark.parametrize("n", (1.0, 1.5))
def test_a_gap_closes_to_the_depth_that_the_energy_allows(n):
    m = lw.Model("gap")
    m.world = lw.World()
    m.wall, m.mass = translational.Fixed(s0=-0.2), translational.Mass(m=2.0, s=0.3, v=-1.5)
    m.gap = translational.ElastoGap(c=1e4, s_rel0=0.1, n=n)
    m.connect(m.wall.flange, m.gap.flange_a)
    m.connect(m.gap.flange_b, m.mass.flange_a)
    r = lw.simulate(m, 0.6, accuracy=ACCURACY, step=1e-4)
    depth = (0.5 * 2 * 1.5**2 * (n + 1) / 1e4) ** (1 / (n + 1))
    assert 0.1 - r["gap.s_rel"].min() == pytest.approx(depth, rel=1e-5)
    assert r.events[0].time == pytest.approx(0.4 / 1.5, abs=1e-10)
    assert r["mass.v"][-1] == pytest.approx(1.5, abs=1e-8) and r["gap.f"].max() == 0
    assert r["wall.flange.f"] == pytest.approx(r["gap.f"], abs=1e-9)  # pushed to the left


@pytest.mark.parametrize("zeta", (0.0, 0.4))
def test_an_elastic_stop_of_a_joint_throws_back_by_its_damping(zeta):
    inertia, c = 1.2, 3000.0
    omega = np.sqrt(c / inertia)
    m = lw.Model("arm")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=1.0, phi_max=0.25, stop=lw.CompliantStop(c=c, d=2 * zeta * inertia * omega))
    m.body = parts.Body(m=1.0, r_cm=[1, 0, 0], inertia=[0.2, 0.2, 0.2])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 0.5, accuracy=ACCURACY)
    contact, e = rebound(zeta) if zeta else (np.pi, 1.0)
    assert r.events[0].time == pytest.approx(0.25, abs=1e-11)
    assert r["rev.w"][-1] == pytest.approx(-e, abs=1e-9)
    assert r["rev.tau_stop"].max() <= 0 and r["rev.tau"] == pytest.approx(0)
    held = r["kinetic_energy"] + r["elastic_energy"]
    assert np.max(r["rev.energy"]) > 0.1 and np.all(np.diff(held) < 1e-9)  # only damping takes energy away
    assert (held[-1] == pytest.approx(held[0], abs=1e-9)) == (not zeta) and not imbalances(r)
    if not zeta:
        assert r.events[1].time == pytest.approx(0.25 + contact / omega, abs=1e-10)
        assert r["rev.phi"].max() <= 0.25 + 1 / omega + 1e-12


def test_a_weight_rests_on_an_elastic_stop():
    m = lw.Model("weight")
    m.world = pl.World(g=10)
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[0, 1], s=0.3, v=0.0, s_min=0.0, stop=lw.CompliantStop(c=5000.0, d=100.0))
    m.body = pl.Body(m=3, I=0.1)
    m.chain(m.fixed, m.rail, m.body)
    r = lw.simulate(m, 3.0)
    assert r["rail.s"][-1] == pytest.approx(-30 / 5000, abs=1e-9)
    assert r["rail.f_stop"][-1] == pytest.approx(30, abs=1e-5)
    assert r["rail.energy"][-1] == pytest.approx(30**2 / 5000 / 2, abs=1e-7) and not imbalances(r)


def test_clearances_that_make_no_sense_are_refused():
    with pytest.raises(lw.ModelError, match="c needs|c = 0"):
        rotational.ElastoBacklash(c=0, b=0.1)
    with pytest.raises(lw.ModelError, match="b = -0.1 cannot be negative"):
        rotational.ElastoBacklash(c=10, b=-0.1)
    with pytest.raises(lw.ModelError, match="at least 1"):
        translational.ElastoGap(c=10, n=0.5)
    with pytest.raises(lw.ModelError, match="give phi_min or phi_max"):
        joints.Revolute(stop=lw.CompliantStop(c=10))
    with pytest.raises(lw.ModelError, match="leave restitution out"):
        joints.Revolute(phi_max=1, restitution=0.5, stop=lw.CompliantStop(c=10))
    with pytest.raises(lw.ModelError, match="positive"):
        joints.Prismatic(s_max=1, stop=lw.CompliantStop(c=0))
    with pytest.raises(lw.ModelError, match="CompliantStop"):
        joints.Prismatic(s_max=1, stop=10)
