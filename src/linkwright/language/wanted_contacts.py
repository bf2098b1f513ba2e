"""Contacts that a model leaves to be found: what one call of `m.contacts` wants, and the pairs that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from .component import Component

if TYPE_CHECKING:
    from .model import Model

Shapes = tuple[Component, Component]


class Wanted(NamedTuple):
    """One call of `m.contacts`: the law, and the pairs of shapes (None: all that can touch)."""

    law: object
    between: tuple[Shapes, ...] | None


class ContactPairs(Sequence[Shapes]):
    """The pairs of shapes that one call of `m.contacts` makes, looked for when they are read: a model may still grow.

        pairs = m.contacts(law=contact.Rigid(mu=0.6))
        print(pairs)                             # floor/left, floor/right
        for a, b in pairs: …
    """

    def __init__(self, model: Model, wanted: Wanted) -> None:
        self._model, self._wanted = model, wanted

    def _found(self) -> list[Shapes]:
        from ..translate import contact_pairs

        return contact_pairs(self._model, self._wanted)

    def names(self) -> list[str]:
        """How results call the pairs: r["floor/left.gap"]."""
        return [f"{a.path}/{b.path}" for a, b in self._found()]

    def __len__(self) -> int:
        return len(self._found())

    @overload
    def __getitem__(self, k: int) -> Shapes: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Shapes]: ...
    def __getitem__(self, k: int | slice) -> Shapes | Sequence[Shapes]:
        return self._found()[k]

    def __repr__(self) -> str:
        return ", ".join(self.names()) or "no pairs"
