"""The functions of a step as LLVM IR."""

from __future__ import annotations

from collections.abc import Mapping

from ...codegen import Written
from ..tolerances import UNROLLED
from .attempt import attempt
from .begin import begin
from .commit import commit
from .handle_events import at_event
from .locate import locate, sample
from .output import interpolant, point
from .step_program import StepProgram
from .writer import StepWriter

WRITERS = {"begin": begin, "attempt": attempt, "interpolant": interpolant, "point": point, "commit": commit,
           "sample": sample, "locate": locate, "at_event": at_event}


def writers(step: StepProgram, lanes: int, unrolled: int = UNROLLED, together: int = 1) -> dict[str, StepWriter]:
    """The functions of a step by name; code for vectors of up to `unrolled` entries is written out.

    Of longer ones, `together` entries are read at a time.
    """
    functions = {}
    for name in step.functions:
        functions[name] = StepWriter(name, lanes, step.memory, unrolled, together)
        WRITERS[name](step, functions[name])
    return functions


def written(step: StepProgram, lanes: int) -> Written:
    """`void @begin(ptr memory, ptr work)` and its companions, over the memory of so many lanes."""
    return together(writers(step, lanes))


def together(functions: Mapping[str, StepWriter]) -> Written:
    """Functions as one text, with what they need."""
    declarations, elementary = (frozenset[str]().union(*sets) for sets in (
        (w.declarations for w in functions.values()), (w.elementary for w in functions.values())))
    return Written("\n".join(w.text() for w in functions.values()), declarations, elementary)
