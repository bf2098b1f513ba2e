"""Power into every 1-D element = rate of the energy stored in it + power it turns into heat − power it brings.

One rig serves all: every flange of the element, supports too, carries an inertia of its own with a torque on it.
"""

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright import rotational, translational
from linkwright.language.component import Component

SIN = lw.sin(3 * lw.time)


def spring_part(c, x, play):
    """Torque of a spring behind a play of ± half of it."""
    return c * (np.maximum(x - play / 2, 0) + np.minimum(x + play / 2, 0))


def nothing(r, e):
    return 0.0


def loss(r, e):
    return r["element.loss_power"]


def motion(r):
    """Relative motion of flange_b to flange_a."""
    x, v = ("phi", "w") if "a_end.phi" in r else ("s", "v")
    return r[f"b_end.{x}"] - r[f"a_end.{x}"], r[f"b_end.{v}"] - r[f"a_end.{v}"]


def brought(r, e):
    """What a source of torque or force between flange and support brings, with the other sign."""
    own, speed = ("tau", "w") if "flange_end.w" in r else ("f", "v")
    return -r[f"element.{own}"] * (r[f"flange_end.{speed}"] - r[f"support_end.{speed}"])


def driven(r, e):
    """What a source of motion takes: the torque at its flange against the support."""
    own, speed = ("tau", "w") if "flange_end.w" in r else ("f", "v")
    return r[f"element.flange.{own}"] * (r[f"flange_end.{speed}"] - r[f"support_end.{speed}"])


def brought_between(r, e):
    return -r["element.tau" if "a_end.w" in r else "element.f"] * motion(r)[1]


def stored(c):
    return lambda r, e: c * motion(r)[0] * motion(r)[1]


def backlash(r, e):
    return spring_part(40.0, motion(r)[0], 0.1) * motion(r)[1] + loss(r, e)


def gap(r, e):
    return np.minimum(40.0 * (motion(r)[0] - 0.02), 0) * motion(r)[1] + loss(r, e)


def motor(r, e):
    """Beside the torque the rotor itself, and v i = R i² + L i di/dt + tau w."""
    w = r["flange_end.w"] - r["support_end.w"]
    current_rate = (r["element.v"] - 2.0 * r["element.i"] - 0.5 * w) / 0.1
    electric = r["element.loss_power"] + 0.1 * r["element.i"] * current_rate + r["element.tau"] * w
    np.testing.assert_allclose(r["element.v"] * r["element.i"], electric, atol=1e-9)
    return 0.3 * r["flange_end.w"] * r["flange_end.a"] - r["element.tau"] * w


def moved(r, e):
    """What the signals that move a flange bring, with the other sign."""
    own, speed = ("tau", "w") if "flange_end.w" in r else ("f", "v")
    return -r[f"element.{own}"] * r[f"flange_end.{speed}"]


def taken(r, e):
    own, speed = ("tau", "w") if "flange_end.w" in r else ("f", "v")
    return r[f"element.{own}"] * r[f"flange_end.{speed}"]


def vehicle(r, e):
    np.testing.assert_allclose(r["t_end.v"], 0.5 * r["r_end.w"], atol=1e-12)
    return (0.4 + 0.2 / 0.5**2) * r["element.v"] * r["element.a"] + loss(r, e) + r["element.f_grav"] * r["element.v"]


# made of others, which are here
COMPOSED = {"Gearbox", "Ratchet"}

