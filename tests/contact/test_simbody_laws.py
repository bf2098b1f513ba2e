"""Compliant laws formula by formula, as Simbody's own tests state them: forces, where they act, energy, losses."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import linkwright as lw
from linkwright import contact, parts
from linkwright.library.contact.ellipses import axes_ratio, hertz_factor

RADIUS = 0.8
#: TestHuntCrossleyForce: the ball, then the floor: E, c, μ_d, μ_s, μ_v; and the slip speed of transition
BALL, FLOOR, TRANSITION = (1.0, 0.5, 0.5, 1.0, 0.1), (2.0, 1.0, 0.2, 0.7, 0.05), 0.001


def stribeck(slip, mu, mu_s, viscous):
    """The newer law (CompliantContactSubsystem)."""

    def step(x):
        return 10 * x**3 - 15 * x**4 + 6 * x**5

    v = slip / TRANSITION
    dry = mu_s * step(v) if v < 1 else mu_s - (mu_s - mu) * step((v - 1) / 2) if v < 3 else mu
    return dry + viscous * slip


def hollars(slip, mu, mu_s, viscous):
    """The older law (HuntCrossleyForce)."""
    v = slip / TRANSITION
    return min(v, 1.0) * (mu + 2 * (mu_s - mu) / (1 + v * v)) + viscous * slip


def ball_on_a_floor(law=None, skin=None, **material):
    """A body of 1 kg over a floor; its state is what a test sets."""
    def of(numbers):
        stiffness, dissipation, mu, mu_s, viscous = numbers
        return contact.Material(stiffness, dissipation, mu, mu_s, viscous, TRANSITION, **material)

    m = lw.Model("ball on a floor")
    m.world = lw.World(gravity=None)
    m.floor = contact.Plane(n=[0, 1, 0], material=of(FLOOR))
    m.skin = skin or contact.Sphere(radius=RADIUS, material=of(BALL))
    m.ball = parts.Body(m=1, inertia=[1.0] * 3, r_0=[0, 2, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return lw.compile(m)


def at(system, height, v=(0, 0, 0)):
    s = system.state()
    s.set("ball.r_0", [0, height, 0])
    s.u = [0, 0, 0, *v]  # in the axes of the ball, which are those of the world
    return s


@pytest.mark.parametrize(("model", "friction"), [("stribeck", stribeck), ("hollars", hollars)])
def test_hunt_crossley_of_two_materials(model, friction):
    """TestHuntCrossleyForce's grid of heights and speeds: the force, the place where it acts, energy and loss."""
    system = ball_on_a_floor(model=model)
    k_floor, k_ball = FLOOR[0] ** (2 / 3), BALL[0] ** (2 / 3)
    share = k_ball / (k_floor + k_ball)  # of the depth that the floor takes
    k, c = k_floor * share, FLOOR[1] * share + BALL[1] * (1 - share)
    mu, mu_s, viscous = (2 * x * y / (x + y) for x, y in zip(FLOOR[2:], BALL[2:], strict=True))
    for height in np.arange(1.0, 0.0, -0.1):
        x = RADIUS - height
        f_H = 4 / 3 * k * x * np.sqrt(RADIUS * k * x) if x > 0 else 0.0
        for speed in np.linspace(-1, 1, 9):
            # falling
            s = at(system, height, (0, speed, 0))
            f = max(0.0, f_H * (1 - 1.5 * c * speed))
            assert s.get("touch.f_n") == pytest.approx(f, rel=1e-12, abs=1e-15)
            assert s.get("touch.energy") == pytest.approx(0.4 * f_H * x, rel=1e-12, abs=1e-15)
            assert s.get("touch.loss_power") == pytest.approx(-(f - f_H) * speed, rel=1e-12, abs=1e-15)
        for slip in (-1.0, -0.002, -0.0005, 0.0003, 0.0012, 0.0025, 0.004, 0.5):
            s = at(system, height, (slip, 0, 0))
            f_t = -np.sign(slip) * f_H * friction(abs(slip), mu, mu_s, viscous)
            assert s.get("touch.f_t") == pytest.approx([f_t, 0, 0], rel=1e-12, abs=1e-13 * (1 + f_H))
            assert s.get("touch.loss_power") == pytest.approx(-f_t * slip, rel=1e-12, abs=1e-15)
            # it acts at the share of the depth below the floor: that is its arm about the centre
            arm = height + share * x
            assert s.get("ball.z_a") == pytest.approx([0, 0, f_t * arm], rel=1e-11, abs=1e-13 * (1 + f_H))


