"""Planetary gears, differentials, wheels, sources and sensors against hand calculations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import blocks, joints, parts, rotational, translational


def model():
    m = lw.Model("drive")
    m.world = lw.World()
    return m


def run(m, stop=1.0):
    return lw.simulate(m, stop, accuracy=1e-11)


def rigid(J, A, forces):
    """Accelerations and multipliers of J ẍ + Aᵀ λ = f, A ẍ = 0."""
    A = np.atleast_2d(A)
    n, k = len(J), len(A)
    K = np.block([[np.diag(J), A.T], [A, np.zeros((k, k))]])
    found = np.linalg.solve(K, [*forces, *np.zeros(k)])
    return found[:n], found[n:]


def test_planetary_speeds_and_torques():
    m = model()
    m.gear = rotational.IdealPlanetary(ratio=2.5)
    m.sun, m.carrier, m.ring = (rotational.Inertia(J=J) for J in (0.2, 0.5, 0.9))
    m.drive = rotational.ConstantTorque(tau_constant=2.0)
    for name in ("sun", "carrier", "ring"):
        m.connect(getattr(m.gear, name), getattr(m, name).flange_a)
    m.connect(m.drive.flange, m.sun.flange_b)
    system = lw.compile(m)
    assert system.mechanism.nu == 2
    r = lw.simulate(system, 1.0, accuracy=1e-11)
    a, (torque,) = rigid([0.2, 0.5, 0.9], [1, -3.5, 2.5], [2, 0, 0])
    assert [r[f"{n}.a"][-1] for n in ("sun", "carrier", "ring")] == pytest.approx(a)
    assert r["sun.w"] - 3.5 * r["carrier.w"] + 2.5 * r["ring.w"] == pytest.approx(0, abs=1e-10)
    torques = [r[f"gear.{n}.tau"][-1] for n in ("sun", "carrier", "ring")]
    assert torques == pytest.approx(torque * np.array([1, -3.5, 2.5]))
    energy = sum(J * r[f"{n}.w"][-1] ** 2 / 2 for J, n in ((0.2, "sun"), (0.5, "carrier"), (0.9, "ring")))
    assert energy == pytest.approx(2.0 * r["sun.phi"][-1], rel=1e-9)


def test_planetary_with_its_ring_held_is_a_plain_gear():
    m = model()
    m.gear = rotational.IdealPlanetary(ratio=2.5)
    m.sun, m.carrier = rotational.Inertia(J=0.2, w=7.0), rotational.Inertia(J=0.5)
    m.ground = rotational.Fixed()
    m.connect(m.gear.sun, m.sun.flange_a)
    m.connect(m.gear.carrier, m.carrier.flange_a)
    m.connect(m.gear.ring, m.ground.flange)
    system = lw.compile(m)
    assert system.mechanism.nu == 1
    assert lw.simulate(system, 0.5)["carrier.w"][-1] == pytest.approx(2.0)


def test_differential_is_two_coordinates_and_shares_the_torque():
    m = model()
    m.differential = rotational.IdealDifferential(ratio=3.0)
    m.engine, m.left, m.right = (rotational.Inertia(J=J, w=w) for J, w in ((0.3, None), (1.0, 1.0), (1.5, 2.0)))
    m.drive = rotational.Torque(tau=5 * lw.sin(lw.time))
    m.drag = rotational.Damper(d=0.4)
    m.connect(m.drive.flange, m.engine.flange_a)
    m.connect(m.engine.flange_b, m.differential.flange_a)
    m.connect(m.differential.flange_left, m.left.flange_a)
    m.connect(m.differential.flange_right, m.right.flange_a)
    m.connect(m.left.flange_b, m.drag.flange_a)
    m.ground = rotational.Fixed()
    m.connect(m.drag.flange_b, m.ground.flange)
    system = lw.compile(m)
    assert system.mechanism.nu == 2
    r = lw.simulate(system, 2.0, accuracy=1e-11)

    def f(t, y):
        return rigid([0.3, 1, 1.5], [1, -1.5, -1.5], [5 * np.sin(t), -0.4 * y[1], 0])[0]

    w = solve_ivp(f, (0, 2), [4.5, 1, 2], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=r.t).y
    assert r["engine.w"] == pytest.approx(w[0], abs=1e-8)
    assert r["right.w"] == pytest.approx(w[2], abs=1e-8)
    assert r["differential.flange_left.tau"] == pytest.approx(r["differential.flange_right.tau"], abs=1e-9)
    assert r["differential.flange_left.tau"] == pytest.approx(-1.5 * r["differential.flange_a.tau"], abs=1e-9)


def test_differential_between_two_joints():
    """The engine's inertia couples the joints: M = diag(I₁, I₂) + J k kᵀ."""
    m = model()
    m.one, m.two = joints.Revolute(phi=0.2, w=0, n=[0, 0, 1]), joints.Revolute(phi=-0.5, w=0, n=[0, 0, 1])
    for name in ("one", "two"):
        setattr(m, f"body_{name}", parts.Body(m=1.0, r_cm=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1]))
        m.chain(m.world, getattr(m, name), getattr(m, f"body_{name}"))
    m.differential = rotational.IdealDifferential()
    m.engine = rotational.Inertia(J=0.8)
    m.connect(m.engine.flange_b, m.differential.flange_a)
    m.connect(m.differential.flange_left, m.one.axis)
    m.connect(m.differential.flange_right, m.two.axis)
    r = run(m)
    M = np.diag([0.35, 0.35]) + 0.8 * np.full((2, 2), 0.25)
    y = solve_ivp(lambda t, y: [*y[2:], *np.linalg.solve(M, -9.80665 * 0.5 * np.cos(y[:2]))], (0, 1), [0.2, -0.5, 0, 0],
                  method="DOP853", rtol=1e-12, atol=1e-12, t_eval=r.t).y
    assert r["one.phi"] == pytest.approx(y[0], abs=1e-8)
    assert r["two.phi"] == pytest.approx(y[1], abs=1e-8)
    assert r["one.tau"] == pytest.approx(-0.4 * r["engine.a"], abs=1e-8)


