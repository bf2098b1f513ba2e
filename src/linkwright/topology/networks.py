"""1-D drive trains: shafts and rods, reduced to the coordinates they really have.

Flanges that are connected, or linked by inertias and ideal gears, move in fixed proportion: they form one *shaft*.  A
shaft sits on the ground, on the mobility of a joint (then its inertias add to that mobility), or is a coordinate of its
own.  Positions of all flanges are multiples of the shaft's coordinate; laws (springs, dampers, sources) act on it
through the same factors, by virtual work.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..components.component import Component, Connector
from ..errors import TopologyError
from .plan import Axis, Plan


@dataclass(eq=False)
class FlangeNode:
    """A set of connected flanges; position = factor × coordinate of the shaft."""

    flanges: list[Connector]
    links: list = field(default_factory=list)  # (component, other node, factor of the other / factor of this)
    shaft: Shaft | None = None
    factor: object = 1.0
    parent: object = None  # the link towards the shaft's first node


@dataclass(eq=False)
class Shaft:
    """Flanges that move in proportion: nodes, inertias, laws, and what they sit on."""

    nodes: list[FlangeNode] = field(default_factory=list)
    axes: list[tuple[Axis, FlangeNode]] = field(default_factory=list)
    ties: list = field(default_factory=list)
    inertias: list = field(default_factory=list)
    loads: list = field(default_factory=list)
    motions: list = field(default_factory=list)
    symbols: tuple = ()  # (position, speed, acceleration) of the coordinate
    name: str = ""
    kind: str = ""

    def reflected(self):
        """Σ J k²: the inertia felt at the coordinate."""
        return sum((J * node.factor * node.factor for _, node, J in self.inertias), 0.0)

    def drive(self) -> ca.SX:
        """Force on the coordinate from all laws: what components feel at their flanges, taken with the other sign."""
        return sum((-effort * node.factor for _, node, effort in self.loads), ca.SX(0))


def build_shafts(plan: Plan) -> tuple[list[Shaft], dict[int, FlangeNode]]:
    """All shafts and the node of every flange."""
    nodes: dict[int, FlangeNode] = {}
    for flanges in plan.connection_sets():
        if flanges[0].kind.endswith("flange"):
            node = FlangeNode(flanges)
            nodes.update({id(flange): node for flange in flanges})
    for component, a, b, ratio in plan.flange_links:
        node_a, node_b = nodes[id(a)], nodes[id(b)]
        # φ_a = ratio φ_b
        node_a.links.append((component, node_b, 1 / ratio))
        node_b.links.append((component, node_a, ratio))
    on_axis = {id(axis.axis): axis for axis in plan.axes}
    shafts = []
    # joints first, so that the coordinate of the shaft is the joint's own
    ordered = sorted({id(n): n for n in nodes.values()}.values(),
                     key=lambda n: not any(id(f) in on_axis for f in n.flanges))
    for start in ordered:
        if start.shaft is None:
            shafts.append(_collect(start))
    for axis in plan.axes:
        nodes[id(axis.axis)].shaft.axes.append((axis, nodes[id(axis.axis)]))
        nodes[id(axis.support)].shaft.ties.append((axis.joint, nodes[id(axis.support)], ca.SX(0)))
    for component, flange, position in plan.flange_ties:
        nodes[id(flange)].shaft.ties.append((component, nodes[id(flange)], position))
    for component, flange, J in plan.flange_inertias:
        nodes[id(flange)].shaft.inertias.append((component, nodes[id(flange)], J))
    for component, flange, effort in plan.flange_loads:
        nodes[id(flange)].shaft.loads.append((component, nodes[id(flange)], effort))
    for component, flange, *motion in plan.flange_motions:
        nodes[id(flange)].shaft.motions.append((component, nodes[id(flange)], motion))
    for shaft in shafts:
        _classify(shaft)
    return shafts, nodes


def _collect(start: FlangeNode) -> Shaft:
    """Walk the rigid links from a node; a ring must have consistent ratios."""
    shaft = Shaft()
    start.shaft = shaft
    shaft.nodes.append(start)
    queue = [start]
    used = set()
    while queue:
        node = queue.pop(0)
        for component, other, factor in node.links:
            if id(component) in used:
                continue
            used.add(id(component))
            value = node.factor * factor
            if other.shaft is None:
                other.shaft, other.factor, other.parent = shaft, value, component
                shaft.nodes.append(other)
                queue.append(other)
            elif not isinstance(value, ca.SX) and abs(float(value) - float(other.factor)) > 1e-9 * abs(float(value)):
                raise TopologyError(f"{component.path}: the gears of this ring have contradicting ratios, so nothing "
                                    "in it can turn; check them, or put an elastic element into the ring.", component)
    return shaft


def _classify(shaft: Shaft) -> None:
    """What the shaft sits on: ground, a joint, itself, or nothing that has inertia."""
    if shaft.ties:
        shaft.kind = "ground"
        shaft.name = shaft.ties[0][0].path
    elif shaft.axes:
        shaft.kind = "joint"
        axis, node = shaft.axes[0]
        shaft.name = axis.joint.path
        scale = node.factor
        for other in shaft.nodes:
            other.factor = other.factor / scale
    elif shaft.inertias:
        shaft.kind = "inertia"
        component, node, _ = shaft.inertias[0]
        shaft.name = component.path
        scale = node.factor
        for other in shaft.nodes:
            other.factor = other.factor / scale
    elif shaft.motions:
        shaft.kind = "inertia"
        shaft.name = shaft.motions[0][0].path
    elif shaft.loads:
        shaft.kind = "massless"
        shaft.name = shaft.loads[0][0].path
    else:
        shaft.kind = "loose"
        shaft.name = shaft.nodes[0].flanges[0].path


def own_coordinate(shaft: Shaft) -> None:
    """Symbols for a shaft that is a coordinate of its own."""
    shaft.symbols = tuple(ca.SX.sym(f"{shaft.name}.{name}") for name in ("q", "u", "udot"))


def flange_load(shafts_nodes: dict[int, FlangeNode], plan: Plan, flange: Connector, drive) -> ca.SX:
    """Torque (force) on the component at `flange`, from known laws or from the balance of its node."""
    node = shafts_nodes[id(flange)]
    known = [effort for _, other, effort in node.shaft.loads if other is node and _is_flange_of(plan, flange, effort)]
    if known:
        return sum(known, ca.SX(0))
    if any(flange is axis.axis for axis in plan.axes):
        return drive(flange)
    total = ca.SX(0)
    for other in node.flanges:
        if other is not flange and isinstance(other.owner, Component):
            total -= _effort_symbol(other)
    return total


def _effort_symbol(flange: Connector) -> ca.SX:
    return flange.symbol("tau" if flange.kind.startswith("rotational") else "f")


def _is_flange_of(plan: Plan, flange: Connector, effort) -> bool:
    return any(f is flange and e is effort for _, f, e in plan.flange_loads)


def numeric(value) -> float:
    """A factor as a float where it is one."""
    return float(value) if not isinstance(value, ca.SX) else np.nan
