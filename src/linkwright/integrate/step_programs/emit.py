"""The functions of a step as LLVM IR."""

from __future__ import annotations

from ...codegen import Written
from .attempt import attempt
from .begin import begin
from .commit import commit
from .happen import happen
from .locate import locate, sample
from .output import interpolant, point
from .step_program import StepProgram
from .writer import UNROLLED, StepWriter

WRITERS = {"begin": begin, "attempt": attempt, "interpolant": interpolant, "point": point, "commit": commit,
           "sample": sample, "locate": locate, "happen": happen}


def written(step: StepProgram, lanes: int, unrolled: int = UNROLLED) -> Written:
    """`void @begin(ptr memory, ptr work)` and its companions, over the memory of so many lanes.

    Code for vectors of up to `unrolled` entries is written out.
    """
    texts, declarations, elementary = [], set(), set()
    for name in step.functions:
        w = StepWriter(name, lanes, step.memory, unrolled)
        WRITERS[name](step, w)
        texts.append(w.text())
        declarations |= w.declarations
        elementary |= w.elementary
    return Written("\n".join(texts), frozenset(declarations), frozenset(elementary))
