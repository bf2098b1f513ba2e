"""Rigid contact on a height field: balls, corners and wheels on ground that is curved."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, joints, parts
from linkwright.algebra import Transform

G = 9.81


def field(height, x=(-2.0, 4.0), y=(-1.5, 1.5), n=(41, 21)):
    """The ground z = height(x, y)."""
    u, v = np.linspace(*x, n[0]), np.linspace(*y, n[1])
    return contact.HeightField(u, v, height(u[:, None], v[None, :]) * np.ones(n))


def laid(ground, skin, place, tilt=None) -> list[float]:
    """Where the origin of a shape is over a place (x, y) when it just touches."""
    X = Transform(tilt, [*place, 2.0])
    for _ in range(100):
        gap = geometry.distance(ground.shape(ground), Transform(), skin.shape(skin), X).gap
        X = Transform(X.R, X.p - [0, 0, gap])
    return list(X.p)


def on(ground, skin, law, inertia, place=(0.0, 0.0), v=(0, 0, 0), w=(0, 0, 0)):
    m = lw.Model("on the ground")
    m.world = lw.World(g=G, n=[0, 0, -1])
    m.ground, m.skin = ground, skin
    m.body = parts.Body(m=1, inertia=list(inertia), r_0=laid(ground, skin, place), v_0=list(v), w_a=list(w))
    m.connect(m.world.frame_b, m.ground.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.ground, m.skin, law=law)
    return m


def hills(x, y):
    return 0.12 * np.sin(1.7 * x) * np.cos(0.9 * y)


SKINS = {"point": lambda: contact.Point(), "ball": lambda: contact.Sphere(radius=0.1),
         "tyre": lambda: contact.Torus(R=0.07, r=0.03, n=[0, 1, 0], feet=0),
         "disc": lambda: contact.Disc(radius=0.1, n=[0, 1, 0])}


@pytest.mark.parametrize("accuracy, skin", [
    pytest.param(accuracy, skin, marks=() if (skin, accuracy) in (("ball", 1e-9), ("tyre", 1e-6)) else pytest.mark.slow)
    for accuracy in (1e-6, 1e-9) for skin in SKINS])
def test_what_rolls_over_hills_keeps_its_energy(skin, accuracy):
    """Without slip (a point: without friction) nothing is lost, through many cells of the grid and round the slopes."""
    law = contact.Rigid(mu=0.0 if skin == "point" else 1.0)
    m = on(field(hills), SKINS[skin](), law, [0.004] * 3, (0.3, 0.2))
    r = lw.simulate(m, 0.5 if skin == "disc" else 2.0, accuracy=accuracy)
    total = r["kinetic_energy"] + r["potential_energy"]
    assert np.ptp(total) < 10 * accuracy * r["kinetic_energy"].max()
    assert np.abs(r["touch.gap"]).max() < 1e-12
    assert [row.what for row in r.contacts] == ["rest" if skin == "point" else "stick"]
    if skin == "ball":
        way = r["body.r_0"]
        assert np.ptp(way[:, 0]) > 1.2 and np.ptp(way[:, 1]) > 0.02 and np.abs(r["touch.slip"]).max() < accuracy


@pytest.mark.parametrize("skin", [contact.Sphere(radius=0.1), contact.Torus(R=0.07, r=0.03, n=[0, 1, 0]),
                                  contact.Disc(radius=0.1, n=[0, 1, 0])], ids=["ball", "tyre", "disc"])
def test_a_slope_is_a_slope(skin):
    """Straight ground in the grid: what rolls has g sin α/(1 + I/m R²), to rounding of the spline."""
    slope = 0.2
    skin = type(skin)(**{name: getattr(skin, name) for name in skin.fields() if name in ("radius", "R", "r", "n")})
    m = on(field(lambda x, y: -np.tan(slope) * x), skin, contact.Rigid(mu=1.0), [0.004] * 3)
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    a = G * np.sin(slope) / 1.4
    along = r["body.v_0"] @ [np.cos(slope), 0, -np.sin(slope)]
    assert along == pytest.approx(a * r.t, abs=1e-8)


def test_a_point_thrown_on_a_parabola_flies_at_once():
    """A parabola is the path of a throw: faster than v² = g R nothing presses, slower it does."""
    ground = field(lambda x, y: -0.5 * x**2)
    fast = lw.simulate(on(ground, contact.Point(), contact.Rigid(), [1e-3] * 3, v=(1.02 * np.sqrt(G), 0, 0)), 0.3)
    assert fast["touch.gap"][-1] > 1e-4 and fast["touch.f_n"].max() == 0
    slow = lw.simulate(on(field(lambda x, y: -0.5 * x**2), contact.Point(), contact.Rigid(), [1e-3] * 3,
                          v=(0.98 * np.sqrt(G), 0, 0)), 0.3)
    assert np.abs(slow["touch.gap"]).max() < 1e-12 and slow["touch.f_n"].min() > 0
    total = slow["kinetic_energy"] + slow["potential_energy"]
    assert np.ptp(total) < 1e-7 * slow["kinetic_energy"].max()


@pytest.mark.slow
def test_a_box_comes_to_rest_in_a_hollow():
    m = on(field(lambda x, y: 0.1 * (x**2 + y**2)), contact.Box(size=[0.3, 0.2, 0.1]), contact.Rigid(mu=0.6),
           [0.005, 0.01, 0.012], (0.05, 0.02))
    r = lw.simulate(m, 1.0)
    assert r["touch.gap"].min() > -1e-9
    assert np.linalg.norm(r["body.v_0"][-1]) < 1e-6 and np.linalg.norm(r["body.w_a"][-1]) < 1e-5


def trolley(ground=None, **start):
    """A chassis on four tyres, over hills across its way unless told otherwise."""
    start = start or {"r_0": [0, 0, 0.118], "angles": [0, 0.0997, 0]}
    m = lw.Model("trolley")
    m.world = lw.World(g=G, n=[0, 0, -1])
    m.ground = ground or field(lambda x, y: 0.05 * np.sin(2 * x) - 0.2 * x, n=(61, 9))
    m.connect(m.world.frame_b, m.ground.frame_a)
    m.chassis = parts.Body(m=8, inertia=[0.12, 0.2, 0.3], **start)
    corners = [(0.25 * i, 0.2 * j) for i in (-1, 1) for j in (-1, 1)]
    m.arm = [parts.FixedTranslation(r=[a, b, 0]) for a, b in corners]
    m.axle = [joints.Revolute(n=[0, 1, 0]) for _ in corners]
    m.wheel = [parts.Body(m=0.8, inertia=[0.0025, 0.005, 0.0025]) for _ in corners]
    m.tyre = [contact.Torus(R=0.08, r=0.03, n=[0, 1, 0], feet=0) for _ in corners]
    for arm, axle, wheel, tyre in zip(m.arm, m.axle, m.wheel, m.tyre, strict=True):
        m.chain(m.chassis, arm, axle, wheel)
        m.connect(axle.frame_b, tyre.frame_a)
    m.contacts(law=contact.Rigid(mu=0.8))
    return m


@pytest.mark.slow
def test_a_trolley_rolls_on_its_wheels():
    """After it has landed on its tyres they roll without slip, and what it loses in height it has in speed."""
    r = lw.simulate(trolley(), 1.0, accuracy=1e-10, method="dopri5")
    landed = max(row.time for row in r.contacts if row.what == "hit")
    assert landed < 0.2 and {row.pair for row in r.contacts} == {f"ground/tyre[{k}]" for k in range(4)}
    after = r.t > landed
    total = (r["kinetic_energy"] + r["potential_energy"])[after]
    assert np.ptp(total) < 1e-7 * r["kinetic_energy"].max()
    assert max(np.abs(r[f"ground/tyre[{k}].slip"][after]).max() for k in range(4)) < 1e-7
    assert r["chassis.r_0"][-1, 0] > 0.3


@pytest.mark.slow
def test_a_stiff_chassis_on_twisted_hills_lifts_wheels_and_sets_them_down():
    """Four wheels of a rigid chassis cannot all stand on twisted ground: it rocks from one diagonal to the other by
    impacts that die out, never without end; nothing sinks in, and energy only falls."""
    def height(x, y):
        return 0.04 * np.sin(3 * x) * y - 0.06 * (np.sin(2.2 * x) * np.cos(1.3 * y) + x)

    m = trolley(field(height, x=(-1.0, 3.0), y=(-1.0, 1.0), n=(33, 17)), r_0=[0, 0, 0.2])
    r = lw.simulate(m, 1.5, accuracy=1e-6)
    assert {row.what for row in r.contacts} >= {"hit", "leave", "stick"} and len(r.contacts) < 1000
    assert min(r[f"ground/tyre[{k}].gap"].min() for k in range(4)) > -1e-9
    total = r["kinetic_energy"] + r["potential_energy"]
    assert np.diff(total).max() < 1e-5 * r["kinetic_energy"].max()


def test_sizes_on_the_ground_are_structure():
    m = on(field(hills), contact.Sphere(radius=0.1), contact.Rigid(mu=1.0), [0.004] * 3)
    with pytest.raises(lw.ModelError, match="skin.radius: this decides the structure"):
        lw.compile(m, tunable=["skin.radius"])


def test_a_body_of_many_corners_is_stepped():
    points = np.random.default_rng(1).normal(size=(40, 3))
    points *= 0.1 / np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(lw.ModelError, match="HeightField and a Convex touch is found by a search.*time_stepping"):
        contact.Pair(field(hills), contact.Convex(points), law=contact.Rigid())
