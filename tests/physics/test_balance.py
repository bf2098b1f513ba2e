"""Forces balance at every node and power in every component, where motions are given or gravity varies too."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import constraints, joints, parts, rotational, translational
from linkwright import planar as pl


class OwnCoupler(constraints.Constraint):
    """A user's own: the angle of frame_b about z against that of frame_a."""

    def residual(self, X_a, X_b):
        return [X_a.R[0, 0] * X_b.R[1, 0] - X_a.R[1, 0] * X_b.R[0, 0] + 0.3 * X_a.R[1, 0]]


def driven(how: str) -> lw.Model:
    """Two shafts side by side: the first moves as it is told, a torque loads the second."""
    m = lw.Model(f"{how}")
    m.world = lw.World(n=[0, 0, -1])
    m.side = parts.Fixed(r=[1, 0, 0])
    m.ja, m.jb = joints.Revolute(phi=lw.guess(0.1)), joints.Revolute(phi=lw.guess(1.0))
    m.a, m.b = (parts.Body(m=1, r_cm=[0.1, 0.02, 0.05], inertia=[1e-2] * 3) for _ in "ab")
    m.chain(m.world, m.ja, m.a)
    m.chain(m.side, m.jb, m.b)
    m.load = rotational.Torque(tau=3 + m.jb.w)
    m.connect(m.load.flange, m.jb.axis)
    motion = 0.1 + lw.time + 0.2 * lw.sin(3 * lw.time)
    if how == "prescribed":
        m.prescribe(m.ja.phi, motion)
    elif how == "speed":
        m.prescribe(m.ja.w, lw.der(motion))
    elif how == "locked":
        m.lock(m.ja, 0.1)
    elif how == "driven":
        m.drive = rotational.Position(phi_ref=motion, exact=True)
        m.connect(m.drive.flange, m.ja.axis)
    elif how == "geared":
        m.gear = rotational.IdealGear(ratio=4.0)
        m.drive = rotational.Accelerate(a_ref=lw.sin(lw.time))
        m.connect(m.drive.flange, m.gear.flange_a)
        m.connect(m.gear.flange_b, m.ja.axis)
    return m


def coordinates(m):
    m.tie = constraints.CoordinateCoupler(function=m.ja.phi + 0.5 * m.jb.phi + 0.1 * lw.sin(m.jb.phi) - 0.1)


def speeds(m):
    m.tie = constraints.SpeedCoupler(function=m.ja.w - 0.7 * m.jb.w)


def own(m):
    m.tie = OwnCoupler()
    m.connect(m.a.frame_a, m.tie.frame_a)
    m.connect(m.b.frame_a, m.tie.frame_b)


def rod(m):
    m.arm = [parts.FixedTranslation(r=[0.3, 0, 0]) for _ in "ab"]
    m.tie = joints.SphericalSpherical(rod_length=0.9, m=0.4)
    m.chain(m.a, m.arm[0])
    m.chain(m.b, m.arm[1])
    m.connect(m.arm[0].frame_b, m.tie.frame_a)
    m.connect(m.tie.frame_b, m.arm[1].frame_b)


@pytest.mark.parametrize("tie", [coordinates, speeds, own, rod], ids=lambda tie: tie.__name__)
@pytest.mark.parametrize("how", ["free", "prescribed", "speed", "locked", "driven", "geared"])
def test_given_motions_feel_what_is_tied_to_them(how, tie):
    m = driven(how)
    tie(m)
    for formulation in ("projection", "minimal"):
        r = lw.simulate(lw.compile(m, formulation=formulation), 0.3)
        assert imbalances(r) == {}


@pytest.mark.parametrize("how", ["prescribed", "driven"])
@pytest.mark.parametrize("kind", [joints.Revolute, joints.Prismatic])
def test_a_joint_that_counts_backwards_is_driven_forwards(kind, how):
    """`reverse=True` changes the sign of a coordinate and of the force on it, not what the drive has to bring."""
    m = lw.Model("reversed")
    m.world, m.joint, m.body = lw.World(), kind(n=[0.3, 0.5, 0.8], reverse=True), parts.Body(m=1, r_cm=[0.1, 0.2, 0])
    m.chain(m.world, m.joint, m.body)
    motion = 0.2 * lw.sin(2 * lw.time)
    turning = kind is joints.Revolute
    if how == "prescribed":
        m.prescribe(m.joint.phi if turning else m.joint.s, motion)
    else:
        room, name = (rotational, "phi_ref") if turning else (translational, "s_ref")
        m.drive = room.Position(**{name: motion}, exact=True)
        m.connect(m.drive.flange, m.joint.axis)
    assert imbalances(lw.simulate(m, 0.3)) == {}


