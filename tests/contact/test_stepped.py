"""Many contacts stepped together: closed forms to first order of the step, rest without overlap, what is refused."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, translational

G = 9.81


def on_a_floor(shape, law, inertia, n=(0, 1, 0), **start):
    m = lw.Model("on a floor")
    m.world, m.floor, m.skin = lw.World(g=G), contact.Plane(n=list(n)), shape
    m.body = parts.Body(m=1, inertia=inertia, **start)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


def ball(law, **start):
    return on_a_floor(contact.Sphere(radius=0.1), law, [4e-3] * 3, **start)


def test_what_lies_stays_and_presses_with_its_weight():
    r = lw.simulate(ball(contact.Rigid(mu=0.3), r_0=[0, 0.1, 0]), 0.5, method="moreau")
    assert r["body.r_0"][-1] == pytest.approx([0, 0.1, 0], abs=1e-9)
    assert r["touch.f_n"][-1] == pytest.approx(G, rel=1e-9)
    assert any("time stepping" in message for message in r.messages)


def test_what_falls_bounces_by_its_restitution():
    """It leaves with e times the speed it arrived with, to first order in h."""
    r = lw.simulate(ball(contact.Rigid(restitution=0.5), r_0=[0, 0.6, 0]), 0.45, method="moreau", h=1e-4)
    (hit,) = r.contacts
    assert hit.time == pytest.approx(np.sqrt(2 * 0.5 / G), abs=2e-4)
    arrived = np.sqrt(2 * G * 0.5)
    assert r["body.v_0"][-1, 1] == pytest.approx(0.5 * arrived - G * (0.45 - hit.time), abs=5e-3)


@pytest.mark.parametrize("h", [1e-3, 1.3e-3, 1.7e-3, 2.3e-3])
def test_a_bounce_gives_back_its_part_of_the_speed(h):
    """Wherever within a step it touches: speeds just before and after have the ratio e, and it was never inside."""
    r = lw.simulate(ball(contact.Rigid(restitution=0.5), r_0=[0, 0.6, 0]), 0.4, method="moreau", h=h, step=h)
    assert r["touch.gap"].min() >= 0
    v = r["body.v_0"][:, 1]
    after = int(np.argmax(v > 0))
    assert v[after] == pytest.approx(-0.5 * v[after - 1], abs=1.1 * G * h)  # gravity acts in both steps


def test_a_ball_that_slides_rolls_in_the_end():
    """5/7 of its speed, whatever the friction and the step."""
    r = lw.simulate(ball(contact.Rigid(mu=0.2), r_0=[0, 0.1, 0], v_0=[0.6, 0, 0.8]), 0.3, method="moreau", h=1e-3)
    assert r["body.v_0"][-1] == pytest.approx([0.6 * 5 / 7, 0, 0.8 * 5 / 7], abs=1e-9)


@pytest.mark.parametrize("slope, holds", [(0.49, True), (0.55, False)])
def test_a_box_on_a_slope_holds_or_slides(slope, holds):
    angle = np.arctan(slope)
    up = np.array([np.sin(angle), np.cos(angle), 0])
    m = on_a_floor(contact.Box(size=[0.2] * 3), contact.Rigid(mu=0.5), [1 / 150] * 3, up, r_0=list(0.1 * up),
                   angles=[0, 0, -angle])
    r = lw.simulate(m, 0.4, method="moreau")
    moved = r["body.r_0"][-1] - r["body.r_0"][0]
    if holds:
        assert np.linalg.norm(moved) < 1e-8
        return
    a = G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert np.linalg.norm(moved) == pytest.approx(a * 0.4**2 / 2, rel=0.01)
    assert r["body.v_0"][-1] @ up == pytest.approx(0, abs=1e-9)


def heap(count, law=None):
    """Balls above a floor with four walls."""
    m = lw.Model("heap")
    m.world, m.floor = lw.World(g=G), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    sides = np.array([[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1]])
    m.post = [parts.FixedTranslation(r=list(-0.17 * side)) for side in sides]
    m.wall = [contact.Plane(n=list(side)) for side in sides]
    rng = np.random.default_rng(1)
    places = [[0.11 * (k % 3 - 1), 0.06 + 0.11 * (k // 9), 0.11 * (k // 3 % 3 - 1)] for k in range(count)]
    m.ball = [parts.Body(m=1, inertia=[1e-3] * 3, r_0=list(p + rng.uniform(-4e-3, 4e-3, 3))) for p in places]
    m.skin = [contact.Sphere(radius=0.05) for _ in places]
    for post, wall in zip(m.post, m.wall, strict=True):
        m.chain(m.world, post, wall)
    for body, skin in zip(m.ball, m.skin, strict=True):
        m.connect(body.frame_a, skin.frame_a)
    m.contacts(law=law or contact.Rigid(mu=0.3))
    return m


def test_very_many_contacts_are_stepped_and_that_is_said():
    """18 balls come to rest without overlap; none of the 243 pairs has rows of its own."""
    system = lw.compile(heap(18))
    r = lw.simulate(system, 1.0, h=2e-3, step=0.1)
    assert any("time stepping" in message for message in r.messages)
    places = r.states[-1][: system.mechanism.nq].reshape(18, 7)[:, 4:]
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(18)
    assert apart.min() > 0.1 - 1e-8
    assert places[:, 1].min() > 0.05 - 1e-8 and np.abs(places[:, [0, 2]]).max() < 0.12 + 1e-8
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert np.all(np.diff(energy) < 1e-6) and r["kinetic_energy"][-1] < 1e-3


@pytest.mark.parametrize("law", [contact.Rigid(mu=0.3, rolling=2e-3, spinning=1e-3), contact.Rigid(mu=0.3, patch=1e-3)])
def test_very_many_contacts_roll_and_spin(law):
    """Without overlap, and energy is only ever lost."""
    r = lw.simulate(heap(18, law), 0.4, h=2e-3, step=0.1)
    places = r.states[-1][: r.system.mechanism.nq].reshape(18, 7)[:, 4:]
    assert (np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(18)).min() > 0.1 - 1e-8
    assert np.all(np.diff(r["kinetic_energy"] + r["potential_energy"]) < 0)


def test_bodies_that_only_a_loop_compares_touch_when_stepped():
    """A wedge of a convex hull comes to rest on a convex plate, on its lower face."""
    m = lw.Model("hulls")
    m.world = lw.World(g=G)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    m.plate, m.skin = contact.Convex(points=corners * [0.5, 0.05, 0.5]), contact.Convex(points=corners * 0.1)
    m.body = parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0, 0.17, 0], angles=[0.05, 0, 0.03])
    m.connect(m.world.frame_b, m.plate.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    r = lw.simulate(m, 0.6)
    assert r["body.r_0"][-1, 1] == pytest.approx(0.15, abs=1e-5)
    assert np.linalg.norm(r["body.v_0"][-1]) < 1e-3


def test_what_cannot_be_stepped_is_refused_by_name():
    m = heap(18)
    m.rail, m.cart = joints.Prismatic(friction=lw.Coulomb(mu=0.1)), parts.Body(m=1)
    m.chain(m.world, m.rail, m.cart)
    with pytest.raises(lw.ModelError, match="rail.friction has friction in proportion to a reaction"):
        lw.simulate(m, 0.1)
    with pytest.raises(lw.ModelError, match="only be stepped"):
        lw.simulate(heap(18), 0.1, method="dopri5")
    m = four_bar(contact.Rigid())
    m.when(m.joint[0].phi < 0, {m.joint[0].w: 0})
    with pytest.raises(lw.ModelError, match="cannot set coordinates or speeds inside loops"):
        lw.simulate(m, 0.1, method="moreau")


def test_bodies_that_start_inside_one_another_are_refused():
    with pytest.raises(lw.SimulationError, match=r"touch: the run starts with its two shapes 0.02 m inside one anoth"):
        lw.simulate(ball(contact.Rigid(), r_0=[0, 0.08, 0]), 0.1, method="moreau")


def test_actions_act_between_steps():
    """A falling arm is thrown back at −1 rad, as often as located events do it, within a step each time."""
    m = ball(contact.Rigid(), r_0=[0, 0.1, 0])
    m.arm, m.hinge = parts.Body(m=1, r_cm=[0.1, 0, 0], inertia=[0.01] * 3), joints.Revolute()
    m.chain(m.world, m.hinge, m.arm)
    m.when(m.hinge.phi < -1, {m.hinge.w: -0.5 * m.hinge.w})
    stepped = lw.simulate(m, 0.7, method="moreau", h=2e-4, step=0.05)
    located = lw.simulate(m, 0.7, step=0.05)
    hits = [[event.time for event in r.events if "hinge" in event.what] for r in (stepped, located)]
    assert len(hits[0]) == len(hits[1]) == 3
    assert hits[0] == pytest.approx(hits[1], abs=3e-3)
    assert stepped["hinge.phi"] == pytest.approx(located["hinge.phi"], abs=5e-3)


def test_a_stepped_run_ends_where_it_is_told_to():
    m = ball(contact.Rigid(restitution=0.5), r_0=[0, 0.6, 0])
    m.terminate(m.body.r_0[1] < 0.3, "it is below 0.3 m")
    r = lw.simulate(m, 2.0, method="moreau")
    assert r.t[-1] == pytest.approx(np.sqrt(2 * 0.3 / G), abs=2e-3)
    assert any("below 0.3 m" in message for message in r.messages)


def test_a_stepped_motion_without_bound_is_told():
    m = ball(contact.Rigid(), r_0=[0, 0.1, 0])
    m.rail, m.cart = joints.Prismatic(n=[0, 0, 1], s=1.0), parts.Body(m=2)
    m.motor = translational.Force(f=m.rail.s**9 * 1e12)
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.rail.axis, m.motor.flange)
    with pytest.raises(lw.SimulationError, match="the motion is not finite") as error:
        lw.simulate(m, 1.0, method="moreau")
    assert error.value.result is not None


def four_bar(law, **hinge):
    """A four-bar whose coupler carries a ball over a floor."""
    m = lw.Model("four-bar over a floor")
    m.world, m.floor = lw.World(g=G), contact.Plane(n=[0, 1, 0])
    m.base = [parts.FixedTranslation(r=[x, 0.6, 0]) for x in (0, 0.5)]
    m.under = parts.FixedTranslation(r=[0, 0.14, 0])
    m.joint = [joints.Revolute(phi=0.4, w=0.0, **hinge), joints.Revolute(), joints.Revolute(), joints.Revolute()]
    m.link = [parts.BodyCylinder(r=r, diameter=0.02) for r in ([0, -0.3, 0], [0.5, 0, 0], [0, -0.3, 0])]
    m.tip, m.skin = parts.FixedTranslation(r=[0.1, -0.12, 0]), contact.Sphere(radius=0.05)
    m.weight = parts.Body(m=0.5, inertia=[1e-4] * 3)
    m.chain(m.world, m.base[0], m.joint[0], m.link[0], m.joint[1], m.link[1], m.joint[2])
    m.chain(m.world, m.base[1], m.joint[3], m.link[2])
    m.connect(m.joint[2].frame_b, m.link[2].frame_b)
    m.connect(m.world.frame_b, m.under.frame_a)
    m.connect(m.under.frame_b, m.floor.frame_a)
    m.connect(m.link[1].frame_a, m.tip.frame_a)
    m.connect(m.tip.frame_b, m.skin.frame_a, m.weight.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


def test_loops_hold_through_what_strikes():
    """A ball on the coupler strikes the floor and rubs: as with located events, to first order, loops closed."""
    model = four_bar(contact.Rigid(mu=0.3))
    stepped = lw.simulate(model, 0.6, method="moreau", h=1e-4, step=0.05)
    located = lw.simulate(model, 0.6, step=0.05)
    assert any(row.what == "hit" for row in located.contacts) and any(row.what == "hit" for row in stepped.contacts)
    assert stepped.closure < 1e-10
    assert stepped["touch.gap"].min() > -1e-8
    assert stepped["joint[0].phi"] == pytest.approx(located["joint[0].phi"], abs=3e-4)


def test_friction_and_stops_in_joints_are_stepped():
    """An arm slides to rest at s = w²/(2 a); another falls on its stop and lies there."""
    m = ball(contact.Rigid(mu=0.3), r_0=[0, 0.1, 0])
    m.axle, m.wheel = joints.Revolute(w=2.0, friction=lw.Coulomb(tau=0.5)), parts.Body(m=1, inertia=[1, 1, 0.25])
    m.chain(m.world, m.axle, m.wheel)
    m.hinge, m.arm = joints.Revolute(phi=0, phi_min=-0.5), parts.Body(m=1, r_cm=[0.3, 0, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.hinge, m.arm)
    r = lw.simulate(m, 1.5, method="moreau", h=1e-3)
    assert r["axle.phi"][-1] == pytest.approx(2.0**2 / (2 * 0.5 / 0.25), abs=2e-3)
    assert r["axle.w"][-1] == pytest.approx(0, abs=1e-12)
    assert r["hinge.phi"].min() >= -0.5 - 1e-8 and r["hinge.phi"][-1] == pytest.approx(-0.5, abs=1e-8)
    assert any(event.what.startswith("hinge") for event in r.events)


def test_given_motions_lift_what_they_hold():
    """The gripper of the examples, stepped: the ball is carried up by two fingers that move as it is given."""
    m = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "gripper.py"))["m"]
    r = lw.simulate(m, 2.2, method="moreau", h=1e-3, step=0.1)
    assert r["post.s"][-1] == pytest.approx(0.3, abs=1e-12)
    assert r["ball.r_0"][-1] - r["hand.frame_a.r_0"][-1] == pytest.approx([0, -0.12, 0], abs=2e-3)


def test_controllers_are_asked_between_steps():
    m = ball(contact.Rigid(mu=0.3), r_0=[0, 0.1, 0])
    m.rail, m.cart = joints.Prismatic(n=[0, 0, 1]), parts.Body(m=2)
    m.motor = translational.Force(f=m.input("push") + lw.where(lw.time < 0.5, 1.0, 0.0))
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.rail.axis, m.motor.flange)

    @m.every(0.1)
    def brake(t, y):
        return {"push": -4.0 * y["rail.v"]}

    r = lw.simulate(m, 1.0, method="moreau", h=1e-3, step=0.1)
    v, exact = 0.0, [0.0]
    for k in range(10):
        v += 0.1 * (-4.0 * v + (k < 5)) / 2
        exact.append(v)
    assert r["rail.v"] == pytest.approx(exact, abs=2e-3)
