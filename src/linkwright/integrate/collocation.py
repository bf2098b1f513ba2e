"""Coefficients of Radau IIA of order 5, and the eigenvectors that decouple the equations of its stages.

Hairer and Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996, Section IV.8: stages xᵢ = x₀ + zᵢ with
z = h A f, and A⁻¹ with one real eigenvalue and one pair.
"""

from __future__ import annotations

import numpy as np

_S = 6.0**0.5
A = np.array([
    [(88 - 7 * _S) / 360, (296 - 169 * _S) / 1800, (-2 + 3 * _S) / 225],
    [(296 + 169 * _S) / 1800, (88 + 7 * _S) / 360, (-2 - 3 * _S) / 225],
    [(16 - _S) / 36, (16 + _S) / 36, 1 / 9],
])
NODES = np.array([(4 - _S) / 10, (4 + _S) / 10, 1.0])
#: K[STAGES] is the slope at the end of a step
STAGES = 3
ESTIMATE = np.array([-13 - 7 * _S, -13 + 7 * _S, -1.0]) / 3


def _inverse(m: list[list[float]] | np.ndarray) -> np.ndarray:
    """Of a 3 × 3 matrix, by cross products: the same bits everywhere."""
    a, b, c = np.asarray(m)
    rows = np.array([np.cross(b, c), np.cross(c, a), np.cross(a, b)])
    return rows.T / (a * rows[0]).sum()


def _eigenvector(matrix: np.ndarray, value: complex) -> np.ndarray:
    """Of a 3 × 3 matrix, last entry 1."""
    m = matrix - value * np.eye(3)
    v = np.cross(m[0], m[1])
    return v / v[2]


MU = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
MU_PAIR = 3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3)) + 0.5j * (3 ** (5 / 6) + 3 ** (7 / 6))
_V = [_eigenvector(_inverse(A), mu) for mu in (MU, MU_PAIR, np.conj(MU_PAIR))]
_L = _inverse(np.array(_V).T)
V_REAL, V_PAIR = _V[0].real.copy(), _V[1].copy()
L_REAL, L_PAIR = _L[0].real.copy(), _L[1].copy()
