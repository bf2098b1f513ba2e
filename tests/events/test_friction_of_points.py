"""Dry friction of points on lines and in planes: closed forms."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import constraints, parts

G = 9.80665


def bead(friction, v=(2.0, 0, 0), kind=constraints.PointOnLine, **given):
    m = lw.Model("bead")
    m.world = lw.World()
    m.wire = kind(friction=friction, **given)
    m.bead = parts.PointMass(m=0.5, r_0=[0, 0, 0], v_0=list(v))
    m.connect(m.world.frame_b, m.wire.frame_a)
    m.connect(m.wire.frame_b, m.bead.frame_a)
    return m


def test_a_bead_on_a_wire_with_a_coefficient_of_friction():
    """Level wire: a = −μ g; it stops after v²/2μg and stays."""
    r = lw.simulate(bead(lw.Coulomb(mu=0.4)), 1.0, accuracy=1e-10)
    np.testing.assert_allclose(r["bead.v_0"][:, 0], np.maximum(2.0 - 0.4 * G * r.t, 0), atol=1e-8)
    assert r["wire.friction_mode"][-1] == 0 and r["wire.f_friction"][10] == pytest.approx(0.4 * 0.5 * G, rel=1e-9)
    assert imbalances(r) == {}


@pytest.mark.parametrize(("mu", "slides"), [(0.58, False), (0.57, True)])
def test_a_wire_at_thirty_degrees_holds_by_tan(mu, slides):
    m = bead(lw.Coulomb(mu=mu), v=(0, 0, 0), n=[np.cos(np.pi / 6), -0.5, 0])
    r = lw.simulate(m, 1.0)
    assert (r["bead.r_0"][-1, 0] > 1e-3) == slides


def test_a_point_in_a_plane_rubs_in_a_disc():
    """f in every direction: it stops on a straight way after m v²/2f."""
    for a in np.linspace(0, 6, 7):
        m = bead(lw.Coulomb(f=1.5), (2 * np.cos(a), 0, 2 * np.sin(a)), constraints.PointInPlane, n=[0, 1, 0])
        r = lw.simulate(m, 1.0, accuracy=1e-11)
        way = 0.5 * 4 / (2 * 1.5)
        np.testing.assert_allclose(r["bead.r_0"][-1], [way * np.cos(a), 0, way * np.sin(a)], atol=1e-9)
    assert imbalances(r) == {}
    with pytest.raises(lw.ModelError, match="friction: give f, the friction in every direction"):
        constraints.PointInPlane(n=[0, 1, 0], friction=lw.Coulomb(mu=0.2))
