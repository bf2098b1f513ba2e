"""Repetitions found in straight-line code: what a chain of like bodies leaves when its equations are traced.

Body after body, a recursion computes the same formulas of other numbers.  `chains` finds them again: value v *follows*
value w if both are made by the same operation of operands of which each follows that of the other, inputs being
`stride` elements further on.  The search begins at the results, element i + stride beside element i, and ends where the
mechanism ends.  Values that follow one another are a chain; chain A at its k-th place uses chain B at place k + d, with
one d for all k, so that all of them together are loops over k (see `loop_order`).

An accidental match does no harm: where the operands of a loop come from is decided value by value (see `rolled`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import casadi as ca

from linkwright.codegen.instructions import CALLED, LOAD, TABLE, Code

from .tolerances import CHAIN, DEPTH

STRIDES = range(1, 7)  # elements of a result from one repetition to the next that are tried

Store = tuple[int, int, int]  # value, vector, element


@dataclass(frozen=True)
class Chains:
    """Values that follow one another, and the operands of each in the order of its chain."""

    values: list[list[int]]
    operands: dict[int, tuple[int, ...]]

    @property
    def covered(self) -> int:
        """Values that need not be written out."""
        return sum(len(chain) - 1 for chain in self.values)


def longest_chains(code: Code, stores: list[Store]) -> Chains:
    """The chains of the stride that saves most code."""
    return max((chains(code, stores, stride) for stride in STRIDES), key=lambda found: found.covered)


def chains(code: Code, stores: list[Store], stride: int) -> Chains:
    """All chains of at least `CHAIN` values, and of half as many as the longest."""
    following, turned = _matches(code, stores, stride)
    first = set(following) - set(following.values())
    found: list[list[int]] = []
    operands: dict[int, tuple[int, ...]] = {}
    for v in sorted(first):
        chain, order = [v], code.operands(v)
        operands[v] = order
        swapped = False
        while chain[-1] in following:
            swapped ^= chain[-1] in turned
            chain.append(following[chain[-1]])
            order = code.operands(chain[-1])
            operands[chain[-1]] = order[::-1] if swapped else order
        if len(chain) >= CHAIN:
            found.append(chain)
    longest = max(map(len, found), default=0)
    return Chains([chain for chain in found if 2 * len(chain) >= longest], operands)


def _matches(code: Code, stores: list[Store], stride: int) -> tuple[dict[int, int], set[int]]:
    """Value → the one that follows it; and the values whose operands stand the other way round there."""
    op, left, right = code.op, code.left, code.right

    @cache
    def alike(v: int, w: int, depth: int) -> bool:
        if op[v] != op[w]:
            return False
        if op[v] == ca.OP_CONST:
            return v == w
        if op[v] == LOAD:
            return left[v] == left[w] and right[w] == right[v] + stride
        if op[v] == CALLED or op[v] == TABLE and right[v] != right[w]:
            return False
        a, b = code.operands(v), code.operands(w)
        return not depth or _agree(a, b, depth) or len(a) == 2 and _commutes(op[v]) and _agree(a, b[::-1], depth)

    def _agree(a: tuple[int, ...], b: tuple[int, ...], depth: int) -> bool:
        return all(alike(x, y, depth - 1) for x, y in zip(a, b, strict=True))

    def likeness(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        return sum(alike(x, y, DEPTH) for x, y in zip(a, b, strict=True))

    result = {(vector, element): v for v, vector, element in stores}
    waiting = [(v, result[vector, element + stride]) for (vector, element), v in result.items()
               if (vector, element + stride) in result]
    following: dict[int, int] = {}
    taken: set[int] = set()
    turned: set[int] = set()
    while waiting:
        v, w = waiting.pop()
        if v in following or w in taken or v == w or op[v] == ca.OP_CONST or not alike(v, w, 0):
            continue
        following[v] = w
        taken.add(w)
        a, b = code.operands(v), code.operands(w)
        if len(a) == 2 and _commutes(op[v]) and likeness(a, b[::-1]) > likeness(a, b):
            turned.add(v)
            b = b[::-1]
        waiting += zip(a, b, strict=True)
    return following, turned


def _commutes(op: int) -> bool:
    return op in (ca.OP_ADD, ca.OP_MUL)


def distances(found: Chains) -> dict[tuple[int, int], int]:
    """(chain, chain of an operand) → how many places further on the operand stands, mostly."""
    at = {v: (number, place) for number, chain in enumerate(found.values) for place, v in enumerate(chain)}
    seen: dict[tuple[int, int], Counter[int]] = {}
    for number, chain in enumerate(found.values):
        for place, v in enumerate(chain):
            for a in found.operands[v]:
                if a in at:
                    other, there = at[a]
                    seen.setdefault((number, other), Counter())[there - place] += 1
    return {pair: counts.most_common(1)[0][0] for pair, counts in seen.items()}
