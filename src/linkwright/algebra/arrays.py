"""Small vectors and matrices over floats or symbols.

A numeric vector is a NumPy array of shape (n,), a symbolic one an SX column; matrices are (n, m) in both worlds.  The
functions here hide the difference, so that the rest of the package is written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import casadi as ca
import numpy as np

from ..errors import ModelError
from .tolerances import NO_LENGTH, SNAP

#: a number or a symbol; a vector or matrix of either; a vector or matrix as it may be given; one of numbers alone
Scalar: TypeAlias = float | ca.SX
Array: TypeAlias = np.ndarray | ca.SX
VectorLike: TypeAlias = Sequence[Scalar] | Array
MatrixLike: TypeAlias = Sequence[VectorLike] | Array
Numbers: TypeAlias = Sequence[float] | np.ndarray


def is_symbolic(*values: object) -> bool:
    """Whether any of the values (or entries of sequences) is a CasADi symbol or expression."""
    return any(isinstance(v, ca.SX) or (isinstance(v, (list, tuple)) and is_symbolic(*v)) for v in values)


@overload
def snap(x: np.ndarray) -> np.ndarray: ...
@overload
def snap(x: Array) -> Array: ...
def snap(x: Any) -> Any:
    """Numbers within 1e-14 of 0 or ±1 made exact; symbols and scalars alike pass through."""
    if is_symbolic(x):
        return x
    x = np.array(x, dtype=float)
    for exact in (0.0, 1.0, -1.0):
        x[np.abs(x - exact) < SNAP] = exact
    return x


@overload
def vector(x: Numbers, n: int = 3, what: str = "vector") -> np.ndarray: ...
@overload
def vector(x: VectorLike, n: int = 3, what: str = "vector") -> Array: ...
def vector(x: Any, n: int = 3, what: str = "vector") -> Array:
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


@overload
def matrix(x: Sequence[Numbers] | np.ndarray, n: int = 3, m: int = 3, what: str = "matrix") -> np.ndarray: ...
@overload
def matrix(x: MatrixLike, n: int = 3, m: int = 3, what: str = "matrix") -> Array: ...
def matrix(x: Any, n: int = 3, m: int = 3, what: str = "matrix") -> Array:
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


@overload
def stack(*parts: np.ndarray | float) -> np.ndarray: ...
@overload
def stack(*parts: Array | Scalar) -> Array: ...
def stack(*parts: Any) -> Array:
    """The parts (vectors or scalars) as one vector."""
    if is_symbolic(*parts):
        return ca.vertcat(*parts)
    return np.concatenate([np.atleast_1d(part) for part in parts]) if parts else np.zeros(0)


@overload
def rows(*entries: Numbers) -> np.ndarray: ...
@overload
def rows(*entries: VectorLike) -> Array: ...
def rows(*entries: Any) -> Array:
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


def _sx(a: Any) -> Any:
    """An operand for CasADi, which takes arrays and expressions but no lists that hold symbols."""
    return ca.vertcat(*a) if isinstance(a, (list, tuple)) else a


@overload
def dot(a: Numbers, b: Numbers) -> float: ...
@overload
def dot(a: VectorLike, b: VectorLike) -> Scalar: ...
def dot(a: Any, b: Any) -> Scalar:
    """Inner product a·b of two vectors."""
    return ca.dot(_sx(a), _sx(b)) if is_symbolic(a, b) else float(np.dot(a, b))


@overload
def cross(a: Numbers, b: Numbers) -> np.ndarray: ...
@overload
def cross(a: VectorLike, b: VectorLike) -> Array: ...
def cross(a: Any, b: Any) -> Array:
    """Vector product a × b."""
    if is_symbolic(a, b):
        return ca.cross(_sx(a), _sx(b))
    (a0, a1, a2), (b0, b1, b2) = a, b  # several times faster than np.cross
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], dtype=float)


@overload
def skew(a: Numbers) -> np.ndarray: ...
@overload
def skew(a: VectorLike) -> Array: ...
def skew(a: Any) -> Array:
    """The matrix [a]× with [a]× b = a × b."""
    return rows((0, -a[2], a[1]), (a[2], 0, -a[0]), (-a[1], a[0], 0))


@overload
def outer(a: Numbers, b: Numbers) -> np.ndarray: ...
@overload
def outer(a: VectorLike, b: VectorLike) -> Array: ...
def outer(a: Any, b: Any) -> Array:
    """The dyad a bᵀ."""
    return ca.mtimes(_sx(a), ca.transpose(_sx(b))) if is_symbolic(a, b) else np.outer(a, b)


def choose(condition: bool | ca.SX, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`: a choice now for numbers, a select in the code for symbols."""
    return ca.if_else(condition, a, b) if is_symbolic(condition) else (a if condition else b)


@overload
def symmetric(a: np.ndarray) -> np.ndarray: ...
@overload
def symmetric(a: Array) -> Array: ...
def symmetric(a: Any) -> Array:
    """A symmetric matrix from the upper triangle of `a`: the lower one is never computed."""
    return ca.triu2symm(ca.triu(a)) if is_symbolic(a) else np.triu(a) + np.triu(a, 1).T


def norm(a: VectorLike) -> Scalar:
    """Euclidean length."""
    return ca.sqrt(dot(a, a))


@overload
def unit(a: Numbers, what: str = "axis") -> np.ndarray: ...
@overload
def unit(a: VectorLike, what: str = "axis") -> Array: ...
def unit(a: Any, what: str = "axis") -> Array:
    """The direction of a vector; an error if a numeric one has none."""
    a = vector(a, 3, what)
    if isinstance(a, ca.SX):
        return a / norm(a)
    length = float(np.linalg.norm(a))
    if length < NO_LENGTH:
        raise ModelError(f"{what} = ({a[0]:g}, {a[1]:g}, {a[2]:g}) has no direction; give a non-zero vector.")
    return snap(a / length)
