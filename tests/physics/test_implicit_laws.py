"""Laws beyond explicit forces, each against an equation derived by hand."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import ForceMotor, Inertia, Transform
from linkwright.errors import SimulationError, SingularError
from linkwright.mechanism import TIME, MechanismBuilder, Prismatic, Revolute, Translation, Weld
from linkwright.studies import simulate
from linkwright.system import compile_mechanism


def pendulum(**kwargs):
    """A revolute about z with a body of mass 2, centre of mass at 0.7 along x, central inertia 0.3."""
    b = MechanismBuilder("pendulum", gravity=[0, -9.81, 0], **kwargs)
    b.body("bob", "world", Revolute(), inertia=Inertia(2.0, [0.7, 0, 0], np.diag([0.1, 0.2, 0.3])))
    return b


def test_a_law_that_reads_an_acceleration_is_added_mass():
    """f = −μ a at the tip is a point mass μ without weight: (I + μ l²) φ̈ = −m g c cos φ."""
    b = pendulum()
    b.frame("tip", "bob", Transform(None, [1.2, 0, 0]))
    b.force("added", "tip", ForceMotor(-0.9 * b.variable("a", "tip", 3), [0, 0, 0]), axes="world")
    system = compile_mechanism(b.build())
    phi = 0.4
    expected = -2 * 9.81 * 0.7 * np.cos(phi) / (0.3 + 2 * 0.7**2 + 0.9 * 1.2**2)
    state = system.state().set("bob.phi", phi)
    assert state.get("udot")[0] == pytest.approx(expected, rel=1e-12)
    result = simulate(system, 2.0, state=state, accuracy=1e-11)
    E = result["kinetic_energy"] + 0.5 * 0.9 * 1.2**2 * result["bob.u"][:, 0] ** 2 + result["potential_energy"]
    assert np.ptp(E) < 1e-8


def test_added_mass_moves_like_mass():
    """With and without gravity's part: the same motion as with a real mass where there is no gravity."""
    motions = []
    for real in (False, True):
        b = MechanismBuilder("arms", gravity=[0, 0, 0])
        b.body("a", "world", Revolute(), inertia=Inertia(1.0, [0.5, 0, 0], np.diag([0.1, 0.1, 0.1])))
        own = Inertia(0.5, [0.2, 0, 0], np.diag([0.1, 0.1, 0.1]))
        tip = Inertia(0.8, [1.0, 0, 0])
        b.body("c", "a", Revolute(), Transform(None, [1, 0, 0]), inertia=own + tip if real else own)
        b.frame("tip", "c", Transform(None, [1, 0, 0]))
        if not real:
            b.force("added", "tip", ForceMotor(-0.8 * b.variable("a", "tip", 3), [0, 0, 0]), axes="world")
        system = compile_mechanism(b.build())
        state = system.state().set("a.u", 1.0).set("c.u", -2.0)
        motions.append(simulate(system, 3.0, state=state, accuracy=1e-11, step=1.0).states)
    np.testing.assert_allclose(motions[0], motions[1], atol=1e-7)


def test_an_algebraic_unknown_is_solved_along_the_motion():
    """A series of two springs, one cubic: k y = c (s − y)³ defines the node y; the force is −k y."""
    b = MechanismBuilder("series springs")
    b.body("slider", "world", Prismatic(), inertia=Inertia(1.5))
    s = b.variable("q", "slider")
    y = b.unknown("node", lambda y: 30 * y - 50 * (s - y) ** 3, start=0.0)
    b.mobility_force("spring", "slider", -30 * y)
    b.output("node.y", y)
    system = compile_mechanism(b.build())
    result = simulate(system, 3.0, state=system.state().set("slider.s", 1.0), accuracy=1e-11)
    stretch, node = result["slider.s"], result["node.y"]
    np.testing.assert_allclose(30 * node, 50 * (stretch - node) ** 3, atol=1e-9)
    energy = 0.75 * result["slider.u"][:, 0] ** 2 + 15 * node**2 + 12.5 * (stretch - node) ** 4
    assert np.ptp(energy) < 1e-8
    assert np.min(stretch) < -0.9
    now = result.at(1.234)
    assert 30 * now["node.y"] == pytest.approx(50 * (now["slider.s"] - now["node.y"]) ** 3, abs=1e-8)


