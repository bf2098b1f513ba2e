"""Shapes of a body of finite elements: Craig and Bampton's of one that is held, and natural ones of one that flies.

Interfaces are sets of nodes that carry a frame each: rigidly, u_k = v + ω × r_k, or by their mean motion alone, the
(v, ω) that is nearest to their displacements.  With the motions b of the frames, and y for all that moves while frames
rest, u = F y + B b and

    Φ_c = B − F K_yy⁻¹ K_yb      what follows a frame while the others are held
    (K_yy − ω² M_yy) Φ_n = 0     the first natural shapes while all are held

(Craig and Bampton, AIAA Journal 6, 1968).  The body's own frame is fixed to the first interface, whose motions drop
out; the rest is made orthogonal by one eigenproblem.  A body without interfaces moves about its mean axes: its natural
shapes, in which neither momentum nor angular momentum of the undeformed body changes (Buckens).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ..tolerances import ENOUGH_MASS, NO_PIVOT, NO_STRETCH, RIGID_MODE

RIGID, MEAN = "rigid", "mean"


@dataclass(frozen=True)
class Shapes:
    """Displacements (all × n), ω² of each, what is told of them, and rotations and places of the interfaces' frames.

    `motions` are (v, ω) of each frame by the shapes (6 × n).  `relax` gives displacements under loads (all × p) while
    the body's own frame rests, and the motions of frames with them.
    """

    stiff: Any  # K of all displacements
    fields: np.ndarray
    squares: np.ndarray
    notes: tuple[str, ...]
    origin: np.ndarray
    centres: dict[str, np.ndarray]
    motions: dict[str, np.ndarray]
    relax: Callable[[np.ndarray], tuple[np.ndarray, dict[str, np.ndarray]]]
    dropped: float | None = None  # Hz


def rigid_motions(points: np.ndarray, about: np.ndarray, each: int) -> np.ndarray:
    """Displacements (all × 6) of points that move with a frame: its v, then its ω."""
    out = np.zeros((len(points), each, 6))
    out[:, :3, :3] = np.eye(3)
    r = points - about
    for a in range(3):
        out[:, :3, 3 + a] = np.cross(np.eye(3)[a], r)
    if each == 6:
        out[:, 3:, 3:] = np.eye(3)
    return out.reshape(-1, 6)


def held_shapes(mass: Any, stiff: Any, xyz: np.ndarray, names: list, each: int, held: Mapping[str, list[int]],
                ties: Mapping[str, str], modes: int, cut: float | None) -> Shapes:
    """Shapes while the first interface rests."""
    from scipy.linalg import eigh

    centres = {name: xyz[which].mean(axis=0) for name, which in held.items()}
    F, carried = _split(xyz, each, held, ties, centres)
    B, names_of = [], []
    for name in list(held)[1:]:
        B.append(carried[name][0])
        names_of += [name] * carried[name][0].shape[1]
    from scipy import sparse

    T = sparse.hstack([F, *B]).tocsc()
    inner = F.shape[1]
    if inner == 0:
        raise ModelError("reduce: every node belongs to an interface; nothing is left that may bend.")
    K, M = (T.T @ stiff @ T).tocsc(), (T.T @ mass @ T).tocsc()
    follow = _factor(K[:inner, :inner].tocsc(), F, names, each).solve
    fixed, normal, left = _natural(K[:inner, :inner].tocsc(), M[:inner, :inner].tocsc(), modes)
    basis = np.zeros((T.shape[1], len(names_of) + normal.shape[1]))
    if names_of:
        basis[:inner, : len(names_of)] = -follow(K[:inner, inner:].toarray())
        basis[inner:, : len(names_of)] = np.eye(len(names_of))
    basis[:inner, len(names_of):] = normal
    if not basis.shape[1]:
        raise ModelError("reduce: no shape is left with modes=0 and one interface; take modes=1 or more.")
    squares, turn = eigh(basis.T @ (K @ basis), basis.T @ (M @ basis))
    if squares[0] <= NO_STRETCH * squares[-1]:
        raise ModelError("reduce: the body can move while its first interface is held: a mechanism inside the mesh, "
                         "or parts that nothing joins.")
    keep, dropped = _below(cut, squares), _left_out(cut, squares, left)
    basis, squares = (basis @ turn)[:, keep], squares[keep]
    solve = _factor(K, T, names, each).solve

    def motions(found: np.ndarray) -> dict[str, np.ndarray]:
        out, at = {name: np.zeros((6, found.shape[1])) for name in held}, inner
        for name in list(held)[1:]:
            moving = carried[name][1]
            out[name] = moving @ found[at : (at := at + moving.shape[1])]
        return out

    def relax(loads: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        found = solve(T.T @ loads)
        return T @ found, motions(found)

    R = rigid_motions(xyz, xyz.mean(axis=0), each)[:, :3]
    weighed = T.T @ (mass @ R)
    whole = np.einsum("ia,ia->a", R, mass @ R)
    effective = np.sum((normal.T @ weighed[:inner]) ** 2, axis=0) / whole
    first = ", ".join(f"{np.sqrt(max(s, 0)) / 2 / np.pi:.5g}" for s in fixed[:4])
    notes = [f"{normal.shape[1]} natural shapes with all interfaces held" + (f", first {first} Hz" if first else "")]
    if dropped is not None:
        notes.append(f"first one left out: {dropped:.5g} Hz; motions below half of it are right")
    notes.append("effective mass of these along x, y, z: " + ", ".join(f"{e:.3f}" for e in effective)
                 + ("" if normal.shape[1] == 0 or effective.max() >= ENOUGH_MASS else "; take more modes"))
    notes.append(_statics(T, basis, squares, solve, weighed, inner))
    return Shapes(stiff, T @ basis, squares, tuple(notes), next(iter(centres.values())), centres, motions(basis), relax,
                  dropped)


def free_shapes(mass: Any, stiff: Any, xyz: np.ndarray, names: list, each: int, modes: int,
                cut: float | None) -> Shapes:
    """Natural shapes of the whole body, about its mean axes at the centre of mass."""
    from scipy.sparse.linalg import splu

    R = rigid_motions(xyz, np.zeros(3), each)
    A = R[:, :3].T @ (mass @ R[:, 3:])
    centre = np.array([A[1, 2], A[2, 0], A[0, 1]]) / float(R[:, 0] @ (mass @ R[:, 0]))
    R = rigid_motions(xyz, centre, each)
    weighed = mass @ R
    inertia = np.linalg.inv(R.T @ weighed)
    # a little of M makes K regular; it is far below the first natural shape
    little = RIGID_MODE * float(abs(stiff).max()) / float(abs(mass).max())
    squares, fields, left = _natural((stiff + little * mass).tocsc(), mass, modes + 6)
    squares, fields = squares[6:] - little, fields[:, 6:]
    if len(squares) and squares[0] <= little:
        raise ModelError("reduce: K has more than 6 zero modes: a mechanism inside the mesh, such as solids that share "
                         "an edge only. Join them by whole faces, or tie them.")
    fields = fields - R @ (inertia @ (weighed.T @ fields))
    keep, dropped = _below(cut, squares), _left_out(cut, squares, None if left is None else left - little)
    solve = splu((stiff + little * mass).tocsc()).solve

    def relax(loads: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        found = solve(loads - weighed @ (inertia @ (R.T @ loads)))
        return found - R @ (inertia @ (weighed.T @ found)), {}

    notes = ["no interface: natural shapes of the free body, about its mean axes; six rigid motions left out"]
    if dropped is not None:
        notes.append(f"first one left out: {dropped:.5g} Hz; motions below half of it are right")
    return Shapes(stiff, fields[:, keep], squares[keep], tuple(notes), centre, {}, {}, relax, dropped)


def _split(xyz: np.ndarray, each: int, held: Mapping[str, list[int]], ties: Mapping[str, str],
           centres: Mapping[str, np.ndarray]) -> tuple[Any, dict[str, tuple[Any, np.ndarray]]]:
    """F, and for each interface its B and the motion (6 × columns) that belongs to each of these columns."""
    from scipy import sparse
    from scipy.linalg import qr

    taken = [k for which in held.values() for k in which]
    if len(set(taken)) < len(taken):
        raise ModelError("reduce: a node belongs to two interfaces; each node to one at most.")
    total, inside = each * len(xyz), np.setdiff1d(np.arange(len(xyz)), taken)
    free = (inside[:, None] * each + np.arange(each)).ravel()
    parts = [sparse.csc_matrix((np.ones(len(free)), (free, np.arange(len(free)))), (total, len(free)))]
    carried = {}
    for name, which in held.items():
        own = (np.asarray(which)[:, None] * each + np.arange(each)).ravel()
        R, moving = rigid_motions(xyz[which], centres[name], each), np.eye(6)
        if len(which) == 1 and each == 3:
            R, moving = R[:, :3], moving[:, :3]  # one node of a solid has no orientation
        elif np.linalg.matrix_rank(R) < 6:
            raise ModelError(f"reduce: the nodes of interface {name!r} lie on one line, so that it has no orientation; "
                             "add nodes beside it.")
        if ties[name] == MEAN and R.shape[0] > R.shape[1]:
            Z = qr(R)[0][:, R.shape[1]:]
            rows, columns = np.repeat(own, Z.shape[1]), np.tile(np.arange(Z.shape[1]), len(own))
            parts.append(sparse.csc_matrix((Z.ravel(), (rows, columns)), (total, Z.shape[1])))
        rows, columns = np.repeat(own, R.shape[1]), np.tile(np.arange(R.shape[1]), len(own))
        carried[name] = sparse.csc_matrix((R.ravel(), (rows, columns)), (total, R.shape[1])), moving
    return sparse.hstack(parts).tocsc(), carried


def _factor(K: Any, T: Any, names: list, each: int) -> Any:
    """K = LU, or an error that names a node where it is singular."""
    from scipy.sparse.linalg import splu

    try:
        found = splu(K)
        pivots = np.abs(found.U.diagonal())
        weak = int(np.argsort(found.perm_c)[np.argmin(pivots)]) if pivots.min() < NO_PIVOT * pivots.max() else None
    except RuntimeError:
        found, weak = None, int(np.argmin(np.abs(K.diagonal())))
    if weak is not None:
        node = names[int(np.argmax(np.abs(T[:, weak].toarray().ravel()))) // each]
        raise ModelError("reduce: the body can move while its interfaces are held: a mechanism inside the mesh, near "
                         f"node {node}.")
    return found


def _natural(K: Any, M: Any, modes: int) -> tuple[np.ndarray, np.ndarray, float | None]:
    """The first ω² and shapes, and the first ω² that is left out."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh

    wanted = min(modes + 1, K.shape[0])
    if K.shape[0] <= 3 * wanted + 3:
        squares, shapes = eigh(K.toarray(), M.toarray())
    else:
        squares, shapes = eigsh(K, wanted, M, sigma=0.0, which="LM", v0=np.ones(K.shape[0]))
        order = np.argsort(squares)
        squares, shapes = squares[order], shapes[:, order]
    modes = min(modes, len(squares))
    return squares[:modes], shapes[:, :modes], float(squares[modes]) if len(squares) > modes else None


