"""A step of a method over the programs of one model: what any target needs to make it, and what lanes remember.

A lane is one run.  Its memory holds everything (see `memory`), so that it may rest after any call and go on with the
same bits, in another lane, on another machine.  Five functions over the memory of W lanes make a run:

    begin        lanes with status STARTING: consistent state, slope, first step size
    attempt      lanes that are RUNNING: one trial step, its error, a verdict (`trial`), nothing accepted
    interpolant  lanes with `wanted` ≠ 0: the dense output over the trial step
    point        lanes with `wanted` ≠ 0: the state at the fraction `theta` of the trial step into `input`
    commit       accept or reject; afterwards `status` says whether the run goes on

A lane has the bits of the ordinary stepper, whose order of operations it follows one by one.  What needs more than a
step (a singular position near, other states to be chosen, stiffness) ends the lane with a status that says so, and
the ordinary run takes over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...codegen import Program
from ..methods import Method
from .memory import Memory, memory

# status of a lane: what it is doing, how it ended, or what the ordinary run is asked to do
IDLE, STARTING, RUNNING, DONE, FAILED = -2, -1, 0, 1, 2
NEAR_SINGULAR, STRAINED, STIFF, SUDDEN = 3, 4, 5, 6
REASONS = {
    DONE: "done",
    FAILED: "failed",
    NEAR_SINGULAR: "a singular position is near",
    STRAINED: "other coordinates should be states",
    STIFF: "the motion is stiff",
    SUDDEN: "a law may have a short feature",
}
HOLDS = ("hold", "hold_seen", "hold_trial", "hold_before", "hold_first", "hold_most", "hold_rate")
FUNCTIONS = ("begin", "attempt", "interpolant", "point", "commit")


@dataclass(frozen=True)
class StepProgram:
    """A method and a model.

    `programs` are those of a stepper by their names there (rhs, project, project_error, prescribe, qdot, update, laws),
    over inputs (t, x, rest) of `n_in` numbers; `sizes` are (nq, nu, nz), `quaternions` where they begin in x, `carry`
    (slots of rhs's output, of the input) that are copied after accepted steps, `updated` the slots that `update`
    gives.  `n_holds` constraints are watched for singular positions, `every_stage` projects every stage; `n_laws` are
    the numbers of laws that may have short features, of their bases, and of arguments and their units (`concealed`).
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
    memory: Memory = field(init=False)

    def __post_init__(self):
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
    def has_health(self) -> bool:
        return self.width > self.n

    @property
    def bare(self) -> bool:
        """Whether nothing moves a point that a step has reached."""
        return not ("project" in self.programs or "prescribe" in self.programs or self.quaternions)

    @property
    def roles(self) -> dict[str, Program]:
        """The programs that a step calls."""
        called = ("rhs", "project", "project_error", "prescribe", "qdot", "update", "laws")
        return {role: self.programs[role] for role in called if role in self.programs}

    def _vectors(self) -> dict[str, int]:
        others = [sum(size for _, size in p.outputs) for role, p in self.programs.items() if role != "rhs"]
        n = self.n
        return {
            "weight": n, "x0": n, "x1": n, "increment": n, "k": self.rows * self.width, "slope": self.width,
            "input": self.n_in + n, "out": max([*others, n + 4 + self.n_holds]),
            "error": 2 * n, "dense": (4 + self.method.tableau.n_dense) * n,
            **dict.fromkeys(HOLDS, self.n_holds),
            **dict.fromkeys(("laws_before", "laws_middle", "laws_after"), sum(self.n_laws)),
        }  # fmt: skip
