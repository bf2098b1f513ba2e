"""Blocks with states: integrators, filters, controllers; and limiters (Modelica's Continuous and Nonlinear)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ...algebra import Scalar, VectorLike
from ...errors import ModelError
from ...language import Block, announce, numbers
from ...language.expressions import where
from ...language.fields import Guess, as_expression
from ...language.given_values import as_matrix, floats
from ...language.ranges import POSITIVE
from ..tolerances import REAL_POLE
from .checks import ask

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

#: where the states of a block begin: numbers, `lw.guess(…)` of them, or "steady"
Start = float | VectorLike | Guess | str


def _states(kind: str, name: str | None, n: int, start: Start, rates: Callable[[ca.SX], Sequence[Scalar]],
            output: Callable[[ca.SX], Scalar], at: slice | np.ndarray = slice(None), u: ca.SX | None = None,
            given: dict[str, Scalar | None] | None = None) -> ca.SX:
    """Make a block: `rates(x)` and `output(x)` of its states x, of which those `at` begin at `start` and others at 0.

    `u` is its input where it has one alone, and `given` its numbers by name.  Returns the output.
    """
    steady, guessed = isinstance(start, str), isinstance(start, Guess)
    if steady and start != "steady":
        raise ModelError(f"{name or kind}: start is a number, lw.guess(number), or 'steady' for a start at rest, not "
                         f"{start!r}.")
    values = np.zeros(n)
    first = floats(0.0 if steady else numbers(start.value if guessed else start), f"{name or kind}.start")
    try:
        values[at] = first
    except ValueError:
        raise ModelError(f"{name or kind}: start is one number for all states or {values[at].size}, got {first.size}.",
                         name or kind) from None
    x = ca.SX.sym(f"{name or kind}.x", n)
    y = output(x)
    announce(Block(kind, name, x, ca.vertcat(*rates(x)), values, {"x": x, "y": ca.SX(y)}, steady or guessed, steady,
                   input=u, numbers={key: value for key, value in (given or {}).items() if value is not None}))
    return y


def _signal(u: Scalar, kind: str, name: str | None) -> ca.SX:
    return as_expression(u, (), f"{name or kind}.u")


def _bounds(kind: str, y_max: Scalar | None, y_min: Scalar | None) -> tuple[Scalar, Scalar] | None:
    """(lower, upper) of a block's output; y_max alone means ±y_max."""
    if y_max is None and y_min is None:
        return None
    if y_max is None:
        raise ModelError(f"{kind}: y_min = {y_min} needs y_max too; y_max alone means ±y_max.", kind)
    y_min = -y_max if y_min is None else y_min
    ask(kind, y_max=y_max, y_min=y_min)
    if not _plain(y_min) < _plain(y_max):
        raise ModelError(f"{kind}: y_min = {y_min} must lie below y_max = {y_max}.", kind)
    return y_min, y_max


def _kept(x: ca.SX, rate: ca.SX, bounds: tuple[Scalar, Scalar] | None) -> ca.SX:
    """The rate of a state; none where it stands on a bound and would leave."""
    if bounds is None:
        return rate
    leaves = ca.logic_or(ca.logic_and(x >= bounds[1], rate > 0), ca.logic_and(x <= bounds[0], rate < 0))
    return where(leaves, 0.0, rate)


def integrator(u: Scalar, k: Scalar = 1.0, start: Start = 0.0, name: str | None = None, y_max: Scalar | None = None,
               y_min: Scalar | None = None) -> ca.SX:
    """ẏ = k u, limited to y_min (default −y_max) … y_max if these are given (Continuous.Integrator, LimIntegrator)."""
    u = _signal(u, "integrator", name)
    ask(name or "integrator", k=k)
    bounds = _bounds(name or "integrator", y_max, y_min)
    return _states("integrator", name, 1, start, lambda x: [_kept(x[0], k * u, bounds)], lambda x: x[0],
                   u=u, given={"k": k, **({} if bounds is None else {"y_max": bounds[1], "y_min": bounds[0]})})


