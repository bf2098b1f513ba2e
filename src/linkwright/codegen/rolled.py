"""Straight-line code as loops over its repetitions, with what is left over before, between and after them.

Stage 0 is written out, stage 1 is the first loop, stage 2 is written out, and so on.  What a loop reads is decided
value by value, over all its repetitions: the same for all, elements of an input, what the repetition itself or the one
before it has computed, or else numbers kept in memory, side by side for one repetition after another.

On a GPU a long mechanism is bound by its memory.  Measured on an H200 with a spatial chain of 32 links (steps of
`rk4` a second): written out, values in planned places, 6.2e7, a fifth of the time spent on fetching code; as loops
6.7e7, all of it on waiting for numbers, one after the other; as loops whose numbers are asked for together
(`AT_ONCE`) 8.8e7, four fifths of what the second-level memory can transfer; with fewer threads and as much more near
memory for each (`step_programs.thread.ROOM`) 9.5e7.  More threads with fewer registers are slower in each of these
forms.

Sines and cosines must all fit into near memory; a mechanism with more joints stays written out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import casadi as ca

from linkwright.codegen.instructions import CALLED, LOAD, SINCOS, Code
from linkwright.codegen.loop_order import NotRolled, RolledLoop, rolled_loops
from linkwright.codegen.repeats import Chains, Store, longest_chains

from .tolerances import SHORTER


class Uneven(Exception):
    """A repetition of a loop that is unlike the others."""

    def __init__(self, loop: int, repetition: int):
        super().__init__(loop, repetition)
        self.loop, self.repetition = loop, repetition


@dataclass(frozen=True)
class Same:
    """One value for all repetitions."""

    value: int


@dataclass(frozen=True)
class Input:
    """Element first + step · k of a vector at repetition k."""

    vector: int
    first: int
    step: int


@dataclass(frozen=True)
class Near:
    """Place first + step · k of near memory, where given values lie."""

    first: int
    step: int


@dataclass(frozen=True)
class Here:
    """What chain number `chain` of this loop gives in the same repetition."""

    chain: int


@dataclass(frozen=True)
class Before:
    """What it gave in the repetition before; `begin` at first."""

    chain: int
    begin: int


@dataclass(frozen=True)
class Kept:
    """The number at place k + shift of a row in memory."""

    row: tuple[int, ...]
    shift: int


Source = Same | Input | Near | Here | Before | Kept


@dataclass
class Rolled:
    """The loops, where their operands come from, the stage of every value, and what is in memory."""

    loops: list[RolledLoop]
    order: list[int]  # what is written out
    stage: dict[int, int]
    chain_of: dict[int, tuple[int, int, int]]  # value → loop, chain, repetition
    operands: dict[int, tuple[int, ...]]  # of values in chains, in the order of their chain
    sources: list[list[tuple[Source, ...]]] = field(default_factory=list)
    rows: dict[tuple[int, ...], dict[int, int]] = field(default_factory=dict)  # row → place → value
    alone: set[int] = field(default_factory=set)  # values that have a place of their own in memory
    reads: set[tuple[int, tuple[int, ...], int]] = field(default_factory=set)  # loop, row, shift
    affine: dict[tuple[int, int], list[tuple[int, int, int]]] = field(default_factory=dict)  # results of chains

    def slots(self) -> dict[int, list[tuple[tuple[int, ...], int]]]:
        """Value → where it lies in rows."""
        out: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        for row, places in self.rows.items():
            for place, v in places.items():
                out.setdefault(v, []).append((row, place))
        return out


def roll(code: Code, live: list[int], stores: list[Store], given: Mapping[int, int]) -> Rolled | None:
    """The code as loops; None where it has none that are worth it.  `given` values are at places of near memory."""
    if any(code.op[v] in (CALLED, SINCOS) and v not in {code.left[a] for a in given} for v in live):
        return None
    found = longest_chains(code, stores)
    if found.covered < (1.0 - SHORTER) * len(live):
        return None
    ready = {v for v in live if code.op[v] in (ca.OP_CONST, LOAD)} | set(given) | {code.left[v] for v in given}
    computed = [v for v in live if v not in ready]
    try:
        loops = rolled_loops(code, found, ready)
        while True:
            inside = sum(len(loop.values) * (len(loop.times) - 1) for loop in loops)
            if len(live) - inside > SHORTER * len(live):
                return None
            try:
                rolled = _staged(code, computed, loops, found)
                _find_sources(code, rolled, given)
                _find_results(stores, rolled)
                _keep(code, rolled)
                return rolled
            except Uneven as at:
                loops[at.loop] = loops[at.loop].without(at.repetition)
    except NotRolled:
        return None


def _staged(code: Code, order: list[int], loops: list[RolledLoop], found: Chains) -> Rolled:
    """Every value that is written out as late as its users allow."""
    chain_of = {v: (number, c, loop.first + k) for number, loop in enumerate(loops)
                for c, chain in enumerate(loop.values) for k, v in enumerate(chain)}
    early: dict[int, int] = {}
    for v in order:
        needed = max((early[a] + (a in chain_of) for a in code.operands(v) if a in early), default=0)
        if v in chain_of:
            own = 2 * chain_of[v][0] + 1
            if any(early[a] + (a in chain_of and chain_of[a][0] != chain_of[v][0]) > own
                   for a in code.operands(v) if a in early):
                raise NotRolled
            early[v] = own
        else:
            early[v] = needed
    late = {v: 2 * len(loops) for v in order}
    for v in reversed(order):
        if v in chain_of:
            late[v] = early[v]
        for a in code.operands(v):
            if a in late:
                late[a] = min(late[a], late[v] - (v in chain_of and a not in chain_of))
    for v in order:
        if early[v] > late[v] and v not in chain_of:
            raise NotRolled
    return Rolled(loops, [v for v in order if v not in chain_of], {v: late[v] for v in order}, chain_of,
                  found.operands)


def _find_sources(code: Code, rolled: Rolled, given: Mapping[int, int]) -> None:
    for number, loop in enumerate(rolled.loops):
        of_loop = []
        for c, chain in enumerate(loop.values):
            streams = zip(*(rolled.operands[chain[k - loop.first]] for k in loop.times), strict=True)
            sources = tuple(_source(code, rolled, given, number, (number, c, slot), list(stream))
                            for slot, stream in enumerate(streams))
            if len(set(sources)) > len(set(rolled.operands[chain[0]])):
                raise NotRolled  # one value twice here, two values elsewhere
            of_loop.append(sources)
        rolled.sources.append(of_loop)


def _source(code: Code, rolled: Rolled, given: Mapping[int, int], number: int, own: tuple[int, ...],
            stream: list[int]) -> Source:
    """Where an operand comes from, given the values it has in one repetition after another."""
    loop, chain_of = rolled.loops[number], rolled.chain_of
    times = list(loop.times)
    if len(set(stream)) == 1:
        return Same(stream[0])
    if all(code.op[a] == LOAD for a in stream) and len({code.left[a] for a in stream}) == 1:
        line = _line(times, [code.right[a] for a in stream])
        if line is not None:
            return Input(code.left[stream[0]], *line)
    if all(a in given for a in stream):
        line = _line(times, [given[a] for a in stream])
        if line is not None:
            return Near(*line)
    known = [chain_of.get(a) for a in stream]
    ways = Counter((place[0], place[1], place[2] - k)
                   for place, k in zip(known, times, strict=True) if place is not None)
    inside = Counter({way: count for way, count in ways.items() if way[0] == number})
    if inside:
        (_, chain, d), _ = inside.most_common(1)[0]
        if d not in (0, -loop.direction):
            raise NotRolled
        for k, place in list(zip(times, known, strict=True))[0 if d == 0 else 1 :]:
            if place != (number, chain, k + d):
                raise Uneven(number, k)
        if d and known[0] is not None and known[0][0] == number:
            raise Uneven(number, times[0])
        return Before(chain, stream[0]) if d else Here(chain)
    row, shift = own, 0
    if ways:
        loop_of_row, chain, shift = ways.most_common(1)[0][0]
        row = (loop_of_row, chain)
    whole, places = _row(rolled, row), {k + shift: a for k, a in zip(times, stream, strict=True)}
    for place, a in places.items():
        # another number at this place of the row, or one of another row: it would have to be copied
        if whole.get(place, a) != a or a in chain_of and chain_of[a][:2] != row:
            raise Uneven(number, place - shift)
    rolled.rows[row] = whole | places
    rolled.reads.add((number, row, shift))
    return Kept(row, shift)


def _line(times: list[int], numbers: list[int]) -> tuple[int, int] | None:
    """first, step where number = first + step · k at all times k."""
    step = (numbers[1] - numbers[0]) // (times[1] - times[0])
    first = numbers[0] - step * times[0]
    return (first, step) if all(x == first + step * k for k, x in zip(times, numbers, strict=True)) else None


def _row(rolled: Rolled, row: tuple[int, ...]) -> dict[int, int]:
    """A row as it is; at first what its chain gives."""
    if row in rolled.rows or len(row) > 2:
        return rolled.rows.get(row, {})
    loop = rolled.loops[row[0]]
    return dict(zip(range(loop.first, loop.end), loop.values[row[1]], strict=True))


def _find_results(stores: list[Store], rolled: Rolled) -> None:
    """Chains that give results, as elements first + step · k of a vector."""
    results: dict[tuple[int, int], dict[int, list[tuple[int, int]]]] = {}
    for v, vector, element in stores:
        if v in rolled.chain_of:
            number, c, k = rolled.chain_of[v]
            results.setdefault((number, c), {}).setdefault(k, []).append((vector, element))
    for (number, c), at in results.items():
        loop = rolled.loops[number]
        middle = loop.first + 1
        for k in loop.times:
            if len(at.get(k, ())) != len(at.get(middle, ())):
                raise Uneven(number, k)
        for j, (vector, element) in enumerate(at[loop.first]):
            step = at[middle][j][1] - element
            for k in loop.times:
                if at[k][j] != (vector, element + step * (k - loop.first)):
                    raise Uneven(number, k)
            rolled.affine.setdefault((number, c), []).append((vector, element - step * loop.first, step))


def _keep(code: Code, rolled: Rolled) -> None:
    """What is used in another stage than its own, and not by a loop, has a place in memory."""
    slots = rolled.slots()

    def use(a: int, stage: int) -> None:
        if a not in rolled.stage or rolled.stage[a] == stage or a in slots:
            return
        if a in rolled.chain_of:
            number, c, k = rolled.chain_of[a]
            if k != rolled.loops[number].times[-1]:
                row = number, c
                rolled.rows[row] = _row(rolled, row)
                slots.update(rolled.slots())
            elif stage > 2 * number + 2:
                rolled.alone.add(a)
        else:
            rolled.alone.add(a)

    for v in rolled.order:
        for a in code.operands(v):
            use(a, rolled.stage[v])
    for number, of_loop in enumerate(rolled.sources):
        for sources in of_loop:
            for source in sources:
                if isinstance(source, Same):
                    use(source.value, 2 * number)
                elif isinstance(source, Before):
                    use(source.begin, 2 * number)
