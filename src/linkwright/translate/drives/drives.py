"""1-D networks in the engine's terms: rotors on mobilities, rotors as bodies, forces, and the variables of flanges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ...algebra import ForceMotor, Inertia, Scalar, Transform
from ...errors import TopologyError
from ...language import Component, Connector, Model
from ...language.parts_list_entries import Axis, Course
from ...mechanism import WORLD, Body, Constraint, GearedRotor, MobilityLoad, Mobilizer, Prismatic, Revolute
from ..tolerances import NO_RATIO
from .networks import Coordinate, Motion, Network, Node, build_networks, tidy

if TYPE_CHECKING:
    from ...language import PartsList
    from ..definitions import Definitions
    from ..tree import Branch

LEVELS = {"phi": 0, "s": 0, "w": 1, "v": 1, "a": 2}


class Drives:
    """Realizes the networks of a model in a mechanism and answers for the variables of flanges."""

    def __init__(self, plan: PartsList, definitions: Definitions, branches: list[Branch]) -> None:
        self.plan, self.definitions = plan, definitions
        self._kinds = {branch.name: branch.kind for branch in branches if branch.original is None}
        self.networks, self.nodes = build_networks(plan)
        self._contributions = self._index()
        self._efforts: dict[tuple[int, bool], dict] = {}

    # --- bodies ---

    def name_coordinates(self) -> None:
        """Give every coordinate its symbols: a joint's, or its own."""
        for network in self.networks:
            for coordinate in network.coordinates:
                self._symbols(coordinate)

    def realized(self, bodies: Sequence[Body]) -> list[Body]:
        """The bodies with the rotors geared to their joints, and further ones that are nothing but a rotor."""
        bodies = list(bodies)
        by_joint = {body.joint: k for k, body in enumerate(bodies)}
        for network in self.networks:
            for index, coordinate in enumerate(network.coordinates):
                if coordinate.kind == "joint":
                    k = by_joint.get(coordinate.name)
                    if k is not None:  # else the joint closes a loop and drives nothing
                        bodies[k] = self._driven(bodies[k], network, index)
                elif coordinate.kind == "own":
                    bodies.append(Body(f"rotor of {coordinate.name}", coordinate.name, WORLD, _kind(coordinate.node),
                                       Transform(), Inertia(), (_reflected(network, index),),
                                       self._prescribed(coordinate)))
            for motion in _held(network):
                bodies.append(Body(f"motion of {motion.component.path}", motion.component.path, WORLD,
                                   _kind(motion.node), Transform(), Inertia(), (),
                                   self.definitions.expand(motion.acceleration)))
        return bodies

    def _symbols(self, coordinate: Coordinate) -> None:
        if coordinate.kind == "joint":
            axis = coordinate.axis
            coordinate.symbols = tuple(symbol[axis.index] for symbol in self.plan.joint_symbols(axis.joint))
        elif coordinate.kind != "loose":
            names = ("phi", "w", "a") if coordinate.node.rotational else ("s", "v", "a")
            coordinate.symbols = tuple(ca.SX.sym(f"{coordinate.name}.{name}") for name in names)
        if coordinate.kind == "own":
            for symbol, quantity in zip(coordinate.symbols, ("q", "u", "udot"), strict=True):
                self.definitions.register(symbol, quantity, coordinate.name)

    def _driven(self, body: Body, network: Network, index: int) -> Body:
        coordinate = network.coordinates[index]
        rotors = list(body.rotors)
        rotors[coordinate.axis.index] = _reflected(network, index)
        prescribed = self._prescribed(coordinate)
        if prescribed is not None and body.mobilizer.nu > 1:
            raise TopologyError(f"{coordinate.motion.component.path}: the joint {coordinate.name} has several "
                                "mobilities; one of them alone cannot be prescribed.", coordinate.motion.component)
        armature = tuple(rotors) if any(isinstance(r, ca.SX) or r != 0 for r in rotors) else ()
        return replace(body, armature=armature, prescribed=prescribed)

    def _prescribed(self, coordinate: Coordinate) -> ca.SX | None:
        """The acceleration of a coordinate where a source gives it: x = c ξ + k, so ξ̈ = (ẍ − k̈)/c."""
        if coordinate.motion is None:
            return None
        node = coordinate.motion.node
        (factor,) = node.K.values()
        return self.definitions.expand((coordinate.motion.acceleration - node.k[2]) / factor)

    # --- laws ---

    def loads(self) -> Iterator[MobilityLoad]:
        """Forces of 1-D laws on joints and rotors."""
        for network in self.networks:
            for index, coordinate in enumerate(network.coordinates):
                if coordinate.kind in ("joint", "own") and coordinate.motion is None:
                    force = network.force(index)
                    if not force.is_zero():
                        at = coordinate.axis.index if coordinate.axis is not None else 0
                        yield MobilityLoad(coordinate.name, coordinate.name, at, self.definitions.expand(force))

    def rotors(self) -> Iterator[GearedRotor]:
        """Inertias that move with several coordinates, as on a differential, or with lines in space."""
        for network in self.networks:
            for component, _, node, inertia in network.inertias:
                if len(node.K) > 1 or node.rides:
                    yield GearedRotor(component.path, inertia, self.definitions.expand(network.position(node)))

    def constraints(self) -> Iterator[Constraint]:
        """Joints and sources that a network holds in proportion to other coordinates; rings that hold the motion."""
        for network in self.networks:
            for relation, value in network.rings:
                yield Constraint(f"{relation.component.path}.ring", self.definitions.expand(value))
            for axis, node in _bound(network):
                q = self.plan.joint_symbols(axis.joint)[0][axis.index]
                yield Constraint(f"{axis.joint.path}.axis", self.definitions.expand(q - network.position(node)))
            for motion in _held(network):
                q = self._held_symbol(motion, "q")
                yield Constraint(f"{motion.component.path}.motion",
                                 self.definitions.expand(network.position(motion.node) - q))

    def _held_symbol(self, motion: Motion, quantity: str) -> ca.SX:
        symbol = motion.component.symbol(f"motion.{quantity}")
        self.definitions.register(symbol, quantity, motion.component.path)
        return symbol

    def initial(self) -> list[tuple[str, ca.SX]]:
        """What sources of motion ask of the start, by their names, as expressions that vanish."""
        return [(f"{motion.component.path} at the start", e) for network in self.networks
                for motion in network.motions for e in motion.initial]

    def massless(self) -> Iterator[tuple[str, tuple[ca.SX, ca.SX, ca.SX], ca.SX]]:
        """(name, symbols, balance) of coordinates without inertia, which follow from the balance of laws."""
        for network in self.networks:
            for index, coordinate in enumerate(network.coordinates):
                if coordinate.kind == "massless":
                    balance = self.definitions.expand(network.force(index))
                    if not ca.depends_on(balance, ca.vertcat(*coordinate.symbols[:2])):
                        raise TopologyError(f"{coordinate.name}: a force acts on a shaft without inertia that nothing "
                                            "holds, so its motion is undefined; give it an inertia.", coordinate.name)
                    yield coordinate.name, coordinate.symbols, balance

    def refuse_rubbing_on_massless(self) -> None:
        """Refuse dry friction on a shaft without inertia: its constraint would have nothing to hold."""
        for component, flange in ((cut.component, cut.flange) for cut in self.plan.flange_cuts):
            node = self.nodes[id(flange)]
            if node.grounded or id(component) not in self.plan.sticking:
                continue
            light = [c for j in node.K if (c := node.network.coordinates[j]).kind == "massless"]
            if light:
                part = "an Inertia" if "rotational" in flange.kind else "a Mass"
                raise TopologyError(f"{component.path}: dry friction acts on a shaft without inertia "
                                    f"({light[0].name}), which cannot stick by itself; connect {part} to it, a light "
                                    "one if need be.", component)

    # --- variables of flanges ---

    def quantity(self, flange: Connector, name: str) -> ca.SX:
        """Position, speed, acceleration or effort of a flange; "law" is the effort of laws alone."""
        if name not in LEVELS:
            return self.effort(flange, laws_only=name == "law")
        node = self.nodes[id(flange)]
        return ca.SX(0) if node.grounded else node.network.position(node, LEVELS[name])

    def effort(self, flange: Connector, laws_only: bool = False) -> ca.SX:
        """Torque (force) on the component at a flange; at a flange of a model, that on its parts inside.

        `laws_only` leaves out what the engine brings in by itself: rigid rings and rotors that ride on lines in space.
        """
        if isinstance(flange.owner, Model):
            return sum((self.effort(other, laws_only) for other in self.nodes[id(flange)].flanges
                        if isinstance(other.owner, Component) and not isinstance(other.owner, Model)
                        and _inside(other.owner, flange.owner)), ca.SX(0))
        return sum((term(laws_only) for term in self._contributions.get(id(flange), [])), ca.SX(0))

    def _index(self) -> dict[int, list]:
        """The efforts at each flange, as functions to be called once symbols exist."""
        found: dict[int, list] = {}

        def note(flange: Connector, term: Callable[[bool], ca.SX]) -> None:
            found.setdefault(id(flange), []).append(term)

        for load in (*self.plan.flange_loads, *self.plan.flange_cuts):
            note(load.flange, lambda _, effort=load.value: effort)
        for network in self.networks:
            for _, flange, node, inertia in network.inertias:
                note(flange, lambda _, n=network, at=node, J=inertia: J * n.position(at, 2))
            for relation in network.relations:
                for flange, coefficient in relation.terms:
                    note(flange, lambda laws, n=network, r=relation, c=coefficient:
                         c * self._solved(n, laws).get(id(r), ca.SX(0)))
            for axis, _ in network.axes:
                note(axis.axis, lambda laws, n=network, axis=axis: self._solved(n, laws)[id(axis)])
                if self.nodes[id(axis.support)].mounting:
                    note(axis.support, lambda laws, n=network, axis=axis: -self._solved(n, laws)[id(axis)])
            for motion in network.motions:
                if isinstance(motion.component, Course):
                    continue  # inside of the joint, no source at its flange
                if motion.node is self.nodes[id(motion.flange)]:
                    note(motion.flange, lambda laws, n=network, m=motion: self._solved(n, laws)[id(m)])
                    if motion.support is not None:
                        note(motion.support, lambda laws, n=network, m=motion: -self._solved(n, laws)[id(m)])
        return found

    def _solved(self, network: Network, laws_only: bool) -> dict:
        """Efforts of rigid elements, joints and sources, by the id of each."""
        laws_only = laws_only and (bool(network.rings) or any(node.rides for _, _, node, _ in network.inertias))
        if (id(network), laws_only) in self._efforts:
            return self._efforts[id(network), laws_only]
        rings = [] if laws_only else network.rings
        number = {id(node): k for k, node in enumerate(network.nodes)}
        known: dict[int, ca.SX] = {}
        solved: dict[int, ca.SX] = {}

        def add(node: Node, effort: ca.SX) -> None:
            known[number[id(node)]] = known.get(number[id(node)], ca.SX(0)) + effort

        def add_axis(axis: Axis, node: Node) -> None:
            for at, sign in self._places(axis, node):
                add(at, sign * solved[id(axis)])

        for _, _, node, effort in (*network.loads, *network.cuts):
            add(node, effort)
        for _, _, node, inertia in network.inertias:
            if not (laws_only and node.rides):
                add(node, inertia * network.position(node, 2))
        for relation, _ in rings:
            name = f"{relation.component.path}.ring"
            solved[id(relation)] = -self._multiplier(relation.component, name, "ring.force")
            for k, coefficient in relation.nodes.items():
                add(network.nodes[k], coefficient * solved[id(relation)])
        for axis, node in _bound(network):
            solved[id(axis)] = -self._multiplier(axis.joint, f"{axis.joint.path}.axis", f"axis.force[{axis.index}]")
            add_axis(axis, node)
        for motion in _held(network):
            solved[id(motion)] = self._multiplier(motion.component, f"{motion.component.path}.motion", "motion.force")
            add(motion.node, solved[id(motion)])
        unknown: list[tuple[object, list]] = []
        for coordinate in network.coordinates:
            if coordinate.kind == "joint" and coordinate.motion is not None:
                reaction = coordinate.axis.joint.symbol("reaction", (6,))
                own = sum((load.value for load in self.plan.mobility_loads if load.joint is coordinate.axis.joint
                           and load.index == coordinate.axis.index), ca.SX(0))
                own += self._grips(coordinate)
                solved[id(coordinate.axis)] = self._along(coordinate, reaction) - own
                add_axis(coordinate.axis, coordinate.node)
            elif coordinate.kind == "joint":
                unknown.append((coordinate.axis, self._places(coordinate.axis, coordinate.node)))
            if coordinate.kind == "own":
                add(coordinate.node, -self._grips(coordinate))
            if coordinate.motion is not None:
                unknown.append((coordinate.motion, [(coordinate.motion.node, 1.0)]))
        solved |= _rigid_efforts(network, known, unknown)
        self._efforts[id(network), laws_only] = solved
        return solved

    def _along(self, coordinate: Coordinate, reaction: ca.SX) -> ca.SX:
        """The part of a reaction that works on a joint's coordinate: S·f, with S the column of its mobility."""
        columns = self._kinds[coordinate.name].columns(self.plan.joint_symbols(coordinate.axis.joint)[0])
        return ca.SX(ForceMotor.from_vector(reaction).dot(columns[coordinate.axis.index]))

    def _grips(self, coordinate: Coordinate) -> ca.SX:
        """Forces of constraints that are written in this coordinate or its speed."""
        total, (q, u, _) = ca.SX(0), coordinate.symbols
        for told in self.plan.constraints:
            if ca.depends_on(self.definitions.expand(told.residual), ca.vertcat(q, u)):
                size = self.plan.joint_kind(coordinate.axis.joint).nu if coordinate.axis is not None else 1
                grip = told.component.symbol(f"grip {told.name} on {coordinate.name}", (size,))
                self.definitions.register(grip, "grip", (told.path, coordinate.name))
                total += grip[coordinate.axis.index if coordinate.axis is not None else 0]
        return total

    def _places(self, axis: Axis, node: Node) -> list[tuple[Node, float]]:
        """Nodes of its network where the effort of a joint's axis acts: at the axis, and back at a mounted support."""
        support = self.nodes[id(axis.support)]
        back = [(support, -1.0)] if support.mounting and support.network is node.network else []
        return [(node, 1.0), *back]

    def _multiplier(self, component: Component, constraint: str, name: str) -> ca.SX:
        symbol = component.symbol(name)
        self.definitions.register(symbol, "lambda", constraint)
        return symbol


