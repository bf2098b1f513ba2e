"""Pairs that are far apart are left aside while events are looked for, and no touch is missed by that."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, translational
from linkwright.codegen import Program, Straight, compile_program
from linkwright.system import event_programs, far_pairs

SOLIDS = {"point": contact.Point, "plane": lambda: contact.Plane(n=[0, 1, 0]),
          "box": lambda: contact.Box(size=[0.5, 0.1, 0.3]),
          "sphere": lambda: contact.Sphere(radius=0.1), "capsule": lambda: contact.Capsule(length=0.4, radius=0.05),
          "cylinder": lambda: contact.Cylinder(length=0.3, radius=0.1), "disc": lambda: contact.Disc(radius=0.2)}


def body(**options) -> parts.Body:
    return parts.Body(m=1, inertia=[1e-3, 2e-3, 2.5e-3], **options)


def of_kinds(*kinds: str) -> lw.Model:
    """Shapes of these kinds, each on a body of its own but for a plane; all pairs that can be rigid."""
    m = lw.Model("kinds")
    m.world = lw.World(g=0)
    m.skin = [SOLIDS[kind]() for kind in kinds]
    m.body = [body(r_0=[2.0 * k, 1, 0]) for k, kind in enumerate(kinds) if kind != "plane"]
    bodies = iter(m.body)
    for kind, skin in zip(kinds, m.skin, strict=True):
        m.connect(m.world.frame_b if kind == "plane" else next(bodies).frame_a, skin.frame_a)
    m.touch = contact.Pair(*m.skin, law=contact.Rigid(mu=0.3))
    return m


PAIRS = [("plane", "point"), ("box", "point"), ("plane", "sphere"), ("plane", "box"), ("plane", "capsule"),
         ("box", "sphere"), ("sphere", "sphere"), ("capsule", "capsule"), ("capsule", "sphere"), ("plane", "cylinder"),
         ("plane", "disc")]


@pytest.mark.parametrize("kinds", PAIRS)
def test_no_gap_falls_below_the_distance_that_is_known_of_a_pair(kinds):
    """d ≤ gap at any pose; |ḋ| ≤ s, and the least gap changes no faster than s + w."""
    system = lw.compile(of_kinds(*kinds))
    e, layout, rng = system.equations, system.layout, np.random.default_rng(1)
    pair, = far_pairs.far_pairs(e)
    gaps = ca.vertcat(*[c.gap for c in e.mechanism.events.contacts])
    outputs = e.finish(ca.vertcat(pair.distance, pair.speed, pair.turning, gaps))[0]
    f = ca.Function("f", [e.symbols[n] for n in "qu"], [outputs], {"allow_free": False})
    qdot = ca.Function("qdot", [e.symbols[n] for n in "qu"], [e.qdot])
    code = compile_program(Program("f", [("q", f.numel_in(0)), ("u", f.numel_in(1))], [("y", f.numel_out(0))],
                                   [Straight(f, ("q", "u"), ("y",))]))
    assert layout.size("y") == 0
    for _ in range(40):
        q, u = system.state().q + 0.8 * rng.normal(size=e.mechanism.nq), rng.normal(size=e.mechanism.nu)
        for start in system.quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        d, s, w, *gap = code(np.concatenate([q, u]))
        assert d <= min(gap) + 1e-12
        h = 1e-6
        later = code(np.concatenate([q + h * np.array(qdot(q, u)).ravel(), u]))
        assert abs(later[0] - d) <= h * s * (1 + 1e-4) + 1e-11
        if min(gap) > 0 and "box" not in kinds:
            # corners and edges of a box: its least gap is the distance where it lies over the other shape
            assert abs(min(later[3:]) - min(gap)) <= h * (s + w) * (1 + 1e-4) + 1e-11


def without_far(monkeypatch) -> None:
    """No pair is known to be far."""
    monkeypatch.setattr(event_programs, "far_pairs", lambda e: [])
    monkeypatch.setattr(far_pairs, "far_pairs", lambda e: [])


def bullet() -> lw.Model:
    """A ball of 5 mm at 800 m/s, and a plate of 1 mm."""
    m = lw.Model("bullet")
    m.world = lw.World(g=0)
    m.ball, m.plate = body(r_0=[-4, 0.01, 0], v_0=[800, 0, 0]), body(r_0=[0, 0, 0])
    m.lead, m.steel = contact.Sphere(radius=0.005), contact.Box(size=[0.001, 0.5, 0.5])
    m.connect(m.ball.frame_a, m.lead.frame_a)
    m.connect(m.plate.frame_a, m.steel.frame_a)
    m.touch = contact.Pair(m.steel, m.lead, law=contact.Rigid(restitution=0.5))
    return m


def rod() -> lw.Model:
    """A rod of 2 m that spins ten times a second; a ball falls into its way."""
    m = lw.Model("rod")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], w=62.8, phi=0.3)
    m.arm = parts.Body(m=1, inertia=[0.01, 0.3, 0.3], r_cm=[0, 0, 0])
    m.rod, m.skin = contact.Capsule(length=2.0, radius=0.01, n=[1, 0, 0]), contact.Sphere(radius=0.02)
    m.ball = body(r_0=[0.9, 3.0, 0])
    m.chain(m.world, m.rev, m.arm)
    m.connect(m.arm.frame_a, m.rod.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.rod, m.skin, law=contact.Rigid(restitution=0.2))
    return m


def hammer() -> lw.Model:
    """A prescribed motion, quick for a moment after a second of rest, strikes a ball."""
    m = lw.Model("hammer")
    m.world = lw.World(g=0)
    m.slide = joints.Prismatic(n=[1, 0, 0])
    m.drive = translational.Position(s_ref=0.5 * lw.exp(-(((lw.time - 1.0) / 0.05) ** 2)), exact=True)
    m.connect(m.drive.flange, m.slide.axis)
    m.head, m.ball = parts.Body(m=1, r_cm=[0, 0, 0]), body(r_0=[0.6, 0, 0])
    m.face, m.skin = contact.Sphere(radius=0.05), contact.Sphere(radius=0.1)
    m.chain(m.world, m.slide, m.head)
    m.connect(m.head.frame_a, m.face.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.face, m.skin, law=contact.Rigid(restitution=0.3))
    return m


def thrown() -> lw.Model:
    """The first ball hits the second, which flies to a third that was far before."""
    m = lw.Model("thrown")
    m.world = lw.World(g=0)
    m.ball = [body(r_0=[x, 0, 0], v_0=[v, 0, 0]) for x, v in ((0, 50), (1, 0), (30, 0))]
    m.skin = [contact.Sphere(radius=0.1) for _ in m.ball]
    for ball, skin in zip(m.ball, m.skin, strict=True):
        m.connect(ball.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(restitution=1.0))
    return m


@pytest.mark.parametrize("model, hits", [(bullet, [(4 - 0.0055) / 800]), (rod, None), (hammer, None),
                                         (thrown, [0.8 / 50, 0.8 / 50 + 28.8 / 50])])
def test_what_comes_from_afar_touches_in_time(model, hits, monkeypatch):
    """A bullet and a thin plate, a long rod that spins, a given motion, a body that an impact throws: at the instants
    at which they touch where all gaps are looked at."""
    r = lw.simulate(model(), 1.5, accuracy=1e-9)
    found = [row.time for row in r.contacts if row.what == "hit"]
    if hits is not None:
        assert found == pytest.approx(hits, abs=1e-12)
    assert found
    with monkeypatch.context() as patch:
        without_far(patch)
        slow = lw.simulate(model(), 1.5, accuracy=1e-9)
    assert found == pytest.approx([row.time for row in slow.contacts if row.what == "hit"], abs=1e-10)


def among(count: int) -> lw.Model:
    """A ball that bounces on a floor, and some others far away, each over a plate of its own."""
    m = lw.Model("among others")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.ball = [body(r_0=[20.0 * k, 1 if k == 0 else 500.0, 0]) for k in range(count + 1)]
    m.skin = [contact.Sphere(radius=0.1) for _ in m.ball]
    for ball, skin in zip(m.ball, m.skin, strict=True):
        m.connect(ball.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(restitution=0.8, mu=0.3))
    return m


def test_bodies_far_away_change_nothing():
    """Neither when the ball hits the floor nor how often gaps are asked for."""
    alone, others = (lw.simulate(among(count), 3.0) for count in (0, 8))
    assert [row.time for row in others.contacts] == pytest.approx([row.time for row in alone.contacts], abs=1e-9)
    assert others.counters["witnesses"] < 1.5 * alone.counters["witnesses"]
