"""A user's own planar joint and constraint; parts without mass; spatial parts that carry planar ones."""

import numpy as np
import pytest
from planar_models import model

import linkwright as lw
from balance import imbalances
from linkwright import forces, joints, parts
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


class Bushing(pl.TwoFrameForce):
    """Stiffness and damping in the axes of frame_a; one direction through a state, one through an unknown."""

    def wrench(self, p, phi, v, w):
        z = self.state("z", der=lambda z: (p[0] - z) / 0.02)
        y = self.unknown("y", residual=lambda y: y + 0.1 * y**3 - p[1])
        return [-200 * z - 2 * v[0], -300 * y - 2 * v[1], -4 * phi - 0.1 * w]


class SpatialBushing(forces.TwoFrameForce):
    """The same law in space."""

    def wrench(self, X_ab, V_ab):
        z = self.state("z", der=lambda z: (X_ab.p[0] - z) / 0.02)
        y = self.unknown("y", residual=lambda y: y + 0.1 * y**3 - X_ab.p[1])
        phi = lw.atan2(X_ab.R[1, 0], X_ab.R[0, 0])
        v = V_ab.moment
        return lw.ForceMotor([-200 * z - 2 * v[0], -300 * y - 2 * v[1], 0], [0, 0, -4 * phi - 0.1 * V_ab.resultant[2]])


def test_a_general_law_between_two_frames_is_that_of_space():
    m = model("bushing")
    m.fixed, m.crank, m.arm = pl.Fixed(), pl.Revolute(phi=0.3, w=1.0), pl.FixedTranslation(r=[0.5, 0.1])
    m.body, m.bushing = pl.Body(m=1, I=0.1, r=[0.6, 0.2], v=[0, 0.3], phi=0.2, w=0.1), Bushing()
    m.rotor = pl.Body(m=2, I=0.2)
    m.chain(m.fixed, m.crank, m.rotor)
    m.chain(m.crank, m.arm, m.bushing, m.body)
    flat = lw.simulate(m, 1.0, accuracy=1e-10)

    m = lw.Model("bushing in space")
    m.world = lw.World(g=9.81)
    m.crank, m.arm = joints.Revolute(phi=0.3, w=1.0), parts.FixedTranslation(r=[0.5, 0.1, 0])
    m.body = parts.Body(m=1, inertia=[0.1] * 3, r_0=[0.6, 0.2, 0], v_0=[0, 0.3, 0], angles=[0, 0, 0.2], w_a=[0, 0, 0.1])
    m.bushing, m.rotor = SpatialBushing(), parts.Body(m=2, inertia=[0.2] * 3)
    m.chain(m.world, m.crank, m.rotor)
    m.chain(m.crank, m.arm, m.bushing, m.body)
    space = lw.simulate(m, 1.0, accuracy=1e-10)
    np.testing.assert_allclose(flat["body.r"], space["body.r_0"][:, :2], atol=1e-7)
    np.testing.assert_allclose(flat["crank.phi"], space["crank.phi"], atol=1e-7)
    assert imbalances(flat) == {}


def test_a_line_force_may_have_states_and_unknowns():
    """A Maxwell element as a state equals spring and damper in series; an unknown equals what it is defined by."""
    class Maxwell(pl.LineForce):
        def law(self, s, v):
            y = self.unknown("y", residual=lambda y: y + y**3 - (s - 0.5))
            return self.state("force", der=lambda f: 50 * v - f / 0.1) + 30 * (y + y**3)

    class Spring(pl.LineForce):
        def law(self, s, v):
            return 30 * (s - 0.5) + 50 * self.state("x", der=lambda x: v - x / 0.1)

    runs = []
    for law in (Maxwell, Spring):
        m = model("line")
        m.fixed, m.line, m.body = pl.Fixed(), law(), pl.Body(m=1, I=0.1, r=[0.3, -0.6], v=[0, 0], phi=0, w=0)
        m.chain(m.fixed, m.line, m.body)
        runs.append(lw.simulate(m, 1.0, accuracy=1e-10))
    np.testing.assert_allclose(runs[0]["body.r"], runs[1]["body.r"], atol=1e-8)


class Pin(pl.Constraint):
    def residual(self, a, b):
        return [b.x - a.x, b.y - a.y]


class Rod(pl.Constraint):
    def residual(self, a, b):
        return [(b.x - a.x) ** 2 + (b.y - a.y) ** 2 - 0.25]


def test_equations_may_meet_in_a_point_or_a_bar_without_mass():
    """A pin and a rod, or two pins on a massless bar, hold a body as the rod alone does."""
    def hanging(*ties):
        m = model("hanging")
        m.fixed, m.crank, m.arm, m.rotor = pl.Fixed(), pl.Revolute(phi=1.0), pl.FixedTranslation(r=[0.5, 0]), pl.Body(
            m=1, I=0.1)
        m.chain(m.fixed, m.crank, m.arm, m.rotor)
        m.tie = list(ties)
        m.body = pl.Body(m=1, I=0.1, r=[lw.guess(0.77), lw.guess(0.42)], phi=0.0, w=0.0)
        m.chain(m.arm, *m.tie, m.body)
        return m

    runs = [lw.simulate(lw.compile(hanging(*ties), formulation=formulation), 0.5, accuracy=1e-10)
            for formulation in ("projection", "minimal")
            for ties in ((Rod(),), (Pin(), Rod()), (Pin(), pl.FixedTranslation(r=[0.5, 0]), Pin()))]
    for r in runs[1:]:
        np.testing.assert_allclose(r["body.r"], runs[0]["body.r"], atol=1e-5)
        assert imbalances(r) == {}


def test_what_only_turns_on_the_spot_without_inertia_is_refused():
    m = model("loose")
    m.fixed, m.pin, m.rod, m.body = pl.Fixed(), pl.Revolute(), Rod(), pl.Body(m=1, I=0.1, r=[0.5, 0])
    m.chain(m.fixed, m.pin, m.rod, m.body)
    with pytest.raises(lw.ModelError, match="pin"):
        lw.compile(m)
