"""From mass and stiffness matrices of finite elements to a few shapes: Craig and Bampton's reduction.

Interfaces are sets of nodes that are held rigidly to a frame each, u_k = v + ω × r_k; with their motions b and all
other displacements i the shapes are

    Φ_c = −K_ii⁻¹ K_ib           what follows an interface while the others are held
    (K_ii − ω² M_ii) Φ_n = 0     the first natural shapes while all are held

(Craig and Bampton, AIAA Journal 6, 1968).  The body's own frame B is fixed to the first interface, so that its six
motions are those of the body and drop out; the rest is made orthogonal by one eigenproblem.  Integrals over mass come
from M itself: ∫ f·g dm = fᵀ M g of fields f, g at the nodes, and e × φ of a shape is a field as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place
from ..tolerances import NO_STRETCH, NOT_SYMMETRIC
from .finite_elements import matrices, read_mesh, surface
from .reduced import Reduced
from .sections import Material, Steel


def reduce(source: str | Path | None = None, *, M: Any = None, K: Any = None, nodes: Any = None,
           interfaces: Mapping[str, Any] | None = None, modes: int = 8, cut: float | None = None,
           triangles: Any = None, numbers: Sequence[int] | None = None, cells: Mapping[str, Any] | None = None,
           material: Material = Steel, allow_linear: bool = False) -> Reduced:
    """Reduce a body to the motions of its interfaces and some natural shapes.

    `source` is a mesh file that meshio reads (Gmsh, Abaqus, Nastran, VTK …), of a solid `material`; or nodes and
    `cells` are a mesh, such as {"tetra10": …}.  Or it is an .npz file with arrays M, K, nodes; or M and K are matrices
    (dense or of scipy.sparse), or files: MatrixMarket, or Abaqus's .mtx with lines "node, dof, node, dof, value".
    `nodes` are positions (N × 3), with three or six displacements each, node after node; `numbers` their numbers, 0,
    1, … if they are not given. An interface is a list of nodes, or (centre, radius). Shapes above `cut` Hz are left
    out. `triangles` of nodes are its skin.
    """
    if source is not None and Path(source).suffix != ".npz":
        nodes, cells = read_mesh(source)
    elif source is not None:
        with np.load(source, allow_pickle=False) as data:
            M, K, nodes = (data[name] if given is None else given
                           for name, given in (("M", M), ("K", K), ("nodes", nodes)))
    if cells is not None and nodes is not None:
        M, K = matrices(nodes, cells, material, allow_linear)
        triangles = surface(cells) if triangles is None else triangles
    if M is None or K is None or nodes is None:
        raise ModelError("reduce: M, K and nodes are needed: matrices and positions, or an .npz file that holds "
                         "them; or a mesh.")
    xyz = np.asarray(nodes, dtype=float).reshape(-1, 3)
    names = list(numbers) if numbers is not None else list(range(len(xyz)))
    mass, stiff = (_matrix(value, what, names) for value, what in ((M, "M"), (K, "K")))
    each = _freedoms(mass, stiff, xyz)
    if not interfaces:
        raise ModelError("reduce: give interfaces={name: nodes or (centre, radius)}; the body hangs by the first.")
    _check_rigid(stiff, xyz, each)
    _check_whole(stiff, each, names)
    held = {name: _chosen(name, which, xyz, names) for name, which in interfaces.items()}
    shapes, squares, notes, tied = _craig_bampton(mass, stiff, xyz, each, held, modes, cut)
    origin = tied[next(iter(held))]
    c = xyz - origin
    integrals = _integrals(mass, c, shapes, each)
    places = {}
    for k, number in enumerate(names):
        part = shapes[k * each : (k + 1) * each]
        places[int(number)] = Place(c[k], part[:3], part[3:] if each == 6 else np.zeros_like(part[:3]))
    frames = {}
    for name, which in held.items():
        motion = np.linalg.lstsq(_rigid(xyz[which], tied[name], each),
                                 shapes[np.concatenate([np.arange(k * each, (k + 1) * each) for k in which])],
                                 rcond=None)[0]
        number = -1 - len(frames)  # frames of interfaces come beside the nodes
        places[number] = Place(tied[name] - origin, motion[:3], motion[3:])
        frames[name] = number
    n = shapes.shape[1]
    moved = shapes.reshape(len(xyz), each, n)[:, :3]
    skin = None if triangles is None else (c, moved, np.asarray(triangles, dtype=int))
    notes += ("bending does not draw points nearer: there is no geometric stiffening in M and K",)
    return Reduced(integrals, np.diag(squares), np.zeros((n, n)), places, frames, tuple(notes), "reduced body",
                   skin=skin)


def _matrix(value: Any, what: str, names: list) -> Any:
    """A sparse matrix, from a matrix or a file."""
    from scipy import io, sparse

    if isinstance(value, (str, Path)):
        text = Path(value).read_text(errors="replace")
        if text.startswith("%%MatrixMarket"):
            value = io.mmread(value)
        else:
            rows = np.array([[float(x) for x in line.split(",")] for line in text.splitlines()
                             if line.strip() and not line.startswith("*")])
            place = {number: k for k, number in enumerate(names)}
            each = int(rows[:, (1, 3)].max())
            unknown = {int(x) for x in rows[:, (0, 2)].ravel()} - set(place)
            if unknown:
                raise ModelError(f"reduce: {what} names node {min(unknown)}, which numbers= does not have.")
            i = np.array([place[int(x)] for x in rows[:, 0]]) * each + rows[:, 1].astype(int) - 1
            j = np.array([place[int(x)] for x in rows[:, 2]]) * each + rows[:, 3].astype(int) - 1
            lower = sparse.coo_matrix((rows[:, 4], (i, j)), shape=(len(names) * each,) * 2).tocsc()
            value = lower + sparse.triu(lower.T, 1) if not sparse.triu(lower, 1).nnz else lower
    out = sparse.csc_matrix(value)
    if out.shape[0] != out.shape[1] or abs(out - out.T).max() > NOT_SYMMETRIC * abs(out).max():
        raise ModelError(f"reduce: {what} must be square and symmetric; got one of shape {out.shape}.")
    return out


def _freedoms(mass: Any, stiff: Any, xyz: np.ndarray) -> int:
    each, rest = divmod(mass.shape[0], len(xyz))
    if mass.shape != stiff.shape or rest or each not in (3, 6):
        raise ModelError(f"reduce: M is {mass.shape}, K {stiff.shape} and there are {len(xyz)} nodes; each node has "
                         "three or six displacements, node after node.")
    return each


def _rigid(points: np.ndarray, about: np.ndarray, each: int) -> np.ndarray:
    """Displacements (all × 6) of points that move with a frame: its v, then its ω."""
    out = np.zeros((len(points), each, 6))
    out[:, :3, :3] = np.eye(3)
    r = points - about
    for a in range(3):
        out[:, :3, 3 + a] = np.cross(np.eye(3)[a], r)
    if each == 6:
        out[:, 3:, 3:] = np.eye(3)
    return out.reshape(-1, 6)


def _check_rigid(stiff: Any, xyz: np.ndarray, each: int) -> None:
    """A body that moves as a whole is not strained."""
    R = _rigid(xyz, xyz.mean(axis=0), each)
    size = float(np.abs(stiff).max())
    extent = max(float(np.ptp(xyz, axis=0).max()), 1.0)
    left = float(np.abs(stiff @ R).max())
    if left > NO_STRETCH * size * extent:
        raise ModelError(f"reduce: K strains a body that moves as a whole (forces {left:.3g} beside entries of "
                         f"{size:.3g}); coordinates or units do not fit, or K contains supports.")


def _check_whole(stiff: Any, each: int, names: list) -> None:
    """All nodes hang together."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    entries = stiff.tocoo()
    links = sparse.csr_matrix((np.abs(entries.data), (entries.row // each, entries.col // each)), (len(names),) * 2)
    count, part = connected_components(links, directed=False)
    if count > 1:
        listed = " | ".join(f"{names[own[0]]}…{names[own[-1]]} ({len(own)})" for own in
                            (np.flatnonzero(part == k) for k in range(min(count, 4))))
        raise ModelError(f"reduce: K has {6 * count} zero modes: {count} parts that nothing joins (nodes {listed}"
                         + (", …" if count > 4 else "") + "). Merge nodes at the same place, or tie the parts.")


def _chosen(name: str, which: Any, xyz: np.ndarray, names: list) -> list[int]:
    if isinstance(which, tuple) and len(which) == 2 and np.ndim(which[0]) == 1 and np.size(which[0]) == 3:
        centre, radius = np.asarray(which[0], dtype=float), float(which[1])
        distance = np.linalg.norm(xyz - centre, axis=1)
        found = np.flatnonzero(distance <= radius)
        if not len(found):
            nearest = int(np.argmin(distance))
            raise ModelError(f"reduce: interface {name!r} selects no node within {radius:g} m of {tuple(centre)}, "
                             f"nearest is node {names[nearest]} at {distance[nearest]:.3g} m.")
        return [int(k) for k in found]
    place = {number: k for k, number in enumerate(names)}
    unknown = [number for number in which if number not in place]
    if unknown:
        raise ModelError(f"reduce: interface {name!r} names node {unknown[0]}, which is not there.")
    return [place[number] for number in which]


def _craig_bampton(mass: Any, stiff: Any, xyz: np.ndarray, each: int, held: Mapping[str, list[int]], modes: int,
                   cut: float | None) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], dict[str, np.ndarray]]:
    """Shapes over all displacements while the first interface rests, ω² of each, notes, and the centres."""
    from scipy import sparse
    from scipy.linalg import eigh
    from scipy.sparse.linalg import eigsh, splu

    total = mass.shape[0]
    centres = {name: xyz[which].mean(axis=0) for name, which in held.items()}
    taken = [k for which in held.values() for k in which]
    if len(set(taken)) < len(taken):
        raise ModelError("reduce: a node belongs to two interfaces; each node to one at most.")
    inside = np.setdiff1d(np.arange(len(xyz)), taken)
    free = (inside[:, None] * each + np.arange(each)).ravel()
    ties = sparse.lil_matrix((total, 6 * len(held)))
    for k, (name, which) in enumerate(held.items()):
        own = np.concatenate([np.arange(j * each, (j + 1) * each) for j in which])
        R = _rigid(xyz[which], centres[name], each)
        if len(which) == 1 and each == 3:
            R[:, 3:] = 0.0  # one node of a solid has no orientation
        ties[own, 6 * k : 6 * k + 6] = R
    ties = ties.tocsc()
    K_ii, K_ib = stiff[free][:, free].tocsc(), (stiff[free] @ ties).tocsc()
    if len(free) == 0:
        raise ModelError("reduce: every node belongs to an interface; nothing is left that may bend.")
    try:
        solve = splu(K_ii)
    except RuntimeError:
        weak = free[int(np.argmin(np.abs(K_ii.diagonal())))]
        raise ModelError("reduce: the body can move while all interfaces are held: a mechanism inside the mesh, near "
                         f"node {int(weak // each)} (counted from 0).") from None
    constraint = np.zeros((total, 6 * (len(held) - 1)))
    constraint[free] = -solve.solve(K_ib[:, 6:].toarray()) if len(held) > 1 else 0
    constraint += ties[:, 6:].toarray()
    constraint = constraint[:, np.abs(constraint).max(axis=0) > 0] if constraint.size else constraint
    M_ii = mass[free][:, free].tocsc()
    wanted = min(modes + 1, len(free) - 1)
    if len(free) <= 3 * wanted + 3:
        squares, normal = eigh(K_ii.toarray(), M_ii.toarray())
    else:
        squares, normal = eigsh(K_ii, wanted, M_ii, sigma=0.0, which="LM", v0=np.ones(len(free)))
        order = np.argsort(squares)
        squares, normal = squares[order], normal[:, order]
    notes = [f"{modes} natural shapes with all interfaces held, first "
             + ", ".join(f"{np.sqrt(max(s, 0)) / 2 / np.pi:.5g}" for s in squares[: min(modes, 4)]) + " Hz"]
    if len(squares) > modes:
        notes.append(f"first one left out: {np.sqrt(squares[modes]) / 2 / np.pi:.5g} Hz")
    fixed = np.zeros((total, min(modes, normal.shape[1])))
    fixed[free] = normal[:, : fixed.shape[1]]
    R = _rigid(xyz, xyz.mean(axis=0), each)[:, :3]
    whole = np.einsum("ia,ia->a", R, mass @ R)
    effective = np.sum((fixed.T @ (mass @ R)) ** 2, axis=0) / whole
    notes.append("effective mass of these along x, y, z: " + ", ".join(f"{e:.3f}" for e in effective))
    basis = np.hstack([constraint, fixed])
    squares, turn = eigh(basis.T @ (stiff @ basis), basis.T @ (mass @ basis))
    if squares[0] <= NO_STRETCH * squares[-1]:
        raise ModelError("reduce: the body can move while its first interface is held: a mechanism inside the mesh, "
                         "or parts that nothing joins.")
    keep = slice(None) if cut is None else squares <= (2 * np.pi * cut) ** 2
    if cut is not None and not np.any(keep):
        raise ModelError(f"reduce: no shape is left below cut = {cut:g} Hz; the first is at "
                         f"{np.sqrt(squares[0]) / 2 / np.pi:.5g} Hz.")
    return (basis @ turn)[:, keep], squares[keep], tuple(notes), centres


def _integrals(mass: Any, c: np.ndarray, shapes: np.ndarray, each: int) -> Integrals:
    """All integrals by fᵀ M g."""
    R = _rigid(c, np.zeros(3), each)
    move, turn = R[:, :3], R[:, 3:]

    def turned(field: np.ndarray) -> np.ndarray:
        """e_a × field: (3, all, n)."""
        blocks = field.reshape(len(c), -1, 3, field.shape[1])
        return np.stack([np.cross(np.eye(3)[a], blocks, axisb=2, axisc=2).reshape(field.shape) for a in range(3)])

    phi = turned(shapes)
    weighed, M_phi = mass @ shapes, np.stack([mass @ part for part in phi])
    C3 = np.einsum("apl,pk->lka", phi, weighed)
    return Integrals(
        float(move[:, 0] @ (mass @ move[:, 0])), _first_moment(move, mass @ turn), turn.T @ (mass @ turn),
        (move.T @ weighed).T, (turn.T @ weighed).T, (C3 - np.swapaxes(C3, 0, 1)) / 2,
        np.einsum("pa,bpk->kab", turn, M_phi), np.einsum("apk,bpl->klab", phi, M_phi), shapes.T @ weighed)


def _first_moment(move: np.ndarray, weighed: np.ndarray) -> np.ndarray:
    """m c from ∫ e_a·(e_b × c)."""
    A = move.T @ weighed  # A_ab = e_a·(e_b × mc)
    return np.array([A[1, 2], A[2, 0], A[0, 1]])
