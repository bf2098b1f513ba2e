"""Blocks that remember what was: hysteresis, sample and hold, delay.

Their memory is discrete variables, constant between instants; at the start, before there is anything to remember, a
sample or a delayed signal is the signal itself.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Scalar
from ...errors import ModelError
from ...language import Action, Block, announce
from ...language.expressions import time
from ...language.fields import as_expression
from ...language.given_values import as_number
from ...mechanism import DEGREE
from .checks import ask


def _remembering(kind: str, name: str | None, results: dict[str, ca.SX], discretes: dict, **more: Any) -> ca.SX:
    """A block without continuous states; returns its output y."""
    announce(Block(kind, name, ca.SX(0, 1), ca.SX(0, 1), np.zeros(0), results, discretes=discretes, **more))
    return results["y"]


def _symbol(kind: str, name: str | None, what: str, n: int = 1) -> ca.SX:
    return ca.SX.sym(f"{name or kind}.{what}", n)


def hysteresis(u: Scalar, upper: Scalar, lower: Scalar, high: Scalar = 1.0, low: Scalar = 0.0, start: bool = False,
               name: str | None = None) -> ca.SX:
    """`high` once u has risen above upper, until it falls below lower; then `low`.  Switching times are located as
    events.

    If u starts between lower and upper, `start` gives the initial output (Logical.Hysteresis).
    """
    kind = "hysteresis"
    ask(name or kind, upper=upper, lower=lower, high=high, low=low)
    if not lower < upper:
        raise ModelError(f"{name or kind}: lower = {lower} must lie below upper = {upper}.", name or kind)
    u = as_expression(u, (), f"{name or kind}.u")
    was = _symbol(kind, name, "on")
    on = ca.if_else(u > upper, 1, ca.if_else(u < lower, 0, was))
    actions = [Action(u > upper, {was: ca.SX(1)}), Action(u < lower, {was: ca.SX(0)})]
    return _remembering(kind, name, {"u": u, "y": low + (high - low) * on},
                        {"on": (was, np.array([float(bool(start))]))}, actions=actions)


def zero_order_hold(u: Scalar, period: float, name: str | None = None) -> ca.SX:
    """The value of u at the last multiple of `period` after the start (Discrete.ZeroOrderHold)."""
    kind = "zero_order_hold"
    _check_time(kind, name, period=period)
    u = as_expression(u, (), f"{name or kind}.u")
    held, begun = _symbol(kind, name, "held"), _symbol(kind, name, "begun")
    return _remembering(kind, name, {"u": u, "y": ca.if_else(begun, held, u)},
                        {"held": (held, np.zeros(1)), "begun": (begun, np.zeros(1))},
                        actions=[Action(ca.SX(0), {held: u, begun: ca.SX(1)}, name=f"the block {name or kind}",
                                        period=float(period))])


def delay(u: Scalar, T: float, start: Scalar | None = None, name: str | None = None) -> ca.SX:
    """The signal u of T seconds ago, to the accuracy of the run; for t < T `start`, by default u at the start.

    The past is evaluated from the dense output of the run, as polynomials in time over at most T; jumps come back as
    jumps.  Each piece costs about a millisecond, so short delays make long runs slow.  A run that continues from a
    state begins with a new past.  In studies without time (linearize, equilibrium) the result is u, or `start` if that
    is given (Nonlinear.FixedDelay).
    """
    kind = "delay"
    _check_time(kind, name, T=T)
    if start is not None:
        start = as_number(start, f"{name or kind}.start")
    u = as_expression(u, (), f"{name or kind}.u")
    piece, begun = _symbol(kind, name, "piece", DEGREE + 3), _symbol(kind, name, "begun")
    first = np.zeros(DEGREE + 3)
    first[1:3] = 1.0, 0.0 if start is None else start
    past = chebyshev((time - piece[0]) / piece[1], [piece[k] for k in range(2, DEGREE + 3)])
    return _remembering(kind, name, {"u": u, "y": ca.if_else(begun, past, u)},
                        {"piece": (piece, first), "begun": (begun, np.array([float(start is not None)]))},
                        delay=float(T))


def chebyshev(x: Scalar, coefficients: ca.SX) -> ca.SX:
    """Σ c_k T_k(x) by Clenshaw's recurrence."""
    after = last = ca.SX(0)
    for c in reversed(coefficients[1:]):
        last, after = c + 2 * x * last - after, last
    return coefficients[0] + x * last - after


def _check_time(kind: str, name: str | None, **values: float) -> None:
    for key, value in values.items():
        if isinstance(value, (ca.SX, str)) or not (np.isscalar(value) and np.isfinite(value) and value > 0):
            raise ModelError(f"{name or kind}: {key} = {value} must be a positive number of seconds.", name or kind)
