"""A planar four-bar from four plain revolutes in space: loops are found, closed and kept closed."""

import numpy as np
import pytest
from loop_models import check_laws, energy, fourbar

import linkwright as lw
from linkwright import joints, rotational

TRAVEL = 79.4412268629  # rad in 10 s, exact


@pytest.fixture(scope="module")
def run():
    return lw.simulate(fourbar(), 10.0, accuracy=1e-10)


@pytest.mark.parametrize(("accuracy", "error"), [(1e-8, 1e-4), (1e-10, 1e-6)])
def test_crank_travel(accuracy, error):
    r = lw.simulate(fourbar(), 10.0, accuracy=accuracy)
    assert abs(r["rev1.phi"][-1] - r["rev1.phi"][0] - TRAVEL) < error
    assert r.closure < 1e-9


def test_energy_is_that_of_the_reference_and_constant(run):
    assert energy(run)[0] == pytest.approx(9.713, abs=5e-4)
    check_laws(run, tolerance=1e-8)


def test_one_loop_is_found_and_the_driven_crank_is_not_cut(run):
    system = run.system
    assert system.dof == 1
    assert len(system.loops) == 1 and system.loops[0].name != "rev1"


def test_the_cut_joint_reads_like_any_other(run):
    """Around the loop the angles add up: φ1 + φ2 + φ3 = φ4, over many turns; speeds and accelerations too."""
    for name in ("phi", "w", "a"):
        around = run[f"rev1.{name}"] + run[f"rev2.{name}"] + run[f"rev3.{name}"] - run[f"rev4.{name}"]
        assert np.ptp(around) < 1e-7 * max(1, np.max(np.abs(run[f"rev1.{name}"])))
    assert np.ptp(run["rev3.phi"]) < 7  # swings
    assert np.max(np.abs(np.diff(run["rev2.phi"]))) < 1


@pytest.mark.parametrize("turning", ["rev1", "rev2"])
def test_the_angle_of_a_cut_joint_counts_turns(turning):
    """Where the crank's own bearing is cut, its angle still goes through all its turns."""
    m = fourbar()
    m.rev1.__dict__["_initial"].clear()
    m.init(m.crank.frame_b.r_0[1], 0.3 * np.sin(np.pi / 3))
    m.init(m.crank.w_a[2], 5.0)
    for name in ("rev1", "rev2", "rev3", "rev4"):
        getattr(m, name).enforce_states = name != turning
    m.rev1._initial["phi"], m.rev4._initial["phi"] = [lw.guess(1.0)], [lw.guess(1.6)]
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert [loop.name for loop in r.system.loops] == [turning]
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(TRAVEL, abs=1e-6)
    # also between output times, and at the start
    assert r.at(0.0)["rev1.phi"] == pytest.approx(np.pi / 3, abs=1e-9)
    assert r.at(9.99)["rev1.phi"] == pytest.approx(r["rev1.phi"][-1], abs=0.2)


def test_reactions_balance_on_every_link(run):
    """m (a_C − g) = sum of the joints' forces on the link; the cut joint's force comes from its multipliers."""
    def force(frame):
        """On the part that is connected to the frame, in the world."""
        return -np.einsum("tji,tj->ti", run[f"{frame}.R.T"], run[f"{frame}.f"])

    def needed(body):
        a, z, w = run[f"{body}.a_0"], run[f"{body}.z_0"][:, 2], run[f"{body}.w_0"][:, 2]
        half = (run[f"{body}.frame_b.r_0"] - run[f"{body}.frame_a.r_0"]) / 2
        turned = np.stack([-half[:, 1], half[:, 0], 0 * w], axis=1)
        return a + z[:, None] * turned - (w**2)[:, None] * half + [0, 9.81, 0]

    scale = np.max(np.abs(force("rev1.frame_b")))
    for body, ends in {"crank": ("rev1.frame_b", "rev2.frame_a"), "coupler": ("rev2.frame_b", "rev3.frame_a"),
                       "rocker": ("rev4.frame_b", "rev3.frame_b")}.items():
        gap = needed(body) - force(ends[0]) - force(ends[1])
        assert np.max(np.abs(gap)) < 1e-7 * scale, body


@pytest.mark.parametrize("driven", ["rev2", "rev3", "rev4"])
def test_a_damper_on_any_joint_takes_the_energy_that_is_lost(driven):
    m = fourbar()
    m.damper = rotational.Damper(d=0.05)
    joint = getattr(m, driven)
    m.connect(joint.support, m.damper.flange_a)
    m.connect(joint.axis, m.damper.flange_b)
    lost = m.integral(m.damper.loss_power, name="lost")
    assert lost is not None
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    assert driven not in [loop.name for loop in r.system.loops]
    assert r["lost"][-1] > 0.5
    assert np.max(np.abs(energy(r) + r["lost"] - energy(r)[0])) < 1e-6


def test_all_joints_may_be_driven_at_once():
    """Nothing can be cut by equations then: a part is split and welded, and the motion is the same."""
    m = fourbar()
    for k in (2, 3, 4):
        damper = rotational.Damper(d=0.0)
        setattr(m, f"damper{k}", damper)
        joint = getattr(m, f"rev{k}")
        m.connect(joint.support, damper.flange_a)
        m.connect(joint.axis, damper.flange_b)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(TRAVEL, abs=1e-6)
    assert r.system.dof == 1
    check_laws(r, tolerance=1e-7)


def test_a_joint_added_twice_is_redundant_and_harmless():
    m = fourbar()
    m.twin = joints.Revolute()
    m.connect(m.rev2.frame_a, m.twin.frame_a)
    m.connect(m.rev2.frame_b, m.twin.frame_b)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(TRAVEL, abs=1e-6)
    assert r.system.dof == 1


def test_a_driven_crank_at_100_rad_per_second():
    m = fourbar(w=100.0)
    m.speed = rotational.Speed(w_ref=100.0, exact=True)
    m.connect(m.speed.flange, m.rev1.axis)
    r = lw.simulate(m, 1.0)
    assert r.closure < 1e-9
    assert r["rev1.phi"][-1] == pytest.approx(lw.deg(60) + 100, abs=1e-6)


def test_rods_too_short_are_reported_with_their_gap():
    m = fourbar()
    m.rocker.r = [0.1, 0, 0]
    m.coupler.r = [0.2, 0, 0]
    with pytest.raises(lw.AssemblyError, match=r"rev[23]") as caught:
        lw.simulate(m, 1.0)
    assert "gap" in str(caught.value)