def test_a_friction_that_reads_its_reaction():
    """A braked pendulum: τ = −μ r |F| tanh(100 φ̇), F the force through the joint, which the brake does not change."""
    b = pendulum()
    reaction, u = b.variable("reaction", "bob", 6), b.variable("u", "bob")
    b.mobility_force("brake", "bob", -0.05 * ca.sqrt(ca.dot(reaction[:3], reaction[:3])) * ca.tanh(100 * u))
    system = compile_mechanism(b.build())
    state = system.state().set("bob.u", 1.5)
    udot = state.get("udot")[0]
    # by hand: centre of mass on a circle of radius 0.7
    a = np.array([-0.7 * 1.5**2, 0.7 * udot])
    F = 2 * (a + np.array([0, 9.81]))
    I = 0.3 + 2 * 0.49
    assert I * udot == pytest.approx(-2 * 9.81 * 0.7 - 0.05 * np.linalg.norm(F) * np.tanh(150), rel=1e-9)


def test_a_point_mass_between_two_sliders():
    """A mass on the middle of the line between two points that slide along x: half of it goes with each.

    r = (s₁ + s₂)/2, so M = diag(m₁, m₂) + m/4 [[1, 1], [1, 1]]; a spring k pulls on the first.
    """
    m1, m2, m, k = 1.0, 2.0, 3.0, 40.0
    b = MechanismBuilder("pulled sliders")
    for name, mass in (("one", m1), ("two", m2)):
        b.body(name, "world", Translation(), inertia=Inertia(mass))
    middle = (b.pose("one").p + b.pose("two").p) / 2
    b.point_mass("mid", m, middle)
    q = b.variable("q", "one", 3)
    b.mobility_force("spring", "one", -k * q[0])
    system = compile_mechanism(b.build())
    state = system.state().set("one.x", 0.3)
    M = np.array([[m1 + m / 4, m / 4], [m / 4, m2 + m / 4]])
    expected = np.linalg.solve(M, [-k * 0.3, 0])
    np.testing.assert_allclose(state.get("udot")[[0, 3]], expected, rtol=1e-10)
    # the sliders' common motion keeps its momentum but for the spring; frequency² = k (M⁻¹)₁₁
    result = simulate(system, 2.0, state=state, accuracy=1e-11)
    omega = np.sqrt(k * np.linalg.inv(M)[0, 0])
    np.testing.assert_allclose(result["one.x"], 0.3 * np.cos(omega * result.t), atol=1e-8)


def test_a_mode_masks_a_constraint():
    """A slider held by a constraint falls freely once the mode is off, and does not move while it is on."""
    b = MechanismBuilder("latch", gravity=[0, 0, -9.81])
    b.body("weight", "world", Prismatic(), inertia=Inertia(2.0))
    held = b.discrete("held", 1.0)
    b.constraint("latch", b.variable("q", "weight") - 0.25, mode=held)
    system = compile_mechanism(b.build())
    on = simulate(system, 1.0, inputs={"held": 1.0})
    np.testing.assert_allclose(on["weight.s"], 0.25, atol=1e-9)
    assert on["lambda"][-1, 0] == pytest.approx(-2 * 9.81, rel=1e-6)
    off = simulate(system, 1.0, inputs={"held": 0.0})
    np.testing.assert_allclose(off["weight.s"] - off["weight.s"][0], -9.81 / 2 * off.t**2, atol=1e-8)
    np.testing.assert_allclose(off["lambda"], 0, atol=1e-12)


def test_a_velocity_constraint_rolls():
    """A knife edge on a plane: the speed across the blade stays zero (non-holonomic, velocity level)."""
    b = MechanismBuilder("skate")
    b.body("blade", "world", Translation(), inertia=Inertia(1.0), joint="slide")
    b.body("turn", "blade", Revolute(), inertia=Inertia(1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.2])))
    w = b.variable("V_AB", ("world", "turn"), 6)
    b.constraint("edge", w[4], level="velocity")
    system = compile_mechanism(b.build())
    state = system.state()
    state.u = [1.0, 0.0, 0.0, 0.5]
    result = simulate(system, 4.0, state=system.assemble(state), accuracy=1e-10)
    # constant speed on a circle of radius v/ω = 2
    np.testing.assert_allclose(result["slide.q"][:, 0], 2 * np.sin(0.5 * result.t), atol=1e-7)
    np.testing.assert_allclose(result["slide.q"][:, 1], 2 * (1 - np.cos(0.5 * result.t)), atol=1e-7)


