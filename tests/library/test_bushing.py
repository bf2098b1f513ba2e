"""OpenSim's bushing: its potential ½ Σ k q² is a potential, in angles about the moving x, y, z."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, parts

TURN, SHIFT = np.array([5.0, 3.0, 8.0]), np.array([200.0, 300.0, 150.0])


def test_energy_in_a_bushing_is_that_of_its_angles_and_distances():
    Rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    m = lw.Model("bushing")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1.5, inertia=[0.02, 0.03, 0.04], r_cm=[0.1, 0, 0], r_0=[0.02, 0.05, -0.03], w_a=[2, -1, 3])
    m.bushing = forces.Bushing(c_turn=TURN, c=SHIFT)
    m.connect(m.world.frame_b, m.bushing.frame_a)
    m.connect(m.bushing.frame_b, m.body.frame_a)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    T = r["body.frame_a.R.T"]
    angles = np.array([Rotation.from_matrix(t.T).as_euler("XYZ") for t in T])
    stored = (angles**2 @ TURN + r["body.r_0"] ** 2 @ SHIFT) / 2
    total = r["kinetic_energy"] + stored
    assert np.abs(angles).max() > 0.3
    assert np.ptp(total) < 1e-8 * total[0]
