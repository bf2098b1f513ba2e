"""Step by step from outside: the same motion as a run, whatever is between the steps."""

import ctypes
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.codegen.machine import Loaded, object_code
from linkwright.device import Threads
from linkwright.integrate.step_programs import gpu_lanes
from linkwright.integrate.step_programs.thread import thread_module
from linkwright.studies.lane_runs import LaneRuns

WHOLE, POINTER = ctypes.c_int64, ctypes.c_void_p
THREAD = ctypes.CFUNCTYPE(None, POINTER, WHOLE, WHOLE, WHOLE, POINTER, WHOLE, WHOLE, POINTER)
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


# --- on a GPU, or on this processor in its place ---


class Stand:
    """What runs ask of a driver, with the memory of this process and threads one after the other."""

    name, near_bytes, processors = "no GPU", 2**18, 4

    def __init__(self, step):
        self._code = Loaded(object_code(thread_module(step), 1))
        self._kept = {}

    def use(self):
        pass

    wait = use

    def free_bytes(self):
        return 2**30

    def zeros(self, size):
        array = np.zeros(max(size, 8), dtype=np.uint8)
        self._kept[array.ctypes.data] = array
        return SimpleNamespace(pointer=array.ctypes.data)

    def put(self, pointer, array):
        array = np.ascontiguousarray(array)
        ctypes.memmove(pointer, array.ctypes.data, array.nbytes)

    def get(self, pointer, array):
        ctypes.memmove(array.ctypes.data, pointer, array.nbytes)

    def copy(self, target, source, size):
        ctypes.memmove(target, source, size)

    def kernel(self, gpu, name="runs", level=4):
        thread = THREAD(self._code.address({"starts": "start", "runs": "thread"}[name]))

        def launch(threads, block, near, memory, runs, attempts, grid, n_grid, own, states):
            for i in range(threads):
                thread(memory, runs, i, attempts, grid, n_grid, own, states)

        return launch


@pytest.fixture
def on_gpu(monkeypatch):
    """`Simulator(…, device="gpu")` on this processor."""
    def make(model, **options):
        lanes = LaneRuns(lw.compile(model), lw.compile(model).state(), 1.0, h=options["h"] if "method" in options
                         else None, method=options.get("method", "auto"))
        stand = Stand(lanes.program)
        monkeypatch.setattr(gpu_lanes, "device", lambda: stand)
        monkeypatch.setattr(Threads, "kernel", stand.kernel)
        return lw.Simulator(model, device="gpu", **options)

    return make


@pytest.mark.parametrize("options", [{}, {"method": "rk4"}], ids=["error-controlled", "fixed"])
def test_instances_that_stay_on_a_gpu_have_the_bits_of_those_here(on_gpu, options):
    starts, torques = np.linspace(-1, 1, 5), np.linspace(0, 3, 5)
    here, there = lw.Simulator(pendulum(), h=0.02, n=5, **options), on_gpu(pendulum(), h=0.02, n=5, **options)
    for sims in (here, there):
        sims.reset({"rev.phi": starts}).step(inputs={"torque": torques}, steps=3)
        sims.reset({"rev.phi": 0.5}, mask=[False, True, False, False, True]).step()
    for name in ("rev.phi", "rev.w", "body.r_0"):
        np.testing.assert_array_equal(here[name], there[name])
    np.testing.assert_array_equal(here.t, there.t)
    assert [state.q[0] for state in there.states] == list(here["rev.phi"])


def test_arrays_of_instances_are_the_numbers_themselves(on_gpu):
    here, there = lw.Simulator(pendulum(), h=0.02, n=3), on_gpu(pendulum(), h=0.02, n=3)
    here.array("torque")[:] = [1.0, 2.0, 3.0]
    lent = there.array("torque")
    told = lent.__cuda_array_interface__
    assert told["shape"] == (3,) and told["typestr"] == "<f8" and lent.__dlpack_device__() == (2, 0)
    numbers = (ctypes.c_double * 3).from_address(told["data"][0])
    numbers[:] = [1.0, 2.0, 3.0]
    here.step()
    there.step()
    np.testing.assert_array_equal(here["rev.w"], there["rev.w"])
    np.testing.assert_array_equal(there.array("rev.w"), here.array("rev.w"))
    assert "dltensor" in repr(lent.__dlpack__())
    with pytest.raises(lw.ModelError, match="cannot be set"):
        here.array("body.r_0")


