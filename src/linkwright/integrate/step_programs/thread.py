"""A whole run as functions for targets where every run has a thread of its own.

    void @start(ptr memory, i64 runs, i64 run, i64 attempts, ptr grid, i64 n_grid, i64 own, ptr grid_x)
    void @thread(…the same…)

The numbers of a lane that last beyond a step are read from `memory` (number j of run i at [j·runs + i]) and written
back, so that a run may pause after any step.  `@start` begins it; `@thread` tries `attempts` steps at most.  States and
what changes beside them at output times go to `grid_x` (time, number, run).  With `own` = 1 every run has output times
of its own (time, run).  Between, everything is in registers, or in memory that only the thread sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...codegen import AT_ONCE, NEAR_STRIDE, LinkedText, Room, Value, link_text, ptx_code, single_module
from ..tolerances import MERGED, READ_TOGETHER, REGISTERS, UNROLLED
from .emit import together, writers
from .gpu import KERNELS, Threads
from .lane_memory import SCALARS
from .step_program import RUNNING, StepProgram
from .writer import StepWriter

#: of a thread: values that long code keeps in registers, and in near memory
ROOM = Room(100, 112)


#: the number of a processor is not negative, which nobody tells the compiler
ALWAYS = f"""
define i1 @{AT_ONCE}(i64 %bits) #0 {{
  %number = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()
  %sign = lshr i32 %number, 31
  %low = trunc i64 %bits to i32
  %none = and i32 %low, %sign
  %always = icmp eq i32 %none, 0
  ret i1 %always
}}
"""


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
    places, (text, functions) = rows(step), thread_text(step)
    # long code has planned memory, and little is left to optimise in it
    code = ptx_code(_module(step, text, functions + KERNELS + ALWAYS + _near(text.near)), 1 if text.near else 2)
    return Threads(code, places, sum(count for _, count in places.values()), step.n, len(step.changing), text.near)


def _near(places: int) -> str:
    """`@lw_near`: where the near numbers of a thread begin; threads that run together have theirs side by side."""
    return "" if not places else f"""
@near = external addrspace(3) global [0 x double], align 16
define ptr addrspace(3) @lw_near() #0 {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %first = mul i32 %warp, {places * NEAR_STRIDE}
  %own = add i32 %first, %lane
  %place = getelementptr double, ptr addrspace(3) @near, i32 %own
  ret ptr addrspace(3) %place
}}
"""


def thread_text(step: StepProgram) -> tuple[LinkedText, str]:
    """IR of all that a thread calls, and of `@start` and `@thread` themselves."""
    # many slopes of one entry are a bundle by themselves
    at_once = READ_TOGETHER if step.rolled else READ_TOGETHER // 4
    functions = writers(step, 1, REGISTERS) if step.n <= REGISTERS else writers(step, 1, UNROLLED, at_once)
    text = link_text(step.roles, together(functions), 1, vector=1, fast=step.fast, room=ROOM)
    slots = kept(step)
    loop = [w for name, w in functions.items() if name != "begin"]
    mentioned, changed = (set[str]().union(*sets) for sets in (
        (w.mentioned for w in loop), (w.changed for w in loop)))
    # the tail of the input is written back only where it can change
    changed |= {"grid_next"} | ({"rest"} if step.changing or step.carry[1] else set())
    read = [name for name in slots if name in mentioned | {"rest", "grid_next"}]
    n_work = max(text.n_work, 1)
    return text, (_function(step, "start", n_work, list(slots), list(slots), lambda w: _begin(step, w))
                  + _function(step, "thread", n_work, read, [name for name in read if name in changed],
                              lambda w: _steps(step, w)))


def thread_module(step: StepProgram) -> str:
    """One module with everything, `@start` and `@thread` to be called by one thread at a time on any processor."""
    text, functions = thread_text(step)
    always = f"define i1 @{AT_ONCE}(i64 %bits) #0 {{\n  ret i1 true\n}}\n"
    return _module(step, text, functions + always + ("" if not text.near else f"""
@near = internal addrspace(3) global [{text.near * NEAR_STRIDE} x double] zeroinitializer, align 16
define ptr addrspace(3) @lw_near() #0 {{
  ret ptr addrspace(3) @near
}}
"""), ("start", "thread"))


def _module(step: StepProgram, text: LinkedText, functions: str, visible: Sequence[str] = ()) -> str:
    copies = 1 if step.rolled else step.rows + 1
    merged = step.lane_events is None and text.instructions * copies <= MERGED
    return single_module(text, functions, "alwaysinline" if merged else "", visible, step.fast)


def _function(step: StepProgram, name: str, n_work: int, read: Sequence[str], changed: Sequence[str],
              body: Callable[[StepWriter], None]) -> str:
    """`body` over the memory of a lane, filled with the numbers in `read`; of those, `changed` are written back."""
    w = StepWriter(name, 1, step.memory)
    places, slots = rows(step), kept(step)

    def each(names: Sequence[str], copy: Callable[[str, str], None]) -> None:
        for own in names:
            for k, slot in enumerate(slots[own]):
                inside = w.value("whole", f"getelementptr double, ptr %S, i64 {slot}").name
                copy(_outside(w, places[own][0] + k), inside)

    def copy(source: str, target: str) -> None:
        number = w.value("real", f"load double, ptr {source}, align 8")
        w.lines.append(f"  store double {number.name}, ptr {target}, align 8")

    each(read, copy)
    body(w)
    each(changed, lambda outside, inside: copy(inside, outside))
    lines = "\n".join(w.lines)
    return f"""
define void @{name}(ptr %M, i64 %N, i64 %i, i64 %attempts, ptr %grid, i64 %n_grid, i64 %own, ptr %X) #0 {{
entry:
  %S = alloca [{step.memory.slots} x double], align 16
  %work = alloca [{n_work} x double], align 16
  %tries = alloca i64, align 8
{lines}
  ret void
}}
"""


def _steps(step: StepProgram, w: StepWriter) -> None:
    """One step after another, and what is asked for on the way."""
    w.store(0.0, "theta")
    w.lines.append("  store i64 0, ptr %tries, align 8")
    switching = step.lane_events is not None

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
            at_event = w.load("event_found").differs(0.0) | w.load("reached").differs(0.0)
            w.if_any(at_event & w.load("status").equals(float(RUNNING)), lambda: w.call_own("at_event"))

    w.while_any(goes_on, step_once)


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
    """Where the trial step ends: at its own end, or at an event before."""
    w.store(1.0, "wanted")
    w.call_own("interpolant")
    w.call_own("locate")


def _output(step: StepProgram, w: StepWriter) -> None:
    """States at output times within the trial step."""
    end = "t1" if step.lane_events is None else "t_end"

    def dense() -> None:
        w.store(1.0, "wanted")
        if step.lane_events is None:
            w.call_own("interpolant")
        w.while_any(inside, point)

    def point() -> None:
        w.call_own("point")
        _write(step, w, "input", 1)

    def inside() -> Value:
        t0, t1 = w.load("t0"), w.load("t1")
        theta = (_time(w) - t0) / (t1 - t0)
        w.store(theta, "theta")
        return (theta < 1.0) & _due(w, w.load(end)) & _accepted(w)

    w.if_any(_time(w) < w.load("t1"), dense)
    w.while_any(lambda: _accepted(w) & _due(w, w.load(end)), lambda: _write(step, w, "x1"))
