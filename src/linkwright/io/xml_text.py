"""XML as text: numbers in full, attributes escaped, children indented."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Tag:
    """An element to be written."""

    def __init__(self, tag: str, **attributes: Any) -> None:
        self.tag, self.attributes, self.children = tag, {}, []
        for name, value in attributes.items():
            if value is not None:
                self.attributes[name] = value if isinstance(value, str) else numbers(value)

    def add(self, tag: str | Tag, **attributes: Any) -> Tag:
        """A child; gives the child."""
        child = tag if isinstance(tag, Tag) else Tag(tag, **attributes)
        self.children.append(child)
        return child

    def lines(self, depth: int = 0) -> list[str]:
        """The element as indented lines."""
        pad = "  " * depth
        head = f"{pad}<{self.tag}" + "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        if not self.children:
            return [f"{head}/>"]
        inner = [line for child in self.children for line in child.lines(depth + 1)]
        return [f"{head}>", *inner, f"{pad}</{self.tag}>"]

    def document(self, remark: str) -> str:
        """A whole file."""
        return "\n".join(['<?xml version="1.0"?>', f"<!-- {escape(remark)} -->", *self.lines(), ""])


def numbers(value: ArrayLike) -> str:
    """Numbers as text that reads back to the same bits."""
    return " ".join(repr(float(x) + 0.0) if float(x) != int_of(x) else str(int_of(x)) for x in np.atleast_1d(value))


def int_of(x: float) -> int | None:
    """The integer a number is, if it is a small one."""
    return int(x) if abs(float(x)) < 1e9 and float(x) == int(x) else None
