"""Friction, stops and locks in lanes: what holds, slides or is struck is decided as in the ordinary run, bit by bit."""

import sys
from pathlib import Path

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_events import compare
from test_lane_runs import chain, example, starts

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "events"))
sys.path.insert(0, str(Path(__file__).parent.parent / "loops"))
import event_models
from loop_models import fourbar
from test_rows import arm

EVENTFUL, UNDECIDED = 7, 8


def pendulum():
    """It swings, comes to rest, and stays where its friction holds it."""
    m = chain(0)
    m.j0 = joints.Revolute(n=[0, 0, 1], phi=0.9, friction=lw.Coulomb(tau=0.3, peak=1.5))
    m.b0 = parts.BodyBox(r=[0.4, 0, 0])
    m.chain(m.world, m.j0, m.b0)
    return m


def ball():
    """A mass that falls on a stop, and is thrown back by it."""
    return event_models.slider(s=1.0, n=(0, 1, 0), s_min=0.0, restitution=0.8)


def clutch():
    """A shaft between stops, and a wheel behind a clutch that slips at every blow."""
    m = lw.Model("clutch")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=10.0, phi_min=-1.0, phi_max=1.0, restitution=0.4)
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[1, 1, 2.0])
    m.wheel = rotational.Inertia(J=3.0, phi=0.0, w=10.0)
    m.clutch = rotational.Clutch(fn_max=100.0, mu_pos=[[0, 0.5]], peak=1.1, f_normalized=1.0)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.wheel.flange_a)
    return m


def loop():
    """A four-bar between stops, with friction in two of its joints."""
    m = fourbar(phi_min=lw.deg(30), phi_max=lw.deg(120), restitution=0.5, friction=lw.Coulomb(tau=0.4))
    m.rev2.friction = lw.Coulomb(tau=0.1, peak=1.3)
    return m


def loaded():
    """A block on an incline that changes, with friction in proportion to its load."""
    m = event_models.slider(v=1.0, n=(1, 0.25, 0), friction=lw.Coulomb(mu=0.3, peak=1.2))
    event_models.push(m, 4 * lw.sin(3 * lw.time))
    return m


def caught():
    """Two links between stops: a lock catches the elbow with a blow and lets it go; a mode locks the shoulder."""
    m = arm()
    shut = m.discrete("shut", 0.0)
    m.when(m.shoulder.phi < 0.1, {shut: 1.0})
    m.when(m.elbow.phi < -0.2, {shut: 0.0})
    m.lock(m.elbow, when=lw.logical_and(m.elbow.phi < -0.05, lw.time < 0.8))
    m.lock(m.shoulder, when=shut)
    m.push = rotational.Torque(tau=lw.where(lw.time > 0.8, -6.0, 0.0))
    m.connect(m.elbow.axis, m.push.flange)
    return m


def caught_alone():
    """The same without friction or stops: nothing but locks."""
    m = chain(2)
    m.lock(m.j1, when=lw.logical_and(m.j0.phi < 0, lw.time < 1.2))
    return m


MODELS = {"caught": caught, "caught alone": caught_alone, "pendulum": pendulum,
          "belt": lambda: example("stick_slip"), "ball": ball, "arm": arm, "clutch": clutch, "loop": loop,
          "loaded": loaded}


@pytest.mark.parametrize("name", MODELS)
def test_lanes_hold_slide_and_strike_where_ordinary_runs_do(name):
    found = compare(MODELS[name](), 2.0, 5, 4, {})
    assert found.events.sum() > 4


@pytest.mark.parametrize("name, lanes", [
    ("pendulum", 1), ("ball", 8), *[pytest.param(name, lanes, marks=pytest.mark.slow) for name, lanes in (
        ("pendulum", 8), ("ball", 1), ("clutch", 1), ("clutch", 8))]])
def test_so_they_do_in_every_width(name, lanes):
    compare(MODELS[name](), 2.0, lanes + 1, lanes, {})


@pytest.mark.parametrize("options", [{"h": 2e-3}, {"method": "dopri5", "accuracy": 1e-6}])
def test_so_they_do_by_every_method(options):
    compare(arm(), 0.6, 3, 2, options)


@pytest.mark.parametrize("build", [ball, caught_alone])
def test_a_thread_decides_as_a_lane_does(build):
    system = lw.compile(build())
    states = starts(system, 2)
    runs = LaneRuns(system, states[0], 1.5, step=0.02, lanes=2)
    packed = runs.starts(states)
    expected = runs.run(packed)
    for attempts in (5, 10**9):
        status, grid, steps = on_this_processor(runs, packed, attempts)
        np.testing.assert_array_equal(status, expected.status)
        np.testing.assert_array_equal(grid[:, :, : runs.program.n], expected.grid_x)
        np.testing.assert_array_equal(steps, expected.steps)


def test_a_run_that_a_lane_leaves_goes_on_with_what_its_rows_have_learned():
    """A condition ends the run: the ordinary run decides that, with friction and stops as the lane left them."""
    m = arm()
    down = m.discrete("down", 0.0)
    m.when(m.shoulder.phi < -0.99, {down: 1})
    m.terminate(down * (m.shoulder.phi + 0.98) > 0, "enough")
    system = lw.compile(m)
    state = system.state()
    runs = LaneRuns(system, state, 2.0, step=0.1, lanes=2)
    found = runs.run([state])
    assert found.status[0] == EVENTFUL and found.events[0] > 0
    ended = runs.finish(found, 0, state)
    r = lw.simulate(system, 2.0, step=0.1)
    assert ended.ended == r.t[-1]
    np.testing.assert_array_equal(found.grid_x[0, : ended.rows], r.states)


def test_a_start_that_is_changed_or_refused_is_made_by_the_ordinary_run():
    m = arm()
    m.world.start_inside_stops = True
    m.elbow.start_at(phi=0.6)
    system = lw.compile(m)
    state = system.state()
    assert LaneRuns(system, state, 0.2, lanes=2).run([state]).status[0] == UNDECIDED


def test_instances_of_a_simulator_are_single_ones():
    one, two = lw.Simulator(arm(), 0.05), lw.Simulator(arm(), 0.05, n=2)
    for _ in range(14):
        one.step()
        two.step()
        assert one["elbow.w"] == two["elbow.w"][0] == two["elbow.w"][1]


def test_sweeps_of_friction_and_stops_are_those_of_ordinary_runs():
    study = lw.sweep(arm(), {"shoulder.phi": [0.3, 0.6, 0.9]}, 1.0, outputs=["elbow.phi"],
                     reduce={"w": lw.final("elbow.w")})
    for k in range(3):
        r = study.result(k)
        np.testing.assert_array_equal(study.data["elbow.phi"].values[k], r["elbow.phi"])
        assert study.data["events"].values[k] == len(r.events) > 0
