"""Planes: what planar frames are to the engine, frames in space that stay in the plane of their world.

Positions and velocities are those of the frame in space, seen from the plane (the ground's x–y plane, or one that a
frame of the model carries).  Angles are sums of joint angles along the tree, so that they count full turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Array, Scalar, Transform
from ..errors import TopologyError
from ..language.expressions import der
from ..language.planar_frame import PlanarFrame
from ..language.planar_world import world_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..language import Connector, Frame, PartsList
    from ..mechanism import Frame as FrameOnBody
    from .bodies import Topology
    from .definitions import Definitions
    from .groups import Group, Node
    from .massless_points import Held
    from .tree import Branch


def carrier_of(frame: PlanarFrame) -> Frame | None:
    """The frame that carries the plane of a planar frame; None where the plane is the ground's."""
    return world_of(frame.owner).carrier


def planar_frame_of(groups: list[Group], carried: Sequence[Connector] = ()) -> PlanarFrame | None:
    """A planar frame on one of the groups, those of `carried` first."""
    frames = [*carried, *(frame for group in groups for node in group.nodes for frame in node.frames)]
    return next((frame for frame in frames if isinstance(frame, PlanarFrame)), None)


def check_planes(nodes: dict[int, Node]) -> None:
    """Refuse a connection of frames that live in different planes."""
    for node in {id(node): node for node in nodes.values()}.values():
        planar = [frame for frame in node.frames if isinstance(frame, PlanarFrame)]
        for frame in planar[1:]:
            if carrier_of(frame) is not carrier_of(planar[0]):
                raise TopologyError(f"{planar[0].path} and {frame.path} are connected but live in different planes; "
                                    "join them through planar.To3D on both sides and spatial parts between.",
                                    planar[0].owner, frame.owner)


