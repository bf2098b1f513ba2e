"""Conditions that never become true and new values that contradict each other are refused, by the names users wrote."""

import pytest

import linkwright as lw
from linkwright import rotational


def shaft():
    m = lw.Model("shaft")
    m.world = lw.World()
    m.a = rotational.Inertia(J=1.0, phi=0, w=1.0)
    return m


@pytest.mark.parametrize(("condition", "said"), [
    (lambda m, n: m.a.phi == 0.5, "equal to something for no time.*write > or <"),
    (lambda m, n: lw.time == 0.5, "equal to something for no time"),
    (lambda m, n: lw.logical_and(m.a.w != 0.5, n == 0), "equal to something for no time"),
    (lambda m, n: m.a.phi - 0.5, r"is a comparison; write \(a.phi-0.5\) > 0"),
    (lambda m, n: m.a.phi, "is a comparison; write a.phi > 0")])
def test_conditions_that_never_become_true(condition, said):
    m = shaft()
    n = m.discrete("n")
    with pytest.raises(lw.ModelError, match=said):
        m.when(condition(m, n), {n: 1})
    with pytest.raises(lw.ModelError, match=said):
        m.terminate(condition(m, n))


def test_equality_of_what_jumps_is_a_condition():
    m = shaft()
    n, k = m.discrete("n"), m.discrete("k")
    m.when(lw.floor(4 * m.a.phi) == 2, {n: n + 1})
    m.when(n == 1, {k: lw.time})
    r = lw.simulate(m, 1.0)
    assert [r["n"][-1], r["k"][-1]] == pytest.approx([1, 0.5])


def test_two_speeds_of_one_shaft():
    m = shaft()
    m.gear, m.b = rotational.IdealGear(ratio=2), rotational.Inertia(J=1.0)
    m.connect(m.a.flange_b, m.gear.flange_a)
    m.connect(m.gear.flange_b, m.b.flange_a)
    m.when(lw.time > 0.5, {m.a.w: 2.0, m.b.w: 1.0})
    assert lw.simulate(m, 1.0)["a.w"][-1] == pytest.approx(2.0)
    m.when(lw.time > 0.7, {m.a.w: 2.0, m.b.w: 5.0})
    with pytest.raises(lw.SimulationError, match="t = 0.7 s .* contradict each other: a.w = 2 and b.w = 5"):
        lw.simulate(m, 1.0)


def test_two_actions_that_contradict_each_other():
    m = shaft()
    m.when(lw.time > 0.5, {m.a.w: 2.0})
    m.when(lw.time > 0.5, {m.a.w: 5.0})
    with pytest.raises(lw.SimulationError, match="contradict each other: a.w = 2 and a.w = 5"):
        lw.simulate(m, 1.0)


def test_what_cannot_be_set_is_called_as_it_was_written():
    m = lw.Model("axle")
    m.world = lw.World()
    m.left, m.right, m.case = (rotational.Inertia(J=1.0) for _ in range(3))
    m.differential = rotational.IdealDifferential()
    m.connect(m.differential.flange_left, m.left.flange_a)
    m.connect(m.differential.flange_right, m.right.flange_a)
    m.connect(m.differential.flange_a, m.case.flange_b)
    m.when(lw.time > 0.5, {m.case.w: 3.0})
    with pytest.raises(lw.ModelError, match="time > 0.5: case.w follows from other variables"):
        lw.simulate(m, 1.0)


def controlled(*values):
    m = shaft()
    m.motor = rotational.Torque(tau=m.input("u"))
    m.connect(m.motor.flange, m.a.flange_a)
    for k, value in enumerate(values):
        def control(t, y, value=value):
            return {"u": value}

        control.__name__ = f"control{k}"
        m.every(0.1 * (k + 1))(control)
    return m


def test_two_controllers_of_one_input():
    assert lw.simulate(controlled(1.0, 1.0), 1.0)["a.w"][-1] == pytest.approx(2.0)
    with pytest.raises(lw.SimulationError, match="'control1' failed.* u = 2, but the controller 'control0' asks for 1"):
        lw.simulate(controlled(1.0, 2.0), 1.0)


def test_an_input_over_time_and_an_action():
    m = shaft()
    m.when(lw.time > 0.5, {m.input("u"): 5.0})
    with pytest.raises(lw.ModelError, match="inputs= gives u over time"):
        lw.simulate(m, 1.0, inputs={"u": lambda t: t})


def test_an_input_over_time_and_a_controller():
    with pytest.raises(lw.SimulationError, match="inputs= gives u over time"):
        lw.simulate(controlled(1.0), 1.0, inputs={"u": lambda t: t})
