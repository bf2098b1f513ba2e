"""Rigid contact whose place is an unknown of the equations: ellipsoids, cams, outlines."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, parts
from linkwright import planar as pl
from linkwright.algebra import Transform


def ball_on(under) -> lw.Model:
    m = lw.Model("ball")
    m.world = lw.World()
    m.under, m.skin = under, contact.Sphere(radius=0.1)
    m.ball = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0.05, 0.62, 0.02], w_a=[3, 1, -8], v_0=[0.3, 0, 0])
    m.connect(m.world.frame_b, m.under.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.under, m.skin, law=contact.Rigid(mu=0.1, restitution=0.3, capture=1e-3))
    return m


@pytest.mark.slow
def test_a_round_ellipsoid_is_a_sphere():
    """Hits, sliding, rolling and leaving, by an implicit normal as by a formula."""
    one, other = (lw.simulate(ball_on(under), 0.6, accuracy=1e-9)
                  for under in (contact.Sphere(radius=0.5), contact.Ellipsoid(radii=[0.5] * 3)))
    assert [row.what for row in one.contacts] == [row.what for row in other.contacts]
    assert other["ball.r_0"][-1] == pytest.approx(one["ball.r_0"][-1], abs=1e-8)
    assert other["touch.f_n"] == pytest.approx(one["touch.f_n"], abs=1e-5)


def test_an_egg_rolls_over_an_egg_and_keeps_its_energy():
    m = lw.Model("eggs")
    m.world = lw.World()
    m.under, m.skin = contact.Ellipsoid(radii=[0.5, 0.3, 0.4]), contact.Ellipsoid(radii=[0.1, 0.15, 0.12])
    m.egg = parts.Body(m=1, inertia=[8e-3, 5e-3, 7e-3], r_0=[0.02, 0.4501, 0.01], w_a=[0.5, 0, -0.4])
    m.connect(m.world.frame_b, m.under.frame_a)
    m.connect(m.egg.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.under, m.skin, law=contact.Rigid(mu=2.0))
    m.integral(m.touch.loss_power, name="lost")
    r = lw.simulate(m, 1.0, accuracy=1e-8)
    hits = np.array([sum(row.loss for row in r.contacts if row.time <= t) for t in r.t])
    total = r["kinetic_energy"] + r["potential_energy"] + r["lost"] + hits
    assert np.ptp(total) <= 1e-7 * r["kinetic_energy"].max()
    assert r["touch.gap"].min() > -1e-9
    for k in range(0, len(r.t), 50):
        X = Transform(r["egg.frame_a.R.T"][k].T, r["egg.r_0"][k])
        gap = geometry.distance(geometry.Ellipsoid([0.5, 0.3, 0.4]), Transform(),
                                geometry.Ellipsoid([0.1, 0.15, 0.12]), X).gap
        assert r["touch.gap"][k] == pytest.approx(gap, abs=1e-8)


ECCENTRIC, RADIUS, ROLLER = 0.02, 0.05, 0.01


def cam(speed: float, law, start=RADIUS + ROLLER - ECCENTRIC) -> lw.Model:
    """A round disc turning about a point off its middle, as an outline, lifts a roller that cannot turn."""
    m = lw.Model("cam")
    m.world = pl.World(g=9.81)
    m.base = pl.Fixed()
    m.shaft = pl.Revolute(phi=-np.pi / 2, w=speed)
    m.wheel = pl.Body(m=1, I=1e3)
    m.disc = pl.contact.Curve(function=lambda s: (ECCENTRIC + RADIUS * ca.cos(s), RADIUS * ca.sin(s)))
    m.guide = pl.Prismatic(r=[0, 1], s=start)
    m.tappet = pl.Body(m=0.2, I=1e-4)
    m.rim = pl.contact.Circle(radius=ROLLER)
    m.chain(m.base, m.shaft, m.wheel)
    m.connect(m.shaft.frame_b, m.disc.frame_a)
    m.chain(m.base, m.guide, m.tappet)
    m.connect(m.guide.frame_b, m.rim.frame_a)
    m.touch = contact.Pair(m.disc, m.rim, law=law)
    return m


def test_a_cam_lifts_its_follower_as_the_triangle_says():
    """s = e sin φ + √((R + r)² − e² cos² φ); the force along the guide is m (g + s̈)."""
    r = lw.simulate(cam(10.0, contact.Rigid()), 1.0, accuracy=1e-9)
    phi, w = r["shaft.phi"], r["shaft.w"]
    s = ECCENTRIC * np.sin(phi) + np.sqrt((RADIUS + ROLLER) ** 2 - (ECCENTRIC * np.cos(phi)) ** 2)
    assert r["guide.s"] == pytest.approx(s, abs=1e-9)
    assert len(r.contacts) == 1 and np.ptp(w) < 1e-4
    along = r["touch.force_0"][:, 1]
    slope = np.gradient(np.gradient(s, r.t), r.t)
    assert along[5:-5] == pytest.approx(0.2 * (9.81 + slope[5:-5]), rel=2e-3)


def test_a_fast_cam_lets_its_follower_go():
    """Where the tappet would have to fall faster than it can: the force vanishes there, and then the gap opens."""
    r = lw.simulate(cam(30.0, contact.Rigid()), 0.3, accuracy=1e-8)
    left = next(row.time for row in r.contacts if row.what == "leave")
    before = r.t < left
    assert r["touch.f_n"][before].min() > 0 and r["touch.f_n"][before][-1] < 0.2
    assert r["touch.gap"].min() > -1e-9 and r["touch.gap"].max() > 1e-4
    assert any(row.what == "hit" for row in r.contacts)


def test_an_ellipse_rolls_along_a_line():
    """Without slip its middle moves by what rolls off; energy stays."""
    m = lw.Model("ellipse")
    m.world = pl.World(g=9.81)
    m.line = pl.contact.Line()
    m.base = pl.Fixed()
    m.connect(m.base.frame, m.line.frame_a)
    m.body = pl.Body(m=1, I=0.01, r=[0, 0.1], phi=0.0, w=-6.0, v=[0.6, 0.0])
    m.rim = pl.contact.Curve(function=lambda s: (0.2 * ca.cos(s), 0.1 * ca.sin(s)))
    m.connect(m.body.frame_a, m.rim.frame_a)
    m.touch = contact.Pair(m.line, m.rim, law=contact.Rigid(mu=1.0))
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    total = r["kinetic_energy"] + r["potential_energy"]
    rolling = r.t < next((row.time for row in r.contacts if row.what == "leave"), np.inf)
    assert np.ptp(total[rolling]) < 1e-8 and rolling.sum() > 20
    phi = r["body.phi"][rolling]
    height = np.sqrt((0.2 * np.sin(phi)) ** 2 + (0.1 * np.cos(phi)) ** 2)
    assert r["body.r"][rolling, 1] == pytest.approx(height, abs=1e-9)
    assert np.abs(r["touch.slip"][rolling]).max() < 1e-8


def test_long_steps_do_not_lead_the_place_astray():
    """A cam that turns below a roller far above it, in steps of radians: the gap is that of the nearest place."""
    m = cam(100.0, contact.Rigid(), 0.5)
    m.world.g = 0.1
    r = lw.simulate(m, 1.0)
    phi = r["shaft.phi"]
    away = np.hypot(-ECCENTRIC * np.cos(phi), r["guide.s"] - ECCENTRIC * np.sin(phi)) - RADIUS - ROLLER
    assert r["touch.gap"] == pytest.approx(away, abs=1e-9) and not len(r.contacts)


DENT = 0.02
FORMULAS = {
    "fmax": lambda s: (0.05 * ca.cos(s), 0.05 * ca.sin(s) - DENT * lw.fmax(-ca.sin(s), 0) ** 4),
    "where": lambda s: (0.05 * ca.cos(s), 0.05 * ca.sin(s) - lw.where(ca.sin(s) < 0, DENT * ca.sin(s) ** 4, 0)),
    "fabs": lambda s: (0.05 * ca.cos(s), 0.05 * ca.sin(s) - DENT * ((ca.fabs(ca.sin(s)) - ca.sin(s)) / 2) ** 4)}


def test_choices_in_the_formula_of_an_outline_make_a_shape_and_no_events():
    """An egg, round above and long below, rolls over both; written in three ways it is the same shape."""
    ends = []
    for formula in FORMULAS.values():
        m = lw.Model("egg")
        m.world = pl.World(g=9.81)
        m.base, m.line, m.rim = pl.Fixed(), pl.contact.Line(), pl.contact.Curve(function=formula)
        m.body = pl.Body(m=1, I=0.01, r=[0, 0.05 + DENT], w=-4.0, v=[4.0 * (0.05 + DENT), 0])
        m.connect(m.base.frame, m.line.frame_a)
        m.connect(m.body.frame_a, m.rim.frame_a)
        m.touch = contact.Pair(m.line, m.rim, law=contact.Rigid(mu=1.0))
        r = lw.simulate(m, 1.5)
        total = r["kinetic_energy"] + r["potential_energy"]
        assert np.ptp(total) <= 10 * 1e-8 * r["kinetic_energy"].max()
        assert not len(r.events) and r["body.phi"][-1] < -3 * np.pi / 2
        ends.append(r["body.phi"][-1])
    assert ends == pytest.approx([ends[0]] * 3, abs=1e-12)
