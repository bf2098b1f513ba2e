"""The immutable description of a mechanism: what the equations are derived from.

Bodies form a tree (parents before children); body frames coincide with their inboard mobilizer frames M.  Laws (loads,
constraints, derivatives of states) are CasADi expressions in symbols; a `Variable` says what such a symbol stands for,
so that the equations can put the traced quantity in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Inertia, Scalar, Transform, VectorLike, vector
from ..building import cached_property
from ..errors import unknown_name
from ..geometry import Shape
from .bending import Bending
from .events import Events
from .memory import Controller, Delay
from .mobilizer import Mobilizer
from .start import Start

WORLD = -1

#: time, shared by all mechanisms
TIME = ca.SX.sym("time")


def points_name(name: str) -> str:
    """What the values of an input at its points in time are called, where they are inputs themselves."""
    return f"{name} (points)"


@dataclass(frozen=True, eq=False)
class Body:
    """A body and the mobilizer that carries it: X_PB = X_PF X_FM(q), the body frame being M."""

    name: str
    joint: str
    parent: int
    mobilizer: Mobilizer
    X_PF: Transform
    inertia: Inertia
    armature: tuple = ()  # per mobility: inertia of rotors geared to it, kg m² or kg; () for none
    prescribed: ca.SX | None = None  # u̇ as an expression: the motion is given, its drive force follows
    course: tuple[tuple, tuple] = ((), ())  # entries of q and of u as expressions where they are given, else None
    bending: Bending | None = None  # how it bends, with the coordinates of its mobilizer; `inertia` is added to its M
    joined: tuple[Inertia, ...] = ()  # what rigidly joined parts bring to the inertia, in the same axes; () for one

    @property
    def rotors(self) -> tuple[Scalar, ...]:
        """The armature of every mobility, zeros where there is none."""
        return self.armature or (0.0,) * self.mobilizer.nu

    def centres(self) -> list[tuple[object, ca.SX]]:
        """(mass, centre of mass in body axes) of every part with mass: a field that varies in space acts on each."""
        return [(part.m, ca.SX(part.com())) for part in self.joined or (self.inertia,)
                if not ca.SX(part.m).is_zero()]


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame Q fixed on a body (WORLD for the ground)."""

    body: int
    X_BQ: Transform = field(default_factory=Transform)


@dataclass(frozen=True, eq=False)
class Variable:
    """A symbol and the quantity it stands for.

    | quantity | of | meaning |
    |---|---|---|
    | "q", "u", "udot" | joint | coordinates, speeds, accelerations of its mobilizer |
    | "R", "p" | frame | R_WQ (3×3) and p_WQ |
    | "w", "v" | frame | angular velocity in Q's axes; velocity of the origin in world axes |
    | "z", "a" | frame | angular acceleration in Q's axes; acceleration of the origin in world axes |
    | "R_AB", "p_AB" | (frame a, frame b) | pose of b in a |
    | "V_AB" | (frame a, frame b) | velocity motor of b in a, six numbers (ω, v) in b's axes |
    | "angle" | (frame a, frame b) | angle of b in a about their common z, over full turns, which `turned` counts |
    | "reaction" | joint | force motor (f, τ) on the outboard body at M, in M |
    | "lambda" | constraint | its multipliers |
    | "push" | (constraint, frame) | its force motor (f, τ) on that frame, at the frame in its axes |
    | "grip" | (constraint, joint) | its forces on the mobilities of that joint, where it holds coordinates or speeds |
    | "der", "der2" | an expression | its time derivative: of poses, q and t; or of velocities and u too |
    """

    symbol: ca.SX
    quantity: str
    of: str | tuple[str, str] | ca.SX
    turned: ca.SX | None = None  # of an angle: the sum of joint angles that it is

    @property
    def name(self) -> str:
        """The joint, frame or constraint that it is of, where it is of one."""
        assert isinstance(self.of, str), f"{self.quantity} is of one thing with a name"
        return self.of

    @property
    def names(self) -> tuple[str, ...]:
        """All that it is of; none of an expression."""
        return (self.of,) if isinstance(self.of, str) else self.of if isinstance(self.of, tuple) else ()


@dataclass(frozen=True, eq=False)
class Gravity:
    """The field of gravity: uniform (vector `g`), towards the origin (`mu`), or `field`(p) → acceleration."""

    g: VectorLike = (0.0, 0.0, 0.0)
    mu: float | ca.SX | None = None
    field: Callable | None = None

    @property
    def uniform(self) -> bool:
        return self.mu is None and self.field is None

    def at(self, r: ca.SX) -> ca.SX:
        """The acceleration at a world position: the user's field, −μ r/|r|³, or g."""
        if self.field is not None:
            g = self.field(r)
            return g if isinstance(g, ca.SX) else ca.vertcat(*[ca.SX(g[i]) for i in range(3)])
        if self.mu is not None:
            square = ca.dot(r, r)
            return -self.mu * r / (square * ca.sqrt(square))
        return ca.SX(vector(self.g))

    def potential(self, r: ca.SX) -> ca.SX:
        """Potential energy of a unit of mass at a place: −μ/|r|, −g·r; a user's field is taken to have none."""
        if self.field is not None:
            return ca.SX(0)
        return -self.mu / ca.sqrt(ca.dot(r, r)) if self.mu is not None else -ca.dot(ca.SX(vector(self.g)), r)


