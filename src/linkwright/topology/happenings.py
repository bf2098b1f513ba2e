"""Actions, friction and stops of a model, written in the engine's symbols."""

from __future__ import annotations

from ..mechanism import Named
from ..mechanism.events import Happenings, When

LONGEST = 60


def happenings(translator) -> tuple[Happenings, list[Named]]:
    """Everything that happens at instants, and the modes it needs among the discrete variables."""
    expand = translator.definitions.expand
    whens = []
    for model in translator.model.models():
        for action in model._actions:
            text = str(action.condition)
            whens.append(When(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", expand(action.condition),
                              tuple(expand(target) for target in action.changes),
                              tuple(expand(value) for value in action.changes.values()), action.message))
    return Happenings(whens=tuple(whens)), []

