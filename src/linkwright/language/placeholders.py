"""Symbols that stand for something worked out later (a time derivative, the output of a block), and whose they are.

A formula is written before anybody knows the model it will be part of, and CasADi's expressions cannot carry anything
but symbols.  What a placeholder stands for is therefore kept by the owner of a variable that it reads: the component,
connector, model or translation whose symbol that is.  It lives as long as its owner, and nothing outlives a model that
is thrown away.  A formula of time alone has no owner; the latest `MOST` of those are kept here.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakValueDictionary

import casadi as ca

from .owned import elements, owned

#: placeholders of formulas of time alone that are remembered; a model has a handful at most
MOST = 4096

_owners: WeakValueDictionary[int, object] = WeakValueDictionary()
_of_time: dict[int, object] = {}


def own(symbol: ca.SX, owner: object) -> ca.SX:
    """Note whose a symbol is; gives the symbol back."""
    for key in elements(symbol):
        _owners[key] = owner
    return symbol


def hold(symbol: ca.SX, meaning: object, read: Iterable[ca.SX]) -> None:
    """Let `symbol` stand for `meaning`, which reads these expressions."""
    owner = next((found for e in read for s in ca.symvar(ca.SX(e))
                  if (found := _owner(s.element_hash())) is not None), None)
    if owner is not None:
        own(symbol, owner)
    held = _of_time if owner is None else owner.__dict__.setdefault("_held", {})
    held.update(dict.fromkeys(elements(symbol), meaning))
    while len(_of_time) > MOST:
        _of_time.pop(next(iter(_of_time)))


def _owner(key: int) -> object | None:
    """Whose symbol it is: of a component or connector, or noted here."""
    entry = owned(key)
    return _owners.get(key) if entry is None else entry.owner


def held(key: int) -> object | None:
    """What an entry of a symbol stands for; None for any other symbol."""
    owner = _owners.get(key)
    return _of_time.get(key) if owner is None else owner.__dict__.get("_held", {}).get(key)
