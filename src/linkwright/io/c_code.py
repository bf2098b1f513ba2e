"""Numbers and tables as C text."""

from __future__ import annotations

import math
from collections.abc import Iterable


def number(value: float) -> str:
    """A constant that reads back to the same bits."""
    value = float(value)
    if math.isfinite(value):
        return repr(value)
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def constant_array(kind: str, name: str, values: Iterable[float]) -> str:
    """A constant array of doubles or ints; one without entries has a zero, which nobody reads."""
    entries = [number(value) if kind == "double" else str(int(value)) for value in values] or ["0"]
    lines, line = [], "   "
    for entry in entries:
        if len(line) + len(entry) > 110:
            lines.append(line)
            line = "   "
        line += f" {entry},"
    return "\n".join([f"static const {kind} {name}[] = {{", *lines, line.rstrip(","), "};"])