def test_a_coupler_takes_its_power_from_the_drive():
    """10 N·m against the second shaft, which turns back as the first turns on at 1 rad/s."""
    m = lw.Model("power")
    m.world = lw.World(gravity=None)
    m.ja, m.jb, m.side = joints.Revolute(), joints.Revolute(), parts.Fixed(r=[2, 0, 0])
    m.a, m.b = (parts.Body(m=1, inertia=[1e-3] * 3) for _ in "ab")
    m.chain(m.world, m.ja, m.a)
    m.chain(m.side, m.jb, m.b)
    m.load = rotational.Torque(tau=10)
    m.connect(m.load.flange, m.jb.axis)
    m.prescribe(m.ja.phi, lw.time)
    m.tie = constraints.CoordinateCoupler(function=m.ja.phi + m.jb.phi)
    r = lw.simulate(m, 0.5)
    np.testing.assert_allclose(r["ja.tau"], 10, atol=1e-9)


@pytest.mark.parametrize("kind, x, r_b", [(pl.RigidNoLossExternal, 0.5, 0.3), (pl.RigidNoLossInternal, -0.3, 0.5)])
@pytest.mark.parametrize("given", [False, True])
def test_wheels_in_mesh_balance(kind, x, r_b, given):
    m = lw.Model("wheels")
    m.world, m.base, m.side = pl.World(), pl.Fixed(), pl.Fixed(r=[x, 0])
    m.ja, m.jb = pl.Revolute(phi=0.3, **({} if given else {"w": 1.0})), pl.Revolute()
    m.a, m.b, m.mesh = pl.Body(m=1, I=0.1), pl.Body(m=2, I=0.3), kind(r_a=0.2, r_b=r_b)
    m.chain(m.base, m.ja, m.a)
    m.chain(m.side, m.jb, m.b)
    m.connect(m.a.frame_a, m.mesh.frame_a)
    m.connect(m.b.frame_a, m.mesh.frame_b)
    m.load = rotational.Torque(tau=10)
    m.connect(m.load.flange, m.jb.axis)
    if given:
        m.drive = rotational.ConstantSpeed(w_fixed=2.0)
        m.connect(m.drive.flange, m.ja.axis)
    r = lw.simulate(m, 0.5)
    assert imbalances(r) == {}
    if given:
        ratio = r["jb.w"][-1] / r["ja.w"][-1]
        np.testing.assert_allclose(np.abs(ratio), 0.2 / r_b)
        np.testing.assert_allclose(r["drive.flange.tau"], 10 * ratio, rtol=1e-9)


@pytest.mark.parametrize("kind", ["point", "own"])
def test_a_field_acts_on_every_one_of_joined_bodies(kind):
    """Rigidly joined parts move as parts that a locked joint holds together, each with its own weight."""
    def field(r):
        return [-2 * r[0], -r[1] ** 2, 0.5 * r[0] * r[2]]

    def satellite(joined: bool):
        m = lw.Model("satellite")
        m.world = lw.World(gravity="point", mu=5) if kind == "point" else lw.World(gravity=field)
        m.a = parts.Body(m=1, r_cm=[0.1, 0, 0], r_0=[3, 0, 0], v_0=[0, 1, 0.2], angles=[0.1, 0.2, 0], w_0=[0, 0, 0.3])
        m.boom, m.b = parts.FixedTranslation(r=[-2, 0.3, 0]), parts.Body(m=0.5, r_cm=[0, 0.2, 0])
        if joined:
            m.chain(m.a, m.boom, m.b)
        else:
            m.hinge = joints.Revolute()
            m.chain(m.a, m.boom, m.hinge, m.b)
            m.lock(m.hinge, 0.0)
        return m

    one, two = (lw.simulate(satellite(joined), 2.0, accuracy=1e-10) for joined in (True, False))
    assert imbalances(one) == imbalances(two) == {}
    np.testing.assert_allclose(one["b.r_0"], two["b.r_0"], atol=1e-8)
    np.testing.assert_allclose(one["potential_energy"], two["potential_energy"], atol=1e-8)
    if kind == "point":
        assert np.ptp(one["kinetic_energy"] + one["potential_energy"]) < 1e-7


@pytest.mark.unbalanced
def test_a_lost_force_is_noticed(monkeypatch):
    """The law itself can fail: a rod whose weight nobody feels."""
    from linkwright.joints import SphericalSpherical

    described = SphericalSpherical.describe

    def forgetful(self, plan):
        described(self, plan)
        plan.cuts.clear()

    m = driven("free")
    rod(m)
    monkeypatch.setattr(SphericalSpherical, "describe", forgetful)
    assert imbalances(lw.simulate(m, 0.3))
