"""Spatial tendons: ways over sites, and round spheres and cylinders, as cables; pulleys share them out.

    l = Σ l_b / divisor_b over its branches;  what acts along a tendon with the force F (positive lengthens it) pulls
    every branch with −F/divisor_b

MuJoCo decides at every instant on which side of a geom the way runs; here the pose that the file draws decides, and
then the way keeps its side and its turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

import linkwright as lw

from ...geometry import wrap_cylinder, wrap_sphere
from ..markup import Element
from ..shapes import SolidShape
from .bodies import Tree
from .inner_ways import TendonOfFile, way_within

SEEN = ("group", "width", "material", "rgba", "user", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
        "margin")


@dataclass(eq=False)
class Branch:
    """A part of a tendon between pulleys: a cable, what its length is divided by, and its length as it is drawn."""

    cable: lw.cables.PathActuator
    divisor: float
    drawn: float


@dataclass(eq=False)
class SpatialTendon:
    """A tendon in space; `terms` are joints of fixed tendons, of which it has none."""

    branches: list[Branch]
    spring_length: tuple[float, float]
    terms: list = field(default_factory=list)
    force_range: tuple[float, float] | None = None  # of all actuators together
    driven: int = 0  # how many actuators it has

    @property
    def length(self) -> ca.SX:
        return sum(branch.cable.l / branch.divisor for branch in self.branches)

    @property
    def rate(self) -> ca.SX:
        return sum(branch.cable.v / branch.divisor for branch in self.branches)

    @property
    def drawn(self) -> float:
        """Its length in the pose that the file draws."""
        return sum(branch.drawn / branch.divisor for branch in self.branches)

    def rub(self, force: float) -> bool:
        """Let dry friction act along it; False where pulleys divide it, whose friction is not known here."""
        if len(self.branches) > 1 or self.branches[0].divisor != 1:
            return False
        self.branches[0].cable.friction = force
        return True

    def act(self, force: ca.SX) -> None:
        """Let a force act along it, positive lengthens it, beside those that do already."""
        for branch in self.branches:
            branch.cable.pull = branch.cable.signal("pull") - force / branch.divisor


def read_spatial(element: Element, name: str, tree: Tree) -> SpatialTendon | None:
    """A spatial tendon; None where something of it is not known."""
    for key in SEEN:
        element.get(key)
    parts: list[tuple[float, list[Element]]] = [(1.0, [])]
    for child in element.all():
        if child.tag == "pulley":
            parts.append((child.number("divisor", 1.0), []))
        else:
            parts[-1][1].append(child)
    branches = []
    for k, (divisor, stops) in enumerate([(d, s) for d, s in parts if s]):
        if divisor <= 0:
            raise element.error(f"divisor = {divisor:g} of a pulley must be positive.")
        route, drawn = _route(tree, stops)
        cable = TendonOfFile(route)
        tree.building.add(name if k == 0 else f"{name}_{k + 1}", cable, element if k == 0 else None)
        branches.append(Branch(cable, divisor, drawn))
    rest = element.numbers("springlength", (1, 2), (-1.0,))
    tendon = SpatialTendon(branches, (float(rest[0]), float(rest[-1])))
    if rest[0] == rest[-1] == -1:
        tendon.spring_length = (tendon.drawn, tendon.drawn)
    return tendon


def _route(tree: Tree, stops: list[Element]) -> tuple[list, float]:
    """The route of a branch, and its length in the pose that the file draws."""
    route: list = []
    length = 0.0
    places = [_place(tree, stop).p if stop.tag == "site" else None for stop in stops]
    for k, stop in enumerate(stops):
        if stop.tag == "site":
            route.append((tree.site_frame(stop, stop.need("site")), (0.0, 0.0, 0.0)))
            if k and places[k - 1] is not None:
                length += float(np.linalg.norm(places[k] - places[k - 1]))
        elif stop.tag == "geom":
            if not 0 < k < len(stops) - 1 or places[k - 1] is None or places[k + 1] is None:
                raise stop.error("a geom of a tendon stands between two sites.")
            wrap, own = _wrap(tree, stop, places[k - 1], places[k + 1])
            length += own
            route += [] if wrap is None else [wrap]
        else:
            raise stop.error(f"<{stop.tag}> is no part of a tendon.")
    return route, length


def _place(tree: Tree, stop: Element) -> lw.Transform:
    name = stop.need("site")
    if name not in tree.parts.sites:
        raise stop.error(f"there is no site {name!r}.")
    return tree.parts.sites[name].X


def _wrap(tree: Tree, stop: Element, before: np.ndarray, after: np.ndarray) -> tuple[lw.cables.Wrap | None, float]:
    """(the stop at a geom, the length from site to site as it is drawn)."""
    name = stop.need("geom")
    solid = tree.solids.get(name)
    if solid is None or solid.kind not in ("sphere", "cylinder"):
        raise stop.error(f"there is no geom {name!r} that is a sphere or a cylinder.")
    radius, X = float(solid.size[0]), tree.parts.geoms[name].X
    P1, P2 = (X.R.T @ (x - X.p) for x in (before, after))
    straight = float(np.linalg.norm(P2 - P1))
    side = stop.get("sidesite")
    if side is not None and side not in tree.parts.sites:
        raise stop.error(f"there is no site {side!r}.")
    towards = None if side is None else X.R.T @ (tree.parts.sites[side].X.p - X.p)
    axial = solid.kind == "cylinder"
    if min(np.linalg.norm(P[:2] if axial else P) for P in (P1, P2)) <= radius:
        tree.report.approximate(stop, f"a site beside {name!r} lies inside of it as it is drawn: it is passed straight")
        return None, straight
    if towards is not None and np.linalg.norm(towards) < radius:
        found, on = way_within(ca.DM(P1), ca.DM(P2), ca.DM(radius), not axial)
        own = _drawn(P1, P2, (*map(ca.evalf, found[:2]), ca.DM(1), ca.DM(0))) if float(ca.evalf(on)) else straight
        return lw.cables.Wrap(_surface(tree, name, solid, radius), near=tuple(map(float, towards))), own
    long = towards is not None and _opposite(P1, P2, towards, axial)
    surface = _surface(tree, name, solid, radius)
    if not axial:
        found = wrap_sphere(ca.DM(P1), ca.DM(P2), radius, long)
        return lw.cables.Wrap(surface, long=long), _drawn(P1, P2, found)
    angle = float(np.arctan2(P1[0] * P2[1] - P1[1] * P2[0], P1[:2] @ P2[:2]))
    turn = 1 if angle > 0 else -1
    if long:
        turn, angle = -turn, angle - 2 * np.pi * turn
    found = wrap_cylinder(ca.DM(P1), ca.DM(P2), radius, turn, turn * angle)
    return lw.cables.Wrap(surface, turn if long else None, start=angle), _drawn(P1, P2, found)


def _opposite(P1: np.ndarray, P2: np.ndarray, towards: np.ndarray, axial: bool) -> bool:
    """Whether a side site lies opposite to both ends, seen from the centre in their plane: then the way is the long
    one."""
    if axial:
        plane = np.eye(3)[:2]
    else:
        x, n = P1 / np.linalg.norm(P1), np.cross(P1, P2)
        plane = np.array([x, np.cross(n / np.linalg.norm(n), x)])
    shares = np.linalg.lstsq(np.array([plane @ P1, plane @ P2]).T, plane @ towards, rcond=None)[0]
    return bool(np.all(shares < 0))


def _drawn(P1: np.ndarray, P2: np.ndarray, found: object) -> float:
    first, last, angle, arc = (np.array(x).ravel() for x in found)
    if angle[0] <= 0:
        return float(np.linalg.norm(P2 - P1))
    return float(np.linalg.norm(first - P1) + arc[0] + np.linalg.norm(P2 - last))


def _surface(tree: Tree, name: str, solid: SolidShape, radius: float) -> lw.cables.Cylinder | lw.cables.Sphere:
    """The surface of a geom, made when it is first asked for."""
    if name not in tree.wrapped:
        kind = lw.cables.Cylinder if solid.kind == "cylinder" else lw.cables.Sphere
        surface = tree.wrapped[name] = tree.building.add(f"{name}_wrap", kind(radius=radius, animation=False))
        place = tree.parts.geoms[name]
        body = tree.parts.bodies[place.body]
        frame = tree.building.placed(body.frame, body.X.inverse() @ place.X, f"{name}_axis")
        tree.building.model.connect(frame, surface.frame_a)
    return tree.wrapped[name]
