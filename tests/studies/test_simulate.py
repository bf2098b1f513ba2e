"""Runs: the reference chain, output times, inputs, failures, interrupts."""

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.errors import ModelError, SimulationError, SingularError
from linkwright.mechanism import MechanismBuilder, Prismatic, Revolute
from linkwright.studies import simulate
from linkwright.system import compile_mechanism
from mechanisms import chain

# Simbody 3.9, RungeKuttaMerson at accuracy 1e-13 (reference/README.md)
SIMBODY = [0.01113067279, 6.21582753367, 0.00762810834, 0.08994866716, 8.47351841323, -0.51960882434, -0.33136824677]


@pytest.fixture(scope="module")
def seven_links():
    return compile_mechanism(chain(7))


def raised(system, angle=0.3):
    state = system.state()
    state.q = np.full(len(state.q), angle)
    return state


def falling(**extra):
    b = MechanismBuilder("falling", gravity=[0, 0, -9.81])
    b.body("mass", "world", Prismatic(), inertia=Inertia(2.0))
    return b


@pytest.mark.parametrize(("accuracy", "error"), [(1e-8, 1e-4), (1e-12, 1e-8)])
def test_seven_links_after_ten_seconds(seven_links, accuracy, error):
    result = simulate(seven_links, 10.0, state=raised(seven_links), accuracy=accuracy)
    np.testing.assert_allclose(result.states[-1, :7], SIMBODY, atol=error)


@pytest.mark.parametrize("step", [None, 0.1, 0.3, 1 / 3, 1.0, 2.5])
def test_output_times_end_exactly_at_stop(seven_links, step):
    result = simulate(seven_links, 1.0, start=0.1, step=step, accuracy=1e-4)
    assert (result.t[0], result.t[-1]) == (0.1, 1.0)
    assert np.all(np.diff(result.t) > 0)
    assert len(result.states) == len(result.t)
    if step is None:
        assert len(result.t) == 501


def test_the_state_given_is_left_alone(seven_links):
    state = raised(seven_links)
    before = state.q.copy()
    simulate(seven_links, 0.5, state=state)
    np.testing.assert_array_equal(state.q, before)
    assert state.t == 0.0


def test_a_run_goes_on_where_another_ended(seven_links):
    first = simulate(seven_links, 1.0, state=raised(seven_links), accuracy=1e-12)
    second = simulate(seven_links, 2.0, start=1.0, state=first.end, accuracy=1e-12)
    whole = simulate(seven_links, 2.0, state=raised(seven_links), accuracy=1e-12)
    np.testing.assert_allclose(second.states[-1], whole.states[-1], atol=1e-9)


def test_a_mechanism_may_be_given_instead_of_a_system():
    result = simulate(falling().build(), 1.0)
    assert result["mass.s"][-1] == pytest.approx(-9.81 / 2, abs=1e-9)


def test_inputs_set_parameters():
    b = falling()
    push = b.parameter("push", 0.0)
    b.mobility_force("push", "mass", push)
    system = compile_mechanism(b.build())
    for force in (0.0, 5.0):
        result = simulate(system, 1.0, inputs={"push": force})
        assert result["mass.s"][-1] == pytest.approx((force / 2 - 9.81) / 2, abs=1e-9)
        assert result["push"][0] == force
    assert system.n_compiled <= 3  # one right-hand side serves every value


def test_weights_and_time_scale_change_the_steps(seven_links):
    start = raised(seven_links)
    plain = simulate(seven_links, 2.0, state=start).counters["steps"]
    careful = simulate(seven_links, 2.0, state=start, weights={f"b{k}.phi": 1e4 for k in range(7)}).counters["steps"]
    assert careful > plain
    assert simulate(seven_links, 2.0, state=start, time_scale=1e-3).counters["steps"] < plain


