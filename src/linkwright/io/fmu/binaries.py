"""The libraries of an FMU: its programs and the C text around them, compiled here for every system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...codegen import OPTIMISED, TARGETS, Program, Written, compile_c, link_text, shared_libraries, single_module
from .programs import ROLES

C_TEXT = Path(__file__).parent / "c"
#: the C text of a run, in the order in which it is read; and what an interface needs beside it
RUN = ("state.h", "step.h", "instants.h", "run.h")
AROUND = (*RUN, "exchange.h")
#: folders of FMI 2.0
FOLDERS_2 = {"x86_64-linux": "linux64", "aarch64-linux": "aarch64-linux", "x86_64-windows": "win64",
             "x86_64-darwin": "darwin64", "aarch64-darwin": "aarch64-darwin"}


def workspace(programs: Mapping[str, Program]) -> int:
    """Doubles of workspace that the programs need."""
    return max(link_text(programs, Written("", frozenset(), frozenset()), 1, vector=2).n_work, 1)


def libraries(programs: Mapping[str, Program], header: str, name: str, version: int,
              platforms: list[str]) -> dict[str, bytes]:
    """Path in the archive → library."""
    texts = [header, *((C_TEXT / file).read_text(encoding="utf-8") for file in (*AROUND, f"fmi{version}.c"))]
    around = compile_c("\n".join(texts))
    absent = "\n".join(f"define void @model_{role}(ptr %in, ptr %out, ptr %work) #0 {{\n  ret void\n}}"
                       for role in ROLES if role not in programs)
    linked = link_text(programs, replace(around, text="\n".join([around.text, absent])), 1, vector=2)
    # tables of addresses would have to be filled in when the library is loaded
    text = single_module(linked, attributes='"no-jump-tables"="true"')
    level = 2 if linked.instructions <= OPTIMISED else 0
    made = shared_libraries(text, [TARGETS[platform] for platform in platforms], name, level)
    folders = FOLDERS_2 if version == 2 else {platform: platform for platform in platforms}
    return {f"binaries/{folders[platform]}/{name}{TARGETS[platform].suffix}": library
            for platform, library in made.items()}