def first_order(u: Scalar, k: Scalar = 1.0, T: Scalar = 1.0, start: Start = 0.0, name: str | None = None,
                y_max: Scalar | None = None, y_min: Scalar | None = None) -> ca.SX:
    """A first-order lag: ẏ = (k u − y)/T, limited to y_min … y_max if these are given (Continuous.FirstOrder)."""
    u = _signal(u, "first_order", name)
    ask(name or "first_order", k=k)
    ask(name or "first_order", POSITIVE, T=T)
    bounds = _bounds(name or "first_order", y_max, y_min)
    return _states("first_order", name, 1, start, lambda x: [_kept(x[0], (k * u - x[0]) / T, bounds)], lambda x: x[0],
                   u=u if bounds is None else None, given={"k": k, "T": T})


def second_order(u: Scalar, k: Scalar = 1.0, w: Scalar = 1.0, D: Scalar = 1.0, start: Start = 0.0,
                 name: str | None = None) -> ca.SX:
    """An oscillator: ÿ = w (w (k u − y) − 2 D ẏ) (Continuous.SecondOrder)."""
    u = _signal(u, "second_order", name)
    ask(name or "second_order", k=k, D=D)
    ask(name or "second_order", POSITIVE, w=w)
    return _states("second_order", name, 2, start,
                   lambda x: [x[1], w * (w * (k * u - x[0]) - 2 * D * x[1])], lambda x: x[0], at=0, u=u,
                   given={"k": k, "w": w, "D": D})


def derivative(u: Scalar, k: Scalar = 1.0, T: Scalar = 0.01, start: Start = 0.0, name: str | None = None) -> ca.SX:
    """A filtered derivative: y = k (u − x)/T, ẋ = (u − x)/T; `start` is the start value of x
    (Continuous.Derivative).
    """
    u = _signal(u, "derivative", name)
    ask(name or "derivative", k=k)
    ask(name or "derivative", POSITIVE, T=T)
    return _states("derivative", name, 1, start, lambda x: [(u - x[0]) / T], lambda x: k * (u - x[0]) / T, u=u,
                   given={"k": k, "T": T})


def pi(u: Scalar, k: Scalar = 1.0, T: Scalar = 1.0, start: Start = 0.0, name: str | None = None) -> ca.SX:
    """Proportional and integral: y = k (x + u), ẋ = u/T (Continuous.PI)."""
    u = _signal(u, "pi", name)
    ask(name or "pi", k=k)
    ask(name or "pi", POSITIVE, T=T)
    return _states("pi", name, 1, start, lambda x: [u / T], lambda x: k * (x[0] + u), u=u,
                   given={"k": k, "T": T})


def pid(u: Scalar, k: Scalar = 1.0, Ti: Scalar | None = 0.5, Td: Scalar | None = 0.1, Nd: Scalar = 10.0,
        y_max: Scalar | None = None, y_min: Scalar | None = None, Ni: Scalar = 0.9, measured: Scalar | None = None,
        wp: Scalar = 1.0, wd: Scalar = 0.0, start: Start = 0.0, name: str | None = None) -> ca.SX:
    """A PID controller of the error u, limited with anti-windup (Continuous.LimPID).

    y = limit(v), v = k (u + I + D);  İ = (u + (y − v)/(k Ni))/Ti;  D = Nd (u − x), ẋ = (u − x) Nd/Td.
    Ti=None or Td=None omits the integral or derivative part.  Without limits (y_max None) the controller is linear;
    y_min is −y_max unless given.  With `measured`, u is the set point r: the error is r − measured in I, wp r −
    measured in P and wd r − measured in D.  `start` is the start value of I.
    """
    u = _signal(u, "pid", name)
    block = name or "pid"
    if y_min is not None and y_max is None:
        raise ModelError(f"{block}: y_min = {y_min} needs y_max too; y_max alone means ±y_max.", block)
    optional = {"Ti": Ti, "Td": Td, "y_max": y_max, "y_min": y_min}
    given = {key: value for key, value in optional.items() if value is not None}
    ask(block, k=k, wp=wp, wd=wd, **given)
    ask(block, POSITIVE, Nd=Nd, Ni=Ni, **{key: given[key] for key in ("Ti", "Td") if key in given})
    m = None if measured is None else _signal(measured, "pid", name)
    error, proportional, differential = (u, u, u) if m is None else (u - m, wp * u - m, wd * u - m)
    upper, lower = y_max, y_min if y_min is not None or y_max is None else -y_max
    if upper is not None and not isinstance(upper, ca.SX) and not isinstance(lower, ca.SX) \
            and not numbers(lower) < numbers(upper):
        raise ModelError(f"{block}: y_min = {lower} must lie below y_max = {upper}.", block)
    last = int(Ti is not None)  # where the state of D is

    def free(x: ca.SX) -> ca.SX:
        return k * (proportional + (0 if Ti is None else x[0]) + (0 if Td is None else Nd * (differential - x[last])))

    def limited(x: ca.SX) -> ca.SX:
        return free(x) if upper is None else limiter(free(x), upper, lower)

    def rates(x: ca.SX) -> list[ca.SX]:
        windup = 0 if upper is None else (limited(x) - free(x)) / (k * Ni)
        return [*([] if Ti is None else [(error + windup) / Ti]),
                *([] if Td is None else [(differential - x[last]) * Nd / Td])]

    n = last + int(Td is not None)
    if n == 0:
        return limited(None)
    return _states("pid", name, n, start, rates, limited, at=slice(0, last))


