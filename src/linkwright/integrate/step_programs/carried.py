"""Numbers kept from step to step: inputs that the model itself sets (starts of iterations, updates); last points."""

from __future__ import annotations

from ...codegen import Value, where
from .pieces import Pieces
from .step_program import PAST, StepProgram
from .writer import StepWriter


def carry(step: StepProgram, w: StepWriter, lanes: Value, row: int | None = None) -> None:
    """Outputs of the model that are inputs of the next step."""
    last = step.method.tableau.stages if row is None else row
    for source, target in zip(*step.carry, strict=True):
        w.store_where(lanes, w.load("k", source, last * step.width), "input", target)


def update(p: Pieces, lanes: Value, t: Value, state: str) -> Value:
    """Give new values to inputs that the model itself updates; returns where one has changed."""
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


def remember(step: StepProgram, w: StepWriter, lanes: Value) -> None:
    """The point at `t`, `x0` is the last of three that are known, should a singular position come near."""
    if not step.watch_strain:
        return
    n, rows = step.n, range(PAST - 1, 0, -1)
    for row in rows:
        w.store_where(lanes, w.load("t_past", row - 1), "t_past", row)
        w.each(n, lambda i, row=row: w.store_where(lanes, w.load("x_past", i, (row - 1) * n), "x_past", i, row * n))
    w.store_where(lanes, w.load("t"), "t_past")
    w.each(n, lambda i: w.store_where(lanes, w.load("x0", i), "x_past", i))
    w.store_where(lanes, w.load("points") + 1.0, "points")


def moved(step: StepProgram, w: StepWriter) -> Value:
    """Lanes whose point is not the last one that was remembered."""
    if not step.watch_strain:
        return w.truth(False)
    apart = w.reduce(step.n, w.real(0.0), lambda i, apart: where(
        w.load("x0", i).differs(w.load("x_past", i)), 1.0, apart))
    return apart.differs(0.0) | w.load("t").differs(w.load("t_past"))