def test_wheel_and_rack():
    """A wheel pulls a sledge on a spring; a rack turns a rotor: one coordinate each."""
    m = model()
    m.wheel = rotational.IdealRollingWheel(radius=0.3)
    m.rack = rotational.IdealGearR2T(ratio=20.0)
    m.hub, m.sledge = rotational.Inertia(J=0.4, phi=0, w=0), translational.Mass(m=3.0)
    m.rotor = rotational.Inertia(J=0.001)
    m.motor = rotational.Torque(tau=1.5)
    m.connect(m.motor.flange, m.hub.flange_a)
    m.connect(m.hub.flange_b, m.wheel.flange_r)
    m.connect(m.wheel.flange_t, m.sledge.flange_a)
    m.connect(m.sledge.flange_b, m.rack.flange_t)
    m.connect(m.rack.flange_r, m.rotor.flange_a)
    r = run(m)
    a = 1.5 / (0.4 + 3 * 0.09 + 0.001 * 400 * 0.09)
    assert r["hub.phi"] == pytest.approx(a * r.t**2 / 2, abs=1e-10)
    assert r["sledge.v"][-1] == pytest.approx(0.3 * a) and r["rotor.w"][-1] == pytest.approx(6 * a)
    assert r["rack.flange_t.f"][-1] == pytest.approx(0.001 * 400 * 0.3 * a)
    assert r["wheel.support_t.f"][-1] == pytest.approx(-r["wheel.flange_t.f"][-1])


@pytest.mark.parametrize("direction", (True, False))
def test_torques_that_depend_on_speed(direction):
    m = model()
    m.one, m.two = rotational.Inertia(J=2, w=-3.0), rotational.Inertia(J=2, w=-3.0)
    m.linear = rotational.LinearSpeedDependentTorque(tau_nominal=-4, w_nominal=2, torque_direction=direction)
    m.square = rotational.QuadraticSpeedDependentTorque(tau_nominal=-4, w_nominal=2, torque_direction=direction)
    m.connect(m.linear.flange, m.one.flange_a)
    m.connect(m.square.flange, m.two.flange_a)
    r = run(m, 0.3)
    sign = -1 if direction else 1
    w = solve_ivp(lambda t, w: [-2 * sign * w[0] / 2, -sign * w[1] * abs(w[1]) / 2], (0, 0.3), [-3, -3],
                  rtol=1e-11, atol=1e-12, t_eval=r.t).y
    assert r["one.w"] == pytest.approx(w[0], abs=1e-8)
    assert r["two.w"] == pytest.approx(w[1], abs=1e-8)
    assert r["square.tau"] == pytest.approx(2 * r["two.a"], abs=1e-9)


def test_step_constant_and_two_sided_forces():
    m = model()
    m.one, m.two = translational.Mass(m=2.0, s=0, v=0), translational.Mass(m=3.0, s=0, v=0)
    m.step = translational.ForceStep(step_force=4.0, offset_force=1.0, start_time=0.5)
    m.between = translational.Force2(f=6.0)
    m.back = translational.ConstantForce(f_constant=-1.0)
    m.connect(m.step.flange, m.one.flange_a)
    m.connect(m.back.flange, m.one.flange_a)
    m.connect(m.one.flange_b, m.between.flange_a)
    m.connect(m.between.flange_b, m.two.flange_a)
    r = run(m)
    assert r["two.v"][-1] == pytest.approx(2.0)
    assert r["one.v"][-1] == pytest.approx(-3.0 + 4.0 * 0.5 / 2, abs=1e-7)
    assert r["step.f"][-1] == 5.0


