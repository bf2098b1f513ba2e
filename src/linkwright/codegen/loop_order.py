"""Chains of values as loops over their places: which loop each belongs to, which way it goes, and from where to where.

A recursion from the base outwards uses what the repetition before it gave, one from the tip inwards what the one after
it gave.  Chains that need one another (strongly connected ones) go through the same loop; loops outwards and inwards
alternate, each taking all that can be computed by then.  The others may go early or late: where the line is drawn
between two loops decides how much has to be kept in memory from one to the other, and a least cut (Ford and Fulkerson
1956) draws it best.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from linkwright.codegen.instructions import LOAD, Code
from linkwright.codegen.repeats import Chains, distances

from .tolerances import FOREVER, GIVEN, KEPT, LOOP

OUTWARDS, INWARDS = 1, -1


class NotRolled(Exception):
    """The repetitions of this code make no loops."""


@dataclass(frozen=True)
class RolledLoop:
    """Chains computed for the repetitions `first` … `end` − 1, upwards or downwards.

    `values[c][k - first]` is the value of a chain at repetition k.
    """

    direction: int
    first: int
    end: int
    values: list[list[int]]

    @property
    def times(self) -> range:
        """The repetitions in the order in which they are made."""
        return range(self.first, self.end) if self.direction == OUTWARDS else range(self.end - 1, self.first - 1, -1)

    def without(self, k: int) -> RolledLoop:
        """The loop without repetition k and those between it and the nearer end."""
        first, end = (k + 1, self.end) if k - self.first < self.end - 1 - k else (self.first, k)
        if end - first < LOOP:
            raise NotRolled
        values = [chain[first - self.first : end - self.first] for chain in self.values]
        return RolledLoop(self.direction, first, end, values)


def rolled_loops(code: Code, found: Chains, given: Set[int]) -> list[RolledLoop]:
    """The loops in order, without values that are `given`; `NotRolled` where chains need one another both ways."""
    between = distances(found)
    zero = _first_repetitions(code, found, between)
    components = _components(between, len(found.values))
    direction = _directions(components, between, zero)
    level, count, start = _levels(between, direction, components)
    free = [chain[0] in given for chain in found.values]
    level = _cut(free, between, direction, level, count)
    for group in range(count):
        inside = {pair: d for pair, d in between.items() if level[pair[0]] == level[pair[1]] == group}
        _settle(zero, inside, start if group % 2 == 0 else -start)
    loops = []
    for group in range(count):
        members = [c for c in range(len(found.values)) if level[c] == group and not free[c]]
        if not members:
            continue
        first = max(zero[c] for c in members)
        end = min(zero[c] + len(found.values[c]) for c in members)
        if end - first < LOOP:
            raise NotRolled
        loops.append(RolledLoop(start if group % 2 == 0 else -start, first, end,
                                [found.values[c][first - zero[c] : end - zero[c]] for c in members]))
    return loops


def _first_repetitions(code: Code, found: Chains, between: dict[tuple[int, int], int]) -> list[int]:
    """The repetition to which the first value of each chain belongs: that of the inputs it is nearest to."""
    users: dict[int, list[tuple[int, int]]] = {}
    for (user, used), d in between.items():
        users.setdefault(used, []).append((user, d))
    zero: dict[int, int] = {}
    waiting: list[tuple[int, int, int]] = []
    for c, chain in enumerate(found.values):
        v = chain[0]
        if code.op[v] == LOAD:
            stride = code.right[chain[1]] - code.right[v]
            heappush(waiting, (0, c, code.right[v] // stride))
    while waiting:
        far, c, own = heappop(waiting)
        if c in zero:
            continue
        zero[c] = own
        for user, d in users.get(c, ()):
            if user not in zero:
                heappush(waiting, (far + 1, user, own + d))
    return [zero.get(c, 0) for c in range(len(found.values))]


def _settle(zero: list[int], between: dict[tuple[int, int], int], direction: int) -> bool:
    """Move chains so that all use what comes before in this direction; False where they cannot."""
    for _ in range(len(zero) + 1):
        moved = False
        for (user, used), d in between.items():
            if direction * (zero[used] + d - zero[user]) > 0:
                zero[user] = zero[used] + d
                moved = True
        if not moved:
            return True
    return False


def _components(between: dict[tuple[int, int], int], n: int) -> list[int]:
    """Of each of n chains: the number of its strongly connected component."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    pairs = np.array(list(between), dtype=int).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return connected_components(graph, directed=True, connection="strong")[1].tolist()


