"""What the components tell: the parts list of a model before anything is computed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Inertia, Transform
from ..language.component import Component, Connector
from ..language.fields import Guess
from ..language.given_motions import truth
from ..language.model import Model
from ..language.owned import make_symbol
from ..language.placeholders import own
from ..mechanism import Mobilizer, reverse
from .given_motions import Catch, Course, catches, courses
from .mode_plans import ContactPlans
from .parameter_plans import ParameterPlans


@dataclass
class Rigid:
    """frame b fixed to frame a at X_ab."""

    component: Component
    a: Connector
    b: Connector
    X_ab: Transform


@dataclass
class Mass:
    """An inertia in the axes of a frame."""

    component: Component
    frame: Connector
    inertia: Inertia


@dataclass
class JointEdge:
    """A joint between two frames: kind, F on frame a, M on frame b, and its symbols (q, u, u̇)."""

    component: Component
    a: Connector
    b: Connector
    kind: Mobilizer
    X_aF: Transform
    X_bM: Transform
    symbols: tuple[ca.SX, ca.SX, ca.SX]


@dataclass
class Load:
    """Cut load (f, t) on a component at one of its frames, in the frame's axes; the part there feels the opposite."""

    component: Component
    frame: Connector
    f: ca.SX
    t: ca.SX


@dataclass
class Axis:
    """Flanges of a joint's mobility."""

    joint: Component
    index: int
    axis: Connector
    support: Connector
    mounted: bool = False  # its support is connected to a mounting


