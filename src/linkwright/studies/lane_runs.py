"""Many runs of one system in lanes of the processor or threads of a GPU, each with the bits of `simulate`.

    runs = LaneRuns(system, system.state(), stop=10.0)
    results = runs.run(states)                     # status, final states, states at output times

A run that a lane cannot finish comes back with a status that says why; `finish` lets the ordinary run go on from there,
with the bits of `simulate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..compiler import weights_given
from ..errors import ModelError, SimulationError
from ..integrate import CONSTRAINT_ROUNDING, choose
from ..run import (
    EventRun,
    Formulation,
    SingularPositions,
    accuracy_of_steps,
    collect,
    lane_events_of,
    linearised,
    make_stepper,
    needs_python,
    updated,
    weights_of,
)
from ..system import State, System
from ..system.closed_form import take_states_of_many
from ..system.event_programs import pairs_of_witnesses
from ..system.tangents import has_tangents
from .simulate import continued, output_times

if TYPE_CHECKING:
    from ..device import Advanced
    from ..integrate.step_programs import Aim, LaneResults, Repeated, StepProgram


def refusal(system: System) -> str | None:
    """Why the runs of a system cannot go through lanes; None where they can."""
    m = system.mechanism
    if m.events.stepped:
        return "there are so many rigid contacts, or pairs of such shapes, that they can only be stepped"
    if m.controllers or m.memories:
        return "controllers in Python and delays act between the steps of the ordinary run"
    if m.requirements:
        return "a component requires what the ordinary run looks after"
    return needs_python(system)


@dataclass(frozen=True)
class Starts:
    """Input vectors (t, x, rest) of runs, a row each; and whether the code in use is made for them.

    Where a closed form of a loop does not describe a start, it is not: that run is handed over at once.
    """

    inputs: np.ndarray
    suits: np.ndarray


@dataclass(frozen=True)
class Finished:
    """A run that was taken over: from when on, how far it came, how many rows there are, what went wrong."""

    since: float
    ended: float
    rows: int
    error: SimulationError | None


@dataclass(frozen=True)
class Stepping:
    """What runs of a system are stepped by: the step program, the aim that runs have in common, how well constraints
    usually hold, and the formulation, chosen for a state (as it was taken: which coordinates are states)."""

    program: StepProgram
    aim: Aim
    usual: Sequence[float]
    formulation: Formulation
    state: State


def stepping_of(system: System, state: State, stop: float, *, method: str = "auto", accuracy: float = 1e-8,
                h: float | None = None, weights: Mapping[str, float] | None = None, time_scale: float | None = None,
                norm: str = "rms", alone: bool = False) -> Stepping:
    """The step program of a system at a state that stands for all runs; arguments are those of `simulate`.

    Runs that are `alone` have nobody to take them over: they have the method for stiff motions too.  Closed forms of
    loops are not for implicit methods, so that runs with them stay with the first method.
    """
    from ..integrate.step_programs import Aim, StepProgram

    accuracy = accuracy_of_steps(system, accuracy)
    m, chosen, state = system.mechanism, choose(method, accuracy, h), state.copy()
    formulation = Formulation(system, state, chosen, accuracy)
    programs = formulation.programs()
    rhs, layout, n = programs["rhs"], system.layout, m.nq + m.nu + len(state.z)
    changes = alone and method == "auto" and h is None and not (formulation.closed or formulation.iterates)
    if chosen.implicit or changes:
        programs["linearised"] = system.code.linearised.program
    # implicit steps are taken on all coordinates, and satisfy the constraints of all their stages
    followed = m.constraints and not chosen.implicit
    singular = SingularPositions(system, programs["project"], state) if followed else None
    usual = () if singular is None else singular.most
    carry = tuple(range(rhs.n_out - len(state.y), rhs.n_out)), tuple(range(layout.n_in)[layout.places["y"]])
    events, laws = lane_events_of(system), system.code.sharp_laws
    if events is not None:
        programs["situation"] = system.code.situation
        if events.rows is not None and events.rows.known["jump_in"]:
            programs["jump"] = system.code.jump
    program = StepProgram(
        chosen, {name: compiled.program for name, compiled in programs.items()}, layout.n_in,
        (m.nq, m.nu, len(state.z)), tuple(system.quaternions), carry,
        tuple(layout.places["d"].start + k for k in updated(system)),
        fixed=h is not None, max_norm=norm == "max", identity_qdot=bool(system.plain_speeds),
        every_stage=formulation.iterates or (singular is not None and singular.always),
        n_holds=len(usual), n_laws=(0, 0, 0) if laws is None or h is not None else laws[0],
        watch_strain=singular is not None, watch_stiffness=method == "auto" and h is None, changes=changes,
        lane_events=events, fast=system.fast, linearised=lambda: linearised(system),
        differentiated=has_tangents(system),
        pair_of=() if events is None else tuple(pairs_of_witnesses(system.equations)[1]))
    aim = Aim(float(stop), accuracy, h, weights_of(system, state, weights or {}, n), time_scale or 1.0,
              max(accuracy / 10, CONSTRAINT_ROUNDING))
    return Stepping(program, aim, usual, formulation, state)


class LaneRuns:
    """The step program of a system at a state that stands for all runs, and what runs have in common.

    Arguments are those of `simulate`; `lanes` is how many runs go side by side (default: as many as fit) in each of the
    `threads`; on `device="gpu"` every run has a thread of its own.  `alone`: see `stepping_of`.
    """

    def __init__(self, system: System, state: State, stop: float, *, start: float = 0.0, method: str = "auto",
                 accuracy: float = 1e-8, h: float | None = None, step: float | None = None,
                 weights: Mapping[str, float] | None = None, time_scale: float | None = None, norm: str = "rms",
                 lanes: int | None = None, device: str = "cpu", threads: int = 1, alone: bool = False):
        from ..integrate.step_programs import GpuLanes, Lanes

        if device not in ("cpu", "gpu"):
            raise ModelError(f"device = {device!r} does not exist; choose 'cpu' or 'gpu'.")
        why = refusal(system)
        if why is not None:
            raise ModelError(f"{system.mechanism.name}: its runs cannot go through lanes: {why}.")
        weights = weights_given(weights)
        self._stop, self._options = float(stop), (method, accuracy, h, weights, time_scale, norm)
        chosen = stepping_of(system, state, stop, method=method, accuracy=accuracy, h=h, weights=weights,
                             time_scale=time_scale, norm=norm, alone=alone)
        self.system, self.state, self.threads = system, chosen.state, threads
        self.grid = output_times(start, stop, step)
        self._formulation, self._closed = chosen.formulation, chosen.formulation.closed
        self.program, self._aim, self._usual = chosen.program, chosen.aim, chosen.usual
        self.lanes = GpuLanes(self.program) if device == "gpu" else Lanes(self.program, lanes)
        self._again: Repeated | None = None  # for `advance`

    def lane_of(self, state: State, program: StepProgram) -> tuple[np.ndarray, np.ndarray]:
        """The input vector that a run begins with, and the memory of a lane (of this program) before it."""
        from ..integrate.step_programs import template

        return self.starts([state]).inputs[0], template(program, self._aim)

    def starts(self, states: Iterable[State] | np.ndarray) -> Starts:
        """Where runs begin, from states (or input vectors) that are consistent as `simulate` would have made them."""
        system = self.system
        if isinstance(states, np.ndarray) and not system.minimal:
            return Starts(states, np.ones(len(states), dtype=bool))
        if isinstance(states, np.ndarray) and system.code.has_closed_form and not self.program.method.implicit:
            rows = states.copy()
            return Starts(rows, take_states_of_many(system, rows) == self._closed)
        if isinstance(states, np.ndarray):
            states = [system.layout.put(row, self.state.copy()) for row in states]
        inputs, suits = [], []
        for state in states:
            if system.minimal:
                # the states chosen for the code to be used are among the inputs
                state = state.copy()
                self._formulation.take_states(state)
            inputs.append(system.layout.pack(state))
            suits.append(self._formulation.closed == self._closed)
        return Starts(np.array(inputs), np.array(suits, dtype=bool))

    def bundle(self, path: str | Path, starts: Starts | Iterable[State]) -> Path:
        """A zip that does the runs on another machine: `python runs.zip results.npz`, with NumPy and a GPU's driver."""
        from ..integrate.step_programs import write_bundle

        starts = starts if isinstance(starts, Starts) else self.starts(starts)
        n, inputs = self.program.n, starts.inputs[starts.suits]
        return write_bundle(path, self.program, inputs[:, 1 : 1 + n], inputs[:, 1 + n :], self._aim, self.grid,
                            inputs[:, 0], self._usual)

    def run(self, starts: Starts | Iterable[State], on_pause: Callable[[int], None] | None = None,
            grid: np.ndarray | None = None) -> LaneResults:
        """One run from every start; `on_pause` is called about every 50 ms with how many are not finished.

        `grid` are other output times: of all runs, or a row for each.
        """
        from ..integrate.step_programs import STRAINED

        starts = starts if isinstance(starts, Starts) else self.starts(starts)
        n, inputs = self.program.n, starts.inputs
        results = self.lanes.run(inputs[:, 1 : 1 + n], inputs[:, 1 + n :], self._aim,
                                 self.grid if grid is None else grid, inputs[:, 0], self._usual, on_pause, self.threads)
        results.status[~starts.suits] = STRAINED
        results.resting[~starts.suits] = 0.0
        return results

    def finish(self, results: LaneResults, run: int, state: State, grid: np.ndarray | None = None) -> Finished | None:
        """Let the ordinary run finish what a lane has left, from there on; `state` is where the run began.

        States at the output times that are left (of `grid`, where others than usual were asked for) go into `results`;
        None where the run has to be made from its start.
        """
        from ..integrate.step_programs import can_take_over, take_over

        lane, status = results.lane(run), int(results.status[run])
        if not can_take_over(lane, status):
            return None
        system, first = self.system, int(lane("grid_next"))
        grid, places = (self.grid if grid is None else grid)[first:], self.system.layout.places
        began = state.copy()
        stepper = make_stepper(system, began, *self._options)
        alive = take_over(stepper, self.program, lane, status, grid)
        here = system.layout.put(stepper.inputs, began.copy())
        events = None
        if self.program.lane_events is not None:
            events = EventRun(system, stepper)
            events.take_over(lane)
        error = continued(system, stepper, here, events, self._stop, alive)
        result = collect(system, stepper, here, grid, events)
        reached = slice(first, first + len(result.t))
        results.grid_x[run, reached] = result.states
        d = np.broadcast_to(result._d, (len(result.t), places["d"].stop - places["d"].start))
        results.grid_changing[run, reached] = d[:, [slot - places["d"].start for slot in self.program.changing]]
        results.steps[run], results.rejected[run] = stepper.counters["steps"], stepper.counters["rejected"]
        results.events[run] += 0 if events is None else len(events.table)
        return Finished(float(lane("t")), float(stepper.t), reached.stop, error)

    def resident(self, starts: Starts) -> Advanced:
        """Runs that stay on the GPU, ready to start (see `device.resident`)."""
        n, inputs = self.program.n, starts.inputs
        aim = replace(self._aim, stop=np.inf)
        return self.lanes.resident(inputs[:, 1 : 1 + n], inputs[:, 1 + n :], aim, inputs[:, 0], self._usual)

    def advance(self, rows: np.ndarray, to: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Input vectors at later times, from input vectors; and which of them have come there."""
        from ..integrate.step_programs import DONE, Repeated

        starts = self.starts(rows)
        if self._again is None or self._again.n_runs != len(rows):
            self._again = Repeated(self.lanes, len(rows), self._aim, self._usual)
        ends, counts = self._again.run(starts.inputs, to)
        return ends, (counts[:, 0] == DONE) & starts.suits
