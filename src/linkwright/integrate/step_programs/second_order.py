"""Trial steps of the methods that use q̇ = N(q)u, u̇ = f (see `integrate.second_order`)."""

from __future__ import annotations

from ...codegen import Value, where
from ..tolerances import CORRECTED, MAX_CORRECTIONS
from .pieces import Pieces
from .writer import Index


def slope_of_q(p: Pieces, lanes: Value | None = None) -> None:
    """q̇ at the input into row 1 of k (of some lanes): u itself, the model's own q̇, or a whole evaluation."""
    w, step = p.w, p.step
    nq = step.sizes[0]
    lanes = w.load("participates").differs(0.0) if lanes is None else lanes
    if step.identity_qdot:
        w.each(nq, lambda i: w.store(w.load("input", i, 1 + nq), "k", i, step.width))
    elif "qdot" in step.programs:
        w.call("qdot", "input", "out")
        w.each(nq, lambda i: w.store_where(lanes, w.load("out", i), "k", i, step.width))
    else:
        p.evaluate_where(lanes, 1)


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


def _half_kick(p: Pieces, h: Value) -> None:
    """w + ½h ẇ at the start of a step into `increment`: of speeds, momenta in their place, and z."""
    w, step = p.w, p.step
    nq, nu, _ = step.sizes

    def entry(i: Index) -> None:
        w.store(w.load("x0", i, nq) + 0.5 * h * w.load("k", i, nq), "increment", i, nq)

    w.each(step.n - nq, entry)
    if "momenta" in step.programs:
        _momenta(p, 0)
        w.each(nu, lambda i: w.store(w.load("out", i) + 0.5 * h * w.load("out", i, nu), "increment", i, nq))


def _other_half_kick(p: Pieces, h: Value) -> None:
    """Speeds and z at the end of a step into the input, by the slope in row 1 of k."""
    w, step = p.w, p.step
    nq, nu, nz = step.sizes
    first, count = nq, nu + nz
    if "momenta" in step.programs:
        _momenta(p, 1)

        def kept(i: Index) -> None:
            w.store(w.load("increment", i, nq) + 0.5 * h * w.load("out", i, nu), "input", i, 1 + nq)

        w.each(nu, kept)
        _to_speeds(p)
        first, count = nq + nu, nz

    def entry(i: Index) -> None:
        slope = w.load("k", i, step.width + first)
        w.store(w.load("increment", i, first) + 0.5 * h * slope, "input", i, 1 + first)

    w.each(count, entry)


def _momenta(p: Pieces, row: int) -> None:
    """The model's (w, ẇ) at the input, whose slope is in a row of k, into `out`."""
    w, step = p.w, p.step
    w.each(step.n, lambda i: w.store(w.load("k", i, row * step.width), "input", i, step.n_in))
    w.call("momenta", "input", "out")


def _to_speeds(p: Pieces) -> None:
    """Momenta in the input, where there are some, become speeds."""
    w, (nq, nu, _) = p.w, p.step.sizes
    if "speeds" in p.step.programs:
        w.call("speeds", "input", "out")
        w.each(nu, lambda i: w.store(w.load("out", i), "input", i, 1 + nq))


def _middle_slope(p: Pieces, lanes: Value | None = None) -> None:
    """q̇ at the coordinates in the input, with the speeds or momenta of the middle, into row 1 of k (of some lanes)."""
    w, (nq, nu, _) = p.w, p.step.sizes
    w.each(nu, lambda i: w.store(w.load("increment", i, nq), "input", i, 1 + nq))
    _to_speeds(p)
    slope_of_q(p, lanes)


def _drift(p: Pieces, h: Value) -> None:
    """q₁ = q₀ + h q̇((q₀ + q₁)/2, w) into the input: the implicit midpoint rule, where q̇ is not u itself."""
    w, step = p.w, p.step
    nq, width = step.sizes[0], step.width
    _middle_slope(p)
    w.store(w.load("t0") + 0.5 * h, "input")
    w.each(step.n, lambda i: w.store(0.0, "error", i))
    w.store(w.load("participates"), "settling")

    def correction() -> Value:
        settling = w.load("settling").differs(0.0) & w.load("trial").equals(0.0)
        w.each(nq, lambda i: w.store(w.load("k", i, width), "error", i))
        _advance(p, 0, nq, 0.5 * h, 1)
        _middle_slope(p, settling)
        w.each(nq, lambda i: w.store(h * (w.load("k", i, width) - w.load("error", i)), "error", i))
        far = p.norm("error", 0, "x0", "x0") > w.load("tolerance") * CORRECTED
        settling = settling & far & w.load("trial").equals(0.0)
        w.store(where(settling, 1.0, 0.0), "settling")
        return settling

    if not step.identity_qdot:
        w.repeat(MAX_CORRECTIONS, correction)
    _advance(p, 0, nq, h, 1)
    w.store(w.load("t1"), "input")


def verlet(p: Pieces, h: Value) -> None:
    """Half a kick, drift, half a kick by the forces at the end, iterated until the speeds settle."""
    w, step = p.w, p.step
    nq, n = step.sizes[0], step.n
    p.set_input(w.load("t0"), "x0")
    _half_kick(p, h)
    _drift(p, h)
    _advance(p, nq, n - nq, h, 0)
    w.store(w.load("participates"), "settling")

    def correction() -> Value:
        settling = w.load("settling").differs(0.0) & w.load("trial").equals(0.0)
        # lanes that have converged get their values back after the stage
        p.copy("input", "x1", 0, 1)
        p.to_stage()
        p.evaluate_where(settling, 1)
        w.each(nq, lambda i: w.store(0.0, "error", i))
        p.copy_where(settling, "input", "x1", 0, 1)
        _other_half_kick(p, h)

        def corrected(i: Index) -> None:
            value = w.load("input", i, 1 + nq)
            w.store(value - w.load("x1", i, nq), "error", i, nq)
            w.store(where(settling, value, w.load("x1", i, nq)), "input", i, 1 + nq)

        w.each(nq, lambda i: w.store(w.load("x1", i), "input", i, 1))
        w.each(n - nq, corrected)
        far = p.norm("error", 0, "x0", "x1") > w.load("tolerance") * CORRECTED
        settling = settling & far & w.load("trial").equals(0.0)
        w.store(where(settling, 1.0, 0.0), "settling")
        return settling

    w.repeat(MAX_CORRECTIONS, correction)
