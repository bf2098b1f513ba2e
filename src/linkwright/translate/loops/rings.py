"""Loops taken apart into rings of three joints that are solved in closed form, one after the other.

Parts whose motion relative to one another is known make a cluster.  A joint whose coordinates are independent joins two
clusters; and so does a ring: three clusters joined in a circle by three joints with six freedoms (three in a plane), or
two joined by a revolute or prismatic joint and a rod, whose coordinates follow from what is known (`closed_forms`).
Closing rings wherever there is one, and making a joint independent where there is none, ends with a single cluster if
the mechanism can be solved at all.  This covers loops written with assemblies, chains of them, and plain joints alike:
a four-bar or slider-crank is one ring, the leg of a walking machine a row of them, a suspension two (Kecskeméthy 1993;
Otter, Elmqvist and Mattsson 2003, §7.2; for the clusters Hoffmann, Lomonosov and Sitharam 2001).

If that fails, revolutes whose axes meet in a point are treated as universal joints and balls (`composites`).  If some
loops still have no rings, joints are made independent one after another nevertheless, so that the other loops are
solved; joints that then close a loop but no ring are left over.

One joint of every ring is cut, so that the remaining joints form a tree.  In it, the poses that a ring starts from
depend on coordinates known before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ...mechanism import Joined
from ..exchange import Tree
from ..tolerances import CHOICES, FIRST_CHOICES
from .clusters import Clusters, Link, Ring, Solution
from .composites import axes, composites
from .ring_kinds import Geometry, pattern_of

#: what a search is given: the geometry, the rank of a joint, whether it may be cut, how much it is wanted
Given: TypeAlias = tuple[Geometry, Callable[[Link], tuple], Callable[[Link], bool], Callable[[Link], float]]


def solve_in_order(links: list[Link], geometry: Geometry, rank: Callable[[Link], tuple],
                   may_cut: Callable[[Link], bool], wanted: Callable[[Link], float],
                   reach: Callable[[Solution, Link], float], partly: bool) -> Solution | None:
    """How all loops close one after the other; None where some do not, or with `partly` those that do.

    The joint with the largest `rank(link)` of those that `may_cut` is cut in a ring.  `wanted(link)` is a number:
    joints with the largest are made independent before others; those above 3 must be.  Where nothing is asked for
    (below 1) and there is one freedom, the joint at the base is taken that turns farthest, `reach(solution, link)`.
    """
    parts = dict.fromkeys(id(side.group) for link in links for side in (link.a, link.b))
    clusters = Clusters({part: number for number, part in enumerate(parts)}, [])
    blocks, bridges = _blocks(links)
    if not partly and any(link.edge is None for link in bridges):
        return None  # a rod alone holds a part to the rest
    for link in bridges:
        if link.edge is not None:
            clusters.keep(link)
    left = []
    given = geometry, rank, may_cut, wanted
    for block in blocks:
        clusters.left = block
        clusters.latest = []
        clusters.composites = []
        found = _whole(clusters, given, reach)
        if found is None:
            clusters.composites = composites(block, geometry)
            found = _whole(clusters, given, reach) if clusters.composites else None
        if found is None and partly:
            found = _some(clusters, given)
        if found is None:
            return None
        left += found.left
        clusters = found
    return Solution(clusters.kept, clusters.rings, left)


def _whole(clusters: Clusters, given: Given, reach: Callable[[Solution, Link], float]) -> Clusters | None:
    """All loops of a block closed, or None."""
    return _that_turns(clusters, given, reach) or _search(clusters.copy(), *given, [CHOICES])


def _some(clusters: Clusters, given: Given) -> Clusters | None:
    """As many rings of a block as are found, and the joints that no ring depends on left over; None at odds."""
    wanted, best = given[3], clusters
    for link in [link for link in clusters.left if wanted(link) > 3]:
        if clusters.of(link.a) == clusters.of(link.b):
            return None
        clusters.choose(link)
    for first in _candidates(clusters, wanted)[:FIRST_CHOICES]:
        tried = clusters.copy()
        tried.choose(first)
        found = _one_after_another(tried, given)
        if len(found.rings) > len(best.rings):
            best = found
    return best


def _one_after_another(clusters: Clusters, given: Given) -> Clusters:
    """Joints made independent and rings closed in turn, up to the last ring; joints within a cluster close no ring."""
    geometry, rank, may_cut, wanted = given
    found, within = clusters.copy(), []
    while True:
        while (rings := _next_ring(clusters, geometry, rank, may_cut)) is not None:
            clusters.close(rings)
            found = clusters.copy()
            found.left += within
        inside = [link for link in clusters.left if clusters.of(link.a) == clusters.of(link.b)]
        clusters.left = [link for link in clusters.left if link not in inside]
        within += inside
        candidates = _candidates(clusters, wanted) if clusters.left else []
        if not candidates:
            return found
        clusters.choose(candidates[0])


def _blocks(links: list[Link]) -> tuple[list[list[Link]], list[Link]]:
    """Sets of links whose loops are connected, and the links on no loop."""
    parts, together, kept, closing = Joined(), Joined(), [], []
    for link in sorted(links, key=lambda link: link.edge is None):
        (kept if parts.join(id(link.a.group), id(link.b.group)) else closing).append(link)
    tree, looped = Tree((link, link.a, link.b) for link in kept), set()
    for link in closing:
        around = [link, *(end[0] for end in tree.between(link.a, link.b))]
        looped.update(map(id, around))
        for other in around[1:]:
            together.join(id(link), id(other))
    blocks: dict[int, list[Link]] = {}
    for link in links:
        if id(link) in looped:
            blocks.setdefault(together.find(id(link)), []).append(link)
    return list(blocks.values()), [link for link in kept if id(link) not in looped]


def _search(clusters: Clusters, geometry: Geometry, rank: Callable[[Link], tuple], may_cut: Callable[[Link], bool],
            wanted: Callable[[Link], float], budget: list[int]) -> Clusters | None:
    """Depth first over independent joints, rings closed as soon as they can be."""
    while (rings := _next_ring(clusters, geometry, rank, may_cut)) is not None:
        if any(wanted(link) > 3 for link in rings[0].joints):
            return None
        clusters.close(rings)
    if not clusters.left:
        return clusters
    budget[0] -= 1
    if budget[0] < 0 or any(clusters.of(link.a) == clusters.of(link.b) for link in clusters.left):
        return None  # a link inside a cluster is one too many
    for link in _candidates(clusters, wanted):
        tried = clusters.copy()
        tried.choose(link)
        found = _search(tried, geometry, rank, may_cut, wanted, budget)
        if found is not None or budget[0] < 0:
            return found
    return None


def _that_turns(clusters: Clusters, given: Given, reach: Callable[[Solution, Link], float]) -> Clusters | None:
    """The solution with one independent joint, of several at the base, that turns farthest."""
    wanted, base = given[3], _base(clusters)
    turning = [link for link in _candidates(clusters, wanted)
               if link.letter == "R" and base in (clusters.of(link.a), clusters.of(link.b))]
    if len(turning) < 2 or any(wanted(link) >= 1 for link in clusters.left):
        return None
    best, farthest = None, 0.0
    for link in turning:
        tried = clusters.copy()
        tried.choose(link)
        found = _search(tried, *given, [CHOICES])
        if found is None or len(found.latest) > 2:
            continue
        part = reach(Solution(found.kept, found.rings[len(clusters.rings):]), link)
        if part > farthest:
            best, farthest = found, part
        if farthest == 1:
            break
    return best


def _base(clusters: Clusters) -> int:
    """The cluster that carries the loops: with the ground, or the largest."""
    sides = [side for link in clusters.left for side in (link.a, link.b)]
    sizes = clusters.sizes()
    return clusters.of(max(sides, key=lambda side: (side.group.grounded, sizes[clusters.of(side)])))


def _candidates(clusters: Clusters, wanted: Callable[[Link], float]) -> list[Link]:
    """Joints that could be independent: those asked for, then on the known cluster, where it has grown last."""
    base = _base(clusters)

    def key(link: Link) -> tuple:
        reached = [k for k, part in enumerate(clusters.latest) if part in (id(link.a.group), id(link.b.group))]
        asked = wanted(link) if wanted(link) >= 1 else 0
        return -asked, base not in (clusters.of(link.a), clusters.of(link.b)), -max(reached, default=-1), -wanted(link)

    return sorted((link for link in clusters.left if link.edge is not None), key=key)


def _next_ring(clusters: Clusters, geometry: Geometry, rank: Callable[[Link], tuple],
               may_cut: Callable[[Link], bool]) -> list[Ring] | None:
    """A ring that can be closed now, with what else follows from it."""
    between: dict[frozenset, list[Link]] = {}
    sizes = clusters.sizes()
    left = {id(link) for link in clusters.left}
    for link in [*clusters.left, *(made for made in clusters.composites if left.issuperset(map(id, made.joints)))]:
        between.setdefault(frozenset((clusters.of(link.a), clusters.of(link.b))), []).append(link)
    for pair, found in between.items():
        if len(pair) == 2 and len(found) > 1:
            ring = _with_rod(clusters, found, sorted(pair, key=sizes.get)[-1])
            if ring is not None:
                return [ring]
    beside: dict[int, set[int]] = {}
    for pair in between:
        for number in pair:
            beside.setdefault(number, set()).update(pair - {number})
    for pair in between:
        if len(pair) == 2:
            first, second = pair
            for third in beside[first] & beside[second]:
                # the largest cluster is the base
                base, one, other = sorted((first, second, third), key=sizes.get, reverse=True)
                for links in _triples(between, base, one, other):
                    rings = _ring(clusters, links, base, geometry, rank, may_cut)
                    if rings is not None:
                        return rings
    return None


def _triples(between: dict[frozenset[int], list[Link]], base: int, one: int,
             other: int) -> Iterator[tuple[Link, Link, Link]]:
    for first in between[frozenset((base, one))]:
        for second in between[frozenset((one, other))]:
            for third in between[frozenset((other, base))]:
                yield first, second, third


def _with_rod(clusters: Clusters, found: list[Link], base: int) -> Ring | None:
    """A rod beside a revolute or prismatic joint: SSR and SSP."""
    rod = next((link for link in found if link.letter == "rod"), None)
    joint = next((link for link in found if link.letter in ("R", "P")), None)
    if rod is None or joint is None:
        return None
    steps = [link.seen(clusters.of(link.a) != base) for link in (rod, joint)]
    return Ring("SS" + joint.letter, steps, rod)


def _ring(clusters: Clusters, links: tuple[Link, Link, Link], base: int, geometry: Geometry,
          rank: Callable[[Link], tuple], may_cut: Callable[[Link], bool]) -> list[Ring] | None:
    """Three joints as a ring with a closed form, the way round that the form needs."""
    joints = [joint for link in links for joint in link.joints]
    if any(link.letter not in ("R", "P", "U", "S") for link in links) or not _goes_round(clusters, joints):
        return None
    steps, here = [], base
    for link in links:
        steps.append(link.seen(clusters.of(link.a) != here))
        here = clusters.of(steps[-1].far)
    balls = [link for link in links if link.letter == "S"]
    made = next((ball for ball in balls if ball.chain), None)
    choices = balls or joints
    if made is not None:
        choices = [link for link in (made.joints[0], made.joints[-1]) if link.letter == "R"]
    choices = [link for link in choices if may_cut(link) and link.edge.kind.closes]
    if len(balls) > 1 or not choices:
        return None
    found = pattern_of(steps, geometry, clusters.ways)
    if found is None:
        return None
    cut = max(choices, key=rank)
    ring = Ring(found.pattern, found.steps, cut, found.normals)
    return [ring] if made is None else [ring, axes(made, cut, geometry)]


def _goes_round(clusters: Clusters, joints: list[Link]) -> bool:
    """Whether joints pass through as many clusters as there are of them."""
    return len({clusters.of(side) for link in joints for side in (link.a, link.b)}) == len(joints)
