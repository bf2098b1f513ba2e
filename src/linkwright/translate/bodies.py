"""Rigid groups and the tree that carries them; the bodies made of them, and the frames on bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from ..algebra import Inertia, Transform
from ..language import Connector, PartsList
from ..language import Frame as FrameConnector
from ..mechanism import WORLD, Body, Frame
from .definitions import Definitions
from .groups import Group, Node, rigid_groups
from .loose_connectors import check_connected, check_touching, check_upright
from .planes import check_planes
from .tree import Branch, Tree, build_tree


@dataclass(frozen=True, eq=False)
class Topology:
    """Rigid groups (the world's first), the node of every frame by id of the connector, and the tree of groups."""

    groups: list[Group]
    nodes: dict[int, Node]
    tree: Tree

    def group_of(self, frame: Connector) -> Group:
        """The rigid group that a frame belongs to."""
        return self.nodes[id(frame)].group


def topology(plan: PartsList, closed_form: str) -> Topology:
    """Rigid groups, and the tree that carries them; impossible connections are refused."""
    check_connected(plan)
    groups, nodes = rigid_groups(plan)
    check_planes(nodes)
    check_touching(plan, nodes)
    tree = build_tree(plan, groups, nodes, closed_form)
    check_upright(plan, nodes, tree)
    return Topology(groups, nodes, tree)


@dataclass(frozen=True, eq=False)
class Bodies:
    """A body per branch of the tree, and named frames on them; joints that close loops add frames of their own."""

    all: tuple[Body, ...]
    number: dict[int, int]  # id of a group → its body
    body_frame: dict[int, Transform]  # id of a group → its body's frame M in the group's axes
    frames: dict[str, Frame]

    def on(self, group: Group, X: Transform) -> Frame:
        """A frame at X in the axes of a group, as one on the group's body."""
        return Frame(self.number[id(group)], self.body_frame[id(group)].inverse() @ X)


def bodies_of(plan: PartsList, where: Topology) -> Bodies:
    """A body per branch, in M's axes (parents come before children by construction of the tree), and all frames."""
    number: dict[int, int] = {id(where.groups[0]): WORLD}
    body_frame: dict[int, Transform] = {id(where.groups[0]): Transform()}
    carried: dict[int, list] = {}
    for mass in plan.masses:
        node = where.nodes[id(mass.frame)]
        carried.setdefault(id(node.group), []).append((mass, node))
    bodies: list[Body] = []
    for branch in where.tree.branches:
        inward = branch.X_group_M.inverse()
        # a copy that rides on what bends needs no mass
        shares = 1 + sum(copy.original is branch.part and not copy.kind.rides for copy in where.tree.copies)
        masses = [] if branch.original is not None and branch.kind.rides else carried.get(id(branch.part), [])
        joined = [mass.inertia.seen_from(inward @ node.X) for mass, node in masses]
        if shares > 1:
            joined = [Inertia.from_moments(part.m / shares, part.first_moment / shares, part.inertia / shares)
                      for part in joined]
        names = [mass.component.path for mass, _ in masses if branch.original is None]
        X_PF = body_frame[id(branch.parent)].inverse() @ branch.X_parent_F
        bodies.append(Body(_body_name(branch, names), branch.name, number[id(branch.parent)],
                           branch.kind, X_PF, sum(joined, Inertia()), bending=branch.bending, joined=tuple(joined)))
        number[id(branch.group)] = len(bodies) - 1
        body_frame[id(branch.group)] = branch.X_group_M
    out = Bodies(tuple(bodies), number, body_frame, {"world": Frame(WORLD)})
    for component in [*plan.components, *plan.model.models()]:
        for connector in component._connectors.values():
            if isinstance(connector, FrameConnector):
                node = where.nodes[id(connector)]
                if id(node.group) in number:
                    out.frames[connector.path] = out.on(node.group, node.X)
    return out


def _body_name(branch: Branch, masses: list[str]) -> str:
    return f"body of {branch.name}" if not masses or masses[0] == branch.name else masses[0]


def with_given_motions(bodies: list[Body], plan: PartsList, definitions: Definitions) -> list[Body]:
    """Bodies with the motions that the model gives to their joints; drive trains have set those of drive flanges."""
    by_path = {course.joint.path: course for course in plan.courses.values()}
    expand, axes = definitions.expand, {id(axis.joint) for axis in plan.axes}
    out = list(bodies)
    for k, body in enumerate(bodies):
        course = by_path.get(body.joint)
        if course is None:
            continue
        if id(course.joint) not in axes:
            body = replace(body, prescribed=expand(ca.vertcat(ca.SX(0, 1), *course.acceleration)))
        if body.prescribed is not None:
            known = tuple(tuple(None if e is None else expand(e) for e in part)
                          for part in (course.position, course.speed))
            out[k] = replace(body, course=known)
    return out
