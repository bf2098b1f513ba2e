"""Friction on what moves as it is given acts against the motion, and at rest not at all."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, joints, parts, rotational
from linkwright.run.chattering import Chattering
from linkwright.run.tolerances import CHATTERING
from linkwright.system.event_programs import Witness


def slowing_down():
    """From 1 rad/s to rest at t = 1.5, through the filter of the source."""
    return rotational.Speed(w_ref=blocks.ramp(-1.0, 1.0, 0.5, 1.0), phi=0)


def shaft(source, friction=None):
    m = lw.Model("shaft")
    m.world = lw.World()
    m.source, m.inertia = source, rotational.Inertia(J=2.0)
    m.rub = friction or rotational.BearingFriction(tau_pos=[[0, 1.0]])
    m.connect(m.source.flange, m.rub.flange_a)
    m.connect(m.rub.flange_b, m.inertia.flange_a)
    return m


def happened(r, name="rub"):
    return [(e.time, e.direction) for e in r.events if e.what == name]


@pytest.mark.parametrize("accuracy", [1e-6, 1e-10])
def test_a_filtered_source_brings_it_to_rest_once(accuracy):
    """What is left of the speed, errors of steps, has no sign."""
    r = lw.simulate(shaft(slowing_down()), 3.0, accuracy=accuracy)
    [(time, direction)] = happened(r)
    assert 1.5 < time < 1.6 and direction == 0
    assert set(r["rub.tau"][r.t < 1.5]) == {1.0} and set(r["rub.tau"][r.t > time]) == {0.0}


def test_a_gear_with_losses_and_a_joint_come_to_rest_too():
    gear = rotational.LossyGear(ratio=5.0, loss_table=[[0, 0.9, 0.8, 0.05, 0.05]])
    r = lw.simulate(shaft(slowing_down(), gear), 3.0)
    assert [d for _, d in happened(r)] == [0] and r["rub.tau_loss"][-1] == 0
    m = lw.Model("arm")
    m.world = lw.World(gravity=None)
    m.rev, m.body = joints.Revolute(friction=lw.Coulomb(tau=2.0)), parts.Body(m=1.0, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.source = slowing_down()
    m.connect(m.source.flange, m.rev.axis)
    r = lw.simulate(m, 3.0)
    assert [d for _, d in happened(r, "rev.friction")] == [0]
    assert r["rev.tau_friction"][0] == 2.0 and r["rev.tau_friction"][-1] == 0


def test_two_given_shafts_that_come_to_one_speed_do_not_rub():
    m = lw.Model("clutch")
    m.world = lw.World()
    m.one = rotational.ConstantSpeed(w_fixed=1.0, phi=0)
    m.two = rotational.Speed(w_ref=blocks.step(1.0, 0.5), phi=0)
    m.clutch = rotational.Clutch(fn_max=10.0, mu_pos=[[0, 0.3]], f_normalized=1.0)
    m.connect(m.one.flange, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.two.flange)
    r = lw.simulate(m, 3.0)
    assert [d for _, d in happened(r, "clutch")] == [0]
    assert r["clutch.tau"][0] == -3.0 and r["clutch.tau"][-1] == 0


def test_a_second_order_filter_swings_a_few_times_and_rests():
    r = lw.simulate(shaft(rotational.Position(phi_ref=blocks.kinematic_ptp([1.0], qd_max=1.0, qdd_max=3.0).q[0])), 3.0)
    assert len(r.events) < 20 and r["rub.tau"][-1] == 0 and happened(r)[-1][1] == 0


@pytest.mark.parametrize("source", [
    lambda ptp: rotational.Speed(w_ref=ptp.qd[0], exact=True, phi=0),
    lambda ptp: rotational.Position(phi_ref=ptp.q[0], exact=True)])
def test_an_exact_move_ends_without_friction(source):
    """Also where rounding leaves a speed of 1e-16."""
    r = lw.simulate(shaft(source(blocks.kinematic_ptp([1.0], qd_max=1.0, qdd_max=3.0))), 2.0)
    moving = (r.t > 0.01) & (r.t < 1.33)
    assert set(r["rub.tau"][moving]) == {1.0} and set(r["rub.tau"][r.t > 1.34]) == {0.0}


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_motion_that_turns_round_rubs_both_ways(size):
    """However slow it is."""
    r = lw.simulate(shaft(rotational.Speed(w_ref=size * lw.cos(lw.time), exact=True, phi=0)), 7.0)
    turns = [(k + 0.5) * np.pi for k in range(2)]
    assert [d for _, d in happened(r) if d] == [-1, 1]
    assert [t for t, d in happened(r) if d] == pytest.approx(turns, abs=1e-5)
    away = np.abs(np.cos(r.t)) > 0.01
    np.testing.assert_array_equal(r["rub.tau"][away], np.sign(np.cos(r.t[away])))


def test_a_slow_given_speed_rubs_fully():
    r = lw.simulate(shaft(rotational.ConstantSpeed(w_fixed=1e-10, phi=0)), 1.0)
    assert set(r["rub.tau"]) == {1.0}


def test_a_freewheel_between_given_shafts_cannot_be_turned_backwards():
    m = lw.Model("forced")
    m.world = lw.World()
    m.one = rotational.ConstantSpeed(w_fixed=1.0, phi=0)
    m.two = rotational.Speed(w_ref=2.0 - lw.time, exact=True, phi=0)
    m.clutch = rotational.OneWayClutch(fn_max=1.0)
    m.connect(m.one.flange, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.two.flange)
    with pytest.raises(lw.SimulationError, match="at t = 1.* turn the freewheel clutch backwards"):
        lw.simulate(m, 3.0)


@pytest.mark.parametrize("what, advised", [("slide", "compliance"), ("relation", "lw.Coulomb"),
                                           ("touch", 'method="time_stepping"')])
def test_what_alternates_is_told_what_suits_it(what, advised):
    chattering = Chattering(["rub.direction"])
    for k in range(CHATTERING):
        trouble = chattering.notice(1.0, [Witness(what, 0, None, 2, "rub")], np.array([k % 2]))
    assert advised in trouble.message and ("lw.Coulomb" in trouble.message) == (what == "relation")
