"""Triangles from mesh files."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from ..errors import ModelError

MESH_SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off", ".3mf", ".dxf", ".dae")

Triangles = tuple[np.ndarray, np.ndarray]  # vertices (n, 3), faces (m, 3)


@lru_cache(maxsize=64)
def file_mesh(path: str, owner: str = "") -> Triangles:
    """The triangles of an STL, OBJ, PLY, glTF or DXF file, in the file's own units."""
    file = Path(path.removeprefix("file://"))
    if not file.is_file():
        raise ModelError(f"{owner}: there is no mesh file {str(file)!r}; looked in {Path.cwd()}.", owner)
    if file.suffix.lower() not in MESH_SUFFIXES:
        raise ModelError(f"{owner}: {file.name} is no mesh file; known are {', '.join(MESH_SUFFIXES)}.", owner)
    if file.suffix.lower() == ".dxf":
        return dxf_mesh(file, owner)
    try:
        import trimesh
    except ImportError:
        raise ModelError(f"{owner}: reading {file.name} needs trimesh; pip install trimesh.", owner) from None
    try:
        mesh = trimesh.load(str(file), force="mesh")
    except Exception as error:
        raise ModelError(f"{owner}: {file} cannot be read as a mesh ({error}).", owner) from None
    if not len(getattr(mesh, "faces", ())):
        raise ModelError(f"{owner}: {file} holds no triangles.", owner)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)


def dxf_mesh(file: Path, owner: str = "") -> Triangles:
    """The faces of a DXF drawing (3DFACE and meshes), cut into triangles; Modelica's CAD shapes are such files."""
    try:
        import ezdxf
        from ezdxf.render import MeshBuilder
    except ImportError:
        raise ModelError(f"{owner}: reading {file.name} needs ezdxf; pip install 'linkwright[dxf]'.", owner) from None
    builder = MeshBuilder()
    try:
        for entity in ezdxf.readfile(file).modelspace():
            kind = entity.dxftype()
            if kind == "3DFACE":
                builder.add_mesh(vertices=(corners := entity.wcs_vertices()), faces=[range(len(corners))])
            elif kind == "POLYLINE" and (entity.is_poly_face_mesh or entity.is_polygon_mesh):
                builder.add_mesh(mesh=MeshBuilder.from_polyface(entity))
            elif kind == "MESH":
                builder.add_mesh(mesh=MeshBuilder.from_mesh(entity))
    except (ezdxf.DXFError, OSError) as error:
        raise ModelError(f"{owner}: {file} cannot be read as a drawing ({error}).", owner) from None
    triangles = [(face[0], face[k], face[k + 1]) for face in builder.faces for k in range(1, len(face) - 1)]
    if not triangles:
        raise ModelError(f"{owner}: {file} holds no faces; lines alone cannot be shown as a shape.", owner)
    return np.array([tuple(v) for v in builder.vertices], dtype=float), np.array(triangles, dtype=int)
