"""A run has the same bits wherever it is made: one after the other, in threads, in lanes, in other processes."""

import runpy
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, integrate, joints, parts

EXAMPLES = Path(__file__).parents[2] / "examples"


def chain_of_seven():
    m = lw.Model("chain of 7")
    m.world = lw.World()
    last = m.world.frame_b
    for i in range(7):
        joint, body = (joints.Revolute(n=np.eye(3)[i % 3], phi=0.3),
                       parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1]))
        setattr(m, f"j{i}", joint)
        setattr(m, f"b{i}", body)
        m.connect(last, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        last = body.frame_b
    return m


def thrown_body():
    """Six degrees of freedom, its orientation a quaternion."""
    m = lw.Model("thrown body")
    m.world = lw.World()
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.35], r_0=[0, 0, 0], v_0=[1, 2, 0], w_a=[0.1, 3.0, 0.2])
    return m


def tyre_on_hills():
    """A wheel that presses on a height field."""
    x, y = np.linspace(-1, 2, 13), np.linspace(-1, 1, 9)
    m = lw.Model("tyre on hills")
    m.world = lw.World(n=[0, 0, -1])
    m.ground = contact.HeightField(x, y, 0.1 * np.sin(2 * x)[:, None] * np.cos(y))
    m.wheel = parts.Body(m=1, inertia=[0.002, 0.004, 0.002], r_0=[-0.4, -0.3, 0.04], v_0=[0.6, 0.1, 0], w_a=[0, 6, 0])
    m.tyre = contact.Torus(R=0.07, r=0.03, n=[0, 1, 0], feet=0)
    m.connect(m.world.frame_b, m.ground.frame_a)
    m.connect(m.wheel.frame_a, m.tyre.frame_a)
    m.touch = contact.Pair(m.ground, m.tyre, law=contact.Linear(stiffness=2e3, dissipation=0.2, mu=0.4, transition=0.3))
    return m


MODELS = {
    "chain": (chain_of_seven, {"b3.m": lw.normal(1, 0.1), "j0.phi": lw.uniform(-1, 1)}, "j6.phi"),
    "four-bar": (lambda: runpy.run_path(str(EXAMPLES / "fourbar.py"))["model"], {"coupler.m": lw.normal(1, 0.1)},
                 "rev4.phi"),
    "body": (thrown_body, {"body.m": lw.normal(1, 0.1), "world.g": lw.uniform(5, 10)}, "body.r_0"),
    "ground": (tyre_on_hills, {"wheel.m": lw.normal(1, 0.1)}, "wheel.r_0"),
}


@contextmanager
def workers(kind):
    """Two workers of a kind that are not this thread."""
    distributed = pytest.importorskip("dask.distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        yield client


def ends(name, options, count, **where):
    model, values, output = MODELS[name]
    study = lw.sweep(model(), values, 0.3, samples=count, step=0.1, outputs=[output], **options, **where)
    assert (study.data["status"] == "ok").all()
    return study.data[output].values, study


#: every method; on the ground steps of one length are shorter than its springs are fast
METHODS = {name: {"method": name} if method.adaptive else {"method": name, "h": 1e-3} for name, method in
           integrate.METHODS.items()}


@pytest.mark.parametrize("count", [9, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [
    pytest.param({}, id="error-controlled"), pytest.param({"h": 0.01}, id="fixed"),
    *[pytest.param(options, id=name, marks=pytest.mark.slow) for name, options in METHODS.items()]])
@pytest.mark.parametrize("name", MODELS)
def test_one_by_one_in_lanes_and_in_threads(name, options, count, monkeypatch):
    one_by_one, study = ends(name, options, count, reduce={"own": lambda r: len(r.t)})
    assert study.data.attrs["ordinary_runs"] == count
    for threads in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda threads=threads: threads)
        lanes, study = ends(name, options, count)
        assert study.data.attrs["ordinary_runs"] == 0
        np.testing.assert_array_equal(lanes, one_by_one)


def test_implicit_steps_go_through_lanes():
    """A loop that explicit methods know in closed form is solved for in all its coordinates."""
    one_by_one, _ = ends("four-bar", METHODS["radau"], 9, reduce={"own": lambda r: len(r.t)})
    lanes, study = ends("four-bar", METHODS["radau"], 9)
    assert study.data.attrs["ordinary_runs"] == 0
    np.testing.assert_array_equal(lanes, one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"h": 0.01}], ids=["error-controlled", "fixed"])
@pytest.mark.parametrize("name", MODELS)
def test_two_dask_workers_give_the_bits_of_this_process(name, options):
    here, _ = ends(name, options, 1000)
    with workers("dask") as client:
        there, _ = ends(name, options, 1000, executor=client)
    np.testing.assert_array_equal(here, there)


def test_actions_at_times_that_are_known_beforehand():
    """Nothing is looked for within a step, and yet lanes stop there and act."""
    m = lw.Model("kicked")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=0.2, w=0.3), parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.when(lw.time > 0.051615, {m.rev.w: -0.5 * m.rev.w})
    wanted = lw.simulate(lw.compile(m, tunable=["body.m"]), 0.2, step=0.05)
    study = lw.sweep(m, {"body.m": [1.0, 1.0]}, 0.2, paired=True, outputs=["rev.phi"], step=0.05)
    np.testing.assert_array_equal(study.data["rev.phi"].values, [wanted["rev.phi"]] * 2)
    sim = lw.Simulator(m, 0.1, n=2)
    sim.step()
    speed = lw.simulate(m, 0.1)["rev.w"][-1]
    assert list(sim["rev.w"]) == [speed, speed]
