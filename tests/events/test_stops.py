"""Hard stops: restitution, rest, release, and impacts that all constraints allow."""

import sys
from pathlib import Path

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, joints, parts, rotational, translational

sys.path.insert(0, str(Path(__file__).parent.parent / "loops"))
from loop_models import fourbar


def test_bounces_come_at_the_closed_times_and_end_in_rest():
    m = models.slider(s=1.0, n=(0, 1, 0), s_min=0.0, restitution=0.8)
    r = lw.simulate(m, 5.0, accuracy=1e-12)
    first = np.sqrt(2 / 9.81)
    hits = [e.time for e in r.events if e.direction == -1]
    exact = first + np.cumsum([0.0, *(2 * first * 0.8 ** (k + 1) for k in range(len(hits) - 1))])
    np.testing.assert_allclose(hits[:50], exact[:50], rtol=0, atol=1e-10)
    # all bounces together: t = t1 (1 + e)/(1 − e)
    rest = first * 1.8 / 0.2
    assert r.events[-1].direction == 0 and r.events[-1].time == pytest.approx(rest, abs=1e-5)
    assert np.all(r["s.v"][r.t > rest + 1e-3] == pytest.approx(0, abs=1e-15)) and r["s.s"].min() > -1e-12
    t = hits[0]
    assert r.at(t, side="after")["s.v"] == pytest.approx(-0.8 * r.at(t)["s.v"], rel=1e-13)
    # energy after n bounces
    n = 5
    between = 0.5 * (hits[n - 1] + hits[n])
    energy = r.at(between)["kinetic_energy"] + r.at(between)["potential_energy"]
    assert energy == pytest.approx(9.81 * 0.8 ** (2 * n), abs=1e-10)


def test_a_stop_that_is_pulled_from_lets_go():
    m = models.slider(s=0.1, v=-1.0, s_min=0.0)
    models.push(m, -5 + 10 * lw.time)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    hit, release = (next(e.time for e in r.events if e.direction == d) for d in (-1, 1))
    assert release == pytest.approx(0.5, abs=1e-9) and hit < 0.12
    assert r["s.s"][-1] == pytest.approx(10 / 6 * 0.5**3, abs=1e-9)
    resting = (r.t > hit) & (r.t < 0.5)
    np.testing.assert_allclose(r["s.s"][resting], 0, atol=1e-14)


def test_it_may_start_on_the_stop():
    m = models.slider(s=0.0, n=(0, 1, 0), s_min=0.0)
    r = lw.simulate(m, 1.0)
    assert np.all(np.abs(r["s.s"]) < 1e-15)
    with pytest.raises(lw.SimulationError, match="beyond the stop"):
        lw.simulate(models.slider(s=-0.1, n=(0, 1, 0), s_min=0.0), 1.0)


def test_a_pendulum_between_two_stops():
    m = lw.Model("pendulum")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=1.0, phi_min=-0.5, phi_max=0.25, restitution=0.5)
    m.body = parts.Body(m=1.0, r_cm=[1, 0, 0])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 4.0, accuracy=1e-12)
    np.testing.assert_allclose(models.times(r), [0.25, 0.25 + 0.75 / 0.5], atol=1e-10)
    assert r["rev.w"][-1] == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_a_rocker_that_hits_a_stop_keeps_its_loop_closed(restitution):
    m = fourbar(w=2.0)
    m.rev4.phi_max = 2.2
    m.rev4.restitution = restitution
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    hits = [e.time for e in r.events if e.direction == -1]
    assert hits
    t = hits[0]
    before, after = r.at(t), r.at(t, side="after")
    assert after["rev4.w"] == pytest.approx(-restitution * before["rev4.w"], rel=1e-10, abs=1e-10)
    # the crank is thrown back in the same proportion: one degree of freedom
    assert after["rev1.w"] == pytest.approx(-restitution * before["rev1.w"], rel=1e-8, abs=1e-8)
    assert np.max(np.abs(after["velocity_error"][:-1])) < 1e-10 and r.closure < 1e-9
    assert after["kinetic_energy"] == pytest.approx(restitution**2 * before["kinetic_energy"], abs=1e-9)
    assert r["rev4.phi"].max() < 2.2 + 1e-9


