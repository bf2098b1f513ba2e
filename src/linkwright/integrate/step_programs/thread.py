"""A whole run as one function, for targets where every run has a thread of its own.

    void @thread(ptr memory, i64 runs, i64 run, i64 attempts, ptr grid, i64 n_grid, i64 own, ptr grid_x)

The numbers of a lane that last beyond a step are read from `memory` (number j of run i at [j·runs + i]), `attempts`
steps at most are tried, states and what changes beside them at output times go to `grid_x` (time, number, run), and
the numbers are written back: a run may rest after any step.  With `own` = 1 every run has output times of its own
(time, run).  Between, everything is in registers, or in memory that only the thread sees.
"""

from __future__ import annotations

from ...codegen import LinkedText, Value, Written, link_text, ptx_code, single_module
from .emit import written
from .gpu import KERNEL, Threads
from .memory import SCALARS
from .step_program import RUNNING, STARTING, StepProgram
from .writer import StepWriter

#: entries of a state up to which all loops are written out, so that it can stay in registers
REGISTERS = 32
#: instructions of all evaluations of a step up to which they are merged into one function; more take long to compile
MERGED = 12_000


def kept(step: StepProgram) -> dict[str, range]:
    """The slots of a lane that last beyond a step, by name; "rest" is the tail of the input."""
    counts = {**dict.fromkeys(SCALARS, 1), **step.lasting}
    slots = {name: range(step.memory[name], step.memory[name] + count) for name, count in counts.items()}
    rest = step.memory["input"] + 1 + step.n
    return slots | {"rest": range(rest, rest + step.n_in - 1 - step.n)}


def rows(step: StepProgram) -> dict[str, tuple[int, int]]:
    """Name → (first row, count) of the memory of many threads."""
    out, at = {}, 0
    for name, slots in kept(step).items():
        out[name] = at, len(slots)
        at += len(slots)
    return out


def threads(step: StepProgram) -> Threads:
    """The step program for a GPU."""
    places = rows(step)
    return Threads(ptx_code(thread_module(step, KERNEL)), places, sum(count for _, count in places.values()), step.n,
                   len(step.changing))


def thread_text(step: StepProgram) -> tuple[LinkedText, str]:
    """IR of all that a thread calls, and of `@thread` itself."""
    unrolled = REGISTERS if step.n <= REGISTERS else 8
    functions: Written = written(step, 1, unrolled)
    text = link_text(step.roles, functions, 1, vector=1)
    return text, _thread(step, max(text.n_work, 1))


def thread_module(step: StepProgram, kernel: str = "") -> str:
    """One module with everything; `kernel` may call `@thread`."""
    text, thread = thread_text(step)
    merged = step.switches is None and step.n <= REGISTERS and text.instructions * (step.rows + 3) <= MERGED
    return single_module(text, thread + kernel, "alwaysinline" if merged else "")


def _thread(step: StepProgram, n_work: int) -> str:
    w = StepWriter("thread", 1, step.memory)
    slots = [slot for place in kept(step).values() for slot in place]
    for j, slot in enumerate(slots):
        number = w.value("real", f"load double, ptr {_outside(w, j)}, align 8")
        place = w.value("whole", f"getelementptr double, ptr %S, i64 {slot}")
        w.lines.append(f"  store double {number.name}, ptr {place.name}, align 8")
    w.if_any(w.load("status").equals(float(STARTING)), lambda: _begin(step, w))
    w.store(0.0, "theta")
    w.lines.append("  store i64 0, ptr %tries, align 8")

    switching = step.switches is not None

    def goes_on() -> Value:
        tries = w.value("whole", "load i64, ptr %tries, align 8")
        limit = Value(w, "whole", "%attempts")
        return w.load("status").equals(float(RUNNING)) & (tries < limit)

    def step_once() -> None:
        tries = w.value("whole", "load i64, ptr %tries, align 8") + 1
        w.lines.append(f"  store i64 {tries.name}, ptr %tries, align 8")
        w.call_own("attempt")
        if switching:
            w.if_any(_accepted(w), lambda: _events(w))
        w.if_any(_accepted(w), lambda: _output(step, w))
        w.call_own("commit")
        if switching:
            happens = w.load("happened").differs(0.0) | w.load("reached").differs(0.0)
            w.if_any(happens & w.load("status").equals(float(RUNNING)), lambda: w.call_own("happen"))

    w.while_any(goes_on, step_once)
    for j, slot in enumerate(slots):
        place = w.value("whole", f"getelementptr double, ptr %S, i64 {slot}")
        number = w.value("real", f"load double, ptr {place.name}, align 8")
        w.lines.append(f"  store double {number.name}, ptr {_outside(w, j)}, align 8")
    body = "\n".join(w.lines)
    return f"""
define void @thread(ptr %M, i64 %N, i64 %i, i64 %attempts, ptr %grid, i64 %n_grid, i64 %own, ptr %X) #0 {{
entry:
  %S = alloca [{step.memory.slots} x double], align 16
  %work = alloca [{n_work} x double], align 16
  %tries = alloca i64, align 8
{body}
  ret void
}}
"""


