"""Copies of a model that share no memory with it: `copy.deepcopy` shares functions, so controllers are copied too."""

from __future__ import annotations

import copy

from ..compiler import own_functions
from ..language import Model


def copied(model: Model) -> Model:
    """Another model with the same numbers and functions of its own."""
    own = copy.deepcopy(model)
    known = [(part, function, period) for part in own.models() for function, period in part._controllers]
    functions = own_functions([function for _, function, _ in known], model.path or model.title)
    for part, _, _ in known:
        part.__dict__["_controllers"] = []
    for (part, _, period), function in zip(known, functions, strict=True):
        part._controllers.append((function, period))
    return own
