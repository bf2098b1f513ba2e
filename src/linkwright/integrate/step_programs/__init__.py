"""A step as a program: the same step for one lane or many, for this processor or another target.

`StepProgram` says what a step is made of, `Switches` what may happen on the way; `written` gives its functions in LLVM
IR, for any number of lanes; `Lanes` runs many runs through W lanes of this processor at once, each with the bits of the
ordinary `Stepper`.
"""

from .bundle import write_bundle
from .emit import written
from .gpu_lanes import GpuLanes, require_gpu
from .lanes import Aim, LaneResults, Lanes, shared
from .resident import Advanced
from .step_program import (
    DONE,
    EVENTFUL,
    FAILED,
    FUNCTIONS,
    NEAR_SINGULAR,
    REASONS,
    STIFF,
    STRAINED,
    SUDDEN,
    UNDECIDED,
    StepProgram,
)
from .switches import Action, Held, Switches, Watched
from .take_over import can_take_over, take_over
from .wasm import WasmStep, wasm_step

__all__ = [
    "DONE", "EVENTFUL", "FAILED", "FUNCTIONS", "NEAR_SINGULAR", "REASONS", "STIFF", "STRAINED", "SUDDEN", "UNDECIDED",
    "Action", "Aim", "GpuLanes", "Held", "LaneResults", "Lanes", "Advanced", "StepProgram", "Switches", "WasmStep",
    "Watched", "can_take_over", "require_gpu", "shared", "take_over", "wasm_step", "write_bundle", "written",
]  # fmt: skip
