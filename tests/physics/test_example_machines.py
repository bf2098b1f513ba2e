"""The machines of the examples obey the laws: what goes in is stored or turned into heat, what is given is kept."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    """The names of an example, its model under `model`."""
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    return found | {"model": found.get("model", found.get("m"))}


def energy(r):
    return r["kinetic_energy"] + r["potential_energy"]


# --- the robot ---


@pytest.fixture(scope="module")
def robot():
    names = example("robot_r3")
    m = names["model"]
    axes = [getattr(m, f"axis{k}") for k in range(1, 7)]
    m.integral(sum(axis.motor.v * axis.motor.i for axis in axes), name="supplied")
    heat = sum(axis.motor.loss_power + axis.friction.loss_power for axis in axes)
    m.integral(heat + sum(axis.spring.loss_power for axis in axes[:3]), name="heat")
    return names, lw.simulate(m, 10.0)


def test_robot_turns_all_it_is_supplied_with_into_motion_and_heat(robot):
    names, r = robot
    stored = energy(r)
    for k, axis in enumerate(names["AXES"], start=1):
        stored += 0.5 * getattr(r.system.model, f"axis{k}").motor.L * r[f"axis{k}.motor.i"] ** 2
        if axis[8] is not None:
            stored += 0.5 * axis[8] * r[f"axis{k}.spring.phi_rel"] ** 2
    assert r["supplied"][-1] > 1e5
    assert stored - stored[0] == pytest.approx(r["supplied"] - r["heat"], abs=1e-6)


def test_robot_stands_where_it_was_sent_with_all_its_gears_stuck(robot):
    names, r = robot
    for k, axis in enumerate(names["AXES"], start=1):
        assert r[f"axis{k}.friction.mode"][-1] == 0
        turned = r[f"axis{k}.rotor.phi"][-1] / axis[0]
        assert turned == pytest.approx(names["POSES"][-1, k - 1], abs=3e-4)  # what sticks before the integral moves it
        deflection = r[f"axis{k}.spring.phi_rel"][-1] / axis[0] if k <= 3 else 0.0
        assert r[f"r{k}.phi"][-1] == pytest.approx(turned + deflection, abs=1e-12)


# --- the car ---


@pytest.fixture(scope="module")
def car():
    names = example("car_drive_line")
    m, radius = names["model"], names["RADIUS"]
    wheels = [(m.left, m.traction_left), (m.right, m.traction_right)]
    m.integral(m.engine.tau * m.crank.w, name="work")
    lost = sum(traction.f * (radius * wheel.w - m.car.v) for wheel, traction in wheels) - m.road.f * m.car.v
    m.integral(m.clutch.loss_power + lost, name="lost")
    return names, lw.simulate(m, 4.0)


def test_work_of_the_engine_moves_the_car_and_heats_clutch_and_tyres(car):
    _, r = car
    stored = r["kinetic_energy"]
    assert r["work"][-1] > 1e5
    assert stored - stored[0] == pytest.approx(r["work"] - r["lost"], abs=1e-4)


def test_differential_averages_speeds_and_halves_torques(car):
    names, r = car
    mean = (r["left.w"] + r["right.w"]) / 2
    assert np.abs(r["right.w"] - r["left.w"]).max() > 50
    assert r["shaft.w"] == pytest.approx(names["AXLE"] * mean, abs=1e-9)
    assert r["disc.w"] == pytest.approx(names["GEAR"] * r["shaft.w"], abs=1e-9)
    assert r["differential.flange_left.tau"] == pytest.approx(r["differential.flange_right.tau"], abs=1e-7)
    assert -2 * r["differential.flange_left.tau"] == pytest.approx(names["AXLE"] * r["differential.flange_a.tau"],
                                                                   abs=1e-6)


def test_clutch_slips_at_its_limit_and_then_stays_locked(car):
    _, r = car
    locks = next(event.time for event in r.events if event.what == "clutch")
    slipping, locked = (r.t > 0.51) & (r.t < locks - 0.01), r.t > locks
    capacity = 0.35 * 0.2 * 3500 * np.clip(r.t - 0.5, 0, 1)
    assert -r["clutch.tau"][slipping] == pytest.approx(capacity[slipping], abs=1e-9)
    assert np.abs(r["clutch.tau"][locked]).max() < 0.35 * 0.2 * 3500
    assert r["crank.w"][locked] == pytest.approx(r["disc.w"][locked], abs=1e-9)
    assert r["clutch.loss_power"][locked] == pytest.approx(0 * locked[locked], abs=1e-6)


# --- arm, engine, stick-slip, pendulums ---


def test_work_of_its_motors_moves_and_lifts_the_arm():
    m = example("six_axis_arm")["model"]
    drives = [getattr(m, f"drive{k}") for k in range(1, 7)]
    m.integral(sum(drive.motor.tau * drive.rotor.w for drive in drives), name="work")
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    stored = energy(r)
    assert np.ptp(stored) > 100
    assert stored - stored[0] == pytest.approx(r["work"], abs=1e-6)


def test_work_of_the_gas_turns_the_engine_and_its_brake():
    m = example("engine_v6")["model"]
    cylinders = [getattr(m, f"cylinder{k}") for k in range(1, 7)]
    m.integral(sum(c.gas.f * c.slide.v for c in cylinders) + m.brake.tau * m.load.w, name="work")
    r = lw.simulate(m, 0.5, accuracy=1e-10)
    stored = energy(r)
    assert np.ptp(stored) > 1e4
    assert stored - stored[0] == pytest.approx(r["work"], abs=1e-5)


def test_work_of_the_belt_is_stored_or_rubbed_away():
    names = example("stick_slip")
    m = names["model"]
    m.integral(-m.friction.f * names["SPEED"], name="work")
    m.integral(m.friction.loss_power, name="heat")
    r = lw.simulate(m, 5.0, accuracy=1e-10)
    stored = 0.5 * names["STIFFNESS"] * r["block.s"] ** 2 + 0.5 * names["MASS"] * r["block.v"] ** 2
    assert r["heat"][-1] > 0.1
    assert stored - stored[0] == pytest.approx(r["work"] - r["heat"], abs=1e-9)


def hits(r, *names):
    """(before, after) of every impact."""
    times = [event.time for event in r.events if event.what in names and event.direction == -1]
    return [(r.at(t, side="before"), r.at(t, side="after")) for t in times]


def test_rolling_pendulum_hits_by_the_laws_of_impact_and_comes_to_rest():
    names = example("rolling_pendulum")
    m = names["model"]
    m.integral(0.05 * lw.fabs(m.hinge.w) + 0.02 * lw.fabs(m.spin.w), name="heat")
    r = lw.simulate(m, 20.0, accuracy=1e-11)
    rod = 7700 * np.pi * 0.01**2 * 0.4
    moment, inertia = rod * 0.2 + 1.0 * 0.4, rod * (0.4**2 / 3 + 0.01**2 / 4) + 0.4**2 + 5e-4  # about the hinge
    mass = 1.0 + 0.011 / names["RADIUS"] ** 2 + rod + 1.0
    found = hits(r, "axle.s_min", "axle.s_max")
    assert len(found) > 10
    lost = 0.0
    for before, after in found:
        v, speed = before["axle.v"], after["axle.v"]
        assert speed == pytest.approx(-0.8 * v, rel=1e-9)
        across = moment * np.cos(before["hinge.phi"])
        spin = [inertia * s["hinge.w"] + across * s["axle.v"] for s in (before, after)]
        assert spin[1] == pytest.approx(spin[0], abs=1e-9)  # the wall has no lever arm about the axle
        lost += 0.5 * (mass - across**2 / inertia) * v**2 * (1 - 0.8**2)
    stored = energy(r)
    assert stored[0] - stored[-1] == pytest.approx(r["heat"][-1] + lost, abs=1e-8)
    assert [r["spin.friction_mode"][-1], r["hinge.friction_mode"][-1]] == [0, 0]
    assert [r["axle.v"][-1], r["hinge.w"][-1]] == pytest.approx([0, 0], abs=1e-15)
    assert abs(moment * 9.80665 * np.sin(r["hinge.phi"][-1])) < 1.5 * 0.05


def test_elbow_stop_turns_its_speed_back_and_the_shoulder_rubs_by_what_it_bears():
    """The stop acts within the pendulum; only the shoulder changes its angular momentum, by μ r times its impulse."""
    r = lw.simulate(example("pendulum_against_a_stop")["model"], 10.0)
    found = hits(r, "elbow.phi_min", "elbow.phi_max")
    assert len(found) > 5
    for before, after in found:
        change = after["momentum"] - before["momentum"]
        most = 0.05 * 0.02 * np.linalg.norm(change[:3])
        if before["shoulder.w"] * after["shoulder.w"] > 0:
            assert after["elbow.w"] == pytest.approx(-0.5 * before["elbow.w"], rel=1e-8)
            # the last and lightest blows are found to a few millionths of themselves
            assert change[5] == pytest.approx(-np.sign(after["shoulder.w"]) * most, rel=1e-5, abs=1e-11)
        else:  # friction turns round within the impact
            assert after["elbow.w"] == pytest.approx(-0.5 * before["elbow.w"], rel=1e-2)
            assert abs(change[5]) < most + 1e-11
        assert after["kinetic_energy"] < before["kinetic_energy"]
    assert np.all(np.diff(energy(r)) < 1e-9)
