"""Trial steps of the methods that use q̇ = N(q)u, u̇ = f (see `integrate.second_order`)."""

from __future__ import annotations

from ...codegen import Value, where
from ..tolerances import MAX_CORRECTIONS
from .pieces import Pieces
from .writer import Index


def slope_of_q(p: Pieces) -> None:
    """q̇ at the input into row 1 of k: u itself, the model's own q̇, or a whole evaluation."""
    w, step = p.w, p.step
    nq = step.sizes[0]
    if step.identity_qdot:
        w.each(nq, lambda i: w.store(w.load("input", i, 1 + nq), "k", i, step.width))
    elif "qdot" in step.programs:
        w.call("qdot", "input", "out")
        w.each(nq, lambda i: w.store(w.load("out", i), "k", i, step.width))
    else:
        p.evaluate(1)


def _advance(p: Pieces, first: int, count: int, h: Value, row: int) -> None:
    """x₀ + h k of some entries into the input."""
    w = p.w

    def entry(i: Index) -> None:
        w.store(w.load("x0", i, first) + h * w.load("k", i, row * p.step.width + first), "input", i, 1 + first)

    w.each(count, entry)


def semi_implicit_euler(p: Pieces, h: Value) -> None:
    """u₁ = u₀ + h u̇(t₀, q₀, u₀), then q₁ = q₀ + h N(q₀)u₁; z₁ = z₀ + h ż₀."""
    w, step = p.w, p.step
    nq = step.sizes[0]
    p.set_input(w.load("t0"), "x0")
    _advance(p, nq, step.n - nq, h, 0)
    slope_of_q(p)
    _advance(p, 0, nq, h, 1)
    w.store(w.load("t1"), "input")


def verlet(p: Pieces, h: Value) -> None:
    """Kick, drift through the midpoint, trapezoidal rule for u, z, iterated until the speeds settle."""
    w, step = p.w, p.step
    nq, nu, _ = step.sizes
    n, width = step.n, step.width
    p.set_input(w.load("t0"), "x0")
    _advance(p, nq, nu, 0.5 * h, 0)
    slope_of_q(p)
    if not step.identity_qdot:
        _advance(p, 0, nq, 0.5 * h, 1)
        w.store(w.load("t0") + 0.5 * h, "input")
        slope_of_q(p)
    _advance(p, 0, nq, h, 1)
    w.store(w.load("t1"), "input")
    _advance(p, nq, n - nq, h, 0)
    w.store(w.load("participates"), "settling")

    def correction() -> Value:
        settling = w.load("settling").differs(0.0) & w.load("trial").equals(0.0)
        # what a lane that has settled holds is put back after the stage
        p.copy("input", "x1", 0, 1)
        p.to_stage()
        p.evaluate_where(settling, 1)
        w.each(nq, lambda i: w.store(0.0, "error", i))
        p.copy_where(settling, "input", "x1", 0, 1)

        def corrected(i: Index) -> None:
            slope = w.load("k", i, nq) + w.load("k", i, width + nq)
            value = w.load("x0", i, nq) + 0.5 * h * slope
            w.store(value - w.load("x1", i, nq), "error", i, nq)
            w.store(where(settling, value, w.load("x1", i, nq)), "input", i, 1 + nq)

        w.each(nq, lambda i: w.store(w.load("x1", i), "input", i, 1))
        w.each(n - nq, corrected)
        far = p.norm("error", 0, "x0", "x1") > w.load("tolerance") * 0.01
        settling = settling & far & w.load("trial").equals(0.0)
        w.store(where(settling, 1.0, 0.0), "settling")
        return settling

    w.repeat(MAX_CORRECTIONS, correction)
