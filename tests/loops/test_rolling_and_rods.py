"""Rolling wheels, rods with two joints, gears in space and loop assemblies, against Modelica's numbers and by hand."""

import numpy as np
import pytest
from loop_models import check_laws, rod

import linkwright as lw
from linkwright import assemblies, constraints, forces, joints, parts, rotational, translational

ACCURACY = 1e-10


def test_rolling_wheel_of_modelica():
    m = lw.Model("RollingWheel")
    m.world = lw.World(n=[0, 0, -1])
    m.wheel1 = parts.RollingWheel(radius=0.3, m=2, I_axis=0.06, I_long=0.12, x=0.2, y=0.2, der_angles=[0, 5, 1])
    r = lw.simulate(m, 4.0, accuracy=ACCURACY)
    assert [r["wheel1.x"][-1], r["wheel1.y"][-1]] == pytest.approx([0.16300349, -2.23761434], abs=1e-6)
    assert r["wheel1.angles"][-1] == pytest.approx([0.66912554, -0.96499596, 2.09153656], abs=1e-6)
    assert r["wheel1.der_angles"][-1] == pytest.approx([6.15101994, -4.47449625, -5.84644095], abs=2e-6)
    check_laws(r)


def test_rolling_wheel_set_turns_on_a_circle():
    """Wheels at different constant speeds: v = r (ω₁ + ω₂)/2, yaw rate = r (ω₂ − ω₁)/track for axle along y."""
    m = lw.Model("set")
    m.world = lw.World(n=[0, 0, -1])
    m.set = parts.RollingWheelSet(R_wheel=0.1, m_wheel=0.5, I_wheel_axis=0.01, I_wheel_long=0.02, track=0.4,
                                  der_theta1=5.0, der_theta2=8.0)
    m.body = parts.Body(m=3, inertia=[0.1, 0.1, 0.2])
    m.connect(m.set.frame_middle, m.body.frame_a)
    r = lw.simulate(m, 5.0, accuracy=ACCURACY)
    v, yaw = 0.1 * 13 / 2, 0.1 * (8 - 5) / 0.4
    np.testing.assert_allclose(r["set.phi"], yaw * r.t, atol=1e-8)
    np.testing.assert_allclose(r["set.x"], v / yaw * np.sin(yaw * r.t), atol=1e-8)
    np.testing.assert_allclose(r["set.y"], v / yaw * (1 - np.cos(yaw * r.t)), atol=1e-8)
    assert r.system.dof == 2


def test_revolute_constraint_of_modelica():
    """A free body held by constraints.Revolute moves like one on a Revolute joint."""
    angles = [lw.deg(10), lw.deg(55), lw.deg(68)]
    m = lw.Model("RevoluteConstraint")
    m.world = lw.World()
    m.joint = joints.Revolute(n=[0, 1, 0], phi=0, w=0)
    m.constraint = constraints.Revolute(n=[0, 1, 0])
    shape = {"m": 1, "inertia": [1, 1, 1], "r": [0.4, 0, 0], "r_cm": [0.2, 0, 0]}
    m.body_of_joint = parts.BodyShape(**shape)
    m.body_of_constraint = parts.BodyShape(r_0=lw.guess([0.2, -0.5, 0.1]), angles=lw.guess(angles), **shape)
    m.spring1, m.spring2 = forces.Spring(c=20), forces.Spring(c=20)
    m.turned = parts.FixedRotation(r=[0.2, -0.3, 0.2], rotation_type="sequence", angles=angles)
    m.point = parts.FixedTranslation(r=[0.8, 0, 0.3])
    m.connect(m.world.frame_b, m.turned.frame_a, m.point.frame_a)
    m.connect(m.turned.frame_b, m.joint.frame_a, m.constraint.frame_a)
    m.chain(m.joint, m.body_of_joint)
    m.chain(m.constraint, m.body_of_constraint)
    for spring, body in ((m.spring1, m.body_of_joint), (m.spring2, m.body_of_constraint)):
        m.connect(m.point.frame_b, spring.frame_a)
        m.connect(spring.frame_b, body.frame_b)
    r = lw.simulate(m, 10.0, accuracy=ACCURACY)
    # the constrained body is released where the joint's is
    assert r["joint.phi"][-1] == pytest.approx(-0.0011555767507648942, abs=2e-3)
    assert r["body_of_joint.w_a"][-1, 1] == pytest.approx(0.098164490282391062, abs=2e-3)
    np.testing.assert_allclose(r["body_of_constraint.w_a"], r["body_of_joint.w_a"], atol=1e-7)
    np.testing.assert_allclose(r["constraint.frame_b.f"], r["joint.frame_b.f"], atol=1e-5)
    assert r.closure < 1e-9


