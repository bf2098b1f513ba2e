"""Locks that come and go: joints are caught by impulses, held, and let go."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

G = 9.80665
LENGTH, M1, C1, I1, M2, C2, I2 = 1.0, 1.3, 0.5, 0.05, 0.7, 0.4, 0.03


def double_pendulum(second=None):
    m = lw.Model("double pendulum")
    m.world = lw.World()
    m.j1, m.j2 = joints.Revolute(phi=0.2, w=1.0), joints.Revolute(**(second or {"phi": 0.5, "w": 2.0}))
    m.b1 = parts.Body(m=M1, r_cm=[C1, 0, 0], inertia=[0.01, 0.02, I1])
    m.b2 = parts.Body(m=M2, r_cm=[C2, 0, 0], inertia=[0.01, 0.01, I2])
    m.link = parts.FixedTranslation(r=[LENGTH, 0, 0])
    m.chain(m.world, m.j1, m.b1)
    m.chain(m.j1, m.link, m.j2, m.b2)
    return m


def angular_momentum(s):
    """About the fixed pivot, by hand."""
    phi, w = s["j1.phi"], s["j1.w"]
    theta, rate = phi + s["j2.phi"], w + s["j2.w"]
    x, y = LENGTH * np.cos(phi) + C2 * np.cos(theta), LENGTH * np.sin(phi) + C2 * np.sin(theta)
    vx, vy = -LENGTH * w * np.sin(phi) - C2 * rate * np.sin(theta), LENGTH * w * np.cos(phi) + C2 * rate * np.cos(theta)
    return (I1 + M1 * C1**2) * w + I2 * rate + M2 * (x * vy - y * vx)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_a_lock_catches_a_moving_joint_holds_it_and_lets_go(method):
    m = double_pendulum()
    m.lock(m.j2, when=lw.logical_and(lw.time > 0.4, lw.time < 1.2))
    r = lw.simulate(m, 2.0, accuracy=1e-10, method=method)
    before, after = r.at(0.4, side="before"), r.at(0.4, side="after")
    assert abs(before["j2.w"]) > 1 and after["j2.w"] == pytest.approx(0, abs=1e-14)
    # an impulse between the links is none about the pivot
    assert angular_momentum(after) == pytest.approx(angular_momentum(before), rel=1e-12)
    held = (r.t > 0.4) & (r.t < 1.2)
    assert np.abs(r["j2.phi"][held] - after["j2.phi"]).max() < 1e-15
    np.testing.assert_allclose(r["j2.tau"][held], -r["j2.frame_b.t"][held][:, 2], atol=1e-12)
    assert np.abs(r["j2.tau"][held]).max() > 1 and np.abs(r["j2.tau"][(r.t < 0.4) | (r.t > 1.2)]).max() < 1e-12
    assert [(e.what, e.direction) for e in r.events if "lock" in e.what] == [("j2.lock", 1), ("j2.lock", -1)]


def test_while_it_is_locked_it_moves_as_with_a_lock_that_stays():
    m = double_pendulum()
    m.lock(m.j2, when=lw.time > 0.4)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    after = r.at(0.4, side="after")
    fixed = double_pendulum({"phi": float(after["j2.phi"])})
    fixed.j1._give("phi", float(after["j1.phi"]))
    fixed.j1._give("w", float(after["j1.w"]))
    fixed.lock(fixed.j2)
    expected = lw.simulate(fixed, 1.6, accuracy=1e-11)
    for t in (0.5, 1.0, 1.6):
        assert r.at(0.4 + t)["j1.phi"] == pytest.approx(expected.at(t)["j1.phi"], abs=1e-9)
        assert r.at(0.4 + t)["j2.tau"] == pytest.approx(expected.at(t)["j2.tau"], abs=1e-7)


def test_a_lock_follows_a_discrete_variable_and_a_position():
    m = double_pendulum()
    mode = m.discrete("mode", 0.0)
    m.when(m.j2.phi > 1.0, {mode: 1.0})
    m.lock(m.j2, when=mode)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    assert r["j2.phi"][-1] == pytest.approx(1.0, abs=1e-9) and abs(r["j2.w"][-1]) < 1e-30


def test_a_lock_that_holds_from_the_start_takes_off_the_speed_that_was_given():
    m = double_pendulum()
    m.lock(m.j2, when=lw.time < 0.5)
    r = lw.simulate(m, 0.4)
    assert np.abs(r["j2.w"][1:]).max() < 1e-30 and np.ptp(r["j2.phi"]) < 1e-15


@pytest.mark.parametrize("kind", ["Spherical", "Universal", "Prismatic"])
def test_a_lock_of_several_freedoms_leaves_momentum_of_what_flies_free(kind):
    m = lw.Model("two bodies")
    m.world = lw.World(gravity=None)
    m.free = joints.FreeMotion(v_rel_a=[0.1, 0.2, 0.3], w_rel_a=[1.0, 0.5, -0.3])
    m.a = parts.Body(m=2.0, r_cm=[0.1, 0, 0], inertia=[0.1, 0.2, 0.3])
    given = {"Spherical": {"w_rel_a": [1, 2, 3]}, "Universal": {"w_a": 2.0, "w_b": -1.0}, "Prismatic": {"v": 1.0}}[kind]
    m.joint = getattr(joints, kind)(**given)
    m.b = parts.Body(m=1.0, r_cm=[0.3, 0.1, 0], inertia=[0.1, 0.1, 0.2])
    m.chain(m.world, m.free, m.a)
    m.chain(m.free, m.joint, m.b)
    m.lock(m.joint, when=lw.time > 0.3)
    r = lw.simulate(m, 0.6, accuracy=1e-10)
    momentum = []
    for side in ("before", "after"):
        s = r.at(0.3, side=side)
        p, h = np.zeros(3), np.zeros(3)
        for name, mass, inertia in (("a", 2.0, [0.1, 0.2, 0.3]), ("b", 1.0, [0.1, 0.1, 0.2])):
            R, w = np.array(s[f"{name}.frame_a.R.T"]).T, np.array(s[f"{name}.w_a"])
            c = R @ {"a": [0.1, 0, 0], "b": [0.3, 0.1, 0]}[name]
            v = np.array(s[f"{name}.v_0"]) + np.cross(R @ w, c)
            p += mass * v
            h += R @ (inertia * w) + mass * np.cross(s[f"{name}.r_0"] + c, v)
        momentum.append(np.concatenate([p, h]))
    np.testing.assert_allclose(momentum[1], momentum[0], atol=1e-12)
    late = r.t > 0.31
    turn = r["b.frame_a.R.T"] @ np.swapaxes(r["a.frame_a.R.T"], 1, 2)
    assert np.ptp(turn[late], axis=0).max() < 1e-8 and np.ptp(turn, axis=0).max() > (0.1 if kind != "Prismatic" else -1)


@pytest.mark.parametrize("formulation", ["projection", "minimal"])
def test_the_only_freedom_of_a_loop_is_caught(formulation):
    m = lw.Model("slider crank")
    m.world = lw.World()
    m.crank, m.pin, m.knuckle = joints.Revolute(phi=0.5, w=10.0), joints.Revolute(), joints.Revolute()
    m.slide = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.7))
    m.arm, m.rod = parts.BodyBox(r=[0.2, 0, 0], width=0.02), parts.BodyBox(r=[0.6, 0, 0], width=0.02)
    m.piston = parts.Body(m=1.0)
    m.chain(m.world, m.crank, m.arm, m.pin, m.rod, m.knuckle)
    m.chain(m.world, m.slide, m.piston)
    m.connect(m.slide.frame_b, m.knuckle.frame_b)
    m.lock(m.slide, when=lw.time > 0.2)
    r = lw.simulate(lw.compile(m, formulation=formulation), 0.4)
    after = r.t > 0.2
    assert np.abs(r["crank.w"][after]).max() < 1e-9 and abs(r.at(0.2, side="before")["crank.w"]) > 1
    assert np.ptp(r["slide.s"][after]) < 1e-10


def test_a_blow_on_a_stop_passes_through_a_lock():
    """A locked pair hits a stop as one body does."""
    speeds = []
    for locked in (True, False):
        m = lw.Model("pair")
        m.world = lw.World(gravity=None)
        m.slide = joints.Prismatic(s=0.5, v=-1.0, s_min=0.0, restitution=0.5)
        m.first = parts.Body(m=1.0)
        m.second = parts.Body(m=3.0)
        m.chain(m.world, m.slide, m.first)
        if locked:
            m.between = joints.Prismatic(n=[1, 0, 0])
            m.chain(m.slide, m.between, m.second)
            m.lock(m.between, when=lw.time > 0.1)
        else:
            m.connect(m.slide.frame_b, m.second.frame_a)
        r = lw.simulate(m, 1.0)
        speeds.append([r["slide.v"][-1], r["second.v_0"][-1][0]])
    np.testing.assert_allclose(speeds[0], speeds[1], atol=1e-12)
    assert speeds[0][0] == pytest.approx(0.5)


REFUSED = {
    "no comparison": ("a condition is a comparison", lambda m: m.lock(m.j2, when=m.j2.w)),
    "constant": ("a condition is a comparison", lambda m: m.lock(m.j2, when=True)),
    "two": ("locked by two conditions", lambda m: (m.lock(m.j2, when=lw.time > 1), m.lock(m.j2, when=lw.time < 0.5))),
    "prescribed": ("more than one motion", lambda m: (m.lock(m.j2, when=lw.time > 1), m.prescribe(m.j2.a, 0.0))),
    "value": ("leave the value out", lambda m: m.lock(m.j2, 0.1, when=lw.time > 1)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused(case):
    message, give = REFUSED[case]
    m = double_pendulum()
    with pytest.raises(lw.ModelError, match=message):
        give(m)
        lw.compile(m)


def test_a_speed_that_a_lock_does_not_allow_is_refused_by_its_name():
    m = lw.Model("locked")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3, w=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0, -1, 0])
    m.chain(m.world, m.rev, m.body)
    m.lock(m.rev, when=lw.time > 0.2)
    m.when(lw.time > 0.5, {m.rev.w: 2.0})
    with pytest.raises(lw.SimulationError, match=r"time > 0.5.*do not fit the constraints \(rev.lock\)"):
        lw.simulate(m, 1.0)
