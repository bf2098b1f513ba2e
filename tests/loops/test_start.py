"""The start of mechanisms with loops: on the side of the guesses, and the same in every formulation."""

import numpy as np
import pytest
from loop_mechanisms import theo_jansen
from test_mixed import engine

import linkwright as lw
from linkwright import assemblies, joints, parts, translational
from linkwright.algebra import rotation_from_angles

FORMULATIONS = ("minimal", "projection")


def floating_ring(lengths, guess=1.6):
    """Four links in a circle, free in space; their outer angles add up to a turn."""
    m = lw.Model("ring")
    m.world = lw.World(gravity=None)
    m.link = [parts.BodyShape(m=1.0 + k, r=[length, 0, 0], r_cm=[length / 2, 0, 0], inertia=[0.01, 0.1, 0.1])
              for k, length in enumerate(lengths)]
    m.joint = [joints.Revolute(phi=1.3, w=2.0), *(joints.Revolute(phi=lw.guess(guess)) for _ in range(3))]
    for k in range(4):
        m.connect(m.link[k].frame_b, m.joint[k].frame_a)
        m.connect(m.joint[k].frame_b, m.link[(k + 1) % 4].frame_a)
    return m


BASE, PLATFORM = np.deg2rad([10, 110, 130, 230, 250, 350]), np.deg2rad([50, 70, 170, 190, 290, 310])


def strut_platform(**given):
    """Six struts with springs between a base of radius 0.6 m and a platform of radius 0.35 m."""
    m = lw.Model("platform")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.plate = parts.Body(m=10, r_cm=[0, 0, 0], inertia=[0.4, 0.4, 0.8], **given)
    m.foot = [parts.FixedTranslation(r=[0.6 * np.cos(a), 0.6 * np.sin(a), 0]) for a in BASE]
    m.head = [parts.FixedTranslation(r=[0.35 * np.cos(a), 0.35 * np.sin(a), 0]) for a in PLATFORM]
    m.strut = [assemblies.JointUPS(n_axis_ia=[0.9, 0, 0], n1_a=[0, 1, 0]) for _ in range(6)]
    m.spring = [translational.Spring(c=2000.0, s_rel0=1.0) for _ in range(6)]
    m.sleeve = [parts.Body(m=0.1, r_cm=[0.2, 0, 0]) for _ in range(6)]
    m.rod = [parts.Body(m=0.1, r_cm=[-0.2, 0, 0]) for _ in range(6)]
    for foot, head, strut, spring, sleeve, rod in zip(m.foot, m.head, m.strut, m.spring, m.sleeve, m.rod, strict=True):
        m.connect(m.world.frame_b, foot.frame_a)
        m.connect(foot.frame_b, strut.frame_a)
        m.connect(m.plate.frame_a, head.frame_a)
        m.connect(head.frame_b, strut.frame_b)
        m.connect(strut.bearing, spring.flange_a)
        m.connect(strut.axis, spring.flange_b)
        m.connect(strut.frame_ia, sleeve.frame_a)
        m.connect(strut.frame_ib, rod.frame_a)
    return m


def spatial_crank(phi_guess=1.1):
    """A crank of 0.2 m drives a rocker of 0.6 m through a rod with a ball and a universal joint; 0.5 rad ↔ 1.2 rad."""
    foot = np.array([0.8, 0.1, 0.3])
    pin = 0.2 * np.array([np.cos(0.5), np.sin(0.5), 0])
    end = foot + [0, 0.6 * np.cos(1.2), 0.6 * np.sin(1.2)]
    length = float(np.linalg.norm(end - pin))
    m = lw.Model("RSUR")
    m.world = lw.World(g=9.81)
    m.crank, m.arm = joints.Revolute(phi=0.5, w=8.0), parts.BodyShape(m=1, r=[0.2, 0, 0], r_cm=[0.1, 0, 0])
    m.foot, m.rocker = parts.FixedTranslation(r=foot), parts.Body(m=1, r_cm=[0, 0.3, 0], inertia=[0.03, 0.002, 0.03])
    m.leg = assemblies.JointSUR(n_b=[1, 0, 0], r_rod1_ia=[length, 0, 0], r_rod2_ib=[0, 0.6, 0], n1_b=[0, 0, 1],
                                phi_guess=phi_guess)
    m.middle, m.mass = parts.FixedTranslation(r=[length / 2, 0, 0]), parts.PointMass(m=0.5)
    m.chain(m.world, m.crank, m.arm)
    m.connect(m.arm.frame_b, m.leg.frame_a)
    m.chain(m.world, m.foot)
    m.connect(m.foot.frame_b, m.leg.frame_b)
    m.connect(m.leg.frame_ib, m.rocker.frame_a)
    m.connect(m.leg.frame_ia, m.middle.frame_a)
    m.connect(m.middle.frame_b, m.mass.frame_a)
    return m


