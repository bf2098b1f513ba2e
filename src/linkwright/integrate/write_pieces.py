"""Making `pieces.zip` of the sources: `python -m linkwright.integrate.write_pieces`, half a minute.

Numba compiles every piece for a plain processor without vectors, which is right for all of them; what each gains by
its own processor it gains from LLVM's instructions there.  Of Numba's module only the function itself is kept, under
the name ENTRY, without what would raise Python's exceptions: compiled code here gives a status instead.
"""

from __future__ import annotations

import ast
import json
import os
import re
import zipfile
from importlib import import_module
from pathlib import Path

from ..codegen import llvm_version
from .prepare import pieces
from .ready import ABOUT, ARCHIVE, ENTRY, checksum

#: what makes Numba's code fit for all processors; taken up as Numba is imported
PLAIN = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "LINKWRIGHT_CACHE": "off"}


def write() -> None:
    """Compile the sources and put the text into the archive, which is the same, bit for bit, for the same sources."""
    ARCHIVE.unlink(missing_ok=True)  # so that Numba is asked
    os.environ.update(PLAIN)
    texts = {name: alone(import_module(f".{name}", __package__).build().inspect_llvm()) for name in pieces()}
    about = {"llvm": llvm_version(), "sources": {path.name: checksum(path) for path in sources()}}
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in {ABOUT: json.dumps(about, indent=1), **{f"{name}.ll": texts[name] for name in texts}}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def sources() -> list[Path]:
    """The files of this room that the pieces are made of: their own, and what those import."""
    folder, found, open_ones = Path(__file__).parent, set(), {*pieces(), "dialect"}
    while open_ones:
        name = open_ones.pop()
        found.add(name)
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and node.module not in found:
                open_ones.add(node.module)
    return sorted(folder / f"{name}.py" for name in found - {"jit", "ready"})


def alone(text: str) -> str:
    """Of the text of a C function by Numba: the function itself, and those it calls, as functions of their own."""
    text = re.sub(r"^(target|source_filename|; ModuleID).*\n", "", text, flags=re.M)
    head, wrapper, rest = re.split(r"(?ms)^(define i64 @cfunc\..*?^\}\n)", text)
    inner = re.search(r"call i32 @([\w.]+)\(", wrapper)
    if inner is None:
        raise ValueError("Numba's C function has another form than this was written for.")
    text = re.sub(r"^define (linkonce_odr |external )?", "define internal ", head + rest, flags=re.M)
    text = text.replace("local_unnamed_addr ", "")
    entry = (f"define i64 @{ENTRY}(i64 %address, i64 %task) {{\n  %result = alloca i64\n  %raised = alloca ptr\n"
             f"  store i64 0, ptr %result\n  %status = call i32 @{inner[1]}(ptr %result, ptr %raised, i64 %address, "
             "i64 %task)\n  %value = load i64, ptr %result\n  ret i64 %value\n}\n")
    return _renamed(_without_unused(entry + text))


def _without_unused(text: str) -> str:
    """Without globals and declarations that nothing refers to."""
    kept = []
    for line in text.split("\n"):
        named = re.match(r'(?:declare [^@]*)?(@(?:"[^"]*"|[\w.$]+))', line)
        if named is None or text.count(named[1]) > 1:
            kept.append(line)
    return "\n".join(kept)


def _renamed(text: str) -> str:
    """With the names of the sources in the place of Numba's, which tell types and versions too."""
    known: dict[str, str] = {}

    def short(match: re.Match) -> str:
        if match[0] not in known:
            rest, word = match[0][3:], "function"
            while (size := re.match(r"\d+", rest)) is not None:
                end = size.end() + int(size[0])
                word, rest = rest[size.end():end], rest[end:]
            known[match[0]] = re.sub(r"\W", "_", word) + f".{len(known)}"
        return known[match[0]]

    return re.sub(r"_ZN[\w.]+", short, text)


if __name__ == "__main__":
    write()
