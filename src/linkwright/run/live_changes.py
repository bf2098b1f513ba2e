"""Changes by the user while a run is shown live: sliders of inputs and parameters, and the button to begin again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..integrate import Stepper
from ..system import State, System

History = list[tuple[float, np.ndarray]]


class Again(Exception):
    """The run is to begin again, with these values of inputs and parameters."""

    def __init__(self, values: Mapping[str, object]):
        super().__init__("the run begins again")
        self.values = dict(values)


class MovedByHand(Exception):
    """Inputs of a stepper have changed between two steps of a run with events."""


class ByHand:
    """The values of inputs and parameters that the user has set, each with the time from which it holds."""

    def __init__(self, system: System, state: State, eventful: bool):
        self.places, self.eventful = system.layout.places, eventful
        self.parameters: History = [(state.t, state.p.copy())]
        self.discretes: History = [(state.t, state.d.copy())]

    def note(self, stepper: Stepper) -> None:
        """Called where inputs of a stepper were changed; a run with events is told."""
        for history, part in ((self.parameters, "p"), (self.discretes, "d")):
            now = stepper.inputs[self.places[part]].copy()
            if not np.array_equal(history[-1][1], now):
                history.append((stepper.t, now))
        if self.eventful:
            raise MovedByHand

    @property
    def moved(self) -> bool:
        """Whether a parameter has changed on the way."""
        return len(self.parameters) > 1
