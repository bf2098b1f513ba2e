"""Drives of a model as MuJoCo's actuators and fixed tendons; what has another form is left out.

A share is a source on the axis of a joint, or a load on a frame, with its formulas.  Shares that follow one input, or
none, belong together where their formulas are multiples cₖ F of one law (see `written_laws`): on one joint, on several
(a fixed tendon), on a ball or free joint, or on a site.  With an input that is an actuator; without one a tendon's
spring and damper, or an actuator whose control does nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

import linkwright as lw

from ..language import Component, Frame, Joint, block_of
from .building import coordinate, speed
from .links_and_joints import Skeleton, joined
from .mjcf.actuators import along_ball, along_frame, along_free, along_world
from .written_laws import Activation, Law, activation_of, law_of, ratios


@dataclass(frozen=True, eq=False)
class Share:
    """A source on a one-axis joint, or a load on a frame: `axes` are those of its six formulas, force before torque.

    Of a torque between the frames of a ball joint `joint` is that one.
    """

    part: object
    formulas: tuple[ca.SX, ...]
    joint: object = None
    axes: str = ""

    @property
    def on_axis(self) -> bool:
        return not self.axes


@dataclass(frozen=True, eq=False)
class Target:
    """What shares pull together ("axes", "ball", "free", "site"), along which gear, its length and rate.

    Of a ball or free joint torques may be `outside`, along the axes of the parent; loads on a site along the world's.
    """

    kind: str
    gear: np.ndarray
    length: object
    rate: object
    joint: object = None
    outside: bool = False


@dataclass(frozen=True, eq=False)
class Pull:
    """Shares that are cₖ F; `control` is the name of the input, None where there is none."""

    shares: tuple[Share, ...]
    target: Target
    law: Law
    control: str | None
    activation: Activation | None


def pulls_of(skeleton: Skeleton) -> list[Pull]:
    """All drives of a model that are of the form above."""
    inputs = {symbol.__hash__(): inner.path_of(name) for inner in skeleton.model.models()
              for name, (symbol, _) in inner._inputs.items()}
    groups: dict[object, list[Share]] = {}
    for share in [*_sources(skeleton), *_loads(skeleton), *_twists(skeleton)]:
        symbols = {symbol.__hash__(): symbol for formula in share.formulas for symbol in ca.symvar(formula)}
        leading = [key for key, symbol in symbols.items() if key in inputs or block_of(symbol, skeleton.model)]
        if len(leading) == 1:
            groups.setdefault(leading[0], []).append(share)
        elif not leading:
            groups.setdefault(frozenset(symbols) or share, []).append(share)
    found = (_pull(skeleton, shares, key if isinstance(key, int) else None, inputs) for key, shares in groups.items())
    return [pull for pull in found if pull is not None]


def _sources(skeleton: Skeleton) -> list[Share]:
    """Torques and forces on the axes of joints; a signal that was left as a number is an input of its own."""
    found = []
    for part in skeleton.parts((lw.rotational.Torque, lw.translational.Force)):
        formula = part._signals.get("tau" if isinstance(part, lw.rotational.Torque) else "f")
        joints = [other.owner for other in joined(skeleton.model, part.flange)
                  if isinstance(other.owner, (lw.joints.Revolute, lw.joints.Prismatic)) and other is other.owner.axis]
        if len(joints) == 1:
            found.append(Share(part, (ca.SX(0.0 if formula is None else formula),), joints[0]))
    return found


def load_parts(skeleton: Skeleton) -> list:
    """The components that put a load on a frame from outside."""
    return skeleton.parts((lw.forces.WorldForce, lw.forces.WorldTorque, lw.forces.WorldForceAndTorque))


def _loads(skeleton: Skeleton) -> list[Share]:
    return [Share(part, _six(part), axes=part.resolve_in_frame) for part in load_parts(skeleton)
            if part.resolve_in_frame in ("world", "frame_b")]


def _twists(skeleton: Skeleton) -> list[Share]:
    """Torques between the frames of ball joints."""
    found = []
    for part in skeleton.parts(lw.forces.Torque):
        ends = [[other.owner for other in joined(skeleton.model, frame)
                 if isinstance(other.owner, lw.joints.Spherical) and other is getattr(other.owner, name)]
                for name, frame in (("frame_a", part.frame_a), ("frame_b", part.frame_b))]
        both = [joint for joint in ends[0] if joint in ends[1]]
        if both and part.resolve_in_frame in ("frame_a", "frame_b"):
            found.append(Share(part, _six(part), both[0], part.resolve_in_frame))
    return found


def shares_on(skeleton: Skeleton, joint: Joint) -> list[Share]:
    """Loads that act on the moving frame of a ball or free joint."""
    twists = [share for share in _twists(skeleton) if share.joint is joint]
    return twists + [share for share in _loads(skeleton)
                     if any(other is joint.frame_b for other in joined(skeleton.model, share.part.frame_b))]


def _six(part: Component) -> tuple[ca.SX, ...]:
    """Force and torque, zero where the part has none."""
    return tuple(formula for name in ("force", "torque")
                 for formula in ca.vertsplit(ca.SX(part._signals.get(name, ca.SX.zeros(3)))))


def _pull(skeleton: Skeleton, shares: Sequence[Share], leader: int | None, inputs: dict[int, str]) -> Pull | None:
    formulas = [formula for share in shares for formula in share.formulas]
    if leader is None and len(shares) == 1 and shares[0].on_axis and formulas[0].is_constant():
        return _open(shares[0])
    coefficients = ratios(formulas)
    target = None if coefficients is None else _target(skeleton, shares, coefficients)
    if coefficients is None or target is None:
        return None
    name, activation = None if leader is None else inputs.get(leader), None
    if leader is not None and name is None:
        block = next(block_of(symbol, skeleton.model) for formula in formulas for symbol in ca.symvar(formula)
                     if symbol.__hash__() == leader)
        read = [symbol.__hash__() for symbol in ca.symvar(block.derivative) if symbol.__hash__() in inputs]
        activation = activation_of(block, read[0]) if len(read) == 1 else None
        if activation is None:
            return None
        name = inputs[read[0]]
    law = law_of(formulas[int(np.argmax(coefficients == 1))], leader, target.length, target.rate)
    if law is None or activation is not None and law.control_range is not None:
        return None
    return Pull(tuple(shares), target, law, name, activation)


def _open(share: Share) -> Pull:
    """A signal that was left as a number is a motor, whose force stands at that."""
    letter = "tau" if isinstance(share.part, lw.rotational.Torque) else "f"
    law = Law(np.array([1.0, 0.0, 0.0]), np.array([float(ca.DM(share.formulas[0])), 0.0, 0.0]), None, None)
    return Pull((share,), Target("axes", np.ones(1), 0.0, 0.0), law, f"{share.part.path}.{letter}", None)


def _target(skeleton: Skeleton, shares: Sequence[Share], gear: np.ndarray) -> Target | None:
    """What shares pull together; None where no actuator pulls that."""
    if all(share.on_axis for share in shares):
        length, rate = (sum(g * of(share.joint) for g, share in zip(gear, shares, strict=True))
                        for of in (coordinate, speed))
        return Target("axes", gear, length, rate)
    if any(share.on_axis for share in shares):
        return None
    whole = gear.reshape(-1, 6).sum(axis=0)
    if shares[0].joint is not None:
        outside = shares[0].axes == "frame_a"
        along, speed_along = along_ball(shares[0].joint, whole[3:], outside)
        return Target("ball", whole[3:], along, speed_along, shares[0].joint, outside) if len(shares) == 1 else None
    joint, outside = _free_joint(skeleton, shares)
    if joint is not None:
        along, speed_along = along_free(joint, whole, outside)
        return Target("free", whole, along, speed_along, joint, outside)
    if len(shares) > 1:
        return None
    outside, frame = shares[0].axes == "world", _joined_frame(skeleton, shares[0])
    return Target("site", whole, *(along_world(frame, np.zeros(3), whole) if outside else along_frame(frame, whole)),
                  outside=outside)


def _joined_frame(skeleton: Skeleton, share: Share) -> Frame:
    """The frame of another part that a load acts on: formulas speak of that one."""
    read = {symbol.__hash__() for formula in share.formulas for symbol in ca.symvar(formula)}
    for frame in joined(skeleton.model, share.part.frame_b):
        if any(symbol.__hash__() in read for symbol in ca.symvar(ca.veccat(frame.r_0, frame.v_0, frame.w))):
            return frame
    return share.part.frame_b


def _free_joint(skeleton: Skeleton, shares: Sequence[Share]) -> tuple[object, bool]:
    """(the free joint whose body is pushed along the axes of the world, whether it is twisted along those too)."""
    joints, axes = [], set()
    for share in shares:
        if any(not formula.is_zero() for formula in share.formulas[:3]) and share.axes != "world":
            return None, False
        if any(not formula.is_zero() for formula in share.formulas[3:]):
            axes.add(share.axes)
        joints += [other.owner for other in joined(skeleton.model, share.part.frame_b)
                   if isinstance(other.owner, lw.joints.FreeMotion) and other is other.owner.frame_b]
    single = len(joints) == len(shares) and len(set(joints)) == 1 and len(axes) <= 1
    return (joints[0] if single else None), axes == {"world"}
