"""Assembly: coordinates that close the loops, and speeds that keep them closed.

Gauss–Newton in tangent coordinates; the larger its weight W, the less a mobility moves:

    δ = −W^-½ (G W^-½)⁺ g(q),     q ← q + α N(q) δ,     quaternions back to unit length

with the step α halved until the residual falls; where it never does, the search starts again from positions near by.
Then on velocity level
u ← u − W^-½ (G W^-½)⁺ ġ(q, u).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..errors import AssemblyError
from .least_norm import as_matrix, least_norm
from .least_squares import Damped, descent
from .tolerances import (
    CLOSING_STEPS,
    CREEPING,
    CREEPING_STEPS,
    FALLING,
    GAP_CLOSED,
    HELD,
    MISFIT,
    NAMED_GAP,
    SHIFTS,
    SHORTEST_SHARE,
)
from .unmoved_directions import refuse_gaps_across

if TYPE_CHECKING:
    from ..algebra import VectorLike
    from .state import State
    from .system import System


def assemble(system: System, state: State, weights: VectorLike | None = None, tolerance: float = GAP_CLOSED) -> State:
    """A copy of `state` that satisfies the constraints, as near to it as the weights ask.

    `weights` (nu numbers, default 1) resist the change of each mobility; inf holds its coordinate and speed.
    Raises AssemblyError with the least residual found of every constraint that stays open.
    """
    state = state.copy()
    system.normalise(state)
    if not system.mechanism.constraints:
        return state
    refuse_gaps_across(system, state)
    freedom = np.ones(system.mechanism.nu) if weights is None else 1 / np.sqrt(np.asarray(weights, dtype=float))
    _close_from_several(system, state, freedom, tolerance)
    _keep_closed(system, state, freedom, tolerance)
    return state


def nearly_closed(system: System, state: State) -> bool:
    """Whether loops are closed, and kept so, as well as a run leaves them: another one takes up the state as it is."""
    fastest = 1.0 + float(np.max(np.abs(state.u), initial=0.0))
    return (_size(_position(system, state)[0]) <= MISFIT
            and _size(_velocity(system, state)[0]) <= MISFIT * fastest)


def _close_from_several(system: System, state: State, freedom: np.ndarray, tolerance: float) -> None:
    """Position level; where the gap is stationary at the start (a stretched chain), it begins farther away."""
    start, random, best = state.q.copy(), np.random.default_rng(0), None
    spread = freedom * system.mechanism.spread
    for size in (0.0, *np.repeat(SHIFTS, 3)):
        state.q = start + system.advance(start, size * spread * random.uniform(-1, 1, len(freedom)))
        system.normalise(state)
        error = _close(system, state, freedom, tolerance)
        if error is None:
            return
        if best is None or _size(error) < _size(best[0]):
            best = error, state.q.copy()
    state.q = best[1]
    raise _failure(system, "position", _least_gap(system, state, freedom))


def _close(system: System, state: State, freedom: np.ndarray, tolerance: float) -> np.ndarray | None:
    """Gauss–Newton from the state as it is; the residual that is left, None once closed."""

    def trials(_: np.ndarray, error: np.ndarray, A: np.ndarray) -> Iterator[np.ndarray]:
        step = -least_norm(as_matrix(A), error, HELD)
        limit = np.max(np.abs(freedom * step), initial=0.0)
        scale = min(1.0, 1.0 / limit) if limit > 0 else 1.0  # no coordinate turns by more than a radian at once
        while scale >= SHORTEST_SHARE:
            yield scale * step
            scale /= 2

    milestone = np.inf
    for iteration, (q, error) in enumerate(_falling(system, state, freedom, trials)):
        state.q = q
        size = _size(error)
        if size <= tolerance:
            return None
        if iteration == CLOSING_STEPS:
            return error
        if iteration % CREEPING_STEPS == 0:
            if size > CREEPING * milestone:
                break  # progress has become slow: the gap is near its least value
            milestone = size
    state.q = q
    return None if size <= MISFIT else error


def _least_gap(system: System, state: State, freedom: np.ndarray) -> np.ndarray:
    """Levenberg–Marquardt on the residual from the state as it is: what is left where it is least."""
    damped, before = Damped(), np.inf
    for _, error in islice(_falling(system, state, freedom, lambda _, r, A: damped(r, A)), CLOSING_STEPS):
        if before - _size(error) < FALLING * _size(error):
            break
        before = _size(error)
    return error


def _falling(system: System, state: State, freedom: np.ndarray,
             trials: Callable[..., Iterator[np.ndarray]]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Coordinates and gaps along steps δ with q ← q + N W^-½ δ; `state` is at the last that was tried."""

    def measure(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        state.q = q
        error, G = _position(system, state)
        return error, G * freedom

    def move(q: np.ndarray, step: np.ndarray) -> np.ndarray:
        state.q = q + system.advance(q, freedom * step)
        system.normalise(state)
        return state.q.copy()

    return descent(state.q.copy(), measure, move, trials)


def _keep_closed(system: System, state: State, freedom: np.ndarray, tolerance: float) -> None:
    """Velocity level: one linear solve, and one more against rounding."""
    for _ in range(2):
        error, G = _velocity(system, state)
        state.u = state.u - _least_change(G, error, freedom)
    error, _ = _velocity(system, state)
    if _size(error) > 1e4 * tolerance * (1 + np.max(np.abs(state.u), initial=0.0)):
        raise _failure(system, "velocity", error)


def _least_change(G: np.ndarray, error: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """W^-½ (G W^-½)⁺ error."""
    return freedom * least_norm(as_matrix(G * freedom), error, HELD)


def _position(system: System, state: State) -> tuple[np.ndarray, np.ndarray]:
    error, G = system.evaluate(state, "position_error", "constraint_matrix")
    active, on_level = system.active_rows(state, "position")
    return np.where(active, error, 0.0), np.where(active[:, None], G[on_level], 0.0)


def _velocity(system: System, state: State) -> tuple[np.ndarray, np.ndarray]:
    error, G = system.evaluate(state, "velocity_error", "constraint_matrix")
    active, on_level = system.active_rows(state, "velocity")
    return np.where(active, error, 0.0), np.where(active[:, None], G[on_level], 0.0)


def _size(error: np.ndarray) -> float:
    return float(np.linalg.norm(error))


def _failure(system: System, level: str, error: np.ndarray) -> AssemblyError:
    names = system.row_names(level)
    gaps: dict[str, float] = {}
    for name, value in zip(names, error, strict=True):
        gaps[name] = float(np.hypot(gaps.get(name, 0.0), value))
    open_ones = {name: value for name, value in gaps.items() if value > NAMED_GAP} or gaps
    listed = ", ".join(f"{name} ({value:.3g})" for name, value in sorted(open_ones.items(), key=lambda i: -i[1]))
    what = "cannot be closed" if level == "position" else "cannot be kept closed: no speeds satisfy them"
    advice = ("Likely: a length is too short or too long, or the start lies on the wrong side. Try other coordinates "
              "to start from." if level == "position" else "Likely: speeds that are held contradict each other.")
    return AssemblyError(f"{system.mechanism.name}: constraints that {what}, with their residuals: {listed}. {advice}",
                         *open_ones)
