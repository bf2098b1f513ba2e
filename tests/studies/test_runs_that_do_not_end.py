"""Runs that would not end are refused before they begin, or stopped with what limits them; sound extremes run."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def pendulum(inertia=None, **world):
    m = lw.Model("pendulum")
    m.world = lw.World(**world)
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=inertia)
    m.chain(m.world, m.rev, m.body)
    return m


def test_gravity_without_measure_makes_no_progress():
    with pytest.raises(lw.SimulationError, match=r"no progress.*der\(rev\.phi\).*units") as raised:
        lw.simulate(pendulum(g=1e300), 1.0)
    assert raised.value.result is not None


def test_a_controller_that_is_asked_too_often_is_refused():
    m = pendulum()
    m.input("x")

    @m.every(1e-300)
    def ask(t, y):
        return {"x": 0.0}

    with pytest.raises(lw.ModelError, match="controller 'ask'.*would not end"):
        lw.simulate(m, 1.0)


def test_a_step_too_short_is_refused():
    with pytest.raises(lw.ModelError, match="h = 1e-15 s.*would not end"):
        lw.simulate(pendulum(), 1.0, method="rk4", h=1e-15)


def test_an_immense_inertia_stands_still():
    r = lw.simulate(pendulum(inertia=[1e300] * 3), 1.0)
    np.testing.assert_allclose(r["rev.phi"], 1.0, atol=1e-12)
