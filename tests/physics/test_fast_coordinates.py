"""Coordinates without inertia follow in equilibrium: closed forms, limits of small masses, laws of conservation."""

import numpy as np
import pytest

import linkwright as lw
from balance import imbalances
from linkwright import forces, joints, parts, rotational, translational


def spring_at(m, name, joint, c, rest=0.0, d=None):
    """A spring, or spring and damper, on the axis of a joint of a model."""
    turns = isinstance(joint, joints.Revolute)
    room, zero = (rotational, "phi_rel0") if turns else (translational, "s_rel0")
    law = room.Spring(c=c, **{zero: rest}) if d is None else room.SpringDamper(c=c, d=d, **{zero: rest})
    setattr(m, name, law)
    m.connect(joint.support, law.flange_a)
    m.connect(joint.axis, law.flange_b)


def leaf(mass=0.0, quasi_static=False, **start):
    """A pendulum that carries a link on a sprung joint, whose end is pulled by a spring to the world."""
    m = lw.Model("leaf")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=0.5)
    m.body = parts.BodyShape(m=1.0, r=[1, 0, 0], r_cm=[0.5, 0, 0])
    m.elbow = joints.Revolute(n=[0, 0, 1], **start)
    m.link = parts.FixedTranslation(r=[0.3, 0, 0])
    m.chain(m.world, m.rev, m.body, m.elbow, m.link)
    spring_at(m, "spring", m.elbow, 5.0)
    m.anchor, m.pull = parts.Fixed(r=[1.5, -1, 0]), forces.Spring(c=20.0, s_unstretched=0.5)
    m.connect(m.link.frame_b, m.pull.frame_a)
    m.connect(m.anchor.frame_b, m.pull.frame_b)
    if mass:
        m.tip = parts.Body(m=mass, inertia=[mass * 1e-2] * 3, quasi_static=quasi_static)
        m.connect(m.link.frame_b, m.tip.frame_a)
    return m


