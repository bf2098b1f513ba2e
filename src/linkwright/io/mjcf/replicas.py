"""<replicate>: what is inside several times over, each turned and moved against the one before, with numbered names.

    Rₖ = R(k · euler),     pₖ₊₁ = pₖ + Rₖ offset,     names end in sep and k, with as many digits as the count has

(mujoco.readthedocs.io, "body/replicate").  What refers to a name inside stands for as many elements: tendons,
actuators, sensors, equalities, pairs; and what refers to those.
"""

from __future__ import annotations

import numpy as np

from ..markup import Element
from ..tolerances import MOST_ELEMENTS
from .settings import Settings, euler

#: tags that bear names → what attributes of others call them
KINDS = {"body": "body", "geom": "geom", "site": "site", "joint": "joint", "freejoint": "joint", "camera": "camera"}
#: sections whose elements may refer to bodies and shapes, in the order in which they refer to one another
SECTIONS = {"contact": "", "tendon": "tendon", "equality": "", "actuator": "actuator", "sensor": ""}
#: attributes that name something, and what
REFERENCES = {"jointinparent": "joint", "sidesite": "site", "cranksite": "site", "slidersite": "site",
              "refsite": "site", **{f"{kind}{k}": kind for kind in ("body", "geom", "site", "joint", "tendon")
                                    for k in ("", 1, 2)}, "actuator": "actuator"}

Names = dict[str, set[str]]


def replicate(root: Element, settings: Settings) -> None:
    """Write out every <replicate> of a file, in place."""
    room = [MOST_ELEMENTS]
    for worldbody in [child for child in root.children if child.tag == "worldbody"]:
        _expand(worldbody, root, settings, room)


def _expand(element: Element, root: Element, settings: Settings, room: list[int]) -> None:
    children = []
    for child in element.children:
        _expand(child, root, settings, room)
        if child.tag == "replicate":
            children += _copies(child, element, root, settings, room)
        else:
            children.append(child)
    element.children = children


def _copies(written: Element, parent: Element, root: Element, settings: Settings, room: list[int]) -> list[Element]:
    """The frames that stand for a <replicate>."""
    written.seen = True
    count, separator = written.number("count", 0.0), written.get("sep") or ""
    offset, angles = (written.numbers(name, 3, (0, 0, 0)) for name in ("offset", "euler"))
    if count != int(count) or count < 1:
        raise written.error(f"count is a whole number of at least one; got {count:g}.")
    names: Names = {}
    room[0] -= int(count) * _inside(written, names)
    if room[0] < 0:
        raise written.error(f"it stands for more than {MOST_ELEMENTS} elements.")
    endings = [f"{separator}{k:0{len(str(int(count)))}d}" for k in range(int(count))]
    out, place = [], np.zeros(3)
    for k, ending in enumerate(endings):
        # numbers of the file's units as texts, so that the frame is read as any other
        given = {"pos": " ".join(map(repr, map(float, place))), "euler": " ".join(map(repr, map(float, k * angles)))}
        if written.get("childclass"):
            given["childclass"] = str(written.get("childclass"))
        frame = Element("frame", given, written.file, written.line, parent)
        frame.children = [_renamed(child, frame, names, ending) for child in written.children]
        out.append(frame)
        place = place + euler(settings.sequence, settings.angle(k * angles)) @ offset
    _follow(root, names, endings, room)
    return out


def _inside(element: Element, names: Names) -> int:
    """How many elements are inside; their names are added to `names`."""
    for child in element.children:
        if child.tag in KINDS and child.attributes.get("name"):
            names.setdefault(KINDS[child.tag], set()).add(child.attributes["name"])
    return sum(1 + _inside(child, names) for child in element.children)


def _renamed(element: Element, parent: Element, names: Names, ending: str) -> Element:
    """A copy whose name, and the names of replicas that it refers to, have an ending."""
    given = dict(element.attributes)
    for key, value in element.attributes.items():
        kind = _kind(element, key)
        if value in names.get(kind, ()) or key == "name" and element.tag in KINDS and value:
            given[key] = value + ending
    copy = Element(element.tag, given, element.file, element.line, parent)
    copy.text = element.text
    copy.children = [_renamed(child, copy, names, ending) for child in element.children]
    return copy


def _kind(element: Element, key: str) -> str:
    """What an attribute refers to: body, geom, site …, or nothing."""
    if key in ("objname", "refname"):
        kind = element.attributes.get(key.replace("name", "type"), "")
        return "body" if kind == "xbody" else kind
    return REFERENCES.get(key, "")


def _refers(element: Element, names: Names) -> bool:
    own = any(value in names.get(_kind(element, key), ()) for key, value in element.attributes.items())
    return own or any(_refers(child, names) for child in element.children)


def _follow(root: Element, names: Names, endings: list[str], room: list[int]) -> None:
    """Elements that refer to replicas become as many; their own names then are replicas, too."""
    for tag, kind in SECTIONS.items():
        for section in [child for child in root.children if child.tag == tag]:
            children = []
            for element in section.children:
                if not _refers(element, names):
                    children.append(element)
                    continue
                name = element.attributes.get("name", "")
                room[0] -= len(endings)
                if room[0] < 0:
                    raise element.error(f"it stands for more than {MOST_ELEMENTS} elements.")
                for ending in endings:
                    copy = _renamed(element, section, names, ending)
                    if name:
                        copy.attributes["name"] = name + ending
                    children.append(copy)
                if name and kind:
                    names.setdefault(kind, set()).add(name)
            section.children = children
