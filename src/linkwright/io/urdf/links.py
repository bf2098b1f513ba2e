"""Links: bodies with mass, what they look like, and what collides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..building import Building
from ..markup import Element
from ..shapes import SolidShape, attach, show
from ..stand_ins import Mass, StandIns
from .origin import pose

if TYPE_CHECKING:
    from ...language import Frame
    from ...library.contact import ContactShape


class Links:
    """Makes bodies of links; `hulls` makes contact shapes of collision meshes."""

    def __init__(self, building: Building, hulls: bool) -> None:
        self.building, self.report, self.hulls = building, building.report, hulls
        self.stand_ins = StandIns(building.report)
        self.colours: dict[str, np.ndarray] = {}
        self.surfaces: list[tuple[str, ContactShape]] = []  # (link, shape)
        self.massive: set[str] = set()  # links with mass or inertia

    def add(self, link: Element) -> Frame:
        """A link with its mass and shapes; gives its frame."""
        name = link.get("name")
        inertial = link.first("inertial")
        mass, centre, inertia = self._inertial(inertial) if inertial else (0.0, np.zeros(3), np.zeros((3, 3)))
        self.mass = Mass(name, mass, centre, inertia)
        if mass > 0 or np.any(inertia):
            self.massive.add(name)
        looks = list(link.all("visual"))
        body = self.building.body(inertial or link, name, mass, centre, inertia, mass > 0 and not looks, link)
        for k, look in enumerate(looks):
            self._visual(body.frame_a, look, f"{name}_visual{k + 1 if k else ''}")
        for k, shape in enumerate(link.all("collision")):
            self._collision(body.frame_a, name, shape, f"{name}_collision{k + 1 if k else ''}", not looks)
        return body.frame_a

    def _inertial(self, inertial: Element) -> tuple[float, np.ndarray, np.ndarray]:
        """(mass, centre of mass, inertia about it in the link's axes)."""
        X = pose(inertial.first("origin"))
        mass = inertial.the("mass").number("value", None)
        if mass is None or mass < 0:
            raise inertial.the("mass").error("value is missing or negative.")
        moments = inertial.first("inertia")
        if moments is None:
            self.report.approximate(inertial, "no <inertia>: a point mass")
            return mass, X.p, np.zeros((3, 3))
        ixx, iyy, izz, ixy, ixz, iyz = (moments.number(key, 0.0) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        return mass, X.p, X.R @ tensor @ X.R.T

    def _visual(self, frame: Frame, visual: Element, name: str) -> None:
        visual.get("name")
        material = visual.first("material")
        colour = self.colour(material) if material else None
        shape = self._geometry(visual, "to see")
        if shape is not None:
            show(self.building, frame, shape, name, colour)

    def _collision(self, frame: Frame, link: str, collision: Element, name: str, shown: bool) -> None:
        collision.get("name")
        shape = self._geometry(collision, "to touch")
        if shape is None or min(shape.size) <= 0:
            return
        part = attach(self.building, frame, shape, name, shown, self.hulls)
        if part is not None:
            self.surfaces.append((link, part))
        else:
            self.report.data.setdefault("collision_meshes", {}).setdefault(link, []).append(shape)

    def _geometry(self, element: Element, purpose: str) -> SolidShape | None:
        X = pose(element.first("origin"))
        geometry = element.first("geometry")
        if geometry is None:
            self.report.ignore(element, "there is no <geometry> in it")
            return None
        for kind in geometry.all("box", "cylinder", "sphere", "capsule", "mesh", "drake:capsule", "drake:ellipsoid"):
            tag = kind.tag.removeprefix("drake:")
            if tag == "box":
                return SolidShape("box", X, tuple(_positive(kind, "size", 3)))
            if tag == "sphere":
                return SolidShape("sphere", X, tuple(_positive(kind, "radius", 1)))
            if tag == "ellipsoid":
                return SolidShape(tag, X, tuple(float(_positive(kind, axis, 1)[0]) for axis in "abc"))
            if tag in ("cylinder", "capsule"):
                return SolidShape(tag, X, (*_positive(kind, "radius", 1), *_positive(kind, "length", 1)))
            return self._mesh(kind, X, purpose)
        self.report.ignore(geometry, "a geometry is one of box, cylinder, sphere, capsule, mesh")
        return None

    def _mesh(self, mesh: Element, X: lw.Transform, purpose: str) -> SolidShape | None:
        scale = mesh.numbers("scale", (1, 3), (1, 1, 1))
        scale = tuple(np.broadcast_to(scale, 3))  # one number scales alike in all directions
        file, why = self.building.meshes.find(mesh.need("filename"))
        if file is None:
            return self.stand_ins.take(mesh, why, self.mass, purpose)
        return SolidShape("mesh", X, scale, str(file))

    def colour(self, material: Element) -> np.ndarray | None:
        name, colour = material.get("name"), material.first("color")
        if material.first("texture") is not None:
            self.report.ignore(material.first("texture"), "textures are not shown")
        if colour is None:
            return self.colours.get(name)
        rgba = colour.numbers("rgba", (3, 4), (0.5, 0.5, 0.5, 1))
        if name:
            self.colours[name] = rgba
        return rgba


def _positive(element: Element, name: str, count: int) -> np.ndarray:
    """Sizes, which must be positive."""
    element.need(name)
    values = element.numbers(name, count)
    if np.any(values < 0):
        raise element.error(f"{name} must be positive; got {' '.join(f'{x:g}' for x in values)}.")
    return values
