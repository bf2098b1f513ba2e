"""Formulas of forces, taken apart into the laws that MuJoCo's actuators have.

    F = gain · u + bias,    gain, bias = a₀ + a₁ L + a₂ L̇,    L = Σ cₖ qₖ

where u is an input or an activation (an integral of an input, or an input behind a filter of first order), and u and F
may be kept between bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Scalar
from ..language import Block
from .tolerances import FEW_DIGITS, NO_COEFFICIENT, SAME

Range = tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Activation:
    """A state between control and force: its kind as MuJoCo names it, its time constant and its bounds."""

    kind: str
    time: float
    bounds: Range
    control_range: Range


@dataclass(frozen=True, eq=False)
class Law:
    """gain and bias as (a₀, a₁, a₂), bounds of the control and of the force."""

    gain: np.ndarray
    bias: np.ndarray
    control_range: Range
    force_range: Range


def law_of(formula: ca.SX, control: int | None, length: Scalar | None, rate: Scalar | None) -> Law | None:
    """The law of a formula in the symbol with the hash `control`, a length (None: not known) and its rate.

    None where the formula has another form.
    """
    factor, inner = _unscaled(formula)
    core, bounds = _unclamped(inner)
    if _is(core, control):
        bounds = None  # those of the control itself
    else:
        inner = core
    x, u, control_range = _replaced(factor * inner, control)
    gain = ca.jacobian(x, u)
    laws = [_affine(law, length, rate) for law in (gain, ca.substitute(x, u, 0))]
    if ca.depends_on(gain, u) or laws[0] is None or laws[1] is None:
        return None
    low, high = (0.0, 0.0) if bounds is None else sorted(factor * bound for bound in bounds)
    return Law(laws[0], laws[1], control_range, None if bounds is None else (low, high))


def activation_of(block: Block, control: int) -> Activation | None:
    """What a block with one state does with a control; None where it is another kind of block."""
    if block.kind not in ("integrator", "first_order") or block.symbol.numel() != 1 or block.start[0] != 0:
        return None
    rate, bounds = ca.SX(block.derivative), None
    if not rate.is_leaf() and rate.op() == ca.OP_IF_ELSE_ZERO:
        bounds, rate = _bounds_in(rate.dep(0), block.symbol), rate.dep(1)
        if bounds is None:
            return None
    x, u, control_range = _replaced(rate, control)
    slopes = ca.jacobian(x, ca.vertcat(u, block.symbol))
    rest = ca.substitute(x, ca.vertcat(u, block.symbol), ca.DM.zeros(2))
    if ca.symvar(slopes) or ca.symvar(rest) or float(ca.DM(rest)) != 0:
        return None
    by_u, by_x = np.array(ca.DM(slopes).full()).ravel()
    if block.kind == "integrator" and by_u == 1 and by_x == 0:
        return Activation("integrator", 1.0, bounds, control_range)
    if block.kind == "first_order" and by_u > 0 and by_x == -by_u:
        return Activation("filterexact", 1 / by_u, bounds, control_range)
    return None


def ratios(formulas: Sequence[ca.SX]) -> np.ndarray | None:
    """How many times the first formula that is not zero the others are; None where they are no multiples of it."""
    symbols = ca.symvar(ca.vertcat(*formulas))
    values = ca.Function("f", symbols, [ca.densify(ca.vertcat(*formulas))])
    random = np.random.default_rng(0)
    rows = np.array([ca.DM(values(*random.uniform(-0.1, 0.1, len(symbols))) if symbols else values()["o0"]).full()
                     .ravel() for _ in range(16)])
    first = next((k for k, column in enumerate(rows.T) if np.any(column)), None)
    if first is None:
        return None
    rows = rows[rows[:, first] != 0]  # bounds may hold a control at zero
    found = rows / rows[:, first:first + 1]
    close = np.all(np.abs(found - found[0]) <= SAME * np.abs(found[0]))
    return found[0] if close else None


def _is(e: ca.SX, symbol: int | None) -> bool:
    return bool(e.is_symbolic()) and e.__hash__() == symbol


def _replaced(e: ca.SX, control: int | None) -> tuple[ca.SX, ca.SX, Range]:
    """(an expression with the control, kept between bounds or not, as a symbol of its own, that symbol, the bounds)."""
    u, found = ca.SX.sym("ctrl"), []

    def other(part: ca.SX) -> ca.SX | None:
        core, own = _unclamped(part)
        if not _is(core, control):
            return None
        found.append(own)
        return u

    return _rebuilt(e, other), u, found[0] if found else None


def _unscaled(e: ca.SX) -> tuple[float, ca.SX]:
    """(factor, the rest)."""
    factor = 1.0
    while not e.is_leaf():
        op = e.op()
        if op == ca.OP_NEG:
            factor, e = -factor, e.dep(0)
        elif op == ca.OP_TWICE:
            factor, e = 2 * factor, e.dep(0)
        elif op == ca.OP_MUL and e.dep(0).is_constant():
            factor, e = factor * float(e.dep(0)), e.dep(1)
        elif op == ca.OP_MUL and e.dep(1).is_constant():
            factor, e = factor * float(e.dep(1)), e.dep(0)
        else:
            break
    return factor, e


def _unclamped(e: ca.SX) -> tuple[ca.SX, Range]:
    """min(max(x, low), high) → (x, (low, high))."""
    if not e.is_leaf() and e.op() == ca.OP_FMIN and e.dep(1).is_constant():
        inner = e.dep(0)
        if not inner.is_leaf() and inner.op() == ca.OP_FMAX and inner.dep(1).is_constant():
            return inner.dep(0), (float(inner.dep(1)), float(e.dep(1)))
    return e, None


def _rebuilt(e: ca.SX, replaced: Callable[[ca.SX], ca.SX | None]) -> ca.SX:
    """An expression with some of its parts replaced."""
    other = replaced(e)
    if other is not None or e.is_leaf():
        return e if other is None else other
    parts = [_rebuilt(e.dep(k), replaced) for k in range(e.n_dep())]
    return ca.SX.binary(e.op(), *parts) if len(parts) == 2 else ca.SX.unary(e.op(), *parts)


def _bounds_in(e: ca.SX, x: ca.SX) -> Range:
    """low and high of the comparisons x ≤ low and high ≤ x in a condition."""
    low = high = None
    waiting = [e]
    while waiting:
        part = waiting.pop()
        if part.is_leaf():
            continue
        if part.op() == ca.OP_LE:
            a, b = part.dep(0), part.dep(1)
            if _is(a, x.__hash__()) and b.is_constant():
                low = float(b)
            elif _is(b, x.__hash__()) and a.is_constant():
                high = float(a)
        waiting += [part.dep(k) for k in range(part.n_dep())]
    return None if low is None or high is None else (low, high)


def _affine(law: ca.SX, length: Scalar | None, rate: Scalar | None) -> np.ndarray | None:
    """a₀, a₁, a₂ of a law a₀ + a₁ L + a₂ L̇; None where it is no such law.

    Numbers are found where the symbols have values at random; those of few digits come out with an error of rounding,
    which is taken away.
    """
    if not ca.symvar(law):
        return np.array([float(ca.DM(law)), 0.0, 0.0])
    terms = ca.vertcat(law, 1.0, *[ca.SX(0.0 if term is None else term) for term in (length, rate)])
    symbols = ca.symvar(terms)
    values = ca.Function("f", symbols, [ca.densify(terms)])
    random = np.random.default_rng(1)
    rows = np.array([values(*random.uniform(-1, 1, len(symbols))).full().ravel() for _ in range(16)])
    known = [k for k in range(3) if np.any(rows[:, 1 + k])]
    found = np.zeros(3)
    found[known] = np.linalg.lstsq(rows[:, [1 + k for k in known]], rows[:, 0], rcond=None)[0]
    size = np.abs(rows[:, 0]).max()
    tidy = np.array([_few_digits(a) if abs(a) > NO_COEFFICIENT * size else 0.0 for a in found])
    return tidy if np.all(np.abs(rows[:, 1:] @ tidy - rows[:, 0]) <= SAME * size) else None


def _few_digits(a: float) -> float:
    """A number without what rounding has added to it."""
    short = float(f"{a:.12g}")
    return short if abs(short - a) <= FEW_DIGITS * abs(a) else a
