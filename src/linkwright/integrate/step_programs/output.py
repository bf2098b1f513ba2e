"""Dense output over the trial step, and the state at a fraction of it (see `integrate.dense`)."""

from __future__ import annotations

from ...codegen import Value, where
from .pieces import Pieces
from .step_program import StepProgram
from .writer import Index, StepWriter


def interpolant(step: StepProgram, w: StepWriter) -> None:
    """Coefficients of the interpolant in lanes that want it; further stages where the method needs them."""
    p = Pieces(step, w)
    tableau, n, width = step.method.tableau, step.n, step.width
    wanted = w.load("wanted").differs(0.0)
    w.store(where(wanted, 1.0, 0.0), "participates")
    # lanes without output keep the verdict on their trial
    kept = w.load("trial")
    h = w.load("t1") - w.load("t0")
    last = tableau.stages
    extra = 0 if step.second_order else tableau.n_extra
    for stage in range(last + 1, last + 1 + extra):
        p.set_stage(h, stage)
        p.to_stage()
        p.evaluate(stage)

    def ends(i: Index) -> None:
        x0 = w.load("x0", i)
        difference = w.load("x1", i) - x0
        bend = h * w.load("k", i) - difference
        w.store(x0, "dense", i)
        w.store(difference, "dense", i, n)
        w.store(bend, "dense", i, 2 * n)
        w.store(difference - h * w.load("k", i, last * width) - bend, "dense", i, 3 * n)

    w.each(n, ends)
    for row in range(tableau.n_dense):
        coefficients = [float(c) for c in tableau.d[row, : last + 1 + extra]]
        w.each(n, lambda i, c=coefficients, row=row: w.store(p.combination(h, c, i), "dense", i, (4 + row) * n))
    w.store(where(wanted, w.load("trial"), kept), "trial")


def point(step: StepProgram, w: StepWriter) -> None:
    """The state at the fraction θ < 1 of the step, interpolated, then brought onto the manifold."""
    p = Pieces(step, w)
    wanted, kept = w.load("wanted").differs(0.0), w.load("trial")
    point_into_input(p, wanted)
    # where the point cannot be projected, the step is still valid
    w.store(kept, "trial")


def point_into_input(p: Pieces, lanes: Value) -> None:
    """The state at the fraction θ of the trial step into the input, on the manifold in some lanes."""
    w, n, top = p.w, p.step.n, 3 + p.step.method.tableau.n_dense
    theta, t0 = w.load("theta"), w.load("t0")
    rest = 1.0 - theta
    w.store(t0 + theta * (w.load("t1") - t0), "input")

    def entry(i: Index) -> None:
        value = w.load("dense", i, top * n)
        for row in range(top - 1, -1, -1):
            value = w.load("dense", i, row * n) + value * (theta if row % 2 == 0 else rest)
        w.store(value, "input", i, 1)

    w.each(n, entry)
    p.to_manifold(lanes)
