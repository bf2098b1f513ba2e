"""Links: bodies with mass, what they look like, and what collides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..building import Building
from ..markup import Element
from ..shapes import SolidShape, attach, show
from ..stand_ins import Mass, StandIns
from ..touching import MU
from .scopes import flag, number, pose

if TYPE_CHECKING:
    from ...language import Frame
    from ...library.contact import ContactShape

#: what has no part in a mechanism
BESIDE = ("sensor", "light", "audio_source", "audio_sink", "particle_emitter", "projector", "battery", "plugin",
          "kinematic", "must_be_base_link", "enable_wind", "self_collide", "drake:proximity_properties")
TENSOR = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


class Links:
    """Makes bodies of links; `surfaces` are (link, shape, friction) of all that can touch."""

    def __init__(self, building: Building, hulls: bool) -> None:
        self.building, self.report, self.hulls = building, building.report, hulls
        self.stand_ins = StandIns(building.report)
        self.surfaces: list[tuple[str, ContactShape, float]] = []

    def add(self, link: Element, name: str) -> Frame:
        """A link with its mass and shapes; gives its frame."""
        inertial = link.first("inertial")
        # a link without <inertial> has a mass of 1 kg by the format's own defaults
        mass, centre, inertia = self._inertial(inertial) if inertial is not None else (1.0, np.zeros(3), np.eye(3))
        self.mass = Mass(name, mass, centre, inertia)
        looks = list(link.all("visual"))
        body = self.building.body(inertial or link, name, mass, centre, inertia, not looks, link)
        if not flag(link, "gravity", True) and mass > 0:
            self._lift(body, mass, centre, name)
        for key in BESIDE:
            for child in link.all(key):
                self.report.pass_over(child)
        for k, look in enumerate(looks):
            self._visual(body.frame_a, look, f"{name}_visual{k + 1 if k else ''}")
        for k, shape in enumerate(link.all("collision")):
            self._collision(body.frame_a, name, shape, f"{name}_collision{k + 1 if k else ''}", not looks)
        return body.frame_a

    def _lift(self, body: lw.parts.Body, mass: float, centre: np.ndarray, name: str) -> None:
        """A link without gravity: a force at its centre of mass against its weight."""
        world = self.building.model.world
        if world.gravity is None:
            return
        at = self.building.placed(body.frame_a, lw.Transform(None, centre), f"{name}_centre")
        lift = lw.forces.WorldForce(force=-mass * float(world.g) * np.asarray(world.n, dtype=float), animation=False)
        self.building.add(f"{name}_lift", lift)
        self.building.model.connect(at, lift.frame_b)

    def _inertial(self, inertial: Element) -> tuple[float, np.ndarray, np.ndarray]:
        """(mass, centre of mass, inertia about it in the link's axes)."""
        X, mass = pose(inertial), number(inertial, "mass", 1.0)
        if not 0 <= mass < np.inf:
            raise inertial.error(f"the mass {mass:g} must be finite and not negative.")
        moments = inertial.first("inertia")
        defaults = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)
        xx, yy, zz, xy, xz, yz = (number(moments, key, value) for key, value in zip(TENSOR, defaults, strict=True))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if inertial.get("auto") in ("true", "1"):
            self.report.approximate(inertial, "auto: inertia is not worked out from shapes; what is written is used")
        return mass, X.p, X.R @ tensor @ X.R.T

    def _visual(self, frame: Frame, visual: Element, name: str) -> None:
        visual.get("name")
        material, colour = visual.first("material"), None
        if material is not None:
            diffuse = material.first("diffuse")
            colour = None if diffuse is None else diffuse.as_numbers(diffuse.words(), "<diffuse>", (3, 4))
            material.leave()
        for key in ("transparency", "cast_shadows", "laser_retro", "visibility_flags", "plugin", "meta",
                    "drake:accepting_renderer", "drake:perception_properties", "drake:illustration_properties"):
            for child in visual.all(key):
                child.leave()
        shape = self._geometry(visual, "to see")
        if shape is not None:
            show(self.building, frame, shape, name, colour)

    def _collision(self, frame: Frame, link: str, collision: Element, name: str, shown: bool) -> None:
        collision.get("name")
        shape = self._geometry(collision, "to touch")
        mu = self._friction(collision)
        for key in ("laser_retro", "max_contacts", "drake:proximity_properties"):
            for child in collision.all(key):
                child.leave()
        if shape is None or min(shape.size, default=1.0) <= 0:
            return
        part = attach(self.building, frame, shape, name, shown, self.hulls)
        if part is not None:
            self.surfaces.append((link, part, mu))
        else:
            self.report.data.setdefault("collision_meshes", {}).setdefault(link, []).append(shape)

    def _friction(self, collision: Element) -> float:
        """Drake's mu_dynamic, or the first of ODE's; how soft simulators make contact is not used."""
        mu = MU
        for surface in collision.all("surface"):
            for friction in surface.all("friction"):
                mu = number(friction.first("ode"), "mu", mu)
            surface.leave()
        for properties in collision.all("drake:proximity_properties"):
            mu = number(properties, "drake:mu_dynamic", mu)
        if not 0 <= mu < np.inf:
            self.report.approximate(collision, f"friction {mu:g}: taken as {MU:g}")
            return MU
        return mu

    def _geometry(self, element: Element, purpose: str) -> SolidShape | None:
        X, geometry = pose(element), element.the("geometry")
        for kind in geometry.all():
            tag = kind.tag
            if tag == "box":
                return SolidShape("box", X, tuple(_sizes(kind, "size", 3)))
            if tag == "sphere":
                return SolidShape("sphere", X, tuple(_sizes(kind, "radius", 1)))
            if tag == "ellipsoid":
                return SolidShape("ellipsoid", X, tuple(_sizes(kind, "radii", 3)))
            if tag == "drake:ellipsoid":
                names = [k if any(child.tag == k for child in kind.children) else f"drake:{k}" for k in "abc"]
                return SolidShape("ellipsoid", X, tuple(float(_sizes(kind, k, 1)[0]) for k in names))
            if tag in ("cylinder", "capsule", "drake:capsule"):
                inner = "drake:" if any(child.tag == "drake:radius" for child in kind.children) else ""
                sizes = (*_sizes(kind, f"{inner}radius", 1), *_sizes(kind, f"{inner}length", 1))
                return SolidShape(tag.removeprefix("drake:"), X, tuple(map(float, sizes)))
            if tag == "plane":
                return self._plane(kind, X)
            if tag == "mesh":
                return self._mesh(kind, X, purpose)
            if tag != "empty":
                self.report.ignore(kind, f"the shape <{tag}> is not known here")
            return None
        return None

    def _plane(self, plane: Element, X: lw.Transform) -> SolidShape:
        given = plane.first("normal")
        n = np.array([0.0, 0, 1]) if given is None else given.as_numbers(given.words(), "<normal>", 3)
        if not np.linalg.norm(n) > 0:
            raise plane.error("<normal> has no direction.")
        for size in plane.all("size"):
            size.leave()
        z = n / np.linalg.norm(n)
        x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
        x /= np.linalg.norm(x)
        return SolidShape("plane", X @ lw.Transform(np.column_stack([x, np.cross(z, x), z])), ())

    def _mesh(self, mesh: Element, X: lw.Transform, purpose: str) -> SolidShape | None:
        given = mesh.first("scale")
        scale = (1.0, 1.0, 1.0) if given is None else tuple(given.as_numbers(given.words(), "<scale>", 3))
        for key in ("submesh", "convex_decomposition", "drake:declare_convex"):
            for child in mesh.all(key):
                child.leave()
        file, why = self.building.meshes.find(mesh.the("uri").words())
        if file is None:
            return self.stand_ins.take(mesh, why, self.mass, purpose)
        return SolidShape("mesh", X, scale, str(file))


def _sizes(element: Element, tag: str, count: int) -> np.ndarray:
    """Positive sizes inside a child element."""
    child = element.the(tag)
    values = child.as_numbers(child.words(), f"<{tag}>", count)
    if np.any(values < 0):
        raise child.error(f"<{tag}> must be positive; got {child.words()}.")
    return values
