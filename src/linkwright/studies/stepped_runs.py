"""Many runs whose contacts are stepped, in lanes of the processor or threads of a GPU, with the bits of `simulate`.

    runs = SteppedRuns(system, system.state(), stop=1.0, h=2e-3)
    results = runs.run(states)

It answers what `LaneRuns` does.  A run that is not finished here is made from its start by `simulate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError
from ..system import State, System
from .lane_runs import Finished, LaneRuns, Starts, refusal
from .simulate import TIME_STEPPING, output_times

if TYPE_CHECKING:
    from ..integrate.step_programs import LaneResults, Repeated

#: names of the method that `simulate` takes
NAMES = (TIME_STEPPING, "moreau")


def steps_contacts(system: System, method: object) -> bool:
    """Whether `simulate` steps the contacts of a system by this method."""
    return method in NAMES or method == "auto" and system.mechanism.events.stepped


def refusal_of(system: System, state: State, method: object) -> str | None:
    """Why runs by a method of `simulate` cannot go through lanes; None where they can."""
    from ..run.stepped_program import needs_python

    if not steps_contacts(system, method):
        return refusal(system)
    if system.mechanism.requirements:
        return "a component requires what the ordinary run looks after"
    return needs_python(system, state)


def runs_of(system: System, state: State, stop: float, *, method: str = "auto", **options: Any) -> LaneRuns:
    """Many runs by a method of `simulate`."""
    made = SteppedRuns if steps_contacts(system, method) else LaneRuns
    return made(system, state, stop, method=method, **options)


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
        why = refusal_of(system, state, TIME_STEPPING)
        if why is not None:
            raise ModelError(f"{system.mechanism.name}: its runs cannot go through lanes: {why}.")
        self.system, self.state, self.threads = system, state.copy(), threads
        self.grid = output_times(start, stop, step)
        self.program = SteppedProgram(system, state)
        self._aim, self._usual = Aim(float(stop), h=MOREAU_STEP if h is None else h), ()
        self.lanes = GpuLanes(self.program) if device == "gpu" else Lanes(self.program, 1)
        self._again: Repeated | None = None  # for `go_on`

    def starts(self, states: Iterable[State] | np.ndarray) -> Starts:
        """Where runs begin, from states (or input vectors) that are consistent as `simulate` would have made them."""
        if not isinstance(states, np.ndarray):
            states = np.array([self.system.layout.pack(state) for state in states])
        return Starts(states, np.ones(len(states), dtype=bool))

    def finish(self, results: LaneResults, run: int, state: State, grid: np.ndarray | None = None) -> Finished | None:
        """Nothing: a run that is not finished is made from its start."""
        return None

    def pasts(self, count: int) -> np.ndarray:
        """What so many runs remember that have not begun, a row for each."""
        return np.tile(self.program.template(self._aim), (count, 1))

    def go_on(self, rows: np.ndarray, to: np.ndarray, pasts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Input vectors at later times, from input vectors and what runs remember, which is brought up to date; and
        which of them have come there."""
        from ..integrate.step_programs import DONE, Repeated

        if self._again is None or self._again.pasts is not pasts:
            self._again = Repeated(self.lanes, len(rows), self._aim, pasts=pasts)
        ends, counts = self._again.run(rows, to)
        return ends, counts[:, 0] == DONE
