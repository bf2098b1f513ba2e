"""Rigid contact: closed forms of bouncing, sliding, rolling and holding."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, forces, joints, parts
from linkwright import planar as pl

G = 9.81


def ball(law, height=0.1, v=(0, 0, 0), w=(0, 0, 0), radius=0.1):
    m = lw.Model("ball")
    m.world = lw.World(g=G)
    m.floor, m.skin = contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=radius)
    m.ball = parts.Body(m=1, inertia=[0.4 * radius**2] * 3, r_0=[0, height, 0], v_0=list(v), w_a=list(w))
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


def test_a_bouncing_ball_comes_to_rest_and_stays():
    """Impacts at √(2h/g) (1 + 2 Σ eⁱ), rest at √(2h/g)(1 + e)/(1 − e) (flights below 1e-7 s are none)."""
    e, first = 0.9, np.sqrt(2 / G)
    r = lw.simulate(ball(contact.Rigid(restitution=e), 1.1), 110.0)
    hits = np.array([row.time for row in r.contacts if row.what == "hit"])
    exact = first * (1 + 2 * np.cumsum([0.0, *e ** np.arange(1, 100)]))
    assert hits[:100] == pytest.approx(exact, abs=1e-11)
    last = r.contacts[-1]
    assert last.what == "rest" and last.time == pytest.approx(8.578949178728887, abs=1e-6)
    assert r.events[-1].time == last.time
    assert r["ball.r_0"][-1, 1] == pytest.approx(0.1, abs=1e-12)
    assert r["touch.f_n"][-1] == pytest.approx(G, abs=1e-9)


def test_impacts_slower_than_capture_give_nothing_back():
    """It arrives at √(2g), half of that, and a quarter, 1.11 m/s, which is too slow."""
    r = lw.simulate(ball(contact.Rigid(restitution=0.5, capture=1.2), 1.1), 2.0)
    *hits, last = r.contacts
    assert [row.speed for row in hits] == pytest.approx(np.sqrt(2 * G) / np.array([1, 2, 4]), abs=1e-9)
    assert last.what == "rest" and last.time == hits[-1].time


def test_what_impacts_cost_is_in_the_table():
    r = lw.simulate(ball(contact.Rigid(restitution=0.5), 1.1), 1.0)
    energy = r["kinetic_energy"] + r["potential_energy"]
    lost = sum(row.loss for row in r.contacts)
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-8)
    assert r.contacts[0].speed == pytest.approx(np.sqrt(2 * G), abs=1e-9)
    assert r.contacts[0].impulse == pytest.approx(1.5 * np.sqrt(2 * G), abs=1e-9)


def test_a_sliding_ball_rolls():
    """t = 2v/(7μg), v' = 5v/7, s = 12v²/(49μg)."""
    r = lw.simulate(ball(contact.Rigid(mu=0.2), v=(1, 0, 0)), 1.0, accuracy=1e-10)
    slide, stick = r.contacts
    assert (slide.what, stick.what) == ("slide", "stick")
    assert stick.time == pytest.approx(2 / (7 * 0.2 * G), abs=1e-10)
    assert r.at(stick.time)["ball.r_0"][0] == pytest.approx(12 / (49 * 0.2 * G), abs=1e-10)
    assert r["ball.v_0"][-1, 0] == pytest.approx(5 / 7, abs=1e-10)
    assert r["touch.f_t"][0] == pytest.approx([-0.2 * G, 0, 0], abs=1e-9)


