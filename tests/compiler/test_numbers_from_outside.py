"""What may be given from outside at a run, and is checked: signals left as numbers, parameters, states of others."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational


def driven(**motor):
    m = lw.Model("driven")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.3, w=0.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor, m.push = rotational.Torque(**motor), forces.WorldForce()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.motor.flange, m.rev.axis)
    m.connect(m.push.frame_b, m.body.frame_a)
    return m


def with_formula(tau):
    m = driven()
    m.motor.tau = tau
    return m


@pytest.mark.parametrize("given, formula", [
    (2.0, 2.0), (lambda t: 3 * lw.sin(t), 3 * lw.sin(lw.time)), (lambda t: 3 * np.sin(float(t)), 3 * lw.sin(lw.time)),
    (([0.0, 0.5, 1.0], [0.0, 2.0, 0.0]), 2 - 4 * lw.fabs(lw.time - 0.5)),
])
def test_a_signal_left_empty_is_an_input_and_acts_as_its_formula_would(given, formula):
    """Number, formula, function that takes no symbols, table: the same motion as with the signal written out."""
    outside, inside = lw.simulate(driven(), 1.0, inputs={"motor.tau": given}), lw.simulate(with_formula(formula), 1.0)
    for name in ("rev.phi", "rev.w", "motor.tau"):
        np.testing.assert_allclose(outside[name], inside[name], atol=1e-7)


def test_a_vector_signal_over_time():
    m = driven()
    r = lw.simulate(m, 1.0, inputs={"push.force": lambda t: [0.0, t, 2.0 * t]})
    np.testing.assert_allclose(r["push.force"], np.column_stack([0 * r.t, r.t, 2 * r.t]))
    table = lw.simulate(m, 1.0, inputs={"push.force": ([0.0, 1.0], [[0, 0, 0], [0, 1, 2]])})
    np.testing.assert_allclose(table["rev.phi"], r["rev.phi"], atol=1e-8)
    with pytest.raises(lw.ModelError, match=r"push.force: 3 numbers are needed at every time, got 2"):
        lw.simulate(m, 1.0, inputs={"push.force": lambda t: [0.0, t]})


def test_a_state_and_every_study_know_the_signal():
    system = lw.compile(driven())
    state = system.state()
    free = state.get("rev.a")
    state.set("motor.tau", 3.0)
    inertia = 0.25 + 0.001
    assert state.get("rev.a") - free == pytest.approx(3.0 / inertia)
    assert lw.linearize(system, inputs=["motor.tau"]).B[1, 0] == pytest.approx(1 / inertia)
    held = lw.equilibrium(driven(tau=2.0))
    assert np.cos(held.get("rev.phi")) == pytest.approx(2.0 / (9.80665 * 0.5))


def test_another_number_of_a_signal_compiles_nothing():
    first = lw.compile(driven(tau=1.0))
    first.state().get("rev.a")
    second = lw.compile(driven(tau=2.0))
    assert second.code is first.code
    assert second.state().get("motor.tau") == 2.0


@pytest.mark.parametrize("given", [1.0, lambda t: t])
def test_a_signal_with_a_formula_is_refused_by_name(given):
    m = driven()
    m.motor.tau = 2 * m.rev.phi
    with pytest.raises(lw.ModelError, match="motor.tau follows from a formula"):
        lw.simulate(m, 1.0, inputs={"motor.tau": given})


# --- states from one study to another ---


def test_what_one_study_returns_another_accepts():
    m = driven(tau=1.0)
    still = lw.simulate(m, 1.0, state=lw.equilibrium(m))
    assert np.ptp(still["rev.phi"]) < 1e-9
    half, whole = lw.simulate(m, 1.0), lw.simulate(m, 2.0)
    rest = lw.simulate(m, 2.0, start=1.0, state=half.end)
    assert rest["rev.phi"][-1] == pytest.approx(whole["rev.phi"][-1], abs=1e-6)


def test_a_state_of_another_formulation_is_the_same_motion():
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.j = [joints.Revolute(phi=1.0, w=1.0), joints.Revolute(phi=lw.guess(-0.6)), joints.Revolute(), joints.Revolute()]
    m.b = [parts.BodyShape(m=1.0, r=[length, 0, 0], r_cm=[length / 2, 0, 0]) for length in (0.3, 0.9, 0.6)]
    m.ground = parts.FixedTranslation(r=[1.0, 0, 0])
    m.chain(m.world, m.j[0], m.b[0], m.j[1], m.b[1], m.j[2], m.b[2])
    m.chain(m.world, m.ground, m.j[3])
    m.connect(m.j[3].frame_b, m.b[2].frame_b)
    one, other = lw.compile(m), lw.compile(m, formulation="projection")
    a, b = (lw.simulate(system, 0.2, state=one.state()) for system in (one, other))
    np.testing.assert_allclose(a["b[1].r_0"], b["b[1].r_0"], atol=1e-7)


def test_a_number_changed_in_the_model_is_taken_and_one_set_in_the_state_kept():
    m = driven()
    end = lw.simulate(m, 0.5).end
    energy = end.get("kinetic_energy")
    m.body.r_cm = [1.0, 0, 0]
    assert lw.simulate(m, 0.6, start=0.5, state=end)["kinetic_energy"][0] == pytest.approx(energy * 1.001 / 0.251)
    end.set("motor.tau", 1.5)
    assert lw.simulate(m, 0.6, start=0.5, state=end)["motor.tau"][-1] == 1.5


def test_a_state_of_another_model_is_refused():
    other = lw.Model("other")
    other.world, other.slide = lw.World(), joints.Prismatic(s=0.1)
    other.body = parts.Body(m=1.0)
    other.chain(other.world, other.slide, other.body)
    with pytest.raises(lw.ModelError, match="another system"):
        lw.simulate(driven(), 1.0, state=lw.compile(other).state())


# --- numbers are checked however they come ---

BAD = {
    "negative moment": (parts.Body, dict(m=1.0, inertia=[0.1, 0.1, 0.1]), {"inertia": [0.1, 0.1, -3.0]}, "negative"),
    "unsymmetric": (parts.Body, dict(m=1.0, inertia=np.eye(3)), {"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]},
                    "symmetric"),
    "indefinite": (parts.Body, dict(m=1.0, I_21=0.0), {"I_21": 0.5}, "negative"),
    "mass": (parts.Body, dict(m=1.0), {"m": -1.0}, "negative"),
    "density": (parts.BodyBox, dict(r=[1, 0, 0], density=1000.0), {"density": -1.0}, "negative"),
    "width": (parts.BodyBox, dict(r=[1, 0, 0], width=0.1), {"width": -0.1}, "negative"),
    "hollow": (parts.BodyBox, dict(r=[1, 0, 0], width=0.1, inner_width=0.05), {"inner_width": 0.2}, "inner_width"),
    "bore": (parts.BodyCylinder, dict(r=[1, 0, 0], diameter=0.1, inner_diameter=0.0), {"inner_diameter": 0.2},
             "inner_diameter"),
}


@pytest.mark.parametrize("case", BAD)
def test_nonsense_is_refused_by_name_as_a_number_as_an_input_and_in_a_state(case):
    kind, good, bad, said = BAD[case]

    def model(**numbers):
        m = lw.Model("checked")
        m.world, m.rev = lw.World(), joints.Revolute(phi=0.3)
        m.part = kind(**numbers)
        m.chain(m.world, m.rev, m.part)
        return m

    # numbers of a model, the third time compiled on code for any numbers
    lw.compile(model(**good))
    with pytest.raises(lw.ModelError, match=f"(?s)part.*{said}|{kind.__name__}.*{said}"):
        lw.compile(model(**good | bad))
    names = [f"part.{name}" for name in bad]
    system = lw.compile(model(**good), tunable=names)
    inputs = {f"part.{name}": value for name, value in bad.items()}
    with pytest.raises(lw.ModelError, match=f"(?s)part.*{said}"):
        lw.simulate(system, 0.01, inputs=inputs)
    state = system.state()
    for name, value in inputs.items():
        state.set(name, value)
    with pytest.raises(lw.ModelError, match=f"(?s)part.*{said}"):
        lw.linearize(system, state)


def test_numbers_that_fit_together_may_change_together():
    m = lw.Model("hollow")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.3)
    m.part = parts.BodyBox(r=[1, 0, 0], width=0.1, inner_width=0.05)
    m.chain(m.world, m.rev, m.part)
    system = lw.compile(m, tunable=["part.width", "part.inner_width"])
    lw.simulate(system, 0.01, inputs={"part.width": 0.02, "part.inner_width": 0.01})
    assert float(m.part.width) == 0.1


def test_the_report_names_bodies_that_cannot_be():
    m = driven()
    m.body.inertia = [0.1, 0.1, 3.0]
    assert "are impossible for a real body" in lw.compile(m).report(full=True)
    assert "impossible for a" not in str(lw.compile(driven()))
