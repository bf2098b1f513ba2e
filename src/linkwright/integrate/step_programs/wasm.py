"""A step program for pages: its functions and further programs of the model in one WebAssembly module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...codegen import Program, link_text, single_module, wasm_module
from .emit import sources, written
from .step_program import StepProgram


@dataclass(frozen=True)
class WasmStep:
    """The module; `room` is the first free byte of its memory, `n_work` doubles of workspace go to every call.

    It exports the functions of a lane, (memory of the lane), and `model_<role>` for every program, (in, out,
    workspace), over one lane.
    """

    code: bytes
    room: int
    n_work: int
    #: the files that the run is made of (`emit.sources`)
    sources: Mapping[str, str] = field(default_factory=dict)


def wasm_step(step: StepProgram, more: Mapping[str, Program]) -> WasmStep:
    """The step with the programs it calls and those beside it, by their roles."""
    programs = {**step.roles, **more}
    text = link_text(programs, written(step, 1), 1, vector=1)
    visible = (*step.functions, *(f"model_{role}" for role in programs))
    module = wasm_module(single_module(text, "", "", visible), visible)
    return WasmStep(module.code, module.room, max(text.n_work, 1), sources(step))
