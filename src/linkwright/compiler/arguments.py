"""Arguments of studies that are not of the kind they should be are refused by name, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..errors import ModelError


def number(name: str, value) -> float:
    """A number, whatever Python or NumPy calls it; Formulas and arrays of one entry too."""
    try:
        if not isinstance(value, str) and np.ndim(value) == 0:
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ModelError(f"{name} = {value!r} is not a number.")


def numbers(**given) -> list[float | None]:
    """Numbers by name; None stays what it is."""
    return [None if value is None else number(name, value) for name, value in given.items()]


def by_name(name: str, value, example: str) -> dict:
    """A dict from names to values; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ModelError(f"{name} = {value!r} is not a dict of names and values, such as {example}.")
    return dict(value)


def names(name: str, value) -> tuple[str, ...]:
    """Names; one alone may come without a list."""
    if isinstance(value, str):
        return (value,)
    if value is None:
        return ()
    entries = tuple(value) if isinstance(value, Iterable) else (value,)
    if not all(isinstance(entry, str) for entry in entries):
        raise ModelError(f"{name} = {value!r} is not a list of names, such as {name}=['body.m'].")
    return entries
