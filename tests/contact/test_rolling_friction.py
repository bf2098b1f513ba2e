"""Friction that never holds: against rolling, against spin, and of slip and spin together."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts

G, RADIUS = 9.81, 0.1
INERTIA = 0.4 * RADIUS**2


def ball(law, **start):
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(g=G), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=RADIUS)
    m.ball = parts.Body(m=1, inertia=[INERTIA] * 3, r_0=[0, RADIUS, 0], **start)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


def balanced(r):
    """Kinetic + potential energy and what was lost is constant."""
    lost = np.concatenate([[0], np.cumsum(np.diff(r.t) * (r["touch.loss_power"][1:] + r["touch.loss_power"][:-1]) / 2)])
    return r["kinetic_energy"] + r["potential_energy"] + lost


def test_a_ball_rolls_out():
    """Without slip dv/dt = −5/7 · arm · g/R, in any direction."""
    m = ball(contact.Rigid(mu=0.5, rolling=2e-3), v_0=[0.6, 0, 0.8], w_a=[8.0, 0, -6.0])
    r = lw.simulate(m, 2.0)
    speed = 1 - 5 / 7 * 2e-3 * G / RADIUS * 2
    assert r["ball.v_0"][-1] == pytest.approx([0.6 * speed, 0, 0.8 * speed], abs=1e-6)
    total = balanced(r)
    assert total == pytest.approx(np.full(len(total), total[0]), abs=1e-6)


def test_a_ball_spins_down():
    """I dω/dt = −arm · m g."""
    r = lw.simulate(ball(contact.Rigid(mu=0.5, spinning=1e-3), w_a=[0, 20.0, 0]), 1.0)
    assert r["ball.w_a"][-1, 1] == pytest.approx(20 - 1e-3 * G / INERTIA, abs=1e-6)


def test_a_patch_that_spins_rubs_with_all_of_it():
    """Pure spin: 3π/16 μ a m g (Hertz's pressure); with slip less, and slip is resisted less than by μ."""
    law = contact.Rigid(mu=0.3, patch=5e-3)
    r = lw.simulate(ball(law, w_a=[0, 20.0, 0]), 1.0)
    assert r["ball.w_a"][-1, 1] == pytest.approx(20 - 3 * np.pi / 16 * 0.3 * 5e-3 * G / INERTIA, abs=1e-4)
    r = lw.simulate(ball(law, v_0=[0.1, 0, 0], w_a=[0, 20.0, 0]), 0.01)
    share = 0.1 / (0.1 + 8 / (3 * np.pi) * 5e-3 * 20)
    assert -r["touch.f_t"][0, 0] == pytest.approx(0.3 * G * share, rel=1e-6)


def test_a_tippe_top_stands_on_its_head_and_gains_no_energy():
    """Measures of Leine and Glocker (2003); the stem touches the table before 2 s."""
    head, below, above, tilt = 0.015, 0.003, 0.016, 0.1
    m = lw.Model("tippe top")
    m.world, m.table = lw.World(g=G), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.table.frame_a)
    m.top = parts.Body(m=0.006, inertia=[8e-7, 7e-7, 8e-7], r_0=[0, head - below * np.cos(tilt), 0],
                       angles=[0, 0, tilt], w_a=[0, 180.0, 0])
    m.arm = [parts.FixedTranslation(r=[0, height, 0]) for height in (below, above)]
    m.skin = [contact.Sphere(radius=head), contact.Sphere(radius=0.005)]
    for arm, skin in zip(m.arm, m.skin, strict=True):
        m.chain(m.top, arm, skin)
    m.touch = [contact.Pair(m.table, skin, law=contact.Rigid(mu=0.3, patch=5e-4)) for skin in m.skin]
    r = lw.simulate(m, 2.0, accuracy=1e-7)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.diff(energy).max() <= 1e-7 * energy[0]
    assert r["top.frame_a.R.T"][-1][1, 1] < -0.98
    assert r["top.r_0"][-1, 1] > 0.02
