"""Flanges that a component moves by itself, such as the ends of a line whose length follows from the mechanism."""

from __future__ import annotations

import casadi as ca

from ..errors import TopologyError


def moving_tie(plan, shaft):
    """(flange, tied node, (position, speed, acceleration)) of the moving tie of a shaft, or None."""
    for _, node, position in shaft.ties:
        for flange in node.flanges:
            if id(flange) in plan.moving_ties:
                _alone(shaft, flange)
                return flange, node, (position, *plan.moving_ties[id(flange)])
    return None


def _alone(shaft, flange) -> None:
    """A flange whose position a component gives cannot be fixed by another one."""
    others = [component for component, *_ in shaft.ties if component is not flange.owner]
    others += [axis.joint for axis, _ in shaft.axes] + [component for component, *_ in shaft.motions]
    if others:
        raise TopologyError(f"{flange.path}: its position follows from {flange.owner.path}, but {others[0].path} gives "
                            "it too; put a spring between them.", flange.owner, others[0])


def tied_quantity(plan, shaft, node, order: int) -> ca.SX:
    """Position (order 0), speed or acceleration of a flange on a grounded shaft."""
    moving = moving_tie(plan, shaft)
    if moving is not None:
        _, tied, values = moving
        return values[order] * (node.factor / tied.factor)
    _, tied, position = shaft.ties[0]
    return position * (node.factor / tied.factor) if order == 0 else ca.SX(0)


def tied_load(plan, shaft, flange):
    """Force on the component at its own moving flange: the laws on the shaft less what its inertias take; else None."""
    if id(flange) not in plan.moving_ties:
        return None
    _, tied, (_, _, acceleration) = moving_tie(plan, shaft)
    taken = shaft.reflected()
    inertia = taken * acceleration if isinstance(taken, ca.SX) or taken != 0 else 0
    return (shaft.drive() - inertia / tied.factor) / tied.factor