def test_a_spinning_ball_slides_the_same_way_in_every_direction():
    """No pyramid: turning the start about the normal turns the motion."""
    ends = []
    for angle in (0.0, 0.5, 2.0):
        turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        r = lw.simulate(ball(contact.Rigid(mu=0.2), v=turn @ [1, 0, 0], w=turn @ [3, 0, 5]), 1.0, accuracy=1e-10)
        ends.append(turn.T @ r["ball.r_0"][-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-9) and ends[2] == pytest.approx(ends[0], abs=1e-9)


def flat_block(slope, law, v=0.0, size=(0.1, 0.1)):
    """A block in the plane, on a slope that falls to the right."""
    m = lw.Model("block")
    m.world, m.fixed = pl.World(g=G), pl.Fixed(phi=-slope)
    m.floor = pl.contact.Line(n=[0, 1])
    a, b = np.array(size) / 2
    m.skin = pl.contact.Polygon([[-a, -b], [a, -b], [a, b], [-a, b]])
    down = np.array([np.cos(slope), -np.sin(slope)])
    m.body = pl.Body(m=1, I=(size[0]**2 + size[1]**2) / 12, phi=-slope, r=b * np.array([np.sin(slope), np.cos(slope)]),
                     v=v * down)
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    m.output("way", (m.body.r[0] - m.body.r[1] * np.tan(slope)) * np.cos(slope))
    return m


def test_a_block_holds_on_a_slope_just_below_friction():
    """No creep: a displacement of less than 1e-12 m in 1e4 s."""
    r = lw.simulate(flat_block(np.arctan(0.999 * 0.5), contact.Rigid(mu=0.5)), 1e4)
    assert np.abs(r["body.r"] - r["body.r"][0]).max() <= 1e-12
    assert {row.what for row in r.contacts} == {"stick"}


def test_forces_that_statics_leaves_open_are_shared_and_told():
    """Two corners that stick: normal forces follow from statics, what rubs in sum only; each rubs by 1/(μN)."""
    slope = np.arctan(0.3)
    r = lw.simulate(flat_block(slope, contact.Rigid(mu=0.5)), 0.1)
    assert [row.unique for row in r.contacts] == [False, False]
    pressed, rubbed = r["touch.f_n"][-1], r["touch.f_t"][-1] @ [-np.cos(slope), np.sin(slope), 0]
    pressing = pressed > 0
    # moments about the middle of the block: its weight has no arm, the sum of what rubs has half its height
    assert pressed[pressing].sum() == pytest.approx(G * np.cos(slope), rel=1e-9)
    assert abs(np.diff(pressed[pressing])[0]) == pytest.approx(G * np.sin(slope), rel=1e-9)
    assert (rubbed / np.maximum(pressed, 1e-300))[pressing] == pytest.approx([0.3, 0.3], rel=1e-6)
    assert [message for message in r.messages if message.startswith("touch: forces of contact are not unique")]
    sliding = lw.simulate(flat_block(np.arctan(0.6), contact.Rigid(mu=0.5)), 0.1)
    assert sliding["touch.f_n"][-1].sum() > 0 and all(row.unique for row in sliding.contacts) and not sliding.messages


def test_a_block_slides_on_a_slope_just_above_friction():
    slope = np.arctan(1.001 * 0.5)
    r = lw.simulate(flat_block(slope, contact.Rigid(mu=0.5)), 1.0)
    moved = np.linalg.norm(r["body.r"][-1] - r["body.r"][0])
    assert moved == pytest.approx(G * (np.sin(slope) - 0.5 * np.cos(slope)) / 2, rel=1e-9)


def test_a_sliding_block_is_not_lifted():
    r = lw.simulate(flat_block(0.0, contact.Rigid(mu=0.5), v=1.0), 1.0)
    assert np.abs(r["body.v"][:, 1]).max() <= 1e-20
    assert r["body.r"][-1, 0] == pytest.approx(1 / (2 * 0.5 * G), abs=1e-10)


def test_friction_at_rest_holds_more_than_in_motion():
    slope = np.arctan(0.55)
    held = lw.simulate(flat_block(slope, contact.Rigid(mu=0.5, mu_s=0.6)), 1.0)
    moving = lw.simulate(flat_block(slope, contact.Rigid(mu=0.5, mu_s=0.6), v=0.1), 1.0)
    assert np.linalg.norm(held["body.r"][-1] - held["body.r"][0]) <= 1e-12
    way = 0.1 + G * (np.sin(slope) - 0.5 * np.cos(slope)) / 2
    assert np.linalg.norm(moving["body.r"][-1] - moving["body.r"][0]) == pytest.approx(way, rel=1e-6)


@pytest.mark.slow
def test_a_cube_on_four_corners_holds_by_its_cones():
    """Least forces would let it slip at tan α = μ/1.5: the uphill corners press less."""
    slope = np.arctan(0.999 * 0.5)
    m = lw.Model("cube")
    m.world = lw.World(g=G)
    m.tilt, m.floor = parts.FixedRotation(n=[0, 0, 1], angle=-slope), contact.Plane(n=[0, 1, 0])
    m.free, m.body = joints.FreeMotion(r_rel_a=[0, 0.05, 0]), parts.Body(m=1, inertia=[1 / 600] * 3)
    m.skin = contact.Box(size=[0.1, 0.1, 0.1])
    m.chain(m.world, m.tilt, m.free, m.body)
    m.connect(m.tilt.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.5))
    r = lw.simulate(m, 1e4)
    assert np.abs(r["body.r_0"] - r["body.r_0"][0]).max() <= 1e-12
    pressed, rubbed = r["touch.f_n"][-1], np.linalg.norm(r["touch.f_t"][-1], axis=1)
    assert sum(pressed) == pytest.approx(G * np.cos(slope), rel=1e-9)
    assert np.all(rubbed <= 0.5 * pressed + 1e-12)


