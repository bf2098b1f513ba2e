"""The states of the `minimal` formulation: which coordinates they are, and when others should be.

As many coordinates are states as the mechanism has degrees of freedom; the loops give the others at every stage of a
step.  The vector (q, u, z) of a run stays whole.  Restoring is projection in a metric in which the chosen coordinates
are heavy,

    min ½ δᵀ W δ  with  G δ = −g,      W = 1 + c · 10¹⁰,   c = 1 where a coordinate is a state, else 0

so that the others follow them (Newton's method on the loops).  New states are chosen at a completed step, before the
present ones no longer determine the rest.  The test is a trial motion w of the states alone: the rest follows it by
w ↦ w − W⁻¹Gᵀ(G W⁻¹Gᵀ)⁺ G w, and the strain is how much more it moves than at the time of the choice.  Those coordinates
become states that move most in the motions the loops allow: rows of a basis N of the null space of G, picked by pivoted
orthogonalisation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..mechanism import Mechanism, Named
from .tolerances import HELD, RESISTANCE, STRAINED, TINY

if TYPE_CHECKING:
    from ..equations import Equations
    from .state import State
    from .system import System

COORDINATES, SPEEDS, LIMIT = "chosen coordinates", "chosen speeds", "chosen until"


def with_choice(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the choice of states among its discrete variables."""
    sizes = {SPEEDS: mechanism.nu, LIMIT: 1}
    if any(c.level == "velocity" for c in mechanism.constraints):
        sizes[COORDINATES] = mechanism.nu  # there are more of them than speeds
    added = tuple(Named(name, ca.SX.sym(name, size), np.zeros(size)) for name, size in sizes.items())
    return replace(mechanism, discretes=(*mechanism.discretes, *added))


def choice(mechanism: Mechanism, name: str) -> ca.SX | None:
    """The symbol of a part of the choice; None where every coordinate is a state."""
    return next((d.symbol for d in mechanism.discretes if d.name == name), None)


def resistance(mechanism: Mechanism, level: str) -> ca.SX:
    """W of a projection: heavy where a coordinate (or on velocity level a speed) is a state."""
    own = choice(mechanism, COORDINATES) if level == "position" else None
    chosen = choice(mechanism, SPEEDS) if own is None else own
    return ca.SX.eye(mechanism.nu) if chosen is None else ca.diag(1 + RESISTANCE * chosen)


def trial(n: int) -> np.ndarray:
    """Speeds of a trial motion in an arbitrary direction, the same every time."""
    return np.random.default_rng(0).uniform(0.5, 1.5, n)


def strain(equations: Equations, follow: Callable[[ca.SX], ca.SX]) -> ca.SX:
    """Positive where the rest moves too much as it follows the states; `follow` gives the change that closes loops."""
    m = equations.mechanism
    chosen, limit, bound = choice(m, SPEEDS), choice(m, LIMIT), _bound(equations)
    free = ca.DM([float(k in bound) for k in range(m.nu)])
    w = chosen * free * trial(m.nu)
    rest = (1 - chosen) * follow(w)
    return ca.dot(rest, rest) - limit * ca.dot(w, w)


def choose(system: System, state: State) -> None:
    """Put the best choice for a state into its discrete variables."""
    d, places = np.array(state.d), _places(system)
    for name, level in ((COORDINATES, "position"), (SPEEDS, "velocity")):
        if name in places:
            d[places[name]], moves = _independent(system, state, level)
    bound, chosen = _bound(system.equations), d[places[SPEEDS]] > 0.5
    w = trial(len(chosen)) * np.isin(np.arange(len(chosen)), bound)
    follows = moves @ np.linalg.solve(moves[chosen], w[chosen]) * ~chosen
    d[places[LIMIT]] = STRAINED * max(1.0, follows @ follows / max(w[chosen] @ w[chosen], TINY))
    state.d = d


def choice_places(system: System) -> list[slice]:
    """Where the choice of coordinates and that of speeds lie among the discrete variables."""
    places = _places(system)
    return [places[name] for name in (COORDINATES, SPEEDS) if name in places]


def choose_given(system: System, state: State, speeds: Sequence[int]) -> None:
    """Choose these speeds, and their coordinates."""
    d, chosen = np.array(state.d), np.zeros(system.mechanism.nu)
    chosen[list(speeds)] = 1.0
    for place in choice_places(system):
        d[place] = chosen
    state.d = d


def chosen_names(system: System, state: State) -> list[str]:
    """The names of the coordinates and speeds that are states in a choice, without given motions."""
    out, places, given = [], _places(system), system.equations.given_speeds
    for part, name in (("q", COORDINATES), ("u", SPEEDS)):
        chosen = state.d[places.get(name, places[SPEEDS])] > 0.5
        chosen[given] = False
        names = system.part_names(part)
        for qs, us in zip(*system.mechanism.slices(), strict=True):
            own = qs if part == "q" else us
            plain = own.stop - own.start == us.stop - us.start
            out += [names[k] for k in range(own.start, own.stop)
                    if (chosen[us.start + k - own.start] if plain else np.any(chosen[us]))]
    return out


def _independent(system: System, state: State, level: str) -> tuple[np.ndarray, np.ndarray]:
    """(1 for the mobilities chosen on a level, else 0; a basis of the motions that its equations allow).

    A motion that is given is no choice: projection leaves it as it is.
    """
    active, places = system.active_rows(state, level)
    given = np.eye(system.mechanism.nu)[system.equations.given_speeds]
    G = system.constraint_matrix(state)[places[active]] if np.any(active) else np.zeros((0, system.mechanism.nu))
    _, sizes, V = np.linalg.svd(np.vstack([G, given]))
    rank = int(np.sum(sizes > HELD * sizes[0])) if len(sizes) else 0
    moves = V[rank:].T
    N, chosen = moves * system.preference[:, None], np.zeros(len(moves))
    for _ in range(N.shape[1]):
        size = np.linalg.norm(N, axis=1)
        k = int(np.argmax(size))
        chosen[k] = 1.0
        along = N[k] / size[k]
        N = N - np.outer(N @ along, along)
    return chosen, moves


def _bound(equations: Equations) -> list[int]:
    """The mobilities that constraints involve."""
    columns = equations.constraint_matrix.sparsity().get_col()
    return sorted(set(columns))


def _places(system: System) -> dict[str, slice]:
    """Where the discrete variables lie."""
    places, start = {}, 0
    for item in system.mechanism.discretes:
        places[item.name] = slice(start, start := start + item.symbol.numel())
    return places
