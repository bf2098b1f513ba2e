"""Controllers in formulas, sampled at a rate (`m.sample`): the same as one in Python, on every road."""

import event_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, contact, joints, parts, rotational

PERIOD = 0.005


def servo(python=False, phi=0.5, period=PERIOD):
    """A pendulum that a controller with a memory of its own brings to rest."""
    m = lw.Model("servo")
    m.world = lw.World()
    m.arm, m.body = joints.Revolute(phi=phi), parts.Body(m=1.0, r_cm=[0, -0.3, 0])
    torque, total = m.input("torque"), m.discrete("total")
    m.motor = rotational.Torque(tau=torque)
    m.chain(m.world, m.arm, m.body)
    m.connect(m.arm.axis, m.motor.flange)
    if not python:
        m.sample(period, {torque: -8 * m.arm.phi - 1.5 * m.arm.w - total, total: total + period * m.arm.phi})
        return m
    kept = [0.0]

    @m.every(period)
    def control(t, y):
        before, kept[0] = kept[0], kept[0] + period * y["arm.phi"]
        return {"torque": -8 * y["arm.phi"] - 1.5 * y["arm.w"] - before}

    return m


def test_a_formula_does_what_the_same_controller_in_python_does():
    formula, python = lw.simulate(servo(), 1.0), lw.simulate(servo(python=True), 1.0)
    for name in ("arm.phi", "arm.w"):
        np.testing.assert_array_equal(formula[name], python[name])
    np.testing.assert_array_equal(formula["torque"][1:], python["torque"][1:])
    assert formula["torque"][0] == -4.0  # the first sample belongs to the start
    assert not formula.events and formula["arm.phi"][-1] != 0.5


def test_each_value_is_held_until_the_next_time_and_computed_from_those_before():
    m = models.push(models.slider(v=1.0), 0.0)
    n, last, before = (m.discrete(name) for name in ("n", "last", "before"))
    m.sample(0.25, {n: n + 1, last: lw.time, before: last})
    r = lw.simulate(m, 2.0, output_step=0.05)
    inside = np.minimum(r.t % 0.25, 0.25 - r.t % 0.25) > 1e-9
    k = np.floor(r.t[inside] / 0.25)
    np.testing.assert_array_equal(r["n"][inside], k + 1)
    np.testing.assert_allclose(r["last"][inside], 0.25 * k, atol=0)
    np.testing.assert_allclose(r["before"][inside], 0.25 * np.maximum(k - 1, 0), atol=0)
    assert r.at(2.0, side="after")["n"] == 9  # the end is an instant too


def test_lanes_and_simulators_have_its_bits():
    wanted = [lw.simulate(servo(phi=phi), 0.6, output_step=0.1) for phi in (0.5, 0.3)]
    study = lw.sweep(servo(), {"arm.phi": [0.5, 0.3]}, 0.6, step=0.1, outputs=["arm.phi", "torque"])
    for name in ("arm.phi", "torque"):
        np.testing.assert_array_equal(study.data[name].values, [r[name] for r in wanted])
    # steps of a simulator that do not fit the rate: the rate is kept across them
    sims = lw.Simulator(servo(), 0.0125, n=2)
    sims.reset({"arm.phi": [0.5, 0.3]})
    sims.step(steps=48)
    np.testing.assert_allclose(sims["arm.phi"], [r["arm.phi"][-1] for r in wanted], atol=1e-9)


def test_a_run_goes_on_with_the_instants_that_it_would_have_had():
    whole = lw.simulate(servo(), 1.0)
    half = lw.simulate(servo(), 0.5025)
    rest = lw.simulate(half.system, 1.0, start=0.5025, state=half.end)
    assert rest["arm.phi"][-1] == pytest.approx(whole["arm.phi"][-1], abs=1e-9)
    assert rest["total"][-1] == pytest.approx(whole["total"][-1], abs=1e-10)
    # at another time it begins anew, at once
    for start in (0.0, 7.0):
        again = lw.simulate(half.system, start + 0.1, start=start, state=half.end)
        fresh = half.end.copy()
        names = list(half.system.part_names("d"))
        fresh.d[names.index("sample 1.count")] = 0
        expected = lw.simulate(half.system, start + 0.1, start=start, state=fresh)
        np.testing.assert_array_equal(again["arm.phi"], expected["arm.phi"])


