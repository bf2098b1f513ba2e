"""Rolled code as LLVM IR for a thread of a GPU: loops, and what is written out between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from linkwright.codegen.at_once import AT_ONCE, all_there
from linkwright.codegen.instructions import Code
from linkwright.codegen.piece import NEAR_STRIDE, Lanes, Piece, Places, Support
from linkwright.codegen.register_plan import Turns
from linkwright.codegen.repeats import Store
from linkwright.codegen.rolled import Before, Here, Input, Kept, Near, Rolled, Same, Source


@dataclass(frozen=True)
class Place:
    """A place in near memory or in the workspace."""

    is_near: bool
    number: int

    def behind(self, k: int) -> Place:
        return Place(self.is_near, self.number + k)


@dataclass(frozen=True)
class Layout:
    """Where rows and single values lie, in near memory or in the workspace; and how much of both is used.

    Place k of a row is so many behind that of the row.
    """

    rows: dict[tuple[int, ...], Place]
    alone: dict[int, Place]
    near: int
    far: int


def lay_out(rolled: Rolled, taken: int, room: int) -> Layout:
    """What is read most goes to near memory, behind what is `taken`, as long as there is room."""
    asked: list[tuple[int, int, tuple[int, ...] | int]] = []  # accesses, places, what
    reads = Counter(row for _, row, _ in rolled.reads)
    for row, places in rolled.rows.items():
        asked.append((1 + reads[row], max(places) - min(places) + 1, row))
    asked += [(2, 1, v) for v in sorted(rolled.alone)]
    rows: dict[tuple[int, ...], Place] = {}
    alone: dict[int, Place] = {}
    used = {True: taken, False: 0}
    for _, size, what in sorted(asked, key=lambda one: -one[0]):
        is_near = used[True] + size <= room
        place = Place(is_near, used[is_near])
        if isinstance(what, tuple):
            rows[what] = place.behind(-min(rolled.rows[what]))
        else:
            alone[what] = place
        used[is_near] += size
    return Layout(rows, alone, used[True], used[False])


class RolledPiece(Piece):
    """Writes one function of rolled code."""

    def __init__(self, code: Code, stores: list[Store], rolled: Rolled, layout: Layout, places: Places, work: int,
                 given: Mapping[int, int], lanes: Lanes, fast: bool, support: Support):
        super().__init__(code, places, {}, 0, lanes, fast, support)
        self.rolled, self.layout = rolled, layout
        self.kept = rolled.slots()
        self.targets: dict[int, list[tuple[int, int]]] = {}
        for v, vector, element in stores:
            self.targets.setdefault(v, []).append((vector, element))
        self.begin_planned(work, 0, given)

    def write(self, turns: Sequence[Turns]) -> list[str]:
        """Sines and cosines, then all stages, one after the other."""
        for turn in turns:
            self.turn(turn)
        for v in dict.fromkeys(v for v in (*self.targets, *self.kept) if v not in self.rolled.stage):
            self._put(v)
            self.forget(v)
        for stage in range(2 * len(self.rolled.loops) + 1):
            if stage % 2:
                self._loop(stage // 2)
            else:
                self._written_out(stage)
        return [*self.lines, "  ret void", "given_up:"]

    def _written_out(self, stage: int) -> None:
        # all loads from slow memory together, so that they are waited for once
        loaded = [self._have(a) for a in dict.fromkeys(
            a for v in self.rolled.order if self.rolled.stage[v] == stage for a in self.code.operands(v)
            if self._is_far(a) and self.rolled.stage[a] != stage)]
        self._wait(f"stage{stage}", loaded)
        for v in self.rolled.order:
            if self.rolled.stage[v] == stage:
                for a in self.code.operands(v):
                    self._have(a)
                self.compute(v)
                self._put(v)

    def _have(self, v: int) -> str:
        """The name of a value, fetched if it is in memory."""
        if v not in self.names and v in self.rolled.stage:
            if v in self.kept:
                row, place = self.kept[v][0]
                at = self._place(self.layout.rows[row].behind(place))
            else:
                at = self._place(self.layout.alone[v])
            self.names[v] = self.line(f"load volatile double, {at}, align 8")
        return self.operand(v)

    def _wait(self, name: str, loaded: Sequence[str]) -> None:
        """Numbers that were asked for from memory are waited for together."""
        self.support.declare("i1", AT_ONCE, "i64")
        self.lines += [*all_there(loaded, name), f"  br i1 %{name}_now, label %{name}, label %given_up", f"{name}:"]
        self.label = name

    def _is_far(self, v: int) -> bool:
        if v not in self.rolled.stage or v in self.names:
            return False
        place = self.layout.rows[self.kept[v][0][0]] if v in self.kept else self.layout.alone.get(v)
        return place is not None and not place.is_near

    def _put(self, v: int) -> None:
        """Store a value that has just been computed in the places that need it."""
        for vector, element in self.targets.get(v, ()):
            self.store(v, *self.places.of[vector], element)
        ways = [self.layout.rows[row].behind(place) for row, place in self.kept.get(v, ())]
        if v in self.layout.alone:
            ways.append(self.layout.alone[v])
        for place in ways:
            value = self.operand(v)
            self.lines.append(f"  store volatile double {value}, {self._place(place)}, align 8")

    def _place(self, place: Place, index: str | None = None) -> str:
        """A pointer to a place, or so many behind it."""
        base, kind, stride = ("%near", 3, NEAR_STRIDE) if place.is_near else ("%far", 5, 1)
        at = self.line(f"getelementptr double, ptr addrspace({kind}) {base}, i64 {place.number * stride}")
        if index is not None:
            behind = f"{index}_near" if place.is_near else index
            at = self.line(f"getelementptr double, ptr addrspace({kind}) {at}, i64 {behind}")
        return f"ptr addrspace({kind}) {at}"

    # --- loops ---

    def _loop(self, number: int) -> None:
        rolled, loop = self.rolled, self.rolled.loops[number]
        all_sources = rolled.sources[number]
        begins = {source: self._have(source.begin) for sources in all_sources for source in sources
                  if isinstance(source, Before)}
        same = {source: self._have(source.value) for sources in all_sources for source in sources
                if isinstance(source, Same)}
        name, times, before = f"roll{number}", list(loop.times), self.label
        k = f"%{name}_k"
        self.lines += [f"  br label %{name}", f"{name}:",
                       f"  {k} = phi i64 [ {times[0]}, %{before} ], [ {k}_next, %{name}_loaded ]"]
        carried: dict[Source, str] = {}
        waiting: list[tuple[int, Before, str]] = []
        for j, (source, begin) in enumerate(begins.items()):
            carried[source] = f"%{name}_{j}"
            waiting.append((len(self.lines), source, begin))
            self.lines.append("")
        self.lines.append(f"  {k}_near = mul i64 {k}, {NEAR_STRIDE}")
        here: dict[int, str] = {}
        fetched: dict[Source, str] = {}
        mine = {chain[0]: c for c, chain in enumerate(loop.values)}
        # all loads together: memory is slow, and loads that overlap are waited for once
        self._wait(f"{name}_loaded", [
            self._operand(source, k, same, carried, here, fetched)
            for source in dict.fromkeys(source for sources in all_sources for source in sources)
            if isinstance(source, Input) or isinstance(source, Kept) and not self.layout.rows[source.row].is_near])
        for v in self._in_order(mine, all_sources):
            c = mine[v]
            operands = [self._operand(source, k, same, carried, here, fetched) for source in all_sources[c]]
            here[c] = self._computed(v, operands)
            self._keep_in_loop(number, c, here[c], k)
        for at, source, begin in waiting:
            again = here[source.chain]
            self.lines[at] = f"  {carried[source]} = phi double [ {begin}, %{before} ], [ {again}, %{name}_loaded ]"
        self.lines += [f"  {k}_next = add i64 {k}, {loop.direction}",
                       f"  {k}_last = icmp eq i64 {k}, {times[-1]}",
                       f"  br i1 {k}_last, label %after_{name}, label %{name}", f"after_{name}:"]
        self.label = f"after_{name}"
        # what the last repetition gave is still known
        self.names, self.truths, self.parts = {}, {}, {}
        for c, chain in enumerate(loop.values):
            last = chain[times[-1] - loop.first]
            self.names[last] = here[c]
            if last in self.layout.alone:
                self._put(last)

    def _in_order(self, mine: dict[int, int], sources: list[tuple[Source, ...]]) -> list[int]:
        """The values of one repetition, operands first."""
        first = {c: v for v, c in mine.items()}
        order: list[int] = []
        done: set[int] = set()
        for root in range(len(sources)):
            waiting = [(root, False)]
            while waiting:
                c, ready = waiting.pop()
                if ready:
                    order.append(first[c])
                elif c not in done:
                    done.add(c)
                    waiting.append((c, True))
                    waiting += [(s.chain, False) for s in sources[c] if isinstance(s, Here)]
        return order

    def _operand(self, source: Source, k: str, same: dict[Source, str], carried: dict[Source, str],
                 here: dict[int, str], fetched: dict[Source, str]) -> str:
        if isinstance(source, Here):
            return here[source.chain]
        known = same.get(source) or carried.get(source) or fetched.get(source)
        if known is not None:
            return known
        if isinstance(source, Input):
            base, offset = self.places.of[source.vector]
            step = self.line(f"mul i64 {k}, {source.step}")
            at = self.line(f"add i64 {step}, {offset + source.first}")
            at = f"ptr addrspace(5) {self.line(f'getelementptr double, ptr addrspace(5) {base}_own, i64 {at}')}"
        elif isinstance(source, Near):
            step = self.line(f"mul i64 {k}_near, {source.step}")
            first = self.line(f"getelementptr double, ptr addrspace(3) %near, i64 {source.first * NEAR_STRIDE}")
            at = f"ptr addrspace(3) {self.line(f'getelementptr double, ptr addrspace(3) {first}, i64 {step}')}"
        else:
            assert isinstance(source, Kept)
            at = self._place(self.layout.rows[source.row].behind(source.shift), k)
        fetched[source] = self.line(f"load volatile double, {at}, align 8")
        return fetched[source]

    def _computed(self, v: int, operands: list[str]) -> str:
        """Value v of operands with these names."""
        self.names = dict(zip(self.rolled.operands[v], operands, strict=True))
        self.truths, self.parts = {}, {}
        self.compute(v)
        return self.names[v]

    def _keep_in_loop(self, number: int, c: int, value: str, k: str) -> None:
        for vector, first, step in self.rolled.affine.get((number, c), ()):
            base, offset = self.places.of[vector]
            index = self.line(f"add i64 {self.line(f'mul i64 {k}, {step}')}, {offset + first}")
            at = self.line(f"getelementptr double, ptr {base}, i64 {index}")
            self.lines.append(f"  store double {value}, ptr {at}, align 8")
        if (number, c) in self.rolled.rows:
            at = self._place(self.layout.rows[number, c], k)
            self.lines.append(f"  store double {value}, {at}, align 8")
