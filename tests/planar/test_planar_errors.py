"""Mistakes in planar models are refused by name, with a way out."""

import numpy as np
import pytest
from planar_models import model

import linkwright as lw
from linkwright import joints, parts
from linkwright import planar as pl


def test_planar_frames_join_spatial_ones_through_the_bridge():
    m = lw.Model("mixed")
    m.world = lw.World()
    m.rev = pl.Revolute()
    with pytest.raises(lw.ModelError, match=r"world.frame_b \(a frame\).*rev.frame_a \(a planar frame\).*To3D"):
        m.connect(m.world.frame_b, m.rev.frame_a)


def test_a_prismatic_joint_needs_a_direction():
    with pytest.raises(lw.ModelError, match=r"direction r = \(0, 0\) has no length; give a non-zero vector"):
        pl.Prismatic(r=[0, 0])


@pytest.mark.parametrize("given", [{"m": -1, "I": 1}, {"m": 1, "I": -1}])
def test_mass_and_inertia_are_not_negative(given):
    with pytest.raises(lw.ModelError, match="cannot be negative"):
        pl.Body(**given)


@pytest.mark.parametrize(("make", "text"), [
    (lambda: pl.Body(m=1), "parameter I"),
    (lambda: pl.IdealRolling(R=0), "R = 0 must be positive"),
    (lambda: pl.IdealWheelJoint(radius=0.3, r=[0, 0]), "has no length"),
    (lambda: pl.RigidNoLossInternal(r_a=1, r_b=1), "smaller than"),
    (lambda: pl.DryFrictionBasedRolling(v_adhesion=0.2, v_slide=0.1, mu_A=1, mu_S=0.5), "v_slide = 0.1"),
    (lambda: pl.WorldForce(resolve_in_frame="frame_a"), "resolve_in_frame is one of 'world', 'frame_b'"),
    (lambda: pl.World(n=[0, 0]), "has no length"),
    (lambda: pl.FixedTranslation(r=[1, 0, 0]), "expected 2 numbers"),
    (lambda: pl.Revolute(psi=1), "phi"),
])
def test_bad_parameters(make, text):
    with pytest.raises(lw.ModelError, match=text):
        make()


def test_a_rolling_disc_cannot_be_lifted():
    m = model("lift")
    m.body = pl.Body(m=2, I=0.5)
    m.rolling = pl.IdealRolling(R=0.5, x=0, phi=0, w=0)
    m.crane = pl.WorldForce(force=[0, 10 * lw.time, 0], resolve_in_frame="world")
    m.connect(m.body.frame_a, m.rolling.frame_a, m.crane.frame_b)
    with pytest.raises(lw.SimulationError, match="rolling: at t = 1.962 s the normal force turned negative") as error:
        lw.simulate(m, 3)
    assert error.value.time == pytest.approx(2 * 9.81 / 10, abs=1e-6)
    assert error.value.result.t[-1] <= error.value.time
    assert np.all(error.value.result["rolling.N"] > -1e-6)


def test_a_massless_part_that_nothing_holds():
    m = model("loose")
    m.body = pl.Body(m=1, I=0.1)
    m.rod = pl.FixedTranslation()
    m.rod2 = pl.FixedTranslation()
    m.chain(m.rod, m.rod2)
    with pytest.raises(lw.TopologyError, match="rod"):
        lw.compile(m)


def test_a_plane_needs_a_carrier():
    m = lw.Model("no carrier")
    m.world = lw.World()
    m.plane = pl.WorldIn3D()
    m.body = pl.Body(m=1, I=0.1)
    with pytest.raises(lw.TopologyError, match="plane.frame_3d"):
        lw.compile(m)


