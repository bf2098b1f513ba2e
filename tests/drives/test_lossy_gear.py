"""A gear with losses: efficiency in both directions of power, locking, heat; torques by hand."""

import numpy as np
import pytest
from scipy.optimize import brentq

import linkwright as lw
from linkwright import joints, parts, rotational

RATIO, J_A, J_B = 5.0, 0.1, 2.0
ETA1, ETA2, BEARING1, BEARING2 = 0.8, 0.6, 0.3, 0.4


def geared(tau_a=0.0, tau_b=0.0, w=0.0, table=(0, ETA1, ETA2, BEARING1, BEARING2)):
    """Torques on two inertias with the gear between them; w is the speed of the slow side."""
    m = lw.Model("geared")
    m.world = lw.World()
    m.a, m.b = rotational.Inertia(J=J_A), rotational.Inertia(J=J_B, phi=0, w=w)
    m.gear = rotational.LossyGear(ratio=RATIO, loss_table=[list(table)])
    m.fast, m.slow = rotational.Torque(tau=tau_a), rotational.Torque(tau=tau_b)
    m.connect(m.fast.flange, m.a.flange_a)
    m.connect(m.a.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.b.flange_a)
    m.connect(m.b.flange_b, m.slow.flange)
    return m


def by_hand(tau_a, tau_b, w):
    """Acceleration of the slow side, from the four quadrants of Pelchen, Schweiger and Otter."""
    def balance(a):
        tau = tau_a - J_A * RATIO * a
        driving = tau - (BEARING1 - BEARING2) / (ETA1 - 1 / ETA2) * np.sign(w)  # torque in the mesh
        if driving * w > 0:
            loss = (1 - ETA1) * tau + np.sign(w) * BEARING1
        else:
            loss = (1 - 1 / ETA2) * tau + np.sign(w) * BEARING2
        return RATIO * (tau - loss) + tau_b - J_B * a

    return brentq(balance, -1e3, 1e3, xtol=1e-14)


@pytest.mark.parametrize("tau_a, tau_b, w", [(2, -1, 1), (-2, 1, 1), (2, -1, -1), (0, 5, 1), (0, 5, -1), (0.2, 0, 1),
                                             (-3, -4, -1)])
def test_every_quadrant_moves_as_by_hand_and_loses_what_flows_in(tau_a, tau_b, w):
    system = lw.compile(geared(tau_a, tau_b, w))
    s = system.state()
    assert system.evaluate(s, "b.a") == pytest.approx(by_hand(tau_a, tau_b, w), rel=1e-11)
    power = [system.evaluate(s, f"gear.flange_{end}.tau") * speed for end, speed in (("a", RATIO * w), ("b", w))]
    assert system.evaluate(s, "gear.loss_power") == pytest.approx(sum(power), abs=1e-12)
    assert sum(power) > 0


def test_efficiency_in_both_directions_of_power():
    """Without bearing friction and at constant speed the power out is η times the power in."""
    for tau_b, eta in ((-6.0, ETA1), (6.0, ETA2)):
        m = lw.Model("steady")
        m.world = lw.World()
        m.drive = rotational.ConstantSpeed(w_fixed=20.0)
        m.gear = rotational.LossyGear(ratio=RATIO, loss_table=[[0, ETA1, ETA2, 0, 0]])
        m.b, m.load = rotational.Inertia(J=J_B), rotational.Torque(tau=tau_b)
        m.connect(m.drive.flange, m.gear.flange_a)
        m.connect(m.gear.flange_b, m.b.flange_a)
        m.connect(m.b.flange_b, m.load.flange)
        r = lw.simulate(m, 0.1)
        into = {"a": r["gear.flange_a.tau"] * 20.0, "b": r["gear.flange_b.tau"] * 20.0 / RATIO}
        driving, driven = ("a", "b") if tau_b < 0 else ("b", "a")
        assert np.all(into[driving] > 0)
        assert -into[driven] == pytest.approx(eta * into[driving], rel=1e-9)


