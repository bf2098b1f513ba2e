"""Models as URDF: links and joints in a tree, with what they look like.

Joints of several freedoms become chains of simple ones with links without mass between them.  Damping, friction and
stops of joints are written; rotors become transmissions; couplings of two coordinates become mimic.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw

from ..algebra import rotation_angles
from ..errors import ModelError
from .links_and_joints import BALL, FREE, HINGE, Link, Motion, Skeleton, attached, coupling_of, left_out, skeleton_of
from .tolerances import NO_LIMIT, STRAIGHT_DOWN
from .written_shapes import shapes_on
from .xml_text import Tag


def write_urdf(model: lw.Model, path: Path) -> list[str]:
    """Write a tree-shaped model."""
    skeleton = skeleton_of(model, "URDF")
    if np.linalg.norm(np.cross(skeleton.gravity, [0, 0, -1])) > STRAIGHT_DOWN or skeleton.gravity[2] > 0:
        up = lw.Transform(_to_z(skeleton.gravity))
    else:
        up = lw.Transform()
    couplings = _couplings(skeleton)
    root = Tag("robot", name=word(skeleton.name))
    ground = root.add("link", name="world")
    _looks(ground, skeleton, None, up)
    for link in skeleton.links:
        above = "world" if link.parent is None else word(skeleton.links[link.parent].name)
        for k, motion in enumerate(link.motions):
            last = k == len(link.motions) - 1
            below = word(link.name) if last else f"{word(motion.name)}_between"
            X = up @ motion.X if link.parent is None and k == 0 else motion.X
            _joint(root, motion, above, below, X, couplings, skeleton)
            _link(root, link if last else None, below, skeleton)
            above = below
    path.write_text(root.document(f"{skeleton.name}, written by Linkwright"), encoding="utf-8")
    return left_out(skeleton, springs=False)


def _to_z(gravity: np.ndarray) -> np.ndarray:
    """The rotation after which gravity points along −z, which URDF takes for granted."""
    if not np.any(gravity):
        return np.eye(3)
    z = -gravity / np.linalg.norm(gravity)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(x, z) / np.linalg.norm(np.cross(x, z))
    return np.array([x, np.cross(z, x), z])


def word(name: str) -> str:
    """A path as one word."""
    return name.replace(".", "_").replace("[", "_").replace("]", "").replace(" ", "_")


def origin(parent: Tag, X: lw.Transform) -> None:
    """An <origin>, where it says something."""
    if np.any(X.p) or not np.array_equal(X.R, np.eye(3)):
        yaw, pitch, roll = np.asarray(rotation_angles(X.R, (3, 2, 1)), dtype=float)
        parent.add("origin", xyz=X.p, rpy=[roll, pitch, yaw])


def _link(root: Tag, link: Link | None, name: str, skeleton: Skeleton) -> None:
    tag = root.add("link", name=name)
    if link is None:
        return
    if link.mass > 0 or np.any(link.tensor):
        inertial = tag.add("inertial")
        inertial.add("origin", xyz=link.centre)
        inertial.add("mass", value=link.mass)
        I = link.tensor
        inertial.add("inertia", ixx=I[0, 0], ixy=I[0, 1], ixz=I[0, 2], iyy=I[1, 1], iyz=I[1, 2], izz=I[2, 2])
    _looks(tag, skeleton, link.body, lw.Transform())


def _looks(tag: Tag, skeleton: Skeleton, body: int | None, X_up: lw.Transform) -> None:
    for use, shape, colour in shapes_on(skeleton, body):
        if shape.kind in ("plane", "ellipsoid"):
            continue  # the format has no such shape
        element = tag.add(use)
        origin(element, X_up @ shape.X)
        geometry = element.add("geometry")
        if shape.kind == "box":
            geometry.add("box", size=shape.size)
        elif shape.kind == "sphere":
            geometry.add("sphere", radius=shape.size[0])
        elif shape.kind in ("cylinder", "capsule"):
            geometry.add(shape.kind, radius=shape.size[0], length=shape.size[1])
        else:
            geometry.add("mesh", filename=shape.file, scale=shape.size)
        if use == "visual" and colour is not None:
            element.add("material", name="").add("color", rgba=[*(c / 255 for c in colour), 1.0])


def _joint(root: Tag, motion: Motion, above: str, below: str, X: lw.Transform, couplings: dict, skeleton: Skeleton
           ) -> None:
    if motion.kind == BALL:
        raise ModelError(f"{motion.name}: URDF has no joint with a free orientation; MJCF has.", motion.component)
    one_axis = motion.kind != FREE
    low, high = bounds(motion)
    if motion.kind == FREE:
        kind = "floating"
    elif motion.kind == HINGE:
        kind = "continuous" if low is None and high is None else "revolute"
    else:
        kind = "prismatic"
    joint = root.add("joint", name=word(motion.name), type=kind)
    origin(joint, X)
    joint.add("parent", link=above)
    joint.add("child", link=below)
    if not one_axis:
        return
    joint.add("axis", xyz=motion.axis)
    if kind != "continuous":
        joint.add("limit", lower=-NO_LIMIT if low is None else low, upper=NO_LIMIT if high is None else high,
                  effort=NO_LIMIT, velocity=NO_LIMIT)
    damping, dry = resistance(skeleton, motion)
    if damping or dry:
        joint.add("dynamics", damping=damping, friction=dry)
    if motion.component in couplings:
        ratio, leader, offset = couplings[motion.component]
        joint.add("mimic", joint=word(leader.path), multiplier=ratio, offset=offset)
    if motion.armature:
        drive = root.add("transmission", name=f"{word(motion.name)}_rotor", type="SimpleTransmission")
        drive.add("joint", name=word(motion.name))
        actuator = drive.add("actuator", name=f"{word(motion.name)}_drive")
        actuator.add("motorInertia", value=motion.armature)


def bounds(motion: Motion) -> tuple[float | None, float | None]:
    """The stops of a joint."""
    limits = getattr(motion.component, "limits", None)
    if not limits or not hasattr(motion.component, "friction"):
        return None, None
    return tuple(None if getattr(motion.component, name) is None else float(getattr(motion.component, name))
                 for name in limits)


def resistance(skeleton: Skeleton, motion: Motion) -> tuple[float, float]:
    """(damping, dry friction) of a joint; a law that needs the reaction is refused."""
    joint, damping, dry = motion.component, 0.0, 0.0
    if not hasattr(joint, "axis"):
        return 0.0, 0.0
    for part, _ in attached(skeleton, joint, (lw.rotational.Damper, lw.translational.Damper,
                                              lw.rotational.SpringDamper, lw.translational.SpringDamper)):
        damping += float(part.d)
    law = getattr(joint, "friction", None)
    if law is not None:
        if law.tau is None:
            raise ModelError(f"{joint.path}.friction: friction by a coefficient has no place in the file; give "
                             "lw.Coulomb(tau=…).", joint)
        dry, damping = float(law.tau), damping + float(law.viscous)
    return damping, dry


def _couplings(skeleton: Skeleton) -> dict:
    """joint → (ratio, leader, offset); any other constraint is refused."""
    joints = skeleton.parts((lw.joints.Revolute, lw.joints.Prismatic))
    found = {}
    named = {part.path: part for part in skeleton.model.leaves()}
    for constraint in skeleton.mechanism.constraints:
        if constraint.mode is not None:
            continue  # a stop or friction, which belongs to its joint
        part = named.get(constraint.name)
        coupling = coupling_of(part, joints) if isinstance(part, lw.constraints.CoordinateCoupler) else None
        if coupling is None or coupling.leader is None or len(coupling.coefficients) > 2:
            raise ModelError(f"{constraint.name}: URDF holds trees and joints that follow in proportion, and no other "
                             "constraint; write MJCF (.xml).", constraint.name)
        found[coupling.follower] = (coupling.coefficients[1], coupling.leader, coupling.coefficients[0])
    return found
