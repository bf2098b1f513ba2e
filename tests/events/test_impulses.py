"""Impacts and resets obey the impulse equations, constraints, freewheels and friction included."""

import sys
from pathlib import Path

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational, translational

sys.path.insert(0, str(Path(__file__).parent.parent / "loops"))
from loop_models import fourbar, rod


def fivebar(**given) -> lw.Model:
    """Two cranks 0.4, two couplers 0.8, ground 0.7: two degrees of freedom in one loop."""
    m = lw.Model("fivebar")
    m.world = lw.World(g=9.81)
    m.left, m.right = joints.Revolute(phi=2.0, w=1.5), joints.Revolute(phi=1.0, w=-0.7)
    m.a, m.b, m.c, m.d = rod(0.4, 1.0), rod(0.8, 2.0), rod(0.4, 0.5), rod(0.8, 3.0)
    m.p, m.q, m.r = joints.Revolute(phi=lw.guess(-1.5)), joints.Revolute(), joints.Revolute(phi=lw.guess(1.5))
    m.ground = parts.FixedTranslation(r=[0.7, 0, 0])
    m.chain(m.world, m.left, m.a, m.p, m.b)
    m.chain(m.world, m.ground, m.right, m.c, m.r, m.d)
    m.connect(m.b.frame_b, m.q.frame_a)
    m.connect(m.q.frame_b, m.d.frame_b)
    for name, value in given.items():
        setattr(m.left, name, value)
    return m


def sides(r, t):
    """Speeds before and after an instant, mass matrix and Jacobian of the permanent constraints there."""
    s = r.system.state()
    m = r.system.mechanism
    before, after = (r.at(t, side=side)._there.states[0] for side in ("before", "after"))
    s.t, s.q, s.u = t, before[: m.nq], before[m.nq : m.nq + m.nu]
    permanent = [k for k, row in enumerate(row for row in r.system.equations.rows for _ in range(row.G.shape[0]))
                 if row.mode is None]
    G = r.system.constraint_matrix(s)[permanent]
    return s.u, after[m.nq : m.nq + m.nu], r.system.mass_matrix(s), G


def place(r, name):
    return r.system.part_names("u").index(name)


def first(r, direction=-1):
    return next(e.time for e in r.events if e.direction == direction)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("build, joint", [(lambda: fourbar(w=-3.0), "rev1"), (fivebar, "left")])
def test_a_crank_that_hits_its_stop(build, joint, restitution):
    """Δu = −(1 + e) v W g/(gᵀ W g), with W the inverse inertia of the motions that the loop allows."""
    m = build()
    crank = getattr(m, joint)
    crank.phi_min, crank.phi_max = (0.9, None) if joint == "rev1" else (None, 2.1)
    crank.restitution = restitution
    r = lw.simulate(m, 0.3, accuracy=1e-11)
    before, after, M, G = sides(r, first(r))
    k = place(r, f"der({joint}.phi)")
    free = np.linalg.svd(G)[2][np.linalg.matrix_rank(G) :].T
    W = free @ np.linalg.solve(free.T @ M @ free, free.T)
    expected = before - (1 + restitution) * before[k] * W[:, k] / W[k, k]
    np.testing.assert_allclose(after, expected, atol=1e-9)
    np.testing.assert_allclose(G @ after, 0, atol=1e-12)
    # M Δu + Gᵀ Λ = J: what the loop cannot take is an impulse on the crank alone
    impulse = M @ (after - before)
    taken = np.linalg.lstsq(np.vstack([G, np.eye(len(before))[k]]).T, impulse, rcond=None)[0]
    np.testing.assert_allclose(np.vstack([G, np.eye(len(before))[k]]).T @ taken, impulse, atol=1e-9)


@pytest.mark.parametrize("build, joint, sign", [(lambda: fourbar(w=-3.0), "rev1", -1), (fivebar, "left", 1)])
def test_a_speed_that_is_set_in_a_loop_keeps_its_value_and_moves_the_rest_by_impulses(build, joint, sign):
    """M (u⁺ − u⁻) + Gᵀ Λ = e J,  G u⁺ = 0,  the crank's speed as given: the same wherever the loop is cut."""
    m = build()
    crank = getattr(m, joint)
    m.when(sign * (crank.phi - (0.9 if sign < 0 else 2.1)) > 0, {crank.w: -0.4 * crank.w})
    r = lw.simulate(m, 0.3, accuracy=1e-11)
    before, after, M, G = sides(r, r.events[0].time)
    k, n, c = place(r, f"der({joint}.phi)"), len(before), len(G)
    rows = np.vstack([G, np.eye(n)[k]])
    K = np.block([[M, rows.T], [rows, np.zeros((c + 1, c + 1))]])
    found = np.linalg.lstsq(K, np.concatenate([M @ before, np.zeros(c), [-0.4 * before[k]]]), rcond=1e-12)[0][:n]
    np.testing.assert_allclose(after, found, atol=1e-9)
    assert after[k] == pytest.approx(-0.4 * before[k], rel=1e-12)
    assert r.closure < 1e-12


