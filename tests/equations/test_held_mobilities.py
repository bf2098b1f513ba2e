"""Friction, stops and locks on single mobilities: held inside the recursion, or by one factorisation of everything."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.codegen import count_instructions
from linkwright.equations import Equations, solve_kkt
from linkwright.equations.impulses import impulses
from linkwright.mechanism import Free, MechanismBuilder, Prismatic, Revolute, Spherical, Universal

JOINTS = (Revolute(), Prismatic(), Universal(), Spherical())


def held_tree(n, seed, each=1, given=None):
    """A floating tree of random joints; `each` rows with a mode on the first speed of every joint but the base."""
    rng = np.random.default_rng(seed)
    b = MechanismBuilder("held", gravity=[0, -9.81, 0])
    b.body("base", "world", Free(), inertia=Inertia(5.0, [0.1, 0, 0], [0.5, 0.6, 0.7]))
    names = ["base"]
    for i in range(n):
        kind = JOINTS[rng.integers(len(JOINTS))]
        axis = axis_frame(rng.normal(size=3))
        armature = rng.uniform(0.01, 0.1, kind.nu).tolist() if i % 2 else ()
        motion = [given] if given is not None and i == 0 else None
        kind = Revolute() if motion else kind
        parent = names[rng.integers(max(0, len(names) - 3), len(names))]
        b.body(f"b{i}", parent, kind, Transform(axis, rng.normal(size=3)),
               inertia=Inertia(1.0, rng.normal(size=3) * 0.1, rng.uniform(0.1, 0.2, 3)),
               armature=() if motion else armature, prescribed=motion)
        names.append(f"b{i}")
        for k in range(each):
            slope = rng.choice([-2.0, 1.0, 3.0])
            b.constraint(f"hold{i}.{k}", slope * b.variable("u", f"b{i}", kind.nu)[0], level="velocity",
                         mode=b.discrete(f"on{i}.{k}", 1.0))
    return b.build()


def numbers(mechanism, seed, expressions):
    """The expressions at a random state with random modes, and these."""
    rng = np.random.default_rng(seed)
    e = expressions[0]
    q = np.concatenate([body.mobilizer.normalised(body.mobilizer.default() + rng.uniform(-1, 1, body.mobilizer.nq))
                        for body in mechanism.bodies])
    d = rng.integers(0, 2, len(mechanism.discretes)).astype(float)
    function = ca.Function("f", [e.symbols[n] for n in "qufd"], list(expressions[1:]))
    values = function(q, rng.normal(size=mechanism.nu), rng.normal(size=mechanism.nu), d)
    return [np.array(value).ravel() for value in values], d


def factored(e):
    """(u̇, λ) by one factorisation of everything."""
    known = ca.SX(e.mechanism.nu, 1)
    for k, value in e.prescribed.items():
        known[e.mechanism.slices()[1][k]] = value
    right = e._applied[1] - e._inertial(ca.densify(known))
    x, multipliers, _ = solve_kkt(e.mass_matrix, e.rows, right, [-r.gamma - r.G @ known for r in e.rows],
                                  e.given_speeds, epsilon=e.epsilon)
    return x + known, multipliers


@pytest.mark.parametrize("each", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_recursion_holds_what_the_factorisation_holds(seed, each):
    m = held_tree(6, seed, each, given=ca.sin(ca.SX(0.3)) if seed % 3 == 0 else None)
    e = Equations(m)
    assert e.condenses(e.rows)
    (udot, pushes, other_udot, other_pushes, rates), d = numbers(m, seed, (
        e, e.udot, e.multipliers, *factored(e), e.constraint_matrix @ e.udot + ca.vertcat(*[r.gamma for r in e.rows])))
    scale = np.abs(other_udot).max()
    np.testing.assert_allclose(udot, other_udot, rtol=0, atol=1e-8 * scale)
    held = [k for k, r in enumerate(e.rows) if d[k] and not set(r.G.sparsity().get_triplet()[1]) <= set(e.given_speeds)]
    assert np.abs(rates[held]).max(initial=0.0) < 1e-12 * scale
    # forces, not their shares: where several rows hold one mobility with different slopes the factorisation shares
    # them by its ε
    G = np.array(ca.evalf(e.constraint_matrix))
    given = e.given_speeds
    for of in (pushes, other_pushes):
        of[[k for k in range(len(d)) if k not in held]] = 0.0
    size = np.abs(other_pushes).max(initial=1.0)
    np.testing.assert_allclose(G.T @ pushes, G.T @ other_pushes, rtol=0, atol=1e-7 * size)
    assert not given or not np.any(pushes[np.flatnonzero(G[:, given].any(axis=1))])


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_taken_off_with_the_least_kinetic_energy(seed):
    """G Δ = −error of the rows in force, and M Δ has no force along any mobility that is free."""
    m = held_tree(6, seed, each=2)
    e = Equations(m)
    errors = ca.SX(np.random.default_rng(seed).normal(size=6).repeat(2))
    slopes = ca.vertcat(*[ca.sum2(r.G) for r in e.rows])
    (change, *_), _ = impulses(e, e.rows, errors * slopes)
    (change, momentum, left), d = numbers(m, seed, (e, change, e.mass_matrix @ change,
                                                    e.constraint_matrix @ change + errors * slopes))
    in_force = d.astype(bool)
    np.testing.assert_allclose(left[in_force], 0, atol=1e-12)
    G = np.array(ca.evalf(e.constraint_matrix))
    free = ~np.any(G[in_force] != 0, axis=0)
    np.testing.assert_allclose(momentum[free], 0, atol=1e-12)


def test_the_code_grows_in_proportion_to_the_rows():
    """Friction and two stops on every joint, as robots have them: a factorisation of all rows grows with their cube."""
    counts = []
    for n in (10, 20, 40):
        b = MechanismBuilder("arm", gravity=[0, 0, -9.81])
        parent = "world"
        for i in range(n):
            b.body(f"b{i}", parent, Revolute(), Transform(axis_frame(np.eye(3)[i % 3]), [0.1, 0, 0]),
                   inertia=Inertia(1.0, [0.05, 0, 0], [0.01] * 3))
            parent = f"b{i}"
            for k, slope in enumerate((1, -1, 1)):
                b.constraint(f"hold{i}.{k}", slope * b.variable("u", f"b{i}"), level="velocity",
                             mode=b.discrete(f"on{i}.{k}", 0.0))
        e = Equations(b.build())
        counts.append(count_instructions(ca.Function("f", [e.symbols[n] for n in "qufd"], [e.udot, e.multipliers])))
    assert counts[2] - counts[1] < 2.2 * (counts[1] - counts[0])
    assert counts[2] < 330 * 40
