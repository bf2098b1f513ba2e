"""The elements of loops: joints and rods as links between parts, rings of them, clusters of known parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...algebra import Transform
from ...language.parts_list_entries import JointEdge
from ..groups import End, Group, Node

if TYPE_CHECKING:
    from ...language import Component


@dataclass(eq=False)
class Side:
    """One end of a joint or rod: the part, and the pose of the joint's frame on it."""

    group: Group
    X: Transform


@dataclass(eq=False)
class Link:
    """A joint (or a rod, without edge) between two parts; `letter` is R, P, U, S, or "rod", "" for any other joint.

    One made of several (see `composites`) has these as its `chain`, from a to b; of a universal joint `cosine` is that
    of the angle between its axes.
    """

    component: object
    a: Side
    b: Side
    letter: str
    edge: JointEdge | None = None
    chain: tuple[Step, ...] = ()
    cosine: float = 0.0

    @property
    def joints(self) -> list[Link]:
        """The joints that a link consists of."""
        return [step.link for step in self.chain] or [self]

    def seen(self, backwards: bool) -> Step:
        """The link as it is passed from a to b, or backwards."""
        return Step(self, self.b, self.a, True) if backwards else Step(self, self.a, self.b, False)


@dataclass(eq=False)
class Step:
    """A joint on the way around a ring, from its near to its far side."""

    link: Link
    near: Side
    far: Side
    backwards: bool

    def reversed(self) -> Step:
        """The other way."""
        return self.link.seen(not self.backwards)


@dataclass(eq=False)
class Ring:
    """Three joints, or a joint and a rod, in the order of a closed form; `normals` in a plane, per step (near, far).

    The ring of pattern "axes" gives the joints of a ball made of several, whose last is cut.
    """

    pattern: str
    steps: list[Step]
    cut: Link
    normals: list[tuple[np.ndarray, np.ndarray]] | None = None

    @property
    def joints(self) -> list[Link]:
        """All joints, those that others are made of one by one."""
        return [link for step in self.steps for link in step.link.joints]


@dataclass
class Solution:
    """Joints kept in the tree, the rings in the order in which they are solved, and joints that are in none.

    Of the joints `left` any may be cut that close a loop; no ring depends on them.
    """

    kept: list[Link]
    rings: list[Ring]
    left: list[Link] = field(default_factory=list)


class Ways:
    """Ways along the joints of a tree, which may grow."""

    def __init__(self, kept: list[Link]) -> None:
        self._from: dict[int, list[Step]] = {}  # part → the joints that lead away from it
        for link in kept:
            self.add(link)

    def add(self, link: Link) -> None:
        for step in (link.seen(False), link.seen(True)):
            self._from.setdefault(id(step.near.group), []).append(step)

    def between(self, start: Group, goal: Group) -> list[Step]:
        """The joints on the way, as steps; searched from both ends, always from the one with fewer joints to follow."""
        found = [{id(start): ()}, {id(goal): ()}]  # part → the steps to it, outward from each end
        fronts = [[start], [goal]]
        while not (met := found[0].keys() & found[1].keys()):
            side = min((k for k in (0, 1) if fronts[k]),
                       key=lambda k: sum(len(self._from.get(id(part), ())) for part in fronts[k]))
            front, fronts[side] = fronts[side], []
            for part in front:
                for step in self._from.get(id(part), ()):
                    there = step.far.group
                    if id(there) not in found[side]:
                        found[side][id(there)] = (*found[side][id(part)], step)
                        fronts[side].append(there)
        (part,) = met
        return [*found[0][part], *(step.reversed() for step in reversed(found[1][part]))]


@dataclass
class Clusters:
    """Which parts are known relative to one another, through which joints, and what is left to do."""

    label: dict[int, int]
    left: list[Link]
    composites: list[Link] = field(default_factory=list)
    kept: list[Link] = field(default_factory=list)
    rings: list[Ring] = field(default_factory=list)
    latest: list[int] = field(default_factory=list)  # parts in the order in which independent joints reached them
    members: dict[int, list[int]] = field(default_factory=dict)  # the parts of every cluster
    ways: Ways = field(default_factory=lambda: Ways([]))  # along the joints kept

    def __post_init__(self) -> None:
        if not self.members:
            for part, label in self.label.items():
                self.members.setdefault(label, []).append(part)

    def copy(self) -> Clusters:
        return Clusters(dict(self.label), list(self.left), self.composites, list(self.kept), list(self.rings),
                        list(self.latest), {label: list(parts) for label, parts in self.members.items()},
                        Ways(self.kept))

    def of(self, side: Side) -> int:
        """The cluster that an end of a link is on."""
        return self.label[id(side.group)]

    def sizes(self) -> Counter[int]:
        """How many parts every cluster has."""
        return Counter({label: len(parts) for label, parts in self.members.items()})

    def keep(self, link: Link) -> None:
        """Join the clusters at the ends of a joint of the tree."""
        self.kept.append(link)
        self.ways.add(link)
        old, new = self.of(link.b), self.of(link.a)
        if old != new:
            self.label |= dict.fromkeys(self.members[old], new)
            self.members[new] += self.members.pop(old)

    def choose(self, link: Link) -> None:
        """Make a joint's coordinates independent."""
        self.left.remove(link)
        self.keep(link)
        self.latest += [id(link.a.group), id(link.b.group)]

    def close(self, rings: list[Ring]) -> None:
        """Make the coordinates of a ring known, given with what else follows from it."""
        for link in rings[0].joints:
            self.left.remove(link)
            if link is not rings[0].cut and link.edge is not None:
                self.keep(link)
        self.rings += rings


def links_of(ends: list[End], rods: list[tuple[Component, Node, Node]]) -> list[Link]:
    """Joints given as (edge, node a, node b), and rods as (component, node a, node b)."""
    out = [Link(edge.component, Side(a.group, a.X @ edge.X_aF), Side(b.group, b.X @ edge.X_bM), edge.kind.letter, edge)
           for edge, a, b in ends]
    return out + [Link(component, Side(a.group, a.X), Side(b.group, b.X), "rod") for component, a, b in rods]
