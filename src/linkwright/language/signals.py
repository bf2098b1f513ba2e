"""What a signal needs beside its expression: states and discrete variables of blocks, and placeholders of derivatives.

A block returns an expression with fresh symbols in it, placeholders that are kept with a variable that it reads;
`claim` finds all that a model's signals read and hands them to the model.  A block belongs to the innermost model that
holds everything that reads it, and is named there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import ModelError
from .actions import Action
from .expressions import derivative
from .placeholders import held, hold
from .reads import expressions, integrals, signals
from .symbol_owners import elements

if TYPE_CHECKING:
    from .component import Component
    from .model import Model


@dataclass(eq=False)
class Block:
    """States ẋ = derivative of a block, their start, and its results by name.

    The start of a `loose` block is a guess; that of a `steady` one is where it is at rest, ẋ = 0.  `discretes` are
    variables that `actions` set, by name with their start; `delay` says by how much a signal is late.
    """

    kind: str
    name: str | None
    symbol: ca.SX
    derivative: ca.SX
    start: np.ndarray
    results: dict[str, ca.SX] = field(default_factory=dict)
    loose: bool = False
    steady: bool = False
    discretes: dict[str, tuple[ca.SX, np.ndarray]] = field(default_factory=dict)
    actions: list[Action] = field(default_factory=list)
    delay: float | None = None
    within: str = ""  # path of the sub-model that it belongs to
    input: ca.SX | None = None  # what it works on, and its numbers by name, where it has one input
    numbers: dict[str, float] = field(default_factory=dict)

    @property
    def path(self) -> str:
        own = self.name or self.kind
        return f"{self.within}.{own}" if self.within else own

    def symbols(self) -> ca.SX:
        """All that is its own."""
        return ca.veccat(self.symbol, *[symbol for symbol, _ in self.discretes.values()])

    def expressions(self) -> list[ca.SX]:
        """All that it reads."""
        return [self.derivative, *self.results.values(), *(e for action in self.actions for e in action.expressions())]


def announce(block: Block) -> None:
    """Let a block wait for the model that it will be part of, with a variable that it reads."""
    hold(block.symbols(), block, block.expressions())


def _waiting(key: int) -> Block | None:
    meaning = held(key)
    return meaning if isinstance(meaning, Block) else None


def block_of(symbol: ca.SX, model: Model) -> Block | None:
    """The block that a symbol belongs to, claimed by the model or still waiting."""
    key = symbol.element_hash()
    return model.__dict__.get("_blocks", {}).get(key) or _waiting(key)


def claim(model: Model) -> list[Block]:
    """All blocks that the signals of a model read, named, in a fixed order."""
    own: dict[int, Block] = model.__dict__.setdefault("_blocks", {})
    for part in model.models():
        own.update(part.__dict__.get("_blocks", {}))
    owners: dict[Block, object] = {}
    seen: set[tuple[int, int]] = set()
    queue = list(_readers(model))
    while queue:
        reader, expression = queue.pop(0)
        for symbol in ca.symvar(ca.SX(expression)):
            key = symbol.element_hash()
            if (key, id(reader)) in seen:
                continue
            seen.add((key, id(reader)))
            rate = derivative(key)
            if rate is not None:
                queue.append((reader, rate.of))
            block = own.get(key) or _waiting(key)
            if block is None:
                continue
            own.update(dict.fromkeys(elements(block.symbols()), block))
            owner = _common(owners.get(block, reader), reader)
            if owners.get(block) is not owner:
                owners[block] = owner
                queue += [(owner, e) for e in block.expressions()]
    for part in model.models():
        _name(model, part, [block for block, owner in owners.items() if owner is part])
    return list(owners)


def _readers(model: Model) -> Iterator[tuple[Component, ca.SX]]:
    """(model that reads it, expression) for everything that users gave to a model and its parts."""
    yield from ((component._parent or model, expression) for component, _, expression in signals(model))
    yield from ((part, expression) for part, _, expression in integrals(model))
    yield from ((part, expression) for part, _, expression in expressions(model))


def _common(one: Model, other: Model) -> Model:
    """The innermost model that holds both."""
    around = []
    while one is not None:
        around.append(one)
        one = one._parent
    while not any(other is model for model in around):
        other = other._parent
    return other


def _name(top: Model, model: Model, blocks: list[Block]) -> None:
    """Names that the user did not give: the kind of the block and a number."""
    taken = {*model._children, *model._integrals, *model._inputs, *model._outputs}
    count: dict[str, int] = {}
    for block in blocks:
        block.within = "" if model is top else model.path
        if block.name is None:
            while block.name is None or block.name in taken:
                count[block.kind] = count.get(block.kind, 0) + 1
                block.name = f"{block.kind}{count[block.kind]}"
        elif block.name in taken:
            raise ModelError(f"{block.path}: a block of this name and something else in {model.path} are called the "
                             "same; choose another name.", block.name)
        taken.add(block.name)
