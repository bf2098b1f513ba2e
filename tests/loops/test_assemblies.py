"""Loop assemblies in larger mechanisms: a cylinder of an engine, a wheel suspension."""

import numpy as np
import pytest
from assembly_models import macpherson
from loop_models import check_laws, energy, rod

import linkwright as lw
from linkwright import assemblies, joints, parts

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


@pytest.mark.parametrize("options", [{}, {"formulation": "projection"}, {"formulation": "minimal"}], ids=str)
def test_a_macpherson_suspension_through_most_of_its_range(options):
    """Assembled from a wheel turned by 0.4 rad too far; the strut feeds the steering, and nothing is left to solve."""
    system = lw.compile(macpherson(), **options)
    r = lw.simulate(system, 20.0, accuracy=ACCURACY)
    assert system.dof == 1 and system.redundant == 0
    assert ("no system of equations is left" in system.report(full=True)) == (options != {"formulation": "projection"})
    assert r.closure < 1e-9
    total = energy(r) + r["spring.f"] ** 2 / (2 * 6000)
    assert np.max(np.abs(total - total[0])) < 1e-6 * np.max(r["kinetic_energy"])
    assert np.ptp(r["wishbone_joint.phi"]) > 1.0 and np.ptp(r["strut.s"]) > 0.35
    assert np.ptp(r["steering.phi"]) > 0.5  # bump steer
    # the tie rod keeps its length, the strut leads from its mount to the wishbone's tip
    rod_length = np.linalg.norm(r["steering.frame_im.r_0"] - r["rack.frame_b.r_0"], axis=1)
    np.testing.assert_allclose(rod_length, macpherson().steering.rod1_length, atol=1e-9)
    np.testing.assert_allclose(r["strut.frame_ib.r_0"], r["wishbone.frame_b.r_0"], atol=1e-9)


def test_a_macpherson_of_plain_joints_moves_like_that_of_assemblies():
    one, other = (lw.simulate(m, 5.0, accuracy=ACCURACY) for m in (macpherson(), macpherson(plain=True)))
    for name in ("wishbone_joint.phi", "strut.s", "carrier.frame_a.r_0", "carrier.frame_a.R.T", "spring.f"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-6 * np.max(np.abs(one[name])), err_msg=name)


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


@pytest.mark.parametrize("s_guess, s", [(0.0, 1), (-1e-6, -1)])
def test_of_two_mirror_images_the_one_beyond_the_guess_is_taken(s_guess, s):
    """A strut across the plane that its ends move in: both solutions are as far from s = 0 (MultiBody takes +)."""
    m = lw.Model("mirrored")
    m.world = lw.World()
    m.end = parts.FixedTranslation(r=[2 - 1.4141, 0, 0])
    m.strut = assemblies.JointUSP(n1_a=[0, 1, 0], r_rod1_ia=[1, 1, 0], n_b=[0, 0, 1], r_rod2_ib=[-1, 1, 0],
                                  s_guess=s_guess)
    m.slide = joints.Prismatic(n=[1, 0, 0], s=0.0, v=0.0)
    m.body = parts.Body(m=1)
    m.chain(m.world.frame_b, m.end, m.slide)
    m.connect(m.world.frame_b, m.strut.frame_a)
    m.connect(m.slide.frame_b, m.strut.frame_b)
    m.connect(m.strut.frame_im, m.body.frame_a)
    assert lw.compile(m).state().get("strut.s") == pytest.approx(s * 0.91023139, abs=1e-6)


def test_loads_at_the_frames_of_an_assembly():
    """What the parts around leave: a fork that stands still holds up what hangs on it."""
    m = lw.Model("fork")
    m.world = lw.World(g=10, n=[0, -1, 0])
    m.foot = parts.Fixed(r=[1.5, 0.1, 0])
    m.fork = assemblies.JointRRR(r_rod1_ia=[1, 0.3, 0], r_rod2_ib=[-0.5, 0.2, 0])
    m.tip, m.knee = parts.Body(m=2), parts.Body(m=3, r_cm=[0.1, 0, 0])
    m.connect(m.world.frame_b, m.fork.frame_a)
    m.connect(m.foot.frame_b, m.fork.frame_b)
    m.connect(m.fork.frame_im, m.tip.frame_a)
    m.connect(m.fork.frame_ia, m.knee.frame_a)
    r = lw.simulate(m, 0.1)
    assert r["fork.frame_im.f"][-1] == pytest.approx(-r["tip.frame_a.f"][-1], abs=1e-9)
    assert r["fork.frame_ia.t"][-1] == pytest.approx(-r["knee.frame_a.t"][-1], abs=1e-9)
    assert r["fork.frame_a.f"][-1] == pytest.approx(-r["world.frame_b.f"][-1], abs=1e-9)
    weight = r["fork.frame_a.f"][-1] + r["fork.frame_b.f"][-1]
    assert weight == pytest.approx([0, 50, 0], abs=1e-6)
    assert r["fork.bearing.tau"][-1] == pytest.approx(-r["fork.axis.tau"][-1], abs=1e-9)