def state_space(u: VectorLike | Scalar, A: ArrayLike, B: ArrayLike, C: ArrayLike, D: ArrayLike | None = None,
                start: Start = 0.0, name: str | None = None) -> ca.SX:
    """ẋ = A x + B u, y = C x + D u; u and y may be vectors (Continuous.StateSpace)."""
    block = name or "state_space"
    A, B, C = (np.atleast_2d(floats(matrix, f"{block}.{key}")) for key, matrix in (("A", A), ("B", B), ("C", C)))
    n = A.shape[0]
    B = B.T if B.shape[0] != n else B
    D = np.zeros((C.shape[0], B.shape[1])) if D is None else np.atleast_2d(floats(D, f"{block}.D"))
    u = as_matrix(u, f"{block}.u")
    if A.shape != (n, n) or B.shape != (n, u.numel()) or C.shape[1] != n or D.shape != (C.shape[0], u.numel()):
        raise ModelError(f"{block}: A {A.shape}, B {B.shape}, C {C.shape}, D {D.shape} do not fit "
                         f"{u.numel()} inputs.", block)
    sparse = [ca.sparsify(ca.SX(matrix)) for matrix in (A, B, C, D)]
    return _states("state_space", name, n, start, lambda x: [sparse[0] @ x + sparse[1] @ u],
                   lambda x: ca.densify(sparse[2] @ x + sparse[3] @ u))


def transfer_function(u: Scalar, b: Sequence[float], a: Sequence[float], start: Start = 0.0,
                      name: str | None = None) -> ca.SX:
    """y = (b₀ sᵐ + … + bₘ)/(a₀ sⁿ + … + aₙ) u, m ≤ n, coefficients of the highest power first.

    (Continuous.TransferFunction)
    """
    u = _signal(u, "transfer_function", name)
    block = name or "transfer_function"
    a, b = (np.trim_zeros(np.atleast_1d(floats(row, f"{block}.{key}")), "f") for key, row in (("a", a), ("b", b)))
    n = len(a) - 1
    if n < 0 or len(b) > n + 1:
        raise ModelError(f"{block}: the numerator must not be of higher order than the denominator.", block)
    b = np.concatenate([np.zeros(n + 1 - len(b)), b]) / a[0]
    a = a / a[0]
    if n == 0:
        return b[0] * u
    rest = b[1:] - b[0] * a[1:]
    return _states("transfer_function", name, n, start,
                   lambda x: [u - ca.dot(ca.SX(a[1:]), x), *[x[k] for k in range(n - 1)]],
                   lambda x: ca.dot(ca.SX(rest), x) + b[0] * u)


def critical_damping(u: Scalar, n: int = 2, f: float = 1.0, normalized: bool = True, start: Start = 0.0,
                     name: str | None = None) -> ca.SX:
    """n equal first-order lags in series; `normalized`: −3 dB at f, otherwise f is the corner of each lag
    (Continuous.CriticalDamping)."""
    u = _signal(u, "critical_damping", name)
    _check_filter("critical_damping", n, f, name)
    w = 2 * np.pi * f / (np.sqrt(2 ** (1 / n) - 1) if normalized else 1.0)
    return _states("critical_damping", name, n, start,
                   lambda x: [w * ((u if k == 0 else x[k - 1]) - x[k]) for k in range(n)], lambda x: x[n - 1],
                   u=u if normalized else None, given={"n": n, "f": f})


