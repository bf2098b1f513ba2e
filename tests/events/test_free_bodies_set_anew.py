"""`m.when` on bodies that float freely and on free joints: what is named takes its new value, what is not stays."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

VALUES = {"r_0": [0.3, -0.2, 1.1], "v_0": [1.0, 2.0, -0.5], "w_0": [0.4, -1.0, 2.0], "w_a": [-0.3, 0.8, 1.5],
          "angles": [0.4, -0.6, 2.2], "Q": np.array([0.2, -0.5, 0.7, 0.4]) / np.linalg.norm([0.2, -0.5, 0.7, 0.4])}
STAYS = ("r_0", "v_0", "w_a", "angles")
AT = 0.2


def thrown(quaternions=True):
    """Two bodies joined askew; the one that is looked at does not carry the coordinates."""
    m = lw.Model("thrown")
    m.world = lw.World()
    m.first = parts.Body(m=1.0, r_cm=[0.1, 0, 0], inertia=[0.1, 0.2, 0.25], angles=[0.3, -0.2, 0.5], w_0=[1, 2, 0.5],
                         r_0=[0, 0, 0], v_0=[0.5, 1, 0], use_quaternions=quaternions)
    m.link = parts.FixedRotation(r=[0.2, 0.3, -0.1], n=[1, 2, 3], angle=0.7)
    m.ball = parts.Body(m=0.5, r_cm=[0, 0.2, 0], inertia=[0.05, 0.06, 0.07], use_quaternions=quaternions)
    m.chain(m.first, m.link, m.ball)
    return m


def around(m, names):
    """Values just before and just after the instant."""
    r = lw.simulate(m, 2 * AT, accuracy=1e-9)
    return ({name: r.at(AT, side=side)[name] for name in names} for side in ("before", "after"))


def same_angles(a, b):
    return np.max(np.abs(np.exp(1j * np.asarray(a)) - np.exp(1j * np.asarray(b)))) < 1e-9


@pytest.mark.parametrize("quaternions", [True, False])
@pytest.mark.parametrize("which", [("v_0",), ("w_0",), ("w_a",), ("r_0",), ("angles",), ("Q",), ("r_0", "v_0"),
                                   ("angles", "w_0"), ("r_0", "v_0", "Q", "w_a"), ("angles", "v_0")])
def test_what_is_named_is_set_and_the_rest_stays(which, quaternions):
    m = thrown(quaternions)
    m.when(lw.time > AT, {getattr(m.ball, name): VALUES[name] for name in which})
    names = [f"ball.{name}" for name in VALUES]
    before, after = around(m, names)
    for name in which:
        own = VALUES[name]
        if name == "Q":
            assert abs(abs(np.dot(after["ball.Q"], own)) - 1) < 1e-9
        else:
            np.testing.assert_allclose(after[f"ball.{name}"], own, atol=1e-9)
    turned = {"angles", "Q"} & set(which)
    spun = {"w_0", "w_a"} & set(which)
    for name in STAYS:
        if name not in which and not (name == "angles" and turned) and not (name == "w_a" and spun):
            assert same_angles(after[f"ball.{name}"], before[f"ball.{name}"]) if name == "angles" else np.allclose(
                after[f"ball.{name}"], before[f"ball.{name}"], atol=1e-9), name


def test_single_entries():
    m = thrown()
    m.when(lw.time > AT, {m.ball.v_0[1]: -m.ball.v_0[1]})
    before, after = around(m, ["ball.v_0", "ball.w_a"])
    np.testing.assert_allclose(after["ball.v_0"], before["ball.v_0"] * [1, -1, 1], atol=1e-9)
    np.testing.assert_allclose(after["ball.w_a"], before["ball.w_a"], atol=1e-9)


@pytest.mark.parametrize("values", [{"v_rel_a": [1, 2, 3]}, {"angles": [0.1, 0.2, 0.3], "r_rel_a": [1, 0, 0]},
                                    {"w_rel_a": [1, 0, 2], "v_rel_a": [0, 1, 0]}])
def test_a_free_joint_on_a_moving_arm(values):
    m = lw.Model("arm")
    m.world, m.rev = lw.World(), joints.Revolute(n=[1, 1, 0], w=2.0)
    m.arm = parts.BodyShape(m=1.0, r=[0.4, 0.1, 0], r_cm=[0.2, 0, 0], inertia=[0.1] * 3)
    m.free, m.ball = joints.FreeMotion(), parts.Body(m=0.3, r_cm=[0, 0.1, 0], inertia=[0.02, 0.03, 0.04])
    m.chain(m.world, m.rev, m.arm, m.free, m.ball)
    m.when(lw.time > AT, {getattr(m.free, name): value for name, value in values.items()})
    before, after = around(m, ["free.r_rel_a", "free.v_rel_a", "free.w_rel_a", "free.w_rel_b", "free.angles", "rev.w"])
    for name, value in values.items():
        np.testing.assert_allclose(after[f"free.{name}"], value, atol=1e-9)
    assert after["rev.w"] == pytest.approx(before["rev.w"], abs=1e-12)
    if "r_rel_a" not in values:
        np.testing.assert_allclose(after["free.r_rel_a"], before["free.r_rel_a"], atol=1e-12)


def test_a_ball_joint_is_turned():
    m = lw.Model("top")
    m.world, m.pin = lw.World(), joints.Spherical(w_rel_b=[0, 0, 5])
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0.3], inertia=[0.1, 0.1, 0.05])
    m.chain(m.world, m.pin, m.body)
    m.when(lw.time > AT, {m.pin.angles: [0.5, 0.1, -0.2], m.pin.w_rel_a: [0, 1, 0]})
    _, after = around(m, ["pin.angles", "pin.w_rel_a"])
    np.testing.assert_allclose(after["pin.angles"], [0.5, 0.1, -0.2], atol=1e-9)
    np.testing.assert_allclose(after["pin.w_rel_a"], [0, 1, 0], atol=1e-9)


def test_a_body_thrown_again_and_again_keeps_its_energy_between():
    """The bounces of a rod on a floor, with the impulse of one's own: energy of each flight is constant."""
    m = lw.Model("bounces")
    m.world = lw.World()
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.3], r_0=[0, 0.5, 0], v_0=[0.2, 0, 0], angles=[0.3, 0.2, 0.1],
                        w_0=[1, 2, 3])
    m.when(m.body.r_0[1] < 0, {m.body.v_0[1]: -m.body.v_0[1], m.body.w_0: -m.body.w_0})
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert len(r.events) > 2 and np.ptp(energy) < 1e-8 * np.max(energy)


def test_what_follows_from_others_is_still_refused():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(), parts.Body(m=1.0, r_cm=[1, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.when(lw.time > AT, {m.body.v_0: [1, 0, 0]})
    with pytest.raises(lw.ModelError, match="follows from other variables"):
        lw.simulate(m, 1.0)


def test_vectors_of_a_wrong_length_are_refused():
    m = thrown()
    for wrong in (1.0, [1, 2], [[1, 2, 3]], "abc", [1, 2, float("nan")]):
        with pytest.raises(lw.ModelError):
            m.when(lw.time > AT, {m.ball.v_0: wrong})
