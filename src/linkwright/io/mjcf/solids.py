"""Geoms: their shape, and the mass they lend to their body.

A geom has a mass, or a density (1000 kg/m³) from which it follows by the volume; moments of inertia of the solids are
those of any table (Beer, Johnston: Vector Mechanics, appendix).  Meshes are summed up by tetrahedra.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import linkwright as lw

from ..markup import Element
from ..mesh_solids import mesh_inertia, triangles
from ..shapes import SolidShape
from ..tolerances import SIZE_OF_SITE
from .settings import Settings, direction, least_turn, pose

KINDS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
COLOUR = (0.5, 0.5, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass, centre of mass in the body's frame, tensor about it in the body's axes; its principal axes where the file
    says which they are (of a body of revolution a tensor alone does not)."""

    m: float
    centre: np.ndarray
    tensor: np.ndarray
    axes: np.ndarray | None = None


def geom_shape(geom: Element, settings: Settings, meshes: dict[str, SolidShape]) -> SolidShape | None:
    """The shape of a geom (settled); None for what has no solid shape here."""
    kind = geom.choice("type", KINDS, "sphere")
    if kind == "mesh" or geom.get("mesh") and kind == "sphere" and "type" not in geom.attributes:
        name = geom.need("mesh")
        if name not in meshes:
            raise geom.error(f"there is no mesh {name!r}.")
        mesh = meshes[name]
        return replace(mesh, X=pose(geom, settings) @ mesh.X) if mesh.file else None
    if kind in ("hfield", "sdf"):
        return None
    if kind == "plane":
        geom.get("size")  # how much of it is drawn
        return SolidShape("plane", pose(geom, settings), ())
    if geom.get("mesh"):
        return _fitted(geom, kind, settings, meshes)
    return _solid(geom, kind, settings)


def _fitted(geom: Element, kind: str, settings: Settings, meshes: dict[str, SolidShape]) -> SolidShape | None:
    """A solid that stands for a mesh, by its inertia: the box of the same principal moments, or what fits that box.

    With moments I₀ ≥ I₁ ≥ I₂ of a unit of mass its edges are √(6 (Iⱼ + Iₖ − Iᵢ)), the longest along z.
    """
    for key in ("size", "fromto"):
        geom.get(key)
    name = geom.need("mesh")
    if name not in meshes:
        raise geom.error(f"there is no mesh {name!r}.")
    mesh = meshes[name]
    if not mesh.file:
        return None
    volume, centre, tensor = mesh_inertia(*triangles(Path(mesh.file), mesh.size, True), mesh.inertia)
    moments, axes = np.linalg.eigh(tensor)
    moments, axes = moments[::-1] / volume, axes[:, ::-1]
    axes = axes * np.array([1, 1, np.linalg.det(axes)])
    half = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments), 0)) / 2 * geom.number("fitscale", 1.0)
    X = pose(geom, settings) @ mesh.X @ lw.Transform(axes, centre)
    across = float(half[0] + half[1]) / 2
    if kind == "sphere":
        return SolidShape(kind, X, (float(half.mean()),))
    if kind == "capsule":
        return SolidShape(kind, X, (across, 2 * max(0.0, float(half[2]) - across / 2)))
    if kind == "cylinder":
        return SolidShape(kind, X, (across, 2 * float(half[2])))
    return SolidShape(kind, X, tuple(2 * half if kind == "box" else half))


def site_volume(site: Element, settings: Settings) -> SolidShape:
    """The volume of a site, and its pose; what its size leaves out is 5 mm."""
    kind = site.choice("type", tuple(SIZES), "sphere")
    size = site.numbers("size", (1, 2, 3), (SIZE_OF_SITE,))
    return _solid(site, kind, settings, np.concatenate([size, np.full(3 - len(size), SIZE_OF_SITE)]))


