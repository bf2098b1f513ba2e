"""Cables that pull like springs: energy through touch-downs, located events, turns that are kept, lanes, errors."""

import copy

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, contact, forces, joints, parts

G = 9.80665


def pegs(turn=None, d=0.0):
    """A bob on a rigid arm, held by a cable that slaps on a drum which a spring pulls to and fro."""
    m = lw.Model("pegs")
    m.world = lw.World()
    m.slide, m.cart = joints.Prismatic(n=[1, 0, 0], s=0.02), parts.Body(m=0.5, inertia=[1e-3] * 3)
    m.chain(m.world, m.slide, m.cart)
    m.home = forces.Spring(c=40.0)
    m.drum = cables.Cylinder(radius=0.1, n=[0, 0, 1], r=[0, -0.3, 0])
    m.connect(m.world.frame_b, m.home.frame_a)
    m.connect(m.cart.frame_a, m.drum.frame_a, m.home.frame_b)
    m.rev, m.arm, m.bob = joints.Revolute(phi=0.7), parts.FixedTranslation(r=[0, -0.9, 0.1]), parts.Body(
        m=0.3, inertia=[1e-4] * 3)
    m.chain(m.world, m.rev, m.arm, m.bob)
    m.rope = cables.SpringCable([(m.world.frame_b, [0, 0, 0]), m.drum.wrap(turn), (m.bob.frame_a, [0, 0, 0])],
                                c=200.0, d=d, length=0.86)
    return m


def energy(r):
    K = 0.15 * np.sum(r["bob.v_0"] ** 2, axis=1) + 0.25 * np.sum(r["cart.v_0"] ** 2, axis=1) + 5e-5 * r["rev.w"] ** 2
    return K + 0.3 * G * r["bob.r_0"][:, 1] + r["elastic_energy"]


def test_energy_is_kept_through_many_touch_downs():
    r = lw.simulate(pegs(), 10.0, accuracy=1e-10)
    E = energy(r)
    assert len(r.events) > 30
    assert 0.2 < r["rope.wrap[0].contact"].mean() < 0.8
    assert np.abs(E - E[0]).max() < 1e-9 * np.abs(E).max()


def test_damping_takes_what_the_cable_says():
    m = pegs(d=5.0)
    r = lw.simulate(m, 5.0, accuracy=1e-9)
    lost = np.trapezoid(r["rope.loss_power"], r.t)
    E = energy(r)
    assert (r["rope.loss_power"] >= -1e-12).all()
    assert E[0] - E[-1] == pytest.approx(lost, rel=2e-3)
    assert lost > 0.1


def test_length_and_rate_are_continuous_where_it_touches():
    r = lw.simulate(pegs(), 3.0, accuracy=1e-10)
    for event in r.events[:8]:
        before, after = (r.at(event.time, side=side) for side in ("before", "after"))
        assert before["rope.l"] == pytest.approx(after["rope.l"], abs=1e-11)
        assert before["rope.v"] == pytest.approx(after["rope.v"], abs=1e-9)


def test_rate_is_the_derivative_of_the_length():
    r = lw.simulate(pegs(), 2.0, accuracy=1e-10)
    h = 1e-5
    for t in (0.213, 0.451, 0.872, 1.333, 1.777):
        slope = (r.at(t + h)["rope.l"] - r.at(t - h)["rope.l"]) / (2 * h)
        assert r.at(t)["rope.v"] == pytest.approx(slope, abs=1e-7)


def whirled(v=8.0, length=1.2):
    """A bead on a cable whirls about a post and winds up on it."""
    m = lw.Model("post")
    m.world = lw.World(gravity=None)
    m.post = cables.Cylinder(radius=0.05, n=[0, 0, 1])
    m.connect(m.world.frame_b, m.post.frame_a)
    m.bead = parts.PointMass(m=0.2, r_0=[length, 0.05, 0], v_0=[0, v, 0])
    m.rope = cables.SpringCable([(m.world.frame_b, [-0.2, 0.051, 0]), m.post.wrap(), (m.bead.frame_a, [0, 0, 0])],
                                c=800.0, length=length + 0.2)
    return m


