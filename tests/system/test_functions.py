"""Compiled functions: arguments, shapes, and the same bits from every tier and width."""

import numpy as np
import pytest

from linkwright.algebra import Inertia
from linkwright.errors import LinkwrightError, ModelError
from linkwright.mechanism import MechanismBuilder, Prismatic
from linkwright.system import compile_mechanism
from mechanisms import chain, every_joint, random_coordinates

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("mechanism", [chain(7), every_joint()], ids=["chain", "every joint"])
def test_same_bits_from_every_tier_and_width(mechanism):
    Q = np.array([random_coordinates(mechanism, RANDOM) for _ in range(11)])
    U = RANDOM.normal(size=(11, mechanism.nu))
    answers = []
    for tier in ("quick", "optimised"):
        f = compile_mechanism(mechanism, tier=tier).function(["q", "u"], ["qdot", "udot"])
        answers.append(f.batch(Q, U))
        assert f.wide.lanes > 1  # from here on rows are taken several at once
        answers.append(f.batch(Q, U))
        single = [f(q, u) for q, u in zip(Q, U, strict=True)]
        answers.append(tuple(np.array(column) for column in zip(*single, strict=True)))
    for other in answers[1:]:
        for a, b in zip(answers[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_compiled_code_agrees_with_casadi():
    f = compile_mechanism(chain(5)).function(["q", "u", "f"], ["udot", "mass_matrix", "kinetic_energy"])
    q, u, force = RANDOM.normal(size=(3, 5))
    udot, M, T = f(q, u, force)
    symbolic = f.casadi(q, u, force)
    np.testing.assert_allclose(udot, np.array(symbolic[0]).ravel(), rtol=1e-11)
    np.testing.assert_allclose(M, np.array(symbolic[1]), rtol=1e-13)
    assert pytest.approx(float(symbolic[2]), rel=1e-13) == T


def test_shapes_and_order_of_arguments():
    system = compile_mechanism(chain(1))
    f = system.function(["u", "q"], ["udot", "mass_matrix", "kinetic_energy", "b0.phi"])
    udot, M, T, phi = f([2.0], [0.3])
    assert (udot.shape, M.shape, type(T), phi) == ((1,), (1, 1), float, 0.3)
    udot, M, T, phi = f.batch(np.ones((5, 1)), np.zeros((5, 1)))
    assert (udot.shape, M.shape, T.shape, phi.shape) == ((5, 1), (5, 1, 1), (5,), (5,))
    assert system.function(["q", "u"], ["udot"]) is system.function(["q", "u"], ["udot"])


def test_inputs_left_out_are_folded():
    system = compile_mechanism(chain(3))
    all_inputs = system.function(["t", "q", "u", "z", "d", "p", "f"], ["udot"])
    some = system.function(["q"], ["udot"])
    q = np.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(some(q), all_inputs(0, q, np.zeros(3), [], [], [], np.zeros(3)), rtol=1e-12)
    assert some.instructions < all_inputs.instructions


def test_time_is_measured_in_a_compiled_loop():
    f = compile_mechanism(chain(7)).function(["q", "u"], ["udot"])
    assert 1e-8 < f.time(np.zeros(7), np.zeros(7), n=200) < 1e-4


def test_outputs_with_unknowns():
    b = MechanismBuilder("node")
    b.body("slider", "world", Prismatic(), inertia=Inertia(1))
    s = b.variable("q", "slider")
    y = b.unknown("node", lambda y: y + y**3 - s, start=0.0)
    b.mobility_force("spring", "slider", -y)
    system = compile_mechanism(b.build())
    f = system.function(["q"], ["udot", "node"])
    S = np.linspace(-1, 1, 9)
    udot, node = f.batch(S)
    np.testing.assert_allclose(node + node**3, S, atol=1e-12)
    np.testing.assert_allclose(udot[:, 0], -node, atol=1e-14)
    guessed = system.function(["q", "y"], ["node"])
    assert guessed([0.5], [0.4]) == pytest.approx(f([0.5])[1], abs=1e-13)
    by_q = system.function(["q"], ["dudot_dq"])([0.5])
    assert by_q[0, 0] == pytest.approx(-1 / (1 + 3 * f([0.5])[1] ** 2), rel=1e-10)
    with pytest.raises(LinkwrightError, match="by iteration"):
        _ = f.casadi


@pytest.mark.parametrize(("inputs", "outputs", "message"), [
    (["q", "w"], ["udot"], "list of inputs of a function has no 'w'"),
    (["q"], ["udott"], "Did you mean 'udot'"),
    (["q"], [], "at least one output"),
    (["q", "q"], ["udot"], "every name once"),
])
def test_unknown_names_are_refused(inputs, outputs, message):
    with pytest.raises(ModelError, match=message):
        compile_mechanism(chain(2)).function(inputs, outputs)


def test_bad_arguments_are_refused():
    f = compile_mechanism(chain(2)).function(["q", "u"], ["udot"])
    for arguments, message in [(([0, 0],), "takes 2 arrays"), (([0, 0], [0]), "u: 2 numbers are needed, got 1"),
                               ((["a", 0], [0, 0]), "q: numbers are needed")]:
        with pytest.raises(ModelError, match=message):
            f(*arguments)
    with pytest.raises(ModelError, match="u: rows of 2 numbers"):
        f.batch(np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(ModelError, match="u: rows of 2 numbers"):
        f.batch(np.zeros((3, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize("ask, message", [
    (lambda s, f, x: s.solve_mass(s.state(), x), "f: finite numbers are needed, got nan"),
    (lambda s, f, x: s.inverse_dynamics(s.state(), x), "udot: finite numbers are needed, got nan"),
    (lambda s, f, x: f(np.zeros(2), x), "u: finite numbers are needed, got nan"),
    (lambda s, f, x: f.batch(np.array([np.zeros(2), x]), np.zeros((2, 2))), "q: .* got nan in row 1"),
], ids=["solve_mass", "inverse_dynamics", "call", "batch"])
def test_arguments_that_are_no_numbers_are_named(ask, message):
    system = compile_mechanism(chain(2))
    with pytest.raises(ModelError, match=message):
        ask(system, system.function(["q", "u"], ["udot"]), np.array([0.0, np.nan]))
