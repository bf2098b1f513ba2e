"""Names that go on working beside the ones that are shown: one table for the whole package.

`shown` is a decorator for public functions: it accepts the other keywords and methods and passes on the shown ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import ModelError

P = ParamSpec("P")
R = TypeVar("R")

#: keywords of studies: other name → shown name
KEYWORDS = {"step": "output_step", "h": "fixed_step"}
#: methods of `simulate`: other name → shown name
METHODS = {"moreau": "time_stepping"}
#: names of the package: other name → shown name
PACKAGE = {"fabs": "abs", "fmin": "min", "fmax": "max", "inverse": "inverse_dynamics"}
#: keywords of laws: shown on sliders → field
LAWS = {"f": "tau"}


def shown(function: Callable[P, R]) -> Callable[P, R]:
    """A public function that accepts the other names of its keywords and methods too."""

    @wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> R:
        for other, name in KEYWORDS.items():
            if other in named:
                if name in named:
                    raise ModelError(f"{name}= and {other}= are two names for one value; give {name}= only.")
                named[name] = named.pop(other)
        method = named.get("method")
        if isinstance(method, str) and method in METHODS:
            named["method"] = METHODS[method]
        return function(*given, **named)

    return called