def test_turns_are_counted():
    """The cable winds up on a post: by more than two turns, as no angle of a pose can tell."""
    r = lw.simulate(whirled(), 3.4, accuracy=1e-9)
    assert r["rope.wrap[0].angle"].max() > 4.5 * np.pi
    E = 0.1 * np.sum(r["bead.v_0"] ** 2, axis=1) + r["rope.energy"]
    assert np.abs(E - E[0]).max() < 1e-8 * E[0]


def test_pulls_are_in_balance():
    """What a cable does on all bodies has no resultant and no moment."""
    r = lw.simulate(pegs(), 1.0)
    force, moment = 0, 0
    for k in range(3):
        frame = f"rope.frame_{k}"
        R = np.swapaxes(r[f"{frame}.R.T"], 1, 2)
        f, t = (np.einsum("nij,nj->ni", R, r[f"{frame}.{name}"]) for name in "ft")
        force, moment = force + f, moment + t + np.cross(r[f"{frame}.r_0"], f)
    assert np.abs(force).max() < 1e-12
    assert np.abs(moment).max() < 1e-12
    assert r["rope.f"].max() > 1


def test_lanes_have_the_bits_of_single_runs():
    angles = [0.55, 0.7, 0.85]
    study = lw.sweep(pegs(), {"rev.phi": angles}, 2.0, outputs=["rev.phi", "rope.f"])
    assert list(study.data.status.values) == ["ok"] * 3
    assert study.data.attrs["ordinary_runs"] == 0  # none was handed over
    for k, angle in enumerate(angles):
        m = pegs()
        m.rev._initial["phi"] = [angle]
        r = lw.simulate(m, 2.0)
        assert np.array_equal(study.data["rev.phi"].values[k], r["rev.phi"])
        assert np.array_equal(study.data["rope.f"].values[k], r["rope.f"])


def test_conditional_point_makes_the_length_jump_and_nothing_else():
    m = lw.Model("latch")
    m.world = lw.World()
    m.rev, m.arm, m.bob = joints.Revolute(phi=0.4), parts.FixedTranslation(r=[0, -1, 0]), parts.Body(m=1.0)
    m.chain(m.world, m.rev, m.arm, m.bob)
    m.rope = cables.SpringCable([(m.world.frame_b, [0.5, 0, 0]), cables.via(m.world.frame_b, [0.6, -0.5, 0],
                                 when=m.rev.phi < 0.1), (m.bob.frame_a, [0, 0, 0])], c=5.0, length=0.3)
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    event = next(e for e in r.events if "phi" in e.what)
    before, after = (r.at(event.time + dt) for dt in (-1e-9, 1e-9))
    assert before["rev.phi"] == pytest.approx(0.1, abs=1e-8)
    assert after["rope.l"] - before["rope.l"] > 1e-3
    assert after["rope.f"] - before["rope.f"] == pytest.approx(5 * (after["rope.l"] - before["rope.l"]), rel=1e-9)
    assert after["rev.w"] == pytest.approx(before["rev.w"], abs=1e-7)