@pytest.mark.parametrize(("options", "message"), [
    ({"stop": -1.0}, "stop must lie after start"),
    ({"stop": float("nan")}, "stop must lie after start"),
    ({"step": 0.0}, "output interval must be positive"),
    ({"step": 1e-12}, "choose a larger output interval"),
    ({"accuracy": -1.0}, "accuracy must be positive"),
    ({"accuracy": 2.0}, "accuracy"),
    ({"method": "euler"}, "method = 'euler' does not exist; choose .*rk4, .*semi_implicit_euler"),
    ({"method": "rk4"}, "takes steps of one length: give fixed_step"),
    ({"method": "rk4", "h": -1e-3}, "fixed_step must be positive"),
    ({"norm": "median"}, "norm = 'median'"),
    ({"inputs": {"brake": 1.0}}, "no 'brake'"),
    ({"inputs": {"b0.phi": 1.0}}, "b0.phi: this is a state"),
    ({"weights": {"b0.phi": -1.0}}, "b0.phi: a weight"),
    ({"time_scale": 0.0}, "time_scale must be positive"),
    ({"stop": "10"}, "stop = '10' is not a number"),
    ({"stop": None}, "end of the run is missing"),
    ({"stop": [1.0, 2.0]}, "stop = .* is not a number"),
    ({"start": "0"}, "start = '0' is not a number"),
    ({"accuracy": "high"}, "accuracy = 'high' is not a number"),
    ({"accuracy": None}, "accuracy = None is not a number"),
    ({"step": "fine"}, "step = 'fine' is not a number"),
    ({"h": [0.1]}, "fixed_step = .* is not a number"),
    ({"inputs": "brake"}, "inputs = 'brake' is not a dict"),
    ({"weights": [1.0]}, "weights = .* is not a dict"),
    ({"weights": {"b0.phi": "x"}}, "the weight of b0.phi = 'x' is not a number"),
    ({"state": 3}, "3 is not a state"),
])
def test_bad_options_are_refused(seven_links, options, message):
    with pytest.raises(ModelError, match=message):
        simulate(seven_links, **({"stop": 1.0} | options))


def test_inputs_over_time_say_so():
    b = falling()
    b.mobility_force("push", "mass", b.parameter("push", 0.0))
    with pytest.raises(ModelError, match="push: "):
        simulate(b.build(), 1.0, inputs={"push": lambda t: t})


def test_a_state_of_another_system_is_refused(seven_links):
    other = compile_mechanism(chain(6))
    with pytest.raises(ModelError, match="another system"):
        simulate(seven_links, 1.0, state=other.state())


def test_a_wrong_model_is_refused():
    with pytest.raises(ModelError, match="got int"):
        simulate(3, 1.0)


def test_a_singular_start_names_the_joint():
    b = MechanismBuilder("arm", gravity=[0, -9.81, 0])
    b.body("arm", "world", Revolute(), joint="rev")
    b.body("bead", "arm", Prismatic(), Transform(axis_frame([1, 0, 0])), inertia=Inertia(1.0))
    with pytest.raises(SingularError, match="rev: nothing resists") as caught:
        simulate(b.build(), 1.0)
    assert isinstance(caught.value, SimulationError)
    assert caught.value.time == 0.0


def test_a_derivative_that_stops_being_finite_keeps_what_was_computed():
    """f = √s/… of a falling mass that starts at 1 m: the law has no value below s = 0, reached at √(2/g)."""
    b = falling()
    s = b.variable("q", "mass")
    b.mobility_force("law", "mass", 1e-6 * s**0.5)
    system = compile_mechanism(b.build())
    with pytest.raises(SimulationError, match="law: the value is not finite") as caught:
        simulate(system, 1.0, state=system.state().set("mass.s", 1.0))
    reached = np.sqrt(2 / 9.81)
    assert caught.value.time == pytest.approx(reached, abs=1e-5)
    result = caught.value.result
    assert result.t[-1] == caught.value.time
    assert np.all(np.isfinite(result.states))
    assert "mass" in str(caught.value)


def test_a_solution_that_runs_away_is_stopped():
    b = MechanismBuilder("runaway")
    b.body("mass", "world", Prismatic(), inertia=Inertia(1.0))
    s = b.variable("q", "mass")
    b.mobility_force("law", "mass", 6 * s**2)  # s = 1/(1 − t)²
    system = compile_mechanism(b.build())
    with pytest.raises(SimulationError) as caught:
        simulate(system, 2.0, state=system.state().set("mass.s", 1.0).set("mass.u", 2.0))
    assert caught.value.time == pytest.approx(1.0, abs=1e-3)


def test_an_interrupt_keeps_what_was_computed(seven_links, monkeypatch):
    import importlib

    module = importlib.import_module("linkwright.studies.simulate")
    def interrupt(self, stepper):
        if stepper.t > 1.0:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.Progress, "show", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(seven_links, 1e5, state=raised(seven_links), step=0.5)
    result = caught.value.result
    assert result.t[-1] > 1.0
    assert np.all(np.isfinite(result["b0.phi"]))


