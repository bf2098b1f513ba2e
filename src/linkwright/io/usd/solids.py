"""Shapes of colliders, and the mass of a body: as written, or the volumes of its colliders times their density.

(openusd.org, "UsdPhysics: Mass properties".)  A mass, a centre or an inertia that is written goes before what follows
from shapes; a density of a collider goes before that of its body, which goes before those of materials; 1000 kg/m³
without any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright as lw

from ...errors import ModelError
from ..mesh_solids import mesh_inertia
from ..mjcf.solids import Mass, together, unit_inertia
from ..shapes import SolidShape
from ..tolerances import HUGE, ROUND
from .stage import Stage

DENSITY = 1000.0
AXES = {"X": [1.0, 0.0, 0.0], "Y": [0.0, 1.0, 0.0], "Z": [0.0, 0.0, 1.0]}


@dataclass(frozen=True, eq=False)
class Collider:
    """A shape in the frame of its body, the points of a mesh, and what its prim says of its mass and surface."""

    prim: Any
    shape: SolidShape | None
    points: np.ndarray | None
    faces: np.ndarray | None
    X: lw.Transform
    mass: float
    density: float
    material_density: float
    friction: float | None
    restitution: float
    touches: bool  # False where its collision is switched off: it still weighs


def shape_of(stage: Stage, prim: Any, X: lw.Transform, scale: np.ndarray) -> tuple[SolidShape | None, np.ndarray | None,
                                                                                    np.ndarray | None]:
    """(shape, points, faces) of a geometric prim at X; of a mesh its points, of what is not known nothing."""
    from pxr import UsdGeom

    kind, L = prim.GetTypeName(), stage.length
    if kind == "Cube":
        size = UsdGeom.Cube(prim).GetSizeAttr().Get()
        return SolidShape("box", X, tuple(float(L * size * abs(s)) for s in scale)), None, None
    if kind == "Sphere":
        radii = tuple(float(L * UsdGeom.Sphere(prim).GetRadiusAttr().Get() * abs(s)) for s in scale)
        round_ = np.ptp(radii) < ROUND * max(radii)
        return (SolidShape("sphere", X, radii[:1]) if round_ else SolidShape("ellipsoid", X, radii)), None, None
    if kind in ("Capsule", "Cylinder"):
        schema = getattr(UsdGeom, kind)(prim)
        axis = stage.axis(prim, schema.GetAxisAttr())
        k = "XYZ".index(axis)
        radius, height = schema.GetRadiusAttr().Get(), schema.GetHeightAttr().Get()
        across = np.delete(np.abs(scale), k).mean()
        size = (float(L * radius * across), float(L * height * abs(scale[k])))
        return SolidShape(kind.lower(), X @ lw.Transform(_z_to(axis)), size), None, None
    if kind == "Plane":
        axis = stage.axis(prim, UsdGeom.Plane(prim).GetAxisAttr())
        return SolidShape("plane", X @ lw.Transform(_z_to(axis)), ()), None, None
    if kind == "Mesh":
        mesh = UsdGeom.Mesh(prim)
        points = np.array(mesh.GetPointsAttr().Get() or [], dtype=float).reshape(-1, 3) * scale * L
        counts, corners = mesh.GetFaceVertexCountsAttr().Get() or [], list(mesh.GetFaceVertexIndicesAttr().Get() or [])
        faces, at = [], 0
        for n in counts:
            faces += [(corners[at], corners[at + k], corners[at + k + 1]) for k in range(1, n - 1)]
            at += n
        triples = np.array(faces, dtype=int).reshape(-1, 3)
        if len(triples) and not 0 <= triples.min() <= triples.max() < len(points):
            raise stage.error(prim, "a face names a point that is not there.")
        inward = (mesh.GetOrientationAttr().Get() == "leftHanded") != bool(np.prod(scale) < 0)
        return None, points, triples[:, ::-1] if inward else triples
    return None, None, None


def _z_to(axis: str) -> np.ndarray:
    """The rotation that turns z into an axis."""
    return {"X": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), "Y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),
            "Z": np.eye(3)}[axis]


def mass_of(stage: Stage, prim: Any, scale: np.ndarray, colliders: list[Collider]) -> Mass:
    """Mass, centre and inertia of a body in its frame, which must be finite."""
    found = _mass_of(stage, prim, scale, colliders)
    if not 0 <= found.m < HUGE or not np.all(np.abs(found.centre) < HUGE) or not np.all(np.abs(found.tensor) < HUGE):
        raise stage.error(prim, f"its mass {found.m:g}, its centre and its inertia must be finite, and the mass not "
                                "negative.")
    return found


def _mass_of(stage: Stage, prim: Any, scale: np.ndarray, colliders: list[Collider]) -> Mass:
    from pxr import UsdPhysics

    given = UsdPhysics.MassAPI(prim)
    mass = float(given.GetMassAttr().Get() or 0.0) * stage.mass if given else 0.0
    density = float(given.GetDensityAttr().Get() or 0.0) * stage.mass / stage.length**3 if given else 0.0
    parts = [part for collider in colliders if (part := _part(stage, collider, density)) is not None]
    whole = together(parts)
    factor = mass / whole.m if mass > 0 and whole.m > 0 else 1.0
    m = mass if mass > 0 else whole.m
    centre, tensor = whole.centre, factor * whole.tensor
    if not given:
        return Mass(m, centre, tensor)
    written = np.array(given.GetCenterOfMassAttr().Get(), dtype=float)
    if np.all(np.isfinite(written)) and given.GetCenterOfMassAttr().HasAuthoredValue():
        centre = stage.length * scale * written
    moments = np.array(given.GetDiagonalInertiaAttr().Get(), dtype=float) * stage.mass * stage.length**2
    if np.any(moments > 0):
        R = stage.rotation(given.GetPrincipalAxesAttr().Get())
        tensor = R @ np.diag(moments) @ R.T
    return Mass(m, centre, tensor)


def _part(stage: Stage, collider: Collider, density: float) -> Mass | None:
    """What a collider weighs."""
    density = collider.density or density or collider.material_density or DENSITY
    if collider.points is not None and collider.faces is not None and len(collider.faces):
        try:
            volume, centre, tensor = mesh_inertia(collider.points, collider.faces, "exact")
        except ModelError as error:
            raise stage.error(collider.prim, str(error)) from None
        X = collider.X
    elif collider.shape is not None and collider.shape.kind != "plane":
        volume, moments = unit_inertia(collider.shape)
        centre, tensor, X = np.zeros(3), np.diag(moments), collider.shape.X
    else:
        return None
    m = collider.mass or density * volume
    return Mass(m, X @ centre, X.R @ (tensor * (m / volume)) @ X.R.T)