def test_a_continuous_state_filters():
    """ż = (s − z)/τ with s = s₀ + v t from rest: z = s₀ + v (t − τ) + (v τ − s₀) e^{−t/τ}."""
    b = MechanismBuilder("filter")
    b.body("slider", "world", Prismatic(), inertia=Inertia(1.0))
    s = b.variable("q", "slider")
    b.state("z", lambda z: (s - z) / 0.3)
    system = compile_mechanism(b.build())
    state = system.state().set("slider.s", 0.2).set("slider.u", 0.5)
    result = simulate(system, 2.0, state=state, accuracy=1e-11)
    t = result.t
    np.testing.assert_allclose(result["z"], 0.2 + 0.5 * (t - 0.3) + (0.5 * 0.3 - 0.2) * np.exp(-t / 0.3), atol=1e-9)


def test_an_unknown_without_solution_is_an_error_and_no_number():
    """y² = 1 − s has no solution beyond s = 1; the mass, pushed by y, gets there and the run stops."""
    b = MechanismBuilder("vanishing")
    b.body("mass", "world", Prismatic(), inertia=Inertia(1.0))
    s = b.variable("q", "mass")
    y = b.unknown("y", lambda y: y**2 + s - 1, start=1.0)
    b.mobility_force("push", "mass", y)
    system = compile_mechanism(b.build())
    with pytest.raises(SingularError, match="the equations of y have no solution"):
        system.state().set("mass.s", 1.7).get("udot")
    assert np.isnan(system.function(["q"], ["udot"])([1.7])).all()
    with pytest.raises(SimulationError, match="the equations of y") as caught:
        simulate(system, 5.0)
    assert caught.value.result["mass.s"][-1] == pytest.approx(1, abs=1e-4)


def test_a_constraint_that_moves_with_time():
    """φ = sin 2t, by a constraint: the joint follows, and its drive is the multiplier I φ̈ + m g c cos φ = −λ."""
    b = pendulum()
    b.constraint("drive", b.variable("q", "bob") - ca.sin(2 * TIME))
    system = compile_mechanism(b.build())
    assert system.dof == 0
    result = simulate(system, 3.0)
    phi = np.sin(2 * result.t)
    np.testing.assert_allclose(result["bob.phi"], phi, atol=1e-12)
    torque = -(0.3 + 2 * 0.49) * 4 * phi + 2 * 9.81 * 0.7 * np.cos(phi)
    np.testing.assert_allclose(-result["lambda"][:, 0], torque, rtol=1e-6, atol=1e-6)


def test_nothing_that_moves():
    """Welds only: no states, and still a result."""
    b = MechanismBuilder("statue", gravity=[0, -9.81, 0])
    b.body("block", "world", Weld(), Transform(None, [0, 2, 0]), inertia=Inertia(3.0))
    system = compile_mechanism(b.build())
    result = simulate(system, 1.0)
    np.testing.assert_array_equal(result["centre_of_mass"][-1], [0, 2, 0])
    np.testing.assert_allclose(system.reactions(system.state())["block"].resultant, [0, 3 * 9.81, 0])
    assert system.dof == 0


def test_a_tunable_mass_is_an_input():
    b = MechanismBuilder("pendulum", gravity=[0, -9.81, 0])
    mass = b.parameter("m", 2.0)
    b.body("bob", "world", Revolute(), inertia=Inertia(mass, [0.5, 0, 0], np.diag([0.1, 0.1, 0.1])))
    system = compile_mechanism(b.build(), tunable=["m"])
    udot = system.function(["q", "p"], ["udot"])
    for m in (1.0, 2.0, 5.0):
        expected = -m * 9.81 * 0.5 / (0.1 + m * 0.25)
        assert udot([0.0], [m])[0] == pytest.approx(expected, rel=1e-13)
        assert system.state().set("m", m).get("udot")[0] == pytest.approx(expected, rel=1e-13)
