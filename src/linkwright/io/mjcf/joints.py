"""Joints: where they sit, what moves, where they stop.

A joint moves its body's frame against the parent's about a point `pos` and an axis of the body's own frame; several
joints of one body move it one after another.  A coordinate counts from `ref` in the pose that the file draws, so that
between parent and body there is

    X_PB Π T(pos) A(−ref) J(q) T(−pos),       A(−ref) the joint's own motion by −ref.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...algebra import axis_rotation, rotation_angles
from ..markup import Element
from .joint_forces import add_forces, add_forces_of_turning, dry_friction
from .settings import direction

if TYPE_CHECKING:
    from ...language import Component, Frame
    from .bodies import Place, Tree

#: how soft another program's limits are, and what it lists them by
UNUSED = ("group", "margin", "user", "solreflimit", "solimplimit", "solreffriction", "solimpfriction")


def add_joint(tree: Tree, joint: Element, k: int, count: int, body: str, parent: Place, at: Frame,
              X: lw.Transform) -> tuple[Frame, lw.Transform]:
    """The k-th of `count` joints of a body; gives the frame behind it and what is left to the body's frame."""
    free = joint.tag == "freejoint"
    kind = "free" if free else joint.choice("type", ("hinge", "slide", "ball", "free"), "hinge")
    name = joint.get("name") or (f"{body}_joint{k + 1}" if count > 1 else f"{body}_joint")
    if name in tree.parts.joints:
        raise joint.error(f"there is a joint {name!r} already.")
    for unused in UNUSED:
        joint.get(unused)
    if kind == "free":
        if parent.body != "world" or count > 1:
            raise joint.error("a free joint stands alone, on a body right under the world.")
        return _free(tree, joint, name, body, at, X)
    frame = _turning_or_sliding(tree, joint, kind, name, at, X)
    tree.parts.joints[name].body = body
    return frame


def _turning_or_sliding(tree: Tree, joint: Element, kind: str, name: str, at: Frame,
                        X: lw.Transform) -> tuple[Frame, lw.Transform]:
    pos = joint.numbers("pos", 3, (0, 0, 0))
    X = X @ lw.Transform(None, pos)
    if kind == "ball":
        return _ball(tree, joint, name, at, X, pos)
    return _one_axis(tree, joint, kind, name, at, X, pos)


def _free(tree: Tree, joint: Element, name: str, body: str, at: Frame, X: lw.Transform) -> tuple[Frame, lw.Transform]:
    component = lw.joints.FreeMotion(r_rel_a=lw.guess(X.p), angles=lw.guess(rotation_angles(X.R)), animation=False)
    _keep(tree, name, component, "free")
    if joint.get("align") == "true":
        tree.report.approximate(joint, "align: it keeps the frame the file gives it")
    tree.parts.joints[name].body = body
    tree.building.model.connect(at, component.frame_a)
    if joint.tag == "joint":
        for meaningless in ("pos", "axis", "range", "limited", "ref", "springref", "actuatorfrcrange",
                            "actuatorfrclimited", "actuatorgravcomp", "springdamper"):
            joint.get(meaningless)
        add_forces_of_turning(tree, joint, name, component, X)
    return component.frame_b, lw.Transform()


def _ball(tree: Tree, joint: Element, name: str, at: Frame, X: lw.Transform, pos: np.ndarray) -> tuple[Frame,
          lw.Transform]:
    component = lw.joints.Spherical(animation=False)
    _keep(tree, name, component, "ball")
    tree.building.model.connect(tree.building.placed(at, X, f"{name}_origin"), component.frame_a)
    for meaningless in ("axis", "ref", "springref", "actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp",
                        "springdamper"):
        joint.get(meaningless)
    add_forces_of_turning(tree, joint, name, component, None)
    bounds = joint.numbers("range", 2)
    if bounds is not None and limited(tree, joint) and tree.stops:
        angle = float(np.rad2deg(tree.settings.angle(bounds[1])))
        tree.report.approximate(joint, f"range: a ball joint has no stops here; it could turn {angle:.4g}° in the file")
    return component.frame_b, lw.Transform(None, -pos)


def _one_axis(tree: Tree, joint: Element, kind: str, name: str, at: Frame, X: lw.Transform,
              pos: np.ndarray) -> tuple[Frame, lw.Transform]:
    axis = direction(joint, joint.numbers("axis", 3, (0, 0, 1)), "axis")
    unit = tree.settings.angle if kind == "hinge" else float
    ref, rest = (float(unit(joint.number(key, 0.0))) for key in ("ref", "springref"))
    if ref:
        X = X @ (lw.Transform(axis_rotation(axis, -ref)) if kind == "hinge" else lw.Transform(None, -ref * axis))
    letter, one_axis = ("phi", lw.joints.Revolute) if kind == "hinge" else ("s", lw.joints.Prismatic)
    given: dict[str, object] = {"n": axis, "animation": False}
    bounds, start = _bounds(tree, joint, unit), ref
    if bounds and tree.stops:
        given |= {f"{letter}_min": bounds[0], f"{letter}_max": bounds[1]}
        start = min(max(ref, bounds[0]), bounds[1])
        if start != ref:  # soft limits push it there
            tree.report.remark(joint, f"drawn at {ref:g}, outside its range; it starts at its stop, at {start:g}")
    if start:
        given[letter] = lw.guess(start)
    friction = dry_friction(tree, joint)
    if friction is not None:
        given["friction"] = friction
    component = tree.building.make(joint, one_axis, **given)
    _keep(tree, name, component, kind, ref, rest)
    tree.parts.joints[name].bounds = bounds
    tree.building.model.connect(tree.building.placed(at, X, f"{name}_origin"), component.frame_a)
    add_forces(tree, joint, name, component, rest)
    return component.frame_b, lw.Transform(None, -pos)


def _keep(tree: Tree, name: str, component: Component, kind: str, ref: float = 0.0, rest: float = 0.0) -> None:
    component_name = tree.building.add(name, component)._name
    tree.report.names.setdefault("joint", {})[name] = component_name
    tree.parts.add_joint(name, component, kind, ref, rest)


def limited(tree: Tree, element: Element, what: str = "") -> bool:
    """Whether a range is in force: <what>limited, and what the file says where that is left to itself."""
    said = element.choice(f"{what}limited", ("true", "false", "auto"), "auto")
    return said == "true" or said == "auto" and tree.settings.autolimits and element.get(f"{what}range") is not None


def _bounds(tree: Tree, joint: Element, unit: Callable[[float], float]) -> tuple[float, float] | None:
    bounds = joint.numbers("range", 2)
    if not limited(tree, joint) or bounds is None:
        return None
    low, high = (float(unit(x)) for x in bounds)
    if not low < high:
        raise joint.error(f"range: {bounds[0]:g} must lie below {bounds[1]:g}.")
    return low, high
