"""The reader of .osim files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import Building
from ..import_report import ImportReport
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..shapes import SolidShape, attach, show
from ..wishes import Wishes
from .controls import read_controls
from .coordinate_functions import function_of, values
from .forces import read_force
from .mobility import Mobility, mobility
from .muscles import read_muscle, switch
from .paths import Paths

if TYPE_CHECKING:
    from ...language import Frame

BUSHING = {"rotational_stiffness": "c_turn", "translational_stiffness": "c", "rotational_damping": "d_turn",
           "translational_damping": "d"}
OLDEST = 40000  # before it joints stood inside bodies
BESIDE = ("FrameGeometry", "groups", "ProbeSet", "ModelVisualPreferences", "credits", "publications",
          "length_units", "force_units", "assembly_accuracy", "defaults", "Appearance")


def read_osim(path: Path, wishes: Wishes) -> lw.Model:
    """The model of an OpenSim file."""
    root = read_elements(path)
    root.seen = True
    version = root.number("Version", 0.0)
    if version < OLDEST:
        raise root.error(f"Version {version:g} is that of an older OpenSim; open the file with OpenSim 4 and save it.")
    element = root.the("Model")
    report = ImportReport(str(path))
    reader = _Reader(element, Building(element.get("name") or path.stem, report, MeshFiles(path, wishes.search)),
                     wishes.stops, wishes.hulls)
    model = reader.build()
    for child in _all(element):
        child.get("name")  # sets and functions have names that nobody asks for
        if child.tag in BESIDE and not child.seen:
            report.pass_over(child)
    report.close(root)
    report.data["joints"] = reader.joints
    report.data["ranges"] = reader.ranges
    model.import_report = report
    return model


def _all(element: Element) -> Iterator[Element]:
    for child in element.children:
        yield child
        yield from _all(child)


def pose(element: Element) -> lw.Transform:
    """<translation> and <orientation>: angles about the moving x, y, z."""
    a, b, c = values(element, "orientation", 3, (0, 0, 0))
    return lw.Transform(lw.rotation_x(a) @ lw.rotation_y(b) @ lw.rotation_z(c),
                        values(element, "translation", 3, (0, 0, 0)))


def _objects(element: Element, name: str) -> list[Element]:
    """What stands in a set."""
    section = element.first(name)
    objects = section.first("objects") if section is not None else None
    return list(objects.all()) if objects is not None else []


class _Reader:
    """One model while it is read."""

    def __init__(self, element: Element, building: Building, stops: bool, hulls: bool) -> None:
        self.element, self.building, self.report = element, building, building.report
        self.stops, self.hulls = stops, hulls
        self.frames: dict[str, tuple[object, lw.Transform]] = {}  # path in the file → (frame of a body, pose in it)
        self.coordinates: dict[str, object] = {}
        self.joints: dict[str, Mobility] = {}
        self.starts: dict[str, float] = {}
        self.sliding: set[str] = set()
        self.ranges: dict[str, tuple[float, float]] = {}  # of coordinates that are clamped
        self.paths = Paths(building, self._frame, self._coordinate, self.starts)

    def build(self) -> lw.Model:
        model = self.building.model
        gravity = values(self.element, "gravity", 3, (0.0, -9.80665, 0.0))
        g = np.linalg.norm(gravity)
        field = {"g": g, "n": tuple(gravity / g)} if g else {"gravity": None}
        self.building.add("world", lw.World(start_inside_stops=True, **field))
        self.frames["ground"] = (model.world.frame_b, lw.Transform())
        ground = self.element.first("Ground")
        if ground is not None:
            self._looks(ground, "ground", "ground")
            self.paths.read_surfaces(ground, "ground", model.world.frame_b)
        for body in _objects(self.element, "BodySet"):
            self._body(body)
        joints = _objects(self.element, "JointSet")
        for joint in joints:
            self._joint(joint)
        for constraint in _objects(self.element, "ConstraintSet"):
            self._constraint(constraint)
        for shape in _objects(self.element, "ContactGeometrySet"):
            self._contact(shape)
        controls = read_controls(_objects(self.element, "ControllerSet"), self.report)
        for force in _objects(self.element, "ForceSet"):
            if "Muscle" in force.tag:
                read_muscle(force, self.building, self.paths, controls)
            elif force.tag == "BushingForce" and switch(force, "appliesForce", True):
                self._bushing(force)
            else:
                read_force(force, self.building, self.paths, self._coordinate, self.sliding, controls)
        for marker in _objects(self.element, "MarkerSet"):
            self._marker(marker)
        for name, symbol in self.coordinates.items():
            if symbol is not None:
                model.output(self.building.name(name, "coordinate"), symbol, "m" if name in self.sliding else "rad")
        return model

    def _bushing(self, force: Element) -> None:
        """Springs and dampers between two frames."""
        name = force.need("name")
        local = self._offsets(force, name)
        given = {own: tuple(values(force, tag, 3, (0, 0, 0))) for tag, own in BUSHING.items()}
        part = self.building.add(name, self.building.make(force, lw.forces.Bushing, **given), force)
        for socket, own in (("socket_frame1", part.frame_a), ("socket_frame2", part.frame_b)):
            frame, X = self._frame(force, socket, local)
            self.building.model.connect(self.building.placed(frame, X, f"{name}_{socket[-1]}"), own)

    def _marker(self, marker: Element) -> None:
        """A point that cameras see, of the name it has in the file."""
        frame, X = self._frame(marker, "socket_parent_frame")
        if marker.first("fixed") is not None:
            marker.first("fixed").leave()
        place = values(marker, "location", 3, (0, 0, 0))
        part = self.building.add(marker.need("name"), lw.sensors.Marker(r=X.p + X.R @ place), marker)
        self.building.model.connect(frame, part.frame_a)

    def _body(self, body: Element) -> None:
        if body.tag != "Body":
            self.report.ignore(body, f"bodies of the kind {body.tag} are not known here")
            return
        name = body.need("name")
        if name in self.frames:
            raise body.error(f"there is a body {name!r} already.")
        mass = float(values(body, "mass", 1, (0.0,))[0])
        if mass < 0:
            raise body.error(f"<mass> {mass:g} cannot be negative.")
        xx, yy, zz, xy, xz, yz = values(body, "inertia", 6, (0,) * 6)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        part = self.building.body(body, name, mass, values(body, "mass_center", 3, (0, 0, 0)), tensor, named=body)
        self.frames[name] = (part.frame_a, lw.Transform())
        self.paths.read_surfaces(body, name, part.frame_a)
        shown = self._looks(body, name, name)
        part.animation = mass > 0 and not shown

    # --- frames ---

    def _frame(self, element: Element, socket: str, local: dict[str, tuple] | None = None) -> tuple[Frame,
               lw.Transform]:
        """(frame, pose) that a socket leads to: a frame of the joint itself, or a path such as /bodyset/thigh."""
        name = element.the(socket).words()
        if not name:
            raise element.the(socket).error("the path to a frame is missing.")
        last = name.split("/")[-1]
        for table, key in ((local or {}, last if "/" not in name.strip("/") else ""), (self.frames, name.strip("/")),
                           (self.frames, last)):
            if key in table:
                return table[key]
        raise element.the(socket).error(f"there is no frame {name!r}.")

    def _offsets(self, element: Element, owner: str) -> dict[str, tuple]:
        """The frames that a joint brings along."""
        local: dict[str, tuple] = {}
        section = element.first("frames")
        for frame in section.all("PhysicalOffsetFrame") if section is not None else ():
            base, X = self._frame(frame, "socket_parent", local)
            local[frame.need("name")] = found = (base, X @ pose(frame))
            self.frames[f"jointset/{owner}/{frame.get('name')}"] = found
        return local

    def _joint(self, joint: Element) -> None:
        name = joint.need("name")
        local = self._offsets(joint, name)
        parent, X_P = self._frame(joint, "socket_parent_frame", local)
        child, X_C = self._frame(joint, "socket_child_frame", local)
        found = mobility(joint, self.building, self.stops)
        model = self.building.model
        if found is None:
            model.connect(self.building.placed(parent, X_P @ X_C.inverse(), name), child)
            return
        self.building.add(name, found.component, joint)
        self.report.names.setdefault("joint", {})[name] = found.component._name
        model.connect(self.building.placed(parent, X_P, f"{name}_parent"), found.component.frame_a)
        model.connect(self.building.placed(found.component.frame_b, X_C.inverse(), f"{name}_child"), child)
        self.joints[name] = found
        for coordinate, symbol in found.coordinates.items():
            if coordinate in self.coordinates:
                raise joint.error(f"there is a coordinate {coordinate!r} already.")
            self.coordinates[coordinate] = symbol
        self.starts.update(found.starts)
        self.sliding |= found.sliding
        self.ranges.update(found.ranges)
        self._locked(joint, found)

    def _locked(self, joint: Element, found: Mobility) -> None:
        """Coordinates that are locked keep their default values."""
        section = joint.first("coordinates")
        for element in section.all("Coordinate") if section is not None else ():
            locked = element.first("locked")
            if locked is not None and locked.words().lower() == "true":
                symbol = found.coordinates.get(element.get("name"))
                if symbol is None:
                    self.report.approximate(element, "a locked angle of a joint with a free orientation stays free")
                    continue
                value = float(values(element, "default_value", 1, (0.0,))[0])
                self.building.add(f"{element.get('name')}_locked",
                                  lw.constraints.ConstantCoordinate(coordinate=symbol, value=value))

    # --- constraints ---

    def _constraint(self, constraint: Element) -> None:
        enforced = constraint.first("isEnforced")
        if enforced is not None and enforced.words().lower() == "false":
            constraint.leave()
            self.report.remark(constraint, "not enforced, and left out")
            return
        name = constraint.need("name")
        if constraint.tag == "CoordinateCouplerConstraint":
            self._coupler(constraint, name)
        elif constraint.tag in ("PointConstraint", "WeldConstraint", "ConstantDistanceConstraint"):
            self._between(constraint, name)
        else:
            self.report.ignore(constraint, f"constraints of the kind {constraint.tag} are not known here")

    def _coordinate(self, element: Element, name: str) -> ca.SX:
        if name not in self.coordinates:
            raise element.error(f"there is no coordinate {name!r}.")
        if self.coordinates[name] is None:
            raise element.error(f"the coordinate {name!r} is an angle of a free orientation, which has none here.")
        return self.coordinates[name]

    def _coupler(self, constraint: Element, name: str) -> None:
        """dependent = scale · f(independent …)."""
        leaders = [self._coordinate(constraint, word)
                   for word in constraint.the("independent_coordinate_names").words().split()]
        follower = self._coordinate(constraint, constraint.the("dependent_coordinate_name").words())
        function = function_of(constraint.the("coupled_coordinates_function"))
        if function is None:
            raise constraint.error("its function is missing, or of a kind that is not known here.")
        scale = float(values(constraint, "scale_factor", 1, (1.0,))[0])
        self.building.add(name, lw.constraints.CoordinateCoupler(function=follower - scale * function(*leaders)))

    def _between(self, constraint: Element, name: str) -> None:
        kind = constraint.tag
        kind_of_end = "frame" if kind == "WeldConstraint" else "body"
        sockets = (f"socket_{kind_of_end}_1", f"socket_{kind_of_end}_2")
        ends = [self._frame(constraint, socket, self._offsets(constraint, name)) for socket in sockets]
        points = [values(constraint, f"location_body_{k}", 3, (0, 0, 0)) for k in (1, 2)]
        frames = [self.building.placed(frame, X @ lw.Transform(None, point), f"{name}_{k + 1}")
                  for k, ((frame, X), point) in enumerate(zip(ends, points, strict=True))]
        if kind == "PointConstraint":
            part = lw.constraints.Ball()
        elif kind == "WeldConstraint":
            part = lw.constraints.Weld()
        else:
            length = float(values(constraint, "constant_distance", 1, (0.0,))[0])
            part = self.building.make(constraint, lw.constraints.Rod, length=length)
        self.building.add(name, part)
        self.building.model.connect(frames[0], part.frame_a)
        self.building.model.connect(frames[1], part.frame_b)

    # --- shapes ---

    def _contact(self, shape: Element) -> None:
        """Spheres and half spaces; a half space is solid along x of its frame."""
        name = shape.get("name") or shape.tag
        if shape.first("Appearance") is not None:
            shape.first("Appearance").leave()
        if shape.tag not in ("ContactSphere", "ContactHalfSpace"):
            self.report.ignore(shape, f"shapes of the kind {shape.tag} are not known here")
            return
        frame, X = self._frame(shape, "socket_frame")
        a, b, c = values(shape, "orientation", 3, (0, 0, 0))
        X = X @ lw.Transform(lw.rotation_x(a) @ lw.rotation_y(b) @ lw.rotation_z(c),
                             values(shape, "location", 3, (0, 0, 0)))
        if shape.tag == "ContactSphere":
            radius = float(values(shape, "radius", 1, (0.0,))[0])
            if radius <= 0:
                raise shape.error("<radius> must be positive.")
            attach(self.building, frame, SolidShape("sphere", X, (radius,)), name, True, self.hulls)
        else:
            outward = X @ lw.Transform(lw.rotation_y(-np.pi / 2))
            attach(self.building, frame, SolidShape("plane", outward, ()), name, True, self.hulls)

    def _looks(self, element: Element, key: str, name: str) -> bool:
        """Meshes and simple shapes that are seen on a body."""
        section, shown = element.first("attached_geometry"), False
        for k, geometry in enumerate(section.all() if section is not None else ()):
            scale = tuple(values(geometry, "scale_factors", 3, (1, 1, 1)))
            frame, X = self.frames[key] if geometry.first("socket_frame") is None or \
                geometry.first("socket_frame").words() == ".." else self._frame(geometry, "socket_frame")
            label = f"{name}_visual{k + 1 if k else ''}"
            if geometry.first("Appearance") is not None:
                geometry.first("Appearance").leave()
            if geometry.tag == "Mesh":
                written = geometry.the("mesh_file").words()
                file, why = self.building.meshes.find(written)
                if file is None:
                    file, _ = self.building.meshes.find(f"Geometry/{written}")
                if file is None:
                    self.report.ignore(geometry, why)
                    continue
                show(self.building, frame, SolidShape("mesh", X, scale, str(file)), label)
            elif geometry.tag == "Sphere":
                radius = float(values(geometry, "radius", 1, (0.05,))[0])
                show(self.building, frame, SolidShape("sphere", X, (radius,)), label)
            elif geometry.tag == "Brick":
                half = values(geometry, "half_lengths", 3, (0.05,) * 3)
                show(self.building, frame, SolidShape("box", X, tuple(2 * half)), label)
            else:
                self.report.pass_over(geometry)
                continue
            shown = True
        return shown