def starts(model, *names):
    """The initial values of variables, per formulation."""
    out = []
    for formulation in FORMULATIONS:
        state = lw.compile(model, formulation=formulation).state()
        assert np.max(np.abs(state.get("position_error"))) < 1e-10
        assert np.max(np.abs(state.get("velocity_error"))) < 1e-9
        out.append(np.concatenate([np.ravel(state.get(name)) for name in names]))
    np.testing.assert_allclose(*out, atol=1e-9)
    return out[0]


@pytest.mark.parametrize(("lengths", "angles"), [
    ((1, 0.5, 0.9, 0.8), [1.3, 1.5375, 1.5239, 1.9217]), ((1, 0.6, 0.9, 0.8), [1.3, 1.6489, 1.4097, 1.9246]),
    ((1, 0.9, 0.9, 0.8), [1.3, 2.0084, 0.9467, 2.0281])])
def test_a_floating_ring_is_convex_as_guessed(lengths, angles):
    names = [f"joint[{k}].phi" for k in range(4)] + [f"link[{k}].body.v_0" for k in range(4)] + ["link[2].frame_a.r_0"]
    found = starts(floating_ring(lengths), *names)[:4]
    assert found == pytest.approx(angles, abs=1e-4) and np.sum(found) == pytest.approx(2 * np.pi, abs=1e-9)


@pytest.mark.parametrize("phi_guess", [0.9, 1.1, 1.5])
def test_a_spatial_crank_starts_at_the_solution_next_to_the_guess(phi_guess):
    assert starts(spatial_crank(phi_guess), "leg.phi", "crank.w", "mass.r_0", "mass.v_0")[0] == pytest.approx(1.2)


@pytest.mark.parametrize("given", [
    {"r_0": lw.guess([0.05, -0.05, 0.8])}, {"r_0": [0.05, -0.05, 0.8], "angles": [0.1, 0.05, 0.2]},
    {"r_0": lw.guess([0.05, -0.05, 0.8]), "angles": lw.guess([0, 0, 0])}], ids=["place", "fixed", "pose"])
def test_struts_have_positive_length_and_the_platform_stands_upright(given):
    names = [f"strut[{k}].s" for k in range(6)]
    found = starts(strut_platform(**given), *names, "plate.r_0", "plate.frame_a.R.T")
    assert np.all((found[:6] > 0.7) & (found[:6] < 1.1))
    R_WB = found[9:18].reshape(3, 3)
    assert np.trace(R_WB) > 2.7
    if isinstance(given["r_0"], list):
        assert found[6:9] == pytest.approx(given["r_0"], abs=1e-9)


@pytest.mark.parametrize("legs", [4, pytest.param(12, marks=pytest.mark.slow)])
def test_legs_start_on_the_side_they_were_drawn_on(legs):
    """Every leg closes with all its angles zero; guesses of them are off by up to 0.6 rad."""
    names = [f"leg{k}.{name}.phi" for k in range(legs) for name in ("pin_j", "base_c", "corner", "knee")]
    assert np.max(np.abs(starts(theo_jansen(legs, 0.6), *names))) < 1e-9


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_a_platform_on_struts_of_given_length_is_found_near_its_guess(seed):
    """The forward problem has up to 40 solutions and no closed form; nothing is said of the orientation."""
    random = np.random.default_rng(seed)
    place, R = [0, 0, 0.8] + random.uniform(-0.1, 0.1, 3), rotation_from_angles((1, 2, 3), random.uniform(-0.2, 0.2, 3))
    m = strut_platform(r_0=lw.guess([0, 0, 0.8]))
    for strut, a, b in zip(m.strut, PLATFORM, BASE, strict=True):
        head = place + R @ [0.35 * np.cos(a), 0.35 * np.sin(a), 0]
        m.init(strut.prismatic.s, float(np.linalg.norm(head - [0.6 * np.cos(b), 0.6 * np.sin(b), 0])))
    found = starts(m, "plate.r_0", "plate.frame_a.R.T")
    assert found[:3] == pytest.approx(place, abs=1e-8)
    np.testing.assert_allclose(found[3:].reshape(3, 3), R.T, atol=1e-8)


