"""A model as the routes get it: copies of it, how it moves by `simulate`, and the variants that run side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..compiler import afresh, changed, number_at, parameter_names, system_of, with_numbers, with_own_controllers
from ..errors import LinkwrightError
from ..language import Model
from ..language.fields import Guess
from ..result import unit_of
from ..run.tolerances import MOREAU_STEP
from ..system import System
from .comparison import Accuracy, scales_of
from .copies import copied
from .motions import Motion, run_of, watched
from .tolerances import CHANGED, FINER, INTERVALS, TRIED

#: parameters that are varied, by their own name, the most telling first
TELLING = ("m", "c", "d", "length", "radius", "g", "J", "k")


@dataclass(frozen=True)
class Variants:
    """Runs side by side: values by name, a row for each; the parameter among the names is an input of the code."""

    tunable: tuple[str, ...]
    columns: dict[str, list[float]]

    @property
    def rows(self) -> list[dict[str, float]]:
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]


class Case:
    """What is compared: a model over a time, at an accuracy.  The model itself is never run, only copies of it."""

    def __init__(self, model: Model, stop: float, accuracy: float, limit: float) -> None:
        self.template, self.stop, self.accuracy, self.limit = copied(model), float(stop), accuracy, limit
        self.step = self.stop / INTERVALS
        with afresh():
            system = system_of(self.fresh())
            own = [part.path_of(name) for part in system.model.models() for name in part._outputs]
            self.names = watched(system, own)
            self.units = {name: unit_of(_Of(system), name) for name in self.names}
            self.system = system

    def fresh(self) -> Model:
        """A copy of the model that nobody else has."""
        return copied(self.template)

    def run(self, system: object, accuracy: float | None = None, names: list[str] | None = None,
            **options: object) -> Motion:
        """An ordinary run of a system or model; one that can only be stepped is finer by steps of half the length."""
        if self.system.mechanism.events.stepped and accuracy is not None and accuracy < self.accuracy:
            options = {"h": MOREAU_STEP / 2} | options
        if isinstance(system, System) and "state" not in options:
            system = with_own_controllers(system)
        return run_of(system, self.stop, names or self.names, self.step, accuracy=accuracy or self.accuracy, **options)

    @cached_property
    def reference(self) -> Motion:
        """How `simulate` says it moves."""
        return self.run(self.system)

    @cached_property
    def finer(self) -> Motion:
        """The same, a hundred times as exactly."""
        return self.run(self.system, self.accuracy / FINER)

    @cached_property
    def scales(self) -> dict[str, float]:
        return scales_of(self.reference, self.units)

    @cached_property
    def known(self) -> Accuracy:
        """How exactly that motion is known."""
        return Accuracy.between(self.reference, self.finer, self.scales)

    # --- variants ---

    @cached_property
    def variants(self) -> Variants | None:
        """The model as it is, with another parameter, and with another start; None where nothing can be varied."""
        with afresh():
            tunable = self._tunable()
            names = [*tunable, *self._start()]
        if not names:
            return None
        own = [float(number_at(self.template, name)) for name in names]
        columns = {name: [value] * (len(names) + 1) for name, value in zip(names, own, strict=True)}
        for k, name in enumerate(names):
            columns[name][k + 1] += CHANGED * (columns[name][0] if name in tunable else 1.0)
        return Variants(tunable, columns)

    def _tunable(self) -> tuple[str, ...]:
        """A parameter that can stay an input of the code."""
        names = sorted((name for name in parameter_names(self.template) if name.rpartition(".")[2] in TELLING),
                       key=lambda name: TELLING.index(name.rpartition(".")[2]))
        for name in names[:TRIED]:
            try:
                value = number_at(self.template, name)
                if np.ndim(value) == 0 and value and np.isfinite(value):
                    system_of(self.fresh(), tunable=[name])
                    return (name,)
            except LinkwrightError:
                continue
        return ()

    def _start(self) -> tuple[str, ...]:
        """A start value that is fixed, and can be another one."""
        for component in self.template.leaves():
            for own, entries in component._initial.items():
                name = component.path_of(own)
                fixed = len(entries or ()) == 1 and entries[0] is not None and not isinstance(entries[0], Guess)
                if fixed and _is_number(entries[0]) and name in self.names:
                    try:
                        with self.changed({name: float(number_at(self.template, name)) + CHANGED}) as model:
                            system_of(model).state()
                        return (name,)
                    except LinkwrightError:
                        continue
        return ()

    @contextmanager
    def changed(self, values: dict[str, float]) -> Iterator[Model]:
        """A copy of the model with other numbers."""
        model = self.fresh()
        with changed(model, with_numbers(model, values)[0]):
            yield model

    @cached_property
    def side_by_side(self) -> list[Motion]:
        """The variants by `simulate`, on code with the varied parameter as its input, each by itself."""
        return [self.run(system) for system in self.tuned]

    @cached_property
    def tuned(self) -> list[System]:
        """The variants, each compiled by itself; their code has the varied parameter as its input."""
        tunable, found = list(self.variants.tunable) if self.variants else [], []
        for row in self.variants.rows if self.variants else ():
            with afresh(), self.changed(row) as model:
                found.append(system_of(model, **({"tunable": tunable} if tunable else {})))
                found[-1].state()  # which depends on the numbers of the model as they are now
        return found


class _Of:
    """What `unit_of` looks at."""

    def __init__(self, system: object) -> None:
        self.system = system


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, RuntimeError):
        return False
    return True