def swing(r):
    """How much the energy of a run varies."""
    return np.ptp(r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"])


def test_springs_in_series_through_a_massless_slider():
    """c₁ between wall and slider, c₂ between slider and mass: ω² = c/m with c = c₁ c₂/(c₁ + c₂)."""
    m = lw.Model("series")
    m.world = lw.World(gravity=None)
    m.slider, m.rail = joints.Prismatic(n=[1, 0, 0]), joints.Prismatic(n=[1, 0, 0], s=0.1)
    m.body = parts.Body(m=2.0)
    m.chain(m.world, m.slider, m.rail, m.body)
    spring_at(m, "first", m.slider, 30.0)
    spring_at(m, "second", m.rail, 60.0)
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    x = 0.3 * np.cos(np.sqrt(20.0 / 2.0) * r.t)
    np.testing.assert_allclose(r["body.r_0"][:, 0], x, atol=1e-9)
    np.testing.assert_allclose(r["slider.s"], x * 2 / 3, atol=1e-9)
    assert swing(r) < 1e-9
    assert "slider.s" in str(r.system) or "rail.s" in str(r.system)


def test_a_massless_leaf_is_the_limit_of_small_masses():
    """The motion of what has mass differs by O(mass), and the leaf is in balance all along."""
    exact = lw.simulate(leaf(), 1.0, accuracy=1e-10)
    assert swing(exact) < 1e-7 and imbalances(exact) == {}
    begins = float(exact["elbow.phi"][0])
    off = [np.max(np.abs(lw.simulate(leaf(mass, phi=begins), 1.0, accuracy=1e-9)["rev.phi"] - exact["rev.phi"]))
           for mass in (4e-3, 4e-4)]
    assert off[0] / off[1] == pytest.approx(10, rel=0.25)
    # by hand: the torque of the pull about the elbow is that of the spring
    end, elbow = exact["link.frame_b.r_0"], exact["elbow.frame_a.r_0"]
    way = np.array([1.5, -1, 0]) - end
    length = np.linalg.norm(way, axis=1)
    pull = (20 * (length - 0.5) / length)[:, None] * way
    torque = np.cross(end - elbow, pull)[:, 2]
    np.testing.assert_allclose(torque, 5.0 * exact["elbow.phi"], atol=1e-7)


def test_massless_links_between_sprung_joints_on_one_axis():
    """No single joint lacks inertia, but the link between them does: c = c₁ c₂/(c₁ + c₂)."""
    m = lw.Model("shaft")
    m.world = lw.World(gravity=None)
    m.first, m.second = joints.Revolute(n=[0, 0, 1], phi=0.3), joints.Revolute(n=[0, 0, 1])
    m.link, m.body = parts.FixedTranslation(r=[0, 0, 0.2]), parts.Body(m=1, r_cm=[0.5, 0, 0], inertia=[0.1] * 3)
    m.chain(m.world, m.first, m.link, m.second, m.body)
    spring_at(m, "one", m.first, 6.0)
    spring_at(m, "two", m.second, 3.0)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    angle = 0.9 * np.cos(np.sqrt(2.0 / 0.35) * r.t)
    np.testing.assert_allclose(r["first.phi"] + r["second.phi"], angle, atol=1e-9)
    np.testing.assert_allclose(r["first.phi"], angle / 3, atol=1e-9)


def folded(mass=0.0, **starts):
    """Four sprung joints in a plane, with massless links between them, carry a body of three freedoms."""
    m = lw.Model("folded")
    m.world = lw.World()
    before, rest = m.world.frame_b, (1.0, -1.5, 1.2, -1.4)
    for k in range(4):
        joint = joints.Revolute(n=[0, 0, 1], phi=starts.get(f"j{k}", lw.guess(rest[k])))
        link = parts.FixedTranslation(r=[0.5, 0, 0])
        setattr(m, f"j{k}", joint)
        setattr(m, f"link{k}", link)
        m.connect(before, joint.frame_a)
        m.connect(joint.frame_b, link.frame_a)
        before = link.frame_b
        spring_at(m, f"s{k}", joint, 200.0 + k, rest[k])
        if mass and k < 3:
            setattr(m, f"light{k}", parts.Body(m=mass, inertia=[0.1 * mass] * 3))
            m.connect(before, getattr(m, f"light{k}").frame_a)
    m.body = parts.Body(m=1, r_cm=[0.5, 0, 0], inertia=[0.5] * 3)
    m.connect(before, m.body.frame_a)
    return m


def test_a_chain_with_more_joints_than_its_body_has_freedoms():
    r = lw.simulate(folded(), 0.5, accuracy=1e-10)
    assert len([c for c in r.system.mechanism.constraints if c.name.startswith("equilibrium of")]) == 1
    assert swing(r) < 1e-7
    begins = {f"j{k}": float(r[f"j{k}.phi"][0]) for k in range(4)}
    off = [np.linalg.norm(lw.simulate(folded(mass, **begins), 0.1, accuracy=1e-9)["body.r_0"][-1]
                          - r.at(0.1)["body.r_0"]) for mass in (4e-3, 4e-4)]
    assert off[0] / off[1] == pytest.approx(10, rel=0.3)


def test_massless_links_in_a_loop():
    """A body on a rail, held by a chain of massless links on sprung joints: two freedoms, one without inertia."""
    m = lw.Model("loop")
    m.world = lw.World()
    m.rail, m.body = joints.Prismatic(n=[1, 0, 0]), parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.body)
    rest, at = (0.9, -1.1, -1.0, 1.6), [m.world]
    for k in range(4):
        setattr(m, f"j{k}", joints.Revolute(n=[0, 0, 1], phi=lw.guess(rest[k])))
        at.append(getattr(m, f"j{k}"))
        if k < 3:
            setattr(m, f"link{k}", parts.FixedTranslation(r=[(1.0, 1.0, 0.3)[k], 0, 0]))
            at.append(getattr(m, f"link{k}"))
    m.chain(*at)
    m.connect(m.j3.frame_b, m.body.frame_a)
    for k in range(4):
        spring_at(m, f"s{k}", getattr(m, f"j{k}"), 100.0 + k, rest[k])
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    assert swing(r) < 1e-9
    # the balance, by hand: forces along the rail that the springs exert are those of least energy at each place of it
    moments = np.array([(100.0 + k) * (r[f"j{k}.phi"] - rest[k]) for k in range(4)])
    places = np.array([r[f"j{k}.frame_a.r_0"][:, :2] for k in range(4)])
    # a motion of the four joints that leaves the body where it is: Σ δ = 0, Σ δ p = 0
    for at in (0, 200, 400):
        A = np.vstack([np.ones(4), places[:, at, 0], places[:, at, 1]])
        still = np.linalg.svd(A)[2][-1]
        assert abs(still @ moments[:, at]) < 1e-8


def slider(d=None, quasi_static=False, **given):
    """A slider without inertia on a spring, pushed by a signal; beside it a mass on a spring of its own."""
    m = lw.Model("slider")
    m.world = lw.World(gravity=None)
    m.rail = joints.Prismatic(n=[1, 0, 0], **given)
    m.cart = joints.Prismatic(n=[1, 0, 0], s=0.2)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rail)
    m.chain(m.world, m.cart, m.body)
    m.push = forces.WorldForce(force=[m.input("F", default=3.0), 0, 0])
    m.connect(m.rail.frame_b, m.push.frame_b)
    m.coupling = forces.Spring(c=7.0)
    m.connect(m.rail.frame_b, m.coupling.frame_a)
    m.connect(m.body.frame_a, m.coupling.frame_b)
    spring_at(m, "spring", m.rail, 10.0, d=d)
    return m


def test_with_a_damper_it_creeps():
    """d ṡ = −c s: what is damped is of first order, and starts where it is told."""
    m = lw.Model("creep")
    m.world = lw.World(gravity=None)
    m.rail, m.end = joints.Prismatic(n=[1, 0, 0], s=0.5), parts.FixedTranslation(r=[0.1, 0, 0])
    m.chain(m.world, m.rail, m.end)
    spring_at(m, "spring", m.rail, 10.0, d=4.0)
    m.push = forces.WorldForce(force=[3.0, 0, 0])
    m.connect(m.end.frame_b, m.push.frame_b)
    r = lw.simulate(m, 2.0, accuracy=1e-11)
    np.testing.assert_allclose(r["rail.s"], 0.3 + 0.2 * np.exp(-2.5 * r.t), atol=1e-9)