def test_progress_is_shown_when_asked_for(seven_links, capsys):
    simulate(seven_links, 1.0, progress=True)
    assert "100%" in capsys.readouterr().err
    simulate(seven_links, 1.0)
    assert capsys.readouterr().err == ""


def test_the_bar_stays_where_an_interrupted_run_stopped(seven_links, monkeypatch, capsys):
    import importlib

    module = importlib.import_module("linkwright.studies.simulate")
    show = module.Progress.show

    def interrupt(self, stepper):
        show(self, stepper)
        if stepper.t > 1.0:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.Progress, "show", interrupt)
    with pytest.raises(KeyboardInterrupt):
        simulate(seven_links, 1e5, state=raised(seven_links), step=100.0, progress=True)
    assert "100%" not in capsys.readouterr().err


def test_one_tunable_parameter_may_be_given_as_its_name():
    b = falling()
    b.mobility_force("push", "mass", b.parameter("push", 0.0))
    assert compile_mechanism(b.build(), tunable="push").part_names("p") == ["push"]


def test_what_is_tunable_is_given_by_names():
    m = lw.Model("x")
    m.world = lw.World()
    m.wheel = lw.rotational.Inertia(J=1.0)
    with pytest.raises(ModelError, match=r"tunable = 3 is not a list of names, such as tunable=\['body.m'\]"):
        lw.compile(m, tunable=3)


def test_long_runs_keep_what_was_asked_for(monkeypatch):
    """Output times have the same bits whatever is kept; memory does not grow with the steps of a run."""
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0, phi_max=1.2, restitution=0.9)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    kept = lw.simulate(m, 10.0, method="rk4", h=1e-4, dense=True)
    lean = lw.simulate(m, 10.0, method="rk4", h=1e-4, dense=False)
    monkeypatch.setattr(sys.modules["linkwright.run.set_up"], "KEPT", 2**19)
    bounded = lw.simulate(m, 10.0, method="rk4", h=1e-4)
    for r in (lean, bounded):
        np.testing.assert_array_equal(r["rev.phi"], kept["rev.phi"])
        assert r.events == kept.events and r.end.get("rev.w") == kept.end.get("rev.w")
        np.testing.assert_array_equal(r.at(r.t[3::50])["rev.w"], kept["rev.w"][3::50])
        with pytest.raises(lw.ModelError, match="dense=True"):
            r.at(0.1234567)
    assert len(kept._stepper.steps_t) > 90_000 > 2 * len(bounded._stepper.steps_t) > 0
    assert not lean.messages and "not kept" in bounded.messages[0]
    late = np.linspace(bounded._stepper.kept_from, 10, 33)
    np.testing.assert_array_equal(bounded.at(late)["rev.phi"], kept.at(late)["rev.phi"])
    with pytest.raises(lw.ModelError, match="dense"):
        lw.simulate(m, 1.0, dense="all")


def pendulums(count):
    m = lw.Model("side by side")
    m.world = lw.World()
    m.rev = [joints.Revolute(phi=1.0) for _ in range(count)]
    m.body = [parts.Body(m=1.0, r_cm=[0.5, 0, 0]) for _ in range(count)]
    for k in range(count):
        m.chain(m.world, m.rev[k], m.body[k])
    return m


@pytest.mark.parametrize("method", ("dopri5", "dop853"))
def test_a_mechanism_many_times_over_takes_the_steps_of_one(method):
    """The norm of an error is a mean over the coordinates."""
    one, nine = (lw.simulate(pendulums(n), 5.0, method=method).counters for n in (1, 9))
    assert one["steps"] == nine["steps"] and one["rejected"] == nine["rejected"]


def test_steps_grow_by_the_order_of_the_error_estimate():
    """dop853 combines two estimates into one of order 8: an accuracy 10⁶ times finer takes 10^(6/8) times the steps."""
    coarse, fine = (lw.simulate(pendulums(1), 20.0, method="dop853", accuracy=a).counters["steps"]
                    for a in (1e-5, 1e-11))
    assert 10 ** (6 / 8) * 0.75 < fine / coarse < 10 ** (6 / 8) * 1.25
