"""How the loops are compiled: once, for one signature, kept on disk."""

from __future__ import annotations

import numpy as np

from ...algebra import Transform
from ...cache_folder import kept_loop

#: a step inside a loop, called by other compiled code only; division by zero behaves as in NumPy
part = kept_loop(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
#: a whole loop, called from Python too
called = kept_loop(error_model="numpy")


def entry(function):
    """A C function that programs call: (x, n_x, numbers, n_numbers, indices, n_indices, y, n_y)."""
    from numba import cfunc, types

    real, count = types.CPointer(types.float64), types.int64
    signature = types.void(real, count, real, count, types.CPointer(types.int64), count, real, count)
    return kept_loop(signature, compiler=cfunc, error_model="numpy")(function)


def twelve(X: Transform) -> np.ndarray:
    """A pose as 12 numbers: the rotation by rows, then the position."""
    return np.concatenate([np.asarray(X.R, dtype=float).ravel(), np.asarray(X.p, dtype=float)])


@part
def dot3(a, b):
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross3(a, b):
    """a × b."""
    out = np.empty(3)
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return out
