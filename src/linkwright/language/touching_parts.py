"""What components tell of things that touch: shapes on frames, and rigid contact."""

from __future__ import annotations

from typing import Any

import casadi as ca

from ..geometry import Shape
from ..mechanism import ENCOUNTER, Contact, Encounter, PlacedShape
from .component import Component, Connector
from .model import Model
from .parts_list_entries import Meeting, Touch
from .row_parts import RowParts
from .symbol_owners import make_symbol


class TouchingParts(RowParts):
    """The part of a parts list with shapes, and points at which they meet."""

    def __init__(self, model: Model, tunable: frozenset[str], followers: frozenset[str]) -> None:
        super().__init__(model, tunable, followers)
        self.shapes: dict[str, PlacedShape] = {}
        self.touches: list[Touch] = []
        self.contacts: list[Meeting] = []
        self.encounters: list[Encounter] = []
        self.pressed: list[str] = []  # names of the pairs with a compliant law

    def shape(self, component: Component, frame: Connector, shape: Shape) -> None:
        """A shape that rides on `frame`, its sizes numbers or tunable symbols."""
        self.shapes[component.path] = PlacedShape(frame.path, shape)

    def touching(self, component: Component, a: Connector, b: Connector) -> None:
        """What rides on frames a and b can touch: they must belong to different bodies."""
        self.touches.append(Touch(component, a, b))

    def contact(self, component: Component, point: int, count: int, gap: object, slip: object, law: Any,
                place: ca.SX | None = None, dragged: ca.SX | None = None, drags: ca.SX | None = None) -> Meeting:
        """A point of rigid contact, gap ≥ 0, that slips by `slip` (two numbers; none without friction).

        `place` is what it slips along, where there is such a thing; along the speeds `dragged` friction is −`drags`
        times the normal force.
        """
        name = component.path if count == 1 else f"{component.path}[{point}]"
        symbols = {what: make_symbol(f"{name}.{what}", shape) for what, shape in
                   (("closed", ()), ("stuck", ()), ("armed", ()), ("direction", (2,)), ("share", (3,)), ("slow", ()),
                    ("anchor", (2,)))}
        tangent = f"{name}.tangent" if ca.SX(slip).numel() else None
        mu_s = law.mu if law.mu_s is None else law.mu_s
        numbers = {key: ca.SX(value) for key, value in
                   (("mu", law.mu), ("mu_s", mu_s), ("restitution", law.restitution), ("capture", law.capture))}
        contact = Contact(name, component.path, point, ca.SX(gap), ca.SX(slip), f"{name}.normal", tangent, **numbers,
                          newton=law.impact == "newton", **symbols, place=place,
                          drag=None if drags is None else f"{name}.drag", dragged=dragged, drags=drags)
        self.contacts.append(Meeting(contact, make_symbol(f"{name}.push", ()), make_symbol(f"{name}.hold", (2,))))
        return self.contacts[-1]

    def encounter(self, pair: str, a: Component, b: Component, law: Any, points: int = 0) -> None:
        """Two shapes that may touch under a rigid law; the last `points` contacts told are theirs."""
        held = law.mu if law.mu_s is None else law.mu_s
        numbers = [held if name == "mu_s" else getattr(law, name) for name in ENCOUNTER]
        last = len(self.contacts)
        self.encounters.append(Encounter(pair, a.path, b.path, ca.vertcat(*map(ca.SX, numbers)),
                                         tuple(range(last - points, last))))
