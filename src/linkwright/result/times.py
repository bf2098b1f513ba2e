"""Times that users ask for."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError


def as_times(t: object) -> np.ndarray:
    """A time, or several, as an array of one dimension."""
    try:
        times = np.atleast_1d(np.asarray(t, dtype=float))
    except (TypeError, ValueError, OverflowError):
        times = np.zeros((0, 0))
    if times.ndim != 1 or np.any(np.isnan(times)):
        raise ModelError(f"a time in seconds, or an array of times, is needed, got {t!r}.")
    return times
