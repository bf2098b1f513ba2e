"""A controller in Python changes inputs in an instant: what is followed exactly cannot be one of them."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational


def turntable(source):
    m = lw.Model("turntable")
    m.world, m.rev = lw.World(), joints.Revolute()
    m.body, m.source = parts.Body(m=1.0, r_cm=[0.3, 0, 0], inertia=[0.1] * 3), source
    m.chain(m.world, m.rev, m.body)
    m.connect(m.source.flange, m.rev.axis)
    return m


@pytest.mark.parametrize("source, name", [(rotational.Position, "phi_ref"), (rotational.Speed, "w_ref")])
def test_what_is_followed_exactly_cannot_jump(source, name):
    m = turntable(source(exact=True))

    @m.every(0.1)
    def control(t, y):
        return {f"source.{name}": 0.1 * np.sin(t)}

    with pytest.raises(lw.LinkwrightError, match=rf"source\.{name} changes in an instant, and rev follows it exactly"):
        lw.simulate(m, 1.0)


def test_a_controller_that_leaves_it_alone_may_act():
    m = turntable(rotational.Position(exact=True, phi_ref=0.2))

    @m.every(0.1)
    def control(t, y):
        return {"source.phi_ref": 0.2}

    np.testing.assert_allclose(lw.simulate(m, 0.5)["rev.phi"], 0.2, atol=1e-12)


def test_through_a_filter_it_is_followed():
    m = turntable(rotational.Position(f_crit=20))

    @m.every(0.1)
    def control(t, y):
        return {"source.phi_ref": 0.3}

    assert lw.simulate(m, 0.5)["rev.phi"][-1] == pytest.approx(0.3, abs=1e-6)
