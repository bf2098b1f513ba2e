"""1-D drive trains reduced by linear algebra to the fewest coordinates.

Connected flanges are one *node* with a position x.  Rigid elements (shafts, gears, planetaries, ties to the ground) are
linear relations between nodes, A x = b.  Elimination leaves coordinates ξ, which are positions of some of the nodes:

    x = K ξ + k           one ξ for a shaft with gears, two for a differential, none for what is tied to the ground

Joints' own coordinates are kept before prescribed nodes, those before nodes with inertia, those before the rest.  Laws
act through the same matrix: the force on ξ is −Kᵀ (efforts on the components), the inertia felt is Kᵀ J K.

A rigid element feels the effort A_rn λ_r at node n.  With everything else known, λ follows from the balance of the
nodes that were eliminated: Aᵀ λ + known = 0.

A ring of rigid elements leaves relations that nodes no longer appear in, 0 = b.  Where b is a number it must vanish.
Where it depends on the motion in space (a rope over a pulley: two line forces of constant length together) it is a
constraint, and the effort in the ring is its multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca

from ...errors import TopologyError
from ...language import Component, Connector, Model, PartsList
from ...language.one_dimensional import effort
from ...language.parts_list_entries import Axis
from ..tolerances import EXACT, HELD_TWICE, NO_RATIO

if TYPE_CHECKING:
    from ...algebra import Scalar

STILL = (ca.SX(0), ca.SX(0), ca.SX(0))


@dataclass(eq=False)
class Node:
    """Connected flanges: one position."""

    flanges: list[Connector]
    grounded: bool = False  # only supports that nothing else holds
    mounting: bool = False  # a part carries the casings of drives here
    network: Network | None = None
    K: dict[int, object] = field(default_factory=dict)  # coordinate → factor
    k: tuple = STILL  # position, speed and acceleration with all coordinates at rest
    pivot: int | None = None  # the relation that this node was eliminated by

    @property
    def rides(self) -> bool:
        """Whether it moves with a line in space, beside what coordinates give it."""
        return bool(ca.symvar(self.k[1]))

    @property
    def rotational(self) -> bool:
        return self.flanges[0].kind.startswith("rotational")


@dataclass(eq=False)
class Relation:
    """Σ coefficient × position = value, by a rigid element."""

    component: Component
    terms: list[tuple[Connector, object]]
    nodes: dict[int, object] = field(default_factory=dict)  # node number in the network → coefficient
    value: tuple = STILL


@dataclass(eq=False)
class Motion:
    """A source that prescribes the position of a node: its acceleration, and what holds at the start."""

    component: Component
    flange: Connector
    support: Connector | None
    acceleration: ca.SX
    initial: list[ca.SX]
    node: Node | None = None


@dataclass(eq=False)
class Coordinate:
    """A position that the network is described by."""

    node: Node
    kind: str  # "joint", "own", "massless" or "loose"
    name: str
    axis: Axis | None = None
    motion: Motion | None = None
    symbols: tuple = (ca.SX(0), ca.SX(0), ca.SX(0))


@dataclass(eq=False)
class Network:
    """Nodes that rigid elements link, what acts on them, and the coordinates that are left."""

    nodes: list[Node] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    axes: list[tuple[Axis, Node]] = field(default_factory=list)
    inertias: list[tuple] = field(default_factory=list)  # (component, flange, node, J)
    loads: list[tuple] = field(default_factory=list)  # (component, flange, node, effort)
    cuts: list[tuple] = field(default_factory=list)  # efforts that the engine's constraints bring in
    motions: list[Motion] = field(default_factory=list)
    rings: list[tuple[Relation, ca.SX]] = field(default_factory=list)  # relations that hold the motion in space
    coordinates: list[Coordinate] = field(default_factory=list)

    def force(self, index: int) -> ca.SX:
        """Force on a coordinate from all laws: what components feel at their flanges, taken with the other sign."""
        return sum((-effort * node.K[index] for _, _, node, effort in self.loads if index in node.K), ca.SX(0))

    def position(self, node: Node, level: int = 0) -> ca.SX:
        """Position, speed or acceleration (level 0, 1, 2) of a node."""
        return sum((self.coordinates[j].symbols[level] * factor for j, factor in node.K.items()), node.k[level])


def build_networks(plan: PartsList) -> tuple[list[Network], dict[int, Node]]:
    """All networks, reduced, and the node of every flange."""
    node_of: dict[int, Node] = {}
    nodes: list[Node] = []
    for flanges in plan.connection_sets():
        if flanges[0].kind.endswith("flange"):
            held = [f for f in flanges if not isinstance(f.owner, Model)]
            nodes.append(Node(flanges, bool(held) and all(id(f) in plan.supports for f in held)))
            node_of.update({id(flange): nodes[-1] for flange in flanges})
    relations = [Relation(told.component, list(told.terms), value=told.value)
                 for told in (*plan.flange_relations, *plan.flange_ties)]
    # the support of a joint stands by itself; on a mounting it brings −axis.tau
    for told in plan.mountings:
        if told.flange is not None:
            node_of[id(told.flange)].mounting = True
    for axis in plan.axes:
        if not node_of[id(axis.support)].mounting:
            relations.append(Relation(axis.joint, [(axis.support, 1.0)]))
    motions = [Motion(told.component, told.flange, told.support, told.acceleration, told.initial)
               for told in plan.flange_motions]
    for motion in motions:
        motion.node = node_of[id(motion.flange)]
        if motion.support is not None and not node_of[id(motion.support)].grounded:
            # the distance of the two flanges is a node of its own
            distance = Connector()
            distance.kind = motion.flange.kind
            motion.node = node_of[id(distance)] = Node([distance])
            nodes.append(motion.node)
            relations.append(Relation(motion.component, [(distance, 1.0), (motion.flange, -1.0),
                                                         (motion.support, 1.0)]))
    networks = _connected(nodes, relations, node_of)
    for axis in plan.axes:
        node = node_of[id(axis.axis)]
        node.network.axes.append((axis, node))
        held = node_of[id(axis.support)]
        if held.mounting and held.network is not node.network:
            held.network.loads.append((axis.joint, axis.support, held, -effort(axis.axis)))
    for part, items in (("inertias", plan.flange_inertias), ("loads", plan.flange_loads),
                        ("cuts", plan.flange_cuts)):
        for told in items:
            node = node_of[id(told.flange)]
            if not node.grounded:
                getattr(node.network, part).append((told.component, told.flange, node, told.value))
    for motion in motions:
        if motion.node.grounded:
            raise TopologyError(f"{motion.component.path} moves a flange that is fixed to the ground.",
                                motion.component)
        motion.node.network.motions.append(motion)
    for network in networks:
        _reduce(network, plan)
        _choose(network)
    return networks, node_of


def _connected(nodes: list[Node], relations: list[Relation], node_of: dict[int, Node]) -> list[Network]:
    """Nodes joined by relations, found by walking; supports fixed to the ground are no nodes of any network."""
    beside: dict[int, list[Relation]] = {}
    for relation in relations:
        for flange, _ in relation.terms:
            beside.setdefault(id(node_of[id(flange)]), []).append(relation)
    networks = []
    for start in nodes:
        if start.network is not None or start.grounded:
            continue
        network = Network()
        networks.append(network)
        start.network = network
        queue, used = [start], set()
        while queue:
            node = queue.pop(0)
            network.nodes.append(node)
            for relation in beside.get(id(node), []):
                if id(relation) in used:
                    continue
                used.add(id(relation))
                network.relations.append(relation)
                for other in (node_of[id(flange)] for flange, _ in relation.terms):
                    if other.network is None and not other.grounded:
                        other.network = network
                        queue.append(other)
        number = {id(node): k for k, node in enumerate(network.nodes)}
        for relation in network.relations:
            for flange, coefficient in relation.terms:
                k = number.get(id(node_of[id(flange)]))
                if k is not None:  # the ground stands at zero
                    relation.nodes[k] = relation.nodes.get(k, 0.0) + coefficient
    return networks


# --- elimination ---


def _reduce(network: Network, plan: PartsList) -> None:
    """Solve the relations for the nodes of least interest; the nodes left over are the coordinates."""
    number = plan.number
    on_axis = {id(node) for _, node in network.axes}
    moved = {id(motion.node) for motion in network.motions}
    heavy = {id(node) for _, _, node, _ in network.inertias}
    loaded = {id(node) for _, _, node, _ in network.loads}
    ranks = [(id(n) in on_axis, id(n) in moved, id(n) in heavy, id(n) in loaded, -k)
             for k, n in enumerate(network.nodes)]
    rows = [dict(relation.nodes) for relation in network.relations]
    values = [relation.value for relation in network.relations]
    left = list(range(len(rows)))
    for column in sorted(range(len(network.nodes)), key=lambda k: ranks[k]):
        size, best = max(((abs(number(rows[r].get(column, 0.0))), -r) for r in left), default=(0.0, 0))
        if size < NO_RATIO:
            continue
        chosen = -best
        left.remove(chosen)
        network.nodes[column].pivot = chosen
        scale = rows[chosen][column]
        rows[chosen] = {k: tidy(c / scale) for k, c in rows[chosen].items()}
        values[chosen] = tuple(v / scale for v in values[chosen])
        for r in range(len(rows)):
            factor = rows[r].get(column, 0.0)
            if r == chosen or (not isinstance(factor, ca.SX) and factor == 0):
                continue
            for k, c in rows[chosen].items():
                rows[r][k] = tidy(rows[r].get(k, 0.0) - factor * c)
            rows[r] = {k: c for k, c in rows[r].items() if k != column and abs(number(c)) > NO_RATIO}
            values[r] = tuple(v - factor * w for v, w in zip(values[r], values[chosen], strict=True))
    free = [k for k, node in enumerate(network.nodes) if node.pivot is None]
    place = {k: j for j, k in enumerate(free)}
    for k, node in enumerate(network.nodes):
        if node.pivot is None:
            node.K = {place[k]: 1.0}
        else:
            node.K = {place[c]: -factor for c, factor in rows[node.pivot].items() if c in place}
            node.k = values[node.pivot]
    _check_rings(network, [(network.relations[r], values[r][0]) for r in left], plan)


def _check_rings(network: Network, spare: list[tuple[Relation, ca.SX]], plan: PartsList) -> None:
    """Keep relations that hold the motion in space; refuse others that contradict one another."""
    parameters = ca.veccat(ca.SX(0, 1), *[symbol for symbol, _ in plan.parameters.values()])
    steady = {parameters.nz[k].element_hash() for k in range(parameters.nnz())}
    for relation, value in spare:
        if any(symbol.element_hash() not in steady for symbol in ca.symvar(value)):
            network.rings.append((relation, value))
        elif abs(number := plan.number(value)) > HELD_TWICE:
            component = relation.component
            raise TopologyError(f"{component.path}: this shaft is held at two places that do not agree (off by "
                                f"{number:g}); free one of them, or put an elastic element between.", component)
    tied = any(len(relation.terms) == 1 for relation in network.relations)
    if not tied and any(not node.K for node in network.nodes):
        rigid = [relation.component for relation in network.relations]
        raise TopologyError(f"{', '.join(c.path for c in rigid)}: the gears of this ring have contradicting ratios, so "
                            "nothing in it can turn; check them, or put an elastic element into the ring.", *rigid)


def tidy(value: Scalar) -> Scalar:
    """A coefficient with rounding errors next to 0 and ±1 taken off."""
    if isinstance(value, ca.SX):
        return value if not value.is_constant() else tidy(float(value))
    value = float(value)
    nearest = round(value)
    return float(nearest) if abs(nearest) <= 1 and abs(value - nearest) < EXACT else value


def _choose(network: Network) -> None:
    """What each coordinate is: a joint's, one of its own, or held by the balance of laws alone."""
    for j, node in enumerate([n for n in network.nodes if n.pivot is None]):
        axis = next((axis for axis, at in network.axes if at is node), None)
        heavy = [component for component, _, at, _ in network.inertias if j in at.K]
        moved = [motion.component for motion in network.motions if motion.node.K.keys() == {j}]
        loaded = [component for component, _, at, _ in network.loads if j in at.K]
        here = [component for component, _, at, _ in network.inertias if at is node]
        if axis is not None:
            kind, name = "joint", axis.joint.path
        elif heavy or moved:
            kind, name = "own", (here or moved or heavy)[0].path
        elif loaded:
            kind, name = "massless", f"{loaded[0].path}.{node.flanges[0].name}"
        else:
            kind, name = "loose", node.flanges[0].path
        network.coordinates.append(Coordinate(node, kind, name, axis))
    for motion in network.motions:
        if not motion.node.K:
            raise TopologyError(f"{motion.component.path} moves a flange that is fixed to the ground.",
                                motion.component)
        if len(motion.node.K) == 1:
            coordinate = network.coordinates[next(iter(motion.node.K))]
            if coordinate.motion is not None:
                raise TopologyError(f"{coordinate.motion.component.path}, {motion.component.path}: two sources "
                                    "prescribe the motion of one shaft; remove one.", coordinate.motion.component,
                                    motion.component)
            coordinate.motion = motion