@pytest.mark.parametrize("tau_a, tau_b, moves", [
    (0.29, 0.0, 0), (0.38, 0.0, 1), (-0.38, 0.0, -1),  # pushed from the fast side: more than tau_bf1/eta_mf1 = 0.375
    (0.0, 1.95, 0), (0.0, 2.05, 1), (0.0, -2.05, -1),  # back-driven: more than ratio × tau_bf2
    (3.0, -26.9, 0), (3.0, -27.1, -1),  # a load that the mesh holds while the motor pushes: 5 (3/0.6 + 0.4) = 27
    (3.0, -10.6, 0), (3.0, -10.4, 1),  # and that the motor lifts: 5 (0.8 × 3 − 0.3) = 10.5
])
def test_it_sticks_until_mesh_and_bearings_give_way(tau_a, tau_b, moves):
    r = lw.simulate(geared(tau_a, tau_b), 0.2)
    assert np.all(r["gear.mode"] == moves) and np.sign(np.round(r["b.w"][-1], 12)) == moves


def test_a_gear_that_comes_to_rest_stays_and_its_heat_is_the_energy():
    m = geared(w=3.0)
    m.integral(m.gear.loss_power, name="heat")
    r = lw.simulate(m, 12.0, accuracy=1e-11)
    # nothing but the inertia of the fast side drives: constant torques, hence a constant deceleration
    slower = -by_hand(0, 0, 1)
    (stop,) = (e.time for e in r.events)
    assert stop == pytest.approx(3.0 / slower, abs=1e-9)
    assert np.all(r["b.w"][r.t > stop] == 0) and np.ptp(r["b.phi"][r.t > stop]) == 0
    assert r["heat"][-1] == pytest.approx((J_B + RATIO**2 * J_A) * 9 / 2, abs=1e-8)
    assert r["heat"] + r["kinetic_energy"] == pytest.approx(r["kinetic_energy"][0], abs=1e-8)


def test_two_lossy_gears_in_series_keep_the_power_balance():
    m = lw.Model("series")
    m.world = lw.World()
    m.a, m.b = rotational.Inertia(J=0.1, phi=0, w=0), rotational.Inertia(J=20.0)
    m.one = rotational.LossyGear(ratio=5, loss_table=[[0, 0.8, 0.6, 0.3, 0.4], [30, 0.85, 0.7, 0.4, 0.5]])
    m.two = rotational.LossyGear(ratio=3, loss_table=[[0, 0.9, 0.85, 0.2, 0.25]])
    m.motor = rotational.Torque(tau=3 * lw.sin(2 * lw.time))
    m.connect(m.motor.flange, m.a.flange_a)
    m.connect(m.a.flange_b, m.one.flange_a)
    m.connect(m.one.flange_b, m.two.flange_a)
    m.connect(m.two.flange_b, m.b.flange_a)
    m.integral(m.one.loss_power + m.two.loss_power, name="heat")
    m.integral(m.motor.tau * m.a.w, name="work")
    r = lw.simulate(m, 6.0, accuracy=1e-10)
    assert r["kinetic_energy"] + r["heat"] == pytest.approx(r["work"], abs=1e-8)
    assert set(r["one.mode"]) == set(r["two.mode"]) == {-1, 0, 1}
    assert np.all(np.diff(r["heat"]) >= -1e-10)


def gearbox(ratios, bearing, tau):
    """A line of stages of one kind and a bearing at its end; losses ETA1 … of every stage."""
    m = lw.Model("gearbox")
    m.world = lw.World()
    last = m.a = rotational.Inertia(J=0.01, phi=0, w=0)
    m.motor = rotational.Torque(tau=tau)
    m.connect(m.motor.flange, m.a.flange_a)
    for k, ratio in enumerate(ratios):
        gear = rotational.LossyGear(ratio=ratio, loss_table=[[0, ETA1, ETA2, BEARING1, BEARING2]])
        inertia = rotational.Inertia(J=0.1)
        setattr(m, f"g{k}", gear)
        setattr(m, f"i{k}", inertia)
        m.connect(last.flange_b, gear.flange_a)
        m.connect(gear.flange_b, inertia.flange_a)
        last = inertia
    m.bearing = rotational.BearingFriction(tau_pos=[[0, bearing]])
    m.connect(last.flange_b, m.bearing.flange_a)
    return m


@pytest.mark.parametrize("ratios", [(5.0, 5.0), (5.0, -3.0, 0.5)])
def test_stages_and_bearings_in_one_line_give_way_where_all_of_them_do(ratios):
    """Every stage takes its share of what has to pass; seen from the motor inertia passes as torque does."""
    limit, inertia = 0.5, 0.0
    for ratio in reversed(ratios):
        limit, inertia = (limit / abs(ratio) + BEARING1) / ETA1, (inertia + 0.1) / ratio**2 / ETA1
    r = lw.simulate(gearbox(ratios, 0.5, lw.time), 2 * limit, accuracy=1e-10)
    assert r.events[-1].time == pytest.approx(limit, abs=1e-9) and len(r.events) == len(ratios) + 1
    assert np.all(r["a.w"][r.t < limit] == 0)
    assert r["a.w"][-1] == pytest.approx(limit**2 / 2 / (inertia + 0.01), rel=1e-8)


