"""Which directions of a mechanism meet no inertia: found from numbers in general position (see `balances`)."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np

from ..algebra import is_symbolic
from ..errors import ModelError
from ..mechanism import Balance, Body, Mechanism
from .equations import Equations
from .tolerances import DRAWS, NO_SLOPE, SINGULAR_MASS
from .typical_sizes import generic, power_of_two


def with_balances(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a balance for every direction without inertia; itself where there is none."""
    movable = [body for body in mechanism.bodies if body.mobilizer.nu and body.prescribed is None]
    if mechanism.bends or mechanism.fixman is not None or not any(map(_light, movable)):
        return mechanism
    e = Equations(mechanism)
    directions = _directions(e)
    if not directions.shape[1]:
        return mechanism
    chosen = _chosen(directions)
    names = _names(mechanism)
    free = [Balance(f"equilibrium of {names[k]}", ca.SX.sym(names[k]), mobility=k) for k in chosen]
    slow = replace(mechanism, closures=(), constraints=(*mechanism.constraints, *free))
    e = Equations(slow)
    _refuse_modes(e, directions)
    found = _sizes(e, directions)
    if found is None:
        bare = [names[k] for k in chosen if not np.any(_mass_column(e, k))]
        if not bare:
            return mechanism
        raise ModelError(f"{bare[0]}: nothing resists this motion: there is no inertia beyond it, and no spring or "
                         "damper that determines it. Give the part beyond it mass (and inertia about a rotation axis), "
                         "add a spring, weld it, or remove the joint.", bare[0].rpartition(".")[0])
    told = iter(found)
    return replace(slow, constraints=tuple(replace(c, size=float(next(told))) if isinstance(c, Balance) else c
                                           for c in slow.constraints))


def _mass_column(e: Equations, k: int) -> np.ndarray:
    """Column k of the mass matrix in general position."""
    found = generic(e.mechanism, e.symbols, e.mass_matrix)
    return np.zeros(0) if found is None else found[0][:, k]


def _light(body: Body) -> bool:
    """Whether a body, alone, lets motions be free of inertia: it has none, or none about some axis."""
    inertia = body.inertia
    if is_symbolic(inertia.m, inertia.inertia, inertia.first_moment, *body.armature):
        return False
    if all(rotor > 0 for rotor in body.rotors):
        return False
    return bool(np.linalg.eigvalsh(np.asarray(inertia.inertia, dtype=float))[0]
                <= SINGULAR_MASS * np.trace(inertia.inertia)) or inertia.m == 0


def _directions(e: Equations) -> np.ndarray:
    """Directions (nu × k) in which no mass moves and which no constraint resists, in general position."""
    m, best = e.mechanism, None
    held = [r.G for r in e.rows if r.mode is None and not r.may_repeat]
    free = [k for k in range(m.nu) if k not in set(e.given_speeds)]
    for draw in range(5, 5 + DRAWS):
        found = generic(m, e.symbols, e.mass_matrix, ca.vertcat(ca.SX(0, m.nu), *held), draw=draw)
        if found is None:
            break
        if not all(np.all(np.isfinite(values)) for values in found):
            continue
        M, G = found[0][np.ix_(free, free)], found[1][:, free]
        root = np.sqrt(np.maximum(np.diag(M), 0.0))
        scale = np.where(root > 0, 1 / np.where(root > 0, root, 1.0), 1.0)
        G = G * scale
        length = np.linalg.norm(G, axis=1, keepdims=True)
        A = np.vstack([scale[:, None] * M * scale, G / np.where(length > 0, length, 1.0)])
        _, sizes, V = np.linalg.svd(A)
        null = V[np.count_nonzero(sizes > SINGULAR_MASS) :].T * scale[:, None]
        if best is None or null.shape[1] < best.shape[1]:
            best = np.zeros((m.nu, null.shape[1]))
            best[free] = null
        if not best.shape[1]:
            break
    return np.zeros((m.nu, 0)) if best is None else best


def _chosen(directions: np.ndarray) -> list[int]:
    """One speed of each direction, so that the directions follow from them: pivots of a QR factorisation."""
    left, found = directions.copy(), list[int]()
    for _ in range(directions.shape[1]):
        k = int(np.argmax(np.linalg.norm(left, axis=1)))
        found.append(k)
        along = left[k] / np.linalg.norm(left[k])
        left -= np.outer(left @ along, along)
    return sorted(found)


def _names(mechanism: Mechanism) -> list[str]:
    """A name of every speed: that of its coordinate where it has one."""
    found = []
    for body in mechanism.bodies:
        kind = body.mobilizer
        plain = len(kind.names) == kind.nu
        found += [f"{body.joint}.{kind.names[k] if plain else f'u[{k}]'}" for k in range(kind.nu)]
    return found


def _refuse_modes(e: Equations, directions: np.ndarray) -> None:
    """Refuse dry friction, hard stops and rigid contact along a direction without inertia."""
    switched = [r for r in e.rows if r.mode is not None and r.G.shape[0]]
    found = generic(e.mechanism, e.symbols, *[r.G for r in switched]) if switched else None
    for r, G in zip(switched, found or (), strict=bool(found)):
        if np.any(np.abs(G @ directions) > SINGULAR_MASS * np.max(np.abs(G)) * np.max(np.abs(directions))):
            raise ModelError(
                f"{r.name}: it acts on what has no inertia and follows in equilibrium, where an impact or a stick has "
                "nothing to stop. Give the part beyond it some mass (without quasi_static), or use an elastic stop "
                "(stop=lw.CompliantStop(…)) or a damper.", r.name)


def _sizes(e: Equations, directions: np.ndarray) -> np.ndarray | None:
    """Force per unit of motion of every balance, as a power of two; None where they do not determine the directions."""
    rows = [r for r in e.rows if r.name in {c.name for c in e.mechanism.constraints if isinstance(c, Balance)}]
    if sum(r.G.shape[0] for r in rows) < directions.shape[1]:
        return None
    for draw in range(5, 5 + DRAWS):
        found = generic(e.mechanism, e.symbols, ca.vertcat(*[r.G for r in rows]), draw=draw)
        if found is None:
            return None
        if np.all(np.isfinite(found[0])):
            along = found[0] @ directions
            sizes = np.max(np.abs(found[0]), axis=1)
            if np.all(sizes > 0) and np.linalg.matrix_rank(along / sizes[:, None], tol=NO_SLOPE) == len(along):
                return power_of_two(sizes)
    return None
