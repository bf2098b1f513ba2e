"""More of Modelica.Mechanics.MultiBody.Examples.Elementary, rebuilt, against the published result files.

Their tolerance is 1e-6 (1e-9 for the gravity field); closed forms say who is right beyond that.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, forces, joints, parts, rotational, translational


def run(model, stop, published, tolerance=2e-4):
    r = lw.simulate(model, stop, accuracy=1e-10)
    for name, value in published.items():
        assert r[name][-1] == pytest.approx(value, abs=tolerance), name
    return r


def test_pendulum_with_spring_and_damper():
    m = lw.Model("PendulumWithSpringDamper")
    m.world = lw.World()
    m.bar1 = parts.FixedTranslation(r=[0.3, 0, 0])
    m.revolute, m.prismatic = joints.Revolute(phi=0, w=0), joints.Prismatic(s=0.5, v=0)
    m.body1 = parts.Body(m=1, r_cm=[0, 0, 0], inertia=[1, 1, 1])
    m.spring1, m.damper1 = forces.Spring(c=20, s_unstretched=0.2), forces.Damper(d=1)
    m.chain(m.world, m.bar1, m.revolute, m.prismatic, m.body1)
    for element in (m.spring1, m.damper1):
        m.connect(m.bar1.frame_b, element.frame_a)
        m.connect(m.prismatic.frame_b, element.frame_b)
    run(m, 10.0, {"prismatic.s": 0.746849622007364, "prismatic.v": -0.303725711999918,
                  "revolute.phi": -1.33290770090585, "revolute.w": 0.527916549720958})


def test_spring_on_a_joint_and_in_space():
    m = lw.Model("SpringMassSystem")
    m.world = lw.World()
    m.bar1, m.bar2 = parts.FixedTranslation(r=[0.3, 0, 0]), parts.FixedTranslation(r=[0.3, 0, 0])
    m.p1, m.p2 = (joints.Prismatic(n=[0, -1, 0], s=0.1, v=0) for _ in range(2))
    m.body1, m.body2 = (parts.Body(m=1, r_cm=[0, 0, 0]) for _ in range(2))
    m.spring1, m.spring2 = translational.Spring(c=30, s_rel0=0.1), forces.Spring(c=30, s_unstretched=0.1)
    m.chain(m.world, m.bar1, m.p1, m.body1)
    m.chain(m.bar1, m.bar2, m.p2, m.body2)
    m.connect(m.p1.support, m.spring1.flange_a)
    m.connect(m.p1.axis, m.spring1.flange_b)
    m.connect(m.bar2.frame_b, m.spring2.frame_a)
    m.connect(m.body2.frame_a, m.spring2.frame_b)
    r = run(m, 5.0, {"p1.s": 0.633089995018043, "p1.v": 1.38926126970766})
    sag = 9.80665 / 30
    for name in ("p1.s", "p2.s"):
        assert r[name] == pytest.approx(0.1 + sag * (1 - np.cos(np.sqrt(30) * r.t)), abs=1e-8)


def test_spring_with_mass():
    m = lw.Model("SpringWithMass")
    m.world = lw.World()
    m.spring = forces.Spring(s_unstretched=0.2, m=0.5, c=40)
    m.body = parts.Body(m=1, r_cm=[0, 0, 0], r_0=[0, -0.3, 0], v_0=[0, 0, 0], angles=[0, 0, 0], w_0=[0, 0, 0])
    m.connect(m.world.frame_b, m.spring.frame_a)
    m.connect(m.spring.frame_b, m.body.frame_a)
    r = run(m, 5.0, {"body.r_0": [0, -0.512810326547238, 0], "body.v_0": [0, 1.2301549019765, 0]}, 5e-4)
    # half of the spring's mass moves half as fast: (1 + 0.5/4) s'' = 1.25 g − 40 (s − 0.2)
    sag, omega = 1.25 * 9.80665 / 40, np.sqrt(40 / 1.125)
    s = 0.2 + sag + (0.1 - sag) * np.cos(omega * r.t)
    assert -r["body.r_0"][:, 1] == pytest.approx(s, abs=1e-8)


def wgs84(latitude):
    """Theoretical normal gravity of the ellipsoid of WGS 84 at height r[1]: NIMA TR8350.2, equations 4-1 and 4-3."""
    a, b, equator, pole = 6378137.0, 6356752.3142, 9.7803253359, 9.8321849378
    eccentricity, flattening, m = 8.1819190842622e-2, 1 / 298.257223563, 7292115e-11**2 * a**2 * b / 3986004.418e8
    s2 = np.sin(latitude) ** 2
    ground = equator * (1 + (b / a * pole / equator - 1) * s2) / np.sqrt(1 - eccentricity**2 * s2)

    def field(r):
        h = r[1] / a
        return [0, -ground * (1 - h * (2 * (1 + flattening + m - 2 * flattening * s2) + 3 * h)), 0]

    return field


@pytest.mark.parametrize("latitude, phi, tolerance", [(0, -2.39344438079684, 1e-6), (90, -2.42, 5e-3)])
def test_user_defined_gravity_field(latitude, phi, tolerance):
    m = lw.Model("UserDefinedGravityField")
    m.world = lw.World(gravity=wgs84(lw.deg(latitude)))
    m.height = parts.FixedTranslation(r=[0, 20, 0])
    m.rev = joints.Revolute(phi=0, w=0)
    m.damper = rotational.Damper(d=0.1)
    m.body = parts.Body(m=1000, r_cm=[10, 0, 0])
    m.chain(m.world, m.height, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    run(m, 10.0, {"rev.phi": phi} | ({} if latitude else {"rev.w": -1.15353858641746}), tolerance)


def test_double_pendulum_that_starts_with_its_tip_at_a_point():
    m = lw.Model("DoublePendulumInitTip")
    m.world = lw.World()
    m.revolute1, m.revolute2 = joints.Revolute(), joints.Revolute()
    m.damper = rotational.Damper(d=0.1)
    m.box1, m.box2 = (parts.BodyBox(r=[0.5, 0, 0], width=0.06) for _ in range(2))
    m.tip = joints.FreeMotion(enforce_states=False, r_rel_a=[0.7, 0.3, None], v_rel_a=[0, 0, None])
    m.chain(m.world, m.revolute1, m.box1, m.revolute2, m.box2)
    m.connect(m.revolute1.support, m.damper.flange_a)
    m.connect(m.revolute1.axis, m.damper.flange_b)
    m.connect(m.world.frame_b, m.tip.frame_a)
    m.connect(m.box2.frame_b, m.tip.frame_b)
    r = lw.simulate(m, 2.82, accuracy=1e-11)
    assert r["box2.frame_b.r_0"][0] == pytest.approx([0.7, 0.3, 0], abs=1e-10)
    # a row of the file before the motion gets wild; until its end at 5 s an error of 1e-6 grows to 0.1
    found = [r[name][-1] for name in ("revolute1.phi", "revolute1.w", "revolute2.phi", "revolute2.w")]
    assert found == pytest.approx([-2.3010377940067, 3.12476167170833, 10.6049471407562, 4.5363309937939], abs=5e-3)


def wheel_set():
    m = lw.Model("RollingWheelSet")
    m.world = lw.World(n=[0, 0, -1])
    m.wheel_set = parts.RollingWheelSet(R_wheel=0.1, m_wheel=0.5, I_wheel_axis=0.01, I_wheel_long=0.02, track=0.5,
                                        x=0.1, y=0.1)
    m.body = parts.Body(m=0.01, r_cm=[0, 0, 0])
    m.rod = parts.FixedTranslation(r=[0.2, 0, 0])
    m.connect(m.wheel_set.frame_middle, m.rod.frame_a)
    m.connect(m.rod.frame_b, m.body.frame_a)
    return m


def compare(m, published):
    names = ("der_theta1", "der_theta2", "phi", "theta1", "theta2", "x", "y")
    run(m, 3.0, {f"wheel_set.{name}": value for name, value in zip(names, published, strict=True)})


def test_wheel_set_that_is_driven():
    m = wheel_set()
    m.torque1 = rotational.Torque2(tau=blocks.sine(amplitude=2))
    m.torque2 = rotational.Torque2(tau=blocks.sine(amplitude=2, phase=np.pi / 2))
    m.connect(m.wheel_set.axis1, m.torque1.flange_a)
    m.connect(m.wheel_set.axis2, m.torque2.flange_a)
    m.connect(m.wheel_set.support, m.torque1.flange_b, m.torque2.flange_b)
    compare(m, [0.252224068006042, 0.727701074507639, 10.5731906475514, -57.4851408978485, -4.61918766009148,
                -0.612715307657269, -0.386803612176626])


def test_wheel_set_that_is_pulled():
    m = wheel_set()
    along = [blocks.table([0, 1, 2, 3], row) for row in ([1, 1, 0, 0], [0, 0, 2, 2])]
    m.force = forces.WorldForce(force=[*along, 0])
    m.connect(m.force.frame_b, m.rod.frame_b)
    compare(m, [5.82381144302744, 14.6738760265459, 1.77078952928951, 9.08694675264976, 17.9408943990973,
                1.05214181123268, 0.708332425819997])


def test_heat_losses():
    m = lw.Model("HeatLosses")
    m.world = lw.World()
    m.bar1, m.bar2, m.bar3 = (parts.FixedTranslation(r=[0.3, 0, 0]) for _ in range(3))
    m.chain(m.world, m.bar1, m.bar2, m.bar3)
    for k in (1, 2, 3):
        setattr(m, f"body{k}", parts.Body(m=1, r_cm=[0, -0.2, 0], inertia=[0.1, 0.1, 0.1], r_0=[0.3 * k, -0.2, 0],
                                          v_0=[0, 0, 0], angles=[0, 0, 0], w_0=[0, 0, 0.034906585039887]))
    m.spring1, m.damper1 = forces.Spring(c=30, s_unstretched=0.1), forces.Damper(d=2)
    m.spring_damper = forces.SpringDamperParallel(c=30, d=2, s_unstretched=0.1)
    m.series = forces.SpringDamperSeries(c=30, d=2, s_unstretched=0.1)
    m.spring = forces.Spring(c=30, s_unstretched=0.2)
    for k, elements in ((1, (m.spring1, m.damper1)), (2, (m.spring_damper,)), (3, (m.series, m.spring))):
        for element in elements:
            m.connect(getattr(m, f"bar{k}").frame_b, element.frame_a)
            m.connect(getattr(m, f"body{k}").frame_a, element.frame_b)
    run(m, 3.0, {"body1.r_0": [0.29853395894691054, -0.43798797931571237, 0],
                 "body1.v_0": [-0.011704620486422139, 0.027187710348208018, 0],
                 "body1.w_a": [0, 0, -0.0081922408316949542],
                 "body2.r_0": [0.59853395894691097, -0.43798797931571737, 0],
                 "body3.r_0": [0.90003036808199366, -0.5310550332761933, 0],
                 "body3.v_0": [-0.012358937676667256, 0.099786175021866638, 0],
                 "body3.w_a": [0, 0, -0.018483173454591485], "series.s_damper": 0.43693415950058379})
