"""`Simulator(method="time_stepping")`: the run of `simulate` step by step, for one and for many; it goes on pickled."""

import ctypes
import pickle

import numpy as np
import pytest
from test_simulator import Stand

import linkwright as lw
from linkwright import contact, joints, parts, translational
from linkwright.codegen.machine import Loaded, object_code
from linkwright.device import Threads
from linkwright.integrate.step_programs import gpu_lanes
from linkwright.integrate.step_programs.far_thread import far_module
from linkwright.studies.stepped_runs import SteppedRuns


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


def pushed_about(sims, which):
    """What becomes of instances that are pushed, reset and tuned on the way."""
    pulls = np.array([20.0, 10.0, -2.0])[which]
    sims.step({"pull": pulls}, steps=40)
    sims.reset({"rail.s": 0.3}, mask=which == 1)
    sims.step({"pull": 2 * pulls, "body.m": 1.0 + which}, steps=30)
    return sims


def test_many_have_the_bits_of_each_by_itself():
    whole = pushed_about(lw.Simulator(pushed(), 1e-2, n=3, method="time_stepping", parameters=["body.m"]), np.arange(3))
    again = pickle.loads(pickle.dumps(whole))
    for sims in (whole, again):
        sims.step(steps=5)
    for k in range(3):
        alone = pushed_about(lw.Simulator(pushed(), 1e-2, n=1, method="time_stepping", parameters=["body.m"]),
                             np.array([k])).step(steps=5)
        for name in ("rail.s", "rail.v", "touch.f_n"):
            np.testing.assert_array_equal(whole[name][k], alone[name][0])
            np.testing.assert_array_equal(again[name][k], alone[name][0])


class FarStand(Stand):
    """As `Stand`, of threads whose memory is far."""

    def __init__(self, step):
        self._code, self._kept = Loaded(object_code(far_module(step), 1)), {}

    def kernel(self, gpu, name="runs", level=4):
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3, ctypes.c_void_p, *[ctypes.c_int64] * 2,
                                *[ctypes.c_void_p] * 3)
        thread = kind(self._code.address({"starts": "start", "runs": "thread"}[name]))

        def launch(threads, block, near, memory, runs, attempts, grid, n_grid, own, states, far, first):
            for i in range(threads):
                thread(memory, runs, i, attempts, grid, n_grid, own, states, far, first)

        return launch


def test_instances_on_a_gpu_have_the_bits_of_those_here(monkeypatch):
    options = {"n": 3, "method": "time_stepping", "parameters": ["body.m"]}
    here = pushed_about(lw.Simulator(pushed(), 1e-2, **options), np.arange(3))
    system = here.system
    stand = FarStand(SteppedRuns(system, system.state(), 1.0, h=1e-2, device="gpu").program)
    monkeypatch.setattr(gpu_lanes, "device", lambda: stand)
    monkeypatch.setattr(Threads, "kernel", stand.kernel)
    there = pushed_about(lw.Simulator(pushed(), 1e-2, device="gpu", **options), np.arange(3))
    for name in ("rail.s", "rail.v", "touch.f_n"):
        np.testing.assert_array_equal(here[name], there[name])


def test_what_a_gpu_cannot_do_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(gpu_lanes, "device", lambda: None)
    m = pushed()
    m.terminate(m.rail.s > 0.5, "far enough")
    with pytest.raises(lw.errors.ModelError, match="actions act between the steps.*Leave it out"):
        lw.Simulator(m, 1e-2, device="gpu", method="time_stepping")
    sims = lw.Simulator(m, 1e-2, n=2, method="time_stepping").step({"pull": [20.0, -1.0]}, steps=60)
    assert sims["rail.s"][1] == pytest.approx(-0.5 * 0.5 * 0.6**2, rel=0.02)
