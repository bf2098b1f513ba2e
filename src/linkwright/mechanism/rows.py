"""Rows: all that holds one way, or up to a limit.

Everything that differs between dry friction, freewheels, stops and locks is said by a `Row`: what stands still while it
holds, the interval of its force, how it gives way and how it catches.  Whoever decides modes walks over all rows alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import casadi as ca

from .tolerances import NO_SLIP, TINY

#: (what it tells, number that is positive while the mode is right, level at which that is known)
Told = tuple[str, ca.SX, str]


def in_mode(mode: ca.SX, value: ca.SX) -> ca.SX:
    """A value while a mode is on, 1 while it is off, where it is not computed; what is less than the rounding of 1 is
    no sign."""
    return ca.if_else(mode, mode * value + 1 - mode, 1)


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

    @property
    def modes(self) -> list[tuple[str, ca.SX, float]]:
        """Its discrete symbols, what they are called, and what they are before anything is decided."""
        direction = self.direction.name() if self.direction.numel() == 1 else f"{self.name}.direction"
        return [(self.held.name(), self.held, 0.0), (self.armed.name(), self.armed, 1.0),
                (direction, self.direction, 0.0), (self.slow.name(), self.slow, 0.0)]

    def witnesses(self, push: ca.SX) -> Iterator[Told]:
        """Sliding: it becomes so slow that its direction is held, fast again, or ends.  Stuck: it needs too much.

        `push` is what holds it while it is stuck.
        """
        free = 1 - self.held
        speed = ca.sqrt(ca.dot(self.speed, self.speed) + TINY)
        turning, frozen = free * self.armed, free * (1 - self.armed)
        yield "ball slow", in_mode(turning, speed - self.slow) + TINY, "velocity"
        yield "ball fast", in_mode(frozen, 2 * self.slow - speed), "velocity"
        yield "ball halt", in_mode(frozen, ca.dot(self.direction, self.speed)) + TINY, "velocity"
        yield "ball slip", in_mode(self.held, self.limit - ca.sqrt(ca.dot(push, push) + TINY)), "acceleration"


@dataclass(frozen=True, eq=False)
class Row:
    """A speed v and the force (or impulse) λ against it, which lies in an interval:

        −back ≤ λ ≤ limit;      v > 0 ⇒ λ = limit,      v < 0 ⇒ λ = −back,      inside the interval v = 0

    | | v | interval | where it does not hold | `held` |
    |---|---|---|---|---|
    | dry friction | `speed` | what it holds at rest | it `slides` | found from forces |
    | freewheel | `speed` | `one_way`: no end below | it `slides`, forwards | found from forces |
    | stop | rate of the `gap` ≥ 0 | λ ≤ 0: it pushes only | it `opens` | found from forces |
    | lock | `speed`, or what its constraint says | all forces | nothing acts | `conditional`: given by the model |

    The mode is the symbol `held`, 1 where the constraint of this name is in force (stuck, closed).  Where friction
    slides `direction` says which way, and the loads of the mechanism carry −direction (1 − held) `sliding` themselves.
    An impact on what opens gives back the share `restitution`.  What is conditional begins to hold by an impulse.  In
    impacts friction bears its share of the reactions' impulses, or with `holds_impacts`, while it is held, any impulse.
    """

    name: str
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
    starts_inside: bool = False  # what opens: a run that starts beyond it is put on it
    conditional: bool = False

    @property
    def slides(self) -> bool:
        """Whether it moves either way where it does not hold, against a force."""
        return self.direction is not None

    @property
    def opens(self) -> bool:
        """Whether it has a gap, which is open where it does not hold."""
        return self.gap is not None

    @property
    def half_line(self) -> bool:
        """Whether the interval has no end below: it bears any force against motion backwards."""
        return self.one_way or self.opens

    @property
    def said(self) -> str:
        """What it is, in words."""
        return "friction" if self.slides else "a stop" if self.opens else "a lock"

    @property
    def law(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """What it bears forwards and backwards while it holds, and against its motion while it slides."""
        return self.limit, self.back, self.sliding

    @property
    def constraint(self) -> tuple[ca.SX, str] | None:
        """(what is zero while it holds, level); None where a constraint of the model holds by a condition."""
        along = self.gap if self.opens else self.speed
        return None if along is None else (along, "position" if self.opens else "velocity")

    @property
    def modes(self) -> list[tuple[str, ca.SX, float]]:
        """Its discrete symbols, what they are called, and what they are before anything is decided."""
        own = [] if self.conditional else [(self.held, 0.0)]
        if self.direction is not None:
            own.append((self.direction, 1.0))
        return [(symbol.name(), symbol, value) for symbol, value in own]

    def witnesses(self, push: ca.SX, given: bool) -> Iterator[Told]:
        """What tells that its mode ends; `push` is λ, and `given`, whether the motion along it is prescribed.

        A zero of a position or speed is still right.
        """
        held, speed, way = self.held, self.speed, self.direction
        if self.gap is not None:
            yield "gap", ca.if_else(held, 1, self.gap) + TINY, "position"
            yield "pull", in_mode(held, -push), "acceleration"
        elif speed is not None and way is not None and given:
            # in motion until the speed passes zero; at rest while it is zero
            yield "slide", way * speed - (1 - way * way) * ca.fabs(speed) + TINY, "velocity"
        elif speed is not None and way is not None:
            yield "slide", ca.if_else(held, 1, way * speed) + TINY, "velocity"
            yield "hold+", ca.if_else(held, self.limit - push, 1), "acceleration"
            if not self.one_way:
                yield "hold-", ca.if_else(held, self.back + push, 1), "acceleration"
