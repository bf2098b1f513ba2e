"""Pairs of shapes that a model leaves to be found (`m.contacts`): those that can move against each other."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import casadi as ca

from ..errors import ModelError
from ..language import Component, Connector, Model, PartsList, Wanted
from .groups import Group, Node, rigid_groups
from .tolerances import MANY_POINTS


class Found(NamedTuple):
    """Two shapes that can meet under a law: in how many points, and by "formulas", "unknowns" or "loops"."""

    a: Component
    b: Component
    asked: Wanted
    points: int
    means: str

    @property
    def law(self) -> object:
        return self.asked.law


def find_pairs(plan: PartsList) -> list[Component]:
    """The pairs that `m.contacts` asks for, told to the plan under the name "a/b".

    Shapes of one body are left out, and so are those of two bodies that a joint connects (or several in a row, with
    nothing between them), pairs that the model has already, and kinds of shapes that cannot meet.  Under a rigid law,
    pairs whose contact is found by a search are left to stepping (`method="time_stepping"`), and so are all pairs where
    there are very many points.
    """
    found = _found(plan)
    crowded = sum(pair.points for pair in found if is_rigid(pair.law)) > MANY_POINTS
    made = []
    for pair in found:
        name = f"{pair.a.path}/{pair.b.path}"
        if is_rigid(pair.law) and (crowded or pair.means == "loops"):
            plan.encounter(name, pair.a, pair.b, pair.law)
            continue
        component = pair.a.pair_with(pair.b, pair.law)
        component.__dict__["_name"], component.__dict__["_parent"] = name, plan.model
        plan.components.append(component)
        component.describe(plan)
        made.append(component)
    return made


def found_by(plan: PartsList, asked: Wanted) -> list[tuple[Component, Component]]:
    """The pairs of one call of `m.contacts`."""
    return [(pair.a, pair.b) for pair in _found(plan) if pair.asked is asked]


def is_rigid(law: object) -> bool:
    """Whether a law lets nothing overlap."""
    return hasattr(law, "impact")


def _found(plan: PartsList) -> list[Found]:
    wanted = [(model, asked) for model in plan.model.models() for asked in model._contacts]
    if not wanted:
        return []
    _, nodes = rigid_groups(plan)

    def group(shape: Component) -> Group:
        return nodes[id(shape.frame_a)].group

    neighbours = _neighbours(plan, nodes)
    taken = {frozenset((id(touch.a), id(touch.b))) for touch in plan.touches}
    found, kinds = [], {}
    for model, asked in wanted:
        shapes = [c for c in model.leaves() if hasattr(c, "pair_with")]
        before, left_out = len(found), LeftOut()
        groups = {id(shape): id(group(shape)) for shape in shapes}
        for a, b in combinations(shapes, 2) if asked.between is None else asked.between:
            for shape in (a, b):
                if id(shape) not in groups:
                    raise ModelError(f"{model.path}: contacts(between=…): the {type(shape).__name__} {shape.path!r} is "
                                     "no part of it; give it a name there first: m.skin = ….", model)
            bodies, frames = frozenset((groups[id(a)], groups[id(b)])), frozenset((id(a.frame_a), id(b.frame_a)))
            if len(bodies) == 1:
                left_out.same_body += 1
                continue
            if bodies in neighbours and asked.between is None:
                left_out.jointed += 1
                continue
            if frames in taken:
                left_out.named += 1
                continue
            key = tuple(type(shape) if shape.alike else id(shape) for shape in (a, b))
            if key not in kinds:
                kinds[key] = a.points_with(b)
            if kinds[key] is None:
                left_out.unknown.append((a, b))
                continue
            taken.add(frames)
            found.append(Found(a, b, asked, *kinds[key]))
        left_out.tell(plan, model, shapes, len(found) - before)
    return found


def _neighbours(plan: PartsList, nodes: dict[int, Node]) -> set[frozenset[int]]:
    """Groups (two ids) that a joint connects, or several one after another with nothing between them.

    Three hinges in a row are a ball joint: the groups between them have no mass and no shape.
    """
    def group(frame: Connector) -> int:
        return id(nodes[id(frame)].group)

    solid = {group(mass.frame) for mass in plan.masses if not _is_nothing(mass.inertia.m)}
    solid |= {group(part.frame_a) for part in plan.components if hasattr(part, "pair_with")}
    solid |= {group(told.frame) for told in plan.ground}
    beside: dict[int, set[int]] = {}
    for edge in plan.joints:
        a, b = group(edge.a), group(edge.b)
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    found = set()
    for start in beside:
        seen, ahead = {start}, list(beside[start])
        while ahead:
            other = ahead.pop()
            if other not in seen:
                seen.add(other)
                found.add(frozenset((start, other)))
                ahead += () if other in solid else beside[other]
    return found


def _is_nothing(mass: object) -> bool:
    return not isinstance(mass, ca.SX) and float(mass) == 0 or isinstance(mass, ca.SX) and mass.is_zero()


@dataclass
class LeftOut:
    """Pairs that one call of `m.contacts` has left out, and why."""

    same_body: int = 0
    jointed: int = 0
    named: int = 0
    unknown: list[tuple[Component, Component]] = field(default_factory=list)

    def tell(self, plan: PartsList, model: Model, shapes: Sequence[Component], found: int) -> None:
        """Remark on kinds that cannot meet; where nothing was found at all, say what was looked at."""
        reasons = [f"{count} {what}" for count, what in (
            (self.same_body, "on one body, which cannot touch itself"),
            (self.jointed, "on bodies that a joint connects (contact.Pair(a, b, law=…) asks for one all the same)"),
            (self.named, "that the model has already by contact.Pair or another m.contacts")) if count]
        if self.unknown:
            kinds = {f"{type(a).__name__} and {type(b).__name__} ({a.path}, {b.path})": None
                     for a, b in sorted(self.unknown, key=lambda pair: [type(s).__name__ for s in pair])}
            some = ", ".join(list(kinds)[:3]) + (" …" if len(kinds) > 3 else "")
            reasons.append(f"{len(self.unknown)} of kinds that cannot meet, {some}")
        if found:
            if self.unknown:
                plan.remark(f"{model.path}: m.contacts left out {reasons[-1]}; the page on "
                            "shapes of contact lists those that can")
            return
        if len(shapes) < 2:
            seen = f"the one shape {shapes[0].path}" if shapes else "no shape of contact"
            said = (f"{model.path}: m.contacts found no pair: there is {seen} in {model.path}, and a pair takes two. "
                    "Put shapes on frames (m.skin = contact.Sphere(…), m.connect(m.body.frame_a, m.skin.frame_a)), and "
                    "a contact.Plane on the world for a floor")
        else:
            names = ", ".join(shape.path for shape in shapes[:4]) + (" …" if len(shapes) > 4 else "")
            said = f"{model.path}: m.contacts found no pair among {len(shapes)} shapes ({names}): {'; '.join(reasons)}"
        plan.remark(said)
        warnings.warn(said + ".", stacklevel=2)
