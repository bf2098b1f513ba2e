"""A ratchet with given teeth, made of what there is: a class, a stop that moves on, and an action that counts."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, joints, parts, rotational
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "studies"))
from test_lane_runs import DONE

PITCH = lw.deg(15)


class Ratchet(lw.Model):
    """A hinge whose pawl lets it turn on by whole teeth and never back: the stop is the last tooth that has passed."""

    def __init__(self, pitch, restitution=0.0, name=None, **hinge):
        super().__init__(name)
        self.hinge = joints.Revolute(**hinge)
        tooth = self.discrete("tooth", 0.0)
        self.when(self.hinge.phi > (tooth + 1) * pitch, {tooth: tooth + 1})
        self.pawl = constraints.CoordinateStop(function=self.hinge.phi - tooth * pitch, low=0.0,
                                               restitution=restitution)
        self.frame_a, self.frame_b = lw.Frame(), lw.Frame()
        self.connect(self.frame_a, self.hinge.frame_a)
        self.connect(self.hinge.frame_b, self.frame_b)


def wheel(tau, restitution=0.0, **hinge):
    """A wheel of 2 kg m² behind a ratchet, with a torque on it."""
    m = lw.Model("ratchet")
    m.world = lw.World(gravity=None)
    m.ratchet = Ratchet(PITCH, restitution, **hinge)
    m.wheel, m.motor = parts.Body(m=1.0, inertia=[1.0, 1.0, 2.0]), rotational.Torque(tau=tau)
    m.chain(m.world, m.ratchet, m.wheel)
    m.connect(m.ratchet.hinge.axis, m.motor.flange)
    return m


def test_thrown_forwards_against_a_torque_it_rests_on_the_last_tooth():
    """φ̈ = −τ/J: it rises to ω²/(2 α) = 0.9 rad, past three teeth of 15°, and falls on the third at √(2 α Δφ)."""
    omega, alpha = 1.2, 0.8
    r = lw.simulate(wheel(-2.0 * alpha, phi=0.0, w=omega), 5.0, accuracy=1e-10)
    top = omega**2 / (2 * alpha)
    passed = int(top // PITCH)
    assert r["ratchet.tooth"][-1] == passed == 3
    hit = next(e.time for e in r.events if e.what == "ratchet.pawl.low" and e.direction == -1)
    fall = np.sqrt(2 * alpha * (top - passed * PITCH))
    assert hit == pytest.approx((omega + fall) / alpha, abs=1e-9)
    assert r.at(hit)["ratchet.hinge.w"] == pytest.approx(-fall, abs=1e-9)
    assert r["ratchet.hinge.phi"][-1] == pytest.approx(passed * PITCH, abs=1e-12) and r["ratchet.hinge.w"][-1] == 0


def test_swung_to_and_fro_it_climbs_by_whole_teeth_in_a_run_and_in_lanes():
    m = wheel(3.0 * lw.sin(2 * lw.time), restitution=0.3, phi=0.1 * PITCH)
    r = lw.simulate(m, 12.0, step=0.05)
    teeth = r["ratchet.tooth"]
    assert np.all(np.diff(teeth) >= 0) and teeth[-1] >= 4
    assert np.all(r["ratchet.hinge.phi"] >= teeth * PITCH - 1e-9)
    system = lw.compile(m)
    state = system.state()
    found = LaneRuns(system, state, 12.0, step=0.05, lanes=2).run([state])
    assert found.status[0] == DONE
    np.testing.assert_array_equal(found.grid_x[0], r.states)
