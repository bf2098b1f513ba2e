"""Gears wheels and couplers against equations of motion derived by hand and integrated by SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import constraints, joints, parts

ACCURACY, TOLERANCE = 1e-11, 1e-7
G = 9.81


def integrated(derivative, start, t):
    """The solution of ẏ = f(y) at times t, to about 1e-11."""
    return solve_ivp(lambda _, y: derivative(y), (t[0], t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-12).y


@pytest.mark.parametrize("options", [{}, {"formulation": "projection"}, {"formulation": "minimal"}], ids=str)
def test_a_bevel_gear_on_a_swinging_arm(options):
    """The arm turns about z by θ, gear a about the same direction by 3ψ, gear b about the arm's y by ψ.

        T = ½ (J + m L² + B₁ sin²ψ + B₃ cos²ψ) θ̇² + ½ A₃ (θ̇ + 3ψ̇)² + ½ B₂ ψ̇²,    V = m g L sin θ
    """
    length, mass, A3, (B1, B2, B3), J = 0.6, 1.2 + 0.7, 0.04, (0.3, 0.02, 0.05), 0.1
    m = lw.Model("bevel gear")
    m.world = lw.World(g=G)
    m.swing = joints.Revolute(phi=0.3, w=1.0)
    m.arm = parts.BodyShape(m=0, r=[length, 0, 0], r_cm=[0, 0, 0], inertia=[0, 0, J])
    m.gear = joints.GearConstraint(ratio=3.0, n_a=[0, 0, 1], n_b=[0, 1, 0], phi_b=0.4, w_b=5.0)
    m.a = parts.Body(m=1.2, inertia=[0.03, 0.03, A3])
    m.b = parts.Body(m=0.7, inertia=[B1, B2, B3])
    m.chain(m.world, m.swing, m.arm)
    m.connect(m.arm.frame_b, m.gear.bearing)
    m.connect(m.gear.frame_a, m.a.frame_a)
    m.connect(m.gear.frame_b, m.b.frame_a)
    r = lw.simulate(lw.compile(m, **options), 5.0, accuracy=ACCURACY)

    def derivative(y):
        theta, psi, v, w = y
        s, c = np.sin(psi), np.cos(psi)
        M = [[J + mass * length**2 + A3 + B1 * s**2 + B3 * c**2, 3 * A3], [3 * A3, 9 * A3 + B2]]
        f = [-mass * G * length * np.cos(theta) - 2 * (B1 - B3) * s * c * v * w, (B1 - B3) * s * c * v**2]
        return [v, w, *np.linalg.solve(M, f)]

    theta, psi, _, _ = integrated(derivative, [0.3, 0.4, 1.0, 5.0], r.t)
    assert r.system.dof == 2
    np.testing.assert_allclose(r["swing.phi"], theta, atol=TOLERANCE)
    np.testing.assert_allclose(r["gear.phi_b"], psi, atol=TOLERANCE)


@pytest.mark.parametrize("options", [{}, {"formulation": "projection"}, {"formulation": "minimal"}], ids=str)
def test_a_wheel_set_with_its_load_ahead_is_chaplygins_sleigh(options):
    """Forward speed v and yaw rate ω of an axle whose load m sits a ahead of it (Chaplygin 1911), wheels rolling:

        (m + 2m_w + 2I/r²) v̇ = m a ω²,    (I_z + m a² + 2I_l + m_w b²/2 + I b²/(2r²)) ω̇ = −m a v ω
    """
    r_w, m_w, I_axis, I_long, track, load, ahead, I_z = 0.1, 0.5, 0.01, 0.02, 0.4, 3.0, 0.25, 0.2
    m = lw.Model("sleigh on wheels")
    m.world = lw.World(n=[0, 0, -1])
    m.set = parts.RollingWheelSet(R_wheel=r_w, m_wheel=m_w, I_wheel_axis=I_axis, I_wheel_long=I_long, track=track,
                                    der_theta1=-4.0, der_theta2=8.0)
    m.body = parts.Body(m=load, r_cm=[ahead, 0, 0], inertia=[0.1, 0.1, I_z])
    m.connect(m.set.frame_middle, m.body.frame_a)
    r = lw.simulate(lw.compile(m, **options), 5.0, accuracy=ACCURACY)
    mass = load + 2 * m_w + 2 * I_axis / r_w**2
    inertia = I_z + load * ahead**2 + 2 * I_long + m_w * track**2 / 2 + I_axis * track**2 / (2 * r_w**2)

    def derivative(y):
        _, _, phi, v, w = y
        return [v * np.cos(phi), v * np.sin(phi), w, load * ahead * w**2 / mass, -load * ahead * v * w / inertia]

    x, y, phi, v, w = integrated(derivative, [0, 0, 0, r_w * 2.0, r_w * 12.0 / track], r.t)
    for name, exact in {"x": x, "y": y, "phi": phi, "der_theta1": (v - w * track / 2) / r_w,
                        "der_theta2": (v + w * track / 2) / r_w}.items():
        np.testing.assert_allclose(r[f"set.{name}"], exact, atol=10 * TOLERANCE, err_msg=name)
    assert w[-1] < 0.1 * w[0]  # it runs straight in the end


J1, J2, MASS = 0.3, 0.05, 1.0


def rotors():
    """A pendulum of inertia J₁ about its pin and a rotor J₂, both about z."""
    m = lw.Model("coupled")
    m.world = lw.World(g=G)
    m.rev1, m.rev2 = joints.Revolute(phi=0.4, w=3.0), joints.Revolute(phi=lw.guess(0.2))
    m.pendulum = parts.Body(m=MASS, r_cm=[0.5, 0, 0], inertia=[0.01, 0.01, J1 - MASS * 0.25])
    m.rotor = parts.Body(m=1.0, inertia=[0.01, 0.01, J2])
    m.chain(m.world, m.rev1, m.pendulum)
    m.chain(m.world, m.rev2, m.rotor)
    return m


def coupled(slope, change):
    """φ̇₂ = f(φ₁) φ̇₁:  (J₁ + f² J₂) φ̈₁ + J₂ f f′ φ̇₁² = −m g l cos φ₁."""
    def derivative(y):
        phi, _, w = y
        f, df = slope(phi), change(phi)
        return [w, f * w, (-MASS * G * 0.5 * np.cos(phi) - J2 * f * df * w**2) / (J1 + J2 * f**2)]
    return derivative


@pytest.mark.parametrize("options", [{}, {"formulation": "projection"}, {"formulation": "minimal"}], ids=str)
def test_a_coordinate_coupler_that_is_not_linear(options):
    """φ₂ = 2 sin φ₁ + φ₁²/2."""
    m = rotors()
    m.cam = constraints.CoordinateCoupler(function=m.rev2.phi - 2 * lw.sin(m.rev1.phi) - m.rev1.phi**2 / 2)
    r = lw.simulate(lw.compile(m, **options), 4.0, accuracy=ACCURACY)
    start = [0.4, 2 * np.sin(0.4) + 0.08, 3.0]
    phi1, phi2, _ = integrated(coupled(lambda a: 2 * np.cos(a) + a, lambda a: 1 - 2 * np.sin(a)), start, r.t)
    np.testing.assert_allclose(r["rev1.phi"], phi1, atol=TOLERANCE)
    np.testing.assert_allclose(r["rev2.phi"], phi2, atol=TOLERANCE)
    assert r.system.dof == 1 and r.closure < 1e-9


@pytest.mark.parametrize("options", [{}, {"formulation": "projection"}, {"formulation": "minimal"}], ids=str)
def test_a_speed_coupler_whose_ratio_depends_on_the_position(options):
    """φ̇₂ = (2 + cos φ₁) φ̇₁, from φ₂ = 0.2."""
    m = rotors()
    m.rev2._initial["phi"] = [0.2]
    m.gear = constraints.SpeedCoupler(function=m.rev2.w - (2 + lw.cos(m.rev1.phi)) * m.rev1.w)
    r = lw.simulate(lw.compile(m, **options), 4.0, accuracy=ACCURACY)
    phi1, phi2, _ = integrated(coupled(lambda a: 2 + np.cos(a), lambda a: -np.sin(a)), [0.4, 0.2, 3.0], r.t)
    np.testing.assert_allclose(r["rev1.phi"], phi1, atol=TOLERANCE)
    np.testing.assert_allclose(r["rev2.phi"], phi2, atol=TOLERANCE)
    assert r.system.dof == 1
