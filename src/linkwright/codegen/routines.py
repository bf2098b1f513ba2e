"""Loops of the dialect that programs call: searches over arrays, which no straight line of code can hold.

A routine is a C function of a module of this package,

    void entry(x, n_x, numbers, n_numbers, indices, n_indices, y, n_y)

which fills y from x and from constant arrays of floats and integers.  CasADi sees a function that is never inlined (an
OP_CALL in SX); arrays and the name of the entry are read back from it, so an expression needs nothing beside itself to
be compiled.  Object code names the entry as `lw.call:module:name`, and it is looked up when the code is loaded.  For
CasADi itself the results are NaN: only compiled code knows them.

Its Jacobian is central differences, ∂y/∂x_i ≈ (y(x + h_i e_i) − y(x − h_i e_i))/2h_i, with the steps h that come with
it; second derivatives there are none.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import re
from typing import Any

import casadi as ca
import numpy as np

from linkwright.codegen.best_row import is_least
from linkwright.errors import LinkwrightError, ModelError

PREFIX = "lw_routine_"
_DIFFERENCES = "lw_routine_slopes_"
_SYMBOL = re.compile(rb"lw\.call:(linkwright\.[\w.]+):(\w+)")


class Routine:
    """y = entry(x; numbers, indices), `entry` = "module:name" of a compiled C function of this package.

    `steps` (n_x) are the differences that its slopes are taken with; where all are zero it counts as a constant.
    """

    def __init__(self, entry: str, numbers: np.ndarray, indices: np.ndarray, steps: Any, n_out: int) -> None:
        self.entry, self.n_out = entry, int(n_out)
        self.numbers = np.ascontiguousarray(numbers, dtype=float)
        self.indices = np.ascontiguousarray(indices, dtype=np.int64)
        self.steps = np.ascontiguousarray(steps, dtype=float)

    @functools.cached_property
    def casadi(self) -> ca.Function:
        """The routine as a CasADi function of the vector x."""
        digest = hashlib.sha256(repr((self.entry, self.n_out)).encode())
        for part in (self.numbers, self.indices, self.steps):
            digest.update(part.tobytes())
        name, n_in = digest.hexdigest()[:20], len(self.steps)
        x, y = ca.MX.sym("x", n_in), ca.MX.sym("y", self.n_out)
        if not self.steps.any():
            flat = ca.Function("jac_" + PREFIX + name, [x, y], [ca.MX.zeros(self.n_out, n_in)])
            return self._function(name, x, flat)
        slopes = ca.Function(_DIFFERENCES + name, [x], [self._held(x, self.n_out * n_in)], {
            "never_inline": True, "enable_forward": False, "enable_reverse": False, "enable_jacobian": False})
        jacobian = ca.Function("jac_" + PREFIX + name, [x, y], [ca.reshape(slopes(x), self.n_out, n_in)])
        return self._function(name, x, jacobian)

    def _function(self, name: str, x: ca.MX, jacobian: ca.Function) -> ca.Function:
        return ca.Function(PREFIX + name, [x], [self._held(x, self.n_out)], {
            "never_inline": True, "custom_jacobian": jacobian, "jac_penalty": 0, "enable_forward": False,
            "enable_reverse": False})

    def __call__(self, x: ca.SX) -> ca.SX:
        return self.casadi(x)

    def _held(self, x: ca.MX, size: int) -> ca.MX:
        """NaNs, made by a call that the arrays go along with as constants."""
        parts = [self.numbers, self.indices, np.frombuffer(self.entry.encode(), dtype=np.uint8), self.steps]
        symbols = [ca.MX.sym("x", x.numel()), *[ca.MX.sym("part", len(part)) for part in parts]]
        # every result depends on all of x
        held = ca.Function("held", symbols, [ca.sum1(symbols[0]) * ca.DM.nan(size)], {"never_inline": True})
        return held(x, *[ca.MX(ca.DM(part.astype(float))) for part in parts])


def is_routine(function: ca.Function) -> bool:
    """Whether a called function is one of these, or the slopes of one."""
    return function.name().startswith(PREFIX)


def calls_routine(function: ca.Function) -> bool:
    """Whether an SX function calls one of these, or looks for the best row of a table, so that CasADi cannot evaluate
    it."""
    calls = [k for k in range(function.n_instructions()) if function.instruction_id(k) == ca.OP_CALL]
    nodes = function.instructions_sx() if calls else []
    called = [nodes[k].which_function() for k in calls]
    return any(is_routine(f) or is_least(f) or "jac_" + PREFIX in f.name() for f in called)


def routine_of(function: ca.Function) -> Routine:
    """Entry and arrays of a routine, read back from its function."""
    call = next(function.instruction_MX(k) for k in range(function.n_instructions())
                if function.instruction_id(k) == ca.OP_CALL)
    numbers, indices, text, steps = (np.array(call.dep(k).to_DM()).ravel() for k in range(1, 5))
    rows = function.numel_out(0) // (len(steps) if function.name().startswith(_DIFFERENCES) else 1)
    return Routine(bytes(text.astype(np.uint8)).decode(), numbers, indices.astype(np.int64), steps, rows)


def routine_code(function: ca.Function, _: int) -> tuple[str, ...]:
    """IR of `void @name(x, y, stride)`, and of what it calls."""
    from .dialect import ByName, named
    from .loops_of_calls import slopes, values

    routine, name = routine_of(function), function.name()
    arrays = {"numbers": routine.numbers, "indices": routine.indices}
    data = [f"@{name}_{what} = internal constant [{max(part.nbytes, 1)} x i8] {_bytes(part)}, align 8"
            for what, part in arrays.items()]
    n_in, n_out, called = len(routine.steps), routine.n_out, f'@"lw.call:{routine.entry}"'
    here = f"""define internal void @{name}_here(ptr %x, ptr %y) #0 {{
  call void {called}(ptr %x, i64 {n_in}, ptr @{name}_numbers, i64 {routine.numbers.size}, ptr @{name}_indices, """ \
        f"""i64 {routine.indices.size}, ptr %y, i64 {n_out})
  ret void
}}"""
    known = {"STEPS": routine.steps, "N_IN": n_in, "N_OUT": n_out, "routine": ByName(f"{name}_here", 2)}
    loop = slopes if name.startswith(_DIFFERENCES) else values
    text = "\n".join([*data, here, named(loop, name, known)[0]])
    return text, f"declare void {called}(ptr, i64, ptr, i64, ptr, i64, ptr, i64)"


def offer_routines(*objects: bytes) -> None:
    """Tell LLVM where the routines are that object code names."""
    import llvmlite.binding as llvm

    for symbol in {found.groups() for code in objects for found in _SYMBOL.finditer(code)}:
        module, name = (part.decode() for part in symbol)
        entry = getattr(importlib.import_module(module), name, None)
        if entry is None:
            raise LinkwrightError(f"compiled code asks for {module}.{name}, which does not exist; clear the cache.")
        llvm.add_symbol(f"lw.call:{module}:{name}", entry.address)


def calls_routines(text: str) -> bool:
    """Whether IR calls routines, which run in this process only."""
    return "lw.call:" in text


def refuse_routines(where: str) -> None:
    """Say what cannot be had there."""
    raise ModelError(f"the model searches over arrays (pairs of convex bodies or meshes), which {where} "
                     "cannot do. Take shapes whose pair is a formula there: spheres, capsules, boxes, cylinders, "
                     "planes.")


def _bytes(part: np.ndarray) -> str:
    """The bytes of an array, as LLVM's text has them."""
    digits = part.tobytes().hex().upper() or "00"
    return 'c"' + "".join(f"\\{digits[k:k + 2]}" for k in range(0, len(digits), 2)) + '"'

