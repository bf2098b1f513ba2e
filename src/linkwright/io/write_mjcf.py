"""Models as MJCF: bodies, joints, loops, springs, dampers, actuators and fixed tendons.

Inertias are written out, so that shapes carry no mass.  A joint that closes a loop becomes <connect>s: one for a
Spherical joint, two on the axis for a Revolute one (together five equations, one of them twice).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..algebra import quaternion_from_rotation
from ..errors import ModelError
from .links_and_joints import (
    BALL,
    FREE,
    HINGE,
    SLIDE,
    Coupling,
    Link,
    Motion,
    Skeleton,
    attached,
    combination_of,
    coupling_of,
    left_out,
    skeleton_of,
)
from .tolerances import NO_STOP
from .write_urdf import bounds, resistance, word
from .written_actuators import ActuatorWriter
from .written_damping import turning_damping
from .written_drives import load_parts, pulls_of
from .written_shapes import shapes_on
from .xml_text import Tag

if TYPE_CHECKING:
    from ..language import Component


def write_mjcf(model: lw.Model, path: Path) -> list[str]:
    """Write a model, loops included."""
    skeleton = skeleton_of(model, "MJCF")
    root = Tag("mujoco", model=skeleton.name)
    root.add("compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    root.add("option", gravity=skeleton.gravity)
    assets = Tag("asset")
    world = root.add("worldbody")
    meshes: dict[tuple, str] = {}
    _shapes(world, skeleton, None, assets, meshes)
    tags: dict[int, Tag] = {}
    for k, (parent, motions) in chains(skeleton).items():
        tags[k] = _body(world if parent is None else tags[parent], skeleton.links[k], motions, skeleton)
        _shapes(tags[k], skeleton, k, assets, meshes)
    if assets.children:
        root.children.insert(2, assets)
    owners = {None: world, **tags}
    drives = ActuatorWriter(skeleton, owners, word, placed)
    equality = Tag("equality")
    _loops(equality, skeleton, owners, drives)
    pulls = pulls_of(skeleton)
    drives.write(root, pulls)
    if equality.children:
        root.add(equality)
    path.write_text(root.document(f"{skeleton.name}, written by Linkwright"), encoding="utf-8")
    held = {share.part.path for joint in skeleton.parts((lw.joints.Spherical, lw.joints.FreeMotion))
            for share in turning_damping(skeleton, joint)[1]}
    held |= {name for pull in pulls for name in (pull.control, *(share.part.path for share in pull.shares))}
    return [name for name in left_out(skeleton, springs=True) if name not in held]


def placed(X: lw.Transform) -> dict[str, object]:
    """pos and quat, where they say something."""
    out: dict[str, object] = {}
    if np.any(X.p):
        out["pos"] = X.p
    if not np.array_equal(X.R, np.eye(3)):
        out["quat"] = np.asarray(quaternion_from_rotation(X.R), dtype=float).ravel()
    return out


def chains(skeleton: Skeleton) -> dict[int, tuple[int | None, list[Motion]]]:
    """link → (parent, joints one after another): links without mass between joints, which MuJoCo refuses, are gone."""
    links = skeleton.links
    children = [[k for k, link in enumerate(links) if link.parent == j] for j in range(len(links))]
    held = {skeleton.mechanism.frames[f"{part.path}.frame_{side}"].body
            for part in skeleton.parts(lw.constraints.Constraint) for side in "ab"}
    held |= {skeleton.mechanism.frames[f"{part.path}.frame_b"].body for part in load_parts(skeleton)}
    passing = {k for k, link in enumerate(links)
               if link.mass == 0 and not np.any(link.tensor) and len(children[k]) == 1 and k not in held
               and all(motion.kind in (HINGE, SLIDE) for j in (k, children[k][0]) for motion in links[j].motions)
               and not any(shapes_on(skeleton, k))}
    out: dict[int, tuple[int | None, list[Motion]]] = {}
    for k, link in enumerate(links):
        if k in passing:
            continue
        motions, parent = list(link.motions), link.parent
        while parent in passing:
            motions, parent = [*links[parent].motions, *motions], links[parent].parent
        out[k] = (parent, motions)
    return out


def _body(parent: Tag, link: Link, motions: list[Motion], skeleton: Skeleton) -> Tag:
    """A body with its joints, whose places and axes are given in the body's own frame."""
    if motions[0].kind == FREE and link.parent is not None:
        raise ModelError(f"{motions[0].name}: MJCF has free joints on the world only.", motions[0].component)
    X = motions[0].X
    for motion in motions[1:]:
        X = X @ motion.X
    body = parent.add("body", name=word(link.name), **placed(X @ link.start if motions[0].kind == FREE else X))
    behind = [lw.Transform()]
    for motion in reversed(motions[1:]):
        behind.append(motion.X @ behind[-1])
    for motion, rest in zip(motions, reversed(behind), strict=True):
        _joint(body, motion, rest.inverse(), skeleton)
    if link.mass > 0 or np.any(link.tensor):
        I = link.tensor
        body.add("inertial", pos=link.centre, mass=link.mass,
                 fullinertia=[I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
    return body


def _joint(body: Tag, motion: Motion, X: lw.Transform, skeleton: Skeleton) -> None:
    """A joint whose frame stands at X in the body's."""
    given: dict[str, object] = {"pos": X.p} if np.any(X.p) and motion.kind != FREE else {}
    if motion.kind in (BALL, FREE):
        damping = turning_damping(skeleton, motion.component)[0] if motion.component is not None else 0.0
        if motion.kind == FREE and not damping:
            body.add("freejoint", name=word(motion.name))
            return
        given |= {"damping": damping} if damping else {}
    else:
        given["axis"] = X.R @ motion.axis
        low, high = bounds(motion)
        if low is not None or high is not None:
            given["range"] = [-NO_STOP if low is None else low, NO_STOP if high is None else high]
        damping, dry = resistance(skeleton, motion)
        stiffness, rest = _spring(skeleton, motion)
        given |= {name: value for name, value in (("armature", motion.armature), ("damping", damping),
                                                  ("frictionloss", dry), ("stiffness", stiffness), ("springref", rest))
                  if value}
    body.add("joint", name=word(motion.name), type=motion.kind, **given)


def _spring(skeleton: Skeleton, motion: Motion) -> tuple[float, float]:
    """(stiffness, coordinate without force) of the springs on a joint together."""
    if not hasattr(motion.component, "axis"):
        return 0.0, 0.0
    springs = (lw.rotational.Spring, lw.rotational.SpringDamper, lw.translational.Spring, lw.translational.SpringDamper)
    total = moment = 0.0
    for part, sign in attached(skeleton, motion.component, springs):
        rest = part.phi_rel0 if hasattr(part, "phi_rel0") else part.s_rel0
        total += float(part.c)
        moment += sign * float(part.c) * float(rest)
    return total, moment / total if total else 0.0


def _shapes(tag: Tag, skeleton: Skeleton, body: int | None, assets: Tag, meshes: dict[tuple, str]) -> None:
    for use, shape, colour in shapes_on(skeleton, body):
        geom = tag.add("geom", type=shape.kind, **placed(shape.X))
        if shape.kind == "mesh":
            key = (shape.file, shape.size)
            if key not in meshes:
                meshes[key] = f"mesh_{len(meshes) + 1}"
                assets.add("mesh", name=meshes[key], file=shape.file, scale=shape.size)
            geom.attributes["mesh"] = meshes[key]
        else:
            size = {"box": np.array(shape.size) / 2, "plane": np.array([1.0, 1.0, 0.1])}.get(shape.kind)
            if shape.kind in ("cylinder", "capsule"):
                size = np.array([shape.size[0], shape.size[1] / 2])
            geom.attributes |= Tag("", size=np.array(shape.size) if size is None else size).attributes
        if colour is not None:
            geom.attributes |= Tag("", rgba=[*(c / 255 for c in colour), 1.0]).attributes
        if use == "visual":
            geom.attributes |= {"contype": "0", "conaffinity": "0"}
        elif colour is None:
            geom.attributes["group"] = "3"


def _loops(equality: Tag, skeleton: Skeleton, owners: dict[int | None, Tag], drives: ActuatorWriter) -> None:
    """Constraints as equalities; what the format has no equality for is refused by name."""
    named = {part.path: part for part in skeleton.model.leaves()}
    joints = skeleton.parts((lw.joints.Revolute, lw.joints.Prismatic))
    for constraint in skeleton.mechanism.constraints:
        if constraint.mode is not None:
            continue  # a stop or friction, which belongs to its joint
        part = named.get(constraint.name)
        if isinstance(part, lw.constraints.CoordinateCoupler):
            coupling = coupling_of(part, joints)
            if coupling is not None and len(coupling.coefficients) <= 5:
                _coupling(equality, part, coupling)
                continue
            combination = combination_of(part, joints)
            if combination is not None:
                name, (coupled, factors, constant) = word(part.path), combination
                drives.tendon(f"{name}_tendon", coupled, factors)
                equality.add("tendon", name=name, tendon1=f"{name}_tendon", polycoef=[constant, 0, 0, 0, 0])
                continue
        elif isinstance(part, lw.constraints.Weld):
            _weld(equality, part, skeleton, owners)
            continue
        elif isinstance(part, (lw.constraints.Ball, lw.joints.Spherical)):
            _connect(equality, part, skeleton, owners, np.zeros(3), "")
            continue
        elif isinstance(part, lw.joints.Revolute):
            n = np.asarray(part.n, dtype=float) / np.linalg.norm(part.n)
            _connect(equality, part, skeleton, owners, np.zeros(3), "")
            _connect(equality, part, skeleton, owners, n * 0.1, "_axis")
            continue
        raise ModelError(f"{constraint.name}: this constraint has no place in MJCF.", constraint.name)


def _coupling(equality: Tag, part: Component, coupling: Coupling) -> None:
    given = {"name": word(part.path), "joint1": word(coupling.follower.path)}
    if coupling.leader is not None:
        given["joint2"] = word(coupling.leader.path)
    padded = np.zeros(5)
    padded[:len(coupling.coefficients)] = coupling.coefficients
    equality.add("joint", **given, polycoef=padded)


def _connect(equality: Tag, part: Component, skeleton: Skeleton, owners: dict[int | None, Tag], point: np.ndarray,
             suffix: str) -> None:
    """A point in common, as sites on both bodies: the pose that is drawn need not close the loop."""
    names = _sites(part, skeleton, owners, lw.Transform(None, point), suffix)
    equality.add("connect", name=word(part.path) + suffix, site1=names[0], site2=names[1])


def _weld(equality: Tag, part: Component, skeleton: Skeleton, owners: dict[int | None, Tag]) -> None:
    names = _sites(part, skeleton, owners, lw.Transform(), "")
    equality.add("weld", name=word(part.path), site1=names[0], site2=names[1])


def _sites(part: Component, skeleton: Skeleton, owners: dict[int | None, Tag], X: lw.Transform,
           suffix: str) -> tuple[str, str]:
    """Sites at X in frame_a and frame_b of a component; gives their names."""
    names = []
    for side in "ab":
        body, X_end = skeleton.frame(f"{part.path}.frame_{side}")
        name = f"{word(part.path)}_{side}{suffix}"
        owners[body].add("site", name=name, **placed(X_end @ X))
        names.append(name)
    return names[0], names[1]