def _below(cut: float | None, squares: np.ndarray) -> Any:
    keep = slice(None) if cut is None else squares <= (2 * np.pi * cut) ** 2
    if cut is not None and not np.any(keep):
        raise ModelError(f"reduce: no shape is left below cut = {cut:g} Hz; the first is at "
                         f"{np.sqrt(squares[0]) / 2 / np.pi:.5g} Hz.")
    return keep


def _left_out(cut: float | None, squares: np.ndarray, left: float | None) -> float | None:
    """The first natural frequency in Hz that is left out, of these by `cut` or after them (`left`)."""
    beyond = [] if cut is None else squares[squares > (2 * np.pi * cut) ** 2].tolist()
    first = min(beyond if left is None else [*beyond, left], default=None)
    return None if first is None else float(np.sqrt(max(first, 0.0)) / 2 / np.pi)


def _statics(T: Any, basis: np.ndarray, squares: np.ndarray, solve: Callable, weighed: np.ndarray, inner: int) -> str:
    """How far displacements at rest are off, under unit loads on the interfaces and under gravity."""
    errors = []
    for loads in (np.eye(T.shape[1])[:, inner:], weighed):
        whole = solve(loads) if loads.shape[1] else loads
        less = basis @ ((basis.T @ loads) / squares[:, None])
        sizes = np.linalg.norm(T @ whole, axis=0) if loads.shape[1] else np.zeros(0)
        off = np.linalg.norm(T @ (whole - less), axis=0) if loads.shape[1] else np.zeros(0)
        errors.append(", ".join(f"{e:.1e}" for e in off / np.where(sizes > 0, sizes, 1.0))
                      if loads is weighed else f"{np.max(off / np.where(sizes > 0, sizes, 1.0), initial=0.0):.1e}")
    return (f"displacement at rest is off by {errors[0]} under loads on interfaces; under gravity along x, y, z by "
            f"{errors[1]}")
