"""The minimal formulation: as many states as degrees of freedom; the rest follows from the loops at every stage."""

import numpy as np
import pytest
from loop_mechanisms import andrews, bricard, engine1a, fourbar1, fourfold_pendulum, slider_crank, stewart
from loop_models import check_laws, fourbar

import linkwright as lw
from linkwright import parts, rotational
from linkwright.integrate.step_programs import DONE
from linkwright.studies.lane_runs import LaneRuns
from linkwright.system import compile_mechanism

TRAVEL = 79.4412268629  # rad in 10 s, exact


def minimal(model):
    return lw.compile(model, formulation="minimal")


def numeric(model):
    """The same mechanism without closed forms."""
    start = lw.compile(model, formulation="projection")
    return compile_mechanism(start.mechanism, formulation="minimal").variant(starts_on=start)


@pytest.mark.parametrize("accuracy", [1e-8, 1e-10])
def test_fourbar_has_two_states_and_the_exact_travel(accuracy):
    system = minimal(fourbar())
    assert system.states == ["rev1.phi", "der(rev1.phi)"]
    assert "closed form, no system of equations is left" in system.report(full=True)
    r = lw.simulate(system, 10.0, accuracy=accuracy)
    assert abs(r["rev1.phi"][-1] - r["rev1.phi"][0] - TRAVEL) < (1e-4 if accuracy == 1e-8 else 1e-6)
    assert r.closure < 1e-9 and r.counters["exchanges"] == 0


def test_a_run_that_ends_where_states_are_exchanged_ends_as_a_lane_does():
    """At its end a run wants no other states: nothing is projected once more, and lanes have the same bits."""
    system = minimal(fourbar(1.0, (0.8, 0.5, 0.6), phi=0.5, w=9.0))

    def run(stop):
        return lw.simulate(system, stop, output_step=stop)

    # the earliest end with an exchange is just where that is wanted
    low, stop = 0.0, 1.0
    while stop - low > 1e-6:
        middle = (low + stop) / 2
        low, stop = (low, middle) if run(middle).counters["exchanges"] else (middle, stop)
    result, found = run(stop), LaneRuns(system, system.state(), stop).run([system.state()])
    assert result.counters["exchanges"] == 1 and found.status[0] == DONE
    end = system.layout.pack(result.end)
    np.testing.assert_array_equal(found.x[0], end[1 : 1 + found.x.shape[1]])


def test_fourbar_by_newtons_method():
    system = numeric(fourbar())
    assert system.minimal and not system.code.has_closed_form
    r = lw.simulate(system, 10.0, accuracy=1e-10)
    assert abs(r["rev1.phi"][-1] - r["rev1.phi"][0] - TRAVEL) < 1e-6
    assert r.closure < 1e-9
    # stages are projected too, not only the ends of steps
    assert r.counters["projections"] > 2 * r.counters["evaluations"]


@pytest.mark.parametrize("stop", [0.5, 0.01])
def test_a_page_goes_on_past_dead_points(stop):
    """Nobody can exchange states there: it is stepped in all its coordinates (it crept up to the dead point).  So it is
    in a run that ends before it comes there, since a page has no end."""
    (row,) = lw.verify(fourbar(1.0, (0.8, 0.5, 0.6), phi=0.5, w=9.0), stop, ["page"])
    assert row.status in ("same to accuracy", "not installed"), row


@pytest.mark.parametrize("make", [minimal, numeric])
@pytest.mark.parametrize("start", [{"phi": 1.0, "w": 0.0}, {"phi": 0.5, "w": 9.0}])
def test_states_are_exchanged_at_dead_points(make, start):
    """Rods of 0.8, 0.5 and 0.6 m on a ground of 1 m: no joint turns fully, every choice of a state has dead points."""
    model = fourbar(1.0, (0.8, 0.5, 0.6), **start)
    r = lw.simulate(make(model), 10.0, accuracy=1e-11)
    other = lw.simulate(lw.compile(model, formulation="projection"), 10.0, accuracy=1e-11)
    assert r.counters["exchanges"] > 10
    np.testing.assert_allclose(r["rev1.phi"], other["rev1.phi"], atol=1e-6)
    np.testing.assert_allclose(r["rev4.phi"], other["rev4.phi"], atol=1e-6)
    check_laws(r, tolerance=1e-8)
    # continuous results, across exchanges too
    times = np.linspace(0.1, 9.9, 37)
    np.testing.assert_allclose(r.at(times)["rev1.phi"], other.at(times)["rev1.phi"], atol=1e-6)


def test_enforced_states_are_chosen():
    model = fourbar()
    model.rev1.__dict__["_initial"].clear()
    model.rev1._initial["phi"] = [lw.guess(1.0)]
    model.rev4.enforce_states = True
    assert minimal(model).states == ["rev4.phi", "der(rev4.phi)"]