def test_two_stops_hit_at_once():
    """A bar on two sliders, both at their stops: Poisson's law keeps it level."""
    m = lw.Model("two")
    m.world = lw.World(g=10)
    m.one = joints.Prismatic(n=[0, 1, 0], s=1.0, s_min=0.0, restitution=0.5)
    m.two = joints.Prismatic(n=[0, 1, 0], s=1.0, s_min=-1.0 + 1.0, restitution=0.5)
    m.a, m.b = parts.Body(m=1.0, r_cm=[0, 0, 0]), parts.Body(m=2.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.one, m.a)
    m.chain(m.world, m.two, m.b)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    np.testing.assert_allclose(r["one.s"], r["two.s"], atol=1e-12)
    assert len({round(e.time, 12) for e in r.events}) * 2 == len(r.events)


def coupled(limits, restitution, gear):
    """Joints that move as one, q = limit + s, each with a stop at s = 0 that gravity presses it against."""
    m = lw.Model("coupled")
    m.world = lw.World()
    m.foot = [parts.Fixed(r=[2 * k, 0, 0]) for k in range(len(limits))]
    m.rev = [joints.Revolute(phi=q if k == 0 else lw.guess(q), phi_min=q, restitution=restitution)
             for k, q in enumerate(limits)]
    m.arm = [parts.Body(m=1 + 0.3 * k, r_cm=[0.5, 0, 0], inertia=[0.01] * 3) for k in range(len(limits))]
    for k, q in enumerate(limits):
        m.chain(m.foot[k], m.rev[k], m.arm[k])
        if k and gear:
            setattr(m, f"tie{k}", rotational.IdealGear(ratio=1.0))
            m.connect(m.rev[0].axis, getattr(m, f"tie{k}").flange_a)
            m.connect(m.rev[k].axis, getattr(m, f"tie{k}").flange_b)
        elif k:
            tie = constraints.CoordinateCoupler(function=m.rev[k].phi - q - m.rev[0].phi + limits[0])
            setattr(m, f"tie{k}", tie)
    return m


@pytest.mark.parametrize("restitution", (0.0, 0.5, 1.0))
@pytest.mark.parametrize("limits, gear", [((0.0, 0.0), True), ((0.0, 0.1, -0.3), False), ((0.1, 0.1, 0.1), True)])
@pytest.mark.parametrize("formulation", ("projection", "minimal"))
def test_stops_that_hold_the_same_motion_rest_in_peace(formulation, limits, gear, restitution):
    """One of them is enough; the others touch without load, and rounding about zero is no impact."""
    r = lw.simulate(lw.compile(coupled(limits, restitution, gear), formulation=formulation), 0.5)
    assert len(r.events) <= len(limits)
    for k, q in enumerate(limits):
        np.testing.assert_allclose(r[f"rev[{k}].phi"], q, atol=1e-12)


@pytest.mark.parametrize("formulation", ("projection", "minimal"))
def test_bounces_in_a_loop_end_in_rest(formulation):
    """Bounces by the factor e each last e times as long as the one before; the last ones are lower than rounding."""
    m = fourbar(phi=1.0, w=0.0, phi_min=1.0 - 1e-3, restitution=0.4)
    r = lw.simulate(lw.compile(m, formulation=formulation), 0.5)
    hits = np.array([e.time for e in r.events if e.direction == -1])
    flights = np.diff(hits)
    np.testing.assert_allclose(flights[1:6] / flights[:5], 0.4, rtol=0.02)
    assert r.events[-1].direction == 0 and len(r.events) < 25
    np.testing.assert_allclose(r["rev1.phi"][-1], 1.0 - 1e-3, atol=1e-11)


def test_a_sliding_mass_with_stops_and_friction():
    m = lw.Model("stopped")
    m.world = lw.World()
    m.mass = translational.MassWithStopAndFriction(m=1.0, L=0.2, s_min=0.0, s_max=1.0, F_prop=0.0, F_coulomb=0.5,
                                                   F_stribeck=0.0, s=0.5, v=2.0)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    assert r["mass.s"][-1] == pytest.approx(0.9, abs=1e-12) and r["mass.v"][-1] == pytest.approx(0, abs=1e-14)
    hit = r.events[0]
    assert hit.time == pytest.approx((2 - np.sqrt(4 - 2 * 0.5 * 0.4)) / 0.5, abs=1e-10)
