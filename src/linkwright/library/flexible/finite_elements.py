"""Mass and stiffness of solids by finite elements of second degree: M = ∫ ρ NᵀN dV, K = ∫ BᵀCB dV of linear elasticity.

Elements are hexahedra with 27 or 20 nodes and tetrahedra with 10 (Zienkiewicz and Taylor 2000, vol. 1, chapter 8):
corners first, then nodes on edges, faces and inside, in any order, which is found from where they lie.  Linear elements
lock when they bend and are refused unless they are asked for.  With Lamé's λ and μ and the gradients ∇N of the shapes

    K_ai,bj = ∫ λ ∂_i N_a ∂_j N_b + μ ∂_j N_a ∂_i N_b + μ δ_ij ∇N_a·∇N_b dV
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ..tolerances import AT_ONCE
from .sections import Material

CORNERS = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)],
                   dtype=float)
EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
FACES = np.array([(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)])
TETRAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float)
TETRAHEDRON_EDGES = np.array([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)])
#: places of the six stresses in the tensor
STRESSES = [("xyz".index(name[0]), "xyz".index(name[1])) for name in ("xx", "yy", "zz", "xy", "yz", "zx")]
TETRAHEDRON_FACES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])


@dataclass(frozen=True)
class Kind:
    """Where the nodes are in the reference element, functions that are 1 at one of them, and how many are corners."""

    nodes: np.ndarray
    functions: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # of points (p × 3) → N (p × n), ∇N (p × n × 3)
    corners: int
    faces: np.ndarray
    points: tuple[np.ndarray, np.ndarray]
    linear: bool = False


def _powers(exponents: np.ndarray, nodes: np.ndarray) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Shape functions spanned by monomials ξ^a η^b ζ^c, each 1 at its own node and 0 at all others."""

    def monomials(x: np.ndarray) -> np.ndarray:
        return np.prod(x[:, None, :] ** exponents[None], axis=2)

    own = np.linalg.inv(monomials(nodes))

    def found(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slopes = []
        for d in range(3):
            lower = np.maximum(exponents - np.eye(3, dtype=int)[d], 0)
            slopes.append((exponents[:, d] * np.prod(x[:, None, :] ** lower[None], axis=2)) @ own)
        return monomials(x) @ own, np.stack(slopes, axis=2)

    return found


def _gauss_cube() -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(3)
    return np.array(list(product(x, x, x))), np.array([a * b * c for a, b, c in product(w, w, w)])


def _gauss_tetrahedron() -> tuple[np.ndarray, np.ndarray]:
    """A cube of points folded onto the tetrahedron (Stroud's conical product)."""
    x, w = np.polynomial.legendre.leggauss(4)
    x, w = (x + 1) / 2, w / 2
    points, weights = [], []
    for (a, p), (b, q), (c, r) in product(zip(x, w, strict=True), repeat=3):
        points.append((a, b * (1 - a), c * (1 - a) * (1 - b)))
        weights.append(p * q * r * (1 - a) ** 2 * (1 - b))
    return np.array(points), np.array(weights)


def _kinds() -> dict[str, Kind]:
    exponents = np.array(list(product(range(3), repeat=3)))
    middles = np.array([CORNERS[list(edge)].mean(axis=0) for edge in EDGES])
    cube = np.vstack([CORNERS, middles, [CORNERS[list(face)].mean(axis=0) for face in FACES], [np.zeros(3)]])
    # serendipity: terms of superlinear degree two at most (Arnold and Awanou 2011)
    few = exponents[[sum(e for e in row if e > 1) <= 2 for row in exponents]]
    whole = np.vstack([TETRAHEDRON, [TETRAHEDRON[list(edge)].mean(axis=0) for edge in TETRAHEDRON_EDGES]])
    low = exponents[exponents.sum(axis=1) <= 2]
    one, flat = exponents[exponents.max(axis=1) <= 1], exponents[exponents.sum(axis=1) <= 1]
    at_cube, at_tetrahedron = _gauss_cube(), _gauss_tetrahedron()
    return {
        "hexahedron27": Kind(cube, _powers(exponents, cube), 8, FACES, at_cube),
        "hexahedron20": Kind(cube[:20], _powers(few, cube[:20]), 8, FACES, at_cube),
        "tetra10": Kind(whole, _powers(low, whole), 4, TETRAHEDRON_FACES, at_tetrahedron),
        "hexahedron": Kind(CORNERS, _powers(one, CORNERS), 8, FACES, at_cube, linear=True),
        "tetra": Kind(TETRAHEDRON, _powers(flat, TETRAHEDRON), 4, TETRAHEDRON_FACES, at_tetrahedron, linear=True),
    }


KINDS = _kinds()


def matrices(nodes: Any, cells: Mapping[str, Any], material: Material, allow_linear: bool = False) -> tuple[Any, Any]:
    """Sparse M and K over the displacements of nodes, node after node, of a mesh {kind: nodes of each element}."""
    from scipy import sparse

    xyz, total = np.asarray(nodes, dtype=float), 3 * len(nodes)
    found = {kind: np.asarray(rows, dtype=int) for kind, rows in cells.items() if kind in KINDS}
    if not found:
        raise ModelError(f"a mesh of {', '.join(cells) or 'nothing'}: volume elements are needed, of the kinds "
                         f"{', '.join(KINDS)}.")
    lam = material.E * material.nu / ((1 + material.nu) * (1 - 2 * material.nu))
    mu, M, K = material.G, sparse.csc_matrix((total, total)), sparse.csc_matrix((total, total))
    for name, rows in found.items():
        kind = KINDS[name]
        if kind.linear and not allow_linear:
            raise ModelError(f"the mesh has elements of the kind {name!r}, which lock when they bend: deflections come "
                             "out several times too small. Mesh with elements of second degree, or say "
                             "allow_linear=True.")
        rows = _ordered(kind, xyz, rows)
        N, slopes = kind.functions(kind.points[0])
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            mass, stiff = _integrals(name, xyz[part], N, slopes, kind.points[1], material.rho, lam, mu, start)
            places = (3 * part[:, :, None] + np.arange(3)).reshape(len(part), -1)
            size = places.shape[1]
            i, j = np.repeat(places, size, axis=1).ravel(), np.tile(places, (1, size)).ravel()
            M = M + sparse.csc_matrix((mass.ravel(), (i, j)), (total, total))
            K = K + sparse.csc_matrix((stiff.ravel(), (i, j)), (total, total))
    return (M + M.T) / 2, (K + K.T) / 2


def _integrals(name: str, corners: np.ndarray, N: np.ndarray, slopes: np.ndarray, weights: np.ndarray, rho: float,
               lam: float, mu: float, first: int) -> tuple[np.ndarray, np.ndarray]:
    """M and K of some elements at once."""
    e, n, _ = corners.shape
    mass, stiff = np.zeros((e, n, n)), np.zeros((e, n, 3, n, 3))
    for values, (d, w) in zip(N, _gradients(name, corners, slopes, weights, first), strict=True):
        mass += rho * w[:, None, None] * np.outer(values, values)
        stiff += lam * np.einsum("e,eai,ebj->eaibj", w, d, d) + mu * np.einsum("e,eaj,ebi->eaibj", w, d, d)
        same = mu * np.einsum("e,eak,ebk->eab", w, d, d)
        for i in range(3):
            stiff[:, :, i, :, i] += same
    whole = np.zeros((e, n, 3, n, 3))
    for i in range(3):
        whole[:, :, i, :, i] = mass
    return whole.reshape(e, 3 * n, 3 * n), stiff.reshape(e, 3 * n, 3 * n)


def _gradients(name: str, corners: np.ndarray, slopes: np.ndarray, weights: np.ndarray,
               first: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """∇N (elements × nodes × 3) and the volume (elements) that belongs to each point of integration."""
    for gradient, weight in zip(slopes, weights, strict=True):
        jacobian = np.einsum("ni,enj->eij", gradient, corners)
        volume = np.linalg.det(jacobian)
        if np.any(volume <= 0):
            raise ModelError(f"the mesh has an element that is turned inside out: {name} number "
                             f"{first + int(np.argmin(volume))}.")
        yield np.einsum("eij,nj->eni", np.linalg.inv(jacobian), gradient), weight * volume


def points_of(nodes: np.ndarray, cells: Mapping[str, Any]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Rows of nodes, ∇N and volumes at every point of integration, some elements at a time."""
    for name, rows in cells.items():
        if name in KINDS:
            kind = KINDS[name]
            rows, slopes = _ordered(kind, nodes, np.asarray(rows, dtype=int)), kind.functions(kind.points[0])[1]
            for start in range(0, len(rows), AT_ONCE):
                part = rows[start : start + AT_ONCE]
                for d, w in _gradients(name, nodes[part], slopes, kind.points[1], start):
                    yield part, d, w


def _ordered(kind: Kind, xyz: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows whose nodes on edges, faces and inside come in the order of `kind`, found from the first element."""
    if kind.linear or len(rows) == 0:
        return rows
    corners = KINDS["hexahedron" if kind.corners == 8 else "tetra"].functions(kind.nodes)[0]
    expected, given = corners @ xyz[rows[0, : kind.corners]], xyz[rows[0]]
    order = [int(np.argmin(np.linalg.norm(given - place, axis=1))) for place in expected]
    if sorted(order) != list(range(len(order))):
        raise ModelError("the nodes of an element of the mesh are in an order that is not known: corners come first.")
    return rows[:, order]


def stress_at_nodes(nodes: np.ndarray, cells: Mapping[str, Any], material: Material, shapes: np.ndarray) -> np.ndarray:
    """Stresses xx yy zz xy yz zx (nodes × 6 × shapes) at the nodes by every shape, means over the elements there."""
    lam = material.E * material.nu / ((1 + material.nu) * (1 - 2 * material.nu))
    phi, total = shapes.reshape(len(nodes), 3, -1), np.zeros(len(nodes))
    out = np.zeros((len(nodes), 6, phi.shape[2]))
    for name, rows in cells.items():
        if name not in KINDS:
            continue
        kind = KINDS[name]
        rows, slopes = _ordered(kind, nodes, np.asarray(rows, dtype=int)), kind.functions(kind.nodes)[1]
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            at_nodes = _gradients(name, nodes[part], slopes, np.ones(len(slopes)), start)
            for number, (d, _) in enumerate(at_nodes):
                gradient = np.einsum("ena,enkp->eakp", d, phi[part])
                stress = material.G * (gradient + np.swapaxes(gradient, 1, 2))
                for a in range(3):
                    stress[:, a, a] += lam * np.einsum("eaap->ep", gradient)
                six = np.stack([stress[:, a, b] for a, b in STRESSES], axis=1)
                np.add.at(out, part[:, number], six)
                np.add.at(total, part[:, number], 1.0)
    return out / np.maximum(total, 1.0)[:, None, None]


def surface(cells: Mapping[str, Any]) -> np.ndarray:
    """Triangles between corners on faces that belong to one element only."""
    seen: dict[tuple[int, ...], tuple[int, ...] | None] = {}
    for name, rows in cells.items():
        for row in np.asarray(rows, dtype=int) if name in KINDS else ():
            for face in KINDS[name].faces:
                own = tuple(int(row[k]) for k in face)
                key = tuple(sorted(own))
                seen[key] = None if key in seen else own
    return np.array([(face[0], face[k], face[k + 1]) for face in seen.values() if face is not None
                     for k in range(1, len(face) - 1)])


def block_mesh(size: Any, divisions: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A box from x = 0 to its length, y and z about zero, in hexahedra with 27 nodes."""
    size, divisions = np.asarray(size, dtype=float), np.asarray(divisions, dtype=int)
    counts = 2 * divisions + 1
    axes = [np.linspace(0, 1, n) for n in counts]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = (grid - [0, 0.5, 0.5]) * size
    offsets = (KINDS["hexahedron27"].nodes + 1).astype(int)
    firsts = 2 * np.stack(np.meshgrid(*[np.arange(n) for n in divisions], indexing="ij"), axis=-1).reshape(-1, 3)
    places = firsts[:, None, :] + offsets[None]
    return nodes, {"hexahedron27": np.ravel_multi_index(tuple(np.moveaxis(places, -1, 0)), tuple(counts))}


def read_mesh(path: str | Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Nodes and volume elements of a mesh file, by meshio."""
    try:
        import meshio
    except ImportError:
        raise ModelError(f"{path}: meshes are read by meshio: pip install meshio.") from None
    try:
        mesh = meshio.read(path)
    except Exception as error:
        raise ModelError(f"{path} is not read as a mesh: {error}") from None
    cells: dict[str, list[np.ndarray]] = {}
    for block in mesh.cells:
        if block.type in KINDS:
            cells.setdefault(block.type, []).append(block.data)
    if not cells:
        raise ModelError(f"{path} has no volume elements (it has {', '.join(sorted({b.type for b in mesh.cells}))}).")
    used = np.unique(np.concatenate([rows.ravel() for parts in cells.values() for rows in parts]))
    number = np.zeros(len(mesh.points), dtype=int)
    number[used] = np.arange(len(used))
    return mesh.points[used, :3].astype(float), {name: number[np.vstack(parts)] for name, parts in cells.items()}
