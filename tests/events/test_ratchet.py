"""A ratchet turns on by whole teeth and never back: a stop that moves on, and an action that counts."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import rotational
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "studies"))
from test_lane_runs import DONE

PITCH = lw.deg(15)


def hoist(tau, phi=0.0, w=0.0, **ratchet):
    """A drum of 2 kg m² behind a ratchet, with a torque on it."""
    m = lw.Model("hoist")
    m.world = lw.World()
    m.ground, m.ratchet = rotational.Fixed(), rotational.Ratchet(pitch=PITCH, **ratchet)
    m.drum, m.motor = rotational.Inertia(J=2.0, phi=phi, w=w), rotational.Torque(tau=tau)
    m.connect(m.ground.flange, m.ratchet.flange_a)
    m.connect(m.ratchet.flange_b, m.drum.flange_a)
    m.connect(m.motor.flange, m.drum.flange_b)
    return m


def test_thrown_forwards_against_a_torque_it_rests_on_the_last_tooth():
    """φ̈ = −τ/J: it rises to ω²/(2 α) = 0.9 rad, past three teeth of 15°, and falls on the third at √(2 α Δφ)."""
    omega, alpha = 1.2, 0.8
    r = lw.simulate(hoist(-2.0 * alpha, w=omega), 5.0, accuracy=1e-10)
    top = omega**2 / (2 * alpha)
    passed = int(top // PITCH)
    assert r["ratchet.passed"][-1] == passed == 3
    hit = next(e.time for e in r.events if e.what == "ratchet.pawl.tooth" and e.direction == -1)
    fall = np.sqrt(2 * alpha * (top - passed * PITCH))
    assert hit == pytest.approx((omega + fall) / alpha, abs=1e-9)
    assert r.at(hit)["drum.w"] == pytest.approx(-fall, abs=1e-9)
    assert r["drum.phi"][-1] == pytest.approx(passed * PITCH, abs=1e-12) and r["drum.w"][-1] == 0
    assert r["ratchet.tau"][0] == 0 and r["ratchet.tau"][-1] == pytest.approx(-2.0 * alpha)


def test_swung_to_and_fro_it_climbs_by_whole_teeth_in_a_run_and_in_lanes():
    m = hoist(3.0 * lw.sin(2 * lw.time), restitution=0.3, phi=0.1 * PITCH)
    r = lw.simulate(m, 12.0, step=0.05)
    teeth = r["ratchet.passed"]
    assert np.all(np.diff(teeth) >= 0) and teeth[-1] >= 4
    assert np.all(r["ratchet.phi_rel"] >= teeth * PITCH - 1e-9)
    system = lw.compile(m)
    state = system.state()
    found = LaneRuns(system, state, 12.0, step=0.05, lanes=2).run([state])
    assert found.status[0] == DONE
    np.testing.assert_array_equal(found.grid_x[0], r.states)


def test_the_reaction_of_a_tooth_is_felt_by_both_shafts():
    """On a shaft that may turn itself, momentum is kept over every fall, and the energy that is lost is that of one."""
    m = lw.Model("two shafts")
    m.world = lw.World()
    m.one, m.two = rotational.Inertia(J=2.0, phi=0.0, w=3.0), rotational.Inertia(J=1.0, phi=0.5 * PITCH, w=0.0)
    m.ratchet = rotational.Ratchet(pitch=PITCH)
    m.connect(m.one.flange_b, m.ratchet.flange_a)
    m.connect(m.ratchet.flange_b, m.two.flange_a)
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(2 * r["one.w"] + r["two.w"], 6.0, rtol=1e-12)
    assert r["one.w"][-1] == pytest.approx(2.0) and r["two.phi"][-1] - r["one.phi"][-1] == pytest.approx(0.0, abs=1e-12)
    assert r["kinetic_energy"][0] - r["kinetic_energy"][-1] == pytest.approx(2 / 3 * 9 / 2)


def test_it_may_start_on_any_tooth_that_is_given():
    r = lw.simulate(hoist(-1.0, phi=3.5 * PITCH, tooth=3), 2.0)
    assert r["ratchet.passed"][-1] == 3 and r["drum.phi"][-1] == pytest.approx(3 * PITCH)
    with pytest.raises(lw.InitialError, match=r"one has been passed.*tooth=…"):
        lw.simulate(hoist(-1.0, phi=3.5 * PITCH), 2.0)
    with pytest.raises(lw.SimulationError, match="beyond the stop"):
        lw.simulate(hoist(-1.0, phi=-0.1), 2.0)
