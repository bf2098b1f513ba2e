"""The movable double pendulum of the motor-calculus paper against Newton and Euler in redundant coordinates.

A trolley on a rail carries two bodies on revolute joints, every joint damped; M0, M1, M2, φ1(0) = 90°, φ2(0) = 0, 10 s.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import joints, parts, rotational, translational

M = np.array([1.0, 0.8, 0.5])
J = np.array([0.02, 0.03])
L1, C1, C2 = 0.5, 0.3, 0.25  # length of body 1, centres of mass from the inner joints (downwards)
D = np.array([0.4, 0.05, 0.04])  # damping of rail and joints
G = 9.81


def model():
    m = lw.Model("movable double pendulum")
    m.world = lw.World(g=G)
    m.rail = joints.Prismatic(n=[1, 0, 0], s=0, v=0)
    m.trolley = parts.Body(m=M[0])
    m.rev1 = joints.Revolute(phi=np.pi / 2, w=0)
    m.body1 = parts.BodyShape(r=[0, -L1, 0], m=M[1], r_cm=[0, -C1, 0], inertia=[0.1, 0.1, J[0]])
    m.rev2 = joints.Revolute(phi=0, w=0)
    m.body2 = parts.Body(m=M[2], r_cm=[0, -C2, 0], inertia=[0.1, 0.1, J[1]])
    m.chain(m.world, m.rail, m.rev1, m.body1, m.rev2, m.body2)
    m.connect(m.rail.frame_b, m.trolley.frame_a)
    m.d0 = translational.Damper(d=D[0])
    m.connect(m.rail.support, m.d0.flange_a)
    m.connect(m.rail.axis, m.d0.flange_b)
    for k, rev in ((1, m.rev1), (2, m.rev2)):
        damper = rotational.Damper(d=D[k])
        setattr(m, f"d{k}", damper)
        m.connect(rev.support, damper.flange_a)
        m.connect(rev.axis, damper.flange_b)
    return m


def redundant(t, state):
    """x, y, θ of three bodies: M a + Gᵀ λ = f, G a = −Ġ v, with the trolley held to the rail and four pin equations."""
    q, v = state[:9], state[9:]
    mass = np.array([M[0], M[0], 1.0, M[1], M[1], J[0], M[2], M[2], J[1]])
    up = lambda angle, c: c * np.array([-np.sin(angle), np.cos(angle)])  # noqa: E731  centre of mass → inner pin
    rows, bias = np.zeros((6, 9)), np.zeros(6)
    rows[0, 1] = rows[1, 2] = 1  # trolley: y = 0, θ = 0

    def pin(row, inner, r_inner, outer, r_outer):
        """p_i + R_i r_i = p_o + R_o r_o; d/dt (R r) = ω (−r_y, r_x), second derivative −ω² r."""
        for body, r, sign in ((inner, r_inner, 1), (outer, r_outer, -1)):
            rows[row:row + 2, 3 * body:3 * body + 2] = sign * np.eye(2)
            rows[row:row + 2, 3 * body + 2] = sign * np.array([-r[1], r[0]])
            bias[row:row + 2] += -sign * v[3 * body + 2] ** 2 * r

    pin(2, 0, np.zeros(2), 1, up(q[5], C1))
    pin(4, 1, up(q[5], C1 - L1), 2, up(q[8], C2))
    f = np.array([0, -M[0] * G, 0, 0, -M[1] * G, 0, 0, -M[2] * G, 0])
    f[0] -= D[0] * v[0]
    t1, t2 = D[1] * (v[5] - v[2]), D[2] * (v[8] - v[5])
    f[5] += -t1 + t2
    f[8] += -t2
    A = np.block([[np.diag(mass), rows.T], [rows, np.zeros((6, 6))]])
    a = np.linalg.solve(A, np.concatenate([f, -bias]))[:9]
    return np.concatenate([v, a])


def test_the_same_trajectories_within_1e_10():
    r = lw.simulate(model(), 10.0, accuracy=1e-13, step=0.1)
    # body 1 points along +x at the start (φ1 = 90°), body 2 in line with it
    start = np.array([0, 0, 0, C1, 0, np.pi / 2, L1 + C2, 0, np.pi / 2, *np.zeros(9)])
    y = solve_ivp(redundant, (0, 10), start, method="DOP853", rtol=3e-14, atol=1e-14, t_eval=r.t).y
    assert r["rail.s"] == pytest.approx(y[0], abs=1e-10)
    assert r["rev1.phi"] == pytest.approx(y[5], abs=1e-10)
    assert r["rev2.phi"] == pytest.approx(y[8] - y[5], abs=1e-10)
    assert np.ptp(r["rev2.phi"]) > 1
