"""Geometric stiffening: how points of a slender part come nearer to one another when it bends.

With displacements u = Σ q_i φ_i + ½ ΣΣ q_i q_j g_ij, Green's strain is E = ε(u) + ½ ∇uᵀ∇u.  The g_ij let the part bend
without stretching: what remains of the strains that are quadratic in q is in equilibrium,

    ∫ C:(ε(g_ij) + sym ∇φ_iᵀ∇φ_j) : ∇v dV = 0          for all v that leave the interfaces as rigid as they are

For any load f with stress σ_f then −f·g_ij = ∫ σ_f : ∇φ_iᵀ∇φ_j dV, the geometric stiffness under this load: one field
holds that of spin, acceleration and forces alike (cf. Jain, Tiso, Rutzmoser and Rixen, A quadratic manifold for
model order reduction of nonlinear structural dynamics, Computers and Structures 188, 2017).  A rigid interface that
turns by θ_i and θ_j moves its nodes by sym θ_i × (θ_j × r).

Of matrices alone this is not known, but of beams and bars in them it is: the chord of one from node to node is
stretched by ½ ∫ φ′·φ′ dx of the slopes across it, and its stiffness along it stands in K.  The slopes are those of
Hermite's cubics, which end as the nodes are turned; without rotations the line is straight.

The g_ij are nearly dependent.  Scaled by 1/(ω_i ω_j), so that all shapes hold the same energy, a few fields span them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from ...errors import ModelError
from ..tolerances import DRAWN_NEARER
from .craig_bampton import Shapes
from .finite_elements import points_of
from .sections import Material


def shortening(nodes: np.ndarray, mass: Any, found: Shapes, rigid: Mapping[str, list[int]],
               pulls: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Few fields (all × a), for each the matrix C of its amplitude ½ qᵀ C q, and the motions of interfaces (6 × a).

    `rigid` are the nodes of interfaces that are tied rigidly; `pulls` the forces of the strains that are quadratic in q
    (`pulls_of_solids`, `pulls_of_lines`).
    """
    shapes, squares = found.fields, found.squares
    pairs = _pairs(shapes)
    offset = np.zeros((len(nodes), len(shapes) // len(nodes), len(pairs)))
    for name, which in rigid.items():
        r, psi = nodes[which] - found.centres[name], found.motions[name][3:].T  # shapes × 3
        for number, (i, j) in enumerate(pairs):
            twice = np.cross(psi[i], np.cross(psi[j], r)) + np.cross(psi[j], np.cross(psi[i], r))
            offset[which, :3, number] = twice / 2
    turned = offset.reshape(-1, len(pairs))
    relaxed, motions = found.relax(-pulls - found.stiff @ turned)
    scale = np.array([1 / np.sqrt(squares[i] * squares[j]) for i, j in pairs])
    scaled = (turned + relaxed) * scale
    sizes, turn = np.linalg.eigh(scaled.T @ (mass @ scaled))
    sizes, turn = np.sqrt(np.maximum(sizes[::-1], 0.0)), turn[:, ::-1]
    kept = int(np.sum(sizes > DRAWN_NEARER * sizes[0])) if sizes[0] > 0 else 0
    turn, sizes = turn[:, :kept], sizes[:kept]
    quadratic = np.zeros((kept, shapes.shape[1], shapes.shape[1]))
    for number, (i, j) in enumerate(pairs):
        share = np.where(np.abs(sizes * turn[number]) > DRAWN_NEARER**2 * sizes[0], turn[number], 0.0) if kept else 0.0
        quadratic[:, i, j] = quadratic[:, j, i] = sizes * share / scale[number]
    return scaled @ turn / sizes, quadratic, {name: (motion * scale) @ turn / sizes
                                              for name, motion in motions.items()}


def pulls_of_solids(nodes: np.ndarray, cells: Mapping[str, Any], material: Material, shapes: np.ndarray) -> np.ndarray:
    """∫ (C : sym ∇φ_iᵀ∇φ_j) : ∇v dV at every node, for each pair of shapes."""
    pairs = _pairs(shapes)
    lam = material.E * material.nu / ((1 + material.nu) * (1 - 2 * material.nu))
    phi = shapes.reshape(len(nodes), 3, -1)
    first, second = (np.array(part) for part in zip(*pairs, strict=True))
    out = np.zeros((len(nodes), 3, len(pairs)))
    for rows, d, w in points_of(nodes, cells):
        gradient = np.einsum("ena,enkp->eakp", d, phi[rows])  # ∂_a φ_k
        product = np.einsum("eakp,ebkp->eabp", gradient[..., first], gradient[..., second])
        stress = material.G * (product + np.swapaxes(product, 1, 2))
        trace = lam * np.einsum("eaap->ep", product)
        for a in range(3):
            stress[:, a, a] += trace
        np.add.at(out, rows, np.einsum("e,enb,ekbp->enkp", w, d, stress))
    return out.reshape(-1, len(pairs))


def pulls_of_lines(nodes: np.ndarray, lines: np.ndarray, stiff: Any, names: Sequence[int],
                   shapes: np.ndarray) -> np.ndarray:
    """EA/h ∫ φ_i′·φ_j′ dx along each of `lines` (two places of nodes), on its ends, for each pair of shapes."""
    each, pairs = len(shapes) // len(nodes), _pairs(shapes)
    field = shapes.reshape(len(nodes), each, -1)
    out = np.zeros((len(nodes), each, len(pairs)))
    for a, b in lines:
        length = float(np.linalg.norm(nodes[b] - nodes[a]))
        along = (nodes[b] - nodes[a]) / (length or 1.0)
        pull = -float(along @ (stiff[each * a : each * a + 3, each * b : each * b + 3] @ along))
        if not (length > 0 and pull > 0):
            raise ModelError(f"reduce: lines: no beam or bar goes from node {names[a]} to node {names[b]}: K has no "
                             "stiffness between them along this line.")
        chord = (field[b, :3] - field[a, :3]) / length
        chord = chord - np.outer(along, along @ chord)
        stretch = np.einsum("ak,al->kl", chord, chord)
        if each == 6:  # of slopes at the ends beyond the chord's: 1 − 4x + 3x² and 3x² − 2x
            first, last = (np.cross(field[k, 3:].T, along).T - chord for k in (a, b))
            crossed = first.T @ last
            stretch = stretch + (2 / 15) * (first.T @ first + last.T @ last) - (crossed + crossed.T) / 30
        share = pull * length * np.array([stretch[pair] for pair in pairs])
        out[a, :3] -= np.outer(along, share)
        out[b, :3] += np.outer(along, share)
    return out.reshape(-1, len(pairs))


def _pairs(shapes: np.ndarray) -> list[tuple[int, int]]:
    return list(combinations_with_replacement(range(shapes.shape[1]), 2))