def _directions(component: list[int], between: dict[tuple[int, int], int], zero: list[int]) -> list[int]:
    """Of each chain: the way its recursion goes, 0 for none."""
    inside: dict[int, dict[tuple[int, int], int]] = {}
    for (user, used), d in between.items():
        if component[user] == component[used]:
            inside.setdefault(component[user], {})[user, used] = d
    ways = {own: next((way for way in (OUTWARDS, INWARDS) if _settle(list(zero), edges, way)), 0)
            for own, edges in inside.items()}
    if 0 in ways.values():
        raise NotRolled
    return [ways.get(own, 0) for own in component]


def _levels(between: dict[tuple[int, int], int], direction: list[int],
            components: list[int]) -> tuple[list[int], int, int]:
    """The earliest loop of each chain, how many there are, and the direction of the first."""
    best: tuple[list[int], int, int] | None = None
    for start in (OUTWARDS, INWARDS):
        of = [0] * (max(components) + 1)
        changed = True
        while changed:
            changed = False
            for c, way in enumerate(direction):
                own = of[components[c]]
                if way and way != (start if own % 2 == 0 else -start):
                    of[components[c]] = own + 1
                    changed = True
            for user, used in between:
                if of[components[used]] > of[components[user]]:
                    of[components[user]] = of[components[used]]
                    changed = True
        count = max(of) + 1
        if best is None or count < best[1]:
            best = [of[components[c]] for c in range(len(direction))], count, start
    assert best is not None
    return best


def _cut(free: list[bool], between: dict[tuple[int, int], int], direction: list[int], earliest: list[int],
         count: int) -> list[int]:
    """The loop of each chain, so that little is kept from one to the next; `free` ones are in memory anyway."""
    n = len(free)
    latest = [count - 1] * n
    users: list[list[int]] = [[] for _ in range(n)]
    for user, used in between:
        users[used].append(user)
    for c in range(n):
        if direction[c] or not users[c]:
            latest[c] = earliest[c]
    changed = True
    while changed:
        changed = False
        for user, used in between:
            if latest[user] < latest[used]:
                latest[used], changed = latest[user], True
    for line in range(count - 1):
        early = _early(free, between, earliest, latest, line)
        for c in range(n):
            if earliest[c] <= line < latest[c]:
                if early[c]:
                    latest[c] = line
                else:
                    earliest[c] = line + 1
    return earliest


def _early(free: list[bool], between: dict[tuple[int, int], int], earliest: list[int], latest: list[int],
           line: int) -> list[bool]:
    """Which chains are computed before the line between loop `line` and the next."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import maximum_flow

    n = len(free)
    source, sink = 2 * n, 2 * n + 1
    capacity: dict[tuple[int, int], int] = {}
    for c in range(n):
        capacity[2 * c, 2 * c + 1] = GIVEN if free[c] else KEPT
        if latest[c] <= line:
            capacity[source, 2 * c] = FOREVER
        elif earliest[c] > line:
            capacity[2 * c, sink] = FOREVER
    for user, used in between:
        capacity[2 * used + 1, 2 * user] = FOREVER
        capacity[2 * user, 2 * used] = FOREVER
    rows, columns = zip(*capacity, strict=True)
    graph = coo_matrix((np.array(list(capacity.values()), np.int32), (rows, columns)), shape=(2 * n + 2,) * 2).tocsr()
    left = (graph - maximum_flow(graph, source, sink).flow).tocsr()
    reached = np.zeros(2 * n + 2, bool)
    reached[source] = True
    waiting = deque([source])
    while waiting:
        a = waiting.popleft()
        for at in range(left.indptr[a], left.indptr[a + 1]):
            b = left.indices[at]
            if left.data[at] > 0 and not reached[b]:
                reached[b] = True
                waiting.append(b)
    return [bool(reached[2 * c]) for c in range(n)]
