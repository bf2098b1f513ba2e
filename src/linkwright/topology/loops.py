"""Joints that close a loop: the equations 6 − dof that hold M where the joint lets it be.

For the built-in kinds the equations are written out (exact zeros, no redundancy of their own).  With X = X_FM the
pose of M in F:

    revolute      p = 0, z_M ⟂ x_F, z_M ⟂ y_F        prismatic   p_x = p_y = 0, R = 1
    cylindrical   p_x = p_y = 0, z_M ⟂ x_F, y_F       spherical   p = 0
    universal     p = 0, x_F ⟂ y_M                    planar      p_z = 0, z_M ⟂ x_F, y_F
"""

from __future__ import annotations

import casadi as ca

from ..algebra import Transform
from ..errors import TopologyError
from ..mechanism import (
    Bushing,
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


def closing_residual(translator, edge) -> ca.SX:
    """The residual of a cut joint in symbols of the relative pose of its M in its F."""
    path = edge.component.path
    names = (f"{path}.F", f"{path}.M")
    for name, connector, X in ((names[0], edge.a, edge.X_aF), (names[1], edge.b, edge.X_bM)):
        base = translator.frames[connector.path]
        translator.frames[name] = Frame(base.body, base.X_BQ @ X)
    R, p = ca.SX.sym(f"{path}.R", 3, 3), ca.SX.sym(f"{path}.p", 3)
    translator.definitions.register(R, "R_AB", names)
    translator.definitions.register(p, "p_AB", names)
    _coordinates(translator, edge, names, R, p)
    return _residual(edge, Transform(R, p))


def _residual(edge, X: Transform) -> ca.SX:
    R, p, kind = X.R, X.p, edge.kind
    parallel_z = ca.vertcat(R[0, 2], R[1, 2])  # z_M has no component along x_F and y_F
    same_axes = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    if isinstance(kind, Revolute):
        return ca.vertcat(p, parallel_z)
    if isinstance(kind, Prismatic):
        return ca.vertcat(p[0:2], same_axes)
    if isinstance(kind, Cylindrical):
        return ca.vertcat(p[0:2], parallel_z)
    if isinstance(kind, (Spherical, Gimbal)):
        return p
    if isinstance(kind, Universal):
        return ca.vertcat(p, R[0, 1])
    if isinstance(kind, Planar):
        return ca.vertcat(p[2], parallel_z)
    if isinstance(kind, Translation):
        return same_axes
    if isinstance(kind, (Free, Bushing)):
        return ca.SX(0, 1)
    raise TopologyError(f"{edge.component.path}: a {type(kind).__name__} joint cannot close a loop; make another joint "
                        "of the loop close it (enforce_states=True here).", edge.component)


def _coordinates(translator, edge, names, R, p) -> None:
    """Coordinates of the cut joint, read off the relative pose (angles within a turn)."""
    q, u, a = edge.symbols
    angle = ca.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    V = ca.SX.sym(f"{edge.component.path}.V", 6)
    translator.definitions.register(V, "V_AB", names)
    kind = edge.kind
    if isinstance(kind, Revolute):
        values, speeds = angle, V[2]
    elif isinstance(kind, Prismatic):
        values, speeds = p[2], V[5]
    elif isinstance(kind, Cylindrical):
        values, speeds = ca.vertcat(angle, p[2]), ca.vertcat(V[2], V[5])
    else:
        return
    define = translator.definitions.define
    define(q, lambda: values)
    define(u, lambda: speeds)
