"""Spatial tendons: ways over sites, and round spheres and cylinders, as cables; pulleys share them out.

    l = Σ l_b / divisor_b over its branches;  what acts along a tendon with the force F (positive lengthens it) pulls
    every branch with −F/divisor_b

On which side of a geom a tendon runs follows from the pose alone, as in MuJoCo (`outer_ways`, `inner_ways`); a tendon
with an end inside of a geom passes it straight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...geometry import Wrapped
from ...library.cables import PathActuator, Sphere
from ..markup import Element
from ..shapes import SolidShape
from .bodies import Tree
from .contacts import carrier
from .inner_ways import way_within
from .outer_ways import way_around

if TYPE_CHECKING:
    from ...language import PartsList

SEEN = ("group", "width", "material", "rgba", "user", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
        "margin")


class TendonOfFile(PathActuator):
    """A cable that goes round its surfaces by the rules of the format; `near` is the side site, in their axes."""

    def way_over(self, plan: PartsList, k: int, place: Any, ends: tuple, points: tuple[ca.SX, ca.SX],
                 ) -> tuple[Wrapped, ca.SX]:
        radius, sphere = ca.SX(plan.values(place.on).radius), isinstance(place.on, Sphere)
        if place.beside is not None:
            side = self.symbol("reads", type(self).reads.shape_of(self))[place.beside : place.beside + 3]
            return way_around(*points, radius, side, sphere)
        return way_past(*points, radius, place.near, float(place.on.numbers().radius), sphere)


def way_past(P1: ca.SX, P2: ca.SX, radius: ca.SX, side: tuple[float, ...] | None, size: float,
             sphere: bool) -> tuple[Wrapped, ca.SX]:
    """(where a tendon touches a surface, whether it does): from within where its side site lies within its `size`."""
    if side is None:
        return way_around(P1, P2, radius, None, sphere)
    if np.linalg.norm(side) < size:
        return way_within(P1, P2, radius, sphere)
    return way_around(P1, P2, radius, ca.DM(side), sphere)


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
            route.append(wrap)
        else:
            raise stop.error(f"<{stop.tag}> is no part of a tendon.")
    return route, length


def _place(tree: Tree, stop: Element) -> lw.Transform:
    name = stop.need("site")
    if name not in tree.parts.sites:
        raise stop.error(f"there is no site {name!r}.")
    return tree.parts.sites[name].X


def _wrap(tree: Tree, stop: Element, before: np.ndarray, after: np.ndarray) -> tuple[lw.cables.Wrap, float]:
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
    sphere = solid.kind == "sphere"
    near = None if side is None else tuple(map(float, X.R.T @ (tree.parts.sites[side].X.p - X.p)))
    found, on = way_past(ca.DM(P1), ca.DM(P2), ca.DM(radius), near, radius, sphere)
    drawn = _length(P1, P2, found) if float(ca.evalf(on)) else straight
    surface = _surface(tree, name, solid, radius)
    if near is not None and _moves(tree, side, name) and np.linalg.norm(near) >= radius:
        at, axes = tree.site_frame(stop, side), surface.frame_a
        return lw.cables.Wrap(surface, near=axes.R_WF.T @ (at.r_0 - axes.r_0)), drawn
    return lw.cables.Wrap(surface, near=near), drawn


def _moves(tree: Tree, site: str, geom: str) -> bool:
    """Whether a site moves against a geom."""
    return carrier(tree, tree.parts.sites[site].body) != carrier(tree, tree.parts.geoms[geom].body)


def _length(P1: np.ndarray, P2: np.ndarray, found: Wrapped) -> float:
    first, last, _, arc = (np.array(ca.evalf(x)).ravel() for x in found)
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
