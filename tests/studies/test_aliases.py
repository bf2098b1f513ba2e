"""Other names of keywords, methods, functions and laws go on working, from one table; two names at once are refused."""

import builtins

import numpy as np
import pytest

import linkwright as lw
from linkwright import aliases, contact, joints, parts


def pendulum() -> lw.Model:
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def test_both_names_of_the_steps_give_the_same_run():
    new = lw.simulate(pendulum(), 1.0, method="rk4", fixed_step=0.01, output_step=0.1)
    old = lw.simulate(pendulum(), 1.0, method="rk4", h=0.01, step=0.1)
    assert len(new.t) == 11
    np.testing.assert_array_equal(new["rev.phi"], old["rev.phi"])
    assert len(lw.sweep(pendulum(), {"body.m": [1.0]}, 1.0, outputs=["rev.phi"], output_step=0.25).data.time) == 5
    a, b = lw.Simulator(pendulum(), fixed_step=0.01), lw.Simulator(pendulum(), h=0.01)
    a.step(), b.step()
    assert a["rev.phi"] == b["rev.phi"] and a.t == 0.01


def test_two_names_of_one_value_are_refused():
    with pytest.raises(lw.ModelError, match="output_step= and step= are two names"):
        lw.simulate(pendulum(), 1.0, step=0.1, output_step=0.1)
    with pytest.raises(lw.ModelError, match="f and tau are two names"):
        lw.Coulomb(f=1.0, tau=1.0)


@pytest.mark.parametrize("method", ["time_stepping", "moreau"])
def test_time_stepping_is_moreau(method):
    m = lw.Model("ball")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.ball, m.skin = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.2, 0]), contact.Sphere(radius=0.1)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid())
    r = lw.simulate(m, 0.3, method=method, fixed_step=1e-3)
    assert r["ball.r_0[1]"][-1] == pytest.approx(0.1, abs=1e-6)


def test_a_slider_has_friction_of_a_force():
    runs = []
    for law in (lw.Coulomb(f=5.0), lw.Coulomb(tau=5.0)):
        m = lw.Model("block")
        m.world, m.rail = lw.World(), joints.Prismatic(n=[1, 0, 0], s=0, v=1.0, friction=law)
        m.body = parts.Body(m=1.0)
        m.chain(m.world, m.rail, m.body)
        runs.append(lw.simulate(m, 1.0)["rail.s"][-1])
    assert runs[0] == runs[1] == pytest.approx(1 / (2 * 5.0), rel=1e-8)  # v²/2a


def test_functions_of_the_package():
    for other, name in aliases.PACKAGE.items():
        assert getattr(lw, other) is getattr(lw, name)
        assert other not in lw.__all__
        assert name not in lw.__all__ or not hasattr(builtins, name)  # Python's own are not hidden
    assert (lw.min(3, 1, 2), lw.max(3, 1, 2), lw.abs(-2)) == (1, 3, 2)
    m = pendulum()
    m.output("least", lw.min(m.rev.phi, 0.5, 2))
    assert lw.simulate(m, 0.1)["least"][0] == 0.5
