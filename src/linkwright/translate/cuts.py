"""Cut forces and torques at the connectors of rigid parts and joints.

Loads of bodies, force laws and joints are known; the load through a massless link follows from the balance of
everything beyond it.  A rigid group is a tree of nodes, so the load at a link's outer end is minus the sum of the other
loads at that node, and the load at its inner end follows from the balance of the link:

    load_a = needed − X_ab load_b          (needed: the load that accelerates the link's own mass, at frame a)

In a ring of rigid parts the loads are not unique; the link that closes it is taken to carry none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from ..algebra import ForceMotor, cross
from ..language import Frame
from ..mechanism import FrameOf
from .groups import Node
from .tree import Branch

if TYPE_CHECKING:
    from ..language import PartsList
    from ..language.parts_list_entries import JointEdge, Rigid


class Cuts:
    """Defines f and t of every frame connector."""

    def __init__(self, plan: PartsList, nodes: dict[int, Node], branches: list[Branch]) -> None:
        self.plan, self.nodes = plan, nodes
        self.needed: dict[int, list] = {}
        for mass in plan.masses:
            self.needed.setdefault(id(mass.frame), []).append(mass.component)
        self.inside = {id(told.frame) for told in plan.bent}
        bent = {id(edge.b) for edge in plan.joints if isinstance(edge.kind, FrameOf)}
        self.loads: dict[int, list] = {}
        for load in plan.loads:
            if id(load.frame) not in self.needed or id(load.frame) in bent:  # a body knows its own weight
                self.loads.setdefault(id(load.frame), []).append(load)
        # masses off the tree add to the loads of their elements; an element that fixes an orientation takes the torque
        for cut in plan.cuts:
            self.loads.setdefault(id(cut.frame), []).append(cut)
        self.upright = {id(told.frame) for told in plan.upright}
        self.links = {}
        for link in plan.links:
            self.links[id(link.a)] = self.links[id(link.b)] = link
        self.joints: dict[int, list[JointEdge]] = {}
        for edge in plan.joints:
            # the own frame of a part that bends is inside of it
            for end in (edge.b,) if isinstance(edge.kind, FrameOf) else (edge.a, edge.b):
                self.joints.setdefault(id(end), []).append(edge)
        self.branches = {id(b.edge): b for b in branches if b.edge is not None}
        self.ground = {id(told.frame) for told in plan.ground}

    def load(self, frame: Frame) -> tuple[ca.SX, ca.SX]:
        """(f, t) on the component at `frame`, in the frame's axes, as expressions in other connectors' symbols."""
        link = self.links.get(id(frame))
        if link is not None:
            return self._through(link, frame)
        if id(frame) in self.inside:
            return _zero()
        if id(frame) in self.joints:
            found = [self._joint(edge, frame) for edge in self.joints[id(frame)]]
            if id(frame) in self.needed:  # mass of a part that bends sits on its frames
                found += [self._needed(frame), *[(load.f, load.t) for load in self.loads.get(id(frame), [])]]
            return sum((f for f, _ in found[1:]), found[0][0]), sum((t for _, t in found[1:]), found[0][1])
        if id(frame) in self.ground:
            node = self.nodes[id(frame)]
            return self._rest(frame) if node.parent == (None, None) else _zero()
        f, t = self._needed(frame) if id(frame) in self.needed else _zero()
        for push in self.plan.pushes.get(id(frame), []):
            f, t = f - push.symbol[0:3], t - push.symbol[3:6]
        for load in self.loads.get(id(frame), []):
            f, t = f + load.f, t + load.t
        if id(frame) in self.loads and id(frame) in self.upright and not self.nodes[id(frame)].group.grounded:
            return f, self._rest(frame)[1]
        return f, t

    def _needed(self, frame: Frame) -> tuple[ca.SX, ca.SX]:
        found = [component.needed(self.plan) for component in self.needed[id(frame)]]
        return sum((f for f, _ in found[1:]), found[0][0]), sum((t for _, t in found[1:]), found[0][1])

    def _rest(self, frame: Frame) -> tuple[ca.SX, ca.SX]:
        """Minus the sum of all other loads at the node: what this component must take."""
        f, t = ca.SX.zeros(3), ca.SX.zeros(3)
        for other in self.nodes[id(frame)].frames:
            if other is not frame:
                f, t = f - other.f, t - moment_at(other)
        return f, t

    def _through(self, link: Rigid, frame: Frame) -> tuple[ca.SX, ca.SX]:
        a, b = self.nodes[id(link.a)], self.nodes[id(link.b)]
        if b.parent[0] is not link and a.parent[0] is not link:
            return _zero()  # closes a ring
        outer = link.b if b.parent[0] is link else link.a
        if frame is outer:
            return self._rest(frame)
        needed = ForceMotor(*self._needed(link.a)) if id(link.a) in self.needed else ForceMotor()
        beyond = ForceMotor(outer.f, moment_at(outer))
        if outer is link.b:
            motor = needed - link.X_ab @ beyond
        else:
            motor = link.X_ab.inverse() @ (needed - beyond)
        return ca.SX(motor.resultant), ca.SX(motor.moment)

    def _joint(self, edge: JointEdge, frame: Frame) -> tuple[ca.SX, ca.SX]:
        branch = self.branches.get(id(edge))
        if branch is not None and branch.bending is not None:
            # the part that bends hangs here: what carries it is felt at its own frame
            own, reaction = edge.a, edge.component.symbol("reaction", (6,))
            force, moment = own.R_WF @ reaction[0:3], own.R_WF @ reaction[3:6]
            return frame.R_WF.T @ force, frame.R_WF.T @ (moment + cross(own.r_0 - frame.r_0, force))
        a, b = edge.a, edge.b
        outboard = b if branch is None or self.nodes[id(b)].group is branch.part else a
        if frame is outboard:
            reaction = edge.component.symbol("reaction", (6,))
            # a joint that closes a loop pushes its M on frame b
            X = edge.X_bM if branch is None else self.nodes[id(outboard)].X.inverse() @ branch.X_group_M
            motor = -(X @ ForceMotor.from_vector(reaction))
            return ca.SX(motor.resultant), ca.SX(motor.moment)
        # the joint has no mass: what enters at the outboard frame leaves at the other
        other = outboard
        f = -(frame.R_WF.T @ (other.R_WF @ other.f))
        t = -(frame.R_WF.T @ (other.R_WF @ moment_at(other) + cross(other.r_0 - frame.r_0, other.R_WF @ other.f)))
        return f, t


def moment_at(frame: Frame) -> ca.SX:
    """The cut torque at a frame as a vector, for planar frames too."""
    return frame.symbol("t", (3,))


def _zero() -> tuple[ca.SX, ca.SX]:
    return ca.SX.zeros(3), ca.SX.zeros(3)
