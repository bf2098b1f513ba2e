"""Modes that agree with one another: one mode after another is changed, the one that is most wrong first.

That is fast but may go round in a circle.  Then the first wrong one in the list is changed instead.  That always ends
for mechanics without friction, whose matrices are positive (Murty, Mathematical Programming 7 (1974) 138), and mostly
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple


class Wrong(NamedTuple):
    """A mode that does not agree: by how much, of which element, and which mode would be better."""

    excess: float
    element: int
    better: int


def search_modes(wrong: Callable[[], list[Wrong]], change: Callable[[int, int], None],
                 modes: Callable[[], Hashable], limit: int) -> bool:
    """Change modes until none is wrong; False where `limit` changes did not suffice."""
    seen: set[Hashable] = set()
    circle = False
    for _ in range(limit):
        found = wrong()
        if not found:
            return True
        _, element, better = found[0] if circle else max(found)
        change(element, better)
        now = modes()
        circle = circle or now in seen
        seen.add(now)
    return False
