"""Angles of a rolling wheel: continuous over many turns, of one attitude, whatever turn a start is given in."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import parts
from linkwright.algebra import rotation_from_angles

ACCURACY = 1e-9


def wheel(**start):
    m = lw.Model("wheel")
    m.world = lw.World(n=[0, 0, -1])
    m.wheel = parts.RollingWheel(radius=0.3, m=2.0, I_axis=0.09, I_long=0.045, **start)
    return m


# upright; never quite upright; wobbling through upright; leaning into a circle all the time
STARTS = {"upright": {"der_angles": [0.0, 8.0, 0.0]},
          "steered": {"der_angles": [1.0, 20.0, 0.0]},
          "wobbling": {"angles": [0.0, 0.0, 0.02], "der_angles": [0.0, 15.0, 0.3]},
          "leaning": {"angles": [1.0, 0.5, 0.4], "der_angles": [1.0, 12.0, 0.5]}}


@pytest.fixture(scope="module", params=STARTS)
def rolled(request):
    return lw.simulate(wheel(**STARTS[request.param]), 12.0, accuracy=ACCURACY, step=0.002)


def column(r, name):
    return r[f"wheel.{name}"]


def test_both_ways_tell_the_attitude(rolled):
    told = np.column_stack([column(rolled, n) for n in ("heading", "lean", "spin")])[::50]
    for angles, track, in zip(column(rolled, "angles")[::50], told, strict=True):
        np.testing.assert_allclose(rotation_from_angles((3, 2, 1), angles), rotation_from_angles((3, 1, 2), track),
                                   atol=1e-12)
    assert np.max(np.abs(column(rolled, "lean"))) < np.pi / 2


def test_no_angle_jumps_and_rates_are_those_of_the_angles(rolled):
    """Heading, lean and spin change by their rates (the trapezoidal rule over 2 ms), and nothing switches."""
    for name in ("heading", "lean", "spin"):
        values, rates = column(rolled, name), column(rolled, f"der_{name}")
        np.testing.assert_allclose(np.diff(values), np.diff(rolled.t) * (rates[1:] + rates[:-1]) / 2, atol=1e-5)
    assert not len(rolled.events)


def test_the_angles_of_modelica_swing_to_the_side_that_the_wheel_leans_to(rolled):
    """α − heading = atan2(sin λ sin σ, cos σ), λ the lean and σ the spin: with σ it goes on forwards where λ > 0."""
    lean, swung = column(rolled, "lean"), np.diff(column(rolled, "angles")[:, 0] - column(rolled, "heading"))
    assert np.all(np.abs(swung) < np.pi + 0.05)
    # where the spin turns it, rather than the lean that changes
    quick = (np.abs(swung) > 0.1) & (np.abs(lean * column(rolled, "der_spin")) > np.abs(column(rolled, "der_lean")))[1:]
    assert np.array_equal(np.sign(swung[quick]), np.sign(lean[1:][quick]))
    second = column(rolled, "angles")[:, 1]
    assert np.max(np.abs(np.diff(second) / np.diff(rolled.t))) < 1.05 * np.max(np.abs(column(rolled, "der_spin")))


def test_the_way_of_the_contact_is_what_the_spin_unrolls(rolled):
    """ds = r dspin along the track of the point of contact, however the wheel leans and turns."""
    heading, lean = column(rolled, "heading"), column(rolled, "lean")
    # the centre is above the contact by the disc's own slope, across the track
    across = 0.3 * np.sin(lean)
    x = column(rolled, "x") - across * np.sin(heading)
    y = column(rolled, "y") + across * np.cos(heading)
    way = np.sum(np.hypot(np.diff(x), np.diff(y)))
    turned = column(rolled, "spin")[-1] - column(rolled, "spin")[0]
    assert turned > 10 * 2 * np.pi
    assert way == pytest.approx(0.3 * turned, rel=1e-5)  # chords of 2 ms


def test_turns_are_counted_between_samples():
    coarse = lw.simulate(wheel(der_angles=[0.0, 30.0, 0.0]), 10.0, step=5.0)
    for turned in (coarse["wheel.spin"], coarse["wheel.angles"][:, 1]):
        np.testing.assert_allclose(turned, [0.0, 150.0, 300.0], atol=1e-4)


@pytest.mark.parametrize("angles", ([0.3, 7.0, 0.2], [0.3, 7.0 - 4 * np.pi, 0.2],
                                    [0.3 + np.pi, np.pi - 7.0, np.pi + 0.2]))
def test_a_start_may_be_given_in_any_turn(angles):
    system = lw.compile(wheel(angles=angles))
    state = system.state()
    np.testing.assert_allclose(state.get("wheel.angles"), angles, atol=1e-12)
    np.testing.assert_allclose(state.get("wheel.frame_a.R.T").T, rotation_from_angles((3, 2, 1), [0.3, 7.0, 0.2]),
                               atol=1e-12)


def test_a_second_start_of_the_same_code_counts_from_its_own_angle():
    for turns in (0.0, 3.0, -2.0):
        r = lw.simulate(wheel(angles=[0.0, 2 * np.pi * turns, 0.0], der_angles=[0.0, 5.0, 0.0]), 1.0)
        assert r["wheel.spin"][-1] == pytest.approx(2 * np.pi * turns + 5.0, abs=1e-6)


def test_a_second_run_goes_on_counting():
    m = wheel(**STARTS["leaning"])
    first = lw.simulate(m, 3.0, accuracy=ACCURACY)
    second = lw.simulate(m, 6.0, start=3.0, state=first.end, accuracy=ACCURACY)
    whole = lw.simulate(m, 6.0, accuracy=ACCURACY)
    for name in ("spin", "heading", "angles"):
        np.testing.assert_allclose(second[f"wheel.{name}"][0], first[f"wheel.{name}"][-1], atol=1e-9)
        np.testing.assert_allclose(second[f"wheel.{name}"][-1], whole[f"wheel.{name}"][-1], atol=1e-5)
