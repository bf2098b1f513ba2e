"""Laws that are given as named tuples (`lw.Coulomb(tau=3)`): what they do not take is refused by name."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from ..aliases import LAWS
from ..errors import ModelError, unknown_name

Law = TypeVar("Law", bound=type)


def record(kind: Law) -> Law:
    """A class of named tuples that says in its own words what it takes."""
    plain = kind.__new__
    signature = inspect.signature(plain)
    takes = list(signature.parameters)[1:]

    def made(cls: type, *values: object, **given: object) -> Any:
        named: dict[str, object] = {}
        for name, value in given.items():
            field = LAWS[name] if name not in takes and LAWS.get(name) in takes else name
            if field in named or field != name and field in given:
                raise ModelError(f"{cls.__name__}: {name} and {field} are two names for one value; give one of them.")
            named[field] = value
        try:
            signature.bind(cls, *values, **named)
        except TypeError as error:
            for name in named:
                if name not in takes:
                    raise unknown_name(name, takes, f"{cls.__name__}({name}=…): the law", takes) from None
            raise ModelError(f"{cls.__name__}(…): {error}; it takes {', '.join(takes)}.") from None
        return plain(cls, *values, **named)

    kind.__new__ = made  # type: ignore[method-assign, assignment]
    return kind
