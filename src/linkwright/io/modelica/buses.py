"""Expandable connectors: named signals that connected buses share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arithmetic import shape_of

if TYPE_CHECKING:
    from .building import Build


class Slot:
    """A signal of a bus; its size is that of what is first connected to it."""

    def __init__(self, name: str, build: Build):
        self.name, self.build, self._symbol = name, build, None

    def value(self, shape: tuple[int, ...] = ()) -> Any:
        if self._symbol is None:
            self._symbol = self.build.unknown(self.name, shape)
        return self._symbol


class Bus:
    """Named signals and buses inside; connected buses are one."""

    def __init__(self, name: str, build: Build):
        self.name, self.build = name, build
        self.inside: dict[str, Bus | Slot] = {}
        self._one: Bus | None = None

    def root(self) -> Bus:
        found = self
        while found._one is not None:
            found = found._one
        return found

    def child(self, name: str, nested: bool = False) -> Bus | Slot:
        """A signal or bus of this name, made when first asked for."""
        root = self.root()
        if name not in root.inside:
            kind = Bus if nested else Slot
            root.inside[name] = kind(f"{root.name}.{name}", self.build)
        found = root.inside[name]
        return found.root() if isinstance(found, Bus) else found

    def join(self, other: Bus) -> None:
        """Make both one."""
        a, b = self.root(), other.root()
        if a is b:
            return
        b._one = a
        for name, entry in b.inside.items():
            mine = a.inside.get(name)
            if mine is None:
                a.inside[name] = entry
            elif isinstance(mine, Bus) and isinstance(entry, Bus):
                mine.join(entry)
            elif isinstance(mine, Slot) and isinstance(entry, Slot) and mine is not entry:
                value = mine.value()
                self.build.equation(value, entry.value(shape_of(value)), f"the bus {a.name}")
