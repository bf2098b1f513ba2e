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
    (7, False, 1200), (32, False, 7200), (128, False, 31000), (7, True, 480), (32, True, 2600)])
def test_forward_dynamics(links, planar, most):
    kin = trace(chain(links, planar))
    count = instructions([kin.q, kin.u], forward_dynamics(kin)[0])
    assert 0.8 * most < count <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 640), (32, False, 3500), (7, True, 280)])
def test_inverse_dynamics(links, planar, most):
    kin = trace(chain(links, planar))
    udot = ca.SX.sym("udot", links)
    count = instructions([kin.q, kin.u, udot], inverse_dynamics(kin, udot)[0])
    assert 0.8 * most < count <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 390), (32, False, 7500), (7, True, 175)])
def test_mass_matrix(links, planar, most):
    kin = trace(chain(links, planar))
    assert 0.8 * most < instructions([kin.q], mass_matrix(kin)) <= most


@pytest.mark.parametrize(("links", "planar", "most"), [(7, False, 3500), (32, False, 43000), (7, True, 980)])
def test_derivatives_of_inverse_dynamics(links, planar, most):
    """∂τ/∂q and ∂τ/∂u together; differentiating the recursion gives several times as many."""
    m = chain(links, planar)
    kin, udot = trace(m), ca.SX.sym("udot", links)
    d = inverse_derivatives(kin, udot, world_acceleration(m))
    assert 0.8 * most < instructions([kin.q, kin.u, udot], d.q, d.u) <= most


@pytest.mark.parametrize(("links", "planar", "most"), [
    (7, False, 5800), (7, True, 2850), pytest.param(32, False, 148000, marks=pytest.mark.slow)])
def test_derivatives_of_forward_dynamics(links, planar, most):
    """u̇, ∂u̇/∂q and ∂u̇/∂u; plain differentiation takes 344 578 for 32 links."""
    m = chain(links, planar)
    kin = trace(m)
    udot, _ = forward_dynamics(kin)
    d = forward_derivatives(kin, inverse_derivatives(kin, udot, world_acceleration(m)))
    assert 0.8 * most < instructions([kin.q, kin.u], udot, d.q, d.u) <= most
