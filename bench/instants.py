"""What deciding an instant takes: compiled code decides every one several times over, and time tells what that adds."""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

import time
from operator import itemgetter
from types import FunctionType

import linkwright as lw
from linkwright.codegen.dialect import Machine
from linkwright.integrate import Stepper, step_programs
from linkwright.integrate.step_programs.lane_record import Lane
from linkwright.integrate.step_programs.through import decided, go_through, lay_aside, layout_of
from linkwright.run import needs_python, row_record, run
from linkwright.run.going_through import GoingThrough

#: how often every instant is decided once more
AGAIN = 20


def decided_again(r: Lane) -> bool:
    """Decide the instant AGAIN times, all put back each time, and then once more."""
    for _ in range(AGAIN):
        news, instants, instant, target = r.told.n_news, r.told.n_instants, r.instant, r.target
        changed, jumped, fresh = r.changed, r.jumped, r.fresh
        if decided(r):
            lay_aside(r, 1)
            r.told.n_news, r.told.n_instants, r.instant, r.target = news, instants, instant, target
            r.changed, r.jumped, r.fresh = changed, jumped, fresh
    return decided(r)


#: `go_through`, with that
GO_THROUGH_AGAIN = FunctionType(go_through.__code__, {**go_through.__globals__, "decided": decided_again})


def cost(system, stop: float, repeat: int, **options):
    """(processor seconds of a run, of deciding its instants and of reading what happened there, the result).

    Where Python decides them, it is all that is not stepping.
    """
    if system.mechanism.controllers or needs_python(system) is not None:
        total, inside, r = min((timed_run(system, stop, **options) for _ in range(repeat)), key=itemgetter(0))
        return total, total - inside, r
    usual, several = step_programs.compiled_through, Machine(
        GO_THROUGH_AGAIN, constants={"Lane": layout_of(row_record.ROWS.layout)})
    totals, repeated, reading = [], [], []
    for _ in range(repeat + 1):
        seconds, r = _seconds(system, stop, options)
        totals.append(seconds[0])
        reading.append(seconds[1])
        step_programs.compiled_through = lambda rows: several
        try:
            repeated.append(_seconds(system, stop, options)[0][0])
        finally:
            step_programs.compiled_through = usual
    return min(totals), (min(repeated) - min(totals)) / AGAIN + min(reading), r


def _seconds(system, stop: float, options):
    """Processor seconds of a run that is decided by compiled code almost from its start, and of reading its news."""
    limits, read, reading = (run.MADE_AFTER, run.COMPILED_AFTER), GoingThrough.read, 0.0

    def timed(self):
        nonlocal reading
        began = time.process_time()
        read(self)
        reading += time.process_time() - began

    run.MADE_AFTER, run.COMPILED_AFTER, GoingThrough.read = -1, 2, timed
    try:
        began = time.process_time()
        r = lw.simulate(system, stop, **options)
        return (time.process_time() - began, reading), r
    finally:
        run.MADE_AFTER, run.COMPILED_AFTER, GoingThrough.read = *limits, read


def timed_run(system, stop: float, **options):
    """(processor seconds of a run, those spent stepping, the result)."""
    inside, watched = 0.0, [(Stepper, "_call")]
    plain = [getattr(owner, name) for owner, name in watched]

    def timed(call):
        def wrapped(*arguments):
            nonlocal inside
            began = time.process_time()
            try:
                return call(*arguments)
            finally:
                inside += time.process_time() - began
        return wrapped

    for (owner, name), call in zip(watched, plain, strict=True):
        setattr(owner, name, timed(call))
    try:
        began = time.process_time()
        r = lw.simulate(system, stop, **options)
        return time.process_time() - began, inside, r
    finally:
        for (owner, name), call in zip(watched, plain, strict=True):
            setattr(owner, name, call)
