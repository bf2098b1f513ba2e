"""What the engine can compute by name, beside the variables of the model: expressions and the stage they belong to."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from ..algebra import ForceMotor, VelocityMotor
from ..equations import Equations, accelerations, articulated_inertias, outward, solve_kkt, solve_tree
from ..errors import ModelError
from .derivatives import acceleration_derivative
from .stage import Stage


def unknowns(e: Equations) -> ca.SX:
    """All algebraic unknowns y."""
    return e.y


def centre_of_mass(e: Equations) -> ca.SX:
    """Σ m r / Σ m in the world; NaN for a mechanism without mass."""
    total, first = ca.SX(0), ca.SX.zeros(3)
    for inertia, X_WB in zip(e.kinematics.inertias, e.kinematics.X_WB, strict=True):
        total += inertia.m
        first += X_WB.R @ ca.SX(inertia.first_moment) + X_WB.p * inertia.m
    for mass, rows in e.off_tree.masses:
        total += mass
        first += mass * rows.value
    return first / total


def momentum(e: Equations) -> ca.SX:
    """(p, h): linear momentum, and angular momentum about the world's origin, in the world's axes."""
    total = ca.SX.zeros(6)
    for k, X_WB in enumerate(e.kinematics.X_WB):
        total += ca.SX((X_WB @ e.kinematics.momentum(k)).vector())
    for mass, rows in e.off_tree.masses:
        p = mass * rows.rate
        total += ca.vertcat(p, ca.cross(rows.value, p))
    return total


def reactions(e: Equations) -> ca.SX:
    """Six numbers (f, τ) per joint, one column each: on the outboard body, at M in M."""
    return ca.horzcat(ca.SX(6, 0), *[ca.SX(r.vector()) for r in e.reactions])


def solved_mass(e: Equations) -> ca.SX:
    """M⁻¹ f for mobility forces f (an input): the recursion without velocities, or one factorisation."""
    f = e.symbols["f"]
    if e.mechanism.point_masses or e.mechanism.rotors or e.prescribed:
        return solve_kkt(e.mass_matrix, [], f, [])[0]
    kin, n = e.kinematics, len(e.mechanism.bodies)
    factors, left = articulated_inertias(kin)
    udot, _ = solve_tree(kin, factors, left, f, [ForceMotor()] * n, [VelocityMotor()] * n, VelocityMotor())
    return ca.vertcat(ca.SX(0, 1), *[a for part in udot for a in part])


def thermal_speeds(e: Equations) -> ca.SX:
    """u with uᵀM u = ξᵀξ for numbers ξ (the input f): normally distributed with M⁻¹ where those are independent.

    M = Lᵀ D L by the articulated recursion; its outward pass from e = √D ξ solves √D L u = ξ.
    """
    kin, xi = e.kinematics, e.symbols["f"]
    factors, _ = articulated_inertias(kin)
    parts = e.mechanism.slices()[1]
    start = [[xi[part.start + k] / ca.sqrt(D_inverse) for k, D_inverse in enumerate(joint)]
             for part, joint in zip(parts, factors.D_inverse, strict=True)]
    u, _ = outward(kin, factors, start, [VelocityMotor()] * len(parts), VelocityMotor())
    return ca.vertcat(ca.SX(0, 1), *[speed for joint in u for speed in joint])


def inverse_dynamics(e: Equations) -> ca.SX:
    """τ for accelerations u̇ (an input); laws that read accelerations read those given."""
    if not e._implicit:
        return e.tau
    m, udot = e.mechanism, e.symbols["udot"]
    A = accelerations(e.kinematics, udot, e._world_acceleration)
    g = ca.SX(m.gravity.g) if m.gravity.uniform else ca.SX.zeros(3)
    symbols, values = [], []
    for variable in (m.variables[number] for number in e._implicit):
        if variable.quantity not in ("udot", "z", "a"):
            raise ModelError(f"{variable.of}: a load reads the {variable.quantity} there, which inverse dynamics does "
                             "not know; use forward dynamics.", variable.of)
        symbols.append(variable.symbol)
        values.append(ca.reshape(ca.SX(e.laws.acceleration(variable, udot, A, g, None)), *variable.symbol.shape))
    others = [*e.symbols.values(), *[unknown.symbol for unknown in m.unknowns]]
    return ca.Function("tau", [*symbols, *others], [e.tau]).call([*values, *others])[0]


def pivots(e: Equations) -> ca.SX:
    """The articulated inertia that each mobility meets: D of the elimination, in the order of u."""
    factors, _ = articulated_inertias(e.kinematics)
    return ca.vertcat(ca.SX(0, 1), *[1 / D for part in factors.D_inverse for D in part])


#: name → (stage, dimensions: 0 a number, 1 a vector, 2 a matrix; expression)
QUANTITIES: dict[str, tuple[Stage, int, Callable[[Equations], ca.SX]]] = {
    "position_error": (Stage.POSITION, 1, lambda e: e.position_error),
    "mass_matrix": (Stage.POSITION, 2, lambda e: e.mass_matrix),
    "solved_mass": (Stage.POSITION, 1, solved_mass),
    "thermal_speeds": (Stage.POSITION, 1, thermal_speeds),
    "pivots": (Stage.POSITION, 1, pivots),
    "potential_energy": (Stage.POSITION, 0, lambda e: e.potential_energy),
    "fixman_energy": (Stage.POSITION, 0, lambda e: e.fixman_energy),
    "centre_of_mass": (Stage.POSITION, 1, centre_of_mass),
    "constraint_matrix": (Stage.VELOCITY, 2, lambda e: e.constraint_matrix),
    "qdot": (Stage.VELOCITY, 1, lambda e: e.qdot),
    "velocity_error": (Stage.VELOCITY, 1, lambda e: e.velocity_error),
    "kinetic_energy": (Stage.VELOCITY, 0, lambda e: e.kinetic_energy),
    "momentum": (Stage.VELOCITY, 1, momentum),
    "udot": (Stage.ACCELERATION, 1, lambda e: e.udot),
    "lambda": (Stage.ACCELERATION, 1, lambda e: e.multipliers),
    "zdot": (Stage.ACCELERATION, 1, lambda e: e.zdot),
    "y": (Stage.ACCELERATION, 1, unknowns),
    "pivot": (Stage.ACCELERATION, 0, lambda e: e.pivot),
    "reactions": (Stage.ACCELERATION, 2, reactions),
    "tau": (Stage.ACCELERATION, 1, inverse_dynamics),
    "dudot_dq": (Stage.ACCELERATION, 2, lambda e: acceleration_derivative(e, "q")),
    "dudot_du": (Stage.ACCELERATION, 2, lambda e: acceleration_derivative(e, "u")),
    "dudot_dp": (Stage.ACCELERATION, 2, lambda e: acceleration_derivative(e, "p")),
}

#: what `realize` computes when a stage is reached
AT_STAGE: dict[Stage, tuple[str, ...]] = {
    Stage.POSITION: ("position_error",),
    Stage.VELOCITY: ("qdot", "velocity_error"),
    Stage.ACCELERATION: ("udot", "lambda", "zdot", "y"),
}


def shape(expression: ca.SX, dimensions: int | None = None) -> tuple[int, ...]:
    """The shape of a result: as many dimensions as said, else as few as its size allows."""
    rows, columns = expression.shape
    if dimensions is None:
        dimensions = 2 if columns != 1 else int(rows != 1)
    return ((), (rows * columns,), (rows, columns))[dimensions]
