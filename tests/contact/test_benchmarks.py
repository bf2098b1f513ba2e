"""Rigid contact held against published problems: rocking block, Painlevé's rod, slider-crank with clearance,
rattleback and woodpecker."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright import planar as pl
from linkwright.algebra import rotation_from_angles

G = 9.81


def test_a_rocking_block_loses_what_housner_says():
    """ω⁺/ω⁻ = 1 − (3/2) sin²α, and the first impact at 0.264713415735 s (exact equation of the pivoting block)."""
    b, h, tilt = 0.2, 0.8, 0.1
    m = lw.Model("rocking")
    m.world, m.fixed, m.floor = pl.World(g=G), pl.Fixed(), pl.contact.Line(n=[0, 1])
    m.skin = pl.contact.Polygon([[-b / 2, -h / 2], [b / 2, -h / 2], [b / 2, h / 2], [-b / 2, h / 2]])
    c, s = np.cos(tilt), np.sin(tilt)
    m.body = pl.Body(m=1, I=(b * b + h * h) / 12, phi=tilt, r=[c * b / 2 - s * h / 2, s * b / 2 + c * h / 2])
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.5))
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    first = next(row.time for row in r.contacts if row.what == "hit")
    assert first == pytest.approx(0.264713415735, abs=1e-8)
    ratio = r.at(first, side="after")["body.w"] / r.at(first)["body.w"]
    assert ratio == pytest.approx(1 - 1.5 * np.sin(np.arctan(b / h)) ** 2, abs=1e-12)


def rod(mu, degrees, w, v, half=0.5):
    """A uniform rod whose tip slides over the floor at v."""
    m = lw.Model("rod")
    tilt = np.radians(degrees)
    m.world, m.fixed, m.floor = pl.World(g=G), pl.Fixed(), pl.contact.Line(n=[0, 1])
    m.body = pl.Body(m=1, I=half**2 / 3, phi=tilt, r=[half * np.cos(tilt), half * np.sin(tilt)], w=w,
                     v=[v - half * np.sin(tilt) * w, half * np.cos(tilt) * w])
    m.arm, m.tip = pl.FixedTranslation(r=[-half, 0]), pl.contact.Point()
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.arm.frame_a)
    m.connect(m.arm.frame_b, m.tip.frame_a)
    m.touch = contact.Pair(m.floor, m.tip, law=contact.Rigid(mu=mu))
    return m


def test_painleves_rod_jams_and_says_so():
    """1 + 3 cosθ (cosθ − μ sinθ) = 0 at 37.377368° for μ = 2: the force grows beyond all bounds, an impulse follows."""
    r = lw.simulate(rod(2.0, 30, 2.0, -10.0), 0.06)
    jam = next(row for row in r.contacts if row.what == "jam")
    assert np.degrees(r.at(jam.time)["body.phi"]) == pytest.approx(37.377368, abs=5e-7)
    assert any("jammed at touch" in message for message in r.messages)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.all(np.diff(energy) <= 1e-9 * energy[0])


def test_painleves_rod_lifts_off_before_the_paradox():
    """For μ = 1.4 the paradox begins at 55.586°."""
    r = lw.simulate(rod(1.4, 50, 2.0, -3.0), 0.1)
    leave = next(row for row in r.contacts if row.what == "leave")
    assert 50 < np.degrees(r.at(leave.time)["body.phi"]) < 55.586
    assert not any(row.what == "jam" for row in r.contacts)


def test_a_slider_crank_with_clearance():
    """Flores, Leine and Glocker 2010 (parameters of Siconos); crank turns converged by a stepping scheme."""
    l1, l2, a, b, c = 0.153, 0.306, 0.05, 0.025, 0.001
    law = contact.Rigid(restitution=0.4, mu=0.01, impact="newton")
    m = lw.Model("slider crank")
    m.world, m.fixed = pl.World(g=G), pl.Fixed()
    m.low, m.high = pl.Fixed(r=[0.3, -b - c]), pl.Fixed(r=[0.3, b + c])
    m.j1, m.j2, m.j3 = pl.Revolute(phi=0, w=150), pl.Revolute(phi=0, w=-225), pl.Revolute(phi=0, w=75)
    m.c1, m.c2 = pl.FixedTranslation(r=[l1 / 2, 0]), pl.FixedTranslation(r=[l1 / 2, 0])
    m.r1, m.r2 = pl.FixedTranslation(r=[l2 / 2, 0]), pl.FixedTranslation(r=[l2 / 2, 0])
    m.crank, m.rod, m.slider = pl.Body(m=0.038, I=7.4e-5), pl.Body(m=0.038, I=5.9e-4), pl.Body(m=0.076, I=2.7e-6)
    m.chain(m.fixed, m.j1, m.c1, m.c2, m.j2, m.r1, m.r2, m.j3)
    m.connect(m.c1.frame_b, m.crank.frame_a)
    m.connect(m.r1.frame_b, m.rod.frame_a)
    m.connect(m.j3.frame_b, m.slider.frame_a)
    m.bottom, m.top = pl.contact.Line(n=[0, 1]), pl.contact.Line(n=[0, -1])
    m.block = pl.contact.Polygon([[-a, -b], [a, -b], [a, b], [-a, b]])
    m.connect(m.low.frame, m.bottom.frame_a)
    m.connect(m.high.frame, m.top.frame_a)
    m.connect(m.slider.frame_a, m.block.frame_a)
    m.lower, m.upper = contact.Pair(m.bottom, m.block, law=law), contact.Pair(m.top, m.block, law=law)
    r = lw.simulate(m, 0.2, accuracy=1e-10)
    turns = r.at(np.array([0.02, 0.05, 0.1, 0.15, 0.2]))["j1.phi"] / (2 * np.pi)
    assert turns == pytest.approx([0.256767302, 0.762917860, 1.432496308, 2.173338674, 2.878106813], abs=1e-6)


RADII, SINK = np.array([0.2, 0.03, 0.02]), 0.01
INERTIA = np.array([[2, -0.2, 0], [-0.2, 16, 0], [0, 0, 17]]) * 1e-4


def touching_point(n):
    """From the centre of mass of Kane and Levinson's ellipsoid to the point under it, n upwards in its axes."""
    return np.array([0, 0, SINK]) - RADII**2 * n / np.sqrt((RADII**2 * n * n).sum())


