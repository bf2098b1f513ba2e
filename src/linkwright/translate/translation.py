"""The translation itself: from a model to a mechanism, phase by phase.

    parts list → topology (rigid groups, tree, loops) → drive trains → bodies and frames → symbols that the engine knows
    → equations of loops → massless parts → laws → start → names of results

A phase takes what earlier ones returned and returns a value of its own; `Definitions` collects on the way what symbols
stand for and the unknowns there are, and writes expressions in engine symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import casadi as ca

from ..language import Frame as FrameConnector
from ..language import Model, PartsList
from ..language.reads import inputs
from ..mechanism import (
    Mechanism,
    Named,
    PointMass,
    Requirement,
    Start,
    StartEquation,
    Winding,
    check,
)
from . import laws
from .bodies import bodies_of, topology, with_given_motions
from .cuts import Cuts
from .definitions import Answers, Definitions
from .drives.drives import Drives
from .drives.mountings import check_mountings
from .events import translate_events
from .gathering import parts_of
from .loops.closures import closures
from .loops.cut_joints import closing_equations
from .massless_points import Points
from .memories import controllers, memories
from .planes import Planes
from .remarks import remarks
from .results import Results, Signals
from .roots import depths
from .starts import expanded, start_equations, start_values
from .tree import Branch


@dataclass(frozen=True, eq=False)
class Translation:
    """What a model becomes: the mechanism, how its variables are written in it, and who is who."""

    plan: PartsList
    mechanism: Mechanism
    definitions: Definitions
    branches: list[Branch]


def translate(model: Model, tunable: frozenset[str] = frozenset(), followers: frozenset[str] = frozenset(),
              signals: Mapping[str, ca.SX] | None = None, closed_form: str = "some") -> Translation:
    """Work out topology and laws of a model.

    Parameters named in `tunable` stay symbols, those in `followers` stay formulas of such; `signals` are expressions in
    the place of inputs, by name.  `closed_form` says which loops are solved so where they can be: "some", only if "all"
    can, or "none".
    """
    signals = signals or {}
    plan = parts_of(model, tunable, followers)
    definitions = Definitions(plan)
    _define_inputs(model, signals, definitions)
    where = topology(plan, closed_form)
    drives = Drives(plan, definitions, where.tree.branches)
    bodies = bodies_of(plan, where)
    points = Points(plan, where, bodies.frames, drives, definitions)
    planes = Planes(plan, where, bodies.frames, points.held, definitions)
    definitions.ask(_answers(Cuts(plan, where.nodes, where.tree.branches), planes, drives, points, bodies.frames))
    laws.register_symbols(plan, where, definitions)
    closing, turns = closing_equations(where.tree, bodies, definitions)
    solved, branches = closures(plan, where.tree, bodies, definitions)
    drives.name_coordinates()
    drives.refuse_rubbing_on_massless()
    check_mountings(plan, where.nodes, drives.nodes)
    definitions.unknowns.extend([*laws.unknowns(plan, definitions)])
    points.finish()
    definitions.unknowns.extend(points.unknowns)
    moved = with_given_motions(drives.realized(bodies.all), plan, definitions)
    turns += [replace(told, rate=definitions.expand(told.rate), wound=definitions.expand(told.wound))
              for told in plan.turns]
    states = [*laws.states(plan, turns, definitions), *points.states]
    loads = tuple(laws.loads(plan, where, bodies, drives, definitions))
    constraints = tuple(laws.constraints(plan, closing, drives, planes, definitions))
    events = translate_events(plan, bodies, definitions)
    definitions.add_rings()
    masses = tuple(PointMass(told.component.path, told.mass, definitions.expand(told.position)) for told in plan.points)
    rotors = tuple(drives.rotors())
    definitions.close()
    start = Start(start_values(definitions), _initial_equations(plan, drives, definitions),
                  tuple(f"{block.path}.x" for block in plan.blocks if block.steady),
                  (*points.loose_states, *laws.loose_states(plan)),
                  windings=tuple(Winding(w.name, w.symbol, w.wound, w.begins) for w in turns),
                  positive=tuple(StartEquation(said, definitions.expand(e)) for said, e in plan.starts_positive))
    mechanism = Mechanism(
        model.title, tuple(moved), plan.gravity, bodies.frames, definitions.registry,
        loads=(*loads, *events.loads), constraints=(*constraints, *events.constraints), point_masses=masses,
        rotors=rotors, unknowns=tuple(definitions.unknowns), states=tuple(states), closures=tuple(solved),
        discretes=(*laws.inputs(plan, signals), *laws.points(signals), *events.modes, *branches),
        parameters=tuple(Named(name, symbol, value, plan.ranges.get(name))
                         for name, (symbol, value) in plan.parameters.items()),
        outputs=Results(definitions), signals=Signals(definitions), depth=depths(plan, where), start=start,
        shapes=dict(plan.shapes),
        events=events.events, controllers=controllers(model), memories=tuple(memories(plan.blocks)),
        requirements=_required(plan, False), advice=_required(plan, True),
        over_time=tuple(signals), fixman=plan.thermal, remarks=remarks(plan, where),
    )
    check(mechanism)
    return Translation(plan, mechanism, definitions, where.tree.branches)


def _required(plan: PartsList, limited: bool) -> tuple[Requirement, ...]:
    """What variables must not become negative, or should not pass a limit."""
    return tuple(Requirement(told.component.path, f"{told.component.path}.{told.name}", told.reason, told.limit,
                             told.fatal)
                 for told in plan.requirements if (told.limit is not None) is limited)


def _define_inputs(model: Model, signals: Mapping[str, ca.SX], definitions: Definitions) -> None:
    """Inputs of the programs; those that are given over time stand for these expressions."""
    for path, symbol, _ in inputs(model):
        if path in signals:
            definitions.define(symbol, lambda path=path: signals[path])
        else:
            definitions.input(symbol)
    for item in laws.points(signals):
        definitions.input(item.symbol)


def _answers(cuts: Cuts, planes: Planes, drives: Drives, points: Points, frames: Mapping[str, object]) -> Answers:
    """Who answers for quantities that no component defines: cut loads, planar and massless frames, flanges."""

    def placed(frame: FrameConnector) -> bool:
        return frame.path in frames or points.holds(frame)

    return Answers(points.quantity, planes.quantity, drives.quantity, cuts.load, points.rate_through, placed)


def _initial_equations(plan: PartsList, drives: Drives, definitions: Definitions) -> tuple[StartEquation, ...]:
    """What the user, and what prescribes a motion, ask of the start."""
    said = [*start_equations(plan.model, plan), *plan.initial_equations, *drives.initial()]
    said += [start for course in plan.courses.values() for start in course.start]
    return expanded(said, definitions)
