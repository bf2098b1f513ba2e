"""Where names of macro files live: properties, blocks and macros, from the inside outwards."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..markup import Element


@dataclass(frozen=True)
class Parameter:
    """A parameter of a macro: name, name:=default, name:=^ (taken over), *name (a block), **name (what is inside)."""

    name: str
    default: str | None = None
    forwarded: bool = False
    blocks: int = 0


@dataclass(frozen=True, eq=False)
class Macro:
    """A macro as it was defined, with the scope that it was defined in."""

    name: str
    parameters: list[Parameter]
    element: Element
    home: Scope


@dataclass(eq=False)
class Scope:
    """Names by what they stand for; those that are not here are looked for in the parent."""

    parent: Scope | None = None
    values: dict[str, Any] = field(default_factory=dict)
    blocks: dict[str, tuple[list[Element], Scope]] = field(default_factory=dict)
    macros: dict[str, Macro] = field(default_factory=dict)
    spaces: dict[str, Scope] = field(default_factory=dict)  # files included with ns=

    @property
    def top(self) -> Scope:
        return self if self.parent is None else self.parent.top

    def home_of(self, name: str) -> Scope | None:
        """The nearest scope with a property of this name."""
        if name in self.values:
            return self
        return None if self.parent is None else self.parent.home_of(name)

    def knows(self, name: str) -> bool:
        return self.home_of(name) is not None

    def block(self, name: str) -> tuple[list[Element], Scope] | None:
        if name in self.blocks:
            return self.blocks[name]
        return None if self.parent is None else self.parent.block(name)

    def macro(self, name: str) -> Macro | None:
        space, _, inner = name.partition(".")
        if inner and space in self.top.spaces:
            return self.top.spaces[space].macro(inner)
        if name in self.macros:
            return self.macros[name]
        return None if self.parent is None else self.parent.macro(name)


PARAMETER = re.compile(r"(\*{0,2})([^\s:=]+)(?::?=(\^\|?)?('[^']*'|\"[^\"]*\"|\$\{[^}]*\}|\S*))?")


def parameters_of(element: Element) -> list[Parameter]:
    """The parameters in the attribute `params`; "a b:=1 c:=^ d:=^|2 *e **f"."""
    out = []
    for stars, name, forwarded, default in PARAMETER.findall(element.get("params") or ""):
        given = default.strip("'\"") if default else None
        written = re.search(rf"(?<![^\s*]){re.escape(name)}:?=(?!\^)", element.get("params") or "") is not None
        out.append(Parameter(name, given if given is not None or not written else "", bool(forwarded), len(stars)))
    return out
