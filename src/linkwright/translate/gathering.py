"""The parts list of a model, filled: everything that its components, given motions, blocks and shapes tell."""

from __future__ import annotations

from ..language import Model, PartsList
from ..language.fields import Guess
from .contact_pairs import find_pairs
from .given_motions import catches, courses
from .heat import conduct


def parts_of(model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset()) -> PartsList:
    """What a model is made of; parameters named in `tunable` stay symbols, `followers` formulas of such."""
    plan = PartsList(model, tunable, followers)
    for component in plan.components:
        component.describe(plan)
    plan.courses.update(courses(plan))
    plan.catches.update(catches(plan))
    for block in plan.blocks:
        if block.symbol.numel():
            plan.state(block, "x", block.symbol, block.derivative, Guess(block.start) if block.loose else block.start)
    find_pairs(plan)
    conduct(plan)
    return plan
