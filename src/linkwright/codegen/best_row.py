"""The best row of a table, which programs look for: a guess for Newton's method among many samples.

A kernel f gives every pair of a row of table a and a row of table b a score, and results beside it:

    y = f(x, a_i, b_j),    (i, j) the first pair with the least score y[0]

so that all comparisons are one loop, not thousands of instructions.  Where no score is finite it is the first pair.
CasADi sees a function that is never inlined (an OP_CALL in SX) and whose Jacobian is zero: what is found is constant
but for jumps.  Kernel and tables are read back from that function, so an expression needs nothing beside itself to be
compiled.  For CasADi itself the results are NaN: only compiled code knows them.

In machine code it is `void @name(const double *x, double *y, int64 stride)`, as a loop over rows is.
"""

from __future__ import annotations

import functools
import hashlib

import casadi as ca
import numpy as np

from linkwright.errors import ModelError

PREFIX = "lw_least_"


class Least:
    """y = f(x, a_i, b_j) of the pair of rows with the least y[0].

    `kernel`  an SX function (x, a row of a, a row of b) → (score, results …)
    `a`, `b`  the tables; without b only the rows of a are looked at

        far = ca.Function("far", [x, a, b], [ca.vertcat((x - a[0]) ** 2, a[1])])
        Least(far, samples)(q)                  # q a CasADi expression
    """

    def __init__(self, kernel: ca.Function, a: np.ndarray, b: np.ndarray | None = None):
        self.kernel, self.n_in, self.n_out = kernel, kernel.numel_in(0), kernel.numel_out(0)
        self.a = np.ascontiguousarray(a, dtype=float)
        self.b = np.zeros((1, 1)) if b is None else np.ascontiguousarray(b, dtype=float)
        for name, table, width in (("a", self.a, kernel.numel_in(1)), ("b", self.b, kernel.numel_in(2))):
            if table.ndim != 2 or not len(table) or table.shape[1] != width or not np.isfinite(table).all():
                raise ModelError(f"table {name} of a search has shape {table.shape}; expected rows of {width} finite "
                                 "numbers, as its kernel has.")

    @functools.cached_property
    def casadi(self) -> ca.Function:
        """The search as a CasADi function of the vector x."""
        digest = hashlib.sha256(self.kernel.serialize().encode())
        for part in (self.a, self.b):
            digest.update(repr(part.shape).encode() + part.tobytes())
        name = PREFIX + digest.hexdigest()[:20]
        x, y = ca.MX.sym("x", self.n_in), ca.MX.sym("y", self.n_out)
        # the tables go along as constants that only their first rows are used of, so that they can be read back
        tables = [ca.MX(ca.densify(ca.DM(part.T))) for part in (self.a, self.b)]
        first = _with_tables(self.kernel, len(self.a), len(self.b))(x, *tables)
        flat = ca.Function("jac_" + name, [x, y], [ca.MX.zeros(self.n_out, self.n_in)])
        return ca.Function(name, [x], [first * ca.DM.nan(self.n_out)], {
            "never_inline": True, "custom_jacobian": flat, "jac_penalty": 0, "enable_forward": False,
            "enable_reverse": False})

    def __call__(self, x: ca.SX) -> ca.SX:
        return self.casadi(x)


def is_least(function: ca.Function) -> bool:
    """Whether a called function is one of these searches."""
    return function.name().startswith(PREFIX)


def least_of(function: ca.Function) -> Least:
    """Kernel and tables of a search, read back from its function."""
    call = next(function.instruction_MX(k) for k in range(function.n_instructions())
                if function.instruction_id(k) == ca.OP_CALL)
    row = call.which_function()
    a, b = (np.array(call.dep(k).to_DM()).T for k in (1, 2))
    x, one, other = ca.SX.sym("x", row.numel_in(0)), ca.SX.sym("a", a.shape[1]), ca.SX.sym("b", b.shape[1])
    found = row(x, ca.repmat(one, 1, len(a)), ca.repmat(other, 1, len(b)))
    return Least(ca.Function("kernel", [x, one, other], [found]), a, b)


def _with_tables(kernel: ca.Function, rows_a: int, rows_b: int) -> ca.Function:
    """The kernel on the first columns of two whole tables."""
    x = ca.SX.sym("x", kernel.numel_in(0))
    a, b = ca.SX.sym("a", kernel.numel_in(1), rows_a), ca.SX.sym("b", kernel.numel_in(2), rows_b)
    found = ca.densify(ca.vec(kernel(x, a[:, 0], b[:, 0])))
    return ca.Function("row", [x, a, b], [found])
