"""The functions of a lane as LLVM IR, for any number of lanes: those of `lane` and `instants`, with what they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...codegen import Written
from ...codegen.dialect import digests, written_of
from ..tolerances import UNROLLED
from .step_program import StepProgram


def functions(step: StepProgram) -> list[Callable[..., Any]]:
    """What makes a run: begin, step and, where there are events, decide."""
    from . import lane

    return [getattr(lane, name) for name in step.functions]


def sources(step: StepProgram) -> dict[str, str]:
    """The files that a run is made of, with a digest of each: artefacts with equal ones hold the same run."""
    return digests(functions(step), {"Lane": step.layout})


def written(step: StepProgram, lanes: int) -> Written:
    """`void @begin(ptr memory)` and its companions, over the memory of so many lanes."""
    return written_of(functions(step), lanes, {"Lane": step.layout}, UNROLLED)
