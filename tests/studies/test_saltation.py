"""Derivatives across events: against closed forms, and central differences of runs."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, rotational, translational
from linkwright.compiler import changed

#: a point from (0, 1) with velocity (1, 0), floor y = 0, wall x = 1.3, restitution 0.8, after 2.4 s and five impacts
BALL = {"e": 1.71622582614492, "h": 0.176998172628231, "g": -0.000940777509864319}
WALL = {"e": -1.1, "w": 1.8}


class Numbers(lw.Model):
    e = lw.parameter(0.8, "restitution")
    w = lw.parameter(1.3, "place of the wall")


def ball(**options):
    m = lw.Model("ball")
    m.world = lw.World(g=9.81)
    m.x = joints.Prismatic(n=[1, 0, 0], **{"s": 0, "v": 1, **options.get("x", {})})
    m.y = joints.Prismatic(n=[0, 1, 0], **{"s": 1.0, "v": 0, **options.get("y", {})})
    m.body = parts.Body(m=1, inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.x, m.y, m.body)
    return m


def thrown_back():
    m = ball()
    m.data = Numbers()
    m.when(m.y.s < 0, {m.y.v: -m.data.e * m.y.v})
    m.when(m.x.s > m.data.w, {m.x.v: -m.data.e * m.x.v})
    return m, {"e": "data.e", "w": "data.w"}


def between_stops():
    m = ball(x={"s_max": 1.3, "restitution": 0.8}, y={"s_min": 0, "restitution": 0.8})
    return m, {"e": "y.restitution", "w": "x.s_max"}


def against_planes():
    m = ball()
    m.skin, m.floor, m.wall = contact.Point(), contact.Plane(n=[0, 1, 0]), contact.Plane(n=[-1, 0, 0])
    m.offset = parts.FixedTranslation(r=[1.3, 0, 0])
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a, m.offset.frame_a)
    m.connect(m.offset.frame_b, m.wall.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.8))
    m.hit = contact.Pair(m.wall, m.skin, law=contact.Rigid(restitution=0.8))
    return m, {"e": "touch.law.restitution", "w": "offset.r[0]"}


@pytest.mark.parametrize("made", [thrown_back, between_stops, against_planes])
def test_five_impacts_of_a_ball(made):
    m, names = made()
    by = {"h": "y.s", "g": "world.g", **names}
    r = lw.simulate(m, 2.4, accuracy=1e-11, sensitivities=list(by.values()))
    for key, exact in BALL.items():
        assert r.sensitivity("y.s", by[key])[-1] == pytest.approx(exact, abs=1e-9)
    assert r.sensitivity("x.s", by["w"])[-1] == pytest.approx(WALL["w"], abs=1e-9)
    assert r.sensitivity("x.s", "y.s")[-1] == r.sensitivity("x.s", "world.g")[-1] == 0


def test_restitution_at_the_wall():
    m, _ = thrown_back()
    r = lw.simulate(m, 2.4, accuracy=1e-11, sensitivities=["data.e"])
    assert r.sensitivity("x.s", "data.e")[-1] == pytest.approx(WALL["e"], abs=1e-9)


def test_both_sides_of_an_event_at_an_output_time():
    """Dropped from 1.2 g: it hits the floor when t² = 2 h/g, at an output time; δτ = δh/(g τ)."""
    m = ball(y={"s": 0.5 * 9.81 * 0.25})
    m.when(m.y.s < 0, {m.y.v: -0.5 * m.y.v})
    r = lw.simulate(m, 1.0, step=0.5, sensitivities=["y.s"])
    before, after = (r.at(0.5, side=side) for side in ("before", "after"))
    assert before.sensitivity("y.s", "y.s") == pytest.approx(1.0, abs=1e-9)
    assert after.sensitivity("y.s", "y.s") == pytest.approx(-0.5, abs=1e-9)
    assert after.sensitivity("y.v", "y.s") == pytest.approx((9.81 + 0.5 * 9.81) / (9.81 * 0.5), abs=1e-8)


def differences(model, values, name, h, output, stop):
    runs = []
    for step in (h, -h):
        with changed(model, {name: values + step}):
            runs.append(lw.simulate(model, stop, accuracy=1e-12, step=stop / 7.3))
    return (runs[0][output] - runs[1][output]) / (2 * h)


def agrees(model, stop, by, output):
    r = lw.simulate(model, stop, accuracy=1e-10, step=stop / 7.3, sensitivities=list(by))
    for name, value in by.items():
        found = differences(model, value, name, 1e-6, output, stop)
        assert np.max(np.abs(r.sensitivity(output, name) - found)) <= 1e-6 * np.max(np.abs(found)), name
    return r


def test_stick_and_slip():
    m = lw.Model("stick-slip")
    m.world, m.wall = lw.World(), translational.Fixed()
    m.spring, m.block = translational.Spring(c=100.0), translational.Mass(m=1.0, s=0, v=0.1)
    m.friction = translational.SupportFriction(f_pos=[[0, 2.0]], peak=1.5)
    m.belt = translational.ConstantSpeed(v_fixed=0.1)
    m.connect(m.wall.flange, m.spring.flange_a)
    m.connect(m.spring.flange_b, m.block.flange_a)
    m.connect(m.block.flange_b, m.friction.flange_a)
    m.connect(m.friction.support, m.belt.flange)
    r = agrees(m, 2.0, {"spring.c": 100.0, "block.m": 1.0, "belt.v_fixed": 0.1}, "block.s")
    assert len(r.events) == 5


def test_a_clutch_engages():
    m = lw.Model("clutch")
    m.world = lw.World()
    m.a, m.b = rotational.Inertia(J=1.0, w=10.0, phi=0), rotational.Inertia(J=2.0, w=0.0, phi=0)
    m.clutch = rotational.Clutch(fn_max=20.0)
    m.clutch.f_normalized = lw.where(lw.time < 0.3, 0, 1)
    m.load, m.ground = rotational.Damper(d=0.3), rotational.Fixed()
    m.connect(m.a.flange_b, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.b.flange_a)
    m.connect(m.b.flange_b, m.load.flange_a)
    m.connect(m.load.flange_b, m.ground.flange)
    agrees(m, 2.0, {"a.J": 1.0, "load.d": 0.3, "a.w": 10.0}, "a.w")


def test_a_reset_that_the_motion_decides_on():
    """A discrete variable takes a value of the motion, at a time that the motion decides."""
    m = ball()
    m.data = Numbers()
    pushed = m.discrete("pushed", 0.0)
    m.when(m.x.s > m.data.w / 2, {pushed: 3.0 * m.y.s})
    m.push = translational.Force()
    m.push.f = pushed * m.x.s
    m.connect(m.x.axis, m.push.flange)
    agrees(m, 1.4, {"data.w": 1.3, "y.s": 1.0, "x.v": 1.0}, "x.s")


def test_a_stop_in_a_loop():
    m = lw.Model("slider-crank")
    m.world = lw.World(g=9.81)
    m.j1, m.j2, m.j3 = joints.Revolute(phi=1.0, w=3.0), joints.Revolute(phi=lw.guess(-1.3)), joints.Revolute()
    m.crank = parts.BodyShape(m=1, r=[0.3, 0, 0], r_cm=[0.15, 0, 0], inertia=[0, 0.01, 0.01])
    m.rod = parts.BodyShape(m=0.7, r=[0.8, 0, 0], r_cm=[0.4, 0, 0], inertia=[0, 0.04, 0.04])
    m.slide, m.piston = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.9), s_max=1.0, restitution=0.6), parts.Body(m=1.5)
    m.chain(m.world, m.j1, m.crank, m.j2, m.rod, m.j3)
    m.chain(m.world, m.slide, m.piston)
    m.connect(m.j3.frame_b, m.piston.frame_a)
    r = agrees(m, 1.0, {"rod.m": 0.7, "slide.restitution": 0.6, "j1.w": 3.0}, "j1.phi")
    assert any(event.what == "slide" or "slide" in event.what for event in r.events)


def test_where_there_is_no_derivative_it_is_said():
    """A ball thrown up so that it just touches the ceiling: grazing."""
    m = ball(y={"s": 0.0, "v": float(np.sqrt(2 * 9.81 * 0.5) * (1 + 1e-14))})
    m.when(m.y.s > 0.5, {m.y.v: -m.y.v})
    with pytest.raises(lw.SimulationError, match="grazing") as caught:
        lw.simulate(m, 1.0, sensitivities=["y.v"])
    assert caught.value.result.t[-1] == pytest.approx(0.3193, abs=1e-3)


def test_controllers_in_python_are_refused():
    m = ball()
    m.input("force")

    @m.every(0.1)
    def control(t, y):
        return {"force": y["y.s"]}

    with pytest.raises(lw.ModelError, match="control: a controller in Python"):
        lw.simulate(m, 1.0, sensitivities=["y.s"])
