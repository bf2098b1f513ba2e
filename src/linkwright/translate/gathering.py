"""The parts list of a model, filled: everything that its components, given motions, blocks and shapes tell."""

from __future__ import annotations

import warnings

from ..language import Component, Model, PartsList, Wanted
from ..language.fields import Guess
from .contact_pairs import find_pairs, found_by
from .given_motions import catches, courses
from .heat import conduct


def parts_of(model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset()) -> PartsList:
    """What a model is made of; parameters named in `tunable` stay symbols, `followers` formulas of such."""
    plan = _told(model, tunable, followers)
    find_pairs(plan)
    conduct(plan)
    return plan


def contact_pairs(model: Model, asked: Wanted) -> list[tuple[Component, Component]]:
    """The pairs of shapes that one call of `m.contacts` makes, of the model as it is now; nothing is remarked on."""
    top: Component = model
    while top._parent is not None:
        top = top._parent
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return found_by(_told(top, frozenset(), frozenset()), asked)


def _told(model: Model, tunable: frozenset[str], followers: frozenset[str]) -> PartsList:
    """What components, given motions and blocks tell."""
    plan = PartsList(model, tunable, followers)
    for component in plan.components:
        component.describe(plan)
    plan.courses.update(courses(plan))
    plan.catches.update(catches(plan))
    for block in plan.blocks:
        if block.symbol.numel():
            plan.state(block, "x", block.symbol, block.derivative, Guess(block.start) if block.loose else block.start)
    return plan
