"""How much code the equations become: arithmetic instructions of the chains in reference/README.md.

The bounds lie a few per cent above what is reached, so that a lost zero or a repeated product is seen.
"""

import casadi as ca
import pytest

from linkwright.codegen import count_instructions
from linkwright.equations.composite import mass_matrix
from linkwright.equations.derivatives import forward_derivatives, inverse_derivatives
from mechanisms import chain, forward_dynamics, inverse_dynamics, trace, world_acceleration


def instructions(inputs, *outputs):
    return count_instructions(ca.Function("f", inputs, list(outputs)))


@pytest.mark.parametrize(("links", "planar", "most"), [
    (7, False, 1170), (32, False, 7050), (128, False, 30200), (7, True, 490), (32, True, 2660)])
def test_forward_dynamics(links, planar, most):
    kin = trace(chain(links, planar))
    count = instructions([kin.q, kin.u], forward_dynamics(kin)[0])
    assert count <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 630), (32, False, 3480), (7, True, 280)])
def test_inverse_dynamics(links, planar, most):
    kin = trace(chain(links, planar))
    udot = ca.SX.sym("udot", links)
    count = instructions([kin.q, kin.u, udot], inverse_dynamics(kin, udot)[0])
    assert count <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 330), (32, False, 7100), (7, True, 170)])
def test_mass_matrix(links, planar, most):
    kin = trace(chain(links, planar))
    assert instructions([kin.q], mass_matrix(kin)) <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 3480), (32, False, 42500), (7, True, 950)])
def test_derivatives_of_inverse_dynamics(links, planar, most):
    """∂τ/∂q and ∂τ/∂u together; differentiating the recursion gives 147 397 for 32 links."""
    m = chain(links, planar)
    kin, udot = trace(m), ca.SX.sym("udot", links)
    d = inverse_derivatives(kin, udot, world_acceleration(m))
    assert instructions([kin.q, kin.u, udot], d.q, d.u) <= most


@pytest.mark.parametrize(("links", "planar", "most"), [
    (7, False, 5780), (7, True, 2800), pytest.param(32, False, 146000, marks=pytest.mark.slow)])
def test_derivatives_of_forward_dynamics(links, planar, most):
    """u̇, ∂u̇/∂q and ∂u̇/∂u; plain differentiation takes 344 578 for 32 links."""
    m = chain(links, planar)
    kin = trace(m)
    udot, _ = forward_dynamics(kin)
    d = forward_derivatives(kin, inverse_derivatives(kin, udot, world_acceleration(m)))
    assert instructions([kin.q, kin.u], udot, d.q, d.u) <= most
