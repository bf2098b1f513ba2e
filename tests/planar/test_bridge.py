"""Planar mechanisms in spatial models: momentum of the whole balances, and the plane's motion is felt."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright import planar as pl

TOLERANCE = 1e-9


def flat_machine(m):
    """A pendulum on a slider, and a body free in the plane that a spring holds."""
    m.fixed = pl.Fixed(r=[0.2, -0.1], phi=0.3)
    m.rail = pl.Prismatic(r=[1, 0.5], s=0.1, v=0.4)
    m.slider = pl.Body(m=0.7, I=0.03)
    m.rev = pl.Revolute(phi=0.5, w=-2)
    m.rod = pl.FixedTranslation(r=[0.6, 0])
    m.bob = pl.Body(m=0.4, I=0.02)
    m.chain(m.fixed, m.rail, m.slider, m.rev, m.rod, m.bob)
    m.puck = pl.Body(m=0.5, I=0.04, r=[-0.4, 0.3], v=[0.2, 0.5], phi=0.1, w=3)
    m.spring = pl.SpringDamper(c_x=30, c_y=30, d_x=1, d_y=1, c_phi=1, d_phi=0.1)
    m.connect(m.slider.frame_a, m.spring.frame_a)
    m.connect(m.puck.frame_a, m.spring.frame_b)
    # a spatial part on the planar bob
    m.bridge = pl.To3D(z_position=0.05)
    m.lamp = parts.Body(m=0.2, r_cm=[0.1, 0.05, 0.02], inertia=[0.01, 0.02, 0.015])
    m.connect(m.bob.frame_a, m.bridge.frame_a)
    m.connect(m.bridge.frame_b, m.lamp.frame_a)


def in_a_plane(carrier, gravity="uniform"):
    """The flat machine in a tilted plane on a carrier: "fixed", "turning" about a spatial axis, or "falling" freely."""
    m = lw.Model(f"plane {carrier}")
    m.world = lw.World(g=9.81, gravity=gravity)
    m.plane = pl.WorldIn3D()
    if carrier == "fixed":
        m.tilt = parts.FixedRotation(r=[0.3, 0.2, 0.1], n=[1, 2, 0.5], angle=0.8)
        m.chain(m.world, m.tilt)
        m.connect(m.tilt.frame_b, m.plane.frame_3d)
    elif carrier == "turning":
        m.axle = joints.Revolute(n=[1, 0.3, -0.2], phi=0.4, w=1.5)
        m.arm = parts.BodyShape(m=2, r=[0.3, 0.1, 0.2], r_cm=[0.1, 0, 0.1], inertia=[0.1, 0.15, 0.12])
        m.chain(m.world, m.axle, m.arm)
        m.connect(m.arm.frame_b, m.plane.frame_3d)
    else:
        m.hull = parts.Body(m=3, r_cm=[0.1, 0.2, -0.1], inertia=[0.3, 0.2, 0.25], r_0=[0.1, 0.2, 0.3],
                            v_0=[0.5, 1, -0.3], angles=[0.3, 0.2, -0.4], w_0=[0.8, -1.1, 0.6])
        m.connect(m.hull.frame_a, m.plane.frame_3d)
    flat_machine(m)
    return m


def rate(r, name, t, h=2e-3):
    """Derivative of a result by a central difference of eighth order."""
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
    return weights @ r.at(t + h * np.arange(-4, 5))[name] / h


def weight_on(r, t, bodies):
    """Force and moment about the origin of all weights; bodies are (name of the centre's position, mass)."""
    g, now = np.array([0, -9.81, 0]), r.at(t)
    f = sum(m for _, m in bodies) * g
    return np.concatenate([f, sum(np.cross(now[name], m * g) for name, m in bodies)])


PARTS = [("slider.frame_a.r_0", 0.7), ("bob.frame_a.r_0", 0.4), ("puck.frame_a.r_0", 0.5)]


def centre_of_lamp(r, t):
    now = r.at(t)
    return now["lamp.r_0"] + now["lamp.frame_a.R.T"].T @ [0.1, 0.05, 0.02]


def applied(r, t, frame):
    """Load on the ground's side (f, moment about the origin) at a frame, in world axes."""
    now = r.at(t)
    R = now[f"{frame}.R.T"].T
    f, moment = R @ now[f"{frame}.f"], R @ now[f"{frame}.t"]
    return np.concatenate([f, moment + np.cross(now[f"{frame}.r_0"], f)])


def weights(r, t, extra=()):
    total = weight_on(r, t, PARTS)
    g = np.array([0, -9.81, 0])
    for centre, mass in ((centre_of_lamp(r, t), 0.2), *extra):
        total = total + np.concatenate([mass * g, np.cross(centre, mass * g)])
    return total


def test_momentum_balances_in_a_fixed_plane():
    r = lw.simulate(in_a_plane("fixed"), 0.6, accuracy=1e-13)
    t = 0.3
    # the planar world feels what holds it at its carrier; the rest is weight
    expected = weights(r, t) + applied(r, t, "plane.frame_3d")
    np.testing.assert_allclose(rate(r, "momentum", t), expected, rtol=0, atol=TOLERANCE)


def test_momentum_balances_in_a_turning_plane():
    r = lw.simulate(in_a_plane("turning"), 0.6, accuracy=1e-13)
    t = 0.3
    now = r.at(t)
    arm = now["arm.r_0"] + now["arm.frame_a.R.T"].T @ [0.1, 0, 0.1]
    # the world holds the axle: minus the load on the ground
    expected = weights(r, t, [(arm, 2)]) - applied(r, t, "world.frame_b")
    np.testing.assert_allclose(rate(r, "momentum", t), expected, rtol=0, atol=TOLERANCE)


def test_momentum_of_a_floating_plane_is_conserved():
    r = lw.simulate(in_a_plane("falling", gravity=None), 1.0, accuracy=1e-12)
    p = r["momentum"]
    np.testing.assert_allclose(p, np.broadcast_to(p[0], p.shape), rtol=0, atol=TOLERANCE)


def test_momentum_of_a_falling_plane_grows_with_its_weight():
    r = lw.simulate(in_a_plane("falling"), 1.0, accuracy=1e-12)
    mass = 3 + 0.7 + 0.4 + 0.5 + 0.2
    np.testing.assert_allclose(r["momentum"][:, 1], r["momentum"][0, 1] - 9.81 * mass * r.t, atol=1e-9)
    # ḣ = c × m g about the world's origin, and the centre of mass falls along a parabola
    t, g = r.t[:, None], np.array([0, -9.81, 0])
    c, v = r["centre_of_mass"][0], r["momentum"][0, :3] / mass
    grown = np.cross(mass * (c * t + v * t**2 / 2), g)
    np.testing.assert_allclose(r["momentum"][:, 3:], r["momentum"][0, 3:] + grown, atol=1e-9)


def test_a_falling_plane_is_weightless():
    """In a plane that falls with its carrier and does not turn, a pendulum keeps its speed."""
    m = lw.Model("lift")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[0, 1, 0], s=0, v=0)
    m.cabin = parts.Body(m=1e9, r_cm=[0, 0, 0])
    m.plane = pl.WorldIn3D()
    m.fixed = pl.Fixed()
    m.rev = pl.Revolute(phi=0, w=2)
    m.rod = pl.FixedTranslation(r=[1, 0])
    m.bob = pl.Body(m=1, I=0.1)
    m.chain(m.world, m.rail, m.cabin)
    m.connect(m.cabin.frame_a, m.plane.frame_3d)
    m.chain(m.fixed, m.rev, m.rod, m.bob)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    np.testing.assert_allclose(r["rev.w"], 2, atol=1e-7)
    # positions and angles are those in the plane
    np.testing.assert_allclose(r["bob.r"], np.stack([np.cos(2 * r.t), np.sin(2 * r.t)], 1), atol=1e-7)
    np.testing.assert_allclose(np.hypot(r["bob.frame_a.vx"], r["bob.frame_a.vy"]), 2, atol=1e-7)