def test_two_rates_meet_and_what_follows_from_a_sample_is_an_event():
    m = models.push(models.slider(), 1.0)
    slow, fast, seen = (m.discrete(name) for name in ("slow", "fast", "seen"))
    m.sample(0.3, {slow: slow + 1})
    m.sample(0.1, {fast: fast + 1})
    m.when(slow > 2.5, {seen: fast})
    r = lw.simulate(m, 1.05)
    assert [(e.time, e.what) for e in r.events] == [(pytest.approx(0.6), "slow > 2.5")]
    assert (r["slow"][-1], r["fast"][-1], r["seen"][-1]) == (4, 11, 7)  # both had acted


def test_it_samples_what_has_been_decided_at_its_instant():
    """A mass that rubs, pushed beyond its friction where the sample is taken: the acceleration is that of sliding."""
    m = models.slider(friction=lw.Coulomb(f=2.0))
    models.push(m, lw.where(lw.time > 0.5, 5.0, 0.0))
    a = m.discrete("a", -1.0)
    m.sample(0.5, {a: m.s.a})
    r = lw.simulate(m, 0.8)
    assert r["a"][-1] == pytest.approx(3.0, abs=1e-12) and r.at(0.4)["a"] == 0
    study = lw.sweep(m, {"body.m": [1.0, 2.0]}, 0.8, step=0.1, outputs=["a"])
    np.testing.assert_allclose(study.data["a"].values[:, -1], [3.0, 1.5], atol=1e-12)


def test_derivatives_go_through_samples():
    def end(phi):
        return lw.simulate(servo(phi=phi), 0.4, accuracy=1e-11)["arm.phi"][-1]

    r = lw.simulate(servo(), 0.4, accuracy=1e-11, sensitivities=["arm.phi"])
    slope = r.at(0.4).sensitivity("arm.phi", "arm.phi")
    assert slope == pytest.approx((end(0.5 + 1e-4) - end(0.5 - 1e-4)) / 2e-4, rel=1e-6)


def test_a_stepped_run_samples_at_its_steps():
    m = lw.Model("counted")
    m.world = lw.World()
    m.ball, m.hull = parts.Body(m=1.0, r_0=[0, 0.5, 0]), contact.Sphere(radius=0.1)
    m.floor = contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.hull.frame_a)
    m.touch = contact.Pair(m.floor, m.hull, law=contact.Rigid())
    n, y = m.discrete("n"), m.discrete("y")
    m.sample(0.05, {n: n + 1, y: m.ball.r_0[1]})
    r = lw.simulate(m, 0.475, method="time_stepping", h=0.005)
    assert r["n"][-1] == 10 and not [e for e in r.events if "sample" in e.what]
    assert r["y"][-1] == pytest.approx(r.at(0.45)["ball.r_0"][1], abs=1e-12)


def test_a_hold_goes_through_lanes():
    def held(rate=0.25):
        return models.push(models.slider(v=0.3), blocks.zero_order_hold(lw.cos(3 * lw.time), rate, name="held"))

    r = lw.simulate(held(), 1.1, output_step=0.1)
    study = lw.sweep(held(), {"body.m": [1.0, 2.0]}, 1.1, step=0.1, outputs=["s.s", "held"])
    np.testing.assert_array_equal(study.data["s.s"].values[0], r["s.s"])
    np.testing.assert_array_equal(study.data["held"].values[0], r["held"])
    assert lw.simulate(held(0.5), 1.1)["s.s"][-1] != r["s.s"][-1]  # another rate is another model


@pytest.mark.parametrize("make, said", [
    (lambda m: m.sample(0, {m.discrete("a"): 1}), "slider: sample needs a positive number of seconds, got 0"),
    (lambda m: m.sample("fast", {m.discrete("a"): 1}), "got 'fast'"),
    (lambda m: m.sample(0.1, {}), "sample needs a dict"),
    (lambda m: m.sample(0.1, {m.s.v: 1.0}), "sample sets discrete variables .* and .* is none"),
    (lambda m: m.every(-1.0), "every needs a positive number"),
])
def test_samples_that_make_no_sense_are_refused(make, said):
    m = models.slider()
    with pytest.raises(lw.ModelError, match=said):
        make(m)
        lw.compile(m)


def test_a_rate_that_would_not_end_is_refused_by_name():
    with pytest.raises(lw.ModelError, match="sample every 1e-15 s: its period"):
        lw.simulate(servo(period=1e-15), 10.0)
