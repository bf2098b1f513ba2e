"""Curves of quintic Bézier corners (Millard, Uchida, Seth, Delp: J. Biomech. Eng. 135 (2013) 021005), as tables.

A corner leads from (x₀, y₀) with slope d₀ to (x₁, y₁) with slope d₁.  With C where both end tangents meet, its control
points are P₀, A, A, B, B, P₁ with A = P₀ + c (C − P₀), B = P₁ + c (C − P₁), c = 0.1 + 0.8·curviness; beyond the corners
the curve goes on straight.  x(u) is a quintic, so that y(x) has no formula: it is tabled as polynomials of degree five
that have its values, slopes and curvatures at KNOTS places of every corner.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from ...codegen import piecewise
from ..tolerances import BEZIER_KNOTS

Corner = tuple[float, float, float, float, float, float, float]  # x₀, y₀, d₀, x₁, y₁, d₁, curviness


class Curve:
    """A curve through corners with straight ends: value, integral from its left end, and the inverse where it rises."""

    def __init__(self, *corners: Corner) -> None:
        samples = [_sampled(*corner) for corner in corners]
        x, y, slope, bend = (np.concatenate([samples[0][k][:1], *[s[k][1:] for s in samples]]) for k in range(4))
        self.breaks, self.coefficients = _tabled(x, y, slope, bend)
        self.value = piecewise(self.breaks, self.coefficients)
        powers = np.arange(1, self.coefficients.shape[1] + 1)
        areas = self.coefficients / powers
        widths = np.diff(self.breaks)
        gained = np.sum(areas * widths[:, None] ** powers, axis=1)
        start = np.concatenate([[0.0], np.cumsum(gained)[:-1]]) - gained[0]  # nothing at the left end of the curve
        self.integral = piecewise(self.breaks, np.column_stack([start, areas]))

        self._samples = x, y, slope

    def __call__(self, x: ca.SX) -> ca.SX:
        return self.value(x)

    def inverse(self, y: ca.SX) -> ca.SX:
        """x(y) of a curve that rises from a level start: from a table, then two steps of Newton's method."""
        x = self._guess(y)
        for _ in range(2):
            x = x - (self.value(x) - y) / ca.fmax(self._slope(x), self._least)
        return x

    @cached_property
    def _guess(self) -> ca.Function:
        x, y, slope = self._samples
        return piecewise(*_tabled(y, x, 1 / np.maximum(slope, self._least), np.zeros_like(x)))

    @cached_property
    def _slope(self) -> ca.Function:
        return piecewise(self.breaks, self.coefficients[:, 1:] * np.arange(1, self.coefficients.shape[1]))

    @cached_property
    def _least(self) -> float:
        """The mean slope of the first piece."""
        x, y, _ = self._samples
        return (y[1] - y[0]) / (x[1] - x[0])


def _sampled(x0: float, y0: float, d0: float, x1: float, y1: float, d1: float, curviness: float) -> list[np.ndarray]:
    """x, y, dy/dx and d²y/dx² at places of a corner."""
    c = 0.1 + 0.8 * curviness
    xc = (y1 - y0 - x1 * d1 + x0 * d0) / (d0 - d1) if abs(d0 - d1) > np.sqrt(np.finfo(float).eps) else (x0 + x1) / 2
    yc = (xc - x1) * d1 + y1
    P = np.array([[x0, y0], [x0 + c * (xc - x0), y0 + c * (yc - y0)], [x0 + c * (xc - x0), y0 + c * (yc - y0)],
                  [x1 + c * (xc - x1), y1 + c * (yc - y1)], [x1 + c * (xc - x1), y1 + c * (yc - y1)], [x1, y1]])
    u = np.linspace(0.0, 1.0, BEZIER_KNOTS + 1)[:, None]
    derivatives = (P, 5 * np.diff(P, axis=0), 20 * np.diff(P, 2, axis=0))
    values, first, second = (_bernstein(points, u) for points in derivatives)
    slope = first[:, 1] / first[:, 0]
    bend = (second[:, 1] * first[:, 0] - first[:, 1] * second[:, 0]) / first[:, 0] ** 3
    return [values[:, 0], values[:, 1], slope, bend]


def _bernstein(points: np.ndarray, u: np.ndarray) -> np.ndarray:
    """A Bézier curve by de Casteljau's halving of its points."""
    rows = [np.broadcast_to(p, (len(u), 2)) for p in points]
    while len(rows) > 1:
        rows = [(1 - u) * a + u * b for a, b in zip(rows, rows[1:], strict=False)]
    return rows[0]


