"""Well-known mechanisms from plain joints, started from rough guesses: closed, with constant energy, as published."""

import numpy as np
import pytest
from loop_mechanisms import (
    andrews,
    bricard,
    closed_chain,
    engine1a,
    fourbar1,
    fourfold_pendulum,
    scott_russell,
    slider_crank,
    spring_energy,
    stewart,
    theo_jansen,
    v_engine,
)
from loop_models import check_laws, energy

import linkwright as lw

ACCURACY = 1e-10


def test_fourbar1_of_modelica():
    """Seven joints, one freedom; "HP" end values computed independently at high precision."""
    r = lw.simulate(fourbar1(), 5.0, accuracy=ACCURACY)
    assert [r["j1.phi"][-1], r["j1.w"][-1]] == pytest.approx([40.32916546, 11.74044280], abs=1e-6)
    assert r.system.dof == 1
    check_laws(r)


def test_engine1a_of_modelica():
    r = lw.simulate(engine1a(), 5.0, accuracy=ACCURACY)
    assert r.system.dof == 1
    assert [r["inertia.phi"][-1], r["inertia.w"][-1]] == pytest.approx([53.415197349633623, 11.640358486991891],
                                                                       abs=2e-3)
    check_laws(r)


def test_andrews_squeezer_of_the_ivp_test_set():
    r = lw.simulate(andrews(), 0.03, accuracy=ACCURACY)
    names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"]
    end = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
           0.5347301163226948, 1.048080741042263]
    assert [r[f"{name}.a"][0] for name in names[:2]] == pytest.approx([14222.4439199541, -10666.8329399656], rel=1e-9)
    assert [r[f"{name}.phi"][-1] for name in names] == pytest.approx(end, abs=1e-7)
    assert len(r.system.loops) == 3 and r.system.dof == 1
    assert r.closure < 1e-9


def test_fourfold_pendulum_does_not_depend_on_which_joint_is_cut():
    """Damped, between two trolleys: the same motion to 1e-9 whichever joint closes the loop."""
    names = [f"rev{k}.phi" for k in range(1, 6)] + ["track1.s", "track2.s"]
    runs = [lw.simulate(fourfold_pendulum(cut), 10.0, accuracy=1e-12) for cut in (1, 3)]
    assert [run.system.loops[0].name for run in runs] == ["rev1", "rev3"]
    for name in names:
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9)
    assert runs[0].system.dof == 4
    assert max(run.closure for run in runs) < 1e-9


def test_slider_crank_passes_its_dead_points():
    r = lw.simulate(slider_crank(), 10.0, accuracy=ACCURACY)
    assert abs(r["crank_pin.phi"][-1]) > 20
    s = 0.1 * np.cos(r["bearing.phi"]) + np.sqrt(0.3**2 - (0.1 * np.sin(r["bearing.phi"])) ** 2)
    np.testing.assert_allclose(r["slider.s"], s, atol=1e-9)
    check_laws(r)


def test_v6_engine_from_plain_joints():
    r = lw.simulate(v_engine(6), 1.0, accuracy=ACCURACY)
    assert len(r.system.loops) == 6 and r.system.dof == 1
    assert abs(r["bearing.phi"][-1]) > 50
    check_laws(r)


def test_instructions_grow_in_proportion_to_cylinders():
    six, twelve = (lw.compile(v_engine(n)).instructions for n in (6, 12))
    assert twelve < 2.1 * six


def test_chain_of_32_links_closed_by_a_ball():
    r = lw.simulate(closed_chain(32), 1.0, accuracy=ACCURACY)
    assert r.system.dof == 30
    assert np.ptp(r["rev10.phi"]) > 0.1
    check_laws(r)


def test_bricard_moves_although_counting_says_it_cannot():
    """Through its whole range, ±120°."""
    r = lw.simulate(bricard(), 20.0, accuracy=ACCURACY)
    assert r.system.dof == 1
    assert np.ptp(r["rev1.phi"]) == pytest.approx(4 * np.pi / 3, abs=1e-3)
    theta, phi = r["rev1.phi"], r["rev2.phi"]
    np.testing.assert_allclose(np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi), 0, atol=1e-7)
    check_laws(r)


def test_stewart_platform_on_six_springs():
    r = lw.simulate(stewart(), 20.0, accuracy=ACCURACY)
    assert r.system.dof == 6 and len(r.system.loops) == 5
    total = energy(r) + spring_energy(r)
    assert r.closure < 1e-9
    assert min(np.ptp(r[f"prismatic{k}.s"]) for k in range(6)) > 0.5
    assert np.max(np.abs(total - total[0])) < 1e-6 * np.max(r["kinetic_energy"])


def test_scott_russell_draws_a_straight_line():
    r = lw.simulate(scott_russell(), 10.0, accuracy=ACCURACY)
    tip = r["coupler.frame_b.r_0"]
    assert np.max(np.abs(tip[:, 0])) < 1e-9
    assert np.ptp(tip[:, 1]) > 1.0
    check_laws(r)


@pytest.mark.parametrize("legs", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_strandbeest_walks(legs):
    """Every leg in a phase of its own, from guesses up to 0.3 rad off; many turns of the crank."""
    r = lw.simulate(theo_jansen(legs, rough=0.3), 10.0, accuracy=ACCURACY)
    assert len(r.system.loops) == 3 * legs and r.system.dof == 1
    assert np.ptp(r["bearing.phi"]) > 40
    assert r["leg0.knee.phi"][0] == pytest.approx(0, abs=1e-9)  # the branch it was drawn on
    check_laws(r)


def test_code_grows_with_the_legs_not_with_their_square():
    """Loops that share a leg are eliminated together, before the crank that all legs share."""
    counts = {legs: lw.compile(theo_jansen(legs)).instructions for legs in (2, 4)}
    assert counts[4] < 2.1 * counts[2]
