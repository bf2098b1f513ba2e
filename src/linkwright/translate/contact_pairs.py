"""Pairs of shapes that a model leaves to be found (`m.contacts`): those that can move against each other."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from ..language import Component, PartsList
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
    already, and kinds of shapes that cannot meet.  Under a rigid law pairs that are searched for are stepped, and
    so are all of them where there are very many points.
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
        groups = [id(group(shape)) for shape in shapes]
        for (i, a), (j, b) in combinations(enumerate(shapes), 2):
            bodies, frames = frozenset((groups[i], groups[j])), frozenset((id(a.frame_a), id(b.frame_a)))
            if len(bodies) == 1 or bodies in neighbours or frames in taken:
                continue
            key = tuple(type(shape) if shape.alike else id(shape) for shape in (a, b))
            if key not in kinds:
                kinds[key] = a.points_with(b)
            if kinds[key] is None:
                continue
            taken.add(frames)
            found.append(Found(a, b, law, *kinds[key]))
    return found