class Plan(ParameterPlans, ContactPlans):
    """Collects what components tell in `describe`, and answers their questions about parameters and gravity."""

    def __init__(self, model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset()):
        self.components: list[Component] = list(model.leaves())
        ParameterPlans.__init__(self, model, tunable, followers)
        ContactPlans.__init__(self)
        self.ground: list[tuple[Component, Connector, Transform]] = []
        self.links: list[Rigid] = []
        self.masses: list[Mass] = []
        self.joints: list[JointEdge] = []
        self.loads: list[Load] = []
        self.axes: list[Axis] = []
        self.points: list[tuple[Component, object, ca.SX]] = []
        self.states: list[tuple[Component, str, ca.SX, ca.SX, np.ndarray]] = []
        self.loose_states: list[str] = []
        self.unknowns: list[tuple[Component, str, ca.SX, ca.SX, np.ndarray]] = []
        self.seekers: dict[str, tuple] = {}  # unknown → how its first guess is found, and from what
        self.constraints: list[tuple[Component, str, ca.SX, str]] = []
        self.conditions: dict[str, ca.SX] = {}  # constraints that hold for a while only
        self.relatives: dict[tuple[str, str], tuple[ca.SX, ca.SX, ca.SX]] = {}
        self.pushes: dict[int, list[tuple[ca.SX, tuple[str, str]]]] = {}
        self.cuts: list[Load] = []
        self.joined: list[tuple[Connector, Connector]] = []
        self.upright: list[tuple[Component, Connector]] = []
        self.flange_ties: list = []
        self.mountings: list = []
        self.flange_relations: list = []
        self.supports: set[int] = set()
        self.flange_inertias: list = []
        self.flange_loads: list = []
        self.requirements: list[tuple[Component, str, str]] = []
        self.touches: list[tuple[Component, Connector, Connector]] = []
        self.flange_motions: list = []
        self.flange_cuts: list = []
        self.initial_equations: list[tuple[str, ca.SX]] = []
        self._joints: dict[int, JointEdge] = {}
        self.world = self._find_world()
        self.gravity = self.world.field(self.values(self.world))
        for component in self.components:
            component.describe(self)
        self.courses: dict[int, Course] = courses(self)
        self.catches: dict[int, Catch] = catches(self)
        for block in self.blocks:
            if block.symbol.numel():
                start = Guess(block.start) if block.loose else block.start
                self.state(block, "x", block.symbol, block.derivative, start)

    def _find_world(self):
        from ..language.planar_world import World as PlanarWorld
        from ..language.world import World

        found = [c for c in self.components if isinstance(c, World)]
        if not found:
            # a planar world on the ground serves as well
            found = [c for c in self.components if isinstance(c, PlanarWorld) and c.carrier is None][:1]
        if len(found) > 1:
            from ..errors import ModelError

            raise ModelError(f"{found[1].path}: a model has one World, but {found[0].path} is there already; use "
                             "parts.Fixed for further points on the ground.", *found)
        if found:
            return found[0]
        import warnings

        warnings.warn(f"model {self.model.title!r} has no World; one with default gravity is used.", stacklevel=2)
        world = World()
        world.__dict__["_name"], world.__dict__["_parent"] = "world", self.model
        self.components.insert(0, world)
        return world

    # --- questions ---

    def gravity_at(self, r) -> ca.SX:
        """Acceleration of gravity at a world position."""
        return self.gravity.at(r)

    def symbols_read(self) -> set[int]:
        """Element hashes of all symbols that occur in signals and laws (not in results)."""
        laws = [e for component in self.components for e in component._signals.values()]
        laws += [derivative for model in self.model.models() for _, derivative, _ in model._integrals.values()]
        laws += [e for load in self.loads for e in (load.f, load.t)]
        laws += [residual for _, _, residual, *_ in self.constraints]
        laws += [e for _, _, _, e, _ in (*self.states, *self.unknowns)]
        laws += [effort for _, _, effort in self.flange_loads]
        laws += [acceleration for _, _, _, acceleration, _ in self.flange_motions]
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

    def fixed(self, component, frame, X: Transform) -> None:
        """`frame` is part of the ground, at X in the world."""
        self.ground.append((component, frame, X))

    def rigid(self, component, a, b, X_ab: Transform) -> None:
        """frame b is fixed to frame a."""
        self.links.append(Rigid(component, a, b, X_ab))

    def join(self, a, b) -> None:
        """Two connectors coincide, as if the user had connected them."""
        self.joined.append((a, b))

    def inertia(self, component, frame, inertia: Inertia) -> None:
        """A mass sits on `frame`."""
        self.masses.append(Mass(component, frame, inertia))

    def joint(self, component, a, b, kind: Mobilizer, X_aF: Transform, X_bM: Transform) -> None:
        """A joint of `kind` between F on frame a and M on frame b."""
        named = component.coordinates()
        names = named[0] if len(named) == kind.nq == kind.nu == 1 else ("q", "u", "udot")
        symbols = tuple(own(ca.SX.sym(f"{component.path}.{name}", n), self)
                        for name, n in zip(names, (kind.nq, kind.nu, kind.nu), strict=True))
        edge = JointEdge(component, a, b, reverse(kind) if component.reverse else kind, X_aF, X_bM, symbols)
        self.joints.append(edge)
        self._joints[id(component)] = edge

    def axis(self, joint, index: int, axis, support) -> None:
        """Drive flanges of a joint's mobility."""
        self.axes.append(Axis(joint, index, axis, support))

    def load(self, component, frame, f, t) -> None:
        """A force law: cut force f and torque t on the component at `frame`, in the frame's axes."""
        self.loads.append(Load(component, frame, ca.SX(f), ca.SX(t)))

    def cut(self, component, frame, f, t=(0, 0, 0)) -> None:
        """A part of the cut load that the engine brings in by itself (masses off the tree): for results only."""
        self.cuts.append(Load(component, frame, ca.SX(f), ca.SX(t)))

    def keep_upright(self, component, frame) -> None:
        """The axes of `frame` stay parallel to the world's; the component takes whatever torque that needs."""
        self.upright.append((component, frame))

    def point_mass(self, component, mass, position) -> None:
        """A mass at a point that moves with several frames."""
        self.points.append((component, mass, position))

    def state(self, component, name: str, symbol, derivative, start) -> None:
        """A continuous state of a component; one that starts at a Guess is found with the start of everything else."""
        if isinstance(start, Guess):
            self.loose_states.append(f"{component.path}.{name}")
            start = start.value
        self.states.append((component, name, symbol, ca.SX(derivative), np.atleast_1d(np.asarray(start, float))))

    def unknown(self, component, name: str, symbol, residual, start, seek=None, sought=None) -> None:
        """An algebraic unknown of a component; `seek` finds its first guess from the numbers `sought` at the start."""
        self.unknowns.append((component, name, symbol, ca.SX(residual), np.atleast_1d(np.asarray(start, float))))
        if seek is not None:
            self.seekers[f"{component.path}.{name}"] = (seek, ca.SX(sought))

    def constraint(self, component, name: str, residual, level: str = "position", frames=()) -> None:
        """Equations residual = 0; `frames` are connectors of the component that feel its forces."""
        self.constraints.append((component, name, ca.SX(residual), level))
        path = f"{component.path}.{name}" if name else component.path
        if "when" in component._signals:
            self.conditions[path] = truth(component, component.signal("when"))
        for frame in frames:
            symbol = make_symbol(f"{path} on {frame.path}", (6,))
            self.pushes.setdefault(id(frame), []).append((symbol, (path, frame.path)))

    def relative(self, a, b) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Symbols (R_AB, p_AB, V_AB) for the motion of frame b in frame a; V (ω, v) is in b's axes."""
        names = (a.path, b.path)
        if names not in self.relatives:
            text = f"{b.path} in {a.path}"
            self.relatives[names] = (make_symbol(f"R of {text}", (3, 3)), make_symbol(f"p of {text}", (3,)),
                                     make_symbol(f"V of {text}", (6,)))
        return self.relatives[names]

    def tie(self, component, flange, position, speed=0, acceleration=0) -> None:
        """A flange whose position is given by an expression, with no degree of freedom of its own."""
        self.flange_ties.append((component, flange, (ca.SX(position), ca.SX(speed), ca.SX(acceleration))))

    def mounting(self, component, frame, flange=None) -> None:
        """A part carries the casing of a drive at `frame` (None: nobody feels it): all that its supports bring to
        `flange`, or all that a gear feels."""
        self.mountings.append((component, frame, flange))

    def relation(self, component, *terms, value=0.0) -> None:
        """A rigid 1-D element: Σ coefficient × position of flange = value, over terms (flange, coefficient)."""
        self.flange_relations.append((component, terms, (ca.SX(value), ca.SX(0), ca.SX(0))))

    def support(self, component, flange) -> None:
        """A flange that is fixed to the ground while nothing is connected to it."""
        self.supports.add(id(flange))

    def flange_inertia(self, component, flange, inertia) -> None:
        """A 1-D inertia on a flange."""
        self.flange_inertias.append((component, flange, inertia))

    def flange_load(self, component, flange, effort) -> None:
        """A 1-D law: torque (force) `effort` on the component at `flange`; what is connected feels the opposite."""
        self.flange_loads.append((component, flange, ca.SX(effort)))

    def flange_cut(self, component, flange, effort) -> None:
        """A part of what a component feels at a flange that the engine brings in by itself: for results only."""
        self.flange_cuts.append((component, flange, ca.SX(effort)))

    def require(self, component, name: str, reason: str) -> None:
        """A variable of the component that must not become negative; a run stops where it does, with the reason."""
        self.requirements.append((component, name, reason))

    def touching(self, component, a, b) -> None:
        """What rides on frames a and b can touch: they must belong to different bodies."""
        self.touches.append((component, a, b))

    def motion(self, component, flange, support, acceleration, initial=()) -> None:
        """A source that prescribes a flange against a support by its acceleration; `initial` vanish at the start."""
        self.flange_motions.append((component, flange, support, ca.SX(acceleration), list(initial)))

    def initial_equation(self, name: str, residual) -> None:
        """An expression that vanishes at the start, and what is said of it."""
        self.initial_equations.append((name, ca.SX(residual)))

    def number(self, value) -> float:
        """The value that a coefficient of tunable parameters has now; structure is decided by it."""
        if not isinstance(value, ca.SX):
            return float(value)
        if value.is_constant():
            return float(value)
        symbols = [symbol for symbol, _ in self.parameters.values()]
        return float(ca.Function("number", symbols, [value])(*[number for _, number in self.parameters.values()]))

    # --- connections ---

    def connection_sets(self) -> list[list[Connector]]:
        """Connectors joined by connections, also across sub-models; single ones are sets of their own."""
        parent: dict[int, int] = {}
        items: dict[int, Connector] = {}

        def find(key):
            while parent[key] != key:
                parent[key] = parent[parent[key]]
                key = parent[key]
            return key

        def add(connector):
            items.setdefault(id(connector), connector)
            parent.setdefault(id(connector), id(connector))

        for owner in itertools.chain(self.components, self.model.models()):
            for connector in owner._connectors.values():
                add(connector)
        for model in self.model.models():
            for connection in model._connections:
                for connector in connection:
                    add(connector)
                for other in connection[1:]:
                    parent[find(id(other))] = find(id(connection[0]))
        for a, b in self.joined:
            add(a)
            add(b)
            parent[find(id(b))] = find(id(a))
        sets: dict[int, list[Connector]] = {}
        for key, connector in items.items():
            sets.setdefault(find(key), []).append(connector)
        return list(sets.values())
