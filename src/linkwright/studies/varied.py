"""Runs of one model with other numbers: parameters, start values and inputs by name, differentiated by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler import (
    changed,
    is_series,
    model_of,
    names,
    number_at,
    numbers_at,
    system_of,
    with_numbers,
    with_own_controllers,
)
from ..errors import ModelError, unknown_name
from ..result import Result
from ..system import System, split_entry
from ..system.tangents import OF_ALL
from .goals import Goal
from .sensitivities import Together, tunable
from .simulate import simulate
from .temporary_outputs import attached, needs_variables


class Varied:
    """A model whose numbers of some names vary; "body.r_cm[0]" is one entry of a vector.

    Of `inputs` that are (t, values) the values vary, all of them or one, "motor.tau[3]".

    `goals` are what is asked of the runs: `with Varied(…) as runs`, formulas among them are variables of the model, and
    `runs.goals` ask for them by name.
    """

    def __init__(self, model: object, wanted: Sequence[str], goals: Sequence[Goal] = (),
                 inputs: Mapping[str, Any] | None = None):
        self.model, self.goals = model_of(model), list(goals)
        self._attached, self._asked = attached(self.model, self.goals), list(goals)
        self.system = model if isinstance(model, System) else None
        origin = None if self.system is None else self.system.origin
        self.options = {} if origin is None else dict(origin.options)
        self.tables = {name: np.array(value[1], dtype=float) for name, value in (inputs or {}).items()
                       if is_series(value)}
        self.names = tuple(dict.fromkeys(each for name in names("names", wanted) for each in self.entries(name)))
        if not self.names:
            raise ModelError("name at least one parameter, start value or input.")
        if self.system is None:
            self._check()
        else:
            self.system.once(("numbers", self.names, tuple(self.tables)), self._check)

    def _check(self) -> None:
        own = [name for name in self.names if split_entry(name)[0] not in self.tables]
        for name, value in numbers_at(self.model, own).items():
            if np.ndim(value):
                raise ModelError(f"{name}: a single number is needed; name an entry, {name}[0].", name)

    def now(self, name: str) -> float:
        """The number that the model, or the input over time, has."""
        whole, place = split_entry(name)
        if whole not in self.tables:
            return float(number_at(self.model, name))
        values = self.tables[whole]
        if len(place) != 1 or not place[0] < len(values):
            raise ModelError(f"{name}: {whole} has {len(values)} points, counted from 0.", name)
        return float(values[place])

    def entries(self, name: str) -> list[str]:
        """A name, or of an input over time a name for each of its points."""
        return [f"{name}[{k}]" for k in range(len(self.tables[name]))] if name in self.tables else [name]

    def __enter__(self) -> Varied:
        self.goals = self._attached.__enter__()
        try:
            self._check_goals()
        except BaseException:
            self._attached.__exit__(None, None, None)
            raise
        return self

    def _check_goals(self) -> None:
        """Refuse goals of what is no variable of the model, before anything runs."""
        if self.goals:
            own = [name for name in self.names if split_entry(name)[0] not in self.tables]
            source = self._source(False)
            system = tunable(source, own).system if own else system_of(source)
            for goal in self.goals:
                refuse_unknown(system, goal.name)

    def _source(self, changes: bool) -> object:
        """What is run: a system serves as it is where nothing is to change in its model."""
        if self.system is not None and not changes and not needs_variables(self._asked):
            return self.system
        return system_of(self.model, **self.options) if self.options else self.model

    def _own(self, source: object) -> object:
        """What is run, with controllers in Python that remember nothing of the runs before."""
        has_controllers = any(part._controllers for part in self.model.models())
        return with_own_controllers(system_of(source)) if has_controllers else source

    def __exit__(self, *error: Any) -> None:
        self._attached.__exit__(*error)

    def run(self, values: Mapping[str, float], stop: float, sensitivities: bool = True,
            together: bool = False, **options: Any) -> Result:
        """A run with these numbers, others as the model has them; with a companion direction for all of them instead of
        a column for each if they are to be differentiated by `together`."""
        given = dict(options.pop("inputs", None) or {})
        points = {name: value for name, value in values.items() if split_entry(name)[0] in self.tables}
        change, inputs = with_numbers(self.model, {n: value for n, value in values.items() if n not in points})
        for name in {split_entry(name)[0] for name in points}:
            given[name] = given[name][0], np.array(given[name][1], dtype=float)
        for name, value in points.items():
            whole, place = split_entry(name)
            given[whole][1][place] = value
        inputs = {**given, **inputs}
        with changed(self.model, change):
            names = Together(self.names) if together else self.names
            result = simulate(self._own(self._source(bool(change))), stop, inputs=inputs,
                              sensitivities=names if sensitivities else None, **options)
        for goal in self.goals:
            if goal.name in result.system.names_table:
                result.system.expression(goal.name)  # written out while the model has it
        return result


def refuse_unknown(system: System, name: str) -> None:
    """What is no variable of a system that has derivatives, nor an entry of one."""
    if not any(one in system.names_table or one in OF_ALL for one in (name, split_entry(name)[0])):
        raise unknown_name(name, [*system.names, *OF_ALL], f"the list of variables of {system.mechanism.name!r}")
