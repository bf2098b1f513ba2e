"""Derivatives across events: against closed forms, and central differences of runs."""

import numpy as np
import pytest
from derivative_models import (
    against_planes,
    ball,
    between_stops,
    clutch,
    reset,
    stick_and_slip,
    stop_in_a_loop,
    thrown_back,
)

import linkwright as lw
from linkwright import contact, parts
from linkwright.compiler import changed

#: a point from (0, 1) with velocity (1, 0), floor y = 0, wall x = 1.3, restitution 0.8, after 2.4 s and five impacts
BALL = {"e": 1.71622582614492, "h": 0.176998172628231, "g": -0.000940777509864319}
WALL = {"e": -1.1, "w": 1.8}


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


def agrees(model, by, stop, output):
    r = lw.simulate(model, stop, accuracy=1e-10, step=stop / 7.3, sensitivities=list(by))
    for name, value in by.items():
        found = differences(model, value, name, 1e-6, output, stop)
        assert np.max(np.abs(r.sensitivity(output, name) - found)) <= 1e-6 * np.max(np.abs(found)), name
    return r


def test_stick_and_slip():
    r = agrees(*stick_and_slip(), 2.0, "block.s")
    assert len(r.events) == 5


def test_a_clutch_engages():
    agrees(*clutch(), 2.0, "a.w")


def test_a_reset_that_the_motion_decides_on():
    agrees(*reset(), 1.4, "x.s")


def test_a_stop_in_a_loop():
    r = agrees(*stop_in_a_loop(), 1.0, "j1.phi")
    assert any(event.what == "slide" or "slide" in event.what for event in r.events)


def test_a_point_that_slides_until_it_sticks_is_held_where_it_came_to_rest():
    """It ends at x₀ + v²/(2 μ g): the place at which it is held moves with start, speed and friction."""
    m = ball(x={"s": 0.2, "v": 1.5}, y={"s": 0.0, "v": 0.0})
    m.skin, m.floor = contact.Point(), contact.Plane(n=[0, 1, 0])
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.5))
    v, mu, g = 1.5, 0.5, 9.81
    r = lw.simulate(m, 1.0, accuracy=1e-10, sensitivities=["x.s", "x.v", "touch.law.mu", "world.g"])
    assert any(event.time == pytest.approx(v / (mu * g), abs=1e-6) for event in r.events)  # from then on it sticks
    assert r["x.s"][-1] == pytest.approx(0.2 + v**2 / (2 * mu * g), abs=1e-8)
    for name, exact in {"x.s": 1.0, "x.v": v / (mu * g), "touch.law.mu": -(v**2) / (2 * mu**2 * g),
                        "world.g": -(v**2) / (2 * mu * g**2)}.items():
        assert r.sensitivity("x.s", name)[-1] == pytest.approx(exact, abs=1e-6), name
        assert r.sensitivity("x.v", name)[-1] == pytest.approx(0, abs=1e-6), name


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


def thrown_ball(vx=6.0, vz=0.5, mu=0.3, restitution=0.5):
    """A ball of uneven inertia that spins: its slip turns while it slides in an impact."""
    m = lw.Model("thrown ball")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.ball = parts.Body(m=1, inertia=[0.1, 0.2, 0.15], r_0=[0, 1, 0], v_0=[vx, 0, vz], w_0=[2, 1, -3],
                        angles=[0, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=restitution, mu=mu))
    return m


def test_an_impact_in_which_a_contact_slides():
    """Two impacts of a ball that spins: forward against differences, and the adjoint against forward."""
    names = {"ball.v_0[0]": "vx", "ball.v_0[2]": "vz", "touch.law.mu": "mu", "touch.law.restitution": "restitution"}
    usual = {"vx": 6.0, "vz": 0.5, "mu": 0.3, "restitution": 0.5}
    r = lw.simulate(thrown_ball(), 0.9, accuracy=1e-9, sensitivities=list(names))
    assert [row.what for row in r.contacts] == ["hit", "hit"]
    for name, argument in names.items():
        h = 1e-5
        up, down = (lw.simulate(thrown_ball(**{**usual, argument: usual[argument] + way * h}), 0.9, accuracy=1e-11)
                    for way in (1, -1))
        for value in ("ball.r_0", "ball.v_0", "ball.w_0"):
            exact = (up[value][-1] - down[value][-1]) / (2 * h)
            assert r.sensitivity(value, name)[-1] == pytest.approx(exact, abs=2e-6), (name, value)
    _, gradient = lw.gradient(thrown_ball(), lw.final("ball.v_0[2]"), 0.9, list(names), adjoint=True, accuracy=1e-9)
    assert gradient == pytest.approx([r.sensitivity("ball.v_0[2]", name)[-1] for name in names], abs=1e-9)
