"""Symbols that know whose they are: from a symbol met in an expression back to the component or connector it is of."""

from __future__ import annotations

import weakref

import casadi as ca

from .symbolic import symbolic


class Owned:
    """A symbol, the component or connector it belongs to, and its name there."""

    __slots__ = ("__weakref__", "name", "owner", "symbol")

    def __init__(self, symbol: ca.SX, owner: object, name: str):
        self.symbol, self.owner, self.name = symbol, owner, name


#: element → what it is part of; entries last as long as the owner, which holds them
_owned: weakref.WeakValueDictionary[int, Owned] = weakref.WeakValueDictionary()


class Symbols(dict):
    """The symbols of one component or connector by name, each made when first asked for."""

    def __init__(self, owner: object):
        super().__init__()
        self.owner, self._kept = owner, {}

    def made(self, name: str, shape: tuple = ()) -> ca.SX:
        """The symbol of this name, which carries the owner's path."""
        if name not in self:
            self[name] = make_symbol(f"{self.owner.path}.{name}", shape)
        return self[name]

    def __setitem__(self, name: str, symbol: ca.SX) -> None:
        super().__setitem__(name, symbol)
        self._kept[name] = entry = Owned(symbol, self.owner, name)
        _owned.update(dict.fromkeys(elements(symbol), entry))

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        for element in elements(self._kept.pop(name).symbol):
            _owned.pop(element, None)


def owned(element: int) -> Owned | None:
    """Whose symbol an element (`element_hash`) is, if it is one of a component or connector."""
    return _owned.get(element)


def elements(symbol: ca.SX) -> list[int]:
    """The identities of the entries of a symbol."""
    return [symbol.nz[k].element_hash() for k in range(symbol.nnz())]


def make_symbol(name: str, shape: tuple) -> ca.SX:
    """A symbol of a shape; () is a number, (3,) a column."""
    rows, columns = {0: (1, 1), 1: (*shape, 1), 2: shape}[len(shape)]
    return symbolic(ca.SX.sym(name, rows, columns))
