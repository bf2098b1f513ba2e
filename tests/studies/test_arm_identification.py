"""Inertial parameters of an arm of seven joints, from noisy angles: estimates within their covariance."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational

NOISE = {f"j{k}.phi": 1e-3 for k in range(7)}
TRUE = {"b2.m": 1.0, "b4.m": 1.0, "b6.m": 1.0, "b2.r_cm[1]": -0.15, "b4.r_cm[1]": -0.15, "b6.r_cm[1]": -0.15,
        "b6.r_cm[0]": 0.02, "b2.inertia[1]": 0.01, "b4.inertia[0]": 0.02, "b6.inertia[0]": 0.02}


def arm() -> lw.Model:
    """Seven links, each joint with a motor that swings it and a damper."""
    m = lw.Model("arm")
    m.world = last = lw.World(g=9.81)
    for k in range(7):
        joint = joints.Revolute(n=[float(k % 3 == i) for i in range(3)], phi=0.3, w=0)
        link = parts.BodyShape(m=1.0, r=[0, -0.3, 0], r_cm=[0.02, -0.15, 0.01], inertia=[0.02, 0.01, 0.02])
        motor = rotational.Torque(tau=2.0 * (7 - k) / 7 * lw.sin((2 + 0.7 * k) * lw.time + k))
        for name, part in (("j", joint), ("b", link), ("t", motor), ("d", rotational.Damper(d=0.5))):
            setattr(m, f"{name}{k}", part)
        m.chain(last, joint, link)
        m.connect(joint.axis, motor.flange, getattr(m, f"d{k}").flange_b)
        m.connect(joint.support, getattr(m, f"d{k}").flange_a)
        last = link
    return m


def measured(run, random) -> dict:
    return {"t": run.t, **{name: run[name] + size * random.normal(size=len(run.t)) for name, size in NOISE.items()}}


def off(fit) -> float:
    """χ² of the errors of the estimates by their covariance."""
    error = np.array([fit.values[name] - value for name, value in TRUE.items()])
    return float(error @ np.linalg.solve(fit.covariance, error))


def test_what_an_arm_does_not_show_is_named():
    """The first link turns about x: its inertia about y, and its mass along x, are not felt at all."""
    m = arm()
    run = lw.simulate(m, 1.0, step=0.05)
    fit = lw.fit(m, measured(run, np.random.default_rng(0)), ["b6.m", "b0.inertia[1]", "b0.r_cm[0]"], noise=NOISE)
    assert fit.success and sorted(fit.unfixed) == ["b0.inertia[1]", "b0.r_cm[0]"]
    assert fit.deviations["b0.inertia[1]"] == np.inf
    assert abs(fit.values["b6.m"] - 1) < 5 * fit.deviations["b6.m"] < 0.1


@pytest.mark.slow
def test_ten_inertial_parameters_of_an_arm_within_their_covariance():
    """Over 200 repetitions χ² of the estimates, of 10 numbers each, is 2000 ± √4000, and of residuals likewise."""
    m, random = arm(), np.random.default_rng(1)
    run = lw.simulate(m, 2.0, step=0.05)
    samples = 7 * len(run.t)
    fits = [lw.fit(m, measured(run, random), list(TRUE), noise=NOISE) for _ in range(200)]
    assert all(fit.success and not fit.unfixed for fit in fits)
    chi = np.array([off(fit) for fit in fits])
    assert abs(chi.sum() - 2000) < 4 * np.sqrt(2 * 2000)
    # as often beyond the bound that one in ten exceeds as it should be: 20 ± √18
    assert abs(np.sum(chi > 15.987) - 20) < 4 * np.sqrt(18)
    left = np.array([fit.chi_squared for fit in fits])
    assert abs(left.sum() - 200 * (samples - 10)) < 4 * np.sqrt(2 * 200 * (samples - 10))
