"""Rows: all that holds one way, or up to a limit."""

from __future__ import annotations

from dataclasses import dataclass, field

import casadi as ca

from .tolerances import NO_SLIP

FRICTION, STOP, LOCK = "friction", "stop", "lock"


@dataclass(frozen=True, eq=False)
class Ball:
    """Dry friction along several speeds v at once, none preferred: its force f opposes v and lies in a ball.

        v ≠ 0:  f = sliding v/|v|;      v = 0:  |f| ≤ limit

    Where `held` is 1 the constraint of this name holds v = 0.  Else the loads of the mechanism carry −(1 − held)
    `sliding` `way` along v: `way` is v/|v| where it is `armed`, and below the speed `slow` the last `direction`.
    """

    name: str
    speed: ca.SX
    limit: ca.SX
    sliding: ca.SX
    held: ca.SX
    armed: ca.SX
    direction: ca.SX
    slow: ca.SX
    holds_impacts: bool = False

    @property
    def way(self) -> ca.SX:
        """The direction in which it slides."""
        return ca.if_else(self.armed != 0, self.speed / ca.sqrt(ca.dot(self.speed, self.speed) + NO_SLIP**2),
                          self.direction)


@dataclass(frozen=True, eq=False)
class Row:
    """A speed v and the force (or impulse) λ against it, which lies in an interval:

        −back ≤ λ ≤ limit;      v > 0 ⇒ λ = limit,      v < 0 ⇒ λ = −back,      inside the interval v = 0

    | kind | v | interval |
    |---|---|---|
    | "friction" | `speed` | what it holds at rest; `one_way` (a freewheel) has no end below |
    | "stop" | rate of the `gap` ≥ 0 | λ ≤ 0: it pushes only.  An impact gives back the share `restitution` |
    | "lock" | those of its constraint, one or several | all forces, while `held`, its condition, is true |

    The mode is the symbol `held`, 1 where the constraint of this name is in force (stuck, closed); where it is not,
    `direction` says which way friction slides, and the loads of the mechanism carry −direction (1 − held) `sliding`
    themselves.  A lock begins to hold by an impulse.  In impacts friction bears its share of the reactions' impulses,
    or with `holds_impacts`, while it is held, any impulse.
    """

    name: str
    kind: str
    held: ca.SX
    speed: ca.SX | None = None
    gap: ca.SX | None = None
    limit: ca.SX = field(default_factory=lambda: ca.SX(0))
    back: ca.SX = field(default_factory=lambda: ca.SX(0))
    sliding: ca.SX = field(default_factory=lambda: ca.SX(0))
    direction: ca.SX | None = None
    restitution: object = 0.0
    one_way: bool = False
    holds_impacts: bool = False
    starts_inside: bool = False  # of a stop: a run that starts beyond it is put on it

    @property
    def half_line(self) -> bool:
        """Whether the interval has no end below: it bears any force against motion backwards."""
        return self.one_way or self.kind == STOP
