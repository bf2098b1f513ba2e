"""A whole run as functions for targets where every run has a thread of its own.

    void @start(ptr memory, i64 runs, i64 run, i64 attempts, ptr grid, i64 n_grid, i64 own, ptr grid_x)
    void @thread(…the same…)

The numbers of a lane that last beyond a step are read from `memory` (number j of run i at [j·runs + i]) and written
back, so that a run may pause after any step.  `@start` begins it; `@thread` tries `attempts` steps at most.  States and
what changes beside them at output times go to `grid_x` (run, time, number).  With `own` = 1 every run has output times
of its own (run, time).  Between, everything is in registers, or in memory that only the thread sees.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...codegen import AT_ONCE, NEAR_STRIDE, LinkedText, Room, link_text, ptx_code, single_module
from ...codegen.dialect import written_of
from ...device import KERNELS, Threads
from ..tolerances import MERGED, REGISTERS, TOGETHER, UNROLLED
from .step_program import StepProgram

#: of a thread: values that long code keeps in registers, and in near memory.  A processor of an H200 (227 KiB of near
#: memory) then runs 192 threads.  Measured with a chain of 32 links, steps of `rk4` a second: 112 numbers and 256
#: threads 8.8e7, 149 and 192 9.5e7, 224 and 128 9.4e7, 74 and 384 (of 168 registers) 5.8e7.
ROOM = Room(100, 149)


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


#: fills memory with bytes 0x3f, so that what was not written reads as 4.8e-4, or as a large whole number
MARK = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"


def _marks(**sizes: int) -> str:
    return "\n".join(f"  call void @llvm.memset.p0.i64(ptr %{name}, i8 63, i64 {8 * size}, i1 false)"
                     for name, size in sizes.items())


def rows(step: StepProgram) -> dict[str, tuple[int, int]]:
    """Name → (first row, count) of the memory of many threads."""
    out, at = {}, 0
    for name, slots in step.memory.lasting().items():
        out[name] = at, len(slots)
        at += len(slots)
    return out


def threads(step: StepProgram) -> Threads:
    """The step program for a GPU."""
    places, (text, functions) = rows(step), thread_text(step)
    # long code has planned memory, and little is left to optimise in it
    code = ptx_code(_module(step, text, functions + KERNELS + ALWAYS + _near(text)), 1 if text.near else 2)
    return Threads(code, places, sum(count for _, count in places.values()), step.n, len(step.changing), text.near)


def _asks_for_near(text: LinkedText) -> bool:
    """Whether its code asks where near memory is; code that has planned memory does, though it may need none of it."""
    return "@lw_near" in text.programs


def _near(text: LinkedText) -> str:
    """`@lw_near`: where the near numbers of a thread begin; threads that run together have theirs side by side."""
    return "" if not _asks_for_near(text) else f"""
@near = external addrspace(3) global [0 x double], align 16
define ptr addrspace(3) @lw_near() #0 {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %thread, 5
  %lane = and i32 %thread, 31
  %first = mul i32 %warp, {text.near * NEAR_STRIDE}
  %own = add i32 %first, %lane
  %place = getelementptr double, ptr addrspace(3) @near, i32 %own
  ret ptr addrspace(3) %place
}}
"""


def thread_text(step: StepProgram, marked: bool = False) -> tuple[LinkedText, str]:
    """IR of all that a thread calls, and of `@start` and `@thread` themselves; `marked`: see `MARK`."""
    from . import lane

    # with few states all loops over them are written out, and those that are left are short ones of searches
    few = step.n <= REGISTERS
    functions = written_of([lane.begin, lane.march], 1, {"Lane": step.layout}, REGISTERS if few else UNROLLED,
                           together=1 if few else TOGETHER)
    text = link_text(step.roles, functions, 1, vector=1, fast=step.fast, room=ROOM)
    n_work = max(text.n_work, 1)
    return text, (_function(step, "start", n_work, "call void @begin(ptr %S)", marked)
                  + _function(step, "thread", n_work, "call void @march(ptr %S, i64 %attempts)", marked))


def thread_module(step: StepProgram) -> str:
    """One module with everything, `@start` and `@thread` to be called by one thread at a time on any processor.

    Memory that a thread has not written does not read as zero there, so that whoever relies on it is found.
    """
    text, functions = thread_text(step, marked=True)
    always = f"{MARK}define i1 @{AT_ONCE}(i64 %bits) #0 {{\n  ret i1 true\n}}\n"
    return _module(step, text, functions + always + ("" if not _asks_for_near(text) else f"""
@near = internal addrspace(3) global [{text.near * NEAR_STRIDE} x double] zeroinitializer, align 16
define ptr addrspace(3) @lw_near() #0 {{
  ret ptr addrspace(3) @near
}}
"""), ("start", "thread"))


def _module(step: StepProgram, text: LinkedText, functions: str, visible: Sequence[str] = ()) -> str:
    copies = 1 if step.own.known.get("chained") else step.memory.fields["at.slopes"][1][0] + 1
    merged = step.lane_events is None and not step.method.implicit and text.instructions * copies <= MERGED
    return single_module(text, functions, "alwaysinline" if merged else "", visible, step.fast)


def own_memory(width: int) -> str:
    """Lines that tell a run where its work space, its output times and its rows of so many numbers are."""
    return f"""  store ptr %space, ptr %work, align 8
  store i64 %count, ptr %n_grid, align 8
  %before = mul i64 %i, %count
  %skipped = mul i64 %before, %own
  %first_time = getelementptr double, ptr %times, i64 %skipped
  %own_times = ptrtoint ptr %first_time to i64
  store i64 %own_times, ptr %grid, align 8
  %outputs = mul i64 %before, {width}
  %first_output = getelementptr double, ptr %X, i64 %outputs
  %own_outputs = ptrtoint ptr %first_output to i64
  store i64 %own_outputs, ptr %grid_x, align 8"""


def _function(step: StepProgram, name: str, n_work: int, call: str, marked: bool) -> str:
    """A call over the memory of a lane, filled with the numbers that last, which are written back."""
    memory, lines, back = step.memory, [], []
    kinds = {"real": "double", "complex": "double", "whole": "i64"}
    row = 0
    for own, slots in memory.lasting().items():
        kind = kinds[memory.fields[own][2]]
        for slot in slots:
            lines += [f"  %r{row} = mul i64 %N, {row}", f"  %o{row} = add i64 %r{row}, %i",
                      f"  %m{row} = getelementptr double, ptr %M, i64 %o{row}",
                      f"  %s{row} = getelementptr double, ptr %S, i64 {slot}",
                      f"  %v{row} = load {kind}, ptr %m{row}, align 8", f"  store {kind} %v{row}, ptr %s{row}, align 8"]
            back += [f"  %w{row} = load {kind}, ptr %s{row}, align 8", f"  store {kind} %w{row}, ptr %m{row}, align 8"]
            row += 1
    width = step.n + len(step.changing)
    places = {name: f"  %{name} = getelementptr double, ptr %S, i64 {memory[f'at.{name}']}"
              for name in ("work", "grid", "grid_x", "n_grid")}
    return f"""
define void @{name}(ptr %M, i64 %N, i64 %i, i64 %attempts, ptr %times, i64 %count, i64 %own, ptr %X) #0 {{
entry:
  %S = alloca [{memory.slots} x double], align 16
  %space = alloca [{n_work} x double], align 16
{_marks(S=step.memory.slots, space=n_work) if marked else ""}
{chr(10).join(lines)}
{chr(10).join(places.values())}
{own_memory(width)}
  {call}
{chr(10).join(back)}
  ret void
}}
"""