def test_bodies_that_start_inside_one_another_are_refused():
    said = r"touch: the run starts with its two shapes 0\.05 m inside one another \(.*\)\. Move \w+ with its body"
    with pytest.raises(lw.SimulationError, match=said):
        lw.simulate(ball(contact.Rigid(), 0.05), 1.0)


def test_laws_that_make_no_sense_are_refused():
    floor, skin = contact.Plane(), contact.Sphere(radius=0.1)
    for law, message in ((contact.Rigid(mu=-1), "mu = -1 cannot be negative"),
                         (contact.Rigid(restitution=2), "restitution = 2 must lie between 0 and 1"),
                         (contact.Rigid(impact="soft"), "must be one of poisson, newton"),
                         (contact.Rigid(mu=0.5, mu_s=0.4), "mu_s = 0.4 is smaller than mu")):
        with pytest.raises(lw.ModelError, match=message):
            contact.Pair(floor, skin, law=law)


def test_what_is_not_given_is_neither_rough_nor_elastic():
    assert contact.Rigid() == contact.Rigid(restitution=0.0, mu=0.0, mu_s=None, impact="poisson", capture=0.0)


def test_a_cube_holds_beside_one_that_slides():
    """How four corners share is not unique for either; that one slides must not let the other go."""
    slope = np.arctan(0.5)
    up = np.array([np.sin(slope), np.cos(slope), 0])
    m = lw.Model("two cubes")
    m.world, m.slope = lw.World(g=G), contact.Plane(n=list(up))
    m.connect(m.world.frame_b, m.slope.frame_a)
    m.box = [parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[*(0.1 * up)[:2], z], angles=[0, 0, -slope]) for z in (-1, 1)]
    m.skin = [contact.Box(size=[0.2] * 3) for _ in m.box]
    for box, skin in zip(m.box, m.skin, strict=True):
        m.connect(box.frame_a, skin.frame_a)
    m.touch = [contact.Pair(m.slope, skin, law=contact.Rigid(mu=mu))
               for skin, mu in zip(m.skin, (0.501, 0.45), strict=True)]
    r = lw.simulate(m, 0.5)
    moved = [np.linalg.norm(r[f"box[{k}].r_0"][-1] - r[f"box[{k}].r_0"][0]) for k in range(2)]
    assert moved[0] < 1e-12
    assert moved[1] == pytest.approx(G * (np.sin(slope) - 0.45 * np.cos(slope)) * 0.5**2 / 2, abs=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_contact_that_no_motion_can_change_leaves_the_motion_alone(mu):
    """A ball on the very axis it turns about, over a floor along the axis: a gap that stays."""
    def swing(over_a_floor):
        m = lw.Model("on the axis")
        m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        m.chain(m.world, m.rev, m.body)
        if over_a_floor:
            m.under, m.floor = parts.Fixed(r=[0, 0, -0.3]), contact.Plane(n=[0, 0, 1])
            m.skin = contact.Sphere(radius=0.1)
            m.connect(m.under.frame_b, m.floor.frame_a)
            m.connect(m.rev.frame_b, m.skin.frame_a)
            m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=mu))
        return lw.simulate(m, 0.5)["rev.phi"]

    np.testing.assert_allclose(swing(True), swing(False), atol=1e-9)


def test_friction_across_the_only_way_to_move_does_nothing():
    """A ball on an upright slide bounces the same with friction: its point of contact cannot slip."""
    def bounces(mu):
        m = lw.Model("slide")
        m.world, m.slide = lw.World(), joints.Prismatic(n=[0, 1, 0], s=0.5)
        m.body, m.skin, m.floor = parts.Body(m=1.0), contact.Sphere(radius=0.1), contact.Plane(n=[0, 1, 0])
        m.chain(m.world, m.slide, m.body)
        m.connect(m.body.frame_a, m.skin.frame_a)
        m.connect(m.world.frame_b, m.floor.frame_a)
        m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=mu))
        return lw.simulate(m, 0.6)["slide.s"]

    np.testing.assert_allclose(bounces(0.3), bounces(0.0), atol=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_loop_of_one_freedom_meets_a_wall_alike_in_both_formulations(mu):
    """The closed form of a four-bar leaves one speed, and contact the only row beside it."""
    def run(formulation):
        m = lw.Model("four-bar")
        m.world, m.side, m.skin = lw.World(), parts.FixedTranslation(r=[1, 0.1, 0]), contact.Sphere(radius=0.05)
        m.left, m.right = joints.Revolute(w=-2.0), joints.Revolute()
        m.pin, m.end = joints.Revolute(), joints.Revolute()
        m.crank, m.rocker, m.coupler = (parts.BodyShape(m=1, r=r, r_cm=np.multiply(r, 0.5), inertia=[0.01] * 3)
                                        for r in ([0, 0.5, 0], [0, 0.6, 0], [1, 0.2, 0]))
        m.chain(m.world, m.left, m.crank, m.pin, m.coupler, m.end)
        m.chain(m.world, m.side, m.right, m.rocker)
        m.connect(m.end.frame_b, m.rocker.frame_b)
        m.wall, m.floor = parts.Fixed(r=[1.2, 0, 0]), contact.Plane(n=[-1, 0, 0])
        m.connect(m.wall.frame_b, m.floor.frame_a)
        m.connect(m.coupler.frame_b, m.skin.frame_a)
        m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=mu))
        return lw.simulate(lw.compile(m, formulation=formulation), 0.3, accuracy=1e-9)

    one, other = run("minimal"), run("projection")
    assert len(one.events) > 0
    np.testing.assert_allclose(one["left.phi"], other["left.phi"], atol=1e-6)


