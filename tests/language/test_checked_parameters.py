"""Parameters are checked when they are given and whenever they change, and the message says where."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, sensors, translational
from linkwright import planar as pl


def pendulum(**body):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0], **body)
    m.chain(m.world, m.rev, m.body)
    return m


# --- the two ways to give an inertia ---


@pytest.mark.parametrize("shape", (np.diag, np.asarray), ids=("tensor", "principal moments"))
def test_a_given_inertia_stays_an_input(shape):
    """a(0) = −g m l / (I_33 + m l²) for every inertia, with the code of the first."""
    m = pendulum(inertia=shape([0.1, 0.2, 0.3]))
    lw.compile(m, tunable=["body.inertia"])
    for I_33 in (0.3, 0.5):
        m.body.inertia = shape([0.1, 0.45, I_33])
        r = lw.simulate(lw.compile(m, tunable=["body.inertia"]), 0.01)
        assert r["rev.a"][0] == pytest.approx(-9.80665 * 0.5 / (I_33 + 0.25), rel=1e-12)


def test_moments_that_do_nothing_are_refused():
    m = pendulum(inertia=[0.1, 0.2, 0.3])
    with pytest.raises(lw.ModelError, match="body: I_33 does nothing, as inertia= is given; use body.inertia"):
        lw.compile(m, tunable=["body.I_33"])
    with pytest.raises(lw.ModelError, match="body: give inertia= or I_11= …, not both"):
        m.body.I_33 = 0.5


# --- parameters that initialisation solves for ---


@pytest.mark.parametrize("make", (
    lambda p: parts.Body(m=p), lambda p: parts.PointMass(m=p), lambda p: parts.BodyShape(r=[1, 0, 0], m=p),
    lambda p: parts.BodyBox(r=[1, 0, 0], density=p), lambda p: parts.BodyCylinder(r=[1, 0, 0], diameter=p),
    lambda p: forces.Spring(c=p, m=p), lambda p: forces.SpringDamperSeries(c=p, d=p),
    lambda p: forces.LineForceWithMass(m=p), lambda p: forces.LineForceWithTwoMasses(m_a=p, m_b=p),
    lambda p: rotational.Inertia(J=p), lambda p: rotational.IdealGear(ratio=p), lambda p: rotational.Spring(c=p),
    lambda p: translational.Mass(m=p), lambda p: joints.Revolute(phi_min=-1, phi_max=p),
    lambda p: lw.constraints.Rod(length=p), lambda p: pl.Body(m=p, I=p),
))
def test_every_check_takes_a_free_parameter(make):
    make(lw.free(1.0))


def test_a_free_mass_is_found():
    """The mass that a spring holds at rest: m g = c s."""
    m = lw.Model("scale")
    m.world = lw.World()
    m.slide = joints.Prismatic(n=[0, -1, 0], s=0.2, v=0, a=0)
    m.body = parts.Body(m=lw.free(1.0))
    m.spring = forces.Spring(c=100)
    m.chain(m.world, m.slide, m.body)
    m.chain(m.world, m.spring, m.body)
    r = lw.simulate(m, 0.1)
    assert r["slide.s"] == pytest.approx(0.2, abs=1e-9)


# --- axes ---


@pytest.mark.parametrize("make, message", (
    (lambda: joints.Revolute(n="z"), r"Revolute\(n='z'\): n = 'z' must be three finite numbers"),
    (lambda: joints.Universal(n_a="x"), "n_a = 'x' must be three finite numbers"),
    (lambda: pl.Prismatic(r="x"), "r = 'x' must be two finite numbers"),
    (lambda: joints.Revolute(n=[0, 0, 0], phi=1), r"Revolute\(n=\[0, 0, 0\], phi=1\): axis n = \(0, 0, 0\) has no"),
    (lambda: parts.Body(m=-3.0), r"Body\(m=-3.0\): m = -3: a mass cannot be negative"),
    (lambda: parts.Body(m=1, sequence_start=(1, 1, 2)), r"Body.sequence_start = \(1, 1, 2\): .* neighbours different"),
    (lambda: joints.Spherical(sequence_angle_states=3), "Spherical.sequence_angle_states = 3: three axes"),
    (lambda: sensors.AbsoluteAngles(sequence=(0, 1, 2)), r"AbsoluteAngles.sequence = \(0, 1, 2\)"),
    (lambda: parts.FixedRotation(rotation_type="sequence", sequence=(1, 2)), r"FixedRotation.sequence = \(1, 2\)"),
))
def test_what_is_known_of_a_component_without_a_name(make, message):
    with pytest.raises(lw.ModelError, match=message):
        make()


# --- changes ---


@pytest.mark.parametrize("component, name, value, message", (
    ("rev", "n", [0, 0, 0], r"rev: axis n = \(0, 0, 0\) has no direction"),
    ("rev", "n", "z", "rev: n = 'z' must be three finite numbers"),
    ("body", "m", -3.0, "body.m = -3: a mass cannot be negative"),
    ("body", "sequence_start", (1, 1, 2), r"body.sequence_start = \(1, 1, 2\)"),
    ("world", "gravity", "none", "world: gravity is"),
))
def test_a_bad_change_is_refused_and_undone(component, name, value, message):
    m = pendulum()
    before = getattr(getattr(m, component), name)
    with pytest.raises(lw.ModelError, match=message):
        setattr(getattr(m, component), name, value)
    assert np.array_equal(getattr(getattr(m, component), name), before)


# --- own components ---


def test_an_own_joint_that_returns_no_pose():
    class Odd(joints.Joint):
        dof = 1

        def transform(self, q):
            return 3

    m = pendulum()
    m.odd = Odd()
    m.end = parts.Body(m=1)
    m.chain(m.body, m.odd, m.end)
    with pytest.raises(lw.ModelError, match=r"odd: transform\(q\) must return a lw.Transform, got int"):
        lw.simulate(m, 0.1)


@pytest.mark.parametrize("force", ([1, 2], 3.0, "up", [[1, 2, 3]] * 2))
def test_an_own_wrench_of_a_wrong_shape(force):
    class Odd(forces.TwoFrameForce):
        def wrench(self, X_ab, V_ab):
            return lw.ForceMotor(force, [0, 0, 0])

    m = pendulum()
    m.odd = Odd()
    m.chain(m.world, m.odd, m.body)
    with pytest.raises(lw.ModelError, match="odd: wrench"):
        lw.simulate(m, 0.1)


# --- names ---


@pytest.mark.parametrize("make, listed", (
    (lambda: parts.Body(zzz=1), r"has no 'zzz'. It takes .*\bm, r_cm, inertia, I_11"),
    (lambda: joints.Revolute(zzz=[0, 0, 1]), r"has no 'zzz'. It takes .*\bn, phi_min, phi_max, phi, w, a"),
))
def test_a_name_like_no_other_lists_what_there_is(make, listed):
    with pytest.raises(lw.ModelError, match=listed):
        make()
