"""The direct-current motor against its differential equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright import rotational


def motor(L, J=0.002):
    m = lw.Model("motor")
    m.world = lw.World()
    m.motor = rotational.DCMotor(R=1.5, L=L, k=0.1, J=J, v=12 * lw.sin(4 * lw.time))
    m.load = rotational.Inertia(J=0.01, phi=0, w=0)
    m.brake, m.ground = rotational.Damper(d=0.003), rotational.Fixed()
    m.connect(m.motor.flange, m.load.flange_a)
    m.connect(m.load.flange_b, m.brake.flange_a)
    m.connect(m.brake.flange_b, m.ground.flange)
    return lw.simulate(m, 2.0, accuracy=1e-10)


def test_current_and_speed_with_inductance():
    r = motor(0.02)
    y = solve_ivp(lambda t, y: [(12 * np.sin(4 * t) - 1.5 * y[0] - 0.1 * y[1]) / 0.02,
                                (0.1 * y[0] - 0.003 * y[1]) / 0.012],
                  (0, 2), [0, 0], method="DOP853", rtol=1e-11, atol=1e-12, t_eval=r.t).y
    assert r["motor.i"] == pytest.approx(y[0], abs=1e-7)
    assert r["load.w"] == pytest.approx(y[1], abs=1e-7)
    assert r["motor.flange.tau"] == pytest.approx(0.002 * r["load.a"] - 0.1 * y[0], abs=1e-7)


def test_without_inductance_all_power_is_heat_or_work():
    r = motor(0.0)
    current = (12 * np.sin(4 * r.t) - 0.1 * r["load.w"]) / 1.5
    assert r["motor.i"] == pytest.approx(current, abs=1e-10)
    assert r["motor.v"] * r["motor.i"] == pytest.approx(r["motor.loss_power"] + r["motor.tau"] * r["motor.w"], abs=1e-9)


def test_a_motor_without_resistance_and_inductance_is_refused():
    with pytest.raises(lw.ModelError, match="R = 0"):
        rotational.DCMotor(R=0, k=1)