def rolling(t, y):
    """An ellipsoid that rolls without slip, in its own axes: n upwards, ω; F = m (v̇ + ω × v + g n), v = −ω × r."""
    n, w = y[:3], y[3:]
    change, s, r = -np.cross(w, n), np.sqrt((RADII**2 * n * n).sum()), touching_point(n)
    moving = -(RADII**2 * change / s - RADII**2 * n * (RADII**2 * n * change).sum() / s**3)
    v = -np.cross(w, r)
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    rest = -np.cross(w, moving) + np.cross(w, v) + G * n
    return np.r_[change, np.linalg.solve(INERTIA - cross @ cross, np.cross(r, rest) - np.cross(w, INERTIA @ w))]


@pytest.mark.slow
def test_a_rattleback_reverses():
    from scipy.integrate import solve_ivp

    tilt, w = np.radians([0.5, 0.5, 0.0]), np.array([0, 0, -5.0])
    R = rotation_from_angles((1, 2, 3), tilt)
    n = R.T @ [0, 0, 1]
    m = lw.Model("rattleback")
    m.world, m.floor = lw.World(g=G, n=[0, 0, -1]), contact.Plane(n=[0, 0, 1])
    place = touching_point(n)
    m.body = parts.Body(m=1, inertia=INERTIA, r_0=-(R @ place), v_0=R @ -np.cross(w, place), w_a=w, angles=tilt)
    m.up, m.skin = parts.FixedTranslation(r=[0, 0, SINK]), contact.Ellipsoid(radii=RADII)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.up.frame_a)
    m.connect(m.up.frame_b, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=1.0))
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    exact = solve_ivp(rolling, (0, 3), np.r_[n, w], "DOP853", r.t, rtol=1e-12, atol=1e-13).y[3:].T
    assert {row.what for row in r.contacts} == {"stick"}
    assert r["body.w_a"] == pytest.approx(exact, abs=1e-6)
    spin = (r["body.w_a"] * r["body.frame_a.R.T"][:, :, 2]).sum(1)
    assert 2.7 < r.t[np.argmax(spin > 0)] < 2.9


def test_a_woodpecker_pecks_its_way_down():
    """Glocker's toy, by Newton's law: instants of the pecks by another stepping scheme (h = 1e-5 s, first order)."""
    m = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "woodpecker.py"))["m"]
    r = lw.simulate(m, 0.65)
    pecks = [row.time for row in r.contacts if row.pair == "touch[2]" and row.what == "hit"]
    assert pecks == pytest.approx([0.08269, 0.21253, 0.34340, 0.47419, 0.60493], abs=2e-4)
    fallen = np.diff([r.at(t)["slide.s"] for t in pecks])
    assert fallen == pytest.approx([-13.901e-3, -14.571e-3, -14.523e-3, -14.490e-3], abs=0.1e-3)
