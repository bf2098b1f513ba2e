"""Long straight-line code for a target with few registers and slow memory: which value is kept where, and when.

A GPU thread has some hundred doubles in registers, a part of the memory of its processor that is nearly as fast, and
beyond it memory that it shares with ten thousands of others.  The order of the instructions decides how many values are
alive at a time: `deep_first` computes every value as late as possible, and of several operands first the one that takes
longest.  (For a chain of 32 bodies half as many values have to go to memory as in the order in which the equations were
written.)  When registers are full, `plan` moves those values to memory that are needed last, as Belady (1966) did with
pages, and gives the places that are used most to the near memory.

Code of this length also exceeds the instruction memory of a processor: repetitions become loops (see `rolled`), and
sines are computed in a loop of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import casadi as ca

from linkwright.codegen.instructions import COS_PART, LOAD, PART, SIN_PART, SINCOS, Code

from .tolerances import SINES_IN_LOOP


@dataclass(frozen=True)
class Room:
    """What a target has for the values of a thread: doubles in registers, and places in near memory."""

    registers: int
    near: int = 0


@dataclass
class Plan:
    """What is `fetched` before value `order[k]` is computed, then `put_away`, and whose register is free afterwards."""

    order: list[int]
    put_away: dict[int, list[int]] = field(default_factory=dict)
    fetched: dict[int, list[int]] = field(default_factory=dict)
    forgotten: dict[int, list[int]] = field(default_factory=dict)
    place: dict[int, int] = field(default_factory=dict)  # where a value is put; the lowest are used most
    places: int = 0


def deep_first(code: Code, results: list[int]) -> list[int]:
    """The values that results need, each right before its first user; of two operands the deeper one first."""
    depth: dict[int, int] = {}
    parts: dict[int, list[int]] = {}
    for v in code.live(results):
        depth[v] = 1 + max((depth[a] for a in code.operands(v)), default=0)
        if code.op[v] in (SIN_PART, COS_PART):
            parts.setdefault(code.left[v], []).append(v)
    seen: set[int] = set()
    order: list[int] = []
    for result in results:
        waiting: list[tuple[int, Iterator[int] | None]] = [(result, None)]
        while waiting:
            v, operands = waiting.pop()
            if operands is None:
                if v in seen:
                    continue
                seen.add(v)
                operands = iter(sorted(code.operands(v), key=lambda a: -depth[a]))
            following = next((a for a in operands if a not in seen), None)
            if following is None and code.op[v] not in (SIN_PART, COS_PART):
                # sine and cosine follow their pair at once
                order += [v, *parts.get(v, ())]
            elif following is not None:
                waiting += [(v, operands), (following, None)]
    return order


@dataclass(frozen=True)
class Turns:
    """Sines and cosines of numbers that lie side by side, to be taken in a loop: [first, first + count) of a vector.

    Those of the j-th number go to places `place` + 2 j and + 2 j + 1 of near memory.
    """

    vector: int
    first: int
    count: int
    place: int


def turned(code: Code, live: list[int], room: Room) -> tuple[list[Turns], dict[int, int]]:
    """Sines and cosines that are taken in loops before all else, as far as near memory holds them; value → place."""
    of: dict[tuple[int, int], int] = {}
    for v in live:
        if code.op[v] == SINCOS and code.op[code.left[v]] == LOAD:
            of[code.left[code.left[v]], code.right[code.left[v]]] = v
    loops: list[Turns] = []
    used = 0
    for vector, element in sorted(of):
        if (vector, element - 1) in of:
            continue
        count = 1
        while (vector, element + count) in of:
            count += 1
        count = min(count, (room.near - used) // 2)
        if count >= SINES_IN_LOOP:
            loops.append(Turns(vector, element, count, used))
            used += 2 * count
    pairs = {of[loop.vector, loop.first + j]: loop.place + 2 * j for loop in loops for j in range(loop.count)}
    places = {v: pairs[code.left[v]] + (code.op[v] == COS_PART) for v in live
              if code.op[v] in (SIN_PART, COS_PART) and code.left[v] in pairs}
    return loops, places


def plan(code: Code, order: list[int], room: Room, given: Mapping[int, int]) -> Plan:
    """Registers for the values computed in this order; `given` ones are in memory from the beginning."""
    pairs = {code.left[v] for v in given}
    values = [v for v in order if code.op[v] not in (ca.OP_CONST, LOAD) and v not in given and v not in pairs]
    made = Plan(values)
    lasting = {v for v in order if code.op[v] == LOAD} | set(given)
    uses: dict[int, list[int]] = {}
    for k in range(len(values) - 1, -1, -1):
        for a in _held(code, values[k]):
            uses.setdefault(a, []).append(k)  # the last use first
    here: set[int] = set()
    kept: set[int] = set()  # in memory
    put_away: dict[int, int] = {}  # when
    last: dict[int, int] = {}  # until when it is fetched
    accesses: dict[int, int] = {}
    for k, v in enumerate(values):
        operands = _held(code, v)
        for a in operands:
            if a not in here:
                here.add(a)
                if a not in lasting:
                    made.fetched.setdefault(k, []).append(a)
                    last[a] = k
                    accesses[a] += 1
            uses[a].pop()
            if not uses[a]:
                here.discard(a)
        if uses.get(v):
            here.add(v)
        while len(here) > room.registers:
            a = max(here, key=lambda a: (uses[a][-1], a))
            here.discard(a)
            made.forgotten.setdefault(k, []).append(a)
            if a not in lasting and a not in kept:
                kept.add(a)
                put_away[a], accesses[a] = k, 1
                made.put_away.setdefault(k, []).append(a)
    _give_places(made, put_away, last, accesses)
    return made


def _held(code: Code, v: int) -> list[int]:
    """The operands of v that take a register; a part of a pair is the pair, the result of a call is in memory."""
    if code.op[v] == PART:
        return []
    return [a for a in dict.fromkeys(code.operands(v)) if code.op[a] != ca.OP_CONST]


def _give_places(made: Plan, put_away: dict[int, int], last: dict[int, int], accesses: dict[int, int]) -> None:
    """A place is free again after its value is fetched for the last time; busy places get the lowest numbers."""
    place: dict[int, int] = {}
    free: list[int] = []
    ending: dict[int, list[int]] = {}
    used = 0
    times = sorted(put_away, key=lambda a: put_away[a])
    at = 0
    for k in range(len(made.order)):
        # a value fetched before k leaves its place to one put away after it
        free += ending.pop(k, [])
        while at < len(times) and put_away[times[at]] == k:
            a = times[at]
            at += 1
            if not free:
                free.append(used)
                used += 1
            place[a] = free.pop()
            ending.setdefault(last.get(a, k), []).append(place[a])
    busy = [0] * used
    for a, own in place.items():
        busy[own] += accesses[a]
    rank = {own: k for k, own in enumerate(sorted(range(used), key=lambda own: -busy[own]))}
    made.place, made.places = {a: rank[own] for a, own in place.items()}, used