def test_a_coordinate_that_is_set_in_a_loop_keeps_it_closed():
    m = fourbar(w=-3.0)
    m.when(m.rev1.phi < 0.9, {m.rev1.phi: 1.3})
    r = lw.simulate(m, 0.3, accuracy=1e-10)
    t = r.events[0].time
    after = r.at(t, side="after")
    assert after["rev1.phi"] == pytest.approx(1.3, abs=1e-12)
    assert np.max(np.abs(after["position_error"])) < 1e-12 and np.max(np.abs(after["velocity_error"])) < 1e-10


def test_values_that_the_loop_does_not_allow_are_refused():
    m = fourbar(w=-3.0)
    m.when(m.rev1.phi < 0.9, {m.rev1.w: 1.0, m.rev4.w: 7.0})
    with pytest.raises(lw.SimulationError, match="rev1.phi < 0.9.*do not fit the constraints"):
        lw.simulate(m, 0.3)
    # where the crank is driven, the rocker follows it
    m = fourbar(phi=1.0, w=1.0)
    m.prescribe(m.rev1.phi, 1.0 + lw.time)
    m.when(lw.time > 0.5, {m.rev4.w: 1.0})
    with pytest.raises(lw.SimulationError, match="time > 0.5.*do not fit the constraints"):
        lw.simulate(m, 1.0)


def balls(*masses, v=1.0, restitution=1.0, gaps=None):
    """Balls on a line, each on the one before; the first runs into the second with speed v after one second."""
    m = lw.Model("balls")
    m.world = lw.World(gravity=None)
    frame = m.world.frame_b
    for k, mass in enumerate(masses):
        gap = (0.0, 1.0, *[0.0] * len(masses))[k] if gaps is None else gaps[k]
        joint = joints.Prismatic(n=[1, 0, 0], s=gap, v=(v, -v, *[0.0] * len(masses))[k],
                                 **({"s_min": 0.0, "restitution": restitution} if k else {}))
        setattr(m, f"j{k}", joint)
        setattr(m, f"b{k}", parts.Body(m=mass, r_cm=[0, 0, 0]))
        body = getattr(m, f"b{k}")
        m.connect(frame, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        frame = body.frame_a
    return m


def speeds(r, n):
    return [r[f"b{k}.v_0"][-1, 0] for k in range(n)]


def test_two_balls_exchange_their_speeds():
    assert speeds(lw.simulate(balls(1, 1), 2.0, accuracy=1e-11), 2) == pytest.approx([0, 1], abs=1e-10)
    # m1 = 3, m2 = 1, e = ½: common speed ¾, then half of the compression back
    assert speeds(lw.simulate(balls(3, 1, restitution=0.5), 2.0, accuracy=1e-11), 2) == \
        pytest.approx([0.75 - 0.125, 0.75 + 0.375], abs=1e-10)


def test_a_ball_that_hits_two_touching_ones_gives_the_answer_of_one_simultaneous_impact():
    """All three go at ⅓ when compression ends, with impulses ⅔ and ⅓; as much again: −⅓, ⅔, ⅔."""
    r = lw.simulate(balls(1, 1, 1), 2.0, accuracy=1e-11)
    assert speeds(r, 3) == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-10)
    assert r["kinetic_energy"][-1] == pytest.approx(0.5, abs=1e-10)


def test_balls_a_little_apart_pass_the_blow_on():
    """As the cradle does: the last one flies off with the speed of the first."""
    r = lw.simulate(balls(1, 1, 1, gaps=(0, 1.0, 1e-3)), 2.0, accuracy=1e-11)
    assert speeds(r, 3) == pytest.approx([0, 0, 1], abs=1e-9)


def test_many_stops_are_hit_at_once():
    """Fifteen sliders on one cart reach their stops together; each is thrown back as if it were alone."""
    m = lw.Model("many")
    m.world = lw.World(gravity=None)
    m.cart = joints.Prismatic(n=[1, 0, 0], s=0.0, v=0.0)
    m.heavy = parts.Body(m=1e9, r_cm=[0, 0, 0])
    m.chain(m.world, m.cart, m.heavy)
    for k in range(15):
        setattr(m, f"s{k}", joints.Prismatic(n=[0, 1, 0], s=0.5, v=-1.0, s_min=0.0, restitution=0.04 * k))
        setattr(m, f"b{k}", parts.Body(m=1.0 + k, r_cm=[0, 0, 0]))
        m.chain(m.heavy, getattr(m, f"s{k}"), getattr(m, f"b{k}"))
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    assert [r[f"s{k}.v"][-1] for k in range(15)] == pytest.approx([0.04 * k for k in range(15)], abs=1e-9)


