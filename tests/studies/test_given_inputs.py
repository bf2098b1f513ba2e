"""Derivatives by the points of an input over time, and runs in which something has no derivative."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational

T, Y = np.array([0.0, 0.3, 0.7, 1.0]), np.array([1.0, 2.0, -1.0, 0.5])


def pushed_mass():
    m = lw.Model("mass")
    m.world = lw.World(gravity=None)
    m.mass, m.force = translational.Mass(m=2.0, s=0, v=0), translational.Force()
    m.connect(m.mass.flange_b, m.force.flange)
    return m


def pendulum(mass=1.0):
    m = lw.Model("pendulum")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.5, w=0)
    m.body, m.motor = parts.Body(m=mass, r_cm=[0.5, 0, 0]), rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    return m


def test_points_of_an_input():
    """v(1) = ∫ f/m: the areas under the hats of the points."""
    r = lw.simulate(pushed_mass(), 1.0, inputs={"force.f": (T, Y)}, sensitivities=["force.f", "mass.m"])
    assert r.sensitivity("mass.v", "force.f")[-1] == pytest.approx(np.array([0.15, 0.35, 0.35, 0.15]) / 2, abs=1e-12)
    # ∫ (1 − t) φ₁ dt/m
    assert r.sensitivity("mass.s", "force.f[1]")[-1] == pytest.approx(0.7 / 6, abs=1e-10)
    assert r.sensitivity("mass.v", "mass.m")[-1] == pytest.approx(-r["mass.v"][-1] / 2, abs=1e-10)
    assert r.at(0.2).sensitivity("force.f", "force.f") == pytest.approx([1 / 3, 2 / 3, 0, 0], abs=1e-14)
    one = lw.simulate(pushed_mass(), 1.0, inputs={"force.f": (T, Y)}, sensitivities=["force.f[2]"])
    assert one.sensitivity("mass.v", "force.f[2]")[-1] == pytest.approx(0.175, abs=1e-12)


def test_goals_by_points():
    m = pendulum()

    def found(y, **options):
        goal = lw.final("rev.phi") ** 2 + lw.integral(m.motor.tau**2)
        return lw.gradient(m, goal, 1.0, ["motor.tau"], inputs={"motor.tau": (T, y)}, accuracy=1e-10, **options)

    _, slope = found(Y)
    for k, step in enumerate(1e-5 * np.eye(4)):
        assert slope[k] == pytest.approx((found(Y + step)[0] - found(Y - step)[0]) / 2e-5, abs=1e-7)
    assert found(Y, adjoint=True)[1] == pytest.approx(slope, abs=1e-9)


def test_an_input_over_time_is_optimised():
    """Least ∫ f² that brings 2 kg by 1 m in 1 s, from rest: f falls straight to zero, ∫ f² = 3 m² s²/T³ = 12."""
    m = pushed_mass()
    grid = np.linspace(0, 1, 5)
    best = lw.optimize(m, lw.integral(m.force.f**2), {"force.f": (-20, 20)}, 1.0,
                       inputs={"force.f": (grid, np.zeros(5))}, subject_to=[lw.final("mass.s") >= 1.0])
    assert best.success and best.goal == pytest.approx(12.0, rel=1e-5)
    assert [best.values[f"force.f[{k}]"] for k in range(5)] == pytest.approx(6 * (1 - grid), abs=1e-2)


def test_what_inputs_over_time_are_refused():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="4 (points|entries)"):
        lw.gradient(m, lw.final("rev.phi"), 1.0, ["motor.tau[9]"], inputs={"motor.tau": (T, Y)})
    with pytest.raises(lw.ModelError, match="function of time"):
        lw.simulate(m, 1.0, sensitivities=["motor.tau"], inputs={"motor.tau": lambda t: lw.sin(t)})


def controlled(mass=1.0, replay=None, log=None):
    m = pendulum(mass)
    m.motor.tau, calls = m.input("tau", 0.0), iter(replay or [])

    @m.every(0.1)
    def balance(t, y):
        tau = next(calls) if replay else -3 * y["rev.phi"] - y["rev.w"]
        if log is not None:
            log.append(tau)
        return {"tau": tau}

    return m


def test_a_controller_in_python_is_refused_by_name_or_frozen():
    """Frozen, the run is differentiated with what the controller said as it said it."""
    with pytest.raises(lw.ModelError, match=r"balance: a controller in Python .* frozen=\['balance'\]"):
        lw.simulate(controlled(), 1.0, sensitivities=["body.m"])
    with pytest.raises(lw.ModelError, match="ballance"):
        lw.simulate(controlled(), 1.0, sensitivities=["body.m"], frozen=["ballance"])
    said: list[float] = []
    r = lw.simulate(controlled(log=said), 1.0, sensitivities=["body.m"], frozen="balance", accuracy=1e-10)
    near = [lw.simulate(controlled(1 + h, replay=said), 1.0, accuracy=1e-10)["rev.phi"][-1] for h in (1e-4, -1e-4)]
    assert r.sensitivity("rev.phi", "body.m")[-1] == pytest.approx((near[0] - near[1]) / 2e-4, rel=1e-6)
    with pytest.raises(lw.ModelError, match="forward only"):
        lw.gradient(controlled(), lw.final("rev.phi"), 1.0, ["body.m"], frozen=["balance"], adjoint=True)
    with pytest.raises(lw.ModelError, match="balance"):
        lw.control(controlled(), {"tau": (-1, 1)}, minimize=lw.final("rev.phi"), time=1.0)
