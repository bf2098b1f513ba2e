"""Functions from an array to an array, without CasADi's matrices in between (twenty times as fast)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from ..codegen import Program, Straight, calls_routine, compile_program


def array_function(inputs: ca.SX, output: ca.SX) -> tuple[np.ndarray, np.ndarray, Callable[[], None]]:
    """(x, y, run): `run()` computes y = output(x), columns after columns, in place.

    CasADi itself evaluates the function, unless it calls compiled routines, which only machine code can do.
    """
    program = ca.Function("f", [inputs], [ca.densify(output)])
    x, y = np.zeros(inputs.numel()), np.zeros(output.numel())
    if calls_routine(program):
        flat = ca.Function("f", [inputs], [ca.vec(ca.densify(output))])
        wanted = Program("f", [("x", x.size)], [("y", y.size)], [Straight(flat, ("x",), ("y",))])
        compiled = compile_program(wanted, tier="quick")
        evaluate = compiled.bind(x, y)
        return x, y, lambda kept=compiled: evaluate()
    buffer, evaluate = program.buffer()
    bound: Any = buffer  # takes views of memory, which its type does not know
    bound.set_arg(0, memoryview(x))
    bound.set_res(0, memoryview(y))
    return x, y, lambda kept=(program, buffer): evaluate()  # both must live as long as they are used
