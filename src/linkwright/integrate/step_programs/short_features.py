"""Short features of laws: a lane that may have stepped over one ends, and the ordinary run takes over.

That run looks for the feature between the stages of the step (see `integrate.short_features`).
"""

from __future__ import annotations

from ...codegen import Value
from ..record import OK
from ..tolerances import FAR
from .pieces import Pieces
from .step_program import SUDDEN
from .writer import Index, larger, smaller


def laws_at_start(p: Pieces, starting: Value) -> None:
    """Laws and the arguments of their sharp functions where a run begins; the state is in the input."""
    w, count = p.w, sum(p.step.n_laws)
    w.call("laws", "input", "laws_after")
    w.each(count, lambda i: w.store_where(starting, w.load("laws_after", i), "laws_before", i))


def sudden(p: Pieces, running: Value) -> None:
    """Whether an argument differs by many of its units between the ends and the middle of the trial step."""
    w, step = p.w, p.step
    laws, bases, arguments = step.n_laws
    first, count, last = laws + bases, arguments // 2, step.method.tableau.stages * step.width
    t0 = w.load("t0")
    h = w.load("t1") - t0
    p.set_input(w.load("t1"), "x1")
    w.call("laws", "input", "laws_after")
    w.store(t0 + 0.5 * h, "input")

    def middle(i: Index) -> None:
        bend = w.load("k", i) - w.load("k", i, last)
        w.store(0.5 * (w.load("x0", i) + w.load("x1", i)) + 0.125 * h * bend, "input", i, 1)

    w.each(step.n, middle)
    w.call("laws", "input", "laws_middle")
    far = w.truth(False)
    for i in range(first, first + count):
        a, b, c = (w.load(f"laws_{when}", i) for when in ("before", "middle", "after"))
        units = [w.load(f"laws_{when}", i + count) for when in ("before", "middle", "after")]
        unit = smaller(smaller(units[0], units[1]), units[2])
        moved = larger(larger(a, b), c) - smaller(smaller(a, b), c)
        far = far | ~(moved <= unit * FAR)
    good = running & w.load("trial").equals(float(OK))
    w.store_where(good & far, float(SUDDEN), "status")
    calm = good & ~far
    w.each(sum(step.n_laws), lambda i: w.store_where(calm, w.load("laws_after", i), "laws_before", i))
