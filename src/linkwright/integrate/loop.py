"""The compiled loop: attempt, restore, test, look for events, accept; until the target, an event, a failure or a pause.

A step is: advance → prescribe → project q → normalise quaternions → project u → re-evaluate → test the projected error
→ look for events on the projected interpolant → accept.  Between calls the input vector holds the last accepted point
and the record everything else, so that a run may stop after any step and go on with the same bits.

Importing this module loads the entry point of the explicit methods from Numba's cache, or compiles it, once per
installation; that of the implicit method is the same source with other steps in it, compiled when first needed.
"""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path

from numba import from_dtype, int64, njit, typeof, types

from .concealed import concealed, sudden
from .control import next_factor
from .crossing import forget_holds, is_near, note_coarse, note_holds
from .dense import prepare_dense
from .implicit import Linearised, empty
from .model_call import evaluate
from .radau import accept_radau, keep_dense, radau_attempt, radau_dense
from .record import (
    DTYPE,
    EASY,
    EVENT,
    FAILED,
    HELD,
    INACCURATE,
    OK,
    PAUSED,
    PIVOTS,
    PROJECTION,
    REACHED,
    STIFF,
    STRAINED,
    UNPIVOTED,
    UNSOLVED,
    X0,
    X1,
)  # fmt: skip
from .repeat import repeat, repeat_radau
from .root_finding import find_event, jumped_across
from .step import attempt, begin, carry, choose_step, fill_grid, record_point, set_state, update
from .stiffness import looks_easy, looks_stiff

REAL1, REAL2, WHOLE1 = types.float64[::1], types.float64[:, ::1], types.int64[::1]

# memory; tableau a, c, e, d; input, output, quaternions; V, K, F, G, L; carry; grid; steps
ARGUMENTS = (
    from_dtype(DTYPE)[::1],
    REAL2, REAL1, REAL2, REAL2,
    REAL1, REAL1, WHOLE1,
    REAL2, REAL2, REAL2, REAL2, REAL2,
    WHOLE1, WHOLE1,
    REAL1, REAL2, WHOLE1,
    REAL1, REAL2, REAL2, REAL2,
)  # fmt: skip
IMPLICIT = typeof(empty(Linearised(0, ([0], [0]), ([0], [0])), 1))

NOT_COMPILED = {"__init__", "arguments", "driver", "history", "methods", "pivoting", "settings", "switching",
                "tableaux"}


def _stamp() -> int:
    """A number that changes with any source that is compiled here: Numba's cache looks at one file only."""
    stamp = 0
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in NOT_COMPILED:
            stamp = zlib.crc32(path.read_bytes(), stamp)
    return stamp


