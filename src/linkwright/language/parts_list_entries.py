"""What components may tell of themselves, as records: the entries of a parts list.

Frames and flanges are connectors; expressions are in the components' own symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import casadi as ca
import numpy as np

from ..algebra import Inertia, Transform
from ..mechanism import Bending, Contact, Mobilizer, Row
from .component import Component, Connector
from .symbol_owners import make_symbol


@dataclass(frozen=True, eq=False)
class Ground:
    """A frame that is part of the ground, at X in the world."""

    component: Component
    frame: Connector
    X: Transform


@dataclass(frozen=True, eq=False)
class Rigid:
    """frame b fixed to frame a at X_ab."""

    component: Component
    a: Connector
    b: Connector
    X_ab: Transform


@dataclass(frozen=True, eq=False)
class Mass:
    """An inertia in the axes of a frame."""

    component: Component
    frame: Connector
    inertia: Inertia


@dataclass(frozen=True, eq=False)
class JointEdge:
    """A joint between two frames: kind, F on frame a, M on frame b, and its symbols (q, u, u̇)."""

    component: Component
    a: Connector
    b: Connector
    kind: Mobilizer
    X_aF: Transform
    X_bM: Transform
    symbols: tuple[ca.SX, ca.SX, ca.SX]


@dataclass(frozen=True, eq=False)
class Bent:
    """A part that bends about a frame of its own, how it does so, and the symbols (q, u, u̇) of its coordinates."""

    component: Component
    frame: Connector
    bending: Bending
    symbols: tuple[ca.SX, ca.SX, ca.SX]


@dataclass(frozen=True, eq=False)
class Load:
    """Cut load (f, t) on a component at one of its frames, in the frame's axes; the part there feels the opposite."""

    component: Component
    frame: Connector
    f: ca.SX
    t: ca.SX
    energy: ca.SX | None = None  # potential energy, of a part of gravity


@dataclass(frozen=True, eq=False)
class Axis:
    """Flanges of a joint's mobility."""

    joint: Component
    index: int
    axis: Connector
    support: Connector


@dataclass(frozen=True, eq=False)
class MassOnALine:
    """A mass at a point that moves with several frames."""

    component: Component
    mass: object
    position: ca.SX


@dataclass(frozen=True, eq=False)
class OwnState:
    """A continuous state of a component (or block): its rate, and where it starts."""

    component: Component
    name: str
    symbol: ca.SX
    rate: ca.SX
    start: np.ndarray

    @property
    def path(self) -> str:
        return f"{self.component.path}.{self.name}"


@dataclass(frozen=True, eq=False)
class Turns:
    """Angles that count turns: a state that follows them, and of the angles that a pose has those nearest to it.

    The state begins at the start values `begins`: (name, entry or −1), those that are not given at `start`.  Its
    `weight` is that in the error of a step: none where it only counts.
    """

    name: str
    symbol: ca.SX
    rate: ca.SX
    wound: ca.SX
    begins: tuple[tuple[str, int], ...]
    start: np.ndarray
    weight: float = 0.0


@dataclass(frozen=True, eq=False)
class OwnUnknown:
    """An algebraic unknown of a component: what vanishes with it, and the first guess.

    `seek` finds a first guess from the numbers `sought` at the start, where one is given.  With `guess`, Newton's
    method starts from that expression, whenever it does, not from what was found before.
    """

    component: Component
    name: str
    symbol: ca.SX
    residual: ca.SX
    start: np.ndarray
    seek: Callable | None = None
    sought: ca.SX | None = None
    guess: ca.SX | None = None

    @property
    def path(self) -> str:
        return f"{self.component.path}.{self.name}"


@dataclass(frozen=True, eq=False)
class OwnConstraint:
    """Equations residual = 0 of a component, on position, velocity or acceleration level; with a condition, only while
    that is true."""

    component: Component
    name: str
    residual: ca.SX
    level: str
    condition: ca.SX | None = None

    @property
    def path(self) -> str:
        return f"{self.component.path}.{self.name}" if self.name else self.component.path


@dataclass(frozen=True, eq=False)
class Push:
    """The symbol of the force motor that a constraint exerts on a frame, both by name."""

    symbol: ca.SX
    of: tuple[str, str]


@dataclass(frozen=True, eq=False)
class Upright:
    """A frame whose axes stay parallel to the world's."""

    component: Component
    frame: Connector


@dataclass(frozen=True, eq=False)
class Touch:
    """Shapes on two frames that may touch."""

    component: Component
    a: Connector
    b: Connector


@dataclass(frozen=True, eq=False)
class MobilityForce:
    """A force on a mobility of a joint."""

    joint: Component
    index: int
    value: ca.SX


@dataclass(frozen=True, eq=False)
class Required:
    """A variable of a component that must not become negative, or not pass a limit, and why."""

    component: Component
    name: str
    reason: str
    limit: float | None = None
    fatal: bool = False


@dataclass(frozen=True, eq=False)
class FlangeRelation:
    """A rigid 1-D element: Σ coefficient × position over terms (flange, coefficient) = value, with its two rates."""

    component: Component
    terms: tuple[tuple[Connector, object], ...]
    value: tuple[ca.SX, ca.SX, ca.SX]


@dataclass(frozen=True, eq=False)
class Mounting:
    """A part carries the casing of a drive at `frame` (None: nobody feels it), felt at `flange` or by a gear."""

    component: Component
    frame: Connector | None
    flange: Connector | None


@dataclass(frozen=True, eq=False)
class AtFlange:
    """Something of a component at one of its flanges: an inertia, or the effort that it feels there."""

    component: Component
    flange: Connector
    value: object


@dataclass(frozen=True, eq=False)
class AtHeatPort:
    """Something of a component at one of its heat ports: the heat that flows into it, or the temperature it holds."""

    component: Component
    port: Connector
    value: ca.SX


@dataclass(frozen=True, eq=False)
class HeatStore:
    """A heat capacity at a port, the symbol of its temperature, and where that starts (a Guess where it is given)."""

    component: Component
    port: Connector
    capacity: object
    symbol: ca.SX
    start: object


@dataclass(frozen=True, eq=False)
class FlangeMotion:
    """A source that prescribes a flange against a support by its acceleration; `initial` vanish at the start."""

    component: Component
    flange: Connector
    support: Connector | None
    acceleration: ca.SX
    initial: list[ca.SX]


@dataclass(frozen=True, eq=False)
class Restraint:
    """A row with the symbol of the force that holds what it restrains."""

    row: Row
    push: ca.SX


@dataclass(frozen=True, eq=False)
class Meeting:
    """A point of rigid contact with the symbols of its multipliers: of what presses, and of what sticks."""

    contact: Contact
    push: ca.SX
    hold: ca.SX


@dataclass(frozen=True, eq=False)
class Course:
    """What a joint is given: u̇, coordinates and speeds where they are known (else None), and what holds at the start.

    It takes the place of a source of motion where the joint has drive flanges.
    """

    joint: Component
    acceleration: list[ca.SX]
    position: list[ca.SX | None]
    speed: list[ca.SX | None]
    start: list[tuple[str, ca.SX]] = field(default_factory=list)  # (what is said of it, expression that vanishes)
    _symbols: dict[str, ca.SX] = field(default_factory=dict)

    @property
    def path(self) -> str:
        return f"the motion prescribed to {self.joint.path}"

    def symbol(self, name: str) -> ca.SX:
        """A symbol of its own."""
        return self._symbols.setdefault(name, make_symbol(f"{self.path}.{name}", ()))
