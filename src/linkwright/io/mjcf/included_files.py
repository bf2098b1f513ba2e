"""A model file together with what it includes."""

from __future__ import annotations

from pathlib import Path

from ..markup import Element, read_elements
from ..roots import allowed_roots
from ..tolerances import MOST_FILES


def read_included(path: Path, search: list[Path]) -> Element:
    """The root element, with every <include> replaced by what stands in its file.

    A name counts from the folder of the file that includes it, else from that of the first file.  Included files lie in
    the collection that the first file belongs to (`roots.allowed_roots`), or in one of the folders of `search`.
    """
    root = read_elements(path)
    if root.tag == "mujoco":
        root.seen = True
    folder = path.resolve().parent
    _replace(root, [folder, *search], [*allowed_roots(folder), *search], [path.resolve()])
    return root


def _replace(element: Element, bases: list[Path], allowed: list[Path], opened: list[Path]) -> None:
    children = []
    for child in element.children:
        if child.tag != "include":
            _replace(child, bases, allowed, opened)
            children.append(child)
            continue
        child.seen = True
        file = _file(child, bases, allowed)
        if file in opened or len(opened) > MOST_FILES:
            raise child.error(f"{file.name} is included already; a file is included once.")
        opened.append(file)
        inner = read_elements(file)
        _replace(inner, [file.parent, *bases], allowed, opened)
        for grandchild in inner.children:
            grandchild.parent = element
        children += inner.children
    element.children = children


def _file(include: Element, bases: list[Path], allowed: list[Path]) -> Path:
    name = include.need("file")
    for base in bases:
        file = (base / name).resolve()
        if file.is_file():
            if any(file.is_relative_to(root) for root in allowed):
                return file
            raise include.error(f"{name} leads out of the model's folder; allow it with search=[{str(file.parent)!r}].")
    raise include.error(f"there is no file {name!r} in {bases[0]}.")