def _solid(geom: Element, kind: str, settings: Settings, size: np.ndarray | None = None) -> SolidShape:
    size = geom.numbers("size", (1, 2, 3), (0.0, 0.0, 0.0)) if size is None else size
    ends = geom.numbers("fromto", 6)
    if ends is not None and kind != "sphere":
        if np.any(geom.numbers("pos", 3, (0.0, 0.0, 0.0))):
            raise geom.error("give pos or fromto, not both.")
        along = ends[3:] - ends[:3]
        X = lw.Transform(least_turn(-direction(geom, along, "fromto")), (ends[:3] + ends[3:]) / 2)
        half = np.linalg.norm(along) / 2
        size = np.array([size[0], half] if kind in ("capsule", "cylinder") else [size[0], size[0], half])
    else:
        X = pose(geom, settings)
    if len(size) < SIZES[kind] or np.any(size[:SIZES[kind]] <= 0):
        raise geom.error(f"a {kind} needs {SIZES[kind]} positive number{'s' if SIZES[kind] > 1 else ''} for its size; "
                         f"got {geom.get('size')!r}.")
    if kind == "box":
        return SolidShape("box", X, tuple(2 * size[:3]))
    if kind in ("capsule", "cylinder"):
        return SolidShape(kind, X, (size[0], 2 * size[1]))
    return SolidShape(kind, X, tuple(size[:SIZES[kind]]))


def geom_mass(geom: Element, shape: SolidShape | None, settings: Settings) -> Mass | None:
    """What a geom adds to its body; None for nothing."""
    group = int(geom.number("group", 0))
    given, density = geom.number("mass"), geom.number("density", 1000.0)
    hollow = geom.flag("shellinertia")
    if not settings.groups[0] <= group <= settings.groups[1] or shape is None or shape.kind == "plane":
        return None
    if given == 0 or given is None and density == 0:
        return None
    if hollow:
        raise geom.error("shellinertia: give the body an <inertial> instead; only solids are known here.")
    if shape.kind == "mesh":
        volume, centre, moments = mesh_inertia(*triangles(Path(shape.file), shape.size, True), shape.inertia)
    else:
        (volume, moments), centre = unit_inertia(shape), np.zeros(3)
        moments = np.diag(moments)
    m = density * volume if given is None else given
    R = shape.X.R
    return Mass(m, shape.X @ centre, R @ (moments * (m / volume)) @ R.T, None if shape.kind == "mesh" else R)


def unit_inertia(shape: SolidShape) -> tuple[float, np.ndarray]:
    """(volume, principal moments for the density 1) of a solid, its axis along z."""
    if shape.kind == "box":
        x, y, z = np.square(shape.size)
        volume = float(np.prod(shape.size))
        return volume, volume / 12 * np.array([y + z, x + z, x + y])
    if shape.kind in ("sphere", "ellipsoid"):
        x, y, z = np.square(shape.size if len(shape.size) == 3 else shape.size * 3)
        volume = 4 / 3 * np.pi * float(np.sqrt(x * y * z))
        return volume, volume / 5 * np.array([y + z, x + z, x + y])
    r, length = shape.size
    m = np.pi * r**2 * length
    across, along = m * (3 * r**2 + length**2) / 12, m * r**2 / 2
    if shape.kind == "cylinder":
        return m, np.array([across, across, along])
    # two half balls, their centres of mass 3/8 r beyond the ends
    ball = 4 / 3 * np.pi * r**3
    across += ball * (2 / 5 * r**2 + length / 2 * (length / 2 + 3 / 4 * r))
    return m + ball, np.array([across, across, along + ball * 2 / 5 * r**2])


def together(masses: list[Mass]) -> Mass:
    """Several masses as one: Σ m, Σ m c / Σ m, tensors moved to the common centre."""
    m = sum(part.m for part in masses)
    if m == 0:
        return Mass(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum(part.m * part.centre for part in masses) / m
    tensor = np.zeros((3, 3))
    for part in masses:
        d = part.centre - centre
        tensor += part.tensor + part.m * (d @ d * np.eye(3) - np.outer(d, d))
    return Mass(m, centre, tensor)


def bounded(mass: Mass, settings: Settings) -> Mass:
    """boundmass, boundinertia and balanceinertia, along the principal axes."""
    if not (settings.least_mass or settings.least_inertia or settings.balance):
        return mass
    moments, axes = np.linalg.eigh(mass.tensor)
    moments = np.maximum(moments, settings.least_inertia)
    if settings.balance and moments[0] + moments[1] < moments[2]:
        moments = np.full(3, moments.mean())
    return Mass(max(mass.m, settings.least_mass), mass.centre, axes @ np.diag(moments) @ axes.T)
