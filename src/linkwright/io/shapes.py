"""Solid shapes of model files: shown, and (where they are for contact) kept with their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from .building import Building, rgb
from .mesh_solids import triangles
from .tolerances import SHOWN_PLANE

if TYPE_CHECKING:
    from ..language import Frame
    from ..library.contact import ContactShape


@dataclass(frozen=True, eq=False)
class SolidShape:
    """A shape at X in the frame of its part.

    `size`: box: full lengths along x, y, z; sphere: radius; cylinder, capsule: radius, length along z (of a capsule:
    between the centres of its ends); ellipsoid: three radii; plane (normal z): nothing; mesh: factors along x, y, z.
    """

    kind: str
    X: lw.Transform
    size: tuple[float, ...]
    file: str | None = None
    rounding: float = 0.0  # radius by which a mesh is grown
    inertia: str = "exact"  # how the mass of a mesh is meant: exact, legacy, convex, shell

    def grown(self, margin: float) -> SolidShape:
        """The shape with its surface moved outwards; edges of boxes and cylinders stay sharp."""
        if margin == 0:
            return self
        if self.kind == "plane":
            return replace(self, X=self.X @ lw.Transform(None, [0, 0, margin]))
        if self.kind == "mesh":
            return replace(self, rounding=margin)
        more = {"box": (2 * margin,) * 3, "capsule": (margin, 0.0), "cylinder": (margin, 2 * margin)}
        added = more.get(self.kind, (margin,) * len(self.size))
        return replace(self, size=tuple(x + y for x, y in zip(self.size, added, strict=True)))


def show(building: Building, frame: Frame, shape: SolidShape, name: str, colour: Sequence[float] | None = None) -> None:
    """Add what is to be seen of a shape."""
    if min(shape.size, default=1.0) == 0.0:
        return  # nothing to see
    if shape.kind == "mesh":
        building.look(frame, shape.X, name, shape.file, colour=colour, scale=shape.size)
    elif shape.kind == "box":
        building.look(frame, shape.X, name, "box", shape.size, colour)
    elif shape.kind in ("sphere", "ellipsoid"):
        radii = shape.size if len(shape.size) == 3 else shape.size * 3
        building.look(frame, shape.X, name, "sphere", tuple(2 * r for r in radii), colour)
    elif shape.kind in ("cylinder", "capsule"):
        radius, length = shape.size
        # looks lie along x, these shapes along z
        lying = shape.X @ lw.Transform(lw.rotation_y(-np.pi / 2))
        building.look(frame, lying, name, "cylinder", (length, 2 * radius, 2 * radius), colour)
        if shape.kind == "capsule":
            for k, sign in enumerate((-1, 1)):
                end = shape.X @ lw.Transform(None, [0, 0, sign * length / 2])
                building.look(frame, end, f"{name}_end{k + 1}", "sphere", (2 * radius,) * 3, colour)
    elif shape.kind == "plane":
        plate = lw.visualizers.Rectangle(direction_u=shape.X.R[:, 0], direction_v=shape.X.R[:, 1], length_u=SHOWN_PLANE,
                                         length_v=SHOWN_PLANE, **({} if colour is None else {"color": rgb(colour)}))
        building.add(name, plate)
        building.model.connect(building.placed(frame, lw.Transform(None, shape.X.p), f"{name}_place"), plate.frame_a)


def attach(building: Building, frame: Frame, shape: SolidShape, name: str, shown: bool, hulls: bool,
           colour: Sequence[float] | None = None) -> ContactShape | None:
    """Add the shape that can touch others and give it; of a mesh its hull, and only with `hulls`, else None."""
    given: dict[str, object] = {"animation": shown}
    if colour is not None:
        given["color"] = rgb(colour)
    if shape.kind == "mesh":
        if not hulls:
            return None
        points, _ = triangles(Path(shape.file), shape.size)
        part = lw.contact.Convex(points, radius=shape.rounding, **given)
    elif shape.kind == "plane":
        part = lw.contact.Plane(n=(0.0, 0.0, 1.0), **given)
    elif shape.kind == "box":
        part = lw.contact.Box(size=shape.size, **given)
    elif shape.kind == "sphere":
        part = lw.contact.Sphere(radius=shape.size[0], **given)
    elif shape.kind == "ellipsoid":
        part = lw.contact.Ellipsoid(radii=shape.size, **given)
    else:
        kind = lw.contact.Capsule if shape.kind == "capsule" else lw.contact.Cylinder
        part = kind(radius=shape.size[0], length=shape.size[1], **given)
    building.add(name, part)
    building.model.connect(building.placed(frame, shape.X, f"{name}_place"), part.frame_a)
    return part
