"""The files that the code of a function is made of, with a digest of each.

Two artefacts (an FMU, a page, C, code for a GPU) whose lists are equal hold one text of a run.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .fingerprint import _Reader

PACKAGE = Path(__file__).parents[2]


def origins(functions: Iterable[Any], constants: Mapping[str, Any] | None = None) -> list[Path]:
    """The files in which functions, all that they call, and the constants they read are written."""
    reader = _Files(constants or {})
    for f in functions:
        reader.thing("", f)
    for name, thing in (constants or {}).items():
        reader.thing(name, thing)
    return sorted(reader.files)


def digests(functions: Iterable[Any], constants: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The digest (SHA-256) of each of these files, by its place in the package; line ends do not count."""
    return {path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name: _digest(path)
            for path in origins(functions, constants)}


@functools.cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


class _Files(_Reader):
    """Walks what a function depends on, and notes the files."""

    def __init__(self, constants: Mapping[str, Any]):
        super().__init__(None, constants, set())
        self.files: set[Path] = set()

    def add(self, *parts: object) -> None:
        """Values do not matter here."""

    def function(self, f: Any) -> None:
        if id(f) not in self.seen:
            self.files.add(Path(inspect.getsourcefile(f) or "?"))
            imported = _imported(f.__module__)
            self.files.update(imported[name] for name in f.__code__.co_names
                              if name in imported and isinstance(f.__globals__.get(name), int | float | tuple))
        super().function(f)


@functools.cache
def _imported(module: str) -> dict[str, Path]:
    """From which file of the package a name of a module comes, of those that it imports by name."""
    here = sys.modules[module]
    tree = ast.parse(Path(here.__file__ or "").read_text(encoding="utf-8"))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            name = importlib.util.resolve_name("." * node.level + (node.module or ""), here.__package__)
            file = getattr(sys.modules.get(name), "__file__", None)
            found.update({alias.asname or alias.name: Path(file) for alias in node.names if file})
    return found
