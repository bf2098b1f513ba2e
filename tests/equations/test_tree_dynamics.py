"""The recursions against one another, over every kind of mobilizer, forward and reversed, on random trees."""

import casadi as ca
import numpy as np
import pytest

from linkwright.equations import Equations
from linkwright.equations.composite import mass_matrix
from mechanisms import (
    KINDS,
    energies,
    every_joint,
    forward_dynamics,
    inverse_dynamics,
    random_coordinates,
    random_tree,
    trace,
)

TREES = {name: lambda kind=kind: random_tree([kind] * 4, 2, reverse=(1, 3)) for name, kind in KINDS.items() if kind.nu}
TREES |= {f"every joint {seed}": lambda seed=seed: every_joint(seed) for seed in (0, 1)}


class Tree:
    """A mechanism in a random state, its quantities traced once and evaluated together."""

    def __init__(self, mechanism):
        kin = trace(mechanism)
        tau, udot = ca.SX.sym("tau", mechanism.nu), ca.SX.sym("udot", mechanism.nu)
        found, A = forward_dynamics(kin, tau)
        needed, forces = inverse_dynamics(kin, udot)
        kinetic, potential = energies(kin)
        outputs = {
            "udot": found, "needed": needed, "mass": ca.densify(mass_matrix(kin)), "kinetic": kinetic,
            "power": sum((f.dot(V) for f, V, body in zip(forces, kin.V, mechanism.bodies, strict=True)
                          if body.parent < 0), ca.SX(0)),
            "energy rate": ca.jtimes(kinetic + potential, kin.q, qdot(kin)) + ca.jtimes(kinetic, kin.u, udot),
        }
        self.function = ca.Function("tree", [kin.q, kin.u, tau, udot], list(outputs.values()), list("quta"),
                                    [name.replace(" ", "_") for name in outputs])
        random = np.random.default_rng(3)
        self.q = random_coordinates(mechanism, random)
        self.u, self.tau = random.normal(size=(2, mechanism.nu))

    def __call__(self, udot=None, u=None, tau=None):
        values = self.function(q=self.q, u=self.u if u is None else u, t=self.tau if tau is None else tau,
                               a=0 * self.u if udot is None else udot)
        return {name: np.asarray(value).squeeze() for name, value in values.items()}


def qdot(kin):
    q_slices, u_slices = kin.mechanism.slices()
    return ca.vertcat(*[body.mobilizer.qdot(kin.q[a], kin.u[b])
                        for body, a, b in zip(kin.mechanism.bodies, q_slices, u_slices, strict=True)])


@pytest.fixture(scope="module", params=TREES)
def tree(request):
    return Tree(TREES[request.param]())


def agree(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * (1 + np.abs(b).max()))


def test_inverse_dynamics_undoes_forward_dynamics(tree):
    udot = tree()["udot"]
    agree(tree(udot)["needed"], tree.tau)


def test_articulated_bodies_agree_with_the_mass_matrix(tree):
    """u̇ = M⁻¹ (τ − h), h from inverse dynamics at u̇ = 0."""
    found = tree()
    agree(found["udot"], np.linalg.solve(np.atleast_2d(found["mass"]), tree.tau - found["needed"]))


def test_mass_matrix_is_symmetric_and_positive(tree):
    M = np.atleast_2d(tree()["mass"])
    np.testing.assert_array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0


def test_columns_of_the_mass_matrix_are_forces_for_unit_accelerations(tree):
    found = tree()
    columns = [tree(e)["needed"] - found["needed"] for e in np.eye(len(tree.u))]
    agree(np.column_stack(columns), found["mass"])


def test_kinetic_energy_is_half_u_M_u(tree):
    found = tree()
    agree(found["kinetic"], tree.u @ found["mass"] @ tree.u / 2)


def test_power_of_joint_forces_is_the_rate_of_energy(tree):
    """τ·u = d(T + P)/dt for any accelerations."""
    udot = np.random.default_rng(4).normal(size=len(tree.u))
    found = tree(udot)
    agree(tree.u @ found["needed"], found["energy_rate"])


def test_equations_of_a_tree_are_these_recursions():
    m = every_joint()
    e, tree = Equations(m), Tree(m)
    s = e.symbols
    f = ca.Function("equations", [s["q"], s["u"], s["f"]], [e.udot, e.mass_matrix, e.kinetic_energy])
    udot, M, T = (np.asarray(v).squeeze() for v in f(tree.q, tree.u, tree.tau))
    found = tree()
    agree(udot, found["udot"])
    agree(M, found["mass"])
    agree(T, found["kinetic"])
