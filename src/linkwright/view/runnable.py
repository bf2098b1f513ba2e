"""What a page cannot run, refused by name with what to do instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ModelError
from ..studies.lane_runs import refusal
from ..system import System

if TYPE_CHECKING:
    from ..language import Model

OTHERWISE = "Save a run instead: lw.simulate(m, 10.0).save(\"page.html\")."


def refuse(model: Model, system: System) -> None:
    """An error for the first thing in a model that needs more than a step, such as Python."""
    for part in model.models():
        for function, period in part._controllers:
            name = getattr(function, "__name__", repr(function))
            raise ModelError(f"{part.path or model.title}: the controller {name!r} (every {period:g} s) is Python, "
                             "which a page does not have; write it as a formula (m.motor.tau = -k * m.rev.phi), or "
                             f"leave its output as an input with a slider. {OTHERWISE}", part)
    why = refusal(system)
    if why is not None:
        raise ModelError(f"{model.title}: a page cannot run it: {why}. {OTHERWISE}", model)
