"""Roots, tree and loops: which joints carry the bodies, which close loops, and where free bodies begin.

Every joint becomes a mobilizer unless it closes a loop (`spanning` says which).  Where a joint has to be cut although
its coordinate is needed, the part beyond it is split instead: a copy with half of its mass stays on the joint and is
welded to the other half.

A group that no joint connects with the world gets a root of its own: the frame of a body (priority 0 before point
masses, 10000), 6 dof, or 3 dof without rotational inertia; `enforce_states` makes a body a definite root (Otter et
al. 2003, §5 and appendix).  Wheels that roll come after others: with coordinates on a wheel everything else would turn
against them, and a steady motion would not look steady (see `linearize`).  Then come bodies whose pose is given, since
what is not given of the root is a guess of zero; bodies that do not begin spinning; those with most joints; and the
first by name, so that nothing depends on the order of declaration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..algebra import Inertia, Transform, is_symbolic, rotation_x
from ..errors import TopologyError
from ..language import Component, Connector, Frame, Model, PartsList
from ..language.fields import Guess
from ..language.parts_list_entries import JointEdge, Mass
from ..mechanism import Bending, FrameOf, Free, FunctionBased, Mobilizer, Planar, Ride, reverse
from ..mechanism import Translation as TranslationKind
from .groups import Group, Node
from .loops.clusters import Ring
from .planes import carrier_of, planar_frame_of, plane_pose
from .spanning import has_mass, in_rings, prescribed_joints, spanning

if TYPE_CHECKING:
    from ..language.planar_frame import PlanarFrame

#: start values of a body that are angular velocities, and such that are poses
SPINS, POSES = ("w_a", "w_0", "der_angles", "w"), ("r_0", "angles", "r", "phi", "x", "y")
#: what a point does in a plane: it has no angle
IN_PLANE = FunctionBased(2, (None, None, None, lambda q: q[0], lambda q: q[1], None))


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
    frame: object = None  # the frame that carries the coordinates of a root
    original: Group | None = None  # the group this one is a welded copy of, with half of its mass
    bending: Bending | None = None  # of a group that is a part which bends

    @property
    def part(self) -> Group:
        """The group whose frames this branch carries."""
        return self.original or self.group


@dataclass
class Tree:
    """Branches from the world outwards, joints that close loops, and massless points held by forces alone."""

    branches: list[Branch]
    cut: list[JointEdge]
    points: list[Group]
    rings: list[Ring] = field(default_factory=list)  # loops in closed form, in the order in which they are solved

    @property
    def copies(self) -> list[Branch]:
        """Branches that carry a copy of a part, to be welded to it."""
        return [branch for branch in self.branches if branch.original is not None]


def build_tree(plan: PartsList, groups: list[Group], nodes: dict[int, Node], closed_form: str = "some") -> Tree:
    """Choose roots and a spanning tree, one whose loops are solved in closed form: "some", "all" of them or "none"."""
    ends = [(edge, nodes[id(edge.a)], nodes[id(edge.b)]) for edge in plan.joints]
    for edge, a, b in ends:
        if a.group is b.group:
            raise TopologyError(f"{edge.component.path}: both frames are fixed to the same part, so the joint cannot "
                                "move; connect its frames to different parts.", edge.component)
    masses: dict[int, list[Mass]] = {}
    for mass in plan.masses:
        masses.setdefault(id(nodes[id(mass.frame)].group), []).append(mass)
    for told in plan.bent:
        # the coordinates of a free part that bends are those of its first frame
        edge, _, b = next(end for end in ends if end[1] is nodes[id(told.frame)])
        masses.setdefault(id(b.group), []).append(Mass(edge.component, edge.b, Inertia()))
    heavy = {key for key, found in masses.items() if any(has_mass(mass.inertia) for mass in found)} | {id(groups[0])}
    # a part whose motion is given needs no mass; neither does one that moves with what bends
    heavy |= {id(node.group) for edge, *pair in ends if isinstance(edge.kind, FrameOf) for node in pair}
    given = prescribed_joints(plan)
    heavy |= {id(node.group) for edge, *pair in ends if id(edge.component) in given for node in pair}
    kept, cut, split, rings = *spanning(plan, ends, heavy), []
    loops = cut or split or any(hasattr(told.component, "fixed_distance") for told in plan.constraints)
    if closed_form != "none" and loops:
        solved = in_rings(plan, ends, nodes, heavy, closed_form == "some")
        if solved is not None:
            kept, cut, split, rings = solved
    at: dict[int, list] = {}
    for edge, a, b in kept:
        at.setdefault(id(a.group), []).append((edge, a, b, False))
        at.setdefault(id(b.group), []).append((edge, b, a, True))
    tree = Tree([], cut, [], rings)
    reached: set[int] = set()
    _grow(groups[0], at, tree, reached)
    for island in _carriers_first(_islands(groups, at, reached), nodes):
        root = _root(plan, island, masses, nodes, at)
        if root is None:
            _massless(plan, island, groups[0], tree, nodes)
            reached.update(id(g) for g in island)
            continue
        tree.branches.append(_free_branch(plan, root, island, masses, groups[0], nodes))
        _grow(tree.branches[-1].group, at, tree, reached)
    tree.branches += [_copy(edge, a, b, heavy) for edge, a, b in split]
    parts = {id(nodes[id(told.frame)].group): told for told in plan.bent}
    for branch in tree.branches:
        if (told := parts.get(id(branch.group))) is not None:
            branch.bending, branch.name = told.bending, told.component.path
    return tree


def _copy(edge: JointEdge, a: Node, b: Node, heavy: set[int]) -> Branch:
    """A branch for a joint that closes a loop but keeps its coordinate: it carries a copy of the part beyond it."""
    backwards = b.group.grounded or (id(b.group) not in heavy and id(a.group) in heavy and not a.group.grounded)
    backwards = backwards and not isinstance(edge.kind, FrameOf)  # a copy of what is fixed to it rides on what bends
    branch = _branch(edge, b, a, True) if backwards else _branch(edge, a, b, False)
    branch.original, branch.group = branch.group, Group(-1)
    return branch


def _grow(start: Group, at: dict[int, list[tuple[JointEdge, Node, Node, bool]]], tree: Tree, reached: set[int]) -> None:
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
    X_near, X_far = (X_bM, X_aF) if backwards else (X_aF, X_bM)
    if isinstance(kind, FrameOf) and not backwards:
        kind = Ride(kind)
    if backwards:
        if kind.turns_over:
            # seen from the other side the axis points the other way: turn both frames over instead
            over = Transform(rotation_x(np.pi))
            X_near, X_far = X_near @ over, X_far @ over
        else:
            kind = reverse(kind)
    return Branch(far.group, near.group, edge.component.path, kind, near.X @ X_near, far.X @ X_far, edge)


def _islands(groups: list[Group], at: dict[int, list[tuple[JointEdge, Node, Node, bool]]],
             reached: set[int]) -> list[list[Group]]:
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


def _floating_in_a_plane(island: list[Group], nodes: dict[int, Node],
                         first: Sequence[Connector] = ()) -> PlanarFrame | None:
    """A planar frame of an island that does not carry the frame's plane itself, or None."""
    frame = planar_frame_of(island, first)
    if frame is None or ((carrier := carrier_of(frame)) is not None and nodes[id(carrier)].group in island):
        return None
    return frame


