"""Direct collocation: a motion as points in time, tied to each other by linear equations.

Within an interval from x₀ to x₀ + h the motion is a polynomial through the points cᵢ,

    xᵢ = x₀ + h Σ aᵢⱼ ẋⱼ,        ∫ L dt = h Σ bⱼ Lⱼ

with Lobatto's points 0, ½, 1 (Hermite–Simpson: Hargraves & Paris 1987; Kelly 2017, §4) or those of Radau, the last of
which is the end.  State and slope of every point are unknowns, so the equations of motion, one set a point, are the
only nonlinear ones; where the duration T is free, h = T × share, and they are bilinear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

ROOT = np.sqrt(6.0)


@dataclass(frozen=True)
class Collocation:
    """Points within an interval, and the coefficients of its polynomial; `from_start` says that the first is x₀."""

    name: str
    c: np.ndarray
    a: np.ndarray
    b: np.ndarray
    from_start: bool
    order: int


HERMITE_SIMPSON = Collocation("hermite-simpson", np.array([0, 0.5, 1.0]),
                              np.array([[0, 0, 0], [5 / 24, 1 / 3, -1 / 24], [1 / 6, 2 / 3, 1 / 6]]),
                              np.array([1 / 6, 2 / 3, 1 / 6]), True, 4)
RADAU = Collocation("radau", np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0]),
                    np.array([[(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
                              [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
                              [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]]),
                    np.array([(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]), False, 5)
METHODS = {method.name: method for method in (HERMITE_SIMPSON, RADAU)}


class Mesh:
    """Intervals of a motion of duration 1, and the points in them: the first is the start."""

    def __init__(self, method: Collocation, ends: np.ndarray):
        self.method, self.ends = method, np.asarray(ends, dtype=float)
        shares = np.diff(self.ends)
        inner = method.c[1:] if method.from_start else method.c
        self.times = np.concatenate([[0.0], *[start + share * inner for start, share in
                                              zip(self.ends[:-1], shares, strict=True)]])
        self.per_interval = len(inner)
        self.shares = shares

    @property
    def points(self) -> int:
        return len(self.times)

    def first(self, interval: int) -> int:
        """The number of the point at which an interval begins."""
        return interval * self.per_interval

    def of(self, interval: int) -> list[int]:
        """The numbers of the points whose slopes make the polynomial of an interval."""
        start = self.first(interval)
        return list(range(start if self.method.from_start else start + 1, start + self.per_interval + 1))

    @cached_property
    def nodes(self) -> np.ndarray:
        """The numbers of the points at which intervals end, and the first."""
        return np.arange(len(self.shares) + 1) * self.per_interval

    @cached_property
    def weights(self) -> np.ndarray:
        """∫₀¹ L dτ = Σ weights L over the points."""
        out = np.zeros(self.points)
        for k, share in enumerate(self.shares):
            out[self.of(k)] += share * self.method.b
        return out

    def defects(self) -> tuple[np.ndarray, np.ndarray]:
        """(D, A): D x = T A ẋ for every entry of the state; one row for each point but the first."""
        D, A = (np.zeros((self.points - 1, self.points)) for _ in range(2))
        for k, share in enumerate(self.shares):
            start, own = self.first(k), self.of(k)
            skipped = 1 if self.method.from_start else 0
            for i, point in enumerate(own[skipped:], skipped):
                D[point - 1, point], D[point - 1, start] = 1.0, -1.0
                A[point - 1, own] += share * self.method.a[i]
        return D, A

    def interval_at(self, times: np.ndarray) -> np.ndarray:
        """The interval in which each time (of 0 … 1) lies."""
        return np.clip(np.searchsorted(self.ends, times, side="right") - 1, 0, len(self.shares) - 1)

    def interpolated(self, x: np.ndarray, slopes: np.ndarray, duration: float, times: np.ndarray) -> np.ndarray:
        """States at times of 0 … 1, on the polynomials of their intervals: x₀ + h Σ ẋⱼ ∫ lⱼ."""
        out = np.empty((len(times), x.shape[1]))
        for n, (tau, k) in enumerate(zip(times, self.interval_at(times), strict=True)):
            theta = (tau - self.ends[k]) / self.shares[k]
            out[n] = x[self.first(k)] + duration * self.shares[k] * (_integrals(self.method.c, theta) @
                                                                     slopes[self.of(k)])
        return out

    def between(self, values: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Values of inputs at times of 0 … 1, on the polynomial through the points of their intervals."""
        out = np.empty((len(times), values.shape[1]))
        for n, (tau, k) in enumerate(zip(times, self.interval_at(times), strict=True)):
            theta = (tau - self.ends[k]) / self.shares[k]
            out[n] = _lagrange(self.method.c, theta) @ values[self.of(k)]
        return out


def _lagrange(c: np.ndarray, theta: float) -> np.ndarray:
    """The polynomials that are 1 at one of the points and 0 at the others."""
    return np.array([np.prod([(theta - other) / (own - other) for j, other in enumerate(c) if j != i])
                     for i, own in enumerate(c)])


def _integrals(c: np.ndarray, theta: float) -> np.ndarray:
    """∫₀^θ of the same."""
    out = []
    for i, own in enumerate(c):
        p = np.poly1d([1.0])
        for j, other in enumerate(c):
            if j != i:
                p = p * np.poly1d([1.0, -other]) / (own - other)
        out.append(p.integ()(theta))
    return np.array(out)
