"""The libraries of an FMU: its programs, its run and the C text around them, compiled here for every system."""

from __future__ import annotations

from pathlib import Path

from ...codegen import OPTIMISED, TARGETS, compile_c, shared_libraries, single_module
from ...integrate.step_programs import LedCode

C_TEXT = Path(__file__).parent / "c"
#: the C text around a run, in the order in which it is read; and what an interface needs beside it
RUN = ("memory.h",)
AROUND = (*RUN, "exchange.h")
#: names of FMI 3.0 that have another form in FMI 2.0 than with a 2 for the 3
NAMES_2 = {"fmi3Instance": "fmi2Component", "fmi3Boolean": "int", "FMUState": "FMUstate", "Deserialize": "DeSerialize",
           "GetContinuousStateDerivatives": "GetDerivatives", "fmi3": "fmi2"}
#: folders of FMI 2.0
FOLDERS_2 = {"x86_64-linux": "linux64", "aarch64-linux": "aarch64-linux", "x86_64-windows": "win64",
             "x86_64-darwin": "darwin64", "aarch64-darwin": "aarch64-darwin"}


def interface(version: int) -> str:
    """The interface of a version of FMI as C text, with what is one in both under the names of that version."""
    own, both = ((C_TEXT / file).read_text(encoding="utf-8") for file in (f"fmi{version}.c", "interface.c"))
    for name, other in NAMES_2.items() if version == 2 else ():
        both = both.replace(name, other)
    return own.replace('#include "interface.c"\n', both)


def libraries(code: LedCode, header: str, name: str, version: int, platforms: list[str]) -> dict[str, bytes]:
    """Path in the archive → library."""
    texts = [header, *((C_TEXT / file).read_text(encoding="utf-8") for file in AROUND), interface(version)]
    linked = code.linked(compile_c("\n".join(texts)))
    # tables of addresses would have to be filled in when the library is loaded
    text = single_module(linked, attributes='"no-jump-tables"="true"')
    level = 2 if linked.instructions <= OPTIMISED else 0
    made = shared_libraries(text, [TARGETS[platform] for platform in platforms], name, level)
    folders = FOLDERS_2 if version == 2 else {platform: platform for platform in platforms}
    return {f"binaries/{folders[platform]}/{name}{TARGETS[platform].suffix}": library
            for platform, library in made.items()}
