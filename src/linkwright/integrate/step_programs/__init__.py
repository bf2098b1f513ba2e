"""A step as a program: the same step for one lane or many, for this processor or another target.

`StepProgram` says what a step is made of; `written` gives its five functions in LLVM IR, for any number of lanes;
`Lanes` runs many runs through W lanes of this processor at once, each with the bits of the ordinary `Stepper`.
"""

from .bundle import write_bundle
from .emit import written
from .gpu_lanes import GpuLanes, require_gpu
from .lanes import Aim, LaneResults, Lanes
from .step_program import DONE, FAILED, FUNCTIONS, NEAR_SINGULAR, REASONS, STIFF, STRAINED, SUDDEN, StepProgram

__all__ = [
    "DONE", "FAILED", "FUNCTIONS", "NEAR_SINGULAR", "REASONS", "STIFF", "STRAINED", "SUDDEN",
    "Aim", "GpuLanes", "LaneResults", "Lanes", "StepProgram", "require_gpu", "write_bundle", "written",
]  # fmt: skip