@pytest.mark.parametrize("angles", [[1.8, 0, 0], [np.pi / 2, 0, 0], [np.pi, 0, 0], [2.0, 0.2, 1.0], [-3, -1, 2.5],
                                    [0.3, 2.5, -2.0], [1.0, np.pi / 2, 0.5]])
def test_a_free_body_starts_with_any_orientation(angles):
    m = lw.Model("free")
    m.world = lw.World()
    m.body = parts.Body(m=1, inertia=[1, 2, 3], r_0=[1, 2, -1], angles=angles)
    R_WB = rotation_from_angles((1, 2, 3), angles)
    np.testing.assert_allclose(lw.compile(m).state().get("body.frame_a.R.T"), R_WB.T, atol=1e-11)


@pytest.mark.parametrize("given", [{"r_0": lw.guess([0.05, -0.05, 0.8])},
                                   {"r_0": lw.guess([0.3, -0.2, 0.5]), "angles": lw.guess([0.3, 0.4, 0.5])}])
def test_a_platform_comes_to_rest_on_its_springs(given):
    """Where the forces push it: upright in the middle, all struts alike, and not through the base to hang below.

    Struts of length L over a horizontal distance h carry 10.6 kg: 6 · 2000 (1 − L) z/L = 10.6 g.
    """
    h_square = 0.6**2 + 0.35**2 - 2 * 0.6 * 0.35 * np.cos(np.deg2rad(40))
    z = 0.9
    for _ in range(50):
        z = np.sqrt((1 - 10.6 * 9.81 / 12000 * np.sqrt(h_square + z * z) / z) ** 2 - h_square)
    for formulation in FORMULATIONS:
        rest = lw.equilibrium(lw.compile(strut_platform(**given), formulation=formulation))
        assert rest.get("plate.r_0") == pytest.approx([0, 0, z], abs=1e-8)
        assert np.ptp([rest.get(f"strut[{k}].s") for k in range(6)]) < 1e-8
        assert np.max(np.abs(rest.get("udot"))) < 1e-8


def test_loops_with_and_without_closed_form_start_alike_in_every_formulation():
    m = engine(1)
    for k in range(1, 7):
        joint = getattr(m, f"joint{k}")
        joint._initial["phi"] = [lw.guess(joint._initial["phi"][0].value + 0.1 * (-1) ** k)]
    names = ["bearing.phi", "bearing.w", "cylinder1.slider.s", *(f"joint{k}.phi" for k in range(1, 7))]
    found = starts(m, *names)
    own = lw.compile(m)
    assert own.equations.explicit.partial
    np.testing.assert_allclose([own.state().get(name) for name in names], found, atol=1e-9)
    # nearer to the guesses than these are off
    assert np.max(np.abs(found[3:] - [getattr(m, f"joint{k}")._initial["phi"][0].value for k in range(1, 7)])) < 0.25


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("silent", range(4))
def test_guesses_that_close_a_loop_are_kept(silent, seed):
    """Three angles close a four-bar; the fourth, of which nothing is said, follows and moves none of them."""
    random = np.random.default_rng(seed)
    directions = np.cumsum([random.uniform(0.5, 1.2), *random.uniform(-1.6, -0.4, 2)])
    ends = np.cumsum([length * np.array([np.cos(a), np.sin(a), 0]) for length, a in
                      zip((0.5, 0.9, 0.7), directions, strict=True)], axis=0)
    angles = [directions[0], *np.diff(directions), -directions[-1]]
    m = lw.Model("four-bar")
    m.world, m.end = lw.World(gravity=None), parts.Fixed(r=ends[-1])
    m.joint = [joints.Revolute(**({} if k == silent else {"phi": lw.guess(angle)})) for k, angle in enumerate(angles)]
    m.link = [parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0]) for length in (0.5, 0.9, 0.7)]
    m.chain(m.world, *(part for pair in zip(m.joint, m.link, strict=False) for part in pair), m.joint[3])
    m.connect(m.joint[3].frame_b, m.end.frame_b)
    for formulation in FORMULATIONS:
        s = lw.compile(m, formulation=formulation).state()
        found = np.array([s.get(f"joint[{k}].phi") for k in range(4)])
        np.testing.assert_allclose(np.delete(found, silent), np.delete(angles, silent), atol=1e-6)
