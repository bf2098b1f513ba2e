"""The stages of an explicit Runge–Kutta step, up to its new point in the input."""

from __future__ import annotations

from collections.abc import Callable

from ...codegen import Value
from ..record import NONFINITE
from .pieces import Pieces, marked
from .writer import Index


def one_after_another(p: Pieces, h: Value) -> None:
    """Stages 2 … s, then the new point."""
    last = p.step.method.tableau.stages
    for stage in range(1, last):
        p.set_stage(h, stage)
        p.to_stage()
        p.evaluate(stage)
    p.set_stage(h, last)
    p.w.store(p.w.load("t1"), "input")


def in_a_loop(p: Pieces, h: Value, arrive: Callable[[], None]) -> None:
    """All stages and the slope at the new point by one piece of code, for methods with `StepProgram.rolled`.

    Every stage needs the newest slope only, so only that is kept, and the sum of the step is built up as slopes come.
    A loop with a single evaluation in it is short enough for the registers and the instruction memory of a GPU.
    """
    w, step, tableau = p.w, p.step, p.step.method.tableau
    last, row = tableau.stages, tableau.stages * step.width
    b = [float(a) for a in tableau.a[last, :last]]
    newest = [float(tableau.a[stage, stage - 1]) for stage in range(1, last)]
    c = [float(tableau.c[stage]) for stage in range(1, last)]
    late = w.together > 1  # where memory is slow, slopes are checked when they are next read
    p.copy("k", "k", row)
    # −0 + x is x, whatever its sign
    w.each(step.n, lambda i: w.store(-0.0, "increment", i))

    def stage(number: str) -> None:
        share = h * w.one_of(number, b)

        def each(entry: Callable[[Index, Value], None]) -> None:
            """`entry` with the newest slope, and whether that is finite where nobody has looked yet."""
            if not late:
                w.each(step.n, lambda i: entry(i, w.load("k", i, row)))
                return

            def seen(i: Index, carried: Value) -> Value:
                slope = w.load("k", i, row)
                entry(i, slope)
                return marked(carried, slope)

            p.fail(~(w.reduce(step.n, w.whole(0), seen) >= 0), NONFINITE)

        def between() -> None:
            ahead = h * w.one_of(number, newest)
            w.store(w.load("t0") + h * w.one_of(number, c), "input")

            def entry(i: Index, slope: Value) -> None:
                w.store(w.load("increment", i) + share * slope, "increment", i)
                w.store(w.load("x0", i) + ahead * slope, "input", i, 1)

            each(entry)
            p.to_stage()

        def end() -> None:
            each(lambda i, slope: w.store(w.load("x0", i) + (w.load("increment", i) + share * slope), "input", i, 1))
            w.store(w.load("t1"), "input")
            arrive()

        w.unless_last(number, last, between, end)
        p.evaluate(last, checked=not late)

    w.times(last, stage)
    if late:
        p.fail(~p.finite("k", row), NONFINITE)