def test_of_instances_on_a_gpu_those_that_cannot_go_on_are_taken_over(on_gpu):
    def falling():
        m = pendulum()
        m.terminate(m.rev.phi < -5.0, "too far")
        m.drag = rotational.Torque(tau=-lw.sqrt(m.rev.phi + 1.5))
        m.connect(m.rev.axis, m.drag.flange)
        return m

    here, there = lw.Simulator(falling(), h=0.1, n=2), on_gpu(falling(), h=0.1, n=2)
    for sims in (here, there):
        sims.reset({"rev.phi": [1.0, -1.2]}).step(inputs={"torque": [5.5, 0.0]}, steps=5)
    assert there.failed.tolist() == [False, True] and there.messages == here.messages
    np.testing.assert_array_equal(here["rev.phi"], there["rev.phi"])


# --- as an environment for learning ---


def test_cart_poles_are_gymnasium_environments():
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    found = runpy.run_path(str(EXAMPLES / "cart_pole_learning.py"))
    check_env(found["CartPole"](), skip_render_check=True)
    envs = found["CartPoles"](3)
    seen, _ = envs.reset(seed=1)
    again, _ = envs.reset(seed=1)
    np.testing.assert_array_equal(seen, again)
    assert seen in envs.observation_space and envs.action_space.shape == (3, 1)
    # a pole on a cart that is pushed falls, and begins anew in the step after
    one = found["CartPoles"](1)
    one.reset(seed=1)
    for _ in range(200):
        seen, reward, fell, late, _ = one.step(np.ones((1, 1), dtype=np.float32))
        if fell:
            break
    assert fell and not late and reward == 1 and abs(seen[0, 2]) > 0.2
    seen, reward, fell, _, _ = one.step(np.zeros((1, 1), dtype=np.float32))
    assert abs(seen[0, 2]) < 0.06 and reward == 0 and not fell


def test_numbers_of_a_reset_are_those_that_the_component_takes():
    """By its range where nothing else can be wrong with it, by how it goes with others elsewhere; each by name."""
    m = lw.Model("pole")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.1)
    m.pole = parts.BodyCylinder(r=[0, 1, 0], diameter=0.02, inner_diameter=0.01)
    m.chain(m.world, m.rev, m.pole)
    sims = lw.Simulator(m, 0.01, n=3, parameters=["pole.density", "pole.inner_diameter"])
    with pytest.raises(lw.ModelError, match=r"pole.density = -1 cannot be negative"):
        sims.reset({"pole.density": [1.0, -1.0, 2.0]})
    with pytest.raises(lw.ModelError, match=r"pole: inner_diameter = 0.03 must be smaller than diameter = 0.02"):
        sims.reset({"pole.inner_diameter": [0.0, 0.01, 0.03]})
    sims.reset({"pole.density": [0.5, 10.0, 1e5]})
    assert np.allclose(sims["pole.m"], np.array([0.5, 10.0, 1e5]) * np.pi * (0.01**2 - 0.005**2))


def test_masses_are_refused_by_their_range_and_nothing_else_is_checked(monkeypatch):
    sims = lw.Simulator(pendulum(), 0.01, n=3, parameters=["body.m"])
    monkeypatch.setattr(parts.Body, "check_settled", None)  # a mass goes with every inertia about the centre of mass
    sims.reset({"body.m": [0.5, 1.0, 2.0]})
    assert sims["body.frame_a.f"].shape == (3, 3)
    with pytest.raises(lw.ModelError, match=r"body\.m = -1: a mass cannot be negative"):
        sims.reset({"body.m": [1.0, -1.0, 2.0]})