def _build(stamp: int, stiff: bool):
    """An entry point; as closure variables, `stamp` and `stiff` are part of the key of the cache.

    Branches on `stiff` are cut off before anything is compiled.
    """
    signature = int64(*ARGUMENTS, IMPLICIT if stiff else types.none)

    @njit(signature, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
    def advance(
        memory, a, c, e, d, inp, out, quaternions, V, K, F, G, L,
        carry_from, carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry, steps_dense, S,
    ):  # fmt: skip
        """Steps until the target, an event, a failure, or `chunk` attempts; says which."""
        r = memory[0]
        if r.mode != 0 and stamp >= 0:
            if stiff:
                return repeat_radau(
                    r, inp, out, quaternions, V, F, carry_to, grid, grid_x, grid_step,
                    steps_t, steps_x, steps_carry, steps_dense,
                )  # fmt: skip
            return repeat(
                r, a, c, d, inp, out, quaternions, V, K, F,
                carry_to, grid, grid_x, grid_step, steps_t, steps_x, steps_carry,
            )  # fmt: skip
        for _ in range(r.chunk):
            if not r.fresh:
                status = begin(
                    r, inp, out, quaternions, V, K, G, L,
                    carry_from, carry_to, grid, grid_x, steps_t, steps_x, steps_carry,
                )  # fmt: skip
                if status != OK:
                    r.status = status
                    return FAILED
            if r.t >= r.target:
                return REACHED
            if r.n_steps + 1 >= steps_t.shape[0]:
                return PAUSED
            for i in range(r.n):
                V[X0, i] = inp[1 + i]
            h = choose_step(r, V)
            if stiff:
                status = radau_attempt(r, h, inp, out, quaternions, V, K, F, S)
                if status == OK:
                    radau_dense(r, V, F, S)
            else:
                status = attempt(r, h, a, c, e, inp, out, quaternions, V, K)
            if status == OK:
                for i in range(r.n):
                    V[X1, i] = inp[1 + i]
                wanted = r.grid_next < grid.shape[0] and grid[r.grid_next] < r.t1
                doubtful = r.n_laws > 0 and not r.fixed and sudden(r, L, inp, V, K)
                if not stiff and (wanted or r.n_events > 0 or doubtful):
                    status = prepare_dense(r, a, c, d, inp, out, quaternions, V, K, F)
                if status == OK and doubtful:
                    status = concealed(r, inp, out, quaternions, V, K, F, L)
            if status != OK:
                set_state(r, r.t0, inp, V, X0)
                if status == UNPIVOTED:
                    return PIVOTS
                r.status = status
                r.rejected += 1
                if r.fixed:
                    return FAILED
                if status != INACCURATE:
                    r.h = h * (0.5 if status in (PROJECTION, UNSOLVED) else 0.25)
                r.rejected_before = 1
                if r.h < 1.8e-15 * max(abs(r.t0), 1e-3 * abs(r.target - r.t0)):
                    # whoever changes something and tries again starts with a new estimate of the step
                    r.h = 0.0
                    r.fresh = 0
                    return FAILED
                continue
            # events cut the step short
            theta = 2.0
            if r.n_events > 0:
                theta = find_event(r, inp, out, quaternions, V, F, G)
            happened = theta <= 1.0
            t_end = r.t1
            if happened:
                t_end = inp[0]
                for i in range(r.n):
                    V[HELD, i] = inp[1 + i]
            fill_grid(r, inp, out, quaternions, V, F, t_end, grid, grid_x)
            # accept
            set_state(r, t_end, inp, V, HELD if happened else X1)
            r.t = t_end
            r.steps += 1
            carry(inp, K, r.stages, carry_from, carry_to)
            updated = update(r, inp, out, carry_from, carry_to)
            record_point(r, inp, carry_to, steps_t, steps_x, steps_carry)
            if stiff:
                keep_dense(r, theta, F, steps_dense)
                factor = accept_radau(r, h)
            if r.fixed:
                r.fixed_index += 1
                if r.t == r.target:
                    r.fixed_start = r.t
                    r.fixed_index = 0
            else:
                if not stiff:
                    factor = next_factor(r, r.error_now)
                if r.rejected_before:
                    factor = min(factor, 1.0)
                # a step shortened to hit the target says nothing against the step planned
                r.h = max(r.h, h * factor) if h < r.h else h * factor
            r.rejected_before = 0
            r.restart = 0
            if not stiff and r.n_holds:
                note_holds(r, V)
                note_coarse(r)
            if happened:
                r.events_found += 1
                r.fresh = 0
                forget_holds(r, V)
                return EVENT
            stable = 0
            if r.watch_stiffness and not updated and not r.near:
                if stiff:
                    stable = EASY if looks_easy(r, inp, V, K, S) else 0
                else:
                    stable = STIFF if looks_stiff(r, h, a, K) else 0
            for j in range(K.shape[1]):
                K[0, j] = K[r.stages, j]
            if updated:
                # the laws may have changed with it, and a witness may have crossed
                r.jacobian_known = 0
                status = evaluate(r, K, 0)
                if status != OK:
                    r.status = status
                    return FAILED
                if r.n_events > 0 and jumped_across(r, inp, V, G):
                    r.events_found += 1
                    r.fresh = 0
                    return EVENT
            if r.watch_strain and r.strain_now > 0.0:
                r.exchanges += 1
                return STRAINED
            if not stiff and r.n_holds:
                near = is_near(r, V)
                if near != r.near:
                    r.near = near
                    return STRAINED
            if r.t >= r.target:
                return REACHED
            if stable != 0:
                return stable
        return PAUSED

    return advance


advance = _build(_stamp(), False)


@cache
def stiff_advance():
    """The entry point of the implicit method."""
    return _build(_stamp(), True)
