"""Static optimisation: which activations of the muscles make a motion, the least effort of all that do.

    min Σ aᵖ + Σ cᵖ    with    Σ r F(a) + r̄ c = τ,    a_min ≤ a ≤ a_max

at every instant by itself: τ from inverse dynamics without muscles, r the moment arms, F = a f_rigid the tension of a
muscle on a tendon that does not stretch (plus its passive one), r̄ c the reserve on a coordinate (Crowninshield, Brand,
J. Biomech. 14 (1981) 793).  For multipliers λ of the balance every activation follows by itself,

    a(λ) = clip( (Aᵀλ/p)^{1/(p−1)} ),       dual(λ) = Σ a(λ)ᵖ + λ·(τ − A a(λ)),

and the concave dual is maximised by Newton steps, which has as many unknowns as there are freedoms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..compiler import system_of
from ..errors import ModelError
from ..result import Table, TimeTable
from ..system import State
from .freedoms import place_of
from .inverse import Along, Inverse, inverse_dynamics, muscles_of
from .motions import column_of
from .tolerances import (
    DUAL_RIDGE,
    DUAL_STEPS,
    ENOUGH_GAINED,
    LEAST_ACTIVATION,
    MUSCLES_BALANCED,
    SHORTEST_DUAL_STEP,
    TINY,
)


@dataclass(frozen=True, repr=False)
class StaticOptimization(Table):
    """Activations over `t` by muscle, tensions (N), reserves by coordinate (N, N m), and the inverse dynamics."""

    t: np.ndarray
    activation: dict[str, np.ndarray]
    force: dict[str, np.ndarray]
    reserve: dict[str, np.ndarray]
    inverse: Inverse

    def __getitem__(self, name: str) -> np.ndarray:
        """`muscle.a`, `muscle.f`, or any variable along the motion."""
        whose, _, what = name.rpartition(".")
        tables = {"a": self.activation, "f": self.force}
        return tables[what][whose] if what in tables and whose in tables[what] else self.inverse[name]

    @property
    def table(self) -> TimeTable:
        """The activations as a table, which can be saved or given as inputs."""
        return TimeTable(self.t, self.activation, title="activations")

    def columns(self) -> Sequence[str]:
        return ("t / s", *(f"{name}.a" for name in self.activation))

    def rows(self) -> Sequence[Sequence[object]]:
        return [tuple(map(float, row)) for row in zip(self.t, *self.activation.values(), strict=True)]

    def caption(self) -> str:
        return f"static optimisation: {len(self.t)} times, {len(self.activation)} muscles"


def static_optimization(model: object, motion: object, t: Sequence[float] | np.ndarray | None = None, *,
                        power: float = 2.0, passive: bool = False, external: object = None,
                        filter: float | None = None, reserves: Mapping[str, float] | None = None,
                        bounds: tuple[float, float] = (0.0, 1.0), near: State | None = None) -> StaticOptimization:
    """Find the muscle activations with the least Σ aᵖ that produce a motion (a table, a file, or a result of
    lw.inverse_kinematics).

    Tendons do not stretch here, and passive fibres exert no force unless `passive=True`.  `reserves` gives, for
    coordinates, the size of additional torques or forces that help if muscles are too weak, at the cost of
    (reserve/size)ᵖ.  `external`, `filter`, `t` and `near` have the same meaning as in lw.inverse_dynamics.

    >>> found = lw.static_optimization(m, "reach.mot", filter=6.0);  found["BIClong.a"]
    """
    if not power > 1:
        raise ModelError(f"power = {power:g} must be greater than one.")
    low, high = map(float, bounds)
    if not 0 <= low < high:
        raise ModelError(f"bounds = {bounds}: give the least and the largest activation, such as (0, 1).")
    system = system_of(model)
    muscles = muscles_of(system)
    if not muscles:
        raise ModelError(f"{system.mechanism.name!r} has no muscle that could be activated.")
    found = inverse_dynamics(system, motion, t, near, external, filter)
    along, state = Along(system, found.states), found.states[0]
    driven = {place_of(system, state, name): k for k, name in enumerate(found.forces)}
    capacity = along.columns(f"{name}.f_rigid" for name in muscles)
    own = along.columns(f"{name}.f_rigid_passive" for name in muscles) if passive else np.zeros_like(capacity)
    arms = _along_freedoms(along, along.arms(muscles), driven)
    needed = np.column_stack(list(found.forces.values())) - np.einsum("tkm,tm->tk", arms, own)
    helps = _reserves(system, state, reserves or {}, found, driven)
    effects = np.concatenate([arms * capacity[:, None, :], np.broadcast_to(helps, (len(found.t), *helps.shape))],
                             axis=2)
    limits = np.array([[low, high]] * len(muscles) + [[-np.inf, np.inf]] * helps.shape[1])
    multipliers, effort = np.zeros(needed.shape[1]), []
    for k, time in enumerate(found.t):
        a, multipliers = least_effort(effects[k], needed[k], limits, power, multipliers)
        off = needed[k] - effects[k] @ a
        if np.max(np.abs(off)) > MUSCLES_BALANCED * (1 + np.max(np.abs(needed[k]))):
            short = {name: off[j] for j, name in enumerate(found.forces)
                     if abs(off[j]) > MUSCLES_BALANCED * (1 + np.max(np.abs(needed[k])))}
            raise ModelError(f"at t = {time:g} the muscles cannot balance the motion: "
                             f"{', '.join(f'{name} lacks {value:.3g}' for name, value in short.items())}. Likely: "
                             "forces from outside are missing (external=), or nothing moves these coordinates; give "
                             f"reserves={{{next(iter(short))!r}: 10}}.", *short)
        effort.append(a)
    a = np.array(effort)
    names = list(reserves or {})
    return StaticOptimization(
        found.t, dict(zip(muscles, a.T, strict=False)),
        dict(zip(muscles, (a[:, :len(muscles)] * capacity + own).T, strict=True)),
        {name: a[:, len(muscles) + k] * float((reserves or {})[name]) for k, name in enumerate(names)}, found)


def _along_freedoms(along: Along, arms: np.ndarray, driven: Mapping[int, int]) -> np.ndarray:
    """(time, driven coordinate, muscle): arms with all that follows by the loops."""
    places = np.array(list(driven))
    Z = along.following(places)  # (time, mobility, driven)
    return np.einsum("tmj,tjk->tkm", arms, Z)


def _reserves(system: object, state: State, reserves: Mapping[str, float], found: Inverse,
              driven: Mapping[int, int]) -> np.ndarray:
    helps = np.zeros((len(found.forces), len(reserves)))
    for k, (name, size) in enumerate(reserves.items()):
        place = driven.get(place_of(system, state, column_of(system, name) or name))
        if place is None or not size > 0:
            raise ModelError(f"reserves[{name!r}] = {size!r}: give a positive number for an independent coordinate "
                             f"({', '.join(found.forces)}).", name)
        helps[place, k] = float(size)
    return helps


def least_effort(A: np.ndarray, needed: np.ndarray, limits: np.ndarray, power: float,
                 multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(a, λ) of min Σ |a|ᵖ with A a = needed and a between limits; where there is no such a, as near as steps lead."""
    low, high = limits.T
    size = max(float(np.max(np.abs(needed), initial=0.0)), float(np.max(np.abs(A), initial=0.0)), TINY)
    A, needed, y = A / size, needed / size, multipliers * size

    def at(y: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        g = A.T @ y
        free = np.sign(g) * (np.abs(g) / power) ** (1 / (power - 1))
        a = np.clip(free, low, high)
        return a, float(np.sum(np.abs(a) ** power) + y @ needed - g @ a), free

    ridge = DUAL_RIDGE * np.trace(A @ A.T) * np.eye(len(needed))
    a, value, free = at(y)
    for _ in range(DUAL_STEPS):
        off = needed - A @ a
        if np.max(np.abs(off)) < MUSCLES_BALANCED / 100:
            break
        # ∂a/∂(Aᵀλ) of those between their limits
        slope = np.where((free >= low) & (free <= high), np.maximum(np.abs(free), LEAST_ACTIVATION) ** (2 - power), 0.0)
        H = (A * (slope / (power * (power - 1)))) @ A.T + ridge
        step, share = np.linalg.solve(H, off), 1.0
        while share > SHORTEST_DUAL_STEP:
            trial = at(y + share * step)
            # near the end rounding hides what the dual gains, and the balance itself tells
            if trial[1] >= value + ENOUGH_GAINED * share * (off @ step) or np.linalg.norm(
                    needed - A @ trial[0]) < np.linalg.norm(off) / 2:
                break
            share /= 2
        else:
            break
        y = y + share * step
        a, value, free = trial
    return a, y / size
