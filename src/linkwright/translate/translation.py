"""The translation itself: from a model to a mechanism, with the names of its results and its initial conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Inertia, Transform
from ..language.component import Connector
from ..language.connectors import Frame as FrameConnector
from ..language.model import Model
from ..language.parts_list import PartsList
from ..mechanism import (
    WORLD,
    Body,
    BodyLoad,
    ContinuousState,
    Frame,
    Mechanism,
    Named,
    PointMass,
    Requirement,
    Start,
    StartEquation,
    Unknown,
    Variable,
    Winding,
)
from ..mechanism import Constraint as ConstraintDescription
from ..mechanism.builder import check
from .connected import check_connected, check_touching, check_upright
from .cuts import Cuts
from .definitions import Definitions
from .drives.drives import Drives
from .drives.mountings import check_mountings
from .events import translate_events
from .gathering import parts_of
from .groups import Group, rigid_groups
from .loops.closures import closures
from .loops.cut_joints import Turns, closing_equations, constraint_symbols
from .memories import controllers, memories
from .planes import Planes, check_planes
from .points import Points
from .roots import depths
from .starts import expanded, start_equations, start_values
from .tree import Branch, build_tree


@dataclass(frozen=True, eq=False)
class Translation:
    """What a model becomes: the mechanism, how its variables are written in it, and who is who."""

    plan: PartsList
    mechanism: Mechanism
    definitions: Definitions
    branches: list[Branch]


class Results(Mapping[str, ca.SX]):
    """Result names → expressions in engine symbols, each worked out when it is asked for.

    Writing out all of them takes far longer than the laws themselves, and a run asks for a few.
    """

    def __init__(self, definitions: Definitions):
        self._definitions = definitions
        self._known: dict[str, ca.SX] = {}
        self._names: list[str] | None = None

    def __getitem__(self, name: str) -> ca.SX:
        if name not in self._known:
            expression = self._definitions.lookup(name)
            self._known[name] = ca.reshape(self._definitions.expand(expression), *ca.SX(expression).shape)
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return self._definitions.results.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            self._names = self._definitions.names()
        return iter(self._names)

    def __len__(self) -> int:
        return len(list(iter(self)))


class Signals(Mapping[str, ca.SX]):
    """Names of signals that components are given → expressions in engine symbols, worked out when asked for."""

    def __init__(self, definitions: Definitions):
        self._definitions = definitions
        self._owners = {f"{component.path}.{name}": (component, name)
                        for component in definitions.plan.components for name in component._signals}

    def __getitem__(self, name: str) -> ca.SX:
        component, own = self._owners[name]
        return self._definitions.expand(component.signal(own))

    def __iter__(self) -> Iterator[str]:
        return iter(self._owners)

    def __len__(self) -> int:
        return len(self._owners)


def translate(model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset(),
              signals=None, closed_form: str = "some") -> Translation:
    """Work out topology and laws of a model.

    Parameters named in `tunable` stay symbols, those in `followers` stay formulas of such; `signals` are expressions in
    the place of inputs, by name.  `closed_form` says which loops are solved so where they can be: "some", only if "all"
    can, or "none".
    """
    return _Translator(model, tunable, followers, signals or {}).run(closed_form)


class _Translator:
    def __init__(self, model: Model, tunable: frozenset[str], followers: frozenset[str], signals: dict[str, ca.SX]):
        self.model, self.signals = model, signals
        self.plan = parts_of(model, tunable, followers)
        self.registry: list[Variable] = []
        self.definitions = Definitions(self.plan, self.registry)
        for part in model.models():
            for name, (symbol, _) in part._inputs.items():
                path = name if part is model else f"{part.path}.{name}"
                if path in signals:
                    self.definitions.define(symbol, lambda path=path: signals[path])

    def run(self, closed_form: str) -> Translation:
        plan, definitions = self.plan, self.definitions
        check_connected(plan)
        self.groups, self.nodes = rigid_groups(plan)
        check_planes(self.nodes)
        check_touching(plan, self.nodes)
        self.tree = build_tree(plan, self.groups, self.nodes, closed_form)
        check_upright(plan, self.nodes, self.tree)
        self.drives = Drives(plan, definitions)
        self.cuts = Cuts(plan, self.nodes, self.tree.branches)
        definitions.frame_load = self.cuts.load
        self.planes = Planes(self)
        definitions.plane_quantity = self.planes.quantity
        definitions.flange_quantity = self.drives.quantity
        self._bodies()
        self._frames()
        self._joint_symbols()
        self._constraint_symbols()
        constraint_symbols(self)
        self.windings: list[Turns] = []
        self.closing = closing_equations(self)
        solved, branches = closures(self)
        points = self.points = Points(self, self.tree.points)
        loose = {id(group) for group in self.tree.points}
        definitions.placed = lambda frame: frame.path in self.frames or id(self.group_of(frame)) in loose
        self.drives.name_coordinates()
        self.drives.refuse_rubbing_on_massless()
        check_mountings(plan, self.nodes, self.drives.nodes)
        self.unknowns = [*self._unknowns()]
        points.finish()
        self.unknowns += points.unknowns
        self.drives.realize(self.bodies)
        self._give_motions()
        states = [*self._states()]
        states += [ContinuousState(w.name, w.symbol, w.rate, np.array([w.start]), 0.0) for w in self.windings]
        states += points.states
        loads, constraints = tuple(self._loads()), tuple(self._constraints())
        events = translate_events(self)
        # rings of laws that met themselves on the way
        self.unknowns += [unknown for unknown in definitions.torn.values() if unknown is not None]
        points_off = tuple(PointMass(told.component.path, told.mass, definitions.expand(told.position))
                           for told in plan.points)
        definitions.closed = True
        windings = tuple(Winding(w.name, w.symbol, w.angle) for w in self.windings)
        mechanism = Mechanism(
            self.model.title, tuple(self.bodies), plan.gravity, self.frames, self.registry,
            loads=(*loads, *events.loads), constraints=(*constraints, *events.constraints), point_masses=points_off,
            rotors=tuple(self.drives.rotors()),
            unknowns=tuple(self.unknowns), states=tuple(states), closures=tuple(solved),
            discretes=(*self._inputs(), *events.modes, *branches),
            parameters=tuple(Named(name, symbol, value, plan.ranges.get(name))
                             for name, (symbol, value) in plan.parameters.items()),
            outputs=Results(definitions), events=events.events, depth=depths(self),
            start=Start(start_values(definitions), self._initial_equations(),
                        tuple(f"{block.path}.x" for block in plan.blocks if block.steady),
                        (*points.loose_states, *plan.loose_states), windings=windings),
            controllers=controllers(self.model), memories=tuple(memories(plan.blocks)),
            requirements=tuple(Requirement(told.component.path, f"{told.component.path}.{told.name}", told.reason)
                               for told in plan.requirements),
            signals=Signals(definitions), over_time=tuple(self.signals),
        )
        check(mechanism)
        return Translation(plan, mechanism, definitions, self.tree.branches)

    # --- bodies and frames ---

    def _bodies(self) -> None:
        """A body per branch, in M's axes; parents come before children by construction of the tree."""
        plan = self.plan
        self.number: dict[int, int] = {id(self.groups[0]): WORLD}
        self.body_frame: dict[int, Transform] = {id(self.groups[0]): Transform()}
        carried: dict[int, list] = {}
        for mass in plan.masses:
            node = self.nodes[id(mass.frame)]
            carried.setdefault(id(node.group), []).append((mass, node))
        self.bodies: list[Body] = []
        for branch in self.tree.branches:
            inward = branch.X_group_M.inverse()
            shares = 1 + sum(copy.original is branch.part for copy in self.tree.copies)
            masses = carried.get(id(branch.part), [])
            joined = [mass.inertia.seen_from(inward @ node.X) for mass, node in masses]
            if shares > 1:
                joined = [Inertia.from_moments(part.m / shares, part.first_moment / shares, part.inertia / shares)
                          for part in joined]
            names = [mass.component.path for mass, _ in masses if branch.original is None]
            X_PF = self.body_frame[id(branch.parent)].inverse() @ branch.X_parent_F
            self.bodies.append(Body(self._body_name(branch, names), branch.name, self.number[id(branch.parent)],
                                    branch.kind, X_PF, sum(joined, Inertia()), joined=tuple(joined)))
            self.number[id(branch.group)] = len(self.bodies) - 1
            self.body_frame[id(branch.group)] = branch.X_group_M

    def _body_name(self, branch: Branch, masses: list[str]) -> str:
        return f"body of {branch.name}" if not masses or masses[0] == branch.name else masses[0]

    def _frames(self) -> None:
        """Named frames: every frame connector on a body or on the ground."""
        self.frames: dict[str, Frame] = {"world": Frame(WORLD)}
        for component in [*self.plan.components, *self.model.models()]:
            for connector in component._connectors.values():
                if isinstance(connector, FrameConnector):
                    node = self.nodes[id(connector)]
                    number = self.number.get(id(node.group))
                    if number is not None:
                        X = self.body_frame[id(node.group)].inverse() @ node.X
                        self.frames[connector.path] = Frame(number, X)

    def _joint_symbols(self) -> None:
        """Coordinates of joints are engine variables; a joint that closes a loop reads them off the pose."""
        cut = {id(edge) for edge in self.tree.cut}
        for edge in self.plan.joints:
            if id(edge) in cut:
                continue
            for symbol, quantity in zip(edge.symbols, ("q", "u", "udot"), strict=True):
                if symbol.numel():
                    self.definitions.register(symbol, quantity, edge.component.path)
            self.definitions.register(edge.component.symbol("reaction", (6,)), "reaction", edge.component.path)
        for edge in self.tree.cut:
            symbol = edge.component.symbol("reaction", (6,))
            if edge.kind.nu < 6:
                path = edge.component.path
                self.definitions.register(symbol, "push", (path, f"{path}.M"))
            else:
                self.definitions.define(symbol, lambda: ca.SX.zeros(6))

    def _constraint_symbols(self) -> None:
        """Multipliers of the components' own constraints are engine variables."""
        for told in self.plan.constraints:
            symbol = told.component.symbol(f"lambda {told.name}".strip(), (told.residual.numel(),))
            self.definitions.register(symbol, "lambda", told.path)

    def _give_motions(self) -> None:
        """Joints that the model gives a motion; those with drive flanges have got theirs with the drive trains."""
        by_path = {course.joint.path: course for course in self.plan.courses.values()}
        expand, axes = self.definitions.expand, {id(axis.joint) for axis in self.plan.axes}
        for k, body in enumerate(self.bodies):
            course = by_path.get(body.joint)
            if course is None:
                continue
            if id(course.joint) not in axes:
                body = replace(body, prescribed=expand(ca.vertcat(ca.SX(0, 1), *course.acceleration)))
            if body.prescribed is not None:
                known = tuple(tuple(None if e is None else expand(e) for e in part)
                              for part in (course.position, course.speed))
                self.bodies[k] = replace(body, course=known)

    # --- laws ---

    def _loads(self):
        for load in self.plan.loads:
            node = self.nodes[id(load.frame)]
            if id(node.group) not in self.number or node.group.grounded:
                continue
            f, t = self.definitions.expand(load.f), self.definitions.expand(load.t)
            yield BodyLoad(load.component.path, load.frame.path, ForceMotor(-f, -t))
        for axis in self.plan.axes:
            self.definitions.define(axis.joint.symbol(f"drive[{axis.index}]"),
                                    lambda axis=axis: self._drive(axis))
        yield from self.drives.loads()

    def _drive(self, axis) -> ca.SX:
        """The force at a joint's drive flange, with that of a lock that comes and goes."""
        effort, catch = self.drives.effort(axis.axis), self.plan.catches.get(id(axis.joint))
        return effort if catch is None else effort - catch.push[axis.index]

    def _constraints(self):
        yield from (constraint for constraint in self.closing if constraint.residual.numel())
        yield from self.drives.constraints()
        for name, residual in self.planes.residuals():
            yield ConstraintDescription(name, self.definitions.expand(residual))
        for told in self.plan.constraints:
            condition = self.plan.conditions.get(told.path)
            yield ConstraintDescription(told.path, self.definitions.expand(told.residual), told.level,
                                        None if condition is None else self.definitions.expand(condition),
                                        length=self._length(told.component))

    def _length(self, component):
        """The length of a rod, None for any other constraint."""
        if not hasattr(component, "fixed_distance"):
            return None
        return component.fixed_distance(self.plan.values(component))

    def _states(self):
        for model in self.model.models():
            for name, (symbol, derivative, start) in model._integrals.items():
                path = model.path_of(name)
                if name in model._loose:
                    self.plan.loose_states.append(path)
                rate = self.definitions.expand(self.plan.formula(path, derivative))
                yield ContinuousState(path, symbol, rate, np.array([start]))
        for told in self.plan.states:
            yield ContinuousState(told.path, told.symbol, self.definitions.expand(told.rate), told.start)

    def _unknowns(self):
        for told in self.plan.unknowns:
            yield Unknown(told.path, told.symbol, self.definitions.expand(told.residual), told.start, told.seek,
                          None if told.sought is None else self.definitions.expand(told.sought))

    def _inputs(self):
        for model in self.model.models():
            for name, (symbol, default) in model._inputs.items():
                path = name if model is self.model else f"{model.path}.{name}"
                if path not in self.signals:
                    yield Named(path, symbol, np.array([default]))

        for block in self.plan.blocks:
            yield from (Named(f"{block.path}.{name}", *held) for name, held in block.discretes.items())

    # --- initial conditions ---

    def _initial_equations(self) -> tuple[StartEquation, ...]:
        """What the user, and what prescribes a motion, ask of the start."""
        said = [*start_equations(self.model, self.plan), *self.plan.initial_equations, *self.drives.initial()]
        said += [start for course in self.plan.courses.values() for start in course.start]
        return expanded(said, self.definitions)

    def group_of(self, frame: Connector) -> Group:
        return self.nodes[id(frame)].group