def test_gear_constraint_against_equations_by_hand():
    """ω_a = 3 ω_b on a fixed bearing: (J_a 9 + J_b) ω̇_b = τ on b."""
    m = lw.Model("gear")
    m.world = lw.World()
    m.gear = joints.GearConstraint(ratio=3.0, n_a=[1, 0, 0], n_b=[0, 1, 0], phi_b=0.0, w_b=0.0)
    m.a = parts.Body(m=1, inertia=[0.2, 0.1, 0.1])
    m.b = parts.Body(m=1, inertia=[0.1, 0.5, 0.1])
    m.torque = forces.WorldTorque(torque=[0, 0.7, 0])
    m.connect(m.gear.bearing, m.world.frame_b)
    m.connect(m.gear.frame_a, m.a.frame_a)
    m.connect(m.gear.frame_b, m.b.frame_a, m.torque.frame_b)
    r = lw.simulate(m, 2.0, accuracy=ACCURACY)
    rate = 0.7 / (9 * 0.2 + 0.5)
    np.testing.assert_allclose(r["gear.phi_b"], rate * r.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(r["a.w_a"][:, 0], 3 * rate * r.t, atol=1e-8)
    assert r.system.dof == 1


@pytest.mark.parametrize("mass", [0.0, 0.8])
def test_spherical_spherical_rod_against_a_body_on_balls(mass):
    """Two arms joined by a rod: the same motion with the rod as a constraint and with a body of the same mass."""
    def model(body):
        m = lw.Model("arms")
        m.world = lw.World()
        m.rev1 = joints.Revolute(n=[0, 0, 1], phi=0.3, w=2.0)
        m.rev2 = joints.Revolute(n=[1, 0, 0], phi=lw.guess(0.0))
        m.arm1, m.arm2 = rod(0.5), rod(0.4, 1.0, (0.0, 1.0, 0.0))
        m.far = parts.FixedTranslation(r=[0.8, 0.2, 0.6])
        m.chain(m.world, m.rev1, m.arm1)
        m.chain(m.world, m.far, m.rev2, m.arm2)
        if body:
            m.rod = parts.BodyShape(m=mass or 1e-9, r=[0.9, 0, 0], r_cm=[0.45, 0, 0], inertia=[1e-9] * 3)
            m.ball1, m.ball2 = joints.Spherical(), joints.Spherical()
            m.chain(m.arm1, m.ball1, m.rod, m.ball2)
            m.connect(m.ball2.frame_b, m.arm2.frame_b)
        else:
            m.rod = joints.SphericalSpherical(rod_length=0.9, m=mass)
            m.chain(m.arm1, m.rod)
            m.connect(m.rod.frame_b, m.arm2.frame_b)
        return lw.simulate(m, 2.0, accuracy=ACCURACY)

    one = model(False)
    assert one.system.dof == 1
    check_laws(one)
    other = model(True)
    np.testing.assert_allclose(one["rev1.phi"], other["rev1.phi"], atol=1e-5)


def test_fourbar_analytic_of_modelica():
    m = lw.Model("Fourbar_analytic")
    m.world = lw.World()
    m.j1 = joints.Revolute(n=[1, 0, 0], phi=0, w=lw.deg(300))
    m.b1 = parts.BodyCylinder(r=[0, 0.5, 0.1], diameter=0.05)
    m.b3 = parts.FixedTranslation(r=[1.2, 0, 0])
    m.ssp = assemblies.JointSSP(rod1_length=1.1**0.5, n_b=[1, 0, 0], s_offset=-0.2, r_rod2_ib=[0, 0.2, 0])
    m.b2 = parts.BodyCylinder(r=[0, 0.2, 0], diameter=0.05)
    m.chain(m.world, m.j1, m.b1)
    m.connect(m.world.frame_b, m.b3.frame_a)
    m.connect(m.b1.frame_b, m.ssp.frame_a)
    m.connect(m.b3.frame_b, m.ssp.frame_b)
    m.connect(m.b2.frame_a, m.ssp.frame_ib)
    r = lw.simulate(m, 5.0, accuracy=ACCURACY)
    assert [r["j1.phi"][-1], r["j1.w"][-1]] == pytest.approx([40.24202503, 11.63500685], abs=1e-6)
    assert r["ssp.distance"][0] == pytest.approx(-0.2)
    check_laws(r)


def test_planar_loops_analytic_of_modelica():
    rh, rv, r1b, r2b, r3b = (np.array(v) for v in ([0.5, 0, 0], [0, 0.5, 0], [0.1, 0.5, 0], [0.1, 0.6, 0],
                                                   [0, 0.55, 0]))
    r1a = r1b + rh - rv
    r2a = r2b + rh - r1b
    r3a = r3b + rh - r2b
    m = lw.Model("PlanarLoops_analytic")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0, w=0)
    m.rod1, m.rod2, m.rod3, m.rod4 = (parts.FixedTranslation(r=r) for r in (rv, rh, rh, rh))
    m.position = rotational.Position(phi_ref=0.7 * lw.sin(2 * np.pi * lw.time))
    m.chain(m.world, m.rev, m.rod1)
    m.chain(m.world, m.rod2, m.rod3, m.rod4)
    m.connect(m.position.flange, m.rev.axis)
    before = m.rod1.frame_b
    for k, (a, b, place) in enumerate(((r1a, r1b, m.rod2), (r2a, r2b, m.rod3), (r3a, r3b, m.rod4)), 1):
        joint = assemblies.JointRRR(r_rod1_ia=a, r_rod2_ib=b)
        body = parts.Body(m=1, r_cm=a / 2)
        setattr(m, f"rrr{k}", joint)
        setattr(m, f"body{k}", body)
        m.connect(before, joint.frame_a)
        m.connect(place.frame_b, joint.frame_b)
        m.connect(joint.frame_ia, body.frame_a)
        before = joint.frame_im
    r = lw.simulate(m, 5.0, accuracy=ACCURACY)
    assert [r["rev.phi"][-1], r["rev.w"][-1]] == pytest.approx([-0.01905909, 4.3960551], abs=1e-6)
    assert r.closure < 1e-9


