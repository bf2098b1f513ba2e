"""How the parts of the compiled loop are compiled; only the loop itself is called from Python and needs a wrapper.

LLVM optimises a part again in each function that calls it, so parts used once are merged before LLVM sees them: that
took a quarter off the time of compilation and, in the stages, a quarter off the overhead of a step.
"""

from __future__ import annotations

from functools import partial

from numba import njit

_part = partial(njit, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
part = _part()
inlined = _part(inline="always")
