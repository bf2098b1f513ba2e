"""Where the runs of a sweep are made: here, on a GPU, by a concurrent.futures executor, or by a Dask cluster."""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..codegen import Entry, offer, recorded
from ..compiler import afresh
from ..errors import ModelError
from .lanes import LaneBatch
from .runs import Block, Job, run
from .samples import Samples
from .tolerances import AHEAD

Made = tuple[np.ndarray, Block]


def mapped(executor: object, job: Job, drawn: Samples, parts: Sequence[np.ndarray]) -> Iterator[Made]:
    """What is kept of the runs of every part, as they end."""
    if executor is None:
        for places in parts:
            yield places, made(job, drawn.part(places), threads=os.cpu_count() or 1)
    elif isinstance(executor, Executor):
        yield from _futures(executor, job, drawn, parts)
    elif hasattr(executor, "scatter") and hasattr(executor, "submit"):
        yield from _dask(executor, job, drawn, parts)
    elif executor == "gpu":
        from ..integrate.step_programs import require_gpu

        require_gpu()
        why = _lanes(job, "gpu", 1).why
        if why is not None:
            raise ModelError(f"executor='gpu': these runs cannot go to a GPU: {why}. Leave it out to run on the CPU.")
        for places in parts:
            yield places, made(job, drawn.part(places), "gpu")
    else:
        raise ModelError(f"executor = {executor!r}: give 'gpu', a concurrent.futures executor, a dask.distributed "
                         "Client, or none.")


def made(job: Job, columns: Mapping[str, np.ndarray], device: str = "cpu", threads: int = 1) -> Block:
    """Runs side by side in lanes or on a GPU, and one after the other where these cannot."""
    lanes = _lanes(job, device, threads)
    block, left = lanes.made(columns)
    for k in left:
        values = {name: column[k] if column.ndim > 1 else float(column[k]) for name, column in columns.items()}
        block.put(int(k), run(lanes.job, values))
    return block


@lru_cache(maxsize=1)
def _lanes(job: Job, device: str, threads: int) -> LaneBatch:
    """The lanes of the job at hand, made once in every process."""
    return LaneBatch(job, device, threads)


def _futures(executor: Executor, job: Job, drawn: Samples, parts: Sequence[np.ndarray]) -> Iterator[Made]:
    """Chunks handed to an executor, not all at once."""
    ahead = AHEAD * (getattr(executor, "_max_workers", None) or 2)
    waiting, left = {}, iter(parts)
    try:
        while True:
            for places in left:
                waiting[executor.submit(made, job, drawn.part(places))] = places
                if len(waiting) >= ahead:
                    break
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                places = waiting.pop(future)
                yield places, future.result()
    finally:
        for future in waiting:
            future.cancel()


@dataclass(frozen=True)
class Shipment:
    """A job and the machine code it needs on processors like this one."""

    job: Job
    code: Mapping[str, Entry]


def shipment(job: Job, drawn: Samples) -> Shipment:
    """What a worker needs to make runs without compiling: all that one run has used here."""
    import cloudpickle  # comes with Dask

    # as a worker gets it and begins with it, so that code which is loaded here already is seen, too
    copy = replace(pickle.loads(cloudpickle.dumps(job)), key=uuid.uuid4().hex)
    with afresh(), recorded() as code:
        made(copy, drawn.part(np.arange(1)))
    return Shipment(job, code)


def made_there(shipped: Shipment, columns: Mapping[str, np.ndarray]) -> Block:
    """Runs made by a worker."""
    offer(shipped.code)
    return made(shipped.job, columns)


def _unchanged(shipped: Shipment) -> Shipment:
    return shipped


def _dask(client: Any, job: Job, drawn: Samples, parts: Sequence[np.ndarray]) -> Iterator[Made]:
    """Chunks handed to a Dask cluster.

    Job and machine code travel once to every worker; as the result of a task, they are made again where the workers
    that held them have died.  Runs of a worker that dies go to another.
    """
    from dask.distributed import as_completed

    everywhere = client.submit(_unchanged, shipment(job, drawn), pure=False)
    client.replicate([everywhere])
    futures = {client.submit(made_there, everywhere, drawn.part(places), pure=False, retries=3): places
               for places in parts}
    try:
        for future, rows in as_completed(futures, with_results=True):
            yield futures[future], rows
    finally:
        client.cancel([future for future in futures if not future.done()])
