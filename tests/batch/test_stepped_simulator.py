"""`Simulator(method="time_stepping")`: the run of `simulate` step by step, for one and for many; it goes on pickled."""

import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, translational


def box_on_a_floor():
    """A box that falls flat, and a force that pushes it."""
    m = lw.Model("box")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Box(size=[0.2] * 3)
    m.body = parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0, 0.12, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.5))
    return m


def pushed():
    """A sledge on a rail with a tunable force, and a wall in its way."""
    m = lw.Model("pushed")
    m.world, m.rail, m.body = lw.World(g=0), joints.Prismatic(n=[1, 0, 0], s=0.0), parts.Body(m=2)
    m.chain(m.world, m.rail, m.body)
    m.wall, m.skin, m.far = contact.Plane(n=[-1, 0, 0]), contact.Sphere(radius=0.1), parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.far, m.wall)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.wall, m.skin, law=contact.Rigid(mu=0))
    m.drive = translational.Force(f=m.input("pull", 0.0))
    m.connect(m.rail.axis, m.drive.flange)
    return m


def test_it_is_the_run_of_simulate():
    h = 2e-3
    r = lw.simulate(box_on_a_floor(), 0.3, method="time_stepping", fixed_step=h, output_step=h)
    sim = lw.Simulator(box_on_a_floor(), h, method="time_stepping")
    for k in range(1, len(r.t)):
        sim.step()
        np.testing.assert_allclose(sim["body.r_0"], r["body.r_0"][k], atol=1e-12)
    assert sim.t == pytest.approx(0.3)
    np.testing.assert_allclose(np.sum(sim["touch.f_n"]), 9.80665, rtol=1e-9)


def test_many_have_their_own_inputs_and_past():
    """Pushed by f against a wall: it presses with f; pulled, it goes."""
    sims = lw.Simulator(pushed(), 1e-2, n=3, method="time_stepping")
    sims.step({"pull": [20.0, 10.0, -2.0]}, steps=150)
    np.testing.assert_allclose(sims["rail.s"][:2], 0.9, atol=1e-8)
    assert sims["rail.s"][2] == pytest.approx(-0.5 * 1.5**2, rel=0.02)
    np.testing.assert_allclose(np.ravel(sims["touch.f_n"]), [20, 10, 0], atol=1e-7)
    sims.reset(mask=[True, False, False])
    assert sims["rail.s"][0] == 0 and sims["rail.s"][1] == pytest.approx(0.9)
    sims.step({"pull": 0.0})
    assert not sims.failed.any()


def test_it_is_pickled_with_the_impulses_of_its_contacts():
    sim = lw.Simulator(box_on_a_floor(), 1e-3, method="time_stepping")
    sim.step(steps=80)
    other = pickle.loads(pickle.dumps(sim))
    kept = other._instances._impulses[0]
    assert kept.impulses[:, 0].sum() == pytest.approx(9.80665e-3)
    for one in (sim, other):
        one.step(steps=20)
    np.testing.assert_allclose(other["body.r_0"], sim["body.r_0"], atol=1e-13)
    assert other.t == sim.t


def test_a_step_of_contacts_has_no_derivative():
    sim = lw.Simulator(pushed(), 1e-2, method="time_stepping")
    with pytest.raises(lw.errors.ModelError, match="no derivative"):
        sim.step(jac=["rail.s"])


def test_overlap_at_the_start_is_told():
    m = box_on_a_floor()
    m.body.start_at(r_0=[0, 0.05, 0])
    sim = lw.Simulator(m, 1e-3, method="time_stepping").step()
    assert sim.failed and "inside" in sim.messages[0]