def _outside(w: StepWriter, j: int) -> str:
    """Where number j of this run lies."""
    at = Value(w, "whole", "%N") * j + Value(w, "whole", "%i")
    return w.value("whole", f"getelementptr double, ptr %M, i64 {at.name}").name


def _begin(step: StepProgram, w: StepWriter) -> None:
    w.call_own("begin")
    w.store(0.0, "grid_next")
    w.while_any(lambda: w.load("status").equals(float(RUNNING)) & _due(w, w.load("t")), lambda: _write(step, w, "x0"))


def _accepted(w: StepWriter) -> Value:
    return w.load("status").equals(float(RUNNING)) & w.load("trial").equals(0.0)


def _next(w: StepWriter) -> Value:
    return w.value("whole", f"fptosi double {w.load('grid_next').name} to i64")


def _time(w: StepWriter) -> Value:
    """The next output time; infinite beyond the last."""
    number, last = _next(w), Value(w, "whole", "%n_grid")
    inside = number < last
    safe = w.value("whole", f"select i1 {inside.name}, i64 {number.name}, i64 0")
    # times of all runs, or those of one run after another at each of its places
    own, runs = Value(w, "whole", "%own"), Value(w, "whole", "%N")
    at = Value(w, "whole", safe.name) * (own * (runs - 1) + 1) + own * Value(w, "whole", "%i")
    place = w.value("whole", f"getelementptr double, ptr %grid, i64 {at.name}")
    time = w.value("real", f"load double, ptr {place.name}, align 8")
    return w.value("real", f"select i1 {inside.name}, double {time.name}, double 0x7FF0000000000000")


def _due(w: StepWriter, t: Value) -> Value:
    return _time(w) <= t


def _write(step: StepProgram, w: StepWriter, vector: str, row: int = 0) -> None:
    """A state, and what changes beside it, to the output; and on to the next time."""
    number = _next(w)
    places = [(vector, c, row) for c in range(step.n)] + [("input", slot, 0) for slot in step.changing]
    for c, (name, entry, first) in enumerate(places):
        at = (number * len(places) + c) * Value(w, "whole", "%N") + Value(w, "whole", "%i")
        place = w.value("whole", f"getelementptr double, ptr %X, i64 {at.name}")
        w.lines.append(f"  store double {w.load(name, entry, first).name}, ptr {place.name}, align 8")
    w.store(w.load("grid_next") + 1.0, "grid_next")


def _events(w: StepWriter) -> None:
    """Where the trial step ends, because something happens."""
    w.store(1.0, "wanted")
    w.call_own("interpolant")
    w.call_own("locate")


def _output(step: StepProgram, w: StepWriter) -> None:
    """States at output times within the trial step."""
    end = "t1" if step.switches is None else "t_end"

    def dense() -> None:
        w.store(1.0, "wanted")
        if step.switches is None:
            w.call_own("interpolant")
        w.while_any(inside, lambda: (w.call_own("point"), _write(step, w, "input", 1)))

    def inside() -> Value:
        t0, t1 = w.load("t0"), w.load("t1")
        theta = (_time(w) - t0) / (t1 - t0)
        w.store(theta, "theta")
        return (theta < 1.0) & _due(w, w.load(end)) & _accepted(w)

    w.if_any(_time(w) < w.load("t1"), dense)
    w.while_any(lambda: _accepted(w) & _due(w, w.load(end)), lambda: _write(step, w, "x1"))
