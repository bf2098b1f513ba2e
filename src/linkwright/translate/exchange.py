"""Exchanging joints of the tree so that no movable massless part is left at the end of a branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from .tolerances import EXCHANGES

if TYPE_CHECKING:
    from .groups import End, Node
    from .loops.clusters import Side


def without_light_ends(kept: list[End], closing: list[End], heavy: set[int], rank: Callable[[End], tuple],
                       fixed: set[int]) -> tuple[list[End], list[End]]:
    """(kept, closing) with joints exchanged so that fewest massless parts are left at the ends of branches.

    An end is (joint, node a, node b); a joint that closes a loop at such a part comes into the tree, and another joint
    of that loop closes it instead, one that was ranked last if there is a choice.  One exchange may only move the
    problem to a neighbour, so chains of them are searched, breadth first.  Joints `fixed` (by id) stay.
    """
    best, count = (kept, closing), len(light_ends(kept, heavy))
    queue, seen = [best], {_key(closing)}
    while count and queue and len(seen) < EXCHANGES:
        for new in _exchanges(*queue.pop(0), heavy, rank, fixed):
            if _key(new[1]) in seen:
                continue
            seen.add(_key(new[1]))
            left = len(light_ends(new[0], heavy))
            if left < count:
                # an exchange that helps is kept, and the search goes on from there
                best, count, queue = new, left, [new]
                break
            queue.append(new)
    return best


def _key(closing: list[End]) -> frozenset[int]:
    return frozenset(id(end[0]) for end in closing)


def _exchanges(kept: list[End], closing: list[End], heavy: set[int], rank: Callable[[End], tuple],
               fixed: set[int]) -> Iterator[tuple[list[End], list[End]]]:
    """Trees with one joint exchanged at a massless end."""
    light = light_ends(kept, heavy)
    for item in closing:
        if {id(item[1].group), id(item[2].group)} & light:
            for out in sorted((end for end in cycle(kept, item) if id(end[0]) not in fixed), key=rank, reverse=True):
                yield ([end for end in kept if end is not out] + [item],
                       [end for end in closing if end is not item] + [out])


def light_ends(kept: list[End], heavy: set[int]) -> set[int]:
    """Massless groups that carry nothing but massless groups."""
    neighbours: dict[int, set[int]] = {}
    for _, a, b in kept:
        neighbours.setdefault(id(a.group), set()).add(id(b.group))
        neighbours.setdefault(id(b.group), set()).add(id(a.group))
    found: set[int] = set()
    queue = [key for key, around in neighbours.items() if len(around) == 1 and key not in heavy]
    while queue:
        key = queue.pop()
        if key in found:
            continue
        found.add(key)
        for other in neighbours[key]:
            neighbours[other] = neighbours[other] - {key}
            if len(neighbours[other]) == 1 and other not in heavy:
                queue.append(other)
    return found


def cycle(kept: list[End], item: End) -> list:
    """The joints of the tree on the way between the two ends of `item`."""
    return Tree(kept).between(item[1], item[2])


class Tree:
    """Joints (joint, node a, node b) without loops, rooted anywhere, for ways between their nodes."""

    def __init__(self, kept: Iterable[tuple]) -> None:
        at: dict[int, list] = {}
        for end in kept:
            at.setdefault(id(end[1].group), []).append((end, id(end[2].group)))
            at.setdefault(id(end[2].group), []).append((end, id(end[1].group)))
        self._inward: dict[int, tuple] = {}  # group → (joint, group nearer to the root, joints from there)
        for root in at:
            if root in self._inward:
                continue
            self._inward[root], here = (None, None, 0), [root]
            while here:
                group = here.pop()
                for end, there in at[group]:
                    if there not in self._inward:
                        self._inward[there] = (end, group, self._inward[group][2] + 1)
                        here.append(there)

    def between(self, a: Node | Side, b: Node | Side) -> list:
        """The joints on the way from node b to node a; none where no way leads there."""
        start, goal, outward, inward = id(a.group), id(b.group), [], []
        nothing = (None, None, 0)
        while start != goal:
            one, other = self._inward.get(start, nothing), self._inward.get(goal, nothing)
            if one[0] is None and other[0] is None:
                return []
            if one[2] >= other[2]:
                outward.append(one[0])
                start = one[1]
            else:
                inward.append(other[0])
                goal = other[1]
        return [*inward, *reversed(outward)]
