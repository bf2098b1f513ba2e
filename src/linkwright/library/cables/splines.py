"""Cubic splines through points, as OpenSim has them, for curves of forces."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ...codegen import piecewise


def spline(x: np.ndarray, y: np.ndarray) -> ca.Function:
    """SIMM's spline as a function of an expression; beyond its ends it is continued linearly."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    inner = np.array(simm_spline(x, y))
    widths = np.diff(x)
    last = inner[-1]
    slope = last[1] + widths[-1] * (2 * last[2] + 3 * widths[-1] * last[3])
    before, after = [y[0] - inner[0, 1] * widths[0], inner[0, 1], 0, 0], [y[-1], slope, 0, 0]
    return piecewise(np.concatenate([[x[0] - widths[0]], x, [x[-1] + widths[-1]]]), np.vstack([before, inner, after]))


def _pieces(x: np.ndarray, y: np.ndarray, second: np.ndarray) -> list[tuple]:
    """Cubic pieces from half the second derivatives at the points."""
    h = np.diff(x)
    b = np.diff(y) / h - h * (second[1:] + 2 * second[:-1])
    e = np.diff(second) / h
    return [(y[k], b[k], 3 * second[k], e[k]) for k in range(len(h))]


def simm_spline(x: np.ndarray, y: np.ndarray) -> list[tuple]:
    """SIMM's cubic spline: at the ends the third derivative is that of the cubic through the last four points.

    Forsythe, Malcolm, Moler: Computer Methods for Mathematical Computations (1977), SPLINE.  With hᵢ the widths, sᵢ the
    sixths of the second derivatives:  hᵢ₋₁ sᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) sᵢ + hᵢ sᵢ₊₁ = δᵢ − δᵢ₋₁.
    """
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    A, r = np.zeros((n, n)), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        r[i] = slope[i] - slope[i - 1]
    A[0, :2], A[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
    if n > 3:
        def third(k: int) -> float:
            """The third difference over four points from k on."""
            rise = [(slope[j + 1] - slope[j]) / (x[j + 2] - x[j]) for j in (k, k + 1)]
            return (rise[1] - rise[0]) / (x[k + 3] - x[k])

        r[0], r[-1] = h[0] ** 2 * third(0), -(h[-1] ** 2) * third(n - 4)
    return _pieces(x, y, np.linalg.solve(A, r))


def natural_spline(x: np.ndarray, y: np.ndarray) -> list[tuple]:
    """The cubic spline without curvature at its ends."""
    n, h = len(x), np.diff(x)
    slope = np.diff(y) / h
    A, r = np.eye(n), np.zeros(n)
    for i in range(1, n - 1):
        A[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
        r[i] = slope[i] - slope[i - 1]
    return _pieces(x, y, np.linalg.solve(A, r))
