"""From finite elements to a few shapes: meshes, or matrices of mass and stiffness, and the integrals over mass.

Shapes are those of `craig_bampton`; those of a mesh, or of lines, bring the second-order fields of `stiffening` with
them.  Integrals over mass come from M itself: ∫ f·g dm = fᵀ M g of fields f, g at the nodes, and e × φ of a shape is a
field as well (between the nodes of beams, whose shapes along and across differ, to second order in their length).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place
from ..tolerances import NO_INTEGRAL, NO_STRETCH
from .craig_bampton import MEAN, RIGID, Shapes, free_shapes, held_shapes, rigid_motions
from .finite_elements import matrices, read_mesh, stress_at_nodes, surface
from .matrix_files import nodes_from, symmetric
from .reduced import Reduced
from .sections import Material, Steel
from .stiffening import pulls_of_lines, pulls_of_solids, shortening


def reduce(source: str | Path | None = None, *, M: Any = None, K: Any = None, nodes: Any = None,
           interfaces: Mapping[str, Any] | None = None, modes: int = 8, cut: float | None = None,
           triangles: Any = None, numbers: Sequence[int] | None = None, cells: Mapping[str, Any] | None = None,
           material: Material = Steel, allow_linear: bool = False, tie: str | Mapping[str, str] = RIGID,
           stiffening: bool = True, lines: Any = None) -> Reduced:
    """Reduce a body to the motions of its interfaces and some natural shapes.

    The model is given in one of three ways.  (1) A mesh of a solid `material`: `source` is a file that meshio reads
    (Gmsh, Abaqus, Nastran, VTK …), or `nodes` and `cells` are arrays, such as cells={"tetra10": …}.  (2) `source` is an
    .npz file with arrays M, K, nodes.  (3) `M` and `K` are matrices (dense or scipy.sparse) or files: MatrixMarket,
    Abaqus's .mtx with lines "node, dof, node, dof, value", Nastran's DMIG (.pch, .bdf), .op4 or .op2.  `nodes` are then
    positions (N × 3) with three or six displacements each, node after node, or a Nastran file with GRIDs; `numbers` are
    the numbers of the nodes, by default 0, 1, ….

    An interface is a list of nodes, or (centre, radius); the first one carries the body.  `tie` selects how a frame is
    tied to its nodes, for all interfaces or for each: "rigid", or "mean" if the interface may deform.  Without
    interfaces the shapes are those of the free body.  Shapes above `cut` Hz are omitted.  `triangles` of nodes are the
    surface for pictures.  Meshes include geometric stiffening unless stiffening=False.  Matrices do if `lines` says
    which pairs of nodes are joined by straight beams or bars, [(0, 1), (1, 2), …].

    >>> flexible.reduce("link.msh", interfaces={"small": ((0, 0, 0), 0.012), "big": ((0.2, 0, 0), 0.03)}, modes=8)
    """
    if isinstance(nodes, (str, Path)):
        nodes, found = nodes_from(nodes)
        numbers = found if numbers is None else numbers
    if source is not None and Path(source).suffix != ".npz":
        nodes, cells = read_mesh(source)
    elif source is not None:
        with np.load(source, allow_pickle=False) as data:
            M, K, nodes = (data[name] if given is None else given
                           for name, given in (("M", M), ("K", K), ("nodes", nodes)))
    if not isinstance(material, Material):
        raise ModelError(f"reduce(material={material!r}): a material is needed, such as flexible.Steel.")
    if not (isinstance(modes, int | np.integer) and modes >= 0):
        raise ModelError(f"reduce(modes={modes!r}): a number of natural shapes is needed, 0 or more.")
    mesh = cells is not None and nodes is not None
    if mesh:
        nodes = np.asarray(nodes, dtype=float)
        M, K = matrices(nodes, cells, material, allow_linear)
        triangles = surface(cells) if triangles is None else triangles
    if M is None or K is None or nodes is None:
        raise ModelError("reduce: M, K and nodes are needed: matrices and positions, or an .npz file that holds "
                         "them; or a mesh.")
    xyz = np.asarray(nodes, dtype=float).reshape(-1, 3)
    names = list(numbers) if numbers is not None else list(range(len(xyz)))
    mass, stiff = (symmetric(value, what, names) for value, what in ((M, "M"), (K, "K")))
    each = _freedoms(mass, stiff, xyz)
    _check_rigid(stiff, xyz, each)
    _check_whole(stiff, each, names)
    held = {name: _chosen(name, which, xyz, names) for name, which in (interfaces or {}).items()}
    found = held_shapes(mass, stiff, xyz, names, each, held, _ties(tie, held), modes, cut) if held else \
        free_shapes(mass, stiff, xyz, names, each, modes, cut)
    shapes, quadratic, motions, notes = found.fields, None, found.motions, found.notes
    if mesh and lines is not None:
        raise ModelError("reduce: lines are for matrices M and K; a mesh has its geometric stiffening without them.")
    if stiffening and (mesh or lines is not None):
        pulls = pulls_of_solids(xyz, cells, material, shapes) if mesh else \
            pulls_of_lines(xyz, _joined(lines, names), stiff, names, shapes)
        rigid = {name: which for name, which in held.items() if _ties(tie, held)[name] == RIGID}
        drawn, quadratic, moved = shortening(xyz, mass, found, rigid, pulls)
        shapes = np.hstack([shapes, drawn])
        motions = {name: np.hstack([motion, moved[name]]) for name, motion in motions.items()}
        notes += (f"geometric stiffening by {len(quadratic)} fields of second order",)
    else:
        unknown = "" if mesh or lines is not None else "; M and K do not say how far, lines=[(0, 1), …] of beams does"
        notes += (f"without geometric stiffening: bending does not draw points nearer{unknown}",)
    return _assembled(xyz, names, each, mass, found, shapes, quadratic, motions, notes, triangles,
                      stress_at_nodes(xyz, cells, material, found.fields) if mesh else None)


def _ties(tie: str | Mapping[str, str], held: Mapping[str, list[int]]) -> dict[str, str]:
    """How each interface is tied."""
    chosen = dict(tie) if isinstance(tie, Mapping) else dict.fromkeys(held, tie)
    wrong = [name for name in chosen if name not in held]
    if wrong:
        raise ModelError(f"reduce: tie names {wrong[0]!r}, which is none of the interfaces {', '.join(held)}.")
    for name, word in chosen.items():
        if word not in (RIGID, MEAN):
            raise ModelError(f'reduce: tie of {name!r} is {word!r}; choose "rigid" or "mean".')
    return {name: chosen.get(name, RIGID) for name in held}


def _assembled(xyz: np.ndarray, names: list, each: int, mass: Any, found: Shapes, shapes: np.ndarray,
               quadratic: np.ndarray | None, motions: Mapping[str, np.ndarray], notes: tuple[str, ...], triangles: Any,
               stress: np.ndarray | None) -> Reduced:
    """Integrals, frames and skin of these shapes."""
    c, n, places, frames = xyz - found.origin, len(found.squares), {}, {}
    integrals, left_out = _without_rounding(_integrals(mass, c, shapes, each))
    notes += (f"{left_out} entries of its integrals left out, which are rounding",) if left_out else ()
    for k, number in enumerate(names):
        part = shapes[k * each : (k + 1) * each]
        places[int(number)] = Place(c[k], part[:3], part[3:] if each == 6 else np.zeros_like(part[:3]))
    for name, motion in motions.items():
        number = -1 - len(frames)  # frames of interfaces come beside the nodes
        places[number] = Place(found.centres[name] - found.origin, *(without_rounding(part) for part in (motion[:3],
                                                                                                 motion[3:])))
        frames[name] = number
    moved = shapes.reshape(len(xyz), each, shapes.shape[1])[:, :3]
    skin = None if triangles is None else (c, moved, np.asarray(triangles, dtype=int))
    return Reduced(integrals, np.diag(found.squares), np.zeros((n, n)), places, frames,
                   tuple(notes), "reduced body", quadratic, skin, stress, found.dropped)


def _freedoms(mass: Any, stiff: Any, xyz: np.ndarray) -> int:
    each, rest = divmod(mass.shape[0], len(xyz))
    if mass.shape != stiff.shape or rest or each not in (3, 6):
        raise ModelError(f"reduce: M is {mass.shape}, K {stiff.shape} and there are {len(xyz)} nodes; each node has "
                         "three or six displacements, node after node.")
    return each


def _check_rigid(stiff: Any, xyz: np.ndarray, each: int) -> None:
    """A body that moves as a whole is not strained."""
    R = rigid_motions(xyz, xyz.mean(axis=0), each)
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
    if isinstance(which, str) or not np.size(np.asarray(which, dtype=object)):
        raise ModelError(f"reduce: interface {name!r} is {which!r}; give numbers of nodes, or (centre, radius).")
    return _places(f"interface {name!r}", which, names)


def _joined(lines: Any, names: list) -> np.ndarray:
    """The two places of each line."""
    if not len(lines) or any(np.size(line) != 2 for line in lines):
        raise ModelError(f"reduce: lines={lines!r}: pairs of nodes are needed, such as [(0, 1), (1, 2)].")
    return np.array([_places("lines", line, names) for line in lines])


def _places(what: str, which: Any, names: list) -> list[int]:
    place = {number: k for k, number in enumerate(names)}
    unknown = [number for number in which if number not in place]
    if unknown:
        raise ModelError(f"reduce: {what} names node {unknown[0]}, which is not there.")
    return [place[number] for number in which]


def _integrals(mass: Any, c: np.ndarray, shapes: np.ndarray, each: int) -> Integrals:
    """All integrals by fᵀ M g."""
    R = rigid_motions(c, np.zeros(3), each)
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


def _without_rounding(integrals: Integrals) -> tuple[Integrals, int]:
    """The same without entries that are rounding of an eigenproblem, each of which would be code; and how many."""
    arrays = {f.name: getattr(integrals, f.name) for f in fields(integrals)}
    clean = {name: value if name == "m" else without_rounding(value) for name, value in arrays.items()}
    return Integrals(**clean), sum(int(np.sum(np.asarray(clean[name]) != arrays[name])) for name in clean)


def without_rounding(array: np.ndarray) -> np.ndarray:
    """Zeros in the place of entries far below the largest."""
    return np.where(np.abs(array) > NO_INTEGRAL * np.max(np.abs(array), initial=0.0), array, 0.0)


def _first_moment(move: np.ndarray, weighed: np.ndarray) -> np.ndarray:
    """m c from ∫ e_a·(e_b × c)."""
    A = move.T @ weighed  # A_ab = e_a·(e_b × mc)
    return np.array([A[1, 2], A[2, 0], A[0, 1]])
