"""Plots of results: one diagram per unit, several results on top of one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..errors import ModelError, UnknownNameError
from .result import Series
from .units import unit_of, written

STYLES = ("-", "--", ":", "-.")
LONGEST = 40  # characters of an axis label


def plot(result: Series, names: Sequence[str], compare: Series | Sequence[Series] | Mapping[str, Series] = ()) -> Any:
    """A figure of pyplot with one diagram per unit, shown by `plt.show()` in a script and by itself in a notebook.

    `compare` are further results, drawn dashed, dotted …: a result, a list of results, or {label: result}.
    """
    if not names:
        raise ModelError("plot needs the names of the variables to draw, e.g. r.plot('rev.phi').")
    runs = _runs(result, compare)
    values = {label: _values(run, names, label if len(runs) > 1 else "") for label, run in runs.items()}
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(unit_of(result, name), []).append(name)
    figure, axes = subplots(len(groups), 1, sharex=True, figsize=(8, 1.0 + 2.6 * len(groups)))
    axes = axes[:, 0]
    for axis, (unit, group) in zip(axes, groups.items(), strict=True):
        for style, (label, run) in zip(STYLES, runs.items(), strict=False):
            axis.set_prop_cycle(None)  # a variable has one colour in all results
            for name in group:
                for entry, curve in _curves(name, values[label][name]):
                    axis.plot(run.t, curve, style, label=entry if run is result else None)
        if len(runs) > 1:
            for style, label in zip(STYLES, runs, strict=False):
                axis.plot([], [], style, color="grey", label=label)
        axis.set_ylabel(_label(group, unit))
        axis.grid(alpha=0.3)
        if len(axis.get_legend_handles_labels()[1]) > 1:  # the axis names a single curve
            axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    axes[-1].set_xlabel("t / s")
    return figure


def subplots(rows: int, columns: int, **options: Any) -> tuple[Any, np.ndarray]:
    """A figure of pyplot and its axes as a matrix; a notebook draws it once, whether a cell ends with it or not."""
    import matplotlib.pyplot as plt

    return plt.subplots(rows, columns, squeeze=False, layout="constrained", FigureClass=_drawn_once(), **options)


@cache
def _drawn_once() -> type:
    """A figure that leaves pyplot's list when a notebook has drawn it.

    Notebooks draw what a cell ends with, and then all figures that pyplot still has.
    """
    import matplotlib
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    class Plot(Figure):
        def _ipython_display_(self) -> None:
            if "inline" not in matplotlib.get_backend():
                raise NotImplementedError  # a window or widget: its own way
            from IPython.core.pylabtools import print_figure
            from IPython.display import Image, display

            display(Image(print_figure(self, "png")))
            plt.close(self)

    return Plot


def _runs(result: Series, compare: Series | Sequence[Series] | Mapping[str, Series]) -> dict[str, Series]:
    """Results by label, the first one being `result`."""
    given = [compare] if isinstance(compare, Series) else compare
    labelled = isinstance(given, Mapping)
    others: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {
        f"run {k}": other for k, other in enumerate(given, start=2)}
    for label, other in others.items():
        if not isinstance(other, Series):
            raise ModelError(f"compare: {label} is a {type(other).__name__}; give results, or {{label: result}}.")
    if len(others) >= len(STYLES):
        raise ModelError(f"compare: {len(others)} results beside the first are too many to tell apart in one picture; "
                         f"give at most {len(STYLES) - 1}.")
    first = "this run" if labelled else "run 1"
    return {first: result, **others}


def _values(run: Series, names: Sequence[str], label: str) -> dict[str, np.ndarray]:
    try:
        return run.get_many(names)
    except UnknownNameError as error:
        raise UnknownNameError(f"plot, {label}: {error}", *error.components) if label else error from None


def _curves(name: str, values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """(label, numbers over time) of every entry of a variable."""
    for index in np.ndindex(*values.shape[1:]):
        yield name + (f"[{','.join(map(str, index))}]" if index else ""), values[(slice(None), *index)]


def _label(group: Sequence[str], unit: str) -> str:
    """What is on the axis: the variables, or their components where that would be long, and the unit."""
    text = ", ".join(group)
    if len(text) > LONGEST:
        text = ", ".join(dict.fromkeys(name.rpartition(".")[0] or name for name in group))
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    return f"{text} / {written(unit)}" if unit and unit != "1" else text
