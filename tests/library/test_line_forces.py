"""Line forces, with and without mass, against equations derived by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import forces, joints, parts, sensors, translational

G = 9.80665


def run(f, y0, t):
    return solve_ivp(f, (0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t).y


def test_mass_on_a_spring_adds_its_share_of_inertia():
    """A spring with mass μ at fraction λ between the ground and a slider along y:

    (m + λ² μ) s̈ = −(m + λ μ) g − c (s − s0) for s measured from the ground (upwards).
    """
    m = lw.Model("heavy spring")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[0, 1, 0], s=0.6, v=0.2)
    m.body = parts.Body(m=1.5)
    m.spring = forces.Spring(c=300, s_unstretched=0.5, m=0.9, length_fraction=0.3)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.body.frame_a, m.spring.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    mass, mu, share = 1.5, 0.9, 0.3
    s = run(lambda t, y: [y[1], (-(mass + share * mu) * G - 300 * (y[0] - 0.5)) / (mass + share**2 * mu)],
            [0.6, 0.2], r.t)[0]
    assert r["slide.s"] == pytest.approx(s, abs=1e-9)
    # the ends carry the lever's share of what the mass feels
    felt = mu * (share * r["slide.a"] + G)
    pull = 300 * (r["slide.s"] - 0.5)
    assert r["spring.frame_a.f"][:, 1] == pytest.approx((1 - share) * felt - pull, abs=1e-8)
    assert r["spring.frame_b.f"][:, 1] == pytest.approx(share * felt + pull, abs=1e-8)
    # and the ground takes the weight and the motion of everything
    total = (1.5 * (r["slide.a"] + G)) + felt
    assert -r["world.frame_b.f"][:, 1] == pytest.approx(total, abs=1e-8)


def test_mass_on_a_spring_that_swings():
    """Lagrange for a bead λ of the way to a free point mass, in the plane: T = ½ (m + λ² μ) |ṙ|², V with the spring."""
    m = lw.Model("swinging")
    m.world = lw.World()
    m.bob = parts.PointMass(m=1.2, r_0=[0.5, -0.4, 0.1], v_0=[0.1, 0.3, -0.4])
    m.spring = forces.Spring(c=50, s_unstretched=0.4, m=0.8, length_fraction=0.6)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.bob.frame_a, m.spring.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-12)

    def f(t, y):
        p, v = y[:3], y[3:]
        s = np.linalg.norm(p)
        force = -50 * (s - 0.4) * p / s - np.array([0, (1.2 + 0.6 * 0.8) * G, 0])
        return np.concatenate([v, force / (1.2 + 0.6**2 * 0.8)])

    expected = run(f, [0.5, -0.4, 0.1, 0.1, 0.3, -0.4], r.t)[:3].T
    assert r["bob.r_0"] == pytest.approx(expected, abs=1e-8)


def line_between_ground_and_bob(line, drive=None, **bob):
    m = lw.Model("driven line")
    m.world = lw.World()
    m.bob = parts.PointMass(**{"m": 1.2, "r_0": [0.5, -0.4, 0.1], "v_0": [0.1, 0.3, -0.4], **bob})
    m.line = line
    m.connect(m.world.frame_b, m.line.frame_a)
    m.connect(m.bob.frame_a, m.line.frame_b)
    if drive is not None:
        m.drive = drive
        m.connect(m.line.flange_a, m.drive.flange_a)
        m.connect(m.line.flange_b, m.drive.flange_b)
    return m


def test_a_one_dimensional_spring_on_flanges_is_the_spring():
    """LineForceWithMass with a translational SpringDamper moves as spring, damper and mass between the frames."""
    drive = translational.SpringDamper(c=50, d=0.7, s_rel0=0.4)
    m = line_between_ground_and_bob(forces.LineForceWithMass(m=0.8, length_fraction=0.6), drive)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    direct = line_between_ground_and_bob(forces.SpringDamperParallel(c=50, d=0.7, s_unstretched=0.4))
    direct.mass = forces.Spring(c=0, m=0.8, length_fraction=0.6)
    direct.connect(direct.world.frame_b, direct.mass.frame_a)
    direct.connect(direct.bob.frame_a, direct.mass.frame_b)
    expected = lw.simulate(direct, 2.0, accuracy=1e-11)
    assert r["bob.r_0"] == pytest.approx(expected["bob.r_0"], abs=1e-8)
    assert r["line.frame_b.f"] == pytest.approx(expected["line.frame_b.f"] + expected["mass.frame_b.f"], abs=1e-6)
    assert r["line.fb"] == pytest.approx(-r["drive.f"], abs=1e-9)
    assert r["line.fa"] == pytest.approx(r["drive.f"], abs=1e-9)
    assert r["drive.s_rel"] == pytest.approx(r["line.length"], abs=1e-12)


@pytest.mark.parametrize("end", ("flange_a", "flange_b"))
def test_a_single_flange_acts_on_both_ends(end):
    """If only one flange is connected the other end gets the opposite force."""
    m = line_between_ground_and_bob(forces.LineForceWithMass())
    m.force = translational.Force(f=3.0)
    m.connect(m.force.flange, m.line._connectors[end])
    r = lw.simulate(m, 0.5, accuracy=1e-11)
    # a positive force at flange_b lengthens the line, at flange_a it shortens it
    sign = 1 if end == "flange_b" else -1

    def f(t, y):
        e = y[:3] / np.linalg.norm(y[:3])
        return np.concatenate([y[3:], sign * 3.0 * e / 1.2 - [0, G, 0]])

    expected = run(f, [0.5, -0.4, 0.1, 0.1, 0.3, -0.4], r.t)[:3].T
    assert r["bob.r_0"] == pytest.approx(expected, abs=1e-9)
    assert r["line.fa"] == pytest.approx(-r["line.fb"])


def test_a_one_dimensional_mass_on_the_flange_resists_lengthening_only():
    """A mass μ on flange_b feels the acceleration of the length: e·(m (r̈ − g) + …) + μ s̈ = 0, across nothing."""
    m = line_between_ground_and_bob(forces.LineForceWithMass())
    m.mass = translational.Mass(m=0.5)
    m.connect(m.line.flange_b, m.mass.flange_a)
    r = lw.simulate(m, 0.5, accuracy=1e-11)
    mass, mu = 1.2, 0.5

    def f(t, y):
        p, v = y[:3], y[3:]
        s = np.linalg.norm(p)
        e = p / s
        g = np.array([0, -G, 0])
        # along e: (m + μ) s̈ = m (g·e + (|v|² − ṡ²)/s) with s̈ = e·a + (|v|² − ṡ²)/s; only one flange: a takes it too
        rest = (v @ v - (e @ v) ** 2) / s
        along = (mass * (g @ e) - mu * rest) / (mass + mu)
        return np.concatenate([v, g - (g @ e) * e + along * e])

    expected = run(f, [0.5, -0.4, 0.1, 0.1, 0.3, -0.4], r.t)[:3].T
    assert r["bob.r_0"] == pytest.approx(expected, abs=1e-8)


def test_two_masses_on_a_line():
    """The masses ride at L_a from the ground and L_b from the bob: Lagrange in the plane, polar coordinates s, φ.

    T = ½ m_a L_a² φ̇² + ½ m_b (ṡ² + (s − L_b)² φ̇²) + ½ m (ṡ² + s² φ̇²), height s sin φ.
    """
    line = forces.LineForceWithTwoMasses(m_a=0.7, m_b=0.4, L_a=0.2, L_b=0.1)
    m = line_between_ground_and_bob(line, translational.Spring(c=60, s_rel0=0.5), r_0=[0.6, -0.2, 0], v_0=[0.4, 1.0, 0])
    r = lw.simulate(m, 1.5, accuracy=1e-12)
    mass, m_a, m_b, L_a, L_b = 1.2, 0.7, 0.4, 0.2, 0.1

    def f(t, y):
        s, phi, sd, pd = y
        J = m_a * L_a**2 + m_b * (s - L_b) ** 2 + mass * s**2
        arm = m_a * L_a + m_b * (s - L_b) + mass * s
        sdd = ((m_b * (s - L_b) + mass * s) * pd**2 - (m_b + mass) * G * np.sin(phi) - 60 * (s - 0.5)) / (m_b + mass)
        pdd = (-2 * (m_b * (s - L_b) + mass * s) * sd * pd - arm * G * np.cos(phi)) / J
        return [sd, pd, sdd, pdd]

    p, v = np.array([0.6, -0.2]), np.array([0.4, 1.0])
    s0 = np.linalg.norm(p)
    start = [s0, np.arctan2(p[1], p[0]), p @ v / s0, (p[0] * v[1] - p[1] * v[0]) / s0**2]
    s, phi = run(f, start, r.t)[:2]
    assert r["bob.r_0"][:, 0] == pytest.approx(s * np.cos(phi), abs=1e-8)
    assert r["bob.r_0"][:, 1] == pytest.approx(s * np.sin(phi), abs=1e-8)
    # third law: what the bob gives, the line's end takes
    assert r["line.frame_b.f"] == pytest.approx(-r["bob.frame_a.f"], abs=1e-7)
    # the ends of the line together carry its masses: Σ f = Σ m (a − g)
    total = r["line.frame_a.f"] + r["line.frame_b.f"]
    e = r["line.e_rel_0"]
    first = _second_rate(r.t, 0.2 * e)
    second = _second_rate(r.t, r["bob.r_0"] - 0.1 * e)
    expected = 0.7 * first + 0.4 * second + np.array([0, 1.1 * G, 0])
    assert total[3:-3] == pytest.approx(expected[3:-3], abs=2e-3)


def _second_rate(t, x):
    h = t[1] - t[0]
    out = np.zeros_like(x)
    out[2:-2] = (-x[:-4] + 16 * x[1:-3] - 30 * x[2:-2] + 16 * x[3:-1] - x[4:]) / (12 * h * h)
    return out


def test_a_mass_on_a_line_moves_a_point_that_has_none():
    """Two heavy springs meet in a point without mass: the masses on the lines make it move."""
    m = lw.Model("heavy net")
    m.world = lw.World()
    m.far = parts.Fixed(r=[1.0, 0, 0])
    m.one = forces.Spring(c=40, s_unstretched=0.3, m=0.6, length_fraction=0.5)
    m.two = forces.Spring(c=40, s_unstretched=0.3, m=0.6, length_fraction=0.5, s=lw.guess(0.5),
                          r_rel_0=lw.guess([-0.5, -0.3, 0]))
    m.look = sensors.AbsoluteSensor(resolve_in_frame="world")
    m.connect(m.world.frame_b, m.one.frame_a)
    m.connect(m.far.frame_b, m.two.frame_a)
    m.connect(m.one.frame_b, m.two.frame_b, m.look.frame_a)
    system = lw.compile(m)
    state = system.state()
    r = lw.simulate(system, 1.0, state=state, accuracy=1e-11)
    start = r["look.r"][0]

    def f(t, y):
        p, v = y[:3], y[3:]
        force = np.array([0, -0.6 * G, 0])
        for anchor in (np.zeros(3), np.array([1.0, 0, 0])):
            d = p - anchor
            s = np.linalg.norm(d)
            force = force - 40 * (s - 0.3) * d / s
        return np.concatenate([v, force / (2 * 0.25 * 0.6)])

    expected = run(f, [*start, 0, 0, 0], r.t)[:3].T
    assert r["look.r"] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("turn", (0.0, 0.7))
def test_fixed_rotation_holds_the_axes_and_takes_the_torque(turn):
    """A body on an off-centre spring that keeps its axes swings without turning; the spring takes the torque."""
    m = lw.Model("upright")
    m.world = lw.World()
    m.spring = forces.Spring(c=50, s_unstretched=0.3, fixed_rotation_at_frame_b=True)
    m.arm = parts.FixedRotation(r=[0.2, 0, 0], n=[0, 0, 1], angle=turn)
    m.body = parts.Body(m=1.2, r_cm=[0.1, 0, 0], inertia=[0.1, 0.2, 0.3], r_0=[0.7, -0.4, 0.1], v_0=[0, 0.5, 0])
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.chain(m.spring, m.arm, m.body)
    r = lw.simulate(m, 1.0, accuracy=1e-11)
    assert r["spring.frame_b.R.T"] == pytest.approx(np.broadcast_to(np.eye(3), (len(r.t), 3, 3)), abs=1e-12)

    def f(t, y):
        d = y[:3] - [0.2, 0, 0]
        s = np.linalg.norm(d)
        return np.concatenate([y[3:], -50 * (s - 0.3) * d / s / 1.2 - [0, G, 0]])

    assert r["body.r_0"] == pytest.approx(run(f, [0.7, -0.4, 0.1, 0, 0.5, 0], r.t)[:3].T, abs=1e-8)
    # torque on the spring's end balances the spring's force at the centre of mass
    com = np.array([0.2, 0, 0]) + [0.1 * np.cos(turn), 0.1 * np.sin(turn), 0]
    expected = -np.cross(com, -r["spring.frame_b.f"])
    assert r["spring.frame_b.t"] == pytest.approx(expected, abs=1e-7)


def test_fixed_rotation_where_a_joint_decides_is_refused():
    m = lw.Model("both")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.spring = forces.Spring(c=1, fixed_rotation_at_frame_b=True)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.body.frame_a, m.spring.frame_b)
    m.connect(m.world.frame_b, m.spring.frame_a)
    with pytest.raises(lw.TopologyError, match="spring: fixed_rotation_at_frame_b"):
        lw.simulate(m, 0.1)


def test_series_spring_and_damper():
    """f = c (s − s0 − d_len), ḋ_len = f/d: against the same equations by hand."""
    m = lw.Model("series")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(s=1.0, v=0)
    m.body = parts.Body(m=2)
    m.element = forces.SpringDamperSeries(c=30, d=4, s_unstretched=0.6, s_damper_start=0.1)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.element.frame_a)
    m.connect(m.body.frame_a, m.element.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    s, _, z = run(lambda t, y: [y[1], -30 * (y[0] - 0.6 - y[2]) / 2, 30 * (y[0] - 0.6 - y[2]) / 4], [1, 0, 0.1], r.t)
    assert r["slide.s"] == pytest.approx(s, abs=1e-8)
    assert r["element.s_damper"] == pytest.approx(z, abs=1e-8)
    assert r["element.loss_power"] == pytest.approx(r["element.f"] ** 2 / 4, abs=1e-9)


def test_modelicas_line_force_with_two_masses():
    """MultiBody.Examples.Elementary.LineForceWithTwoMasses, its right half; values computed at high precision."""
    m = lw.Model("LineForceWithTwoMasses")
    m.world = lw.World()
    m.rod3 = parts.FixedTranslation(r=[0, -0.9, 0.3])
    m.rod4 = parts.FixedTranslation(r=[0, 0.3, 0.3])
    m.revolute2 = joints.Revolute(phi=0, w=0)
    m.box = parts.BodyBox(r=[0.7, 0, 0])
    m.damper2 = translational.Damper(d=3)
    m.line = forces.LineForceWithTwoMasses(L_a=0.2, L_b=0.2, m_a=1, m_b=1)
    m.connect(m.world.frame_b, m.rod3.frame_a, m.rod4.frame_a)
    m.chain(m.rod4, m.revolute2, m.box)
    m.connect(m.rod3.frame_b, m.line.frame_a)
    m.connect(m.box.frame_b, m.line.frame_b)
    m.connect(m.line.flange_a, m.damper2.flange_a)
    m.connect(m.line.flange_b, m.damper2.flange_b)
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    assert r["revolute2.phi"][-1] == pytest.approx(-0.92014247, abs=1e-6)
    assert r["revolute2.w"][-1] == pytest.approx(0.89972751, abs=1e-6)
    # the box and the line exchange equal forces
    assert r["box.frame_b.f"] == pytest.approx(-r["line.frame_b.f"], abs=1e-7)
