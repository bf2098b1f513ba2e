"""Models as pages that run by themselves, offline.

    lw.export(m, "arm.html", sliders=["spring.c", "motor.tau"], plots=["rev.phi"])

Sliders are inputs and parameters, with (lowest, highest) where a dict is given; parts can be pulled with the mouse.
The page takes the steps of `simulate` with the same `method`, `accuracy` and `h`, and has its bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import linkwright as lw


def write_page(model: lw.Model, path: Path, *, sliders: Sequence[str] | Mapping[str, Sequence[float]] | None = None,
               plots: Sequence[str] = (), method: str = "auto", accuracy: float = 1e-8,
               fixed_step: float | None = None) -> list[str]:
    """Write the page; gives the names of shapes that functions in Python change, which stand still in it."""
    from ..view import running_page

    text, still = running_page(model, sliders=sliders, plots=plots, method=method, accuracy=accuracy,
                               fixed_step=fixed_step)
    path.write_text(text, encoding="utf-8")
    return still
