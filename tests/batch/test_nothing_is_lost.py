"""Runs survive what happens to those who make them: kills, workers that die, failures; a million fit into memory."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from test_sweep import pendulum

import linkwright as lw

VALUES = {"body.m": lw.normal(1, 0.1), "rev.phi": lw.uniform(-1, 1)}
REDUCED = {"end": lw.final("rev.phi")}


@pytest.mark.slow
def test_a_sweep_killed_at_five_random_instants_goes_on(tmp_path):
    """100 000 pendulums: every run once, equal to those of a sweep that nobody disturbed."""
    pytest.importorskip("zarr")
    store, count = tmp_path / "runs.zarr", 100_000
    script = tmp_path / "runs.py"
    script.write_text(textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(os.path.dirname(__file__))!r})
        import linkwright as lw
        from test_nothing_is_lost import REDUCED, VALUES, pendulum
        lw.sweep(pendulum(), VALUES, 0.2, samples={count}, store={str(store)!r}, reduce=REDUCED, chunk=1000,
                 resume=len(sys.argv) > 1)
    """))
    draw, kills = random.Random(4), []
    for again in ([], *[["again"]] * 4):
        process = subprocess.Popen([sys.executable, str(script), *again])
        enough = len(list(store.glob("status/c/*"))) + draw.randrange(1, 16)
        while process.poll() is None and len(list(store.glob("status/c/*"))) < enough:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills.append(len(list(store.glob("status/c/*"))))
    assert sorted(kills) == kills and kills[-1] < 100, "all kills came before its end"
    done = lw.sweep(pendulum(), VALUES, 0.2, samples=count, store=store, reduce=REDUCED, chunk=1000, resume=True)
    whole = lw.sweep(pendulum(), VALUES, 0.2, samples=count, reduce=REDUCED, chunk=1000)
    assert (done.data["status"] == "ok").all()
    np.testing.assert_array_equal(done.data["end"], whole.data["end"])


@pytest.mark.slow
def test_a_dask_worker_that_dies_costs_no_run():
    distributed = pytest.importorskip("dask.distributed")
    here = lw.sweep(pendulum(), VALUES, 0.3, samples=20_000, reduce=REDUCED, chunk=500)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        address, victim = next(iter(client.run(os.getpid).items()))
        killed = threading.Event()

        def kill() -> None:
            while not cluster.scheduler.workers[address].processing:
                time.sleep(0.001)
            os.kill(victim, signal.SIGKILL)
            killed.set()

        threading.Thread(target=kill, daemon=True).start()
        there = lw.sweep(pendulum(), VALUES, 0.3, samples=20_000, reduce=REDUCED, chunk=500, executor=client)
        assert killed.is_set(), "a worker died with runs in its hands"
    assert (there.data["status"] == "ok").all()
    np.testing.assert_array_equal(here.data["end"], there.data["end"])


def test_of_a_thousand_runs_those_fail_that_must():
    """37 negative masses: 37 rows that name the component, 963 runs as if there had been no others."""
    masses = np.random.default_rng(1).uniform(0.5, 2.0, 1000)
    planted = np.sort(np.random.default_rng(2).choice(1000, 37, replace=False))
    good = masses.copy()
    masses[planted] *= -1
    study = lw.sweep(pendulum(), {"body.m": masses}, 0.2, reduce=REDUCED)
    np.testing.assert_array_equal(np.flatnonzero(study.data["status"] == "failed"), planted)
    assert all("body.m" in text for text in study.failed["message"].values)
    right = lw.sweep(pendulum(), {"body.m": good}, 0.2, reduce=REDUCED)
    others = np.setdiff1d(np.arange(1000), planted)
    np.testing.assert_array_equal(study.data["end"].values[others], right.data["end"].values[others])
    assert np.isnan(study.data["end"].values[planted]).all()


@pytest.mark.slow
def test_sobol_indices_of_ishigamis_function():
    """S₁ = 0.3139, S₂ = 0.4424, S₃ = 0; total 0.5576, 0.4424, 0.2437 (Ishigami and Homma 1990, a = 7, b = 0.1)."""
    m = pendulum()
    x = [m.input(f"x{k}", default=0.0) for k in range(3)]
    m.output("f", lw.sin(x[0]) + 7 * lw.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * lw.sin(x[0]))
    study = lw.sweep(m, {f"x{k}": lw.uniform(-np.pi, np.pi) for k in range(3)}, 1e-3, step=1e-3, samples=8192,
                     sampler="saltelli", reduce={"f": lw.final("f")}, chunk=5000)
    found = study.sensitivity()
    np.testing.assert_allclose(found["f.first"].values, [0.3139, 0.4424, 0.0], rtol=0, atol=0.01 * 0.3139)
    np.testing.assert_allclose(found["f.total"].values, [0.5576, 0.4424, 0.2437], rtol=0.01)


def test_more_samples_begin_with_the_same():
    few, many = (lw.sweep(pendulum(), VALUES, 1e-3, step=1e-3, samples=n, reduce=REDUCED) for n in (100, 1000))
    for name in VALUES:
        np.testing.assert_array_equal(few.samples.values[name], many.samples.values[name][:100])
    np.testing.assert_array_equal(few.data["end"], many.data["end"].values[:100])
    np.testing.assert_array_equal(few.data["seed"], many.data["seed"].values[:100])


@pytest.mark.slow
def test_a_million_runs_fit_into_memory():
    """Below 1 GB with final values and extremes, in a process of its own."""
    code = textwrap.dedent(f"""
        import resource, sys
        sys.path.insert(0, {str(os.path.dirname(__file__))!r})
        import linkwright as lw
        from test_nothing_is_lost import VALUES, pendulum
        study = lw.sweep(pendulum(), VALUES, 0.1, step=0.05, samples=1_000_000, chunk=4096,
                         reduce={{"end": lw.final("rev.phi"), "fastest": lw.largest("rev.w")}})
        assert (study.data["status"] == "ok").all()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1e9
