"""The verdict on a trial step becomes the lane's: accepted or rejected, the next step size, whether the run goes on."""

from __future__ import annotations

from ...codegen import Value, magnitude, square_root, where
from ..record import INACCURATE, OK, PROJECTION, UNSOLVED
from ..tolerances import BETA, FORGET, GROW, GROW_FIRST, HARDLY, LOOK_EVERY, NEAR, SAFETY, SHRINK, WORTH
from .pieces import Pieces
from .step_program import DONE, FAILED, NEAR_SINGULAR, RUNNING, STIFF, STRAINED, StepProgram
from .writer import Index, StepWriter, larger, smaller


def commit(step: StepProgram, w: StepWriter) -> None:
    p = Pieces(step, w)
    running = w.load("status").equals(float(RUNNING))
    good = w.load("trial").equals(float(OK))
    accepted, rejected = running & good, running & ~good
    reject(step, w, rejected)
    # accept
    t0, t1, h = w.load("t0"), w.load("t1"), w.load("h_trial")
    w.store_where(accepted, t1, "t")
    w.store_where(accepted, w.load("steps") + 1.0, "steps")
    p.copy_where(accepted, "x1", "x0")
    carry(step, w, accepted)
    updated = update(p, accepted, w.load("t"), "x1")
    if step.fixed:
        w.store_where(accepted, w.load("fixed_index") + 1.0, "fixed_index")
    else:
        next_step(step, w, accepted, h)
    w.store_where(accepted, 0.0, "rejected_before")
    w.store_where(accepted, 0.0, "restart")
    if step.n_holds:
        note_holds(step, w, accepted, t1 - t0)
    if step.watch_stiffness:
        looks_stiff(p, accepted & ~updated, h)
    last = step.method.tableau.stages
    width = step.width
    w.each(width, lambda i: w.store_where(accepted, w.load("k", i, last * width), "k", i))
    if step.updated:
        w.if_any(updated, lambda: p.evaluate_where(updated, 0))
        broken = updated & w.load("trial").differs(float(OK))
        w.store_where(broken, w.load("trial"), "cause")
        w.store_where(broken, float(FAILED), "status")
        accepted = accepted & ~broken
    if step.watch_strain:
        w.store_where(accepted & (w.load("strain_now") > 0.0), float(STRAINED), "status")
    # a run that is at its end asks for nothing more
    w.store_where(accepted & (w.load("t") >= w.load("target")), float(DONE), "status")


def reject(step: StepProgram, w: StepWriter, rejected: Value) -> None:
    """Shorter, or given up where steps have become too short; a fixed step that fails ends the run."""
    trial, t0, target = w.load("trial"), w.load("t0"), w.load("target")
    w.store_where(rejected, w.load("rejected") + 1.0, "rejected")
    w.store_where(rejected, 1.0, "rejected_before")
    failed = rejected
    if not step.fixed:
        unclosed = trial.equals(float(PROJECTION)) | trial.equals(float(UNSOLVED))
        shorter = w.load("h_trial") * where(unclosed, 0.5, 0.25)
        w.store_where(rejected & trial.differs(float(INACCURATE)), shorter, "h")
        least = 1.8e-15 * larger(magnitude(t0), 1e-3 * magnitude(target - t0))
        failed = rejected & (w.load("h") < least)
    w.store_where(failed, trial, "cause")
    w.store_where(failed, float(FAILED), "status")


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


def next_step(step: StepProgram, w: StepWriter, accepted: Value, h: Value) -> None:
    """The step size planned next (see `control.next_factor`)."""
    error, planned = w.load("error_now"), w.load("h")
    grow = where(w.load("restart").differs(0.0), GROW_FIRST, GROW)
    exponent = 1.0 / step.method.tableau.error_order - 0.75 * BETA
    factor = w.power(error, -exponent) * SAFETY * w.power(w.load("error_before"), BETA)
    factor = smaller(grow, larger(w.real(SHRINK), factor))
    factor = where(error <= 1e-12, grow, factor)
    w.store_where(accepted, larger(error, 1e-4), "error_before")
    factor = where(w.load("rejected_before").differs(0.0), smaller(factor, 1.0), factor)
    longer = h * factor
    w.store_where(accepted, where(h < planned, larger(planned, longer), longer), "h")


def note_holds(step: StepProgram, w: StepWriter, accepted: Value, span: Value) -> None:
    """Remember how well constraints hold; a lane with a singular position a few steps away ends."""
    w.store_where(accepted, w.load("span"), "span_first")
    w.store_where(accepted, span, "span")
    h = w.load("h")
    for k in range(step.n_holds):
        before, now = w.load("hold", k), w.load("hold_trial", k)
        most = larger(w.load("hold_most", k), now)
        faster = larger(magnitude(now - before) / span, 0.5 * w.load("hold_rate", k))
        rate = where(before > 0.0, faster, w.load("hold_rate", k))
        w.store_where(accepted, w.load("hold_before", k), "hold_first", k)
        w.store_where(accepted, before, "hold_before", k)
        w.store_where(accepted, now, "hold", k)
        w.store_where(accepted, most, "hold_most", k)
        w.store_where(accepted, rate, "hold_rate", k)
        near = (now > 0.0) & (now < larger(h * rate * NEAR, most * HARDLY))
        w.store_where(accepted & near, float(NEAR_SINGULAR), "status")


def looks_stiff(p: Pieces, accepted: Value, h: Value) -> None:
    """A lane whose steps have been limited by stability often enough ends (see `stiffness`)."""
    w = p.w
    suspicious = w.load("suspicions").differs(0.0)
    look = accepted & (suspicious | (w.load("steps") >= w.load("next_look")))
    w.store_where(look, w.load("steps") + float(LOOK_EVERY), "next_look")
    look = look & (w.load("target") - w.load("t") >= h * float(WORTH))

    def looking() -> None:
        at_boundary = pull(p) > w.load("boundary")
        more = w.load("suspicions") + 1.0
        doubts = w.load("doubts") + 1.0
        calm = doubts >= float(FORGET)
        w.store_where(look, where(at_boundary, 0.0, where(calm, 0.0, doubts)), "doubts")
        w.store_where(look, where(at_boundary, more, where(calm, 0.0, w.load("suspicions"))), "suspicions")
        stiff = look & at_boundary & (more >= w.load("patience"))
        w.store_where(stiff, float(STIFF), "status")

    w.if_any(look, looking)


def pull(p: Pieces) -> Value:
    """hρ from the last two stages of an explicit step."""
    w, step = p.w, p.step
    tableau, last = step.method.tableau, step.method.tableau.stages
    differences = [float(tableau.a[last, j] - tableau.a[last - 1, j]) for j in range(last)]

    def apart(i: Index) -> Value:
        total = w.real(0.0)
        for j, c in enumerate(differences):
            total = total + w.load("k", i, j * step.width) * c
        return total

    def squared(value: Value) -> Value:
        return value * value

    rows = last * step.width, (last - 1) * step.width
    top = w.reduce(step.n, w.real(0.0), lambda i, total: total + squared(
        w.load("k", i, rows[0]) - w.load("k", i, rows[1])))
    bottom = w.reduce(step.n, w.real(0.0), lambda i, total: total + squared(apart(i)))
    return where(bottom > 0.0, square_root(top / bottom), 0.0)
