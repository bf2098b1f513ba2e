"""Joints between links: kinds, axes, limits, springs, friction, rotors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...errors import ModelError
from ..building import Building, coordinate
from ..markup import Element
from ..tolerances import ENDLESS, NO_AXIS_URDF
from ..wishes import Wishes
from .scopes import Scope, flag, number

if TYPE_CHECKING:
    from ...language import Component, Frame

KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw", "gearbox")

def add_joint(building: Building, scope: Scope, joint: Element, name: str, ends: tuple[Frame, lw.Transform, Frame,
              lw.Transform], wishes: Wishes) -> Component | None:
    """A joint between the frames of two links, given with their poses in the root's frame; None for what is rigid."""
    kind = joint.choice("type", KINDS, "")
    parent, X_P, child, X_C = ends
    X = scope.place(joint.need("name"), joint)
    for beside in ("sensor", "physics", "plugin", "drake:controller_gains"):
        for element in joint.all(beside):
            building.report.pass_over(element)
    at = building.placed(parent, X_P.inverse() @ X, name if kind == "fixed" else f"{name}_origin")
    behind = X.inverse() @ X_C
    if kind == "gearbox":
        building.report.ignore(joint, "a gearbox between three links is not known here")
        return None
    if kind == "fixed":
        for axis in joint.all("axis"):
            axis.leave()
        building.model.connect(building.placed(at, behind, f"{name}_end"), child)
        return None
    component = building.add(name, _component(building, scope, joint, kind, X, wishes), joint)
    building.model.connect(at, component.frame_a)
    building.model.connect(building.placed(component.frame_b, behind, f"{name}_end"), child)
    if kind in ("revolute", "continuous", "prismatic"):
        _forces(building, joint.the("axis"), component, name, wishes)
    return component


def couple(building: Building, joint: Element, name: str, joints: dict[str, Component], prefix: str) -> None:
    """<mimic> of an axis, or Drake's of a joint: q = multiplier (leader − reference) + offset."""
    axis = joint.first("axis")
    for mimic in (*joint.all("drake:mimic"), *(axis.all("mimic") if axis is not None else ())):
        leader = prefix + mimic.need("joint")
        own, other = joints.get(name), joints.get(leader)
        if own is None or other is None or not hasattr(own, "axis") or not hasattr(other, "axis"):
            raise mimic.error(f"{name} and {leader!r} must be joints of one axis each.")
        ratio, offset, from_ = (mimic.number(key) if key in mimic.attributes else number(mimic, key, default)
                                for key, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0)))
        follows = coordinate(own) - ratio * (coordinate(other) - from_) - offset
        building.add(f"{name}_mimic", lw.constraints.CoordinateCoupler(function=follows))


def _component(building: Building, scope: Scope, joint: Element, kind: str, X: lw.Transform,
               wishes: Wishes) -> Component:
    if kind == "ball":
        return lw.joints.Spherical(animation=False)
    n = _direction(scope, joint, joint.the("axis"), X)
    if kind in ("universal", "revolute2"):
        return building.make(joint, lw.joints.Universal, n_a=n, n_b=_direction(scope, joint, joint.the("axis2"), X),
                             animation=False)
    if kind == "screw":
        lead = number(joint, "screw_thread_pitch", number(joint, "thread_pitch", 1.0))
        return building.make(joint, lw.joints.Screw, n=n, pitch=lead / (2 * np.pi), animation=False)
    one_axis, letter = (lw.joints.Prismatic, "s") if kind == "prismatic" else (lw.joints.Revolute, "phi")
    given: dict[str, object] = {"n": n, "animation": False}
    axis = joint.the("axis")
    dry = number(axis.first("dynamics"), "friction", 0.0)
    if dry < 0:
        raise axis.error(f"friction = {dry:g} cannot be negative.")
    if dry > 0 and wishes.friction:
        given["friction"] = lw.Coulomb(tau=dry)
    limit = axis.first("limit")
    low, high = number(limit, "lower", -np.inf), number(limit, "upper", np.inf)
    if low > high:
        raise axis.error(f"lower = {low:g} lies above upper = {high:g}.")
    if wishes.stops and kind != "continuous" and low < high:
        given |= {f"{letter}_min": low} if low > -ENDLESS else {}
        given |= {f"{letter}_max": high} if high < ENDLESS else {}
        if not low <= 0 <= high:
            given[letter] = lw.guess((low + high) / 2 if high - low < ENDLESS else max(low, min(high, 0.0)))
    bounds = {key: _at_most(building, limit, key) for key in ("effort", "velocity")}
    building.report.data.setdefault("limits", {})[joint.need("name")] = {k: v for k, v in bounds.items() if v >= 0}
    return building.make(joint, one_axis, **given)


def _at_most(building: Building, limit: Element | None, key: str) -> float:
    """What a drive can do at most, −1 for no bound; a slip of the pen there changes no motion."""
    try:
        return number(limit, key, -1.0)
    except ModelError as error:
        building.report.remark(limit.the(key), f"not read: {str(error).rpartition(': ')[2]}")
        return -1.0


def _direction(scope: Scope, joint: Element, axis: Element, X: lw.Transform) -> np.ndarray:
    """The axis in the joint's frame."""
    given = axis.first("xyz")
    n = np.array([0.0, 0, 1]) if given is None else given.as_numbers(given.words(), "<xyz>", 3)
    size = np.linalg.norm(n)
    if not size > NO_AXIS_URDF:
        raise axis.error("<xyz> has no direction.")
    seen = None if given is None else given.get("expressed_in")
    if seen:
        n = X.R.T @ (scope.place(seen, axis).R @ n)
    elif flag(axis, "use_parent_model_frame"):
        n = X.R.T @ (scope.X.R @ n)
    return n / size


def _forces(building: Building, axis: Element, component: Component, name: str, wishes: Wishes) -> None:
    """Damper, spring and rotor of a one-axis joint."""
    dynamics, limit = axis.first("dynamics"), axis.first("limit")
    damping, stiffness = number(dynamics, "damping", 0.0), number(dynamics, "spring_stiffness", 0.0)
    if damping < 0 or stiffness < 0:
        raise axis.error("damping and spring_stiffness cannot be negative.")
    if damping > 0 and wishes.friction:
        building.damper(component, damping, f"{name}_damper")
    rest = number(dynamics, "spring_reference", 0.0)
    if stiffness > 0:
        building.spring(component, stiffness, rest, f"{name}_spring")
    joint = axis.parent
    rotor, ratio = number(joint, "drake:rotor_inertia", 0.0), number(joint, "drake:gear_ratio", 1.0)
    if rotor > 0 and ratio:
        building.rotor(component, rotor, ratio, f"{name}_rotor")
    for place in (limit, axis):
        for key in ("stiffness", "dissipation", "drake:acceleration", "drake:jerk", "initial_position"):
            for child in place.all(key) if place is not None else ():
                child.leave()  # how soft a limit is, and what planners ask for
