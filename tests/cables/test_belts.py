"""Belts around discs: closed forms of their length, transmission, tension, energy and power."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, joints, parts, rotational, translational

R1, R2, D = 0.1, 0.05, 0.4


def drive(turns=(1, 1), EA=5e4, d=20.0, pretension=200.0, speeds=(0.0, 0.0), load=0.0, third=False):
    """Two wheels on fixed axles, a belt around both; a torque on the second; or an idler between them on a slide."""
    m = lw.Model("belt drive")
    m.world = lw.World()
    m.axle1, m.axle2 = (joints.Revolute(phi=0, w=w) for w in speeds)
    m.base = parts.FixedTranslation(r=[D, 0, 0])
    m.wheel1, m.wheel2 = (parts.Body(m=1.0, inertia=[1e-3, 1e-3, J]) for J in (0.02, 0.005))
    m.chain(m.world, m.axle1, m.wheel1)
    m.chain(m.world, m.base, m.axle2, m.wheel2)
    m.p1, m.p2 = cables.Disc(radius=R1), cables.Disc(radius=R2)
    m.connect(m.wheel1.frame_a, m.p1.frame_a)
    m.connect(m.wheel2.frame_a, m.p2.frame_a)
    wraps = [m.p1.wrap(turns[0]), m.p2.wrap(turns[1])]
    if third:
        m.middle, m.rail = parts.FixedTranslation(r=[0.2, 0, 0]), joints.Prismatic(n=[0, 1, 0], s=-0.15)
        m.idler, m.p3 = parts.Body(m=0.5), cables.Disc(radius=0.03)
        m.spring = translational.SpringDamper(c=2000.0, d=30.0, s_rel0=-0.2)
        m.chain(m.world, m.middle, m.rail, m.idler)
        m.connect(m.idler.frame_a, m.p3.frame_a)
        m.connect(m.rail.support, m.spring.flange_a)
        m.connect(m.rail.axis, m.spring.flange_b)
        wraps.insert(1, m.p3.wrap(turns[0]))
    m.belt = cables.Belt(wraps, EA=EA, d=d, pretension=pretension)
    m.brake = rotational.Torque(tau=load)
    m.connect(m.axle2.axis, m.brake.flange)
    return m


@pytest.mark.parametrize(("turns", "length"), [((1, 1), 1.2774970744747), ((1, -1), 1.3281777790967),
                                               ((-1, -1), 1.2774970744747)])
def test_lengths_of_open_and_crossed_belts(turns, length):
    """2 √(D² − (r₁ ∓ r₂)²) + π (r₁ + r₂) + …, ISO 155's lengths in closed form."""
    state = lw.compile(drive(turns)).state()
    assert state.get("belt.length") == pytest.approx(length, abs=1e-12)
    small = np.pi - 2 * np.arcsin((R1 - R2) / D) if turns[0] == turns[1] else np.pi + 2 * np.arcsin((R1 + R2) / D)
    assert state.get("belt.span[1].angle") == pytest.approx(small, abs=1e-12)
    assert state.get("belt.span[0].f") == state.get("belt.span[1].f") == pytest.approx(200.0, rel=1e-12)


@pytest.mark.parametrize("turns", [(1, 1), (1, -1)])
def test_torque_is_the_difference_of_tensions(turns):
    """In steady motion the brake's torque τ = r₂ Δf, speeds as the radii, and the pretension is the mean."""
    ratio = R1 / R2 * turns[0] * turns[1]
    m = drive(turns, load=-2.0 * turns[1], speeds=(lw.guess(3.0), 3.0 * ratio))
    m.hold = rotational.Speed(w_ref=3.0, exact=True)
    m.connect(m.axle1.axis, m.hold.flange)
    m.wind = rotational.Damper(d=0.02)
    m.connect(m.axle2.support, m.wind.flange_a)
    m.connect(m.axle2.axis, m.wind.flange_b)
    r = lw.simulate(m, 3.0, accuracy=1e-9)
    f = [r[f"belt.span[{k}].f"][-1] for k in (0, 1)]
    against = -2.0 * turns[1] - 0.02 * r["axle2.w"][-1]  # what the belt must make up for
    assert turns[1] * R2 * (f[1] - f[0]) == pytest.approx(-against, rel=1e-6)
    assert sum(f) / 2 == pytest.approx(200.0, rel=1e-6)
    assert r["axle2.w"][-1] == pytest.approx(3.0 * ratio, rel=1e-6)


def test_energy_is_kept_also_through_slack_spans():
    m = drive(d=0.0, pretension=20.0, speeds=(4.0, 0.0))  # against a wheel at rest: one span becomes slack
    r = lw.simulate(m, 0.3, accuracy=1e-10)
    total = r["kinetic_energy"] + r["belt.energy"]
    assert np.ptp(total) < 1e-8 * total[0]
    assert r["belt.span[0].f"].min() == 0.0 or r["belt.span[1].f"].min() == 0.0
    assert np.all(r["belt.span[0].f"] >= 0) and len(r.events) > 2


def test_power_goes_over_with_what_is_lost_in_the_belt():
    m = drive(d=40.0, load=-1.0, speeds=(6.0, 12.0))
    r = lw.simulate(m, 0.2, accuracy=1e-9, output_step=1e-4)
    spent = np.array([np.trapezoid(r["belt.loss_power"] + 1.0 * r["axle2.w"], r.t)])[0]
    total = r["kinetic_energy"] + r["belt.energy"]
    assert total[0] - total[-1] == pytest.approx(spent, rel=2e-4)
    assert np.all(r["belt.loss_power"] >= -1e-9)


def test_an_idler_on_a_spring_comes_to_rest_where_both_spans_balance_it():
    m = drive(d=400.0, pretension=50.0, third=True)
    r = lw.simulate(m, 3.0, accuracy=1e-8)
    end, at = {name: r[name][-1] for name in ("rail.s", "rail.v", "belt.span[0].f", "belt.span[1].f")}, r.at(3.0)
    assert abs(end["rail.v"]) < 1e-6
    # the spans leave the idler along u₀ and u₁; their pulls, its weight and the spring's force balance
    places = [np.array(at[f"belt.at[{k}]"]) for k in range(m.belt.n_knots)]
    count = (len(places) - 1) // 3
    first, last = places[count - 1] - places[count], places[2 * count] - places[2 * count - 1]
    pulls = [end["belt.span[0].f"] * first / np.linalg.norm(first), end["belt.span[1].f"] * last / np.linalg.norm(last)]
    spring = -2000.0 * (end["rail.s"] + 0.2)
    assert sum(pull[1] for pull in pulls) + spring == pytest.approx(0.5 * 9.80665, abs=1e-4)


def test_what_no_belt_can_be_is_refused():
    m = drive()
    with pytest.raises(lw.ModelError, match="at least two discs"):
        cables.Belt([m.p1.wrap(1)], EA=1e4)
    with pytest.raises(lw.ModelError, match="in which sense"):
        cables.Belt([m.p1.wrap(1), m.p2.wrap()], EA=1e4)
    m = drive()
    m.p2.n = (0, 1, 0)
    with pytest.raises(lw.LinkwrightError, match="not parallel"):
        lw.compile(m).state()
    m = drive((1, -1))
    m.base.r = [0.12, 0, 0]
    with pytest.raises(lw.LinkwrightError, match="overlap"):
        lw.compile(m).state()
