"""Forces that act for a tiny part of a step are not leapt over; what has no effect costs no steps."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, joints, parts
from linkwright import translational as T

ADAPTIVE = ["dop853", "dopri5", "radau"]
#: what may be missed of a push, at the accuracy of 1e-8
MISSED = 5e-7


def flight(force):
    """A unit mass in free flight at speed 1: nothing else asks for short steps."""
    m = lw.Model("flight")
    m.world = lw.World()
    m.x = T.Mass(m=1, s=0, v=1)
    m.push = T.Force(f=force(m))
    m.connect(m.push.flange, m.x.flange_a)
    return m


@pytest.mark.parametrize("width", [0.1, 1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_push_at_a_place_does_its_work(method, width):
    """½ v² grows by the integral of the force over the way, √π w."""
    r = lw.simulate(flight(lambda m: lw.exp(-(((m.x.s - 5.123) / width) ** 2))), 10.0, method=method)
    assert r["x.v"][-1] == pytest.approx(np.sqrt(1 + 2 * width * np.sqrt(np.pi)), abs=MISSED)


@pytest.mark.parametrize("width", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_push_at_a_time_gives_its_momentum(method, width):
    bell = lw.simulate(flight(lambda m: lw.exp(-(((lw.time - 3.3) / width) ** 2))), 10.0, method=method)
    assert bell["x.v"][-1] == pytest.approx(1 + width * np.sqrt(np.pi), abs=MISSED)
    line = lw.simulate(flight(lambda m: 1 / (1 + ((lw.time - 3.3) / width) ** 2)), 10.0, method=method)
    exact = 1 + width * (np.arctan(3.3 / width) + np.arctan(6.7 / width))
    assert line["x.v"][-1] == pytest.approx(exact, abs=MISSED)


def test_windows_and_tables():
    w = 1e-3
    window = lw.simulate(flight(lambda m: lw.tanh((lw.time - 5) / w) - lw.tanh((lw.time - 5) / w - 3)), 10.0)
    assert window["x.v"][-1] == pytest.approx(1 + 6 * w, abs=MISSED)
    table = lw.simulate(flight(lambda m: blocks.table([0, 5, 5 + w, 5 + 2 * w, 20], [0, 0, 1, 0, 0])), 10.0)
    assert table["x.v"][-1] == pytest.approx(1 + w, abs=MISSED)


def test_what_is_integrated_is_seen_too():
    m = lw.Model("clock")
    m.world = lw.World()
    m.x = T.Mass(m=1, s=0, v=1)
    m.integral(lw.exp(-(((m.x.s - 7.7) / 1e-4) ** 2)), name="dose")
    assert lw.simulate(m, 10.0)["dose"][-1] == pytest.approx(1e-4 * np.sqrt(np.pi), abs=MISSED)


def test_a_rotor_is_kicked_where_it_passes():
    """A torque within 1e-3 rad around φ = 0, which it passes once: it does the work √π 1e-3 τ."""
    m = lw.Model("kicked")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(n=[0, 0, 1], phi=-3.0, w=0.5)
    m.body = parts.Body(m=1.0, r_cm=[1, 0, 0], inertia=[0.001, 0.001, 0.001])
    m.chain(m.world, m.rev, m.body)
    m.kick = lw.rotational.Torque(tau=lw.exp(-((m.rev.phi / 1e-3) ** 2)))
    m.connect(m.kick.flange, m.rev.axis)
    r = lw.simulate(m, 12.0)
    exact = np.sqrt(0.25 + 2 * np.sqrt(np.pi) * 1e-3 / 1.001)
    assert r["rev.w"][-1] == pytest.approx(exact, abs=MISSED)


def test_a_law_that_is_never_still_does_not_hide_another():
    """A mass that shakes too weakly to matter, beside one that is pushed."""
    m = flight(lambda m: lw.exp(-(((m.x.s - 5.123) / 1e-3) ** 2)))
    m.other = T.Mass(m=1, s=0, v=1)
    m.shake = T.Force(f=1e-13 * lw.tanh(1e4 * lw.sin(3 * m.other.s)))
    m.connect(m.shake.flange, m.other.flange_a)
    exact = np.sqrt(1 + 2e-3 * np.sqrt(np.pi))
    assert lw.simulate(m, 10.0)["x.v"][-1] == pytest.approx(exact, abs=MISSED)


def test_without_effect_nothing_changes():
    quiet = lw.simulate(flight(lambda m: 0.0), 10.0).counters
    weak = lw.simulate(flight(lambda m: 1e-12 * lw.exp(-(((lw.time - 5) / 1e-3) ** 2))), 10.0).counters
    assert (weak["steps"], weak["rejected"]) == (quiet["steps"], quiet["rejected"])
