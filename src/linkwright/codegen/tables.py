"""Tables y(x): piecewise polynomials that can be called inside SX expressions and from compiled code.

On piece i, between the breakpoints x[i] and x[i+1],

    y = c[i,0] + d (c[i,1] + d (c[i,2] + d c[i,3])),   d = x − x[i]

linear, or cubic with slopes after Akima (J. ACM 17 (1970) 589) or Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5
(1984) 300).  CasADi sees a function that is never inlined (an OP_CALL in SX) whose Jacobian is the same table one
degree lower, so derivatives of every order are calls to tables again.  The data are read back from that function, so
an expression needs nothing beside itself to be compiled.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import casadi
import casadi as ca
import numpy as np

from linkwright.errors import ModelError

from .tolerances import FLAT

PREFIX = "lw_table_"
KINDS = ("linear", "smooth", "monotone")


class Table:
    """A look-up y(x) through given points.

    `kind`: "linear"; "smooth" (Akima: continuous slope, little overshoot); "monotone" (continuous slope, no overshoot).
    `extrapolation`: "linear" continues with the slope at the end, "hold" keeps the last value.

        table = Table([0, 1, 3], [0, 2, 1], "smooth")
        torque = table(phi)                    # phi a CasADi symbol or a number
    """

    def __init__(self, x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray, kind: str = "linear",
                 extrapolation: str = "linear") -> None:
        x, y = np.array(x, dtype=float), np.array(y, dtype=float)
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise ModelError(f"a table needs two equally long rows of at least 2 numbers, got {x.shape} and {y.shape}.")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise ModelError("a table must not contain NaN or infinite values.")
        if not (np.diff(x) > 0).all():
            at = int(np.argmin(np.diff(x)))
            raise ModelError(f"the abscissae of a table must increase, got {x[at]} at {at} and {x[at + 1]} after it.")
        if kind not in KINDS or extrapolation not in ("linear", "hold"):
            known = f"{', '.join(KINDS)}; extrapolation: linear, hold"
            raise ModelError(f"no table of kind {kind!r} with extrapolation {extrapolation!r}; kinds: {known}.")
        self.x, self.y, self.kind, self.extrapolation = x, y, kind, extrapolation
        self.breaks, self.coefficients = _pieces(x, y, kind, extrapolation == "hold")

    @functools.cached_property
    def casadi(self) -> casadi.Function:
        """The table as a CasADi function of one scalar."""
        return _function(self.breaks, self.coefficients)

    def __call__(self, x: ca.SX) -> ca.SX:
        return self.casadi(x)


def _slopes(x: np.ndarray, y: np.ndarray, kind: str) -> np.ndarray:
    """Slope at every point."""
    h, m = np.diff(x), np.diff(y) / np.diff(x)
    if len(x) == 2:
        return np.array([m[0], m[0]])
    if kind == "smooth":
        first, last = 2 * m[0] - m[1], 2 * m[-1] - m[-2]
        e = np.array([2 * first - m[0], first, *m, last, 2 * last - m[-1]])
        w = np.abs(np.diff(e))
        left, right = w[2:], w[:-2]
        total = left + right
        flat = total <= FLAT * max(total.max(), np.finfo(float).tiny)
        weighted = (left * e[1:-2] + right * e[2:-1]) / np.where(flat, 1.0, total)
        return np.where(flat, 0.5 * (e[1:-2] + e[2:-1]), weighted)
    d = np.zeros_like(y)
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = m[:-1] * m[1:] > 0
    inverse = w1 / np.where(same, m[:-1], 1.0) + w2 / np.where(same, m[1:], 1.0)
    d[1:-1] = np.where(same, (w1 + w2) / np.where(same, inverse, 1.0), 0.0)
    d[0], d[-1] = _end_slope(h[0], h[1], m[0], m[1]), _end_slope(h[-1], h[-2], m[-1], m[-2])
    return d


def _end_slope(h0: float, h1: float, m0: float, m1: float) -> float:
    """Three-point slope at an end, limited so that the curve stays monotone."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    if d * m0 <= 0:
        return 0.0
    return 3 * m0 if m0 * m1 <= 0 and abs(d) > 3 * abs(m0) else d