# what to make, and the power that flows into it
ROTATIONAL = {
    "Fixed": ({}, nothing),
    "Inertia": ({"J": 0.4}, lambda r, e: 0.4 * r["element.w"] * r["element.a"]),
    "Disc": ({"delta_phi": 0.2}, nothing),
    "Spring": ({"c": 20.0}, stored(20.0)),
    "Damper": ({"d": 0.7}, loss),
    "SpringDamper": ({"c": 20.0, "d": 0.7}, lambda r, e: stored(20.0)(r, e) + loss(r, e)),
    "ElastoBacklash": ({"c": 40.0, "d": 0.7, "b": 0.1}, backlash),
    "ElastoBacklash2": ({"c": 40.0, "d": 0.7, "b": 0.1}, backlash),
    "IdealGear": ({"ratio": 3.0}, nothing),
    "LossyGear": ({"ratio": 3.0, "loss_table": [[0, 0.8, 0.7, 0.1, 0.12]]}, loss),
    "IdealPlanetary": ({"ratio": 2.0}, nothing),
    "IdealDifferential": ({"ratio": 2.5}, nothing),
    "IdealGearR2T": ({"ratio": 1.5}, nothing),
    "IdealRollingWheel": ({"radius": 0.6}, nothing),
    "BearingFriction": ({"tau_pos": [[0, 0.5], [1, 0.7]], "peak": 1.2}, loss),
    "Brake": ({"fn_max": 2.0, "f_normalized": lw.sin(lw.time)}, loss),
    "Clutch": ({"fn_max": 2.0, "f_normalized": 0.5}, loss),
    "OneWayClutch": ({"fn_max": 2.0, "f_normalized": 0.2}, loss),
    "DCMotor": ({"R": 2.0, "L": 0.1, "k": 0.5, "J": 0.3, "v": 4 * SIN}, motor),
    "InitializeFlange": ({}, nothing),
    "RelativeStates": ({}, nothing),
    "Torque": ({"tau": SIN}, brought),
    "Torque2": ({"tau": SIN}, brought_between),
    "ConstantTorque": ({"tau_constant": 0.8}, brought),
    "TorqueStep": ({"step_torque": 0.8, "start_time": 0.3}, brought),
    "LinearSpeedDependentTorque": ({"tau_nominal": -0.5, "w_nominal": 1.0, "torque_direction": False}, brought),
    "QuadraticSpeedDependentTorque": ({"tau_nominal": -0.5, "w_nominal": 1.0, "torque_direction": False}, brought),
    "InverseSpeedDependentTorque": ({"tau_nominal": -0.5, "w_nominal": 1.0, "torque_direction": False}, brought),
    "SignTorque": ({"tau_nominal": -0.5, "reg": "sine"}, brought),
    "EddyCurrentTorque": ({"tau_nominal": 0.5, "w_nominal": 1.0, "excitation": 1 + 0.2 * SIN}, loss),
    "AngleToTorqueAdaptor": ({"phi": -SIN / 9, "w": -lw.cos(3 * lw.time) / 3, "a": SIN}, moved),
    "GeneralAngleToTorqueAdaptor": ({"phi": -SIN / 9, "use_w": False, "use_a": False}, moved),
    "TorqueToAngleAdaptor": ({"tau": SIN}, taken),
    "GeneralTorqueToAngleAdaptor": ({"tau": SIN}, taken),
    "Position": ({"phi_ref": SIN, "exact": True}, driven),
    "Speed": ({"w_ref": SIN, "exact": True}, driven),
    "ConstantSpeed": ({"w_fixed": 0.7}, driven),
    "Accelerate": ({"a_ref": SIN}, driven),
    "Move": ({"phi_ref": -SIN / 9, "w_ref": -lw.cos(3 * lw.time) / 3, "a_ref": SIN}, driven),
}
RENAMED = {"Inertia": "Mass", "Disc": "Rod", "ElastoBacklash": None, "ElastoBacklash2": None, "LossyGear": None,
           "IdealPlanetary": None, "IdealDifferential": None, "BearingFriction": "SupportFriction", "Clutch": None,
           "OneWayClutch": None, "DCMotor": None, "Torque": "Force", "Torque2": "Force2",
           "ConstantTorque": "ConstantForce", "TorqueStep": "ForceStep",
           "LinearSpeedDependentTorque": "LinearSpeedDependentForce",
           "QuadraticSpeedDependentTorque": "QuadraticSpeedDependentForce",
           "InverseSpeedDependentTorque": "InverseSpeedDependentForce", "SignTorque": "SignForce",
           "EddyCurrentTorque": "EddyCurrentForce", "AngleToTorqueAdaptor": None, "TorqueToAngleAdaptor": None,
           "GeneralAngleToTorqueAdaptor": "GeneralPositionToForceAdaptor",
           "GeneralTorqueToAngleAdaptor": "GeneralForceToPositionAdaptor"}
LETTERS = {"J": "m", "delta_phi": "L", "tau_pos": "f_pos", "tau": "f", "tau_constant": "f_constant",
           "step_torque": "step_force", "tau_nominal": "f_nominal", "w_nominal": "v_nominal",
           "torque_direction": "force_direction", "phi_ref": "s_ref", "w_ref": "v_ref", "w_fixed": "v_fixed",
           "phi": "s", "w": "v", "use_w": "use_v"}
