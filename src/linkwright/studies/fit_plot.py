"""The picture of a fit: measurements with the model through them, and what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..result import subplots

if TYPE_CHECKING:
    from .fit import Fit

MEASURED = "0.45"  # grey: colours belong to the model
MARKS = (".", "x", "+", "^")  # of experiments


def plot(fit: Fit) -> Any:
    """A figure of pyplot, one column for each variable: data and model above, residuals below."""
    names = list(dict.fromkeys(name for each in fit.data for name in each.columns))
    figure, axes = subplots(2, len(names), sharex="col", figsize=(4.5 * len(names), 5.0), height_ratios=[2, 1])
    for column, name in enumerate(names):
        above, below = axes[:, column]
        for k, (each, result) in enumerate(zip(fit.data, fit.results, strict=True)):
            if name not in each.columns:
                continue
            colour, mark = f"C{k % 10}", MARKS[k % len(MARKS)]
            measured = "measured" if len(fit.data) == 1 else f"measured {k + 1}"
            above.plot(each.t, each.columns[name], mark, color=MEASURED, markersize=4, label=measured)
            fine = np.linspace(each.t[0], each.t[-1], 500)
            label = "model" if len(fit.data) == 1 else f"model {k + 1}"
            above.plot(fine, result.at(fine)[name], color=colour, label=label)
            below.plot(each.t, fit.residuals[k][name], mark, color=colour, markersize=4)
        below.axhline(0, color="0.7", linewidth=0.8)
        above.set_title(name)
        below.set_xlabel("t / s")
    axes[0, 0].legend()
    axes[1, 0].set_ylabel("model − measured")
    return figure
