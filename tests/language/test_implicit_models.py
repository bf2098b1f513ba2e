"""What is defined only implicitly is solved: massless points, laws on accelerations, cut forces and one another."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import linkwright as lw
from linkwright import forces, joints, parts, sensors

G = 9.80665


def run(f, y0, t):
    return solve_ivp(f, (0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t).y


def slider(**start):
    m = lw.Model("slider")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(**start)
    m.body = parts.Body(m=2.0)
    m.chain(m.world, m.slide, m.body)
    return m


def test_springs_in_series_meet_in_a_massless_point():
    """Two springs in line are one of stiffness c1 c2/(c1 + c2) and free length s1 + s2; a third holds the middle in
    place sideways by being long and slack across."""
    m = slider(s=1.5, v=0)
    m.one = forces.Spring(c=40, s_unstretched=0.4)
    m.two = forces.Spring(c=60, s_unstretched=0.5, r_rel_0=lw.guess([0.8, 0.01, 0.01]))
    m.connect(m.world.frame_b, m.one.frame_a)
    m.connect(m.one.frame_b, m.two.frame_a)
    m.connect(m.body.frame_a, m.two.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-11)
    k = 40 * 60 / 100
    expected = 0.9 + 0.6 * np.cos(np.sqrt(k / 2) * r.t)
    assert r["slide.s"] == pytest.approx(expected, abs=1e-8)
    # the point's velocity follows by implicit differentiation
    assert r["one.v"] == pytest.approx(0.6 * r["slide.v"], abs=1e-7)
    assert r["one.frame_b.r_0"][:, 0] == pytest.approx(0.4 + 0.6 * (r["slide.s"] - 0.9), abs=1e-9)


def test_dampers_at_a_massless_point_make_its_position_a_state():
    """Three spring-dampers along the axes and a spring to the slider: the point creeps."""
    m = slider(s=0.5, v=0)
    far = 1e4  # long enough that the elements keep their directions
    for k, (c, d) in enumerate(((30.0, 5.0), (10.0, 4.0), (10.0, 4.0))):
        anchor = np.zeros(3)
        anchor[k] = -far
        setattr(m, f"ground{k}", parts.Fixed(r=anchor))
        setattr(m, f"leg{k}", forces.SpringDamperParallel(c=c, d=d, s_unstretched=far))
        m.connect(getattr(m, f"ground{k}").frame_b, getattr(m, f"leg{k}").frame_a)
    m.pull = forces.Spring(c=20, s_unstretched=0.2, r_rel_0=[0.4, 0, 0])
    m.look = sensors.AbsolutePosition(resolve_in_frame="world")
    m.connect(m.leg0.frame_b, m.leg1.frame_b, m.leg2.frame_b, m.pull.frame_a, m.look.frame_a)
    m.connect(m.body.frame_a, m.pull.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    x0 = 0.1  # given by the start value of pull.r_rel_0
    assert r["look.r"][0] == pytest.approx([x0, 0, 0], abs=1e-9)

    def f(t, y):
        s, v, x = y
        pull = 20 * (s - x - 0.2)
        return [v, -pull / 2, (pull - 30 * x) / 5]

    s, _, x = run(f, [0.5, 0, x0], r.t)
    assert r["slide.s"] == pytest.approx(s, abs=2e-4)
    assert r["look.r"][:, 0] == pytest.approx(x, abs=2e-4)


def test_a_law_on_an_acceleration_is_added_mass():
    """F = −k a on the body: (m + k) s̈ = −c s."""
    m = slider(s=0.3, v=0.1)
    m.water = forces.WorldForce(force=-0.7 * m.body.a_0)
    m.spring = forces.WorldForce(force=[-50 * m.slide.s, 0, 0])
    m.connect(m.body.frame_a, m.water.frame_b, m.spring.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-12)
    w = np.sqrt(50 / 2.7)
    assert r["slide.s"] == pytest.approx(0.3 * np.cos(w * r.t) + 0.1 / w * np.sin(w * r.t), abs=1e-9)


def test_a_law_on_a_cut_force_agrees_with_the_equation_by_hand():
    """A brake torque −μ r N sign-free, N the radial force in the pivot: J φ̈ = −m g l cos φ + k f_x.

    In the rotating axes the pivot's force on the joint is f_x = m l φ̇² − m g sin φ, which needs no acceleration;
    along y it is −m (l φ̈ + g cos φ), which does.
    """
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3, w=0.5)
    m.body = parts.Body(m=2.0, r_cm=[0.7, 0, 0], inertia=[0.1, 0.2, 0.3])
    m.chain(m.world, m.rev, m.body)
    k_x, k_y = 0.05, 0.04
    m.brake = forces.WorldTorque(torque=[0, 0, k_x * m.rev.frame_b.f[0] + k_y * m.rev.frame_b.f[1]])
    m.connect(m.body.frame_a, m.brake.frame_b)
    r = lw.simulate(m, 3.0, accuracy=1e-12)
    J, mass, length = 0.3 + 2.0 * 0.49, 2.0, 0.7

    def f(t, y):
        phi, w = y
        torque = -mass * G * length * np.cos(phi) + k_x * (mass * length * w**2 - mass * G * np.sin(phi))
        return [w, (torque - k_y * mass * G * np.cos(phi)) / (J + k_y * mass * length)]

    assert r["rev.phi"] == pytest.approx(run(f, [0.3, 0.5], r.t)[0], abs=1e-9)


def test_laws_that_read_one_another_are_solved_together():
    """F1 = −c s + 0.4 F2, F2 = −d v − 0.5 F1: two linear equations."""
    m = slider(s=0.3, v=0.0)
    m.one, m.two = forces.WorldForce(), forces.WorldForce()
    m.one.force = [-30 * m.slide.s + 0.4 * m.two.force[0], 0, 0]
    m.two.force = [-1.5 * m.slide.v - 0.5 * m.one.force[0], 0, 0]
    m.connect(m.body.frame_a, m.one.frame_b, m.two.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-12)

    def f(t, y):
        F = np.linalg.solve([[1, -0.4], [0.5, 1]], [-30 * y[0], -1.5 * y[1]])
        return [y[1], F.sum() / 2]

    assert r["slide.s"] == pytest.approx(run(f, [0.3, 0], r.t)[0], abs=1e-9)
    assert r["one.force"][:, 0] == pytest.approx(-30 * r["slide.s"] + 0.4 * r["two.force"][:, 0], abs=1e-9)


def test_a_nonlinear_ring_of_laws():
    """F + 0.2 F³ = −c s."""
    m = slider(s=0.3, v=0.0)
    m.push = forces.WorldForce()
    m.push.force = [-8 * m.slide.s - 0.2 * m.push.force[0] ** 3, 0, 0]
    m.connect(m.body.frame_a, m.push.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-11)

    def f(t, y):
        return [y[1], brentq(lambda F: F + 0.2 * F**3 + 8 * y[0], -10, 10, xtol=1e-14) / 2]

    assert r["slide.s"] == pytest.approx(run(f, [0.3, 0], r.t)[0], abs=1e-8)


def test_a_ring_without_solution_names_the_law():
    m = slider(s=0.3)
    m.push = forces.WorldForce()
    m.push.force = [m.push.force[0] + m.slide.s, 0, 0]
    m.connect(m.body.frame_a, m.push.frame_b)
    with pytest.raises(lw.LinkwrightError, match="push.force"):
        lw.simulate(m, 1.0)


class Isolator(forces.TwoFrameForce):
    """A linear elastic mount: force −c p, torque −k × the rotation's vector part."""

    c = lw.parameter(100.0, "stiffness", unit="N/m")
    k = lw.parameter(5.0, "rotational stiffness", unit="N.m")
    p0 = lw.parameter([0.0, 0.0, 0.0], "where it is at rest", unit="m")

    def wrench(self, X_ab, V_ab):
        R, p = X_ab.R, X_ab.p
        turn = [(R[2, 1] - R[1, 2]) / 2, (R[0, 2] - R[2, 0]) / 2, (R[1, 0] - R[0, 1]) / 2]
        return lw.ForceMotor([-self.c * (p[i] - self.p0[i]) for i in range(3)], [-self.k * turn[i] for i in range(3)])