def test_an_input_that_jumps_moves_it_at_once():
    """What has mass does not notice more than the force."""
    r = lw.simulate(slider(), 1.0, accuracy=1e-11, inputs={"F": lw.where(lw.time < 0.4, 3.0, -5.0)})
    at, F = np.abs(r.t - 0.4) > 1e-9, np.where(r.t < 0.4, 3.0, -5.0)
    np.testing.assert_allclose((17 * r["rail.s"])[at], (F + 7 * r["cart.s"])[at], atol=1e-8)
    assert np.max(np.abs(np.diff(r["cart.v"]))) < 0.02
    # at an event within a run too
    m = slider()
    m.push.force = [lw.where(m.cart.s > 0.1, 3.0, -5.0), 0, 0]
    r = lw.simulate(m, 1.0, accuracy=1e-11)
    np.testing.assert_allclose(17 * r["rail.s"], np.where(r["cart.s"] > 0.1, 3.0, -5.0) + 7 * r["cart.s"], atol=1e-8)


def test_a_light_body_declared_quasi_static_weighs_but_resists_nothing():
    """It hangs where statics says, and the motion is the limit of that with small inertia."""
    r = lw.simulate(leaf(0.05, quasi_static=True), 0.5, accuracy=1e-10)
    assert swing(r) < 1e-7
    end, elbow = r["link.frame_b.r_0"], r["elbow.frame_a.r_0"]
    way = np.array([1.5, -1, 0]) - end
    length = np.linalg.norm(way, axis=1)
    loads = (20 * (length - 0.5) / length)[:, None] * way + [0, -0.05 * 9.80665, 0]
    np.testing.assert_allclose(np.cross(end - elbow, loads)[:, 2], 5.0 * r["elbow.phi"], atol=1e-7)


def test_frequencies_and_derivatives_of_what_has_no_inertia():
    m = lw.Model("series")
    m.world = lw.World(gravity=None)
    m.slider, m.rail = joints.Prismatic(n=[1, 0, 0]), joints.Prismatic(n=[1, 0, 0], s=0.1)
    m.body = parts.Body(m=2.0)
    m.chain(m.world, m.slider, m.rail, m.body)
    spring_at(m, "first", m.slider, 30.0)
    spring_at(m, "second", m.rail, 60.0)
    found = np.linalg.eigvals(lw.linearize(m).A)
    assert np.sort(np.abs(found[np.abs(found) > 1e-6]))[-2:] == pytest.approx(np.sqrt(10.0), rel=1e-7)
    value, slopes = lw.gradient(leaf(), lw.final("rev.phi"), 0.5, ["spring.c", "pull.c", "body.m"])
    h = 1e-4
    for name, slope in zip(("spring.c", "pull.c", "body.m"), slopes, strict=True):
        ends = []
        for way in (-h, h):
            changed = leaf()
            part, _, what = name.partition(".")
            setattr(getattr(changed, part), what, getattr(getattr(changed, part), what) * (1 + way))
            ends.append(float(lw.simulate(changed, 0.5, accuracy=1e-11)["rev.phi"][-1]))
        size = {"spring.c": 5.0, "pull.c": 20.0, "body.m": 1.0}[name]
        assert slope == pytest.approx((ends[1] - ends[0]) / (2 * h * size), rel=2e-5)


def test_starts_that_do_not_fit():
    with pytest.raises(lw.InitialError, match="elbow"):
        lw.simulate(leaf(phi=0.1), 0.1)
    start = lw.compile(leaf(phi=lw.guess(0.1))).state()
    assert start.get("rev.phi") == 0.5


def test_what_nothing_determines_is_refused():
    m = lw.Model("loose")
    m.world, m.rev = lw.World(), joints.Revolute(n=[0, 0, 1])
    m.body, m.elbow = parts.BodyShape(m=1.0, r=[1, 0, 0]), joints.Revolute()
    m.link = parts.FixedTranslation(r=[1, 0, 0])
    m.chain(m.world, m.rev, m.body, m.elbow, m.link)
    m.push = forces.WorldForce(force=[0, 0, 1])
    m.connect(m.link.frame_b, m.push.frame_b)
    with pytest.raises(lw.ModelError, match="elbow.phi: nothing resists this motion"):
        lw.compile(m)


def test_hard_stops_and_dry_friction_on_it_are_refused():
    for given in ({"phi_max": 1.0}, {"friction": lw.Coulomb(tau=1.0)}):
        m = leaf()
        for name, value in given.items():
            setattr(m.elbow, name, value)
        with pytest.raises(lw.ModelError, match="elbow.*: it acts on what has no inertia"):
            lw.compile(m)