class Planes:
    """Defines x, y, phi, their rates and the loads of planar frames, from quantities of frames in space."""

    def __init__(self, plan: PartsList, where: Topology, frames: Mapping[str, FrameOnBody], held: Mapping[int, Held],
                 definitions: Definitions) -> None:
        self.plan, self.nodes, self.tree, self.frames = plan, where.nodes, where.tree, frames
        self.held, self.definitions = held, definitions
        self.branches = {id(branch.group): branch for branch in where.tree.branches if branch.original is None}
        self.ground = {id(told.frame): (told.component, told.X) for told in plan.ground}
        self._relative: dict[int, tuple] = {}
        self._roots: dict[int, ca.SX] = {}
        self._angles: dict[int, ca.SX] = {}
        self._leaning()

    def _leaning(self) -> None:
        """Reactions of planes on the free bodies in them; bodies that joints hold lean on no plane."""
        definitions = self.definitions
        roots = {id(b.root): b for b in self.branches.values() if b.edge is None and b.root is not None}
        for mass in self.plan.masses:
            component = mass.component
            if "seat" in component._connectors:
                symbol = component.symbol("reaction", (6,))
                if id(component) in roots:
                    definitions.register(symbol, "reaction", roots[id(component)].name)
                else:
                    definitions.define(symbol, lambda: ca.SX.zeros(6))

    # --- quantities ---

    def quantity(self, frame: PlanarFrame, name: str) -> ca.SX:
        """A planar quantity of a frame as an expression of quantities in space."""
        if name == "phi":
            return self._counted(frame)
        R, p, v, w = self._motion(frame)
        c, s = R[0, 0], R[1, 0]
        if name in ("fx", "fy", "torque"):
            f, t = frame.symbol("f", (3,)), frame.symbol("t", (3,))
            return {"fx": c * f[0] - s * f[1], "fy": s * f[0] + c * f[1], "torque": t[2]}[name]
        if name in ("ax", "ay", "alpha"):
            return self._acceleration(frame, name)
        return {"x": p[0], "y": p[1], "cos": c, "sin": s, "vx": v[0], "vy": v[1], "omega": w}[name]

    def _motion(self, frame: PlanarFrame) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """(R, p, velocity in the axes of the plane, angular velocity) of a frame in its plane."""
        carrier = carrier_of(frame)
        if carrier is None:
            return frame.R_WF, frame.r_0, frame.v_0, frame.symbol("w", (3,))[2]
        if id(frame) not in self._relative:
            names = (carrier.path, frame.path)
            R, p, V = (ca.SX.sym(f"{frame.path}.in_plane.{name}", *shape)
                       for name, shape in (("R", (3, 3)), ("p", (3,)), ("V", (6,))))
            for symbol, quantity in ((R, "R_AB"), (p, "p_AB"), (V, "V_AB")):
                self.definitions.register(symbol, quantity, names)
            self._relative[id(frame)] = (R, p, R @ V[3:6], V[2])
        return self._relative[id(frame)]

    def _acceleration(self, frame: PlanarFrame, name: str) -> ca.SX:
        if carrier_of(frame) is None:
            return {"ax": frame.a_0[0], "ay": frame.a_0[1], "alpha": frame.symbol("z", (3,))[2]}[name]
        _, _, v, w = self._motion(frame)
        return der({"ax": v[0], "ay": v[1], "alpha": w}[name])

    # --- angles ---

    def _counted(self, frame: PlanarFrame) -> ca.SX:
        """The angle as a quantity of the frame itself, so that what holds it pushes the frame and not the joints."""
        definitions, carrier = self.definitions, carrier_of(frame)
        turned = definitions.expand(self.angle(frame))
        names = ("world" if carrier is None else carrier.path, frame.path)
        if turned.is_constant() or not all(name in self.frames for name in names):
            return turned
        if id(frame) not in self._angles:
            self._angles[id(frame)] = ca.SX.sym(f"{frame.path}.phi")
            definitions.register(self._angles[id(frame)], "angle", names, turned)
        return self._angles[id(frame)]

    def angle(self, frame: PlanarFrame) -> ca.SX:
        """The angle of a frame in its plane, counted over full turns."""
        node = self.nodes[id(frame)]
        anchor, angle = self._anchor(node, frame)
        return angle + self._turn(node) - self._turn(anchor)

    def _anchor(self, node: Node, frame: PlanarFrame) -> tuple[Node, ca.SX]:
        """A node of the same group whose angle is known, and that angle."""
        nodes, group = self.nodes, node.group
        carrier = carrier_of(frame)
        if carrier is not None and nodes[id(carrier)].group is group:
            return nodes[id(carrier)], ca.SX(0)
        if group.grounded:
            top = _top(node)
            component, X = next(self.ground[id(f)] for f in top.frames if id(f) in self.ground)
            return top, ca.SX(component.turn(self.plan) if hasattr(component, "turn") else _angle(X.R))
        branch = self.branches.get(id(group))
        held = self.held.get(id(group))
        if held is not None:
            return group.nodes[0], ca.SX(0) if held.e is None else held.e
        if branch is None or (branch.edge is None and branch.root is None):
            return node, ca.SX(0)
        if branch.edge is None and branch.kind.nu == 3 and getattr(branch.kind, "about_z", False):
            return nodes[id(branch.frame)], self._root(branch)[0]
        if branch.edge is not None and hasattr(branch.edge.component, "turn"):
            edge = branch.edge
            near, far = (edge.a, edge.b) if nodes[id(edge.b)].group is group else (edge.b, edge.a)
            turn = ca.SX(edge.component.turn(self.plan))
            return nodes[id(far)], self.angle(near) + (turn if far is edge.b else -turn)
        return node, _angle(self._motion(frame)[0])

    def _root(self, branch: Branch) -> ca.SX:
        if id(branch) not in self._roots:
            symbol = self._roots[id(branch)] = ca.SX.sym(f"{branch.name}.q", branch.kind.nq)
            self.definitions.register(symbol, "q", branch.name)
        return self._roots[id(branch)]

    def _turn(self, node: Node) -> ca.SX:
        """The angle of a node less that of the first node of its group, along rigid links."""
        total, nodes = ca.SX(0), self.nodes
        while node.parent[1] is not None:
            link, above = node.parent
            turn = getattr(link.component, "turn", None)
            step = ca.SX(turn(self.plan)) if turn is not None else ca.SX(_angle(link.X_ab.R))
            total += step if nodes[id(link.b)] is node else -step
            node = above
        return total

    # --- what must be kept in a plane ---

    def residuals(self) -> Iterator[tuple]:
        """(name, residual) for groups with planar frames that a joint in space carries: z = 0, normals parallel."""
        for branch in self.tree.branches:
            edge = branch.edge
            if edge is None or branch.original is not None or hasattr(edge.component, "turn"):
                continue
            frame = planar_frame_of([branch.group])
            if frame is not None and not self._carries(branch.group, frame):
                R, p, *_ = self._motion(frame)
                yield f"{frame.path} (in its plane)", ca.vertcat(p[2], R[0, 2], R[1, 2])

    def _carries(self, group: Group, frame: PlanarFrame) -> bool:
        carrier = carrier_of(frame)
        return carrier is not None and self.nodes[id(carrier)].group is group


def _top(node: Node) -> Node:
    while node.parent[1] is not None:
        node = node.parent[1]
    return node


def _angle(R: Array) -> Scalar:
    return ca.atan2(R[1, 0], R[0, 0]) if isinstance(R, ca.SX) else float(np.arctan2(R[1, 0], R[0, 0]))


def plane_pose(nodes: dict[int, Node], frame: PlanarFrame, world_group: Group) -> tuple[Group, Transform]:
    """(group, pose in it) of the plane of a planar frame."""
    carrier = carrier_of(frame)
    if carrier is None:
        return world_group, Transform()
    node = nodes[id(carrier)]
    return node.group, node.X
