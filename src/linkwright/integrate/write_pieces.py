"""Making `pieces.zip` of the sources: `python -m linkwright.integrate.write_pieces`, some seconds.

Every piece is optimised for a plain processor without vectors, which is right for all of them; what each gains by its
own processor it gains from LLVM's instructions there.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from ..codegen import llvm_version, optimised_text
from ..codegen.dialect import origins, text_of
from .prepare import pieces
from .ready import ABOUT, ARCHIVE, FORMAT, PACKAGE, checksum

#: files of the compiler that LLVM's text does not depend on
ASIDE = ("__init__", "c_text", "checked", "compiled", "fingerprint", "origins", "plain")


def write() -> None:
    """Compile the sources and put the text into the archive, which is the same, bit for bit, for the same sources."""
    texts = {f"{piece.__name__}.ll": optimised_text(text_of(piece)) for piece in pieces()}
    about = {"format": FORMAT, "llvm": llvm_version(), "sources": {named(path): checksum(path) for path in sources()}}
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in {ABOUT: json.dumps(about, indent=1), **texts}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)


def sources() -> list[Path]:
    """The files that the pieces are made of: functions, numbers that they read, and the compiler."""
    compiler = [path for room in ("dialect", "elementary") for path in (PACKAGE / "codegen" / room).glob("*.py")
                if path.stem not in ASIDE]
    return sorted({*origins(pieces()), *compiler})


def named(path: Path) -> str:
    """A file by its place in the package."""
    return path.relative_to(PACKAGE).as_posix()


if __name__ == "__main__":
    write()