def _tabled(x: np.ndarray, y: np.ndarray, slope: np.ndarray, bend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of degree five with these values, slopes and curvatures at both ends, and straight ones beyond."""
    h = np.diff(x)
    a, b, c = y[:-1], slope[:-1] * h, bend[:-1] * h * h / 2  # in shares of a piece
    rise, run, turn = y[1:] - a - b - c, slope[1:] * h - b - 2 * c, bend[1:] * h * h - 2 * c
    cubic = 10 * rise - 4 * run + turn / 2
    quartic = -15 * rise + 7 * run - turn
    quintic = 6 * rise - 3 * run + turn / 2
    inner = np.column_stack([a, b / h, c / h**2, cubic / h**3, quartic / h**4, quintic / h**5])
    before, after = np.zeros(6), np.zeros(6)
    before[:2], after[:2] = (y[0] - slope[0] * h[0], slope[0]), (y[-1], slope[-1])
    return np.concatenate([[x[0] - h[0]], x, [x[-1] + h[-1]]]), np.vstack([before, inner, after])


# --- the four curves of a muscle ---


@lru_cache(maxsize=64)
def active_force_length(x0: float = 0.4441, x1: float = 0.73, x3: float = 1.8123, slope: float = 0.8616,
                        y_low: float = 0.0) -> Curve:
    """fal over the normalised length of the fibre."""
    dx = 0.05
    xs = 1 - dx
    y1 = 1 - slope * (xs - x1)
    d01, x01, y01 = 1.25 * y1 / (x1 - x0), (x0 + x1) / 2, y1 / 2
    x1s, y1s, x23 = (x1 + xs) / 2, (y1 + 1) / 2, (1 + dx + x3) / 2
    d23 = -1 / ((x3 - dx) - (1 + dx))
    return Curve((x0, y_low, 0, x01, y01, d01, 1), (x01, y01, d01, x1s, y1s, slope, 1), (x1s, y1s, slope, 1, 1, 0, 1),
                 (1, 1, 0, x23, 0.5, d23, 1), (x23, 0.5, d23, x3, y_low, 0, 1))


@lru_cache(maxsize=64)
def force_velocity(largest: float = 1.4, shortening: float = 0.0, near_shortening: float = 0.25, isometric: float = 5.0,
                   lengthening: float = 0.0, near_lengthening: float = 0.15, curviness_shortening: float = 0.6,
                   curviness_lengthening: float = 0.9) -> Curve:
    """fv over the normalised rate of the fibre; slopes at −1, −0.9, 0, 0.9, 1."""
    low = 0.05 * (near_shortening + shortening)
    high = largest - 0.05 * (near_lengthening + lengthening)
    return Curve((-1, 0, shortening, -0.9, low, near_shortening, curviness_shortening),
                 (-0.9, low, near_shortening, 0, 1, isometric, curviness_shortening),
                 (0, 1, isometric, 0.9, high, near_lengthening, curviness_lengthening),
                 (0.9, high, near_lengthening, 1, largest, lengthening, curviness_lengthening))


@lru_cache(maxsize=64)
def passive_force_length(zero: float = 0.0, one: float = 0.7, low: float = 0.2, high: float | None = None,
                         curviness: float = 0.75) -> Curve:
    """fpe over the normalised length of the fibre, by the strains at zero and at one."""
    high = 2 / (one - zero) if high is None else high
    x0, x1 = 1 + zero, 1 + one
    dx = min(0.1 / high, 0.1 * (x1 - x0))
    xl, yl = x0 + dx, low * dx / 2
    return Curve((x0, 0, 0, xl, yl, low, curviness), (xl, yl, low, x1, 1, high, curviness))


def tendon_corners(strain: float = 0.049, stiffness: float | None = None, toe: float = 2 / 3,
                   curviness: float = 0.5) -> tuple[Corner, Corner]:
    """The corners of fse over the normalised length of the tendon."""
    k = 1.375 / strain if stiffness is None else stiffness
    end = 1 + strain
    xt = (toe - 1) / k + end
    foot = 1 + (xt - 1) / 10
    xm = (toe / 2 - 1) / k + end
    slope = toe / 2 / (xm - foot)
    xc = (foot + xm) / 2
    yc = slope * (xc - foot)
    return (1, 0, 0, xc, yc, slope, curviness), (xc, yc, slope, xt, toe, k, curviness)


@lru_cache(maxsize=64)
def tendon_force_length(strain: float = 0.049, stiffness: float | None = None, toe: float = 2 / 3,
                        curviness: float = 0.5) -> Curve:
    """fse over the normalised length of the tendon."""
    return Curve(*tendon_corners(strain, stiffness, toe, curviness))
