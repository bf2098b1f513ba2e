"""What components tell of friction and stops."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..language.component import Component
from ..language.owned import make_symbol


@dataclass
class FrictionPlan:
    """Friction along `speed`, with the symbols of its modes and of the force that holds it."""

    name: str
    speed: ca.SX
    sliding: ca.SX
    limit: ca.SX
    back: ca.SX
    stuck: ca.SX
    direction: ca.SX
    push: ca.SX
    one_way: bool
    holds_impacts: bool


@dataclass
class StopPlan:
    """A hard stop gap ≥ 0, with the symbols of its mode and force."""

    name: str
    gap: ca.SX
    restitution: object
    closed: ca.SX
    push: ca.SX


class ContactPlans:
    """The part of a Plan that collects friction and stops."""

    def __init__(self):
        self.frictions: list[FrictionPlan] = []
        self.friction_symbols: dict[int, tuple[ca.SX, ca.SX, ca.SX]] = {}
        self.stops: list[StopPlan] = []
        self.mobility_loads: list[tuple[Component, int, ca.SX]] = []

    def mobility_load(self, joint, index: int, value) -> None:
        """A force on a mobility of a joint."""
        self.mobility_loads.append((joint, index, ca.SX(value)))

    def friction(self, component, name: str, speed, limit, sliding, one_way: bool = False,
                 holds_impacts: bool = False):
        """Dry friction along `speed` that may stick: (stuck, direction, force while stuck) as symbols.

        `sliding(direction)` ≥ 0 is the friction of motion in that direction; the component's own laws carry
        direction (1 − stuck) sliding against the motion.  `limit` is what it holds at rest, or a pair: what it holds
        against motion forwards and backwards.
        """
        limit, back = limit if isinstance(limit, tuple) else (limit, limit)
        path = f"{component.path}.{name}" if name else component.path
        stuck, direction, push = (make_symbol(f"{path}.{what}", ()) for what in ("stuck", "direction", "push"))
        self.frictions.append(FrictionPlan(path, ca.SX(speed), ca.SX(sliding(direction)), ca.SX(limit), ca.SX(back),
                                           stuck, direction, push, one_way, holds_impacts))
        self.friction_symbols[id(component)] = stuck, direction, push
        return stuck, direction, push

    def stop(self, component, name: str, gap, restitution, flanges=()) -> None:
        """A hard stop gap ≥ 0; `flanges` with the sign by which they are pushed."""
        path = f"{component.path}.{name}"
        closed, push = make_symbol(f"{path}.closed", ()), make_symbol(f"{path}.push", ())
        self.stops.append(StopPlan(path, ca.SX(gap), restitution, closed, push))
        for flange, sign in flanges:
            self.flange_cut(component, flange, sign * push)
