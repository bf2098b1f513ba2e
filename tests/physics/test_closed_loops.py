"""Loops stay closed, constraints do no work, and redundant equations are harmless."""

import numpy as np
import pytest
from physics_models import bricard, closed_chain, energy

from linkwright.studies import simulate
from linkwright.system import compile_mechanism

METHODS = {"dop853": {}, "dopri5": {}, "radau": {}, "rk4": {"h": 1e-3}, "verlet": {"h": 1e-3},
           "semi_implicit_euler": {"h": 1e-3}}


def chain_state(system):
    state = system.state(assembled=False)
    state.q = [0.5, 0.6, 0.4]
    return system.assemble(state)


def bricard_state(system, speed=2.0):
    """The threefold symmetric position cos θ + cos φ + cos θ cos φ = 0 near (97°, 81°), moving along its freedom."""
    state = system.state(assembled=False)
    state.q = [1.7, 1.4] * 3
    state = system.assemble(state)
    _, values, V = np.linalg.svd(system.constraint_matrix(state))
    assert values[-1] < 1e-12 < 0.1 < values[-2]
    state.u = speed * V[-1]
    return state


@pytest.mark.parametrize("method", METHODS)
def test_a_closed_chain_stays_closed(method):
    system = compile_mechanism(closed_chain())
    result = simulate(system, 5.0, state=chain_state(system), method=method, **METHODS[method])
    assert result.closure < 1e-9
    assert np.max(np.abs(result["velocity_error"])) < 1e-8


def test_a_closed_chain_conserves_energy():
    system = compile_mechanism(closed_chain())
    result = simulate(system, 10.0, state=chain_state(system), accuracy=1e-10)
    assert np.ptp(energy(result)) < 1e-7
    assert np.ptp(result["kinetic_energy"]) > 0.1


def test_constraint_forces_do_no_work():
    """λᵀ G u = 0 along the motion of a scleronomic loop."""
    system = compile_mechanism(closed_chain())
    result = simulate(system, 2.0, state=chain_state(system), accuracy=1e-10, step=0.5)
    matrix = system.function(["q"], ["constraint_matrix"])
    for x, multipliers in zip(result.states, result["lambda"], strict=True):
        assert abs(multipliers @ matrix(x[:3]) @ x[3:]) < 1e-8 * (1 + np.max(np.abs(multipliers)))


def test_the_reaction_of_the_base_balances_weight_and_closure():
    """ṗ of the chain = weight + base reaction + force of the ball joint (−λ in the world here)."""
    system = compile_mechanism(closed_chain())
    result = simulate(system, 1.0, state=chain_state(system), accuracy=1e-11)
    t, h = 0.6, 2e-3
    p = result.at(t + h * np.array([-2, -1, 1, 2]))["momentum"][:, :3]
    rate = (p[0] - 8 * p[1] + 8 * p[2] - p[3]) / (12 * h)
    now = result.at(t)
    angle = now["b0.phi"]
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    base = R @ now["reactions"][:3, 0]
    total = base - np.array([*now["lambda"], 0]) + np.array([0, -3 * 9.81, 0])
    np.testing.assert_allclose(rate, total, atol=1e-6)


def test_a_bricard_loop_moves_and_conserves_energy():
    system = compile_mechanism(bricard())
    state = bricard_state(system)
    result = simulate(system, 5.0, state=state, accuracy=1e-10)
    assert result.closure < 1e-9
    assert np.ptp(result["b0.phi"]) > 1.0
    assert np.ptp(result["kinetic_energy"]) < 1e-7 * np.max(result["kinetic_energy"])
    theta, phi = result["b0.phi"], result["b1.phi"]
    # the threefold symmetry of the start is kept by the motion, with its closure condition (Chen, You, Tarnai 2005)
    np.testing.assert_allclose(np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi), 0, atol=1e-7)


def test_a_bricard_loop_has_one_freedom_and_one_redundant_equation():
    system = compile_mechanism(bricard(), initial={})
    state = bricard_state(system)
    G = system.constraint_matrix(state)
    assert np.linalg.matrix_rank(G, tol=1e-9) == 5
    assert len(system.loops) == 1 and system.loops[0].equations == 6


def test_derivatives_of_accelerations_with_constraints():
    system = compile_mechanism(closed_chain())
    state = chain_state(system)
    state.u = [0.3, -0.2, 0.5]
    by_q, by_u = system.function(["q", "u"], ["dudot_dq", "dudot_du"])(state.q, state.u)
    udot, h = system.function(["q", "u"], ["udot"]), 1e-6
    for k, e in enumerate(h * np.eye(3)):
        central = (udot(state.q + e, state.u) - udot(state.q - e, state.u)) / (2 * h)
        np.testing.assert_allclose(by_q[:, k], central, rtol=1e-6, atol=1e-6)
        central = (udot(state.q, state.u + e) - udot(state.q, state.u - e)) / (2 * h)
        np.testing.assert_allclose(by_u[:, k], central, rtol=1e-6, atol=1e-6)
