"""Distributions of swept values, by their quantiles, so that any sequence of samples can be laid through them.

    x = F⁻¹(u),   0 < u < 1

with F⁻¹ the inverse of the distribution function (its quantiles).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from .tolerances import NO_PROBABILITY


class Distribution:
    """What a swept value is drawn from."""

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        """The values at probabilities u."""
        raise NotImplementedError


@dataclass(frozen=True)
class Uniform(Distribution):
    """Equally likely between `low` and `high`."""

    low: float
    high: float

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal (Gaussian) with this mean and standard deviation."""

    mean: float
    deviation: float

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return self.mean + self.deviation * ndtri(u)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """exp(normal): `median` × exp(`sigma` z) with z standard normal."""

    median: float
    sigma: float

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return self.median * np.exp(self.sigma * ndtri(u))


@dataclass(frozen=True)
class Truncated(Distribution):
    """Another distribution, given that it lies between `low` and `high`."""

    of: Normal | LogNormal | Uniform
    low: float
    high: float

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        lowest, highest = _probability(self.of, self.low), _probability(self.of, self.high)
        return np.clip(self.of.quantiles(lowest + (highest - lowest) * u), self.low, self.high)


@dataclass(frozen=True)
class Choice(Distribution):
    """One of several values, with probabilities in proportion to `weights`."""

    values: tuple[float, ...]
    weights: tuple[float, ...]

    def quantiles(self, u: np.ndarray) -> np.ndarray:
        ends = np.cumsum(self.weights) / np.sum(self.weights)
        return np.asarray(self.values)[np.minimum(np.searchsorted(ends, u, side="right"), len(self.values) - 1)]


def _probability(of: Distribution, x: float) -> float:
    """F(x)."""
    from scipy.special import ndtr

    if isinstance(of, Uniform):
        return float(np.clip((x - of.low) / (of.high - of.low), 0.0, 1.0))
    if isinstance(of, LogNormal):
        return float(ndtr(np.log(x / of.median) / of.sigma)) if x > 0 else 0.0
    assert isinstance(of, Normal)
    return float(ndtr((x - of.mean) / of.deviation))


def _numbers(said: str, *values: Any) -> list[float]:
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        numbers = [np.nan]
    if not np.isfinite(numbers).all():
        raise ModelError(f"{said}: finite numbers are needed.")
    return numbers


def uniform(low: float, high: float) -> Uniform:
    """All values between `low` and `high` equally likely, for `lw.sweep`."""
    said = f"lw.uniform({low}, {high})"
    low, high = _numbers(said, low, high)
    if not low < high:
        raise ModelError(f"{said}: the first must be less than the second.")
    return Uniform(low, high)


def normal(mean: float, deviation: float) -> Normal:
    """Normal with this mean and standard deviation, for `lw.sweep`."""
    said = f"lw.normal({mean}, {deviation})"
    mean, deviation = _numbers(said, mean, deviation)
    if deviation <= 0:
        raise ModelError(f"{said}: the standard deviation must be positive.")
    return Normal(mean, deviation)


def lognormal(median: float, sigma: float) -> LogNormal:
    """`median` × exp(`sigma` z) with z standard normal, for `lw.sweep`: always positive."""
    said = f"lw.lognormal({median}, {sigma})"
    median, sigma = _numbers(said, median, sigma)
    if median <= 0 or sigma <= 0:
        raise ModelError(f"{said}: median and sigma must be positive.")
    return LogNormal(median, sigma)


def truncated(of: Distribution, low: float, high: float) -> Truncated:
    """Another distribution, restricted to the interval from `low` to `high`, for `lw.sweep`."""
    said = f"lw.truncated({of}, {low}, {high})"
    low, high = _numbers(said, low, high)
    if not isinstance(of, (Uniform, Normal, LogNormal)):
        raise ModelError(f"{said}: the first is lw.uniform, lw.normal or lw.lognormal.")
    if not low < high:
        raise ModelError(f"{said}: low must be less than high.")
    if _probability(of, high) - _probability(of, low) < NO_PROBABILITY:
        raise ModelError(f"{said}: nothing of the distribution lies between them.")
    return Truncated(of, low, high)


def choice(values: Sequence[float], weights: Sequence[float] | None = None) -> Choice:
    """One of several values, equally likely or in proportion to `weights`, for `lw.sweep`."""
    said = f"lw.choice({list(values)!r})"
    numbers = _numbers(said, *values)
    shares = [1.0] * len(numbers) if weights is None else _numbers(f"{said}, weights", *weights)
    if not numbers or len(shares) != len(numbers) or min(shares) < 0 or sum(shares) <= 0:
        raise ModelError(f"{said}: as many weights as values are needed, none negative and not all zero.")
    return Choice(tuple(numbers), tuple(shares))
