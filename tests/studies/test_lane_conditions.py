"""Conditions of actions in lanes: one that has become false may become true again."""

import numpy as np

import linkwright as lw
from linkwright import joints, parts


def test_an_action_acts_as_often_in_lanes_as_its_condition_becomes_true():
    """A pendulum is counted each time it comes up on one side; nothing of its motion is changed by that."""
    m = lw.Model("counted")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0, -0.5, 0])
    m.chain(m.world, m.rev, m.body)
    count = m.discrete("count", 0.0)
    m.when(m.rev.phi > 0.5, {count: count + 1})
    m.output("counted", count)
    study = lw.sweep(m, {"rev.phi": [0.9, 1.0, 1.1, 0.4]}, 5.0, outputs=["counted", "rev.phi"])
    assert study.data.attrs["ordinary_runs"] == 0  # lanes made them all
    for k in range(4):
        phi = study.data["rev.phi"].values[k]
        rises = np.sum((phi[1:] > 0.5) & (phi[:-1] <= 0.5))
        assert study.data["counted"].values[k, -1] == rises
        assert rises >= 2 or k == 3
        np.testing.assert_array_equal(study.data["counted"].values[k], study.result(k)["counted"])


def test_a_condition_that_falls_and_rises_within_one_instant_acts_again():
    """Two actions that hand a flag to each other three times, at one instant, whenever the pendulum comes up."""
    m = lw.Model("handed over")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0, -0.5, 0])
    m.chain(m.world, m.rev, m.body)
    flag, count = m.discrete("flag", 0.0), m.discrete("count", 0.0)
    m.when(m.rev.phi < 0.5, {flag: 1.0})
    m.when(flag > 0.5, {flag: 0.0, count: count + 1})
    m.when(lw.logical_and(flag < 0.5, lw.logical_and(count > 0.5, count < 2.5)), {flag: 1.0})
    study = lw.sweep(m, {"rev.phi": [0.9, 1.0, 1.1]}, 0.5, outputs=["count"])
    assert study.data.attrs["ordinary_runs"] == 0
    for k in range(3):
        assert study.data["count"].values[k, -1] == study.result(k)["count"][-1] == 3.0