def test_a_line_of_stages_that_turns_back_and_forth_keeps_the_power_balance():
    m = gearbox((5.0, 5.0), 0.5, 2 * lw.sin(1.5 * lw.time))
    m.integral(m.g0.loss_power + m.g1.loss_power + m.bearing.loss_power, name="heat")
    m.integral(m.motor.tau * m.a.w, name="work")
    r = lw.simulate(m, 6.0, accuracy=1e-10)
    np.testing.assert_allclose(r["work"], r["heat"] + r["kinetic_energy"], atol=1e-7 * r["work"].max())
    assert np.ptp(np.sign(r["a.w"])) == 2
    assert min(r[f"{name}.loss_power"].min() for name in ("g0", "g1", "bearing")) >= 0


def test_a_worm_holds_an_arm_without_a_motor():
    """Friction of the bearings behind a large ratio holds what a plain gear lets fall."""
    def arm(gear):
        m = lw.Model("arm")
        m.world = lw.World(g=10)
        m.rev = joints.Revolute(phi=0.0, w=0.0)
        m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        m.chain(m.world, m.rev, m.body)
        m.rotor, m.gear = rotational.Inertia(J=1e-3), gear
        m.connect(m.rotor.flange_b, m.gear.flange_a)
        m.connect(m.gear.flange_b, m.rev.axis)
        return lw.simulate(m, 0.3)

    held = arm(rotational.LossyGear(ratio=50, loss_table=[[0, 0.5, 0.2, 0.1, 0.11]]))  # 5 N·m against 50 × 0.11
    assert np.all(held["rev.phi"] == 0) and held["gear.mode"][-1] == 0
    assert held["gear.tau_loss"] == pytest.approx(-0.1, abs=1e-9)
    assert arm(rotational.IdealGear(ratio=50))["rev.phi"][-1] < -0.05


def test_without_losses_it_is_an_ideal_gear():
    m, ideal = geared(1.0, -2.0, 0.5, (0, 1, 1, 0, 0)), geared(1.0, -2.0, 0.5)
    r = lw.simulate(m, 0.5)
    assert not r.events and r["gear.loss_power"] == pytest.approx(0)
    assert r["b.a"] == pytest.approx((RATIO * 1.0 - 2.0) / (J_B + RATIO**2 * J_A))
    assert lw.compile(ideal).mechanism.events and not r.system.mechanism.events


@pytest.mark.parametrize("table, said", [
    ([[0, 1.2, 0.9, 0, 0]], "eta_mf1 = 1.2"), ([[0, 0.9, 0.0, 0, 0]], "eta_mf2 = 0"),
    ([[0, 0.9, -0.5, 0, 0]], "eta_mf2 = -0.5"), ([[0, 0.9, 0.9, -1, 0]], "cannot be negative"),
    ([[0, 0.9, 0.9]], "rows"), ([[1, 0.9, 0.9, 0, 0]], "from 0"), ("efficient", "rows"),
])
def test_losses_that_make_no_sense_are_refused(table, said):
    with pytest.raises(lw.ModelError, match=said):
        rotational.LossyGear(ratio=2, loss_table=table)


def test_a_ratio_of_zero_is_refused():
    with pytest.raises(lw.ModelError, match="other than zero"):
        rotational.LossyGear(ratio=0)


def test_friction_on_a_shaft_without_inertia_is_refused():
    m = lw.Model("light")
    m.world = lw.World()
    m.a, m.b = rotational.Inertia(J=1.0), rotational.Inertia(J=1.0)
    m.one, m.two = rotational.Spring(c=10), rotational.Spring(c=10)
    m.gear = rotational.LossyGear(ratio=2, loss_table=[[0, 0.9, 0.9, 0.1, 0.1]])
    m.connect(m.a.flange_b, m.one.flange_a)
    m.connect(m.one.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.two.flange_a)
    m.connect(m.two.flange_b, m.b.flange_a)
    with pytest.raises(lw.TopologyError, match="gear: dry friction acts on a shaft without inertia"):
        lw.compile(m)
