"""Controllers of a model, and what its blocks remember, as data of its mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..language import Block, Model
from ..mechanism import Controller, Delay


def controllers(model: Model) -> tuple[Controller, ...]:
    """The sampled controllers of a model and its sub-models."""
    return tuple(Controller(function, period) for part in model.models() for function, period in part._controllers)


def memories(blocks: Iterable[Block]) -> Iterator[Delay]:
    """Signals that come late."""
    for block in blocks:
        if block.delay is not None:
            (_, piece), (_, begun) = (block.discretes[name] for name in ("piece", "begun"))
            yield Delay(block.path, block.delay, piece[2] if begun[0] else None)
