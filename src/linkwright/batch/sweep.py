"""Many runs of one model: `lw.sweep`."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..aliases import shown
from ..compiler import (
    Model,
    fingerprint,
    given_inputs,
    identity,
    is_input,
    is_parameter,
    model_of,
    refuse_keywords,
    system_of,
    with_outputs,
    with_own_controllers,
)
from ..errors import LinkwrightError, ModelError, SimulationError, unknown_name
from ..result import EXTRA, Result, unit_of
from ..studies import output_times, simulate
from ..studies.goals import Goal
from ..system import split_entry
from ..waiting import BAR_AFTER
from .executors import mapped
from .runs import Block, Job, shared_by_runs
from .samples import Samples, of_vectors, sampled
from .study import Study, dataset
from .sweep_store import Columns, columns
from .tolerances import CHUNK

if TYPE_CHECKING:
    from ..system import System

#: of simulate, that a sweep hands on
OPTIONS = ("method", "accuracy", "fixed_step", "weights", "time_scale", "norm")
OWN_NAMES = {"status", "message", "ended", "events", "steps", "wall", "handed_over", "seed", "run", "time"}

Reducer = Goal | Callable[[Result], object]


@shown
def sweep(model: Model, values: Mapping[str, object], stop: float, *, outputs: Sequence[str] = (),
          reduce: Mapping[str, Reducer] | None = None, paired: bool = False, samples: int | None = None,
          sampler: str = "sobol", seed: int = 0, store: str | Path | None = None, resume: bool = False,
          executor: Executor | str | object | None = None, chunk: int = CHUNK, progress: bool | None = None,
          raise_failures: bool = False, start: float = 0.0, output_step: float | None = None,
          inputs: Mapping[str, object] | None = None, **options: Any) -> Study:
    """Simulate a model with many values of its parameters, initial values and inputs.

    `values` gives for each name a list (all combinations are simulated, or one after another with `paired=True`), a
    distribution (`lw.uniform, normal, lognormal, truncated, choice`) from which `sampler` draws `samples` ("sobol",
    "halton", "latin", "random", or "saltelli" for `study.sensitivity()`), or a function of the other values of the run.

    `outputs` are variables kept over time.  `reduce` keeps single values per run under the given names:
    `lw.final("rev.phi")`, `largest, smallest, mean, integral, when` of a variable or a formula
    (`lw.largest(m.rev.w ** 2)`), or a function of the Result.  A failed run is recorded with its status, time and
    message; `raise_failures=True` stops at the first.

    `store` writes completed runs to disk (.zarr, or .nc for smaller studies); `resume=True` computes the missing and
    failed ones.  `executor` is any concurrent.futures executor, a dask.distributed Client, or "gpu"; without one, this
    machine is used.  Further `options` are those of `simulate`.

        study = lw.sweep(m, {"body.m": [1, 2, 3]}, 10.0, outputs=["rev.phi"])
        study.data                                # xarray.Dataset
    """
    model = model_of(model)
    drawn = of_vectors(sampled(values, paired, samples, sampler, _seed(seed)), model)
    refuse_keywords("sweep", {name: None for name in options if name not in OPTIONS}, simulate)
    reducers = dict(reduce or {})
    formulas = {name: goal for name, goal in reducers.items() if isinstance(goal, Goal) and goal.formula is not None}
    with with_outputs(model, {_hidden(name): goal.formula for name, goal in formulas.items()}):
        reducers |= {name: goal.named(_hidden(name)) for name, goal in formulas.items()}
        job = Job(model, tuple(drawn.of_runs), float(stop), _tunable(model, drawn), tuple(outputs), reducers,
                  given_inputs(inputs), {"start": start, "output_step": output_step, **options}, drawn.run(0))
        return _swept(job, drawn, sampler, _seed(seed), store, resume, executor, chunk, progress, raise_failures)


def _hidden(name: str) -> str:
    """The output of the model that stands for a formula to be reduced."""
    return f"{name} (reduced)"


def _swept(job: Job, drawn: Samples, sampler: str, seed: int, store: str | Path | None, resume: bool, executor: object,
           chunk: int, progress: bool | None, raise_failures: bool) -> Study:
    """All runs of a job."""
    model, start, step = job.model, job.options["start"], job.options["output_step"]
    system = _checked(job)
    job = _with_base(job)
    grid = output_times(float(start), job.stop, step)
    told = {} if store is None else {
        "model": fingerprint(model), "values": drawn.identity, "outputs": identity((job.outputs, dict(job.reducers))),
        "run": identity((job.stop, dict(job.options), dict(job.inputs)))}
    kept = columns(store, drawn.n, chunk, told, resume)

    def study() -> Study:
        """Of the runs that are made by now."""
        units = {name: unit_of(_Units(system), name) for name in (*job.outputs, *drawn.values)}
        found = {name: array[: drawn.n] for name, array in kept.as_numpy().items()}
        return Study(job, drawn, dataset(job, drawn, found, grid, drawn.seeds(seed), units), sampler)

    try:
        _run_all(job, drawn, kept, executor, progress, raise_failures)
    except KeyboardInterrupt as interrupt:
        done = drawn.n - len(kept.missing())
        said = f"stopped with {done} of {drawn.n} runs made"
        if done:
            interrupt.study = study()  # type: ignore[attr-defined]
            said += ", which are in .study of this exception"
        interrupt.args = (said + ("" if type(kept) is Columns else "; resume=True goes on from there"),)
        raise
    return study()


def _with_base(job: Job) -> Job:
    """The job with the start that its runs have in common, found here once for all who make runs."""
    shared = shared_by_runs(job)
    return job if shared is None else replace(job, base=shared.system.layout.pack(shared.starts.base))


class _Units:
    """What `unit_of` looks at."""

    def __init__(self, system: System) -> None:
        self.system = system


def _seed(seed: object) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ModelError(f"seed = {seed!r}: a whole number from 0 on is needed.")
    return int(seed)


def _tunable(model: Model, drawn: Samples) -> tuple[str, ...]:
    """The swept parameters that stay inputs of the code; others decide the structure, with one compilation for each."""
    names = [name for name in drawn.of_runs if not is_input(model, name) and is_parameter(model, name)]
    tunable: list[str] = []
    for name in names:
        try:
            system_of(model, tunable=[*tunable, name])
        except LinkwrightError:
            _say_structural(name, drawn)
        else:
            tunable.append(name)
    return tuple(tunable)


def _say_structural(name: str, drawn: Samples) -> None:
    count = len(np.unique(drawn.of_runs[name], axis=0))
    warnings.warn(f"{name} decides the structure of the model: it is compiled {count} times, once for each value.",
                  stacklevel=4)


def _check_known(system: System, name: str, where: str) -> None:
    """A variable, an entry of one ("body.r_0[1]"), or something of the whole mechanism ("kinetic_energy")."""
    whole, _ = split_entry(name, system.names_table)
    if whole not in system.names_table and whole not in EXTRA:
        raise unknown_name(name, [*system.names, *EXTRA], where)


def _checked(job: Job) -> System:
    """The system of the model as it is; names that are not there, and controllers that runs would have to share, are
    refused before anything runs."""
    system = system_of(job.model)
    with_own_controllers(system)
    for name in job.outputs:
        _check_known(system, name, f"outputs: {job.model.title!r}")
    for name, reducer in job.reducers.items():
        if isinstance(reducer, Goal):
            _check_known(system, reducer.name, f"reduce: {name}: {job.model.title!r}")
        if not isinstance(reducer, Goal) and not callable(reducer):
            raise ModelError(f"reduce: {name} = {reducer!r}; give lw.final('rev.phi'), lw.largest …, or a function of "
                             "the Result.")
    for name in (*job.outputs, *job.reducers):
        if name in OWN_NAMES or (name in job.outputs and name in job.reducers):
            raise ModelError(f"{name}: this name stands for something else in the Dataset; choose another.")
    return system


def _run_all(job: Job, drawn: Samples, kept: Columns, executor: object, progress: bool | None,
             raise_failures: bool) -> None:
    """Make the runs that are missing, a chunk after the other as they end."""
    todo = kept.missing()
    todo = todo[todo < drawn.n]
    # chunks keep to the rows that a store holds together
    parts = [part for part in np.split(todo, np.flatnonzero(np.diff(todo // kept.chunk)) + 1) if len(part)]
    with _Bar(progress, len(todo)) as bar:
        try:
            for places, block in mapped(executor, job, drawn, parts):
                for j in block.failed:
                    block.told["message"][j] += f" (Once more: study.result({places[j]}).)"
                kept.write(places, block)
                bar.add(block)
                if raise_failures and len(block.failed):
                    first = int(block.failed[0])
                    k, message = int(places[first]), block.told["message"][first]
                    raise SimulationError(f"run {k}, {drawn.row(k)}: {message}", time=float(block.told["ended"][first]))
        finally:
            kept.finish()


class _Bar:
    """A progress bar with rate and failures, shown when asked for, or in a terminal once the sweep takes long."""

    def __init__(self, wanted: bool | None, total: int) -> None:
        self.wanted, self.total, self.failed, self.done = wanted, total, 0, 0
        self.began, self.bar = time.monotonic(), None

    def __enter__(self) -> _Bar:
        return self

    def add(self, block: Block) -> None:
        self.done += block.n
        self.failed += len(block.failed)
        if self.bar is None and (self.wanted or self.wanted is None and time.monotonic() - self.began > BAR_AFTER
                                 and sys.stderr.isatty()):
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, unit=" runs")
        if self.bar is not None:
            self.bar.update(self.done - self.bar.n)
            self.bar.set_postfix(failed=self.failed)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()

