"""Functions behind some blocks of `texts`: sources that are more than a formula of Modelica."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...errors import ModelError
from ...language.symbolic import symbolic
from .algorithms import Results
from .arithmetic import Literal, OneEntry

KINDS = {"LinearSegments": "linear", "ContinuousDerivative": "smooth", "MonotoneContinuousDerivative1": "monotone",
         "MonotoneContinuousDerivative2": "monotone", "ModifiedContinuousDerivative": "smooth"}


def table(rows: Any, columns: Any, u: Any, smoothness: Any = "LinearSegments",
          extrapolation: Any = "LastTwoPoints") -> Any:
    """Columns of a table over its first one."""
    rows = np.asarray(rows, dtype=float)
    if not rows.size:
        raise ModelError("a table that is read from a file is not read; write it into the model")
    kind = smoothness.name if isinstance(smoothness, Literal) else smoothness
    beyond = extrapolation.name if isinstance(extrapolation, Literal) else extrapolation
    if kind not in KINDS:
        raise ModelError(f"a table with smoothness {kind} is not read")
    if beyond == "Periodic":
        first, span = rows[0, 0], rows[-1, 0] - rows[0, 0]
        u = u - span * symbolic(ca.floor((u - first) / span))
    found = [_column(rows, int(column), u, kind, beyond) for column in columns]
    return OneEntry(found[0]) if len(found) == 1 else symbolic(ca.vertcat(*found))


def _column(rows: np.ndarray, column: int, u: Any, kind: str, beyond: str) -> Any:
    x, y = rows[:, 0], rows[:, column - 1]
    if len(x) == 1 or np.ptp(y) == 0:
        return ca.SX(float(y[0]))
    if np.any(np.diff(x) <= 0):
        return _with_jumps(x, y, u)
    how = "linear" if beyond == "LastTwoPoints" and kind == "linear" else "hold"
    if how == "hold":
        return lw.blocks.table(x, y, u, KINDS[kind], "hold")
    inside = lw.blocks.table(x, y, u, "linear", "hold")
    before = (y[1] - y[0]) / (x[1] - x[0]) * ca.fmin(u - x[0], 0)
    after = (y[-1] - y[-2]) / (x[-1] - x[-2]) * ca.fmax(u - x[-1], 0)
    return inside + before + after


def _with_jumps(x: np.ndarray, y: np.ndarray, u: Any) -> Any:
    """Linear pieces with jumps where a place occurs twice; the value after a jump counts."""
    found: Any = ca.SX(float(y[-1]))
    for k in reversed(range(len(x) - 1)):
        if x[k + 1] > x[k]:
            piece = y[k] + (y[k + 1] - y[k]) / (x[k + 1] - x[k]) * (u - x[k])
            found = ca.if_else(u < x[k + 1], piece, found)
    return found


def kinematic_ptp(q_begin: Any, q_end: Any, qd_max: Any, qdd_max: Any, start_time: float) -> Results:
    """q, qd, qdd, moving and the end of the fastest motion of several axes together."""
    motion = lw.blocks.kinematic_ptp(q_end, q_begin, qd_max, qdd_max, start_time)
    n = motion.q.numel()
    moving = symbolic(ca.logic_and(lw.time >= start_time, lw.time < motion.end_time))
    vectors = [OneEntry(v) if n == 1 else symbolic(ca.SX(v)) for v in (motion.q, motion.qd, motion.qdd)]
    return Results([*vectors, [moving] * n if n > 1 else [moving], motion.end_time])


def trapezoid(amplitude: float, rising: float, width: float, falling: float, period: float, start: float,
              count: int) -> Any:
    """A trapezoid in each period, `count` of them; −1 for no end."""
    whole = lw.blocks.trapezoid(amplitude, rising, width, falling, period, start)
    return whole if count < 0 else symbolic(ca.if_else(lw.time < start + count * period, whole, 0.0))


def since(start: float, value: Any) -> Any:
    """The value from a time on, and zero before; a run begins at zero."""
    return value if start == 0 else symbolic(ca.if_else(lw.time < start, 0.0, value))


FUNCTIONS = {
    "Linkwright.since": since, "Linkwright.table": table, "Linkwright.kinematicPTP": kinematic_ptp,
    "Linkwright.trapezoid": trapezoid,
    "Linkwright.pulse": lambda amplitude, width, period, start: lw.blocks.pulse(amplitude, width, period, start)}
