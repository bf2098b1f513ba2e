"""Examples of Modelica.Mechanics.MultiBody that are trees, rebuilt from their specification.

"HP" values were computed independently at high precision; where there is none the published end values (tolerance 1e-6,
up to 2e-3 off) are compared.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational

ACCURACY = 1e-10


def end(model, stop, *names):
    r = lw.simulate(model, stop, accuracy=ACCURACY)
    return [r[name][-1] for name in names]


def test_pendulum():
    m = lw.Model("Pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0, w=0)
    m.damper = rotational.Damper(d=0.1)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    assert end(m, 5, "rev.phi", "rev.w") == pytest.approx([-1.67963157, -2.31817023], abs=1e-6)


def test_double_pendulum():
    m = lw.Model("DoublePendulum")
    m.world = lw.World()
    m.revolute1 = joints.Revolute(phi=0, w=0)
    m.damper = rotational.Damper(d=0.1)
    m.box1 = parts.BodyBox(r=[0.5, 0, 0], width=0.06)
    m.revolute2 = joints.Revolute(phi=0, w=0)
    m.box2 = parts.BodyBox(r=[0.5, 0, 0], width=0.06)
    m.chain(m.world, m.revolute1, m.box1, m.revolute2, m.box2)
    m.connect(m.revolute1.support, m.damper.flange_a)
    m.connect(m.revolute1.axis, m.damper.flange_b)
    got = end(m, 3, "revolute1.phi", "revolute1.w", "revolute2.phi", "revolute2.w")
    assert got == pytest.approx([-2.31791568, 4.09416473, -1.73653457, -0.05039453], abs=1e-6)


def test_box_has_the_mass_and_inertia_of_steel():
    m = lw.Model("box")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.box = parts.BodyBox(r=[0.5, 0, 0], width=0.06)
    m.chain(m.world, m.rev, m.box)
    r = lw.simulate(m, 0.01)
    assert r["box.m"][0] == pytest.approx(13.86)
    assert np.diag(r["box.I"][0]) == pytest.approx([0.008316, 0.292908, 0.292908], rel=1e-6)


def test_free_body_on_two_springs():
    m = lw.Model("FreeBody")
    m.world = lw.World()
    m.bar2 = parts.FixedTranslation(r=[0.8, 0, 0])
    m.spring1 = forces.Spring(c=20)
    m.spring2 = forces.Spring(c=20)
    ten = lw.deg(10)
    m.body = parts.BodyShape(m=1, inertia=[1, 1, 1], r=[0.4, 0, 0], r_cm=[0.2, 0, 0], r_0=[0.2, -0.5, 0.1],
                             v_0=[0, 0, 0], angles=[ten, ten, ten], w_0=[0, 0, 0])
    m.connect(m.bar2.frame_a, m.world.frame_b, m.spring1.frame_a)
    m.connect(m.spring1.frame_b, m.body.frame_a)
    m.connect(m.bar2.frame_b, m.spring2.frame_a)
    m.connect(m.body.frame_b, m.spring2.frame_b)
    r_0, v_0, w_a = end(m, 10, "body.body.frame_a.r_0", "body.v_0", "body.body.w_a")
    assert r_0 == pytest.approx([0.19609197, -0.46262924, 0.08062975], abs=1e-6)
    assert v_0 == pytest.approx([0.02486589, 0.4844295, -0.14163345], abs=1e-6)
    assert w_a == pytest.approx([0, 0.26786257, 0.26379313], abs=1e-6)


def test_three_springs_meet_in_a_massless_point():
    m = lw.Model("ThreeSprings")
    m.world = lw.World()
    m.body1 = parts.Body(m=0.8, r_cm=[0, -0.2, 0], inertia=[0.1, 0.1, 0.1], r_0=[0.5, -0.3, 0], v_0=[0, 0, 0],
                         angles=[0, 0, 0], w_0=[0, 0, 0])
    m.bar1 = parts.FixedTranslation(r=[0.3, 0, 0])
    m.bar2 = parts.FixedTranslation(r=[0, 0, 0.3])
    m.spring1 = forces.Spring(s_unstretched=0.1, c=20, r_rel_0=lw.guess([-0.2, -0.2, 0.2]))
    m.spring2 = forces.Spring(s_unstretched=0.1, c=40)
    m.spring3 = forces.Spring(s_unstretched=0.1, c=20, fixed_rotation_at_frame_b=True)
    m.connect(m.world.frame_b, m.bar1.frame_a, m.bar2.frame_a)
    m.connect(m.bar1.frame_b, m.spring1.frame_a)
    m.connect(m.bar2.frame_b, m.spring3.frame_a)
    m.connect(m.spring2.frame_b, m.body1.frame_a)
    m.connect(m.spring3.frame_b, m.spring1.frame_b, m.spring2.frame_a)
    r_0, v_0, w_a = end(m, 10, "body1.frame_a.r_0", "body1.v_0", "body1.w_a")
    assert r_0 == pytest.approx([-0.01990737, -0.8415372, 0.2570064], abs=1e-6)
    assert v_0 == pytest.approx([-0.89258458, -0.29469682, -0.30474295], abs=1e-6)
    assert w_a == pytest.approx([2.83189537, 0, 0.57716329], abs=1e-6)


def test_two_bodies_in_point_gravity():
    m = lw.Model("PointGravity")
    m.world = lw.World(gravity="point", mu=1)
    rest = {"m": 1, "inertia": [0.1, 0.1, 0.1], "angles": [0, 0, 0], "w_0": [0, 0, 0]}
    m.body1 = parts.Body(r_0=[0, 0.6, 0], v_0=[1, 0, 0], **rest)
    m.body2 = parts.Body(r_0=[0.6, 0.6, 0], v_0=[0.6, 0, 0], **rest)
    r1, v1, r2, v2 = end(m, 5, "body1.frame_a.r_0", "body1.v_0", "body2.frame_a.r_0", "body2.v_0")
    assert r1 == pytest.approx([-0.26902377, 0.4837012, 0], abs=1e-6)
    assert v1 == pytest.approx([0.78987733, 0.81009713, 0], abs=1e-6)
    assert r2 == pytest.approx([0.78702929, 0.47968894, 0], abs=1e-6)
    assert v2 == pytest.approx([0.08149149, -0.40774776, 0], abs=1e-6)


def test_point_masses_in_point_gravity():
    m = lw.Model("PointGravityWithPointMasses")
    m.world = lw.World(gravity="point", mu=1)
    for k, (r, v) in enumerate([([0, 0.6, 0], [1, 0, 0]), ([0.6, 0.6, 0], [0.6, 0, 0]), ([0, 0.8, 0], [0.6, 0, 0]),
                                ([0.3, 0.8, 0], [0.6, 0, 0])]):
        setattr(m, f"body{k + 1}", parts.PointMass(m=1, r_0=r, v_0=v))
    m.spring = forces.Spring(c=10, fixed_rotation_at_frame_a=True, fixed_rotation_at_frame_b=True)
    m.connect(m.spring.frame_a, m.body3.frame_a)
    m.connect(m.spring.frame_b, m.body4.frame_a)
    r1, v1, v3, v4 = end(m, 2, "body1.r_0", "body1.v_0", "body3.v_0", "body4.v_0")
    assert r1[:2] == pytest.approx([0.22644961608251493, 0.52161681243770242], abs=2e-3)
    assert v1[:2] == pytest.approx([0.86212556098389159, -0.66373984123592111], abs=2e-3)
    assert v3[:2] == pytest.approx([1.79430760, -1.08256962], abs=1e-6)
    assert v4[:2] == pytest.approx([-0.42761165, -0.67617144], abs=1e-6)


def test_force_and_torque_in_a_third_frame():
    m = lw.Model("ForceAndTorque")
    m.world = lw.World()
    m.body = parts.BodyCylinder(r=[1, 0, 0])
    m.fixed1 = parts.Fixed(r=[0, -0.5, 0])
    m.fixed2 = parts.Fixed(r=[1.5, 0.25, 0])
    m.turned = parts.FixedRotation(n=[0, 0, 1], angle=lw.deg(30))
    m.load = forces.ForceAndTorque(resolve_in_frame="frame_resolve", force=[0, 1000, 0], torque=[-100, 100, 0])
    m.revolute1 = joints.Revolute(phi=0, w=0)
    m.revolute2 = joints.Revolute(n=[0, 1, 0], phi=0, w=0)
    m.connect(m.fixed1.frame_b, m.revolute1.frame_a, m.turned.frame_a)
    m.connect(m.revolute1.frame_b, m.revolute2.frame_a)
    m.connect(m.revolute2.frame_b, m.body.frame_a)
    m.connect(m.load.frame_b, m.body.frame_b)
    m.connect(m.fixed2.frame_b, m.load.frame_a)
    m.connect(m.load.frame_resolve, m.turned.frame_b)
    got = end(m, 1.01, "revolute1.phi", "revolute1.w", "revolute2.phi", "revolute2.w")
    assert got == pytest.approx([-9.6432547690898325, -15.633250286112114, 0.23532087016287298, -21.69281220237805],
                                abs=2e-3)


def test_spring_damper_system():
    m = lw.Model("SpringDamperSystem")
    m.world = lw.World()
    m.body1 = parts.Body(m=1, r_cm=[0, -0.2, 0], inertia=[0.1, 0.1, 0.1], r_0=[0.3, -0.2, 0], v_0=[0, 0, 0],
                         angles=[0, 0, 0], w_0=[0, 0, 0.03490658503988659])
    m.bar1 = parts.FixedTranslation(r=[0.3, 0, 0])
    m.bar2 = parts.FixedTranslation(r=[0.6, 0, 0])
    m.body2 = parts.Body(m=1)
    m.p2 = joints.Prismatic(n=[0, -1, 0], s=0.1, v=0)
    m.spring1 = forces.Spring(c=30, s_unstretched=0.1)
    m.spring2 = forces.Spring(c=30, s_unstretched=0.1)
    m.damper1 = forces.Damper(d=2)
    m.connect(m.world.frame_b, m.bar1.frame_a)
    m.connect(m.bar1.frame_b, m.bar2.frame_a, m.damper1.frame_a, m.spring1.frame_a)
    m.connect(m.bar2.frame_b, m.p2.frame_a, m.spring2.frame_a)
    m.connect(m.p2.frame_b, m.body2.frame_a, m.spring2.frame_b)
    m.connect(m.damper1.frame_b, m.body1.frame_a, m.spring1.frame_b)
    r_0, v_0, w_a, s, v = end(m, 10, "body1.frame_a.r_0", "body1.v_0", "body1.w_a", "p2.s", "p2.v")
    assert r_0 == pytest.approx([0.30059152012553725, -0.4269005793403402, 0], abs=2e-3)
    assert v_0 == pytest.approx([-0.0068247904801048611, 8.7309400725357072e-05, 0], abs=2e-3)
    assert w_a[2] == pytest.approx(-0.0030131335617544124, abs=2e-3)
    assert [s, v] == pytest.approx([0.49361761944584343, -1.7525686947821308], abs=2e-3)
