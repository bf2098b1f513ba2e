"""The functions of a lane as LLVM IR, for any number of lanes: those of `lane` and `instants`, with what they call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ...codegen import Written
from ...codegen.dialect import ByName, Layout, Table, digests, written_of
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
    return text_of_record(_Record(step.layout, _frozen(step.layout)), tuple(step.functions), lanes)


@dataclass(frozen=True)
class _Record:
    """A layout that is compared by what it holds."""

    layout: Layout = field(compare=False)
    content: tuple


@lru_cache(maxsize=16)  # a sweep that is made again, or of a model with other numbers, has the same text
def text_of_record(record: _Record, names: tuple[str, ...], lanes: int) -> Written:
    from . import lane

    return written_of([getattr(lane, name) for name in names], lanes, {"Lane": record.layout}, UNROLLED)


def _frozen(x: Any) -> Any:
    """A layout, or what is known of its fields, as something that can be compared and has a hash."""
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype.str, x.tobytes()
    if isinstance(x, (tuple, list)):
        return type(x).__name__, *map(_frozen, x)
    if isinstance(x, (ByName, Table)):
        return type(x).__name__, *((name, _frozen(part)) for name, part in vars(x).items())
    return type(x).__name__, x  # 1, 1.0 and True are not the same
