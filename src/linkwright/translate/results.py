"""What a mechanism can be asked by name, written in engine symbols when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import casadi as ca

from ..building import building
from .definitions import Definitions


class Results(Mapping[str, ca.SX]):
    """Result names → expressions in engine symbols, each worked out when it is asked for.

    Writing out all of them takes far longer than the laws themselves, and a run asks for a few.
    """

    def __init__(self, definitions: Definitions):
        self._definitions = definitions
        self._known: dict[str, ca.SX] = {}
        self._names: list[str] | None = None

    def __getitem__(self, name: str) -> ca.SX:
        with building:
            if name not in self._known:
                expression = self._definitions.lookup(name)
                self._known[name] = ca.reshape(self._definitions.expand(expression), *ca.SX(expression).shape)
            return self._known[name]

    def __contains__(self, name: object) -> bool:
        with building:
            return name in self._known or self._definitions.results.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        with building:
            if self._names is None:
                self._names = self._definitions.names()
            return iter(self._names)

    def __len__(self) -> int:
        return len(list(iter(self)))


class Signals(Mapping[str, ca.SX]):
    """Names of signals that components are given → expressions in engine symbols, worked out when asked for."""

    def __init__(self, definitions: Definitions):
        self._definitions = definitions
        self._owners = {f"{component.path}.{name}": (component, name)
                        for component in definitions.plan.components for name in component._signals}

    def __getitem__(self, name: str) -> ca.SX:
        component, own = self._owners[name]
        with building:
            return self._definitions.expand(component.signal(own))

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners)

    def __len__(self) -> int:
        return len(self._owners)
