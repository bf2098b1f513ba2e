"""What pulls at joints by itself: springs, dampers, friction, armature; and what actuators may do there at most.

    effort = −Σ kⱼ xʲ − Σ dⱼ |ẋ|ʲ⁻¹ ẋ,     x = q − springref,     j = 1, 2, 3

Of a ball joint x is the rotation vector, of a free one it is that and the place; both count from the drawn pose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ..building import coordinate, speed
from ..markup import Element
from .turning import rotation_vector

if TYPE_CHECKING:
    from ...language import Component
    from .bodies import Tree


def dry_friction(tree: Tree, joint: Element) -> lw.Coulomb | None:
    """frictionloss of a one-axis joint."""
    dry = joint.number("frictionloss", 0.0)
    if dry < 0:
        raise joint.error(f"frictionloss = {dry:g} cannot be negative.")
    return lw.Coulomb(tau=dry) if dry and tree.friction and tree.settings.friction else None


def add_forces(tree: Tree, joint: Element, name: str, component: Component, rest: float) -> None:
    """Spring, damper and armature of a one-axis joint, and the bounds of what drives it."""
    armature = joint.number("armature", 0.0)
    if armature < 0:
        raise joint.error(f"armature = {armature:g} cannot be negative.")
    if armature > 0:
        tree.building.rotor(component, armature, 1.0, f"{name}_armature")
    _bound_actuators(tree, joint, name)
    stiffness, damping = (coefficients(joint, key) for key in ("stiffness", "damping"))
    if np.all(joint.numbers("springdamper", 2, (0, 0)) > 0):
        tree.timed.append((joint, tree.parts.joints[name]))
        return
    if tree.settings.springs and np.any(stiffness):
        if np.any(stiffness[1:]):
            x = coordinate(component) - rest
            tree.drive(component, -sum(c * x ** (k + 1) for k, c in enumerate(stiffness)), f"{name}_spring")
        else:
            tree.building.spring(component, stiffness[0], rest, f"{name}_spring")
    if tree.friction and tree.settings.dampers and np.any(damping):
        if np.any(damping[1:]):
            tree.drive(component, -damping_effort(damping, speed(component)), f"{name}_damper")
        else:
            tree.building.damper(component, damping[0], f"{name}_damper")


def coefficients(element: Element, name: str) -> np.ndarray:
    """Up to three coefficients of a spring or damper, the first not negative."""
    values = element.numbers(name, (1, 2, 3), (0.0,))
    if values[0] < 0:
        raise element.error(f"{name} = {values[0]:g} cannot be negative.")
    return values


def damping_effort(damping: np.ndarray, v: ca.SX) -> ca.SX:
    """Σ dⱼ |v|ʲ⁻¹ v."""
    return sum(d * v * ca.fabs(v) ** k if k else d * v for k, d in enumerate(damping) if d)


def _bound_actuators(tree: Tree, joint: Element, name: str) -> None:
    """actuatorfrcrange bounds what all actuators together do at the joint; actuatorgravcomp counts gravcomp to them."""
    tree.parts.joints[name].force_range = force_range(joint, tree)
    if joint.flag("actuatorgravcomp"):
        tree.parts.joints[name].bears_gravcomp = True


def force_range(element: Element, tree: Tree) -> tuple[float, float] | None:
    """actuatorfrcrange of a joint or tendon, where it is in force."""
    said = element.choice("actuatorfrclimited", ("true", "false", "auto"), "auto")
    bounds = element.numbers("actuatorfrcrange", 2)
    if bounds is None or said == "false" or said == "auto" and not tree.settings.autolimits:
        return None
    if not bounds[0] < bounds[1]:
        raise element.error(f"actuatorfrcrange: {bounds[0]:g} must lie below {bounds[1]:g}.")
    return float(bounds[0]), float(bounds[1])


def add_forces_of_turning(tree: Tree, joint: Element, name: str, component: Component,
                          X_drawn: lw.Transform | None) -> None:
    """Spring and damper of a ball joint, or of a free one that is drawn at X_drawn."""
    free = X_drawn is not None
    stiffness, damping = (coefficients(joint, key) for key in ("stiffness", "damping"))
    spring = tree.settings.springs and stiffness[0] > 0
    damper = tree.friction and tree.settings.dampers and damping[0] > 0
    if spring or damper:
        frame_a, frame_b = component.frame_a, component.frame_b
        R = frame_a.R_WF.T @ frame_b.R_WF
        turned = rotation_vector(ca.SX(X_drawn.R.T) @ R if free else R)
        turning = frame_b.w if free else component.w_rel_b
        torque = [-(stiffness[0] * turned[k] if spring else 0.0) - (damping[0] * turning[k] if damper else 0.0)
                  for k in range(3)]
        kind = lw.forces.WorldTorque if free else lw.forces.Torque
        twist = kind(resolve_in_frame="frame_b", torque=torque, animation=False)
        tree.building.add(f"{name}_passive_torque", twist)
        if not free:
            tree.building.model.connect(frame_a, twist.frame_a)
        tree.building.model.connect(frame_b, twist.frame_b)
        if free:
            push = [-(stiffness[0] * (frame_b.r_0[k] - X_drawn.p[k]) if spring else 0.0)
                    - (damping[0] * frame_b.v_0[k] if damper else 0.0) for k in range(3)]
            load = lw.forces.WorldForce(force=push, animation=False)
            tree.building.add(f"{name}_passive_force", load)
            tree.building.model.connect(frame_b, load.frame_b)
    if np.any(stiffness[1:]) or np.any(damping[1:]):
        tree.report.approximate(joint, "only the linear parts of stiffness and damping of a joint that turns freely "
                                       "are kept")
    armature = joint.number("armature", 0.0)
    if armature > 0 and free:
        _inertia_of_free(tree, name, component, armature)
    lost = {"frictionloss": joint.number("frictionloss", 0.0), "armature": 0.0 if free else armature}
    for key, value in lost.items():
        if value:
            tree.report.approximate(joint, f"{key} = {value:g} of a {'free' if free else 'ball'} joint is left out")


def _inertia_of_free(tree: Tree, name: str, component: Component, armature: float) -> None:
    """Inertia without weight that a free body has in addition."""
    rotor = lw.parts.Body(m=armature, inertia=[armature] * 3, animation=False)
    lift = lw.forces.WorldForce(force=-armature * np.array(tree.settings.gravity), animation=False)
    tree.building.add(f"{name}_armature", rotor)
    tree.building.add(f"{name}_armature_lift", lift)
    tree.building.model.connect(component.frame_b, rotor.frame_a, lift.frame_b)
