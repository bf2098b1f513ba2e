"""Roots, tree and loops: which joints carry the bodies, which close loops, and where free bodies begin.

Every joint becomes a mobilizer unless it closes a loop.  A group that no joint connects with the world gets a root of
its own: the frame of a body (priority 0 before point masses, 10000), 6 dof, or 3 dof without rotational inertia;
`enforce_states` makes a body a definite root (Otter et al. 2003, §5 and appendix).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algebra import Inertia, Transform, is_symbolic, rotation_x
from ..components.component import Component
from ..errors import TopologyError
from ..mechanism import Cylindrical, Free, Mobilizer, Prismatic, Revolute, Screw, reverse
from ..mechanism import Translation as TranslationKind
from .groups import Group, Node
from .plan import JointEdge, Mass, Plan


@dataclass(eq=False)
class Branch:
    """One body of the tree: its group, parent group, mobilizer, F on the parent and M on the group (group axes)."""

    group: Group
    parent: Group
    name: str
    kind: Mobilizer
    X_parent_F: Transform
    X_group_M: Transform
    edge: JointEdge | None = None
    root: Component | None = None


@dataclass
class Tree:
    """Branches from the world outwards, joints that close loops, and massless points held by forces alone."""

    branches: list[Branch]
    cut: list[JointEdge]
    points: list[Group]


def build_tree(plan: Plan, groups: list[Group], nodes: dict[int, Node]) -> Tree:
    """Choose roots and a spanning tree."""
    ends = [(edge, nodes[id(edge.a)], nodes[id(edge.b)]) for edge in plan.joints]
    for edge, a, b in ends:
        if a.group is b.group:
            raise TopologyError(f"{edge.component.path}: both frames are fixed to the same part, so the joint cannot "
                                "move; connect its frames to different parts.", edge.component)
    kept, cut = _spanning(plan, ends)
    at: dict[int, list] = {}
    for edge, a, b in kept:
        at.setdefault(id(a.group), []).append((edge, a, b, False))
        at.setdefault(id(b.group), []).append((edge, b, a, True))
    masses: dict[int, list[Mass]] = {}
    for mass in plan.masses:
        masses.setdefault(id(nodes[id(mass.frame)].group), []).append(mass)
    tree = Tree([], cut, [])
    reached: set[int] = set()
    _grow(groups[0], at, tree, reached)
    for island in _islands(groups, at, reached):
        root = _root(island, masses, nodes)
        if root is None:
            _massless(plan, island, at, tree)
            reached.update(id(g) for g in island)
            continue
        tree.branches.append(_free_branch(root, island, masses, groups[0], nodes))
        _grow(nodes[id(root.frame)].group, at, tree, reached)
    return tree


def _spanning(plan: Plan, ends):
    """Joints kept in the tree and joints cut, those whose coordinate is needed kept first."""
    connected = {id(connector) for model in plan.model.models() for c in model._connections for connector in c}
    driven = {id(axis.joint) for axis in plan.axes if id(axis.axis) in connected}

    def needed(edge: JointEdge) -> bool:
        component = edge.component
        given = any(isinstance(entry, float) for entries in component._initial.values() for entry in entries)
        return component.enforce_states or id(component) in driven or given

    parent: dict[int, int] = {}

    def find(key):
        parent.setdefault(key, key)
        while parent[key] != key:
            key = parent[key]
        return key

    kept, cut = [], []
    # first the joints whose coordinates are needed, then those with few freedoms: a cut ball leaves fewest equations
    for item in sorted(ends, key=lambda end: (not needed(end[0]), end[0].kind.nu)):
        a, b = find(id(item[1].group)), find(id(item[2].group))
        if a == b:
            cut.append(item[0])
        else:
            parent[a] = b
            kept.append(item)
    return [item for item in ends if item in kept], [edge for edge, *_ in ends if edge in cut]


def _grow(start: Group, at, tree: Tree, reached: set[int]) -> None:
    """Walk outwards from a group, breadth first, adding a branch per joint."""
    queue = [start]
    reached.add(id(start))
    while queue:
        group = queue.pop(0)
        for edge, near, far, backwards in at.get(id(group), []):
            if id(far.group) in reached:
                continue
            reached.add(id(far.group))
            queue.append(far.group)
            tree.branches.append(_branch(edge, near, far, backwards))


def _branch(edge: JointEdge, near: Node, far: Node, backwards: bool) -> Branch:
    kind, X_aF, X_bM = edge.kind, edge.X_aF, edge.X_bM
    if getattr(edge.component, "reverse", False):
        kind = reverse(kind)
    X_near, X_far = (X_bM, X_aF) if backwards else (X_aF, X_bM)
    if backwards:
        if isinstance(kind, (Revolute, Prismatic, Screw, Cylindrical)):
            # seen from the other side the axis points the other way: turn both frames over instead
            over = Transform(rotation_x(np.pi))
            X_near, X_far = X_near @ over, X_far @ over
        else:
            kind = reverse(kind)
    return Branch(far.group, near.group, edge.component.path, kind, near.X @ X_near, far.X @ X_far, edge)


def _islands(groups: list[Group], at, reached: set[int]) -> list[list[Group]]:
    """Sets of groups joined by joints among themselves but not with the world."""
    out, seen = [], set(reached)
    for group in groups[1:]:
        if id(group) in seen:
            continue
        island, queue = [], [group]
        seen.add(id(group))
        while queue:
            here = queue.pop()
            island.append(here)
            for _, _, far, _ in at.get(id(here), []):
                if id(far.group) not in seen:
                    seen.add(id(far.group))
                    queue.append(far.group)
        out.append(island)
    return out


def _root(island: list[Group], masses, nodes) -> Mass | None:
    """The mass whose frame carries the coordinates of a free island."""
    found = [mass for group in island for mass in masses.get(id(group), [])]
    if not found:
        return None
    return min(found, key=lambda mass: (
        not mass.component.enforce_states, 10000 if getattr(mass.component, "point", False) else 0))


def _free_branch(root: Mass, island: list[Group], masses, world: Group, nodes) -> Branch:
    """6 dof with quaternion or angles; 3 dof for a single group without rotational inertia."""
    component, node = root.component, nodes[id(root.frame)]
    total = sum((mass.inertia.seen_from(nodes[id(mass.frame)].X) for mass in masses.get(id(node.group), [])), Inertia())
    total = total.seen_from(node.X.inverse())
    turning = len(island) > 1 or is_symbolic(total.inertia) or np.any(np.abs(total.inertia) > 0)
    if not turning:
        kind: Mobilizer = TranslationKind()
    elif getattr(component, "use_quaternions", True):
        kind = Free()
    else:
        kind = Free(tuple(component.sequence_angle_states))
    return Branch(node.group, world, component.path, kind, Transform(), node.X, None, component)


def _massless(plan: Plan, island: list[Group], at, tree: Tree) -> None:
    """A free group without mass: a point where forces meet, or an error."""
    group = island[0]
    frames = {id(frame) for node in group.nodes for frame in node.frames}
    held = [load for load in plan.loads if id(load.frame) in frames]
    relevant = [frame for node in group.nodes for frame in node.frames if not _is_only_port(frame)]
    if len(island) == 1 and held and len(group.nodes) == 1:
        tree.points.append(group)
        return
    if not relevant:
        return
    raise TopologyError(
        f"{relevant[0].path!r} is connected to nothing that leads to the world and has no mass; connect it, or give "
        f"{relevant[0].owner.path} a mass so that it can move freely.", relevant[0].owner)


def _is_only_port(frame) -> bool:
    """Whether a frame is a connector of a sub-model or an optional port that nothing is joined to."""
    from ..components.model import Model

    return isinstance(frame.owner, Model) or frame.name == "frame_resolve"
