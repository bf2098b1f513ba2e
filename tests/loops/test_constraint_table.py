"""One test per row of the constraint table: against a joint that does the same, or a closed-form solution."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, forces, joints, parts, rotational

G = 9.81
SLOPE = 0.4  # rad


def world(n=(0, -1, 0)):
    m = lw.Model("row")
    m.world = lw.World(g=G, n=list(n))
    return m


def run(m, stop=2.0, accuracy=1e-10):
    r = lw.simulate(m, stop, accuracy=accuracy)
    assert r.closure < 1e-9
    return r


def same_motion(one, other, name="body.frame_a.r_0", tolerance=1e-7):
    np.testing.assert_allclose(one[name], other[name], atol=tolerance)


def body(**given):
    return parts.Body(m=1.3, r_cm=[0.4, 0.1, -0.2], inertia=[0.1, 0.2, 0.25], **given)


def inclined():
    """Gravity of a slope about y: the plane z = 0 falls towards x."""
    return world([np.sin(SLOPE), 0, -np.cos(SLOPE)])


def test_rod():
    """A point mass on a rod is a pendulum."""
    m = world()
    m.rod = constraints.Rod(length=0.7)
    m.mass = parts.PointMass(m=1.0, r_0=lw.guess([0.7, 0, 0]), v_0=[0, 0, 0])
    m.chain(m.world, m.rod, m.mass)
    r = run(m)
    p = world()
    p.rev = joints.Revolute(phi=0, w=0)
    p.body = parts.Body(m=1.0, r_cm=[0.7, 0, 0], inertia=[0, 0, 0])
    p.chain(p.world, p.rev, p.body)
    angle = run(p)["rev.phi"]
    np.testing.assert_allclose(r["mass.r_0"][:, :2], 0.7 * np.stack([np.cos(angle), np.sin(angle)], 1), atol=1e-7)
    assert r.system.dof == 2
    # the force along the rod: m (ω² l − g sin φ) towards the world, felt by the rod at the mass
    pull = np.linalg.norm(r["rod.frame_b.f"], axis=1)
    np.testing.assert_allclose(pull, run(p)["rev.w"] ** 2 * 0.7 - G * np.sin(angle), atol=1e-6)


def ball_body():
    m = world()
    m.joint = joints.Spherical(w_rel_a=[1, 2, 3], angles=[0.1, 0.2, 0.3])
    m.body = body()
    m.chain(m.world, m.joint, m.body)
    return run(m)


def test_ball():
    m = world()
    m.ball = constraints.Ball()
    m.body = body(angles=[0.1, 0.2, 0.3], w_0=[1, 2, 3], r_0=lw.guess([0.01, 0, 0]))
    m.chain(m.world, m.ball, m.body)
    r, joint = run(m), ball_body()
    same_motion(r, joint, "body.w_0")
    same_motion(r, joint, "body.frame_a.f", 1e-5)
    np.testing.assert_allclose(r["ball.frame_b.f"], joint["joint.frame_b.f"], atol=1e-5)
    np.testing.assert_allclose(r["ball.frame_a.f"], joint["joint.frame_a.f"], atol=1e-5)


def test_weld():
    """Two bodies welded swing as one."""
    m, p = world(), world()
    for model in (m, p):
        model.rev = joints.Revolute(n=[0.3, 0.2, 1], phi=0.2, w=1)
        model.arm = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
        model.body = body()
        model.chain(model.world, model.rev, model.arm)
    m.weld = constraints.Weld()
    m.chain(m.arm, m.weld, m.body)
    p.chain(p.arm, p.body)
    one, other = run(m), run(p)
    same_motion(one, other, "rev.phi")
    assert one.system.dof == 1
    same_motion(one, other, "body.frame_a.t", 1e-5)


def test_point_in_plane():
    m = inclined()
    m.plane = constraints.PointInPlane(n=[0, 0, 1])
    m.body = parts.PointMass(m=2.0, r_0=[0, 0, 0], v_0=[0, 0.5, 0])
    m.chain(m.world, m.plane, m.body)
    r = run(m)
    t = r.t
    np.testing.assert_allclose(r["body.r_0"], np.stack([G * np.sin(SLOPE) * t**2 / 2, 0.5 * t, 0 * t], 1), atol=1e-8)
    np.testing.assert_allclose(r["plane.frame_a.f"][:, 2], 2 * G * np.cos(SLOPE), atol=1e-8)


def test_point_on_line():
    m = world()
    m.line = constraints.PointOnLine(n=[3, -4, 0])
    m.body = parts.PointMass(m=2.0, r_0=lw.guess([0, 0, 0]), v_0=lw.guess([0, 0, 0]))
    m.chain(m.world, m.line, m.body)
    r = run(m)
    along = G * 0.8 * r.t**2 / 2
    np.testing.assert_allclose(r["body.r_0"], np.outer(along, [0.6, -0.8, 0]), atol=1e-8)


def test_constant_angle():
    """A body on a ball whose x axis keeps horizontal moves as on a universal joint of vertical and own x axis."""
    m = world([0, 0, -1])
    m.ball = joints.Spherical(angles=[0.3, 0, 0], w_rel_a=[None, None, 2.0])
    m.angle = constraints.ConstantAngle(n_a=[0, 0, 1], n_b=[1, 0, 0], angle=np.pi / 2)
    m.body = body()
    m.chain(m.world, m.ball, m.body)
    m.chain(m.world, m.angle, m.body)
    p = world([0, 0, -1])
    p.universal = joints.Universal(n_a=[0, 0, 1], n_b=[1, 0, 0], phi_a=0, phi_b=0.3, w_a=2.0, w_b=0.0)
    p.body = body()
    p.chain(p.world, p.universal, p.body)
    one, other = run(m), run(p)
    assert one.system.dof == 2
    np.testing.assert_allclose(one["body.frame_a.R.T"], other["body.frame_a.R.T"], atol=1e-7)


def test_constant_orientation():
    """A force off the centre of mass cannot turn the body."""
    m = world()
    m.keep = constraints.ConstantOrientation()
    m.body = body(r_0=[0, 0, 0], v_0=[1, 2, 0])
    m.force = forces.WorldForce(force=[0.3, 0, 0.7])
    m.chain(m.world, m.keep, m.body)
    m.connect(m.force.frame_b, m.body.frame_a)
    r = run(m)
    t = r.t[:, None]
    expected = np.array([1, 2, 0]) * t + (np.array([0.3, 0, 0.7]) / 1.3 + [0, -G, 0]) * t**2 / 2
    np.testing.assert_allclose(r["body.r_0"], expected, atol=1e-8)


def double_pendulum():
    m = world()
    m.rev1, m.rev2 = joints.Revolute(phi=0.3, w=0.5), joints.Revolute()
    m.arm = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    m.body = body()
    m.chain(m.world, m.rev1, m.arm, m.rev2, m.body)
    return m


def test_constant_coordinate():
    m = double_pendulum()
    m.hold = constraints.ConstantCoordinate(coordinate=m.rev2.phi, value=0.8)
    p = world()
    p.rev1 = joints.Revolute(phi=0.3, w=0.5)
    p.arm = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.01, 0.1, 0.1])
    p.bend = parts.FixedRotation(n=[0, 0, 1], angle=0.8)
    p.body = body()
    p.chain(p.world, p.rev1, p.arm, p.bend, p.body)
    one = run(m)
    same_motion(one, run(p), "rev1.phi")
    np.testing.assert_allclose(one["rev2.phi"], 0.8, atol=1e-9)


def test_constant_speed():
    m = double_pendulum()
    m.hold = constraints.ConstantSpeed(speed=m.rev2.w, value=1.5)
    r = run(m)
    np.testing.assert_allclose(r["rev2.phi"] - r["rev2.phi"][0], 1.5 * r.t, atol=1e-8)


def test_constant_acceleration():
    m = double_pendulum()
    m.hold = constraints.ConstantAcceleration(acceleration=m.rev2.a, value=-0.7)
    r = run(m)
    np.testing.assert_allclose(r["rev2.phi"] - r["rev2.phi"][0], -0.35 * r.t**2, atol=1e-8)


def test_no_slip_1d():
    """Two disks of 0.2 and 0.1 m on fixed axes 0.3 m apart, touching: φ̈₁ = τ / (J₁ + J₂ (r₁/r₂)²)."""
    m = world()
    m.rev1, m.rev2 = joints.Revolute(phi=0, w=0), joints.Revolute(phi=0)
    m.axis2 = parts.FixedTranslation(r=[0.3, 0, 0])
    m.disk1, m.disk2 = parts.Body(m=1, inertia=[0.1, 0.1, 0.3]), parts.Body(m=1, inertia=[0.1, 0.1, 0.05])
    m.motor = rotational.Torque(tau=0.8)
    m.contact = constraints.NoSlip1D(r=[0.2, 0, 0], n=[0, 1, 0])
    m.chain(m.world, m.rev1, m.disk1)
    m.chain(m.world, m.axis2, m.rev2, m.disk2)
    m.connect(m.motor.flange, m.rev1.axis)
    m.connect(m.contact.frame_case, m.world.frame_b)
    m.connect(m.contact.frame_a, m.disk1.frame_a)
    m.connect(m.contact.frame_b, m.disk2.frame_a)
    r = run(m)
    a = 0.8 / (0.3 + 0.05 * 4)
    np.testing.assert_allclose(r["rev1.phi"], a * r.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(r["rev2.phi"], -a * r.t**2, atol=1e-8)


def test_point_on_plane_contact():
    """A point that neither leaves nor slips is a ball joint."""
    m = world()
    m.contact = constraints.PointOnPlaneContact(n=[0.1, 1, 0.2])
    m.body = body(angles=[0.1, 0.2, 0.3], w_0=[1, 2, 3], r_0=lw.guess([0, 0, 0]))
    m.chain(m.world, m.contact, m.body)
    m.init(m.body.r_0[0], 0)
    m.init(m.body.r_0[2], 0)
    r = run(m)
    assert r.system.dof == 3
    same_motion(r, ball_body(), "body.w_0")


@pytest.mark.parametrize(("rolling", "share"), [(True, 5 / 7), (False, 1.0)])
def test_sphere_on_plane_contact(rolling, share):
    """A homogeneous ball rolls down a slope with 5/7 of the acceleration of one that slides."""
    m = inclined()
    m.contact = constraints.SphereOnPlaneContact(radius=0.1, rolling=rolling)
    m.ball = parts.Body(m=2, inertia=[0.4 * 2 * 0.1**2] * 3, r_0=[0, 0, lw.guess(0.1)], v_0=lw.guess([0, 0, 0]),
                        w_0=[0, 0, 0], angles=[0, 0, 0])
    m.chain(m.world, m.contact, m.ball)
    r = run(m)
    np.testing.assert_allclose(r["ball.r_0"][:, 0], share * G * np.sin(SLOPE) * r.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(r["ball.w_0"][:, 1] * 0.1, rolling * r["ball.v_0"][:, 0], atol=1e-8)


@pytest.mark.parametrize("rolling", [True, False])
def test_sphere_on_sphere_contact(rolling):
    """A ball rolling off another: v² = 10/7 g h; sliding: v² = 2 g h."""
    m = world([0, 0, -1])
    m.contact = constraints.SphereOnSphereContact(radius_a=0.4, radius_b=0.1, rolling=rolling)
    start = 0.5 * np.array([np.sin(0.2), 0, np.cos(0.2)])
    m.ball = parts.Body(m=2, inertia=[0.4 * 2 * 0.1**2] * 3, r_0=[start[0], 0, lw.guess(start[2])],
                        v_0=lw.guess([0, 0, 0]), w_0=[0, 0, 0], angles=[0, 0, 0])
    m.chain(m.world, m.contact, m.ball)
    r = run(m, 1.0)
    drop = r["ball.r_0"][0, 2] - r["ball.r_0"][:, 2]
    assert drop[-1] > 0.1
    np.testing.assert_allclose(np.sum(r["ball.v_0"] ** 2, 1), (10 / 7 if rolling else 2) * G * drop, atol=1e-8)


def test_line_on_line_contact():
    """Crossing edges that neither part nor slip hold one point: a ball joint there."""
    m = world()
    m.edge = constraints.LineOnLineContact(n_a=[1, 0, 0], n_b=[0, 0, 1])
    m.body = body(angles=[0.1, 0.2, 0.3], w_0=[1, 2, 3], r_0=lw.guess([0, 0, 0]))
    m.chain(m.world, m.edge, m.body)
    m.init(m.body.r_0[0], 0)
    m.init(m.body.r_0[2], 0)
    r = run(m, 0.5)
    assert r.system.dof == 3
    np.testing.assert_allclose(r["body.w_0"], ball_body().at(r.t)["body.w_0"], atol=1e-7)


def test_line_on_line_contact_that_slips():
    """A body that cannot turn, its edge along z on an edge along x: free to slide along both, held across them."""
    m = world([1, -2, 0.5])
    m.edge = constraints.LineOnLineContact(n_a=[1, 0, 0], n_b=[0, 0, 1], rolling=False)
    m.keep = constraints.ConstantOrientation()
    m.body = body(r_0=[0, lw.guess(0), 0], v_0=[0.3, lw.guess(0), 0])
    m.chain(m.world, m.edge, m.body)
    m.chain(m.world, m.keep, m.body)
    r = run(m)
    pull = G * np.array([1, -2, 0.5]) / np.linalg.norm([1, -2, 0.5])
    expected = np.stack([0.3 * r.t + pull[0] * r.t**2 / 2, 0 * r.t, pull[2] * r.t**2 / 2], 1)
    np.testing.assert_allclose(r["body.r_0"], expected, atol=1e-8)
    np.testing.assert_allclose(r["edge.frame_a.f"], np.tile([0, -1.3 * pull[1], 0], (len(r.t), 1)), atol=1e-7)
    assert r.system.dof == 2


def geared(coupling):
    """Two rotors, 0.3 and 0.05 kg m², a torque of 0.8 on the first; coupled so that φ₁ = −2 φ₂."""
    m = world()
    m.rev1, m.rev2 = joints.Revolute(phi=0, w=0), joints.Revolute(phi=lw.guess(0))
    m.rotor1, m.rotor2 = parts.Body(m=1, inertia=[0.1, 0.1, 0.3]), parts.Body(m=1, inertia=[0.1, 0.1, 0.05])
    m.motor = rotational.Torque(tau=0.8)
    m.chain(m.world, m.rev1, m.rotor1)
    m.chain(m.world, m.rev2, m.rotor2)
    m.connect(m.motor.flange, m.rev1.axis)
    m.coupling = coupling(m)
    r = run(m)
    a = 0.8 / (0.3 + 0.05 / 4)
    np.testing.assert_allclose(r["rev1.phi"], a * r.t**2 / 2, atol=1e-8)
    np.testing.assert_allclose(r["rev2.phi"], -a * r.t**2 / 4, atol=1e-8)


def test_coordinate_coupler():
    geared(lambda m: constraints.CoordinateCoupler(function=m.rev1.phi + 2 * m.rev2.phi))


def test_speed_coupler():
    geared(lambda m: constraints.SpeedCoupler(function=m.rev1.w + 2 * m.rev2.w))


def test_prescribed_motion():
    m = double_pendulum()
    m.hold = constraints.PrescribedMotion(coordinate=m.rev2.phi, function=0.5 * lw.sin(3 * lw.time))
    r = run(m)
    np.testing.assert_allclose(r["rev2.phi"], 0.5 * np.sin(3 * r.t), atol=1e-9)
    np.testing.assert_allclose(r["rev2.w"], 1.5 * np.cos(3 * r.t), atol=1e-8)
    np.testing.assert_allclose(r["rev2.a"], -4.5 * np.sin(3 * r.t), atol=1e-7)


def test_custom():
    class OnSphere(constraints.Constraint):
        radius = lw.parameter(1.0, unit="m")

        def residual(self, X_a, X_b):
            d = X_b.p - X_a.p
            return [lw.dot(d, d) - self.radius**2]

    def model(constraint):
        m = world()
        m.rev = joints.Revolute(phi=0.1, w=0.4)
        m.arm = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0], inertia=[0.01, 0.1, 0.1])
        m.constraint = constraint
        tip = 0.5 * np.array([np.cos(0.1), np.sin(0.1), 0])
        m.body = body(r_0=lw.guess(tip + 0.7 * np.array([2, -6, 3]) / 7), v_0=lw.guess([0, 0, 0]), angles=[0, 0, 0],
                      w_0=[0, 1, 0])
        m.chain(m.world, m.rev, m.arm, m.constraint, m.body)
        return run(m)

    own, rod = model(OnSphere(radius=0.7)), model(constraints.Rod(length=0.7))
    same_motion(own, rod, "rev.phi")
    same_motion(own, rod, "arm.frame_b.f", 1e-5)


def test_custom_on_velocity_level():
    """A skate: no velocity across its blade; on a level plane it runs in circles of constant speed."""
    class Skate(constraints.Constraint):
        def residual(self, X_a, X_b):
            return [X_b.p[2] - X_a.p[2], X_b.R[0, 2], X_b.R[1, 2]]

        def speed_residual(self, X_a, V_a, X_b, V_b):
            return [V_b.moment[1]]

    m = world([0, 0, -1])
    m.skate = Skate()
    m.body = parts.Body(m=1, r_0=[0, 0, lw.guess(0)], v_0=lw.guess([2, 0, 0]), w_0=[None, None, 0.5])
    m.chain(m.world, m.skate, m.body)
    r = run(m, 4.0)
    assert r.system.dof == 2
    radius = 2 / 0.5
    np.testing.assert_allclose(r["body.r_0"][:, 0], radius * np.sin(0.5 * r.t), atol=1e-7)
    np.testing.assert_allclose(r["body.r_0"][:, 1], radius * (1 - np.cos(0.5 * r.t)), atol=1e-7)
