"""Step by step from outside: the same motion as a run, whatever is between the steps."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational

EXAMPLES = Path(__file__).parents[2] / "examples"


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque(tau=m.input("torque", default=0.0))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    return m


def test_steps_with_held_inputs_are_the_run_of_a_sampled_controller():
    """Both hold the same torque over the same intervals."""
    sim = lw.Simulator(pendulum(), h=0.05, accuracy=1e-10)
    m = pendulum()

    @m.every(0.05)
    def control(t, y):
        return {"torque": -2.0 * y["rev.w"]}

    r = lw.simulate(m, 1.0, step=0.05, accuracy=1e-10)
    for k in range(20):
        assert sim["rev.phi"] == pytest.approx(r["rev.phi"][k], abs=1e-8)
        sim.step(inputs={"torque": -2.0 * sim["rev.w"]})
    assert sim.t == pytest.approx(1.0) and isinstance(sim["rev.phi"], float)
    assert sim["body.r_0"].shape == (3,)


@pytest.mark.parametrize("name, variable", [("fourbar", None), ("stick_slip", "block.s")])
def test_loops_and_events_go_on_from_step_to_step(name, variable):
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    model = found.get("model") or found["m"]
    r = lw.simulate(model, 0.4, accuracy=1e-10)
    sim = lw.Simulator(model, h=0.1, accuracy=1e-10)
    sim.step(steps=4)
    for coordinate in [variable] if variable else sim.system.part_names("q"):
        assert sim[coordinate] == pytest.approx(float(r[coordinate][-1]), abs=1e-7)


def test_many_instances_are_that_many_single_ones():
    starts, torques = np.linspace(-1, 1, 7), np.linspace(0, 3, 7)
    many = lw.Simulator(pendulum(), h=0.02, n=7)
    many.reset({"rev.phi": starts}).step(inputs={"torque": torques}, steps=3)
    for k in range(7):
        one = lw.Simulator(pendulum(), h=0.02).reset({"rev.phi": starts[k]})
        one.step(inputs={"torque": torques[k]}, steps=3)
        assert one["rev.phi"] == many["rev.phi"][k] and one["rev.w"] == many["rev.w"][k]
    assert many["body.r_0"].shape == (7, 3) and many.t.shape == (7,)


def test_a_mask_resets_some_and_parameters_are_their_own():
    sim = lw.Simulator(pendulum(), h=0.1, n=3, parameters=["body.m"])
    sim.reset({"body.m": [1.0, 2.0, 3.0]}).step(steps=2)
    np.testing.assert_allclose(sim["rev.phi"], sim["rev.phi"][0], atol=1e-3)  # the mass matters little without a load
    sim.reset({"rev.phi": 0.2, "body.m": 5.0}, mask=[False, True, False])
    assert sim.t.tolist() == [0.2, 0.0, 0.2] and sim["rev.phi"][1] == pytest.approx(0.2)
    sim.step(inputs={"torque": [1.0, 2.0, 3.0]})
    np.testing.assert_allclose(sim.t, [0.3, 0.1, 0.3])
    assert not sim.failed.any()


def test_an_instance_that_fails_stays_and_the_others_go_on():
    m = pendulum()
    m.output("gap", m.rev.phi + 1.0)
    m.terminate(m.rev.phi < -5.0, "too far")
    m.drag = rotational.Torque(tau=-lw.sqrt(m.rev.phi + 1.5))
    m.connect(m.rev.axis, m.drag.flange)
    sim = lw.Simulator(m, h=0.1, n=2)
    sim.reset({"rev.phi": [1.0, -1.2]})
    sim.step(inputs={"torque": [5.5, 0.0]}, steps=5)
    assert sim.failed.tolist() == [False, True] and "t =" in sim.messages[1]
    sim.reset(mask=[False, True])
    assert not sim.failed.any()


@pytest.mark.parametrize("call, said", [
    (lambda s: s.step(inputs={"rev.phi": 1.0}), "not an input"), (lambda s: s.step(inputs={"torqe": 1.0}), "torque"),
    (lambda s: s.reset({"rev.phi": [1.0, 2.0, 3.0]}), "of shape"), (lambda s: s.step(inputs=3), "dict"),
    (lambda s: lw.Simulator(pendulum(), h=-1), "positive"), (lambda s: lw.Simulator(pendulum(), h=1, n=0), "instances"),
])
def test_mistakes_are_told(call, said):
    with pytest.raises(lw.ModelError, match=said):
        call(lw.Simulator(pendulum(), h=0.1, n=2))
