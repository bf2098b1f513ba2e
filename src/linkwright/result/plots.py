"""Plots of results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ModelError


def plot(result, names: Sequence[str]):
    """A matplotlib Figure with one plot per unit; without known units one per variable's kind of shape."""
    from matplotlib.figure import Figure

    if not names:
        raise ModelError("plot needs the names of the variables to draw, e.g. r.plot('rev.phi').")
    series = result.get_many(names)
    units = getattr(getattr(getattr(result, "system", None), "mechanism", None), "units", {})
    groups: dict[str, list[str]] = {}
    for name in series:
        groups.setdefault(units.get(name, ""), []).append(name)
    figure = Figure(figsize=(8, 1.0 + 2.6 * len(groups)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(groups), 1, sharex=True))
    for axis, (unit, group) in zip(axes, groups.items(), strict=True):
        for name in group:
            values = series[name].reshape(len(result.t), -1)
            shape = series[name].shape[1:]
            for k, index in enumerate(np.ndindex(*shape) if shape else [()]):
                axis.plot(result.t, values[:, k], label=name + (f"[{','.join(map(str, index))}]" if index else ""))
        axis.set_ylabel(unit)
        axis.grid(alpha=0.3)
        axis.legend(loc="best", fontsize="small")
    axes[-1].set_xlabel("t / s")
    return figure
