"""Functions around the evaluation: the same one many times, and one per row of a batch."""

from __future__ import annotations


def loop_function(symbol: str, called: str) -> str:
    """The volatile pointer keeps the compiler from merging equal calls."""
    return f"""define void @{symbol}_loop(ptr %in, ptr %out, ptr %work, i64 %count) #0 {{
entry:
  %cell = alloca ptr
  store volatile ptr %in, ptr %cell
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %body, label %done
body:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %at = load volatile ptr, ptr %cell
  call void @{called}(ptr %at, ptr %out, ptr %work)
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %count
  br i1 %more, label %body, label %done
done:
  ret void
}}"""


def batch_function(symbol: str, n_in: int, n_out: int) -> str:
    return f"""define void @{symbol}_batch(ptr %in, ptr %out, ptr %work, i64 %n) #0 {{
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %a = mul i64 %i, {n_in}
  %b = mul i64 %i, {n_out}
  %pa = getelementptr double, ptr %in, i64 %a
  %pb = getelementptr double, ptr %out, i64 %b
  call void @{symbol}(ptr %pa, ptr %pb, ptr %work)
  %i1 = add i64 %i, 1
  br label %test
done:
  ret void
}}"""


def batch_lanes_function(symbol: str, width: int, n_in: int, n_out: int, n_work: int) -> str:
    """Blocks of W rows are turned into lanes behind the workspace; the remaining rows go through the scalar code."""
    return f"""define void @{symbol}_batch(ptr %in, ptr %out, ptr %work, i64 %n) #0 {{
entry:
  %xs = getelementptr double, ptr %work, i64 {n_work * width}
  %ys = getelementptr double, ptr %work, i64 {(n_work + n_in) * width}
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %i1, %block_done ]
  %i1 = add i64 %i, {width}
  %whole = icmp sle i64 %i1, %n
  br i1 %whole, label %block, label %rest
block:
  %a = mul i64 %i, {n_in}
  %b = mul i64 %i, {n_out}
  %pa = getelementptr double, ptr %in, i64 %a
  %pb = getelementptr double, ptr %out, i64 %b
  call void @{symbol}_turn(ptr %pa, ptr %xs, i64 {n_in}, i64 {n_in}, i64 1, i64 1, i64 {width})
  call void @{symbol}_{width}(ptr %xs, ptr %ys, ptr %work)
  call void @{symbol}_turn(ptr %ys, ptr %pb, i64 {n_out}, i64 1, i64 {width}, i64 {n_out}, i64 1)
  br label %block_done
block_done:
  br label %test
rest:
  %j = phi i64 [ %i, %test ], [ %j1, %row ]
  %more = icmp slt i64 %j, %n
  br i1 %more, label %row, label %done
row:
  %c = mul i64 %j, {n_in}
  %d = mul i64 %j, {n_out}
  %pc = getelementptr double, ptr %in, i64 %c
  %pd = getelementptr double, ptr %out, i64 %d
  call void @{symbol}(ptr %pc, ptr %pd, ptr %work)
  %j1 = add i64 %j, 1
  br label %rest
done:
  ret void
}}
define internal void
@{symbol}_turn(ptr noalias %from, ptr noalias %to, i64 %n, i64 %fl, i64 %fk, i64 %tl, i64 %tk) #0 {{
entry:
  br label %slot
slot:
  %k = phi i64 [ 0, %entry ], [ %k1, %slot_done ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %inner, label %done
inner:
  %fb = mul i64 %k, %fk
  %tb = mul i64 %k, %tk
  %pf = getelementptr double, ptr %from, i64 %fb
  %pt = getelementptr double, ptr %to, i64 %tb
  br label %lane
lane:
  %l = phi i64 [ 0, %inner ], [ %l1, %lane ]
  %fo = mul i64 %l, %fl
  %to1 = mul i64 %l, %tl
  %p = getelementptr double, ptr %pf, i64 %fo
  %q = getelementptr double, ptr %pt, i64 %to1
  %x = load double, ptr %p, align 8
  store double %x, ptr %q, align 8
  %l1 = add i64 %l, 1
  %lane_more = icmp slt i64 %l1, {width}
  br i1 %lane_more, label %lane, label %slot_done
slot_done:
  %k1 = add i64 %k, 1
  br label %slot
done:
  ret void
}}"""
