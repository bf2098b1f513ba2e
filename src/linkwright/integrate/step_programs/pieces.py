"""Pieces that several functions of a step share: slopes, prescribed values, the way back onto the manifold, norms."""

from __future__ import annotations

from collections.abc import Sequence

from ...codegen import Value, magnitude, square_root, where
from ..record import NONFINITE, OK, PROJECTION, SINGULAR
from ..tolerances import HUGE, MAX_PROJECTIONS, MISFIT, REPAIRED
from .step_program import StepProgram
from .writer import Index, StepWriter, larger, smaller

#: the exponent of a double, and its lowest bit: added to it, all bits carry into the sign
EXPONENT, LOWEST = 0x7FF << 52, 1 << 52


class Pieces:
    """Writes them into one function."""

    def __init__(self, step: StepProgram, w: StepWriter):
        self.step, self.w = step, w

    # --- state and slope ---

    def set_input(self, t: Value, row: str) -> None:
        """The state in a vector, at a time, into the input."""
        self.w.store(t, "input")
        self.copy(row, "input", 1)

    def copy(self, source: str, target: str, target_row: int = 0, source_row: int = 0) -> None:
        w = self.w
        w.each(self.step.n, lambda i: w.store(w.load(source, i, source_row), target, i, target_row))

    def fail(self, condition: Value, code: int) -> None:
        """What went wrong in a trial, unless something did before."""
        w = self.w
        w.store_where(condition & w.load("trial").equals(float(OK)), float(code), "trial")

    def evaluate(self, row: int, checked: bool = True) -> None:
        """The slope at the input into a row of k; a lane in which it cannot be used fails (`checked`: now)."""
        w, step = self.w, self.step
        w.call("rhs", "input", "k", row * step.width)
        if step.has_health:
            health = w.load("k", step.n, row * step.width)
            self.fail(~((health >= 0.0) & (health < HUGE)), SINGULAR)
        if checked:
            self.fail(~self.finite("k", row * step.width), NONFINITE)

    def evaluate_where(self, lanes: Value, row: int) -> None:
        """The slope at the input into a row of k, in some lanes."""
        w, step = self.w, self.step
        w.call("rhs", "input", "slope")
        w.each(step.width, lambda i: w.store_where(lanes, w.load("slope", i), "k", i, row * step.width))
        if step.has_health:
            health = w.load("slope", step.n)
            self.fail(lanes & ~((health >= 0.0) & (health < HUGE)), SINGULAR)
        self.fail(lanes & ~self.finite("slope"), NONFINITE)

    def copy_where(self, lanes: Value, source: str, target: str, target_row: int = 0, source_row: int = 0,
                   count: int | None = None) -> None:
        """A state, or so many entries, in some lanes."""
        w, count = self.w, self.step.n if count is None else count
        if w.together > 1:
            # one lane with slow memory: entries that do not change need not be read
            w.if_any(lanes, lambda: w.each(count, lambda i: w.store(w.load(source, i, source_row), target, i,
                                                                    target_row)))
            return
        w.each(count, lambda i: w.store_where(lanes, w.load(source, i, source_row), target, i, target_row))

    def finite(self, vector: str, row: int = 0) -> Value:
        """Whether all entries of a state are finite: no exponent has all its bits set."""
        w = self.w
        return w.reduce(self.step.n, w.whole(0), lambda i, carried: marked(carried, w.load(vector, i, row))) >= 0

    def combination(self, h: Value, coefficients: Sequence[float], index: Index) -> Value:
        """0 + h Σⱼ cⱼ kⱼ of one entry, over the coefficients that are not zero."""
        w, total = self.w, self.w.real(0.0)
        for j, c in enumerate(coefficients):
            if c != 0.0:
                total = total + h * c * w.load("k", index, j * self.step.width)
        return total

    def set_stage(self, h: Value, stage: int) -> None:
        """x₀ + h Σ aⱼ kⱼ at its time into the input; the newest slope is added last."""
        w, step = self.w, self.step
        tableau = step.method.tableau
        row = [float(a) for a in tableau.a[stage, :stage]]
        w.store(w.load("t0") + h * float(tableau.c[stage]), "input")
        factors = {j: h * a for j, a in enumerate(row[:-1]) if a != 0.0}
        newest = h * row[-1]

        def entry(i: Index) -> None:
            increment = None
            for j, b in (*factors.items(), (stage - 1, newest)):
                term = b * w.load("k", i, j * step.width)
                increment = term if increment is None else increment + term
            w.store(w.load("x0", i) + increment, "input", i, 1)

        w.each(step.n, entry)

    # --- onto the manifold ---

    def to_stage(self) -> None:
        """What a stage needs before its slope."""
        if self.step.every_stage:
            self.to_manifold(self.w.load("participates").differs(0.0))
        else:
            self.prescribe()

    def prescribe(self) -> None:
        if "prescribe" in self.step.programs:
            self.w.call("prescribe", "input", "out")
            self.copy("out", "input", 1)

    def normalise(self, lanes: Value | None = None) -> None:
        """Quaternions of unit length, in all lanes or some."""
        w = self.w
        for start in self.step.quaternions:
            parts = [w.load("input", 1 + start + i) for i in range(4)]
            squares = [part * part for part in parts]
            size = square_root(squares[0] + squares[1] + squares[2] + squares[3])
            usable = size > 0.0
            usable = usable if lanes is None else usable & lanes
            for i, part in enumerate(parts):
                w.store_where(usable, part / size, "input", 1 + start + i)

    def to_manifold(self, lanes: Value) -> None:
        """Prescribe, normalise and project the input in some lanes; a lane where that fails fails."""
        w, step = self.w, self.step
        self.prescribe()
        self.normalise()
        w.store(0.0, "drift")
        if "project" not in step.programs:
            return
        w.store(where(lanes, 1.0, 0.0), "going")
        w.store(1.0, "first_time")
        for name in ("first", "gap_before", "rate_before"):
            w.store(0.0, name)
        w.store(1.0, "fastest")
        w.repeat(MAX_PROJECTIONS, self._projection)
        self.fail(w.load("going").differs(0.0), PROJECTION)

    def _projection(self) -> Value:
        """One iteration; returns which lanes need another."""
        w, step = self.w, self.step
        n, nq, nu = step.n, step.sizes[0], step.sizes[1]
        going = w.load("going").differs(0.0)
        w.call("project", "input", "out")
        broken = ~self.finite("out")
        self.fail(going & broken, PROJECTION)
        going = going & ~broken
        begins = w.load("first_time").differs(0.0) & going

        def drift() -> None:
            far = w.reduce(nq, w.real(0.0), lambda i, far: larger(
                far, magnitude(w.load("out", i) - w.load("input", i, 1))))
            w.store_where(begins, far, "drift")

        w.if_any(begins, drift)
        w.store(0.0, "first_time")
        gap, rate = w.load("out", n), w.load("out", n + 1) * w.load("time_scale")
        if step.watch_strain:
            w.store_where(going, w.load("out", n + 2), "strain")
        for k in range(step.n_holds):
            w.store_where(going, w.load("out", n + 4 + k), "hold_seen", k)
        tolerance, gap_before, rate_before = w.load("tolerance"), w.load("gap_before"), w.load("rate_before")
        stays = (gap > gap_before * 0.5) & (gap <= smaller(w.real(MISFIT), gap_before * 2.0))
        closed = (gap <= tolerance) | stays
        positions = going & w.load("first").equals(0.0)
        w.each(nq, lambda i: w.store_where(positions, w.load("out", i), "input", i, 1))
        w.each(n - nq, lambda i: w.store_where(going, w.load("out", i, nq), "input", i, 1 + nq))
        kept = rate <= tolerance
        doubtful = going & ~kept & (rate > rate_before * 0.5) & (rate <= rate_before * 2.0)

        def fastest() -> None:
            scale = w.load("time_scale")
            most = w.reduce(nu, w.load("fastest"), lambda i, most: larger(
                most, magnitude(w.load("input", i, 1 + nq)) * scale))
            w.store_where(doubtful, most, "fastest")

        w.if_any(doubtful, fastest)
        kept = kept | doubtful & (rate <= w.load("fastest") * MISFIT)
        done = going & closed & kept
        self.normalise(done)
        w.store_where(going & closed, 1.0, "first")
        w.store(gap, "gap_before")
        w.store(rate, "rate_before")
        going = going & ~done
        w.store(where(going, 1.0, 0.0), "going")
        return going

    # --- errors ---

    def project_error(self, row: int) -> None:
        """Remove from an error estimate what projection has already repaired."""
        w, step = self.w, self.step
        n = step.n
        if "project_error" in step.programs:
            self.copy("error", "input", step.n_in, row * n)
            w.call("project_error", "input", "out")

            def entry(i: Index) -> None:
                left, before = w.load("out", i), w.load("error", i, row * n)
                w.store(left + (before - left) * REPAIRED, "error", i, row * n)

            w.each(n, entry)
        for start in step.quaternions:
            along = w.real(0.0)
            for i in range(start, start + 4):
                along = along + w.load("error", i, row * n) * w.load("input", i, 1)
            for i in range(start, start + 4):
                w.store(w.load("error", i, row * n) - along * w.load("input", i, 1), "error", i, row * n)

    def norm(self, vector: str, row: int, a: str, b: str) -> Value:
        """Largest of the norms over q, u, z; magnitudes are taken from the vectors a and b (see `error_norm`)."""
        w, step = self.w, self.step
        worst, start = w.real(0.0), 0
        scale = w.load("time_scale")
        for group, size in enumerate(step.sizes):
            if not size:
                continue

            def entry(i: Index, total: Value, group: int = group, start: int = start) -> Value:
                weight = w.load("weight", i, start)
                if group == 1:
                    weight = weight * scale
                if group:
                    most = larger(magnitude(w.load(a, i, start)), magnitude(w.load(b, i, start)))
                    weight = where(weight * most <= 1.0, weight, 1.0 / most)
                f = magnitude(w.load(vector, i, row * step.n + start)) * weight
                return where(f <= total, total, f) if step.max_norm else total + f * f

            value = w.reduce(size, w.real(0.0), entry)
            value = value if step.max_norm else square_root(value / float(size))
            worst = where(value <= worst, worst, value)
            start += size
        return worst


def marked(carried: Value, number: Value) -> Value:
    """Negative where it was, or where the number is not finite."""
    return carried | ((number.bits() & EXPONENT) + LOWEST)