def test_general_laws_in_series_through_a_massless_part():
    """Two mounts in series through a massless plate are as stiff as half of one, in shift and (small) turn."""
    m = lw.Model("two mounts")
    m.world = lw.World(gravity=None)
    m.one, m.two = Isolator(), Isolator()
    m.plate = parts.FixedTranslation(r=[0, 0, 0])
    m.body = parts.Body(m=2, inertia=[0.1, 0.2, 0.3], r_0=[1e-3, 0, 0], angles=[0, 0, 1e-4], w_0=[0, 0, 0],
                        v_0=[0, 0, 0])
    m.chain(m.world, m.one, m.plate, m.two, m.body)
    r = lw.simulate(m, 1.0, accuracy=1e-12)
    # p_ab is expressed in frame_a, so a shift alone leaves the plate halfway
    assert r["plate.frame_a.r_0"][0] == pytest.approx([0.5e-3, 0, 0], abs=1e-7)
    assert r["body.r_0"][:, 0] == pytest.approx(1e-3 * np.cos(np.sqrt(50 / 2) * r.t), abs=1e-6)
    turn = r["body.angles"][:, 2]
    assert turn == pytest.approx(1e-4 * np.cos(np.sqrt(2.5 / 0.3) * r.t), abs=2e-7)
    # third law across the plate, power through it
    assert r["one.frame_b.f"] == pytest.approx(-r["plate.frame_a.f"], abs=1e-10)
    assert np.ptp(r["plate.frame_a.r_0"][:, 0]) > 5e-4


