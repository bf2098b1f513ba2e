"""Joints: their kinds, stops, friction and damping, and those that follow another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ..building import Building, coordinate
from ..markup import Element
from ..tolerances import NO_AXIS_URDF
from .limits import first_leader, leader_of, start_of, with_followers
from .origin import pose

if TYPE_CHECKING:
    from ...language import Component, Joint

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical")


class Joints:
    """Makes joints between the `frames` of links; `elements` are all joints of the file by name, `bare` those with no
    mass beyond them."""

    def __init__(self, building: Building, frames: Mapping[str, object], elements: Mapping[str, Element],
                 bare: set[str], stops: bool, friction: bool) -> None:
        self.building, self.report, self.frames, self.elements = building, building.report, frames, elements
        self.bare = bare
        self.stops, self.friction = stops, friction
        self.joints: dict[str, object] = {}  # joint → component, for those that move

    def add(self, joint: Element) -> None:
        """A joint between its links."""
        name, kind = joint.get("name"), joint.choice("type", KINDS, "")
        X = pose(joint.first("origin"))
        parent, child = (self.frames[joint.the(end).need("link")] for end in ("parent", "child"))
        held = kind != "fixed" and self._moves_nothing(joint)
        if held:
            self.report.approximate(joint, "no link beyond it has mass, so nothing determines its motion: it is held "
                                           "at zero")
        if kind == "fixed" or held:
            for tag in ("axis", "limit", "dynamics"):
                if joint.first(tag) is not None:
                    joint.first(tag).leave()  # without meaning where nothing moves
            self.building.model.connect(self.building.placed(parent, X, name), child)
            return
        place = self.building.placed(parent, X, f"{name}_origin")
        component = self._moving(joint, kind)
        self.building.add(name, component, joint)
        self.joints[name] = component
        self.building.model.connect(place, component.frame_a)
        self.building.model.connect(component.frame_b, child)
        self._damping(joint, component, name)
        self._range(joint, component, kind)
        for tag, why in (("safety_controller", "soft limits belong to a controller"),
                         ("calibration", "calibration belongs to the real robot")):
            if joint.first(tag) is not None:
                self.report.ignore(joint.first(tag), why)

    def _moves_nothing(self, joint: Element) -> bool:
        """Whether neither the joint nor those that it follows or leads have any mass beyond them."""
        first = first_leader(joint, self.elements)
        return all(name in self.bare for name, other in self.elements.items()
                   if first_leader(other, self.elements) is first)

    def _moving(self, joint: Element, kind: str) -> Joint:
        axis = joint.first("axis")
        n = axis.numbers("xyz", 3, (1, 0, 0)) if axis is not None else np.array([1.0, 0, 0])
        if kind in ("floating", "spherical"):
            return (lw.joints.FreeMotion if kind == "floating" else lw.joints.Spherical)(animation=False)
        length = np.linalg.norm(n)
        if length < NO_AXIS_URDF:
            raise (axis or joint).error("axis xyz has no direction.")
        n = n / length
        if kind == "planar":
            across = np.eye(3)[int(np.argmin(np.abs(n)))]
            return lw.joints.Planar(n=n, n_x=across, animation=False)
        one_axis, letter = (lw.joints.Prismatic, "s") if kind == "prismatic" else (lw.joints.Revolute, "phi")
        given = {"n": n, "animation": False, "friction": self._coulomb(joint)}
        if kind != "continuous":
            given |= self._stops(joint, letter)
        start = start_of(joint, self.elements)
        if start != 0.0:
            given[letter] = lw.guess(start)
        return self.building.make(joint, one_axis, **given)

    def _stops(self, joint: Element, letter: str) -> dict[str, object]:
        """Limits as hard stops."""
        limit = joint.first("limit")
        if limit is None:
            self.report.approximate(joint, "no <limit>: the joint moves without stops")
            return {}
        low, high = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if limit.get("lower") is None and limit.get("upper") is None:
            self.report.approximate(limit, "no lower and upper: the joint moves without stops")
        if low > high:
            raise limit.error(f"lower = {low:g} lies above upper = {high:g}.")
        if not self.stops or not low < high or leader_of(joint, self.elements) is not None:
            return {}
        low, high = with_followers(joint, self.elements, low, high)
        return {f"{letter}_min": low, f"{letter}_max": high}

    def _range(self, joint: Element, component: Component, kind: str) -> None:
        """What else a <limit> says: no way at all is a lock, effort and speed belong to a drive."""
        limit = joint.first("limit")
        if limit is None:
            return
        if kind in ("revolute", "prismatic"):
            low = limit.number("lower", 0.0)
            given = limit.get("lower") is not None or limit.get("upper") is not None
            if given and low == limit.number("upper", 0.0):
                if self.stops:
                    self.building.model.lock(component, low)
                self.report.approximate(limit, "lower = upper: the joint is locked")
        elif limit.get("lower") is not None or limit.get("upper") is not None:
            self.report.approximate(limit, f"a {kind} joint has no stops")
        bounds = {key: limit.number(key) for key in ("effort", "velocity") if limit.get(key) is not None}
        if bounds:
            self.report.data.setdefault("limits", {})[joint.get("name")] = bounds

    def _coulomb(self, joint: Element) -> lw.Coulomb | None:
        dynamics = joint.first("dynamics")
        dry = dynamics.number("friction", 0.0) if dynamics is not None else 0.0
        if dry < 0:
            raise dynamics.error(f"friction = {dry:g} cannot be negative.")
        return lw.Coulomb(tau=dry) if dry > 0 and self.friction else None

    def _damping(self, joint: Element, component: Component, name: str) -> None:
        dynamics = joint.first("dynamics")
        if dynamics is None:
            return
        damping = dynamics.number("damping", 0.0)
        if damping < 0:
            raise dynamics.error(f"damping = {damping:g} cannot be negative.")
        if damping > 0 and self.friction:
            if hasattr(component, "axis"):
                self.building.damper(component, damping, f"{name}_damper")
            else:
                self.report.ignore(dynamics, "damping is for joints of one axis")

    def couple(self, joint: Element) -> None:
        """What a <mimic> says, once all joints are there."""
        mimic = joint.first("mimic")
        if mimic is None:
            return
        leader, name = mimic.need("joint"), joint.get("name")
        if name not in self.joints:
            return mimic.leave()  # what does not move follows nobody
        if leader not in self.elements:
            return self.report.ignore(mimic, f"there is no joint {leader!r} to follow")
        own, other = self.joints[name], self.joints.get(leader)
        if not hasattr(own, "axis") or other is not None and not hasattr(other, "axis"):
            raise mimic.error("a joint that follows another, and that other, have one axis each.")
        ratio, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        led = coordinate(other) if other is not None else 0.0  # a fixed joint stands at zero
        coupled = lw.constraints.CoordinateCoupler(function=coordinate(own) - ratio * led - offset)
        self.building.add(f"{name}_mimic", coupled)
