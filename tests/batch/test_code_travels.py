"""Machine code goes to a worker with the runs: nothing is compiled where the processor is like ours."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from test_sweep import pendulum

import linkwright as lw
from linkwright.batch import executors
from linkwright.batch.runs import Job
from linkwright.batch.samples import sampled
from linkwright.codegen import offer
from linkwright.compiler import afresh

VALUES = {"body.m": lw.normal(1, 0.1), "rev.phi": lw.uniform(-1, 1)}
OPTIONS = dict(samples=4000, step=0.1, outputs=["rev.phi"], reduce={"end": lw.final("rev.w")}, chunk=100)


def job_and_samples():
    drawn = sampled(VALUES, False, 9, "sobol", 0)
    return Job(pendulum(), tuple(VALUES), 0.3, ("body.m",), ("rev.phi",), {"end": lw.final("rev.w")}, {},
               {"start": 0.0, "output_step": 0.1}, drawn.run(0)), drawn


@pytest.fixture
def compiled_here(monkeypatch):
    """What LLVM is asked to compile, with no folder to find it in."""
    from linkwright.codegen import compile as programs
    from linkwright.codegen import linked, machine

    job, drawn = job_and_samples()
    executors.made(job, drawn.part(np.arange(1)))  # loops of the package itself are there from now on
    asked = []

    def counted(text, *how, **options):
        asked.append(text)
        return object_code(text, *how, **options)

    object_code = machine.object_code
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(programs, "object_code", counted)
    monkeypatch.setattr(linked, "object_code", counted)
    yield asked
    offer({})


def test_what_is_shipped_is_all_that_a_worker_needs(compiled_here):
    pytest.importorskip("cloudpickle")
    job, drawn = job_and_samples()
    expected = executors.made(job, drawn.part(np.arange(9)))
    shipped = executors.shipment(job, drawn)
    assert compiled_here and shipped.code
    compiled_here.clear()
    with afresh():
        executors._lanes.cache_clear()
        block = executors.made_there(shipped, drawn.part(np.arange(9)))
    assert not compiled_here
    np.testing.assert_array_equal(block.outputs["rev.phi"], expected.outputs["rev.phi"])
    np.testing.assert_array_equal(block.reduced["end"], expected.reduced["end"])


def test_another_processor_compiles_for_itself(compiled_here, monkeypatch):
    pytest.importorskip("cloudpickle")
    job, drawn = job_and_samples()
    shipped = executors.shipment(job, drawn)
    compiled_here.clear()
    from linkwright.codegen import compile as programs
    from linkwright.codegen import linked

    for module in (programs, linked):
        monkeypatch.setattr(module, "host", lambda: ("another processor", "", ""))
    with afresh():
        executors._lanes.cache_clear()
        block = executors.made_there(shipped, drawn.part(np.arange(9)))
    assert compiled_here
    assert not len(block.failed)


@contextmanager
def two_workers(folder):
    """Two Dask workers in processes and with cache folders of their own, which are empty."""
    distributed = pytest.importorskip("dask.distributed")
    folders = [folder / name for name in ("one", "other")]
    specification = {name: {"cls": distributed.Nanny, "options": {"nthreads": 1, "env": {"LINKWRIGHT_CACHE": str(own)}}}
                     for name, own in enumerate(folders)}
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": None}}
    with distributed.SpecCluster(workers=specification, scheduler=scheduler) as cluster, \
            distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client, folders


def compiled_in(folder):
    return sorted(path.name for path in folder.glob("*.lwo"))


@pytest.mark.slow
def test_dask_workers_compile_nothing(tmp_path):
    here = lw.sweep(pendulum(), VALUES, 0.3, **OPTIONS)
    with two_workers(tmp_path) as (client, folders):
        there = lw.sweep(pendulum(), VALUES, 0.3, executor=client, **OPTIONS)
        made = client.run(lambda: len(__import__("linkwright.codegen.cache").codegen.cache._offered))
        assert all(made.values()), "both took part"
        assert [compiled_in(folder) for folder in folders] == [[], []]
    np.testing.assert_array_equal(here.data["rev.phi"], there.data["rev.phi"])
    np.testing.assert_array_equal(here.data["end"], there.data["end"])


@pytest.mark.slow
def test_a_worker_in_the_place_of_one_that_died_compiles_nothing(tmp_path):
    here = lw.sweep(pendulum(), VALUES, 0.3, **OPTIONS)
    with two_workers(tmp_path) as (client, folders):
        address, victim = next(iter(client.run(os.getpid).items()))
        killed = threading.Event()

        def kill() -> None:
            while not client.cluster.scheduler.workers[address].processing:
                time.sleep(0.001)
            os.kill(victim, signal.SIGKILL)
            killed.set()

        threading.Thread(target=kill, daemon=True).start()
        there = lw.sweep(pendulum(), VALUES, 0.3, executor=client, **OPTIONS)
        assert killed.is_set(), "a worker died with runs in its hands"
        assert [compiled_in(folder) for folder in folders] == [[], []]
    assert (there.data["status"] == "ok").all()
    np.testing.assert_array_equal(here.data["end"], there.data["end"])