@dataclass(frozen=True, eq=False)
class BodyLoad:
    """A force motor on the body of `frame`, at that frame's origin, in the axes of the frame or of the world.

    `energy` is the potential energy of a load that is a part of gravity.
    """

    name: str
    frame: str
    motor: ForceMotor
    axes: str = "frame"
    energy: ca.SX | None = None


@dataclass(frozen=True, eq=False)
class MobilityLoad:
    """A generalised force on mobility `index` of a joint."""

    name: str
    joint: str
    index: int
    value: object


@dataclass(frozen=True, eq=False)
class Constraint:
    """Equations `residual` = 0 at a level: "position" (in poses, q, t), "velocity" (also u, V) or "acceleration".

    `mode` is an optional 0/1 symbol among the discrete variables: the rows hold where it is 1.  `labels` say what each
    row holds, for reports.  A rod of `length` L between points at a distance d has the equation (d² − L²)/2L.  With
    `may_repeat` others may say the same at times, as four legs on a floor do.  What is `flat` is between planar parts,
    whose users know nothing of the directions across the plane.
    """

    name: str
    residual: ca.SX
    level: str = "position"
    mode: ca.SX | None = None
    labels: tuple[str, ...] = ()
    length: Scalar | None = None
    may_repeat: bool = False
    flat: bool = False


@dataclass(frozen=True, eq=False)
class Closure:
    """A loop solved in closed form: the coordinates it makes dependent, as expressions of what is known before it.

    `coordinates` are (joint, index) of joints of the tree with q̇ = u; `values` what they are, in symbols of relative
    poses, of other coordinates, and of `branches`, which are ±1 and belong to the discrete variables.  The poses depend
    on independent coordinates and on those of earlier closures only.  `angles` says which values are known up to full
    turns.  `discriminant` is dimensionless: positive where the loop closes, zero at a dead point.  `constraints` are
    the names of those that hold thereby; `form` says for people which formula it is, of which joints.
    """

    name: str
    coordinates: tuple[tuple[str, int], ...]
    values: ca.SX
    angles: tuple[bool, ...]
    discriminant: ca.SX
    branches: tuple[ca.SX, ...]
    constraints: tuple[str, ...]
    form: str = ""


@dataclass(frozen=True, eq=False)
class PointMass:
    """A mass off the tree at `position`, an expression (in the world) of the poses of two or more frames."""

    name: str
    mass: object
    position: ca.SX


@dataclass(frozen=True, eq=False)
class GearedRotor:
    """A 1-D inertia that no single mobility drives: `position`, an expression of several coordinates, or of poses
    where a line in space drives it."""

    name: str
    inertia: object
    position: ca.SX


@dataclass(frozen=True, eq=False)
class Unknown:
    """Algebraic unknowns y, defined by residual(y, …) = 0; `start` is the first guess.

    Where `seek` is given, it finds the first guess by itself, from the numbers `sought` (a column) at the start.  With
    `guess`, Newton's method starts from that expression, whenever it does, not from what was found before.
    """

    name: str
    symbol: ca.SX
    residual: ca.SX
    start: np.ndarray
    seek: Callable[[np.ndarray], np.ndarray] | None = None
    sought: ca.SX | None = None
    guess: ca.SX | None = None


@dataclass(frozen=True, eq=False)
class ContinuousState:
    """Auxiliary states z with ż = `derivative`; `weight` is theirs in the error of a step.

    What only `counts` says which turn an angle is in: the motion does not depend on it.
    """

    name: str
    symbol: ca.SX
    derivative: ca.SX
    start: np.ndarray
    weight: float = 1.0
    counts: bool = False


class Range(NamedTuple):
    """A test of a number, and what is said of one that fails it."""

    said: str
    holds: Callable[[float], bool]


@dataclass(frozen=True, eq=False)
class Named:
    """A named input of the programs: a tunable parameter, a discrete variable or an external input, with its value."""

    name: str
    symbol: ca.SX
    value: np.ndarray
    only: Range | None = None  # what its numbers may be


