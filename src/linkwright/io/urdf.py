"""URDF: robots as links and joints (wiki.ros.org/urdf/XML), with xacro where that package is installed.

A link becomes a Body of its name, a joint a joint of its name; z is up.  `<joint><origin>` is the pose of the joint's
frame (and of the child link's) in the parent link's, roll-pitch-yaw about the parent's fixed axes:

    R = R_z(yaw) R_y(pitch) R_x(roll).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import linkwright as lw

from ..errors import ModelError
from .building import Building, coordinate
from .markup import Element, read_elements
from .meshes import MeshFiles
from .report import ImportReport
from .shapes import SolidShape, attach, show

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")
UP = (0.0, 0.0, -1.0)


def read_urdf(path: Path, *, floating: bool = False, stops: bool = True, friction: bool = True, hulls: bool = False,
              search: Sequence[str | Path] = ()) -> lw.Model:
    """The model of a URDF file; its root link stands on the world, or is free with `floating`."""
    root = _root(path)
    if root.tag != "robot":
        raise root.error("a URDF file has <robot> at its root.")
    root.seen = True
    report = ImportReport(str(path))
    robot = _Robot(root, Building(root.get("name") or path.stem, report, MeshFiles(path, search)), floating, stops,
                   friction, hulls)
    model = robot.build()
    report.close(root)
    model.import_report = report
    return model


def _root(path: Path) -> Element:
    root = read_elements(path)
    if path.suffix != ".xacro" and not any(child.tag.startswith("xacro:") for child in root.children):
        return root
    if importlib.util.find_spec("xacro") is None:
        raise ModelError(f"{path}: macros need the xacro package: pip install xacro.")
    import xacro

    try:
        text = xacro.process_file(str(path)).toxml()
    except Exception as error:  # whatever the macros of the file go wrong with
        raise ModelError(f"{path}: its macros cannot be expanded: {error}") from error
    return read_elements(path, text)


def pose(element: Element | None) -> lw.Transform:
    """An <origin>: xyz, rpy; none is no offset."""
    if element is None:
        return lw.Transform()
    roll, pitch, yaw = element.numbers("rpy", 3, (0, 0, 0))
    return lw.Transform(lw.rotation_z(yaw) @ lw.rotation_y(pitch) @ lw.rotation_x(roll),
                        element.numbers("xyz", 3, (0, 0, 0)))


class _Robot:
    """One robot while it is read."""

    def __init__(self, root: Element, building: Building, floating: bool, stops: bool, friction: bool,
                 hulls: bool):
        self.root, self.building, self.report = root, building, building.report
        self.floating, self.stops, self.friction, self.hulls = floating, stops, friction, hulls
        self.frames: dict[str, object] = {}  # link → its frame
        self.elements: dict[str, Element] = {}  # joint → its element
        self.joints: dict[str, object] = {}  # joint → component, for those that move
        self.colours: dict[str, np.ndarray] = {}

    def build(self) -> lw.Model:
        model = self.building.model
        self.building.add("world", lw.World(n=UP))
        links, joints = _by_name(self.root.all("link")), _by_name(self.root.all("joint"))
        self.elements = joints
        for material in self.root.all("material"):
            self._colour(material)
        base = self._base(links, joints)
        for link in links.values():
            self.frames[link.get("name")] = self._link(link)
        if self.floating:
            free = self.building.add("floating_base", lw.joints.FreeMotion(animation=False))
            model.connect(model.world.frame_b, free.frame_a)
            model.connect(free.frame_b, self.frames[base])
        else:
            model.connect(model.world.frame_b, self.frames[base])
        for joint in joints.values():
            self._joint(joint)
        for joint in joints.values():
            self._mimic(joint)
        for transmission in self.root.all("transmission"):
            self._transmission(transmission)
        return model

    # --- the tree ---

    def _base(self, links: dict[str, Element], joints: dict[str, Element]) -> str:
        """The link that is nobody's child; every other one hangs on it by exactly one way."""
        if not links:
            raise self.root.error("a robot needs at least one <link>.")
        above: dict[str, Element] = {}
        for joint in joints.values():
            for end in ("parent", "child"):
                name = joint.the(end).need("link")
                if name not in links:
                    raise joint.the(end).error(f"there is no link {name!r}.")
            child = joint.the("child").need("link")
            if child in above:
                raise joint.error(f"the link {child!r} hangs on the joint {above[child].get('name')!r} already; links "
                                  "form a tree.")
            above[child] = joint
        bases = [name for name in links if name not in above]
        if len(bases) != 1:
            found = ", ".join(bases) if bases else "none, the joints go round in a ring"
            raise self.root.error(f"one link must be the base of all others; found {found}.")
        self._refuse_rings(above, bases[0], links)
        return bases[0]

    def _refuse_rings(self, above: dict[str, Element], base: str, links: dict[str, Element]) -> None:
        known = {base}
        for name in links:
            path = []
            while name not in known and name not in path:
                path.append(name)
                name = above[name].the("parent").need("link")
            if name not in known:
                raise above[name].error(f"the joints above the link {name!r} go round in a ring.")
            known.update(path)

    # --- links ---

    def _link(self, link: Element):
        name = link.get("name")
        inertial = link.first("inertial")
        mass, centre, inertia = self._inertial(inertial) if inertial else (0.0, np.zeros(3), np.zeros((3, 3)))
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

    def _visual(self, frame, visual: Element, name: str) -> None:
        visual.get("name")
        material = visual.first("material")
        colour = self._colour(material) if material else None
        shape = self._geometry(visual)
        if shape is not None:
            show(self.building, frame, shape, name, colour)

    def _collision(self, frame, link: str, collision: Element, name: str, shown: bool) -> None:
        collision.get("name")
        shape = self._geometry(collision)
        if shape is not None and min(shape.size) > 0 \
                and not attach(self.building, frame, shape, name, shown, self.hulls):
            self.report.data.setdefault("collision_meshes", {}).setdefault(link, []).append(shape)

    def _geometry(self, element: Element) -> SolidShape | None:
        X = pose(element.first("origin"))
        geometry = element.the("geometry")
        for kind in geometry.all("box", "cylinder", "sphere", "capsule", "mesh"):
            if kind.tag == "box":
                return SolidShape("box", X, tuple(_positive(kind, "size", 3)))
            if kind.tag == "sphere":
                return SolidShape("sphere", X, tuple(_positive(kind, "radius", 1)))
            if kind.tag in ("cylinder", "capsule"):
                return SolidShape(kind.tag, X, (*_positive(kind, "radius", 1), *_positive(kind, "length", 1)))
            return self._mesh(kind, X)
        raise geometry.error("a geometry is one of box, cylinder, sphere, capsule, mesh.")

    def _mesh(self, mesh: Element, X: lw.Transform) -> SolidShape | None:
        scale = tuple(mesh.numbers("scale", 3, (1, 1, 1)))
        file, why = self.building.meshes.find(mesh.need("filename"))
        if file is None:
            self.report.ignore(mesh, why)
            return None
        return SolidShape("mesh", X, scale, str(file))

    def _colour(self, material: Element) -> np.ndarray | None:
        name, colour = material.get("name"), material.first("color")
        if material.first("texture") is not None:
            self.report.ignore(material.first("texture"), "textures are not shown")
        if colour is None:
            return self.colours.get(name)
        rgba = colour.numbers("rgba", (3, 4), (0.5, 0.5, 0.5, 1))
        if name:
            self.colours[name] = rgba
        return rgba

    # --- joints ---

    def _joint(self, joint: Element) -> None:
        name, kind = joint.get("name"), joint.choice("type", JOINTS, "")
        X = pose(joint.first("origin"))
        parent, child = (self.frames[joint.the(end).need("link")] for end in ("parent", "child"))
        if kind == "fixed":
            axis = joint.first("axis")
            if axis is not None:
                axis.leave()
            for tag in ("limit", "dynamics"):
                if joint.first(tag) is not None:
                    joint.first(tag).leave()  # without meaning where nothing moves
            self.building.model.connect(self.building.placed(parent, X, name), child)
            return
        place = self.building.placed(parent, X, f"{name}_origin")
        component = self._moving(joint, kind)
        self.building.add(name, component, joint)
        self.joints[name] = component
        self.building.model.connect(place, component.frame_a)
        self.building.model.connect(component.frame_b, child)
        self._damping(joint, component, name)
        self._range(joint, component, kind)
        for tag, why in (("safety_controller", "soft limits belong to a controller"),
                         ("calibration", "calibration belongs to the real robot")):
            if joint.first(tag) is not None:
                self.report.ignore(joint.first(tag), why)

    def _moving(self, joint: Element, kind: str):
        axis = joint.first("axis")
        n = axis.numbers("xyz", 3, (1, 0, 0)) if axis is not None else np.array([1.0, 0, 0])
        if kind in ("floating", "spherical"):
            return (lw.joints.FreeMotion if kind == "floating" else lw.joints.Spherical)(animation=False)
        length = np.linalg.norm(n)
        if length < 1e-6:
            raise (axis or joint).error("axis xyz has no direction.")
        n = n / length
        if kind == "planar":
            across = np.eye(3)[int(np.argmin(np.abs(n)))]
            return lw.joints.Planar(n=n, n_x=across, animation=False)
        one_axis, letter = (lw.joints.Prismatic, "s") if kind == "prismatic" else (lw.joints.Revolute, "phi")
        given = {"n": n, "animation": False, "friction": self._coulomb(joint)}
        if kind != "continuous":
            given |= self._stops(joint, letter)
        start = self._start(joint)
        if start != 0.0:
            given[letter] = lw.guess(start)
        return self.building.make(joint, one_axis, **given)

    def _start(self, joint: Element, depth: int = 0) -> float:
        """Where a joint starts: at zero, or midway where zero lies outside its limits; a follower where it is led."""
        mimic = joint.first("mimic")
        if mimic is not None and mimic.get("joint") in self.elements and depth < len(self.elements):
            led = self._start(self.elements[mimic.get("joint")], depth + 1)
            return mimic.number("multiplier", 1.0) * led + mimic.number("offset", 0.0)
        limit = joint.first("limit")
        if limit is None or joint.get("type") not in ("revolute", "prismatic"):
            return 0.0
        low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
        return 0.0 if low <= 0 <= high else (low + high) / 2

    def _stops(self, joint: Element, letter: str) -> dict[str, object]:
        """Limits as hard stops."""
        limit = joint.first("limit")
        if limit is None:
            self.report.approximate(joint, "no <limit>: the joint moves without stops")
            return {}
        low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if limit.get("lower") is None and limit.get("upper") is None:
            self.report.approximate(limit, "no lower and upper: the joint moves without stops")
        if low > high:
            raise limit.error(f"lower = {low:g} lies above upper = {high:g}.")
        if not self.stops or not low < high or self._leader(joint) is not None:
            return {}
        low, high = self._with_followers(joint, low, high)
        return {f"{letter}_min": low, f"{letter}_max": high}

    def _leader(self, joint: Element) -> Element | None:
        """The joint that another follows, where both move."""
        mimic = joint.first("mimic")
        leader = self.elements.get(mimic.get("joint")) if mimic is not None else None
        return leader if leader is not None and leader.get("type") in ("revolute", "prismatic") else None

    def _with_followers(self, joint: Element, low: float, high: float) -> tuple[float, float]:
        """The range of a joint that keeps its followers in theirs: two stops that touch at once are one too many."""
        for other in self.elements.values():
            if self._leader(other) is not joint or other.first("limit") is None:
                continue
            mimic, limit = other.first("mimic"), other.first("limit")
            ratio, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
            ends = [limit.number(key, 0.0) for key in ("lower", "upper")]
            if ratio and ends[0] < ends[1]:
                reached = sorted((end - offset) / ratio for end in ends)
                if max(low, reached[0]) < min(high, reached[1]):
                    low, high = max(low, reached[0]), min(high, reached[1])
        return low, high

    def _range(self, joint: Element, component, kind: str) -> None:
        """What else a <limit> says: no way at all is a lock, effort and speed belong to a drive."""
        limit = joint.first("limit")
        if limit is None:
            return
        if kind in ("revolute", "prismatic"):
            low = limit.number("lower", 0.0)
            given = limit.get("lower") is not None or limit.get("upper") is not None
            if given and low == limit.number("upper", 0.0):
                if self.stops:
                    self.building.model.lock(component, low)
                self.report.approximate(limit, "lower = upper: the joint is locked")
        elif limit.get("lower") is not None or limit.get("upper") is not None:
            self.report.approximate(limit, f"a {kind} joint has no stops")
        bounds = {key: limit.number(key) for key in ("effort", "velocity") if limit.get(key) is not None}
        if bounds:
            self.report.data.setdefault("limits", {})[joint.get("name")] = bounds

    def _coulomb(self, joint: Element) -> lw.Coulomb | None:
        dynamics = joint.first("dynamics")
        dry = dynamics.number("friction", 0.0) if dynamics is not None else 0.0
        if dry < 0:
            raise dynamics.error(f"friction = {dry:g} cannot be negative.")
        return lw.Coulomb(tau=dry) if dry > 0 and self.friction else None

    def _damping(self, joint: Element, component, name: str) -> None:
        dynamics = joint.first("dynamics")
        if dynamics is None:
            return
        damping = dynamics.number("damping", 0.0)
        if damping < 0:
            raise dynamics.error(f"damping = {damping:g} cannot be negative.")
        if damping > 0 and self.friction:
            if hasattr(component, "axis"):
                self.building.damper(component, damping, f"{name}_damper")
            else:
                self.report.ignore(dynamics, "damping is for joints of one axis")

    def _mimic(self, joint: Element) -> None:
        mimic = joint.first("mimic")
        if mimic is None:
            return
        leader, name = mimic.need("joint"), joint.get("name")
        if name not in self.joints:
            return mimic.leave()  # what does not move follows nobody
        if leader not in self.elements:
            return self.report.ignore(mimic, f"there is no joint {leader!r} to follow")
        own, other = self.joints[name], self.joints.get(leader)
        if not hasattr(own, "axis") or other is not None and not hasattr(other, "axis"):
            raise mimic.error("a joint that follows another, and that other, have one axis each.")
        ratio, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        led = coordinate(other) if other is not None else 0.0  # a fixed joint stands at zero
        coupled = lw.constraints.CoordinateCoupler(function=coordinate(own) - ratio * led - offset)
        self.building.add(f"{name}_mimic", coupled)

    # --- drives ---

    def _transmission(self, transmission: Element) -> None:
        """A rotor on its joint, where the file gives it an inertia (Drake's tags, or motorInertia)."""
        transmission.get("name")
        transmission.get("type")
        for tag in ("type", "leftActuator", "rightActuator"):
            if transmission.first(tag) is not None:
                transmission.first(tag).leave()
        joint = transmission.first("joint")
        component = self.joints.get(joint.get("name")) if joint is not None else None
        if component is None or not hasattr(component, "axis"):
            self.report.ignore(transmission, "it drives no joint of one axis")
            return
        for inner in joint.children:
            inner.leave()  # hardware interfaces
        ratio, inertia = 1.0, 0.0
        places = [transmission, *transmission.all("actuator")]
        for place in places:
            place.get("name")
            for child in place.children:
                tag = child.tag.rpartition(":")[2]
                if tag in ("mechanicalReduction", "gear_ratio"):
                    child.seen = True
                    ratio = _value(child)
                elif tag in ("motorInertia", "rotorInertia", "rotor_inertia"):
                    child.seen = True
                    inertia = _value(child)
                elif tag == "hardwareInterface":
                    child.leave()
        if inertia > 0 and ratio != 0:
            self.building.rotor(component, inertia, ratio, f"{joint.get('name')}_rotor")
        elif inertia < 0:
            raise transmission.error(f"the inertia of the rotor is {inertia:g}; it cannot be negative.")


def _value(element: Element) -> float:
    """A number in the attribute `value`, or as the text."""
    given = element.number("value")
    return float(element.as_numbers(element.words(), f"<{element.tag}>", 1)[0]) if given is None else given


def _positive(element: Element, name: str, count: int) -> np.ndarray:
    """Sizes, which must be positive."""
    element.need(name)
    values = element.numbers(name, count)
    if np.any(values < 0):
        raise element.error(f"{name} must be positive; got {' '.join(f'{x:g}' for x in values)}.")
    return values


def _by_name(elements) -> dict[str, Element]:
    """Elements by their names, which must differ."""
    out: dict[str, Element] = {}
    for element in elements:
        name = element.need("name")
        if name in out:
            raise element.error(f"the name {name!r} is taken since line {out[name].line}.")
        out[name] = element
    return out
