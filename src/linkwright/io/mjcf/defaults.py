"""Default classes: attributes that elements take where they give none of their own.

A class inside another has all its attributes and its own on top.  An element's class is its attribute `class`, else
the `childclass` of the nearest body or frame around it, else the outermost one, main.
"""

from __future__ import annotations

from ..markup import Element

#: all actuators share one set of defaults, under whichever tag they are given
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion",
             "orientation", "pid", "dcmotor", "plugin")


class Classes:
    """The classes of a file: name → tag → attribute → the element that gives it."""

    def __init__(self, root: Element):
        self.table: dict[str, dict[str, dict[str, Element]]] = {"main": {}}
        self._actuators: dict[str, list[Element]] = {"main": []}
        self._given: list[Element] = []
        for default in root.all("default"):
            self._read(default, "main", default.get("class", "main"))

    def _read(self, default: Element, above: str, name: str) -> None:
        table = self.table.setdefault(name, {})
        if name != above:
            self._actuators[name] = list(self._actuators[above])
            for tag, attributes in self.table[above].items():
                table[tag] = {**attributes, **table.get(tag, {})}
        for child in default.all():
            if child.tag == "default":
                continue
            self._given.append(child)
            kind = kind_of(child.tag)
            if kind == "actuator":
                self._actuators[name].append(child)
            table[kind] = {**table.get(kind, {}), **{attribute: child for attribute in child.attributes}}
        for child in default.all("default"):
            inner = child.need("class")
            if inner in self.table:
                raise child.error(f"the class {inner!r} is there already.")
            self._read(child, name, inner)

    def settle(self, element: Element, childclass: str | None = None, tag: str | None = None) -> Element:
        """Let an element take the attributes of its class; gives the element back."""
        name = element.get("class") or childclass or "main"
        if name not in self.table:
            raise element.error(f"there is no default class {name!r}.")
        element.inherited = self.table[name].get(kind_of(tag or element.tag), {})
        if kind_of(element.tag) == "actuator":
            element.above = self._actuators[name]
        return element

    def close(self) -> None:
        """What a class gives counts with the elements that take it, so that it is no loss by itself."""
        for element in self._given:
            element.leave()


def kind_of(tag: str) -> str:
    """The set of defaults an element's tag takes part in."""
    return "actuator" if tag in ACTUATORS else tag
