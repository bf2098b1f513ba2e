"""Calling the compiled model: an address of machine code `void f(const double* in, double* out, double* work)`.

Addresses and pointers travel as integers, so one compilation of the steppers serves every model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import part
from .record import NONFINITE, OK, SINGULAR, View
from .tolerances import HUGE


@intrinsic
def call(typing_context: Any, address: Any, inp: Any, out: Any, work: Any) -> Any:
    """Call the function at `address` with three pointers (all uint64)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.DoubleType().as_pointer()
        function_type = ir.FunctionType(ir.VoidType(), [pointer] * 3)
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        builder.call(function, [builder.inttoptr(a, pointer) for a in arguments[1:]])
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64, types.uint64), generate


@intrinsic
def power(typing_context: Any, address: Any, x: Any, y: Any) -> Any:
    """xʸ of x > 0 by the function at `address`: our own, so that the bits of a step depend on no C library."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        real = ir.DoubleType()
        function = builder.inttoptr(arguments[0], ir.FunctionType(real, [real, real]).as_pointer())
        return builder.call(function, arguments[1:])

    return types.float64(types.uint64, types.float64, types.float64), generate


@part
def evaluate(r: View, K: np.ndarray, row: int) -> int:
    """Slope at the state in the input vector into row `row` of K; says whether it can be used."""
    call(r.code.rhs, r.at.inp, r.at.slopes + row * r.at.slope_width * 8, r.at.work)
    r.counts.evaluations += 1
    n = r.n
    if r.has_health and not (K[row, n] >= 0.0 and K[row, n] < HUGE):
        return SINGULAR
    # 0·x is 0 for finite x and NaN otherwise; four sums, so that one need not wait for the other
    c0 = c1 = c2 = c3 = 0.0
    whole = n & ~3
    for i in range(0, whole, 4):
        c0 += 0.0 * K[row, i]
        c1 += 0.0 * K[row, i + 1]
        c2 += 0.0 * K[row, i + 2]
        c3 += 0.0 * K[row, i + 3]
    for i in range(whole, n):
        c0 += 0.0 * K[row, i]
    return OK if (c0 + c1) + (c2 + c3) == 0.0 else NONFINITE
