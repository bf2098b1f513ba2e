"""Springs, dampers and servos on joints in stepped runs: stable whatever the step, and springs keep their energy."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, translational


def slider(c, d, s=0.1, m=1.0):
    """A body on a rail with a spring and a damper to its end, a ball far from a floor beside it."""
    model = lw.Model("slider")
    model.world = lw.World(g=0)
    model.rail, model.body = joints.Prismatic(n=[1, 0, 0], s=s, v=0.0), parts.Body(m=m)
    model.chain(model.world, model.rail, model.body)
    model.spring = translational.SpringDamper(c=c, d=d)
    model.connect(model.rail.support, model.spring.flange_a)
    model.connect(model.rail.axis, model.spring.flange_b)
    model.floor, model.skin = contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    model.under = parts.FixedTranslation(r=[0, -0.1, 0])
    model.chain(model.world, model.under, model.floor)
    model.connect(model.body.frame_a, model.skin.frame_a)
    model.touch = contact.Pair(model.floor, model.skin, law=contact.Rigid(mu=0))
    return model


@pytest.mark.parametrize("c, kept", [(25.0, 0.99), (400.0, 0.98), (4e4, 0.0), (4e8, 0.0)])
def test_a_spring_gains_no_energy_whatever_its_stiffness(c, kept):
    """At 4 ms, ω h of 0.02, 0.08, 0.8 and 80 (the explicit rule ends at 2): one that the step resolves keeps it."""
    h, omega = 4e-3, np.sqrt(c)
    r = lw.simulate(slider(c, 0.0), 1.2, method="time_stepping", fixed_step=h, output_step=h)
    s = np.abs(r["rail.s"])
    assert s.max() <= 0.1 * (1 + min(1.0, omega * h) / 2)
    assert s[len(s) // 2 :].max() >= 0.1 * kept


@pytest.mark.parametrize("c, d", [(1e5, 1e3), (1e6, 1e4), (0.0, 1e6), (1e7, 10.0)])
def test_a_stiff_servo_is_stable_at_long_steps(c, d):
    """A damper takes energy at every step of 10 ms."""
    h = 1e-2
    r = lw.simulate(slider(c, d), 1.0, method="time_stepping", fixed_step=h, output_step=h)
    energy = 0.5 * r["body.v_0"][:, 0] ** 2 + 0.5 * c * r["rail.s"] ** 2
    assert np.isfinite(energy).all()
    assert np.abs(r["rail.s"]).max() <= 0.2
    if c:
        assert abs(r["rail.s"][-1]) < 0.1 * np.exp(-0.5 * min(d, 10.0)) + 1e-3


def test_the_period_is_that_of_the_spring():
    """2π √(m/c), to second order of the step."""
    r = lw.simulate(slider(100.0, 0.0), 2 * np.pi / 10, method="time_stepping", fixed_step=1e-3)
    assert r["rail.s"][-1] == pytest.approx(0.1, rel=1e-3)
