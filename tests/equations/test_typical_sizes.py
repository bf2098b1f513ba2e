"""Sizes that small numbers of the equations take are powers of two: which numbers came first does not show in bits."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.compiler import afresh
from linkwright.equations.typical_sizes import power_of_two


@pytest.mark.parametrize("size, near", [(1.0, 1.0), (1.3, 1.0), (1.5, 2.0), (0.3, 0.25), (7e5, 2.0**19)])
def test_the_nearest_power_of_two(size, near):
    assert power_of_two(np.array([size]))[0] == near


def test_small_changes_leave_it_and_factors_of_two_pass_through():
    sizes = np.geomspace(1e-8, 1e8, 37)
    found = power_of_two(sizes)
    mantissa, _ = np.frexp(found)
    assert np.all(mantissa == 0.5)  # exactly
    assert np.all(np.abs(np.log2(found / sizes)) <= 0.5)
    assert np.array_equal(power_of_two(8 * sizes), 8 * found)


def fourbar(mass=1.0):
    """A loop that is held by regularised equations."""
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.rev = [joints.Revolute(phi=lw.guess(phi)) for phi in (1.0, -0.6, -1.2, 0.8)]
    m.bar = [parts.BodyShape(m=mass if k == 1 else 1.0, r=[r, 0, 0], r_cm=[r / 2, 0, 0], inertia=[0.01, 0.02, 0.02])
             for k, r in enumerate((0.3, 0.9, 0.6))]
    m.ground = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev[0], m.bar[0], m.rev[1], m.bar[1], m.rev[2], m.bar[2], m.rev[3])
    m.chain(m.world, m.ground)
    m.connect(m.rev[3].frame_b, m.ground.frame_b)
    return m


@pytest.mark.parametrize("first, flips", [(0.9, 1), (1.1, 0), (1.3, 0)])
def test_code_that_was_made_for_other_numbers_has_the_same_sizes(first, flips):
    """The mass stays an input of the code: for which it was written does not show, to the last bit; but where a size
    lies half-way between two powers, the other one may be taken."""
    def sizes(mass):
        with afresh():
            e = lw.compile(fourbar(mass), tunable=["bar[1].m"], formulation="projection").equations
        function = ca.Function("sizes", [e.symbols["p"]], [ca.densify(ca.vertcat(e.yields.less, e.yields.more))])
        return np.array(function([1.0])).ravel()

    ratio = sizes(first) / sizes(1.0)
    assert np.count_nonzero(ratio != 1) == flips and set(ratio) <= {0.5, 1.0, 2.0}
