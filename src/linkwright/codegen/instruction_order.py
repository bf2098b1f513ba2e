"""The order of instructions: those that the longest chain of results depends on come first, within a window.

A recursion along a chain of bodies, and more so a solve after it, is a few long chains of dependent operations.
Written one after the other they leave the processor waiting; here they are interleaved as a machine with `WIDTH` units
and the latencies below would run them.  Values further than `WINDOW` behind the first one not yet computed wait, so
that few are alive at a time.  The values do not change, only their order.

Measured: a chain of 7 bodies 1.2 times faster, closed chains of 12 and 32 bodies 1.6 and 1.5 times.  Long code that is
not a single chain (a tree of 31 bodies) keeps the processor busy anyway and would only spill more; it is left as it is.
"""

from __future__ import annotations

import heapq

import casadi as ca

from linkwright.codegen.instructions import CALLED, COS_PART, LOAD, PART, SIN_PART, SINCOS, Code

from .tolerances import NEVER_REORDERED, REORDERED, SERIAL, WINDOW

WIDTH = 2
LATENCY = {ca.OP_DIV: 13, ca.OP_INV: 13, ca.OP_SQRT: 20, SINCOS: 30, SIN_PART: 0, COS_PART: 0, CALLED: 1000, PART: 4}
USUAL = 4


def interleaved(code: Code, live: list[int]) -> list[int]:
    """`live` in a new order that respects all dependences; the parts of a SINCOS follow it at once."""
    if len(live) > NEVER_REORDERED:
        return live
    op = code.op
    order = [v for v in live if op[v] in (ca.OP_CONST, LOAD)]
    values = [v for v in live if op[v] not in (ca.OP_CONST, LOAD)]
    place = {v: k for k, v in enumerate(values)}
    n = len(values)
    waits, users = [0] * n, [[] for _ in range(n)]
    for k, v in enumerate(values):
        for a in set(code.operands(v)):
            if a in place:
                users[place[a]].append(k)
                waits[k] += 1
    latency = [LATENCY.get(op[v], USUAL) for v in values]
    # time from the start of each value to the end of all
    ahead = [0] * n
    for k in reversed(range(n)):
        ahead[k] = latency[k] + max((ahead[u] for u in users[k]), default=0)
    if n > REORDERED and max(ahead) < SERIAL * n:
        return live
    known, done = [0] * n, bytearray(n)
    ready = [(-ahead[k], k) for k in range(n) if not waits[k]]
    coming: list[tuple[int, int]] = []  # (time, value)
    beyond = [k for _, k in ready if k >= WINDOW]
    ready = [item for item in ready if item[1] < WINDOW]
    heapq.heapify(ready)
    heapq.heapify(beyond)
    now = first = 0

    def issue(k: int, now: int) -> None:
        order.append(values[k])
        done[k] = 1
        for u in users[k]:
            waits[u] -= 1
            known[u] = max(known[u], now + latency[k])
            if op[values[k]] == SINCOS:
                issue(u, now + latency[k])
            elif not waits[u]:
                heapq.heappush(coming, (known[u], u))

    while ready or coming or beyond:
        while first < n and done[first]:
            first += 1
        while coming and coming[0][0] <= now:
            k = heapq.heappop(coming)[1]
            if k < first + WINDOW:
                heapq.heappush(ready, (-ahead[k], k))
            else:
                heapq.heappush(beyond, k)
        while beyond and beyond[0] < first + WINDOW:
            k = heapq.heappop(beyond)
            heapq.heappush(ready, (-ahead[k], k))
        for _ in range(min(WIDTH, len(ready))):
            issue(heapq.heappop(ready)[1], now)
        now = now + 1 if ready or not coming else max(now + 1, coming[0][0])
    return order
