"""Motions that are given: m.prescribe on every level and m.lock, in trees and in loops."""

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import joints, parts, rotational

G = 9.80665
A, OMEGA = 0.7, 3.0
LENGTH, M1, C1, I1, M2, C2, I2 = 1.0, 1.3, 0.5, 0.05, 0.7, 0.4, 0.03
DRIVE = A * lw.sin(OMEGA * lw.time)


def double_pendulum(first=None, second=None):
    """Two links in the plane z = 0, each on a revolute joint."""
    m = lw.Model("double pendulum")
    m.world = lw.World()
    m.j1, m.j2 = joints.Revolute(**(first or {})), joints.Revolute(**(second or {"phi": 0.3, "w": 0.1}))
    m.b1 = parts.Body(m=M1, r_cm=[C1, 0, 0], inertia=[0.01, 0.02, I1])
    m.b2 = parts.Body(m=M2, r_cm=[C2, 0, 0], inertia=[0.01, 0.01, I2])
    m.link = parts.FixedTranslation(r=[LENGTH, 0, 0])
    m.chain(m.world, m.j1, m.b1)
    m.chain(m.j1, m.link, m.j2, m.b2)
    return m


def first_link(t):
    return A * np.sin(OMEGA * t), A * OMEGA * np.cos(OMEGA * t), -A * OMEGA**2 * np.sin(OMEGA * t)


def pivot_acceleration(t):
    phi, w, a = first_link(t)
    return LENGTH * (-a * np.sin(phi) - w * w * np.cos(phi)), LENGTH * (a * np.cos(phi) - w * w * np.sin(phi))


def second_acceleration(t, theta):
    """θ̈ of the second link from its moments about the moving pivot: I_p θ̈ + m c (cos θ (ÿ + g) − sin θ ẍ) = 0."""
    x, y = pivot_acceleration(t)
    return -M2 * C2 * (np.cos(theta) * (y + G) - np.sin(theta) * x) / (I2 + M2 * C2**2)


def integrated(t):
    start = [0.3, 0.1 + A * OMEGA]
    run = solve_ivp(lambda t, x: [x[1], second_acceleration(t, x[0])], (0, t[-1]), start, "DOP853", t, rtol=1e-13,
                    atol=1e-13)
    return run.y


def drive_torque(t, theta, rate):
    """All moments about the fixed pivot."""
    phi, w, a = first_link(t)
    x, y = pivot_acceleration(t)
    turn = second_acceleration(t, theta)
    at = LENGTH * np.array([np.cos(phi), np.sin(phi)]) + C2 * np.array([np.cos(theta), np.sin(theta)])
    ax = x - C2 * (turn * np.sin(theta) + rate**2 * np.cos(theta))
    ay = y + C2 * (turn * np.cos(theta) - rate**2 * np.sin(theta))
    return ((I1 + M1 * C1**2) * a + M1 * G * C1 * np.cos(phi) + I2 * turn + M2 * (at[0] * (ay + G) - at[1] * ax))


LEVELS = {
    "phi": ({}, DRIVE),
    "w": ({"phi": 0.0}, A * OMEGA * lw.cos(OMEGA * lw.time)),
    "a": ({"phi": 0.0, "w": A * OMEGA}, -A * OMEGA**2 * lw.sin(OMEGA * lw.time)),
}


