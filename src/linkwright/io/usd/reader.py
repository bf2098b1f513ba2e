"""The reader of USD stages: bodies with their colliders, joints between them, what is free, and what touches."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw

from ...algebra import rotation_angles
from ..building import Building
from ..import_report import ImportReport
from ..markup import Element
from ..mesh_paths import MeshFiles
from ..shapes import attach, show
from ..touching import MU, add_ground, let_touch
from ..wishes import Wishes
from .filters import Filters
from .links import Links
from .solids import Collider, mass_of, shape_of
from .stage import Stage
from .vendors import Vendors

GRAVITY = 9.81  # m/s², where a scene gives none (UsdPhysics.Scene)
SHAPES = ("Cube", "Sphere", "Capsule", "Cylinder", "Mesh", "Plane", "Cone", "Capsule_1", "Cylinder_1")


def read_usd(path: Path, wishes: Wishes) -> lw.Model:
    """The model of a USD stage with physics."""
    return Reader(path, wishes).model()


class Reader:
    """Builds a model of the rigid bodies of a stage."""

    def __init__(self, path: Path, wishes: Wishes) -> None:
        meshes = MeshFiles(path, wishes.search)
        self.stage, self.wishes = Stage(path, meshes), wishes
        self.report = ImportReport(str(path))
        default = self.stage.stage.GetDefaultPrim()
        self.building = Building(default.GetName() if default else path.stem, self.report, meshes)
        self.frames: dict[str, tuple[Any, lw.Transform, np.ndarray]] = {}  # body → frame, pose, scale; "" is the world
        self.surfaces: list[tuple[str, Any, Collider]] = []
        self.vendors = Vendors(self.stage, self.building, wishes.friction)
        self.links = Links(self.stage, self.building, wishes, self.vendors, self.frames)

    def model(self) -> lw.Model:
        """All of it."""
        prims = self.stage.prims()
        self.building.add("world", self._world(prims))
        self.frames[""] = self.building.model.world.frame_b, lw.Transform(), np.ones(3)
        owners = self._owners(prims)
        bodies = [prim for prim in prims if owners.get(prim.GetPath()) == str(prim.GetPath())]
        if not bodies:
            raise self.stage.error(self.stage.stage.GetPseudoRoot(), "there is no rigid body (PhysicsRigidBodyAPI).")
        for prim in bodies:
            self._body(prim, [inner for inner in prims if owners.get(inner.GetPath()) == str(prim.GetPath())])
        self._static([prim for prim in prims if prim.GetPath() not in owners])
        self.links.add(prims)
        self._set_free()
        self._touch(prims)
        self.vendors.report_rest(prims)
        kinds = [element.tag for element in self.stage._elements.values() if not element.left]
        self.report.kept = {tag: kinds.count(tag) for tag in dict.fromkeys(kinds)}
        self.building.model.import_report = self.report
        return self.building.model

    def _world(self, prims: list[Any]) -> lw.World:
        from pxr import UsdPhysics

        direction, size = -self.stage.up, GRAVITY
        for prim in prims:
            if prim.IsA(UsdPhysics.Scene):
                scene = UsdPhysics.Scene(prim)
                given = np.array(scene.GetGravityDirectionAttr().Get(), dtype=float)
                direction = given / np.linalg.norm(given) if np.linalg.norm(given) > 0 else direction
                written = float(scene.GetGravityMagnitudeAttr().Get())
                size = written * self.stage.length if np.isfinite(written) and written >= 0 else size
                break
        return lw.World(gravity=None, n=tuple(direction)) if size == 0 else lw.World(g=size, n=tuple(direction))

    def _owners(self, prims: list[Any]) -> dict[Any, str]:
        """Prim → the body it belongs to: the nearest one above it, or itself."""
        from pxr import UsdPhysics

        owners: dict[Any, str] = {}
        for prim in prims:
            above = owners.get(prim.GetPath().GetParentPath())
            body = UsdPhysics.RigidBodyAPI(prim) if prim.HasAPI(UsdPhysics.RigidBodyAPI) else None
            if body is not None and body.GetRigidBodyEnabledAttr().Get() is not False:
                owners[prim.GetPath()] = str(prim.GetPath())
            elif above is not None:
                owners[prim.GetPath()] = above
        return owners

    # --- bodies ---

    def _body(self, prim: Any, inside: list[Any]) -> None:
        from pxr import UsdPhysics

        path, element = str(prim.GetPath()), self.stage.element(prim, "body")
        X, scale = self.stage.pose(prim)
        shapes = [prim_ for prim_ in inside if prim_.GetTypeName() in SHAPES]
        colliders = [self._collider(shape, X) for shape in shapes if shape.HasAPI(UsdPhysics.CollisionAPI)]
        mass = mass_of(self.stage, prim, scale, colliders)
        body = self.building.body(element, prim.GetName(), mass.m, mass.centre, mass.tensor, not shapes, element)
        self.report.names["body"][path] = self.report.names["body"].pop(prim.GetName())
        self.frames[path] = body.frame_a, X, scale
        self.links.number[path] = len(self.links.number)
        self.building.lift(body, self.vendors.weightless(prim), prim.GetName())
        self._moving(prim, element)
        if UsdPhysics.RigidBodyAPI(prim).GetKinematicEnabledAttr().Get():
            self.report.remark(element, "a kinematic body stands still where it is drawn")
            self.links.hold(path)
        self._shapes(path, shapes, colliders, X)

    def _moving(self, prim: Any, element: Element) -> None:
        """Speeds at the start, which are not set: a stage gives them of each body, joints would have to agree."""
        from pxr import UsdPhysics

        body = UsdPhysics.RigidBodyAPI(prim)
        for attribute in (body.GetVelocityAttr(), body.GetAngularVelocityAttr()):
            value = tuple(float(x) for x in attribute.Get() or ())
            if any(value):
                self.report.ignore(element, f"its {attribute.GetBaseName()} {value} at the start is not set")

    def _static(self, prims: list[Any]) -> None:
        """Colliders of no body are fixed to the world."""
        from pxr import UsdPhysics

        shapes = [prim for prim in prims if prim.GetTypeName() in SHAPES]
        colliders = [self._collider(shape, lw.Transform()) for shape in shapes if shape.HasAPI(UsdPhysics.CollisionAPI)]
        self._shapes("", shapes, colliders, lw.Transform())

    def _collider(self, prim: Any, X_body: lw.Transform) -> Collider:
        from pxr import UsdPhysics, UsdShade

        X, scale = self.stage.pose(prim)
        X = X_body.inverse() @ X
        shape, points, faces = shape_of(self.stage, prim, X, scale)
        given, kg, L = UsdPhysics.MassAPI(prim), self.stage.mass, self.stage.length
        mass = float(given.GetMassAttr().Get() or 0.0) * kg if given else 0.0
        density = float(given.GetDensityAttr().Get() or 0.0) * kg / L**3 if given else 0.0
        friction, restitution, of_material = None, 0.0, 0.0
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if bound and bound.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            material = UsdPhysics.MaterialAPI(bound.GetPrim())
            friction = float(material.GetDynamicFrictionAttr().Get())
            restitution = float(material.GetRestitutionAttr().Get())
            of_material = float(material.GetDensityAttr().Get() or 0.0) * kg / L**3
        touches = UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is not False
        return Collider(prim, shape, points, faces, X, mass, density, of_material, friction, restitution, touches)

    def _shapes(self, body: str, shapes: list[Any], colliders: list[Collider], X_body: lw.Transform) -> None:
        """What is to be seen of a body, and what touches."""
        frame, touching = self.frames[body][0], {collider.prim.GetPath(): collider for collider in colliders}
        for prim in shapes:
            collider = touching.get(prim.GetPath())
            name, seen = prim.GetName() if body == "" else f"{Path(body).name}_{prim.GetName()}", self._seen(prim)
            if collider is not None:
                part = self._surface(collider, frame, name, seen)
                if part is not None:
                    self.surfaces.append((body, part, collider))
                    continue
            X, scale = self.stage.pose(prim)
            shape, points, _ = shape_of(self.stage, prim, X_body.inverse() @ X, scale)
            if shape is not None and seen:
                show(self.building, frame, shape, name)
            elif points is not None:
                self.report.beside["Mesh"] = self.report.beside.get("Mesh", 0) + 1

    def _seen(self, prim: Any) -> bool:
        from pxr import UsdGeom

        image = UsdGeom.Imageable(prim)
        return image.ComputeVisibility() != "invisible" and image.ComputePurpose() != "guide"

    def _surface(self, collider: Collider, frame: Any, name: str, seen: bool) -> Any:
        """The shape of contact of a collider; of a mesh its hull, where things touch."""
        if not collider.touches:
            return None
        if collider.points is None:
            if collider.shape is None:
                self.report.ignore(self.stage.element(collider.prim, "collider"),
                                   f"colliders of the kind {collider.prim.GetTypeName()} are not known here")
            return None if collider.shape is None else attach(self.building, frame, collider.shape, name, seen, False)
        if not (self.wishes.hulls or self.wishes.contact is not None) or len(collider.points) < 4:
            return None
        part = self.building.add(name, lw.contact.Convex(collider.points, animation=seen))
        self.building.model.connect(self.building.placed(frame, collider.X, f"{name}_place"), part.frame_a)
        return part

    # --- what is free, and what touches ---

    def _set_free(self) -> None:
        """Give what hangs on nothing a free joint."""
        done = {self.links.held.find(0)}
        for path, (frame, X, _) in self.frames.items():
            if self.links.held.find(self.links.number[path]) not in done:
                done.add(self.links.held.find(self.links.number[path]))
                free = lw.joints.FreeMotion(r_rel_a=lw.guess(X.p), angles=lw.guess(rotation_angles(X.R)),
                                            animation=False)
                self.building.add(f"{Path(path).name}_free", free)
                self.building.model.connect(self.frames[""][0], free.frame_a)
                self.building.model.connect(free.frame_b, frame)

    def _touch(self, prims: list[Any]) -> None:
        """Colliders of different bodies touch, unless a joint connects these or the stage filters them; the friction
        is the mean of both."""
        plane = None if self.wishes.ground is None else add_ground(self.building, self.wishes.ground)
        if self.wishes.contact is None:
            return
        filters, links = Filters(self.stage, prims), self.links
        alone = {links.articulation(body) for body in self.frames if body and filters.is_alone(body)}

        def meet(a: str, one: Collider, b: str, other: Collider) -> bool:
            linked = a and b and links.articulation(a) == links.articulation(b) and links.articulation(a) in alone
            return not (a == b or linked or frozenset((a, b)) in links.jointed
                        or filters.apart(one.prim.GetPath(), other.prim.GetPath()))

        pairs = [(a, b, _law(one, other)) for (body_a, a, one), (body_b, b, other) in combinations(self.surfaces, 2)
                 if meet(body_a, one, body_b, other)]
        if plane is not None:
            pairs += [(plane, part, _law(collider, collider)) for body, part, collider in self.surfaces if body]
        self.report.data["touching"] = let_touch(self.building, pairs, self.wishes.contact).count


def _law(one: Collider, other: Collider) -> lw.contact.Rigid:
    mu = [MU if collider.friction is None else collider.friction for collider in (one, other)]
    return lw.contact.Rigid(mu=sum(mu) / 2, restitution=(one.restitution + other.restitution) / 2)
