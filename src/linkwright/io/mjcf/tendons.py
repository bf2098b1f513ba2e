"""Fixed tendons: L = Σ cₖ qₖ; what pulls one with the effort F acts on every joint with cₖ F."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import coordinate, speed
from ..markup import Element
from .bodies import Tree
from .joint_forces import coefficients, damping_effort, force_range
from .joints import limited
from .spatial_tendons import SpatialTendon, read_spatial

if TYPE_CHECKING:
    from ...language import Joint


@dataclass(eq=False)
class Tendon:
    """A fixed tendon: (factor, joint) pairs, and its length and rate as expressions."""

    terms: list
    spring_length: tuple[float, float]  # between the two it is slack
    force_range: tuple[float, float] | None = None  # of all actuators together
    driven: int = 0  # how many actuators it has

    @property
    def length(self) -> ca.SX:
        return sum(factor * coordinate(joint.component) for factor, joint in self.terms)

    @property
    def rate(self) -> ca.SX:
        return sum(factor * speed(joint.component) for factor, joint in self.terms)

    @property
    def drawn(self) -> float:
        """Its length in the pose that the file draws."""
        return sum(factor * joint.ref for factor, joint in self.terms)


def one_axis_joint(tree: Tree, element: Element, name: str) -> Joint:
    """A hinge or slide by the file's name."""
    joint = tree.parts.joints.get(name)
    if joint is None:
        raise element.error(f"there is no joint {name!r}.")
    if joint.kind not in ("hinge", "slide"):
        raise element.error(f"the joint {name!r} is a {joint.kind}; one of a single axis is needed here.")
    return joint


def read_tendons(section: Element, tree: Tree) -> dict[str, Tendon]:
    """Tendons with their springs, dampers and ranges."""
    tendons: dict[str, Tendon] = {}
    for element in section.all():
        tree.classes.settle(element, tag="tendon")
        if element.tag == "spatial":
            label = element.get("name") or f"tendon_{len(tendons) + 1}"
            tendons[label] = read_spatial(element, label, tree)
            _passive(element, tendons[label], label, tree)
            continue
        if element.tag != "fixed":
            tree.report.ignore(element, f"tendons <{element.tag}> are not known here")
            continue
        for key in ("group", "width", "material", "rgba", "user", "solreflimit", "solimplimit", "solreffriction",
                    "solimpfriction", "margin"):
            element.get(key)
        terms = []
        for term in element.all("joint"):
            term.need("coef")
            terms.append((term.number("coef"), one_axis_joint(tree, term, term.need("joint"))))
        if not terms:
            raise element.error("a fixed tendon needs a <joint>.")
        name = element.get("name") or f"tendon_{len(tendons) + 1}"
        rest = element.numbers("springlength", (1, 2), (-1.0,))
        drawn = sum(c * joint.spring_ref for c, joint in terms)
        tendon = Tendon(terms, (drawn, drawn) if rest[0] == rest[-1] == -1 else (float(rest[0]), float(rest[-1])))
        tendons[name] = tendon
        _passive(element, tendon, name, tree)
    return tendons


def _passive(element: Element, tendon: Tendon, name: str, tree: Tree) -> None:
    stiffness, damping = (coefficients(element, key) for key in ("stiffness", "damping"))
    effort = 0.0
    if np.any(stiffness) and tree.settings.springs:
        low, high = np.broadcast_to(tendon.spring_length, 2)
        length = tendon.length
        # between two lengths a spring is slack
        slack = low if low == high else lw.min(lw.max(length, low), high)
        effort = effort - sum(k * (length - slack) ** (j + 1) for j, k in enumerate(stiffness) if k)
    if np.any(damping) and tree.friction and tree.settings.dampers:
        effort = effort - damping_effort(damping, tendon.rate)
    armature = element.number("armature", 0.0)
    if armature < 0:
        raise element.error(f"armature = {armature:g} cannot be negative.")
    if armature:
        effort = effort - armature * lw.der(tendon.rate)
    tendon.force_range = force_range(element, tree)
    if not isinstance(effort, float):
        pull(tree, tendon, effort, name)
    dry = element.number("frictionloss", 0.0)
    rubs = isinstance(tendon, SpatialTendon) and tendon.rub(dry) if dry > 0 and tree.friction else dry == 0
    if not rubs and tree.friction:
        tree.report.approximate(element, f"frictionloss = {dry:g} of a tendon is left out")
    bounds, bounded = element.numbers("range", 2), limited(tree, element)
    if bounds is not None and bounded and tree.stops:
        if not bounds[0] < bounds[1]:
            raise element.error(f"range: {bounds[0]:g} must lie below {bounds[1]:g}.")
        stop = lw.constraints.CoordinateStop(function=tendon.length, low=float(bounds[0]), high=float(bounds[1]))
        tree.building.add(f"{name}_range", stop)


def pull(tree: Tree, tendon: Tendon, effort: ca.SX, name: str, act: Callable | None = None) -> None:
    """An effort on a tendon, shared out to its joints; `act` puts it there, as a passive one where it is left out."""
    if isinstance(tendon, SpatialTendon):
        tendon.act(effort)
    for factor, joint in tendon.terms:
        if factor and act is not None:
            act(joint, factor * effort, f"{name}_on_{joint.name}")
        elif factor:
            tree.drive(joint.component, factor * effort, f"{name}_on_{joint.name}")
