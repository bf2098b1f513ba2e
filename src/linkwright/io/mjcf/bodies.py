"""The tree of bodies with their joints, and what sits on them.

A joint moves its body's frame against the parent's about a point `pos` and an axis of the body's own frame; several
joints of one body move it one after another.  A coordinate counts from `ref` in the pose that the file draws, so that
between parent and body there is

    X_PB Π T(pos) A(−ref) J(q) T(−pos),       A(−ref) the joint's own motion by −ref.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import axis_rotation, rotation_angles
from ..building import Building, coordinate
from ..import_report import note
from ..markup import Element
from ..shapes import SolidShape, attach, show
from ..tolerances import NEGATIVE_MOMENT
from .defaults import Classes
from .settings import Settings, direction, pose
from .solids import COLOUR, KINDS, Mass, bounded, geom_mass, geom_shape, together

if TYPE_CHECKING:
    from ...language import Component, Frame, Joint

PICTURES = ("camera", "light", "plugin")
CONTACT = ("contype", "conaffinity", "condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap",
           "user", "fitscale", "fluidshape", "fluidcoef")


@dataclass(eq=False)
class Place:
    """A body or site of the file: its frame in the model, and its pose in the world as the file draws it."""

    frame: Frame
    X: lw.Transform
    body: str = ""
    parent: str = ""
    component: Component | None = None


@dataclass(eq=False)
class Jointed:
    """A joint of the file: its component, kind and reference value."""

    name: str
    component: Joint
    kind: str
    ref: float = 0.0
    spring_ref: float = 0.0
    body: str = ""


@dataclass(eq=False)
class Parts:
    """What has been built, by the names of the file."""

    bodies: dict[str, Place] = field(default_factory=dict)
    sites: dict[str, Place] = field(default_factory=dict)
    geoms: dict[str, Place] = field(default_factory=dict)
    joints: dict[str, Jointed] = field(default_factory=dict)  # in the order of MuJoCo's coordinates
    masses: list = field(default_factory=list)  # body components


class Tree:
    """Builds bodies, joints, shapes and sites."""

    def __init__(self, building: Building, settings: Settings, classes: Classes, meshes: dict[str, SolidShape],
                 mesh_kinds: dict[str, str], colours: dict[str, np.ndarray], stops: bool, friction: bool,
                 hulls: bool) -> None:
        self.building, self.settings, self.classes, self.report = building, settings, classes, building.report
        self.meshes, self.mesh_kinds, self.colours = meshes, mesh_kinds, colours
        self.stops, self.friction, self.hulls = stops and settings.limits, friction, hulls
        self.parts = Parts()
        self.timed: list[tuple[Element, Jointed]] = []  # joints whose springs are given by times
        self._shown: dict[str, int] = {}

    def world(self, worldbody: Element) -> None:
        """Everything under one <worldbody>."""
        ground = Place(self.building.model.world.frame_b, lw.Transform(), "world")
        self.parts.bodies["world"] = ground
        self._content(worldbody, ground, lw.Transform(), worldbody.get("childclass"), None)

    # --- what is inside a body ---

    def _content(self, element: Element, place: Place, X: lw.Transform, childclass: str | None,
                 masses: list[Mass] | None) -> None:
        """Geoms, sites, frames and bodies inside a body; X is the frame they are drawn in, in the body's.

        What geoms weigh is put into `masses`, where it is wanted.
        """
        for child in element.children:
            if child.tag in ("joint", "freejoint", "inertial"):
                continue
            child.seen = True
            if child.tag == "geom":
                self._geom(self.classes.settle(child, childclass), place, X, masses)
            elif child.tag == "site":
                self._site(self.classes.settle(child, childclass), place, X)
            elif child.tag == "frame":
                child.get("name")
                inner = X @ pose(child, self.settings)
                self._content(child, place, inner, child.get("childclass") or childclass, masses)
            elif child.tag == "body":
                self._body(child, place, X, childclass)
            elif child.tag in PICTURES:
                self.report.pass_over(child)
            else:
                self.report.ignore(child, f"<{child.tag}> is not known here")

    def _body(self, body: Element, parent: Place, X_parent: lw.Transform, childclass: str | None) -> None:
        childclass = body.get("childclass") or childclass
        X = X_parent @ pose(body, self.settings)
        name = body.get("name") or f"body_{len(self.parts.bodies)}"
        if name in self.parts.bodies:
            raise body.error(f"there is a body {name!r} already.")
        if body.flag("mocap"):
            self.report.approximate(body, "a mocap body stands still here; prescribe a joint to move it")
        joints = [self.classes.settle(joint, childclass) if joint.tag == "joint" else joint
                  for joint in body.all("joint", "freejoint")]
        at, pending = parent.frame, X
        for k, joint in enumerate(joints):
            at, pending = self._joint(joint, k, len(joints), name, parent, at, pending)
        frame = self.building.placed(at, pending, f"{name}_origin")
        component = lw.parts.Body(m=0.0, inertia=np.zeros((3, 3)), animation=False)
        self.building.add(name, component, body)
        self.building.model.connect(frame, component.frame_a)
        place = Place(component.frame_a, parent.X @ X, name, parent.body, component)
        self.parts.bodies[name] = place
        inertial = body.first("inertial")
        from_geoms = self.settings.from_geoms == "true" or self.settings.from_geoms == "auto" and inertial is None
        masses: list[Mass] | None = [] if from_geoms else None
        self._content(body, place, lw.Transform(), childclass, masses)
        self._set_mass(body, component, inertial, masses)
        self._compensate(body, component, name)

    def _set_mass(self, body: Element, component: Component, inertial: Element | None,
                  masses: list[Mass] | None) -> None:
        """The mass that <inertial> gives, or the shapes together (which go before it where they are asked for)."""
        own = self._inertial(inertial) if inertial is not None else together([])
        mass = bounded(together(masses) if masses else own, self.settings)
        if not np.isfinite(mass.m) or mass.m < 0:
            raise (inertial or body).error(f"the mass {mass.m:g} must be finite and not negative.")
        moments = np.linalg.eigvalsh(mass.tensor)
        if moments[0] < -NEGATIVE_MOMENT * abs(moments[2]):
            self.report.remark(inertial or body, f"no real body has the principal moments {moments[0]:.3g}, "
                                                 f"{moments[1]:.3g}, {moments[2]:.3g}; taken as they are")
        component.any_inertia = bool(moments[0] < 0)
        component.m, component.r_cm, component.inertia = mass.m, mass.centre, mass.tensor
        self.parts.masses.append(component)

    def _inertial(self, inertial: Element) -> Mass:
        X = pose(inertial, self.settings)
        inertial.need("mass")
        mass, full = inertial.number("mass"), inertial.numbers("fullinertia", 6)
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            tensor = np.diag(inertial.numbers("diaginertia", 3, (0, 0, 0)))
        return Mass(mass, X.p, X.R @ tensor @ X.R.T)

    def _compensate(self, body: Element, component: Component, name: str) -> None:
        """gravcomp: a force at the centre of mass against this share of the weight."""
        share = body.number("gravcomp", 0.0)
        if share and any(self.settings.gravity) and float(component.m) > 0:
            at = self.building.placed(component.frame_a, lw.Transform(None, component.r_cm), f"{name}_centre")
            lift = lw.forces.WorldForce(force=-share * float(component.m) * np.array(self.settings.gravity),
                                        animation=False)
            self.building.add(f"{name}_gravcomp", lift)
            self.building.model.connect(at, lift.frame_b)

    # --- joints ---

    def _joint(self, joint: Element, k: int, count: int, body: str, parent: Place, at: Frame,
               X: lw.Transform) -> tuple[Frame, lw.Transform]:
        """One joint after another; gives the frame behind it and what is left to the body's frame."""
        free = joint.tag == "freejoint"
        kind = "free" if free else joint.choice("type", ("hinge", "slide", "ball", "free"), "hinge")
        name = joint.get("name") or (f"{body}_joint{k + 1}" if count > 1 else f"{body}_joint")
        if name in self.parts.joints:
            raise joint.error(f"there is a joint {name!r} already.")
        for ignored in ("group", "margin", "user", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
                        "align", "actuatorgravcomp"):
            joint.get(ignored)
        if kind == "free":
            if parent.body != "world" or count > 1:
                raise joint.error("a free joint stands alone, on a body right under the world.")
            return self._free(joint, name, body, at, X)
        pos = joint.numbers("pos", 3, (0, 0, 0))
        X = X @ lw.Transform(None, pos)
        if kind == "ball":
            return self._ball(joint, name, at, X, pos)
        return self._one_axis(joint, kind, name, at, X, pos)

    def _free(self, joint: Element, name: str, body: str, at: Frame, X: lw.Transform) -> tuple[Frame, lw.Transform]:
        component = lw.joints.FreeMotion(r_rel_a=lw.guess(X.p), angles=lw.guess(rotation_angles(X.R)), animation=False)
        self._keep(joint, name, component, "free")
        self.parts.joints[name].body = body
        self.building.model.connect(at, component.frame_a)
        if joint.tag == "joint":
            joint.get("pos")
            joint.get("axis")
            self._armature_of_free(joint, name, component)
            self._damp_turning(joint, name, component, True)
            self._refuse_rest(joint, ("stiffness", "frictionloss"))
        return component.frame_b, lw.Transform()

    def _ball(self, joint: Element, name: str, at: Frame, X: lw.Transform, pos: np.ndarray) -> tuple[Frame,
              lw.Transform]:
        component = lw.joints.Spherical(animation=False)
        self._keep(joint, name, component, "ball")
        self.building.model.connect(self.building.placed(at, X, f"{name}_origin"), component.frame_a)
        joint.get("axis")
        self._damp_turning(joint, name, component, False)
        self._refuse_rest(joint, ("stiffness", "frictionloss", "armature"))
        if joint.get("range") and self._limited(joint):
            self.report.approximate(joint, "a ball joint has no stops here")
        return component.frame_b, lw.Transform(None, -pos)

    def _one_axis(self, joint: Element, kind: str, name: str, at: Frame, X: lw.Transform,
                  pos: np.ndarray) -> tuple[Frame, lw.Transform]:
        axis = direction(joint, joint.numbers("axis", 3, (0, 0, 1)), "axis")
        unit = self.settings.angle if kind == "hinge" else float
        ref, rest = (float(unit(joint.number(key, 0.0))) for key in ("ref", "springref"))
        if ref:
            X = X @ (lw.Transform(axis_rotation(axis, -ref)) if kind == "hinge" else lw.Transform(None, -ref * axis))
        letter, one_axis = ("phi", lw.joints.Revolute) if kind == "hinge" else ("s", lw.joints.Prismatic)
        given: dict[str, object] = {"n": axis, "animation": False}
        bounds, start = self._bounds(joint, unit), ref
        if bounds and self.stops:
            given |= {f"{letter}_min": bounds[0], f"{letter}_max": bounds[1]}
            if not bounds[0] <= ref <= bounds[1]:
                start = (bounds[0] + bounds[1]) / 2
                self.report.remark(joint, f"drawn outside its range; it starts midway, at {start:g}")
        if start:
            given[letter] = lw.guess(start)
        dry = joint.number("frictionloss", 0.0)
        if dry < 0:
            raise joint.error(f"frictionloss = {dry:g} cannot be negative.")
        if dry and self.friction and self.settings.friction:
            given["friction"] = lw.Coulomb(tau=dry)
        component = self.building.make(joint, one_axis, **given)
        self._keep(joint, name, component, kind, ref, rest)
        self.building.model.connect(self.building.placed(at, X, f"{name}_origin"), component.frame_a)
        self._passive(joint, name, component, rest)
        return component.frame_b, lw.Transform(None, -pos)

    def _keep(self, joint: Element, name: str, component: Component, kind: str, ref: float = 0.0,
              rest: float = 0.0) -> None:
        component_name = self.building.add(name, component)._name
        self.report.names.setdefault("joint", {})[name] = component_name
        self.parts.joints[name] = Jointed(name, component, kind, ref, rest)

    def _limited(self, joint: Element) -> bool:
        limited = joint.choice("limited", ("true", "false", "auto"), "auto")
        return limited == "true" or limited == "auto" and self.settings.autolimits and joint.get("range") is not None

    def _bounds(self, joint: Element, unit: Callable[[float], float]) -> tuple[float, float] | None:
        bounds = joint.numbers("range", 2)
        if not self._limited(joint) or bounds is None:
            return None
        low, high = (float(unit(x)) for x in bounds)
        if not low < high:
            raise joint.error(f"range: {bounds[0]:g} must lie below {bounds[1]:g}.")
        return low, high

    def _passive(self, joint: Element, name: str, component: Component, rest: float) -> None:
        """Spring, damper and armature of a one-axis joint."""
        armature = joint.number("armature", 0.0)
        if armature < 0:
            raise joint.error(f"armature = {armature:g} cannot be negative.")
        if armature > 0:
            self.building.rotor(component, armature, 1.0, f"{name}_armature")
        stiffness, damping = (joint.numbers(key, (1, 2, 3), (0.0,)) for key in ("stiffness", "damping"))
        if np.all(joint.numbers("springdamper", 2, (0, 0)) > 0):
            self.timed.append((joint, self.parts.joints[name]))
            return
        if stiffness[0] < 0 or damping[0] < 0:
            raise joint.error("stiffness and damping cannot be negative.")
        if self.settings.springs and np.any(stiffness):
            if np.any(stiffness[1:]):
                x = coordinate(component) - rest
                self.drive(component, -sum(c * x ** (k + 1) for k, c in enumerate(stiffness)), f"{name}_spring")
            else:
                self.building.spring(component, stiffness[0], rest, f"{name}_spring")
        if self.friction and self.settings.dampers and np.any(damping):
            if np.any(damping[1:]):
                self.report.approximate(joint, "damping: only its linear part is kept")
            self.building.damper(component, damping[0], f"{name}_damper")

    def drive(self, component: Component, effort: ca.SX, name: str) -> Component:
        """An effort on a one-axis joint."""
        turning = isinstance(component, lw.joints.Revolute)
        source = lw.rotational.Torque(tau=effort) if turning else lw.translational.Force(f=effort)
        self.building.add(name, source)
        self.building.model.connect(component.axis, source.flange)
        return source

    def _damp_turning(self, joint: Element, name: str, component: Component, moves: bool) -> None:
        """Damping of a ball or free joint: against the relative angular velocity, and the velocity in the world."""
        damping = joint.numbers("damping", (1, 2, 3), (0.0,))
        if not (self.friction and self.settings.dampers and damping[0] > 0):
            return
        if moves:
            load = lw.forces.WorldForce(force=-damping[0] * component.frame_b.v_0, animation=False)
            twist = lw.forces.WorldTorque(resolve_in_frame="frame_b", torque=-damping[0] * component.frame_b.w,
                                          animation=False)
            self.building.add(f"{name}_damper", load)
            self.building.add(f"{name}_damper_torque", twist)
            self.building.model.connect(component.frame_b, twist.frame_b)
        else:
            load = lw.forces.Torque(resolve_in_frame="frame_b", torque=-damping[0] * component.w_rel_b, animation=False)
            self.building.add(f"{name}_damper", load)
            self.building.model.connect(component.frame_a, load.frame_a)
        self.building.model.connect(component.frame_b, load.frame_b)

    def _armature_of_free(self, joint: Element, name: str, component: Component) -> None:
        """Inertia without weight that a free body has in addition."""
        armature = joint.number("armature", 0.0)
        if armature > 0:
            rotor = lw.parts.Body(m=armature, inertia=[armature] * 3, animation=False)
            lift = lw.forces.WorldForce(force=-armature * np.array(self.settings.gravity), animation=False)
            self.building.add(f"{name}_armature", rotor)
            self.building.add(f"{name}_armature_lift", lift)
            self.building.model.connect(component.frame_b, rotor.frame_a, lift.frame_b)

    def _refuse_rest(self, joint: Element, names: tuple[str, ...]) -> None:
        for name in names:
            value = joint.numbers(name, (1, 2, 3), (0.0,))
            if np.any(value):
                self.report.approximate(joint, f"{name} of a {joint.get('type', 'free')} joint is left out")

    # --- geoms and sites ---

    def _geom(self, geom: Element, place: Place, X: lw.Transform, masses: list[Mass] | None) -> None:
        name = geom.get("name")
        for key in CONTACT:
            geom.get(key)
        shape = geom_shape(geom, self.settings, self.meshes)
        kind = self.mesh_kinds.get(geom.get("mesh") or "", "legacy")
        colour = geom.numbers("rgba", 4, self.colours.get(geom.get("material") or "", COLOUR))
        mass = geom_mass(geom, shape, self.settings, kind) if masses is not None else None
        if mass is not None:
            masses.append(Mass(mass.m, X @ mass.centre, X.R @ mass.tensor @ X.R.T))
        for key in ("mass", "density", "shellinertia"):
            geom.get(key)
        if shape is None:
            if geom.get("mesh") is None or geom.choice("type", KINDS, "mesh") != "mesh":
                self.report.ignored.append(note(geom, "its shape is not known here"))
            elif masses is not None and geom.number("mass", geom.number("density", 1000.0)) > 0:
                self.report.approximate(geom, f"its mesh is missing, and with it its mass in {place.body}")
            return
        shape = SolidShape(shape.kind, X @ shape.X, shape.size, shape.file)
        shown = self._shown[place.body] = self._shown.get(place.body, 0) + 1
        label = name or f"{place.body}_geom{shown}"
        if name:
            self.parts.geoms[name] = Place(place.frame, place.X @ shape.X, place.body)
        seen = bool(colour[3] > 0 and geom.number("group", 0) <= 2)
        touches = geom.number("contype", 1) > 0 or geom.number("conaffinity", 1) > 0
        if touches and attach(self.building, place.frame, shape, label, seen, self.hulls, colour):
            friction = geom.numbers("friction", (1, 2, 3), (1, 0.005, 0.0001))
            self.report.data.setdefault("friction", {})[label] = float(friction[0])
        elif seen and not (shape.file or "").endswith(".msh"):
            show(self.building, place.frame, shape, label, colour)

    def _site(self, site: Element, place: Place, X: lw.Transform) -> None:
        for key in ("type", "group", "material", "rgba", "size", "user"):
            site.get(key)
        ends = site.numbers("fromto", 6)
        X_site = X @ pose(site, self.settings)
        if ends is not None:
            X_site = X @ lw.Transform(None, (ends[:3] + ends[3:]) / 2)
        name = site.get("name")
        if name:
            self.parts.sites[name] = Place((place, X_site), place.X @ X_site, place.body)

    def site_frame(self, element: Element, name: str) -> Frame:
        """The frame of a site; its link is made when it is first asked for."""
        if name not in self.parts.sites:
            raise element.error(f"there is no site {name!r}.")
        site = self.parts.sites[name]
        if isinstance(site.frame, tuple):
            place, X = site.frame
            site.frame = self.building.placed(place.frame, X, name)
        return site.frame