def test_a_body_with_one_freedom_bounces_to_rest():
    """A rod on a hinge over a floor: one speed, no other equation; it comes to lie where its end touches."""
    m = lw.Model("rod")
    m.world, m.floor, m.under = lw.World(g=G), contact.Plane(n=[0, 1, 0]), parts.FixedTranslation(r=[0, -0.8, 0])
    m.rev, m.rod, m.skin = joints.Revolute(), parts.BodyCylinder(r=[1, 0, 0], diameter=0.05), contact.Sphere(radius=0.1)
    m.chain(m.world, m.rev, m.rod)
    m.connect(m.rod.frame_b, m.skin.frame_a)
    m.chain(m.world, m.under, m.floor)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.3, mu=0.3))
    r = lw.simulate(m, 1.0)
    assert r["rev.phi"][-1] == pytest.approx(-np.arcsin(0.7), abs=1e-12)
    assert r["rev.w"][-1] == 0


@pytest.mark.parametrize("bound", [{"phi_min": 0.0}, {"friction": lw.Coulomb(tau=20.0)}], ids=["stop", "friction"])
def test_an_impact_opens_a_stop_and_frees_a_joint(bound):
    """A ball strikes a rod from below that lies on its stop, or that friction holds: neither bears an impulse upward.

    p = (1 + e) v/(1/m + l²/J), whatever held the rod before.
    """
    m = lw.Model("struck")
    m.world, m.rev = lw.World(g=G), joints.Revolute(phi=0.0, w=0.0, **bound)
    m.rod, m.end = parts.Body(m=1, r_cm=[0.5, 0, 0], inertia=[1e-3, 0.1, 0.1]), parts.FixedTranslation(r=[1, 0, 0])
    m.plate, m.skin = contact.Sphere(radius=0.1), contact.Sphere(radius=0.1)
    m.chain(m.world, m.rev, m.rod)
    m.chain(m.rev, m.end, m.plate)
    m.ball = parts.Body(m=1, inertia=[1e-3] * 3, r_0=[1, -0.4, 0], v_0=[0, 4, 0])
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.plate, m.skin, law=contact.Rigid(restitution=0.5))
    r = lw.simulate(m, 0.06)
    (hit,) = [row for row in r.contacts if row.what == "hit"]
    v, J = r.at(hit.time)["ball.v_0"][1], 0.1 + 0.25
    p = 1.5 * v / (1 + 1 / J)
    after = r.at(hit.time, side="after")
    assert after["rev.w"] == pytest.approx(p / J, rel=1e-9)
    assert after["ball.v_0"][1] == pytest.approx(v - p, rel=1e-9)
    assert hit.impulse == pytest.approx(p, rel=1e-9)


def test_what_lies_on_a_lift_flies_on_where_the_lift_hits_its_stop():
    """A contact does not pull: the table stops, the ball keeps its speed and comes down again."""
    m = lw.Model("lift")
    m.world, m.rail = lw.World(g=G), joints.Prismatic(n=[0, 1, 0], s=0.0, v=3.0, s_max=0.1)
    m.table, m.plate, m.skin = parts.Body(m=2.0), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.pull = forces.WorldForce(force=[0, 30.0, 0])
    m.chain(m.world, m.rail, m.table)
    m.connect(m.rail.frame_b, m.plate.frame_a, m.pull.frame_b)
    m.ball = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.1, 0], v_0=[0, 3.0, 0])
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.plate, m.skin, law=contact.Rigid(mu=0.3))
    r = lw.simulate(m, 0.8)
    stopped = next(event.time for event in r.events if event.what == "rail.s_max")
    before, after = r.at(stopped), r.at(stopped, side="after")
    assert after["rail.v"] == pytest.approx(0, abs=1e-12)
    assert after["ball.v_0"][1] == pytest.approx(before["ball.v_0"][1], rel=1e-12)
    assert [row.what for row in r.contacts][:3] == ["stick", "leave", "hit"]
    hit = next(row for row in r.contacts if row.what == "hit")
    assert hit.time - stopped == pytest.approx(2 * before["ball.v_0"][1] / G, rel=1e-6)


