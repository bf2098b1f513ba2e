"""What a signal needs beside its expression: states of blocks, and placeholders of derivatives.

A block returns an expression with fresh state symbols in it.  Until a model is compiled nobody but this register knows
what they stand for; `claim` finds all that a model's signals read, hands them to the model, and forgets them here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..errors import ModelError
from .expressions import Derivative
from .fields import Signal


@dataclass(eq=False)
class Block:
    """States ẋ = derivative of a block, their start, and its results by name.

    The start of a `loose` block is a guess; that of a `steady` one is where it is at rest, ẋ = 0.
    """

    kind: str
    name: str | None
    symbol: ca.SX
    derivative: ca.SX
    start: np.ndarray
    results: dict[str, ca.SX] = field(default_factory=dict)
    loose: bool = False
    steady: bool = False

    @property
    def path(self) -> str:
        return self.name or self.kind


_waiting: dict[int, Block] = {}


def announce(block: Block) -> None:
    """Let a block wait for the model that it will be part of."""
    _waiting.update({key: block for key in _keys(block.symbol)})


def claim(model) -> list[Block]:
    """All blocks that the signals of a model read, named, in a fixed order."""
    own: dict[int, Block] = model.__dict__.setdefault("_blocks", {})
    found: dict[int, Block] = {}
    seen: set[int] = set()
    queue = list(_signals(model))
    while queue:
        for symbol in ca.symvar(ca.SX(queue.pop(0))):
            key = symbol.element_hash()
            if key in seen:
                continue
            seen.add(key)
            if key in Derivative.pending:
                queue.append(Derivative.pending[key][1])
            block = own.get(key) or _waiting.get(key)
            if block is None:
                continue
            for other in _keys(block.symbol):
                own[other] = block
                _waiting.pop(other, None)
            if id(block) not in found:
                found[id(block)] = block
                queue += [block.derivative, *block.results.values()]
    blocks = list(found.values())
    _name(model, blocks)
    return blocks


def signature(model, expression) -> tuple:
    """An expression as something comparable, states and derivatives inside it included."""
    order = {id(block): k for k, block in enumerate(dict.fromkeys(model.__dict__.get("_blocks", {}).values()))}
    inside = []
    for symbol in ca.symvar(ca.SX(expression)):
        key = symbol.element_hash()
        if key in Derivative.pending:
            inside.append(signature(model, Derivative.pending[key][1]))
        elif key in model.__dict__.get("_blocks", {}):
            inside.append(order[id(model._blocks[key])])
    return (str(expression), *inside)


def _keys(symbol: ca.SX) -> list[int]:
    return [symbol.nz[k].element_hash() for k in range(symbol.nnz())]


def _signals(model):
    """The expressions that users gave to a model and its parts."""
    for component in model.leaves():
        for name, kind in type(component).fields().items():
            if isinstance(kind, Signal):
                yield component.signal(name)
    for part in model.models():
        yield from (derivative for _, derivative, _ in part._integrals.values())
        yield from part._outputs.values()
        yield from part._initial_equations
        yield from (e for action in part._actions for e in action.expressions())


def _name(model, blocks: list[Block]) -> None:
    """Names that the user did not give: the kind of the block and a number."""
    taken = {*model._children, *model._integrals, *model._inputs, *model._outputs}
    count: dict[str, int] = {}
    for block in blocks:
        if block.name is None:
            while block.name is None or block.name in taken:
                count[block.kind] = count.get(block.kind, 0) + 1
                block.name = f"{block.kind}{count[block.kind]}"
        elif block.name in taken:
            raise ModelError(f"{block.name}: a block of this name and something else in {model.path} are called the "
                             "same; choose another name.", block.name)
        taken.add(block.name)
