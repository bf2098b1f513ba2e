"""Forward and inverse dynamics are each other's inverse, through compiled code; operators agree with one another."""

import numpy as np
import pytest
from physics_models import moving, on_kind

from linkwright.system import compile_mechanism
from mechanisms import KINDS, every_joint


@pytest.mark.parametrize("kind", list(KINDS))
def test_forward_then_inverse_gives_the_force_back(kind):
    system = compile_mechanism(on_kind(kind), tier="quick")
    state = moving(system)
    f = np.random.default_rng(2).normal(size=len(state.u))
    udot = system.function(["q", "u", "f"], ["udot"])(state.q, state.u, f)
    np.testing.assert_allclose(system.inverse_dynamics(state, udot), f, atol=1e-9 * (1 + np.max(np.abs(udot))))


def test_every_joint_in_one_tree():
    system = compile_mechanism(every_joint(), tier="quick")
    state = moving(system)
    nu = len(state.u)
    M, udot = system.mass_matrix(state), state.get("udot")
    np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-12 * np.max(M))
    # τ(u̇) is affine in u̇ with slope M
    a = np.random.default_rng(3).normal(size=nu)
    slope = system.inverse_dynamics(state, a) - system.inverse_dynamics(state, np.zeros(nu))
    np.testing.assert_allclose(slope, system.multiply_mass(state, a), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(system.solve_mass(state, M @ a), a, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(M @ udot, -system.inverse_dynamics(state, np.zeros(nu)), rtol=1e-7, atol=1e-6)
    assert system.kinetic_energy(state) == pytest.approx(0.5 * state.u @ M @ state.u, rel=1e-12)


@pytest.mark.parametrize("kind", ["Spherical", "Custom", "Bushing"])
def test_jacobian_maps_speeds_to_velocities(kind):
    """J u = (ω, v): v is the rate of the frame's position, seen in the frame."""
    system = compile_mechanism(on_kind(kind), tier="quick")
    state = moving(system)
    V = system.jacobian(state, "joint_frame") @ state.u
    position = system.function(["q"], ["p", "R"])
    h = 1e-6
    step = system.advance(state.q, state.u)
    rate = (position(state.q + h * step)[0] - position(state.q - h * step)[0]) / (2 * h)
    R = position(state.q)[1].reshape(3, 3).T
    np.testing.assert_allclose(R @ V[3:], rate, atol=1e-8)


@pytest.mark.parametrize("kind", ["Spherical", "Free", "Ellipsoid", "Screw"])
def test_derivatives_of_accelerations(kind):
    """∂u̇/∂q along the mobilities and ∂u̇/∂u against central differences."""
    system = compile_mechanism(on_kind(kind), tier="quick")
    state = moving(system)
    by_q, by_u = system.function(["q", "u"], ["dudot_dq", "dudot_du"])(state.q, state.u)
    udot = system.function(["q", "u"], ["udot"])
    h = 1e-6
    for k, e in enumerate(h * np.eye(len(state.u))):
        step = system.advance(state.q, e)
        central = (udot(state.q + step, state.u) - udot(state.q - step, state.u)) / (2 * h)
        np.testing.assert_allclose(by_q[:, k], central, rtol=1e-6, atol=1e-6)
        central = (udot(state.q, state.u + e) - udot(state.q, state.u - e)) / (2 * h)
        np.testing.assert_allclose(by_u[:, k], central, rtol=1e-6, atol=1e-6)