def test_constant_speed_and_acceleration():
    m = model()
    m.one, m.two = rotational.Inertia(J=2), rotational.Inertia(J=3)
    m.turn = rotational.ConstantSpeed(w_fixed=4.0, phi=0.5)
    m.push = rotational.Accelerate(a_ref=6 * lw.time, phi=1.0, w=-1.0)
    m.connect(m.turn.flange, m.one.flange_a)
    m.connect(m.push.flange, m.two.flange_a)
    r = run(m)
    assert r["one.phi"] == pytest.approx(0.5 + 4 * r.t, abs=1e-10)
    assert r["two.phi"] == pytest.approx(1 - r.t + r.t**3, abs=1e-10)
    assert r["push.flange.tau"] == pytest.approx(-18 * r.t, abs=1e-9)


def test_sensors_read_and_do_not_load():
    m = model()
    m.motor = rotational.Torque(tau=2.0)
    m.one, m.two = rotational.Inertia(J=1, phi=0, w=0), rotational.Inertia(J=3)
    m.cut = rotational.MultiSensor()
    m.power, m.torque = rotational.PowerSensor(), rotational.TorqueSensor()
    m.angle, m.speed, m.acc = rotational.AngleSensor(), rotational.SpeedSensor(), rotational.AccSensor()
    m.apart = rotational.RelSpeedSensor()
    m.ground = rotational.Fixed()
    m.connect(m.motor.flange, m.one.flange_a)
    m.connect(m.one.flange_b, m.cut.flange_a, m.angle.flange, m.speed.flange, m.acc.flange)
    m.connect(m.cut.flange_b, m.power.flange_a)
    m.connect(m.power.flange_b, m.torque.flange_a)
    m.connect(m.torque.flange_b, m.two.flange_a, m.apart.flange_b)
    m.connect(m.apart.flange_a, m.ground.flange)
    r = run(m)
    w = r.t / 2
    assert r["speed.w"] == pytest.approx(w, abs=1e-10) and r["apart.w_rel"] == pytest.approx(w, abs=1e-10)
    assert r["angle.phi"] == pytest.approx(r.t**2 / 4, abs=1e-10) and r["acc.a"] == pytest.approx(0.5)
    assert r["torque.tau"] == pytest.approx(1.5) and r["cut.tau"] == pytest.approx(1.5)
    assert r["power.power"] == pytest.approx(1.5 * w, abs=1e-10)


def test_start_values_of_a_flange():
    m = model()
    m.load, m.gear = rotational.Inertia(J=1), rotational.IdealGear(ratio=2)
    m.start = rotational.InitializeFlange(phi_start=3.0, w_start=1.0)
    m.connect(m.load.flange_a, m.gear.flange_b)
    m.connect(m.gear.flange_a, m.start.flange)
    r = run(m)
    assert r["load.phi"][0] == pytest.approx(1.5) and r["load.w"][-1] == pytest.approx(0.5)


def test_tunable_ratio_and_inertia_of_a_shaft():
    m = model()
    m.load, m.gear, m.rotor = rotational.Inertia(J=1), rotational.IdealGear(ratio=2), rotational.Inertia(J=0.5)
    m.motor = rotational.Torque(tau=1.0)
    m.connect(m.motor.flange, m.rotor.flange_a)
    m.connect(m.rotor.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.load.flange_a)
    system = lw.compile(m, tunable=["gear.ratio", "rotor.J"])
    for ratio, J in ((2.0, 0.5), (-3.0, 0.1)):
        state = system.state()
        state.set("gear.ratio", ratio)
        state.set("rotor.J", J)
        r = lw.simulate(system, 1.0, state=state)
        assert r["load.w"][-1] == pytest.approx(ratio / (1 + ratio**2 * J))
        assert r["gear.flange_b.tau"][-1] == pytest.approx(-ratio / (1 + ratio**2 * J))


def test_a_move_follows_a_profile_and_needs_its_torque():
    m = model()
    path = blocks.kinematic_ptp([2.0], qd_max=1.5, qdd_max=3.0, start_time=0.2)
    m.drive = rotational.Move(phi_ref=path.q[0], w_ref=path.qd[0], a_ref=path.qdd[0])
    m.load = rotational.Inertia(J=0.4)
    m.connect(m.drive.flange, m.load.flange_a)
    m.output("wanted", path.q[0])
    r = run(m, 2.5)
    assert r["load.phi"] == pytest.approx(r["wanted"], abs=1e-9) and r["drive.phi"][-1] == pytest.approx(2.0)
    assert r["drive.flange.tau"] == pytest.approx(-0.4 * r["load.a"], abs=1e-12)
    assert np.abs(r["load.a"]).max() == pytest.approx(3.0)