def _pieces(x: np.ndarray, y: np.ndarray, kind: str, hold: bool) -> tuple[np.ndarray, np.ndarray]:
    """Breakpoints (n + 1) and coefficients (n, degree + 1), with a piece beyond each end."""
    h, m = np.diff(x), np.diff(y) / np.diff(x)
    if kind == "linear":
        c = np.column_stack([y[:-1], m])
        ends = m[0], m[-1]
    else:
        d = _slopes(x, y, kind)
        c = np.column_stack([y[:-1], d[:-1], (3 * m - 2 * d[:-1] - d[1:]) / h, (d[:-1] + d[1:] - 2 * m) / h**2])
        ends = d[0], d[-1]
    if hold:
        ends = 0.0, 0.0
    before, after = np.zeros(c.shape[1]), np.zeros(c.shape[1])
    before[:2] = y[0] - ends[0] * h[0], ends[0]
    after[:2] = y[-1], ends[1]
    return np.concatenate([[x[0] - h[0]], x, [x[-1] + h[-1]]]), np.vstack([before, c, after])


def _function(breaks: np.ndarray, coefficients: np.ndarray) -> casadi.Function:
    """CasADi function of a piecewise polynomial; breakpoints and coefficients are its only constant matrix."""
    n, terms = coefficients.shape
    data = np.column_stack([breaks, np.vstack([coefficients, np.zeros(terms)])])
    name = f"{PREFIX}{terms}_{hashlib.sha256(data.tobytes() + bytes([terms])).hexdigest()[:20]}"
    everything = casadi.MX(casadi.DM(data.ravel(order="F")))
    x, y = casadi.MX.sym("x"), casadi.MX.sym("y")
    piece = casadi.low(everything[: n + 1], x)
    value = everything[piece + terms * (n + 1)]
    for k in range(terms - 1, 0, -1):
        value = value * (x - everything[piece]) + everything[piece + k * (n + 1)]
    if terms > 1:
        slope = _function(breaks, coefficients[:, 1:] * np.arange(1, terms))(x)
    else:
        slope = casadi.MX(1, 1)
    derivative = casadi.Function("jac_" + name, [x, y], [slope])
    options: dict[str, Any] = {"never_inline": True, "custom_jacobian": derivative, "jac_penalty": 0}
    return casadi.Function(name, [x], [value], options | {"enable_forward": False, "enable_reverse": False})


def is_table(function: casadi.Function) -> bool:
    """Whether a called function is one of our tables."""
    return function.name().startswith(PREFIX)


def table_degree(function: casadi.Function) -> int:
    """The degree of the pieces of a table."""
    return int(function.name().removeprefix(PREFIX).split("_")[0]) - 1


def table_data(function: casadi.Function) -> tuple[np.ndarray, np.ndarray]:
    """Breakpoints and coefficients of a table, read back from its function."""
    constants = (
        function.instruction_MX(k).to_DM()
        for k in range(function.n_instructions())
        if function.instruction_id(k) == casadi.OP_CONST
    )
    data = np.array(max(constants, key=lambda c: c.numel())).ravel()
    data = data.reshape(_terms(function) + 1, -1)  # row 0: breakpoints
    return data[0], data[1:, :-1].T


def steps(edges: np.ndarray, values: np.ndarray) -> casadi.Function:
    """The piecewise constant function with values between edges; beyond them the first and the last."""
    return _function(np.asarray(edges, dtype=float), np.asarray(values, dtype=float)[:, None])


def piecewise(breaks: np.ndarray, coefficients: np.ndarray) -> casadi.Function:
    """The function that is c[i,0] + d (c[i,1] + d (…)), d = x − breaks[i], on piece i; the end pieces go on beyond."""
    return _function(np.asarray(breaks, dtype=float), np.asarray(coefficients, dtype=float))


@functools.lru_cache(maxsize=64)
def table_code(function: casadi.Function) -> str:
    """IR of `double @name(double x)`."""
    from .dialect import named
    from .loops_of_calls import look_up

    breaks, values = table_data(function)
    return named(look_up, function.name(), {"BREAKS": breaks, "COEFFICIENTS": values}, values.shape[1])[0]


def _terms(function: casadi.Function) -> int:
    """Coefficients per piece: the polynomial has one multiplication less."""
    return 1 + sum(function.instruction_id(k) == casadi.OP_MUL for k in range(function.n_instructions()))
