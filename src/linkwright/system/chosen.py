"""The states of the `minimal` formulation: which coordinates they are, and when others should be.

As many coordinates are states as the mechanism has degrees of freedom; the loops give the others at every stage of a
step.  The vector (q, u, z) of a run stays whole.  Restoring is projection in a metric in which the chosen coordinates
are heavy,

    min ½ δᵀ W δ  with  G δ = −g,      W = 1 + c · 10¹⁰,   c = 1 where a coordinate is a state, else 0

so that the others follow them (Newton's method on the loops), and no position is singular: where the states cannot
determine the rest, they give way.  Before that happens others are chosen, at a completed step: those that move most
in the motions the loops allow (the rows of a basis N of the null space of G, picked by pivoted orthogonalisation).
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from ..mechanism import Mechanism, Named

COORDINATES, SPEEDS, LIMIT = "chosen coordinates", "chosen speeds", "chosen until"
RESISTANCE = 1e10
#: (speeds of the rest)² over (speeds of the states)² at which others are looked for
PATIENCE = 25.0
RANK_TOLERANCE = 1e-8
#: how much more a coordinate counts that the user has set at the start, and one with `enforce_states`
GIVEN, ENFORCED = 10.0, 1e3


def with_choice(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the choice of states among its discrete variables."""
    sizes = {COORDINATES: mechanism.nu, SPEEDS: mechanism.nu, LIMIT: 1}
    added = tuple(Named(name, ca.SX.sym(name, size), np.zeros(size)) for name, size in sizes.items())
    return replace(mechanism, discretes=(*mechanism.discretes, *added))


def choice(mechanism: Mechanism, name: str) -> ca.SX | None:
    """The symbol of a part of the choice; None where every coordinate is a state."""
    return next((d.symbol for d in mechanism.discretes if d.name == name), None)


def resistance(mechanism: Mechanism, level: str) -> ca.SX:
    """W of a projection: heavy where a coordinate (or on velocity level a speed) is a state."""
    chosen = choice(mechanism, COORDINATES if level == "position" else SPEEDS)
    return ca.SX.eye(mechanism.nu) if chosen is None else ca.diag(1 + RESISTANCE * chosen)


def strain(equations) -> ca.SX:
    """Positive where speeds that follow have outgrown those of the states."""
    m = equations.mechanism
    chosen, limit, u = choice(m, SPEEDS), choice(m, LIMIT), equations.symbols["u"]
    bound = _bound(equations)
    followers = sum((1 - chosen[k]) * u[k] ** 2 for k in bound)
    return followers - limit * sum(chosen[k] * u[k] ** 2 for k in bound) - 1e-12


def choose(system, state) -> None:
    """Put the best choice for a state into its discrete variables."""
    d = np.array(state.d)
    for name, level in ((COORDINATES, "position"), (SPEEDS, "velocity")):
        d[_place(system, name)] = _independent(system, state, level)
    bound, chosen = _bound(system.equations), d[_place(system, SPEEDS)]
    square = state.u[bound] ** 2
    followers, states = square @ (1 - chosen[bound]), square @ chosen[bound]
    d[_place(system, LIMIT)] = max(PATIENCE, 4 * followers / states if states > 0 else 0.0)
    state.d = d


def chosen_names(system, state) -> list[str]:
    """The names of the coordinates and speeds that are states in a choice."""
    out = []
    for part, name in (("q", COORDINATES), ("u", SPEEDS)):
        chosen = state.d[_place(system, name)] > 0.5
        names = system.part_names(part)
        for qs, us in zip(*system.mechanism.slices(), strict=True):
            own = qs if part == "q" else us
            plain = own.stop - own.start == us.stop - us.start
            out += [names[k] for k in range(own.start, own.stop)
                    if (chosen[us.start + k - own.start] if plain else np.any(chosen[us]))]
    return out


def _independent(system, state, level: str) -> np.ndarray:
    """1 for mobilities that the equations of a level leave free, as many as it takes, else 0."""
    active, places = system.active_rows(state, level)
    G = system.constraint_matrix(state)[places[active]] if np.any(active) else np.zeros((0, system.mechanism.nu))
    _, sizes, V = np.linalg.svd(G)
    rank = int(np.sum(sizes > RANK_TOLERANCE * sizes[0])) if len(sizes) else 0
    N = V[rank:].T * system.preference[:, None]
    chosen = np.zeros(len(N))
    for _ in range(N.shape[1]):
        size = np.linalg.norm(N, axis=1)
        k = int(np.argmax(size))
        chosen[k] = 1.0
        along = N[k] / size[k]
        N = N - np.outer(N @ along, along)
    return chosen


def _bound(equations) -> list[int]:
    """The mobilities that constraints involve."""
    columns = equations.constraint_matrix.sparsity().get_col()
    return sorted(set(columns))


def _place(system, name: str) -> slice:
    start = 0
    for item in system.mechanism.discretes:
        size = item.symbol.numel()
        if item.name == name:
            return slice(start, start + size)
        start += size
    raise KeyError(name)
