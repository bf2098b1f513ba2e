"""Rigid groups: everything joined by connections and rigid links is one body.

Each group is a tree of connection sets (nodes) and rigid links; the pose of every frame in its group follows by walking
it.  A link that closes a ring must fit, else the gap is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import casadi as ca
import numpy as np

from ..algebra import Transform, rotation_vector
from ..errors import TopologyError
from ..language import Connector, Frame, PartsList
from ..language.parts_list_entries import Rigid
from ..language.symbolic import NoValueError
from .tolerances import RING_GAP

if TYPE_CHECKING:
    from ..language import Component
    from ..language.parts_list_entries import JointEdge


#: gives two poses in numbers
Numeric = Callable[[Transform, Transform], tuple[Transform, Transform]]


@dataclass
class Node:
    """A connection set: frames that coincide; `links` are rigid links to other nodes (link, other node, X to it)."""

    frames: list[Connector]
    links: list[tuple[Rigid, Node, Transform]] = field(default_factory=list)
    group: Group | None = None
    X: Transform | None = None  # pose in the group
    parent: tuple[Rigid | None, Node | None] = (None, None)


@dataclass(eq=False)
class Group:
    """A rigid body in the making; `grounded` groups are part of the world and their poses are world poses."""

    number: int
    nodes: list[Node] = field(default_factory=list)
    grounded: bool = False

    @property
    def name(self) -> str:
        return self.nodes[0].frames[0].path


#: a joint, and the nodes that it joins
End: TypeAlias = "tuple[JointEdge, Node, Node]"


def rigid_groups(plan: PartsList) -> tuple[list[Group], dict[int, Node]]:
    """All groups, the world's first, and the node of every frame (by id of the connector)."""
    nodes: dict[int, Node] = {}
    for frames in plan.connection_sets():
        if not isinstance(frames[0], Frame):
            continue
        node = Node(frames)
        for frame in frames:
            nodes[id(frame)] = node
    for link in plan.links:
        a, b = nodes[id(link.a)], nodes[id(link.b)]
        a.links.append((link, b, link.X_ab))
        b.links.append((link, a, link.X_ab.inverse()))
    numbers = _numbers(plan)
    groups: list[Group] = []
    world = Group(0, grounded=True)
    groups.append(world)
    for told in plan.ground:
        node = nodes[id(told.frame)]
        if node.group is None:
            _walk(node, world, told.X, numbers)
        else:
            _check_ring(told.component, node, told.X, numbers)
    # where an element holds the orientation of a part, the part's cut loads are counted from there
    upright = {id(nodes[id(told.frame)]) for told in plan.upright}
    for node in sorted({id(n): n for n in nodes.values()}.values(), key=lambda n: id(n) not in upright):
        if node.group is None:
            groups.append(Group(len(groups)))
            _walk(node, groups[-1], Transform(), numbers)
    return groups, nodes


def _walk(start: Node, group: Group, X: Transform, numbers: Numeric) -> None:
    """Give poses to all nodes that are rigidly joined to `start`."""
    start.group, start.X = group, X
    group.nodes.append(start)
    queue, used = [start], set()
    while queue:
        node = queue.pop(0)
        for link, other, step in node.links:
            if id(link) in used:
                continue
            used.add(id(link))
            pose = node.X @ step
            if other.group is None:
                other.group, other.X, other.parent = group, pose, (link, node)
                group.nodes.append(other)
                queue.append(other)
            else:
                _check_ring(link.component, other, pose, numbers)


def _check_ring(component: Component, node: Node, X: Transform, numbers: Numeric) -> None:
    """A ring of rigid parts must close; that is tested with numbers."""
    reached, expected = numbers(X, node.X)
    gap = float(np.linalg.norm(reached.p - expected.p))
    turn = float(np.linalg.norm(rotation_vector(reached.R.T @ expected.R)))
    if gap > RING_GAP * max(1.0, np.linalg.norm(expected.p)) or turn > RING_GAP:
        raise TopologyError(
            f"{component.path}: a ring of rigid parts does not close: gap {gap:.3g} m and {turn:.3g} rad at "
            f"{node.frames[0].path}. Likely: a wrong r or angle in one of its parts, or a joint is missing.", component)


def _numbers(plan: PartsList) -> Numeric:
    """A function that gives two transforms as numbers; their difference must not depend on tunable parameters."""
    def evaluate(X: Transform, Y: Transform) -> tuple[Transform, Transform]:
        if not (X.is_symbolic() or Y.is_symbolic()):
            return X, Y
        apart = ca.vertcat(ca.vec(ca.SX(X.R - Y.R)), ca.SX(X.p - Y.p))
        names = tuple(name for name, (symbol, _) in plan.parameters.items() if ca.depends_on(apart, ca.vec(symbol)))
        if names:
            raise NoValueError(f"{', '.join(names)}: a ring of rigid parts closes for certain numbers only.", names)
        symbols = [symbol for symbol, _ in plan.parameters.values()]
        values = [ca.DM(value) for _, value in plan.parameters.values()]
        entries = ca.Function("X", symbols, [ca.SX(e) for e in (X.R, X.p, Y.R, Y.p)]).call(values)
        R, p, S, q = (np.array(entry) for entry in entries)
        return Transform(R, p.ravel()), Transform(S, q.ravel())

    return evaluate
