"""The reader of USD stages: bodies with their colliders, joints between them, what is free, and what touches."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw

from ...algebra import rotation_angles
from ...mechanism import Joined
from ..building import Building
from ..import_report import ImportReport
from ..mesh_paths import MeshFiles
from ..shapes import attach, show
from ..touching import MU, add_ground, let_touch
from ..wishes import Wishes
from .joints import KINDS, add_drive, components_of
from .solids import Collider, mass_of, shape_of
from .stage import Stage

GRAVITY = 9.81  # m/s², where a scene gives none (UsdPhysics.Scene)
SHAPES = ("Cube", "Sphere", "Capsule", "Cylinder", "Mesh", "Plane")


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
        self.number: dict[str, int] = {"": 0}
        self.held, self.jointed = Joined(), set[frozenset[str]]()

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
        for prim in prims:
            if prim.GetTypeName() in KINDS:
                self._joint(prim)
            elif prim.GetTypeName() == "PhysicsDistanceJoint":
                self.report.ignore(self.stage.element(prim, "joint"), "distance joints are not known here")
        self._set_free()
        self._touch()
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
        self.number[path] = len(self.number)
        if UsdPhysics.RigidBodyAPI(prim).GetKinematicEnabledAttr().Get():
            self.report.remark(element, "a kinematic body stands still where it is drawn")
            self._hold(path)
        self._shapes(path, shapes, colliders, X)

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
        friction, restitution = None, 0.0
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if bound and bound.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            material = UsdPhysics.MaterialAPI(bound.GetPrim())
            friction = float(material.GetDynamicFrictionAttr().Get())
            restitution = float(material.GetRestitutionAttr().Get())
            density = density or float(material.GetDensityAttr().Get() or 0.0) * kg / L**3
        return Collider(prim, shape, points, faces, X, mass, density, friction, restitution)

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
        if collider.points is None:
            return None if collider.shape is None else attach(self.building, frame, collider.shape, name, seen, False)
        if not (self.wishes.hulls or self.wishes.contact is not None) or len(collider.points) < 4:
            return None
        part = self.building.add(name, lw.contact.Convex(collider.points, animation=seen))
        self.building.model.connect(self.building.placed(frame, collider.X, f"{name}_place"), part.frame_a)
        return part

    # --- joints ---

    def _hold(self, path: str) -> None:
        frame, X, _ = self.frames[path]
        self.building.model.connect(self.building.placed(self.frames[""][0], X, f"{Path(path).name}_place"), frame)
        self.held.join(0, self.number[path])

    def _joint(self, prim: Any) -> None:
        from pxr import UsdPhysics

        joint, element = UsdPhysics.Joint(prim), self.stage.element(prim, "joint")
        if joint.GetJointEnabledAttr().Get() is False:
            return
        ends, places, names = [], [], []
        for body, pos, rot in ((joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
                               (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr())):
            path = self._owner(prim, body.GetTargets())
            frame, X, scale = self.frames[path]
            local = lw.Transform(self.stage.rotation(rot.Get()),
                                 self.stage.length * scale * np.array(pos.Get(), dtype=float))
            ends.append(frame)
            places.append((X, local))
            names.append(path)
        if names[0] == names[1]:
            raise self.stage.error(prim, "both its bodies are the same, or none is there.")
        first, second = (X @ local for X, local in places)
        components = components_of(self.stage, prim, first.inverse() @ second, self.building, self.wishes)
        name = prim.GetName()
        at = self.building.placed(ends[0], places[0][1], f"{name}_place")
        behind = places[1][1].inverse()
        for component in components:
            own = name if len(components) == 1 else f"{name}_{_axis(component)}"
            self.building.add(own, component, element)
            called = self.report.names["joint"]
            called[f"{prim.GetPath()}{own.removeprefix(name)}"] = called.pop(own)
            self.building.model.connect(at, component.frame_a)
            at = component.frame_b
            if hasattr(component, "axis"):
                add_drive(self.stage, prim, component, own, self.building)
        self.building.model.connect(self.building.placed(at, behind, f"{name}_end"), ends[1])
        self.held.join(*(self.number[path] for path in names))
        if not joint.GetCollisionEnabledAttr().Get():
            self.jointed.add(frozenset(names))

    def _owner(self, prim: Any, targets: list[Any]) -> str:
        """The body that a joint names: the prim, or the nearest body above it; the world without one."""
        if not targets:
            return ""
        path = targets[0]
        if not self.stage.stage.GetPrimAtPath(path):
            raise self.stage.error(prim, f"there is no prim {path}.")
        while str(path) not in self.frames and path != path.GetParentPath() and not path.isEmpty:
            path = path.GetParentPath()
        return str(path) if str(path) in self.frames else ""

    def _set_free(self) -> None:
        """Give what hangs on nothing a free joint."""
        done = {self.held.find(0)}
        for path, (frame, X, _) in self.frames.items():
            if self.held.find(self.number[path]) not in done:
                done.add(self.held.find(self.number[path]))
                free = lw.joints.FreeMotion(r_rel_a=lw.guess(X.p), angles=lw.guess(rotation_angles(X.R)),
                                            animation=False)
                self.building.add(f"{Path(path).name}_free", free)
                self.building.model.connect(self.frames[""][0], free.frame_a)
                self.building.model.connect(free.frame_b, frame)

    def _touch(self) -> None:
        """Colliders of different bodies touch, unless a joint connects these; the friction is the mean of both."""
        plane = None if self.wishes.ground is None else add_ground(self.building, self.wishes.ground)
        if self.wishes.contact is None:
            return
        pairs = [(a, b, _law(one, other)) for (body_a, a, one), (body_b, b, other) in combinations(self.surfaces, 2)
                 if body_a != body_b and frozenset((body_a, body_b)) not in self.jointed]
        if plane is not None:
            pairs += [(plane, part, _law(collider, collider)) for body, part, collider in self.surfaces if body]
        self.report.data["touching"] = let_touch(self.building, pairs, self.wishes.contact)


def _axis(component: Any) -> str:
    """The word of a joint among several that make one: transX, rotY, rot."""
    if not hasattr(component, "axis"):
        return "rot"
    turning = isinstance(component, lw.joints.Revolute)
    return f"{'rot' if turning else 'trans'}{'XYZ'[int(np.argmax(np.abs(component.n)))]}"


def _law(one: Collider, other: Collider) -> lw.contact.Rigid:
    mu = [MU if collider.friction is None else collider.friction for collider in (one, other)]
    return lw.contact.Rigid(mu=sum(mu) / 2, restitution=(one.restitution + other.restitution) / 2)
