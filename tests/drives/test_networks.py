"""1-D networks against equations derived by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import joints, parts, rotational, translational

ACCURACY = 1e-11


def model(name="drive"):
    m = lw.Model(name)
    m.world = lw.World()
    return m


def run(m, stop=1.0):
    return lw.simulate(m, stop, accuracy=ACCURACY)


def ode(f, start, t):
    return solve_ivp(f, (t[0], t[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t).y


def pendulum(m, **start):
    """A pendulum on a revolute joint about z, inertia 0.25 m² kg + 0.1 about the joint."""
    m.rev = joints.Revolute(**start)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.rev, m.body)


def test_inertias_and_gear_on_a_joint_add_to_its_mobility():
    """(I + J₁ + i² J₂) φ̈ = −m g l cos φ + i τ."""
    m = model()
    pendulum(m, phi=0.3, w=0)
    m.near = rotational.Inertia(J=0.02)
    m.gear = rotational.IdealGear(ratio=10)
    m.far = rotational.Inertia(J=0.003)
    m.motor = rotational.Torque(tau=0.4 * lw.sin(3 * lw.time))
    m.connect(m.rev.axis, m.near.flange_b)
    m.connect(m.near.flange_a, m.gear.flange_b)
    m.connect(m.gear.flange_a, m.far.flange_b)
    m.connect(m.far.flange_a, m.motor.flange)
    r = run(m)
    total = 0.35 + 0.02 + 100 * 0.003
    phi, w = ode(lambda t, y: [y[1], (-9.80665 * 0.5 * np.cos(y[0]) + 4 * np.sin(3 * t)) / total], [0.3, 0], r.t)
    assert r["rev.phi"] == pytest.approx(phi, abs=1e-9)
    assert r["far.w"] == pytest.approx(10 * w, abs=1e-8)
    # torques from balances: what the joint gets, through the gear, and out of the motor
    a, tau = r["rev.a"], 0.4 * np.sin(3 * r.t)
    assert r["motor.flange.tau"] == pytest.approx(-tau, abs=1e-12)
    assert r["far.flange_b.tau"] == pytest.approx(0.003 * 10 * a - tau, abs=1e-9)
    assert r["gear.flange_a.tau"] == pytest.approx(tau - 0.003 * 10 * a, abs=1e-9)
    assert r["gear.flange_b.tau"] == pytest.approx(-10 * r["gear.flange_a.tau"], abs=1e-9)
    assert r["near.flange_a.tau"] == pytest.approx(-r["gear.flange_b.tau"], abs=1e-12)
    assert r["rev.axis.tau"] == pytest.approx(0.35 * a + 9.80665 * 0.5 * np.cos(phi), abs=1e-7)
    assert r["rev.tau"] == pytest.approx(-r["near.flange_b.tau"], abs=1e-12)


def test_elastic_drive_train_with_gear_keeps_the_power_balance():
    """motor – gear – spring and damper – load: two coordinates; d/dt(T + V) = power in − loss."""
    m = model()
    m.motor = rotational.Torque(tau=2 * lw.cos(5 * lw.time))
    m.rotor = rotational.Inertia(J=0.01, phi=0.2, w=0)
    m.gear = rotational.IdealGear(ratio=5)
    m.shaft = rotational.SpringDamper(c=40, d=0.3)
    m.load = rotational.Inertia(J=0.6, phi=0, w=1.0)
    m.brake = rotational.Damper(d=0.2)
    m.ground = rotational.Fixed()
    m.connect(m.motor.flange, m.rotor.flange_a)
    m.connect(m.rotor.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.shaft.flange_a)
    m.connect(m.shaft.flange_b, m.load.flange_a)
    m.connect(m.load.flange_b, m.brake.flange_a)
    m.connect(m.brake.flange_b, m.ground.flange)
    r = run(m, 2.0)

    def f(t, y):
        x, v, z, w = y
        tau = 40 * (z - x / 5) + 0.3 * (w - v / 5)
        return [v, (2 * np.cos(5 * t) + tau / 5) / 0.01, w, (-tau - 0.2 * w) / 0.6]

    y = ode(f, [0.2, 0, 0, 1], r.t)
    assert r["rotor.phi"] == pytest.approx(y[0], abs=1e-9)
    assert r["load.w"] == pytest.approx(y[3], abs=1e-9)
    assert r["shaft.tau"] == pytest.approx(40 * (y[2] - y[0] / 5) + 0.3 * (y[3] - y[1] / 5), abs=1e-8)
    power_in = 2 * np.cos(5 * r.t) * r["rotor.w"]
    stored = (0.01 * r["rotor.w"] * r["rotor.a"] + 0.6 * r["load.w"] * r["load.a"]
              + 40 * r["shaft.phi_rel"] * r["shaft.w_rel"])
    assert stored + r["shaft.loss_power"] + r["brake.loss_power"] == pytest.approx(power_in, abs=1e-9)
    assert r["ground.flange.tau"] == pytest.approx(0.2 * y[3], abs=1e-8)


def test_massless_shaft_between_springs_is_algebraic():
    """Two springs in series between a mass and the ground: c = c₁c₂/(c₁+c₂)."""
    m = model()
    m.ground = translational.Fixed()
    m.first, m.second = translational.Spring(c=30), translational.Spring(c=60)
    m.mass = translational.Mass(m=2.0, s=0.5, v=0)
    m.connect(m.ground.flange, m.first.flange_a)
    m.connect(m.first.flange_b, m.second.flange_a)
    m.connect(m.second.flange_b, m.mass.flange_a)
    r = run(m, 3.0)
    assert r["mass.s"] == pytest.approx(0.5 * np.cos(np.sqrt(20 / 2) * r.t), abs=1e-8)
    assert r["first.s_rel"] == pytest.approx(r["mass.s"] * 2 / 3, abs=1e-9)


def test_massless_shaft_with_a_damper_is_of_first_order():
    """Maxwell element: force f with ḟ/c + f/d = v."""
    m = model()
    m.ground = translational.Fixed()
    m.spring, m.damper = translational.Spring(c=30), translational.Damper(d=4)
    m.mass = translational.Mass(m=2.0, s=0, v=1.0)
    m.connect(m.ground.flange, m.damper.flange_a)
    m.connect(m.damper.flange_b, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.mass.flange_a)
    r = run(m, 3.0)
    y = ode(lambda t, y: [y[1], -y[2] / 2, 30 * (y[1] - y[2] / 4)], [0, 1, 0], r.t)
    assert r["mass.s"] == pytest.approx(y[0], abs=1e-9)
    assert r["damper.f"] == pytest.approx(y[2], abs=1e-8)


def test_exact_position_on_a_joint_gives_the_driving_torque():
    m = model()
    pendulum(m)
    m.extra = rotational.Inertia(J=0.05)
    m.source = rotational.Position(phi_ref=0.2 + 0.5 * lw.sin(2 * lw.time), exact=True)
    m.connect(m.source.flange, m.extra.flange_a)
    m.connect(m.extra.flange_b, m.rev.axis)
    r = run(m)
    phi, a = 0.2 + 0.5 * np.sin(2 * r.t), -2 * np.sin(2 * r.t)
    assert r["rev.phi"] == pytest.approx(phi, abs=1e-8)
    joint = 0.35 * a + 9.80665 * 0.5 * np.cos(phi)
    assert r["rev.tau"] == pytest.approx(joint, abs=1e-7)
    assert r["source.flange.tau"] == pytest.approx(-joint - 0.05 * a, abs=1e-7)


def test_filtered_position_is_a_second_order_lag():
    m = model()
    m.load = rotational.Inertia(J=2.0)
    m.source = rotational.Position(phi_ref=lw.sin(3 * lw.time), f_crit=4)
    m.connect(m.source.flange, m.load.flange_a)
    r = run(m)
    w = 2 * np.pi * 4
    y = ode(lambda t, y: [y[1], ((np.sin(3 * t) - y[0]) * w - 1.3617 * y[1]) * w / 0.6180], [0, 0], r.t)
    assert r["load.phi"] == pytest.approx(y[0], abs=1e-9)
    assert r["source.flange.tau"] == pytest.approx(-2.0 * r["load.a"], abs=1e-9)


@pytest.mark.parametrize("exact", (True, False))
def test_speed_source_on_a_geared_shaft(exact):
    m = model()
    m.load = rotational.Inertia(J=2.0, phi=0.7)
    m.gear = rotational.IdealGear(ratio=4)
    m.source = rotational.Speed(w_ref=1 + lw.sin(3 * lw.time), exact=exact, f_crit=5)
    m.connect(m.source.flange, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.load.flange_a)
    r = run(m)
    rate = 2 * np.pi * 5
    y = ode(lambda t, y: [3 * np.cos(3 * t) if exact else (1 + np.sin(3 * t) - y[0]) * rate], [1.0], r.t)
    assert r["load.w"] == pytest.approx(y[0] / 4, abs=1e-9)
    assert r["load.phi"][0] == pytest.approx(0.7)
    assert r["source.flange.tau"] == pytest.approx(-2 * r["load.a"] / 4, abs=1e-9)


def test_gears_in_a_ring_agree_or_are_refused():
    def ring(last):
        m = model()
        m.one, m.two = rotational.Inertia(J=1, w=1.0), rotational.Inertia(J=1)
        m.a, m.b = rotational.IdealGear(ratio=3), rotational.IdealGear(ratio=last)
        m.connect(m.one.flange_a, m.a.flange_a)
        m.connect(m.one.flange_b, m.b.flange_a)
        m.connect(m.a.flange_b, m.two.flange_a)
        m.connect(m.b.flange_b, m.two.flange_b)
        return m

    assert run(ring(3.0))["two.w"] == pytest.approx(1 / 3)
    with pytest.raises(lw.TopologyError, match="contradicting"):
        run(ring(3.1))


def test_two_joints_geared_together_share_one_freedom():
    """q₂ = −q₁/2: (I + I/4) q̈₁ = Q₁ − Q₂/2; the gear's torques are in proportion."""
    m = model()
    m.one, m.two = joints.Revolute(phi=0.4, w=0), joints.Revolute()
    for name in ("one", "two"):
        setattr(m, f"body_{name}", parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1]))
        m.chain(m.world, getattr(m, name), getattr(m, f"body_{name}"))
    m.gear = rotational.IdealGear(ratio=-2)
    m.connect(m.one.axis, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.two.axis)
    r = run(m)
    load = lambda q: -9.80665 * 0.5 * np.cos(q)  # noqa: E731
    y = ode(lambda t, y: [y[1], (load(y[0]) - load(-y[0] / 2) / 2) / (0.35 * 1.25)], [0.4, 0], r.t)
    assert r["one.phi"] == pytest.approx(y[0], abs=1e-8)
    assert r["two.phi"] == pytest.approx(-y[0] / 2, abs=1e-8)
    assert r["one.tau"] == pytest.approx(0.35 * r["one.a"] - load(r["one.phi"]), abs=1e-6)
    assert r["two.tau"] == pytest.approx(0.35 * r["two.a"] - load(r["two.phi"]), abs=1e-6)
    assert r["gear.flange_a.tau"] == pytest.approx(-r["one.tau"], abs=1e-9)
    assert r["gear.flange_b.tau"] == pytest.approx(2 * r["gear.flange_a.tau"], abs=1e-6)


