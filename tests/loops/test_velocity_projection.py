"""Back onto constraints of both levels: rolling without slip, alone and beside loops."""

import numpy as np
import pytest
from loop_models import fourbar
from scipy.linalg import null_space

import linkwright as lw
from linkwright import constraints, joints, parts


def rolling():
    """A wheel that rolls: one equation on position level, two on velocity level."""
    m = lw.Model("wheel")
    m.world = lw.World(n=[0, 0, -1])
    m.wheel = parts.RollingWheel(radius=0.3, m=2, I_axis=0.06, I_long=0.12, x=0.2, y=0.2, der_angles=[0, 5, 1])
    return m


def geared():
    """A flywheel whose speed is a multiple of a rocker's: one equation on velocity level beside a loop.

    The loop has a closed form, the flywheel has none.
    """
    m = fourbar()
    m.axle, m.wheel = joints.Revolute(w=lw.guess(0.0)), parts.Body(m=1.0, inertia=[0.1, 0.1, 0.1])
    m.chain(m.ground, m.axle, m.wheel)
    m.gear = constraints.SpeedCoupler(function=m.axle.w - 3 * m.rev4.w)
    return m


@pytest.mark.parametrize("make, formulation, closed", [
    (rolling, "projection", False), (rolling, "minimal", False), (geared, "projection", False),
    (geared, "minimal", False), (geared, None, True)])
def test_disturbed_speeds_obey_all_constraints_again(make, formulation, closed):
    """One projection of the speeds is exact at a position that is closed, up to the ε = 1e-10 of the factorisation
    (times what the lightest link gives way, some hundred).

    Where no states are chosen its impulses are those of the constraints, M Δu = −Gᵀ Λ: no motion that the
    constraints allow is changed.
    """
    system = lw.compile(make(), formulation=formulation)
    state = system.state()
    before = np.array(state.u)
    state.u = before + np.random.default_rng(1).normal(size=len(before))
    assert np.max(np.abs(state.get("velocity_error"))) > 0.01
    program = system.code.closed_form["project"] if closed else system.code.project
    q, u = np.split(program(system.layout.pack(state))[: len(state.q) + len(before)], [len(state.q)])
    change = u - state.u
    np.testing.assert_allclose(q, state.q, atol=1e-12)
    state.u = u
    assert np.max(np.abs(state.get("velocity_error"))) < 1e-7
    if formulation == "projection":
        free = null_space(system.constraint_matrix(state))
        assert free.shape[1] == system.dof
        np.testing.assert_allclose(free.T @ system.mass_matrix(state) @ change, 0, atol=1e-8)