def _bound(network: Network) -> list[tuple[Axis, Node]]:
    """Axes whose joints keep their coordinates but follow the network."""
    own = {id(coordinate.axis) for coordinate in network.coordinates}
    return [(axis, node) for axis, node in network.axes if id(axis) not in own]


def _held(network: Network) -> list[Motion]:
    """Sources that prescribe a mixture of coordinates."""
    return [motion for motion in network.motions if len(motion.node.K) > 1]


def _reflected(network: Network, index: int) -> Scalar:
    """Σ J K²: the inertia of everything that moves with this coordinate alone."""
    return sum((inertia * node.K[index] * node.K[index] for _, _, node, inertia in network.inertias
                if list(node.K) == [index] and not node.rides), 0.0)


def _kind(node: Node) -> Mobilizer:
    return Revolute() if node.rotational else Prismatic()


def _inside(component: Component, model: Component) -> bool:
    while component is not None and component is not model:
        component = component._parent
    return component is model


def _rigid_efforts(network: Network, known: dict[int, ca.SX], unknown: list[tuple[object, list]]) -> dict[int, ca.SX]:
    """Multipliers of the relations and the efforts at `unknown` places, from the balance of nodes.

    `known` are efforts on components by node number; each unknown (key, places) acts on nodes (node, factor), the
    first of which it moves.
    A relation that only repeats others carries nothing.
    """
    number = {id(node): k for k, node in enumerate(network.nodes)}
    rows = [k for k, node in enumerate(network.nodes) if node.pivot is not None]
    columns: list[dict] = [network.relations[network.nodes[k].pivot].nodes for k in rows]
    keys: list = [network.relations[network.nodes[k].pivot] for k in rows]
    for key, places in unknown:
        node = places[0][0]
        columns.append({number[id(at)]: factor for at, factor in places})
        rows.append(number[id(network.coordinates[next(iter(node.K))].node)])
        keys.append(key)
    right = ca.vertcat(ca.SX(0, 1), *[-known.get(k, ca.SX(0)) for k in rows])
    if not rows:
        return {}
    entries = [[column.get(row, 0.0) for column in columns] for row in rows]
    if any(isinstance(entry, ca.SX) for line in entries for entry in line):
        found = ca.solve(ca.vertcat(*[ca.horzcat(*line) for line in entries]), right)
    else:
        inverse = np.vectorize(tidy)(np.linalg.inv(np.array(entries, dtype=float)))
        found = ca.SX(ca.sparsify(ca.DM(inverse), NO_RATIO)) @ right
    return {id(key): found[i] for i, key in enumerate(keys)}
