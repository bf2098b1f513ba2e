"""Joints that close a loop: their equations, which their kinds state, in symbols of the relative pose of M in F.

The coordinates of such a joint are read off the relative pose; an auxiliary state that integrates the speed says which
turn an angle is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ...language.expressions import der
from ...mechanism import DISPLACEMENT, ROTATION, Closing, Constraint, Frame, same_axes, wind


def closing_equations(translator) -> list[Constraint]:
    """The equations of joints that close loops, and of parts that were split."""
    out = [_closing_equations(translator, edge) for edge in translator.tree.cut]
    out += [Constraint(f"{branch.edge.component.path} (welded copy)", welding_residual(translator, branch),
                       labels=(*DISPLACEMENT, *ROTATION)) for branch in translator.tree.copies]
    return out


def _closing_equations(translator, edge) -> Constraint:
    """The equations of a cut joint; its coordinates, speeds and accelerations become known on the way."""
    path = edge.component.path
    names = (f"{path}.F", f"{path}.M")
    R, p = _relative_pose(translator, names, (edge.a, edge.X_aF), (edge.b, edge.X_bM))
    V = ca.SX.sym(f"{path}.V", 6)
    closing = edge.kind.closing(R, p, V)
    if closing.speeds is not None:
        translator.definitions.register(V, "V_AB", names)
        _coordinates(translator, edge, closing)
    return Constraint(path, closing.residual, labels=closing.labels)


def welding_residual(translator, branch) -> ca.SX:
    """The residual that holds the copy of a part where the part is, at the joint that carries the copy."""
    path = branch.edge.component.path
    names = (f"{path}.part", f"{path}.copy")
    X = branch.X_group_M
    for name, group in zip(names, (branch.original, branch.group), strict=True):
        translator.frames[name] = Frame(translator.number[id(group)], translator.body_frame[id(group)].inverse() @ X)
    R, p = _register(translator, names)
    return ca.vertcat(p, same_axes(R))


def constraint_symbols(translator) -> None:
    """Make relative motions that constraints are written in, and the forces they exert on frames, known."""
    register = translator.definitions.register
    for names, symbols in translator.plan.relatives.items():
        for symbol, quantity in zip(symbols, ("R_AB", "p_AB", "V_AB"), strict=True):
            register(symbol, quantity, names)
    for pushes in translator.plan.pushes.values():
        for push in pushes:
            register(push.symbol, "push", push.of)


def _relative_pose(translator, names, *ends):
    """Name the frames X on two connectors and give symbols for the pose of the second in the first."""
    for name, (connector, X) in zip(names, ends, strict=True):
        base = translator.frames[connector.path]
        translator.frames[name] = Frame(base.body, base.X_BQ @ X)
    return _register(translator, names)


def _register(translator, names):
    R, p = ca.SX.sym(f"{names[1]}.R", 3, 3), ca.SX.sym(f"{names[1]}.p", 3)
    translator.definitions.register(R, "R_AB", names)
    translator.definitions.register(p, "p_AB", names)
    return R, p


def _coordinates(translator, edge, closing: Closing) -> None:
    """Coordinates, speeds and accelerations of the cut joint, read off the relative motion; angles wind in time."""
    q, u, a = edge.symbols
    wound = [_wind(translator, edge, k, angle, closing.speeds[k]) for k, angle in enumerate(closing.angles)]
    define = translator.definitions.define
    define(q, lambda: ca.vertcat(*wound, *closing.lengths))
    define(u, lambda: closing.speeds)
    define(a, lambda: der(u))


def _wind(translator, edge, k: int, angle: ca.SX, speed: ca.SX) -> ca.SX:
    """The angle counted over full turns: within a turn from the pose, the turn from the integral of the speed."""
    names = edge.component.coordinates()
    name = names[k][0] if k < len(names) else f"q[{k}]"
    given = edge.component.initial_value(name) or [None]
    start = getattr(given[0], "value", given[0]) or 0.0
    symbol = ca.SX.sym(f"{edge.component.path}.turns[{k}]")
    translator.windings.append(Turns(f"{edge.component.path}.{name} wound", symbol, speed, float(start), angle))
    return wind(angle, symbol)


@dataclass(frozen=True, eq=False)
class Turns:
    """A state that follows the angle of a cut joint: its name, symbol, derivative, start, and the angle in a turn."""

    name: str
    symbol: ca.SX
    rate: ca.SX
    start: float
    angle: ca.SX
