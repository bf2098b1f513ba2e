"""Models that are included: where their files are, and what merging one into another model means.

`merge="true"` makes links, joints, frames and inner models of the included model those of the including one.  A frame
takes the place of the included model's own, which poses count from (sdformat.org, "Model composition").
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...algebra import Transform
from ...errors import ModelError
from ..markup import Element, read_elements
from ..mesh_paths import MeshFiles
from ..roots import allowed_roots
from .scopes import MODEL, Scope, from_text, pose
from .urdf_inside import as_model

#: attributes that name a frame, and elements whose text does
NAMING, ENDS = ("relative_to", "attached_to", "expressed_in"), ("parent", "child")


def file_of(include: Element, meshes: MeshFiles) -> Path | None:
    """The file that an <include> names: in a package or model folder, beside the file, or in the search folders."""
    uri, folder = include.the("uri").words(), include.file.resolve().parent
    scheme, _, name = uri.rpartition("://")
    package, _, inside = name.strip("/").partition("/")
    found = meshes.package(package) if scheme in ("package", "model") else None
    places = [] if found is None else [found / inside]
    places += [base / name for base in (folder, *folder.parents[:4], *meshes.search)]
    allowed = [*allowed_roots(folder), *allowed_roots(meshes.folder), *meshes.search]
    for place in places:
        file = place if place.is_file() else _model_in(place)
        if file is not None:
            if any(file.resolve().is_relative_to(root) for root in allowed):
                return file.resolve()
            raise include.error(f"{uri} leads out of the model's folder; allow it with search=[{str(file.parent)!r}].")
    return None


def _model_in(folder: Path) -> Path | None:
    """The file of a model's folder: as its model.config says, model.sdf, or the only one there is."""
    config = folder / "model.config"
    if config.is_file():
        try:
            said = read_elements(config).first("sdf")
        except ModelError:
            said = None
        if said is not None and said.words() and (folder / said.words()).is_file():
            return folder / said.words()
    files = sorted(folder.glob("*.sdf")) if folder.is_dir() else []
    return folder / "model.sdf" if folder / "model.sdf" in files else files[0] if len(files) == 1 else None


def model_of(root: Element) -> Element | None:
    """The <model> of an included file; None for a format that cannot be included here."""
    root.seen = True
    if root.tag == "robot":
        return as_model(root)
    return root.the("model") if root.tag == "sdf" else None


def set_included(model: Element, include: Element) -> None:
    """Give a model the name, pose and placement frame that its <include> says."""
    for tag in ("name", "pose", "placement_frame", "static"):
        said = include.first(tag)
        if said is None or not said.words() and tag != "pose":
            continue
        if tag in ("name", "placement_frame"):
            model.attributes[tag] = said.words()
        else:
            model.children = [*(child for child in model.children if child.tag != tag), said]
    if include.first("placement_frame") is not None and include.first("pose") is None:
        raise include.error("a placement_frame needs a <pose>.")


def merge(include: Element, model: Element, into: Element) -> None:
    """Put what is inside a model into another one, posed by a frame in the place of the model's own."""
    own = Scope("included", model, "")
    for inner in model.all("model"):
        own.inside[inner.need("name")] = Scope(inner.need("name"), inner, "", own)
    place, given = pose(model), model.first("pose")
    aim = model.get("placement_frame")
    if aim:
        place = place @ own.inner(aim, include).inverse()
    first = next((child.get("name") for child in model.children if child.tag == "link"), "")
    frame = f"_merged__{model.need('name')}__model__"
    proxy = Element("frame", {"name": frame, "attached_to": model.get("canonical_link") or first or ""}, include.file,
                    include.line, into)
    proxy.children.append(from_text(place, (given.get("relative_to") if given is not None else None) or MODEL, proxy))
    proxy.seen = model.seen = True
    into.children.append(proxy)
    for child in list(model.children):
        if child.tag in ("link", "joint", "frame", "model"):
            _count_from(child, frame)
            child.parent = into
            into.children.append(child)
        child.seen = True


def _count_from(element: Element, frame: str) -> None:
    """Let the pose of an element, and what it says of `__model__`, count from a frame."""
    for part in _all_below(element):
        for key in NAMING:
            if part.attributes.get(key) == MODEL:
                part.attributes[key] = frame
        if element.tag == "joint" and part.tag in ENDS and part.words() == MODEL:
            part.text = frame
    if element.tag == "frame" and not element.attributes.get("attached_to"):
        element.attributes["attached_to"] = frame
    elif element.tag in ("link", "model"):
        given = element.first("pose")
        if given is None:
            element.children.append(from_text(Transform(np.eye(3), np.zeros(3)), frame, element))
        elif not given.attributes.get("relative_to"):
            given.attributes["relative_to"] = frame


def _all_below(element: Element) -> list[Element]:
    """An element with all inside it, but not inside another model, where `__model__` is that one."""
    inner = [] if element.tag == "model" else element.children
    own = element.children if element.tag == "model" else []
    posed = [child for child in own if child.tag == "pose"]
    return [element, *posed, *(below for child in inner for below in _all_below(child))]
