"""What components tell of all that holds one way or up to a limit: dry friction, stops, locks.

Each is a `mechanism.Row`, with the symbol of the force that holds what it restrains; translation and everything after
it walk over these rows alike, and another kind needs another method here only where no set of forces of these fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import casadi as ca

from ..mechanism import Ball, Row
from .component import Component, Connector
from .model import Model
from .parameter_values import ParameterValues
from .parts_list_entries import Push, Restraint
from .symbol_owners import make_symbol

if TYPE_CHECKING:
    from .planar_world import World as PlanarWorld
    from .world import World


class RowParts(ParameterValues):
    """The part of a parts list whose laws switch: modes are symbols here, decided by events during a run."""

    world: World | PlanarWorld

    def __init__(self, model: Model, tunable: frozenset[str], followers: frozenset[str]) -> None:
        super().__init__(model, tunable, followers)
        self.rows: list[Restraint] = []
        self.balls: list[tuple[Ball, ca.SX]] = []  # with the force while it is stuck
        self.sticking: dict[int, tuple[ca.SX, ca.SX, ca.SX]] = {}  # (stuck, direction, force) by the id of what rubs
        self.pushes: dict[int, list[Push]] = {}

    def pushed(self, path: str, frames: Iterable[Connector]) -> None:
        """Frames that feel the forces of the constraint of this name."""
        for frame in frames:
            symbol = make_symbol(f"{path} on {frame.path}", (6,))
            self.pushes.setdefault(id(frame), []).append(Push(symbol, (path, frame.path)))

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
        self.rows.append(Restraint(Row(
            path, stuck, ca.SX(speed), None, ca.SX(limit), ca.SX(back), ca.SX(sliding(direction)), direction,
            one_way=one_way, holds_impacts=holds_impacts), push))
        self.sticking[id(component)] = stuck, direction, push
        self.pushed(path, frames)
        return stuck, direction, push

    def stop(self, component: Component, name: str, gap: object, restitution: object,
             frames: Iterable[Connector] = ()) -> ca.SX:
        """A hard stop gap ≥ 0; `frames` feel its forces.  The symbol of its force, negative where it pushes."""
        path = f"{component.path}.{name}"
        closed, push = make_symbol(f"{path}.closed", ()), make_symbol(f"{path}.push", ())
        self.rows.append(Restraint(Row(path, closed, gap=ca.SX(gap), restitution=restitution,
                                       starts_inside=bool(self.world.start_inside_stops)), push))
        self.pushed(path, frames)
        return push

    def lock(self, path: str, speeds: ca.SX, condition: ca.SX) -> ca.SX:
        """Speeds that are held while a condition is true; the symbol of the forces that this takes."""
        push = make_symbol(path, (speeds.numel(),))
        self.rows.append(Restraint(Row(path, condition, speeds, conditional=True), push))
        return push

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
