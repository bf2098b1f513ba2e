"""Routines that the solvers share: copies, norms, LU with partial pivoting, equations of which some are in force.

They are written in C (the folder `c`) and compiled by our own reader of it.  Only the innermost loop is IR: down
columns in vectors of V elements.  Every element sees the same operations in the same order whatever V is, so the bits
do not depend on it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from linkwright.codegen.c_subset import compile_c

from .tolerances import STALL

RUNTIME = {
    "declare void @lw_copy(ptr, ptr, i64, i64, i64)",
    "declare double @lw_norm(ptr, i64, i64)",
    "declare void @lw_solve(ptr, i64)",
    "declare i32 @lw_advance(ptr, ptr, i64, i64)",
}


def _c_text(name: str) -> str:
    """A file of the folder `c`."""
    return (Path(__file__).parent / "c" / f"{name}.c").read_text(encoding="utf-8")


@cache
def _shared() -> str:
    """IR of what every solver may call."""
    return compile_c(f"#define STALL {STALL!r}\n{_c_text('solve')}{_c_text('newton')}").text


@cache
def closed_routine() -> str:
    """IR of `lw_closed`, for `solve_closed`; it calls what `runtime` defines."""
    declared = "".join(f"{line.partition('{')[0].removeprefix('EXPORT ')};\n"
                       for line in _c_text("solve").splitlines() if line.startswith("EXPORT"))
    return compile_c(declared + _c_text("closed")).text


@cache
def surface_routine() -> str:
    """IR of `lw_surface`, for `surfaces`."""
    return compile_c(_c_text("surface")).text


def runtime(vector: int) -> str:
    """IR of the routines that all solvers share; `vector` is the number of doubles in a register."""
    return f"{_shared()}\n{_eliminate(vector)}"


def _eliminate(vector: int) -> str:
    """IR of `lw_eliminate`, so many numbers at a time."""
    if vector <= 1:
        return _ELIMINATE.format(first="0", before="entry", more="  br label %test\n")
    v = f"<{vector} x double>"
    return _ELIMINATE.format(first="%i", before="vtest", more=f"""  %e = insertelement {v} poison, double %f, i64 0
  %fv = shufflevector {v} %e, {v} poison, <{vector} x i32> zeroinitializer
  br label %vtest
vtest:
  %i = phi i64 [ 0, %entry ], [ %i1, %vbody ]
  %i1 = add i64 %i, {vector}
  %fits = icmp sle i64 %i1, %n
  br i1 %fits, label %vbody, label %test
vbody:
  %pv = getelementptr double, ptr %x, i64 %i
  %qv = getelementptr double, ptr %y, i64 %i
  %xv = load {v}, ptr %pv, align 8
  %yv = load {v}, ptr %qv, align 8
  %mv = fmul {v} %xv, %fv
  %sv = fsub {v} %yv, %mv
  store {v} %sv, ptr %qv, align 8
  br label %vtest
""")


_ELIMINATE = """; y[i] −= f x[i],  i < n
define internal void @lw_eliminate(ptr %y, ptr %x, double %f, i64 %n) #0 {{
entry:
{more}test:
  %j = phi i64 [ {first}, %{before} ], [ %j1, %body ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr double, ptr %x, i64 %j
  %q = getelementptr double, ptr %y, i64 %j
  %a = load double, ptr %p, align 8
  %b = load double, ptr %q, align 8
  %m = fmul double %a, %f
  %s = fsub double %b, %m
  store double %s, ptr %q, align 8
  %j1 = add i64 %j, 1
  br label %test
done:
  ret void
}}
"""
