"""Inputs that change over time: compiled into the code as formulas or look-up tables.

A function of t that works on symbols (`lambda t: 3 * lw.sin(t)`, NumPy's functions too) becomes the formula itself.
Any other function is sampled until a smooth table meets it to the accuracy of the run; (t, values) is linear between
the points.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import casadi as ca
import numpy as np

from ..errors import ModelError, unknown_name
from ..mechanism import TIME
from ..system import State, System, Table

FIRST_SAMPLES = 33
MOST_SAMPLES = 20_000


def with_inputs(system: System, state: State | None, inputs: Mapping[str, object], start: float, stop: float,
                accuracy: float) -> tuple[System, State | None, dict[str, object]]:
    """(system with inputs over time in its code, the state for it, the inputs that are plain numbers)."""
    over_time = {name: value for name, value in inputs.items() if callable(value) or _is_series(value)}
    plain = {name: value for name, value in inputs.items() if name not in over_time}
    if not over_time:
        return system, state, plain
    model = getattr(system, "model", None)
    known = [item.name for item in system.mechanism.discretes]
    for name in over_time:
        if model is None or name in system.names_table and name not in known:
            raise ModelError(f"{name}: only an input of a model (m.input) may change over time; give a number here.",
                             name)
        if name not in known:
            raise unknown_name(name, known, "the list of inputs (m.input)")
    from .compile import compile_model

    signals = {name: _expression(name, value, start, stop, accuracy) for name, value in over_time.items()}
    new = compile_model(model, tunable=[p.name for p in system.mechanism.parameters], signals=signals)
    return new, None if state is None else _transferred(state, new), plain


def _is_series(value) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(np.ndim(part) == 1 for part in value)


def _expression(name: str, value, start: float, stop: float, accuracy: float) -> ca.SX:
    if callable(value):
        formula = _formula(value, start, stop)
        return formula if formula is not None else _sampled(name, value, start, stop, accuracy)
    try:
        t, y = (np.asarray(part, dtype=float) for part in value)
        return Table(t, y, "linear", "hold")(TIME)
    except (TypeError, ValueError, ModelError) as error:
        raise ModelError(f"{name}: an input over time is (t, values), two equally long rows of numbers with t "
                         f"increasing: {error}", name) from None


def _formula(f, start: float, stop: float) -> ca.SX | None:
    """f(lw.time) as an expression, where the function takes symbols and means the same by them."""
    times = np.linspace(start, stop, 17)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expression = ca.SX(f(TIME))
            if expression.numel() != 1 or any(not ca.is_equal(s, TIME) for s in ca.symvar(expression)):
                return None
            values = ca.Function("f", [TIME], [expression])
            pairs = [(float(values(t)), float(f(float(t)))) for t in times]
            same = all(abs(traced - called) <= 1e-12 * (1 + abs(called)) for traced, called in pairs)
    except Exception:  # whatever a user's function does with a symbol: it is sampled then
        return None
    return expression if same else None


def _sampled(name: str, f, start: float, stop: float, accuracy: float) -> ca.SX:
    """A smooth table through samples of f, refined where it misses f half way between them."""
    def sample(times):
        try:
            values = np.array([float(f(float(t))) for t in times])
        except Exception as error:
            raise ModelError(f"{name}: the function given for this input failed: {type(error).__name__}: {error}",
                             name) from error
        if not np.all(np.isfinite(values)):
            raise ModelError(f"{name}: the function given for this input is {values[~np.isfinite(values)][0]} at t = "
                             f"{times[~np.isfinite(values)][0]:g}.", name)
        return values

    t = np.linspace(start, stop, FIRST_SAMPLES)
    y = sample(t)
    while True:
        table = Table(t, y, "smooth", "hold")
        middle = (t[1:] + t[:-1]) / 2
        exact = sample(middle)
        reached = np.array(table.casadi.map(len(middle))(middle.reshape(1, -1))).ravel()
        miss = np.abs(reached - exact) > accuracy * (1 + np.abs(exact).max())
        # a jump is never met: it becomes a ramp of a billionth of the run
        miss &= np.diff(t) > 1e-9 * (stop - start)
        if not miss.any() or len(t) + miss.sum() > MOST_SAMPLES:
            return table(TIME)
        # neighbours too, since a point bends the pieces on both sides
        miss |= np.append(miss[1:], False) | np.append(False, miss[:-1])
        t = np.concatenate([t, middle[miss]])
        y = np.concatenate([y, exact[miss]])
        order = np.argsort(t)
        t, y = t[order], y[order]


def _transferred(state: State, system: System) -> State:
    """The same values in a state of another system of the same model."""
    new = system.state(assembled=False)
    new.t, new.q, new.u, new.z, new.p = state.t, state.q, state.u, state.z, state.p
    if len(new.y) == len(state.y):
        new.y = state.y
    values, offset = {}, 0
    for item in state.system.mechanism.discretes:
        values[item.name] = state.d[offset : offset + item.symbol.numel()]
        offset += item.symbol.numel()
    kept = [values[item.name] for item in system.mechanism.discretes]
    new.d = np.concatenate([np.zeros(0), *kept])
    return new