def test_moving_point_does_no_work_of_its_own():
    """A point that moves over its body with the angle of the joint pulls at the joint as well: energy is kept."""
    m = lw.Model("moving")
    m.world = lw.World()
    m.rev, m.bob = joints.Revolute(phi=1.2), parts.Body(m=1.0, r_cm=[0, -0.5, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.rev, m.bob)
    m.rope = cables.SpringCable([(m.world.frame_b, [0.3, 0.2, 0]),
                                 cables.moving(m.bob.frame_a, [0.1 * lw.sin(m.rev.phi), -0.4 + 0.1 * m.rev.phi**2, 0]),
                                 (m.world.frame_b, [-0.4, 0.3, 0.1])], c=50.0, length=0.6)
    r = lw.simulate(m, 4.0, accuracy=1e-10)
    E = (0.5 * (0.01 + 0.25) * r["rev.w"] ** 2 + G * (-0.5 * np.cos(r["rev.phi"])) + r["rope.energy"])
    assert np.abs(E - E[0]).max() < 1e-8 * np.abs(E).max()
    assert r["rope.energy"].max() > 0.5


def test_models_with_cables_are_copied():
    m = copy.deepcopy(pegs())
    one, other = lw.simulate(m, 0.5), lw.simulate(pegs(), 0.5)
    assert np.array_equal(one["rev.phi"], other["rev.phi"])


def drop(place):
    m = lw.Model("drop")
    m.world = lw.World()
    m.drum = cables.Cylinder(radius=0.1)
    m.connect(m.world.frame_b, m.drum.frame_a)
    m.ball = parts.PointMass(m=1.0, r_0=place)
    m.rope = cables.SpringCable([(m.world.frame_b, [-0.5, 0.2, 0]), m.drum.wrap(), (m.ball.frame_a, [0, 0, 0])],
                                c=10.0, length=5.0)
    return m


def test_point_inside_a_surface_is_refused_at_the_start():
    with pytest.raises(lw.InitialError, match=r"rope: a point beside drum lies inside of it, -0\.04 m"):
        lw.simulate(drop([0.06, 0.0, 0.0]), 1.0)


def test_run_ends_where_a_point_reaches_a_surface():
    r = lw.simulate(drop([0.0, 0.5, 0.0]), 1.0)
    assert r.t[-1] == pytest.approx(np.sqrt(2 * 0.4 / G), abs=1e-9)
    assert "rope: a point of the cable has reached the surface drum" in r.messages[0]


@pytest.mark.parametrize(("route", "said"), [
    (lambda m: [(m.world.frame_b, [0, 0, 0])], "at least two points"),
    (lambda m: [m.world.frame_b, m.skin, m.ball.frame_a], r"cables\.Sphere"),
    (lambda m: [m.world.frame_b, m.ball, m.ball.frame_a], r"ball\.frame_a"),
    (lambda m: [m.world, m.drum.wrap(), m.ball.frame_a], r"one of its frames, world\.frame_b\."),
    (lambda m: [m.world.frame_b, m.drum, m.ball.frame_a], r"give drum\.wrap\(\)"),
    (lambda m: [m.world.frame_b, m.drum.wrap, m.ball.frame_a], r"is a function; call it"),
    (lambda m: [m.drum.wrap(), m.ball.frame_a], "begins and ends at points"),
    (lambda m: [m.world.frame_b, m.drum.wrap(turn=2), m.ball.frame_a], r"\+1, −1"),
    (lambda m: [m.world.frame_b, (m.ball.frame_a, [0, 1])], "three numbers"),
])
def test_bad_routes_are_refused(route, said):
    m = drop([0, 0.5, 0])
    m.skin = contact.Sphere(radius=0.1)
    with pytest.raises(lw.ModelError, match=said):
        cables.SpringCable(route(m), c=1.0, length=1.0)


def test_bad_sizes_are_refused():
    with pytest.raises(lw.ModelError, match="radius = 0 must be positive"):
        cables.Cylinder(radius=0)


def test_moment_arms_are_slopes_of_the_length():
    system = lw.compile(pegs())
    for phi in (-0.6, -0.1, 0.05, 0.3, 0.9):
        state = system.state()
        state.set("rev.phi", phi)
        for coordinate in ("rev.phi", "slide.s"):
            lengths = []
            for step in (1e-5, -1e-5):
                near = state.copy()
                near.set(coordinate, float(near.get(coordinate)) + step)
                lengths.append(float(near.get("rope.l")))
            slope = (lengths[0] - lengths[1]) / 2e-5
            assert system.moment_arm(state, "rope.l", coordinate) == pytest.approx(-slope, abs=1e-8)
    with pytest.raises(lw.ModelError, match=r"rope\.l"):
        system.moment_arm(system.state(), "rev.phi", "rev.phi")


def test_tubes_follow_the_way():
    """The points that pictures are drawn through lie on the surface, and their polygon is nearly as long as the way."""
    m = pegs()
    r = lw.simulate(m, 1.0)
    knots = np.array([r[f"rope.at[{k}]"] for k in range(m.rope.n_knots)])
    length = np.linalg.norm(np.diff(knots, axis=0), axis=2).sum(axis=0)
    on = r["rope.wrap[0].contact"] > 0
    assert on.any() and not on.all()
    assert np.all(r["rope.slack"] == 0)
    assert np.all(length <= r["rope.l"] + 1e-12)
    assert np.abs(length - r["rope.l"]).max() < 1e-3
    drum = r["cart.r_0"] + [0, -0.3, 0]
    first = (m.rope.n_knots - 11) // 2 + 1
    distance = np.linalg.norm((knots[first : first + 9] - drum)[:, :, :2], axis=2)
    assert np.abs(distance[:, on] - 0.1).max() < 1e-12


@pytest.mark.parametrize(("end", "length", "depth"), [
    ([1.0, 0, 0], 1.02, np.sqrt(0.375 * 0.02)), ([0, 0.5, 0], 1.5, 0.5), ([0.3, 0.4, 0], 0.5, 0.0)])
def test_a_slack_rope_hangs(end, length, depth):
    """Level: a parabola of depth √(⅜ c e); straight up and down: a fold that reaches e/2 below the lower end."""
    m = lw.Model("slack")
    m.world = lw.World()
    m.load = parts.PointMass(m=1.0, r_0=end)
    m.rope = cables.SpringCable([m.world.frame_b, m.load.frame_a], c=1.0, length=length)
    state = lw.compile(m).state()
    knots = np.array([state.get(f"rope.at[{k}]") for k in range(m.rope.n_knots)])
    assert float(state.get("rope.slack")) == pytest.approx(length - np.linalg.norm(end), abs=1e-15)
    assert -knots[:, 1].min() == pytest.approx(depth, abs=0.06 * depth + 1e-12)
    assert knots[0] == pytest.approx(np.zeros(3)) and knots[-1] == pytest.approx(np.array(end))


def row():
    """A cable over two cylinders that are not parallel, without a point between them."""
    m = lw.Model("row")
    m.world = lw.World()
    m.one, m.two = cables.Cylinder(radius=0.1), cables.Cylinder(radius=0.15, r=[0.6, -0.1, 0], n=[0, 0.1, 1])
    m.connect(m.world.frame_b, m.one.frame_a, m.two.frame_a)
    m.rev, m.place = joints.Revolute(phi=0.2), parts.FixedTranslation(r=[0.6, -0.1, 0])
    m.arm, m.bob = parts.FixedTranslation(r=[0.6, 0, 0.05]), parts.Body(m=1.0, inertia=[1e-3] * 3)
    m.chain(m.world, m.place, m.rev, m.arm, m.bob)
    m.rope = cables.SpringCable([(m.world.frame_b, [-0.5, -0.12, 0]), m.one.wrap(), m.two.wrap(), m.bob.frame_a],
                                c=300.0, length=1.65)
    return m


def test_two_surfaces_in_a_row():
    m = row()
    r = lw.simulate(m, 4.0, accuracy=1e-10)
    E = 0.5 * (1e-3 + 0.36) * r["rev.w"] ** 2 + G * r["bob.r_0"][:, 1] + r["rope.energy"]
    assert np.abs(E - E[0]).max() < 1e-8
    assert r["rope.wrap[0].contact"].all() and r["rope.wrap[1].contact"].all()
    for t in (0.3, 0.9, 1.7):
        slope = (r.at(t + 1e-5)["rope.l"] - r.at(t - 1e-5)["rope.l"]) / 2e-5
        assert r.at(t)["rope.v"] == pytest.approx(slope, abs=1e-7)
    # between them it is straight: the parts that arrive and leave have one direction
    gap = (m.rope.n_knots - 20) // 3
    last = gap + 9  # on the first cylinder; the next one on the second is behind the points between
    ends = np.array([r[f"rope.at[{k}]"] for k in (last - 1, last, last + gap + 1, last + gap + 2)])
    inner = (ends[2] - ends[1]) / np.linalg.norm(ends[2] - ends[1], axis=1)[:, None]
    normal = ends[1] - [0, 0, 0]
    assert np.abs(np.einsum("ni,ni->n", inner[:, :2], normal[:, :2])).max() < 1e-12
