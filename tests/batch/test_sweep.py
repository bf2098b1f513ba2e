"""Sweeps: every run is the ordinary one, failures are rows, stores survive anything."""

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.damper = rotational.Damper(d=0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    return m


def test_every_run_of_a_grid_is_the_ordinary_one():
    m = pendulum()
    study = lw.sweep(m, {"body.m": [1.0, 2.0], "damper.d": [0.1, 0.2, 0.4]}, 1.0, outputs=["rev.phi", "body.r_0"])
    assert study.data.sizes["run"] == 6 and (study.data.status == "ok").all()
    assert study.data["rev.phi"].attrs["units"] == "rad" and study.data["damper.d"].attrs["units"] == "N.m.s/rad"
    for k in range(6):
        own = pendulum()
        own.body.m, own.damper.d = study.values(k)["body.m"], study.values(k)["damper.d"]
        r = lw.simulate(own, 1.0)
        np.testing.assert_allclose(study.data["rev.phi"].values[k], r["rev.phi"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(study.data["body.r_0"].values[k], r["body.r_0"], rtol=0, atol=1e-9)
    assert m.body.m == 1.0 and m.damper.d == 0.1  # the model is as it was
    np.testing.assert_array_equal(study.result(4)["rev.phi"], study.data["rev.phi"].values[4])


def test_outputs_are_entries_of_variables_and_quantities_of_the_whole():
    study = lw.sweep(pendulum(), {"body.m": [1.0, 2.0]}, 1.0, outputs=["body.v_0", "body.v_0[1]", "kinetic_energy"])
    values = study.data["body.v_0"].values
    np.testing.assert_array_equal(study.data["body.v_0[1]"].values, values[:, :, 1])
    np.testing.assert_array_equal(study.data["kinetic_energy"].values[1], study.result(1)["kinetic_energy"])
    assert study.data["kinetic_energy"].attrs["units"] == "J"
    with pytest.raises(lw.ModelError, match="Did you mean 'kinetic_energy'"):
        lw.sweep(pendulum(), {"body.m": [1.0]}, 1.0, outputs=["kinetic_enrgy"])


def test_start_values_inputs_and_formulas():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("push", default=0.0))
    m.connect(m.rev.axis, m.motor.flange)
    study = lw.sweep(m, {"rev.phi": [0.1, 0.2], "push": [0.0, 1.0], "damper.d": lambda v: 0.1 + v["rev.phi"]}, 0.5,
                     paired=True, reduce={"end": lw.final("rev.phi"), "top": lw.largest("rev.w")})
    for k, (phi, push) in enumerate([(0.1, 0.0), (0.2, 1.0)]):
        own = pendulum()
        own.motor = rotational.Torque(tau=push)
        own.connect(own.rev.axis, own.motor.flange)
        own.rev._initial["phi"], own.damper.d = [phi], 0.1 + phi
        r = lw.simulate(own, 0.5)
        assert study.data["end"].values[k] == pytest.approx(r["rev.phi"][-1], abs=1e-9)
        assert study.data["top"].values[k] >= r["rev.w"].max()


def test_a_parameter_that_only_start_values_read_can_be_swept():
    class Thrown(lw.Model):
        speed = lw.parameter(1.0, "speed at the start", unit="m/s")

        def __init__(self, name=None, **given):
            super().__init__(name, **given)
            self.body = parts.Body(m=1.0, inertia=[1e-3] * 3, r_0=[0, 0, 0], v_0=[self.speed, 0, 0])

    m = lw.Model("thrown")
    m.world, m.ball = lw.World(), Thrown()
    study = lw.sweep(m, {"ball.speed": [1.0, 2.0, -0.5]}, 0.5, reduce={"x": lw.final("ball.body.r_0[0]")})
    np.testing.assert_allclose(study.data["x"], [0.5, 1.0, -0.25], rtol=0, atol=1e-12)


def test_reductions_are_those_of_the_continuous_motion():
    """A pendulum from rest: ∫ w dt is the change of the angle, the largest speed follows from its energy."""
    m = pendulum()
    m.damper.d = 0.0
    m.rev._initial["w"] = [0.0]
    study = lw.sweep(m, {"body.m": [1.0]}, 2.0, step=0.05, reduce={
        "turned": lw.integral("rev.w"), "end": lw.final("rev.phi"), "fastest": lw.smallest("rev.w"),
        "bottom": lw.when("rev.phi", below=-np.pi / 2), "mean": lw.mean("rev.w"), "own": lambda r: r["rev.phi"][:3]})
    d = study.data.isel(run=0)
    assert d["turned"] == pytest.approx(float(d["end"]) - 1.0, abs=1e-8)
    assert d["mean"] == pytest.approx(float(d["turned"]) / 2, abs=1e-12)
    inertia = 1.0 * 0.25 + 0.001
    assert d["fastest"] == pytest.approx(-np.sqrt(2 * 9.80665 * 0.5 * (1 + np.sin(1.0)) / inertia), abs=1e-6)
    assert study.result(0).at(float(d["bottom"]))["rev.phi"] == pytest.approx(-np.pi / 2, abs=1e-8)
    assert d["own"].shape == (3,)


@pytest.mark.parametrize("switching", [False, True])
def test_reductions_through_lanes_are_those_of_ordinary_runs(switching):
    """Extremes, means and instants of variables, entries and formulas; nodes between events where things switch."""
    m = pendulum()
    if switching:
        m.motor = rotational.Torque(tau=lw.where(m.rev.phi > 0, -1.0, 1.0))
        m.connect(m.rev.axis, m.motor.flange)
    m.output("cube", m.rev.phi ** 3)
    m.output("sine", lw.sin(m.rev.phi))
    m.output("twice", 2 * m.rev.w)
    goals = {"top": lw.largest("rev.w"), "low": lw.smallest(m.rev.phi ** 3), "far": lw.largest("body.r_0"),
             "turned": lw.integral("rev.w"), "swing": lw.mean(lw.sin(m.rev.phi)), "end": lw.final(2 * m.rev.w),
             "a": lw.mean("rev.a"), "through": lw.when("rev.phi", below=-0.3), "never": lw.when("rev.phi", above=9.0)}
    study = lw.sweep(m, {"rev.phi": np.linspace(0.5, 1.5, 9)}, 2.0, step=0.05, reduce=goals)
    assert study.data.attrs["ordinary_runs"] == 0 and (study.data["status"] == "ok").all()
    named = {**goals, "low": lw.smallest("cube"), "swing": lw.mean("sine"), "end": lw.final("twice")}
    # a step that an event cuts short has other dense output afterwards, both at the accuracy of the run, 1e-8
    tolerance = 1e-9 if switching else 1e-12
    for k in (0, 4, 8):
        r = study.result(k)
        for name, goal in named.items():
            np.testing.assert_allclose(study.data[name].values[k], goal.value(r), rtol=0, atol=tolerance, err_msg=name)
    # the mean of an acceleration is the change of the speed
    change = study.data["end"].values / 2 - [study.result(k)["rev.w"][0] for k in range(9)]
    np.testing.assert_allclose(study.data["a"].values * 2.0, change, rtol=0, atol=1e-7)


def test_failures_are_rows_and_the_others_go_on():
    m = pendulum()
    m.terminate(m.rev.phi < -3.5, "too far")
    masses = np.linspace(1, 2, 40)
    masses[[3, 17]] = -1.0
    study = lw.sweep(m, {"body.m": masses}, 0.2, reduce={"end": lw.final("rev.phi")})
    assert list(np.flatnonzero(study.data.status == "failed")) == [3, 17]
    assert all("body.m" in text for text in study.failed["message"].values)
    # the row says how to have the run again, and that tells the same
    assert "study.result(17)" in study.failed["message"].values[1] and study.failed["body.m"].values[1] == -1.0
    with pytest.raises(lw.ModelError, match="body.m"):
        study.result(17)
    assert np.isnan(study.data["end"].values[[3, 17]]).all() and np.isfinite(study.data["end"].values).sum() == 38
    with pytest.raises(lw.SimulationError, match="run 3"):
        lw.sweep(m, {"body.m": masses}, 0.2, raise_failures=True)


def test_an_interrupt_keeps_what_is_done():
    """Ctrl-C in the midst of the third of four chunks: two are there, as they are in a sweep that nobody disturbed."""
    calls = []

    def interrupted(result):
        calls.append(result)
        if len(calls) == 25:
            raise KeyboardInterrupt
        return result["rev.phi"][-1]

    masses = np.linspace(1, 2, 40)
    with pytest.raises(KeyboardInterrupt, match="stopped with 20 of 40 runs made, which are in .study") as caught:
        lw.sweep(pendulum(), {"body.m": masses}, 0.1, reduce={"end": interrupted}, chunk=10)
    status = caught.value.study.data["status"].values
    assert list(status[:20]) == ["ok"] * 20 and list(status[20:]) == ["missing"] * 20
    whole = lw.sweep(pendulum(), {"body.m": masses}, 0.1, reduce={"end": lw.final("rev.phi")})
    np.testing.assert_array_equal(caught.value.study.data["end"].values[:20], whole.data["end"].values[:20])


@pytest.mark.parametrize("options", [{}, {"h": 0.01}])
def test_lanes_have_the_bits_of_ordinary_runs(options):
    m = pendulum()
    values = {"body.m": lw.normal(1, 0.1), "rev.phi": lw.uniform(-1, 1), "body.r_cm": [[0.5, 0.1, 0.0]]}
    study = lw.sweep(m, values, 0.5, samples=11, outputs=["rev.phi", "body.r_0"], reduce={"end": lw.final("rev.w")},
                     **options)
    by_steps = lw.sweep(m, study.samples.values, 0.5, paired=True, outputs=["rev.phi"],
                        reduce={"end": lw.final("rev.w"), "own": lambda r: len(r.t)}, **options)  # not through lanes
    assert study.data.attrs["ordinary_runs"] == 0 and by_steps.data.attrs["ordinary_runs"] == 11
    np.testing.assert_array_equal(study.data["rev.phi"], by_steps.data["rev.phi"])
    np.testing.assert_array_equal(study.data["end"], by_steps.data["end"])
    np.testing.assert_array_equal(study.data["rev.phi"].values[7], study.result(7)["rev.phi"])
    np.testing.assert_array_equal(study.data["body.r_0"].values[7], study.result(7)["body.r_0"])


def test_what_is_remembered_at_steps_is_remembered_in_lanes():
    m = pendulum()
    widest = m.discrete("widest", 0.0)
    m.each_step({widest: lw.fmax(widest, lw.fabs(m.rev.phi))})
    study = lw.sweep(m, {"rev.phi": [0.5, 1.0, -2.0]}, 3.0, step=0.5, outputs=["widest"],
                     reduce={"end": lw.final("widest")})
    for k in range(3):
        r = study.result(k)
        np.testing.assert_array_equal(study.data["widest"].values[k], r["widest"])
        assert study.data["end"].values[k] == r["widest"][-1] >= abs(study.values(k)["rev.phi"])


def test_what_decides_the_structure_is_compiled_for_each_value():
    with pytest.warns(UserWarning, match="compiled 2 times"):
        study = lw.sweep(pendulum(), {"rev.n": [[0, 0, 1], [1, 0, 0]]}, 0.2, outputs=["rev.phi"])
    assert np.ptp(study.data["rev.phi"].values[1]) < 1e-9 < np.ptp(study.data["rev.phi"].values[0])


@contextmanager
def workers(kind):
    """Two workers of a kind that are not this thread."""
    if kind == "threads":
        with ThreadPoolExecutor(1) as pool:
            yield pool
    elif kind == "processes":
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    else:
        distributed = pytest.importorskip("dask.distributed")
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
                distributed.Client(cluster) as client:
            yield client


@pytest.mark.parametrize("kind", ["threads", "processes", "dask"])
def test_the_bits_do_not_depend_on_where_runs_are_made(kind):
    values = {"body.m": lw.normal(1, 0.1), "rev.phi": lw.uniform(-1, 1)}
    here = lw.sweep(pendulum(), values, 0.3, samples=20, outputs=["rev.phi"], chunk=4)
    with workers(kind) as executor:
        there = lw.sweep(pendulum(), values, 0.3, samples=20, outputs=["rev.phi"], chunk=4, executor=executor)
    assert (there.data.status == "ok").all()
    np.testing.assert_array_equal(here.data["rev.phi"], there.data["rev.phi"])


@pytest.mark.parametrize("call, said", [
    (dict(values={"body.mm": [1]}), "body.m"), (dict(outputs=["rev.fi"]), "rev.phi"),
    (dict(reduce={"a": 3}), "lw.final"), (dict(reduce={"a": lw.final("rev.fi")}), "rev.phi"),
    (dict(reduce={"status": lw.final("rev.phi")}), "something else"), (dict(executor="cloud"), "dask"),
    (dict(store="runs.xyz"), r"\.zarr"), (dict(resume=True), "store="), (dict(seed=-1), "seed"),
])
def test_what_cannot_be_is_refused_before_anything_runs(call, said):
    with pytest.raises(lw.ModelError, match=said):
        lw.sweep(pendulum(), **{"values": {"body.m": [1.0]}, "stop": 0.1, **call})


@pytest.mark.parametrize("suffix", ["zarr", "nc"])
def test_a_store_goes_on_where_it_was_and_knows_its_sweep(tmp_path, suffix):
    if suffix == "zarr":
        pytest.importorskip("zarr")
    store = tmp_path / f"runs.{suffix}"
    values = {"body.m": lw.normal(1, 0.1)}
    options = dict(outputs=["rev.phi"], reduce={"end": lw.final("rev.phi")}, store=store, chunk=4)
    first = lw.sweep(pendulum(), values, 0.2, samples=10, **options)
    with pytest.raises(lw.ModelError, match="resume=True"):
        lw.sweep(pendulum(), values, 0.2, samples=10, **options)
    more = lw.sweep(pendulum(), values, 0.2, samples=16, resume=True, **options)
    np.testing.assert_array_equal(more.data["rev.phi"].values[:10], first.data["rev.phi"].values)
    np.testing.assert_array_equal(more.data["wall"].values[:10], first.data["wall"].values)  # not made again
    whole = lw.sweep(pendulum(), values, 0.2, samples=16, **(options | {"store": None}))
    np.testing.assert_array_equal(more.data["end"], whole.data["end"])
    other = pendulum()
    other.damper.d = 0.3
    with pytest.raises(lw.ModelError, match="its model differs"):
        lw.sweep(other, values, 0.2, samples=16, resume=True, **options)
    with pytest.raises(lw.ModelError, match="its values differs"):
        lw.sweep(pendulum(), values, 0.2, samples=16, resume=True, seed=2, **options)


def test_a_store_tells_functions_apart_by_what_they_do(tmp_path):
    """Two lambdas have one name; runs made with one are not taken for runs with the other."""
    def swept(push, reducer, formula=lambda v: 2 * v["body.m"], **more):
        m = pendulum()
        m.output("pushed", m.input("push", default=0.0))
        return lw.sweep(m, {"body.m": [1.0, 2.0], "damper.d": formula}, 0.1, paired=True, reduce={"end": reducer},
                        inputs={"push": push}, store=tmp_path / "runs.nc", **more)

    first = swept(lambda t: 2 * t, lambda r: r["pushed"][-1])
    again = swept(lambda t: 2 * t, lambda r: r["pushed"][-1], resume=True)
    np.testing.assert_array_equal(again.data["wall"], first.data["wall"])  # not made again
    with pytest.raises(lw.ModelError, match="its run differs"):
        swept(lambda t: 3 * t, lambda r: r["pushed"][-1], resume=True)
    with pytest.raises(lw.ModelError, match="its outputs differs"):
        swept(lambda t: 2 * t, lambda r: r["pushed"][0], resume=True)
    with pytest.raises(lw.ModelError, match="its values differs"):
        swept(lambda t: 2 * t, lambda r: r["pushed"][-1], lambda v: 3 * v["body.m"], resume=True)
    lock = threading.Lock()
    with pytest.raises(lw.ModelError, match="its outputs are those of this sweep.*lock"):
        swept(lambda t: 2 * t, lambda r: lock and r["pushed"][-1], resume=True)


def test_a_sweep_that_is_killed_goes_on_without_losing_or_doubling_a_run(tmp_path):
    pytest.importorskip("zarr")
    script = tmp_path / "runs.py"
    script.write_text(textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(os.path.dirname(__file__))!r})
        import linkwright as lw
        from test_sweep import pendulum
        lw.sweep(pendulum(), {{"body.m": lw.normal(1, 0.1)}}, 0.2, samples=100, store={str(tmp_path / 'runs.zarr')!r},
                 reduce={{"end": lw.final("rev.phi")}}, chunk=5, resume=len(sys.argv) > 1)
    """))
    for again in ([], ["again"]):
        process = subprocess.Popen([sys.executable, str(script), *again])
        for _ in range(600):  # until some chunks are there
            time.sleep(0.05)
            if len(list((tmp_path / "runs.zarr").glob("status/c/*"))) > 3 + 6 * len(again):
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    values = {"body.m": lw.normal(1, 0.1)}
    whole = lw.sweep(pendulum(), values, 0.2, samples=100, reduce={"end": lw.final("rev.phi")}, chunk=5)
    done = lw.sweep(pendulum(), values, 0.2, samples=100, reduce={"end": lw.final("rev.phi")}, chunk=5,
                    store=tmp_path / "runs.zarr", resume=True)
    assert (done.data.status == "ok").all()
    np.testing.assert_array_equal(done.data["end"], whole.data["end"])


def test_sobol_indices_of_an_output():
    """Ishigami's function as an output of the model: S = 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437.

    Within the standard error 1/√n of n independent samples (found from the samples: 0.028 to 0.032).
    """
    m = pendulum()
    x = [m.input(f"x{k}", default=0.0) for k in range(3)]
    m.output("f", lw.sin(x[0]) + 7 * lw.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * lw.sin(x[0]))
    study = lw.sweep(m, {f"x{k}": lw.uniform(-np.pi, np.pi) for k in range(3)}, 1e-3, step=1e-3, samples=1024,
                     sampler="saltelli", reduce={"f": lw.final("f")})
    found = study.sensitivity()
    np.testing.assert_allclose(found["f.first"].values, [0.3139, 0.4424, 0.0], rtol=0, atol=1 / 32)
    np.testing.assert_allclose(found["f.total"].values, [0.5576, 0.4424, 0.2437], rtol=0, atol=1 / 32)
    with pytest.raises(lw.ModelError, match="saltelli"):
        lw.sweep(m, {"x0": [0.0]}, 1e-3, reduce={"f": lw.final("f")}).sensitivity()


def test_a_bundle_holds_the_starts_of_all_runs(tmp_path):
    study = lw.sweep(pendulum(), {"body.m": [1.0, -1.0, 2.0]}, 0.2, step=0.1, reduce={"end": lw.final("rev.phi")})
    with zipfile.ZipFile(study.bundle(tmp_path / "runs.zip")) as archive:
        starts = np.load(io.BytesIO(archive.read("starts.npz")))
        assert ".visible .entry runs(" in archive.read("program.ptx").decode()
    # time, state, and what differs behind them
    np.testing.assert_array_equal(starts["inputs"][:, :3], [[0.0, 1.0, 0.0]] * 2)
    assert len(np.unique(starts["inputs"][:, 3:], axis=0)) == 2
    own = lw.sweep(pendulum(), {"body.m": [1.0]}, 0.2, reduce={"n": lambda r: len(r.t)})
    with pytest.raises(lw.ModelError, match="cannot go to a GPU"):
        own.bundle(tmp_path / "own.zip")


def test_plots_of_a_study():
    study = lw.sweep(pendulum(), {"body.m": [1.0, 1.5]}, 0.2, outputs=["rev.phi"], reduce={"end": lw.final("rev.phi")})
    assert len(study.plot().axes) == 2
