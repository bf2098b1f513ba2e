"""Remarks on a model: what is allowed but seldom meant, one line each, for the report.

Nothing here is refused: an element with a loose end, a part that nothing holds, gravity that points against its own
direction, a body without mass and one that bends in too few ways for impacts are all sound models.  Most people who
write them have forgotten something.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca
import numpy as np

from ..language import Frame, Model, PartsList
from ..language.one_dimensional import OneDimensional
from .bodies import Topology


def remarks(plan: PartsList, where: Topology) -> tuple[str, ...]:
    """What components say themselves, then loose ends, loose parts, gravity, masses."""
    numbers = {symbol.element_hash(): float(value.item())
               for symbol, value in plan.parameters.values() if symbol.is_scalar()}
    return (*plan.remarks, *_loose_ends(plan), *_loose_parts(plan, where), *_gravity(plan, numbers),
            *_same_places(plan), *_masses(plan, numbers), *_impacts(plan, where))


def _loose_ends(plan: PartsList) -> Iterator[str]:
    """Springs, dampers and clutches between shafts of which one end is connected to nothing: no effort passes."""
    rigid = {id(told.component) for told in (*plan.flange_relations, *plan.flange_ties, *plan.flange_inertias)}
    joined = {id(connector) for connectors in plan.connection_sets()
              if sum(not isinstance(c.owner, Model) for c in connectors) > 1 for connector in connectors}
    for part in plan.components:
        if not isinstance(part, OneDimensional) or len(part.ports) < 2 or id(part) in rigid:
            continue
        loose = [port for port in part.ports if id(part._connectors[port]) not in joined]
        if loose:
            effort, ground = ("torque", "rotational") if part.spell("e") == "tau" else ("force", "translational")
            yield (f"{part.path}: {' and '.join(loose)} connected to nothing, so no {effort} passes through it. "
                   f"To act against the ground, connect it to a {ground}.Fixed")


def _loose_parts(plan: PartsList, where: Topology) -> Iterator[str]:
    """Parts that no joint, force or shape is connected to."""
    for branch in where.tree.branches:
        owners = {id(frame.owner) for node in branch.group.nodes for frame in node.frames
                  if not isinstance(frame.owner, Model)}
        if branch.edge is None and branch.original is None and len(owners) == 1:
            part = branch.group.nodes[0].frames[0].owner.path
            yield f"{part}: connected to nothing, so it moves freely. If something holds it, connect it to a joint"


def _same_places(plan: PartsList) -> Iterator[str]:
    """Chains past a part that has no frame_b, though its centre of mass lies away from its only frame."""
    for model in plan.model.models():
        for part, after in model._chained_past:
            if np.any(np.asarray(getattr(part, "r_cm", 0.0), dtype=object) != 0):
                yield (f"{part.path}: it has no frame_b, so chain put {after.path} at its frame_a, where the part "
                       "before ends. For a link with a far end use parts.BodyShape(r=…) or parts.BodyBox(r=…)")


def _gravity(plan: PartsList, numbers: dict[int, float]) -> Iterator[str]:
    """Gravity of negative size points against the direction n that it is given with."""
    size = _number(getattr(plan.values(plan.world), "g", None), numbers) if plan.gravity.uniform else None
    if size is not None and size < 0:
        yield (f"{plan.world.path}: g = {size:g} is negative, so things fall against the direction of gravity n. "
               "Give the size of g, and its direction by n")


def _masses(plan: PartsList, numbers: dict[int, float]) -> Iterator[str]:
    """Bodies without mass."""
    for mass in plan.masses:
        if _number(mass.inertia.m, numbers) == 0:
            yield f"{mass.component.path}: its mass is 0, so it has no weight and resists turning only"


def _impacts(plan: PartsList, where: Topology) -> Iterator[str]:
    """Rigid contact on bodies that were reduced: an impact is over at once, so it excites what was left out too."""
    shapes = {part.path: part for part in plan.components if hasattr(part, "pair_with")}
    hit = {where.group_of(shapes[path].frame_a) for pair in plan.encounters for path in (pair.a, pair.b)}
    for part in plan.components:
        left_out = getattr(part, "left_out", None)
        groups = {where.group_of(frame) for frame in part._connectors.values() if isinstance(frame, Frame)}
        if left_out is not None and any(not group.grounded for group in groups & hit):
            yield (f"{part.path}: rigid contact excites all frequencies, and its reduction has left out those from "
                   f"{left_out:.4g} Hz on. Take more modes until what comes after an impact no longer changes, or a "
                   "compliant law")


def _number(value: object, numbers: dict[int, float]) -> float | None:
    """A plain number, or that of a tunable parameter as it is now; None for formulas."""
    if isinstance(value, ca.SX):
        return numbers.get(value.element_hash()) if value.is_symbolic() else None
    return None if value is None else float(value)  # type: ignore[arg-type]
