"""What jumps has no derivative: impulses are refused, not lost; what bends may be differentiated once."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks
from linkwright import rotational as R


def shaft(torque):
    m = lw.Model("shaft")
    m.world = lw.World()
    m.wheel = R.Inertia(J=1.0, phi=0, w=0)
    m.motor = R.Torque(tau=torque(m))
    m.connect(m.motor.flange, m.wheel.flange_a)
    return m


JUMPS = {
    "step": lambda m: blocks.step(1.0, 0.5),
    "pulse": lambda m: blocks.pulse(1.0, 0.5, 0.2),
    "where": lambda m: lw.where(m.wheel.phi > 1, m.wheel.w + 2, 0),
    "sign": lambda m: lw.sign(m.wheel.phi - 1),
    "floor": lambda m: lw.floor(3 * lw.time),
    "within a product": lambda m: lw.sin(lw.time) * blocks.step(1.0, 0.5),
}
JOINED = {
    "ramp": (lambda m: blocks.ramp(1.0, 0.5, 0.2), 1.0),
    "pieces that meet": (lambda m: lw.where(lw.time > 0.5, lw.time - 0.5, 0), 0.5),
    "of the state": (lambda m: lw.where(m.wheel.phi > -1, 1 + m.wheel.phi, 0) + lw.time, np.e - 1),
    "magnitude": (lambda m: lw.fabs(lw.time - 0.5), 0.0),
    "smooth_where": (lambda m: lw.smooth_where(lw.time > 0.5, lw.time**2, lw.time**2), 1.0),
}


@pytest.mark.parametrize("name", JUMPS)
def test_an_impulse_is_refused_where_it_acts(name):
    with pytest.raises(lw.ModelError, match=r"motor.tau reads the derivative of .* jumps.*m.when"):
        lw.compile(shaft(lambda m: 1 + lw.der(JUMPS[name](m))))


@pytest.mark.parametrize("name", JOINED)
def test_what_is_joined_gives_its_whole_change(name):
    """J Δω = Δy; of 1 + φ + t the rate is 1 + ω, so ω = eᵗ − 1."""
    signal, change = JOINED[name]
    assert lw.simulate(shaft(lambda m: lw.der(signal(m))), 1.0)["wheel.w"][-1] == pytest.approx(change, abs=1e-7)


def test_discrete_variables_and_corners():
    m = shaft(lambda m: lw.der(m.discrete("gear", 1.0)))
    lw.compile(m)  # nothing sets it
    m.when(m.wheel.phi > 1, {m._inputs["gear"][0]: 2.0})
    with pytest.raises(lw.ModelError, match="motor.tau reads the derivative of gear"):
        lw.compile(m)
    with pytest.raises(lw.ModelError, match="motor.tau reads the derivative"):
        lw.compile(shaft(lambda m: lw.der(lw.der(lw.fabs(lw.time - 0.5)))))


def test_the_rate_of_a_speed_that_is_reset_is_its_acceleration_between_events():
    m = shaft(lambda m: 2.0)
    m.when(m.wheel.w > 1, {m.wheel.w: 0.0})
    m.output("a", lw.der(m.wheel.w))
    r = lw.simulate(m, 2.0)
    assert len(r.events) == 3 and r["a"] == pytest.approx(np.full(501, 2.0))


@pytest.mark.parametrize("source", ["Speed", "Position"])
def test_what_is_set_at_events_cannot_be_followed_exactly(source):
    m = lw.Model("driven")
    m.world = lw.World()
    u = m.input("u", default=1.0)
    m.wheel = R.Inertia(J=1.0)
    m.motor = R.Speed(w_ref=u, exact=True) if source == "Speed" else R.Position(phi_ref=u, exact=True)
    m.connect(m.motor.flange, m.wheel.flange_a)
    lw.compile(m)

    @m.every(0.1)
    def control(t, y):
        return {"u": 2.0}

    with pytest.raises(lw.ModelError, match=r"motor\.\w+_ref cannot follow u, which changes at events"):
        lw.compile(m)
