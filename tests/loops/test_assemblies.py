"""Loop assemblies in larger mechanisms: a cylinder of an engine, a wheel suspension."""

import numpy as np
import pytest
from loop_models import check_laws, energy, rod

import linkwright as lw
from linkwright import assemblies, joints, parts, translational

ACCURACY = 1e-10


class CylinderRRP(lw.Model):
    """The cylinder of `loop_mechanisms.Cylinder` with JointRRP in place of its joints."""

    def __init__(self, crank_angle: float, inclination: float, place: float):
        super().__init__()
        self.case, self.crank = lw.Frame(), lw.Frame()
        self.tilt = parts.FixedRotation(r=[place, 0, 0], n=[1, 0, 0], angle=inclination)
        self.turn = parts.FixedRotation(n=[1, 0, 0], angle=crank_angle)
        self.mid = parts.FixedTranslation(r=[place, 0.05, 0])
        angle = crank_angle - inclination
        y = 0.05 * np.cos(angle) + np.sqrt(0.175**2 - (0.05 * np.sin(angle)) ** 2)
        self.rrp = assemblies.JointRRP(n_a=[1, 0, 0], n_b=[0, 1, 0], r_rod1_ia=[0, 0.175, 0], r_rod2_ib=[0, 0, 0],
                                       s_guess=float(y))
        self.rod = parts.BodyShape(m=1, r=[0, 0.175, 0], r_cm=[0, 0.0875, 0], inertia=[0.006, 0.0005, 0.006])
        self.piston = parts.BodyShape(m=6, r=[0, 0.1, 0], r_cm=[0, 0.05, 0], inertia=[0.0088, 0.0076, 0.0088])
        self.connect(self.crank, self.turn.frame_a)
        self.chain(self.turn, self.mid)
        self.connect(self.mid.frame_b, self.rrp.frame_a)
        self.connect(self.case, self.tilt.frame_a)
        self.connect(self.tilt.frame_b, self.rrp.frame_b)
        self.connect(self.rrp.frame_ia, self.rod.frame_a)
        self.connect(self.rrp.frame_ib, self.piston.frame_a)


def suspension() -> lw.Model:
    """A MacPherson suspension with its upper mount and its rack fixed: wishbone, strut (UPS), carrier, tie rod."""
    m = lw.Model("MacPherson")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.wishbone_joint = joints.Revolute(n=[1, 0, 0], phi=0.05, w=0.0)
    m.wishbone = rod(0.4, 3.0, (0.0, 1.0, 0.0))
    m.chain(m.world, m.wishbone_joint, m.wishbone)
    mount, tip = np.array([0.02, 0.3, 0.6]), 0.4 * np.array([0, np.cos(0.05), np.sin(0.05)])
    along = tip - mount
    unit = along / np.linalg.norm(along)
    m.mount = parts.Fixed(r=mount)
    m.strut = assemblies.JointUPS(n1_a=[1, 0, 0], n_axis_ia=along)
    m.tube = parts.Body(m=1.0, r_cm=0.1 * unit, inertia=[0.01, 0.01, 0.01])
    m.piston = parts.Body(m=2.0, r_cm=-0.1 * unit, inertia=[0.01, 0.01, 0.01])
    m.turning = joints.Revolute(n=list(unit))
    m.carrier = parts.BodyShape(m=12, r=[-0.12, 0.02, 0.05], r_cm=[0.0, 0.08, 0.05], inertia=[0.3, 0.3, 0.3])
    m.rack = parts.Fixed(r=[-0.12, 0.05, 0.08])
    m.tie_rod = joints.SphericalSpherical(rod_length=float(np.linalg.norm(tip + [-0.12, 0.02, 0.05]
                                                                          - np.array([-0.12, 0.05, 0.08]))), m=0.5)
    m.spring = translational.Spring(c=20000.0, s_rel0=float(np.linalg.norm(along)) + 0.01)
    m.connect(m.mount.frame_b, m.strut.frame_a)
    m.connect(m.wishbone.frame_b, m.strut.frame_b)
    m.connect(m.strut.frame_ia, m.tube.frame_a)
    m.connect(m.strut.frame_ib, m.piston.frame_a, m.turning.frame_a)
    m.connect(m.turning.frame_b, m.carrier.frame_a)
    m.connect(m.carrier.frame_b, m.tie_rod.frame_b)
    m.connect(m.rack.frame_b, m.tie_rod.frame_a)
    m.connect(m.strut.bearing, m.spring.flange_a)
    m.connect(m.strut.axis, m.spring.flange_b)
    return m


def test_a_macpherson_suspension_swings_on_its_spring():
    r = lw.simulate(suspension(), 10.0, accuracy=ACCURACY)
    assert r.system.dof == 1
    assert r.closure < 1e-9
    total = energy(r) + r["spring.f"] ** 2 / (2 * 20000)
    assert np.max(np.abs(total - total[0])) < 1e-6 * np.max(r["kinetic_energy"])
    assert np.ptp(r["wishbone_joint.phi"]) > 0.02
    assert np.ptp(r["turning.phi"]) > 1e-4  # bump steer


@pytest.mark.parametrize("name", ["JointSSR", pytest.param("JointUSR", marks=pytest.mark.slow),
                                  pytest.param("JointUSP", marks=pytest.mark.slow)])
def test_spatial_assemblies_between_two_moving_arms(name):
    """A crank about x drives an arm or a slide through a rod in space: one freedom, energy kept."""
    m = lw.Model(name)
    m.world = lw.World()
    m.drive = joints.Revolute(n=[1, 0, 0], phi=0.3, w=5.0)
    m.crank = rod(0.2, 2.0, (0.0, 1.0, 0.0))
    m.far = parts.Fixed(r=[0.9, 0.1, 0.2])
    if name == "JointSSR":
        joint = assemblies.JointSSR(rod1_length=1.0, n_b=[0, 0, 1], r_rod2_ib=[0, 0.5, 0])
        second = parts.Body(m=1, r_cm=[0, 0.25, 0], inertia=[0.02, 0.01, 0.02])
    elif name == "JointUSR":
        joint = assemblies.JointUSR(n1_a=[0, 1, 0], n_b=[0, 0, 1], r_rod1_ia=[1.0, 0, 0], r_rod2_ib=[0, 0.5, 0])
        second = parts.Body(m=1, r_cm=[0, 0.25, 0], inertia=[0.02, 0.01, 0.02])
    else:
        joint = assemblies.JointUSP(n1_a=[0, 1, 0], n_b=[1, 0, 0], r_rod1_ia=[1.0, 0, 0], r_rod2_ib=[0, 0, 0])
        second = parts.Body(m=1, inertia=[0.02, 0.01, 0.02])
    m.joint, m.second = joint, second
    m.chain(m.world, m.drive, m.crank)
    m.connect(m.crank.frame_b, m.joint.frame_a)
    m.connect(m.far.frame_b, m.joint.frame_b)
    m.connect(m.joint.frame_ib, m.second.frame_a)
    if name != "JointSSR":
        m.first = parts.Body(m=0.5, r_cm=[0.5, 0, 0], inertia=[0.01, 0.05, 0.05])
        m.connect(m.joint.frame_ia, m.first.frame_a)
    r = lw.simulate(m, 3.0, accuracy=ACCURACY)
    assert r.system.dof == 1
    assert np.ptp(r["drive.phi"]) > 3
    check_laws(r)
