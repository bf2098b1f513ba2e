"""Joints that close a loop: the equations 6 − dof that hold M where the joint lets it be.

For the common kinds the equations are written out (exact zeros, no redundancy of their own).  With X = X_FM the
pose of M in F:

    revolute      p = 0, z_M ⟂ x_F, z_M ⟂ y_F        prismatic   p_x = p_y = 0, R = 1
    cylindrical   p_x = p_y = 0, z_M ⟂ x_F, y_F       spherical   p = 0
    universal     p = 0, x_F ⟂ y_M                    planar      p_z = 0, z_M ⟂ x_F, y_F

The coordinates of such a joint are read off the relative pose; an auxiliary state that integrates the speed says which
turn an angle is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ...language.constraint import same_axes
from ...language.expressions import der
from ...mechanism import (
    Bushing,
    Constraint,
    Cylindrical,
    Frame,
    Free,
    Gimbal,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translation,
    Universal,
)

#: kinds with equations of their own; any other joint closes a loop by splitting a part
CLOSING = (Revolute, Prismatic, Cylindrical, Spherical, Gimbal, Universal, Planar, Translation, Free, Bushing)


POSITION = tuple(f"displacement along {axis}" for axis in "xyz")
TURN = tuple(f"rotation about {axis}" for axis in "xyz")


def _labels(kind) -> tuple[str, ...]:
    """What the rows of a cut joint hold, in its frame F, whose z is the joint's axis."""
    tilt = TURN[1::-1]  # z_M along x_F is a rotation about y
    if isinstance(kind, Revolute):
        return (*POSITION, *tilt)
    if isinstance(kind, Prismatic):
        return (*POSITION[:2], *TURN)
    if isinstance(kind, Cylindrical):
        return (*POSITION[:2], *tilt)
    if isinstance(kind, (Spherical, Gimbal)):
        return POSITION
    if isinstance(kind, Universal):
        return (*POSITION, "angle between the two axes")
    if isinstance(kind, Planar):
        return (POSITION[2], *tilt)
    return TURN if isinstance(kind, Translation) else ()


def can_close(edge) -> bool:
    """Whether a joint can close a loop by equations."""
    return isinstance(edge.kind, CLOSING) and not getattr(edge.component, "reverse", False)


def closing_equations(translator) -> list[Constraint]:
    """The equations of joints that close loops, and of parts that were split."""
    out = [Constraint(edge.component.path, closing_residual(translator, edge), labels=_labels(edge.kind))
           for edge in translator.tree.cut]
    out += [Constraint(f"{branch.edge.component.path} (welded copy)", welding_residual(translator, branch),
                       labels=(*POSITION, *TURN)) for branch in translator.tree.copies]
    return out


def closing_residual(translator, edge) -> ca.SX:
    """The residual of a cut joint in symbols of the relative pose of its M in its F."""
    path = edge.component.path
    names = (f"{path}.F", f"{path}.M")
    R, p = _relative_pose(translator, names, (edge.a, edge.X_aF), (edge.b, edge.X_bM))
    _coordinates(translator, edge, names, R, p)
    return _residual(edge.kind, R, p)


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
        for symbol, of in pushes:
            register(symbol, "push", of)


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


def _residual(kind, R, p) -> ca.SX:
    parallel_z = ca.vertcat(R[0, 2], R[1, 2])  # z_M has no component along x_F and y_F
    if isinstance(kind, Revolute):
        return ca.vertcat(p, parallel_z)
    if isinstance(kind, Prismatic):
        return ca.vertcat(p[0:2], same_axes(R))
    if isinstance(kind, Cylindrical):
        return ca.vertcat(p[0:2], parallel_z)
    if isinstance(kind, (Spherical, Gimbal)):
        return p
    if isinstance(kind, Universal):
        return ca.vertcat(p, R[0, 1])
    if isinstance(kind, Planar):
        return ca.vertcat(p[2], parallel_z)
    if isinstance(kind, Translation):
        return same_axes(R)
    return ca.SX(0, 1)


def _coordinates(translator, edge, names, R, p) -> None:
    """Coordinates, speeds and accelerations of the cut joint, read off the relative motion; angles wind in time."""
    q, u, a = edge.symbols
    path, kind = edge.component.path, edge.kind
    if not q.numel() or isinstance(kind, (Spherical, Free, Bushing)):
        return
    V = ca.SX.sym(f"{path}.V", 6)
    translator.definitions.register(V, "V_AB", names)
    about_z = ca.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    v = R @ V[3:6]
    if isinstance(kind, Revolute):
        angles, lengths, speeds = [about_z], [], V[2]
    elif isinstance(kind, Prismatic):
        angles, lengths, speeds = [], [p[2]], V[5]
    elif isinstance(kind, Cylindrical):
        angles, lengths, speeds = [about_z], [p[2]], ca.vertcat(V[2], V[5])
    elif isinstance(kind, Planar):
        angles, lengths, speeds = [about_z], [p[0], p[1]], ca.vertcat(V[2], v[0], v[1])
    elif isinstance(kind, Translation):
        angles, lengths, speeds = [], [p[0], p[1], p[2]], v
    elif isinstance(kind, Universal):
        # R = Rx(a) Ry(b), ω = a' (cos b, 0, sin b) + b' y
        angles, lengths = [ca.atan2(R[2, 1], R[1, 1]), ca.atan2(R[0, 2], R[0, 0])], []
        speeds = ca.vertcat(V[0] * R[0, 0] + V[2] * R[0, 2], V[1])
    else:  # Gimbal: R = Rx Ry Rz
        angles, lengths = [ca.atan2(-R[1, 2], R[2, 2]), ca.asin(R[0, 2]), ca.atan2(-R[0, 1], R[0, 0])], []
        c, s = ca.cos(angles[2]), ca.sin(angles[2])
        first = (c * V[0] - s * V[1]) / ca.cos(angles[1])
        speeds = ca.vertcat(first, s * V[0] + c * V[1], V[2] - first * R[0, 2])
    wound = [_wind(translator, edge, k, angle, speeds[k]) for k, angle in enumerate(angles)]
    define = translator.definitions.define
    define(q, lambda: ca.vertcat(*wound, *lengths))
    define(u, lambda: speeds)
    define(a, lambda: der(u))


def _wind(translator, edge, k: int, angle: ca.SX, speed: ca.SX) -> ca.SX:
    """The angle counted over full turns: within a turn from the pose, the turn from the integral of the speed."""
    names = edge.component.coordinates()
    name = names[k][0] if k < len(names) else f"q[{k}]"
    given = edge.component.initial_value(name) or [None]
    start = getattr(given[0], "value", given[0]) or 0.0
    symbol = ca.SX.sym(f"{edge.component.path}.turns[{k}]")
    translator.windings.append(Winding(f"{edge.component.path}.{name} wound", symbol, speed, float(start), angle))
    return wind(angle, symbol)


def wind(angle: ca.SX, near: ca.SX) -> ca.SX:
    """angle + 2π n with n such that it is nearest to `near`."""
    return angle + 2 * ca.pi * ca.floor((near - angle) / (2 * ca.pi) + 0.5)


@dataclass
class Winding:
    """A state that follows the angle of a cut joint: its name, symbol, derivative, start, and the angle in a turn."""

    name: str
    symbol: ca.SX
    rate: ca.SX
    start: float
    angle: ca.SX
