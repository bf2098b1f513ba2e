"""The memory of a lane: named vectors of doubles, one after another; slot k of lane l lies at [k·W + l]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: numbers of a lane; what they mean is said in `step_program`
SCALARS = (
    # what becomes of the run
    "status", "cause",
    # where it is, how far it may go, what it plans
    "t", "target", "h", "h_max", "error_before", "restart", "rejected_before", "steps", "rejected",
    "fixed_start", "fixed_index",
    # its accuracy
    "accuracy", "tolerance", "time_scale",
    # the step that is tried
    "t0", "t1", "h_trial", "trial", "error_now", "drift", "strain", "strain_now", "participates",
    # output inside it
    "theta", "wanted", "settling", "grid_next",
    # singular positions
    "span", "span_first", "weakness",
    # stiffness
    "boundary", "patience", "next_look", "suspicions", "doubts",
    # scratch of single pieces of code
    "going", "first_time", "first", "gap_before", "rate_before", "fastest",
)  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """First slots and sizes of the vectors of a lane."""

    first: Mapping[str, int]
    size: Mapping[str, int]
    slots: int

    def __getitem__(self, name: str) -> int:
        return self.first[name]


def memory(vectors: Mapping[str, int]) -> Memory:
    """The scalars, then these vectors."""
    first, at = {}, 0
    size = dict.fromkeys(SCALARS, 1) | dict(vectors)
    for name, count in size.items():
        first[name] = at
        at += count
    return Memory(first, size, at)