def bessel(u: Scalar, n: int = 2, f: float = 1.0, start: Start = 0.0, name: str | None = None) -> ca.SX:
    """A Bessel low-pass of order n with −3 dB at f: constant group delay, hardly any overshoot (Continuous.Filter)."""
    from scipy.signal import besselap

    _check_filter("bessel", n, f, name)
    return _low_pass("bessel", u, besselap(n, norm="mag")[1] * 2 * np.pi * f, start, name)


def butterworth(u: Scalar, n: int = 2, f: float = 1.0, start: Start = 0.0, name: str | None = None) -> ca.SX:
    """A Butterworth low-pass of order n with −3 dB at f: the flattest pass band (Continuous.Filter)."""
    from scipy.signal import buttap

    _check_filter("butterworth", n, f, name)
    return _low_pass("butterworth", u, buttap(n)[1] * 2 * np.pi * f, start, name)


def _check_filter(kind: str, n: int, f: float, name: str | None) -> None:
    ask(name or kind, POSITIVE, f=f)
    if not (isinstance(n, (int, np.integer)) and 1 <= n <= 24):
        raise ModelError(f"{name or kind}: the order n of a filter is a whole number from 1 to 24, got {n!r}.")


def _low_pass(kind: str, u: Scalar, poles: np.ndarray, start: Start, name: str | None) -> ca.SX:
    """A row of sections of first and second order, each with gain one: x_k = (value, rate)."""
    u = _signal(u, kind, name)
    sections = [(abs(p), -p.real / abs(p)) for p in poles if p.imag > REAL_POLE * abs(p)]
    sections += [(abs(p), None) for p in poles if abs(p.imag) <= REAL_POLE * abs(p)]
    values = np.cumsum([0, *(1 if D is None else 2 for _, D in sections)])

    def rates(x: ca.SX) -> list[ca.SX]:
        out, before = [], u
        for (w, D), at in zip(sections, values, strict=False):
            out += [w * (before - x[at])] if D is None else [x[at + 1],
                                                             w * (w * (before - x[at]) - 2 * D * x[at + 1])]
            before = x[at]
        return out

    return _states(kind, name, int(values[-1]), start, rates, lambda x: x[int(values[-2])], at=values[:-1])


def rate_limiter(u: Scalar, rising: Scalar = 1.0, falling: Scalar | None = None, Td: Scalar = 0.001,
                 start: Start = 0.0, name: str | None = None) -> ca.SX:
    """Follows u no faster than `rising` and `falling` (default −rising): ẏ = limit((u − y)/Td).

    (Nonlinear.SlewRateLimiter)
    """
    u = _signal(u, "rate_limiter", name)
    ask(name or "rate_limiter", rising=rising, **({} if falling is None else {"falling": falling}))
    ask(name or "rate_limiter", POSITIVE, Td=Td)
    falling = -rising if falling is None else falling
    if _plain(rising) <= 0 or _plain(falling) >= 0:
        raise ModelError(f"{name or 'rate_limiter'}: rising must be positive and falling negative, got {rising} and "
                         f"{falling}.")
    return _states("rate_limiter", name, 1, start, lambda x: [limiter((u - x[0]) / Td, rising, falling)],
                   lambda x: x[0])


def limiter(u: Scalar, upper: Scalar = 1.0, lower: Scalar | None = None) -> ca.SX:
    """u limited to lower (default −upper) … upper; no event (Nonlinear.Limiter)."""
    lower = -upper if lower is None else lower
    if _plain(lower) > _plain(upper):
        raise ModelError(f"limiter: lower = {lower} lies above upper = {upper}; exchange them.")
    return ca.fmin(ca.fmax(u, lower), upper)


def _plain(value: Scalar) -> float:
    """The number, where a value is one; a signal is nan, which no comparison refuses."""
    try:
        return float(numbers(value))
    except (TypeError, ValueError, ModelError, RuntimeError):
        return np.nan


def dead_zone(u: Scalar, upper: Scalar = 1.0, lower: Scalar | None = None) -> ca.SX:
    """Zero between lower (default −upper) and upper, otherwise the excess over the limit; no event
    (Nonlinear.DeadZone).
    """
    return u - limiter(u, upper, lower)
