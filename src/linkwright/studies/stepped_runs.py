"""Many runs whose contacts are stepped, in lanes of the processor or threads of a GPU, with the bits of `simulate`.

    runs = SteppedRuns(system, system.state(), stop=1.0, h=2e-3)
    results = runs.run(states)

It answers what `LaneRuns` does.  A run that is not finished here is made from its start by `simulate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..system import State, System
from .lane_runs import Finished, LaneRuns, Starts
from .simulate import TIME_STEPPING, output_times

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneResults

#: names of the method that `simulate` takes
NAMES = (TIME_STEPPING, "moreau")


def steps_contacts(system: System, method: object) -> bool:
    """Whether `simulate` steps the contacts of a system by this method."""
    return method in NAMES or method == "auto" and system.mechanism.events.stepped


def refusal_to_step(system: System, state: State) -> str | None:
    """Why stepped runs cannot go through lanes; None where they can."""
    from ..run.stepped_program import needs_python

    if system.mechanism.requirements:
        return "a component requires what the scalar solver looks after"
    return needs_python(system, state)


class SteppedRuns(LaneRuns):
    """The steps of a system's contacts, at a state that stands for all runs, and what runs have in common.

    Arguments are those of `simulate`; runs share `threads` of the processor, or have one each on `device="gpu"`.
    """

    def __init__(self, system: System, state: State, stop: float, *, start: float = 0.0, h: float | None = None,
                 step: float | None = None, device: str = "cpu", threads: int = 1, **_: Any) -> None:
        from ..integrate.step_programs import Aim, GpuLanes, Lanes
        from ..run.moreau import refuse_others
        from ..run.stepped_program import SteppedProgram
        from ..run.tolerances import MOREAU_STEP

        if device not in ("cpu", "gpu"):
            raise ModelError(f"device = {device!r} does not exist; choose 'cpu' or 'gpu'.")
        if h is not None and not (np.isfinite(h) and h > 0):
            raise ModelError(f"fixed_step must be positive and finite, got {h}.")
        refuse_others(system)
        why = refusal_to_step(system, state)
        if why is not None:
            raise ModelError(f"{system.mechanism.name}: its runs cannot go through lanes: {why}.")
        self.system, self.state, self.threads = system, state.copy(), threads
        self.grid = output_times(start, stop, step)
        self.program = SteppedProgram(system, state)
        self._aim, self._usual = Aim(float(stop), h=MOREAU_STEP if h is None else h), ()
        self.lanes = GpuLanes(self.program) if device == "gpu" else Lanes(self.program, 1)

    def starts(self, states: Iterable[State] | np.ndarray) -> Starts:
        """Where runs begin, from states (or input vectors) that are consistent as `simulate` would have made them."""
        if not isinstance(states, np.ndarray):
            states = np.array([self.system.layout.pack(state) for state in states])
        return Starts(states, np.ones(len(states), dtype=bool))

    def finish(self, results: LaneResults, run: int, state: State, grid: np.ndarray | None = None) -> Finished | None:
        """Nothing: a run that is not finished is made from its start."""
        return None


def runs_of(system: System, state: State, stop: float, method: str, **options: Any) -> LaneRuns:
    """Many runs by a method of `simulate`."""
    made: Mapping[bool, Any] = {True: SteppedRuns, False: LaneRuns}
    return made[steps_contacts(system, method)](system, state, stop, method=method, **options)
