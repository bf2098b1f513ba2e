"""Matrices that are dense where they are small and sparse where they are large, and steps of least norm with them.

    min ‖δ‖  over the δ that leave ‖J δ − r‖ least

A large matrix is divided into independent blocks, each solved by its singular values.  Singular values below `HELD` of
the largest count as zero, since axes that should be parallel may be off by 1e-9 rad.  A block too large for that is
solved with damping, δ = Jᵀ (J Jᵀ + ε)⁻¹ r, refined until it converges, which does not move directions with σ² ≪ ε.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .tolerances import HELD, REFINEMENTS, REGULARISED, SINGULAR_VALUES_TO, SPARSE_FROM

if TYPE_CHECKING:  # SciPy is slow to import, and small models do without it
    from scipy.sparse import csr_array

#: an array, or a csr_array of SciPy
Matrix = Any


def matrix(values: np.ndarray, rows: np.ndarray, starts: np.ndarray, shape: tuple[int, int]) -> Matrix:
    """A matrix from its entries column by column: their rows, and where each column starts."""
    if max(shape) > SPARSE_FROM:
        from scipy.sparse import csc_array

        return csc_array((values, rows, starts), shape=shape).tocsr()
    out = np.zeros(shape)
    out[rows, np.repeat(np.arange(shape[1]), np.diff(starts))] = values
    return out


def as_matrix(J: np.ndarray) -> Matrix:
    """A matrix that is given dense."""
    if max(J.shape) <= SPARSE_FROM:
        return J
    from scipy.sparse import csr_array

    return csr_array(J)


def as_dense(J: Matrix) -> np.ndarray:
    """The entries of a matrix as an array."""
    return J if isinstance(J, np.ndarray) else J.toarray()


def entries(J: Matrix) -> np.ndarray:
    """The entries of a matrix, without those that are zero for sure."""
    return J if isinstance(J, np.ndarray) else J.data


def scaled(J: Matrix, rows: np.ndarray | float = 1.0, columns: np.ndarray | float = 1.0) -> Matrix:
    """A matrix with every row and every column times a number."""
    if isinstance(J, np.ndarray):
        return J * np.broadcast_to(rows, J.shape[0])[:, None] * columns
    from scipy.sparse import diags_array

    left, right = (diags_array(np.broadcast_to(x, n).astype(float))
                   for x, n in zip((rows, columns), J.shape, strict=True))
    return (left @ J @ right).tocsr()


def row_sizes(J: Matrix) -> np.ndarray:
    """The largest entry of every row."""
    if isinstance(J, np.ndarray):
        return np.abs(J).max(axis=1, initial=0.0)
    return abs(J).max(axis=1).toarray().ravel()


def joined(count: int, links: np.ndarray) -> np.ndarray:
    """A label for each of `count` things, the same for things that links (pairs) join."""
    from scipy.sparse import coo_array, csgraph

    a, b = np.asarray(links, dtype=int).reshape(-1, 2).T
    return csgraph.connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(count, count)), directed=False)[1]


@dataclass
class _Block:
    """Rows and columns that are independent of all others, and the part of the matrix there."""

    rows: np.ndarray
    columns: np.ndarray
    J: Matrix


def least_norm(J: Matrix, r: np.ndarray, cut: float = HELD) -> np.ndarray:
    """The shortest δ with J δ = r, or nearest to it; singular values below `cut` of the largest count as zero."""
    delta = np.zeros(J.shape[1])
    if isinstance(J, np.ndarray):
        moves = J.any(axis=0)  # what no row reads stays where it is, to the last bit
        delta[moves] = np.linalg.lstsq(J[:, moves], r, rcond=cut)[0]
        return delta
    blocks = _blocks(J)
    large = [block for block in blocks if max(block.J.shape) > SINGULAR_VALUES_TO]
    small = [(block, *np.linalg.svd(block.J, full_matrices=False)) for block in blocks
             if max(block.J.shape) <= SINGULAR_VALUES_TO]
    largest = max([sizes[0] for _, _, sizes, _ in small] + [abs(block.J).sum(axis=1).max() for block in large],
                  default=0.0)
    for block, U, sizes, V in small:
        keep = sizes > cut * largest
        delta[block.columns] = V[keep].T @ ((U[:, keep].T @ r[block.rows]) / sizes[keep])
    for block in large:
        delta[block.columns] = _damped(block.J, r[block.rows])
    return delta


def rank(J: Matrix, tolerance: float) -> int:
    """How many rows of a matrix are independent; singular values below the tolerance count as none."""
    parts = [J] if isinstance(J, np.ndarray) else [block.J for block in _blocks(J)]
    return sum(int(np.sum(np.linalg.svd(as_dense(part), compute_uv=False) > tolerance)) for part in parts)


def solved(A: Matrix, b: np.ndarray) -> np.ndarray:
    """x of A x = b, for a regular A."""
    if isinstance(A, np.ndarray):
        return np.linalg.solve(A, b)
    from scipy.sparse.linalg import splu

    return splu(A.tocsc()).solve(b)


def identity(like: Matrix) -> Matrix:
    """The unit matrix beside another one."""
    if isinstance(like, np.ndarray):
        return np.eye(like.shape[0])
    from scipy.sparse import eye_array

    return eye_array(like.shape[0], format="csr")


def _blocks(J: csr_array) -> list[_Block]:
    """The blocks of a matrix; small ones dense."""
    from scipy.sparse import coo_array

    (m, n), inside = J.shape, coo_array(J)
    inside.eliminate_zeros()
    labels = joined(m + n, np.column_stack([inside.row, m + inside.col]))
    count = labels.max(initial=-1) + 1
    rows, row_ends = _grouped(labels[:m], count)
    columns, column_ends = _grouped(labels[m:], count)
    order, ends = _grouped(labels[inside.row], count)
    # where in its block a row or column is
    row_place, column_place = np.empty(m, int), np.empty(n, int)
    row_place[rows] = np.arange(m) - row_ends[labels[:m][rows]]
    column_place[columns] = np.arange(n) - column_ends[labels[m:][columns]]
    found = []
    for k in np.flatnonzero(np.diff(ends)):
        own = order[ends[k] : ends[k + 1]]
        block = coo_array((inside.data[own], (row_place[inside.row[own]], column_place[inside.col[own]])),
                          shape=(row_ends[k + 1] - row_ends[k], column_ends[k + 1] - column_ends[k]))
        found.append(_Block(rows[row_ends[k] : row_ends[k + 1]], columns[column_ends[k] : column_ends[k + 1]],
                            block.toarray() if max(block.shape) <= SINGULAR_VALUES_TO else block.tocsr()))
    return found


def _grouped(labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Places in the order of their labels, and where each label begins."""
    order = np.argsort(labels, kind="stable")
    return order, np.searchsorted(labels[order], np.arange(count + 1))


def _damped(J: csr_array, r: np.ndarray) -> np.ndarray:
    """Jᵀ (J Jᵀ + ε)⁻¹ r, refined: of an error in a direction σ the part (ε/(σ² + ε))ⁿ is left."""
    from scipy.sparse.linalg import splu

    square = J @ J.T
    factors = splu((square + REGULARISED * abs(square).max() * identity(square)).tocsc())
    delta = np.zeros(J.shape[1])
    for _ in range(REFINEMENTS):
        delta = delta + J.T @ factors.solve(r - J @ delta)
    return delta