TRANSLATIONAL = {RENAMED.get(name, name): ({LETTERS.get(key, key): value for key, value in given.items()}, flow)
                 for name, (given, flow) in ROTATIONAL.items() if RENAMED.get(name, name)}
TRANSLATIONAL["Mass"] = ({"m": 0.4}, lambda r, e: 0.4 * r["element.v"] * r["element.a"])
TRANSLATIONAL["ElastoGap"] = ({"c": 40.0, "d": 0.7, "s_rel0": 0.02}, gap)
TRANSLATIONAL["RollingResistance"] = ({"f_weight": 50.0, "inclination": 0.3}, loss)
TRANSLATIONAL["Vehicle"] = (
    {"m": 0.4, "J": 0.2, "R": 0.5, "A": 0.3, "cr": 0.05, "v_wind": 0.2 * SIN, "inclination": 0.1}, vehicle)
TRANSLATIONAL["MassWithStopAndFriction"] = (
    {"m": 0.4, "s_max": 50, "s_min": -50, "F_coulomb": 0.3, "F_stribeck": 0.2},
    lambda r, e: 0.4 * r["element.v"] * r["element.a"] + loss(r, e))
SENSORS = ("AngleSensor", "PositionSensor", "SpeedSensor", "AccSensor", "RelAngleSensor", "RelPositionSensor",
           "RelSpeedSensor", "RelAccSensor", "TorqueSensor", "ForceSensor", "PowerSensor", "MultiSensor")
CASES = [(room, name) for room, table in ((rotational, ROTATIONAL), (translational, TRANSLATIONAL)) for name in table]
CASES += [(room, name) for room in (rotational, translational) for name in SENSORS if hasattr(room, name)]


def rig(room, name):
    """The element with an inertia on each flange, pushed to and fro."""
    table = ROTATIONAL if room is rotational else TRANSLATIONAL
    given, flow = table.get(name, ({}, nothing))
    m = lw.Model("rig")
    m.world = lw.World()
    m.element = getattr(room, name)(**given)
    work = 0
    for k, (port, flange) in enumerate(m.element._connectors.items()):
        end = f"{port.removeprefix('flange_')}_end"
        turning = flange.kind.startswith("rotational")
        size, amplitude = 0.5 + 0.3 * k, (2.0 + k) * lw.sin((4 - k) * lw.time + k)
        setattr(m, end, rotational.Inertia(J=size) if turning else translational.Mass(m=size))
        setattr(m, f"{end}_push", rotational.Torque(tau=amplitude) if turning else translational.Force(f=amplitude))
        part = getattr(m, end)
        m.connect(flange, part.flange_a)
        m.connect(part.flange_b, getattr(m, f"{end}_push").flange)
        work += amplitude * (part.w if turning else part.v)
    m.integral(work, name="work")
    if "loss_power" in type(m.element).fields():
        m.integral(m.element.loss_power, name="heat")
    return m, flow


@pytest.mark.parametrize("room, name", CASES, ids=lambda v: v if isinstance(v, str) else v.__name__.split(".")[-1][0])
def test_power_into_an_element_is_stored_lost_or_brought(room, name):
    m, flow = rig(room, name)
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    power = 0.0
    for port, flange in m.element._connectors.items():
        effort, speed = ("tau", "w") if flange.kind.startswith("rotational") else ("f", "v")
        power = power + r[f"element.{port}.{effort}"] * r[f"{port.removeprefix('flange_')}_end.{speed}"]
    np.testing.assert_allclose(power, np.broadcast_to(flow(r, m.element), r.t.shape), atol=1e-9)
    if "power" in type(m.element).fields():
        effort, speed = ("tau", "w") if room is rotational else ("f", "v")
        assert r["element.power"] == pytest.approx(r[f"element.flange_a.{effort}"] * r[f"a_end.{speed}"])
    if flow is loss:  # nothing is stored: what was put in moves or is warm
        assert np.all(r["element.loss_power"] > -1e-12)
        np.testing.assert_allclose(r["kinetic_energy"] - r["kinetic_energy"][0] + r["heat"], r["work"], atol=1e-8)


def test_no_element_is_left_out():
    for room, table in ((rotational, ROTATIONAL), (translational, TRANSLATIONAL)):
        known = {name for name in room.__all__ if inspect.isclass(getattr(room, name))
                 and issubclass(getattr(room, name), Component)}
        assert known - COMPOSED == set(table) | {name for name in SENSORS if hasattr(room, name)}
