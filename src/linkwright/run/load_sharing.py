"""How several contacts share a load where statics leaves it open: four legs on a floor, a cube on a slope.

Forces of the null space of W move nothing, and may be added to any solution.  Of all solutions the one is taken in
which every contact uses about the same part of its cone: that with the least Σ w (|f_t|² + μ² (f_n − f̄_n)²)/(μ f̄_n),
where 1/(μ f_n) are the weights of Coulomb's law, and w grows for contacts that use most.  The reference f̄_n is the
normal force of the least-norm solution, or where that leaves the cone, of a solution of the cone problem.
"""

from __future__ import annotations

import numpy as np

from .contact_modes import ContactModes
from .instant import Touches
from .tolerances import (
    LEAST_FRICTION,
    LEAST_LOAD,
    MOVES_NOTHING,
    MOVES_NOTHING_LEANING,
    NO_FORCE,
    NO_PART,
    RANK,
    SAME_MOTION,
    SHARING_ROUNDS,
    TINY,
)


def give_shares(modes: ContactModes, resting: list[int], forces: np.ndarray, W: np.ndarray) -> None:
    """Find which forces are not unique; those of contacts that hold are shared by their cones.

    The forces that are shifted between contacts must move nothing, also where other contacts slide.
    """
    d, situation = modes.now.d, modes.now.look()
    table = situation.contacts
    modes.unique[:] = True
    modes.unique[open_ones(modes, resting, W, table)] = False
    held = [(i, k) for i, k in enumerate(resting)
            if d[modes.closed[k]] and (d[modes.stuck[k]] or not modes.rubs(k)) and not modes.unique[k]]
    if not held:
        return
    at, mu = [3 * i + j for i, _ in held for j in range(3)], np.array([table.mu_s[k] for _, k in held])
    ease = np.array([table.ease[k] for _, k in held])
    present = np.array([[table.push[k], table.hold_1[k], table.hold_2[k]] for _, k in held]).ravel()
    own, small = W[np.ix_(at, at)], NO_FORCE * situation.forces

    def agrees(f: np.ndarray) -> bool:
        within = np.hypot(f[1::3], f[2::3]) - (1 - NO_FORCE) * mu * f[0::3]
        return bool(np.all(f[0::3] * ease >= -small) and np.all(within * ease <= 0))

    wanted = shared(own, present, mu) if np.all(present[0::3] > 0) else present
    if not agrees(wanted):
        wanted = shared(own, forces[at], mu)
    moved, moves = W[:, at] @ (wanted - present), np.abs(W[:, at]) @ np.abs(wanted)
    differ = np.abs(wanted - present).max() > MOVES_NOTHING * np.abs(wanted).max()
    if differ and np.all(np.abs(moved) <= SAME_MOTION * moves.max()):
        for (_, k), share in zip(held, (wanted - present).reshape(-1, 3), strict=True):
            d[modes.share[k]] = share


def evenly(W: np.ndarray, forces: np.ndarray, mu: np.ndarray, held: list[int]) -> np.ndarray:
    """The forces with those of the contacts `held`, which neither leave nor slide, of least norm, if cones allow that.

    A solution of the cone problem may leave contacts without a force that could bear as much as their neighbours: the
    corners of a face that lies on another.  Such a contact would open, and close again at the next change of load.
    """
    at = [3 * i + j for i in held for j in range(3)]
    if len(held) < 2:
        return forces
    own = W[np.ix_(at, at)]
    values, vectors = np.linalg.eigh(own)
    moving = vectors[:, values > MOVES_NOTHING * values[-1]]
    least = moving @ (moving.T @ forces[at])
    within = np.hypot(least[1::3], least[2::3]) <= (1 - NO_FORCE) * mu[held] * least[0::3]
    moved = np.abs(W[:, at] @ (least - forces[at]))
    if not np.all(within) or np.any(moved > SAME_MOTION * (np.abs(W[:, at]) @ np.abs(forces[at])).max()):
        return forces
    found = forces.copy()
    found[at] = least
    return found


def open_ones(modes: ContactModes, resting: list[int], W: np.ndarray, table: Touches) -> list[int]:
    """Closed contacts whose forces are not unique: there are forces along their rows that move nothing.

    A contact that sticks has a normal and two tangents; one that slides has a single force, tilted by friction.
    """
    d, columns, owners = modes.now.d, [], []
    for i, k in enumerate(resting):
        if not d[modes.closed[k]]:
            continue
        slides = modes.rubs(k) and not d[modes.stuck[k]]
        normal = np.zeros(len(W))
        normal[3 * i] = 1.0
        if slides:
            normal[3 * i + 1 : 3 * i + 3] = -table.mu[k] * d[modes.direction[k]]
        across = [] if slides else [np.eye(len(W))[3 * i + j] for j in (1, 2) if W[3 * i + j, 3 * i + j] > 0]
        columns += [normal, *across]
        owners += [k] * (1 + len(across))
    if len(set(owners)) < 2:
        return []
    P = np.array(columns).T
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", P, W @ P), TINY))
    values, vectors = np.linalg.eigh((P / size).T @ W @ (P / size))
    free = vectors[:, values <= MOVES_NOTHING_LEANING * values[-1]]
    parts = np.linalg.norm(free, axis=1) if free.size else np.zeros(len(owners))
    return sorted({k for k, part in zip(owners, parts, strict=True) if part > NO_PART})


def shared(W: np.ndarray, forces: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """Forces as good as the given ones, shared more evenly."""
    values, vectors = np.linalg.eigh(W)
    free = vectors[:, values <= MOVES_NOTHING * values[-1]]
    active = np.abs(np.diagonal(W)) > 0
    free = free[:, [bool(np.abs(free[active, j]).max() > RANK) for j in range(free.shape[1])]]
    free[~active] = 0.0
    if not free.shape[1]:
        return forces
    best, used = forces, _use(forces, mu).max()
    present, strain = forces, np.ones(len(mu))
    for k in range(SHARING_ROUNDS):
        load = np.maximum(present[0::3], LEAST_LOAD * present[0::3].max())
        weight = np.repeat(np.sqrt(strain / (np.maximum(mu, LEAST_FRICTION) * load)), 3)
        weight[0::3] *= mu
        wanted = np.zeros_like(forces)
        wanted[0::3] = present[0::3]
        z = np.linalg.lstsq(weight[:, None] * free, weight * (wanted - present), rcond=RANK)[0]
        present = present + free @ z
        if (present[0::3] < 0).any():
            break
        if (use := _use(present, mu).max()) < used:
            best, used = present, use
        if use == 0:  # nothing rubs
            break
        if k:
            strain *= (_use(present, mu) / use) ** 2
    return best


def _use(forces: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """|f_t|/(μ f_n) of every contact."""
    f = forces.reshape(-1, 3)
    return np.hypot(f[:, 1], f[:, 2]) / np.maximum(mu * f[:, 0], TINY)
