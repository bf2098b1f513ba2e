"""The words that compiled code is written in: parts and pieces, and what they see of the record; all by Numba.

A *piece* is a C function `int64 piece(uint64 memory, int64 task)` over the stepper's record; pieces call each other by
the addresses in it, so that each is compiled by itself: a method without the loop, the loop without methods and events.
A *part* is a function inside a piece.  LLVM optimises a part again in each function that calls it, so parts used once
are merged before LLVM sees them (`inlined`), as long as what they are merged into stays small.

Addresses and pointers travel as integers, so that one compilation serves every model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import cfunc, from_dtype, int64, njit, types, uint64
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from ..cache_folder import kept_loop
from .record import STEP, Fields, View

_part = partial(njit, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
part = _part()
inlined = _part(inline="always")
piece = kept_loop(int64(uint64, int64), compiler=cfunc, error_model="numpy", _nrt=False)


def record(fields: Fields) -> Callable[[int], View]:
    """What gives the record of these fields at an address, in compiled code."""
    kind = from_dtype(fields.dtype)

    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(kind))

        return kind(types.uint64), generate

    return at


def _view(kind: types.Array, element: ir.Type, size: int) -> Callable[..., np.ndarray]:
    """What gives an array of this kind (one or two dimensions) at an address, in compiled code."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *shape = arguments
        unit = context.get_constant(types.intp, size)
        strides = [builder.mul(shape[1], unit), unit] if len(shape) == 2 else [unit]
        view = context.make_array(kind)(context, builder)
        populate_array(view, data=builder.inttoptr(address, element.as_pointer()), shape=shape, strides=strides,
                       itemsize=unit, meminfo=None)
        return view._getvalue()

    if kind.ndim == 2:
        @intrinsic
        def at(typing_context: Any, address: Any, rows: Any, columns: Any) -> Any:
            return kind(types.uint64, types.intp, types.intp), build
    else:
        @intrinsic
        def at(typing_context: Any, address: Any, count: Any) -> Any:
            return kind(types.uint64, types.intp), build
    return at


vector = _view(types.float64[::1], ir.DoubleType(), 8)
matrix = _view(types.float64[:, ::1], ir.DoubleType(), 8)
integers = _view(types.int64[::1], ir.IntType(64), 8)
complexes = _view(types.complex128[::1], ir.LiteralStructType([ir.DoubleType()] * 2), 16)
stepper = record(STEP)


@intrinsic
def ask(typing_context: Any, address: Any, memory: Any, task: Any) -> Any:
    """Call the piece at `address`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(64)
        function = builder.inttoptr(arguments[0], ir.FunctionType(whole, [whole, whole]).as_pointer())
        return builder.call(function, arguments[1:])

    return types.int64(types.uint64, types.uint64, types.int64), generate


@intrinsic
def call(typing_context: Any, address: Any, inp: Any, out: Any, work: Any) -> Any:
    """Call the model's function at `address` with three pointers (all uint64)."""

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
