"""Small formulas without branches, the same for numbers and symbols, whose derivatives hold no NaN.

A choice between two formulas differentiates both, so the one not taken must be finite too: lengths and quotients that
may vanish are taken of something else there.
"""

from __future__ import annotations

import casadi as ca

from ..algebra import Array, Scalar, VectorLike, dot, is_symbolic, vector
from .tolerances import NO_LENGTH


def choose(condition: bool | ca.SX, a: Scalar, b: Scalar) -> Scalar:
    """`a` where the condition holds, else `b`.

    The two join continuously, as the surface of a shape does: for symbols the select carries the mark `!= 0`, by which
    no event is located where the condition changes.
    """
    return ca.if_else(condition != 0, a, b) if is_symbolic(condition) else (a if condition else b)


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """min(a, b)."""
    return ca.fmin(a, b) if is_symbolic(a, b) else min(a, b)


def larger(a: Scalar, b: Scalar) -> Scalar:
    """max(a, b)."""
    return ca.fmax(a, b) if is_symbolic(a, b) else max(a, b)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x, no less than low and no more than high."""
    return smaller(larger(x, low), high)


def root(x: Scalar) -> Scalar:
    """√x, which must be positive."""
    return ca.sqrt(x)


def sign(x: Scalar) -> Scalar:
    """1 or −1, and 1 at zero."""
    return choose(x >= 0, 1.0, -1.0)


def direction(v: Array, otherwise: VectorLike, least: float = NO_LENGTH) -> tuple[Scalar, Array]:
    """(|v|, v/|v|), or (0, otherwise) where v vanishes, or v·v is not above `least`."""
    square = dot(v, v)
    there = square > least
    length = root(choose(there, square, 1.0))
    n = [choose(there, v[i] / length, otherwise[i]) for i in range(3)]
    return choose(there, length, 0.0), vec(*n)


def vec(x: Scalar, y: Scalar, z: Scalar) -> Array:
    """Three numbers or symbols as a vector."""
    return vector([x, y, z])