def test_line_force_with_two_masses_is_a_strut_with_two_bodies():
    along = np.array([0.7, 1.2, 0]) / np.linalg.norm([0.7, 1.2, 0])
    m = lw.Model("LineForceWithTwoMasses")
    m.world = lw.World()
    m.revolute1 = joints.Revolute(phi=0, w=0)
    m.box1 = parts.BodyBox(r=[0.7, 0, 0])
    m.rod1, m.rod2 = parts.FixedTranslation(r=[0, -0.9, 0]), parts.FixedTranslation(r=[0, 0.3, 0])
    m.ups = assemblies.JointUPS(n_axis_ia=[0.7, 1.2, 0])
    m.body1 = parts.Body(m=1, r_cm=0.2 * along, inertia=[0, 0, 0])
    m.body2 = parts.Body(m=1, r_cm=-0.2 * along, inertia=[0, 0, 0])
    m.damper1 = translational.Damper(d=3)
    m.connect(m.ups.bearing, m.damper1.flange_a)
    m.connect(m.ups.axis, m.damper1.flange_b)
    m.connect(m.ups.frame_ib, m.body2.frame_a)
    m.connect(m.ups.frame_ia, m.body1.frame_a)
    m.connect(m.world.frame_b, m.rod1.frame_a, m.rod2.frame_a)
    m.chain(m.rod2, m.revolute1, m.box1)
    m.connect(m.box1.frame_b, m.ups.frame_b)
    m.connect(m.rod1.frame_b, m.ups.frame_a)
    r = lw.simulate(m, 3.0, accuracy=ACCURACY)
    assert [r["revolute1.phi"][-1], r["revolute1.w"][-1]] == pytest.approx([-0.92014247, 0.89972751], abs=1e-6)
    assert r.closure < 1e-9
