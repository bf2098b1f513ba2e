"""A step of a method over the programs of one model: what any target needs to make it, and what lanes remember.

A lane is one run.  Its memory is the stepper's record (`lane_record`), so that it may pause after any step and go on
with the same bits, in another lane or on another machine.  The functions of `lane` and `instants`, compiled around the
model's programs, make a run of it: they call the loop of the ordinary run, so that a lane has its bits.  What needs
more than a step (other states to be chosen, stiffness) ends the lane with a status that says so, and the ordinary run
takes over from there (see `take_over`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...codegen import Program, Written
from ...codegen.dialect import Layout
from ..implicit import Linearised
from ..methods import FOR_STIFF, METHODS, Method, Own
from ..tolerances import WHOLE_IN_LANES
from .lane_events import LaneEvents
from .lane_record import Memory, lane_layout

if TYPE_CHECKING:
    from ...device import Threads
    from .lanes import Aim

# what a lane is doing (see `lane`): how it ended, or what the ordinary run is asked to do
IDLE, STARTING, RUNNING, DONE, FAILED = -2, -1, 0, 1, 2
NEAR_SINGULAR, STRAINED, STIFF, SUDDEN, EVENTFUL, UNDECIDED, INSTANT = 3, 4, 5, 6, 7, 8, 9
REASONS = {
    DONE: "done",
    FAILED: "failed",
    NEAR_SINGULAR: "a singular position is near",
    STRAINED: "other coordinates should be states",
    STIFF: "the motion is stiff",
    SUDDEN: "a law may have a short feature, or equations are too many to be solved without an order",
    EVENTFUL: "an event that the ordinary run decides",
    UNDECIDED: "an event that turned out, while it was handled, to need the ordinary run",
}
#: why an instant is not decided
ALTERNATING, CHATTERS, NO_VALUE, CONTRADICTORY, NO_MODES, DEAD_POINT = range(10, 16)
#: programs of the model that a step calls
ROLES = ("rhs", "linearised", "project", "project_error", "prescribe", "qdot", "momenta", "speeds", "update", "laws")


@dataclass(frozen=True)
class StepProgram:
    """A method and a model.

    `programs` are those of a stepper by their names there (ROLES), over inputs (t, x, rest) of `n_in` numbers; `sizes`
    are (nq, nu, nz), `quaternions` where they begin in x, `carry` (slots of rhs's output, of the input) that are copied
    after accepted steps, `updated` the slots that `update` gives.  `n_holds` constraints are watched for singular
    positions, `every_stage` projects every stage; `n_laws` are the numbers of laws that may have short features, of
    their bases, and of arguments and their units (`short_features`).
    With `lane_events` there are events, and the programs `events`, `situation` and, for impacts, `jump` in `programs`.
    Arithmetic is strict unless `fast`.  With `shows` the motion inside a step is looked at before the step is accepted.
    Where the motion is stiff, a run that `changes` takes the steps of FOR_STIFF; another one asks for the ordinary run.
    A run that is `led` by others has nobody to hand over to; it holds `n_work` doubles of work space itself, and its
    steps are finer than asked for where bodies touch, down to `finest`.  An implicit method asks for the `linearised`
    equations, whose program is among the others, and whether columns of tangents are among the states.  `pair_of`
    is, of every witness, the number of the pair of shapes that it belongs to, or −1 (`far`).
    """

    method: Method
    programs: Mapping[str, Program]
    n_in: int
    sizes: tuple[int, int, int]
    quaternions: tuple[int, ...] = ()
    carry: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    updated: tuple[int, ...] = ()
    fixed: bool = False
    max_norm: bool = False
    identity_qdot: bool = False
    every_stage: bool = False
    n_holds: int = 0
    n_laws: tuple[int, int, int] = (0, 0, 0)
    watch_strain: bool = False
    watch_stiffness: bool = False
    changes: bool = False
    lane_events: LaneEvents | None = None
    fast: bool = False
    shows: bool = False
    led: bool = False
    n_work: int = 0
    finest: float = 1.0
    linearised: Callable[[], Linearised] | None = None
    differentiated: bool = False
    pair_of: tuple[int, ...] = ()

    @cached_property
    def owns(self) -> dict[Method, Own]:
        """What is known of the own memory of the method, and of that for stiff motions where runs change to it."""
        methods = (self.method, METHODS[FOR_STIFF]) if self.changes else (self.method,)
        return {method: method.load()[1](self) for method in methods}

    @property
    def own(self) -> Own:
        """That of the method that runs begin with."""
        return self.owns[self.method]

    @cached_property
    def layout(self) -> Layout:
        """The record of a lane."""
        return lane_layout(self)

    @cached_property
    def memory(self) -> Memory:
        """Where its numbers lie."""
        return Memory(self)

    @property
    def n(self) -> int:
        return sum(self.sizes)

    @property
    def most_equations(self) -> float:
        """Up to how many equations of an implicit method there is room for the whole matrix."""
        return np.inf if self.led or self.shows else WHOLE_IN_LANES

    @property
    def n_bases(self) -> int:
        """How many bases the bounds of witnesses have (see `enclosures`)."""
        bounds = self.programs.get("bounds") if self.lane_events is not None else None
        return 0 if bounds is None else bounds.inputs[0][1]

    @property
    def n_far(self) -> int:
        """How many pairs of shapes may be left aside (see `far`)."""
        near = self.programs.get("near") if self.lane_events is not None else None
        return 0 if near is None else near.n_out // 3

    @property
    def width(self) -> int:
        """Numbers that the right-hand side gives."""
        return self.programs["rhs"].n_out

    @property
    def has_health(self) -> bool:
        return self.width > self.n

    @property
    def bare(self) -> bool:
        """Whether the end of a step stays as it is: no projection, prescribed values or quaternions."""
        return not ("project" in self.programs or "prescribe" in self.programs or self.quaternions)

    @property
    def roles(self) -> dict[str, Program]:
        """The programs that a step calls."""
        called = ROLES if self.lane_events is None else (*ROLES, "events", "bounds", "near", "situation", "jump")
        return {role: self.programs[role] for role in called if role in self.programs}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that make a run."""
        steps = ("attempt", "accept_attempt", "point") if self.shows else ("step",)
        return ("begin", *steps) if self.lane_events is None else ("begin", *steps, "decide")

    def written(self, lanes: int) -> Written:
        """The functions of a lane, in LLVM's text."""
        from .emit import written

        return written(self, lanes)

    def template(self, aim: Aim, usual: Sequence[float] = ()) -> np.ndarray:
        """The memory of a lane before it is given time, state and inputs."""
        from .lanes import template

        return template(self, aim, usual)

    @property
    def lasting_slots(self) -> list[int]:
        """Places in the memory of a lane of the numbers that last beyond a step."""
        return [slot for slots in self.memory.lasting().values() for slot in slots]

    def lasting(self, aim: Aim, usual: Sequence[float] = ()) -> np.ndarray:
        """These numbers before a run begins."""
        return self.template(aim, usual)[self.lasting_slots]

    def threads(self) -> Threads:
        """The program for a GPU."""
        from .thread import threads

        return threads(self)

    def sources(self) -> dict[str, str]:
        """The files that a run is made of, with a digest of each."""
        from .emit import sources

        return sources(self)

    @property
    def changing(self) -> tuple[int, ...]:
        """Slots of the input, beyond the state, that change on the way: held relations, and what steps update."""
        switched = () if self.lane_events is None else (slot for slot in self.lane_events.slots if slot > self.n)
        return tuple(dict.fromkeys([*self.updated, *switched]))
