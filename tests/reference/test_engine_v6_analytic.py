"""Modelica's EngineV6_analytic, built from its specification: six JointRRP, gas forces, a filtered torque.

End values after 1.01 s: "HP" from an independent computation at high precision (which steps over the switches of the
gas law, a few 1e-6), and the published file (tolerance 1e-6, a few 1e-6 relative off the former).
"""

import math

import pytest

import linkwright as lw
from linkwright import assemblies, blocks, joints, parts, rotational, translational

TOP, CRANK, OFFSET, PIN = 0.42, 0.14, 0.05, 0.1  # cylinderTopPosition, crankLength, crankPinOffset, crankPinLength
PISTON, ROD = 0.1, 0.175
CYLINDERS = [(-30, -30), (90, 30), (210, -30), (210, 30), (90, -30), (-30, 30)]


def gas_force(s, v, L, d):
    """GasForce2: pressure over the stroke, by the direction of motion; times the area of the piston."""
    x = 1 - s / L

    def poly(*c):
        return (((c[0] * x + c[1]) * x + c[2]) * x + c[3]) * x + c[4]

    compressing = lw.where(x < 0.986061, poly(177.4132, -287.2189, 151.8252, -24.9973, 2.4),
                           poly(2836360, -10569296, 14761814, -9158505, 2129670))
    expanding = lw.where(x > 0.933, poly(-3929704, 14748765, -20747000, 12964477, -3036495),
                         poly(145.930, -131.707, 17.3438, 17.9272, 2.4))
    return 1e5 * lw.where(v < 0, compressing, expanding) * math.pi * d**2 / 4


class Cylinder(lw.Model):
    def __init__(self, crank_angle, inclination):
        super().__init__()
        self.cylinder_a, self.cylinder_b, self.crank_a, self.crank_b = (lw.Frame() for _ in range(4))
        along = CRANK - PIN / 2
        self.mid = parts.FixedTranslation(r=[along, OFFSET, 0])
        self.mounting = parts.FixedTranslation(r=[CRANK, 0, 0])
        self.cylinder_inclination = parts.FixedRotation(r=[along, 0, 0], n=[1, 0, 0], angle=lw.deg(inclination))
        self.crank_angle = parts.FixedRotation(n=[1, 0, 0], angle=lw.deg(crank_angle))
        self.crank = parts.FixedTranslation(r=[CRANK, 0, 0])
        # piston above the crank, as the library's own initial guess has it
        angle = math.radians(crank_angle - inclination)
        top = OFFSET * math.cos(angle) + math.sqrt(ROD**2 - (OFFSET * math.sin(angle)) ** 2) + PISTON
        self.joint_rrp = assemblies.JointRRP(n_a=[1, 0, 0], n_b=[0, -1, 0], r_rod1_ia=[0, ROD, 0],
                                             r_rod2_ib=[0, -PISTON, 0], s_offset=-TOP, s_guess=TOP - top)
        self.connecting_rod = parts.BodyShape(r=[0, ROD, 0], r_cm=[0, ROD / 2, 0], m=1, inertia=[0.006, 0.0005, 0.006])
        self.piston = parts.BodyShape(r=[0, PISTON, 0], r_cm=[0, PISTON / 2, 0], m=6, inertia=[0.0088, 0.0076, 0.0088])
        self.place, self.speed = translational.RelPositionSensor(), translational.RelSpeedSensor()
        self.gas = translational.Force2()
        self.gas.f = gas_force(self.place.s_rel, self.speed.v_rel, TOP - (PISTON + ROD - OFFSET), 0.1)
        self.connect(self.joint_rrp.frame_ia, self.connecting_rod.frame_a)
        self.connect(self.mid.frame_b, self.joint_rrp.frame_a)
        self.connect(self.joint_rrp.frame_ib, self.piston.frame_b)
        self.connect(self.joint_rrp.frame_b, self.cylinder_inclination.frame_b)
        self.connect(self.crank_angle.frame_b, self.mid.frame_a)
        self.connect(self.cylinder_a, self.cylinder_inclination.frame_a, self.mounting.frame_a)
        self.connect(self.cylinder_b, self.mounting.frame_b)
        self.connect(self.crank_angle.frame_a, self.crank_a, self.crank.frame_a)
        self.connect(self.crank.frame_b, self.crank_b)
        self.connect(self.joint_rrp.bearing, self.gas.flange_a, self.place.flange_a, self.speed.flange_a)
        self.connect(self.joint_rrp.axis, self.gas.flange_b, self.place.flange_b, self.speed.flange_b)


class EngineV6(lw.Model):
    def __init__(self):
        super().__init__()
        self.frame_a, self.flange_b = lw.Frame(), rotational.Flange()
        self.bearing = joints.Revolute(n=[1, 0, 0])
        self.crank = parts.BodyShape(r=[0, 0, 0], r_cm=[6 * 0.1 / 2, 0, 0], m=6 * 30, inertia=[0.1, 1e-5, 1e-5])
        self.connect(self.frame_a, self.bearing.frame_a)
        self.connect(self.bearing.frame_b, self.crank.frame_a)
        self.connect(self.bearing.axis, self.flange_b)
        block, shaft = self.frame_a, self.crank.frame_b
        for k, angles in enumerate(CYLINDERS):
            cylinder = Cylinder(*angles)
            setattr(self, f"cylinder{k + 1}", cylinder)
            self.connect(block, cylinder.cylinder_a)
            self.connect(shaft, cylinder.crank_a)
            block, shaft = cylinder.cylinder_b, cylinder.crank_b


@pytest.fixture(scope="module")
def run():
    m = lw.Model("EngineV6_analytic")
    m.world = lw.World()
    m.engine = EngineV6()
    m.load = rotational.Inertia(J=1, phi=0, w=10)
    m.load2 = rotational.QuadraticSpeedDependentTorque(tau_nominal=-100, w_nominal=200)
    m.torque_sensor = rotational.TorqueSensor()
    m.connect(m.world.frame_b, m.engine.frame_a)
    m.connect(m.load2.flange, m.load.flange_b)
    m.connect(m.torque_sensor.flange_a, m.engine.flange_b)
    m.connect(m.torque_sensor.flange_b, m.load.flange_a)
    m.output("filtered", blocks.critical_damping(m.torque_sensor.tau, n=2, f=5, start="steady", name="filter"))
    return lw.simulate(m, 1.01, accuracy=1e-10)


def test_the_filter_starts_at_the_first_torque(run):
    assert run["filter.x"][0] == pytest.approx([238.056, 238.056], abs=1e-3)
    assert run["torque_sensor.tau"][0] == pytest.approx(run["filtered"][0], abs=1e-9)


def test_end_values_at_high_precision(run):
    assert run["load.phi"][-1] == pytest.approx(130.432956, abs=1e-5)
    assert run["load.w"][-1] == pytest.approx(228.246225, abs=3e-5)
    assert run["filter.x"][-1] == pytest.approx([278.495832, 277.649171], abs=1e-4)


def test_end_values_as_published(run):
    found = [*run["filter.x"][-1], run["load.phi"][-1], run["load.w"][-1]]
    published = [278.49220119985188, 277.64760429409432, 130.43252506087748, 228.24511548833377]
    assert found == pytest.approx(published, rel=2e-5)


def test_torque_of_the_engine_is_what_load_and_brake_take(run):
    w, a = run["load.w"], run["load.a"]
    assert run["torque_sensor.tau"] == pytest.approx(a + 100 * (w / 200) ** 2, abs=1e-6)
