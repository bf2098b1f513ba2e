"""Exchanging joints of the tree so that no movable massless part is left at the end of a branch."""

from __future__ import annotations

LIMIT = 500  # exchanges looked at


def without_light_ends(kept, closing, heavy: set[int], rank, fixed: set[int]):
    """(kept, closing) with joints exchanged so that fewest massless parts are left at the ends of branches.

    An end is (joint, node a, node b); a joint that closes a loop at such a part comes into the tree, and another joint
    of that loop closes it instead, one that was ranked last if there is a choice.  One exchange may only move the
    problem to a neighbour, so chains of them are searched, breadth first.  Joints `fixed` (by id) stay.
    """
    best, count = (kept, closing), len(light_ends(kept, heavy))
    queue, seen = [best], {_key(closing)}
    while count and queue and len(seen) < LIMIT:
        for new in _exchanges(*queue.pop(0), heavy, rank, fixed):
            if _key(new[1]) in seen:
                continue
            seen.add(_key(new[1]))
            left = len(light_ends(new[0], heavy))
            if left < count:
                # what helps is kept; go on from there
                best, count, queue = new, left, [new]
                break
            queue.append(new)
    return best


def _key(closing) -> frozenset[int]:
    return frozenset(id(end[0]) for end in closing)


def _exchanges(kept, closing, heavy, rank, fixed):
    """Trees with one joint exchanged at a massless end."""
    light = light_ends(kept, heavy)
    for item in closing:
        if {id(item[1].group), id(item[2].group)} & light:
            for out in sorted((end for end in cycle(kept, item) if id(end[0]) not in fixed), key=rank, reverse=True):
                yield ([end for end in kept if end is not out] + [item],
                       [end for end in closing if end is not item] + [out])


def light_ends(kept, heavy: set[int]) -> set[int]:
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


def cycle(kept, item) -> list:
    """The joints of the tree on the way between the two ends of `item`."""
    at: dict[int, list] = {}
    for end in kept:
        at.setdefault(id(end[1].group), []).append((end, id(end[2].group)))
        at.setdefault(id(end[2].group), []).append((end, id(end[1].group)))
    start, goal = id(item[1].group), id(item[2].group)
    came: dict[int, tuple] = {start: (None, None)}
    queue = [start]
    while queue and goal not in came:
        here = queue.pop(0)
        for end, there in at.get(here, ()):
            if there not in came:
                came[there] = (end, here)
                queue.append(there)
    path = []
    while goal in came and came[goal][0] is not None:
        end, goal = came[goal]
        path.append(end)
    return path