def _carriers_first(islands: list[list[Group]], nodes: dict[int, Node]) -> list[list[Group]]:
    """Islands that carry a plane before those that float in it."""
    out, waiting = [], list(islands)
    while waiting:
        left = {id(group) for island in waiting for group in island}
        ready = [island for island in waiting if (frame := _floating_in_a_plane(island, nodes)) is None
                 or (carrier := carrier_of(frame)) is None or id(nodes[id(carrier)].group) not in left]
        out += ready or waiting
        waiting = [island for island in waiting if island not in ready] if ready else []
    return out


def _root(plan: PartsList, island: list[Group], masses: dict[int, list[Mass]], nodes: dict[int, Node],
          at: dict[int, list]) -> Mass | None:
    """The mass whose frame carries the coordinates of a free island."""
    found = [mass for group in island for mass in masses.get(id(group), [])]
    if not found:
        return None
    in_plane = _floating_in_a_plane(island, nodes) is not None
    rolling = {id(nodes[id(port)].group) for told in plan.constraints if told.level == "velocity"
               for port in told.component._connectors.values() if id(port) in nodes}

    def key(mass: Mass) -> tuple:
        component, group = mass.component, id(nodes[id(mass.frame)].group)
        spins = any(is_symbolic(value) or float(value) != 0 for value in _given(component, SPINS))
        return (not component.enforce_states, (mass.frame.kind == "planar frame") != in_plane,
                10000 if getattr(component, "point", False) else 0, group in rolling, not _given(component, POSES),
                spins, -len(at.get(group, [])), component.path)

    return min(found, key=key)


