"""Checks and outlines of shapes made of points: convex hulls, polygons, closed meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from .tolerances import NO_VOLUME, SAME_VERTEX, STRAIGHT_CORNER

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def hull_vertices(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points in space, in the order given."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:
        raise ModelError("Convex: the points lie in one plane and enclose no volume; give at least four that do not.") \
            from None
    return points[np.sort(hull.vertices)]


def hull_faces(vertices: np.ndarray) -> np.ndarray:
    """The triangles of a convex body, counter-clockwise seen from outside."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices)
    faces = hull.simplices.astype(np.int64)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces


def checked_polygon(points: np.ndarray) -> np.ndarray:
    """The corners of a convex polygon, counter-clockwise; refused where it is not convex."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    scale = np.abs(edges).max() ** 2
    if np.all(turns < 0):
        return points[::-1].copy()
    if not np.all(turns > STRAIGHT_CORNER * scale):
        at = int(np.argmin(turns)) + 1
        raise ModelError(f"Polygon: it is not convex at point {at % len(points)}; give corners of a convex polygon in "
                         "their order around it, or make it of several.")
    return points


def checked_mesh(vertices: np.ndarray, faces: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Vertices that coincide joined, faces that shrank to nothing left out; a mesh that is not closed is refused."""
    faces = np.array(faces, dtype=np.int64)
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.size == 0 or faces.min() < 0 or faces.max() >= len(vertices):
        raise ModelError(f"Mesh: faces must be triples of vertex numbers 0 … {len(vertices) - 1}, got "
                         + (f"the number {faces[(faces < 0) | (faces >= len(vertices))][0]}."
                            if faces.ndim == 2 and faces.shape[1] == 3 and faces.size else
                            f"an array of shape {faces.shape}."))
    size = np.ptp(vertices, axis=0).max()
    _, first, same = np.unique(np.round(vertices / (SAME_VERTEX * size or 1.0)), axis=0, return_index=True,
                               return_inverse=True)
    vertices, faces = vertices[first], same.reshape(-1)[faces]
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[distinct]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forward = {(int(i), int(j)) for i, j in edges}
    open_edges = sum((j, i) not in forward for i, j in forward)
    if open_edges or len(forward) != len(edges):
        raise ModelError(f"Mesh: the surface is not closed: {open_edges or len(edges) - len(forward)} edges do not "
                         "join exactly two faces of one sense. Repair the mesh (trimesh's fill_holes, manifold3d), or "
                         "take its hull: Convex(points).")
    volume = mesh_volume(vertices, faces)
    if abs(volume) <= NO_VOLUME * size**3:
        raise ModelError(f"Mesh: it encloses no volume ({volume:g} m³). Give faces on all sides of a "
                         "solid; a thin plate is a contact.Box or a Convex with a radius.")
    return vertices, (faces if volume > 0 else faces[:, ::-1].copy())


def mesh_volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """∑ a·(b × c)/6 over the triangles, positive where they are counter-clockwise seen from outside."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
