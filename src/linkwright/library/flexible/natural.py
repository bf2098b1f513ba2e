"""Natural frequencies of a beam held at its start, before anything is compiled: which of its strains sets the step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...algebra import Transform
from ...mechanism.kinds import Strained


def natural_motions(elements: Sequence[Strained], K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ω in rad/s, smallest first, and the shapes over all coordinates, of a beam not bent and held at its start.

    M = Σ Jᵀ 𝓜 J over all points where mass sits, J the columns (ω, v) of what moves the point.
    """
    from scipy.linalg import eigh

    n, first = sum(element.size for element in elements), 0
    M, base = np.zeros((n, n)), np.zeros((6, n))
    for element in elements:
        own, q = slice(first, first := first + element.size), np.zeros(element.size)
        inner, places = list(element.moving_points(q, q)), list(element.turned_pieces(q))
        end = element.frame(1, q)
        columns = [np.zeros((6, element.size)), *[_matrix(found) for _, found, _ in inner],
                   _matrix(element.frame_columns(1, q))]
        ends = element.ends()
        poses = [Transform(), *[at for at, _, _ in inner], end]
        for X, piece, moved in zip(poses, [ends[0], *places, ends[1]], columns, strict=True):
            J = _carried(X, base)
            J[:, own] += moved
            M += J.T @ np.asarray(piece.matrix()) @ J
        base = J
    squares, shapes = eigh(K, M)
    return np.sqrt(np.maximum(squares, 0.0)), shapes


def _matrix(columns: list) -> np.ndarray:
    return np.column_stack([S.vector() for S in columns])


def _carried(X: Transform, J: np.ndarray) -> np.ndarray:
    """Columns known at a frame, in another at X from it."""
    w, v = J[:3], J[3:]
    return np.vstack([X.R.T @ w, X.R.T @ (v + np.cross(w, np.asarray(X.p)[:, None], axis=0))])
