"""A step as a program: the same step for one lane or many, for this processor or another target.

`StepProgram` says what a step is made of, `LaneEvents` which events it handles; `written` gives its functions in LLVM
IR, for any number of lanes; `Lanes` runs many runs through W lanes of this processor at once, each with the bits of the
ordinary `Stepper`.
"""

from .bundle import write_bundle
from .emit import written
from .gpu_lanes import GpuLanes, require_gpu
from .lane_events import Action, HeldRelation, LaneEvents, LaneWitness
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
from .take_over import can_take_over, take_over
from .wasm import WasmStep, wasm_step

__all__ = [
    "DONE", "EVENTFUL", "FAILED", "FUNCTIONS", "NEAR_SINGULAR", "REASONS", "STIFF", "STRAINED", "SUDDEN", "UNDECIDED",
    "Action", "Advanced", "Aim", "GpuLanes", "HeldRelation", "LaneEvents", "LaneResults", "LaneWitness", "Lanes",
    "StepProgram", "WasmStep", "can_take_over", "require_gpu", "shared", "take_over", "wasm_step", "write_bundle",
    "written",
]  # fmt: skip
