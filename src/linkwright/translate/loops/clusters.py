"""What loops are taken apart into: joints and rods as links between parts, rings of them, clusters of known parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from ...algebra import Transform
from ..groups import Group
from ..plan import JointEdge


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


@dataclass
class Clusters:
    """Which parts are known relative to one another, through which joints, and what is left to do."""

    label: dict[int, int]
    left: list[Link]
    composites: list[Link] = field(default_factory=list)
    kept: list[Link] = field(default_factory=list)
    rings: list[Ring] = field(default_factory=list)
    latest: list[int] = field(default_factory=list)  # parts in the order in which independent joints reached them

    def copy(self) -> Clusters:
        return Clusters(dict(self.label), list(self.left), self.composites, list(self.kept), list(self.rings),
                        list(self.latest))

    def of(self, side: Side) -> int:
        """The cluster that an end of a link is on."""
        return self.label[id(side.group)]

    def sizes(self) -> Counter[int]:
        """How many parts every cluster has."""
        return Counter(self.label.values())

    def keep(self, link: Link) -> None:
        """Join the clusters at the ends of a joint of the tree."""
        self.kept.append(link)
        old, new = self.of(link.b), self.of(link.a)
        for key, label in self.label.items():
            if label == old:
                self.label[key] = new

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


def links_of(ends, rods) -> list[Link]:
    """Joints given as (edge, node a, node b), and rods as (component, node a, node b)."""
    out = [Link(edge.component, Side(a.group, a.X @ edge.X_aF), Side(b.group, b.X @ edge.X_bM), edge.kind.letter, edge)
           for edge, a, b in ends]
    return out + [Link(component, Side(a.group, a.X), Side(b.group, b.X), "rod") for component, a, b in rods]
