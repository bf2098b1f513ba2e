"""A step of a method over the programs of one model: what any target needs to make it, and what lanes remember.

A lane is one run.  Its memory holds everything (see `lane_memory`), so that it may pause after any call and go on with
the same bits, in another lane or on another machine.  Functions over the memory of W lanes make a run:

    begin        lanes with status STARTING: consistent state, slope, first step size
    attempt      lanes that are RUNNING: one trial step, its error, a verdict (`trial`), nothing accepted
    interpolant  lanes with `wanted` ≠ 0: the dense output over the trial step
    point        lanes with `wanted` ≠ 0: the state at the fraction `theta` of the trial step into `input`
    commit       accept or reject; afterwards `status` says whether the run goes on

and, for models with events (`lane_events`),

    sample       lanes with `sampling` ≠ 0: the witnesses at the fraction `theta` of the trial step
    locate       after the interpolant of every accepted trial: where the step ends, because a witness crosses
    at_event     after `commit`, in lanes with `event_found` or `reached` ≠ 0: relations switch, actions act

A lane has the bits of the ordinary stepper, whose order of operations it follows one by one.  What needs more than a
step (a singular position near, other states to be chosen, stiffness) ends the lane with a status that says so, and
the ordinary run takes over from there (see `take_over`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...codegen import Program
from ..methods import Method
from .lane_events import LASTING, LaneEvents
from .lane_memory import Memory, memory

# status of a lane: what it is doing, how it ended, or what the ordinary run is asked to do
IDLE, STARTING, RUNNING, DONE, FAILED = -2, -1, 0, 1, 2
NEAR_SINGULAR, STRAINED, STIFF, SUDDEN, EVENTFUL, UNDECIDED = 3, 4, 5, 6, 7, 8
REASONS = {
    DONE: "done",
    FAILED: "failed",
    NEAR_SINGULAR: "a singular position is near",
    STRAINED: "other coordinates should be states",
    STIFF: "the motion is stiff",
    SUDDEN: "a law may have a short feature",
    EVENTFUL: "an event that the ordinary run decides",
    UNDECIDED: "an event that turned out, while it was handled, to need the ordinary run",
}
HOLDS = ("hold", "hold_seen", "hold_trial", "hold_before", "hold_first", "hold_most", "hold_rate")
FUNCTIONS = ("begin", "attempt", "interpolant", "point", "commit")
PAST = 3  # points that are remembered near singular positions
EVENT_FUNCTIONS = ("sample", "locate", "at_event")


@dataclass(frozen=True)
class StepProgram:
    """A method and a model.

    `programs` are those of a stepper by their names there (rhs, project, project_error, prescribe, qdot, momenta,
    speeds, update, laws), over inputs (t, x, rest) of `n_in` numbers; `sizes` are (nq, nu, nz), `quaternions` where
    they begin in x, `carry` (slots of rhs's output, of the input) that are copied after accepted steps, `updated` the
    slots that `update` gives.  `n_holds` constraints are watched for singular positions, `every_stage` projects every
    stage; `n_laws` are the numbers of laws that may have short features, of their bases, and of arguments and their
    units (`short_features`).
    With `lane_events` there are events, and the programs `events` and `situation` among `programs`.  Arithmetic is
    strict unless `fast`.
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
    lane_events: LaneEvents | None = None
    fast: bool = False
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory", memory(self._vectors()))

    @property
    def n(self) -> int:
        return sum(self.sizes)

    @property
    def width(self) -> int:
        """Numbers that the right-hand side gives."""
        return sum(size for _, size in self.programs["rhs"].outputs)

    @property
    def rows(self) -> int:
        """Slopes that a step and its dense output need."""
        tableau = self.method.tableau
        return tableau.stages + 1 + (0 if self.second_order else tableau.n_extra)

    @property
    def second_order(self) -> bool:
        """Whether the method uses the structure q̇ = N(q)u, and has no stages."""
        return self.method.uses_qdot

    @property
    def rolled(self) -> bool:
        """Whether the stages of a step are the rounds of a loop: each needs the newest slope only, as in RK4."""
        tableau = self.method.tableau
        return (self.fixed and not self.second_order and bool(tableau.a[tableau.stages, : tableau.stages].all())
                and not any(tableau.a[stage, : stage - 1].any() for stage in range(2, tableau.stages)))

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
        called: tuple[str, ...] = ("rhs", "project", "project_error", "prescribe", "qdot", "momenta", "speeds",
                                  "update", "laws")
        called += () if self.lane_events is None else ("events", "situation")
        return {role: self.programs[role] for role in called if role in self.programs}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that a run calls."""
        return FUNCTIONS if self.lane_events is None else FUNCTIONS + EVENT_FUNCTIONS

    @property
    def changing(self) -> tuple[int, ...]:
        """Slots of the input, beyond the state, that change on the way: held relations, and what steps update."""
        switched = () if self.lane_events is None else (slot for slot in self.lane_events.slots if slot > self.n)
        return tuple(dict.fromkeys([*self.updated, *switched]))

    def _past(self) -> dict[str, int]:
        return {"points": 1, "t_past": PAST, "x_past": PAST * self.n} if self.watch_strain else {}

    @property
    def lasting(self) -> dict[str, int]:
        """The vectors of a lane that last beyond a step, and how much of them."""
        lasting = {"weight": self.n, "x0": self.n, "k": self.width, **dict.fromkeys(HOLDS, self.n_holds),
                   **self._past(), "laws_before": sum(self.n_laws)}
        if self.lane_events is not None:
            lasting |= {name: self.memory.size[name] for name in LASTING}
        return lasting

    def _vectors(self) -> dict[str, int]:
        others = [sum(size for _, size in p.outputs) for role, p in self.roles.items() if role != "rhs"]
        n = self.n
        return {
            "weight": n, "x0": n, "x1": n, "increment": n, "k": self.rows * self.width, "slope": self.width,
            "input": self.n_in + n, "out": max([*others, n + 4 + self.n_holds]),
            "error": 2 * n, "dense": (4 + self.method.tableau.n_dense) * n,
            **dict.fromkeys(HOLDS, self.n_holds), **self._past(),
            **dict.fromkeys(("laws_before", "laws_middle", "laws_after"), sum(self.n_laws)),
            **({} if self.lane_events is None else self.lane_events.vectors(n)),
        }  # fmt: skip
