"""Symbols that stand for something worked out later (a time derivative, the output of a block), and whose they are.

A formula is written before anybody knows the model it will be part of, and CasADi's expressions cannot carry anything
but symbols.  What a placeholder stands for is therefore kept by the owners of the variables that it reads: components,
connectors, models, translations, other placeholders.  It lives as long as one of them, and nothing outlives a model
that is thrown away.  A formula of time alone has no owner; the latest `PLACEHOLDERS` of those are kept here.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakValueDictionary

import casadi as ca

from .symbol_owners import elements, owned
from .tolerances import PLACEHOLDERS


class Placeholder:
    """A symbol and what it stands for."""

    def __init__(self, symbol: ca.SX, meaning: object):
        self.symbol, self.meaning = symbol, meaning


_owners: WeakValueDictionary[int, object] = WeakValueDictionary()
_of_time: dict[int, Placeholder] = {}


def own(symbol: ca.SX, owner: object) -> ca.SX:
    """Note whose a symbol is; gives the symbol back."""
    _owners.update(dict.fromkeys(elements(symbol), owner))
    return symbol


def hold(symbol: ca.SX, meaning: object, read: Iterable[ca.SX]) -> None:
    """Let `symbol` stand for `meaning`, which reads these expressions."""
    placeholder = Placeholder(symbol, meaning)
    own(symbol, placeholder)
    found = [_owner(s.element_hash()) for e in read for s in ca.symvar(ca.SX(e))]
    keepers = {id(owner): owner for owner in found if owner is not None and owner is not placeholder}
    for owner in keepers.values():
        owner.__dict__.setdefault("_held", []).append(placeholder)
    if not keepers:
        _of_time[id(placeholder)] = placeholder
    while len(_of_time) > PLACEHOLDERS:
        _of_time.pop(next(iter(_of_time)))


def _owner(key: int) -> object | None:
    """Whose symbol it is: of a component or connector, or noted here."""
    entry = owned(key)
    return _owners.get(key) if entry is None else entry.owner


def held(key: int) -> object | None:
    """What an entry of a symbol stands for; None for any other symbol."""
    found = _owners.get(key)
    return found.meaning if isinstance(found, Placeholder) else None
