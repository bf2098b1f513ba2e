"""Rigid contact held against published problems: rocking block, Painlevé's rod, slider-crank with clearance,
rattleback, a box under balls, and random impacts."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
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
    assert np.degrees(r.at(jam.time)["body.phi"]) == pytest.approx(37.377368, abs=1e-4)
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


@pytest.mark.parametrize("law", ["poisson", "newton"])
def test_impacts_with_friction_gain_no_energy(law):
    """A ball and a rod thrown on a floor at random: kinetic energy after an impact is never more than before."""
    rng = np.random.default_rng(3)
    m = lw.Model("thrown")
    m.world, m.floor, m.fixed = pl.World(g=G), pl.contact.Line(n=[0, 1]), pl.Fixed()
    m.skin = pl.contact.Polygon([[-0.5, -0.1], [0.5, -0.1], [0.5, 0.1], [-0.5, 0.1]])
    m.body = pl.Body(m=1, I=0.02, r=[0, 1])
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.9, mu=0.8, impact=law))
    system = lw.compile(m)
    for _ in range(12):
        s = system.state()
        s.q[:], s.u[:] = [rng.uniform(0, 6), 0, 1.5], [5 * rng.normal(), *rng.normal(size=2)]  # phi, x, y
        r = lw.simulate(system, 1.0, state=s)
        energy = r["kinetic_energy"] + r["potential_energy"]
        assert np.diff(energy).max() <= 1e-7 * energy[0]
        assert all(row.loss >= -1e-9 * energy[0] for row in r.contacts)
        assert r["touch.gap"].min() >= -1e-9


@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.0, 90.0, 60.0])
def test_balls_on_a_box_that_is_pulled(angle):
    """SimBenchmark's rolling test with 4 balls: a = (F − μ₁ (M + n m) g)/(M + 2 n m/7), the balls 2/7 of it."""
    M, mass, count, force, radius = 10.0, 1.0, 4, 75.0, 0.1
    way = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0])
    m = lw.Model("rolling")
    m.world, m.floor, m.box = lw.World(g=G, n=[0, 0, -1]), contact.Plane(n=[0, 0, 1]), contact.Plane(n=[0, 0, 1])
    m.slide = joints.FreeMotion(r_rel_a=[0, 0, 0.5])
    m.body, m.foot, m.top = parts.Body(m=M, inertia=[5.0] * 3), parts.FixedTranslation(r=[0, 0, -0.5]), \
        parts.FixedTranslation(r=[0, 0, 0.5])
    m.sole = contact.Disc(radius=1.0, n=[0, 0, 1], feet=3)
    m.pull = lw.forces.WorldForce(force=force * way)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.body.frame_a, m.foot.frame_a, m.top.frame_a)
    m.connect(m.foot.frame_b, m.sole.frame_a, m.pull.frame_b)
    m.connect(m.top.frame_b, m.box.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.ground = contact.Pair(m.floor, m.sole, law=contact.Rigid(mu=0.4))
    places = [(x, y, 1 + radius) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    m.ball = [parts.Body(m=mass, inertia=[0.4 * mass * radius**2] * 3, r_0=place) for place in places]
    m.skin = [contact.Sphere(radius=radius) for _ in places]
    for ball, skin in zip(m.ball, m.skin, strict=True):
        m.connect(ball.frame_a, skin.frame_a)
    m.roll = [contact.Pair(m.box, skin, law=contact.Rigid(mu=0.8)) for skin in m.skin]
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    a = (force - 0.4 * (M + count * mass) * G) / (M + 2 * count * mass / 7)
    assert r["body.v_0"][-1] == pytest.approx(a * way, abs=1e-9)
    assert r["ball[0].v_0"][-1] == pytest.approx(2 / 7 * a * way, abs=1e-9)


@pytest.mark.slow
def test_thrown_cubes_come_to_rest():
    """A cube of eight corners thrown with spin: no failure, nothing sinks in, energy never rises, rest in the end."""
    m = lw.Model("cube")
    m.world, m.floor, m.skin = lw.World(g=G), contact.Plane(n=[0, 1, 0]), contact.Box(size=[1, 1, 1])
    m.body = parts.Body(m=1, inertia=[1 / 6] * 3, r_0=[0, 2, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.5))
    system = lw.compile(m, tunable=["touch.law.mu", "touch.law.restitution"])
    for seed in range(20):
        rng, s = np.random.default_rng(seed), system.state()
        turned = rng.normal(size=4)
        s.q[:], s.u[:] = [*turned / np.linalg.norm(turned), 0, 1.2, 0], [*5 * rng.normal(size=3), *rng.normal(size=3)]
        s.set("touch.law.restitution", rng.uniform(0, 0.9))
        s.set("touch.law.mu", rng.uniform(0.2, 1.2))
        r = lw.simulate(system, 15.0, state=s)
        energy = r["kinetic_energy"] + r["potential_energy"]
        assert r["touch.gap"].min() >= -1e-9, seed
        assert r["kinetic_energy"][-1] <= 1e-12, seed
        assert np.diff(energy).max() <= 1e-7 * energy[0], seed