def test_any_inertia_of_a_shaft_takes_the_start_value():
    m = model()
    m.one, m.two, m.three = rotational.Inertia(J=1), rotational.Inertia(J=2, phi=3.0), rotational.Inertia(J=3, w=0.5)
    m.gear = rotational.IdealGear(ratio=-2)
    m.connect(m.one.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.two.flange_a)
    m.connect(m.two.flange_b, m.three.flange_a)
    r = run(m)
    assert r["one.phi"][0] == pytest.approx(-6) and r["one.w"][-1] == pytest.approx(-1)
    assert r["three.phi"][-1] == pytest.approx(3.5)


def test_torque_against_a_support_turns_both_sides():
    m = model()
    m.one, m.two = rotational.Inertia(J=1, phi=0, w=0), rotational.Inertia(J=2, phi=0, w=0)
    m.motor = rotational.Torque(tau=3.0)
    m.connect(m.motor.flange, m.one.flange_a)
    m.connect(m.motor.support, m.two.flange_a)
    r = run(m)
    assert r["one.w"][-1] == pytest.approx(3.0) and r["two.w"][-1] == pytest.approx(-1.5)


def test_gear_on_a_moving_support():
    """φ_a − φ_s = i (φ_b − φ_s), two freedoms, momentum of the housing included."""
    m = model()
    m.pinion, m.wheel, m.housing = (rotational.Inertia(J=J) for J in (0.1, 2.0, 5.0))
    m.gear = rotational.IdealGear(ratio=4)
    m.motor = rotational.Torque(tau=1.0)
    m.connect(m.motor.flange, m.pinion.flange_a)
    m.connect(m.pinion.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.wheel.flange_a)
    m.connect(m.gear.support, m.housing.flange_a)
    r = run(m)
    # x = (pinion, wheel, housing): A x = 0 with A = (1, −4, 3); J ẍ + Aᵀλ = (1, 0, 0)
    K = np.block([[np.diag([0.1, 2, 5]), np.array([[1, -4, 3]]).T], [np.array([[1, -4, 3]]), 0]])
    a = np.linalg.solve(K, [1, 0, 0, 0])
    assert [r[f"{n}.a"][-1] for n in ("pinion", "wheel", "housing")] == pytest.approx(a[:3], abs=1e-9)
    assert r["gear.support.tau"][-1] == pytest.approx(3 * a[3], abs=1e-9)
    assert r["gear.flange_b.tau"][-1] == pytest.approx(-4 * a[3], abs=1e-9)


