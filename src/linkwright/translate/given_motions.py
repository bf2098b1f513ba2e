"""Motions that a model gives to its joints, gathered joint by joint before the tree is built."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError
from ..language import LEVELS, Given, Joint, Lock, PartsList, set_at_events, set_by_actions
from ..language.expressions import der
from ..language.parts_list_entries import Course


def catches(plan: PartsList) -> dict[int, ca.SX]:
    """Joints that are locked while a condition is true, by the id of their component: the forces of the locks."""
    found: dict[int, ca.SX] = {}
    for lock in (motion for model in plan.model.models() for motion in model._motions
                 if isinstance(motion, Lock) and motion.condition is not None):
        joint = lock.joint
        if id(joint) in plan.courses:
            raise ModelError(f"{joint.path}: it is given more than one motion, of which one is a lock with a "
                             "condition; keep one.", joint)
        if id(joint) in found:
            raise ModelError(f"{joint.path}: it is locked by two conditions; join them with lw.logical_or.", joint)
        found[id(joint)] = plan.lock(f"{joint.path}.lock", plan.joint_symbols(joint)[1], lock.condition)
    return found


def courses(plan: PartsList) -> dict[int, Course]:
    """The course of every joint that has one, by the id of its component."""
    given: dict[int, list] = {}
    for model in plan.model.models():
        for motion in model._motions:
            if isinstance(motion, Given) or motion.condition is None:
                given.setdefault(id(motion.joint), []).append(motion)
    found = {key: _course(plan, motions) for key, motions in given.items()}
    for axis in plan.axes:
        course = found.get(id(axis.joint))
        if course is not None:
            plan.motion(course, axis.axis, None, course.acceleration[axis.index])
    return found


def _course(plan: PartsList, motions: list) -> Course:
    joint = motions[0].joint
    if len({type(motion) for motion in motions}) > 1 or (isinstance(motions[0], Lock) and len(motions) > 1):
        raise ModelError(f"{joint.path}: it is given more than one motion (locked and prescribed, or locked twice); "
                         "keep one.", joint)
    if isinstance(motions[0], Lock):
        return _locked(plan, motions[0])
    kind = plan.joint_kind(joint)
    taken: dict[int, Given] = {}
    for motion in motions:
        other = taken.setdefault(motion.index, motion)
        if other is not motion:
            raise ModelError(f"{joint.path}.{motion.name}: this freedom is prescribed already, by {other.name}; "
                             "prescribe it once, on one level.", joint)
        _refuse_events(plan, motion)
    missing = [k for k in range(kind.nu) if k not in taken]
    if missing:
        raise ModelError(f"{joint.path}: {', '.join(m.name for m in motions)} alone cannot be prescribed, the joint "
                         f"has {kind.nu} freedoms; prescribe all of them ({_names(joint, missing)} too), or put "
                         "several joints in its place.", joint)
    q, u, _ = plan.joint_symbols(joint)
    out = Course(joint, [ca.SX(0)] * kind.nu, [None] * kind.nu, [None] * kind.nu)
    for k, motion in taken.items():
        rates = [motion.expression]
        while len(rates) + motion.level < 3:
            rates.append(der(rates[-1]))
        out.acceleration[k] = rates[-1]
        if motion.level == 0:
            out.position[k] = rates[0]
            out.start.append((f"{joint.path}.{motion.name} as prescribed", q[k] - rates[0]))
        if motion.level < 2:
            out.speed[k] = rates[-2]
            said = f"the rate of {joint.path}.{motion.name}" if motion.level == 0 else f"{joint.path}.{motion.name}"
            out.start.append((f"{said} as prescribed", u[k] - rates[-2]))
    return out


def _locked(plan: PartsList, lock: Lock) -> Course:
    """At rest, at the values given or wherever the joint starts."""
    joint, kind = lock.joint, plan.joint_kind(lock.joint)
    q, u, _ = plan.joint_symbols(joint)
    zeros = [ca.SX(0)] * kind.nu
    start = [(f"{joint.path} locked, at rest", u[k]) for k in range(kind.nu)]
    position: list = [None] * kind.nu
    if lock.value is not None:
        position = [ca.SX(float(value)) for value in lock.value]
        start += [(f"{joint.path} locked at {value:g}", q[k] - float(value)) for k, value in enumerate(lock.value)]
    return Course(joint, zeros, position, list(zeros), start)


def _names(joint: Joint, missing: list[int]) -> str:
    names = joint.coordinates()
    return ", ".join(names[k][0] if names else f"q[{k}]" for k in missing)


def _apart(expression: ca.SX, held: set[int]) -> bool:
    """Whether an expression is the sum of one of what is held between events and one of the rest."""
    symbols = ca.symvar(expression)
    moving = ca.vertcat(ca.SX(0, 1), *[s for s in symbols if s.element_hash() not in held])
    slopes = ca.jacobian(expression, moving)
    return not any(ca.depends_on(slopes, s) for s in symbols if s.element_hash() in held)


def _refuse_events(plan: PartsList, motion: Given) -> None:
    """A variable that jumps at an event cannot be part of a speed; of a position it can where an action sets it."""
    if motion.level == 2:
        return
    read = {s.element_hash() for s in ca.symvar(motion.expression)}
    allowed = set_by_actions(plan.model) if motion.level == 0 else set()
    if read & allowed and not _apart(motion.expression, read & allowed):
        raise ModelError(f"{motion.joint.path}.{motion.name}: the expression it follows reads a variable that changes "
                         "at events, and its speed would jump with that; add what changes at events to what moves, "
                         "without a factor between them, or prescribe the acceleration.", motion.joint)
    if read & set_at_events(plan.model) - allowed:
        raise ModelError(f"{motion.joint.path}.{motion.name}: the expression it follows reads a variable that changes "
                         f"at events, and a {LEVELS[motion.level]} cannot jump; prescribe the "
                         f"{LEVELS[motion.level + 1]}, or use rotational.Position or Speed, which follow through a "
                         "filter.", motion.joint)
