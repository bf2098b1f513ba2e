"""The stepper's memory: records of numbers and addresses, and a few arrays, shared by Python and compiled code.

A run can stop after any step and go on with the same bits, because everything it knows is here.  One record (`STEP`) is
common to the loop and to all methods; what a method keeps for itself is a record of its own that only its file knows.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..codegen.dialect import Field, Layout


class Wholes(NamedTuple):
    """An array of whole numbers of this shape, in a record that is made for one model."""

    shape: tuple[int, ...]


class Complexes(NamedTuple):
    """An array of complex numbers of this shape, in a record that is made for one model."""

    shape: tuple[int, ...]


class View(ctypes.Structure):
    """A record as Python sees it, its fields attributes in the memory of an array.

    Reading a field of the array itself takes six times as long.
    """

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def put(self, **values: float) -> None:
        for name, value in values.items():
            setattr(self, name, value)


def _layout(whole: list[str], real: list[str], nested: dict[str, Layout]) -> Layout:
    """The same fields as compiled code knows them."""
    fields = [Field(name, "whole", (), k) for k, name in enumerate(whole)]
    fields += [Field(name, "real", (), len(whole) + k) for k, name in enumerate(real)]
    slot = len(fields)
    for name, layout in nested.items():
        fields.append(Field(name, "", (), slot, layout))
        slot += layout.slots
    return Layout("record", tuple(fields), slot)


class Fields:
    """The fields of a record: addresses of code and arrays, whole numbers, real numbers, and records inside it."""

    def __init__(self, addresses: Sequence[str] = (), integers: Sequence[str] = (), reals: Sequence[str] = (),
                 **nested: Fields):
        kinds: list[tuple[Sequence[str], Any, Any]] = [
            (addresses, np.uint64, ctypes.c_uint64), (integers, np.int64, ctypes.c_int64),
            (reals, np.float64, ctypes.c_double)]
        whole, real = [*addresses, *integers], list(reals)
        self.layout: Layout = _layout(whole, real, {name: fields.layout for name, fields in nested.items()})
        self.names: tuple[str, ...] = (*addresses, *integers, *reals)
        self.dtype: np.dtype = np.dtype([(name, kind) for names, kind, _ in kinds for name in names]
                                        + [(name, fields.dtype) for name, fields in nested.items()])
        members: list[tuple[str, Any]] = [(name, kind) for names, _, kind in kinds for name in names] \
            + [(name, fields.view) for name, fields in nested.items()]
        self.view: type[View] = type("Record", (View,), {"_fields_": members})

    def new(self) -> tuple[np.ndarray, View]:
        """A record of zeros: the array that owns the memory, and the view of it."""
        memory = np.zeros(1, dtype=self.dtype)
        return memory, self.at(memory)

    def at(self, memory: np.ndarray) -> View:
        """The view of a record in an array."""
        return self.view.from_buffer(memory.data)


#: a compiled function as Python calls it (see `jit`)
PIECE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_int64)

# what compiled functions are asked to do: those of methods (see `methods`) …
START, STEP_ON, DENSE, ACCEPT, CHANGED, LOOK, AGAIN, RESUME = range(8)
# … of the manifold (PROJECT_ERROR + row projects that row of the state vectors) …
RESTORE, PROJECT_ERROR = 0, 1
# … of events, and of features of laws
LOCATE, JUMPED = 0, 1
SUDDEN, REVEAL = 0, 1
# … and of rows (friction, stops, locks and contacts), which are decided in `run`
ROWS_CROSSED, ROWS_DECIDE, ROWS_START, ROWS_IN_FLIGHT, ROWS_GROW, ROWS_ENGAGE, ROWS_HOLD = range(7)

# why the loop returns, or that it goes on (see `loop`); FULL where there is no room for further instants (`through`)
PAUSED, REACHED, EVENT, FAILED, STRAINED, OTHER_METHOD, HELP, TRIED, ON, FULL = range(10)

# what became of an attempted step; HELP_NEEDED asks for what lanes do not have
OK, NONFINITE, SINGULAR, PROJECTION, INACCURATE, UNSOLVED, HELP_NEEDED = range(7)

# and how that is said
FAILURES = {
    NONFINITE: ("nonfinite", "the derivative of the state is not finite"),
    SINGULAR: ("singular", "the equations of motion became singular"),
    PROJECTION: ("projection", "the constraints could not be closed to the tolerance"),
    INACCURATE: (
        "step too small",
        "the accuracy asked for needs steps below the resolution of time (a pole, or a jump that is no event?)",
    ),
    UNSOLVED: ("unsolved", "the equations of an implicit step could not be solved"),
}

_rows = range(32)
# rows of the array of state vectors
X0, X1, INCREMENT, ERROR, ERROR_LOW, WEIGHT, BEFORE, HELD = _rows[:8]
# and, as wide as there are constraints, of how well they hold: now, at the end of a trial step, at two points before
HOLD, HOLD_TRIAL, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE = _rows[8:14]
N_VECTORS = 14
#: most stages of an explicit method: rows and columns of its tableau, and of the array of slopes
MAX_STAGES = 16
# rows of the array of slopes: at the start of the step
FIRST, SECOND, THIRD = _rows[:3]

# rows of the array of witness functions
G_LOW, G_HIGH, G_TRIAL, G_SENSE, G_SLACK, G_CROSSED, G_CLEAR, G_SAMPLES = _rows[:8]
N_SAMPLES = 9
G_BASES = _rows[8 + N_SAMPLES - 1]
N_WITNESS_ROWS = 7 + 2 * N_SAMPLES
#: rows of the interpolant, and those of them that are kept with an implicit step: all but the ends of the step
N_DENSE_ROWS, N_KEPT = 8, 3

FUNCTIONS = ("rhs", "project", "project_error", "prescribe", "events", "bounds", "laws", "law_bounds", "qdot",
             "momenta", "speeds", "update", "situation",
             "near")
#: the model's code, and what may change with it between the steps of a run
CODE = Fields(FUNCTIONS, ("every_stage",), ("tolerance",))
#: compiled functions of this room (and xʸ), and the memory of the method in use: of an explicit one, of an implicit one
PIECES = Fields(("manifold", "method", "own", "implicit", "locate", "features", "power"))
ARRAYS = Fields(
    ("inp", "out", "work", "quaternions", "vectors", "slopes", "dense", "witnesses", "laws",
     "carry_from", "carry_to", "changing", "pair_of", "grid",
     "grid_x", "grid_step", "steps_t", "steps_x", "steps_carry", "steps_dense"),
    ("n_in", "n_out", "n_quaternions", "vector_width", "slope_width", "witness_width", "law_width",
     "n_carried", "n_carry", "n_changing", "n_grid", "capacity", "rolling"))
COUNTS = Fields((), ("steps", "rejected", "evaluations", "projections", "witnesses", "events_found", "unconverged",
                     "exchanges", "implicit_steps", "jacobians", "factorisations"))
COUNTERS = COUNTS.names
#: how well constraints hold, near singular positions (see `singular_positions`)
HOLDS = Fields((), ("count", "followed", "near"),
               ("span", "span_first", "gap_low", "gap_high", "gap_second", "coarse_error", "coarse_time"))
#: when to look whether another method would do better (see `stiffness`); how long the run goes on after its `horizon`
STIFFNESS = Fields((), ("watched", "prepared", "next_look", "suspicions", "doubts", "patience", "tried"),
                   ("boundary", "looked", "beyond"))

STEP = Fields(
    (),
    (
        # sizes and choices, fixed for a run
        "n", "nq", "nu", "nz", "n_events", "n_bases", "n_far", "n_laws", "n_law_bases", "has_health", "max_norm",
        "identity_qdot", "bare", "watch_strain", "fixed", "shows", "begins",
        # of the method in use
        "explicit", "stages", "n_dense", "keeps", "error_order",
        # progress
        "chunk", "fresh", "changed", "jumped", "restart", "rejected_before", "grid_next", "n_steps", "fixed_index",
        "status",
    ),
    (
        "t", "h", "length", "target", "horizon", "accuracy", "time_tolerance", "time_scale",
        "strain", "strain_now", "drift", "allowed", "error_now", "factor",
        "fixed_start", "t0", "t1", "t_end", "theta", "t_before", "position_error", "velocity_error",
    ),
    code=CODE, pieces=PIECES, at=ARRAYS, counts=COUNTS, holds=HOLDS, stiffness=STIFFNESS,
)  # fmt: skip



def side_by_side(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Arrays of zeros of these shapes one after the other in one piece of memory, each from a cache line on."""
    line = 8
    sizes = [math.prod(shape) for shape in shapes]
    first = [0, *accumulate(-(-size // line) * line for size in sizes)]
    whole = np.zeros(first[-1] + line)
    whole = whole[-whole.ctypes.data % 64 // 8 :]
    return [whole[k : k + size].reshape(shape) for shape, size, k in zip(shapes, sizes, first, strict=False)]


#: the lengths that go with arrays: name of the array → (name of the length, axis)
_LENGTHS = {"out": ("n_out", 0), "quaternions": ("n_quaternions", 0), "vectors": ("vector_width", 1),
            "slopes": ("slope_width", 1), "witnesses": ("witness_width", 1), "laws": ("law_width", 1),
            "grid": ("n_grid", 0)}


def point_at(at: View, **arrays: np.ndarray) -> None:
    """Let the record of arrays point at these, and know their lengths."""
    for name, array in arrays.items():
        setattr(at, name, array.ctypes.data)
        if name in _LENGTHS:
            length, axis = _LENGTHS[name]
            setattr(at, length, array.shape[axis])