def test_position_source_between_two_joints_holds_their_difference():
    m = model()
    m.one, m.two = joints.Revolute(phi=0.4, w=0), joints.Revolute()
    for name in ("one", "two"):
        setattr(m, f"body_{name}", parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1]))
        m.chain(m.world, getattr(m, name), getattr(m, f"body_{name}"))
    m.source = rotational.Position(phi_ref=0.3 * lw.sin(lw.time), exact=True)
    m.connect(m.source.flange, m.one.axis)
    m.connect(m.source.support, m.two.axis)
    r = run(m)
    assert r["one.phi"] - r["two.phi"] == pytest.approx(0.3 * np.sin(r.t), abs=1e-8)
    load = -9.80665 * 0.5 * np.cos(r["one.phi"])
    assert r["one.tau"] == pytest.approx(0.35 * r["one.a"] - load, abs=1e-6)
    assert r["source.flange.tau"] == pytest.approx(-r["one.tau"], abs=1e-6)
    assert r["two.tau"] == pytest.approx(-r["one.tau"], abs=1e-6)


def test_mass_of_some_length_and_rod():
    m = model()
    m.rod = translational.Rod(L=0.3)
    m.mass = translational.Mass(m=1, L=0.4, s=1.0, v=0.5)
    m.sensor = translational.PositionSensor()
    m.connect(m.mass.flange_b, m.rod.flange_a)
    m.connect(m.rod.flange_b, m.sensor.flange)
    r = run(m)
    assert r["mass.flange_a.s"][0] == pytest.approx(0.8)
    assert r["sensor.s"][-1] == pytest.approx(1.0 + 0.5 + 0.2 + 0.3)


def test_two_sources_of_motion_on_one_shaft_are_refused():
    m = model()
    m.load = rotational.Inertia(J=1)
    m.a, m.b = rotational.Position(), rotational.Speed()
    m.connect(m.a.flange, m.load.flange_a)
    m.connect(m.b.flange, m.load.flange_b)
    with pytest.raises(lw.TopologyError, match="a, b: two sources"):
        lw.compile(m)


def test_gear_with_ratio_zero_is_refused():
    with pytest.raises(lw.ModelError, match="other than zero"):
        rotational.IdealGear(ratio=0)


def test_force_on_a_shaft_without_inertia_is_refused():
    m = model()
    m.motor, m.gear = rotational.Torque(tau=1.0), rotational.IdealGear(ratio=2)
    m.connect(m.motor.flange, m.gear.flange_a)
    with pytest.raises(lw.TopologyError, match="without inertia"):
        lw.compile(m)


def test_unconnected_gear_turns_nothing_and_is_harmless():
    m = model()
    pendulum(m, phi=0.3)
    m.gear = rotational.IdealGear(ratio=2)
    r = run(m, 0.1)
    assert r["gear.flange_a.phi"] == pytest.approx(0) and r["rev.tau"] == pytest.approx(0)
