"""Threads whose memory is far too long for registers: it lies in the memory of the GPU, side by side for a warp.

    void @start(ptr memory, i64 runs, i64 run, i64 attempts, ptr grid, i64 n_grid, i64 own, ptr grid_x, ptr far,
                ptr first)
    void @thread(…the same…)

As in `thread`, numbers that others look at (time, inputs, what the run is doing) come from the rows of `memory` and go
back there.  All others stay in `far`: number k of run i of a warp at [32 k + i], so that threads that do the same reach
numbers side by side.  A run without a past begins with what `first` has.  The model's programs have inputs and outputs
of their own, which are copied (`choice.apart`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...codegen import NEAR_STRIDE as STRIDE
from ...codegen import LinkedText, Program, Written, link_text, ptx_code, single_module
from ...codegen.dialect import Layout
from ...device import Threads, kernels
from ..tolerances import ATTEMPTS
from .choice import apart
from .step_program import STARTING
from .thread import own_memory


class FarMemory(Protocol):
    """Where numbers lie, by name, and how many there are."""

    slots: int
    kept: int
    fields: dict[str, tuple[int, tuple[int, ...], str]]

    def __getitem__(self, name: str) -> int: ...


class FarProgram(Protocol):
    """A step program of long memory; `rows` are the names that others look at."""

    memory: FarMemory
    layout: Layout
    n: int
    fast: bool
    rows: tuple[str, ...]

    @property
    def roles(self) -> dict[str, Program]: ...

    @property
    def changing(self) -> tuple[int, ...]: ...

    def written(self, lanes: int, stride: int = 1, marches: bool = False) -> Written: ...


def rows(step: FarProgram) -> dict[str, tuple[int, int]]:
    """Name → (first row, count) of the memory that others look at."""
    out, at = {}, 0
    for name in step.rows:
        count = int(np.prod(step.memory.fields[name][1], dtype=int))
        out[name] = at, count
        at += count
    return out


def far_threads(step: Any) -> Threads:
    """The step program for a GPU."""
    places = rows(step)
    text, functions = far_text(step)
    code = ptx_code(_module(step, text, functions + kernels("far", "begins")))
    return Threads(code, places, sum(count for _, count in places.values()), step.n, len(step.changing),
                   far=step.memory.slots, attempts=ATTEMPTS)


def far_text(step: FarProgram) -> tuple[LinkedText, str]:
    """IR of all that a thread calls, and of `@start` and `@thread` themselves."""
    own = {f"own_{role}": program for role, program in step.roles.items()}
    text = link_text(own, step.written(1, STRIDE, True), 1, vector=1, fast=step.fast)
    n_work = max(text.n_work, 1)
    return text, (apart(step.roles, STRIDE) + _function(step, "start", n_work, "call void @begin(ptr %S)", True)
                  + _function(step, "thread", n_work, "call void @march(ptr %S, i64 %attempts)", False))


def far_module(step: FarProgram) -> str:
    """One module with everything, `@start` and `@thread` to be called by one thread at a time on any processor."""
    text, functions = far_text(step)
    return _module(step, text, functions, ("start", "thread"))


def _module(step: FarProgram, text: LinkedText, functions: str, visible: Sequence[str] = ()) -> str:
    return single_module(text, functions, "", visible, step.fast)


def _function(step: FarProgram, name: str, n_work: int, call: str, starts: bool) -> str:
    """A call over the memory of a run, after its rows were read, which are written back."""
    memory, lines, back, at = step.memory, [], [], rows(step)
    if starts:
        lines.append(_first(memory, at))
    for k, (own, (first, count)) in enumerate(at.items()):
        if count:
            lines.append(_moved(f"in{k}", first, count, memory[own], True))
            back.append(_moved(f"out{k}", first, count, memory[own], False))
    width = step.n + len(step.changing)
    places = "\n".join(f"  %{own} = getelementptr double, ptr %S, i64 {memory[f'at.{own}'] * STRIDE}"
                       for own in ("work", "grid", "grid_x", "n_grid"))
    return f"""
define void @{name}(ptr %M, i64 %N, i64 %i, i64 %attempts, ptr %times, i64 %count, i64 %own, ptr %X, ptr %far,
                    ptr %first) #0 {{
entry:
  %space = alloca [{n_work} x double], align 16
  %warp = lshr i64 %i, 5
  %lane = and i64 %i, 31
  %before_warp = mul i64 %warp, {memory.slots * STRIDE}
  %beginning = add i64 %before_warp, %lane
  %S = getelementptr double, ptr %far, i64 %beginning
  br label %next0
next0:
{chr(10).join(lines)}
{places}
{own_memory(width)}
  {call}
{chr(10).join(back)}
  ret void
}}
"""


def _first(memory: FarMemory, at: dict[str, tuple[int, int]]) -> str:
    """What a run without a past begins with: one that is to start, and has not begun before."""
    return f"""  %doing_row = mul i64 %N, {at['doing'][0]}
  %doing_at = add i64 %doing_row, %i
  %doing_place = getelementptr double, ptr %M, i64 %doing_at
  %doing = load i64, ptr %doing_place, align 8
  %begun_row = mul i64 %N, {at['begun'][0]}
  %begun_at = add i64 %begun_row, %i
  %begun_place = getelementptr double, ptr %M, i64 %begun_at
  %begun = load i64, ptr %begun_place, align 8
  %starting = icmp eq i64 %doing, {STARTING}
  %unbegun = icmp eq i64 %begun, 0
  %anew = and i1 %starting, %unbegun
  br i1 %anew, label %copy, label %copied
copy:
  br label %copying
copying:
  %c_k = phi i64 [ 0, %copy ], [ %c_next, %copying ]
  %c_from = getelementptr double, ptr %first, i64 %c_k
  %c_far = mul i64 %c_k, {STRIDE}
  %c_to = getelementptr double, ptr %S, i64 %c_far
  %c_value = load i64, ptr %c_from, align 8
  store i64 %c_value, ptr %c_to, align 8
  %c_next = add i64 %c_k, 1
  %c_more = icmp slt i64 %c_next, {memory.kept}
  br i1 %c_more, label %copying, label %copied
copied:"""


def _moved(name: str, first: int, count: int, slot: int, inwards: bool) -> str:
    """Rows of a run into its far memory, or back."""
    source, target = (f"%{name}_row", f"%{name}_far") if inwards else (f"%{name}_far", f"%{name}_row")
    return f"""  br label %{name}_begin
{name}_begin:
  br label %{name}_loop
{name}_loop:
  %{name}_k = phi i64 [ 0, %{name}_begin ], [ %{name}_next, %{name}_loop ]
  %{name}_r = add i64 %{name}_k, {first}
  %{name}_rn = mul i64 %{name}_r, %N
  %{name}_ri = add i64 %{name}_rn, %i
  %{name}_row = getelementptr double, ptr %M, i64 %{name}_ri
  %{name}_s = add i64 %{name}_k, {slot}
  %{name}_sn = mul i64 %{name}_s, {STRIDE}
  %{name}_far = getelementptr double, ptr %S, i64 %{name}_sn
  %{name}_v = load i64, ptr {source}, align 8
  store i64 %{name}_v, ptr {target}, align 8
  %{name}_next = add i64 %{name}_k, 1
  %{name}_more = icmp slt i64 %{name}_next, {count}
  br i1 %{name}_more, label %{name}_loop, label %{name}_end
{name}_end:"""
