"""Exponential springs: Simbody's normal force, and friction that is anchored, by its laws."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, parts

G = 9.81


def block(slope=0.0, law=None, v=(0, 0, 0), height=None, w=(0, 0, 0)):
    """A flat block of 1 kg on a slope, on its corners; a level floor unless told otherwise."""
    m = lw.Model("block")
    m.world = lw.World(g=G, n=[np.sin(slope), -np.cos(slope), 0])
    m.floor, m.skin = contact.Plane(n=[0, 1, 0]), contact.Box(size=[0.4, 0.02, 0.4])
    lift = resting(G * np.cos(slope) / 4) if height is None else height
    m.box = parts.Body(m=1, inertia=[0.0134, 0.0267, 0.0134], r_0=[0, 0.01 + lift, 0], v_0=list(v), w_a=list(w))
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law or contact.Exponential(mu=0.5, mu_s=0.7))
    m.integral(m.touch.loss_power, name="lost")
    return m


def resting(weight: float) -> float:
    """The height at which a corner carries its part of the weight."""
    return 0.0065905 - np.log(weight / 0.5336) / 1150


def test_the_normal_force_is_simbodys():
    """d₁ exp(−d₂ (z − d₀)) (1 − c v_z), from nothing to the cap, with Simbody's numbers; and its energy is its work."""
    law = contact.Exponential()
    for z, v in ((0.0, 0.0), (0.003, -0.2), (-0.002, 0.5), (0.02, 3.0)):
        wanted = min(max(0.5336 * np.exp(-1150 * (z - 0.0065905)) * (1 - 0.5 * v), 0), 1e5)
        assert float(law.normal(-z, -v)) == pytest.approx(wanted, rel=1e-14)
    assert float(law.normal(1.0, 0.0)) == 1e5
    x = np.linspace(-0.05, 0.02, 200_001)
    work = np.trapezoid([float(law.normal(s, 0)) for s in x[::20]], x[::20])
    assert float(law.energy(0.02)) - float(law.energy(-0.05)) == pytest.approx(work, rel=1e-4)


def test_a_block_that_is_held_hangs_on_its_springs_and_does_not_creep():
    """At tan α = 0.65 < μ_s it moves by what its four springs give way, g sin α/(4 k), and not a nanometre more."""
    alpha = np.arctan(0.65)
    r = lw.simulate(block(alpha), 20.0, step=5.0, accuracy=1e-9)
    stretch = r["touch.stretch"].reshape(len(r.t), 8, 3)
    assert stretch[-1, :, 0].sum() * 2e4 == pytest.approx(G * np.sin(alpha), rel=1e-6)
    later = r["box.r_0"][-1] - r["box.r_0"][1]
    assert np.abs(later).max() < 1e-9
    assert np.abs(r["touch.sliding"][-1]).max() < 1e-12


def test_a_block_slides_by_its_kinetic_friction():
    """Level, from 2 m/s: it slows down by μ_k g, and stops after v/(μ_k g) within v²/(2 μ_k g)."""
    r = lw.simulate(block(v=(2, 0, 0)), 0.8, step=0.05)
    sliding = (r.t > 0.1) & (r.t < 0.3)
    assert np.gradient(r["box.v_0"][:, 0], r.t)[sliding] == pytest.approx(-0.5 * G, rel=2e-3)
    f = np.linalg.norm(r["touch.f_t"], axis=2)[sliding]
    assert f == pytest.approx(0.5 * r["touch.f_n"][sliding], rel=1e-6, abs=1e-9)
    # friction falls from μ_s to μ_k with a time constant of 10 ms
    assert r["box.r_0"][-1, 0] == pytest.approx((2 - 0.2 * G * 0.01) ** 2 / (2 * 0.5 * G), rel=2e-3)
    assert np.linalg.norm(r["box.v_0"][-1]) < 1e-5
    assert np.all(r["touch.sliding"][sliding][:, f[0] > 1e-3] > 0.99)


def test_static_friction_holds_more_than_kinetic():
    """At tan α = 0.6, between μ_k and μ_s: at rest it stays, in motion it goes on with g (sin α − μ_k cos α)."""
    alpha = np.arctan(0.6)
    assert abs(lw.simulate(block(alpha), 1.0)["box.v_0"][-1, 0]) < 1e-5
    r = lw.simulate(block(alpha, v=(1, 0, 0)), 1.0, step=0.1)
    a = (r["box.v_0"][-1, 0] - r["box.v_0"][3, 0]) / (r.t[-1] - r.t[3])
    assert a == pytest.approx(G * (np.sin(alpha) - 0.5 * np.cos(alpha)), rel=1e-3)
    # beyond both it slides from rest
    steep = lw.simulate(block(np.arctan(0.8)), 1.0)
    assert steep["box.v_0"][-1, 0] > 1.0


def test_nothing_is_lost_without_friction_and_damping():
    """Simbody's criterion for its blocks that bounce: t · 1e-5 of the energy; here 1e-7 in all."""
    law = contact.Exponential(dissipation=0)
    r = lw.simulate(block(law=law, height=0.3, w=(1, 2, 3)), 2.0, accuracy=1e-10)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(total) < 1e-7 * total[0]


@pytest.mark.parametrize("w", [(0, 0, 0), (3, 1, 2)])
def test_the_energy_book_closes_and_losses_never_turn_back(w):
    r = lw.simulate(block(height=0.1, v=(2, 0, 1), w=w), 1.0, accuracy=1e-9)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + r["lost"]
    assert r["lost"][-1] > 1.0
    assert np.ptp(total) < 1e-7 * r["kinetic_energy"].max()
    assert r["touch.loss_power"].min() > -1e-9


def test_a_ball_is_held_where_it_rolls():
    """The spring is stretched by the slip, not by the way: a ball rolls off freely, a = 5/7 g sin α."""
    m = lw.Model("ball")
    m.world = lw.World(g=G, n=[np.sin(0.2), -np.cos(0.2), 0])
    m.floor, m.skin = contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.ball = parts.Body(m=1, inertia=[0.4 * 0.01] * 3, r_0=[0, 0.1 + resting(G * np.cos(0.2)), 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Exponential(mu=0.5, mu_s=0.7))
    r = lw.simulate(m, 1.0)
    height = r["ball.r_0"][-1, 1]
    assert height == pytest.approx(0.1 + resting(G * np.cos(0.2)), abs=1e-9)
    assert r["ball.v_0"][-1, 0] == pytest.approx(G * np.sin(0.2) / (1 + 0.004 / 0.1**2), rel=1e-3)


def test_points_that_change_places_cannot_be_anchored():
    vertices, faces = geometry.Convex(np.vstack([np.zeros(3), np.eye(3)])).hull()
    with pytest.raises(lw.ModelError, match="friction of contact.Exponential is a spring at each point.*Linear"):
        contact.Pair(contact.Plane(), contact.Mesh(vertices=vertices, faces=faces), law=contact.Exponential(mu=0.5))
    with pytest.raises(lw.ModelError, match="grip = 0 must be positive"):
        contact.Pair(contact.Plane(), contact.Point(), law=contact.Exponential(mu=0.5, grip=0))
