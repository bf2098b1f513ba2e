"""Rows at an instant: the compiled search is its plain form, and stops that are held at rest by others stay quiet."""

import sys
from pathlib import Path

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.run import unilateral
from linkwright.run.row_instant import row_instant

sys.path.insert(0, str(Path(__file__).parent.parent / "loops"))
from loop_models import energy, fourbar


def slider(force=None, **joint):
    """A unit mass that slides along x; `force` acts on it along x."""
    m = models.slider(**joint)
    if force is not None:
        models.push(m, force(m))
    return m


def arm():
    """Two links that swing against stops, with friction that holds and gives way."""
    m = lw.Model("arm")
    m.world = lw.World(g=9.81)
    m.shoulder = joints.Revolute(n=[0, 0, 1], phi=0.9, phi_min=-1.0, phi_max=1.0, restitution=0.6,
                                 friction=lw.Coulomb(tau=0.8, peak=1.3))
    m.upper = parts.BodyBox(r=[0.4, 0, 0])
    m.elbow = joints.Revolute(n=[0, 0, 1], phi=0.0, phi_min=-0.3, phi_max=0.5, restitution=0.3,
                              friction=lw.Coulomb(tau=0.2))
    m.lower = parts.BodyBox(r=[0.3, 0, 0])
    m.chain(m.world, m.shoulder, m.upper, m.elbow, m.lower)
    return m


@pytest.mark.parametrize("build, stop", [(arm, 0.6), (lambda: slider(s=0.2, v=1.0, s_max=0.5, restitution=0.5,
                                                                     friction=lw.Coulomb(tau=1.0)), 1.0)])
def test_the_compiled_instant_is_its_plain_form(monkeypatch, build, stop):
    system = lw.compile(build())
    compiled = lw.simulate(system, stop)
    asked = []

    def plain(address, task):
        asked.append(task)
        return row_instant.plain(address, task)

    monkeypatch.setattr(unilateral, "PIECE", lambda address: plain)
    checked = lw.simulate(system, stop)
    assert len(asked) > 4
    assert checked.states.tobytes() == compiled.states.tobytes()
    assert checked.events == compiled.events


@pytest.mark.parametrize("target", [0.05, 0.05 - 1e-15, 0.05 - 1e-12, 0.05 + 1e-15, 0.05 + 1e-12, 0.05 + 1e-9])
@pytest.mark.parametrize("damping", [40.0, 60.0])
def test_a_servo_that_holds_a_joint_at_its_stop_does_not_chatter(target, damping):
    """Thousands of events without this, as steps pass the stop by their errors."""
    m = slider(lambda m: 400 * (target - m.s.s) - damping * m.s.v, s=0.0, s_max=0.05)
    r = lw.simulate(m, 5.0)
    assert len(r.events) <= 10
    assert r["s.s"][-1] == pytest.approx(0.05, abs=2e-8)
    assert np.max(r["s.s"]) <= 0.05 + 1.1e-8


def test_a_stop_is_left_when_its_servo_pulls_away_after_it_was_blurred():
    """What was learned of a stop does not hold it: the motion leaves as that of a free mass does."""
    target = 0.05 - 1e-12
    away = lambda m: lw.where(lw.time > 3, -0.1, target)  # noqa: E731
    free = lw.simulate(slider(lambda m: 400 * (away(m) - m.s.s) - 40 * m.s.v, s=0.0), 4.0)
    held = lw.simulate(slider(lambda m: 400 * (away(m) - m.s.s) - 40 * m.s.v, s=0.0, s_max=0.05), 4.0)
    assert held["s.s"] == pytest.approx(free["s.s"], abs=1e-7)


def test_a_start_beyond_a_stop_is_put_on_it_on_request():
    """The joint itself is moved and no other; the result has the start as it was given, and says what was done."""
    m = arm()
    m.elbow.start_at(phi=0.6)
    with pytest.raises(lw.SimulationError, match=r"elbow.*0\.1 beyond the stop.*start_inside_stops"):
        lw.simulate(m, 0.2)
    m.world.start_inside_stops = True
    r = lw.simulate(m, 0.2)
    assert [message for message in r.messages if "beyond" in message] == \
        ["elbow.phi_max: the start, 0.1 beyond the stop, was put on it"]
    inside = arm()
    inside.elbow.start_at(phi=0.5)
    assert r["elbow.phi"][-1] == pytest.approx(lw.simulate(inside, 0.2)["elbow.phi"][-1], abs=1e-9)
    assert np.max(r["elbow.phi"][1:]) <= 0.5 + 1e-12


def test_a_loop_that_starts_beyond_a_stop_is_closed_on_it():
    m = fourbar(phi_min=lw.deg(60) + 0.02)
    m.world.start_inside_stops = True
    r = lw.simulate(m, 0.1)
    assert any("0.02 beyond the stop" in message for message in r.messages)
    assert np.min(r["rev1.phi"][1:]) >= lw.deg(60) + 0.02 - 1e-9
    assert r.closure < 1e-9 and np.ptp(energy(r)[1:]) < 1e-7
