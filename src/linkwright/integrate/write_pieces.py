"""Making `pieces.zip` of the sources: `python -m linkwright.integrate.write_pieces`, some seconds.

Every piece is optimised for a plain processor without vectors, which is right for all of them; what each gains by its
own processor it gains from LLVM's instructions there.
"""

from __future__ import annotations

import ast
import json
import zipfile
from pathlib import Path

from ..codegen import llvm_version, optimised_text
from ..codegen.dialect import text_of
from .prepare import pieces
from .ready import ABOUT, ARCHIVE, FORMAT, checksum


def write() -> None:
    """Compile the sources and put the text into the archive, which is the same, bit for bit, for the same sources."""
    texts = {f"{piece.__name__}.ll": optimised_text(text_of(piece)) for piece in pieces()}
    about = {"format": FORMAT, "llvm": llvm_version(), "sources": {path.name: checksum(path) for path in sources()}}
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in {ABOUT: json.dumps(about, indent=1), **texts}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def sources() -> list[Path]:
    """The files of this room that the pieces are made of: their own, and what those import."""
    folder, found = Path(__file__).parent, set()
    open_ones = {piece.__module__.rpartition(".")[2] for piece in pieces()}
    while open_ones:
        name = open_ones.pop()
        found.add(name)
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and node.module not in found:
                open_ones.add(node.module)
    return sorted(folder / f"{name}.py" for name in found - {"ready"})


if __name__ == "__main__":
    write()
