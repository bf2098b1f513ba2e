"""A user's own planar joint and constraint; parts without mass; spatial parts that carry planar ones."""

import numpy as np
from planar_models import model

import linkwright as lw
from linkwright import joints, parts
from linkwright import planar as pl


def test_a_joint_and_a_constraint_of_ones_own():
    class Cam(pl.Joint):
        """1 dof: along a parabola, tangent to it."""

        dof = 1

        def position(self, q):
            return q[0], q[0] ** 2 / 2, lw.atan(q[0])

    class OnParabola(pl.Constraint):
        """frame_b stays on the parabola of frame_a, tangent to it."""

        def residual(self, a, b):
            return [b.y - a.y - (b.x - a.x) ** 2 / 2, lw.sin(b.phi) - (b.x - a.x) * lw.cos(b.phi)]

    m = model("cam")
    m.fixed = pl.Fixed()
    m.cam = Cam(q=1.0, u=0.0)
    m.bead = pl.Body(m=1, I=0.1)
    m.chain(m.fixed, m.cam, m.bead)
    m.hold = OnParabola()
    m.bead2 = pl.Body(m=1, I=0.1, r=[1, lw.guess(0.5)], phi=lw.guess(0.8), v=[0, None])
    m.chain(m.fixed, m.hold, m.bead2)
    r = lw.simulate(m, 3, accuracy=1e-10)
    np.testing.assert_allclose(r["bead2.r"], r["bead.r"], atol=1e-7)
    np.testing.assert_allclose(r["bead2.phi"], r["bead.phi"], atol=1e-7)
    # the curve pushes both beads alike
    np.testing.assert_allclose(r["hold.frame_b.fx"], -r["bead2.frame_a.fx"], atol=1e-7)
    np.testing.assert_allclose(r["hold.frame_b.fx"], r["cam.frame_b.fx"], atol=1e-6)


def test_springs_in_series_meet_in_a_massless_point():
    m = model("series")
    m.fixed = pl.Fixed()
    m.one, m.two = pl.Spring(c_x=10, c_y=10), pl.Spring(c_x=20, c_y=20)
    m.body = pl.Body(m=1, I=0.1, r=[0.3, -1], v=[0, 0], phi=0, w=0)
    m.chain(m.fixed, m.one, m.two, m.body)
    r = lw.simulate(m, 2, accuracy=1e-10)
    rate = np.sqrt(200 / 30)
    np.testing.assert_allclose(r["body.r"][:, 0], 0.3 * np.cos(rate * r.t), atol=1e-8)
    rest = -9.81 / rate**2
    np.testing.assert_allclose(r["body.r"][:, 1], rest + (-1 - rest) * np.cos(rate * r.t), atol=1e-8)


def test_a_massless_lever_between_springs_finds_its_angle():
    """A rod without mass on a stiff pivot spring, pulled at its end: forces and torque balance at every instant."""
    m = model("lever", 0)
    m.fixed = pl.Fixed()
    m.pivot = pl.Spring(c_x=1e3, c_y=1e3, c_phi=2)
    m.lever = pl.FixedTranslation(r=[0.5, 0])
    m.pull = pl.WorldForce(force=[0, lw.sin(lw.time), 0], resolve_in_frame="world")
    m.chain(m.fixed, m.pivot, m.lever)
    m.connect(m.lever.frame_b, m.pull.frame_b)
    r = lw.simulate(m, 3)
    phi = r["lever.frame_a.phi"]
    np.testing.assert_allclose(2 * phi, 0.5 * np.cos(phi) * np.sin(r.t), atol=1e-8)
    np.testing.assert_allclose(r["lever.frame_a.y"], np.sin(r.t) / 1e3, atol=1e-9)


def test_a_spatial_chain_that_carries_planar_parts_stays_in_the_plane():
    m = lw.Model("held in the plane")
    m.world = lw.World(g=9.81)
    m.shoulder = joints.Universal(n_a=[0, 0, 1], n_b=[0, 1, 0], phi_a=0.1)
    m.arm = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.bridge = pl.To3D()
    m.elbow = pl.Revolute(phi=0.2)
    m.rod = pl.FixedTranslation(r=[0.5, 0])
    m.hand = pl.Body(m=1, I=0.1)
    m.side = lw.forces.WorldForce(force=[0, 0, 3])
    m.chain(m.world, m.shoulder, m.arm)
    m.connect(m.arm.frame_b, m.bridge.frame_b, m.side.frame_b)
    m.connect(m.bridge.frame_a, m.elbow.frame_a)
    m.chain(m.elbow, m.rod, m.hand)
    r = lw.simulate(m, 2)
    np.testing.assert_allclose(r["shoulder.phi_b"], 0, atol=1e-9)
    np.testing.assert_allclose(r["arm.r_0"][:, 2], 0, atol=1e-9)
    assert np.ptp(r["shoulder.phi_a"]) > 1
