"""Constraints of one's own that push and never pull: ropes that go taut, a marble that leaves a dome."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, joints, parts

G, L = 9.81, 0.8


class Rope(constraints.Constraint):
    """A rope without mass between two points: their distance is at most its length."""

    length = lw.parameter(1.0, unit="m")

    def residual(self, X_a, X_b):
        d = X_b.p - X_a.p
        return [self.length - lw.sqrt(lw.dot(d, d))]


class Dome(constraints.Constraint):
    """Outside of a sphere."""

    radius = lw.parameter(1.0, unit="m")

    def residual(self, X_a, X_b):
        d = X_b.p - X_a.p
        return [lw.sqrt(lw.dot(d, d)) - self.radius]


def hung(law, r, v, m=2.0):
    model = lw.Model("hung")
    model.world = lw.World(g=G)
    model.ball = parts.PointMass(m=m, r_0=r, v_0=v)
    model.tie = law
    model.connect(model.world.frame_b, model.tie.frame_a)
    model.connect(model.ball.frame_a, model.tie.frame_b)
    return model


def test_a_rope_goes_slack_where_its_tension_ends_and_taut_again():
    """A ball swung from the lowest point leaves the circle where m v²/L = m g cos(θ), θ from the top: cos θ =
    (v₀²/(gL) − 2)/3; then it flies freely, until the rope is taut again and takes the speed along it."""
    v = np.sqrt(3.5 * G * L)
    r = lw.simulate(hung(Rope(length=L, one_way=True), [0, -L, 0], [v, 0, 0]), 1.5, accuracy=1e-11)
    slack, taut = (next(e.time for e in r.events if e.direction == way) for way in (1, -1))
    there = r.at(slack)
    assert there["ball.r_0"][1] / L == pytest.approx(0.5, abs=1e-8)
    t = taut - slack
    flown = there["ball.r_0"] + t * there["ball.v_0"] - [0, G * t * t / 2, 0]
    assert np.linalg.norm(flown) == pytest.approx(L, abs=1e-8)
    before, after = r.at(taut), r.at(taut, side="after")
    along = before["ball.r_0"] / L
    lost = along @ before["ball.v_0"]
    assert lost > 0.1
    np.testing.assert_allclose(after["ball.v_0"], before["ball.v_0"] - lost * along, atol=1e-9)
    assert np.max(np.linalg.norm(r["ball.r_0"], axis=1)) <= L + 1e-9


def test_a_rope_that_throws_back_keeps_its_share_of_the_speed():
    r = lw.simulate(hung(Rope(length=L, one_way=True, restitution=0.6), [0.1, 0, 0], [0, 0, 0]), 0.6, accuracy=1e-11)
    taut = next(e.time for e in r.events if e.direction == -1)
    before, after = r.at(taut), r.at(taut, side="after")
    along = before["ball.r_0"] / L
    assert along @ after["ball.v_0"] == pytest.approx(-0.6 * (along @ before["ball.v_0"]), rel=1e-9)


def test_a_marble_leaves_a_dome_at_two_thirds_of_its_height():
    start = 0.05
    at = [np.sin(start), np.cos(start), 0.0]
    r = lw.simulate(hung(Dome(radius=1.0, one_way=True), at, [0, 0, 0]), 2.0, accuracy=1e-11)
    leaves = next(e.time for e in r.events if e.direction == 1)
    assert r.at(leaves)["ball.r_0"][1] == pytest.approx(2 / 3 * np.cos(start), abs=1e-8)
    # the force on the ball vanishes there, and has pushed outwards before
    f = np.sum(-r["tie.frame_b.f"] * r["ball.r_0"], axis=1)
    pressed = r.t < leaves - 1e-3
    assert np.all(f[pressed] > 0) and np.all(f[r.t > leaves + 1e-3] == 0)


def test_one_way_is_for_constraints_of_ones_own():
    m = hung(Rope(length=L, one_way=True, when=lw.time < 1), [0, -L, 0], [0, 0, 0])
    with pytest.raises(lw.ModelError, match="when= or one_way"):
        lw.compile(m)
    with pytest.raises(lw.ModelError, match="one_way=True is for constraints of your own"):
        lw.compile(hung(constraints.Spherical(one_way=True), [0, 0, 0], [0, 0, 0]))


class Ratchet(constraints.Constraint):
    """Turning of frame_b against frame_a about their z, forwards only."""

    def speed_residual(self, X_a, V_a, X_b, V_b):
        return [V_b.resultant[2] - V_a.resultant[2]]


def test_a_speed_that_may_not_turn_negative_holds_a_pendulum_where_it_would_swing_back():
    m = lw.Model("ratchet")
    m.world = lw.World(g=G)
    m.rev = joints.Revolute(n=[0, 0, 1], phi=-2.0)
    m.body = parts.Body(m=1.0, r_cm=[L, 0, 0], inertia=[0, 0, 0])
    m.ratchet = Ratchet(one_way=True)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.world.frame_b, m.ratchet.frame_a)
    m.connect(m.body.frame_a, m.ratchet.frame_b)
    r = lw.simulate(m, 3.0, accuracy=1e-11)
    # it swings to the same height on the other side, and stays
    assert r["rev.phi"][-1] == pytest.approx(-np.pi + 2.0, abs=1e-8)
    assert np.all(np.diff(r["rev.phi"]) >= 0) and r["rev.w"][-1] == 0
    torque = float(np.ravel(r["ratchet.frame_b.t"][-1])[2])
    assert abs(torque) == pytest.approx(abs(G * L * np.cos(2.0)), rel=1e-8)
