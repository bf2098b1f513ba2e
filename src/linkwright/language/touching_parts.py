"""What components tell of things that touch: shapes on frames, rigid contact and dry friction."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import casadi as ca

from ..geometry import Shape
from ..mechanism import ENCOUNTER, FRICTION, Ball, Contact, Encounter, PlacedShape, Row
from .component import Component, Connector
from .model import Model
from .parameter_values import ParameterValues
from .parts_list_entries import Meeting, Push, Rubbing, Touch
from .symbol_owners import make_symbol


class TouchingParts(ParameterValues):
    """The part of a parts list whose laws switch: modes are symbols here, decided by events during a run."""

    def __init__(self, model: Model, tunable: frozenset[str], followers: frozenset[str]) -> None:
        super().__init__(model, tunable, followers)
        self.shapes: dict[str, PlacedShape] = {}
        self.touches: list[Touch] = []
        self.frictions: list[Rubbing] = []
        self.balls: list[tuple[Ball, ca.SX]] = []  # with the force while it is stuck
        self.pushes: dict[int, list[Push]] = {}
        self.friction_symbols: dict[int, tuple[ca.SX, ca.SX, ca.SX]] = {}
        self.contacts: list[Meeting] = []
        self.encounters: list[Encounter] = []
        self.pressed: list[str] = []  # names of the pairs with a compliant law

    def pushed(self, path: str, frames: Iterable[Connector]) -> None:
        """Frames that feel the forces of the constraint of this name."""
        for frame in frames:
            symbol = make_symbol(f"{path} on {frame.path}", (6,))
            self.pushes.setdefault(id(frame), []).append(Push(symbol, (path, frame.path)))

    def shape(self, component: Component, frame: Connector, shape: Shape) -> None:
        """A shape that rides on `frame`, its sizes numbers or tunable symbols."""
        self.shapes[component.path] = PlacedShape(frame.path, shape)

    def touching(self, component: Component, a: Connector, b: Connector) -> None:
        """What rides on frames a and b can touch: they must belong to different bodies."""
        self.touches.append(Touch(component, a, b))

    def friction(self, component: Component, name: str, speed: ca.SX, limit: object, sliding: Callable[[ca.SX], ca.SX],
                 one_way: bool = False, holds_impacts: bool = False,
                 frames: Iterable[Connector] = ()) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Dry friction along `speed` that may stick: (stuck, direction, force while stuck) as symbols.

        `sliding(direction)` ≥ 0 is the friction of motion in that direction; the component's own laws carry
        direction (1 − stuck) sliding against the motion.  `limit` is what it holds at rest, or a pair: what it holds
        against motion forwards and backwards.  `frames` are connectors that feel the force.
        """
        limit, back = limit if isinstance(limit, tuple) else (limit, limit)
        path = f"{component.path}.{name}" if name else component.path
        stuck, direction, push = (make_symbol(f"{path}.{what}", ()) for what in ("stuck", "direction", "push"))
        self.frictions.append(Rubbing(Row(
            path, FRICTION, stuck, ca.SX(speed), None, ca.SX(limit), ca.SX(back), ca.SX(sliding(direction)), direction,
            one_way=one_way, holds_impacts=holds_impacts), push))
        self.friction_symbols[id(component)] = stuck, direction, push
        self.pushed(path, frames)
        return stuck, direction, push

    def ball_friction(self, component: Component, name: str, speed: ca.SX, limit: ca.SX, sliding: ca.SX,
                      holds_impacts: bool = False) -> tuple[Ball, ca.SX]:
        """Dry friction along several speeds that may stick, and its force while it does; the component's own laws carry
        −(1 − held) sliding way along the speeds."""
        path = f"{component.path}.{name}"
        held, armed, slow, direction, push = (
            make_symbol(f"{path}.{what}", (speed.numel(),) if what in ("direction", "push") else ())
            for what in ("stuck", "armed", "slow", "direction", "push"))
        self.balls.append((Ball(path, speed, limit, sliding, held, armed, direction, slow, holds_impacts), push))
        return self.balls[-1]

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
