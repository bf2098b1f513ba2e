"""What else is stepped beside contacts: rolling and spinning friction, patches, locks, freewheels, delays."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, contact, joints, parts, rotational, translational
from linkwright.integrate.gauss_seidel import CONTACT, SINGLE, TURN
from linkwright.run import cone
from linkwright.start import prepare
from linkwright.studies import stepped as stepper_of

G, RADIUS = 9.81, 0.1
INERTIA = 0.4 * RADIUS**2


def ball(law=None, **start):
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(g=G), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=RADIUS)
    m.ball = parts.Body(m=1, inertia=[INERTIA] * 3, r_0=[0, RADIUS, 0], **start)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law or contact.Rigid(mu=0.3))
    return m


def stepped(model, stop, h, **options):
    return lw.simulate(model, stop, method="moreau", h=h, **options)


def first_order(model, stop, slope, *names):
    """A stepped run is as far from located events as its step is long, times a slope."""
    located = lw.simulate(model, stop, step=0.05)
    for h in (4e-3, 1e-3):
        r = stepped(model, stop, h, step=0.05)
        for name in names:
            assert np.abs(r[name] - located[name]).max() < slope * h, (name, h)


# --- rolling and spinning friction ---


def test_a_ball_with_rolling_friction_stops_and_stays():
    """After v²/(2a), a = 5/7 · arm · g/R, in any direction; then it does not creep, and nothing gains energy."""
    a, v, errors = 5 / 7 * 4e-3 * G / RADIUS, 0.5, []
    law = contact.Rigid(mu=0.5, rolling=4e-3)
    for h in (4e-3, 2e-3):
        r = stepped(ball(law, v_0=[0.3, 0, 0.4], w_a=[4.0, 0, -3.0]), 2.2, h)
        way = r["ball.r_0"][:, [0, 2]]
        errors.append(abs(np.linalg.norm(way[-1]) - v**2 / (2 * a)))
        assert way[-1] @ [0.8, -0.6] == pytest.approx(0, abs=1e-12)
        assert np.diff(r["kinetic_energy"] + r["potential_energy"]).max() < 1e-12
        assert np.ptp(way[r.t > v / a + 0.05], axis=0).max() < 1e-10  # what is left by the sweeps
    assert errors[1] < 6e-4 and errors[1] == pytest.approx(errors[0] / 2, rel=0.05)


@pytest.mark.parametrize("slope, holds", [(0.9, True), (1.1, False)])
def test_rolling_friction_holds_a_ball_on_a_slope(slope, holds):
    """Up to tan α = arm/R; beyond that it rolls with 5/7 g (sin α − arm/R cos α)."""
    angle = np.arctan(slope * 5e-3 / RADIUS)
    m = ball(contact.Rigid(mu=0.5, rolling=5e-3))
    m.world.n = [np.sin(angle), -np.cos(angle), 0]
    r = stepped(m, 1.0, 5e-3)
    a = 0.0 if holds else 5 / 7 * G * (np.sin(angle) - 5e-3 / RADIUS * np.cos(angle))
    assert r["ball.v_0"][-1, 0] == pytest.approx(a, abs=1e-9)


def test_what_spins_comes_to_rest_in_time():
    """T = I w/(arm m g)."""
    end = 5 * INERTIA / (2e-3 * G)
    r = stepped(ball(contact.Rigid(mu=0.5, spinning=2e-3), w_a=[0, 5.0, 0]), 1.2, 2e-3, step=2e-3)
    spin = r["ball.w_a"][:, 1]
    assert r.t[np.argmax(spin < 1e-9)] == pytest.approx(end, abs=4e-3)
    assert spin[r.t > end + 4e-3] == pytest.approx(0, abs=1e-12)


def test_rolling_friction_of_many_is_stepped():
    """A disc of 4 cm that lies flat and spins: its time to rest, of four points that carry a quarter each."""
    m = lw.Model("coin")
    m.world, m.floor, m.coin = lw.World(g=G), contact.Plane(n=[0, 1, 0]), contact.Disc(radius=0.04, n=[0, 1, 0])
    m.body = parts.Body(m=0.1, inertia=[4e-5, 8e-5, 4e-5], w_a=[0, 6.0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.coin.frame_a)
    m.touch = contact.Pair(m.floor, m.coin, law=contact.Rigid(mu=0.0, spinning=1e-3))
    r = stepped(m, 0.8, 4e-3, step=4e-3)
    assert r["body.w_a"][100, 1] == pytest.approx(6 - 1e-3 * 0.1 * G / 8e-5 * 0.4, abs=0.01)
    assert r["body.w_a"][-1] == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_patch_rubs_as_with_located_events():
    """Slip and spin together (Coulomb–Contensou), energy never grows."""
    model = ball(contact.Rigid(mu=0.3, patch=5e-3), v_0=[0.5, 0, 0], w_a=[0, 20.0, 0])
    first_order(model, 0.4, 40, "ball.r_0", "ball.w_a")
    r = stepped(model, 0.4, 4e-3)
    assert np.diff(r["kinetic_energy"]).max() <= 0


def test_friction_at_rest_may_hold_more_than_in_motion():
    """A slope between mu and mu_s: what rests stays, what moves slides on with g (sin α − mu cos α)."""
    for speed in (0.0, 0.1):
        angle = np.arctan(0.4)
        r = stepped(on_slope(angle, speed), 0.4, 4e-3)
        a = G * (np.sin(angle) - 0.3 * np.cos(angle)) if speed else 0.0
        assert r["body.v_0"][-1, 0] == pytest.approx(speed + a * 0.4, abs=1e-6)


def on_slope(angle, speed):
    m = lw.Model("box on a slope")
    m.world = lw.World(g=G, n=[np.sin(angle), -np.cos(angle), 0])
    m.floor, m.skin = contact.Plane(n=[0, 1, 0]), contact.Box(size=[0.2] * 3)
    m.body = parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0, 0.1, 0], v_0=[speed, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.3, mu_s=0.5))
    return m


def test_the_numbers_of_a_law_may_be_tuned():
    """A stepped run takes those it is given, not those the model was compiled with."""
    system = lw.compile(ball(contact.Rigid(mu=0.3, rolling=1e-3), v_0=[2.0, 0, 0]), tunable=["touch.law.mu"])
    for mu in (0.1, 0.2):
        r = stepped(system, 0.1, 2e-3, inputs={"touch.law.mu": mu})
        assert r["ball.v_0"][-1, 0] == pytest.approx(2 - mu * G * 0.1, abs=1e-9)


def test_rolling_friction_may_be_switched_on_between_steps():
    """A ball that rolled freely slows down by 5/7 · arm · g/R from then on."""
    law, arm = contact.Rigid(mu=0.5, rolling=1e-3), 4e-3
    system = lw.compile(ball(law, v_0=[0.5, 0, 0], w_a=[0, 0, -5.0]), tunable=["touch.law.rolling"])
    run = stepper_of(system, prepare(system, None, 0.0, {"touch.law.rolling": 0.0}), 2e-3, None)
    speeds = []
    for t, rolling in ((0.1, 0.0), (0.2, arm)):
        row, (part, where) = run.row, system.slot("touch.law.rolling")
        system.layout.unpack(row)[part][where] = rolling
        run.take(row)
        run.run(t, np.array([t]))
        speeds.append(system.layout.put(run.row, system.state()).get("ball.v_0")[0])
    assert speeds == pytest.approx([0.5, 0.5 - 5 / 7 * arm * G / RADIUS * 0.1], abs=1e-9)


# --- rows of all kinds, solved exactly ---


def random_rows(seed, contacts=3, singles=2):
    """Contacts, each with its turning, and single rows, over a random inertia."""
    rng = np.random.default_rng(seed)
    count = 3 * (2 * contacts + singles)
    G = rng.normal(size=(count, 18))
    kinds = np.array([CONTACT] * contacts + [TURN] * contacts + [SINGLE] * singles)
    partners = np.array([*range(contacts, 2 * contacts), *range(contacts), *[-1] * singles])
    laws = np.zeros((len(kinds), 3))
    laws[:contacts, 0], laws[contacts : 2 * contacts, :2] = 0.5, [0.1, 0.2]
    laws[2 * contacts :, :2] = [[0, np.inf], [-0.3, 0.3]]
    G.reshape(-1, 3, 18)[2 * contacts :, 1:] = 0
    return G @ G.T, rng.normal(size=count), kinds, partners, laws


@pytest.mark.parametrize("seed", range(12))
def test_few_rows_are_solved_exactly(seed):
    """Every row lies within its law, and moves only where its law is used up, against the motion."""
    W, b, kinds, partners, laws = random_rows(seed)
    found = cone.solve_rows(W, b, kinds, partners, laws)
    assert found is not None
    impulses, speeds = found.reshape(-1, 3), (W @ found + b).reshape(-1, 3)
    for c, kind in enumerate(kinds):
        if kind == SINGLE:
            low, high = laws[c, :2]
            bound = low if speeds[c, 0] > 1e-9 else high if speeds[c, 0] < -1e-9 else impulses[c, 0]
            assert impulses[c, 0] == pytest.approx(bound, abs=1e-9) and low - 1e-9 < impulses[c, 0] < high + 1e-9
            continue
        pressing = impulses[c if kind == CONTACT else partners[c], 0]
        assert pressing >= -1e-12
        if kind == CONTACT:
            assert speeds[c, 0] >= -1e-9 and abs(speeds[c, 0] * pressing) < 1e-9
        discs = [(slice(1, 3), laws[c, 0])] if kind == CONTACT else [(slice(0, 1), laws[c, 0]),
                                                                    (slice(1, 3), laws[c, 1])]
        for rows, arm in discs:
            rub, slip = impulses[c, rows], speeds[c, rows]
            assert np.linalg.norm(rub) <= arm * pressing + 1e-9
            if np.linalg.norm(slip) > 1e-8:
                assert rub == pytest.approx(-arm * pressing * slip / np.linalg.norm(slip), abs=1e-8)


# --- locks, clutches, freewheels ---


def arm_over_the_floor(**hinge):
    m = ball(v_0=[1.0, 0, 0])
    m.up, m.hinge = parts.FixedTranslation(r=[0, 0.5, 0]), joints.Revolute(phi=0.0, w=0.0, **hinge)
    m.arm, m.tip = parts.Body(m=1, r_cm=[0.3, 0, 0], inertia=[0.01] * 3), parts.FixedTranslation(r=[0.6, 0, 0])
    m.hand = contact.Sphere(radius=0.05)
    m.chain(m.world, m.up, m.hinge, m.arm)
    m.chain(m.arm, m.tip, m.hand)
    m.press = contact.Pair(m.floor, m.hand, law=contact.Rigid(mu=0.3))
    return m


def test_a_lock_catches_and_holds():
    """An arm is caught in its fall, hangs still to rounding, and falls on when it is let go."""
    m = arm_over_the_floor()
    m.lock(m.hinge, when=(m.hinge.phi < -0.5) & (lw.time < 0.6))
    r = stepped(m, 0.9, 2e-3, step=0.02)
    held = (r.t > 0.25) & (r.t < 0.59)
    assert np.ptp(r["hinge.phi"][held]) == 0 and np.all(r["hinge.w"][held] == 0)
    assert [e.time for e in r.events if e.what == "hinge.lock"] == pytest.approx([0.1851, 0.6], abs=3e-3)
    first_order(m, 0.9, 8, "hinge.phi")


def test_a_lock_bears_what_strikes():
    """A ball falls on the hand of an arm that is locked: the arm stays where it is, to rounding."""
    m = arm_over_the_floor()
    m.lock(m.hinge, when=m.hinge.phi < 0.5)
    m.stone, m.shell = parts.Body(m=1, inertia=[4e-4] * 3, r_0=[0.6, 0.75, 0]), contact.Sphere(radius=0.05)
    m.connect(m.stone.frame_a, m.shell.frame_a)
    m.blow = contact.Pair(m.hand, m.shell, law=contact.Rigid(restitution=0.5))
    r = stepped(m, 0.3, 2e-3)
    assert any(row.pair == "blow" for row in r.contacts)
    assert np.abs(r["hinge.phi"]).max() < 1e-15
    hit = np.sqrt(2 * 0.15 / G)
    assert r["stone.v_0"][-1, 1] == pytest.approx(0.5 * G * hit - G * (0.3 - hit), abs=0.04)


def shafts(clutch, torque):
    m = ball()
    m.one, m.two = rotational.Inertia(J=2.0, phi=0, w=1.0), rotational.Inertia(J=1.0, phi=0, w=1.0)
    m.clutch, m.motor = clutch, rotational.Torque(tau=torque)
    m.connect(m.motor.flange, m.one.flange_a)
    m.connect(m.one.flange_b, m.clutch.flange_a)
    m.connect(m.clutch.flange_b, m.two.flange_a)
    return m


def test_a_freewheel_drives_and_never_turns_backwards():
    m = shafts(rotational.OneWayClutch(fn_max=1.0), lw.where(lw.time < 0.5, 3.0, -6.0))
    r = stepped(m, 1.0, 4e-3)
    assert r["two.w"][-1] == pytest.approx(1.5, abs=8e-3) and r["clutch.w_rel"].min() > -1e-12
    assert r["clutch.tau"][r.t < 0.49] == pytest.approx(-1, abs=1e-9)
    first_order(m, 1.0, 5, "one.w")


def test_a_clutch_slips_by_its_table_then_holds():
    clutch = rotational.Clutch(fn_max=4.0, peak=1.2, mu_pos=[[0, 0.5], [1, 0.4], [5, 0.3]],
                               f_normalized=lw.where(lw.time < 0.3, 0.0, 1.0))
    m = shafts(clutch, lw.where(lw.time < 0.3, 6.0, 1.0))
    r = stepped(m, 1.2, 4e-3)
    assert r["clutch.w_rel"][-1] == pytest.approx(0, abs=1e-9)
    assert r["clutch.tau"][-1] == pytest.approx(-1 / 3, abs=1e-9)
    first_order(m, 1.2, 5, "one.w", "two.w")


@pytest.mark.parametrize("firm", [True, False])
def test_friction_that_holds_impacts_bears_a_blow(firm):
    """A stone on a hand that friction of 8 N m holds: the arm stays, or is torn loose for a while."""
    m = arm_over_the_floor(friction=lw.Coulomb(tau=8.0, holds_impacts=firm))
    m.stone, m.shell = parts.Body(m=1, inertia=[4e-4] * 3, r_0=[0.6, 0.75, 0]), contact.Sphere(radius=0.05)
    m.connect(m.stone.frame_a, m.shell.frame_a)
    m.blow = contact.Pair(m.hand, m.shell, law=contact.Rigid(restitution=0.5))
    r = stepped(m, 0.3, 2e-3)
    assert any(row.pair == "blow" for row in r.contacts)
    moved = np.abs(r["hinge.phi"]).max()
    assert moved < 1e-12 if firm else moved > 1e-2


def test_friction_of_a_reaction_feels_what_contacts_press():
    """A cart on a rail that rubs by mu × what it bears, and a ball that lies on it: both weigh."""
    m = lw.Model("cart")
    m.world, m.rail = lw.World(g=G), joints.Prismatic(n=[1, 0, 0], s=0.0, v=2.0, friction=lw.Coulomb(mu=0.2))
    m.cart, m.bed = parts.Body(m=2), contact.Plane(n=[0, 1, 0])
    m.load, m.box = parts.Body(m=3, inertia=[0.02] * 3, r_0=[0, 0.1, 0], v_0=[2.0, 0, 0]), contact.Box(size=[0.2] * 3)
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.cart.frame_a, m.bed.frame_a)
    m.connect(m.load.frame_a, m.box.frame_a)
    m.touch = contact.Pair(m.bed, m.box, law=contact.Rigid(mu=0.5))
    r = stepped(m, 0.4, 2e-3)
    assert r["rail.v"][-1] == pytest.approx(2 - 0.2 * G * 0.4, abs=6e-3)


# --- what looks back ---


def test_a_delayed_signal_comes_back():
    """Feedback over a tenth of a second, as with located events, to first order; what jumps comes back as a jump."""
    m = ball()
    m.rail, m.cart = joints.Prismatic(n=[0, 0, 1], s=0.1), parts.Body(m=2)
    late = blocks.delay(m.rail.s, 0.1, name="late")
    kick = blocks.delay(lw.where(lw.time < 0.5, 0.0, 1.0), 0.25, start=0.5, name="kick")
    m.motor = translational.Force(f=-8 * late - 2 * m.rail.v + kick)
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.rail.axis, m.motor.flange)
    first_order(m, 2.0, 0.3, "rail.s")
    r = stepped(m, 2.0, 4e-3, step=0.05)
    assert r["kick.y"][r.t < 0.24] == pytest.approx(0.5) and r["kick.y"][r.t > 0.76] == pytest.approx(1)
    assert r["late.y"][3:] == pytest.approx(np.interp(r.t[3:] - 0.1, r.t, r["rail.s"]), abs=2e-4)


def test_what_is_noted_at_every_step_is_noted_here_too():
    m = ball()
    m.rail, m.cart = joints.Prismatic(n=[0, 1, 0], s=0.0, v=3.0), parts.Body(m=2)
    m.chain(m.world, m.rail, m.cart)
    top = m.discrete("top", 0.0)
    m.each_step({top: lw.fmax(top, m.rail.s)})
    r = stepped(m, 0.5, 2e-3)
    assert r["top"][-1] == r["rail.s"].max() or r["top"][-1] == pytest.approx(9 / (2 * G), abs=5e-3)


def test_friction_that_holds_impacts_does_not_hold_what_moves():
    """A block on a rail is struck from behind by its like, and they share m (v_1 + v_2)."""
    m = lw.Model("struck")
    m.world = lw.World(gravity=None)
    m.rail = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0, friction=lw.Coulomb(tau=0.01, holds_impacts=True))
    m.block, m.face = parts.Body(m=1.0, inertia=[1e-3] * 3), contact.Box(size=[0.1] * 3)
    m.ball = parts.Body(m=1.0, inertia=[1e-3] * 3, r_0=[-0.17, 0, 0], v_0=[4.0, 0, 0])
    m.skin = contact.Sphere(radius=0.1)
    m.chain(m.world, m.rail, m.block)
    m.connect(m.block.frame_a, m.face.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.skin, m.face, law=contact.Rigid())
    r = lw.simulate(m, 0.02, method="time_stepping", h=1e-3, step=1e-3)
    assert r["rail.v"][-1] == pytest.approx(2.5, abs=1e-3)


@pytest.mark.parametrize("angle", [0.0, 0.3])
def test_what_rests_or_slides_was_hit_once_at_every_corner(angle):
    m = lw.Model("on a slope")
    m.world, m.floor = lw.World(n=[np.sin(angle), -np.cos(angle), 0]), contact.Plane(n=[0, 1, 0])
    m.box = parts.Body(m=1.0, inertia=[1e-2] * 3, r_0=[0, 0.1002, 0], v_0=[1, -1, 0])
    m.skin = contact.Box(size=[0.3, 0.2, 0.3])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.2))
    r = lw.simulate(m, 0.1, method="time_stepping", h=1e-3, step=0.05)
    assert sorted(row.point for row in r.contacts if row.what == "hit") == sorted({row.point for row in r.contacts})
    assert len(r.contacts) == 4
