"""Joints that close a loop: their equations, which their kinds state, in symbols of the relative pose of M in F.

The coordinates of such a joint are read off the relative pose; an auxiliary state that integrates the speed says which
turn an angle is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ...language.expressions import der
from ...language.parts_list_entries import Turns
from ...language.planar_frame import PlanarFrame
from ...mechanism import DISPLACEMENT, ROTATION, Closing, Constraint, Frame, same_axes, wind

if TYPE_CHECKING:
    from ...language.parts_list_entries import JointEdge
    from ..bodies import Bodies
    from ..definitions import Definitions
    from ..tree import Branch, Tree


def closing_equations(tree: Tree, bodies: Bodies,
                      definitions: Definitions) -> tuple[list[Constraint], list[Turns]]:
    """The equations of joints that close loops, and of parts that were split."""
    turns: list[Turns] = []
    out = [_closing_equations(edge, bodies, definitions, turns) for edge in tree.cut]
    out += [Constraint(f"{branch.edge.component.path} (welded copy)", welding_residual(branch, bodies, definitions),
                       labels=(*DISPLACEMENT, *ROTATION)) for branch in tree.copies]
    return out, turns


def _closing_equations(edge: JointEdge, bodies: Bodies, definitions: Definitions, turns: list[Turns]) -> Constraint:
    """The equations of a cut joint; its coordinates, speeds and accelerations become known on the way."""
    path = edge.component.path
    names = (f"{path}.F", f"{path}.M")
    for name, connector, X in zip(names, (edge.a, edge.b), (edge.X_aF, edge.X_bM), strict=True):
        base = bodies.frames[connector.path]
        bodies.frames[name] = Frame(base.body, base.X_BQ @ X)
    R, p = _register(definitions, names)
    V = ca.SX.sym(f"{path}.V", 6)
    closing = edge.kind.closing(R, p, V)
    if closing.speeds is not None:
        definitions.register(V, "V_AB", names)
        _coordinates(edge, closing, definitions, turns)
    flat = isinstance(edge.a, PlanarFrame) and isinstance(edge.b, PlanarFrame)
    return Constraint(path, closing.residual, labels=closing.labels, flat=flat)


def welding_residual(branch: Branch, bodies: Bodies, definitions: Definitions) -> ca.SX:
    """The residual that holds the copy of a part where the part is, at the joint that carries the copy."""
    path = branch.edge.component.path
    names = (f"{path}.part", f"{path}.copy")
    X = branch.X_group_M
    for name, group in zip(names, (branch.original, branch.group), strict=True):
        bodies.frames[name] = bodies.on(group, X)
    R, p = _register(definitions, names)
    return ca.vertcat(p, same_axes(R))


def _register(definitions: Definitions, names: tuple[str, str]) -> tuple[ca.SX, ca.SX]:
    R, p = ca.SX.sym(f"{names[1]}.R", 3, 3), ca.SX.sym(f"{names[1]}.p", 3)
    definitions.register(R, "R_AB", names)
    definitions.register(p, "p_AB", names)
    return R, p


def _coordinates(edge: JointEdge, closing: Closing, definitions: Definitions, turns: list[Turns]) -> None:
    """Coordinates, speeds and accelerations of the cut joint, read off the relative motion; angles wind in time."""
    q, u, a = edge.symbols
    wound = [_wind(edge, k, angle, closing.speeds[k], turns) for k, angle in enumerate(closing.angles)]
    define = definitions.define
    define(q, lambda: ca.vertcat(*wound, *closing.lengths))
    define(u, lambda: closing.speeds)
    define(a, lambda: der(u))


def _wind(edge: JointEdge, k: int, angle: ca.SX, speed: ca.SX, turns: list[Turns]) -> ca.SX:
    """The angle counted over full turns: within a turn from the pose, the turn from the integral of the speed."""
    names = edge.component.coordinates()
    name = names[k][0] if k < len(names) else f"q[{k}]"
    given = edge.component.initial_value(name) or [None]
    start = getattr(given[0], "value", given[0]) or 0.0
    symbol = ca.SX.sym(f"{edge.component.path}.turns[{k}]")
    path = f"{edge.component.path}.{name}"
    turns.append(Turns(f"{path} wound", symbol, speed, wind(angle, symbol), ((path, -1),), np.array([float(start)])))
    return turns[-1].wound
