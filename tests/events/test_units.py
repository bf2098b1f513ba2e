"""The motion is the same in any units of length and mass: nothing is compared with a number of metres or newtons."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def swinging_cart(L=1.0, M=1.0, by_reaction=False):
    """A cart between stops with two hanging links, friction everywhere; lengths in 1/L m, masses in 1/M kg."""
    F, T = M * L, M * L * L
    m = lw.Model("scaled")
    m.world = lw.World(g=9.81 * L)
    along, about = (lw.Coulomb(mu=0.1), lw.Coulomb(mu=0.2, radius=0.05 * L)) if by_reaction else \
        (lw.Coulomb(tau=2.0 * F, peak=1.3, viscous=0.1 * M), lw.Coulomb(tau=0.3 * T))
    m.s = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0 * L, s_max=0.3 * L, s_min=-0.2 * L, restitution=0.5,
                           friction=along)
    m.cart = parts.Body(m=2.0 * M, r_cm=[0, 0, 0], inertia=[0.01 * T] * 3)
    m.rev = joints.Revolute(phi=1.0, w=0.0, phi_min=-0.8, restitution=0.3, friction=about)
    m.link = parts.BodyShape(m=M, r=[0, -0.5 * L, 0], r_cm=[0, -0.25 * L, 0], inertia=[0.02 * T, 0.001 * T, 0.02 * T])
    m.rev2 = joints.Revolute(phi=0.3, w=0.0, friction=lw.Coulomb(tau=0.1 * T, peak=1.5))
    m.link2 = parts.BodyShape(m=0.5 * M, r=[0, -0.4 * L, 0], r_cm=[0, -0.2 * L, 0],
                              inertia=[0.01 * T, 0.001 * T, 0.01 * T])
    m.chain(m.world, m.s, m.cart, m.rev, m.link, m.rev2, m.link2)
    return lw.simulate(m, 3.0, accuracy=1e-11, weights={"s.s": 1 / L, "s.v": 1 / L}, step=0.05)


@pytest.fixture(scope="module", params=[False, True], ids=["given", "by reaction"])
def reference(request):
    return request.param, swinging_cart(by_reaction=request.param)


@pytest.mark.parametrize("L, M", [(1e3, 1.0), (1e-3, 1.0), (1.0, 1e3), (1.0, 1e-3), (1e3, 1e6)])
def test_units_do_not_change_the_motion(reference, L, M):
    by_reaction, one = reference
    other = swinging_cart(L, M, by_reaction)
    assert len(one.events) > 20
    assert [(e.what, e.direction) for e in other.events] == [(e.what, e.direction) for e in one.events]
    np.testing.assert_allclose([e.time for e in other.events], [e.time for e in one.events], atol=1e-11)
    for name, scale in (("s.s", L), ("rev.phi", 1), ("rev2.w", 1)):
        np.testing.assert_allclose(other[name] / scale, one[name], atol=1e-11)