def test_a_run_may_start_with_a_blow():
    m = models.slider(s=0.0, v=-2.0, s_min=0.0, restitution=0.5)
    r = lw.simulate(m, 1.0)
    assert r.at(0.0)["s.v"] == -2 and r.at(0.0, side="after")["s.v"] == pytest.approx(1.0, rel=1e-12)
    assert [(e.time, e.what, e.direction) for e in r.events] == [(0.0, "s.s_min", -1)]
    assert r["s.s"][-1] == pytest.approx(1.0, abs=1e-9)


def test_an_action_that_drives_into_a_stop_is_thrown_back_at_once():
    m = models.slider(s=0.0, v=0.0, s_min=0.0, restitution=0.25)
    m.when(lw.time > 0.5, {m.s.v: -4.0})
    r = lw.simulate(m, 1.0)
    assert r["s.v"][-1] == pytest.approx(1.0, rel=1e-12) and r["s.s"].min() > -1e-14


def test_a_blow_that_ends_at_one_stop_opens_another():
    """A mass is pushed along a cart to a stop, where it stays; with it the cart leaves the wall that it rested on."""
    m = lw.Model("cart at a wall")
    m.world = lw.World(n=[-1, 0, 0], g=9.81)
    m.rail, m.cart = joints.Prismatic(n=[1, 0, 0], s=0.0, v=0.0, s_min=0.0), parts.Body(m=3.0, r_cm=[0, 0, 0])
    m.slide, m.mass = joints.Prismatic(n=[1, 0, 0], s=0.0, v=2.0, s_max=0.1), parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.push = translational.Force(f=20.0)
    m.chain(m.world, m.rail, m.cart, m.slide, m.mass)
    m.connect(m.slide.axis, m.push.flange)
    r = lw.simulate(m, 0.1, accuracy=1e-11)
    after = r.at(first(r), side="after")
    assert after["slide.v"] == pytest.approx(0.0, abs=1e-12)
    assert after["rail.v"] == pytest.approx(np.sqrt(4 + 0.2 * (20 - 9.81)) / 4, rel=1e-9)


def test_a_stop_that_is_left_by_an_action_lets_go():
    m = models.slider(s=0.0, n=(0, 1, 0), g=10.0, s_min=0.0)
    m.when(lw.time > 0.25, {m.s.v: 1.0})
    m.when(lw.time > 0.75, {m.s.s: 0.4})
    r = lw.simulate(m, 0.8, accuracy=1e-11)
    assert r.at(0.35)["s.s"] == pytest.approx(0.1 - 5 * 0.01, abs=1e-10)
    assert r.at(0.6)["s.s"] == pytest.approx(0.0, abs=1e-12)  # it fell back after 0.2 s
    assert r["s.s"][-1] == pytest.approx(0.4 - 5 * 0.05**2, abs=1e-10)


def test_an_action_cannot_put_a_mass_behind_a_stop():
    m = models.slider(s=0.5, s_min=0.0)
    m.when(lw.time > 0.5, {m.s.s: -0.25})
    with pytest.raises(lw.SimulationError, match="0.25 beyond the stop s.s_min") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == 0.5


def test_a_prescribed_motion_cannot_pass_a_stop():
    m = models.slider(v=1.0, s_max=0.5)
    m.drive = translational.Position(s_ref=lw.time, exact=True)
    m.connect(m.s.axis, m.drive.flange)
    with pytest.raises(lw.SimulationError, match="prescribed motion runs into s.s_max") as caught:
        lw.simulate(m, 1.0)
    assert caught.value.time == pytest.approx(0.5, abs=1e-9)


# --- freewheels, clutches, friction ---


def shafts(clutch, w1, w2, stop=False):
    m = lw.Model("shafts")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=w1, **({"phi_max": 1.0, "restitution": 0.4} if stop else {}))
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[1, 1, 2.0])
    m.wheel, m.clutch = rotational.Inertia(J=3.0, phi=0.0, w=w2), clutch
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.wheel.flange_a)
    return m


def freewheel():
    return rotational.OneWayClutch(fn_max=1.0, mu_pos=[[0, 0.0]], f_normalized=0.0)


def test_a_freewheel_that_starts_backwards_catches_with_an_impulse():
    r = lw.simulate(shafts(freewheel(), 10.0, 0.0), 1.0)
    assert r.at(0.0)["rev.w"] == 10 and r.at(0.0, side="after")["rev.w"] == pytest.approx(4.0, rel=1e-12)
    assert r["wheel.w"][-1] == pytest.approx(2.0 * 10 / 5, rel=1e-12)
    assert [(e.time, e.what, e.direction) for e in r.events] == [(0.0, "clutch", 0)]


