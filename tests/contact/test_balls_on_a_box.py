"""SimBenchmark's rolling test: balls on a box that is pulled over the ground, the same in every direction."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, forces, parts

G, MASS, BALL, COUNT, RADIUS, PULL = 9.81, 10.0, 1.0, 25, 0.1, 150.0


def balls_on_a_box():
    """A box of 3 m by 3 m by 1 m on the ground (μ 0.4), with 25 balls on it (μ 0.8)."""
    m = lw.Model("rolling")
    m.world, m.floor, m.top = lw.World(g=G, n=[0, 0, -1]), contact.Plane(n=[0, 0, 1]), contact.Plane(n=[0, 0, 1])
    m.body, m.lid = parts.Body(m=MASS, inertia=[5.0] * 3, r_0=[0, 0, 0.5]), parts.FixedTranslation(r=[0, 0, 0.5])
    m.foot, m.pull = parts.FixedTranslation(r=[0, 0, -0.5]), forces.WorldForce(force=[PULL, 0, 0])
    m.box = contact.Box(size=[3, 3, 1])
    m.connect(m.body.frame_a, m.lid.frame_a, m.foot.frame_a, m.box.frame_a)
    m.connect(m.lid.frame_b, m.top.frame_a)
    m.connect(m.foot.frame_b, m.pull.frame_b)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.ground = contact.Pair(m.floor, m.box, law=contact.Rigid(mu=0.4))
    rows = np.linspace(-1, 1, 5)
    m.ball = [parts.Body(m=BALL, inertia=[0.4 * BALL * RADIUS**2] * 3, r_0=[x, y, 1 + RADIUS])
              for x in rows for y in rows]
    m.skin = [contact.Sphere(radius=RADIUS) for _ in m.ball]
    for ball, skin in zip(m.ball, m.skin, strict=True):
        m.connect(ball.frame_a, skin.frame_a)
    m.roll = [contact.Pair(m.top, skin, law=contact.Rigid(mu=0.8)) for skin in m.skin]
    return m


@pytest.mark.slow
def test_balls_on_a_box_that_is_pulled():
    """a = (F − μ₁ (M + 25 m) g)/(M + 50 m/7) = 0.7385 m/s² of the box, 2/7 of it of the balls, along x, y and 60°."""
    a = (PULL - 0.4 * (MASS + COUNT * BALL) * G) / (MASS + 2 * COUNT * BALL / 7)
    assert round(a, 4) == 0.7385 and round(2 / 7 * a, 4) == 0.2110
    system = lw.compile(balls_on_a_box(), tunable=["pull.force"])
    for angle in (0.0, np.pi / 2, np.pi / 3):
        way, state = np.array([np.cos(angle), np.sin(angle), 0]), system.state()
        state.set("pull.force", PULL * way)
        r = lw.simulate(system, 1.0, state=state, accuracy=1e-10)
        assert r["body.v_0"][-1] == pytest.approx(a * way, abs=1e-9)
        for k in range(COUNT):
            assert r[f"ball[{k}].v_0"][-1] == pytest.approx(2 / 7 * a * way, abs=1e-9)
        # four corners slide on the ground: what each presses with is not unique, their sum is
        assert not any(row.unique for row in r.contacts if row.pair == "ground")
        assert all(row.unique for row in r.contacts if row.pair != "ground")
        assert r["ground.f_n"].sum(axis=1) == pytest.approx((MASS + COUNT * BALL) * G, rel=1e-9)
