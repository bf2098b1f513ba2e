"""How the parts of the compiled loop are compiled: only the loop itself is called from Python and needs a wrapper."""

from __future__ import annotations

from numba import njit

part = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
