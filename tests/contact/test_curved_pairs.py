"""Pairs whose point of contact is an unknown of its own: outlines and ellipsoids in motion."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright import planar as pl

LAW = contact.HuntCrossley(stiffness=1e5, dissipation=0.2, mu=0.0)


def cam_and_roller(cam, law=LAW):
    """A roller falls on an eccentric cam that turns at a given speed."""
    m = lw.Model("cam")
    m.world = pl.World()
    m.fixed = pl.Fixed()
    m.shaft = pl.Revolute(phi=0.3, w=5.0)
    m.eccentric = pl.FixedTranslation(r=[0.02, 0.0])
    m.wheel = pl.Body(m=1.0, I=0.01)
    m.cam = cam
    m.guide = pl.Prismatic(r=[0, 1], s=0.16)
    m.rod = pl.Body(m=0.5, I=0.01)
    m.roller = pl.contact.Circle(radius=0.03)
    m.chain(m.fixed, m.shaft, m.wheel)
    m.connect(m.shaft.frame_b, m.eccentric.frame_a)
    m.connect(m.eccentric.frame_b, m.cam.frame_a)
    m.chain(m.fixed, m.guide, m.rod)
    m.connect(m.rod.frame_a, m.roller.frame_a)
    m.touch = contact.Pair(m.cam, m.roller, law=law)
    return m


def test_a_round_outline_drives_its_follower_as_a_circle_does():
    """The same motion, once with the place along the outline as an unknown, once in closed form."""
    outline = pl.contact.Curve(function=lambda s: (0.1 * lw.cos(s), 0.1 * lw.sin(s)))
    one, other = (lw.simulate(cam_and_roller(cam), 1.0, accuracy=1e-9)
                  for cam in (outline, pl.contact.Circle(radius=0.1)))
    assert one["touch.f_n"].max() > 1.0
    assert np.abs(one["guide.s"] - other["guide.s"]).max() < 1e-8
    assert np.abs(one["touch.gap"] - other["touch.gap"]).max() < 1e-8


def test_a_round_outline_is_stepped_as_a_circle_is():
    """Rigid, by time stepping; the pair of a curve given by a function has no sizes that its code could take."""
    outline = pl.contact.Curve(function=lambda s: (0.1 * lw.cos(s), 0.1 * lw.sin(s)))
    one, other = (lw.simulate(cam_and_roller(cam, contact.Rigid()), 0.3, method="time_stepping")
                  for cam in (outline, pl.contact.Circle(radius=0.1)))
    assert np.abs(one["guide.s"] - other["guide.s"]).max() < 1e-8
    assert np.ptp(one["guide.s"]) > 0.01


def test_an_outline_through_points_is_close_to_the_curve_it_stands_for():
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    points = pl.contact.Curve(0.1 * np.column_stack([np.cos(angle), np.sin(angle)]))
    one, other = (lw.simulate(cam_and_roller(cam), 0.5) for cam in (points, pl.contact.Circle(radius=0.1)))
    assert np.abs(one["guide.s"] - other["guide.s"]).max() < 1e-5


def balls(shape):
    """A ball falls beside the top of a shape that stands still, and glances off."""
    m = lw.Model("balls")
    m.world = lw.World()
    m.ball = parts.Body(m=1.0, inertia=[4e-3] * 3, r_0=[0.05, 1.0, 0.02], v_0=[0, -2, 0])
    m.skin = contact.Sphere(radius=0.1)
    m.rock = shape
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.connect(m.world.frame_b, m.rock.frame_a)
    m.touch = contact.Pair(m.rock, m.skin, law=contact.HuntCrossley(stiffness=1e5, dissipation=0.2))
    return m


def test_a_round_ellipsoid_is_a_sphere():
    one, other = (lw.simulate(balls(shape), 0.6, accuracy=1e-9)
                  for shape in (contact.Ellipsoid(radii=[0.3, 0.3, 0.3]), contact.Sphere(radius=0.3)))
    assert other["touch.f_n"].max() > 10
    assert np.abs(one["ball.r_0"] - other["ball.r_0"]).max() < 1e-7


def test_energy_is_kept_on_an_ellipsoid_without_friction_and_damping():
    m = balls(contact.Ellipsoid(radii=[0.2, 0.3, 0.5]))
    m.touch.law = contact.Linear(stiffness=1e5)
    r = lw.simulate(m, 0.6, accuracy=1e-9)
    energy = (0.5 * np.sum(r["ball.v_0"] ** 2, axis=1) + 0.5 * 4e-3 * np.sum(r["ball.w_a"] ** 2, axis=1)
              + 9.80665 * r["ball.r_0"][:, 1] + r["touch.energy"])
    assert r["touch.f_n"].max() > 10
    assert np.ptp(energy) < 1e-6


def test_the_place_is_found_again_where_the_state_is_set_anew():
    m = cam_and_roller(pl.contact.Curve(function=lambda s: (0.1 * lw.cos(s), 0.1 * lw.sin(s))))
    system = lw.compile(m)
    s = system.state()
    for phi in (0.3, 2.0, -2.5):
        s.set("shaft.phi", phi)
        centre = 0.02 * np.array([np.cos(phi), np.sin(phi)])
        assert s.get("touch.gap") == pytest.approx(np.hypot(*(np.array([0, 0.16]) - centre)) - 0.13, abs=1e-12)


def test_a_shape_in_a_joint_keeps_its_place():
    """An ellipsoid on a turning arm passes a ball that stands still: its gap over a turn against single queries."""
    from linkwright import geometry

    m = lw.Model("arm")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(n=[0, 0, 1], phi=0.0, w=1.0)
    m.arm = parts.FixedTranslation(r=[1, 0, 0])
    m.body = parts.Body(m=1.0)
    m.egg = contact.Ellipsoid(radii=[0.2, 0.3, 0.1])
    m.post = parts.Fixed(r=[0, 1.5, 0])
    m.ball = contact.Sphere(radius=0.1)
    m.chain(m.world, m.rev, m.arm, m.body)
    m.connect(m.arm.frame_b, m.egg.frame_a)
    m.connect(m.post.frame_b, m.ball.frame_a)
    m.touch = contact.Pair(m.egg, m.ball, law=contact.HuntCrossley(stiffness=1e5, dissipation=0.2))
    r = lw.simulate(m, 6.0)
    for t, gap in list(zip(r.t, r["touch.gap"], strict=True))[::50]:
        X_WA = lw.Transform(lw.algebra.rotation_z(t), [np.cos(t), np.sin(t), 0])
        alone = geometry.distance(geometry.Ellipsoid([0.2, 0.3, 0.1]), X_WA, geometry.Sphere(0.1),
                                  lw.Transform(None, [0, 1.5, 0]))
        assert gap == pytest.approx(alone.gap, abs=1e-7)


def test_a_rigid_pair_that_is_searched_for_is_refused_with_what_can_be_taken():
    m = lw.Model("searched")
    m.can, m.crate = contact.Cylinder(radius=0.1, length=0.3), contact.Box(size=[1, 1, 1])
    with pytest.raises(lw.ModelError, match="a Cylinder and a Box touch is found by a search .* Take a compliant law"):
        m.touch = contact.Pair(m.can, m.crate, law=contact.Rigid())
