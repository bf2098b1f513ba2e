"""Mass properties of triangle meshes, for files that leave them to the shapes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from ..errors import ModelError
from .polygons import cut_in_single, cut_into_triangles

Triangles = tuple[np.ndarray, np.ndarray]


@lru_cache(maxsize=64)
def triangles(file: Path, scale: tuple[float, float, float] = (1.0, 1.0, 1.0), single: bool = False) -> Triangles:
    """(vertices, faces) of a mesh file, scaled; faces keep their orientation where the scale mirrors.

    `single` holds the file's vertices in single precision, and of an OBJ the first object with MuJoCo's triangles.
    """
    if file.suffix.lower() == ".msh":
        vertices, faces = _binary(file)
    elif file.suffix.lower() == ".obj":
        vertices, faces = _wavefront(file, single)
    else:
        import trimesh

        try:
            mesh = trimesh.load(str(file), force="mesh", process=False)
            vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)
        except Exception as error:  # whatever the file makes the library raise
            raise ModelError(f"{file}, line 1: this cannot be read as a mesh: {error}.") from error
    if not len(faces):
        raise ModelError(f"{file}, line 1: the mesh has no faces.")
    if single:
        vertices = vertices.astype(np.float32).astype(float)
    if np.prod(scale) < 0:
        faces = faces[:, ::-1]
    return vertices * np.array(scale), faces


def _binary(file: Path) -> Triangles:
    """MuJoCo's own format: four counts, vertices, normals, texture coordinates, faces."""
    data = file.read_bytes()
    counts = np.frombuffer(data[:16], dtype="<i4")
    if len(counts) < 4 or np.any(counts < 0) or len(data) != 16 + 4 * (counts * (3, 3, 2, 3)).sum():
        raise ModelError(f"{file}, line 1: this is no mesh file of MuJoCo's format.")
    vertices = np.frombuffer(data, dtype="<f4", count=3 * counts[0], offset=16).astype(float).reshape(-1, 3)
    faces = np.frombuffer(data, dtype="<i4", count=3 * counts[3], offset=len(data) - 12 * counts[3]).reshape(-1, 3)
    return vertices, faces


def _wavefront(file: Path, as_mujoco: bool) -> Triangles:
    """OBJ: vertices and polygons, all of them; or those of the first object or group, cut as MuJoCo cuts them."""
    vertices: list[list[float]] = []
    polygons: list[list[int]] = []
    try:
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            words = line.split()
            if words and words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            elif words and words[0] == "f":
                numbers = [int(word.partition("/")[0]) for word in words[1:]]
                polygons.append([k - 1 if k > 0 else len(vertices) + k for k in numbers])
            elif as_mujoco and polygons and words and words[0] in ("o", "g"):
                break
        points = np.array(vertices, dtype=float).reshape(-1, 3)
        faces: list[tuple[int, int, int]] = []
        cut = cut_in_single if as_mujoco else cut_into_triangles
        for corners in polygons:
            faces += [(corners[i], corners[j], corners[k]) for i, j, k in cut(points[corners])]
        triples = np.array(faces, dtype=int).reshape(-1, 3)
        if np.any(triples < 0) or np.any(triples >= len(points)) or not np.all(np.isfinite(points)):
            raise ValueError("a face names a vertex that is not there, or a vertex is not finite")
    except (ValueError, IndexError) as error:
        raise ModelError(f"{file}, line 1: this cannot be read as a mesh: {error}.") from None
    return points, triples


def mesh_inertia(vertices: np.ndarray, faces: np.ndarray, kind: str = "exact") -> tuple[float, np.ndarray, np.ndarray]:
    """(volume, centre, tensor about it for density 1) of the solid inside a mesh.

    The solid is cut into tetrahedra from a point to each face.  `kind` "exact" counts those on the wrong side as
    negative, "legacy" counts all as positive (more than there is where the mesh is not convex), "convex" takes the
    hull; "shell" is the surface itself, its area in place of the volume.
    """
    if kind == "convex":
        from scipy.spatial import ConvexHull

        hull = ConvexHull(vertices)
        corners = vertices[hull.simplices]
        out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        flip = np.einsum("ij,ij->i", out, hull.equations[:, :3]) < 0
        corners[flip] = corners[flip][:, ::-1]
    else:
        corners = vertices[faces]
    area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    size = np.linalg.norm(area, axis=1)
    middle = corners.mean(axis=1)
    apex = (size[:, None] * middle).sum(axis=0) / size.sum()
    if kind == "shell":
        return _shell(corners - apex, size, apex)
    volumes = _volumes(middle - apex, area, kind)
    volume = volumes.sum()
    if not volume > 0:
        raise ModelError("a mesh without volume has no mass; give its body an inertia, or the mesh inertia='shell'.")
    centre = (volumes[:, None] * (0.75 * middle + 0.25 * apex)).sum(axis=0) / volume
    corners = corners - centre
    volumes = _volumes(middle - centre, area, kind)
    volume = volumes.sum()  # another one where all count as positive
    # ∫ r rᵀ over a tetrahedron with one corner at the origin: V/20 (Σ Σ rᵢ rⱼᵀ + Σ rᵢ rᵢᵀ)
    total = corners.sum(axis=1)
    second = np.einsum("n,ni,nj->ij", volumes, total, total) + np.einsum("n,nki,nkj->ij", volumes, corners, corners)
    second /= 20
    return volume, centre, np.trace(second) * np.eye(3) - second


def _shell(corners: np.ndarray, size: np.ndarray, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of the faces alone: ∫ r rᵀ dA over a triangle is A/12 (Σ Σ rᵢ rⱼᵀ + Σ rᵢ rᵢᵀ)."""
    total = corners.sum(axis=1)
    second = np.einsum("n,ni,nj->ij", size, total, total) + np.einsum("n,nki,nkj->ij", size, corners, corners)
    second /= 12
    return float(size.sum()), centre, np.trace(second) * np.eye(3) - second


def _volumes(middle: np.ndarray, area: np.ndarray, kind: str) -> np.ndarray:
    volumes = np.einsum("ij,ij->i", middle, area) / 3
    return np.abs(volumes) if kind == "legacy" else volumes
