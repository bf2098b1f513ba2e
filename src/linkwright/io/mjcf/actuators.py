"""Actuators: what they drive, and the load that they put there.

The effort at a target is gear · F, with F the law of `actuator_laws` over the target's length and its rate

    hinge, slide, fixed tendon   l = gear₀ · coordinate
    ball joint                   l = gear · (rotation vector), torque along gear in the frame of the child
    free joint                   l = 0, force along gear in the world, torque in the body
    site                         l = 0, force and torque along the axes of the site; with a `refsite` on the ground
                                 along the axes of that one, l = gear · (place of the site in it)

and l̇ = gear · (velocity) throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ..building import clamped, coordinate, speed
from ..markup import Element
from .actuator_laws import depends_on_length, dynamics_of, force_of, unknown_law
from .adhesion import read_adhesion
from .bodies import Jointed, Tree
from .joint_forces import coefficients, damping_effort
from .keyframes import Start
from .motors import CONTROLLED, inputs_of
from .plugins import PID, plugin_of
from .spatial_tendons import SpatialTendon
from .tendons import Tendon, pull
from .turning import rotation_vector

if TYPE_CHECKING:
    from ...language import Frame, Joint

SHORTCUTS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
             *CONTROLLED)


@dataclass(frozen=True, eq=False)
class Target:
    """What an actuator drives: its length and rate, and how a force is put there; `length` None is not known here."""

    length: object
    rate: object
    apply: Callable[[object, str], None]
    moments: list[tuple[Jointed, float]] = field(default_factory=list)  # one-axis joints, each with its factor
    bound: Callable[[object], object] | None = None  # what a tendon bears at most
    resist: Callable[[np.ndarray, str], None] | None = None  # puts damping on the joint or tendon itself
    turn: float = 0.0  # a whole turn of a length that is an angle about an axis of a ball joint


@dataclass(frozen=True, eq=False)
class Drive:
    """An actuator that was read: its length, rate and force, and the names of its inputs and states."""

    length: object
    rate: object
    force: object
    inputs: tuple[str, ...]
    states: tuple[str, ...]


def read_actuators(section: Element, tree: Tree, tendons: dict[str, Tendon], start: Start) -> dict[str, Drive]:
    """Actuators as efforts that follow inputs, by name."""
    drives: dict[str, Drive] = {}
    for element in section.all():
        if element.tag not in (*SHORTCUTS, "adhesion"):
            tree.report.ignore(element, f"actuators <{element.tag}> are not known here")
            start.pass_over(element.tag, len(inputs_of(element)))
            continue
        name = element.get("name") or f"actuator_{len(drives) + 1}"
        tree.classes.settle(element)
        if name in drives:
            raise element.error(f"there is an actuator {name!r} already.")
        off = int(element.number("group", 0)) in tree.settings.groups_off
        if off:
            tree.report.remark(element, "its group is switched off (actuatorgroupdisable), and it is left out")
        found = None
        if tree.settings.drives and not off:
            found = _adhesion(element, name, tree, start) if element.tag == "adhesion" else \
                _actuator(element, name, tree, tendons, start)
        if found is not None:
            drives[name] = found
        else:
            start.pass_over(dynamics_of(element), len(inputs_of(element)))
            element.leave()
    return drives


def _adhesion(element: Element, name: str, tree: Tree, start: Start) -> Drive:
    force, control, states = read_adhesion(element, name, tree, start)
    return Drive(0.0, 0.0, force, (control,), states)


def _actuator(element: Element, name: str, tree: Tree, tendons: dict[str, Tendon], start: Start) -> Drive | None:
    if element.tag == "plugin" and (plugin := plugin_of(element, tree.plugins)[0]) != PID:
        tree.report.ignore(element, f"the plugin {plugin} is not known here, and its force is left out")
        return None
    for key in ("user", "cranklength", "actearly", "nsample", "interp"):
        element.get(key)
    if element.number("delay", 0.0) > 0:
        tree.report.approximate(element, f"its control acts at once, in the file {element.number('delay'):g} s later")
    gear = np.zeros(6)
    given = element.numbers("gear", (1, 2, 3, 4, 5, 6), (1.0,))
    gear[:len(given)] = given
    target = _target(element, tree, tendons, gear)
    if target is None:
        tree.report.ignore(element, "it drives no joint, fixed tendon or site that is known here")
        return None
    if target.length is None and depends_on_length(element):
        tree.report.ignore(element, "its force follows the turning of one site against another")
        return None
    unknown = unknown_law(element)
    if unknown:
        tree.report.ignore(element, unknown)
        return None
    force, inputs, states = force_of(element, name, tree, target, start)
    if target.bound is not None:
        force = target.bound(force)
    target.apply(force, f"{name}_drive")
    _reflect(element, name, tree, target, gear[0])
    return Drive(target.length, target.rate, force, inputs, states)


def _reflect(element: Element, name: str, tree: Tree, target: Target, gear: float) -> None:
    """The damping and the rotor of an actuator, both by gear² at the joint or tendon that it drives."""
    damping = gear**2 * coefficients(element, "damping")
    if np.any(damping) and tree.friction and tree.settings.dampers:
        if target.resist is None:
            tree.report.approximate(element, f"damping = {damping[0]:g} is left out: it drives no joint or tendon")
        else:
            target.resist(damping, f"{name}_damper")
    armature = element.number("armature", 0.0)
    if armature < 0:
        raise element.error(f"armature = {armature:g} cannot be negative.")
    if armature > 0 and len(target.moments) == 1:
        joint, factor = target.moments[0]
        tree.building.rotor(joint.component, armature * factor**2, 1.0, f"{name}_armature")
    elif armature > 0:
        tree.report.approximate(element, f"armature = {armature:g} is left out: it drives no single joint")


def _target(element: Element, tree: Tree, tendons: dict[str, Tendon], gear: np.ndarray) -> Target | None:
    for key in ("joint", "jointinparent"):
        name = element.get(key)
        if name:
            if name not in tree.parts.joints:
                raise element.error(f"there is no joint {name!r}.")
            return _on_joint(tree, tree.parts.joints[name], gear, key == "jointinparent")
    if element.get("tendon"):
        tendon = tendons.get(element.get("tendon"))
        return None if tendon is None else Target(
            gear[0] * tendon.length, gear[0] * tendon.rate,
            lambda force, name: pull(tree, tendon, gear[0] * force, name, tree.actuate),
            [(joint, gear[0] * factor) for factor, joint in tendon.terms], _bearing(element, tendon, tree),
            lambda damping, name: pull(tree, tendon, -damping_effort(damping, tendon.rate), name))
    if element.get("site"):
        reference = element.get("refsite")
        if reference is None:
            return _on_site(tree, tree.site_frame(element, element.get("site")), gear)
        if reference not in tree.parts.sites:
            raise element.error(f"there is no site {reference!r}.")
        if tree.parts.sites[reference].body == "world":
            frame = tree.site_frame(element, element.get("site"))
            return _in_the_world(tree, frame, tree.parts.sites[reference].X, gear)
    return None


def _bearing(element: Element, tendon: Tendon | SpatialTendon, tree: Tree) -> Callable[[object], object] | None:
    """The bounds of what actuators do along a tendon; of several together they are the bounds of each."""
    if tendon.force_range is None:
        return None
    tendon.driven += 1
    if tendon.driven > 1:
        tree.report.approximate(element, "actuatorfrcrange of its tendon bounds the sum of all its actuators in the "
                                         "file, each of them here")
    low, high = tendon.force_range
    return lambda force: clamped(force, low, high)


def _on_joint(tree: Tree, joint: Jointed, gear: np.ndarray, in_parent: bool) -> Target:
    component = joint.component
    if joint.kind in ("hinge", "slide"):
        return Target(gear[0] * coordinate(component), gear[0] * speed(component),
                      lambda force, name: tree.actuate(joint, gear[0] * force, name), [(joint, float(gear[0]))], None,
                      lambda damping, name: _damp(tree, component, damping, name))
    if joint.kind == "ball":
        along, rate = along_ball(component, gear[:3], in_parent)
        return Target(along, rate,
                      lambda force, name: _twist(tree, component, gear[:3], force, name, in_parent),
                      turn=2 * np.pi * float(np.linalg.norm(gear[:3])))
    along, rate = along_free(component, gear, in_parent)
    return Target(along, rate,
                  lambda force, name: _push(tree, component.frame_b, gear, force, name, in_parent))


def _damp(tree: Tree, joint: Joint, damping: np.ndarray, name: str) -> None:
    tree.drive(joint, -damping_effort(damping, speed(joint)), name)


def _on_site(tree: Tree, frame: Frame, gear: np.ndarray) -> Target:
    along, rate = along_frame(frame, gear)
    return Target(along, rate, lambda force, name: _load(tree, frame, gear, force, name, "frame_b"))


def _in_the_world(tree: Tree, frame: Frame, X: lw.Transform, gear: np.ndarray) -> Target:
    """Along the axes of a site on the ground."""
    turned = np.concatenate([X.R @ gear[:3], X.R @ gear[3:]])
    along, rate = along_world(frame, X.p, turned)
    return Target(along, rate,
                  lambda force, name: _load(tree, frame, turned, force, name, "world"))


# --- loads ---


def _load(tree: Tree, frame: Frame, gear: np.ndarray, force: ca.SX, name: str, axes: str) -> None:
    """Force and torque along the axes of a frame, or of the world."""
    if not np.any(gear[3:]):
        load = lw.forces.WorldForce(resolve_in_frame=axes, force=[g * force for g in gear[:3]], animation=False)
    elif not np.any(gear[:3]):
        load = lw.forces.WorldTorque(resolve_in_frame=axes, torque=[g * force for g in gear[3:]], animation=False)
    else:
        load = lw.forces.WorldForceAndTorque(resolve_in_frame=axes, force=[g * force for g in gear[:3]],
                                             torque=[g * force for g in gear[3:]], animation=False)
    tree.building.add(name, load)
    tree.building.model.connect(frame, load.frame_b)


def _push(tree: Tree, frame: Frame, gear: np.ndarray, force: ca.SX, name: str, in_parent: bool) -> None:
    """On a free body: force along the axes of the world, torque along those of the body."""
    if np.any(gear[:3]):
        _load(tree, frame, np.concatenate([gear[:3], np.zeros(3)]), force, name, "world")
    if np.any(gear[3:]):
        _load(tree, frame, np.concatenate([np.zeros(3), gear[3:]]), force,
              f"{name}_torque" if np.any(gear[:3]) else name, "world" if in_parent else "frame_b")


def _twist(tree: Tree, joint: Joint, gear: np.ndarray, force: ca.SX, name: str, in_parent: bool) -> None:
    """A torque between the frames of a ball joint."""
    load = lw.forces.Torque(resolve_in_frame="frame_a" if in_parent else "frame_b",
                            torque=[g * force for g in gear], animation=False)
    tree.building.add(name, load)
    tree.building.model.connect(joint.frame_a, load.frame_a)
    tree.building.model.connect(joint.frame_b, load.frame_b)


# --- (length, rate) along a gear; a length that is not known here is None ---


def along_ball(joint: Joint, gear: np.ndarray, in_parent: bool) -> tuple:
    """Of a ball joint: its rotation vector, and its angular velocity in the frame of the child or of the parent."""
    R = joint.frame_a.R_WF.T @ joint.frame_b.R_WF
    turning = R @ joint.w_rel_b if in_parent else joint.w_rel_b
    return _dot(gear, rotation_vector(R)), _dot(gear, turning)


def along_free(joint: Joint, gear: np.ndarray, in_parent: bool) -> tuple:
    """Of a free joint: velocity in the world, angular velocity in the body or in the world."""
    frame = joint.frame_b
    turning = frame.R_WF @ frame.w if in_parent else frame.w
    return 0.0, _dot(gear[:3], frame.v_0) + _dot(gear[3:], turning)


def along_frame(frame: Frame, gear: np.ndarray) -> tuple:
    """Of a frame along its own axes."""
    return 0.0, _dot(gear[:3], frame.R_WF.T @ frame.v_0) + _dot(gear[3:], frame.w)


def along_world(frame: Frame, origin: np.ndarray, gear: np.ndarray) -> tuple:
    """Of a frame along the axes of the world, its place counted from an origin."""
    length = None if np.any(gear[3:]) else _dot(gear[:3], frame.r_0 - origin)
    return length, _dot(gear[:3], frame.v_0) + _dot(gear[3:], frame.R_WF @ frame.w)


def _dot(gear: np.ndarray, values: Sequence[ca.SX] | ca.SX) -> Scalar:
    """gear · values, without the terms that are zero."""
    return sum((g * values[k] for k, g in enumerate(gear) if g), 0.0)
