"""Rigid contact in lanes: impacts, sliding, sticking and rest are decided there as in the ordinary run, bit by bit."""

import sys
from pathlib import Path

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_events import compare
from test_lane_runs import starts

import linkwright as lw
from linkwright import contact, joints, parts, translational
from linkwright.studies.lane_runs import LaneRuns

sys.path.insert(0, str(Path(__file__).parent.parent / "contact"))
sys.path.append(str(Path(__file__).parents[2] / "docs"))
import build_contact_pictures as build_pictures
from pair_scenes import LAWS
from test_contact_instant import ball, slope

#: pairs that rigid laws know; a cylinder on hills tumbles, which the ordinary run does not finish either
RIGID = [two for kinds in (build_pictures.SPATIAL, build_pictures.PLANAR) for _, twos in build_pictures.rows(kinds)
         for two in twos if two.known and "rigid" in two.laws and two.name != "heightfield_cylinder"]

DONE = 1
MODELS = {"ball": ball, "smooth": lambda: ball(mu=0.0, v=0.0), "newton": lambda: ball(law="newton"), "slope": slope,
          "stays": lambda: slope(mu=0.8, angle=0.3)}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name == "slope" else pytest.mark.slow)
                                  for name in MODELS])
def test_lanes_strike_slide_and_stick_where_ordinary_runs_do(name):
    found = compare(MODELS[name](), 1.2, 3, 2, {})
    assert np.all(found.status == DONE) and found.events.sum() > 4


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("options", [{}, {"h": 2e-3}, {"method": "dopri5", "accuracy": 1e-6}])
def test_so_they_do_in_every_width_and_by_every_method(lanes, options):
    compare(slope(), 0.6, lanes + 1, lanes, options)


@pytest.mark.slow
def test_a_thread_decides_as_a_lane_does():
    system = lw.compile(ball())
    states = starts(system, 2)
    runs = LaneRuns(system, states[0], 1.0, step=0.02, lanes=2)
    packed = runs.starts(states)
    expected = runs.run(packed)
    status, grid, steps = on_this_processor(runs, packed, 10**9)
    np.testing.assert_array_equal(status, expected.status)
    np.testing.assert_array_equal(grid[:, :, : runs.program.n], expected.grid_x)
    np.testing.assert_array_equal(steps, expected.steps)


def grazing():
    """A condition that holds now and then, for a ten-thousandth of the run, and counts."""
    m = lw.Model("flight")
    m.world, m.mass = lw.World(), translational.Mass(m=1.0, s=0.0, v=1.0)
    seen = m.discrete("seen", 0)
    m.when(lw.exp(-((lw.sin(100 * m.mass.s + 1.0) / 1e-3) ** 2)) > 0.5, {seen: seen + 1})
    return m


def two_balls():
    """A ball that falls on another, a little off its middle."""
    m = lw.Model("two balls")
    m.world, m.lower, m.upper = lw.World(), contact.Sphere(radius=0.4), contact.Sphere(radius=0.2)
    m.body = parts.Body(m=1.0, inertia=[0.016] * 3, r_0=[0.1, 0.7, 0])
    m.connect(m.world.frame_b, m.lower.frame_a)
    m.connect(m.body.frame_a, m.upper.frame_a)
    m.touch = contact.Pair(m.lower, m.upper, law=contact.Rigid(restitution=0.5, mu=0.4))
    return m


@pytest.mark.parametrize("build", [grazing, pytest.param(two_balls, marks=pytest.mark.slow)])
def test_what_holds_for_a_tiny_part_of_a_step_is_found_in_lanes(build):
    found = compare(build(), 1.0, 2, 2, {})
    assert np.all(found.status == DONE) and np.all(found.events >= 1)


@pytest.mark.slow
@pytest.mark.parametrize("two", RIGID, ids=lambda two: two.name)
def test_every_rigid_pair_runs_in_lanes_with_the_bits_of_the_ordinary_run(two):
    """Dropped on one another (docs/contact_pairs.md has pictures); none is handed over."""
    m = two.model(two.height)
    m.touch = contact.Pair(m.a, m.b, law=LAWS["rigid"])
    found = compare(m, 0.5, 2, 2, {})
    assert np.all(found.status == DONE)


def test_contact_beside_friction_that_no_impact_reaches_runs_in_lanes():
    """The sledge's friction is held within the recursion and never struck: it has no program of jumps, the ball has."""
    m = ball()
    m.sledge, m.weight = joints.Prismatic(v=1.0, friction=lw.Coulomb(f=3.0)), parts.Body(m=2.0)
    m.chain(m.world, m.sledge, m.weight)
    found = compare(m, 1.2, 3, 2, {})
    assert np.all(found.status == DONE) and found.events.sum() > 4


def test_sweeps_of_contacts_are_those_of_ordinary_runs():
    study = lw.sweep(ball(), {"body.v_0[0]": [0.3, 0.6, 0.9]}, 1.0, outputs=["body.r_0"])
    for k in range(3):
        r = study.result(k)
        np.testing.assert_array_equal(study.data["body.r_0"].values[k], r["body.r_0"])
        assert study.data["events"].values[k] == len(r.events) > 0
    assert np.all(np.isnan(study.data["handed_over"].values))
