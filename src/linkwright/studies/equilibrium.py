"""Equilibrium: a state at rest in which all forces balance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..compiler import beginning, system_of
from ..errors import AssemblyError, LinkwrightError
from ..start import count_turns, winding_places
from ..system import State, System
from ..system.given_motions import on_course
from ..system.tangents import with_changes, with_tangents
from .equilibrium_derivatives import columns_at_rest, resting_changes
from .freedoms import Tangent
from .sensitivities import tunable
from .small_changes import SmallChanges
from .tolerances import (
    ARRIVED,
    BALANCE_STEPS,
    BALANCE_TRIES,
    BALANCED,
    FORCE_DIFFERENCE,
    HALVINGS,
    LONGEST,
    NEARLY,
    NO_FORCE,
    NO_STIFFNESS,
    NO_STIFFNESS_AT_ALL,
    NO_STIFFNESS_OF_FORCE,
    NOT_PULLED,
    RELAXING_FIRST,
    RELAXING_GROWTH,
    RELAXING_LONGEST,
    RELAXING_REACH,
    RELAXING_STEPS,
    ROUNDED,
    TINY,
)


def equilibrium(model: object, near: State | None = None, sensitivities: str | Sequence[str] | None = None) -> State:
    """Find the static equilibrium near a state (default: the initial state): u = 0, u̇ = 0, ż = 0.

        rest = lw.equilibrium(m)
        r = lw.simulate(m, 1.0, state=rest)             # stays at rest

    Newton's method along the degrees of freedom that the loops leave, with the stiffness matrix made positive definite,
    so that the search follows the forces to a stable equilibrium.  If it does not converge, a damped motion of the
    mechanism gives a better starting point.  Raises AssemblyError if no equilibrium is found.

    `sensitivities` names parameters and inputs by which the state is differentiated; then `state.sensitivity("rev.phi",
    "spring.c")` is the derivative of any variable.
    """
    if sensitivities is not None:
        system, wanted = tunable(model, sensitivities)
        return _differentiated(system, equilibrium(system, near), wanted)
    system = system_of(model)
    state = beginning(system, near)
    state.u = np.zeros_like(state.u)
    watched = _watched(system)
    for attempt in range(BALANCE_TRIES):
        state, left = _newton(system, state, watched)
        if not left:
            count_turns(system, state)
            return state
        if attempt < BALANCE_TRIES - 1:
            state = _relaxed(system, state, watched)
    raise AssemblyError(f"{system.mechanism.name}: no equilibrium was found from the given state; what is left over is "
                        f"{left}. Likely: something may fall or slide for ever, or start nearer.")


def _differentiated(system: System, state: State, wanted: Sequence[str]) -> State:
    """The state that knows how it changes."""
    columns = columns_at_rest(system, state, wanted)
    changes = resting_changes(system, state, columns)
    wide = with_tangents(system, columns, [1.0] * len(columns)).equations
    z = changes.along("z") + _turns(system, changes)
    rest = np.zeros((wide.height - wide.plain_size, len(columns)))
    return with_changes(system, state, columns, np.vstack([changes.along("q"), changes.along("u"), z, rest]).T)


def _turns(system: System, changes: SmallChanges) -> np.ndarray:
    """What counts turns follows the angles."""
    out, start = np.zeros((len(system.part_names("z")), changes.count)), system.mechanism.start
    for winding in start.windings if start is not None else ():
        out[winding_places(system)[winding.name]] = changes.of(system.equations.finish(winding.wound)[0])
    return out


def _newton(system: System, state: State, watched: list[int]) -> tuple[State, str]:
    """Newton's method from a state: where it ends, and in words what is left there, nothing at an equilibrium."""
    left = ""
    for _ in range(BALANCE_STEPS):
        try:
            tangent = Tangent(system, state)
            n = len(tangent.q_free)

            def moved(x: np.ndarray, tangent: Tangent = tangent, n: int = n) -> State:
                dz = np.zeros(len(tangent.state.z))
                dz[watched] = x[n:]
                return tangent.moved(dq=x[:n], dz=dz)

            def imbalance(x: np.ndarray, moved: Callable = moved, tangent: Tangent = tangent) -> np.ndarray:
                there = moved(x)
                there.u = np.zeros_like(there.u)
                return _imbalance(system, there, tangent, watched)

            r = imbalance(np.zeros(n + len(watched)))
            scale = 1 + np.max(np.abs(system.inverse_dynamics(tangent.state, np.zeros(tangent.nu))), initial=0.0)
            slopes = _slopes(imbalance, n + len(watched))
            step = _step(slopes, r, n, NO_FORCE * scale)
            longest = np.max(np.abs(step), initial=0.0)
            balanced = max(BALANCED * scale, ROUNDED * np.max(np.abs(slopes), initial=0.0))
            off = np.max(np.abs(r), initial=0.0)
            if off < balanced and longest < ARRIVED:
                nearer = np.max(np.abs(imbalance(step)), initial=0.0) < off  # the last step, unless it only rounds
                return _at_rest(moved(step) if nearer else tangent.state), ""
            left = _said(system, tangent, watched, r)
            step *= min(1.0, LONGEST / longest) if longest > 0 else 1.0
            for _ in range(HALVINGS if not watched and longest > NEARLY else 0):
                if step @ imbalance(step) > -(step @ r) / 2:
                    break
                step = step / 2  # the forces push back there: too far
            state = _at_rest(moved(step))
        except (LinkwrightError, np.linalg.LinAlgError) as error:
            return state, left or str(error)
    return state, left


