"""Code of a run that others lead (`led`): for libraries as LLVM's text, and as C for whoever has a compiler.

All of it is in one text: the functions of the run, and the programs of the model that they call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...codegen import LinkedText, Program, Written, calls_routines, link_text, refuse_routines, single_module
from ...codegen.dialect import c_of_module, digests, written_of
from ..record import G_TRIAL, SECOND
from ..tolerances import UNROLLED
from .lanes import Aim, template
from .step_program import STARTING, StepProgram

NOTHING = Written("", frozenset(), frozenset())


@dataclass(frozen=True)
class LedCode:
    """A step program, programs beside it by their roles, where runs start (the input vector) and how accurate they are.

    `finest` is the finest error of a step where bodies touch (1: none is made finer); of laws with short features
    nobody takes care.  `strained` says that a loop whose closed form ends is a failure.
    """

    given: StepProgram
    more: Mapping[str, Program]
    start: np.ndarray
    aim: Aim
    usual: Sequence[float] = ()
    finest: float = 1.0
    strained: bool = False

    @cached_property
    def step(self) -> StepProgram:
        own = {role: program for role, program in self.given.programs.items() if role != "laws"}
        step = replace(self.given, programs=own, n_laws=(0, 0, 0), watch_stiffness=self.given.changes,
                       watch_strain=self.strained, led=True, finest=self.finest)
        programs = {**step.roles, **self.more}
        return replace(step, n_work=max(1, *(link_text(programs, NOTHING, 1, vector=v).n_work for v in (0, 2))))

    @property
    def programs(self) -> dict[str, Program]:
        return {**self.step.roles, **self.more}

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that others call."""
        from .led import LED

        return (*(f.__name__ for f in LED), *(f"model_{role}" for role in self.more))

    @cached_property
    def record(self) -> np.ndarray:
        """The record of a run that has not begun, as whole numbers."""
        step, memory = self.step, self.step.memory
        lane = template(step, self.aim, self.usual)
        memory.of(lane, "at.inp")[: step.n_in] = self.start
        memory.put(lane, t=self.start[0], doing=STARTING)
        return lane.view(np.int64)

    @property
    def sources(self) -> dict[str, str]:
        """The files that the run is made of, with a digest of each."""
        from .led import LED

        return digests(LED, {"Lane": self.step.layout})

    @cached_property
    def written(self) -> Written:
        from .led import LED

        return written_of(LED, 1, {"Lane": self.step.layout, "RECORD": self.record}, UNROLLED)

    @property
    def places(self) -> dict[str, int]:
        """Where in the record others read: time, input vector, derivatives, witnesses, work space, next instant."""
        memory, step = self.step.memory, self.step
        n_events = 0 if step.lane_events is None else len(step.lane_events.witnesses)
        return {"N_LANE": memory.slots, "AT_TIME": memory["t"], "AT_IN": memory["at.inp"], "AT_WORK": memory["at.work"],
                "AT_SLOPES": memory["at.slopes"] + SECOND * step.width,
                "AT_INDICATORS": memory["at.witnesses"] + G_TRIAL * (n_events + step.n_bases),
                "AT_INSTANT": -1 if step.lane_events is None else memory["instant"]}

    def linked(self, around: Written = NOTHING) -> LinkedText:
        """Text for libraries, with functions written around it."""
        own = self.written
        both = Written("\n".join([around.text, own.text]), around.declarations | own.declarations,
                       around.elementary | own.elementary)
        text = link_text(self.programs, both, 1, vector=2)
        if calls_routines(text.support):
            refuse_routines("C and FMUs")
        return text

    def c(self, called: Sequence[str] = ()) -> str:
        """C text, to be compiled by itself; or a part of a file in which these functions are called, and no others."""
        text = single_module(link_text(self.programs, self.written, 1, vector=0), "", "", self.functions)
        if calls_routines(text):
            refuse_routines("C and FMUs")
        return c_of_module(text, called or self.functions, inside=bool(called))
