"""Runs that would not end: too many steps asked for, and steps that have become too small to get anywhere."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..integrate import Stepper
from ..system import State, System
from .tolerances import ENDLESS, SPAN


class NoProgress(Exception):
    """A run would not end."""


def check_work(system: System, start: float, stop: float, h: float | None) -> None:
    """Refuse fixed steps and controllers that ask for more work than can be done, by name."""
    asked = [("the fixed step h", h)] if h is not None else []
    asked += [(f"the controller {getattr(item.function, '__name__', 'controller')!r}: its period", item.period)
              for item in system.mechanism.controllers]
    asked += [(f"{when.name}: its period", when.clock.period) for when in system.mechanism.events.whens
              if when.clock is not None]
    for what, interval in asked:
        if interval > 0 and (stop - start) / interval > ENDLESS:
            raise ModelError(f"{what} = {interval:g} s goes {(stop - start) / interval:.1g} times into the run of "
                             f"{stop - start:g} s, which would not end. Give a longer one.")


class Patience:
    """Looks at a run now and then, and stops it where the rest would take more than `ENDLESS` steps."""

    def __init__(self, system: System, state: State, stop: float):
        self.system, self.state, self.stop = system, state, stop
        self._before: tuple[int, float] | None = None
        self.said, self.components = "", ()

    def look(self, stepper: Stepper) -> None:
        """Raise NoProgress where the steps have become too small to reach the end."""
        done, t = stepper.counters["steps"] + stepper.counters["rejected"], stepper.t
        if self._before is None:
            self._before = (done, t)
            return
        steps, progress = done - self._before[0], t - self._before[1]
        if steps < SPAN:
            return
        self._before = (done, t)
        if (self.stop - t) * steps <= ENDLESS * progress:
            return
        here = self.system.layout.put(stepper.inputs, self.state.copy())
        rates = np.abs(np.nan_to_num(self.system.raw(here, "udot"), nan=np.inf))
        self.components = tuple(self.system.part_names("u")[k] for k in np.argsort(-rates)[:1] if len(rates))
        fastest = "".join(f" {name} changes fastest, by {np.max(rates):.3g} a second." for name in self.components)
        self.said = (f"at t = {t:.9g} s the run makes no progress: {steps} steps came {progress:.3g} s further, and "
                     f"{self.stop - t:.3g} s are left.{fastest} Likely: forces far too large for the masses, or units "
                     "mixed up. Check them, or ask for less accuracy.")
        raise NoProgress
