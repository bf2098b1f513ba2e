"""Joints of a stage: kinds, limits, and drives, which are springs and dampers toward a target.

The effort of a drive is k (target − q) + d (target speed − q̇), at most maxForce; angles are written in degrees, and so
are the stiffness and damping of angular drives (per degree).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import linkwright as lw

from ..building import Building, clamped, coordinate, speed
from ..wishes import Wishes
from .solids import AXES
from .stage import Stage
from .vendors import Vendors, authored

if TYPE_CHECKING:
    from ...language import Component

KINDS = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsFixedJoint", "PhysicsJoint")
TURNS = ("rotX", "rotY", "rotZ")
SLIDES = ("transX", "transY", "transZ")


def components_of(stage: Stage, prim: Any, X: lw.Transform, building: Building, wishes: Wishes,
                  vendors: Vendors) -> list[Component]:
    """The joints that a prim is, one after another, starting where X (its second frame in its first) says."""
    from pxr import UsdPhysics

    kind, element = prim.GetTypeName(), stage.element(prim, "joint")
    if kind == "PhysicsJoint":
        return _generic(stage, prim, X, building, wishes, vendors)
    if kind == "PhysicsFixedJoint":
        return []
    if kind == "PhysicsSphericalJoint":
        joint = UsdPhysics.SphericalJoint(prim)
        if max(joint.GetConeAngle0LimitAttr().Get(), joint.GetConeAngle1LimitAttr().Get()) > 0:
            building.report.approximate(element, "the cone that limits it is left out")
        return [lw.joints.Spherical(animation=False)]
    turning = kind == "PhysicsRevoluteJoint"
    joint = (UsdPhysics.RevoluteJoint if turning else UsdPhysics.PrismaticJoint)(prim)
    low, high = joint.GetLowerLimitAttr().Get(), joint.GetUpperLimitAttr().Get()
    axis = stage.axis(prim, joint.GetAxisAttr())
    start = _turned(X.R, ["XYZ".index(axis)])[0] if turning else float(X.p["XYZ".index(axis)])
    return [_one_axis(stage, prim, turning, axis, (low, high), start, building, wishes, vendors)]


def _one_axis(stage: Stage, prim: Any, turning: bool, axis: str, limits: tuple[float, float], start: float,
              building: Building, wishes: Wishes, vendors: Vendors) -> Component:
    n = np.array(AXES[axis])
    unit = np.pi / 180 if turning else stage.length
    low, high = (unit * float(x) for x in limits)
    letter = "phi" if turning else "s"
    given: dict[str, Any] = {"n": n, "animation": False,
                             "friction": vendors.dry_friction(prim, _word(prim, turning, axis), turning)}
    if wishes.stops and low < high:
        given |= {f"{letter}_min": low} if np.isfinite(low) else {}
        given |= {f"{letter}_max": high} if np.isfinite(high) else {}
        inside = min(max(start, low), high)
        if inside != start:
            building.report.remark(stage.element(prim, "joint"), f"drawn at {start:g}, beyond its stop at {inside:g}")
            start = inside
    if start != 0.0:
        given[letter] = lw.guess(start)
    return building.make(stage.element(prim, "joint"), lw.joints.Revolute if turning else lw.joints.Prismatic, **given)


def _generic(stage: Stage, prim: Any, X: lw.Transform, building: Building, wishes: Wishes,
             vendors: Vendors) -> list[Component]:
    """A joint by its limits: an axis whose low lies above its high is locked; the others follow one another."""
    from pxr import UsdPhysics

    bounds = {}
    for name in (*SLIDES, *TURNS):
        limit = UsdPhysics.LimitAPI.Get(prim, name)
        applied = limit and limit.GetLowAttr().IsValid()
        bounds[name] = (limit.GetLowAttr().Get(), limit.GetHighAttr().Get()) if applied else (-np.inf, np.inf)
    slides, turns = ([name for name in names if not bounds[name][0] > bounds[name][1]] for names in (SLIDES, TURNS))
    bound = [name for name in (*slides, *turns) if np.any(np.isfinite(bounds[name])) or _driven(prim, name)]
    if len(slides) == len(turns) == 3 and not bound:
        return [lw.joints.FreeMotion(animation=False)]
    out = [_one_axis(stage, prim, False, name[-1], bounds[name], float(X.p["XYZ".index(name[-1])]), building, wishes,
                     vendors)
           for name in slides]
    if len(turns) == 3 and not any(name in bound for name in turns):
        return [*out, lw.joints.Spherical(animation=False)]
    turns = _ordered(prim, turns)
    if len(turns) == 3:
        building.report.remark(stage.element(prim, "joint"), "it turns about three axes that have limits or drives; "
                               f"taken one after another: {', '.join(turns)}")
    starts = _turned(X.R, ["XYZ".index(name[-1]) for name in turns])
    return out + [_one_axis(stage, prim, True, name[-1], bounds[name], start, building, wishes, vendors)
                  for name, start in zip(turns, starts, strict=True)]


def _driven(prim: Any, axis: str) -> bool:
    """Whether an axis has a drive that does something."""
    return bool(authored(prim, f"drive:{axis}:physics:stiffness") or authored(prim, f"drive:{axis}:physics:damping"))


def _ordered(prim: Any, turns: list[str]) -> list[str]:
    """Axes in the order in which the stage applies limits and drives to them: converters keep that of their source."""
    named = [schema.partition(":")[2] for schema in prim.GetAppliedSchemas() if schema.startswith("Physics")]
    return sorted(turns, key=lambda name: named.index(name) if name in named else len(named))


def _turned(R: np.ndarray, axes: list[int]) -> list[float]:
    """Angles about one axis, or about two or three of the axes one after the other, that make a rotation."""
    if len(axes) == 1:
        i, j = (axes[0] + 1) % 3, (axes[0] + 2) % 3
        return [float(np.arctan2(R[j, i] - R[i, j], R[i, i] + R[j, j]))]
    if not axes:
        return []
    # R = Rᵢ(a) Rⱼ(b): column j is cos a eⱼ + sin a eᵢ × eⱼ, row i is cos b eᵢ + sin b eᵢ × eⱼ
    i, j = axes[:2]
    k, sign = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    if len(axes) == 3:  # R = Rᵢ(a) Rⱼ(b) Rₖ(c): row i is cos b cos c eᵢ − ± cos b sin c eⱼ ± sin b eₖ
        return [float(np.arctan2(-sign * R[j, k], R[k, k])),
                float(np.arctan2(sign * R[i, k], np.hypot(R[i, i], R[i, j]))),
                float(np.arctan2(-sign * R[i, j], R[i, i]))]
    return [float(np.arctan2(sign * R[k, j], R[j, j])), float(np.arctan2(sign * R[i, k], R[i, i]))]


def _word(prim: Any, turning: bool, axis: str) -> str:
    """What APIs call an axis of a joint: angular, linear, or rotX … of a generic joint."""
    if prim.GetTypeName() != "PhysicsJoint":
        return "angular" if turning else "linear"
    return f"{'rot' if turning else 'trans'}{axis}"


def word_of(prim: Any, component: Component) -> str:
    """The same, of the component that stands for the axis."""
    return _word(prim, isinstance(component, lw.joints.Revolute), "XYZ"[int(np.argmax(np.abs(component.n)))])


def add_drive(stage: Stage, prim: Any, component: Component, name: str, building: Building) -> None:
    """What drives a joint along one axis, with inputs for its target and target speed."""
    from pxr import UsdPhysics

    turning = isinstance(component, lw.joints.Revolute)
    axis = "XYZ"[int(np.argmax(np.abs(component.n)))]
    for kind in (("angular", f"rot{axis}") if turning else ("linear", f"trans{axis}")):
        drive = UsdPhysics.DriveAPI.Get(prim, kind)
        if not drive or not drive.GetStiffnessAttr().IsValid():
            continue
        k, d, most = (float(attribute.Get()) for attribute in
                      (drive.GetStiffnessAttr(), drive.GetDampingAttr(), drive.GetMaxForceAttr()))
        unit = 180 / np.pi * stage.mass * stage.length**2 if turning else stage.mass  # per rad, or per m
        scale = np.pi / 180 if turning else stage.length
        if drive.GetTypeAttr().Get() == "acceleration":
            building.report.approximate(stage.element(prim, "joint"), "its drive is one of accelerations, taken as one "
                                                                      "of forces")
        if k == 0 and d == 0:
            continue
        target = building.model.input(building.name(f"{name}_target"),
                                      scale * float(drive.GetTargetPositionAttr().Get()))
        aim = building.model.input(building.name(f"{name}_target_speed"),
                                   scale * float(drive.GetTargetVelocityAttr().Get()))
        effort = k * unit * (target - coordinate(component)) + d * unit * (aim - speed(component))
        most *= stage.mass * stage.length * (stage.length if turning else 1.0)
        effort = clamped(effort, -most, most) if np.isfinite(most) else effort
        source = lw.rotational.Torque(tau=effort) if turning else lw.translational.Force(f=effort)
        building.add(f"{name}_drive", source)
        building.model.connect(component.axis, source.flange)
