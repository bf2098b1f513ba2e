"""Compliant contact: closed forms, other programs' numbers, energy, and contacts that are short against the run."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright import planar as pl


def ball(law, height=0.5, v=0.0, g=9.81, radius=0.1, w=0.0, **shape):
    m = lw.Model("ball")
    m.world = lw.World(g=g) if g else lw.World(gravity=None)
    m.floor = contact.Plane(n=[0, 1, 0], **shape)
    m.ball = parts.Body(m=1, inertia=[0.4 * radius**2] * 3, r_0=[0, height, 0], v_0=[w, v, 0])
    m.skin = contact.Sphere(radius=radius, **shape)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


@pytest.mark.parametrize("c, v, after", [(0.5, 1, 0.6629622000), (0.5, 0.1, 0.0952370153), (0.5, 10, 1.3310233600),
                                         (0.1, 2.8, 2.1845643427)])
def test_hunt_crossley_gives_back_what_its_closed_form_says(c, v, after):
    """d (v + v') = ln((1 + d v)/(1 − d v')), d = 3c/2, whatever the stiffness."""
    r = lw.simulate(ball(contact.HuntCrossley(stiffness=1e6, dissipation=c), 0.11, -v, g=0), 1.0, accuracy=1e-12)
    assert r["ball.v_0"][-1, 1] == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize("e", [0.9, 0.5, 0.1])
def test_dissipation_follows_from_a_restitution(e):
    r = lw.simulate(ball(contact.HuntCrossley(stiffness=1e6, restitution=e, at=2.0), 0.11, -2.0, g=0), 1.0,
                    accuracy=1e-11)
    assert r["ball.v_0"][-1, 1] == pytest.approx(2 * e, abs=1e-8)


def test_hertz_impact_has_its_depth_and_duration():
    """x = (15 m v²/(16 E* √R))^{2/5}, T = 2.9432751843 x/v."""
    r = lw.simulate(ball(contact.Hertz(stiffness=1e6), 0.1, -1.0, g=0), 0.03, accuracy=1e-12)
    depth = 6.148773715e-3
    begin, end = (row.time for row in r.events)
    assert end - begin == pytest.approx(2.9432751843 * depth, abs=1e-9)
    assert -r.at((begin + end) / 2)["touch.gap"] == pytest.approx(depth, abs=1e-9)
    assert r["ball.v_0"][-1, 1] == pytest.approx(1.0, abs=1e-9)


def test_opensims_ball():
    """HuntCrossleyForce of OpenSim 4.6 at accuracy 1e-9: stiffness 1e6 on both surfaces, dissipation 0.1."""
    material = contact.Material(stiffness=1e6, dissipation=0.1)
    r = lw.simulate(ball(None, material=material), 2.0, step=0.5, accuracy=1e-10)
    assert r["ball.r_0"][[1, 2, 4], 1] == pytest.approx([0.331242107, 0.239833957, 0.100844160], abs=1e-7)
    assert r["ball.v_0"][[1, 2, 4], 1] == pytest.approx([0.272712551, -0.510999466, 0.940078378], abs=1e-7)


def test_opensims_ball_by_the_smooth_law():
    """SmoothSphereHalfSpaceForce with the same numbers; its k = ½ E^{2/3} stands for both surfaces."""
    law = contact.Smooth((0.5 * 1e6 ** (2 / 3)) ** 1.5, dissipation=0.1)
    r = lw.simulate(ball(law), 2.0, step=0.5, accuracy=1e-11)
    assert r["ball.r_0"][[2, 4], 1] == pytest.approx([0.240732065, 0.097400208], abs=1e-7)


def chain(n, apart=0.0, radius=0.05):
    m = lw.Model("chain")
    m.world = lw.World(gravity=None)
    m.slide = [joints.Prismatic(n=[1, 0, 0], s=(2 * radius + apart) * i, v=float(i == 0)) for i in range(n)]
    m.body = [parts.Body(m=1) for _ in range(n)]
    m.skin = [contact.Sphere(radius=radius) for _ in range(n)]
    for slide, body, skin in zip(m.slide, m.body, m.skin, strict=True):
        m.chain(m.world, slide, body)
        m.connect(body.frame_a, skin.frame_a)
    return m


def test_a_chain_of_ten_balls():
    """Speeds after the pulse has gone through: they depend on the exponent 3/2 alone."""
    m = chain(10)
    m.pair = [contact.Pair(a, b, law=contact.Hertz(stiffness=1e7))
              for a, b in zip(m.skin[:-1], m.skin[1:], strict=True)]
    r = lw.simulate(m, 0.2, accuracy=1e-10)
    expected = [-0.0710850171, -0.0302737894, -0.0158333972, -0.0088856952, -0.0051265832, -0.0029859782, -0.0017376684,
                0.0026719549, 0.1473903072, 0.9858658664]
    assert [r[f"slide[{i}].v"][-1] for i in range(10)] == pytest.approx(expected, abs=1e-7)


def test_a_short_contact_in_a_long_run_is_not_stepped_over():
    m = chain(2, apart=4.0)
    m.contacts(law=contact.Hertz(stiffness=1e10))
    r = lw.simulate(m, 10.0, step=5.0)
    assert r["slide[0].v"][-1] == pytest.approx(0.0, abs=1e-6)
    assert r["slide[1].v"][-1] == pytest.approx(1.0, abs=1e-6)
    assert [row.what for row in r.events] == ["skin[0]/skin[1]"] * 2


@pytest.mark.parametrize("model", ["stribeck", "hollars"])
def test_a_sliding_ball_ends_in_rolling(model):
    """It loses two sevenths of its speed; it rolls on a radius less its depth (0.4 %), and creeps a little."""
    law = contact.HuntCrossley(stiffness=1e6, dissipation=0.5, mu=0.2, transition=1e-3, model=model)
    r = lw.simulate(ball(law, 0.1, 0.0, w=1.0), 1.0)
    assert r["ball.v_0"][-1, 0] == pytest.approx(5 / 7, rel=5e-3)
    assert np.linalg.norm(r["touch.slip"][-1]) < 2e-3


def test_energy_is_kept_in_the_book():
    m = lw.Model("box")
    m.world = lw.World()
    m.floor, m.skin = contact.Plane(), contact.Box(size=[0.1, 0.1, 0.1])
    m.box = parts.Body(m=1, inertia=[1 / 600] * 3, r_0=[0, 0.15, 0], v_0=[1, 0, 0], w_a=[1, 2, 3])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Linear(stiffness=1e4, dissipation=1.0, mu=0.3, mu_s=0.4))
    m.integral(m.touch.loss_power, name="lost")
    r = lw.simulate(m, 0.4)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + r["lost"]
    assert r["touch.gap"].shape == (len(r.t), 8) and r["touch.f_t"].shape == (len(r.t), 8, 3)
    assert r["lost"][-1] > 0.1
    assert np.ptp(total) <= 1e-6 * r["kinetic_energy"].max()


def test_the_same_in_the_plane():
    law = contact.HuntCrossley(stiffness=1e6, restitution=0.5, at=1.0, mu=0.3)
    m = lw.Model("planar")
    m.world, m.fixed, m.floor = pl.World(g=9.81), pl.Fixed(), pl.contact.Line(n=[0, 1])
    m.ball, m.skin = pl.Body(m=1, I=0.004, r=[0, 0.5], v=[1, 0]), pl.contact.Circle(radius=0.1)
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    flat = lw.simulate(m, 1.0)["ball.r"]
    space = lw.simulate(ball(law, w=1.0), 1.0)["ball.r_0"]
    assert flat == pytest.approx(space[:, :2], abs=1e-6)


def test_a_law_of_ones_own():
    class Cubic:
        def normal(self, x, v):
            return 1e8 * x**3

        def friction(self, slip, f_n):
            return 0.0 * f_n

        def energy(self, x):
            return 1e8 * x**4 / 4

    r = lw.simulate(ball(Cubic(), 0.1, -1.0, g=0), 0.2)
    assert r["ball.v_0"][-1, 1] == pytest.approx(1.0, abs=1e-6)


def test_mistakes_are_named():
    floor, skin, other = contact.Plane(), contact.Sphere(radius=0.1), contact.Plane()
    law = contact.HuntCrossley(stiffness=1e6)
    with pytest.raises(lw.ModelError, match="no law, and Plane and Sphere no material"):
        contact.Pair(floor, skin)
    with pytest.raises(lw.ModelError, match="cannot be a contact pair"):
        contact.Pair(floor, other, law=law)
    with pytest.raises(lw.ModelError, match="cannot touch itself"):
        contact.Pair(floor, floor, law=law)
    with pytest.raises(lw.ModelError, match="is no shape of contact"):
        contact.Pair(floor, 3, law=law)
    with pytest.raises(lw.ModelError, match="is no law of contact"):
        contact.Pair(floor, skin, law=3)
    with pytest.raises(lw.ModelError, match="mu = -0.1 cannot be negative"):
        contact.Pair(floor, skin, law=contact.HuntCrossley(stiffness=1e6, mu=-0.1))
    with pytest.raises(lw.ModelError, match="stiffness = -1 must be positive"):
        contact.Pair(floor, skin, law=contact.Linear(stiffness=-1))
    with pytest.raises(lw.ModelError, match="material: stiffness = -1 must be positive"):
        contact.Sphere(radius=0.1, material=contact.Material(stiffness=-1))
    with pytest.raises(lw.ModelError, match="material: mu = -0.2 cannot be negative"):
        contact.Sphere(radius=0.1, material=contact.Material(stiffness=1e6, mu=-0.2))
    with pytest.raises(lw.ModelError, match="material = 3 is no material"):
        contact.Plane(material=3)
    with pytest.raises(lw.ModelError, match="Plane has model = 'stribeck', that of Sphere 'hollars'"):
        contact.Pair(contact.Plane(material=contact.Material(1e6)),
                     contact.Sphere(radius=0.1, material=contact.Material(1e6, model="hollars")))
    with pytest.raises(lw.ModelError, match="mu_s = 0.1 is smaller than mu"):
        contact.Pair(floor, skin, law=contact.Hertz(stiffness=1e6, mu=0.2, mu_s=0.1))


def test_shapes_of_one_body_are_no_pair():
    m = lw.Model("one")
    m.world, m.body = lw.World(), parts.Body(m=1)
    m.a, m.b = contact.Sphere(radius=0.1), contact.Sphere(radius=0.2)
    m.connect(m.body.frame_a, m.a.frame_a, m.b.frame_a)
    m.touch = contact.Pair(m.a, m.b, law=contact.Hertz(stiffness=1e6))
    with pytest.raises(lw.TopologyError, match="touch: a and b ride on one body"):
        lw.compile(m)


def test_a_corner_has_no_radius():
    m = lw.Model("corner")
    m.world, m.body, m.floor, m.tip = lw.World(), parts.Body(m=1, r_0=[0, 1, 0]), contact.Plane(), contact.Point()
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.tip.frame_a)
    m.touch = contact.Pair(m.floor, m.tip, law=contact.Hertz(stiffness=1e6))
    with pytest.raises(lw.ModelError, match="an edge or a corner touches"):
        lw.compile(m)


@pytest.mark.parametrize(("radius", "closes"), [(None, False), (0.1, True)])
def test_hertz_is_a_potential_where_its_radius_stays(radius, closes):
    """An egg that falls turning: the curvature under it changes while it presses, and Hertz's formula follows it."""
    m = lw.Model("egg")
    m.world = lw.World()
    m.floor, m.skin = contact.Plane(), contact.Ellipsoid(radii=[0.2, 0.1, 0.1])
    m.egg = parts.Body(m=1, inertia=[4e-3, 1e-2, 1e-2], r_0=[0, 0.15, 0], w_a=[0, 0, 4.0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.egg.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Hertz(1e5, radius=radius))
    r = lw.simulate(m, 0.5, accuracy=1e-8)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    error = np.ptp(total) / r["elastic_energy"].max()
    assert error < 1e-6 if closes else 1e-4 < error < 0.05
