"""Where the values of a program with loops are computed: each once, and inside a loop only those that change there.

A program is a row of places: straight code, a loop, straight code, a loop, …, straight code.  All of its segments are
read into one list of instructions, so that equal ones are merged whatever segments they come from.  A value is computed
in the first place that needs it, and what a loop needs but does not change, in the straight code before the loop.
Later places read it from memory.  What a loop computes at its last iteration stays valid behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from linkwright.codegen.instructions import CALLED, COS_PART, LOAD, PART, SIN_PART, TABLE, Code

#: parts of one computation, which lie where it does
_PARTS = frozenset((SIN_PART, COS_PART, PART))


@dataclass(frozen=True)
class Loop:
    """A loop that changes `vectors` in memory and computes `results` from them.

    `lasting`: what it computed last belongs to what it leaves in these vectors.
    """

    vectors: tuple[int, ...]
    results: list[int]
    lasting: bool


class SharedValues:
    """Places of all values: straight code k is place 2k, the loop behind it place 2k + 1.

    `straight` are the values that each piece of straight code puts into vectors; one more than there are loops.
    """

    def __init__(self, code: Code, straight: Sequence[list[int]], loops: Sequence[Loop]) -> None:
        self.code = code
        self.place: dict[int, int] = {}
        self._known_after = self._stages(loops)
        for k, wanted in enumerate(straight):
            for v in wanted:
                self._compute(v, 2 * k)
            if k < len(loops):
                self._enter(loops[k], 2 * k + 1)
        self.slots, self.n_slots = self._slots(straight, loops)

    def _stages(self, loops: Sequence[Loop]) -> list[int]:
        """How many loops have ended before a value is known."""
        changed = {vector: k + 1 for k, loop in enumerate(loops) for vector in loop.vectors}
        code, stages = self.code, []
        for v in range(len(code)):
            own = changed.get(code.left[v], 0) if code.op[v] == LOAD else 0
            stages.append(max([own, *[stages[a] for a in code.operands(v)]]))
        return stages

    def _is_free(self, v: int) -> bool:
        return self.code.op[v] in (ca.OP_CONST, LOAD)

    def _compute(self, v: int, place: int) -> None:
        """Value v is needed in a place."""
        todo = [(v, place)]
        while todo:
            v, place = todo.pop()
            if v in self.place or self._is_free(v):
                continue
            if place % 2 and self._known_after[v] <= place // 2:
                place -= 1  # the loop does not change it
            if self.code.op[v] in _PARTS and (whole := self.code.left[v]) in self.place:
                self.place[v] = self.place[whole]
                continue
            self.place[v] = place
            todo += [(a, place) for a in self.code.operands(v)]

    def _enter(self, loop: Loop, place: int) -> None:
        for v in loop.results:
            self._compute(v, place)
        if not loop.lasting:
            self.place = {v: p for v, p in self.place.items() if p != place}

    def _slots(self, straight: Sequence[list[int]], loops: Sequence[Loop]) -> tuple[dict[int, int], int]:
        """Slots for values that are used in other places than their own, free again behind the last of them."""
        last: dict[int, int] = {}
        computed: list[list[int]] = [[] for _ in range(2 * len(straight) - 1)]
        for v, place in self.place.items():
            computed[place].append(v)
        for place, own in enumerate(computed):
            results = loops[place // 2].results if place % 2 else straight[place // 2]
            for v in self._needed([*own, *results], place):
                if self._crosses(v, place):
                    last[v] = place
        made: list[list[int]] = [[] for _ in range(2 * len(straight))]
        ending: list[list[int]] = [[] for _ in range(2 * len(straight))]
        for v, place in last.items():
            made[self.place[v]].append(v)
            ending[place].append(v)
        slots: dict[int, int] = {}
        free: list[int] = []
        used = 0
        for here, over in zip(made, ending, strict=True):
            for v in sorted(here):
                used += not free
                slots[v] = free.pop() if free else used - 1
            free += [slots[v] for v in over]
        return slots, used

    def _crosses(self, v: int, place: int) -> bool:
        """Whether a place reads value v from memory: it was computed before."""
        return not self._is_free(v) and self.place.get(v, place) < place

    def _needed(self, results: Iterable[int], place: int) -> list[int]:
        """All values that are computed in a place for results, and those that it reads, in order."""
        found: set[int] = set()
        todo = list(results)
        while todo:
            v = todo.pop()
            if v not in found:
                found.add(v)
                if not self._crosses(v, place):
                    todo += self.code.operands(v)
        return sorted(found)

    def hands_on(self, place: int) -> list[int]:
        """The values of a place that later ones read."""
        return [v for v in self.slots if self.place[v] == place]

    def piece(self, place: int, stores: Sequence[tuple[int, int, int]], memory: int,
              ) -> tuple[Code, list[tuple[int, int, int]]]:
        """Instructions of a place and what they store as (value, vector, element), those for other places included.

        `memory` is the vector of the slots.
        """
        handed_on = self.hands_on(place)
        needed = self._needed([*handed_on, *(v for v, _, _ in stores)], place)
        code, number = _copied(self.code, needed, lambda v: self.slots[v] if self._crosses(v, place) else None, memory)
        return code, [*((number[v], vector, element) for v, vector, element in stores),
                      *((number[v], memory, self.slots[v]) for v in handed_on)]


def _copied(code: Code, values: Iterable[int], slot: Callable[[int], int | None], memory: int,
            ) -> tuple[Code, Mapping[int, int]]:
    """Some values as instructions of their own, those with a slot read from memory; and their new numbers."""
    new, number = Code(), {}
    for v in values:
        op, left, right = code.op[v], code.left[v], code.right[v]
        at = slot(v)
        if at is not None:
            number[v] = new.value(LOAD, memory, at)
        elif op == ca.OP_CONST:
            number[v] = new.constant(code.constants[left])
        elif op == LOAD:
            number[v] = new.value(LOAD, left, right)
        elif op == TABLE:
            number[v] = new.table(code.tables[right], number[left])
        elif op == CALLED:
            function, operands = code.calls[left]
            number[v] = new.called(function, [number[a] for a in operands])
        elif op == PART:
            number[v] = new.value(PART, number[left], right)
        else:
            number[v] = new.value(op, number[left], number[right] if right >= 0 else -1)
    return new, number
