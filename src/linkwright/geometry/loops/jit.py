"""How the loops are compiled: once, for one signature, kept on disk.

Compile time is what a user waits for at the first contact, so three habits keep it low.  LLVM optimises a part again
inside every function that calls it: what is long and used in many places is a *piece*, compiled by itself and known to
others by a symbol.  Vectors of three numbers that are computed are tuples, never array expressions.  Arrays inside a
part lie on the stack (`local`), without reference counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import cfunc, njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from ...algebra import Transform
from ...cache_folder import kept_loop

#: a step inside a loop, called by other compiled code only; division by zero behaves as in NumPy
part = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)
#: a step that makes arrays whose size is known only when it runs
owning = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
#: a whole loop, called from Python too
called = kept_loop(error_model="numpy")

#: the address of numbers in C, which Numba's `carray` makes an array of
Pointer = Any
#: three numbers that are computed; a vector that is only read may lie in an array too
Three = tuple[float, float, float]
Vector = Three | np.ndarray

real, whole = types.float64, types.int64
reals, wholes = types.CPointer(real), types.CPointer(whole)


def entry(function: Callable) -> Any:
    """A C function that programs call: (x, n_x, numbers, n_numbers, indices, n_indices, y, n_y)."""
    signature = types.void(reals, whole, reals, whole, wholes, whole, reals, whole)
    return kept_loop(signature, compiler=cfunc, error_model="numpy")(function)


def piece(signature: Any) -> Callable[[Callable], Any]:
    """A C function that other compiled code calls by its symbol; arrays go into it as `array.ctypes`.

    It is compiled, or loaded, with its module, so that those who were compiled earlier find it.
    """
    def compiled(function: Callable) -> Any:
        name = f"linkwright_{function.__name__}"
        code = kept_loop(signature, compiler=cfunc, error_model="numpy", _nrt=False)(function)
        binding.add_symbol(name, code.address)
        known = types.ExternalFunction(name, signature)
        known.code = code  # as long as the symbol
        return known

    return compiled


def twelve(X: Transform) -> np.ndarray:
    """A pose as 12 numbers: the rotation by rows, then the position."""
    return np.concatenate([np.asarray(X.R, dtype=float).ravel(), np.asarray(X.p, dtype=float)])


def _on_the_stack(element: types.Type, code: ir.Type, shape: tuple[int, ...]) -> tuple[Any, Callable]:
    """Signature and code of what makes an array on the stack of the function it is written in."""
    kind = types.Array(element, len(shape), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        count = int(np.prod(shape))
        with builder.goto_entry_block():
            memory = builder.alloca(ir.ArrayType(code, count))
        sizes = [context.get_constant(types.intp, n) for n in shape]
        strides = [context.get_constant(types.intp, 8 * int(np.prod(shape[k + 1:]))) for k in range(len(shape))]
        view = context.make_array(kind)(context, builder)
        populate_array(view, data=builder.bitcast(memory, code.as_pointer()), shape=sizes, strides=strides,
                       itemsize=context.get_constant(types.intp, 8), meminfo=None)
        return view._getvalue()

    return kind, build


@intrinsic(prefer_literal=True)
def local(typing_context: Any, count: Any) -> Any:
    """An array of so many numbers, for as long as the function runs; the size is written out."""
    kind, build = _on_the_stack(real, ir.DoubleType(), (count.literal_value,))
    return kind(count), build


@intrinsic(prefer_literal=True)
def local_rows(typing_context: Any, count: Any, width: Any) -> Any:
    """An array (count, width), likewise."""
    kind, build = _on_the_stack(real, ir.DoubleType(), (count.literal_value, width.literal_value))
    return kind(count, width), build


@intrinsic(prefer_literal=True)
def local_wholes(typing_context: Any, count: Any) -> Any:
    """An array of so many integers, likewise."""
    kind, build = _on_the_stack(whole, ir.IntType(64), (count.literal_value,))
    return kind(count), build


@intrinsic(prefer_literal=True)
def local_whole_rows(typing_context: Any, count: Any, width: Any) -> Any:
    """An array (count, width) of integers, likewise."""
    kind, build = _on_the_stack(whole, ir.IntType(64), (count.literal_value, width.literal_value))
    return kind(count, width), build


@part
def dot3(a: Vector, b: Vector) -> float:
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def cross3(a: Vector, b: Vector) -> Three:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def minus(a: Vector, b: Vector) -> Three:
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@part
def plus(a: Vector, b: Vector, s: float) -> Three:
    """a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@part
def times(s: float, a: Vector) -> Three:
    """s a."""
    return s * a[0], s * a[1], s * a[2]


@part
def put3(out: np.ndarray, a: Vector) -> None:
    """out := a."""
    out[0], out[1], out[2] = a[0], a[1], a[2]


@part
def carried(X: np.ndarray, v: Vector) -> Three:
    """A point of a body in the pose X, in the world."""
    return (X[9] + X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[10] + X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
            X[11] + X[6] * v[0] + X[7] * v[1] + X[8] * v[2])


@part
def turned(X: np.ndarray, v: Vector) -> Three:
    """A direction of a body in the world."""
    return (X[0] * v[0] + X[1] * v[1] + X[2] * v[2], X[3] * v[0] + X[4] * v[1] + X[5] * v[2],
            X[6] * v[0] + X[7] * v[1] + X[8] * v[2])


@part
def seen(X: np.ndarray, p: Vector) -> Three:
    """A point of the world in the axes of a body."""
    x, y, z = p[0] - X[9], p[1] - X[10], p[2] - X[11]
    return X[0] * x + X[3] * y + X[6] * z, X[1] * x + X[4] * y + X[7] * z, X[2] * x + X[5] * y + X[8] * z


@part
def row3(numbers: np.ndarray, at: int) -> Three:
    """Three numbers of an array."""
    return numbers[at], numbers[at + 1], numbers[at + 2]
