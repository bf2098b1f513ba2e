"""The one compiled entry point: loaded from Numba's cache, or compiled once per installation."""

from __future__ import annotations

import zlib
from pathlib import Path

from numba import from_dtype, int64, njit, types

from .loop import advance, recreate
from .record import DTYPE

REAL1, REAL2, WHOLE1 = types.float64[::1], types.float64[:, ::1], types.int64[::1]

# memory; tableau a, c, e, d; input, output, quaternions; V, K, F, G; carry; grid; steps
SIGNATURE = int64(
    from_dtype(DTYPE)[::1],
    REAL2, REAL1, REAL2, REAL2,
    REAL1, REAL1, WHOLE1,
    REAL2, REAL2, REAL2, REAL2,
    WHOLE1, WHOLE1,
    REAL1, REAL2, WHOLE1,
    REAL1, REAL2, REAL2,
)  # fmt: skip


def _stamp() -> int:
    """A number that changes with any source of this room: Numba's cache looks at one file only."""
    stamp = 0
    for path in sorted(Path(__file__).parent.glob("*.py")):
        stamp = zlib.crc32(path.read_bytes(), stamp)
    return stamp


def _build(stamp: int):
    """The entry point; as a closure variable, `stamp` is part of the key of the cache."""

    @njit(SIGNATURE, cache=True, nogil=True, error_model="numpy")
    def entry(
        memory, a, c, e, d, inp, out, quaternions, V, K, F, G,
        carry_from, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry,
    ):  # fmt: skip
        r = memory[0]
        if r.mode != 0 and stamp >= 0:
            return recreate(
                r, a, c, d, inp, out, quaternions, V, K, F, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry
            )
        return advance(
            r, a, c, e, d, inp, out, quaternions, V, K, F, G,
            carry_from, carry_to, grid, grid_x, steps_t, steps_x, steps_carry,
        )  # fmt: skip

    return entry


entry = _build(_stamp())
