"""Numbers that a thread of a GPU asks for are to be there together.

Its compiler puts every load near the use of its number, where memory is slow: each is waited for, one after the other.
A branch on all of them at once leaves it no choice.
"""

from __future__ import annotations

from collections.abc import Sequence

#: a function of bits that is always true, which the compiler of a GPU does not know: what they were taken from must be
#: there before a branch on it
AT_ONCE = "lw_at_once"


def all_there(names: Sequence[str], label: str) -> list[str]:
    """`%label_now`, which is true as soon as all numbers of these names are there."""
    lines, last = [], "0"
    for k, name in enumerate(names):
        lines += [f"  %{label}_b{k} = bitcast double {name} to i64", f"  %{label}_{k} = or i64 {last}, %{label}_b{k}"]
        last = f"%{label}_{k}"
    return [*lines, f"  %{label}_now = call i1 @{AT_ONCE}(i64 {last})"]