def test_a_freewheel_lets_the_wheel_run_on_when_its_shaft_is_stopped():
    """The stop throws the shaft back, the wheel overtakes it."""
    r = lw.simulate(shafts(freewheel(), 10.0, 10.0, stop=True), 0.2)
    assert r["rev.w"][-1] == pytest.approx(-4.0, rel=1e-12) and r["wheel.w"][-1] == pytest.approx(10.0, rel=1e-12)


def test_a_freewheel_bears_the_blow_of_a_stop_that_its_shaft_is_thrown_off():
    """Backwards the shaft may not leave the wheel behind: both are stopped and thrown back by one impulse."""
    m = shafts(freewheel(), -10.0, -10.0)
    m.rev.phi_min, m.rev.restitution = -1.0, 0.4
    r = lw.simulate(m, 0.2)
    assert r["rev.w"][-1] == pytest.approx(4.0, rel=1e-12) and r["wheel.w"][-1] == pytest.approx(4.0, rel=1e-12)


@pytest.mark.parametrize("holds, wheel", [(False, 10.0), (True, -4.0)])
def test_a_clutch_of_finite_torque_is_torn_loose_by_a_blow_unless_it_is_said_to_hold(holds, wheel):
    clutch = rotational.Clutch(fn_max=100.0, mu_pos=[[0, 0.5]], f_normalized=1.0, holds_impacts=holds)
    r = lw.simulate(shafts(clutch, 10.0, 10.0, stop=True), 0.3)
    after = r.at(first(r), side="after")
    assert after["rev.w"] == pytest.approx(-4.0, rel=1e-11) and after["wheel.w"] == pytest.approx(wheel, rel=1e-11)


@pytest.mark.parametrize("tau", [1e-3, 1e-6, 0.0])
def test_little_friction_makes_little_difference_in_an_impact(tau):
    """The elbow sticks before the shoulder hits its stop; as its friction goes to zero the blow acts as without."""

    def arm(friction):
        m = lw.Model("arm")
        m.world = lw.World(gravity=None)
        m.shoulder = joints.Revolute(phi=-0.01, w=1.0, phi_max=0.0)
        m.elbow = joints.Revolute(phi=0.0, w=0.0, friction=friction)
        m.upper, m.lower = rod(1.0), rod(1.0)
        m.chain(m.world, m.shoulder, m.upper, m.elbow, m.lower)
        r = lw.simulate(m, 0.02, accuracy=1e-10)
        return r.at(first(r), side="after")["elbow.w"]

    assert arm(lw.Coulomb(tau=tau)) == pytest.approx(arm(None), abs=3 * tau + 1e-9)
    assert arm(lw.Coulomb(tau=tau, holds_impacts=True)) == pytest.approx(0, abs=1e-9) or tau == 0


def cart(phi, mu, v=0.0, w=3.0, restitution=0.0):
    """A mass 2 on an arm of 0.7 m on a cart of 3 kg; the arm hits a stop on the cart at angle phi."""
    m = lw.Model("cart")
    m.world = lw.World(gravity=None)
    m.s = joints.Prismatic(n=[1, 0, 0], s=0.0, v=v, friction=lw.Coulomb(mu=mu))
    m.cart = parts.Body(m=3.0, r_cm=[0, 0, 0])
    m.rev = joints.Revolute(phi=phi, w=w, phi_max=phi, restitution=restitution)
    m.mass = parts.Body(m=2.0, r_cm=[0.7, 0, 0], inertia=[0, 0, 0])
    m.chain(m.world, m.s, m.cart, m.rev, m.mass)
    return lw.simulate(m, 1e-3).at(0.0, side="after")


def test_friction_takes_its_share_of_the_reaction_of_a_blow():
    """The level arm presses the cart on its rail with N = m l (1 + e) ω, which slows it by mu N/(M + m)."""
    for restitution in (0.0, 0.5, 1.0):
        after = cart(0.0, 0.2, v=2.0, restitution=restitution)
        assert after["rev.w"] == pytest.approx(-restitution * 3, abs=1e-12)
        assert after["s.v"] == pytest.approx(2 - 0.2 * 2 * 0.7 * (1 + restitution) * 3 / 5, rel=1e-12)


@pytest.mark.parametrize("phi", [0.4, 0.6])
def test_a_cart_at_rest_is_moved_by_a_blow_only_beyond_the_angle_of_friction(phi):
    """The blow comes along the arm's motion, −sin phi and cos phi: mu = 0.5 holds it where tan phi < 0.5."""
    after = cart(phi, 0.5)
    moved = 2 * 0.7 * 3 * (0.5 * np.cos(phi) - np.sin(phi)) / 5 if np.tan(phi) > 0.5 else 0.0
    assert after["s.v"] == pytest.approx(moved, abs=1e-12) and after["rev.w"] == pytest.approx(0, abs=1e-12)
