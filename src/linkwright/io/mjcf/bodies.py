"""The tree of bodies with their joints, and what sits on them.

Bodies hang on one another by their joints (`joints`); their mass is what <inertial> says, or what their geoms weigh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import Building, clamped
from ..import_report import note
from ..markup import Element
from ..shapes import SolidShape, attach, show
from ..tolerances import NEGATIVE_MOMENT
from ..wishes import Wishes
from .contacts import SOFTNESS, Surface, can_touch, surface_of
from .defaults import Classes
from .joints import add_joint
from .plugins import Instances, plugin_of
from .settings import Settings, pose
from .solids import COLOUR, KINDS, Mass, bounded, geom_mass, geom_shape, site_volume, together

if TYPE_CHECKING:
    from ...language import Component, Frame, Joint
    from .adhesion import Adhesion
    from .touch_sensors import Touch

PICTURES = ("camera", "light")


@dataclass(eq=False)
class Place:
    """A body or site of the file: its frame in the model, and its pose in the world as the file draws it."""

    frame: Frame
    X: lw.Transform
    body: str = ""
    parent: str = ""
    component: Component | None = None
    moves: bool = False  # whether it has joints of its own
    gravcomp: float = 0.0  # share of its weight that is taken away
    inertial: lw.Transform | None = None  # the principal axes, by <inertial> or a single geom
    cut: Component | None = None  # what measures the load between it and its parent


@dataclass(eq=False)
class Jointed:
    """A joint of the file: its component, kind and reference value."""

    name: str
    component: Joint
    kind: str
    ref: float = 0.0
    spring_ref: float = 0.0
    body: str = ""
    bounds: tuple[float, float] | None = None
    force_range: tuple[float, float] | None = None  # of all actuators together
    bears_gravcomp: bool = False  # whether actuators bear the weight that gravcomp takes
    lift: object = 0.0  # that weight, as an effort
    efforts: list = field(default_factory=list)  # of actuators, as expressions

    @property
    def effort(self) -> ca.SX:
        """What all actuators do at it, with the weight that they bear (`lift`)."""
        total = sum(self.efforts, ca.SX(self.lift))
        return total if self.force_range is None else clamped(total, *self.force_range)


@dataclass(eq=False)
class Parts:
    """What has been built, by the names of the file."""

    bodies: dict[str, Place] = field(default_factory=dict)
    sites: dict[str, Place] = field(default_factory=dict)
    volumes: dict[str, SolidShape] = field(default_factory=dict)  # of sites, in their own axes
    geoms: dict[str, Place] = field(default_factory=dict)
    joints: dict[str, Jointed] = field(default_factory=dict)  # in the order of MuJoCo's coordinates
    masses: list = field(default_factory=list)  # body components
    surfaces: list[Surface] = field(default_factory=list)
    pairs: list[tuple[Element, Surface, Surface]] = field(default_factory=list)  # that the file names
    excluded: set[frozenset[str]] = field(default_factory=set)  # bodies that do not meet

    def add_joint(self, name: str, component: Joint, kind: str, ref: float, rest: float) -> None:
        self.joints[name] = Jointed(name, component, kind, ref, rest)


class Tree:
    """Builds bodies, joints, shapes and sites."""

    def __init__(self, building: Building, settings: Settings, classes: Classes, meshes: dict[str, SolidShape],
                 colours: dict[str, np.ndarray], wishes: Wishes, paired: frozenset[str],
                 felt: frozenset[str] = frozenset()) -> None:
        self.building, self.settings, self.classes, self.report = building, settings, classes, building.report
        self.meshes, self.colours = meshes, colours
        self.stops, self.friction = wishes.stops and settings.limits, wishes.friction
        self.contact = wishes.contact if settings.contact else None
        self.hulls, self.paired, self.felt = wishes.hulls or self.contact is not None, paired, felt
        self.parts = Parts()
        self.solids: dict[str, SolidShape] = {}  # geoms by name
        self.wrapped: dict[str, Any] = {}  # surfaces that tendons wrap, by geom
        self.fluid_shapes: list[Element] = []  # geoms whose drag is that of an ellipsoid
        self.grown: list[tuple[Element, str, float]] = []  # shapes with edges that a margin makes larger
        self.timed: list[tuple[Element, Jointed]] = []  # joints whose springs are given by times
        self.plugins: Instances = {}  # of plugins, by name
        self.touches: list[Touch] = []  # touch sensors
        self.adhesions: list[Adhesion] = []
        self.mobility: tuple[dict[str, int], np.ndarray] | None = None  # places of joints, and M⁻¹ as drawn
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
            elif child.tag == "plugin":
                name = plugin_of(child, self.plugins)[0]
                self.report.ignore(child, f"the plugin {name} is not known here, and its forces are left out")
            else:
                self.report.ignore(child, f"<{child.tag}> is not known here")

    def _body(self, body: Element, parent: Place, X_parent: lw.Transform, childclass: str | None) -> None:
        childclass = body.get("childclass") or childclass
        X = X_parent @ pose(body, self.settings)
        name = body.get("name") or f"body_{len(self.parts.bodies)}"
        if name in self.parts.bodies:
            raise body.error(f"there is a body {name!r} already.")
        body.get("user")
        if body.flag("mocap"):
            self.report.remark(body, "a mocap body rests where its offset says; set that to move it between runs")
        joints = [self.classes.settle(joint, childclass) if joint.tag == "joint" else joint
                  for joint in body.all("joint", "freejoint")]
        at, pending = parent.frame, X
        for k, joint in enumerate(joints):
            at, pending = add_joint(self, joint, k, len(joints), name, parent, at, pending)
        frame = self.building.placed(at, pending, f"{name}_origin")
        component = lw.parts.Body(m=0.0, inertia=np.zeros((3, 3)), animation=False)
        self.building.add(name, component, body)
        cut = None
        if any(site in self.felt for site in _sites(body)):
            cut = self.building.add(f"{name}_cut", lw.sensors.CutForceAndTorque(animation=False))
            self.building.model.connect(frame, cut.frame_a)
            frame = cut.frame_b
        self.building.model.connect(frame, component.frame_a)
        place = Place(component.frame_a, parent.X @ X, name, parent.body, component, bool(joints), cut=cut)
        self.parts.bodies[name] = place
        inertial = body.first("inertial")
        from_geoms = self.settings.from_geoms == "true" or self.settings.from_geoms == "auto" and inertial is None
        masses: list[Mass] | None = [] if from_geoms else None
        self._content(body, place, lw.Transform(), childclass, masses)
        self._set_mass(body, component, inertial, masses)
        if inertial is not None and not from_geoms and inertial.get("fullinertia") is None:
            place.inertial = pose(inertial, self.settings)
        elif masses and len(masses) == 1 and masses[0].axes is not None:
            place.inertial = lw.Transform(masses[0].axes, masses[0].centre)
        place.gravcomp = body.number("gravcomp", 0.0)

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

    def compensate(self) -> None:
        """gravcomp: a force at the centre of mass against this share of the weight, once masses are what they are."""
        for name, place in self.parts.bodies.items():
            component = place.component
            if component is not None:
                self.building.lift(component, place.gravcomp, name)

    # --- efforts ---

    def actuate(self, joint: Jointed, effort: ca.SX, name: str) -> None:
        """An effort of an actuator on a one-axis joint; where their sum is bounded, `bound_efforts` puts it there."""
        joint.efforts.append(effort)
        if joint.force_range is None:
            self.drive(joint.component, effort, name)

    def bound_efforts(self) -> None:
        """What actuators do at joints that bound it, once all are read."""
        for joint in self.parts.joints.values():
            if joint.bears_gravcomp:
                joint.lift = self._lift(joint)
            if joint.force_range is not None and (joint.efforts or joint.bears_gravcomp):
                # gravcomp acts on the bodies already
                self.drive(joint.component, joint.effort - joint.lift, f"{joint.name}_drives")

    def _lift(self, joint: Jointed) -> ca.SX:
        """What gravcomp of the bodies behind a joint does at it: Σ f · a, or Σ f · (a × (c − p)) about an axis."""
        component, inside = joint.component, set()
        axis = component.frame_b.R_WF @ np.asarray(component.n, dtype=float)
        total = ca.SX(0)
        for name, place in self.parts.bodies.items():
            if name != joint.body and place.parent not in inside:
                continue
            inside.add(name)
            if place.gravcomp and place.component is not None:
                force = -place.gravcomp * float(place.component.m) * np.array(self.settings.gravity)
                arm = place.frame.r_0 + place.frame.R_WF @ np.asarray(place.component.r_cm, dtype=float) \
                    - component.frame_b.r_0
                total += ca.dot(ca.SX(force), ca.cross(axis, arm) if joint.kind == "hinge" else axis)
        return total

    def drive(self, component: Component, effort: ca.SX, name: str) -> Component:
        """An effort on a one-axis joint."""
        turning = isinstance(component, lw.joints.Revolute)
        source = lw.rotational.Torque(tau=effort) if turning else lw.translational.Force(f=effort)
        self.building.add(name, source)
        self.building.model.connect(component.axis, source.flange)
        return source

    # --- geoms and sites ---

    def _geom(self, geom: Element, place: Place, X: lw.Transform, masses: list[Mass] | None) -> None:
        name = geom.get("name")
        for key in (*SOFTNESS, "user", "fitscale", "hfield", "name", "class"):
            geom.get(key)
        if geom.choice("fluidshape", ("none", "ellipsoid"), "none") == "ellipsoid":
            self.fluid_shapes.append(geom)
        geom.get("fluidcoef")
        shape = geom_shape(geom, self.settings, self.meshes)
        colour = geom.numbers("rgba", 4, self.colours.get(geom.get("material") or ""))
        if colour is None and (shape is None or shape.kind != "plane"):  # grounds without one look like ours
            colour = np.array(COLOUR)
        mass = geom_mass(geom, shape, self.settings) if masses is not None else None
        if mass is not None:
            axes = None if mass.axes is None else X.R @ mass.axes
            masses.append(Mass(mass.m, X @ mass.centre, X.R @ mass.tensor @ X.R.T, axes))
        for key in ("mass", "density", "shellinertia"):
            geom.get(key)
        if shape is None:
            for key in ("pos", "quat", "euler", "axisangle", "xyaxes", "zaxis", "size", "fromto", "group", "margin",
                        "contype", "conaffinity", "condim", "priority", "friction"):
                geom.get(key)
            if geom.get("mesh") is None or geom.choice("type", KINDS, "mesh") != "mesh":
                self.report.ignored.append(note(geom, "its shape is not known here"))
            elif masses is not None and geom.number("mass", geom.number("density", 1000.0)) > 0:
                self.report.approximate(geom, f"its mesh is missing, and with it its mass in {place.body}")
            return
        shape = replace(shape, X=X @ shape.X)
        shown = self._shown[place.body] = self._shown.get(place.body, 0) + 1
        label = name or f"{place.body}_geom{shown}"
        if name:
            self.parts.geoms[name] = Place(place.frame, place.X @ shape.X, place.body)
            self.solids[name] = shape
        seen = bool((colour is None or colour[3] > 0) and geom.number("group", 0) <= 2)
        self._surface(geom, place, shape, label, seen, colour)

    def _surface(self, geom: Element, place: Place, shape: SolidShape, label: str, seen: bool,
                 colour: np.ndarray | None) -> None:
        """The shape of contact that a geom is, or what is to be seen of it."""
        for key in ("condim", "priority", "friction"):
            geom.get(key)
        margin, part = geom.number("margin", 0.0), None
        if can_touch(geom) or label in self.paired:
            grown = shape if self.contact is None else shape.grown(margin)
            if grown is not shape and shape.kind not in ("plane", "sphere", "capsule", "mesh"):
                self.grown.append((geom, shape.kind, margin))
            part = attach(self.building, place.frame, grown, label, seen, self.hulls, colour)
        if part is not None:
            self.parts.surfaces.append(surface_of(geom, part, label, place.body))
            self.report.data.setdefault("friction", {})[label] = float(self.parts.surfaces[-1].friction[0])
        elif seen and not (shape.file or "").endswith(".msh"):
            show(self.building, place.frame, shape, label, colour)

    def _site(self, site: Element, place: Place, X: lw.Transform) -> None:
        for key in ("group", "material", "rgba", "user"):
            site.get(key)
        volume = site_volume(site, self.settings)
        X_site, name = X @ volume.X, site.get("name")
        if name:
            self.parts.volumes[name] = volume
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


def _sites(element: Element) -> Iterator[str]:
    """The names of the sites on a body, those inside its frames too."""
    for child in element.children:
        if child.tag == "site" and child.attributes.get("name"):
            yield child.attributes["name"]
        elif child.tag == "frame":
            yield from _sites(child)
