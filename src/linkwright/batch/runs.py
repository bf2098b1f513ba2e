"""One run of a sweep, by the ordinary simulation: values set in the model, what was asked for taken from the result."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ..compiler import Model, changed, is_input, is_parameter, system_of, with_own_controllers
from ..errors import LinkwrightError, ModelError, SimulationError
from ..result import Result
from ..start import OtherStarts, prepare
from ..studies.goals import Goal
from ..studies.simulate import simulate
from ..system import State, System

#: how a run can end; a run that has not ended yet is "missing"
STATUS = ("missing", "ok", "failed")


@dataclass(frozen=True, eq=False)
class Job:
    """What every run of a sweep does: the model, the time, what is kept of it.

    Copies in other processes are the same job: they have its `key`.
    """

    model: Model
    names: tuple[str, ...]
    stop: float
    tunable: tuple[str, ...]  # those of the names that are inputs of the code
    outputs: tuple[str, ...]
    reducers: Mapping[str, Goal | Callable[[Result], object]]
    inputs: Mapping[str, Any]  # as users give them: numbers, (t, values), functions of time
    options: Mapping[str, Any]  # of simulate
    first: Mapping[str, Any]  # the values of the first run
    base: np.ndarray | None = None  # the start of `shared_by_runs`, in all processes to the last bit
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Row:
    """What is kept of one run."""

    status: str
    message: str = ""
    time: float = np.nan  # where it ended
    wall: float = 0.0
    events: int = 0
    steps: int = 0
    outputs: dict[str, np.ndarray] = field(default_factory=dict)
    reduced: dict[str, np.ndarray] = field(default_factory=dict)
    handed_over: float = np.nan  # from when on the ordinary run made it, where lanes had begun or could not


class Block:
    """What is kept of some runs: columns with a row for each.

    `told` holds status (a number), message, ended, wall, events, steps, handed_over; `outputs` have `times` places for
    the times of a run, NaN beyond its end.
    """

    def __init__(self, n: int, times: int):
        self.n, self.times = n, times
        self.told: dict[str, np.ndarray] = {
            "status": np.zeros(n, dtype=np.int8), "message": np.full(n, "", dtype=object), "ended": np.full(n, np.nan),
            "wall": np.zeros(n), "events": np.zeros(n, dtype=np.int64), "steps": np.zeros(n, dtype=np.int64),
            "handed_over": np.full(n, np.nan)}
        self.outputs: dict[str, np.ndarray] = {}
        self.reduced: dict[str, np.ndarray] = {}

    def fill(self, places: Sequence[int] | np.ndarray, told: Mapping[str, object], outputs: Mapping[str, np.ndarray],
             reduced: Mapping[str, np.ndarray]) -> None:
        """Rows of many runs at once, all of them to their end."""
        for name, values in told.items():
            self.told[name][places] = values
        for kept, given, first in ((self.outputs, outputs, 2), (self.reduced, reduced, 1)):
            for name, values in given.items():
                self._column(kept, name, values.shape[first:], first == 2)[places] = values

    def put(self, k: int, row: Row) -> None:
        """The row of one run."""
        self.told["status"][k] = STATUS.index(row.status)
        self.told["ended"][k] = row.time
        for name in ("message", "wall", "events", "steps", "handed_over"):
            self.told[name][k] = getattr(row, name)
        for name, value in row.outputs.items():
            self._column(self.outputs, name, value.shape[1:], True)[k, : len(value)] = value
        for name, value in row.reduced.items():
            column = self._column(self.reduced, name, value.shape, False)
            if column.shape[1:] != value.shape:
                raise ModelError(f"{name}: its function gave an array of shape {value.shape} for one run, and "
                                 f"{column.shape[1:]} before; give the same for every run.")
            column[k] = value

    def _column(self, kept: dict[str, np.ndarray], name: str, shape: tuple[int, ...], over_time: bool) -> np.ndarray:
        if name not in kept:
            kept[name] = np.full((self.n, *((self.times,) if over_time else ()), *shape), np.nan)
        return kept[name]

    @property
    def failed(self) -> np.ndarray:
        """Which of the runs have failed."""
        return np.flatnonzero(self.told["status"] == STATUS.index("failed"))


def run(job: Job, values: Mapping[str, object]) -> Row:
    """One run; what goes wrong is its status and message."""
    began = time.perf_counter()
    result: Result | None = None
    try:
        result = repeat(job, values)
        status, message = "ok", ""
    except SimulationError as error:
        result, status, message = error.result, "failed", str(error)
    except LinkwrightError as error:
        status, message = "failed", str(error)
    reduced: dict[str, np.ndarray] = {}
    if status == "ok" and result is not None:
        try:
            reduced = {name: np.asarray(_asked(reducer, result), dtype=float) for name, reducer in job.reducers.items()}
        except Exception as error:
            status, message = "failed", f"its reduction: {type(error).__name__}: {error}"
    kept = {name: result[name] for name in job.outputs} if result is not None and len(result.t) else {}
    return Row(status, message, float(result.t[-1]) if result is not None and len(result.t) else np.nan,
               time.perf_counter() - began, len(result.events) if result is not None else 0,
               int(result.counters.get("steps", 0)) if result is not None else 0, kept, reduced,
               float(job.options.get("start") or 0.0))


def _asked(reducer: Goal | Callable[[Result], Any], result: Result) -> Any:
    return reducer.value(result) if isinstance(reducer, Goal) else reducer(result)


def repeat(job: Job, values: Mapping[str, object]) -> Result:
    """The run as an ordinary Result."""
    shared = shared_by_runs(job)
    if shared is not None:
        state = shared.starts.state(values)
        parts = {name: getattr(state, name) for name in "quzpdy"}
        system = with_own_controllers(shared.system).beginning_with(state.t, **parts)
        return simulate(system, job.stop, progress=False, **job.options)
    inputs = {name: value for name, value in values.items() if is_input(job.model, name)}
    # inputs over time are compiled into the code, with the numbers of the model
    with changed(job.model, {name: value for name, value in values.items() if name not in inputs}):
        return simulate(with_own_controllers(compiled(job)), job.stop, progress=False,
                        inputs={**job.inputs, **inputs}, **job.options)


def compiled(job: Job) -> System:
    """The system of the model as it is."""
    return system_of(job.model, **({"tunable": job.tunable} if job.tunable else {}))


@dataclass(frozen=True)
class Shared:
    """What all runs of a job have in common where one system serves them: it, and what their starts are made of."""

    system: System
    starts: OtherStarts


@lru_cache(maxsize=2)
def shared_by_runs(job: Job) -> Shared | None:
    """The system of all runs of a job; None where a swept value decides the structure, inputs are compiled into the
    code, or the model does not start with its own values."""
    others = [name for name in job.names if name not in job.tunable and not is_input(job.model, name)]
    over_time = any(callable(value) or np.ndim(value) for value in job.inputs.values())
    if over_time or any(is_parameter(job.model, name) or name.endswith(".angles") for name in others):
        return None
    # swept start values are given ones, whatever the model says of them
    with changed(job.model, {name: job.first[name] for name in others}):
        system = compiled(job)
        try:
            base = system.state(assembled=False)
            base = system.layout.put(job.base, base) if job.base is not None else prepared(job, system)
        except LinkwrightError:
            return None
    return Shared(system, OtherStarts(system, base, job.names, tuple(job.inputs)))


def prepared(job: Job, system: System) -> State:
    """The start of a system with the inputs of a job."""
    return prepare(system, None, float(job.options.get("start") or 0.0), job.inputs)
