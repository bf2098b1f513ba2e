"""Routes within the process: methods, formulations, copies, files of results, numbers changed and recompiled."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..compiler import system_of
from ..errors import SimulationError
from ..integrate import METHODS
from ..result import Result, load
from ..studies.simulate import simulate
from .cases import Case
from .comparison import Accuracy
from .motions import Motion, motion_of
from .routes import ACCURACY, BITS, NotComparedError, Pair, Route
from .tolerances import CHANGED, FINER, FIXED_STEPS, FOLLOWED, REFINED, SHARE

#: only stepped: very many rigid contacts, or pairs of shapes without a formula
ONLY_STEPPED = "that they can only be stepped"


def by_method(method: str, case: Case) -> Iterator[Pair]:
    """A method that chooses its steps."""
    system = system_of(case.fresh())
    found, finer = (case.run(system, accuracy, method=method) for accuracy in (case.accuracy, case.accuracy / FINER))
    yield Pair(case.finer, found, finer)


def by_fixed_steps(method: str, case: Case) -> Iterator[Pair]:
    """A method of fixed steps, which are made shorter until they follow the motion, or take too long."""
    system, h, began = system_of(case.fresh()), case.step / FIXED_STEPS, time.monotonic()
    events = system.mechanism.events
    if method == "moreau" and not (events.contacts or events.stepped):
        raise NotComparedError("there is no rigid contact to step")
    followed: Pair | None = None
    until = 0.0
    for _ in range(REFINED):
        found, finer = (_attempt(case, system, method, length) for length in (h, h / 2))
        if found is not None and finer is not None:
            reached = Accuracy.between(found, finer, case.scales).until
            if reached > until:
                followed, until = Pair(case.finer, found, finer), reached
        if until >= FOLLOWED * case.known.until or time.monotonic() - began > SHARE * case.limit:
            break
        h /= 4
    if followed is None:
        raise NotComparedError(f"steps of {h:.1g} s do not follow this motion")
    yield followed


def _attempt(case: Case, system: object, method: str, h: float) -> Motion | None:
    try:
        return case.run(system, method=method, h=h)
    except SimulationError:
        return None  # the steps are too long


def by_formulation(formulation: str, case: Case) -> Iterator[Pair]:
    if not case.system.mechanism.constraints:
        raise NotComparedError("it has no loops: there is one formulation")
    system = system_of(case.fresh(), formulation=formulation)
    found, finer = (case.run(system, accuracy) for accuracy in (case.accuracy, case.accuracy / FINER))
    yield Pair(case.finer, found, finer)


def declared_backwards(case: Case) -> Iterator[Pair]:
    """The same parts and connections, declared in the opposite order: perhaps another tree, not another motion."""
    model = case.fresh()
    for part in model.models():
        part.__dict__["_children"] = dict(reversed(part._children.items()))
        part.__dict__["_connections"] = list(reversed(part._connections))
    system = system_of(model)
    names = [name for name in case.names if name in system.names_table]
    if not names:
        raise NotComparedError("its variables have other names then")
    found, finer = (case.run(system, accuracy, names) for accuracy in (case.accuracy, case.accuracy / FINER))
    yield Pair(replace(case.finer, values={name: case.finer.values[name] for name in names}), found, finer)


def numbers_changed(case: Case) -> Iterator[Pair]:
    """Other numbers and back: then the numbers are inputs of the code, and were constants of it."""
    if case.variants is None:
        raise NotComparedError("nothing in it can be varied")
    model, row = case.fresh(), case.variants.rows[-1]
    tuned = {name: value * (1 + CHANGED) for name, value in case.variants.rows[0].items()
             if name in case.variants.tunable}
    system_of(model)
    with case.changed({**row, **tuned}) as other:
        system_of(other)
    found, finer = (case.run(model, accuracy) for accuracy in (case.accuracy, case.accuracy / FINER))
    yield Pair(case.finer, found, finer)


def tuned(case: Case) -> Iterator[Pair]:
    """A parameter set in the state of a system that has it as an input, against a model compiled with that number."""
    if case.variants is None or not case.variants.tunable:
        raise NotComparedError("it has no parameter that can stay an input")
    (name,) = case.variants.tunable
    values = {name: case.variants.rows[1][name]}
    system = system_of(case.fresh(), tunable=[name])
    found, finer = (case.run(system, accuracy, state=system.state().set(name, values[name]))
                    for accuracy in (case.accuracy, case.accuracy / FINER))
    with case.changed(values) as model:
        yield Pair(case.run(model, case.accuracy / FINER), found, finer)


def pickled_model(case: Case) -> Iterator[Pair]:
    yield Pair(case.reference, case.run(pickle.loads(pickle.dumps(case.fresh()))))


def pickled_system(case: Case) -> Iterator[Pair]:
    yield Pair(case.reference, case.run(pickle.loads(pickle.dumps(system_of(case.fresh())))))


def result_kept(keep: Callable[[Result, Path, list[str]], object], case: Case) -> Iterator[Pair]:
    """A result through a file, or through bytes."""
    result = simulate_whole(case)
    with tempfile.TemporaryDirectory() as folder:
        found = keep(result, Path(folder), case.names)
        values = {name: np.asarray(found[name]) for name in case.names}  # type: ignore[index]
        yield Pair(motion_of(result, case.names), Motion(found.t, values, float(found.t[-1])))  # type: ignore


def simulate_whole(case: Case) -> Result:
    """The result itself, of a run that may have failed."""
    try:
        return simulate(case.fresh(), case.stop, step=case.step, accuracy=case.accuracy, progress=False)
    except SimulationError as error:
        return error.result


def _pickled(result: Result, folder: Path, names: list[str]) -> object:
    return pickle.loads(pickle.dumps(result))


def _saved(suffix: str, result: Result, folder: Path, names: list[str]) -> object:
    result.save(folder / f"run{suffix}", names)
    return load(folder / f"run{suffix}")


def continued(case: Case) -> Iterator[Pair]:
    """Half of the run, and on from its end: the steps are others, the motion is not."""

    def halves(accuracy: float) -> Motion:
        system = system_of(case.fresh())
        middle = case.step * ((len(case.reference.t) - 1) // 2)
        options: dict[str, Any] = {"step": case.step, "accuracy": accuracy, "progress": False}
        first = simulate(system, middle, **options)
        second = simulate(system, case.stop, start=middle, state=first.end, **options)
        one, two = motion_of(first, case.names), motion_of(second, case.names)
        return Motion(np.concatenate([one.t, two.t[1:]]),
                      {name: np.concatenate([one.values[name], two.values[name][1:]]) for name in case.names},
                      two.ended, events=np.concatenate([one.events, two.events, [middle]]))

    if case.reference.failed or case.reference.ended < case.stop:
        raise NotComparedError("the run ends before its time")
    yield Pair(case.finer, halves(case.accuracy), halves(case.accuracy / FINER))


ADAPTIVE = [name for name, method in METHODS.items() if method.adaptive]
FIXED = [*(name for name, method in METHODS.items() if not method.adaptive), "moreau"]
PICKLING = ("this cannot be pickled",)

ROUTES: tuple[Route, ...] = (
    Route("declared in another order", ACCURACY, declared_backwards),
    Route("numbers changed and back", ACCURACY, numbers_changed),
    Route("parameter set in the state", ACCURACY, tuned),
    Route("in two halves", ACCURACY, continued),
    Route("model pickled", BITS, pickled_model, PICKLING),
    Route("system pickled", BITS, pickled_system, PICKLING),
    Route("result pickled", BITS, partial(result_kept, _pickled), PICKLING),
    Route("result saved as .nc", BITS, partial(result_kept, partial(_saved, ".nc"))),
    Route("result saved as .csv", BITS, partial(result_kept, partial(_saved, ".csv"))),
    *(Route(f"formulation {name}", ACCURACY, partial(by_formulation, name)) for name in ("projection", "minimal")),
    *(Route(f"method {name}", ACCURACY, partial(by_method, name), (ONLY_STEPPED,)) for name in ADAPTIVE),
)
#: of many steps, so they come last
SLOW_ROUTES = tuple(Route(f"method {name}", ACCURACY, partial(by_fixed_steps, name), (ONLY_STEPPED,)) for name in FIXED)
