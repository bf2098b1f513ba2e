"""Where mesh files are: relative to the model file, in packages, never outside the folders that are allowed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import ModelError
from .markup import read_elements
from .roots import allowed_roots

SUFFIXES = (".stl", ".obj", ".ply", ".glb", ".gltf", ".off", ".dae", ".msh")


class MeshFiles:
    """Finds mesh files for a model file.

    A file may lie in the collection that the model file belongs to (`roots`), in a package of the name that is asked
    for around or beside it, and in the folders of `search`; nowhere else.
    """

    def __init__(self, file: Path, search: Sequence[str | Path] = ()):
        self.folder = file.resolve().parent
        listed = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
        self.search = [Path(folder).expanduser().resolve() for folder in (*search, *filter(None, listed))]

    def find(self, name: str, base: Path | None = None) -> tuple[Path | None, str]:
        """(the file, "") or (None, why not) for what a model file calls `name`, relative to `base`."""
        if name.startswith(("http:", "https:", "ftp:")):
            return None, f"{name} is not fetched from the network"
        if name.startswith(("package://", "model://")):
            package, _, inside = name.split("://", 1)[1].lstrip("/").partition("/")
            places = [(root, root / inside) for root in self._packages(package)]
        else:
            inside = name.removeprefix("file://")
            places = [(root, Path(inside) if Path(inside).is_absolute() else folder / inside)
                      for folder in (base or self.folder, *self.search) for root in self._allowed()]
        seen = [path for root, path in places if path.is_file()]
        for root, path in places:
            if path.is_file() and path.resolve().is_relative_to(root):
                if path.suffix.lower() not in SUFFIXES:
                    return None, f"{path.name} is no mesh file that can be shown ({', '.join(SUFFIXES)})"
                if path.suffix.lower() == ".dae" and importlib.util.find_spec("collada") is None:
                    return None, f"{path.name} is shown where pycollada is installed"
                return path.resolve(), ""
        if seen:
            return None, f"{name} lies outside the model's folder; allow it with search=[{str(seen[0].parent)!r}]"
        return None, f"{name} is not there; say where with search=[…]"

    def package(self, name: str) -> Path | None:
        """The folder of a package, where there is one around the file or in the folders of `search`."""
        return next(iter(self._packages(name)), None)

    def _allowed(self) -> list[Path]:
        return [*allowed_roots(self.folder), *self.search]

    def _packages(self, package: str) -> list[Path]:
        """Folders that a package of this name may be."""
        if not package or package in (".", ".."):
            return []
        above = [folder for folder in (self.folder, *self.folder.parents)
                 if folder.name == package or _package_name(folder) == package]
        beside = [folder / package for folder in self.folder.parents[:4]]
        searched = [path for folder in self.search for path in (folder, folder / package)
                    if path.name == package or path == folder]
        return [path for path in (*above, *searched, *beside) if path.is_dir()]


def _package_name(folder: Path) -> str | None:
    """The name that a ROS package gives itself, which need not be its folder's."""
    file = folder / "package.xml"
    if not file.is_file():
        return None
    try:
        name = read_elements(file).first("name")
    except ModelError:
        return None
    return None if name is None else name.text.strip()
