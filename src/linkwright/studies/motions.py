"""Motions in tables, bound to the coordinates of a model: names, radians, splines, low-pass filter.

Columns are called as the coordinates are: by the name that the model gives them (`knee_angle_r` of an OpenSim file,
`knee.phi`), or by OpenSim's path (`/jointset/knee_r/knee_angle_r/value`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..result import TimeTable, unit_of
from ..system import State, System
from .freedoms import place_of
from .tolerances import UNEVEN

#: value, rate and second derivative at a time
Course = Callable[[float], tuple[float, float, float]]


def coordinate_names(system: System) -> list[str]:
    """A name for every entry of q: that which the model gives it as an output, or else that of the joint."""
    names = list(system.part_names("q"))
    model = getattr(system, "model", None)
    q = system.equations.symbols["q"]
    for own in () if model is None else model._outputs:
        expression = system.expression(own)
        for k in range(q.numel()) if expression.numel() == 1 else ():
            if ca.is_equal(expression, q[k]):
                names[k] = own
    return names


def column_of(system: System, title: str) -> str | None:
    """The coordinate that a column of a motion is of; None where it is of none."""
    path = title.strip("/").split("/")
    if len(path) > 1 and path[-1] == "value":
        title = path[-2]
    elif len(path) > 1:
        return None
    for name in (title, _word(title), f"{_word(title)}_coordinate"):
        if name in system.names_table:
            return name
    return None


def point_of(system: System, marker: str) -> str | None:
    """The position variable of a marker or body; None where the model has none of that name."""
    for name in (marker, f"{marker}.r_0", f"{_word(marker)}_Marker.r_0", f"{_word(marker)}.r_0"):
        if name in system.names_table and system.expression(name).numel() == 3:
            return name
    return None


def frame_of(system: System, body: str) -> str | None:
    """The rotation matrix of a frame, or of frame_a of a body; None where there is none."""
    for name in (f"{body}.R.T", f"{body}.frame_a.R.T", f"{_word(body)}.frame_a.R.T"):
        if name in system.names_table:
            return name
    return None


def _word(name: str) -> str:
    """A name as it is in a model that was read from a file."""
    return re.sub(r"\W", "_", name.strip(), flags=re.ASCII)


class _Named:
    """What unit_of asks for."""

    def __init__(self, system: System) -> None:
        self.system = system


def is_angle(system: System, name: str) -> bool:
    """Whether a coordinate is counted in radians."""
    return unit_of(_Named(system), name) == "rad"


def coordinates_in(system: System, state: State, table: TimeTable) -> dict[str, np.ndarray]:
    """The columns of a table that are coordinates of the model, in radians and metres."""
    found: dict[str, np.ndarray] = {}
    for title, column in table.values.items():
        name = column_of(system, title)
        if name is None or column.ndim != 1:
            continue
        try:
            place_of(system, state, name)
        except ModelError:
            continue
        found[name] = column * (np.pi / 180 if table.degrees and is_angle(system, name) else 1.0)
    if not found:
        raise ModelError(f"{table.title}: no column is a coordinate of {system.mechanism.name!r} (columns: "
                         f"{', '.join(table.names[:8])}…; coordinates: {', '.join(coordinate_names(system)[:8])}…).")
    return found


# --- smooth courses ---


def smooth_course(t: np.ndarray, values: np.ndarray, cutoff: float | None = None) -> Course:
    """A spline of degree 5 through values over time, filtered before if a cutoff frequency (Hz) is given.

    Its ends are natural (third and fourth derivative vanish), as those of Woltring's GCVSPL are.  For the filter the
    values are first continued at both ends by half as many, mirrored at the end points, and taken at equal steps.
    """
    if len(t) < 6 or not np.all(np.isfinite(values)):
        raise ModelError("a motion needs at least six times, and values without gaps.")
    if cutoff is not None:
        t, values = _continued(t, len(t) // 2), _continued(values, len(t) // 2)
        steps = np.diff(t)
        h = float(steps.min())
        if np.mean(steps) - h > UNEVEN:
            spline = _spline(t, values)
            t = t[0] + h * np.arange(int(np.floor((t[-1] - t[0]) / h + 0.5)) + 1)
            values = spline(np.minimum(t, t[-1]))
        values = low_pass(values, h, cutoff)
    spline = _spline(t, values)
    rate, second = spline.derivative(1), spline.derivative(2)
    return lambda time: (float(spline(time)), float(rate(time)), float(second(time)))


def low_pass(values: np.ndarray, h: float, cutoff: float) -> np.ndarray:
    """Butterworth's filter of order three, forwards and backwards, so that nothing is delayed; h is the step of time.

    By the bilinear transform with ω = tan(π f h): H(s) = 1/((s + 1)(s² + s + 1)) (Oppenheim, Schafer, §7.1).
    """
    from scipy.signal import lfilter

    if not 0 < cutoff < 0.5 / h:
        raise ModelError(f"filter = {cutoff:g} Hz must be positive and below half the rate of the data ({0.5 / h:g} "
                         "Hz).")
    w = np.tan(np.pi * cutoff * h)
    lead = (w + 1) * (w * w + w + 1)
    b = w**3 / lead * np.array([1.0, 3.0, 3.0, 1.0])
    a = np.array([lead, 3 * w**3 + 2 * w * w - 2 * w - 3, 3 * w**3 - 2 * w * w - 2 * w + 3,
                  (w - 1) * (w * w - w + 1)]) / lead

    def forwards(x: np.ndarray) -> np.ndarray:
        # the first three values stay as they are: the state that has made them
        y = x.copy()
        before = np.array([sum(b[j + k] * x[2 - j] - a[j + k] * y[2 - j] for j in range(4 - k) if j < 3)
                           for k in (1, 2, 3)])
        y[3:] = lfilter(b, a, x[3:], zi=before)[0]
        return y

    return forwards(forwards(values)[::-1])[::-1]


def _spline(t: np.ndarray, values: np.ndarray) -> Callable:
    from scipy.interpolate import make_interp_spline

    free = [(3, 0.0), (4, 0.0)]
    return make_interp_spline(t, values, k=5, bc_type=(free, free))


def _continued(x: np.ndarray, count: int) -> np.ndarray:
    """Mirrored at both end points."""
    return np.concatenate([2 * x[0] - x[count:0:-1], x, 2 * x[-1] - x[-2:-2 - count:-1]])
