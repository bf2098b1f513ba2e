"""Where classes are found: files, folders, MODELICAPATH, and the text of the blocks that comes with this package.

A package may be a folder with package.mo or one file.  Texts of leaf classes (see `leaves`) are not needed: they are
known by name.  The trees of files are kept in the cache, by path, size and time of change.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...cache_folder import is_trusted, usable_folder
from ...errors import ModelError
from . import syntax
from .classes import file_of
from .frame_functions import FUNCTIONS as KNOWN_FUNCTIONS
from .leaves import CONNECTORS, LEAVES
from .syntax import Class, File, Import

#: texts of blocks, circuits and functions that are written here, in the place of the Standard Library's own
OWN_TEXTS = Path(__file__).parent / "texts"
#: packages of quantities
UNITS = ("Modelica.Units.SI", "Modelica.Units.NonSI", "Modelica.SIunits", "Modelica.SIunits.Conversions.NonSIunits")
#: packages that hold leaf classes: every dotted name that one begins with
LEAF_PACKAGES = frozenset(name[:k] for name in LEAVES for k, sign in enumerate(name) if sign == ".")
KNOWN_PACKAGES = frozenset(name[:k] for name in (*CONNECTORS, *KNOWN_FUNCTIONS, *(f"{name}." for name in UNITS))
                           for k, sign in enumerate(name) if sign == ".")


_noted: list[list[str]] = []


@contextlib.contextmanager
def noting(files: list[str]) -> Iterator[None]:
    """Note the files that are read meanwhile."""
    _noted.append(files)
    try:
        yield
    finally:
        _noted.pop()


def parsed(path: Path) -> File:
    """The tree of a file, from the cache where the file has not changed."""
    for files in _noted:
        files.append(str(path.resolve()))
    state = path.stat()
    key = hashlib.sha256(repr((str(path.resolve()), state.st_size, state.st_mtime_ns, VERSION)).encode()).hexdigest()
    folder = usable_folder()
    kept = None if folder is None else folder / f"modelica-{key[:32]}.tree"
    if kept is not None and is_trusted(kept):
        with contextlib.suppress(OSError, pickle.UnpicklingError, EOFError):
            return pickle.loads(kept.read_bytes())
    found = file_of(path.read_text(encoding="utf-8", errors="replace"), str(path))
    if kept is not None:
        with contextlib.suppress(OSError):  # a cache that cannot be written is none
            partial = kept.with_suffix(f".{os.getpid()}")
            partial.touch(mode=0o600)
            partial.write_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
            partial.replace(kept)
    return found


#: changes with the form of the tree and of its reader
VERSION = hashlib.sha256(b"".join((Path(syntax.__file__).parent / f"{name}.py").read_bytes()
                                  for name in ("syntax", "tokens", "expressions", "classes"))).hexdigest()[:16]


@dataclass(eq=False)
class Node:
    """A class at its place in the tree of packages; `layers` are the texts that say what is in it, first ones first."""

    full: str
    parent: Node | None
    library: Library = field(repr=False)
    layers: list[tuple[Class, Path | None]] = field(repr=False)
    _children: dict[str, Node | None] = field(default_factory=dict, repr=False)
    _bases: list[tuple[Node, syntax.Extends]] | None = field(default=None, repr=False)
    _searching: bool = field(default=False, repr=False)

    @property
    def name(self) -> str:
        return self.full.rpartition(".")[2]

    @property
    def tree(self) -> Class | None:
        return self.layers[0][0] if self.layers else None

    @property
    def leaf(self) -> bool:
        return self.full in LEAVES

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.tree.file}, line {self.tree.line}" if self.tree else "the Modelica Standard Library"

    def child(self, name: str) -> Node | None:
        """The class of this name inside, not counting inherited ones."""
        if name not in self._children:
            self._children[name] = self._find(name)
        return self._children[name]

    def _find(self, name: str) -> Node | None:
        layers: list[tuple[Class, Path | None]] = []
        for tree, folder in self.layers:
            if name in tree.classes:
                layers.append((tree.classes[name], None))
            elif folder is not None:
                layers += _in_folder(folder, name)
            if layers and layers[0][0].kind != "package":
                break
        full = f"{self.full}.{name}" if self.full else name
        if self.full in UNITS:  # a type of a quantity: a Real, whatever its unit is called
            return Node(full, self, self.library, [(_quantity(name), None)])
        if layers or full in LEAVES or full in LEAF_PACKAGES or full in CONNECTORS or full in KNOWN_PACKAGES \
                or full in KNOWN_FUNCTIONS:
            return Node(full, self, self.library, layers)
        return None

    def components(self) -> Iterator[syntax.Component]:
        for tree, _ in self.layers:
            yield from tree.components

    def imports(self) -> Iterator[Import]:
        for tree, _ in self.layers:
            yield from tree.imports

    def bases(self) -> list[tuple[Node, syntax.Extends]]:
        """Base classes with the modifications they are inherited by; icons are left out."""
        if self._bases is None:
            self._bases = []
            found = []
            for tree, _ in self.layers:
                for entry in tree.extends:
                    if ".Icons." in f".{entry.base}" or entry.base in ("Real", "Integer", "Boolean", "String"):
                        continue
                    start = self.parent if "extends" in tree.prefixes and entry.base == self.name else self
                    base = _inherited(start, entry.base) if start is not self else self.resolve(entry.base, own=False)
                    if base is None:
                        raise unknown_class(self, entry.base, entry.line)
                    if ".Icons." not in f".{base.full}.":
                        found.append((base, entry))
            self._bases = found
        return self._bases

    def member(self, name: str) -> Node | None:
        """A class inside, inherited ones too."""
        found = self.child(name)
        if found is not None or self._searching:
            return found
        self._searching = True
        try:
            aim = self.aim()
            if aim is not None:
                return aim.member(name)
            for base, _ in self.bases():
                found = base.member(name)
                if found is not None:
                    return found
        finally:
            self._searching = False
        return None

    def aim(self) -> Node | None:
        """What a short class stands for."""
        if self.tree is None or self.tree.short is None:
            return None
        return (self.parent or self.library.top).resolve(self.tree.short.type)

    def constant(self, name: str) -> tuple[Node, syntax.Component] | None:
        """A component that is declared in the class or its bases."""
        for component in self.components():
            if component.name == name:
                return self, component
        if self._searching:
            return None
        self._searching = True
        try:
            for base, _ in self.bases():
                found = base.constant(name)
                if found is not None:
                    return found
        finally:
            self._searching = False
        return None

    def resolve(self, dotted: str, own: bool = True) -> Node | None:
        """The class that a name means here: inside, imported, in enclosing packages, at the top."""
        first, _, rest = dotted.partition(".")
        if not first:
            first, _, rest = rest.partition(".")
            found = self.library.top.child(first)
        else:
            found = self.first(first, own)
        for name in rest.split(".") if rest else ():
            if found is None:
                return None
            found = found.member(name)
        return found

    def first(self, name: str, own: bool = True) -> Node | None:
        """A simple name, looked up outwards."""
        node: Node | None = self
        while node is not None:
            found = node.member(name) if own or node is not self else node.child(name)
            found = found or node.imported(name)
            if found is not None:
                return found
            if node.tree is not None and "encapsulated" in node.tree.prefixes:
                return self.library.top.child(name)
            node = node.parent
        return None

    def imported(self, name: str) -> Node | None:
        for entry in self.imports():
            if name in entry.names:
                return self.library.top.resolve(entry.names[name])
            if entry.everything is not None:
                package = self.library.top.resolve(entry.everything)
                found = package.member(name) if package is not None else None
                if found is not None:
                    return found
        return None


def _quantity(name: str) -> Class:
    return Class(name, "type", 0, short=syntax.Component("", "Real", 0))


def _inherited(node: Node, name: str) -> Node | None:
    for base, _ in node.bases():
        found = base.member(name)
        if found is not None:
            return found
    return None


def _in_folder(folder: Path, name: str) -> list[tuple[Class, Path | None]]:
    """The class of a file or folder inside a package's folder."""
    inside = folder / name
    if (inside / "package.mo").is_file():
        return [(parsed(inside / "package.mo").classes[0], inside)]
    if (folder / f"{name}.mo").is_file():
        return [(tree, None) for tree in parsed(folder / f"{name}.mo").classes if tree.name == name]
    return []


