"""Pairs of shapes that a model leaves to be found (`m.contacts`): those that can move against each other."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from ..language import Component, Model, PartsList
from .groups import Group, rigid_groups
from .tolerances import MANY_POINTS


class Found(NamedTuple):
    """Two shapes that can meet under a law: in how many points, and by "formulas", "unknowns" or "loops"."""

    a: Component
    b: Component
    law: object
    points: int
    means: str


def find_pairs(plan: PartsList) -> list[Component]:
    """The pairs that `m.contacts` asks for, told to the plan under the name "a/b".

    Shapes of one body are left out, and so are those of two bodies that a joint connects, pairs that the model has
    already, and kinds of shapes that cannot meet.  Under a rigid law, pairs whose contact is found by a search are left
    to stepping (`method="moreau"`), and so are all pairs where there are very many points.
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


def is_rigid(law: object) -> bool:
    """Whether a law lets nothing overlap."""
    return hasattr(law, "impact")


def _found(plan: PartsList) -> list[Found]:
    wanted = [(model, law) for model in plan.model.models() for law in model._contacts]
    if not wanted:
        return []
    _, nodes = rigid_groups(plan)

    def group(shape: Component) -> Group:
        return nodes[id(shape.frame_a)].group

    neighbours = {frozenset((id(nodes[id(edge.a)].group), id(nodes[id(edge.b)].group))) for edge in plan.joints}
    taken = {frozenset((id(touch.a), id(touch.b))) for touch in plan.touches}
    found, kinds = [], {}
    for model, law in wanted:
        shapes = [c for c in model.leaves() if hasattr(c, "pair_with")]
        groups, before, left_out = [id(group(shape)) for shape in shapes], len(found), LeftOut()
        for (i, a), (j, b) in combinations(enumerate(shapes), 2):
            bodies, frames = frozenset((groups[i], groups[j])), frozenset((id(a.frame_a), id(b.frame_a)))
            if len(bodies) == 1:
                left_out.same_body += 1
                continue
            if bodies in neighbours:
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
            found.append(Found(a, b, law, *kinds[key]))
        left_out.tell(plan, model, shapes, len(found) - before)
    return found


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