@dataclass(frozen=True, eq=False)
class Requirement:
    """A variable of a component that must not become negative; a run stops where it does, with the reason.

    One with a limit should not pass it; this is told after a run.
    """

    component: str
    variable: str
    reason: str
    limit: float | None = None
    fatal: bool = False


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape on a frame; its sizes are numbers or expressions of tunable parameters."""

    frame: str
    shape: Shape


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies, mobilizers, constraints, forces, signals and parameters of one machine; never changed."""

    name: str
    bodies: tuple[Body, ...]
    gravity: Gravity = Gravity()
    frames: dict[str, Frame] = field(default_factory=dict)
    variables: tuple[Variable, ...] = ()
    loads: tuple[BodyLoad | MobilityLoad, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    closures: tuple[Closure, ...] = ()  # in an order in which each needs only those before it
    point_masses: tuple[PointMass, ...] = ()
    rotors: tuple[GearedRotor, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    states: tuple[ContinuousState, ...] = ()
    discretes: tuple[Named, ...] = ()
    parameters: tuple[Named, ...] = ()
    outputs: Mapping[str, ca.SX] = field(default_factory=dict)  # results by name, written out when asked for
    depth: dict[str, int] = field(default_factory=dict)  # frame → how many links and joints it is from its root
    events: Events = Events()
    shapes: Mapping[str, PlacedShape] = field(default_factory=dict)  # what can be asked for its distance, by name
    start: Start | None = None  # what is asked of the initial state; None: loops closed around the defaults
    controllers: tuple[Controller, ...] = ()
    memories: tuple[Delay, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    advice: tuple[Requirement, ...] = ()  # the same with limits
    signals: Mapping[str, ca.SX] = field(default_factory=dict)  # what components are given, for messages
    over_time: tuple[str, ...] = ()  # inputs that are part of the laws as functions of time
    fixman: ca.SX | None = None  # kT of Fixman's potential ½ kT log det M, where it acts
    remarks: tuple[str, ...] = ()  # what is allowed but seldom meant, for the report

    @property
    def is_tree(self) -> bool:
        """Whether mass sits on the bodies of the tree alone and nothing else binds them."""
        return not (self.constraints or self.point_masses or self.rotors)

    @cached_property
    def spread(self) -> np.ndarray:
        """How far the mobilities are moved where a general position is wanted."""
        return np.concatenate([np.zeros(0), *[np.full(body.mobilizer.nu, body.mobilizer.spread)
                                              for body in self.bodies]])

    @cached_property
    def bends(self) -> bool:
        """Whether any body has coordinates of its own."""
        return any(body.bending is not None for body in self.bodies)

    @property
    def nq(self) -> int:
        return sum(body.mobilizer.nq for body in self.bodies)

    @property
    def nu(self) -> int:
        return sum(body.mobilizer.nu for body in self.bodies)

    def slices(self) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Where each body's q and u lie in the vectors of all; one that rides moves with those of its parent."""
        return self._slices

    @cached_property
    def _slices(self) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        q_slices: list[slice] = []
        u_slices: list[slice] = []
        q = u = 0
        for body in self.bodies:
            if body.mobilizer.rides:
                q_slices.append(q_slices[body.parent])
                u_slices.append(u_slices[body.parent])
                continue
            q_slices.append(slice(q, q := q + body.mobilizer.nq))
            u_slices.append(slice(u, u := u + body.mobilizer.nu))
        return tuple(q_slices), tuple(u_slices)

    def index(self, joint: str) -> int:
        """The body moved by `joint` (the body's own name serves too)."""
        if joint not in self._places:
            raise unknown_name(joint, [b.joint for b in self.bodies], f"mechanism {self.name!r}")
        return self._places[joint]

    @cached_property
    def _places(self) -> dict[str, int]:
        """Names of joints and of bodies → the first body of that name."""
        return {name: k for k, body in reversed([*enumerate(self.bodies)]) for name in (body.name, body.joint)}

    @cached_property
    def _bodies_by_name(self) -> dict[str, int]:
        return {body.name: k for k, body in reversed([*enumerate(self.bodies)])}

    def frame(self, name: str) -> Frame:
        """A named frame; a body's name stands for the body frame, "world" for the ground."""
        if name in self.frames:
            return self.frames[name]
        if name == "world":
            return Frame(WORLD)
        if name in self._bodies_by_name:
            return Frame(self._bodies_by_name[name])
        raise unknown_name(name, [*self.frames, *(b.name for b in self.bodies)], f"mechanism {self.name!r}")

    def path(self, body: int) -> list[int]:
        """The bodies from `body` inwards, without the world."""
        chain = []
        while body != WORLD:
            chain.append(body)
            body = self.bodies[body].parent
        return chain

    def children(self) -> list[list[int]]:
        """For each body the bodies it carries."""
        out: list[list[int]] = [[] for _ in self.bodies]
        for k, body in enumerate(self.bodies):
            if body.parent != WORLD:
                out[body.parent].append(k)
        return out

    def default_q(self) -> np.ndarray:
        return np.concatenate([np.zeros(0), *[body.mobilizer.default() for body in self.bodies]])
