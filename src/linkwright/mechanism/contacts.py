"""Points at which two rigid bodies can touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from .rows import Told, in_mode
from .tolerances import NO_SLIP, TINY

#: numbers of a rigid law that stepping reads
ENCOUNTER = ("restitution", "mu", "mu_s", "capture", "rolling", "spinning", "patch", "creep")


@dataclass(frozen=True, eq=False)
class Encounter:
    """Two shapes (by name) that may touch under a rigid law, for stepping many contacts at once.

    `law` holds the numbers of its law in the order of ENCOUNTER, of parameters where they are tunable.  `contacts` are
    the numbers of its points among the contacts of the mechanism; none where no rows were made for it, so that it can
    only be stepped.
    """

    pair: str
    a: str
    b: str
    law: ca.SX
    contacts: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Contact:
    """One point of contact of a pair: `gap` ≥ 0, with Coulomb friction along `slip`.

    `normal` and `tangent` are the names of the constraints that hold while it presses (`closed`) and sticks (`stuck`);
    without friction there is no tangent.  While it slides its friction is −`rubbing` f_n, μ e with e the direction of
    the slip, or where it is not `armed` the `direction` that was last; below the speed `slow` it is not armed.
    `share` is added to the multipliers where they are not unique, so that they lie in the cone.

    Where it is the same point of a body that touches all along (a corner), `place` says where on the other, and
    sticking holds it at the `anchor`; else (rolling) there is nothing but a slip of zero.

    Friction that never holds (rolling, spinning, slip of a patch that spins) is −`drags` f_n along speeds `dragged`.
    """

    name: str
    pair: str
    point: int
    gap: ca.SX
    slip: ca.SX
    normal: str
    tangent: str | None
    mu: ca.SX
    mu_s: ca.SX
    restitution: ca.SX
    capture: ca.SX
    newton: bool
    closed: ca.SX
    stuck: ca.SX
    armed: ca.SX
    direction: ca.SX
    share: ca.SX
    slow: ca.SX
    place: ca.SX | None = None
    anchor: ca.SX | None = None
    #: rows that are never in force (of slip, spin, rolling), and friction along them over the normal force
    drag: str | None = None
    dragged: ca.SX | None = None
    drags: ca.SX | None = None

    @property
    def way(self) -> ca.SX:
        """The direction e in which it slides, along its two tangents."""
        speed = ca.sqrt(ca.dot(self.slip, self.slip) + NO_SLIP**2)
        return ca.if_else(self.armed != 0, self.slip / speed, self.direction)

    @property
    def rubbing(self) -> ca.SX:
        """Friction over normal force while it slides, along its two tangents; zero while it sticks."""
        return (1 - self.stuck) * self.mu * self.way

    @property
    def modes(self) -> list[tuple[str, ca.SX, float]]:
        """Its discrete symbols, what they are called, and what they are before anything is decided."""
        return [(f"{self.name}.{what}", getattr(self, what), 0.0)
                for what in ("closed", "stuck", "armed", "direction", "share", "slow", "anchor")]

    @property
    def constraints(self) -> list[tuple[str, ca.SX, str, ca.SX]]:
        """(name, what is zero, level, mode): of what presses, what sticks, and what is never in force."""
        found = [(self.normal, self.gap, "position", self.closed)]
        if self.tangent is not None and self.place is not None and self.anchor is not None:
            found.append((self.tangent, self.place - self.anchor, "position", self.stuck))
        elif self.tangent is not None:
            found.append((self.tangent, self.slip, "velocity", self.stuck))
        if self.drag is not None and self.dragged is not None:
            found.append((self.drag, self.dragged, "velocity", ca.SX(0)))
        return found

    def witnesses(self, push: ca.SX, hold: ca.SX) -> Iterator[Told]:
        """Open: the gap closes.  Closed: it is pulled.  Sliding: the slip becomes so slow that its direction is held
        ("slow"), fast again ("fast"), or ends ("halt").  Stuck: the force leaves the friction cone.

        `push` is the normal force, `hold` the two tangential ones while it sticks.
        """
        closed, slip = self.closed, self.slip
        yield "touch", ca.if_else(closed, 1, self.gap) + TINY, "position"
        yield "part", in_mode(closed, push), "acceleration"
        if self.tangent is not None:
            slides, stuck, speed = closed * (1 - self.stuck), closed * self.stuck, ca.sqrt(ca.dot(slip, slip) + TINY)
            free, frozen = slides * self.armed, slides * (1 - self.armed)
            yield "slow", in_mode(free, speed - self.slow), "velocity"
            yield "fast", in_mode(frozen, 2 * self.slow - speed), "velocity"
            yield "halt", in_mode(frozen, ca.dot(self.direction, slip)) + TINY, "velocity"
            size = ca.sqrt(ca.dot(hold, hold) + TINY)
            yield "slip", in_mode(stuck, self.mu_s * push - size), "acceleration"

    def leans(self) -> list[tuple[str, ca.SX]]:
        """Names of rows along which the normal force rubs, and how much."""
        found = [] if self.tangent is None else [(self.tangent, self.rubbing)]
        return found if self.drag is None or self.drags is None else [*found, (self.drag, self.drags)]
