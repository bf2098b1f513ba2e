"""Optimal control of mechanisms with loops: in closed form, with multipliers, with redundant equations."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import rotational

sys.path.insert(0, str(Path(__file__).parents[1] / "loops"))
from loop_mechanisms import bricard
from loop_models import fourbar

TURN = lw.deg(60) + 2 * np.pi


def driven_fourbar():
    m = fourbar(w=0.0)
    m.motor = rotational.Torque()
    m.connect(m.rev1.axis, m.motor.flange)
    return m


def turned(model, system, **options):
    """One turn of the crank in 1 s, from rest to rest."""
    return lw.control(system, {"motor.tau": (-20, 20)}, minimize=lw.integral(model.motor.tau**2), time=1.0,
                      intervals=40, end={"rev1.phi": TURN, "rev1.w": 0}, **options)


def test_a_fourbar_in_closed_form():
    m = driven_fourbar()
    plan = turned(m, m)
    assert plan.success
    # independent coordinates only: one angle with its rates, turns of the joint that closes the loop, one input
    assert plan.points.shape[1] == 6
    # loops are closed to rounding at all times, the rocker's angle among them
    assert np.abs(plan.at(np.linspace(0, 1, 57))["position_error"]).max() < 1e-12
    run = lw.simulate(m, 1.0, inputs=plan.inputs)
    assert run["rev1.phi"][-1] == pytest.approx(TURN, abs=2e-4)
    assert run["rev4.phi"][-1] == pytest.approx(plan["rev4.phi"][-1], abs=2e-4)
    again = pickle.loads(pickle.dumps(plan))
    assert again.at(0.3)["rev4.phi"] == plan.at(0.3)["rev4.phi"]


def test_the_same_with_multipliers():
    """All coordinates are states then, put back onto the loop where intervals end; between nodes it is open."""
    m = driven_fourbar()
    closed, whole = turned(m, m), turned(m, lw.compile(m, formulation="projection"))
    assert whole.success
    assert whole.goal == pytest.approx(closed.goal, rel=3e-6)
    assert np.abs(whole["position_error"][::2]).max() < 1e-7
    assert np.abs(whole["velocity_error"][::2]).max() < 1e-6
    assert np.abs(whole["rev4.phi"] - closed["rev4.phi"]).max() < 2e-4


def test_a_loop_without_closed_form_and_with_redundant_equations():
    """Bricard's loop of six revolutes moves although it has as many equations as angles."""
    m = bricard()
    m.motor = rotational.Torque()
    m.connect(m.rev1.axis, m.motor.flange)
    system = lw.compile(m)
    assert system.redundant == 1 and system.equations.explicit is None
    begin = system.state().get("rev1.phi")
    plan = lw.control(system, {"motor.tau": (-20, 20)}, minimize=lw.integral(m.motor.tau**2), time=1.0, intervals=15,
                      start={"rev1.w": 0}, end={"rev1.phi": begin - 1.0, "rev1.w": 0})
    assert plan.success
    run = lw.simulate(system, 1.0, inputs=plan.inputs, state=plan.start)
    assert run["rev1.phi"][-1] == pytest.approx(begin - 1.0, abs=5e-4)
    assert run["rev1.w"][-1] == pytest.approx(0.0, abs=5e-3)
    assert run["rev4.phi"][-1] == pytest.approx(plan["rev4.phi"][-1], abs=5e-4)


def test_starts_and_ends_of_dependent_coordinates():
    m = driven_fourbar()
    found = []
    for formulation in ("minimal", "projection"):
        plan = lw.control(lw.compile(m, formulation=formulation), {"motor.tau": (-20, 20)}, time=1.0, intervals=20,
                          minimize=lw.integral(m.motor.tau**2), start={"rev1.phi": None, "rev1.w": (-1, 1)},
                          end={"rev4.phi": 1.9, "rev1.w": 0}, bounds={"rev4.phi": (1.2, 2.6)})
        assert plan.success and plan["rev4.phi"][-1] == pytest.approx(1.9, abs=1e-8)
        assert plan["rev1.w"][0] == pytest.approx(-1.0, abs=1e-6)
        found.append(plan.goal)
    assert found[0] == pytest.approx(found[1], rel=1e-5)


def test_forces_in_loops():
    """What closed forms do not have as unknowns is refused with a way out, which works."""
    m = driven_fourbar()
    asked = dict(minimize=lw.integral(m.motor.tau**2), time=1.0, intervals=20, end={"rev4.phi": 1.9})
    with pytest.raises(lw.ModelError, match='formulation="projection"'):
        lw.control(m, {"motor.tau": (-20, 20)}, bounds={"rev3.frame_b.f[0]": (-5, 5)}, **asked)
    system = lw.compile(m, formulation="projection")
    free = lw.control(system, {"motor.tau": (-20, 20)}, **asked)
    limit = 0.9 * np.abs(free["rev3.frame_b.f"][:, 0]).max()
    plan = lw.control(system, {"motor.tau": (-20, 20)}, bounds={"rev3.frame_b.f[0]": (-limit, limit)}, **asked)
    assert plan.success and plan.goal > free.goal
    assert np.abs(plan["rev3.frame_b.f"][::2, 0]).max() < 1.001 * limit


def test_out_of_reach():
    m = driven_fourbar()
    plan = lw.control(m, {"motor.tau": (-20, 20)}, minimize=lw.integral(m.motor.tau**2), time=1.0, intervals=10,
                      end={"rev4.phi": 4.0}, iterations=200)
    assert not plan.success and "end: rev4.phi is missed by" in plan.message
