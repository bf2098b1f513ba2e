"""Components of a user's own, as the reference page writes them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import forces, joints, parts

G = 9.80665


def run(f, y0, t):
    return solve_ivp(f, (0, t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t).y


class CubicSpring(forces.LineForce):
    k = lw.parameter(1.0, "stiffness", unit="N/m3")
    s_unstretched = lw.parameter(0.0, "free length", unit="m")

    def force(self, s, v):
        return self.k * (s - self.s_unstretched) ** 3


class Knee(joints.Joint):
    dof = 1

    def transform(self, q):
        return lw.Transform(lw.rotation_z(q[0]), [0.01 * lw.sin(q[0]), 0, 0])


class Bushing(forces.TwoFrameForce):
    k = lw.parameter(1e4)
    tau = lw.parameter(0.01)

    def wrench(self, X_ab, V_ab):
        z = self.state("z", der=lambda z: (X_ab.p[0] - z) / self.tau)
        y = self.unknown("y", residual=lambda y: y + 0.1 * y**3 - X_ab.p[1])
        return lw.ForceMotor([-self.k * z, -self.k * y, 0], [0, 0, 0])


def test_cubic_spring():
    m = lw.Model("cubic")
    m.world = lw.World()
    m.bob = parts.PointMass(m=0.8, r_0=[0.3, -0.9, 0], v_0=[0.5, 0, 0.2])
    m.spring = CubicSpring(k=30.0, s_unstretched=0.4)
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.bob.frame_a, m.spring.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-12)

    def f(t, y):
        s = np.linalg.norm(y[:3])
        return np.concatenate([y[3:], -30 * (s - 0.4) ** 3 * y[:3] / s / 0.8 - [0, G, 0]])

    assert r["bob.r_0"] == pytest.approx(run(f, [0.3, -0.9, 0, 0.5, 0, 0.2], r.t)[:3].T, abs=1e-8)
    assert r["spring.f"] == pytest.approx(30 * (r["spring.s"] - 0.4) ** 3, abs=1e-9)


def test_knee():
    """Lagrange with one coordinate: T = ½ J(q) q̇², J(q) = |dp/dq|² m + I."""
    m = lw.Model("knee")
    m.world = lw.World()
    m.knee = Knee(q=0.4, u=1.0)
    m.shank = parts.Body(m=2.0, r_cm=[0.3, 0, 0], inertia=[0.1, 0.1, 0.05])
    m.chain(m.world, m.knee, m.shank)
    r = lw.simulate(m, 1.0, accuracy=1e-12)

    def f(t, y):
        q, u = y
        # p = (0.01 sin q + 0.3 cos q, 0.3 sin q)
        px, py = 0.01 * np.cos(q) - 0.3 * np.sin(q), 0.3 * np.cos(q)
        pxx, pyy = -0.01 * np.sin(q) - 0.3 * np.cos(q), -0.3 * np.sin(q)
        J = 2.0 * (px**2 + py**2) + 0.05
        return [u, (-2.0 * (px * pxx + py * pyy) * u**2 - 2.0 * G * py) / J]

    assert r["knee.q"] == pytest.approx(run(f, [0.4, 1.0], r.t)[0], abs=1e-9)
    assert r["knee.a"] == pytest.approx([f(0, y)[1] for y in zip(r["knee.q"], r["knee.u"], strict=True)], abs=1e-7)


def test_bushing_with_a_state_and_an_unknown():
    m = lw.Model("bushing")
    m.world = lw.World(gravity=None)
    m.slide = joints.Translation(q=[0.02, 0.5, 0.0])
    m.body = parts.Body(m=5.0)
    m.bushing = Bushing(k=200.0, tau=0.3)
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.bushing.frame_a)
    m.connect(m.body.frame_a, m.bushing.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-11)

    def f(t, s):
        x, y, vx, vy, z = s
        w = y
        for _ in range(50):
            w -= (w + 0.1 * w**3 - y) / (1 + 0.3 * w * w)
        return [vx, vy, -200 * z / 5, -200 * w / 5, (x - z) / 0.3]

    x, y, _, _, z = run(f, [0.02, 0.5, 0, 0, 0], r.t)
    assert r["slide.q"][:, :2] == pytest.approx(np.stack([x, y], 1), abs=1e-8)
    assert r["bushing.z"] == pytest.approx(z, abs=1e-8)
    assert r["bushing.y"] + 0.1 * r["bushing.y"] ** 3 == pytest.approx(r["slide.q"][:, 1], abs=1e-9)
    # what acts on one frame acts back on the other, moment included
    f_a, f_b = r["bushing.frame_a.f"], r["bushing.frame_b.f"]
    assert f_a + f_b == pytest.approx(0 * f_a, abs=1e-9)
    arm = r["body.r_0"]
    assert r["bushing.frame_a.t"] + np.cross(arm, f_b) == pytest.approx(0 * f_a, abs=1e-9)


def test_two_laws_of_a_kind_have_states_of_their_own():
    m = lw.Model("two bushings")
    m.world = lw.World(gravity=None)
    for k, start in enumerate((0.02, 0.05)):
        setattr(m, f"slide{k}", joints.Translation(q=[start, 0, 0]))
        setattr(m, f"body{k}", parts.Body(m=5.0))
        setattr(m, f"bushing{k}", Bushing(k=200.0, tau=0.3))
        m.chain(m.world, getattr(m, f"slide{k}"), getattr(m, f"body{k}"))
        m.connect(m.world.frame_b, getattr(m, f"bushing{k}").frame_a)
        m.connect(getattr(m, f"body{k}").frame_a, getattr(m, f"bushing{k}").frame_b)
    r = lw.simulate(m, 0.5)
    assert 2.5 * r["bushing0.z"] == pytest.approx(r["bushing1.z"], abs=1e-7)


def test_vector_states_and_helper_methods_see_the_parameters():
    class Filter(forces.TwoFrameForce):
        k = lw.parameter(50.0)
        tau = lw.parameter(0.2)

        def lag(self, x, z):
            return (x - z) / self.tau

        def wrench(self, X_ab, V_ab):
            z = self.state("z", der=lambda z: self.lag(X_ab.p, z), start=[0.1, 0.0, 0.0])
            return lw.ForceMotor(-self.k * z, [0, 0, 0])

    def model(tau):
        m = lw.Model("filter")
        m.world = lw.World(gravity=None)
        m.bob = parts.PointMass(m=1, r_0=[0.1, 0.2, 0.3], v_0=[0, 0, 0])
        m.law = Filter(tau=tau)
        m.connect(m.world.frame_b, m.law.frame_a)
        m.connect(m.bob.frame_a, m.law.frame_b)
        return m

    for tau in (0.2, 0.4, 0.6):
        r = lw.simulate(model(tau), 0.5, accuracy=1e-11)
        y = run(lambda t, y, tau=tau: np.concatenate([y[3:6], -50 * y[6:], (y[:3] - y[6:]) / tau]),
                [0.1, 0.2, 0.3, 0, 0, 0, 0.1, 0, 0], r.t)
        assert r["bob.r_0"] == pytest.approx(y[:3].T, abs=1e-8)
        assert r["law.z"] == pytest.approx(y[6:].T, abs=1e-8)


# --- laws that cannot be ---


def line(law):
    m = lw.Model("law")
    m.world = lw.World()
    m.bob = parts.PointMass(m=1, r_0=[0.3, -0.9, 0])
    m.law = law
    m.connect(m.world.frame_b, m.law.frame_a)
    m.connect(m.bob.frame_a, m.law.frame_b)
    return m


def make(base, name, method):
    return type("Own", (base,), {name: method})()


@pytest.mark.parametrize("law, message", (
    (make(forces.LineForce, "force", lambda self, s, v: [s, v]), "law: force.*expected an expression of shape 1×1"),
    (make(forces.LineForce, "force", lambda self, s, v: "strong"), "law: force.*expected a number or an expression"),
    (make(forces.LineForce, "force", lambda self, s, v: None), "law: force.*expected a number or an expression"),
    (make(forces.LineForce, "force", lambda self, s, v: s / undefined), "law: force.*NameError"),  # noqa: F821
    (make(forces.LineForce, "force", lambda self, s, v: self.stiffnes * s), "law.*stiffnes"),
    (make(forces.TwoFrameForce, "wrench", lambda self, X, V: [1, 2, 3]), "law: wrench must return a lw.ForceMotor"),
    (make(forces.TwoFrameForce, "wrench", lambda self, X, V: lw.ForceMotor([1, 2], [0, 0, 0])), "law: wrench"),
    (forces.LineForce(), "defines force"),
    (forces.TwoFrameForce(), "defines wrench"),
))
def test_laws_of_a_wrong_shape_are_named(law, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.simulate(line(law), 0.1)


def test_math_functions_of_a_variable_are_found():
    import math

    law = make(forces.LineForce, "force", lambda self, s, v: 3 * math.sin(s))
    with pytest.raises(lw.ModelError, match="law.*lw.sin"):
        lw.simulate(line(law), 0.1)
    m = line(CubicSpring())
    m.push = forces.WorldForce()
    with pytest.raises(lw.ModelError, match="bob.r_0.* has no value.*lw.sin"):
        m.push.force = [math.sin(m.bob.r_0[0]), 0, 0]


def test_a_law_that_becomes_nan_stops_there_with_its_time_and_results():
    """√(1 − s) ends where the spring is as long as that."""
    m = lw.Model("root")
    m.world = lw.World(gravity=None)
    m.slide = joints.Prismatic(s=0.5, v=1.0)
    m.body = parts.Body(m=1)
    m.law = make(forces.LineForce, "force", lambda self, s, v: 1e-3 * lw.sqrt(1 - s))
    m.chain(m.world, m.slide, m.body)
    m.connect(m.world.frame_b, m.law.frame_a)
    m.connect(m.body.frame_a, m.law.frame_b)
    with pytest.raises(lw.SimulationError) as caught:
        lw.simulate(m, 2.0)
    assert caught.value.time == pytest.approx(0.5, abs=0.01)
    assert np.all(np.isfinite(caught.value.result["slide.s"]))
    assert caught.value.result.t[-1] <= caught.value.time


def test_a_joint_with_a_wrong_transform_is_named():
    class Wrong(joints.Joint):
        dof = 1

        def transform(self, q):
            return lw.rotation_z(q[0])

    m = lw.Model("wrong")
    m.world = lw.World()
    m.joint = Wrong()
    m.body = parts.Body(m=1, r_cm=[1, 0, 0])
    m.chain(m.world, m.joint, m.body)
    with pytest.raises(lw.ModelError, match="Transform"):
        lw.simulate(m, 0.1)


def test_constraint_of_the_reference_page():
    constraints = pytest.importorskip("linkwright.constraints")

    class OnSphere(constraints.Constraint):
        radius = lw.parameter(1.0, unit="m")

        def residual(self, X_a, X_b):
            d = X_b.p - X_a.p
            return [lw.dot(d, d) - self.radius**2]

    m = lw.Model("sphere")
    m.world = lw.World()
    m.bob = parts.PointMass(m=1, r_0=[0.6, -0.8, lw.guess(0.0)], v_0=[0, lw.guess(0), 0.5])
    m.sphere = OnSphere()
    m.connect(m.world.frame_b, m.sphere.frame_a)
    m.connect(m.bob.frame_a, m.sphere.frame_b)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    assert np.linalg.norm(r["bob.r_0"], axis=1) == pytest.approx(np.ones(len(r.t)), abs=1e-9)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(energy) < 1e-7
