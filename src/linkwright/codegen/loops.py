"""Loops over the rows of a table, which programs call: sums of many small equal things, such as forces of pairs.

A kernel f is evaluated for every row k, on some elements of x and on the constants of that row, and its results are
added to some elements of y:

    y = Σ_k  S_kᵀ f(x[reads_k], data_k),     (S_kᵀ v)[writes_k,i] = v_i

As straight-line code a thousand pairs would be a hundred thousand instructions; as a loop they are one kernel, worked
off W rows at a time in vector registers.  Results are added row after row in their order, so that the bits do not
depend on W.  CasADi sees a function that is never inlined (an OP_CALL in SX) and whose Jacobian is again such a loop;
kernel and table are read back from that function, so an expression needs nothing beside itself to be compiled.

In machine code a loop is `void @name(const double *x, double *y, int64 stride)`; element i lies at [i·stride], which is
how the lanes of a program lie in memory.
"""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import casadi as ca
import numpy as np

from linkwright.errors import ModelError

PREFIX = "lw_loop_"


class Loop:
    """y = Σ_k S_kᵀ f(x[reads_k], data_k).

    `kernel`  an SX function (elements of x, constants of a row) → results
    `reads`   (n, a) which elements of x a row takes;  `data` (n, c) its constants
    `writes`  (n, b) to which elements of y its results are added

        pair = ca.Function("pair", [x, c], [c[0] * (x[0] - x[1])])
        loop = Loop(pair, reads=[[0, 1], [0, 2]], data=[[5.0], [7.0]], writes=[[0], [0]], n_in=3, n_out=1)
        loop(q)                               # q a CasADi expression or numbers
    """

    def __init__(self, kernel: ca.Function, reads: Any, data: Any, writes: Any, n_in: int, n_out: int) -> None:
        self.kernel, self.n_in, self.n_out = kernel, int(n_in), int(n_out)
        self.reads, self.writes = np.array(reads, dtype=np.int64), np.array(writes, dtype=np.int64)
        self.data = np.array(data, dtype=float).reshape(len(self.reads), -1)
        for what, table, size, end in (("reads", self.reads, kernel.numel_in(0), n_in),
                                       ("writes", self.writes, kernel.numel_out(0), n_out)):
            if table.ndim != 2 or table.shape[1] != size or len(table) != len(self.reads) or not len(table):
                raise ModelError(f"a loop's table of {what} has shape {table.shape}; expected one row for each of its "
                                 f"{len(self.reads)} rows and {size} columns, as its kernel has.")
            if table.min() < 0 or table.max() >= end:
                raise ModelError(f"a loop {what} element {table.max()} of a vector of {end}.")
        if self.data.shape[1] != kernel.numel_in(1) or not np.isfinite(self.data).all():
            raise ModelError(f"a loop's data must be {kernel.numel_in(1)} finite numbers a row.")

    @functools.cached_property
    def casadi(self) -> ca.Function:
        """The loop as a CasADi function of the vector x."""
        return self._function(self._jacobian())

    def __call__(self, x: ca.SX) -> ca.SX:
        return self.casadi(x)

    def numbers(self, x: np.ndarray) -> np.ndarray:
        """The sum for numbers, row after row in one go, without a CasADi function of the whole."""
        found = self.kernel.call([ca.DM(np.asarray(x, dtype=float)[self.reads].T), ca.DM(self.data.T)])[0]
        y = np.zeros(self.n_out)
        np.add.at(y, self.writes, np.array(found).reshape(self.writes.shape[1], -1).T)
        return y

    def _function(self, derivative: tuple[ca.Sparsity, Loop] | None) -> ca.Function:
        rows, digest = len(self.reads), hashlib.sha256(self.kernel.serialize().encode())
        for part in (self.reads, self.writes, self.data, np.array([self.n_in, self.n_out])):
            digest.update(part.tobytes())
        name = PREFIX + digest.hexdigest()[:20]
        x = ca.MX.sym("x", self.n_in)
        taken = ca.reshape(x[self.reads.ravel().tolist()], self.reads.shape[1], rows)
        # the table goes along as constants that the kernel does not use, so that it can be read back
        table = [ca.MX(ca.densify(ca.DM(part.T))) for part in (self.data, self.reads, self.writes)]
        found = ca.vec(_with_table(self.kernel).map(rows)(taken, *table))
        columns = list(range(self.writes.size))
        spread = ca.DM.triplet(self.writes.ravel().tolist(), columns, ca.DM.ones(self.writes.size), self.n_out,
                               self.writes.size)
        options: dict[str, Any] = {"never_inline": True}
        if derivative is not None:
            pattern, entries = derivative
            y = ca.MX.sym("y", self.n_out)
            matrix = ca.MX(pattern, entries._function(None)(x))
            jacobian = ca.Function("jac_" + name, [x, y], [matrix])
            options |= {"custom_jacobian": jacobian, "jac_penalty": 0, "enable_forward": False, "enable_reverse": False}
        # elements that nothing is added to are zeros like any other
        return ca.Function(name, [x], [ca.densify(ca.mtimes(ca.MX(spread), found))], options)

    def _jacobian(self) -> tuple[ca.Sparsity, Loop]:
        """The pattern of ∂y/∂x and the loop that fills its non-zeros."""
        x, c = ca.SX.sym("x", self.reads.shape[1]), ca.SX.sym("c", self.data.shape[1])
        slopes = ca.vec(ca.densify(ca.jacobian(self.kernel(x, c), x)))
        kernel = ca.Function("slopes", [x, c], [slopes])
        shape = len(self.reads), self.reads.shape[1], self.writes.shape[1]
        row = np.broadcast_to(self.writes[:, None, :], shape).reshape(shape[0], -1)
        column = np.broadcast_to(self.reads[:, :, None], shape).reshape(shape[0], -1)
        # non-zeros are counted column by column
        places, entry = np.unique(column * self.n_out + row, return_inverse=True)
        pattern = ca.Sparsity.triplet(self.n_out, self.n_in, (places % self.n_out).tolist(),
                                      (places // self.n_out).tolist())
        return pattern, Loop(kernel, self.reads, self.data, entry.reshape(row.shape), self.n_in, len(places))


def is_loop(function: ca.Function) -> bool:
    """Whether a called function is one of our loops."""
    return function.name().startswith(PREFIX)


def _with_table(kernel: ca.Function) -> ca.Function:
    """The kernel with two arguments more, what it reads and writes."""
    arguments = [ca.SX.sym(name, size) for name, size in (
        ("x", kernel.numel_in(0)), ("c", kernel.numel_in(1)), ("r", kernel.numel_in(0)), ("w", kernel.numel_out(0)))]
    return ca.Function("row", arguments, [ca.densify(ca.vec(kernel(*arguments[:2])))])


def loop_of(function: ca.Function) -> Loop:
    """Kernel and table of a loop, read back from its function."""
    call = next(function.instruction_MX(k) for k in range(function.n_instructions())
                if function.instruction_id(k) == ca.OP_CALL)
    called = call.which_function()
    row = called.get_function("f") if called.class_name() == "Map" else called
    data, reads, writes = (np.array(call.dep(k).to_DM()).T for k in (1, 2, 3))
    x, c = row.sx_in(0), row.sx_in(1)
    return Loop(ca.Function("kernel", [x, c], [row.call(row.sx_in())[0]]), reads, data, writes, function.numel_in(0),
                function.numel_out(0))
