"""A URDF robot that an SDF file includes, written as a model of SDF: the same links and joints in the other's words."""

from __future__ import annotations

from ..markup import Element
from ..urdf.tree import base_of, by_name

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating")
#: children of <limit> and <dynamics> that both formats have
LIMITS, DYNAMICS = ("lower", "upper", "effort", "velocity"), ("damping", "friction")


def as_model(robot: Element) -> Element:
    """The robot as a <model>; each link counts from its parent, by the joint between them."""
    links, joints = by_name(robot.all("link")), by_name(robot.all("joint"))
    base_of(robot, links, joints)
    model = _new(robot, "model", name=robot.need("name"))
    above = {joint.the("child").need("link"): joint for joint in joints.values()}
    for name, link in links.items():
        made = _new(link, "link", name=name)
        made.parent = model
        model.children.append(made)
        if name in above:
            _pose(above[name], made).attributes["relative_to"] = above[name].the("parent").need("link")
        for child in link.all("inertial", "visual", "collision"):
            made.children.append(_inertial(child) if child.tag == "inertial" else _shape(child))
        if link.first("inertial") is None:  # without one a link of URDF has no mass, one of SDF a kilogram
            made.children.append(_inertial(_new(link, "inertial")))
    for name, joint in joints.items():
        kind = joint.choice("type", KINDS, "")
        if kind == "floating":
            continue
        made = _new(joint, "joint", name=name, type=kind)
        for end in ("parent", "child"):
            _text(joint, made, end, joint.the(end).need("link"))
        model.children.append(made)
        if kind != "fixed":
            made.children.append(_axis(joint, joint.first("axis")))
    return model


def _new(like: Element, tag: str, **attributes: str) -> Element:
    """An element that stands where another one does."""
    made = Element(tag, attributes, like.file, like.line, like.parent)
    made.seen = like.seen = True
    return made


def _text(like: Element, into: Element, tag: str, text: str) -> Element:
    made = _new(like, tag)
    made.text, made.parent = text, into
    into.children.append(made)
    return made


def _pose(element: Element, into: Element) -> Element:
    origin = element.first("origin")
    xyz, rpy = ("0 0 0", "0 0 0") if origin is None else (origin.get("xyz") or "0 0 0", origin.get("rpy") or "0 0 0")
    return _text(origin or element, into, "pose", f"{xyz} {rpy}")


def _inertial(inertial: Element) -> Element:
    made = _new(inertial, "inertial")
    _pose(inertial, made)
    mass, moments = inertial.first("mass"), inertial.first("inertia")
    _text(mass or inertial, made, "mass", "0" if mass is None else mass.need("value"))
    inertia = _text(moments or inertial, made, "inertia", "")
    for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"):
        _text(inertial, inertia, key, (None if moments is None else moments.get(key)) or "0")
    return made


def _shape(element: Element) -> Element:
    made = _new(element, element.tag, name=element.get("name") or element.tag)
    _pose(element, made)
    geometry = _text(element, made, "geometry", "")
    for kind in element.the("geometry").all():
        shape = _text(kind, geometry, kind.tag, "")
        for key in list(kind.attributes):
            _text(kind, shape, "uri" if key == "filename" else key, kind.get(key) or "")
    return made


def _axis(joint: Element, given: Element | None) -> Element:
    made = _new(joint, "axis")
    _text(given or joint, made, "xyz", "1 0 0" if given is None else given.get("xyz") or "1 0 0")
    for tag, keys in (("limit", LIMITS), ("dynamics", DYNAMICS)):
        found = joint.first(tag)
        if found is not None:
            part = _text(found, made, tag, "")
            for key in keys:
                if found.get(key):
                    _text(found, part, key, found.get(key) or "")
    mimic = joint.first("mimic")
    if mimic is not None:
        part = _new(mimic, "mimic", joint=mimic.need("joint"))
        made.children.append(part)
        for key in ("multiplier", "offset"):
            if mimic.get(key):
                _text(mimic, part, key, mimic.get(key) or "")
    return made
