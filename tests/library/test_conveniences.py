"""What may be read of components while a model is built."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import assemblies, parts, rotational
from linkwright import planar as pl


@pytest.mark.parametrize("body", [parts.BodyCylinder(r=[0.4, 0, 0], diameter=0.1), parts.BodyBox(r=[0, 0.3, 0.4])])
def test_inertia_that_follows_from_a_shape_is_the_inertia_of_the_run(body):
    m = lw.Model("falling")
    m.world, m.body = lw.World(), body
    r = lw.simulate(m, 0.01)
    np.testing.assert_allclose(np.asarray(body.I, dtype=float), r["body.I"][0], rtol=1e-14, atol=1e-15)


def test_the_direction_of_a_strut():
    strut = assemblies.JointUPS(n_axis_ia=[0.7, 1.2, 0])
    np.testing.assert_allclose(strut.e_axis_ia, np.array([0.7, 1.2, 0]) / 1.93**0.5)


def test_a_flange_is_not_joined_to_a_plane_by_way_of_space():
    m = lw.Model("kinds")
    m.body, m.shaft, m.other = pl.Body(m=1, I=1), rotational.Inertia(J=1.0), parts.Body(m=1.0)
    with pytest.raises(lw.ModelError) as flange:
        m.connect(m.body.frame_a, m.shaft.flange_a)
    with pytest.raises(lw.ModelError, match="planar.To3D"):
        m.connect(m.body.frame_a, m.other.frame_a)
    assert "To3D" not in str(flange.value)
