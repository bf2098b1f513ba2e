"""From a program to functions that can be called: tiers, lanes, addresses."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.codegen import cache
from linkwright.codegen.machine import Loaded, function_attributes, host, native_lanes, object_code, support_code
from linkwright.codegen.module import emit_module
from linkwright.codegen.program import Program, vector_sizes
from linkwright.errors import ModelError, unknown_name
from linkwright.waiting import waiting

from .tolerances import OPTIMISED

LEVEL = {"quick": 0, "optimised": 2}
_CALL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)
_COUNTED = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)


def compile_program(program: Program, tier: str = "auto", lanes: int = 1, fast: bool = False) -> CompiledProgram:
    """Machine code for `program`.

    `tier` is "quick" (compiles fast), "optimised" (runs fast) or "auto", which optimises what LLVM can optimise in
    under a second.  `lanes` > 1 makes the function at `address` work on that many instances at once.  Arithmetic is
    strict, with the same bits for every tier and lane width, unless `fast` allows contraction and reciprocals.
    """
    if tier not in ("auto", *LEVEL):
        raise ModelError(f"{program.name}: tier {tier!r} does not exist; choose 'auto', 'quick' or 'optimised'.")
    if lanes not in (1, 2, 4, 8, 16):
        raise ModelError(f"{program.name}: lanes = {lanes!r}; choose 1, 2, 4, 8 or 16.")
    start = time.perf_counter()
    vector_sizes(program)  # refuses a program that does not fit together
    key = cache.program_key(program, host(), tier, lanes, fast) if cache.in_use() else ""
    kept = cache.load(key) if key else None
    if kept is not None:
        header, objects = kept
    else:
        with waiting(f"compiling {program.name}"):
            module = emit_module(program, lanes, fast, native_lanes(), function_attributes(lanes), tier == "quick")
            if tier == "auto":
                tier = "optimised" if module.instructions <= OPTIMISED else "quick"
            objects = object_code(module.text, LEVEL[tier]), support_code(module.support)
        counts = {"n_work": module.n_work, "instructions": module.instructions}
        header = {"symbol": module.symbol, "tier": tier, **counts}
        if key:
            cache.store(key, header, objects)
    compiled = CompiledProgram(program, header, Loaded(*objects), lanes, kept is not None)
    compiled.compile_time = time.perf_counter() - start
    return compiled


class CompiledProgram:
    """Functions in machine code; the addresses are valid while this object lives.

    `address`        void f(const double *in, double *out, double *work), W lanes at once, slot k of lane l at [k·W + l]
    `scalar_address` the same for one instance (equal to `address` when lanes = 1)
    `loop_address`   void loop(in, out, work, int64 count): f, count times
    `batch_address`  void batch(in_rows, out_rows, work, int64 n): one instance per row

    `n_in`, `n_out`, `n_work` count doubles per lane; every function needs `n_work · lanes` doubles of workspace of
    its own, so threads may call at the same time with distinct workspaces.  Input, output and workspace must not
    overlap.  The fastest code wants them to start at multiples of 64 bytes; nothing requires it.
    """

    def __init__(self, program: Program, header: dict, loaded: Loaded, lanes: int, from_cache: bool) -> None:
        self.program, self.lanes, self.from_cache = program, lanes, from_cache
        self.tier: str = header["tier"]
        self.instructions: int = header["instructions"]
        self.n_work: int = header["n_work"]
        self.compile_time = 0.0
        self.n_in = sum(n for _, n in program.inputs)
        self.n_out = sum(n for _, n in program.outputs)
        self._loaded = loaded
        self._threads = threading.local()
        symbol = header["symbol"]
        self.scalar_address = loaded.address(symbol)
        self.address = self.scalar_address if lanes == 1 else loaded.address(f"{symbol}_{lanes}")
        self.loop_address = loaded.address(f"{symbol}_loop")
        self.batch_address = loaded.address(f"{symbol}_batch")
        self._call = _CALL(self.scalar_address)
        self._loop = _COUNTED(self.loop_address)
        self._batch = _COUNTED(self.batch_address)

    def __repr__(self) -> str:
        return (
            f"CompiledProgram({self.program.name!r}, {self.n_in} → {self.n_out}, {self.instructions} instructions, "
            f"{self.tier}, {self.lanes} lanes)"
        )

    def workspace(self) -> np.ndarray:
        """A new workspace for any of the functions; its content does not matter."""
        return _aligned(self.n_work * self.lanes)

    def _own_workspace(self) -> np.ndarray:
        """The workspace of the calling thread."""
        if not hasattr(self._threads, "work"):
            self._threads.work = self.workspace()
        return self._threads.work

    def slice_out(self, name: str) -> slice:
        """Where output vector `name` lies in the concatenated output."""
        start = 0
        for known, size in self.program.outputs:
            if known == name:
                return slice(start, start + size)
            start += size
        raise unknown_name(name, [known for known, _ in self.program.outputs], f"the outputs of {self.program.name}")

    def __call__(self, values: Any, out: np.ndarray | None = None) -> np.ndarray:
        """One evaluation: concatenated inputs (n_in,) to concatenated outputs (n_out,)."""
        x = _checked(self.program.name, values, (self.n_in,), "input")
        if out is None:
            out = np.empty(self.n_out)
        elif not isinstance(out, np.ndarray) or out.shape != (self.n_out,) or out.dtype != np.float64:
            raise ModelError(f"{self.program.name}: out must be a float64 array of shape ({self.n_out},).")
        elif not (out.flags.c_contiguous and out.flags.writeable) or np.may_share_memory(out, x):
            raise ModelError(f"{self.program.name}: out must be contiguous, writeable and distinct from the input.")
        work = self._own_workspace()
        self._call(x.ctypes.data, out.ctypes.data, work.ctypes.data)
        return out

    def bind(self, values: np.ndarray, out: np.ndarray) -> Callable[[], None]:
        """A function that evaluates from `values` into `out`, again and again; both stay where they are in memory."""
        for array, size in ((values, self.n_in), (out, self.n_out)):
            if array.shape != (size,) or array.dtype != np.float64 or not array.flags.c_contiguous:
                raise ModelError(f"{self.program.name}: a contiguous float64 array of shape ({size},) is needed.")
        call, arrays = self._call, (values, out, self.workspace())
        pointers = [array.ctypes.data for array in arrays]

        def evaluate(kept: tuple[np.ndarray, ...] = arrays) -> None:
            call(*pointers)

        return evaluate

    def batch(self, rows: Any) -> np.ndarray:
        """One evaluation per row: (n, n_in) to (n, n_out)."""
        shape = np.shape(rows)
        x = _checked(self.program.name, rows, (shape[0] if shape else 0, self.n_in), "rows")
        out, work = np.empty((len(x), self.n_out)), self._own_workspace()
        self._batch(x.ctypes.data, out.ctypes.data, work.ctypes.data, len(x))
        return out

    def time(self, values: Any, n: int = 1000, repeat: int = 5) -> float:
        """Best seconds per call of the function at `address` (all lanes with the same input) in a compiled loop."""
        x, out, work = _aligned(self.n_in * self.lanes), _aligned(self.n_out * self.lanes), self.workspace()
        x[:] = np.repeat(_checked(self.program.name, values, (self.n_in,), "input"), self.lanes)
        best = float("inf")
        for _ in range(repeat):
            start = time.perf_counter()
            self._loop(x.ctypes.data, out.ctypes.data, work.ctypes.data, n)
            best = min(best, time.perf_counter() - start)
        return best / n


def _aligned(size: int) -> np.ndarray:
    """Doubles that start at a cache line, where wide loads are fastest."""
    raw = np.empty(size + 8)
    start = (-raw.ctypes.data % 64) // 8
    return raw[start : start + size]


def _checked(name: str, values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """`values` as a contiguous float64 array of `shape`, or a ModelError that says what was expected."""
    try:
        x = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: the {what} must be numbers: {error}.") from error
    if x.shape != shape:
        raise ModelError(f"{name}: the {what} must have shape {shape}, got {x.shape}.")
    return x
