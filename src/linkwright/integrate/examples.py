"""A model in three lines, for the examples of this room."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import compiled, real


@compiled
def rhs(i: real[3], o: real[3], w: real[1]) -> None:
    """ẍ = −x: from (t, x, ẋ) to (ẋ, ẍ, health)."""
    o[0], o[1], o[2] = i[2], -i[1], 1.0
