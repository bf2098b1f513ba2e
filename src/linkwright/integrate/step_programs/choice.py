"""One of several functions, chosen by a number when it is called: which pair of shapes is measured, say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...codegen import Program, Written


def with_choice(written: Written, name: str, called: Mapping[int, str], stride: int = 1) -> Written:
    """`void @name(ptr in, ptr out, ptr work)` beside what is written, that calls the function of the number out[0]."""
    numbers = sorted(called)
    cases = " ".join(f"i64 {k}, label %case{k}" for k in numbers)
    lines = [f"define void @{name}(ptr %in, ptr %out, ptr %work) #0 {{", "entry:",
             "  %number = load double, ptr %out, align 8", "  %which = fptosi double %number to i64",
             f"  switch i64 %which, label %none [ {cases} ]"]
    for k in numbers:
        lines += [f"case{k}:", f"  call void @{called[k]}(ptr %in, ptr %out, ptr %work)", "  br label %none"]
    lines += ["none:", "  ret void", "}", ""]
    return replace(written, text="\n".join([written.text, *lines]))


def apart(programs: Mapping[str, Program], stride: int) -> str:
    """`@model_role` of programs that are `@model_own_role`, for inputs and outputs that lie a `stride` apart.

    They are brought side by side, where only the thread sees them, and back.
    """
    return "\n".join(_apart(role, sum(n for _, n in program.inputs), program.n_out, stride)
                     for role, program in programs.items())


def _apart(role: str, n_in: int, n_out: int, stride: int) -> str:
    return f"""
define void @model_{role}(ptr %in, ptr %out, ptr %work) noinline #0 {{
entry:
  %near = alloca [{max(n_in, 1)} x double], align 16
  %made = alloca [{max(n_out, 1)} x double], align 16
{_copied("in", n_in, "%in", stride, "%near", 1)}
  call void @model_own_{role}(ptr %near, ptr %made, ptr %work)
{_copied("out", n_out, "%made", 1, "%out", stride)}
  ret void
}}
"""


def _copied(name: str, count: int, source: str, source_stride: int, target: str, target_stride: int) -> str:
    """Lines that copy so many numbers."""
    if not count:
        return ""
    return f"""  br label %{name}_begin
{name}_begin:
  br label %{name}_loop
{name}_loop:
  %{name}_k = phi i64 [ 0, %{name}_begin ], [ %{name}_next, %{name}_loop ]
  %{name}_s = mul i64 %{name}_k, {source_stride}
  %{name}_t = mul i64 %{name}_k, {target_stride}
  %{name}_a = getelementptr double, ptr {source}, i64 %{name}_s
  %{name}_b = getelementptr double, ptr {target}, i64 %{name}_t
  %{name}_v = load double, ptr %{name}_a, align 8
  store double %{name}_v, ptr %{name}_b, align 8
  %{name}_next = add i64 %{name}_k, 1
  %{name}_more = icmp slt i64 %{name}_next, {count}
  br i1 %{name}_more, label %{name}_loop, label %{name}_end
{name}_end:"""