class Top(Node):
    """The place where all libraries stand."""

    def _find(self, name: str) -> Node | None:
        layers: list[tuple[Class, Path | None]] = []
        for folder in (OWN_TEXTS, *self.library.search):
            layers += _in_folder(folder, name) or _versioned(folder, name)
        layers = [layer for layer in layers if layer[0].kind == "package"] or layers[:1]
        if layers or name in LEAF_PACKAGES:
            return Node(name, self, self.library, layers)
        return None


def _versioned(folder: Path, name: str) -> list[tuple[Class, Path | None]]:
    """`Modelica 4.0.0` as well as `Modelica`; the newest of them."""
    try:
        found = sorted(entry for entry in folder.glob(f"{name} *") if (entry / "package.mo").is_file())
    except OSError:
        return []
    return [(parsed(found[-1] / "package.mo").classes[0], found[-1])] if found else []


class Library:
    """All classes that can be found from here."""

    def __init__(self, search: Sequence[str | Path] = ()):
        paths = os.environ.get("MODELICAPATH", "").split(os.pathsep)
        self.search = [Path(entry).expanduser() for entry in (*search, *paths) if str(entry)]
        self.top: Node = Top("", None, self, [])

    def add(self, file: File, path: Path) -> list[Node]:
        """The classes of a file that was named by itself; packages around it are found in the folders above."""
        depth = len(file.within.split(".")) if file.within else 0
        folder = path.resolve().parent
        if path.name == "package.mo":
            folder = folder.parent
        for _ in range(depth):
            if not (folder / "package.mo").is_file():
                folder = path.resolve().parent
                break
            folder = folder.parent
        if folder not in self.search:
            self.search.insert(0, folder)
        package = self.top.resolve(file.within) if file.within else self.top
        if package is None:
            package = self.top
        nodes = []
        for tree in file.classes:
            node = package.child(tree.name)
            if node is None or node.tree is None or node.tree.file != tree.file:
                full = f"{package.full}.{tree.name}" if package.full else tree.name
                inside = path.resolve().parent if path.name == "package.mo" else None
                node = Node(full, package, self, [(tree, inside)])
                package._children[tree.name] = node
            nodes.append(node)
        return nodes


def unknown_class(node: Node, name: str, line: int) -> ModelError:
    """What to say of a class that is not found."""
    place = f"{node.tree.file}, line {line}" if node.tree else node.full
    first = name.lstrip(".").partition(".")[0]
    library = node.library.top.child(first)
    if library is not None and not any(folder for _, folder in library.layers[1:]) and first == "Modelica":
        remedy = ("It is none of the classes that are known without the library's own text; set MODELICAPATH or "
                  "search=[…] to the folder that holds Modelica/package.mo.")
    else:
        remedy = "Check the name, or give the folder that holds its library: search=[…] or MODELICAPATH."
    return ModelError(f"{place}, in {node.full}: there is no class {name}. {remedy}")