def test_planes_do_not_mix():
    class Flat(lw.Model):
        def __init__(self, name=None):
            super().__init__(name)
            self.port = lw.Frame()
            self.plane = pl.WorldIn3D()
            self.body = pl.Body(m=1, I=0.1)
            self.connect(self.port, self.plane.frame_3d)

    m = lw.Model("two planes")
    m.world = lw.World()
    m.one, m.two = Flat(), Flat()
    m.tilt = parts.FixedRotation(n=[1, 0, 0], angle=0.5)
    m.rev = joints.Revolute()
    m.load = parts.Body(m=1)
    m.chain(m.world, m.tilt)
    m.chain(m.world, m.rev, m.load)
    m.connect(m.tilt.frame_b, m.one.port)
    m.connect(m.load.frame_a, m.two.port)
    m.connect(m.one.body.frame_a, m.two.body.frame_a)
    with pytest.raises(lw.TopologyError, match="different planes"):
        lw.compile(m)


def test_a_spring_and_a_damper_along_a_line_do_not_hold_what_has_no_mass():
    """The damper leaves the point between them free across its line: said, with what a plane has to offer."""
    m = model("series")
    m.fixed, m.body = pl.Fixed(), pl.Body(m=1.0, I=0.1, r=[1.0, 0.3])
    m.spring, m.damper = pl.Spring(c_x=20.0, c_y=20.0, c_phi=1.0), pl.Damper(d=2.0)
    m.connect(m.fixed.frame, m.spring.frame_a)
    m.connect(m.spring.frame_b, m.damper.frame_a)
    m.connect(m.damper.frame_b, m.body.frame_a)
    with pytest.raises(lw.ModelError, match=r"spring\.frame_b\..*forces leave a direction open.*pl\.LineForce"):
        lw.simulate(m, 1.0)


@pytest.mark.parametrize("across", [0.0, 0.3])
def test_two_dampers_in_a_row_do_not_hold_what_has_no_mass(across):
    """Forces along two lines balance only if both vanish: refused before the run, which would not end."""
    m = model("series")
    m.fixed, m.body = pl.Fixed(), pl.Body(m=1.0, I=0.1, r=[1.0, across])
    m.one, m.two = pl.Damper(d=2.0), pl.Damper(d=3.0)
    m.connect(m.fixed.frame, m.one.frame_a)
    m.connect(m.one.frame_b, m.two.frame_a)
    m.connect(m.two.frame_b, m.body.frame_a)
    with pytest.raises(lw.ModelError, match=r"one, two: dampers along lines meet at one\.frame_b.*1/d₁ \+ 1/d₂"):
        lw.simulate(m, 1.0)


def test_three_dampers_hold_what_has_no_mass():
    """Three lines in a plane: the speed of the point follows from Σ d e (e·v) = 0, and the forces are none."""
    m = model("star", g=0.0)
    m.base, m.post, m.beam = (pl.Fixed(r=r) for r in ([0.0, 0.0], [0.0, 1.0], [0.0, -1.0]))
    m.slide, m.body = pl.Prismatic(r=[1, 0], s=1.0, v=0.5), pl.Body(m=1.0, I=0.1)
    m.chain(m.base, m.slide, m.body)
    m.one, m.two, m.three = pl.Damper(d=1.0), pl.Damper(d=1.0), pl.Damper(d=2.0)
    for end, damper in ((m.post.frame, m.one), (m.beam.frame, m.two), (m.body.frame_a, m.three)):
        m.connect(end, damper.frame_a)
    m.connect(m.one.frame_b, m.two.frame_b, m.three.frame_b)
    r = lw.simulate(m, 0.1)
    total = sum(r[f"{name}.f"][:, None] * r[f"{name}.e0"] for name in ("one", "two", "three"))
    np.testing.assert_allclose(total, 0, atol=1e-9)
    assert np.abs(r["three.f"]).max() > 1e-3


def test_a_chain_begins_with_a_point_of_the_plane():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = pl.World(), pl.Revolute(phi=0.4), pl.Body(m=1.0, I=0.1)
    with pytest.raises(lw.ModelError, match=r"world has no frame_b to chain; .* Begin with planar\.Fixed\(\)"):
        m.chain(m.world, m.rev, m.body)
