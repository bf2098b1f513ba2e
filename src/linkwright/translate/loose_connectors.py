"""Connectors that must lead somewhere: a spring with a loose end or a sensor on nothing is a mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..errors import TopologyError
from ..language import Model, PartsList
from ..mechanism import Translation
from .tolerances import ALIKE

if TYPE_CHECKING:
    from .groups import Node
    from .tree import Tree


def check_connected(plan: PartsList) -> None:
    """Refuse required connectors that no other component is joined to."""
    partners: dict[int, int] = {}
    for connectors in plan.connection_sets():
        others = sum(not isinstance(connector.owner, Model) for connector in connectors)
        partners.update({id(connector): others for connector in connectors})
    for component in plan.components:
        loose = [name for name in component.required_ports() if partners[id(component._connectors[name])] < 2]
        if loose:
            names = " and ".join(f"{component.path}.{name}" for name in loose)
            verb = "is" if len(loose) == 1 else "are"
            reason = ("it was chosen by resolve_in_frame" if loose == ["frame_resolve"]
                      else f"a {type(component).__name__} works only between connected frames")
            raise TopologyError(f"{names} {verb} connected to nothing; {reason}. Connect "
                                f"{'it' if len(loose) == 1 else 'them'}, or remove {component.path}.", component)


def check_upright(plan: PartsList, nodes: dict[int, Node], tree: Tree) -> None:
    """Refuse elements that keep a frame upright on a part whose orientation something else decides."""
    moved = {id(branch.group): branch for branch in tree.branches}
    seen: dict[int, object] = {}
    for component, frame in ((told.component, told.frame) for told in plan.upright):
        group = nodes[id(frame)].group
        branch = moved.get(id(group))
        if group.grounded or (branch is not None and not isinstance(branch.kind, Translation)):
            name = frame.name
            raise TopologyError(f"{component.path}: fixed_rotation_at_{name} would hold the orientation of a part that "
                                "has one already; leave it out (a point where only lines meet needs no such help).",
                                component)
        first = seen.setdefault(id(group), frame)
        turned = nodes[id(first)].X.R.T @ nodes[id(frame)].X.R
        if not isinstance(turned, ca.SX) and np.abs(turned - np.eye(3)).max() > ALIKE:
            raise TopologyError(f"{component.path}: {frame.path} and {first.path} are turned to one another but both "
                                "are to keep the axes of the world; leave one of them out.", component)


def check_touching(plan: PartsList, nodes: dict[int, Node]) -> None:
    """Refuse contact between shapes of one body."""
    for component, a, b in ((told.component, told.a, told.b) for told in plan.touches):
        if nodes[id(a)].group is nodes[id(b)].group:
            where = "are both fixed to the world" if nodes[id(a)].group.grounded else "ride on one body"
            raise TopologyError(f"{component.path}: {a.owner.path} and {b.owner.path} {where}, so that they never move "
                                "against each other; take shapes of different bodies.", component)
