"""Equilibrium: a state at rest in which all forces balance."""

from __future__ import annotations

import numpy as np

from ..errors import AssemblyError
from ..system import State
from .initial import count_turns
from .tangent import Tangent, difference
from .translate import translate

ITERATIONS = 200
TOLERANCE = 1e-10


def equilibrium(model, near: State | None = None) -> State:
    """The equilibrium that forces lead to from a state (default: the initial state): u = 0, u̇ = 0, ż = 0.

    Newton along the freedoms the loops leave, with the stiffness made positive, so that it goes where the forces push
    and ends at a stable equilibrium where there is one.  Raises AssemblyError where none is found.
    """
    system = translate(model)
    state = (system.state() if near is None else near).copy()
    state.u = np.zeros_like(state.u)
    watched = _watched(system)
    for _ in range(ITERATIONS):
        tangent = Tangent(system, state)
        n = len(tangent.q_free)

        def imbalance(x, tangent=tangent, n=n):
            dz = np.zeros(len(tangent.state.z))
            dz[watched] = x[n:]
            there = tangent.moved(dq=x[:n], dz=dz)
            there.u = np.zeros_like(there.u)
            return _imbalance(system, there, tangent, watched)

        r = imbalance(np.zeros(n + len(watched)))
        scale = 1 + np.max(np.abs(system.inverse_dynamics(tangent.state, np.zeros(tangent.nu))), initial=0.0)
        K = difference(imbalance, n + len(watched), 1e-3)
        step = _step(K, r, n)
        longest = np.max(np.abs(step), initial=0.0)
        if np.max(np.abs(r), initial=0.0) < TOLERANCE * scale and longest < 1e-7:
            state = tangent.state
            state.u = np.zeros_like(state.u)
            count_turns(system, state)
            return state
        step *= min(1.0, 0.5 / longest) if longest > 0 else 1.0
        dz = np.zeros(len(state.z))
        dz[watched] = step[n:]
        state = tangent.moved(dq=step[:n], dz=dz)
        state.u = np.zeros_like(state.u)
    raise AssemblyError(f"{system.mechanism.name}: no equilibrium was found from the given state; the forces left over "
                        f"are {np.max(np.abs(r)):.3g}. Likely: something may fall or slide for ever, or start nearer.")


def _watched(system) -> list[int]:
    """Auxiliary states that must come to rest (those that count turns follow the coordinates)."""
    out, offset = [], 0
    for item in system.mechanism.states:
        out += range(offset, offset + item.symbol.numel()) if item.weight else ()
        offset += item.symbol.numel()
    return out


def _imbalance(system, state, tangent, watched) -> np.ndarray:
    """Forces along the independent freedoms at rest, and ż; F does virtual work with every allowed change."""
    F = -system.inverse_dynamics(state, np.zeros(tangent.nu))
    near = Tangent.__new__(Tangent)
    near.__dict__.update(tangent.__dict__, state=state)
    work = near.basis("position").T @ F
    if not watched:
        return work
    return np.concatenate([work, system.evaluate(state, "zdot")[watched]])


def _step(K, r, n: int) -> np.ndarray:
    """−K⁻¹ r; without auxiliary states, the symmetric part of −K with its eigenvalues made positive."""
    if K.shape[1] > n:
        return -np.linalg.lstsq(K, r, rcond=1e-12)[0]
    stiffness = -(K + K.T) / 2
    values, vectors = np.linalg.eigh(stiffness) if n else (np.zeros(0), np.zeros((0, 0)))
    # where nothing pulls back the step is long, and cut by the caller
    floor = max(1e-9 * np.max(np.abs(values), initial=0.0), 1e-3 * np.max(np.abs(r), initial=0.0), 1e-12)
    if n and np.all(values > floor):
        return -np.linalg.solve(K, r)
    return vectors @ ((vectors.T @ r) / np.maximum(np.abs(values), floor))
