"""Adhesion: an actuator that pulls a body to whatever it touches, shared equally by all its points of contact.

With n points that touch and the force F of the actuator, at each of them act F/n along the normal towards the other
body, and the opposite there (mujoco.readthedocs.io, "actuator/adhesion").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

import linkwright as lw

from ...algebra import Scalar
from ..building import clamped
from ..markup import Element
from ..tolerances import TOUCHING
from .actuator_laws import activated
from .ranges import range_of

if TYPE_CHECKING:
    from ...language import Frame
    from ..touching import Touching
    from .bodies import Tree
    from .keyframes import Start


@dataclass(frozen=True, eq=False)
class Adhesion:
    """An adhesion actuator of the file: its element, name and body, and its force."""

    element: Element
    name: str
    body: str
    force: Scalar


def read_adhesion(element: Element, name: str, tree: Tree, start: Start) -> tuple[Scalar, str, tuple[str, ...]]:
    """(the force of an adhesion actuator, the names of its input and states); it acts once contacts are known."""
    body = element.need("body")
    if body not in tree.parts.bodies:
        raise element.error(f"there is no body {body!r}.")
    element.need("ctrlrange")
    low, high = element.numbers("ctrlrange", 2)
    if not 0 <= low < high:
        raise element.error(f"ctrlrange: 0 ≤ {low:g} < {high:g} must hold.")
    for key in ("user", "ctrllimited"):
        element.get(key)
    named = tree.building.name(name, "control")
    control = clamped(tree.building.model.input(named, start.next_control()), low, high)
    control, states = activated(element, named, control, tree, start)
    force = element.number("gain", 1.0) * control
    bounds = range_of(element, "force", tree)
    force = force if bounds is None else clamped(force, *bounds)
    tree.adhesions.append(Adhesion(element, name, body, force))
    return force, named, states


def add_adhesion(tree: Tree, touching: Touching) -> None:
    """The forces of all adhesion actuators on the pairs of their bodies."""
    if tree.adhesions and tree.contact is None:
        tree.report.remark(tree.adhesions[0].element, 'no contacts were asked for (contact="file"), so that adhesion '
                                                      "pulls nothing")
    on = {id(surface.part): surface.body for surface in tree.parts.surfaces}
    for adhesion in tree.adhesions:
        left = [f"{a.path}/{b.path}" for a, b in touching.left if adhesion.body in (on.get(id(a)), on.get(id(b)))]
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            most = adhesion.element.number("gain", 1.0) * adhesion.element.numbers("ctrlrange", 2)[1]
            tree.report.approximate(adhesion.element, f"up to {most:g} N that pull at {left[0]}{more} are left out: "
                                                      "too many points, or points that are searched for")
        pairs = [pair for pair in touching.made if adhesion.body in (on.get(id(pair.a)), on.get(id(pair.b)))]
        points = [(pair, k, pair.gap if pair.n_points == 1 else pair.gap[k])
                  for pair in pairs for k in range(pair.n_points)]
        touches = [ca.if_else(gap < TOUCHING, 1, 0) for *_, gap in points]
        share = adhesion.force / ca.fmax(1, sum(touches, ca.SX(0)))
        for (pair, k, _), touch in zip(points, touches, strict=True):
            place, normal = (pair.symbol(f"{what}_{k}", (3,)) for what in ("point", "normal"))
            for side, shape in ((1, pair.a), (-1, pair.b)):
                _pull(tree, shape.frame_a, place, side * touch * share * normal, f"{adhesion.name}_pull")


def _pull(tree: Tree, frame: Frame, place: ca.SX, force: ca.SX, name: str) -> None:
    """A force at a place of the world, on the body of a frame."""
    load = lw.forces.WorldForceAndTorque(resolve_in_frame="world", force=ca.vertsplit(force),
                                         torque=ca.vertsplit(ca.cross(place - frame.r_0, force)), animation=False)
    tree.building.add(name, load)
    tree.building.model.connect(frame, load.frame_b)
