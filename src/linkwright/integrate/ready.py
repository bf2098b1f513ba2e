"""Pieces that travel with the package, as the text that LLVM makes machine code of.

What the dialect makes of a piece is the same on every machine, but for the last stage, LLVM's instructions for the
processor at hand.  So `pieces.zip` has every piece as LLVM's text, optimised, and the last stage is all that is left to
do: some tenths of a second, kept in the cache as a model's own code is.

The archive tells which files it was made of: those that hold compiled functions and the numbers they read, and the
compiler's own; tables of methods are data, which a run brings along.  Where one of them has changed since, or where
this LLVM does not read the text, nothing of it is used and the sources are compiled.  `make pieces` makes it anew
(`write_pieces`).
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..codegen import CompiledText, llvm_version

ARCHIVE = Path(__file__).with_name("pieces.zip")
PACKAGE = Path(__file__).parents[1]
ABOUT = "about.json"  # the form of the archive, the LLVM that wrote the text, and checksums of the sources
FORMAT = 3


@cache
def all_ready() -> bool:
    """Whether the archive is there, made of the sources that are there, and for this LLVM or an older one."""
    try:
        with zipfile.ZipFile(ARCHIVE) as archive:
            about = json.loads(archive.read(ABOUT))
        return (about["format"] == FORMAT and about["llvm"] <= llvm_version()
                and all(checksum(PACKAGE / name) == number for name, number in about["sources"].items()))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return False


@cache
def ready_piece(piece: Callable[[int, int], int]) -> CompiledText:
    """The machine code of a piece."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return CompiledText(archive.read(f"{piece.__name__}.ll").decode(), piece.__name__)


def checksum(path: Path) -> int:
    """A number that changes with a source, whatever its lines end with."""
    return zlib.crc32(path.read_bytes().replace(b"\r\n", b"\n"))