@pytest.mark.parametrize("room", (rotational, translational))
def test_start_values_between_two_shafts(room):
    m = model()
    turning = room is rotational
    m.one, m.two = ((room.Inertia(J=1.0, phi=0.3, w=1.0), room.Inertia(J=2.0)) if turning
                    else (room.Mass(m=1.0, s=0.3, v=1.0), room.Mass(m=2.0)))
    m.shaft = room.Spring(c=10.0)
    m.between = room.RelativeStates(phi_rel=0.2, w_rel=-0.5) if turning else room.RelativeStates(s_rel=0.2, v_rel=-0.5)
    for element in (m.shaft, m.between):
        m.connect(m.one.flange_b, element.flange_a)
        m.connect(m.two.flange_a, element.flange_b)
    r = run(m, 0.5)
    x, v = ("phi", "w") if turning else ("s", "v")
    assert r[f"two.{x}"][0] == pytest.approx(0.5) and r[f"two.{v}"][0] == pytest.approx(0.5)
    assert r[f"between.{x}_rel"] == pytest.approx(r[f"shaft.{x}_rel"])


def test_a_brake_stops_a_rod_at_the_closed_time():
    """m v̇ = −cgeo mu fn_max f_normalized."""
    m = model()
    m.mass = translational.Mass(m=2.0, s=0.0, v=3.0)
    m.brake = translational.Brake(fn_max=40.0, mu_pos=[[0, 0.25]], cgeo=0.8, f_normalized=0.5)
    m.connect(m.mass.flange_b, m.brake.flange_a)
    r = run(m, 3.0)
    slower = 0.8 * 0.25 * 40 * 0.5 / 2
    assert [e.time for e in r.events] == pytest.approx([3.0 / slower], abs=1e-10)
    assert r["mass.s"][-1] == pytest.approx(9 / (2 * slower), abs=1e-10) and r["brake.mode"][-1] == 0


@pytest.mark.parametrize(("source", "reference", "trouble"), [
    ("Position", lambda: blocks.ramp(1.0, 0.5, 0.25), "has a corner"),
    ("Position", lambda: lw.where(lw.time > 0.5, 1, 0), "jumps"),
    ("Position", lambda: blocks.table([0, 0.5, 1], [0, 1, 0.5]), "has a corner"),
    ("Position", lambda: blocks.first_order(blocks.step(1, 0.5)), "has a corner"),
    ("Position", lambda: blocks.delay(lw.sin(lw.time), 0.3), "jumps"),
    ("Speed", lambda: blocks.step(1, 0.5), "jumps"),
    ("Speed", lambda: blocks.pulse(1, 0.5, 0.5), "jumps"),
])
def test_what_cannot_be_followed_exactly_is_refused(source, reference, trouble):
    """A reference without the derivatives that its motion needs would be followed wrongly, without a word."""
    m = lw.Model("shaft")
    m.world, m.inertia = lw.World(), rotational.Inertia(J=2.0)
    name = "phi_ref" if source == "Position" else "w_ref"
    m.drive = getattr(rotational, source)(exact=True, **{name: reference()})
    m.connect(m.drive.flange, m.inertia.flange_a)
    with pytest.raises(lw.ModelError, match=rf"drive\.{name} cannot follow .* which {trouble}.*leave exact out"):
        lw.simulate(m, 1.0)


def test_what_a_filter_has_rounded_is_followed_exactly():
    m = lw.Model("shaft")
    m.world, m.inertia = lw.World(), rotational.Inertia(J=2.0)
    m.drive = rotational.Speed(exact=True, w_ref=blocks.first_order(blocks.step(1, 0.5), T=0.2))
    m.connect(m.drive.flange, m.inertia.flange_a)
    r = lw.simulate(m, 1.0)
    assert r["inertia.w"][-1] == pytest.approx(1 - np.exp(-0.5 / 0.2), abs=1e-8)


def test_pieces_that_join_are_followed_exactly():
    """A point-to-point motion: its position and its speed may be followed, their switches are events."""
    way = blocks.kinematic_ptp([1.0], qd_max=2.0, qdd_max=5.0)
    for source, reference in (("Position", {"phi_ref": way.q[0]}), ("Speed", {"w_ref": way.qd[0]})):
        m = lw.Model("shaft")
        m.world, m.inertia = lw.World(), rotational.Inertia(J=2.0)
        m.drive = getattr(rotational, source)(exact=True, **reference)
        m.connect(m.drive.flange, m.inertia.flange_a)
        r = lw.simulate(m, 2.0, accuracy=1e-10)
        assert r["inertia.phi"][-1] == pytest.approx(1.0, abs=1e-9)
        assert r["inertia.w"][-1] == pytest.approx(0.0, abs=1e-9)