def _slopes(imbalance: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """The Jacobian of the imbalance by central differences."""
    columns = [(imbalance(e) - imbalance(-e)) / (2 * FORCE_DIFFERENCE) for e in FORCE_DIFFERENCE * np.eye(n)]
    return np.column_stack(columns) if columns else np.zeros((0, 0))


def _relaxed(system: System, state: State, watched: list[int]) -> State:
    """A damped motion: u ← u + τ u̇ from rest, stopped whenever it runs against the forces (kinetic damping).

    The step τ grows while forces and motion agree and is halved where they do not (Bitzek and others 2006, FIRE).
    """
    tau, u = RELAXING_FIRST, np.zeros_like(state.u)
    for _ in range(RELAXING_STEPS):
        try:
            a = system.evaluate(_at_rest(state), "udot")
            if a @ system.multiply_mass(state, u) < 0:
                u, tau = np.zeros_like(u), tau / 2
            u = u + tau * a
            # no coordinate goes far at once
            u *= min(1.0, RELAXING_REACH / max(tau * np.max(np.abs(u), initial=0.0), TINY))
            there = state.copy()
            there.q, there.u = state.q + system.advance(state.q, tau * u), u
            there.z[watched] += tau * system.evaluate(state, "zdot")[watched]
            there = system.assemble(there, on_course(system, there))
        except (LinkwrightError, np.linalg.LinAlgError):
            return state
        state, u, tau = _at_rest(there), there.u, min(RELAXING_GROWTH * tau, RELAXING_LONGEST)
    return state


def _at_rest(state: State) -> State:
    state = state.copy()
    state.u = np.zeros_like(state.u)
    return state


def _said(system: System, tangent: Tangent, watched: list[int], r: np.ndarray) -> str:
    """The largest of what is left over, and where."""
    names = [*tangent.names()[0], *(f"der({system.part_names('z')[k]})" for k in watched)]
    k = int(np.argmax(np.abs(r))) if len(r) else 0
    return f"{abs(r[k]):.3g} along {names[k]}" if len(r) else "nothing"


def _watched(system: System) -> list[int]:
    """Auxiliary states that must come to rest (those that count turns follow the coordinates)."""
    out, offset = [], 0
    for item in system.mechanism.states:
        out += range(offset, offset + item.symbol.numel()) if not item.counts else ()
        offset += item.symbol.numel()
    return out


def _imbalance(system: System, state: State, tangent: Tangent, watched: list[int]) -> np.ndarray:
    """Forces along the independent freedoms at rest, and ż; F does virtual work with every allowed change."""
    F = -system.inverse_dynamics(state, np.zeros(tangent.nu))
    work = tangent.basis("position", state).T @ F
    if not watched:
        return work
    return np.concatenate([work, system.evaluate(state, "zdot")[watched]])


def _step(K: np.ndarray, r: np.ndarray, n: int, rounding: float) -> np.ndarray:
    """−K⁻¹ r; without auxiliary states, the symmetric part of −K with its eigenvalues made positive."""
    if K.shape[1] > n:
        return -np.linalg.lstsq(K, r, rcond=NOT_PULLED)[0]
    stiffness = -(K + K.T) / 2
    values, vectors = np.linalg.eigh(stiffness) if n else (np.zeros(0), np.zeros((0, 0)))
    # where nothing pulls back the step is long, and cut by the caller
    floor = max(NO_STIFFNESS * np.max(np.abs(values), initial=0.0),
                NO_STIFFNESS_OF_FORCE * np.max(np.abs(r), initial=0.0), NO_STIFFNESS_AT_ALL)
    if n and np.all(values > floor):
        return -np.linalg.solve(K, r)
    along = vectors.T @ r
    along[(np.abs(values) <= floor) & (np.abs(along) < rounding)] = 0.0
    return vectors @ (along / np.maximum(np.abs(values), floor))
