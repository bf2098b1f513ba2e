"""Loops that are redundant, rigid, too short or contradictory: the right answer or the right error, however solved."""

import numpy as np
import pytest
from loop_mechanisms import bricard, slider_crank
from loop_models import check_laws, fourbar, rod

import linkwright as lw
from linkwright import joints, parts
from linkwright.system import RANK_TOLERANCE

TRAVEL = 79.4412268629  # rad in 10 s, exact

every_formulation = pytest.mark.parametrize("formulation", [None, "projection", "minimal"])


def run(m, formulation, stop=10.0, accuracy=1e-10):
    return lw.simulate(lw.compile(m, formulation=formulation), stop, accuracy=accuracy)


@every_formulation
@pytest.mark.parametrize("doubled", ["rev1", "rev2", "rev4"])
def test_a_joint_added_twice(doubled, formulation):
    """The same motion; the twins are named, and that they share their load in a way nobody knows."""
    m, joint = fourbar(), joints.Revolute()
    m.twin = joint
    m.connect(getattr(m, doubled).frame_a, joint.frame_a)
    m.connect(getattr(m, doubled).frame_b, joint.frame_b)
    r = run(m, formulation)
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(TRAVEL, abs=1e-6)
    assert r.system.dof == 1
    assert {"force along x", "force along y"} <= set(r.system.not_unique["twin"]) & set(r.system.not_unique[doubled])
    assert "force along x" not in r.system.not_unique["rev3"]
    check_laws(r)


@every_formulation
@pytest.mark.parametrize("lengths", [(0.3, 0.2, 0.1), (0.3, 0.3, 0.3), (3.0, 0.5, 0.6)])
def test_rods_that_do_not_reach(lengths, formulation):
    """The error says by how much, and near which joint."""
    with pytest.raises(lw.AssemblyError, match=r"rev[234] \(gap 0\.\d+\)|rev[234].*gap") as caught:
        run(fourbar(lengths=lengths), formulation)
    assert "gap" in str(caught.value)


def triangle(third=1.2) -> lw.Model:
    m = lw.Model("triangle")
    m.world = lw.World(g=9.81)
    m.rev1, m.rev2, m.rev3 = joints.Revolute(phi=lw.guess(0.5)), joints.Revolute(phi=lw.guess(-1)), joints.Revolute()
    m.a, m.b = rod(1.0), rod(1.0)
    m.ground = parts.FixedTranslation(r=[third, 0, 0])
    m.chain(m.world, m.rev1, m.a, m.rev2, m.b, m.rev3)
    m.chain(m.world, m.ground)
    m.connect(m.ground.frame_b, m.rev3.frame_b)
    return m


@every_formulation
def test_a_mechanism_that_cannot_move(formulation):
    """A truss of two rods stands still; each pin bears what statics says: half the weight, and the thrust."""
    r = run(triangle(), formulation, 1.0)
    assert r.system.dof == 0 and "cannot move" in str(r.system)
    assert np.ptp(r["rev1.phi"]) < 1e-9
    height = np.sqrt(1 - 0.6**2)
    force = np.einsum("tji,tj->ti", r["rev1.frame_b.R.T"], -r["rev1.frame_b.f"])  # on the rod, in the world
    np.testing.assert_allclose(force[:, 1], 9.81, atol=1e-7)
    np.testing.assert_allclose(force[:, 0], 9.81 * 0.6 / 2 / height, atol=1e-7)


@every_formulation
def test_a_frame_with_one_bar_too_many_that_fits(formulation):
    """Overconstrained but consistent: three cranks of a parallel crank drive."""
    r = run(parallel_cranks(0.9), formulation, 5.0)
    assert r.system.dof == 1 and r.system.redundant >= 1
    assert np.ptp(r["rev1.phi"]) == pytest.approx(np.pi - 1.2, abs=1e-3)
    check_laws(r)


@every_formulation
def test_a_frame_with_one_bar_too_many_that_does_not_fit(formulation):
    """Overconstrained and inconsistent: the middle crank 1 mm too far; the error says what cannot hold, and the gap."""
    with pytest.raises(lw.LinkwrightError) as caught:
        run(parallel_cranks(0.9, misfit=1e-3), formulation, 5.0)
    assert "gap" in str(caught.value) or "cannot all hold" in str(caught.value)


def parallel_cranks(span, misfit=0.0) -> lw.Model:
    """Cranks of 0.3 m at 0, ½ and 1 of the span, their tips on one coupler."""
    m = lw.Model("parallel cranks")
    m.world = lw.World(g=9.81)
    m.rev1 = joints.Revolute(phi=-0.6, w=0.0)
    m.half1, m.half2 = rod(span / 2), rod(span / 2)
    m.crank1, m.crank2, m.crank3 = rod(0.3), rod(0.3), rod(0.3)
    m.rev2, m.rev3 = joints.Revolute(phi=lw.guess(-0.5)), joints.Revolute(phi=lw.guess(-0.7))
    m.pin1, m.pin2, m.pin3 = joints.Revolute(phi=lw.guess(0.5)), joints.Revolute(), joints.Revolute()
    m.middle, m.end = parts.Fixed(r=[span / 2 + misfit, 0, 0]), parts.Fixed(r=[span, 0, 0])
    m.chain(m.world, m.rev1, m.crank1, m.pin1, m.half1, m.half2)
    m.chain(m.middle, m.rev2, m.crank2)
    m.chain(m.end, m.rev3, m.crank3)
    m.connect(m.half1.frame_b, m.pin2.frame_a)
    m.connect(m.pin2.frame_b, m.crank2.frame_b)
    m.connect(m.half2.frame_b, m.pin3.frame_a)
    m.connect(m.pin3.frame_b, m.crank3.frame_b)
    return m