@pytest.mark.parametrize("method", ["dopri5", "dop853", "radau", "rk4", "verlet", "semi_implicit_euler"])
def test_every_stepper_keeps_to_the_loop(method):
    options = {} if method in ("dopri5", "dop853", "radau") else {"h": 1e-4}
    tolerance = {"semi_implicit_euler": 1e-2, "verlet": 1e-5}.get(method, 1e-7)
    for make in (minimal, numeric):
        r = lw.simulate(make(fourbar()), 1.0, method=method, **options)
        exact = lw.simulate(fourbar(), 1.0, accuracy=1e-12)
        assert r["rev1.phi"][-1] == pytest.approx(exact["rev1.phi"][-1], abs=tolerance)
        assert r.closure < 1e-8


@pytest.mark.parametrize("model", [fourbar1, engine1a, slider_crank, bricard, stewart, andrews])
def test_same_motion_as_by_projection(model):
    time = 0.03 if model is andrews else 2.0
    one = lw.simulate(minimal(model()), time, accuracy=1e-11)
    other = lw.simulate(lw.compile(model(), formulation="projection"), time, accuracy=1e-11)
    assert one.system.dof == other.system.dof
    # a ball among them has four coordinates for its three freedoms
    assert len([name for name in one.system.states if name in one.system.part_names("u")]) == one.system.dof
    for name in [name for name in other.system.part_names("q") if name in one.system.names]:
        scale = max(1.0, np.max(np.abs(other[name])))
        np.testing.assert_allclose(one[name], other[name], atol=2e-8 * scale, err_msg=name)
    assert one.closure < 1e-9


def test_fourfold_pendulum_in_both_formulations():
    """Damped, between two trolleys, four freedoms; to 1e-9 over 10 s."""
    one = lw.simulate(minimal(fourfold_pendulum(1)), 10.0, accuracy=1e-12)
    other = lw.simulate(lw.compile(fourfold_pendulum(1), formulation="projection"), 10.0, accuracy=1e-12)
    assert len(one.system.states) == 8
    for name in [f"rev{k}.phi" for k in range(1, 6)] + ["track1.s", "track2.s"]:
        np.testing.assert_allclose(one[name], other[name], atol=1e-9)


def test_a_driven_crank_leaves_no_state_to_choose():
    m = fourbar(w=100.0)
    m.speed = rotational.Speed(w_ref=100.0, exact=True)
    m.connect(m.speed.flange, m.rev1.axis)
    r = lw.simulate(minimal(m), 1.0)
    assert r.closure < 1e-9
    assert r["rev1.phi"][-1] == pytest.approx(lw.deg(60) + 100, abs=1e-6)


def test_events_in_the_minimal_formulation():
    """A crank that bounces off a stop: as by projection."""
    def model():
        m = fourbar(w=-3.0)
        m.rev1.phi_min, m.rev1.restitution = 0.2, 0.5
        return m

    one = lw.simulate(minimal(model()), 3.0, accuracy=1e-11)
    other = lw.simulate(lw.compile(model(), formulation="projection"), 3.0, accuracy=1e-11)
    assert len(one.events) == len(other.events) > 0
    np.testing.assert_allclose(one["rev1.phi"], other["rev1.phi"], atol=1e-7)


def test_a_stiff_loop_goes_on_with_the_implicit_method():
    """A crank with a damper of 1e5 N m s that holds it back: closed form first, then radau on all coordinates."""
    def model():
        m = fourbar(w=0.0)
        m.damper, m.wall = rotational.SpringDamper(c=1e3, d=1e5), rotational.Fixed()
        m.connect(m.wall.flange, m.damper.flange_a)
        m.connect(m.damper.flange_b, m.rev1.axis)
        return m

    one = lw.simulate(minimal(model()), 50.0)
    other = lw.simulate(lw.compile(model(), formulation="projection"), 50.0, method="radau")
    assert any("radau" in message for message in one.messages)
    assert one["rev1.phi"][-1] == pytest.approx(other["rev1.phi"][-1], abs=1e-6)
    assert one.closure < 1e-9


def test_a_tree_has_nothing_to_reduce():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = lw.joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    system = minimal(m)
    assert system.states == ["rev.phi", "der(rev.phi)"] and not system.minimal


def test_an_unknown_formulation_is_refused():
    with pytest.raises(lw.ModelError, match="'projection' or 'minimal'"):
        lw.compile(fourbar(), formulation="reduced")


@pytest.mark.parametrize("formulation", ["projection", "minimal"])
def test_an_input_over_time_leaves_the_formulation_as_it_is(formulation):
    m = fourbar()
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.connect(m.motor.flange, m.rev1.axis)
    r = lw.simulate(lw.compile(m, formulation=formulation), 0.5, inputs={"torque": lambda t: lw.sin(t)})
    assert r.system.minimal == (formulation == "minimal")


def test_motions_that_are_given_are_no_states():
    m = stewart()
    for k, phase in enumerate((0.0, 1.0, 2.0, 3.0, 4.0, 5.0)):
        slide = getattr(m, f"prismatic{k}")
        m.prescribe(slide.s, 0.4 + 0.05 * lw.sin(3 * lw.time + phase))
    m.platform._initial.clear()
    system = minimal(m)
    r = lw.simulate(system, 2.0)
    assert system.states == []
    assert r.counters["rejected"] < 5 and r.counters["steps"] < 50 and r.closure < 1e-12