def test_a_massless_plate_turns_with_its_springs():
    """A plate between two general mounts at different places turns; forces and torques on it vanish at every time."""
    m = lw.Model("plate")
    m.world = lw.World()
    m.one = Isolator(p0=[0.3, 0, 0])
    m.two = Isolator(p0=[0.1, 0.2, 0], k=2.0)
    m.plate = parts.FixedTranslation(r=[0.2, 0.1, 0])
    m.body = parts.Body(m=1, inertia=[0.1, 0.2, 0.3], r_0=[0.6, 0.3, 0.1], angles=[0.2, 0.1, -0.2])
    m.chain(m.world, m.one, m.plate, m.two, m.body)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    f = np.einsum("tji,tj->ti", r["one.frame_b.R.T"], r["one.frame_b.f"])
    g = np.einsum("tji,tj->ti", r["two.frame_a.R.T"], r["two.frame_a.f"])
    t = np.einsum("tji,tj->ti", r["one.frame_b.R.T"], r["one.frame_b.t"])
    s = np.einsum("tji,tj->ti", r["two.frame_a.R.T"], r["two.frame_a.t"])
    arm = r["two.frame_a.r_0"] - r["one.frame_b.r_0"]
    assert f + g == pytest.approx(0 * f, abs=1e-8)
    assert t + s + np.cross(arm, g) == pytest.approx(0 * t, abs=1e-8)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(energy) > 0.1  # the mounts take up energy


def test_a_point_that_nothing_holds_is_named():
    """One spring ends at a point with a damper only across its line: nothing determines where it goes."""
    m = slider(s=0.5)
    m.one = forces.Spring(c=10, s_unstretched=0.1)
    m.two = forces.Damper(d=1)
    m.connect(m.world.frame_b, m.one.frame_a)
    m.connect(m.one.frame_b, m.two.frame_a)
    m.connect(m.body.frame_a, m.two.frame_b)
    with pytest.raises(lw.LinkwrightError, match="one.frame_b"):
        lw.simulate(m, 1.0)