@every_formulation
@pytest.mark.parametrize("off", [1e-14, 0.1 * RANK_TOLERANCE])
def test_axes_parallel_within_the_stated_tolerance(off, formulation):
    """Axes off by less than 1e-9 rad count as parallel: one freedom, and the motion of the plane."""
    m = fourbar()
    m.rev3.n = (off, 0, 1)
    r = run(m, formulation, accuracy=1e-8)
    assert r.system.dof == 1
    assert r["rev1.phi"][-1] - r["rev1.phi"][0] == pytest.approx(TRAVEL, abs=1e-4)


def trihedral() -> lw.Model:
    m = bricard()
    m.rev1._initial["phi"] = [1.6]
    return m


def parallelogram() -> lw.Model:
    m = fourbar(lengths=(0.3, 1.0, 0.3), phi=1.0, w=6.0)
    m.rev2._initial["phi"], m.rev4._initial["phi"] = [lw.guess(-1.0)], [lw.guess(1.0)]
    return m


@pytest.mark.parametrize("off", [1e-10, 3e-10, 1e-9])
@pytest.mark.parametrize("model", [fourbar, parallelogram, trihedral, slider_crank])
def test_axes_that_are_all_off_a_little_move_as_if_they_were_not(model, off):
    """Gaps that no motion closes are not followed: the steps and the motion of the exact mechanism."""
    m, random = model(), np.random.default_rng(3)
    crank = "bearing" if hasattr(m, "bearing") else "rev1"
    exact = run(model(), "projection", 5.0)
    for joint in [item for item in m.__dict__.values() if isinstance(item, joints.Revolute)]:
        joint.n = np.asarray(joint.n, float) + off * np.cross(joint.n, random.uniform(-0.5, 0.5, 3))
    r = run(m, "projection", 5.0)
    assert r.system.dof == 1
    # accelerations feel 2e9 times the square of the angle
    np.testing.assert_allclose(r[f"{crank}.phi"], exact[f"{crank}.phi"], atol=1e-8 + 1e13 * off**2)
    assert r.counters["steps"] < 1.2 * exact.counters["steps"]
    assert r.counters["projections"] < 3 * exact.counters["projections"]
    assert r.closure < 5 * off


@every_formulation
@pytest.mark.parametrize("off", [1e-7, 1e-6, 1e-3])
def test_axes_that_are_not_parallel_are_refused_with_the_gap(off, formulation):
    """A planar loop with one axis tilted would be rigid; it does not close, by about the angle it is tilted."""
    m = fourbar(w=lw.guess(0.0))
    m.rev3.n = (off, 0, 1)
    with pytest.raises(lw.AssemblyError, match=r"gap [0-9.e-]+") as caught:
        run(m, formulation, 1.0)
    gap = float(str(caught.value).split("gap ")[1].split(")")[0].split()[0].rstrip(".,;"))
    assert 0.05 * off < gap < 2 * off


@every_formulation
def test_a_slider_crank_through_both_dead_points(formulation):
    """The slide stops at both ends of its stroke while the crank goes on."""
    r = run(slider_crank(), formulation)
    assert np.ptp(r["bearing.phi"]) > 20
    s = 0.1 * np.cos(r["bearing.phi"]) + np.sqrt(0.3**2 - (0.1 * np.sin(r["bearing.phi"])) ** 2)
    np.testing.assert_allclose(r["slider.s"], s, atol=1e-9)
    check_laws(r)


@every_formulation
def test_a_double_rocker_through_the_dead_points_of_its_crank(formulation):
    """Ground 1, links 0.7, 0.75, 0.8 (not Grashof): the first link swings and stops where the others are in line."""
    m = fourbar(lengths=(0.7, 0.75, 0.8), phi=lw.deg(60), w=2.0)
    m.rev2._initial["phi"], m.rev4._initial["phi"] = [lw.guess(-0.5)], [lw.guess(1.9)]
    r = run(m, formulation)
    # in line: 1² + 0.7² − 2·0.7 cos φ = (0.75 + 0.8)²
    dead = np.arccos((1 + 0.49 - 1.55**2) / 1.4)
    assert np.max(np.abs(np.remainder(r["rev1.phi"] + np.pi, 2 * np.pi) - np.pi)) < dead + 1e-6
    assert np.max(np.abs(r["rev1.phi"])) > dead - 0.02
    check_laws(r)
