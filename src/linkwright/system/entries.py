"""The grammar of names: a variable, or an entry of one counted from 0, "body.r_cm[0]", "body.frame_a.R.T[0,2]".

Every study reads names here, so that what one takes another takes too.  A name that is known as it stands means that:
lists of parts have brackets of their own ("leg[0]").
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

import casadi as ca
import numpy as np

from ..errors import ModelError

#: a name with the place of an entry
ENTRY = re.compile(r"(?P<whole>.+)\[(?P<place>\d+(,\d+)?)\]")
Place = tuple[int, ...]


def split_entry(name: str, known: Container[str] = ()) -> tuple[str, Place]:
    """("body.r_cm", (0,)) of "body.r_cm[0]"; (name, ()) of a name without a place, or of one that is `known`."""
    found = None if name in known else ENTRY.fullmatch(name)
    return (name, ()) if found is None else (found["whole"], tuple(int(k) for k in found["place"].split(",")))


def entries(whole: str, shape: Sequence[int]) -> list[str]:
    """The names of all entries, those of a matrix column by column, as CasADi has them; one number is the whole."""
    plain = shape[0] if len(shape) == 2 and shape[1] == 1 else None if len(shape) == 2 else int(np.prod(shape))
    if plain is None:
        return [f"{whole}[{i},{j}]" for j in range(shape[1]) for i in range(shape[0])]
    return [f"{whole}[{k}]" for k in range(plain)] if plain > 1 else [whole]


def check_entry(name: str, shape: Sequence[int]) -> None:
    """Refuse the name of an entry that a variable of this shape has not."""
    whole, place = split_entry(name)
    if len(place) != len(shape) or any(k >= n for k, n in zip(place, shape, strict=True)):
        size = "×".join(map(str, shape)) or "no"
        raise ModelError(f"{name}: {whole} has {size} entries, counted from 0.", name)


def entry_of_array(name: str, values: np.ndarray, place: Place, before: int = 0) -> np.ndarray:
    """The entry of an array, whose first `before` axes are something else (times, runs)."""
    if not place:
        return values
    check_entry(name, np.shape(values)[before:])
    index: tuple = (..., *place)
    return values[index]


def entry_of(name: str, expression: ca.SX, place: Place) -> ca.SX:
    """The entry of an expression; columns are vectors."""
    if not place:
        return expression
    plain = expression.shape[1] == 1 or expression.shape[0] == 1 and len(place) == 1
    check_entry(name, (expression.numel(),) if plain else expression.shape)
    return ca.vec(expression)[place[0]] if plain else expression[place]
