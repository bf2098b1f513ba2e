"""Programs and functions written around them, linked together: what a step is made of, for any target.

Three pieces of object code: the programs over W lanes (in the tier that fits their length), the functions that call
them (always optimised, they are short), and the routines both share.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linkwright.codegen import cache, elementary
from linkwright.codegen.compile import LEVEL
from linkwright.codegen.machine import Loaded, function_attributes, host, native_lanes, object_code, support_code
from linkwright.codegen.module import program_functions
from linkwright.codegen.piece import FAST_FLAGS, Support
from linkwright.codegen.program import Program
from linkwright.codegen.register_plan import Room
from linkwright.codegen.written import Written

from .tolerances import OPTIMISED


@dataclass(frozen=True)
class LinkedText:
    """IR of programs, of the functions around them, and of what they share; workspace in doubles per lane.

    `near` is how many places of near memory a thread needs.
    """

    programs: str
    functions: str
    support: str
    n_work: int
    instructions: int
    near: int = 0


def link_text(programs: Mapping[str, Program], written: Written, lanes: int, attributes: str = "", vector: int = 4,
              fast: bool = False, room: Room | None = None) -> LinkedText:
    """The IR of `programs`, by role, and of the functions written around them."""
    support = Support(vector, room)
    lines, n_work, instructions = [], 0, 0
    for role, program in programs.items():
        functions = program_functions(program, f"model_{role}", lanes, fast, support)
        lines += functions.lines
        n_work, instructions = max(n_work, functions.n_work), max(instructions, functions.instructions)
    ending = f"attributes #0 = {{ nounwind {attributes} }}\n"
    programs_text = "\n".join([*lines, *sorted(support.declarations), ending])
    called = {f"declare void @model_{role}(ptr, ptr, ptr)" for role in programs}
    for name, width in written.elementary:
        width = width or lanes
        real = "double" if width == 1 else f"<{width} x double>"
        support.define(*elementary.function(name, width))
        called.add(f"declare {real} @lw_{name}_{width}({', '.join([real] * elementary.arguments(name))})")
    functions_text = "\n".join([written.text, *sorted({*written.declarations, *called}), ending])
    support_text = "\n".join([*sorted(support.definitions), ending]) if support.definitions else ""
    return LinkedText(programs_text, functions_text, support_text, n_work, instructions, support.near)


def single_module(text: LinkedText, more: str = "", attributes: str = "alwaysinline",
                  visible: Sequence[str] = (), fast: bool = False) -> str:
    """Everything in one module, for targets that link nothing; `more` is added to it.

    All functions are internal to it, but those that are to be `visible`.  With `fast` products and sums of all of them
    may be contracted, elementary functions included.
    """
    kept = []
    whole = "\n".join((text.support, text.programs, text.functions, more))
    whole = re.sub(r"^attributes #0 = .*$", "", whole, flags=re.M)
    if fast:
        whole = re.sub(r" = (fadd|fsub|fmul|fdiv) (double|<)", rf" = \1 {FAST_FLAGS}\2", whole)
    seen_outside = "".join(f"|void @{name}\\(" for name in visible)
    whole = re.sub(rf"^define (?!internal|external|ptx_kernel{seen_outside})", "define internal ", whole, flags=re.M)
    defined = set(re.findall(r"^define .*?@([\w.]+)\(", whole, flags=re.M))
    seen = set()
    for line in whole.split("\n"):
        if line.startswith("declare"):
            name = re.search(r"@([\w.]+)\(", line).group(1)
            if name in defined or name in seen:
                continue
            seen.add(name)
        kept.append(line)
    return "\n".join(kept) + f"\nattributes #0 = {{ nounwind {attributes} }}\n"


class Linked:
    """Machine code of functions around programs; `address(name)` is valid while this object lives."""

    def __init__(self, programs: Mapping[str, Program], written: Written, lanes: int, names: Sequence[str],
                 fast: bool = False) -> None:
        text = link_text(programs, written, lanes, function_attributes(lanes), native_lanes(), fast=fast)
        key = cache.text_key(host(), text.programs, text.functions, text.support) if cache.in_use() else ""
        kept = cache.load(key) if key else None
        if kept is None:
            level = LEVEL["optimised" if text.instructions <= OPTIMISED else "quick"]
            # the functions are of the dialect, which is not written for speed
            objects = [object_code(text.programs, level),
                       object_code(text.functions, 2, passes=True, vectorised=False), support_code(text.support)]
            if key:
                cache.store(key, {}, objects)
        else:
            objects = kept[1]
        self.lanes, self.n_work, self.instructions = lanes, max(text.n_work, 1), text.instructions
        self.from_cache = kept is not None
        self._loaded = Loaded(*objects)
        self._addresses = {name: self._loaded.address(name) for name in names}

    def address(self, name: str) -> int:
        return self._addresses[name]

    def function(self, name: str, result: Any = None, *arguments: Any) -> Callable[..., Any]:
        """The function as ctypes calls it."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
