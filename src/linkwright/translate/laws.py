"""The laws of a model in engine symbols: loads, constraints, states, unknowns, inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import casadi as ca
import numpy as np

from ..algebra import ForceMotor
from ..language import PartsList, reads
from ..language.parts_list_entries import Axis
from ..mechanism import TIME, BodyLoad, Constraint, ContinuousState, MobilityLoad, Named, Unknown, points_name
from .bodies import Bodies, Topology
from .definitions import Definitions
from .drives.drives import Drives
from .loops.cut_joints import Turns
from .planes import Planes


def register_symbols(plan: PartsList, where: Topology, definitions: Definitions) -> None:
    """Make coordinates and reactions of joints, multipliers, relative motions and pushes known to the engine."""
    _joint_symbols(plan, where, definitions)
    for told in plan.constraints:
        symbol = told.component.symbol(f"lambda {told.name}".strip(), (told.residual.numel(),))
        definitions.register(symbol, "lambda", told.path)
    for names, symbols in plan.relatives.items():
        for symbol, quantity in zip(symbols, ("R_AB", "p_AB", "V_AB"), strict=True):
            definitions.register(symbol, quantity, names)
    for pushes in plan.pushes.values():
        for push in pushes:
            definitions.register(push.symbol, "push", push.of)


def _joint_symbols(plan: PartsList, where: Topology, definitions: Definitions) -> None:
    """Coordinates of joints are engine variables; a joint that closes a loop reads them off the pose."""
    cut = {id(edge) for edge in where.tree.cut}
    names = {id(branch.edge): branch.name for branch in where.tree.branches}
    for edge in plan.joints:
        if id(edge) in cut:
            continue
        name = names.get(id(edge), edge.component.path)
        for symbol, quantity in zip(edge.symbols, ("q", "u", "udot"), strict=True):
            if symbol.numel():
                definitions.register(symbol, quantity, name)
        definitions.register(edge.component.symbol("reaction", (6,)), "reaction", name)
    for told in plan.bent:
        for symbol, quantity in zip(told.symbols, ("q", "u", "udot"), strict=True):
            definitions.register(symbol, quantity, told.component.path)
    for edge in where.tree.cut:
        symbol = edge.component.symbol("reaction", (6,))
        if edge.kind.nu < 6:
            path = edge.component.path
            definitions.register(symbol, "push", (path, f"{path}.M"))
        else:
            definitions.define(symbol, lambda: ca.SX.zeros(6))


def loads(plan: PartsList, where: Topology, bodies: Bodies, drives: Drives,
          definitions: Definitions) -> Iterator[BodyLoad | MobilityLoad]:
    """Loads of force laws and drive trains on bodies and joints."""
    for load in plan.loads:
        group = where.group_of(load.frame)
        if id(group) not in bodies.number or group.grounded:
            continue
        f, t = definitions.expand(load.f), definitions.expand(load.t)
        energy = None if load.energy is None else definitions.expand(load.energy)
        yield BodyLoad(load.component.path, load.frame.path, ForceMotor(-f, -t), energy=energy)
    for axis in plan.axes:
        definitions.define(axis.joint.symbol(f"drive[{axis.index}]"), lambda axis=axis: _drive(axis, plan, drives))
    yield from drives.loads()


def _drive(axis: Axis, plan: PartsList, drives: Drives) -> ca.SX:
    """The force at a joint's drive flange, with that of a lock that holds while a condition is true."""
    effort, catch = drives.effort(axis.axis), plan.catches.get(id(axis.joint))
    return effort if catch is None else effort - catch[axis.index]


def constraints(plan: PartsList, closing: Iterable[Constraint], drives: Drives, planes: Planes,
                definitions: Definitions) -> Iterator[Constraint]:
    """Equations of joints that close loops, of drive trains, of planes, and of components."""
    yield from (constraint for constraint in closing if constraint.residual.numel())
    yield from drives.constraints()
    for name, residual in planes.residuals():
        yield Constraint(name, definitions.expand(residual))
    for told in plan.constraints:
        length = getattr(told.component, "fixed_distance", None)
        yield Constraint(told.path, definitions.expand(told.residual), told.level,
                         None if told.condition is None else definitions.expand(told.condition),
                         length=None if length is None else length(plan.values(told.component)))


def states(plan: PartsList, turns: Iterable[Turns], definitions: Definitions) -> Iterator[ContinuousState]:
    """Integrals of models, states of components and blocks, and states that count turns."""
    for model in plan.model.models():
        for name, (symbol, derivative, start) in model._integrals.items():
            path = model.path_of(name)
            yield ContinuousState(path, symbol, definitions.expand(plan.formula(path, derivative)), np.array([start]))
    for told in plan.states:
        yield ContinuousState(told.path, told.symbol, definitions.expand(told.rate), told.start)
    for w in turns:
        yield ContinuousState(w.name, w.symbol, w.rate, w.start, w.weight, counts=True)


def loose_states(plan: PartsList) -> list[str]:
    """States of components, blocks and models whose start value is only where the search begins."""
    return [*plan.loose_states, *(model.path_of(name) for model in plan.model.models() for name in model._integrals
                                  if name in model._loose)]


def unknowns(plan: PartsList, definitions: Definitions) -> Iterator[Unknown]:
    """Algebraic unknowns of components."""
    for told in plan.unknowns:
        yield Unknown(told.path, told.symbol, definitions.expand(told.residual), told.start, told.seek,
                      None if told.sought is None else definitions.expand(told.sought),
                      None if told.guess is None else definitions.expand(told.guess))


def points(signals: Mapping[str, ca.SX]) -> Iterator[Named]:
    """Values at points in time that expressions in the place of inputs read, in their order."""
    for name, expression in signals.items():
        read = [s for s in ca.symvar(expression) if not ca.is_equal(s, TIME)]
        if read:
            symbol = ca.vertcat(*sorted(read, key=lambda s: int(s.name().rpartition("_")[2])))
            yield Named(points_name(name), symbol, np.zeros(len(read)))


def inputs(plan: PartsList, given: Iterable[str]) -> Iterator[Named]:
    """Inputs of models but for those `given` over time, and discrete variables of blocks."""
    yield from (Named(*item) for item in reads.inputs(plan.model) if item[0] not in given)
    for block in plan.blocks:
        yield from (Named(f"{block.path}.{name}", *held) for name, held in block.discretes.items())
