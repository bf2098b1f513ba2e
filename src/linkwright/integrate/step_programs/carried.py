"""Inputs that the model itself gives: warm starts of its iterations, and what is updated at completed steps."""

from __future__ import annotations

from ...codegen import Value
from .pieces import Pieces
from .step_program import StepProgram
from .writer import StepWriter


def carry(step: StepProgram, w: StepWriter, lanes: Value, row: int | None = None) -> None:
    """Outputs of the model that are inputs of the next step."""
    last = step.method.tableau.stages if row is None else row
    for source, target in zip(*step.carry, strict=True):
        w.store_where(lanes, w.load("k", source, last * step.width), "input", target)


def update(p: Pieces, lanes: Value, t: Value, state: str) -> Value:
    """Inputs that the model itself gives new values; where one has changed."""
    w, step = p.w, p.step
    changed = w.truth(False)
    if not step.updated:
        return changed
    p.set_input(t, state)
    w.call("update", "input", "out")
    for k, place in enumerate(step.updated):
        new = w.load("out", k)
        changed = changed | w.load("input", place).differs(new)
        w.store_where(lanes, new, "input", place)
    return changed & lanes
