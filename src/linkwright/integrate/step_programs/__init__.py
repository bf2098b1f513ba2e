"""A step as a program: the same step for one lane or many, for this processor or another target.

`StepProgram` says what a step is made of, `LaneEvents` which events it handles; `written` gives the functions of a lane
in LLVM IR, for any number of lanes; `Lanes` runs many runs through W lanes of this processor at once, each with the
bits of the ordinary `Stepper`, whose loop they all have (`lane`).
"""

from ...device import Threads
from ..record import Wholes
from .choice import with_choice
from .emit import written
from .far_thread import far_module, far_threads
from .gpu_lanes import GpuLanes, require_gpu, write_bundle
from .lane_events import ACTION, RELATION, ROW, Action, HeldRelation, LaneEvents, LaneRows, LaneWitness
from .lane_record import PartOf
from .lanes import Aim, LaneResults, Lanes, Repeated, template
from .led_code import LedCode
from .step_program import (
    ALTERNATING,
    CHATTERS,
    CONTRADICTORY,
    DEAD_POINT,
    DONE,
    EVENTFUL,
    FAILED,
    IDLE,
    NEAR_SINGULAR,
    NO_MODES,
    NO_VALUE,
    REASONS,
    RUNNING,
    STARTING,
    STIFF,
    STRAINED,
    SUDDEN,
    UNDECIDED,
    StepProgram,
)
from .take_over import can_take_over, take_over
from .through import ROOM, compiled_through, is_made_through
from .wasm import WasmStep, wasm_step

__all__ = [
    "ACTION", "ALTERNATING", "CHATTERS", "CONTRADICTORY", "DEAD_POINT", "DONE", "EVENTFUL", "FAILED", "IDLE",
    "NEAR_SINGULAR", "NO_MODES", "NO_VALUE", "REASONS", "RELATION", "ROW", "RUNNING", "STARTING", "STIFF",
    "STRAINED", "SUDDEN", "UNDECIDED", "Action", "Aim", "GpuLanes", "HeldRelation", "LaneEvents", "LaneResults",
    "LaneRows", "LaneWitness", "ROOM", "Lanes", "LedCode", "PartOf", "Repeated", "StepProgram", "Threads",
    "WasmStep", "Wholes", "can_take_over", "compiled_through", "far_module", "far_threads", "is_made_through",
    "require_gpu", "take_over", "template", "wasm_step", "with_choice", "write_bundle", "written",
]  # fmt: skip
