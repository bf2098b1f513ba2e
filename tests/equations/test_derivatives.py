"""Motor formulas for derivatives against algorithmic differentiation, over every kind of mobilizer."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import ForceMotor
from linkwright.equations.articulated import bias_forces
from linkwright.equations.derivatives import forward_derivatives, inverse_derivatives
from linkwright.equations.inverse import joint_forces
from linkwright.equations.kinematics import accelerations
from linkwright.mechanism import Ellipsoid, MechanismBuilder, Revolute, Screw
from mechanisms import (
    KINDS,
    chain,
    every_joint,
    forward_dynamics,
    inverse_dynamics,
    random_coordinates,
    random_inertia,
    random_pose,
    random_tree,
    trace,
    world_acceleration,
)

TREES = {name: lambda kind=kind: random_tree([kind] * 3, 1, reverse=(1,)) for name, kind in KINDS.items() if kind.nu}
TREES["every joint"] = every_joint
TREES["long branch"] = lambda: chain(30)  # where M is inverted by articulated bodies


def rates_of_coordinates(mechanism, q):
    """N as a matrix: column k is the displacement δq along mobility k."""
    q_slices, u_slices = mechanism.slices()
    N = ca.SX(mechanism.nq, mechanism.nu)
    for body, rows, columns in zip(mechanism.bodies, q_slices, u_slices, strict=True):
        for k, e in enumerate(np.eye(body.mobilizer.nu)):
            N[rows, columns.start + k] = body.mobilizer.qdot(q[rows], ca.SX(e))
    return N


def agree(kin, symbols, found, expected):
    random = np.random.default_rng(2)
    state = [random_coordinates(kin.mechanism, random), *[random.normal(size=s.numel()) for s in symbols]]
    values = ca.Function("values", [kin.q, *symbols], [ca.densify(e) for e in (*found, *expected)])(*state)
    for a, b in zip(values[: len(found)], values[len(found):], strict=True):
        b = np.asarray(b)
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-10, atol=1e-10 * (1 + np.abs(b).max()))


@pytest.mark.parametrize("name", TREES)
def test_inverse_dynamics(name):
    m = TREES[name]()
    kin, udot = trace(m), ca.SX.sym("udot", m.nu)
    d = inverse_derivatives(kin, udot, world_acceleration(m))
    tau, _ = inverse_dynamics(kin, udot)
    by_q = ca.jacobian(tau, kin.q) @ rates_of_coordinates(m, kin.q)
    expected = tau, by_q, ca.jacobian(tau, kin.u), ca.jacobian(tau, udot)
    agree(kin, [kin.u, udot], (d.tau, d.q, d.u, d.mass), expected)


@pytest.mark.parametrize("name", TREES)
def test_forward_dynamics(name):
    m = TREES[name]()
    kin, tau = trace(m), ca.SX.sym("tau", m.nu)
    udot, _ = forward_dynamics(kin, tau)
    d = forward_derivatives(kin, inverse_derivatives(kin, udot, world_acceleration(m)))
    # directions suffice, the whole Jacobian by differentiation would take longer than all other tests
    x, v = ca.SX.sym("x", m.nu), ca.SX.sym("v", m.nu)
    expected = ca.jtimes(udot, kin.q, rates_of_coordinates(m, kin.q) @ x), ca.jtimes(udot, kin.u, v)
    agree(kin, [kin.u, tau, x, v], (d.q @ x, d.u @ v), expected)


def test_loads_held_in_body_axes_turn_with_their_bodies():
    m = every_joint()
    kin, udot, random = trace(m), ca.SX.sym("udot", m.nu), np.random.default_rng(5)
    loads = [ForceMotor.from_vector(random.normal(size=6)) for _ in m.bodies]
    d = inverse_derivatives(kin, udot, world_acceleration(m), loads)
    tau, _ = joint_forces(kin, accelerations(kin, udot, world_acceleration(m)), bias_forces(kin, loads), udot)
    expected = ca.jacobian(ca.vertcat(*tau), kin.q) @ rates_of_coordinates(m, kin.q)
    agree(kin, [kin.u, udot], (d.tau, d.q), (ca.vertcat(*tau), expected))


def test_rotors_and_prescribed_motion():
    """Rotors add to M; a prescribed joint keeps its acceleration, so its row is empty."""
    random, builder = np.random.default_rng(6), MechanismBuilder(gravity=(0, 0, -9.81))
    for k in range(3):
        builder.body(f"b{k}", f"b{k - 1}" if k else "world", Revolute(), random_pose(random), random_pose(random),
                     random_inertia(random), armature=(0.7,), prescribed=ca.SX(0.4) if k == 1 else None)
    kin = trace(builder.build())
    d = inverse_derivatives(kin, udot := ca.SX.sym("udot", 3), world_acceleration(kin.mechanism))
    found = forward_derivatives(kin, d)
    M, free = d.mass, [0, 2]
    expected = ca.SX(3, 3)
    expected[free, :] = -ca.solve(M[free, free], d.u[free, :])
    agree(kin, [kin.u, udot], (found.u, M), (expected, ca.jacobian(d.tau, udot)))


@pytest.mark.parametrize("kind", [Screw, lambda a: Ellipsoid((a, 1.0, 2.0))], ids=["Screw", "Ellipsoid"])
def test_parameters_inside_a_kind(kind):
    random, builder = np.random.default_rng(7), MechanismBuilder(gravity=(0, 0, -9.81))
    number = builder.parameter("a", 0.3)
    for k in range(2):
        builder.body(f"b{k}", f"b{k - 1}" if k else "world", kind(number * (k + 1)), random_pose(random),
                     random_pose(random), random_inertia(random))
    kin = trace(builder.build())
    udot = ca.SX.sym("udot", kin.mechanism.nu)
    d = inverse_derivatives(kin, udot, world_acceleration(kin.mechanism))
    tau, _ = inverse_dynamics(kin, udot)
    by_q = ca.jacobian(tau, kin.q) @ rates_of_coordinates(kin.mechanism, kin.q)
    agree(kin, [kin.u, udot, number], (d.q, d.u), (by_q, ca.jacobian(tau, kin.u)))


def test_derivatives_are_zero_between_branches():
    """Bodies on separate branches have structural zeros, not numbers that happen to vanish."""
    builder = MechanismBuilder(gravity=(0, 0, -9.81))
    random = np.random.default_rng(0)
    for name, parent in (("trunk", "world"), ("left", "trunk"), ("right", "trunk")):
        builder.body(name, parent, Revolute(), random_pose(random), random_pose(random), random_inertia(random))
    kin = trace(builder.build())
    d = inverse_derivatives(kin, ca.SX.sym("udot", 3), world_acceleration(kin.mechanism))
    for matrix in (d.q, d.u, d.mass):
        assert not matrix.sparsity().has_nz(1, 2) and not matrix.sparsity().has_nz(2, 1)
