"""Pairs of shapes that a model leaves to be found (`m.contacts`): those that can move against each other."""

from __future__ import annotations

from itertools import combinations

from ..language.component import Component
from ..language.parts_list import PartsList
from .groups import Group, rigid_groups


def find_pairs(plan: PartsList) -> list[Component]:
    """The pairs that `m.contacts` asks for, told to the plan under the name "a/b".

    Shapes of one body are left out, and so are those of two bodies that a joint connects, pairs that the model has
    already, and kinds of shapes that cannot meet.
    """
    wanted = [(model, law) for model in plan.model.models() for law in model._contacts]
    if not wanted:
        return []
    _, nodes = rigid_groups(plan)

    def group(shape: Component) -> Group:
        return nodes[id(shape.frame_a)].group

    neighbours = {frozenset((id(nodes[id(edge.a)].group), id(nodes[id(edge.b)].group))) for edge in plan.joints}
    taken = {frozenset((id(touch.a), id(touch.b))) for touch in plan.touches}
    found = []
    for model, law in wanted:
        shapes = [c for c in model.leaves() if hasattr(c, "pair_with")]
        for a, b in combinations(shapes, 2):
            bodies, frames = frozenset((id(group(a)), id(group(b)))), frozenset((id(a.frame_a), id(b.frame_a)))
            if len(bodies) == 1 or bodies in neighbours or frames in taken:
                continue
            pair = a.pair_with(b, law)
            if pair is None:
                continue
            taken.add(frames)
            pair.__dict__["_name"], pair.__dict__["_parent"] = f"{a.path}/{b.path}", plan.model
            plan.components.append(pair)
            pair.describe(plan)
            found.append(pair)
    return found
