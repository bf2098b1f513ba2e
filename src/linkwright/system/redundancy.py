"""Which constraint equations follow from others, and what that means.

The rank of G is taken over several poses: the initial one and some reached by moving along its freedoms and closing the
loops again.  A dependency is a vector w with wᵀ G = 0; it may be the same in every pose (a joint twice, axes that are
parallel) or turn with the pose (a Bricard loop).  Singular values below RANK_TOLERANCE of the largest count as zero:
axes that should be parallel may be off by about that much, in radians.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LinkwrightError
from .tolerances import CONSTANT, NEARLY, NOISE, POSES, RANK_TOLERANCE, SHARE, SINGULAR, TINY

if TYPE_CHECKING:
    from .state import State
    from .system import System


@dataclass(frozen=True)
class Dependency:
    """Equations (constraint, what it holds) of which one follows from the others; in every pose the same or not."""

    equations: tuple[tuple[str, str], ...]
    everywhere: bool

    def __str__(self) -> str:
        by_name: dict[str, list[str]] = {}
        for name, label in self.equations:
            by_name.setdefault(name, []).append(label)
        listed = "; ".join(f"{name}: {', '.join(labels)}" for name, labels in by_name.items())
        return f"{listed} ({'in every position' if self.everywhere else 'which one changes with the position'})"


@dataclass(frozen=True)
class Redundancy:
    """Rank of the equations in general position and at the initial state, and what is dependent among them."""

    rank: int
    rank_here: int
    rank_free: int  # in the speeds that no motion is given of
    rows: int
    dependencies: tuple[Dependency, ...]
    nearly: float | None  # the smallest singular value that still counts, relative, where it is suspiciously small


def analyse(system: System, state: State) -> Redundancy:
    """The redundancy of a system's active constraint equations."""
    active, places = system.active_rows(state, "acceleration")
    if not np.any(active):
        return Redundancy(0, 0, 0, 0, (), None)
    matrices = [system.constraint_matrix(pose)[places[active]] for pose in poses(system, state)]
    factors = [np.linalg.svd(G)[:2] for G in matrices]
    sizes = [values for _, values in factors]
    ranks = [_rank(values) for values in sizes]
    # a general position is one where most equations are independent
    smallest, best = max((float(values[rank - 1] / values[0]) if rank else 1.0, k)
                         for k, (values, rank) in enumerate(zip(sizes, ranks, strict=True)) if rank == max(ranks))
    here = int(np.sum(sizes[0][: ranks[best]] > SINGULAR * sizes[best][: ranks[best]]))
    labels = [label for k, label in enumerate(_labels(system)) if active[k]]
    left = [U[:, rank:] for (U, _), rank in zip(factors, ranks, strict=True) if rank == ranks[best]]
    given = system.equations.given_speeds
    rank_free = max(_rank(np.linalg.svd(np.delete(G, given, axis=1), compute_uv=False)) for G in matrices) \
        if given else max(ranks)
    return Redundancy(ranks[best], min(here, ranks[0]), rank_free, int(np.sum(active)),
                      tuple(_dependencies(left, labels)), smallest if smallest < NEARLY else None)


def _rank(values: np.ndarray) -> int:
    return int(np.sum(values > max(RANK_TOLERANCE * values[0], NOISE))) if len(values) else 0


def poses(system: System, state: State) -> Iterator[State]:
    """The state and some others near by on the same branch, loops closed."""
    yield state
    random = np.random.default_rng(0)
    _, values, V = np.linalg.svd(system.constraint_matrix(state))
    along = V[_rank(values) :].T
    for k in range(POSES):
        pose = state.copy()
        step = along @ random.normal(size=along.shape[1])
        step *= 0.1 * (k + 1) / max(np.max(np.abs(step), initial=0.0), TINY)
        step *= system.mechanism.spread
        pose.q = pose.q + system.advance(pose.q, step)
        try:
            yield system.assemble(pose)
        except LinkwrightError:
            continue


def _labels(system: System) -> list[tuple[str, str]]:
    return [(r.name, label) for r in system.equations.rows for label in r.labels]


def left_null(G: np.ndarray) -> np.ndarray:
    """The vectors w with wᵀ G = 0, as columns."""
    U, values, _ = np.linalg.svd(G)
    return U[:, _rank(values) :]


def _dependencies(left: list[np.ndarray], labels: Sequence[tuple[str, str]]) -> Iterator[Dependency]:
    """Dependencies that hold in all poses, then those of the first pose that change."""
    if not left or not left[0].shape[1]:
        return
    n = left[0].shape[0]
    shared = sum((W @ W.T for W in left), np.zeros((n, n))) / len(left)
    values, vectors = np.linalg.eigh(shared)
    constant = vectors[:, values > 1 - CONSTANT]
    for w in _sparse(constant):
        yield Dependency(_involved(w, labels), True)
    rest = left[0] - constant @ (constant.T @ left[0])
    U, size, _ = np.linalg.svd(rest, full_matrices=False)
    for w in _sparse(U[:, size > SHARE]):
        yield Dependency(_involved(w, labels), False)


def _sparse(W: np.ndarray) -> list[np.ndarray]:
    """A basis of the columns' span in which each vector involves few rows (reduced by elimination)."""
    from scipy.linalg import qr

    if not W.shape[1]:
        return []
    _, _, order = qr(W.T, pivoting=True)
    own = order[: W.shape[1]]
    return list(np.linalg.solve(W[own].T, W.T))


def _involved(w: np.ndarray, labels: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(labels[k] for k in np.flatnonzero(np.abs(w) > SHARE * np.max(np.abs(w))))