@pytest.mark.parametrize("lifted", [1, 2, 3])
def test_as_many_balls_leave_newtons_cradle_as_come(lifted):
    """Five balls on threads that touch: a blow passes from ball to ball, all of it given back, there and back again."""
    m = lw.Model("cradle")
    m.world, count = lw.World(), 5
    m.post = [parts.FixedTranslation(r=[0.1 * k, 1, 0]) for k in range(count)]
    m.pin = [joints.Revolute(phi=-0.5 if k < lifted else 0.0) for k in range(count)]
    m.bob = [parts.Body(m=1, r_cm=[0, -0.5, 0], inertia=[1e-3] * 3) for _ in range(count)]
    m.tip = [parts.FixedTranslation(r=[0, -0.5, 0]) for _ in range(count)]
    m.skin = [contact.Sphere(radius=0.05) for _ in range(count)]
    for k in range(count):
        m.chain(m.world, m.post[k], m.pin[k], m.bob[k])
        m.chain(m.bob[k], m.tip[k], m.skin[k])
    m.touch = [contact.Pair(m.skin[k], m.skin[k + 1], law=contact.Rigid(restitution=1.0)) for k in range(count - 1)]
    r = lw.simulate(m, 1.9, step=0.01)  # two impacts: half a period of 1.444 s from one to the next
    swing = np.array([r[f"pin[{k}].phi"] for k in range(count)])
    impact = r.contacts[0].time
    there, back = (np.searchsorted(r.t, n * impact) for n in (2, 4))
    expected = np.where(np.arange(count) >= count - lifted, 0.5, 0.0)
    assert np.abs(swing[:, there] - expected).max() < 1e-3  # within a step of the highest point
    assert np.abs(swing[:, back] + expected[::-1]).max() < 1e-3
    assert np.abs(swing[lifted : count - lifted]).max(initial=0.0) < 1e-12  # those between never move
    assert np.ptp(r["kinetic_energy"] + r["potential_energy"]) < 1e-7 * r["kinetic_energy"].max()


@pytest.mark.slow
def test_a_rope_comes_to_lie_on_the_floor():
    """Two capsules that lie on the floor and hang on others: four normal forces for three heights, some sliding.

    Statics leaves the forces open, and those of least norm lie outside the cones; the cone problem has decided.
    """
    m = lw.Model("rope")
    m.world, m.floor, m.hook = lw.World(), contact.Plane(n=[0, 1, 0]), parts.FixedTranslation(r=[0, 0.3, 0])
    count, length = 6, 0.1
    m.ball = [joints.Spherical() for _ in range(count)]
    m.link = [parts.Body(m=0.05, r_cm=[length / 2, 0, 0], inertia=[1e-5, 5e-5, 5e-5]) for _ in range(count)]
    m.end = [parts.FixedTranslation(r=[length, 0, 0]) for _ in range(count)]
    m.middle = [parts.FixedTranslation(r=[length / 2, 0, 0]) for _ in range(count)]
    m.skin = [contact.Capsule(radius=0.01, length=0.08, n=[1, 0, 0]) for _ in range(count)]
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.chain(m.world, m.hook)
    at = m.hook.frame_b
    for ball, link, end, middle, skin in zip(m.ball, m.link, m.end, m.middle, m.skin, strict=True):
        m.connect(at, ball.frame_a)
        m.connect(ball.frame_b, link.frame_a, end.frame_a, middle.frame_a)
        m.connect(middle.frame_b, skin.frame_a)
        at = end.frame_b
    m.contacts(law=contact.Rigid(mu=0.5))
    r = lw.simulate(m, 0.5)
    assert r["end[5].frame_b.r_0"][-1, 1] == pytest.approx(0.01, abs=1e-9)  # it lies on its skin
    assert min(r[f"floor/skin[{k}].gap"].min() for k in range(1, count)) > -1e-9
    assert r["kinetic_energy"][-1] < 0.1 * r["kinetic_energy"].max()
