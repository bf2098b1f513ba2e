"""States: values by name, stages, and what a change invalidates."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Inertia
from linkwright.errors import ModelError, SingularError
from linkwright.mechanism import Gimbal, MechanismBuilder, Prismatic, Revolute, Spherical
from linkwright.studies import simulate
from linkwright.system import Stage, compile_mechanism
from mechanisms import chain


@pytest.fixture(scope="module")
def system():
    """A pendulum with a parameter, a discrete variable, a state and named outputs."""
    b = MechanismBuilder("pendulum", gravity=[0, -9.81, 0])
    b.body("rev", "world", Revolute(), inertia=Inertia(1.0, [0.5, 0, 0], np.diag([0.1, 0.1, 0.1])))
    phi, w = b.variable("q", "rev"), b.variable("u", "rev")
    d = b.parameter("damper.d", 0.1)
    on = b.discrete("on", 1.0)
    z = b.state("filter", lambda z: phi - z)
    b.mobility_force("damper", "rev", -d * on * w - 0 * z)
    b.output("rev.w", w)
    b.output("angle in degrees", phi * 180 / np.pi - 10 * d)
    b.output("tip", ca.vertcat(ca.cos(phi), ca.sin(phi), 0))
    mechanism = b.build()
    mechanism.outputs["lazy"] = lambda: 2 * phi
    mechanism.outputs["turn"] = ca.blockcat([[ca.cos(phi), -ca.sin(phi)], [ca.sin(phi), ca.cos(phi)]])
    return compile_mechanism(mechanism)


def test_variables_by_name(system):
    s = system.state().set("rev.phi", 0.3).set("rev.w", 2.0)
    assert (s.q[0], s.u[0]) == (0.3, 2.0)
    assert s.get("rev.phi") == 0.3
    assert s.get("lazy") == 0.6
    np.testing.assert_allclose(s.get("tip"), [np.cos(0.3), np.sin(0.3), 0], rtol=1e-15)
    np.testing.assert_allclose(s.get("turn"), [[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]], rtol=1e-15)
    assert isinstance(s.get("rev.phi"), float)
    assert s.get("rev.q").shape == (1,)


def test_an_affine_variable_can_be_set_through_its_offset(system):
    s = system.state().set("damper.d", 0.5).set("angle in degrees", 40.0)
    assert s.q[0] == pytest.approx(np.radians(45), rel=1e-15)
    assert s.p[0] == 0.5


def test_a_derived_variable_cannot_be_set(system):
    with pytest.raises(ModelError, match="tip: this variable follows from others"):
        system.state().set("tip", [1, 0, 0])


def test_results_are_kept_until_something_they_need_changes(system):
    s = system.state()
    assert s.stage == Stage.INSTANCE
    system.realize(s, Stage.ACCELERATION)
    assert s.stage == Stage.ACCELERATION
    kept = s.get("udot")
    assert s.get("udot") is kept
    s.z[0] = 1.0
    assert s.stage == Stage.VELOCITY
    system.realize(s, Stage.ACCELERATION)
    s.u = [1.0]
    assert s.stage == Stage.POSITION
    assert s.get("udot")[0] != kept[0]
    s.q[0] = 0.5  # in place, too
    assert s.stage < Stage.POSITION
    system.realize(s, Stage.POSITION)
    s.t = 1.0
    assert s.stage < Stage.TIME
    system.realize(s, Stage.VELOCITY)
    s.set("damper.d", 0.7)
    assert s.stage == Stage.INSTANCE


def test_copies_are_independent(system):
    s = system.state()
    other = s.copy()
    other.q[0] = 1.0
    assert s.q[0] == 0.0


def test_initial_values_by_name():
    system = compile_mechanism(chain(3), initial={"b1.phi": 0.4, "b2.u": 1.5})
    s = system.state()
    np.testing.assert_array_equal(s.q, [0, 0.4, 0])
    np.testing.assert_array_equal(s.u, [0, 0, 1.5])


@pytest.mark.parametrize(("name", "value", "message"), [
    ("rev.phy", 1.0, "did you mean 'rev.phi'"),
    ("rev.phi", float("nan"), "rev.phi: the value must be finite"),
    ("rev.phi", [1.0, 2.0], "rev.phi: 1 numbers are needed, got 2"),
    ("rev.phi", "much", "rev.phi: a number is needed"),
])
def test_bad_values_are_refused_by_name(system, name, value, message):
    with pytest.raises(ModelError, match=f"(?i){message}"):
        system.state().set(name, value)


def test_wrong_lengths_name_the_coordinates(system):
    with pytest.raises(ModelError, match=r"state.q: 1 numbers \(rev.phi\) are needed, got 2"):
        system.state().q = [1.0, 2.0]
    with pytest.raises(ModelError, match=r"state.u: .*der\(rev.phi\)"):
        system.state().u = []


def test_a_state_that_is_no_number_is_refused_by_name(system):
    s = system.state()
    s.q[0] = np.nan
    with pytest.raises(ModelError, match="rev.phi: the state holds nan"):
        s.get("udot")
    s = system.state()
    s.u[0] = np.inf
    with pytest.raises(ModelError, match=r"der\(rev.phi\)"):
        s.get("kinetic_energy")


def test_a_zero_quaternion_is_refused():
    b = MechanismBuilder("top")
    b.body("top", "world", Spherical(), inertia=Inertia(1, [0, 0, 0.1], np.eye(3)))
    s = compile_mechanism(b.build()).state()
    s.q[:] = 0
    with pytest.raises(ModelError, match="top: its quaternion is zero"):
        s.get("udot")


def test_an_output_with_a_foreign_symbol_is_refused():
    b = MechanismBuilder("slider")
    b.body("slider", "world", Prismatic(), inertia=Inertia(1))
    b.output("odd", ca.SX.sym("stranger") * 2)
    with pytest.raises(ModelError, match="stranger"):
        compile_mechanism(b.build()).state().get("odd")


def test_accelerations_in_a_singular_position_are_refused():
    b = MechanismBuilder("gyro")
    b.body("ball", "world", Gimbal(), inertia=Inertia(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0])))
    system = compile_mechanism(b.build())
    state = system.state()
    state.q, state.u = [0.1, np.pi / 2, 0.3], [1, 2, 3]
    with pytest.raises(SingularError, match="ball: in this position"):
        system.realize(state, Stage.ACCELERATION)
    with pytest.raises(SingularError, match="ball: in this position"):
        simulate(system, 1.0, state=state)
    state.q = [0.1, np.pi / 2 - 1e-3, 0.3]
    system.realize(state, Stage.ACCELERATION)  # near it they are accurate still


def test_a_light_link_that_carries_a_heavy_one_is_not_singular():
    b = MechanismBuilder("light", gravity=[0, 0, -9.81])
    b.body("light", "world", Prismatic(), inertia=Inertia(1e-9))
    b.body("heavy", "world", Prismatic(), inertia=Inertia(1e9))
    system = compile_mechanism(b.build())
    np.testing.assert_allclose(system.evaluate(system.state(), "udot"), [-9.81, -9.81])
