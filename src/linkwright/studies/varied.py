"""Runs of one model with other numbers: parameters, start values and inputs by name, differentiated by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler import changed, model_of, names, number_at, numbers_at, system_of, with_numbers
from ..errors import ModelError
from ..result import Result
from ..system import System
from .goals import Goal
from .measured import attached, needs_variables
from .sensitivities import Together
from .simulate import simulate


class Varied:
    """A model whose numbers of some names vary; "body.r_cm[0]" is one entry of a vector.

    `goals` are what is asked of the runs: `with Varied(…) as runs`, formulas among them are variables of the model, and
    `runs.goals` ask for them by name.
    """

    def __init__(self, model: object, wanted: Sequence[str], goals: Sequence[Goal] = ()):
        self.model, self.goals = model_of(model), list(goals)
        self._attached, self._asked = attached(self.model, self.goals), list(goals)
        self.system = model if isinstance(model, System) else None
        origin = None if self.system is None else self.system.origin
        self.options = {} if origin is None else dict(origin.options)
        self.names = tuple(dict.fromkeys(names("names", wanted)))
        if not self.names:
            raise ModelError("name at least one parameter, start value or input.")
        if self.system is None:
            self._check()
        else:
            self.system.once(("numbers", self.names), self._check)

    def _check(self) -> None:
        for name, value in numbers_at(self.model, self.names).items():
            if np.ndim(value):
                raise ModelError(f"{name}: a single number is needed; name an entry, {name}[0].", name)

    def now(self, name: str) -> float:
        """The number that the model has."""
        return float(number_at(self.model, name))

    def __enter__(self) -> Varied:
        self.goals = self._attached.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._attached.__exit__(*error)

    def run(self, values: Mapping[str, float], stop: float, sensitivities: bool = True,
            together: bool = False, **options: Any) -> Result:
        """A run with these numbers, others as the model has them; with a companion direction for all of them instead of
        a column for each if they are to be differentiated by `together`."""
        change, inputs = with_numbers(self.model, values)
        inputs = {**(options.pop("inputs", None) or {}), **inputs}
        with changed(self.model, change):
            # a system serves as it is where nothing is to change in its model
            as_it_is = self.system is not None and not change and not needs_variables(self._asked)
            source = self.system if as_it_is else system_of(self.model, **self.options) if self.options else self.model
            names = Together(self.names) if together else self.names
            result = simulate(source, stop, inputs=inputs, sensitivities=names if sensitivities else None, **options)
        for goal in self.goals:
            if goal.name in result.system.names_table:
                result.system.expression(goal.name)  # written out while the model has it
        return result
