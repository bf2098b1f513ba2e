"""Inputs that change over time: compiled into the code as formulas or look-up tables.

An expression of lw.time, or a function of t that works on symbols (`lambda t: 3 * lw.sin(t)`, NumPy's functions too),
becomes the formula itself.  Any other function is sampled until a smooth table meets it to the accuracy of the run;
(t, values) is linear between the points.  The run lands on the corners and jumps of tables, so that none is stepped
over.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ..errors import LinkwrightError, ModelError, unknown_name
from ..language import Model
from ..language.reads import signals as signals_of
from ..mechanism import TIME, points_name
from ..system import State, System, Table
from .tolerances import (
    CHECKS,
    CORNER,
    FIRST_SAMPLES,
    FORMULA_TIMES,
    MOST_SAMPLES,
    PER_DERIVATIVE,
    PROBES,
    RAMP,
    SAME_FORMULA,
)


class Inputs(NamedTuple):
    """A system with inputs over time in its code, the state for it, and what the run has to know of them."""

    system: System
    state: State | None
    plain: dict[str, object]  # the inputs that are plain numbers
    corners: np.ndarray  # times to land on
    messages: list[str]


def with_inputs(system: System, state: State | None, inputs: Mapping[str, object], start: float, stop: float,
                accuracy: float, differentiated: Sequence[str] = ()) -> Inputs:
    """The system with the inputs that change over time compiled into it.

    The values of (t, values) that are to be `differentiated` by, by name, stay inputs.
    """
    over_time = {name: value for name, value in inputs.items() if callable(value) or is_series(value)}
    plain = {name: value for name, value in inputs.items() if name not in over_time}
    model, sizes = system.model, {item.name: item.symbol.numel() for item in system.mechanism.discretes}
    for name in inputs:
        refuse_formula(model, name)
    if not over_time:
        return Inputs(system, state, plain, np.zeros(0), [])
    for name in over_time:
        if model is None or name in system.names_table and name not in sizes:
            raise ModelError(f"{name}: only an input of a model (m.input, or a signal left as a number) may change "
                             "over time; give a number here.", name)
        if name not in sizes:
            raise unknown_name(name, sizes, "the list of inputs (m.input)")
    from .compiled import compile_model

    signals, corners, messages = {}, [np.zeros(0)], []
    for name, value in over_time.items():
        if name in differentiated and is_series(value):
            signals[name], plain[points_name(name)], times = _between_points(name, value, sizes[name])
            corners.append(times)
            continue
        order, courses = _times_differentiated(system, name), []
        for one in _entries(name, value, sizes[name], start):
            course, table, more = _course(name, one, start, stop, accuracy, order)
            courses.append(course)
            messages += [message for message in more if message not in messages]
            if table is not None:
                corners.append(_corners(table))
        signals[name] = ca.vertcat(*courses)
    kept = [p.name for p in system.mechanism.parameters]
    assert system.origin is not None, "every input over time was looked up in a model"
    new = compile_model(model, system.origin.tunable, signals, kept, **system.origin.options)
    state = None if state is None else _transferred(state, new)
    return Inputs(new, state, plain, np.unique(np.concatenate(corners)), messages)


def refuse_formula(model: Model | None, name: str) -> None:
    """An error where a name is that of a signal with a formula, which nothing else can give."""
    for component, own, expression in signals_of(model) if model is not None else ():
        if component.path_of(own) == name and not expression.is_constant():
            raise ModelError(f"{name} follows from a formula of the model, so that it cannot be given; leave the "
                             "signal empty, or as a number, to give it from outside.", component)


def is_series(value: Any) -> bool:
    """Whether it is (t, values): two rows, or a row and a table with a column for each entry of a vector."""
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    return pair and np.ndim(value[0]) == 1 and np.ndim(value[1]) in (1, 2)


def _entries(name: str, value: Any, size: int, start: float) -> list:
    """A course for every entry of an input: functions of t, or (t, values)."""
    if size == 1:
        return [value]
    given = np.size(value(start)) if callable(value) else np.shape(value[1])[-1] if np.ndim(value[1]) == 2 else 1
    if given != size:
        raise ModelError(f"{name}: {size} numbers are needed at every time, got {given}.", name)
    if callable(value):
        return [lambda t, k=k: value(t)[k] for k in range(size)]
    return [(value[0], np.asarray(value[1])[:, k]) for k in range(size)]


def _course(name: str, value: Any, start: float, stop: float, accuracy: float,
            order: int) -> tuple[ca.SX, Table | None, list[str]]:
    """(expression of time, the table in it if any, messages) of one number over time."""
    formula = _formula(value, start, stop) if callable(value) else None
    if formula is not None:
        return formula, None, []
    if not callable(value):
        table = _series(name, value, order)
        return table(TIME), table, []
    # a derivative of a table is less accurate than the table
    finer, kind = accuracy * PER_DERIVATIVE**order, "spline" if order else "smooth"
    table, messages = _sampled(name, value, start, stop, finer, kind)
    return table(TIME), table, messages


def _between_points(name: str, value: Any, size: int) -> tuple[ca.SX, np.ndarray, np.ndarray]:
    """(Σ vₖ φₖ(t), values v, times): straight lines between points whose values are symbols, by hats φₖ."""
    t, values = _series(name, value, 0).x, np.asarray(value[1], dtype=float)
    if size > 1 or values.ndim > 1:
        raise ModelError(f"{name}: points of an input that is a vector cannot be differentiated by.", name)
    t = np.append(t[:-1], float(value[0][-1]))
    v, course = ca.SX.sym(points_name(name), len(t)), ca.SX(0)
    for k, at in enumerate(t):
        rise = (TIME - t[k - 1]) / (at - t[k - 1]) if k else ca.SX(1)
        fall = (t[k + 1] - TIME) / (t[k + 1] - at) if k + 1 < len(t) else ca.SX(1)
        course += v[k] * ca.fmin(1, ca.fmax(0, ca.fmin(rise, fall)))
    return course, values, t[1:-1]


def _times_differentiated(system: System, name: str) -> int:
    """How often laws and results take lw.der of an input: 0, 1 or 2."""
    for output in system.mechanism.outputs.values():  # derivatives become known when outputs are written out
        if callable(output):
            with suppress(LinkwrightError):  # it is told to whoever asks for the output
                output()
    symbol = next(item.symbol for item in system.mechanism.discretes if item.name == name)
    rates = [(v.symbol, v.of) for v in system.mechanism.variables if isinstance(v.of, ca.SX)]
    once = [rate for rate, of in rates if ca.depends_on(of, ca.vec(symbol))]
    twice = any(ca.depends_on(of, ca.vec(rate)) for _, of in rates for rate in once)
    return 2 if twice else int(bool(once))


def _series(name: str, value: Any, order: int) -> Table:
    """A table linear between the given points."""
    if order > 1:
        raise ModelError(f"{name}: this input is differentiated twice, and (t, values) is linear between the points: "
                         "its second derivative does not exist. Give a smooth function of t (a spline through the "
                         "points, say), or do not follow it exactly.", name)
    try:
        t, y = (np.asarray(part, dtype=float) for part in value)
        return _table(t, y, "linear")
    except (TypeError, ValueError, ModelError) as error:
        raise ModelError(f"{name}: an input over time is (t, values), two equally long rows of numbers with t "
                         f"increasing: {error}", name) from None


def _table(t: np.ndarray, y: np.ndarray, kind: str) -> Table:
    """A table that holds its end values; the last time still belongs to the last piece, with its slope.

    A "spline" has a continuous second derivative, beside the kinds of `Table`.
    """
    table = Table(t, y, "smooth" if kind == "spline" else kind, "hold")
    table.x[-1] = table.breaks[-2] = np.nextafter(t[-1], np.inf)
    if kind == "spline":
        from scipy.interpolate import CubicSpline  # late: it is slow to import

        table.coefficients[1:-1] = CubicSpline(t, y).c[::-1].T
    return table


def _corners(table: Table) -> np.ndarray:
    """The times at which a table bends sharply or jumps."""
    h, slope = np.diff(table.x), np.diff(table.y) / np.diff(table.x)
    bend = np.abs(np.diff(slope)) * np.minimum(h[1:], h[:-1])
    return table.x[1:-1][bend > CORNER * np.ptp(table.y)]


def _formula(f: Callable[..., Any], start: float, stop: float) -> ca.SX | None:
    """f(lw.time) as an expression, where the function takes symbols and means the same by them."""
    times = np.linspace(start, stop, FORMULA_TIMES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expression = ca.SX(f(TIME))
            if expression.numel() != 1 or any(not ca.is_equal(s, TIME) for s in ca.symvar(expression)):
                return None
            values = ca.Function("f", [TIME], [expression])
            pairs = [(float(values(t)), float(f(float(t)))) for t in times]
            same = all(abs(traced - called) <= SAME_FORMULA * (1 + abs(called)) for traced, called in pairs)
    except Exception:  # whatever a user's function does with a symbol: it is sampled then
        return None
    return expression if same else None


def _sampled(name: str, f: Callable[[float], float], start: float, stop: float, accuracy: float,
             kind: str) -> tuple[Table, list[str]]:
    """A smooth table through samples of f, refined where it misses f; and a message where it still does."""
    def sample(times: np.ndarray) -> np.ndarray:
        try:
            values = np.array([float(f(float(t))) for t in times])
        except Exception as error:
            raise ModelError(f"{name}: the function given for this input failed: {type(error).__name__}: {error}",
                             name) from error
        if not np.all(np.isfinite(values)):
            raise ModelError(f"{name}: the function given for this input is {values[~np.isfinite(values)][0]} at t = "
                             f"{times[~np.isfinite(values)][0]:g}.", name)
        return values

    def missed(table: Table, times: np.ndarray, exact: np.ndarray) -> np.ndarray:
        reached = np.array(table.casadi.map(len(times))(times.reshape(1, -1))).ravel()
        return np.abs(reached - exact) > accuracy * (1 + np.abs(exact).max())

    # one point somewhere in each of many equal intervals finds what lies between the first samples
    random = np.random.default_rng(0)
    probes = start + (stop - start) * (np.arange(PROBES) + random.random(PROBES)) / PROBES
    probed = sample(probes)
    t = np.linspace(start, stop, FIRST_SAMPLES)
    y = sample(t)
    while True:
        table, full = _refined(t, y, sample, missed, stop - start, kind)
        miss = missed(table, probes, probed) & ~_near_jump(table.x, probes, stop - start)
        if full or not miss.any():
            break
        more, which = np.unique(np.concatenate([table.x[:-1], [stop], probes[miss]]), return_index=True)
        if len(more) > MOST_SAMPLES:
            full = True
            break
        t, y = more, np.concatenate([table.y, probed[miss]])[which]
    times = np.sort(start + (stop - start) * random.random(CHECKS))
    miss = missed(table, times, sample(times)) & ~_near_jump(table.x, times, stop - start)
    if not (full or miss.any()):
        return table, []
    where = f" (at t = {times[miss][0]:.6g} s, for one)" if miss.any() else ""
    return table, [f"{name}: {len(table.x)} samples do not represent the function given for this input to the accuracy "
                   f"of the run{where}. Write it as a formula (lw.sin, lw.where), or give (t, values)."]


def _refined(t: np.ndarray, y: np.ndarray, sample: Callable[[np.ndarray], np.ndarray],
             missed: Callable[[Table, np.ndarray, np.ndarray], np.ndarray], span: float,
             kind: str) -> tuple[Table, bool]:
    """A table through the samples and those added half way where it misses; and whether their number ran out."""
    while True:
        table = _table(t, y, kind)
        middle = (t[1:] + t[:-1]) / 2
        exact = sample(middle)
        # a jump is never met: it becomes a ramp of a billionth of the run
        miss = missed(table, middle, exact) & (np.diff(t) > RAMP * span)
        if not miss.any() or len(t) + miss.sum() > MOST_SAMPLES:
            return table, bool(miss.any())
        # neighbours too, since a point bends the pieces on both sides
        miss |= np.append(miss[1:], False) | np.append(False, miss[:-1])
        t = np.concatenate([t, middle[miss]])
        y = np.concatenate([y, exact[miss]])
        order = np.argsort(t)
        t, y = t[order], y[order]


def _near_jump(x: np.ndarray, times: np.ndarray, span: float) -> np.ndarray:
    """Whether times lie in a piece that is as short as pieces become, at a jump."""
    piece = np.clip(np.searchsorted(x, times) - 1, 0, len(x) - 2)
    return np.diff(x)[piece] <= 4 * RAMP * span


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
    return new.as_start() if state.begins else new
