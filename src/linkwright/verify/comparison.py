"""Whether two motions are the same: to the last bit, or to the accuracy they were computed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .motions import Motion
from .tolerances import LEAST_GAP, NEAR_AN_EVENT, SAME_END, SMALLEST_SCALE, SPENT, TIMES_THE_GAP


@dataclass(frozen=True)
class Difference:
    """Where two motions first differ: the variable, the time, the two values, and by how much (relative)."""

    name: str
    time: float
    wanted: float
    found: float
    by: float

    def __str__(self) -> str:
        return (f"{self.name} first at t = {self.time:.6g} s: {self.found:.9g} in the place of {self.wanted:.9g} "
                f"({self.by:.1e})")


def differing_bits(wanted: Motion, found: Motion) -> Difference | str | None:
    """The first bit that differs; None where there is none."""
    if wanted.t.shape != found.t.shape or not np.array_equal(wanted.t, found.t):
        return f"it ends at t = {found.ended:.9g} s and not at {wanted.ended:.9g} s{_said(wanted, found)}"
    worst: Difference | None = None
    for name in wanted.values:
        a, b = _rows(wanted.values[name]), _rows(found.values[name])
        other = ~((a == b) | (np.isnan(a) & np.isnan(b)))
        if other.any():
            k = int(np.argmax(other.any(axis=1)))
            j = int(np.argmax(other[k]))
            off = float(abs(a[k, j] - b[k, j]))
            here = Difference(_entry(name, wanted, j), float(wanted.t[k]), a[k, j], b[k, j], off)
            if worst is None or here.time < worst.time:
                worst = here
    return worst


@dataclass(frozen=True)
class Accuracy:
    """How exactly a motion is known: the gap between two runs of it, growing with time, and up to when it is known."""

    t: np.ndarray
    gap: np.ndarray
    until: float

    @classmethod
    def between(cls, coarse: Motion, fine: Motion, scales: Mapping[str, float]) -> Accuracy:
        n = min(len(coarse.t), len(fine.t))
        gap = np.zeros(n)
        clear = _clear(coarse.t[:n], coarse, fine)
        for name in coarse.values:
            a, b = _rows(coarse.values[name])[:n], _rows(fine.values[name])[:n]
            off = np.max(np.abs(a - b), axis=1, initial=0.0) / scales[name]
            gap = np.maximum(gap, np.where(clear, off, 0.0))
        gap = np.fmax.accumulate(np.where(np.isnan(gap), np.inf, gap))
        known = np.flatnonzero(gap <= SPENT)
        return cls(coarse.t[:n], gap, float(coarse.t[known[-1]]) if len(known) else -np.inf)


def scales_of(motion: Motion, units: Mapping[str, str]) -> dict[str, float]:
    """The size that each variable is compared relative to: that of the largest of its unit."""
    largest: dict[str, float] = {}
    for name, values in motion.values.items():
        size = float(np.nanmax(np.abs(values), initial=0.0))
        key = units.get(name) or name
        largest[key] = max(largest.get(key, SMALLEST_SCALE), size)
    return {name: largest[units.get(name) or name] for name in motion.values}


def differing(wanted: Motion, found: Motion, accuracy: float, known: Sequence[Accuracy],
              scales: Mapping[str, float]) -> tuple[Difference | str | None, float, float]:
    """(the first difference beyond the accuracy, up to which time it was looked for, largest difference until then)."""
    n = min(len(wanted.t), len(found.t), *(len(own.t) for own in known))
    t, until = wanted.t[:n], min(own.until for own in known)
    allowed = LEAST_GAP * accuracy + TIMES_THE_GAP * np.max([own.gap[:n] for own in known], axis=0)
    seen = (t <= until) & _clear(t, wanted, found)
    first: Difference | None = None
    largest = 0.0
    for name in wanted.values:
        if name not in found.values:
            continue
        a, b = _rows(wanted.values[name])[:n], _rows(found.values[name])[:n]
        off = np.abs(a - b) / scales[name]
        off[np.isnan(a) & np.isnan(b)] = 0.0
        off[np.isnan(off)] = np.inf
        largest = max(largest, float(np.max(off[seen], initial=0.0)))
        beyond = (off > allowed[:, None]) & seen[:, None]
        if beyond.any():
            k = int(np.argmax(beyond.any(axis=1)))
            j = int(np.argmax(beyond[k]))
            here = Difference(_entry(name, wanted, j), float(t[k]), a[k, j], b[k, j], float(off[k, j]))
            if first is None or here.time < first.time:
                first = here
    ends = abs(wanted.ended - found.ended)
    if first is None and ends > SAME_END * max(wanted.ended, found.ended) and min(wanted.ended, found.ended) < until:
        return (f"it ends at t = {found.ended:.9g} s and not at {wanted.ended:.9g} s{_said(wanted, found)}", until,
                largest)
    return first, until, largest


def _clear(t: np.ndarray, *motions: Motion) -> np.ndarray:
    """Output times that lie at no event of either motion."""
    width = NEAR_AN_EVENT * (t[-1] - t[0] if len(t) > 1 else 1.0)
    clear = np.ones(len(t), dtype=bool)
    for events in (motion.events for motion in motions):
        if len(events):
            clear &= np.min(np.abs(t[:, None] - events[None, :]), axis=1) > width
    return clear


def _rows(values: np.ndarray) -> np.ndarray:
    return np.asarray(values, dtype=float).reshape(len(values), -1)


def _entry(name: str, motion: Motion, j: int) -> str:
    shape = np.shape(motion.values[name])[1:]
    return name if not shape else f"{name}[{','.join(map(str, np.unravel_index(j, shape)))}]"


def _said(*motions: Motion) -> str:
    return "".join(f" ({motion.failed})" for motion in motions if motion.failed)