def _given(component: Component, names: Sequence[str]) -> list:
    """The numbers that start values of these names are given, or guessed."""
    entries = [entry for name in names for entry in component._initial.get(name) or () if entry is not None]
    return [entry.value if isinstance(entry, Guess) else entry for entry in entries]


def _free_branch(plan: PartsList, root: Mass, island: list[Group], masses: dict[int, list[Mass]], world: Group,
                 nodes: dict[int, Node]) -> Branch:
    """6 dof with quaternion or angles; 3 dof for a single group without rotational inertia."""
    component, node = root.component, nodes[id(root.frame)]
    planar = _floating_in_a_plane(island, nodes, [root.frame])
    if planar is not None:
        # free in its plane only
        node = nodes[id(planar)]
        parent, X = plane_pose(nodes, planar, world)
        return Branch(node.group, parent, component.path, Planar(), X, node.X, None, component, planar)
    total = sum((mass.inertia.seen_from(nodes[id(mass.frame)].X) for mass in masses.get(id(node.group), [])), Inertia())
    total = total.seen_from(node.X.inverse())
    turning = len(island) > 1 or is_symbolic(total.inertia) or np.any(np.abs(total.inertia) > 0)
    upright = _upright(plan, node.group)
    if upright is not None:
        # an element keeps the axes of one of its frames parallel to the world's
        X = Transform(upright.X.R, node.X.p)
        return Branch(node.group, world, component.path, TranslationKind(), Transform(), X, None, component, root.frame)
    if not turning:
        kind: Mobilizer = TranslationKind()
    elif getattr(component, "use_quaternions", True):
        kind = Free()
    else:
        kind = Free(tuple(component.sequence_angle_states))
    return Branch(node.group, world, component.path, kind, Transform(), node.X, None, component, root.frame)


def _upright(plan: PartsList, group: Group) -> Node | None:
    """The node of a group with a frame whose axes stay parallel to the world's."""
    frames = {id(told.frame) for told in plan.upright}
    return next((node for node in group.nodes if any(id(frame) in frames for frame in node.frames)), None)


def _massless(plan: PartsList, island: list[Group], world: Group, tree: Tree, nodes: dict[int, Node]) -> None:
    """A free group without mass: held by forces alone, moved by a mass on a line that ends there, or led by equations
    in a plane; or an error."""
    group = island[0]
    frames = {id(frame) for node in group.nodes for frame in node.frames}
    held = [load for load in plan.loads if id(load.frame) in frames]
    relevant = [frame for node in group.nodes for frame in node.frames if not _is_only_port(frame)]
    massive = next((cut.frame for cut in plan.cuts if id(cut.frame) in frames), None)
    planar = _floating_in_a_plane(island, nodes)
    if len(island) == 1 and massive is not None and planar is not None:
        parent, X = plane_pose(nodes, planar, world)
        kind = Planar() if len(group.nodes) > 1 else IN_PLANE
        tree.branches.append(Branch(group, parent, massive.path, kind, X, nodes[id(planar)].X, None, massive.owner,
                                    planar))
        return
    if len(island) == 1 and massive is not None:
        upright = _upright(plan, group)
        kind = TranslationKind() if upright is not None or len(group.nodes) == 1 else Free()
        X = Transform() if upright is None else Transform(upright.X.R)
        tree.branches.append(Branch(group, world, massive.path, kind, Transform(), X, None, massive.owner, massive))
        return
    if len(island) == 1 and held:
        tree.points.append(group)
        return
    if not relevant:
        return
    raise TopologyError(
        f"{relevant[0].path!r} is connected to nothing that leads to the world and has no mass; connect it, or give "
        f"{relevant[0].owner.path} a mass so that it can move freely.", relevant[0].owner)


def _is_only_port(frame: Frame) -> bool:
    """Whether a frame is a connector of a sub-model or an optional port that nothing is joined to."""
    return isinstance(frame.owner, Model) or frame.name == "frame_resolve"
