"""The parts list of a model: what its components tell of themselves, before anything is computed.

`Component.describe(plan)` is handed a `PartsList` and tells it what it is made of: rigid links, masses, joints, loads,
constraints, states, 1-D elements, friction and stops.  The list answers a few questions in return: the values of
parameters (symbols where they are tunable), gravity, the symbols of a joint, what is connected.  `translate` reads it.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from ..algebra import Inertia, Transform
from ..errors import ModelError
from ..mechanism import Bending, FrameOf, Joined, Mobilizer, reverse, wind
from .actions import Action
from .component import Component, Connector
from .fields import Guess
from .given_motions import truth
from .model import Model
from .parts_list_entries import (
    AtFlange,
    AtHeatPort,
    Axis,
    Bent,
    Course,
    FlangeMotion,
    FlangeRelation,
    Ground,
    HeatStore,
    JointEdge,
    Load,
    Mass,
    MassOnALine,
    MobilityForce,
    Mounting,
    OwnConstraint,
    OwnState,
    OwnUnknown,
    Required,
    Rigid,
    Turns,
    Upright,
)
from .placeholders import own
from .planar_world import World as PlanarWorld
from .symbol_owners import make_symbol
from .touching_parts import TouchingParts
from .world import World


class PartsList(TouchingParts):
    """Collects what components tell in `describe`, and answers their questions about parameters and gravity."""

    def __init__(self, model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset()):
        self.components: list[Component] = list(model.leaves())
        super().__init__(model, tunable, followers)
        self.ground: list[Ground] = []
        self.links: list[Rigid] = []
        self.masses: list[Mass] = []
        self.joints: list[JointEdge] = []
        self.bent: list[Bent] = []
        self.loads: list[Load] = []
        self.axes: list[Axis] = []
        self.points: list[MassOnALine] = []
        self.states: list[OwnState] = []
        self.loose_states: list[str] = []
        self.turns: list[Turns] = []
        self.unknowns: list[OwnUnknown] = []
        self.constraints: list[OwnConstraint] = []
        self.relatives: dict[tuple[str, str], tuple[ca.SX, ca.SX, ca.SX]] = {}
        self.cuts: list[Load] = []
        self.joined: list[tuple[Connector, Connector]] = []
        self.upright: list[Upright] = []
        self.flange_relations: list[FlangeRelation] = []
        self.flange_ties: list[FlangeRelation] = []
        self.mountings: list[Mounting] = []
        self.supports: set[int] = set()
        self.flange_inertias: list[AtFlange] = []
        self.flange_loads: list[AtFlange] = []
        self.flange_cuts: list[AtFlange] = []
        self.flange_motions: list[FlangeMotion] = []
        self.heat_flows: list[AtHeatPort] = []
        self.heat_stores: list[HeatStore] = []
        self.temperatures: list[AtHeatPort] = []
        self.heat_ports: dict[int, dict[str, ca.SX]] = {}  # id of a heat port that leads somewhere → its T and Q_flow
        self.mobility_loads: list[MobilityForce] = []
        self.requirements: list[Required] = []
        self.ends: list[Action] = []  # what ends a run
        self.starts_positive: list[tuple[str, ca.SX]] = []  # (what is said where it is not, number)
        self.remarks: list[str] = []  # lines for the report
        self.thermal: ca.SX | None = None  # kT of Fixman's potential
        self.initial_equations: list[tuple[str, ca.SX]] = []
        self.courses: dict[int, Course] = {}  # motions that joints are given, by the id of the joint
        self.catches: dict[int, ca.SX] = {}  # forces on joints that are locked now and then, by the id of the joint
        self._joints: dict[int, JointEdge] = {}
        self._worked_out: dict[int, Any] = {}
        self._rigid = Joined()
        self._rigid_known = [0, 0, 0]  # how many entries of ground, links and joined it has
        self.world = self._find_world()
        self._parts = {id(part) for part in (*self.components, *model.models())}
        self.gravity = self.world.field(self.values(self.world))

    def has(self, part: object) -> bool:
        """Whether something is a component or a sub-model of the model, or the model itself."""
        return id(part) in self._parts

    def _find_world(self) -> World | PlanarWorld:
        found = [c for c in self.components if isinstance(c, World)]
        if not found:
            # a planar world on the ground serves as well
            found = [c for c in self.components if isinstance(c, PlanarWorld) and c.carrier is None][:1]
        if len(found) > 1:
            raise ModelError(f"{found[1].path}: a model has one World, but {found[0].path} is there already; use "
                             "parts.Fixed for further points on the ground.", *found)
        if found:
            return found[0]
        warnings.warn(f"model {self.model.title!r} has no World; one with default gravity is used.", stacklevel=2)
        world = World()
        world.__dict__["_name"], world.__dict__["_parent"] = "world", self.model
        self.components.insert(0, world)
        return world

    # --- questions ---

    def keep(self, component: Component, found: Any) -> Any:
        """Let a component keep what it worked out in `describe` for its `definitions`, with this list alone: the same
        component may be part of another translation, with other symbols."""
        self._worked_out[id(component)] = found
        return found

    def kept(self, component: Component) -> Any:
        """What the component kept with this list."""
        return self._worked_out[id(component)]

    def gravity_at(self, r: ca.SX) -> ca.SX:
        """Acceleration of gravity at a world position."""
        return self.gravity.at(r)

    def symbols_read(self) -> set[int]:
        """Element hashes of all symbols that occur in signals and laws (not in results)."""
        laws = [e for component in self.components for e in component._signals.values()]
        laws += [derivative for model in self.model.models() for _, derivative, _ in model._integrals.values()]
        laws += [e for load in self.loads for e in (load.f, load.t)]
        laws += [constraint.residual for constraint in self.constraints]
        laws += [state.rate for state in self.states]
        laws += [unknown.residual for unknown in self.unknowns]
        laws += [load.value for load in self.flange_loads]
        laws += [motion.acceleration for motion in self.flange_motions]
        laws += [e for part in self.model.models() for motion in part._motions for e in motion.expressions()]
        laws += [e for part in self.model.models() for action in part._actions for e in action.expressions()]
        laws += [e for block in self.blocks for e in block.expressions()]
        return {s.element_hash() for s in ca.symvar(ca.veccat(ca.SX(0, 1), *[ca.SX(e) for e in laws]))}

    def joint_symbols(self, component: Component) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(q, u, u̇) of a joint, as symbols."""
        return self._joints[id(component)].symbols

    def joint_kind(self, component: Component) -> Mobilizer:
        """The kind of a joint."""
        return self._joints[id(component)].kind

    def drive(self, component: Component, index: int) -> ca.SX:
        """The symbol of the driving force on a mobility, defined by the 1-D network at its axis."""
        return component.symbol(f"drive[{index}]")

    def is_connected(self, connector: Connector) -> bool:
        """Whether anything is joined to a connector."""
        return any(connector is item for model in self.model.models() for connection in model._connections
                   for item in connection)

    # --- told by components ---

    def fixed(self, component: Component, frame: Connector, X: Transform) -> None:
        """`frame` is part of the ground, at X in the world."""
        self.ground.append(Ground(component, frame, X))

    def rigid(self, component: Component, a: Connector, b: Connector, X_ab: Transform) -> None:
        """frame b is fixed to frame a."""
        self.links.append(Rigid(component, a, b, X_ab))

    def join(self, a: Connector, b: Connector) -> None:
        """Two connectors coincide, as if the user had connected them."""
        self.joined.append((a, b))

    def inertia(self, component: Component, frame: Connector, inertia: Inertia) -> None:
        """A mass sits on `frame`."""
        self.masses.append(Mass(component, frame, inertia))

    def joint(self, component: Component, a: Connector, b: Connector, kind: Mobilizer, X_aF: Transform,
              X_bM: Transform) -> None:
        """A joint of `kind` between F on frame a and M on frame b."""
        named = component.coordinates()
        names = named[0] if len(named) == kind.nq == kind.nu == 1 else ("q", "u", "udot")
        symbols = tuple(own(ca.SX.sym(f"{component.path}.{name}", n), self)
                        for name, n in zip(names, (kind.nq, kind.nu, kind.nu), strict=True))
        edge = JointEdge(component, a, b, reverse(kind) if component.reverse else kind, X_aF, X_bM, symbols)
        self.joints.append(edge)
        self._joints[id(component)] = edge

    def bends(self, component: Component, frame: Connector, bending: Bending) -> None:
        """A part that bends; `frame` is its own frame B, which nothing else is fixed to."""
        symbols = tuple(own(ca.SX.sym(f"{component.path}.{name}", bending.size), self) for name in ("q", "u", "udot"))
        self.bent.append(Bent(component, frame, bending, symbols))

    def place_on(self, component: Component, a: Connector, b: Connector, bending: Bending, place: int) -> None:
        """frame b is frame number `place` of the part that bends about frame a."""
        none = ca.SX(0, 1)
        self.joints.append(JointEdge(component, a, b, FrameOf(bending, place), Transform(), Transform(),
                                     (none, none, none)))

    def bent_symbols(self, component: Component) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(q, u, u̇) of a part that bends, as symbols."""
        return next(told.symbols for told in self.bent if told.component is component)

    def axis(self, joint: Component, index: int, axis: Connector, support: Connector) -> None:
        """Drive flanges of a joint's mobility."""
        self.axes.append(Axis(joint, index, axis, support))

    def load(self, component: Component, frame: Connector, f: ca.SX, t: ca.SX, energy: ca.SX | None = None) -> None:
        """A force law: cut force f and torque t on the component at `frame`, in the frame's axes.

        A part of gravity says its potential `energy`.
        """
        self.loads.append(Load(component, frame, ca.SX(f), ca.SX(t), energy))

    def cut(self, component: Component, frame: Connector, f: ca.SX, t: object = (0, 0, 0)) -> None:
        """A part of the cut load that the engine brings in by itself (masses off the tree): for results only."""
        self.cuts.append(Load(component, frame, ca.SX(f), ca.SX(t)))

    def keep_upright(self, component: Component, frame: Connector) -> None:
        """The axes of `frame` stay parallel to the world's; the component takes whatever torque that needs."""
        self.upright.append(Upright(component, frame))

    def point_mass(self, component: Component, mass: object, position: ca.SX) -> None:
        """A mass at a point that moves with several frames."""
        self.points.append(MassOnALine(component, mass, position))

    def state(self, component: Component, name: str, symbol: ca.SX, derivative: ca.SX, start: object) -> None:
        """A continuous state of a component; one that starts at a Guess is found with the start of everything else."""
        if isinstance(start, Guess):
            self.loose_states.append(f"{component.path}.{name}")
            start = start.value
        self.states.append(OwnState(component, name, symbol, ca.SX(derivative),
                                    np.atleast_1d(np.asarray(start, float))))

    def turning(self, component: Component, name: str, within: Callable[[ca.SX], ca.SX],
                rates: Callable[[ca.SX], ca.SX], begins: Sequence[tuple[str, int]], weight: float = 0.0) -> ca.SX:
        """Angles of a component that count turns: `within(near)`, those of the pose, in any turn, and their `rates`.

        Their rates are functions of them as they are integrated, in which nothing switches.  They begin at the start
        values `begins` of the component: (variable, entry or −1).
        """
        path = f"{component.path}.{name} wound"
        symbol = make_symbol(path, (len(begins),))
        wound = wind(within(symbol), symbol)
        entries = [(component.initial_value(variable) or {}, max(entry, 0)) for variable, entry in begins]
        given = [getattr(values[k], "value", values[k]) if values else 0.0 for values, k in entries]
        start = np.array([value if isinstance(value, (int, float)) else 0.0 for value in given])
        names = tuple((f"{component.path}.{variable}", entry) for variable, entry in begins)
        self.turns.append(Turns(path, symbol, rates(symbol), wound, names, start, weight))
        return wound

    def winding(self, component: Component, name: str, sine: ca.SX, cosine: ca.SX, rate: ca.SX, near: float,
                other: tuple[ca.SX, ca.SX] | None = None) -> ca.SX:
        """An angle by its sine and cosine (of any size), counted over turns; at the start that one within half a turn
        of `near`.  With `other`, sine and cosine of an angle near to it, that angle, in the same turn.

        Of a state φ that is integrated beside the motion only the turn is taken: the angle is φ + δ with
        δ = atan2(sin(α − φ), cos(α − φ)), in which nothing jumps while φ is right to half a turn.
        """
        path = f"{component.path}.{name} wound"
        symbol = make_symbol(path, (1,))
        s, c = ca.sin(symbol), ca.cos(symbol)

        def nearest(sine: ca.SX, cosine: ca.SX) -> ca.SX:
            return symbol + ca.atan2(c * sine - s * cosine, c * cosine + s * sine)

        self.turns.append(Turns(path, symbol, ca.SX(rate), nearest(sine, cosine), ((path, -1),), np.array([near])))
        return nearest(*(other or (sine, cosine)))

    def unknown(self, component: Component, name: str, symbol: ca.SX, residual: ca.SX, start: object,
                seek: Callable | None = None, sought: ca.SX | None = None, guess: ca.SX | None = None) -> None:
        """An algebraic unknown of a component; `seek` finds its first guess from the numbers `sought` at the start,
        `guess` one at any time."""
        self.unknowns.append(OwnUnknown(component, name, symbol, ca.SX(residual),
                                        np.atleast_1d(np.asarray(start, float)), seek,
                                        None if sought is None else ca.SX(sought), guess))

    def constraint(self, component: Component, name: str, residual: ca.SX, level: str = "position",
                   frames: Iterable[Connector] = ()) -> None:
        """Equations residual = 0; `frames` are connectors of the component that feel its forces."""
        condition = truth(component, component.signal("when")) if "when" in component._signals else None
        self.constraints.append(OwnConstraint(component, name, ca.SX(residual), level, condition))
        self.pushed(self.constraints[-1].path, frames)

    def relative(self, a: Connector, b: Connector) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Symbols (R_AB, p_AB, V_AB) for the motion of frame b in frame a; V (ω, v) is in b's axes."""
        names = (a.path, b.path)
        if names not in self.relatives:
            text = f"{b.path} in {a.path}"
            self.relatives[names] = (make_symbol(f"R of {text}", (3, 3)), make_symbol(f"p of {text}", (3,)),
                                     make_symbol(f"V of {text}", (6,)))
        return self.relatives[names]

    def tie(self, component: Component, flange: Connector, position: object, speed: object = 0,
            acceleration: object = 0) -> None:
        """A flange whose position is given by an expression, with no degree of freedom of its own."""
        self.flange_ties.append(FlangeRelation(component, ((flange, 1.0),),
                                               (ca.SX(position), ca.SX(speed), ca.SX(acceleration))))

    def mounting(self, component: Component, frame: Connector | None, flange: Connector | None = None) -> None:
        """A part carries the casing of a drive at `frame` (None: nobody feels it): all that its supports bring to
        `flange`, or all that a gear feels."""
        self.mountings.append(Mounting(component, frame, flange))

    def relation(self, component: Component, *terms: tuple[Connector, object], value: object = 0.0) -> None:
        """A rigid 1-D element: Σ coefficient × position of flange = value, over terms (flange, coefficient)."""
        self.flange_relations.append(FlangeRelation(component, terms, (ca.SX(value), ca.SX(0), ca.SX(0))))

    def support(self, component: Component, flange: Connector) -> None:
        """A flange that is fixed to the ground while nothing is connected to it."""
        self.supports.add(id(flange))

    def flange_inertia(self, component: Component, flange: Connector, inertia: object) -> None:
        """A 1-D inertia on a flange."""
        self.flange_inertias.append(AtFlange(component, flange, inertia))

    def flange_load(self, component: Component, flange: Connector, effort: object) -> None:
        """A 1-D law: torque (force) `effort` on the component at `flange`; what is connected feels the opposite."""
        self.flange_loads.append(AtFlange(component, flange, ca.SX(effort)))

    def flange_cut(self, component: Component, flange: Connector, effort: object) -> None:
        """A part of what a component feels at a flange that the engine brings in by itself: for results only."""
        self.flange_cuts.append(AtFlange(component, flange, ca.SX(effort)))

    def heat_flow(self, component: Component, port: Connector, flow: object) -> None:
        """Heat that flows into the component at a port, W."""
        self.heat_flows.append(AtHeatPort(component, port, ca.SX(flow)))

    def heat_store(self, component: Component, port: Connector, capacity: object, symbol: ca.SX,
                   start: object) -> None:
        """A heat capacity at a port: capacity × d(symbol)/dt is what flows in."""
        self.heat_stores.append(HeatStore(component, port, capacity, symbol, start))

    def temperature(self, component: Component, port: Connector, value: object) -> None:
        """A port that is held at a temperature, whatever flows."""
        self.temperatures.append(AtHeatPort(component, port, ca.SX(value)))

    def require(self, component: Component, name: str, reason: str, limit: float | None = None,
                fatal: bool = False) -> None:
        """A variable of the component that must not become negative; a run stops where it does, with the reason.

        With a `limit` it may pass it, which is told once after a run (the reason may hold {value} and {time}), as an
        error where it is `fatal`.
        """
        self.requirements.append(Required(component, name, reason, limit, fatal))

    def starts_above_zero(self, value: ca.SX, message: str) -> None:
        """A number that must be positive at the start; the message may hold {value}."""
        self.starts_positive.append((message, ca.SX(value)))

    def end_below_zero(self, name: str, value: ca.SX, at_start: str, in_run: str) -> None:
        """A number that must be positive: a start where it is not is refused (`at_start` may hold {value}), a run ends
        at the instant at which it passes zero, an event of that name."""
        self.starts_above_zero(value, at_start)
        self.ends.append(Action(ca.SX(value) < 0, message=in_run, name=name))

    def fixman(self, component: Component, kT: object) -> None:
        """Fixman's potential ½ kT log det M acts on the mobilities of the whole mechanism."""
        if self.thermal is not None:
            raise ModelError(f"{component.path}: Fixman's potential of the whole model is there already; once is "
                             "enough.", component)
        self.thermal = ca.SX(kT)

    def remark(self, text: str) -> None:
        """A line for the report."""
        self.remarks.append(text)

    def motion(self, component: Component | Course, flange: Connector, support: Connector | None,
               acceleration: object, initial: Iterable[ca.SX] = ()) -> None:
        """A source that prescribes a flange against a support by its acceleration; `initial` vanish at the start."""
        self.flange_motions.append(FlangeMotion(component, flange, support, ca.SX(acceleration), list(initial)))

    def initial_equation(self, name: str, residual: ca.SX) -> None:
        """An expression that vanishes at the start, and what is said of it."""
        self.initial_equations.append((name, ca.SX(residual)))

    def mobility_load(self, joint: Component, index: int, value: object) -> None:
        """A force on a mobility of a joint."""
        self.mobility_loads.append(MobilityForce(joint, index, ca.SX(value)))

    # --- connections ---

    def rigid_part(self, connector: Connector) -> int:
        """The rigid part that a connector is on, as a number: where it is equal, connectors are on one part.

        Links that components told of later are not known, so that numbers of one part may differ.
        """
        if self._rigid_known == [0, 0, 0]:
            for a, b in self._connected():
                self._rigid.join(id(a), id(b))
        ground, links, joined = self._rigid_known
        for told in self.ground[ground:]:
            self._rigid.join(id(told.frame), id(self.world))
        for a, b in (*((link.a, link.b) for link in self.links[links:]), *self.joined[joined:]):
            self._rigid.join(id(a), id(b))
        self._rigid_known = [len(self.ground), len(self.links), len(self.joined)]
        return self._rigid.find(id(connector))

    def _connected(self) -> list[tuple[Connector, Connector]]:
        """Pairs of connectors that the model connects."""
        return [(connection[0], other) for model in self.model.models() for connection in model._connections
                for other in connection]

    def connection_sets(self) -> list[list[Connector]]:
        """Connectors joined by connections, also across sub-models; single ones are sets of their own."""
        items = {id(connector): connector for owner in itertools.chain(self.components, self.model.models())
                 for connector in owner._connectors.values()}
        sets = Joined()
        for a, b in (*self._connected(), *self.joined):
            items.setdefault(id(a), a)
            items.setdefault(id(b), b)
            sets.join(id(a), id(b))
        found: dict[int, list[Connector]] = {}
        for key, connector in items.items():
            found.setdefault(sets.find(key), []).append(connector)
        return list(found.values())
