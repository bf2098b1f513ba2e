"""The stepper's memory: one record of scalars and a few arrays, so that a run can stop and resume after any step."""

from __future__ import annotations

import ctypes

import numpy as np

# kinds of method
RUNGE_KUTTA, SEMI_IMPLICIT_EULER, VERLET, RADAU = 0, 1, 2, 3

# why the compiled loop returns
PAUSED, REACHED, EVENT, FAILED, STRAINED, STIFF, EASY, PIVOTS = 0, 1, 2, 3, 4, 5, 6, 7

# what went wrong in an attempted step
OK, NONFINITE, SINGULAR, PROJECTION, INACCURATE, UNSOLVED, UNPIVOTED = 0, 1, 2, 3, 4, 5, 6

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

# rows of the array of state vectors
X0, X1, INCREMENT, ERROR, ERROR_LOW, WEIGHT, BEFORE, HELD = 0, 1, 2, 3, 4, 5, 6, 7
# and, as wide as there are constraints, of how well they hold: now, at the end of a trial step, at two points before
HOLD, HOLD_TRIAL, HOLD_BEFORE, HOLD_FIRST, HOLD_MOST, HOLD_RATE = 8, 9, 10, 11, 12, 13
N_VECTORS = 14

# rows of the array of witness functions
G_LOW, G_HIGH, G_TRIAL, G_SENSE, G_SLACK, G_CROSSED, G_CLEAR, G_SAMPLES = range(8)
N_SAMPLES = 9
G_BASES = G_SAMPLES + N_SAMPLES
N_WITNESS_ROWS = G_BASES + N_SAMPLES

_ADDRESSES = (
    "rhs", "project", "project_error", "prescribe", "events", "bounds", "laws", "law_bounds",
    "qdot", "update", "linearised",
    "p_in", "p_k", "p_g", "p_l", "p_out", "p_work", "p_entries", "power",
)  # fmt: skip
_INTEGERS = (
    # sizes and choices, fixed for a run
    "n", "nq", "nu", "nz", "n_in", "k_stride", "n_events", "n_bases", "n_laws", "n_law_bases", "has_health", "max_norm",
    "identity_qdot", "bare", "every_stage", "watch_strain", "n_holds", "near",
    "kind", "stages", "n_dense", "n_extra", "error_rows", "error_uses_last", "error_order", "fixed",
    # progress
    "mode", "chunk", "fresh", "changed", "jumped", "restart", "slope_known", "rejected_before",
    "grid_next", "n_steps", "fixed_index", "status",
    # of the implicit method
    "jacobian_known", "jacobian_fresh", "pivoted", "newton_count",
    # of the choice between methods
    "watch_stiffness", "next_look", "suspicions", "doubts", "patience", "tried",
    # counters
    "steps", "rejected", "evaluations", "projections", "witnesses", "events_found", "unconverged", "exchanges",
    "implicit_steps", "jacobians", "factorisations",
)  # fmt: skip
_REALS = (
    "t", "h", "h_max", "target", "accuracy", "tolerance", "time_tolerance", "time_scale",
    "strain", "strain_now", "drift", "allowed",
    "span", "span_first", "gap_low", "gap_high", "gap_second", "coarse_error", "coarse_time",
    "error_before", "error_now", "fixed_start", "t0", "t1", "t_before",
    "position_error", "velocity_error",
    "h_before", "factored_h", "pivoted_h", "newton_rate", "boundary", "horizon", "looked",
)  # fmt: skip

DTYPE = np.dtype(
    [(name, np.uint64) for name in _ADDRESSES]
    + [(name, np.int64) for name in _INTEGERS]
    + [(name, np.float64) for name in _REALS]
)


class Record(ctypes.Structure):
    """The record as Python sees it, attributes in the memory of an array of DTYPE: `Record.from_buffer(memory)`.

    Reading a field of the array itself takes six times as long.
    """

    _fields_ = (
        [(name, ctypes.c_uint64) for name in _ADDRESSES]
        + [(name, ctypes.c_int64) for name in _INTEGERS]
        + [(name, ctypes.c_double) for name in _REALS]
    )

    def put(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


COUNTERS = (
    "steps", "rejected", "evaluations", "projections", "witnesses", "events_found", "unconverged", "exchanges",
    "implicit_steps", "jacobians", "factorisations",
)  # fmt: skip