@pytest.mark.parametrize("method", ["dop853", "radau"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_prescribed_joint_drives_the_rest_as_the_equation_derived_by_hand(level, method):
    first, expression = LEVELS[level]
    m = double_pendulum(first)
    m.prescribe(getattr(m.j1, level), expression)
    r = lw.simulate(m, 3.0, accuracy=1e-11, method=method)
    theta, rate = integrated(r.t)
    assert np.abs(r["j1.phi"] + r["j2.phi"] - theta).max() < 1e-9
    assert np.abs(r["j1.w"] + r["j2.w"] - rate).max() < 5e-9
    np.testing.assert_allclose(r["j1.tau"], drive_torque(r.t, theta, rate), atol=1e-7)
    np.testing.assert_allclose(-r["j1.frame_b.t"][:, 2], r["j1.tau"], atol=1e-12)


def test_a_prescribed_position_does_not_drift():
    m = double_pendulum()
    m.prescribe(m.j1.phi, DRIVE)
    r = lw.simulate(m, 5.0, accuracy=1e-4)
    assert np.abs(r["j1.phi"] - first_link(r.t)[0]).max() < 1e-15
    assert np.abs(r["j1.w"] - first_link(r.t)[1]).max() < 1e-14
    assert r.at(1.2345)["j1.phi"] == pytest.approx(A * np.sin(OMEGA * 1.2345), abs=1e-15)


def test_it_removes_a_freedom_and_adds_no_equation():
    m = double_pendulum()
    m.prescribe(m.j1.phi, DRIVE)
    system = lw.compile(m)
    assert not system.mechanism.constraints
    assert lw.linearize(system).states == ["j2.phi", "der(j2.phi)"]
    assert "Prescribed motion: j1" in str(system)


def test_a_lock_makes_a_compound_pendulum():
    m = double_pendulum({"phi": 0.2}, {"phi": 0.6})
    m.lock(m.j2)
    r = lw.simulate(m, 3.0, accuracy=1e-12)
    one = lw.Model("compound")
    one.world = lw.World()
    one.j1 = joints.Revolute(phi=0.2)
    one.b1 = parts.Body(m=M1, r_cm=[C1, 0, 0], inertia=[0.01, 0.02, I1])
    one.link = parts.FixedTranslation(r=[LENGTH, 0, 0])
    one.bend = parts.FixedRotation(n=[0, 0, 1], angle=0.6)
    one.b2 = parts.Body(m=M2, r_cm=[C2, 0, 0], inertia=[0.01, 0.01, I2])
    one.chain(one.world, one.j1, one.b1)
    one.chain(one.j1, one.link, one.bend, one.b2)
    expected = lw.simulate(one, 3.0, accuracy=1e-12)
    assert np.abs(r["j1.phi"] - expected["j1.phi"]).max() < 1e-10
    np.testing.assert_allclose(r["j2.tau"], -expected["bend.frame_b.t"][:, 2], atol=1e-9)
    assert np.all(r["j2.phi"] == 0.6) and np.all(r["j2.w"] == 0)


def test_a_lock_takes_a_value():
    m = double_pendulum(second={"phi": lw.guess(0.3)})
    m.lock(m.j2, -0.4)
    assert np.all(lw.simulate(m, 0.5)["j2.phi"] == -0.4)


# --- several freedoms ---

KINDS = {
    "Revolute": {}, "Prismatic": {}, "Cylindrical": {}, "Screw": {"pitch": 0.1}, "Universal": {}, "Planar": {},
    "Spherical": {}, "FreeMotion": {}, "Gimbal": {}, "BendStretch": {"q": [0.1, 0.5]}, "Translation": {}, "Bushing": {},
    "SphericalCoords": {"q": [0.1, 0.5, 0.4]}, "Ellipsoid": {}, "LineOrientation": {}, "FreeLine": {},
    "CantileverFreeBeam": {},
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_can_be_locked(kind):
    m = lw.Model("locked")
    m.world = lw.World()
    m.swing = joints.Revolute(n=[0, 0, 1], w=1.0)
    m.arm = parts.BodyBox(r=[0.5, 0, 0], width=0.05)
    m.joint = getattr(joints, kind)(**KINDS[kind])
    m.load = parts.Body(m=2.0, r_cm=[0.2, 0.1, 0.3])
    m.chain(m.world, m.swing, m.arm, m.joint, m.load)
    m.lock(m.joint)
    r = lw.simulate(m, 0.5, step=0.1)
    R_a, R_b = r["joint.frame_a.R.T"], r["joint.frame_b.R.T"]
    relative = R_b @ np.swapaxes(R_a, 1, 2)
    assert np.abs(relative - relative[0]).max() < 1e-12
    gap = np.einsum("kij,kj->ki", R_a, r["joint.frame_b.r_0"] - r["joint.frame_a.r_0"])
    assert np.abs(gap - gap[0]).max() < 1e-12
    assert np.ptp(r["swing.w"]) > 0.1


def universal():
    m = lw.Model("universal")
    m.world = lw.World()
    m.joint = joints.Universal(n_a=[1, 0, 0], n_b=[0, 1, 0])
    m.load = parts.Body(m=2.0, r_cm=[0.2, 0.1, -0.3])
    m.chain(m.world, m.joint, m.load)
    return m


def test_all_freedoms_of_a_joint_are_prescribed_together():
    m = universal()
    m.prescribe(m.joint.phi_a, lw.sin(lw.time))
    m.prescribe(m.joint.w_b, 2.0)
    r = lw.simulate(m, 1.0, step=0.1)
    np.testing.assert_allclose(r["joint.phi_a"], np.sin(r.t), atol=1e-15)
    np.testing.assert_allclose(r["joint.phi_b"], 2 * r.t, atol=1e-12)
    # the moments of the reaction about both axes are the forces of inverse dynamics
    needed = lw.inverse(universal(), {"joint.phi_a": lw.sin, "joint.phi_b": lambda t: 2 * t}, r.t)
    moment = -r["joint.frame_b.t"]
    about_a = np.einsum("ki,ki->k", moment, r["joint.frame_b.R.T"][:, :, 0])
    np.testing.assert_allclose(about_a, needed["joint.phi_a"], atol=1e-8)
    np.testing.assert_allclose(moment[:, 1], needed["joint.phi_b"], atol=1e-8)


def test_a_vector_of_coordinates_is_prescribed_at_once():
    m = lw.Model("stage")
    m.world = lw.World()
    m.stage = joints.Translation()
    m.load = parts.Body(m=2.0)
    m.chain(m.world, m.stage, m.load)
    m.prescribe(m.stage.q, [lw.sin(lw.time), 0.5 * lw.time**2, 0])
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(r["load.r_0"], np.transpose([np.sin(r.t), r.t**2 / 2, 0 * r.t]), atol=1e-15)
    force = [-2 * np.sin(r.t), 2 + 2 * G + 0 * r.t, 0 * r.t]
    np.testing.assert_allclose(-r["stage.frame_b.f"], np.transpose(force), atol=1e-12)


# --- loops ---

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.9


def fourbar(first=None):
    """Crank j1, coupler, rocker j4; rocker's tip is the coupler's end."""
    m = lw.Model("fourbar")
    m.world = lw.World()
    m.j1 = joints.Revolute(**(first or {}))
    m.j2, m.j3 = joints.Revolute(phi=lw.guess(0.6)), joints.Revolute(phi=lw.guess(1.0))
    m.j4 = joints.Revolute(phi=lw.guess(1.7))
    m.crank, m.coupler, m.rocker = (parts.BodyBox(r=[x, 0, 0], width=0.02) for x in (CRANK, COUPLER, ROCKER))
    m.base = parts.FixedTranslation(r=[BASE, 0, 0])
    m.chain(m.world, m.j1, m.crank, m.j2, m.coupler, m.j3)
    m.chain(m.world, m.base, m.j4, m.rocker)
    m.connect(m.j3.frame_b, m.rocker.frame_b)
    return m


def distance(r, end="coupler.frame_b"):
    """How far the coupler's end is from the circle of the rocker."""
    p = r[f"{end}.r_0"] - [BASE, 0, 0]
    return np.abs(np.hypot(p[:, 0], p[:, 1]) - ROCKER).max()


FORMULATIONS = [(None, "dop853"), ("projection", "dop853"), ("minimal", "dop853"), ("projection", "radau"),
                ("minimal", "radau")]


@pytest.mark.parametrize(("formulation", "method"), FORMULATIONS)
@pytest.mark.parametrize("driven", ["crank", "coupler", "rocker"])
def test_the_only_freedom_of_a_loop_is_prescribed(driven, formulation, method):
    m = fourbar()
    joint, expression = {"crank": (m.j1, 100 * lw.time), "coupler": (m.j2, 0.6 + 0.1 * lw.sin(9 * lw.time)),
                         "rocker": (m.j4, 1.7 + 0.2 * lw.sin(9 * lw.time))}[driven]
    m.prescribe(joint.phi, expression)
    system = lw.compile(m) if formulation is None else lw.compile(m, formulation=formulation)
    r = lw.simulate(system, 0.3, method=method)
    assert distance(r) < 1e-9
    course = {"crank": lambda t: 100 * t, "coupler": lambda t: 0.6 + 0.1 * lw.sin(9 * t),
              "rocker": lambda t: 1.7 + 0.2 * lw.sin(9 * t)}[driven]
    name = joint.path
    given = np.array([float(course(t)) for t in r.t])
    np.testing.assert_allclose(r[f"{name}.phi"], given, rtol=1e-14, atol=1e-14)
    for t in r.t[::100]:
        expected = drive_by_inverse_dynamics(name, course, r, t)
        assert r.at(t)[f"{name}.tau"] == pytest.approx(expected, rel=1e-7, abs=1e-7)


def drive_by_inverse_dynamics(name, course, r, t):
    """The torque at one joint of the free mechanism that gives it the motion, from the pose of a result."""
    system = free_fourbar(name)
    near = system.state()
    near.q = np.array([r.at(t)[coordinate] for coordinate in system.part_names("q")])
    return lw.inverse(system, {f"{name}.phi": course}, [t], near=near)[f"{name}.phi"][0]


@functools.cache
def free_fourbar(name):
    m = fourbar()
    getattr(m, name).enforce_states = True
    return lw.compile(m, formulation="projection")


@pytest.mark.parametrize("formulation", ["projection", "minimal"])
def test_locks_hold_a_loop_at_one_joint_or_at_several(formulation):
    m = fourbar({"phi": 0.8})
    m.lock(m.j1)
    m.lock(m.j4)
    r = lw.simulate(lw.compile(m, formulation=formulation), 0.3)
    assert np.abs(r["j1.phi"] - 0.8).max() < 1e-12
    assert np.ptp(r["coupler.frame_b.r_0"], axis=0).max() < 1e-12


def test_a_lock_in_a_loop_bears_the_weight():
    m = fourbar({"phi": 0.8})
    m.lock(m.j1)
    r = lw.simulate(m, 0.1)
    expected = drive_by_inverse_dynamics("j1", lambda t: 0.8 + 0 * t, r, 0.0)
    assert r["j1.tau"][-1] == pytest.approx(expected, rel=1e-9)


# --- studies ---


def test_a_prescribed_joint_stays_where_it_is_given_in_an_equilibrium():
    m = double_pendulum()
    m.prescribe(m.j1.phi, 0.4 + lw.sin(lw.time))
    state = lw.equilibrium(m, near=None)
    assert state.get("j1.phi") == pytest.approx(0.4, abs=1e-15)
    assert np.sin(state.get("j1.phi") + state.get("j2.phi")) == pytest.approx(-1, abs=1e-10)  # it hangs down


def test_linearized_about_a_lock_is_the_compound_pendulum():
    m = double_pendulum({"phi": -np.pi / 2}, {"phi": 0.0})
    m.lock(m.j2)
    inertia = I1 + M1 * C1**2 + I2 + M2 * (LENGTH + C2) ** 2
    stiffness = G * (M1 * C1 + M2 * (LENGTH + C2))
    frequency = np.sqrt(stiffness / inertia) / (2 * np.pi)
    np.testing.assert_allclose(lw.modes(m).frequency, frequency, rtol=1e-9)


def test_a_run_may_start_later_on_the_course():
    m = double_pendulum()
    m.prescribe(m.j1.phi, DRIVE)
    r = lw.simulate(m, 2.0, start=1.0)
    np.testing.assert_allclose(r["j1.phi"], first_link(r.t)[0], atol=1e-15)


def test_a_motion_may_follow_an_input_and_a_parameter():
    class Driven(lw.Model):
        amplitude = lw.parameter(0.2)

        def __init__(self, **given):
            super().__init__("driven", **given)
            self.world = lw.World()
            self.rev, self.body = joints.Revolute(), parts.Body(m=1, r_cm=[0.5, 0, 0])
            self.chain(self.world, self.rev, self.body)
            self.prescribe(self.rev.phi, self.amplitude * lw.sin(self.input("angle")))

    r = lw.simulate(Driven(amplitude=0.5), 1.0, inputs={"angle": lambda t: 2 * t})
    np.testing.assert_allclose(r["rev.phi"], 0.5 * np.sin(2 * r.t), atol=1e-14)
    np.testing.assert_allclose(r["rev.w"], np.cos(2 * r.t), atol=1e-14)


def test_models_that_differ_in_their_motions_are_compiled_apart():
    ends = []
    for rate in (1.0, 2.0, None):
        m = double_pendulum()
        if rate is None:
            m.lock(m.j1)
        else:
            m.prescribe(m.j1.phi, rate * lw.time)
        ends.append(lw.simulate(m, 1.0)["j1.phi"][-1])
    assert ends == pytest.approx([1.0, 2.0, 0.0], abs=1e-14)


def test_what_follows_another_joint_moves_with_it():
    m = double_pendulum({"w": 0.5}, {"phi": lw.guess(0.0)})
    m.prescribe(m.j2.phi, 0.5 * m.j1.phi)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    np.testing.assert_allclose(r["j2.phi"], 0.5 * r["j1.phi"], atol=1e-9)


# --- refused before anything runs ---


def sourced(m):
    m.source = rotational.Position(phi_ref=lw.sin(lw.time), exact=True)
    m.connect(m.source.flange, m.j1.axis)
    m.prescribe(m.j1.phi, lw.time)


def reset(m):
    m.prescribe(m.j1.phi, lw.time)
    m.when(m.j2.phi < 0, {m.j1.w: 0.0})


def with_event(m):
    mode = m.discrete("mode", 1.0)
    m.when(m.j2.phi < 0, {mode: 2.0})
    m.prescribe(m.j1.phi, mode * lw.time)


REFUSED = {
    "twice": ("prescribed already", lambda m: (m.prescribe(m.j1.phi, lw.time), m.prescribe(m.j1.w, 1.0))),
    "and locked": ("more than one motion", lambda m: (m.prescribe(m.j1.phi, lw.time), m.lock(m.j1))),
    "locked twice": ("more than one motion", lambda m: (m.lock(m.j1), m.lock(m.j1))),
    "by a source": ("two sources prescribe", sourced),
    "set by a when": ("j1.w cannot be set, the motion of j1 is prescribed", reset),
    "start": (r"j2.phi = 0.3 .*\n +j2.phi as prescribed", lambda m: m.prescribe(m.j2.phi, 0.1 * lw.time)),
    "start speed": ("j2 locked, at rest", lambda m: m.lock(m.j2)),
    "jump": ("which jumps", lambda m: m.prescribe(m.j1.phi, lw.where(lw.time > 1, 1.0, 0.0))),
    "jump of a speed": ("which jumps", lambda m: m.prescribe(m.j1.w, lw.sign(lw.time - 1))),
    "corner": ("has a corner", lambda m: m.prescribe(m.j1.phi, lw.fabs(lw.time - 1))),
    "event": ("changes at events", with_event),
    "no joint": ("is no coordinate of a joint", lambda m: m.prescribe(m.b1.r_0, [0, 0, lw.time])),
    "an expression": ("is no variable of a joint", lambda m: m.prescribe(2 * m.j1.phi, lw.time)),
    "a force": ("can be prescribed; it offers phi, w, a", lambda m: m.prescribe(m.j1.tau, 1.0)),
    "a number": ("takes a variable of a joint", lambda m: m.prescribe(1.0, 2.0)),
    "nan": ("not finite", lambda m: m.prescribe(m.j1.phi, float("nan"))),
    "lock of a body": ("lock holds a joint", lambda m: m.lock(m.b1)),
    "lock at a vector": ("needs 1 finite number", lambda m: m.lock(m.j1, [1, 2])),
    "elsewhere": ("needs a joint of this model", lambda m: m.lock(joints.Revolute())),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_before_the_run(case):
    message, give = REFUSED[case]
    m = double_pendulum()
    with pytest.raises(lw.LinkwrightError, match=message):
        give(m)
        lw.simulate(m, 0.1)


def test_a_single_freedom_of_several_cannot_be_prescribed():
    m = universal()
    m.prescribe(m.joint.phi_a, lw.time)
    with pytest.raises(lw.ModelError, match="phi_a alone cannot be prescribed, .* 2 freedoms.*phi_b too"):
        lw.compile(m)


@pytest.mark.parametrize("name", ["angles", "r_rel_a", "w_rel_a"])
def test_a_quaternion_joint_names_what_to_use_instead(name):
    m = lw.Model("free")
    m.joint = joints.FreeMotion()
    with pytest.raises(lw.ModelError, match="use joints.Gimbal, Translation or Bushing, or lock it"):
        m.prescribe(getattr(m.joint, name), [0, 0, lw.time])


def test_motions_that_a_loop_ties_to_one_another_are_refused():
    m = fourbar()
    m.prescribe(m.j1.w, 1.0)
    m.prescribe(m.j4.w, 1.0)
    with pytest.raises(lw.InitialError, match="j1, j4: the loop closed by j3 ties these motions"):
        lw.simulate(m, 0.1)
    m = fourbar({"phi": 0.8})  # they agree at the start in positions and speeds, but not afterwards
    m.lock(m.j1)
    m.prescribe(m.j4.a, 1.0)
    with pytest.raises(lw.InitialError, match="ties these motions"):
        lw.simulate(m, 0.1)


def test_motions_that_agree_may_be_given_twice():
    """A parallelogram driven at both cranks moves as if driven at one; a message names the one too many."""
    def parallelogram():
        m = lw.Model("parallelogram")
        m.world, m.ground = lw.World(), parts.FixedTranslation(r=[1, 0, 0])
        m.j1, m.j2, m.j3 = joints.Revolute(), joints.Revolute(phi=lw.guess(-0.8)), joints.Revolute(phi=lw.guess(0.8))
        m.j4 = joints.Revolute(phi=lw.guess(0.8))
        m.crank, m.coupler, m.rocker = (parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0])
                                        for length in (0.4, 1.0, 0.4))
        m.chain(m.world, m.j1, m.crank, m.j2, m.coupler)
        m.chain(m.world, m.ground, m.j4, m.rocker)
        m.connect(m.coupler.frame_b, m.j3.frame_a)
        m.connect(m.j3.frame_b, m.rocker.frame_b)
        m.prescribe(m.j1.phi, 0.8 + 0.5 * lw.sin(3 * lw.time))
        return m

    once = parallelogram()
    assert lw.compile(once).dof == 0
    twice = parallelogram()
    twice.prescribe(twice.j4.phi, 0.8 + 0.5 * lw.sin(3 * lw.time))
    assert lw.compile(twice).dof == 0
    one, two = lw.simulate(once, 2.0, accuracy=1e-10), lw.simulate(twice, 2.0, accuracy=1e-10)
    assert two.messages == ["j4: the motion given to it follows from that of j1 through the loop closed by j3; it is "
                            "redundant, and the forces that the given motions take are not unique"]
    assert not one.messages and two.closure < 1e-9
    for name in ("j2.phi", "coupler.a_0"):
        np.testing.assert_allclose(two[name], one[name], atol=1e-8)
    # the drives together do the same work
    np.testing.assert_allclose(two["j1.tau"] * two["j1.w"] + two["j4.tau"] * two["j4.w"], one["j1.tau"] * one["j1.w"],
                               atol=1e-6)


def test_motions_that_agree_no_longer_end_the_run():
    m = fourbar({"phi": lw.guess(0.8)})
    m.prescribe(m.j1.phi, 0.8 + lw.time**4)
    m.lock(m.j4)
    with pytest.raises(lw.SimulationError, match=r"at t = .*j1, j4: the loop closed by j3 ties these motions"):
        lw.simulate(m, 1.0)


def test_two_locks_of_one_freedom_are_said_to_be_too_many():
    m = fourbar({"phi": 0.8})
    m.lock(m.j1)
    m.lock(m.j4)
    system = lw.compile(m)
    assert system.dof == 0
    assert "j4: the motion given to it follows from that of j1" in lw.simulate(system, 0.1).messages[0]


def test_a_smooth_profile_of_pieces_may_be_prescribed():
    m = double_pendulum()
    t = lw.time
    m.prescribe(m.j1.phi, lw.smooth_where(t < 1, t**3 / 6, 1 / 6 + (t - 1) / 2 + (t - 1) ** 2 / 2))
    r = lw.simulate(m, 2.0)
    assert r["j1.phi"][-1] == pytest.approx(1 / 6 + 1.0, abs=1e-14)
    assert r["j1.w"][-1] == pytest.approx(1.5, abs=1e-14)