def test_a_turning_plane_flings_a_puck_out():
    """A puck at rest in a plane that spins about its normal sees Coriolis and centrifugal acceleration."""
    m = lw.Model("merry-go-round")
    m.world = lw.World(gravity=None)
    m.axle = joints.Revolute(n=[0, 0, 1], phi=0)
    m.drive = rotational.Speed(w_ref=1.5, exact=True)
    m.plane = pl.WorldIn3D()
    m.disc = parts.Body(m=1)
    m.connect(m.drive.flange, m.axle.axis)
    m.chain(m.world, m.axle, m.disc)
    m.connect(m.disc.frame_a, m.plane.frame_3d)
    m.puck = pl.Body(m=1, I=0.1, r=[1, 0], v=[0, 0], phi=0, w=0)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    # in space: a straight line with velocity ω × r
    angle = 1.5 * r.t
    x, y = np.ones_like(angle), angle
    expected = np.stack([np.cos(angle) * x + np.sin(angle) * y, -np.sin(angle) * x + np.cos(angle) * y], 1)
    np.testing.assert_allclose(r["puck.r"], expected, atol=1e-8)
    np.testing.assert_allclose(r["puck.phi"], 0, atol=1e-9)
    outward = np.stack([1.5**2 * r["puck.r"][:, 0], 1.5**2 * r["puck.r"][:, 1]], 1)
    v = r["puck.v"]
    coriolis = 2 * 1.5 * np.stack([v[:, 1], -v[:, 0]], 1)
    np.testing.assert_allclose(r["puck.a"], outward + coriolis, atol=1e-8)


def test_loads_pass_the_bridge_both_ways():
    """A spatial force on a part bridged to a planar body moves it, and the body's weight is felt at the bridge."""
    m = lw.Model("bridge")
    m.world = pl.World(g=9.81)
    m.fixed = pl.Fixed()
    m.rev = pl.Revolute(phi=0, w=0)
    m.rod = pl.FixedTranslation(r=[1, 0])
    m.bridge = pl.To3D()
    m.body = parts.Body(m=1, inertia=[0.05, 0.05, 0.1])
    m.chain(m.fixed, m.rev, m.rod)
    m.connect(m.rod.frame_b, m.bridge.frame_a)
    m.connect(m.bridge.frame_b, m.body.frame_a)
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    assert r["rev.phi"][-1] == pytest.approx(-1.13745867, abs=1e-7)
    np.testing.assert_allclose(r["bridge.frame_a.t"], r["body.frame_a.t"][:, 2], atol=1e-9)


def test_a_spatial_part_that_floats_is_held_in_the_plane():
    m = lw.Model("float")
    m.world = pl.World()
    m.bridge = pl.To3D()
    m.anchor = pl.FixedTranslation(r=[0.1, 0])
    m.body = parts.Body(m=1, r_cm=[0, 0, 0.2], inertia=[0.1, 0.1, 0.1])
    m.connect(m.anchor.frame_b, m.bridge.frame_a)
    m.connect(m.bridge.frame_b, m.body.frame_a)
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(r["body.r_0"][:, 1], -9.80665 * r.t**2 / 2, atol=1e-9)
    np.testing.assert_allclose(r["body.r_0"][:, 2], 0, atol=1e-12)
