"""Friction and stops on any joint of a loop, by any method, in space and in the plane."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import planar as pl
from linkwright.integrate import METHODS

sys.path.insert(0, str(Path(__file__).parent.parent / "loops"))
from loop_models import fourbar

JOINTS = ("rev1", "rev2", "rev3", "rev4")


def planar_fourbar():
    """The same four-bar of planar parts."""
    m = lw.Model("planar fourbar")
    m.world = pl.World(g=9.81)
    m.fixed, m.post = pl.Fixed(), pl.Fixed(r=[1.0, 0.0])
    m.rev1 = pl.Revolute(phi=lw.deg(60), w=2.0)
    m.rev2, m.rev3, m.rev4 = pl.Revolute(phi=lw.guess(-0.6)), pl.Revolute(), pl.Revolute(phi=lw.guess(2.0))
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        for part, share in (("half", 0.5), ("rest", 0.5)):
            setattr(m, f"{name}_{part}", pl.FixedTranslation(r=[share * length, 0]))
        setattr(m, name, pl.Body(m=1.0, I=length**2 / 12))
        m.connect(getattr(m, f"{name}_half").frame_b, getattr(m, name).frame_a, getattr(m, f"{name}_rest").frame_a)
    m.chain(m.fixed, m.rev1, m.crank_half)
    m.chain(m.crank_rest, m.rev2, m.coupler_half)
    m.chain(m.post, m.rev4, m.rocker_half)
    m.connect(m.coupler_rest.frame_b, m.rev3.frame_a)
    m.connect(m.rev3.frame_b, m.rocker_rest.frame_b)
    return m


def rubbing(m, which=JOINTS, tau=0.2):
    for name in which:
        getattr(m, name).friction = lw.Coulomb(tau=tau, peak=1.2)
    m.integral(sum(getattr(m, name).loss_power for name in which), name="heat")
    return m


def balance(r):
    """Energy with the heat of friction, against the start."""
    total = r["kinetic_energy"] + r["potential_energy"] + r["heat"]
    return np.max(np.abs(total - total[0]))


@pytest.mark.parametrize("which", [*[(name,) for name in JOINTS], JOINTS], ids=lambda which: "+".join(which))
def test_friction_on_any_joint_of_a_loop_turns_exactly_its_work_into_heat(which):
    r = lw.simulate(rubbing(fourbar(w=2.0), which), 1.5, accuracy=1e-12)
    # near a dead point gaps of 1e-10 are left
    assert balance(r) < 1e-9 and r["heat"][-1] > 0.01 and r.closure < 1e-10
    assert len(r.events) >= 2 * len(which)


@pytest.mark.parametrize("method", METHODS)
def test_friction_in_a_loop_by_every_method(method):
    chosen = METHODS[method]
    options = {"accuracy": 1e-8} if chosen.adaptive else {"h": 1e-3}
    r = lw.simulate(rubbing(fourbar(w=2.0)), 1.5, method=method, **options)
    fine = lw.simulate(rubbing(fourbar(w=2.0)), 1.5, accuracy=1e-11)
    assert [(e.what, e.direction) for e in r.events] == [(e.what, e.direction) for e in fine.events]
    tolerance = {1: 2e-2, 2: 1e-4}.get(chosen.order, 1e-6)
    np.testing.assert_allclose([e.time for e in r.events], [e.time for e in fine.events], atol=tolerance)


def test_one_joint_of_a_loop_that_sticks_holds_all_of_it():
    r = lw.simulate(rubbing(fourbar(w=2.0), ("rev3",), tau=20.0), 1.0)
    stuck = r["rev3.friction_mode"] == 0
    assert stuck[-1]
    for name in JOINTS:
        assert np.max(np.abs(r[f"{name}.w"][stuck])) < 1e-12 and np.ptp(r[f"{name}.phi"][stuck]) < 1e-12


@pytest.mark.parametrize("options", [{"accuracy": 1e-10}, {"method": "rk4", "h": 1e-3}], ids=["adaptive", "rk4"])
@pytest.mark.parametrize("name, low", [("rev1", -3.5), ("rev2", -0.83), ("rev3", 0.95), ("rev4", 1.52)])
def test_a_stop_on_any_joint_of_a_loop_throws_all_of_it_back(name, low, options):
    m = fourbar(w=2.0)
    getattr(m, name).phi_min, getattr(m, name).restitution = low, 0.5
    r = lw.simulate(m, 2.0, **options)
    hit = next(e.time for e in r.events if e.direction == -1)
    before, after = r.at(hit), r.at(hit, side="after")
    assert before[f"{name}.phi"] == pytest.approx(low, abs=1e-9)
    for other in JOINTS:
        assert after[f"{other}.w"] == pytest.approx(-0.5 * before[f"{other}.w"], rel=1e-9)
    assert r.closure < 1e-12 and r[f"{name}.phi"].min() > low - 1e-9


@pytest.mark.parametrize("options", [{"accuracy": 1e-11}, {"method": "rk4", "h": 5e-4}], ids=["adaptive", "rk4"])
def test_the_plane_rubs_and_stops_as_space_does(options):
    results = []
    for m in (fourbar(w=2.0), planar_fourbar()):
        rubbing(m)
        m.rev4.phi_min, m.rev4.restitution = 1.52, 0.6
        results.append(lw.simulate(m, 1.0, **options))
    space, plane = results
    assert len(space.events) > 8
    assert [(e.what, e.direction) for e in space.events] == [(e.what, e.direction) for e in plane.events]
    np.testing.assert_allclose([e.time for e in space.events], [e.time for e in plane.events], atol=1e-9)
    for name in JOINTS:
        np.testing.assert_allclose(space[f"{name}.phi"], plane[f"{name}.phi"], atol=1e-9)
