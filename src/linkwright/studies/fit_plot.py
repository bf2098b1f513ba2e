"""The picture of a fit: measurements with the model through them, and what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .fit import Fit


def plot(fit: Fit) -> Any:
    """A figure of pyplot, one column for each variable: data and model above, residuals below."""
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(name for each in fit.data for name in each.columns))
    figure, axes = plt.subplots(2, len(names), sharex="col", squeeze=False, figsize=(4.5 * len(names), 5.0),
                                height_ratios=[2, 1], layout="constrained")
    for column, name in enumerate(names):
        above, below = axes[:, column]
        for k, (each, result) in enumerate(zip(fit.data, fit.results, strict=True)):
            if name not in each.columns:
                continue
            colour = f"C{k % 10}"
            above.plot(each.t, each.columns[name], ".", color=colour, alpha=0.5, markersize=4)
            fine = np.linspace(each.t[0], each.t[-1], 500)
            label = "model" if len(fit.data) == 1 else f"experiment {k + 1}"
            above.plot(fine, result.at(fine)[name], color=colour, label=label)
            below.plot(each.t, fit.residuals[k][name], ".", color=colour, markersize=4)
        below.axhline(0, color="0.7", linewidth=0.8)
        above.set_title(name)
        below.set_xlabel("t / s")
    axes[0, 0].legend()
    axes[1, 0].set_ylabel("model − measured")
    return figure
