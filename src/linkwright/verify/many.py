"""Routes of many runs: lanes, threads, other processes, Dask, a GPU, a Simulator; all with the bits of `simulate`."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from ..batch import Simulator, sweep
from ..compiler import afresh, with_own_controllers
from ..errors import ModelError, SimulationError
from ..result import Trajectory
from ..studies.simulate import simulate
from ..system import System
from .cases import Case
from .motions import Motion, run_of
from .routes import BITS, NotComparedError, Pair, Route
from .tolerances import CONTACT_STEP, SEGMENTS

NOTHING = "nothing in it can be varied"


def swept(executor: Callable[[], AbstractContextManager], case: Case, **options: Any) -> Iterator[Pair]:
    """The variants in one sweep, each compared with its own run."""
    if case.variants is None:
        raise NotComparedError(NOTHING)
    with executor() as where:
        study = sweep(case.fresh(), case.variants.columns, case.stop, paired=True, outputs=case.names, step=case.step,
                      accuracy=case.accuracy, executor=where, progress=False, **options)
    times = study.data["time"].values
    for k, wanted in enumerate(case.side_by_side):
        row = study.data.isel(run=k)
        ended = float(row["ended"])
        n = len(wanted.t) if ended == wanted.ended else int(np.sum(times <= ended))
        t = np.append(times[: n - 1], ended)
        found = Motion(t, {name: row[name].values[:n] for name in case.names}, ended, str(row["message"].values))
        yield Pair(wanted, found, label=_label(case, k))


def _label(case: Case, k: int) -> str:
    row, own = case.variants.rows[k], case.variants.rows[0]  # type: ignore[union-attr]
    return ", ".join(f"{name} = {value:.9g}" for name, value in row.items() if value != own[name]) or "as it is"


def by_python(case: Case) -> Iterator[Pair]:
    """A sweep with a function of one's own, which has to make its runs one by one."""
    yield from swept(nullcontext, case, reduce={"times of the run": lambda r: len(r.t)})


@contextmanager
def processes() -> Iterator[Executor]:
    """One other process, which begins with nothing."""
    _check_script()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


@cache
def _check_script() -> None:
    """Other processes import the script that is run; one that would run itself again there cannot have any."""
    try:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(os.getpid).result()
    except BrokenProcessPool:
        raise NotComparedError("other processes import this script, which begins anew there; put what it runs under "
                               "if __name__ == '__main__':") from None


@contextmanager
def dask() -> Iterator[Any]:
    from dask.distributed import Client, LocalCluster

    _check_script()
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def no_dask() -> str | None:
    return None if importlib.util.find_spec("distributed") else "dask.distributed"


def no_gpu() -> str | None:
    from ..integrate.step_programs import require_gpu

    try:
        require_gpu()
    except ModelError as error:
        return str(error)
    return None


def stepped_from_outside(device: str, case: Case) -> Iterator[Pair]:
    """A Simulator of all variants, reset to their values, against runs of the same length one after the other."""
    if case.variants is None:
        raise NotComparedError(NOTHING)
    h, n, steps = case.stop / SEGMENTS, len(case.side_by_side), 1
    stepped = case.system.mechanism.events.stepped
    if stepped:  # then its step is that of the contacts, which remember from step to step
        steps = max(1, round(h / CONTACT_STEP))
        h = CONTACT_STEP * steps
    with afresh():
        sim = Simulator(case.fresh(), h / steps, n=n, device=device, accuracy=case.accuracy,
                        parameters=list(case.variants.tunable))
        sim.reset({name: np.array(column) for name, column in case.variants.columns.items()})
        seen = [{name: np.array(sim[name]) for name in case.names}]
        times = [np.array(sim.t)]
        for _ in range(SEGMENTS):
            sim.step(steps=steps)
            seen.append({name: np.array(sim[name]) for name in case.names})
            times.append(np.array(sim.t))
        said = list(sim.messages)
    for k, system in enumerate(case.tuned):
        wanted = (_in_one_run(case, system, h) if stepped
                  else _segments(case, with_own_controllers(system), h))
        n_seen = len(wanted.t)
        found = Motion(np.array([t[k] for t in times[:n_seen]]),
                       {name: np.array([values[name][k] for values in seen[:n_seen]]) for name in case.names},
                       float(times[n_seen - 1][k]), said[k])
        yield Pair(wanted, found, label=_label(case, k))


def _in_one_run(case: Case, system: System, h: float) -> Motion:
    """One variant whose contacts are stepped, by `simulate`, at the ends of segments of one run."""
    return run_of(with_own_controllers(system), SEGMENTS * h, case.names, h, h=CONTACT_STEP,
                  accuracy=case.accuracy)


def _segments(case: Case, system: System, h: float) -> Motion:
    """One variant by `simulate`, segment after segment."""
    with afresh():
        state = system.state()
        # what a Simulator shows first is the start itself; a run has brought it back onto the loops by then
        x = np.concatenate([state.q, state.u, state.z])[None]
        begun = Trajectory(system, np.array([state.t]), x, state.d[None], state.p[None], state.y[None])
        rows = [{name: values[0] for name, values in begun.get_many(case.names).items()}]
        times, failed = [0.0], ""
        for _ in range(SEGMENTS):
            try:
                result = simulate(system, state.t + h, start=state.t, state=state, step=h, accuracy=case.accuracy,
                                  progress=False)
            except SimulationError as error:
                result, failed = error.result, str(error)
            end = result.at(result.t[-1], side="after")
            rows.append({name: np.asarray(end[name]) for name in case.names})
            state = result.end
            times.append(state.t)
            if failed:
                break
    return Motion(np.array(times), {name: np.array([r[name] for r in rows]) for name in case.names}, times[-1], failed)


#: a GPU has no ordinary run to hand over to
ON_GPU = ("executor='gpu': these runs cannot go to a GPU", "device = 'gpu'")
PICKLING = ("this cannot be pickled",)

ROUTES: tuple[Route, ...] = (
    Route("sweep in lanes", BITS, partial(swept, nullcontext)),
    Route("sweep with a function in Python", BITS, by_python),
    Route("sweep in two threads", BITS, partial(swept, lambda: ThreadPoolExecutor(2), chunk=1)),
    Route("Simulator", BITS, partial(stepped_from_outside, "cpu")),
    Route("sweep on a GPU", BITS, partial(swept, lambda: nullcontext("gpu")), ON_GPU, no_gpu),
    Route("Simulator on a GPU", BITS, partial(stepped_from_outside, "gpu"), ON_GPU, no_gpu),
    Route("sweep in another process", BITS, partial(swept, processes), PICKLING),
    Route("sweep by Dask", BITS, partial(swept, dask), PICKLING, no_dask),
)
