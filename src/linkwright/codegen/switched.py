"""Parts of straight-line code that a condition switches off: they are computed only where somebody needs them.

    if_else(c, x, y)          x is needed only where c is true
    equations in force        what belongs to an equation (`active_equations`) only where its mask is not zero

The conditions are those that inputs alone decide, such as modes.  From those that use a value follows under which
conditions it is needed: always, or if one of a few is true.  Values that are needed under the same ones are computed
together, behind one branch.  Where it is not taken they keep what lay in their place before, which nobody takes: a
select gives zero, and equations that are not in force are left aside.  So the bits are those of code without branches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import casadi as ca

from linkwright.codegen.active_equations import operand_masks
from linkwright.codegen.instructions import CALLED, COS_PART, LOAD, PART, SIN_PART, SINCOS, TABLE, Code

from .tolerances import SIMPLE_CONDITION, WORTH_A_BRANCH

#: needed always; else a set of conditions is a number whose bits stand for them
ALWAYS = -1


@dataclass
class Part:
    """Values that are computed if one of `conditions` is true, or always where there are none.

    `arguments` are (call, number of the operand) of what is laid down for a call: operands of a call that it reads in
    some cases only.
    """

    conditions: tuple[int, ...]
    values: list[int] = field(default_factory=list)
    arguments: list[tuple[int, int]] = field(default_factory=list)


def parts_of(code: Code, live: list[int], results: Iterable[int]) -> list[Part]:
    """All of `live` in parts, in an order in which they can be computed; one part where nothing can be switched off."""
    needs = _Needs(code, live, results)
    if not needs.conditions:
        return [Part((), live)]
    needs.keep_what_is_worth()
    return _in_order(code, live, needs)


class _Needs:
    """Under which conditions values are needed, and arguments of calls are read."""

    def __init__(self, code: Code, live: list[int], results: Iterable[int]) -> None:
        self.code, self.live = code, live
        #: value of a condition → its bit
        self.conditions: dict[int, int] = {}
        self.arguments: dict[tuple[int, int], int] = {}
        self._simple = self._known_from_inputs()
        self.of = dict.fromkeys(live, 0)
        for v in results:
            self.of[v] = ALWAYS
        for v in reversed(live):
            self._pass_on(v)
        for v in live:
            # parts stay with what they are parts of
            if code.op[v] in (SIN_PART, COS_PART, PART):
                self.of[v] = self.of[code.left[v]]

    def _known_from_inputs(self) -> set[int]:
        """Values that a few operations make of inputs, fit for conditions."""
        code, count = self.code, {}
        for v in self.live:
            op = code.op[v]
            if op in (ca.OP_CONST, LOAD):
                count[v] = 0
            elif op not in (CALLED, PART, SINCOS, SIN_PART, COS_PART, TABLE):
                own = [count.get(a, SIMPLE_CONDITION) for a in code.operands(v)]
                if 1 + sum(own) <= SIMPLE_CONDITION:
                    count[v] = 1 + sum(own)
        return {v for v in count if code.op[v] != ca.OP_CONST}

    def _pass_on(self, v: int) -> None:
        """What value v needs of its operands."""
        code, op = self.code, self.code.op[v]
        if op in (ca.OP_CONST, LOAD):
            return
        if op == ca.OP_IF_ELSE_ZERO:
            self._need(code.left[v], self.of[v])
            self._need(code.right[v], self._under(code.left[v], self.of[v]))
        elif op == CALLED:
            function, operands = code.calls[code.left[v]]
            for k, (a, mask) in enumerate(zip(operands, operand_masks(function, operands), strict=True)):
                bits = self.of[v] if mask is None else self._under(mask, self.of[v])
                self._need(a, bits)
                if mask is not None and bits != ALWAYS:
                    self.arguments[v, k] = bits
        else:
            for a in code.operands(v):
                self._need(a, self.of[v])

    def _need(self, v: int, bits: int) -> None:
        self.of[v] = ALWAYS if ALWAYS in (bits, self.of[v]) else self.of[v] | bits

    def _under(self, condition: int, bits: int) -> int:
        """What is needed where somebody is, if the condition is true besides: the narrower of the two."""
        if condition not in self._simple or bits != ALWAYS and bits.bit_count() < 2:
            return bits
        return 1 << self.conditions.setdefault(condition, len(self.conditions))

    def keep_what_is_worth(self) -> None:
        """Few values with the same conditions go with those that are needed under more."""
        size: dict[int, int] = {}
        for bits in (*(self.of[v] for v in self.live if self.code.op[v] not in (ca.OP_CONST, LOAD)),
                     *self.arguments.values()):
            size[bits] = size.get(bits, 0) + 1
        size.pop(ALWAYS, None)
        worth = [bits for bits in size if size[bits] >= WORTH_A_BRANCH]
        worth.sort(key=lambda bits: (bits.bit_count(), bits))
        goes = {bits: next((more for more in worth if more & bits == bits), ALWAYS) for bits in size}
        self.of = {v: goes.get(bits, bits) for v, bits in self.of.items()}
        # what is needed when the call is made anyway, it lays down itself
        self.arguments = {(call, k): goes[bits] for (call, k), bits in self.arguments.items()
                          if goes[bits] not in (ALWAYS, self.of[call])}


def _in_order(code: Code, live: list[int], needs: _Needs) -> list[Part]:
    """Parts, each with as many of its values as can be computed when its turn comes."""
    waiting: dict[int, list[int | tuple[int, int]]] = {ALWAYS: []}
    for v in live:
        if code.op[v] == CALLED:
            for k in range(len(code.calls[code.left[v]][1])):
                if (v, k) in needs.arguments:
                    waiting.setdefault(needs.arguments[v, k], []).append((v, k))
        if code.op[v] not in (ca.OP_CONST, LOAD):
            waiting.setdefault(needs.of[v], []).append(v)
    conditions, done, parts = list(needs.conditions), set(), []
    turns = sorted(waiting, key=lambda bits: (bits != ALWAYS, -bits.bit_count(), bits))
    while any(waiting.values()):
        for bits in turns:
            part = Part(() if bits == ALWAYS else tuple(c for k, c in enumerate(conditions) if bits >> k & 1))
            left: list[int | tuple[int, int]] = []
            for item in waiting[bits]:
                if isinstance(item, tuple):
                    ready = _is_known(code, code.calls[code.left[item[0]]][1][item[1]], done)
                else:
                    ready = all(_is_known(code, a, done) for a in code.operands(item)) and (
                        code.op[item] != CALLED or _all_laid_down(code, item, needs, done))
                if not ready:
                    left.append(item)
                    continue
                done.add(item)
                (part.arguments if isinstance(item, tuple) else part.values).append(item)  # type: ignore[arg-type]
            waiting[bits] = left
            if part.values or part.arguments:
                parts.append(part)
    return parts


def _is_known(code: Code, v: int, done: set) -> bool:
    return v in done or code.op[v] in (ca.OP_CONST, LOAD)


def _all_laid_down(code: Code, call: int, needs: _Needs, done: set) -> bool:
    return all((call, k) in done for k in range(len(code.calls[code.left[call]][1])) if (call, k) in needs.arguments)


