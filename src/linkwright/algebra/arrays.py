"""Small vectors and matrices over floats or symbols.

A numeric vector is a NumPy array of shape (n,), a symbolic one an SX column; matrices are (n, m) in both worlds.  The
functions here hide the difference, so that the rest of the package is written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import casadi as ca
import numpy as np

from ..errors import ModelError
from .tolerances import NO_LENGTH, SNAP

#: a number or a symbol; a vector or matrix of either; a vector or matrix as it may be given
Scalar: TypeAlias = float | ca.SX
Array: TypeAlias = np.ndarray | ca.SX
VectorLike: TypeAlias = Sequence[Scalar] | Array
MatrixLike: TypeAlias = Sequence[VectorLike] | Array


def is_symbolic(*values: object) -> bool:
    """Whether any of the values (or entries of sequences) is a CasADi symbol or expression."""
    return any(isinstance(v, ca.SX) or (isinstance(v, (list, tuple)) and is_symbolic(*v)) for v in values)


def snap(x: MatrixLike | Scalar) -> Array:
    """Numbers within 1e-14 of 0 or ±1 made exact; symbols and scalars alike pass through."""
    if is_symbolic(x):
        return x
    x = np.array(x, dtype=float)
    for exact in (0.0, 1.0, -1.0):
        x[np.abs(x - exact) < SNAP] = exact
    return x


def vector(x: VectorLike, n: int = 3, what: str = "vector") -> Array:
    """`x` as a vector of length `n`: float array (n,) or SX column."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        x = x.tolist()
    if is_symbolic(x):
        x = x if isinstance(x, ca.SX) else ca.vertcat(*_finite(x, what))
        if x.shape == (1, n) and n > 1:
            x = x.T
        if x.shape != (n, 1):
            raise ModelError(f"{what}: expected {n} numbers, got an expression of shape {x.shape}.")
        return x
    x = _floats(x, f"{n} numbers", what)
    if x.shape != (n,):
        if x.shape not in ((n, 1), (1, n)):
            raise ModelError(f"{what}: expected {n} numbers, got {_shape(x)}.")
        x = x.reshape(n)
    if not np.all(np.isfinite(x)):
        raise ModelError(f"{what}: every entry must be finite, got {x}.")
    return x


def matrix(x: MatrixLike, n: int = 3, m: int = 3, what: str = "matrix") -> Array:
    """`x` as an n×m matrix of floats or symbols."""
    if isinstance(x, np.ndarray) and x.dtype == object:
        x = x.tolist()
    if is_symbolic(x):
        if not isinstance(x, ca.SX):
            if [len(row) if isinstance(row, (list, tuple)) else 1 for row in x] != [m] * n:
                raise ModelError(f"{what}: expected {n} rows of {m} numbers, got {x!r}.")
            x = rows(*[_finite(row, what) for row in x])
        if x.shape != (n, m):
            raise ModelError(f"{what}: expected {n}×{m} numbers, got an expression of shape {x.shape}.")
        return x
    x = _floats(x, f"{n}×{m} numbers", what)
    if x.shape != (n, m):
        raise ModelError(f"{what}: expected {n}×{m} numbers, got {_shape(x)}.")
    if not np.all(np.isfinite(x)):
        raise ModelError(f"{what}: every entry must be finite, got {x.tolist()}.")
    return x


def _floats(x: object, expected: str, what: str) -> np.ndarray:
    try:
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{what}: expected {expected}, got {x!r}.") from error


def _finite(entries: Sequence[Any], what: str) -> Sequence[Any]:
    """The entries of a list that mixes numbers and symbols, the numbers among them checked."""
    for e in entries:
        if not isinstance(e, ca.SX) and not np.all(np.isfinite(_floats(e, "numbers or symbols", what))):
            raise ModelError(f"{what}: every entry must be finite, got {entries!r}.")
    return entries


def _shape(x: np.ndarray) -> str:
    return f"an array of shape {x.shape}" if x.shape else "a single number"


def stack(*parts: Array | Scalar) -> Array:
    """The parts (vectors or scalars) as one vector."""
    if is_symbolic(*parts):
        return ca.vertcat(*parts)
    return np.concatenate([np.atleast_1d(part) for part in parts]) if parts else np.zeros(0)


def rows(*entries: Sequence[Scalar] | Array) -> Array:
    """A matrix from rows of scalars."""
    if not any(is_symbolic(*row) for row in entries):
        return np.array(entries, dtype=float)
    # three times faster than concatenation, which matters while tracing
    A = ca.SX.zeros(len(entries), len(entries[0]))
    for i, row in enumerate(entries):
        for j, entry in enumerate(row):
            if isinstance(entry, ca.SX) or entry != 0:
                A[i, j] = entry
    return A


def _sx(a: VectorLike) -> Array:
    """An operand for CasADi, which takes arrays and expressions but no lists that hold symbols."""
    return ca.vertcat(*a) if isinstance(a, (list, tuple)) else a


def dot(a: VectorLike, b: VectorLike) -> Scalar:
    """Inner product a·b of two vectors."""
    return ca.dot(_sx(a), _sx(b)) if is_symbolic(a, b) else float(np.dot(a, b))


def cross(a: VectorLike, b: VectorLike) -> Array:
    """Vector product a × b."""
    if is_symbolic(a, b):
        return ca.cross(_sx(a), _sx(b))
    (a0, a1, a2), (b0, b1, b2) = a, b  # several times faster than np.cross
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], dtype=float)


def skew(a: VectorLike) -> Array:
    """The matrix [a]× with [a]× b = a × b."""
    return rows((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


def outer(a: VectorLike, b: VectorLike) -> Array:
    """The dyad a bᵀ."""
    return ca.mtimes(_sx(a), ca.transpose(_sx(b))) if is_symbolic(a, b) else np.outer(a, b)


def choose(condition: bool | ca.SX, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`: a choice now for numbers, a select in the code for symbols."""
    return ca.if_else(condition, a, b) if is_symbolic(condition) else (a if condition else b)


def symmetric(a: Array) -> Array:
    """A symmetric matrix from the upper triangle of `a`: the lower one is never computed."""
    return ca.triu2symm(ca.triu(a)) if is_symbolic(a) else np.triu(a) + np.triu(a, 1).T


def norm(a: VectorLike) -> Scalar:
    """Euclidean length."""
    return ca.sqrt(dot(a, a))


def unit(a: VectorLike, what: str = "axis") -> Array:
    """The direction of a vector; an error if a numeric one has none."""
    a = vector(a, 3, what)
    if is_symbolic(a):
        return a / norm(a)
    length = float(np.linalg.norm(a))
    if length < NO_LENGTH:
        raise ModelError(f"{what} = ({a[0]:g}, {a[1]:g}, {a[2]:g}) has no direction; give a non-zero vector.")
    return snap(a / length)