@pytest.mark.parametrize("radii", [(0.3, 0.1, 0.2), (0.5, 0.2, 0.1), (0.2, 0.2, 0.2)])
def test_hunt_crossley_of_an_ellipsoid(radii):
    """On its end an ellipsoid has the curvatures c/a² and c/b²: an ellipse of contact, with Simbody's factor."""
    law = contact.HuntCrossley(stiffness=1e6, dissipation=0.3)
    system = ball_on_a_floor(law, contact.Ellipsoid(radii=list(radii)))
    across = sorted([radii[1] / radii[0] ** 2, radii[1] / radii[2] ** 2])
    ratio = across[1] / across[0]
    q = np.log10(ratio) ** 2
    p = 2 / 3 * np.polyval([2.1667028e-6, 7.4855761e-4, 3.7491752e-2, 0.40227436, 1], q) / np.polyval(
        [2.7868927e-6, 9.0786922e-4, 4.2605401e-2, 0.42678878, 1], q)
    k = ratio**p
    m = 1 - 1 / k**2
    factor = np.pi * k * np.sqrt(ellipe(m)) / (2 * ellipk(m) ** 1.5)
    for x, v in ((1e-3, 0.0), (2e-3, 0.5), (5e-3, -0.5)):
        f_H = 4 / 3 * factor * 1e6 * np.sqrt(2 / sum(across)) * x**1.5
        s = at(system, radii[1] - x, (0, -v, 0))
        assert s.get("touch.f_n") == pytest.approx(f_H * (1 + 0.45 * v), rel=1e-12)
        assert s.get("touch.energy") == pytest.approx(0.4 * f_H * x, rel=1e-12)


@pytest.mark.parametrize("ratio", [1.0, 1.5, 4.0, 30.0, 1000.0])
def test_the_ellipse_of_contact_is_hertzs(ratio):
    """k² E(m)/K(m) … : the exact ratio of semi-axes (Dyson 1992) by root finding; Antoine's is within five digits."""

    def apart(k):
        m = 1 - 1 / k**2
        K, E = ellipk(m), ellipe(m)
        return (k * k * E - K) / (K - E) - ratio if k > 1 else 1 - ratio

    exact = 1.0 if ratio == 1 else brentq(apart, 1 + 1e-9, 1e4, xtol=1e-13)
    assert float(axes_ratio(ratio)) == pytest.approx(exact, rel=1e-4)
    m = 1 - 1 / exact**2
    assert float(hertz_factor(ratio)) == pytest.approx(
        np.pi * exact * np.sqrt(ellipe(m)) / (2 * ellipk(m) ** 1.5), rel=1e-5)


def test_a_brick_presses_with_the_corners_of_its_face():
    """k x (1 + c ẋ) under each of four corners, the centre of pressure between them: Simbody's BrickHalfSpace."""
    law = contact.Linear(stiffness=1e5, dissipation=0.4)
    system = ball_on_a_floor(law, contact.Box(size=[0.4, 0.2, 0.6]))
    s = at(system, 0.099, (0, -0.3, 0))
    f = np.sort(s.get("touch.f_n"))
    assert f == pytest.approx([0] * 4 + [1e5 * 1e-3 * 1.12] * 4, rel=1e-12, abs=1e-12)
    assert s.get("ball.a_0") == pytest.approx([0, 4 * 1e5 * 1e-3 * 1.12, 0], rel=1e-12, abs=1e-12)
    assert s.get("touch.energy") == pytest.approx(4 * 0.5 * 1e5 * 1e-6, rel=1e-12)


def test_a_smooth_sphere_on_a_half_space():
    """SmoothSphereHalfSpaceForce (TestSmoothSphereHalfSpaceForce's grid), every factor of it, apart or pressing."""
    E, c, cf, bd, bv = 1.0, 0.5, 1e-5, 300.0, 50.0
    mu, mu_s, viscous = 0.5, 1.0, 0.1
    k = 0.5 * E ** (2 / 3)
    # its k stands for both surfaces: E* = k^{3/2}
    law = contact.Smooth(k**1.5, c, mu, mu_s, viscous, TRANSITION, cf, bd, bv)
    system = ball_on_a_floor(law)
    for height in np.arange(1.0, 0.0, -0.1):
        x = RADIUS - height
        held = 4 / 3 * k * np.sqrt(RADIUS * k) * (x * x + cf) ** 0.75 * (0.5 + 0.5 * np.tanh(bd * x))
        for v in np.linspace(-1, 1, 9):
            f = held * (1 - 1.5 * c * v) * (0.5 + 0.5 * np.tanh(bv * (-v + 2 / (3 * c))))
            assert at(system, height, (0, v, 0)).get("touch.f_n") == pytest.approx(f, rel=1e-12, abs=1e-15)
            at_rest = held * (0.5 + 0.5 * np.tanh(bv * 2 / (3 * c)))
            slip = np.sqrt(v * v + cf)
            f_t = -at_rest * hollars(slip, mu, mu_s, viscous) * v / slip
            s = at(system, height, (v, 0, 0))
            assert s.get("touch.f_t")[0] == pytest.approx(f_t, rel=1e-12, abs=1e-15)
